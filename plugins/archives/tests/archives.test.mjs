// Vaults and archives (docs/reference/archives.md; docs/specification/platform.md 13): uploads honest and hostile, whose they
// are, and what becomes of their bytes.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdirSync, utimesSync } from 'node:fs';
import { connect } from 'node:net';
import { basename, join } from 'node:path';
import { after, before, test } from 'node:test';
import { SteleServer } from '../../../tests/support/stele_server.mjs';
import { until } from '../../../tests/support/until.mjs';
import { archiveOf, formOf, zip } from '../../../tests/support/zip_archive.mjs';

const kManifest = { group: 'com.example', artifact: 'orchard', version: '1.0.0', type: 'repository', title: 'Orchard', description: 'Demo' };

let server;
const tokens = {};
before(async () => {
  server = await SteleServer.start({ config: 'storage.collection_period = 400ms' });
  for (const name of ['maker', 'reader', 'stranger']) {
    await server.makeUser(name);
    tokens[name] = await server.login(name, `secret-of-${name}`);
  }
  await server.login();
});
after(() => server.end());

const admin = (...request) => server.admin(...request);
const as = (name, method, path, body) => server.request(method, path, { token: tokens[name], body });
const grant = (path, role, who) => admin('POST', `${path}/authorities/${role}/grant?id=default/${who}`);
const makeVault = async (fields = {}) => `/vaults/${(await admin('POST', '/vaults', fields))._doc}`;

/// The whole reply to an upload of these bytes.
async function send(vault, bytes, { query = '', type = 'application/zip', token } = {}) {
  server.adminToken ??= await server.login();
  return server.request('POST', `${vault}/archives${query}`,
    { body: bytes, token: token ?? server.adminToken, headers: type === null ? {} : { 'Content-Type': type } });
}
async function upload(vault, bytes, options) {
  const reply = await send(vault, bytes, options);
  assert.equal(reply.status, 200, reply.text);
  assert.equal(reply.json.ok, true);
  return reply.json;
}
async function refused(status, code, vault, bytes, options) {
  const before_ = await total(vault);
  const reply = await send(vault, bytes, options);
  assert.deepEqual([reply.status, reply.json.violations?.[0].code ?? reply.json.code], [status, code], reply.text);
  assert.equal(await total(vault), before_);
  return reply.json;
}
const sendForm = (vault, parts, query = '') => {
  const { body, type } = formOf(parts);
  return send(vault, body, { query, type });
};
const total = async (vault, query = {}) => (await admin('POST', `${vault}/archives/query`, query)).total_rows;
const coordinates = ({ group, artifact, version }) => [group, artifact, version];
const read = (path, headers = {}, token = server.adminToken) => server.request('GET', path, { token, headers });
const download = (vault, { _doc }) => read(`${vault}/archives/${_doc}/download`);

test('every platform has a primary vault, which stays', async () => {
  const primary = await admin('GET', '/vaults/primary');
  assert.deepEqual(await admin('GET', '/vaults/default'), primary);
  assert.deepEqual([primary.datastoreTypeId, primary.platformId], ['vault', (await admin('GET', '/'))._doc]);
  const reply = await read('/vaults/primary').then(() => server.request('DELETE', '/vaults/primary', { token: server.adminToken }));
  assert.deepEqual([reply.status, reply.json.code], [409, 'store.primary_required']);
  const other = await makeVault();
  await admin('DELETE', other);
});

test('a raw upload says its coordinates in its manifest', async () => {
  const vault = await makeVault();
  const bytes = archiveOf({ ...kManifest, model: '3.0.0', sources: [[{ typeId: 'platform', id: 'p' }]], includes: [], own: 1, _doc: 'forged', published: true },
                          { 'platforms/p/platform.json': '{}' });
  for (const type of ['application/zip', 'application/octet-stream', null]) {
    const made = await upload(vault, bytes, { type });
    const archive = await admin('GET', `${vault}/archives/${made._doc}`);
    assert.deepEqual([coordinates(archive), archive.type, archive.title, archive.description],
                     [['com.example', 'orchard', '1.0.0'], 'repository', 'Orchard', 'Demo']);
    assert.deepEqual([archive.model, archive.sources, archive.includes], ['3.0.0', [[{ typeId: 'platform', id: 'p' }]], []]);
    assert.deepEqual([archive.contentType, archive.length, archive.size, archive.published, archive._containerType],
                     ['application/zip', bytes.length, bytes.length, false, 'platform']);
    assert.equal(`/vaults/${archive.vaultId}`, vault);
    assert.ok(!('own' in archive));
    assert.notEqual(archive._doc, 'forged');
    assert.equal(await total(vault), 1);
    assert.equal((await admin('GET', `${vault}/archives`)).rows[0]._doc, made._doc);
    await admin('DELETE', `${vault}/archives/${made._doc}`);
  }
});

test('parameters come before the manifest, and the zip stays as it is', async () => {
  const vault = await makeVault();
  const bytes = archiveOf(kManifest);
  const made = await upload(vault, bytes, { query: '?group=g&artifact=a&version=2&type=node&title=T&description=D&published=true' });
  const archive = await admin('GET', `${vault}/archives/lookup?group=g&artifact=a&version=2`);
  assert.equal(archive._doc, made._doc);
  assert.deepEqual([archive.type, archive.title, archive.description, archive.published, archive._containerType], ['node', 'T', 'D', true, 'node']);
  assert.deepEqual((await download(vault, made)).bytes, bytes);
  assert.deepEqual(coordinates(await upload(vault, bytes, { query: '?version=3' })), ['com.example', 'orchard', '3']);
  await refused(400, 'request.parameter_invalid', vault, bytes, { query: '?published=perhaps' });
});

test('a form names its file archive, or has one only', async () => {
  const vault = await makeVault();
  const bytes = archiveOf(null, { 'a.txt': 'text' });
  const file = (name, fileName, data = bytes) => ({ name, fileName, type: 'application/zip;charset=utf-8', data });
  const made = async (parts, query) => {
    const reply = await sendForm(vault, parts, query);
    assert.equal(reply.status, 200, reply.text);
    return reply.json;
  };
  assert.deepEqual(coordinates(await made([file('archive', 'com.acme-my-site-1.0.0-SNAPSHOT.zip')])), ['com.acme', 'my-site', '1.0.0-SNAPSHOT']);
  assert.deepEqual(coordinates(await made([file('whatever', 'a-b-1.zip')])), ['a', 'b', '1']);
  const other = archiveOf(null, { 'b.txt': 'other' });
  for (const parts of [[file('other', 'x-y-1.zip', other), file('archive', 'a-b-2.zip')], [file('archive', 'a-b-3.zip'), file('one', 'x'), file('two', 'y')]])
    assert.deepEqual((await download(vault, await made(parts))).bytes, bytes);
  assert.deepEqual(coordinates(await made([{ name: 'version', data: '9' }, file('f', 'a-b-4.zip')])), ['a', 'b', '9']);
  assert.deepEqual(coordinates(await made([file('f', 'a-b-4.zip')], '?artifact=c')), ['a', 'c', '4']);
  for (const parts of [[], [{ name: 'group', data: 'g' }], [file('one', 'a-b-5.zip'), file('two', 'a-b-6.zip')],
                       [file('archive', 'a-b-5.zip'), file('archive', 'a-b-6.zip')]]) {
    const reply = await sendForm(vault, parts);
    assert.deepEqual([reply.status, reply.json.violations[0].code], [400, 'archives.one_file_expected']);
  }
});

test('parts of a package are told apart by their names', async () => {
  const vault = await makeVault();
  const bytes = archiveOf({ ...kManifest, artifact: 'big' });
  for (const name of ['big_part0', 'big_part1']) {
    const reply = await sendForm(vault, [{ name: 'archive', fileName: `com.example-${name}-1.0.0.zip`, data: bytes }]);
    assert.deepEqual(coordinates(reply.json), ['com.example', name, '1.0.0']);
  }
  assert.equal(await total(vault), 2);
  assert.deepEqual(coordinates(await upload(vault, bytes, { query: '?filename=com.example-big_part2-1.0.0.zip' })), ['com.example', 'big_part2', '1.0.0']);
});

test('an upload that nothing names is refused, and each missing coordinate told', async () => {
  const vault = await makeVault();
  const bytes = archiveOf(null, { 'a.txt': 'text' });
  const told = await refused(400, 'archives.coordinate_missing', vault, bytes, { query: '?artifact=a' });
  assert.deepEqual(told.violations.map(({ path }) => path), ['group', 'version']);
  await refused(400, 'archives.coordinate_missing', vault, archiveOf({ group: 'g', artifact: 7 }));
  for (const wrong of ['a/b', 'a\\b', 'a\nb', 'x'.repeat(256)])
    await refused(400, 'archives.coordinate_malformed', vault, bytes, { query: `?group=${encodeURIComponent(wrong)}&artifact=a&version=1` });
  assert.deepEqual(coordinates(await upload(vault, bytes, { query: '?group=g&artifact=K%C3%A4se%201&version=1' })), ['g', 'Käse 1', '1']);
});

test('what is no zip, or a hostile one, is refused, and nothing is stored', async () => {
  const vault = await makeVault();
  const query = '?group=g&artifact=a&version=1';
  const good = archiveOf(kManifest, { 'a.txt': 'some text' });
  for (const bytes of [Buffer.from(''), Buffer.from('no zip at all'), Buffer.from(JSON.stringify(kManifest)), randomBytes(5000), good.subarray(0, good.length - 30),
                       good.subarray(0, 40), Buffer.from('PK\x05\x06')])
    await refused(400, 'archives.malformed', vault, bytes, { query });
  for (const name of ['../escape.txt', '/etc/passwd', 'a/../../b', 'a\\b', 'C:\\x', 'a\0b'])
    await refused(400, 'zip.path_unsafe', vault, zip([{ name, data: 'x' }]), { query });
  await refused(400, 'zip.path_twice', vault, zip([{ name: 'manifest.json', data: '{}' }, { name: 'manifest.json', data: '{}' }]), { query });
  await refused(400, 'archives.too_large', vault, zip([{ name: 'bomb', data: 'x', size: 0xfffffff0 }]), { query });
});

test('a manifest that cannot be read takes nothing from an archive whose coordinates are given', async () => {
  const vault = await makeVault();
  const good = JSON.stringify(kManifest);
  const broken = ['', 'no JSON', '[]', good.slice(0, -1), `{"contents":${'['.repeat(100_000)}`, `{"title":"${'x'.repeat(2_000_000)}"}`,
                  '{"group":"a","group":"b"}', Buffer.from([0x7b, 0x22, 0xff])];
  const query = '?group=g&artifact=a&version=1';
  for (const [index, data] of broken.entries()) {
    const bytes = zip([{ name: 'manifest.json', data }]);
    await refused(400, 'archives.manifest_malformed', vault, bytes);
    const made = await upload(vault, bytes, { query: query + index });
    assert.ok(!('title' in made) && !('contents' in made));
    assert.deepEqual((await download(vault, made)).bytes, bytes);
  }
  const corrupt = zip([{ name: 'manifest.json', data: good, checksum: 1 }]);
  await refused(400, 'archives.manifest_malformed', vault, corrupt);
  assert.deepEqual((await download(vault, await upload(vault, corrupt, { query }))).bytes, corrupt);
});

test('a long manifest is read, and its contents counted only', async () => {
  const vault = await makeVault();
  const entries = (count) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`node://p/r/${n}`, { typeId: 'node', id: `${n}`, requires: [] }]));
  const small = await upload(vault, archiveOf({ ...kManifest, contents: entries(20) }));
  assert.equal(small.contentCount, 20);
  assert.equal(Object.keys(small.contents).length, 20);
  const large = await upload(vault, archiveOf({ contents: entries(200_000), parts: ['x'.repeat(70_000)], ...kManifest, version: '2' }));
  assert.equal(large.contentCount, 200_000);
  assert.ok(!('contents' in large) && !('parts' in large));
  assert.equal(large.title, 'Orchard');
});

test('an upload that breaks off leaves nothing', async () => {
  const vault = await makeVault();
  const bytes = archiveOf(kManifest, { 'a.bin': randomBytes(300_000) });
  await new Promise((resolve, reject) => {
    const socket = connect(server.port, '127.0.0.1', () => {
      socket.write(`POST ${vault}/archives HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.adminToken}\r\nContent-Type: application/zip\r\nContent-Length: ${bytes.length}\r\n\r\n`);
      socket.write(bytes.subarray(0, bytes.length / 2), () => socket.destroy());
    });
    socket.on('error', reject);
    socket.on('close', resolve);
  });
  assert.equal(await total(vault), 0);
  await upload(vault, bytes);
  assert.equal(await total(vault), 1);
});

test('downloads are the bytes of the upload, whole and in parts', async () => {
  const vault = await makeVault();
  const bytes = archiveOf(kManifest, { 'a.bin': randomBytes(200_000) });
  const { _doc } = await upload(vault, bytes);
  for (const path of [`${vault}/archives/${_doc}/download`, `${vault}/archives/download?groupId=com.example&artifactId=orchard&versionId=1.0.0`]) {
    const whole = await read(path);
    assert.deepEqual(whole.bytes, bytes);
    assert.equal(whole.headers['content-type'], 'application/zip');
    assert.match(whole.headers['content-disposition'], /^attachment; filename="com\.example-orchard-1\.0\.0\.zip"/);
    assert.equal(whole.headers['x-content-type-options'], 'nosniff');
    const part = await read(path, { Range: 'bytes=100-199' });
    assert.deepEqual([part.status, part.bytes], [206, bytes.subarray(100, 200)]);
    assert.equal((await read(path, { 'If-None-Match': whole.headers.etag })).status, 304);
    const head = await server.request('HEAD', path, { token: server.adminToken });
    assert.deepEqual([head.status, head.headers['content-length'], head.bytes.length], [200, String(bytes.length), 0]);
  }
  for (const name of ['groupId', 'artifactId', 'versionId']) {
    const query = new URLSearchParams({ groupId: 'com.example', artifactId: 'orchard', versionId: '1.0.0' });
    query.delete(name);
    const missing = await read(`${vault}/archives/download?${query}`);
    assert.equal(missing.status, 400);
    assert.match(missing.json.message, new RegExp(name));
    query.set(name, 'other');
    assert.deepEqual([(await read(`${vault}/archives/download?${query}`)).status], [404]);
  }
  await admin('DELETE', `${vault}/archives/${_doc}`);
  for (const path of ['/lookup?group=com.example&artifact=orchard&version=1.0.0', '/download?groupId=com.example&artifactId=orchard&versionId=1.0.0', `/${_doc}`, `/${_doc}/download`]) {
    const gone = await read(`${vault}/archives${path}`);
    assert.equal(gone.status, 404, path);
    assert.ok(gone.json.error);
  }
});

test('reserved names win over ids', async () => {
  const vault = await makeVault();
  await upload(vault, archiveOf(kManifest));
  assert.equal((await read(`${vault}/archives/lookup`)).status, 400);
  assert.equal((await read(`${vault}/archives/download`)).status, 400);
  assert.equal((await read(`${vault}/archives/query`)).json.total_rows, 1);
});

test('the same coordinates replace: the record stays, its bytes and members are new', async () => {
  const vault = await makeVault();
  const first = await upload(vault, archiveOf({ ...kManifest, model: '2.0.0', contents: { a: {} } }), { query: '?published=true' });
  const path = `${vault}/archives/${first._doc}`;
  await server.request('POST', `${path}/attachments/note`, { body: 'a note', token: server.adminToken, headers: { 'Content-Type': 'text/plain' } });
  await grant(path, 'consumer', 'reader');
  const bytes = archiveOf({ ...kManifest, title: 'Second' }, { 'b.txt': 'more' });
  const second = await upload(vault, bytes);
  assert.equal(second._doc, first._doc);
  assert.deepEqual([second.title, second.length, second.published, second.contentCount], ['Second', bytes.length, true, 0]);
  assert.ok(!('model' in second) && !('contents' in second));
  assert.equal(second._system.created_on.ms, first._system.created_on.ms);
  assert.equal(await total(vault), 1);
  assert.deepEqual((await download(vault, second)).bytes, bytes);
  assert.equal((await read(`${path}/attachments/note`)).text, 'a note');
  assert.equal((await as('reader', 'GET', path)).status, 200);
  assert.equal((await upload(vault, bytes, { query: '?published=false' })).published, false);
});

test('only who may change an archive replaces it, and hidden ones are not told of', async () => {
  const vault = await makeVault();
  const bytes = archiveOf(kManifest);
  const made = await upload(vault, bytes);
  const path = `${vault}/archives/${made._doc}`;
  await grant(vault, 'contributor', 'maker');
  const other = archiveOf({ ...kManifest, title: 'Other' });
  const tryAs = (name, options) => send(vault, other, { token: tokens[name], ...options });
  assert.deepEqual([(await tryAs('maker')).json.code], ['archives.coordinates_taken']);
  for (const hidden of [path, `${path}/download`, `${vault}/archives/lookup?group=com.example&artifact=orchard&version=1.0.0`,
                        `${vault}/archives/download?groupId=com.example&artifactId=orchard&versionId=1.0.0`])
    assert.ok([403, 404].includes((await as('maker', 'GET', hidden)).status), hidden);
  assert.equal((await as('maker', 'GET', `${vault}/archives/lookup?group=com.example&artifact=orchard&version=1.0.0`)).status, 404);
  assert.equal((await as('maker', 'GET', `${vault}/archives`)).json.total_rows, 0);
  await grant(path, 'consumer', 'maker');
  const refusal = await tryAs('maker');
  assert.deepEqual([refusal.status, refusal.json.code], [403, 'authority.permission_missing']);
  assert.deepEqual((await download(vault, made)).bytes, bytes);
  await grant(path, 'editor', 'maker');
  assert.equal((await tryAs('maker')).json._doc, made._doc);
  const own = await tryAs('maker', { query: '?version=7' });
  assert.equal(own.status, 200, own.text);
  assert.equal((await as('maker', 'DELETE', `${vault}/archives/${own.json._doc}`)).status, 200);
});

test('without rights on the vault nothing comes in', async () => {
  const vault = await makeVault();
  const bytes = archiveOf(kManifest);
  for (const role of [null, 'connector', 'consumer']) {
    if (role) await grant(vault, role, 'stranger');
    const reply = await send(vault, bytes, { token: tokens.stranger });
    assert.ok([403, 404].includes(reply.status), `${role}: ${reply.status}`);
  }
  assert.equal((await server.request('POST', `${vault}/archives`, { body: bytes, headers: { 'Content-Type': 'application/zip' } })).status, 401);
  assert.equal(await total(vault), 0);
});

test('who may only CONNECT to an archive gets nothing of it', async () => {
  const vault = await makeVault();
  const { _doc, ...told } = await upload(vault, archiveOf(kManifest));
  const path = `${vault}/archives/${_doc}`;
  const other = await makeVault();
  for (const [record, role] of [[vault, 'connector'], [path, 'connector'], [other, 'contributor']]) await grant(record, role, 'stranger');
  const { group, artifact, version } = told;
  const requests = [['GET', path], ['GET', `${path}/download`], ['GET', `${path}/copy?targetVaultId=${other.split('/')[2]}`],
    ['GET', `${vault}/archives/lookup?group=${group}&artifact=${artifact}&version=${version}`],
    ['GET', `${vault}/archives/download?groupId=${group}&artifactId=${artifact}&versionId=${version}`],
    ['POST', `${path}/publish`], ['POST', `${path}/unpublish`], ['PUT', path], ['DELETE', path]];
  for (const [method, request] of requests) {
    const reply = await as('stranger', method, request, method === 'POST' || method === 'PUT' ? {} : undefined);
    assert.ok([403, 404].includes(reply.status), `${method} ${request}: ${reply.status}`);
  }
  assert.equal((await admin('GET', path)).published, false);
  assert.equal(await total(other), 0);
});

test('uploads of the same coordinates at once make one archive', async () => {
  const vault = await makeVault();
  const all = Array.from({ length: 8 }, (_, n) => archiveOf({ ...kManifest, title: `number ${n}` }));
  const replies = await Promise.all(all.map((bytes) => send(vault, bytes)));
  for (const { status, text } of replies) assert.equal(status, 200, text);
  assert.equal(new Set(replies.map(({ json }) => json._doc)).size, 1);
  assert.equal(await total(vault), 1);
  const [archive] = (await admin('GET', `${vault}/archives`)).rows;
  assert.deepEqual((await download(vault, archive)).bytes, all[Number(archive.title.slice(-1))]);
});

test('an update keeps what the server says, and moves to free coordinates only', async () => {
  const vault = await makeVault();
  const bytes = archiveOf(kManifest);
  const made = await upload(vault, bytes);
  const path = `${vault}/archives/${made._doc}`;
  await upload(vault, bytes, { query: '?version=2' });
  await admin('POST', `${path}/publish`);
  const changed = await admin('PUT', path, { title: 'U', own: [1], length: 1, size: 1, contentType: 'text/html', vaultId: 'x', _containerType: 'node', type: 'branch' });
  assert.deepEqual([changed.title, changed.own, changed.length, changed.size, changed.contentType, changed.published, changed._containerType],
                   ['U', [1], bytes.length, bytes.length, 'application/zip', true, 'repository']);
  assert.equal(`/vaults/${changed.vaultId}`, vault);
  assert.deepEqual(coordinates(changed), ['com.example', 'orchard', '1.0.0']);
  const taken = await server.request('PUT', path, { body: { ...changed, version: '2' }, token: server.adminToken });
  assert.deepEqual([taken.status, taken.json.code], [409, 'archives.coordinates_taken']);
  assert.deepEqual((await admin('PUT', path, { ...changed, version: '3' }))._doc, made._doc);
  assert.deepEqual((await read(`${vault}/archives/download?groupId=com.example&artifactId=orchard&versionId=3`)).bytes, bytes);
  assert.equal((await read(`${vault}/archives/lookup?group=com.example&artifact=orchard&version=1.0.0`)).status, 404);
  const wrong = await server.request('PUT', path, { body: { version: 'a/b' }, token: server.adminToken });
  assert.deepEqual([wrong.status, wrong.json.violations[0].path], [400, 'version']);
});

test('the members of a template stand in both places', async () => {
  const vault = await makeVault();
  const made = await upload(vault, archiveOf({ ...kManifest, template: { templateType: 'project', templateKey: 'blog' } }));
  assert.deepEqual([made.template, made.templateType, made.templateKey], [{ templateType: 'project', templateKey: 'blog' }, 'project', 'blog']);
  const path = `${vault}/archives/${made._doc}`;
  const changed = await admin('PUT', path, { ...made, templateKey: 'wiki' });
  assert.equal(changed.template.templateKey, 'wiki');
  assert.equal((await admin('PUT', path, { template: true, templateKey: 'k' })).template, true);
});

test('publish and unpublish set one member', async () => {
  const vault = await makeVault();
  const { _doc } = await upload(vault, archiveOf(kManifest));
  const path = `${vault}/archives/${_doc}`;
  await grant(vault, 'consumer', 'reader');
  await grant(path, 'consumer', 'reader');
  for (const [word, published] of [['publish', true], ['publish', true], ['unpublish', false]]) {
    const reply = await admin('POST', `${path}/${word}`);
    assert.deepEqual([reply.ok, reply._doc, reply.published], [true, _doc, published]);
    assert.equal((await admin('GET', path)).published, published);
    assert.equal(await total(vault, { published }), 1);
    assert.equal((await as('reader', 'POST', `${path}/${word}`)).status, 403);
  }
});

test('a copy has record, zip and attachments, in the place of its own vault', async () => {
  const vault = await makeVault();
  const target = await makeVault();
  const bytes = archiveOf({ ...kManifest, contents: { a: {} } });
  const { _doc } = await upload(vault, bytes, { query: '?published=true' });
  const path = `${vault}/archives/${_doc}`;
  await server.request('POST', `${path}/attachments/note`, { body: 'a note', token: server.adminToken, headers: { 'Content-Type': 'text/plain' } });
  const copyTo = (vaultPath, who) => read(`${path}/copy?targetVaultId=${vaultPath.split('/')[2]}`, {}, who ? tokens[who] : server.adminToken);
  const made = await copyTo(target);
  assert.equal(made.status, 200, made.text);
  assert.equal(made.json.ok, true);
  assert.notEqual(made.json._doc, _doc);
  const copy = await admin('GET', `${target}/archives/${made.json._doc}`);
  assert.deepEqual([coordinates(copy), copy.length, copy.published, copy.contentCount, copy.contents, `/vaults/${copy.vaultId}`],
                   [['com.example', 'orchard', '1.0.0'], bytes.length, true, 1, { a: {} }, target]);
  assert.deepEqual((await download(target, copy)).bytes, bytes);
  assert.equal((await read(`${target}/archives/${copy._doc}/attachments/note`)).text, 'a note');
  for (const again of [target, vault]) {
    const taken = await copyTo(again);
    assert.deepEqual([taken.status, taken.json.code], [409, 'archives.coordinates_taken']);
  }
  assert.equal((await copyTo('/vaults/no-such')).status, 404);
  assert.equal((await read(`${path}/copy`)).status, 400);
  const third = await makeVault();
  assert.equal((await server.request('HEAD', `${path}/copy?targetVaultId=${third.split('/')[2]}`, { token: server.adminToken })).status, 405);
  assert.equal(await total(third), 0);
  await grant(vault, 'consumer', 'reader');
  await grant(path, 'consumer', 'reader');
  assert.equal((await copyTo(third, 'reader')).status, 404);
  await grant(third, 'consumer', 'reader');
  assert.equal((await copyTo(third, 'reader')).status, 403);
  await grant(third, 'contributor', 'reader');
  assert.equal((await copyTo(third, 'reader')).status, 200);
  const full = await makeVault({ maxsize: bytes.length });
  assert.equal((await copyTo(full)).status, 507);
  assert.equal(await total(full), 0);
});

test('the zip is no attachment', async () => {
  const vault = await makeVault();
  const { _doc } = await upload(vault, archiveOf(kManifest));
  const path = `${vault}/archives/${_doc}`;
  assert.equal((await admin('GET', `${path}/attachments`)).total_rows, 0);
  assert.ok(!('attachments' in (await admin('GET', path))._system));
  for (const id of ['default', 'content', '%2Fcontent']) assert.ok([400, 404].includes((await read(`${path}/attachments/${id}`)).status), id);
  await server.request('POST', `${path}/attachments`, { body: 'picture', token: server.adminToken, headers: { 'Content-Type': 'image/png' } });
  assert.deepEqual((await admin('GET', `${path}/attachments`)).rows.map((row) => row.attachmentId), ['default']);
  assert.equal((await read(`${path}/preview/whatever`)).text, 'picture');
  await admin('DELETE', `${path}/attachments/default`);
  assert.equal((await download(vault, { _doc })).status, 200);
});

test('a vault counts its zips and takes no more than maxsize', async () => {
  const bytes = archiveOf(kManifest, { 'a.bin': randomBytes(100_000) });
  const vault = await makeVault({ maxsize: 150_000 });
  const { _doc } = await upload(vault, bytes);
  const size = async () => (await admin('GET', `${vault}/info`)).size;
  assert.ok(await size() > bytes.length && await size() < bytes.length + 10_000);
  await refused(507, 'data_store.full', vault, bytes, { query: '?version=2' });
  await upload(vault, bytes);
  assert.ok(await size() < bytes.length + 10_000);
  await admin('DELETE', `${vault}/archives/${_doc}`);
  assert.equal(await size(), 0);
  await upload(vault, bytes, { query: '?version=2' });
});

test('a locked vault takes no archive', async () => {
  const vault = await makeVault();
  await grant(vault, 'collaborator', 'maker');
  await admin('POST', `${vault}/lock`);
  const reply = await send(vault, archiveOf(kManifest), { token: tokens.maker });
  assert.equal(reply.status, 423);
  await admin('POST', `${vault}/unlock`);
  assert.equal((await send(vault, archiveOf(kManifest), { token: tokens.maker })).status, 200);
});

test('bytes are kept as long as an archive has them, over a restart, and collected then', async () => {
  const blobs = () => readdirSync(join(server.data, 'blobs'), { recursive: true }).filter((name) => /\/[0-9a-f]{64}$/.test(name));
  const names = () => new Set(blobs().map((name) => basename(name)));
  const vault = await makeVault();
  const other = await makeVault();
  const uploaded = async (version, into = vault) => {
    const before_ = names();
    const bytes = archiveOf(kManifest, { 'a.bin': randomBytes(3000) });
    const made = await upload(into, bytes, { query: `?version=${version}` });
    return { ...made, bytes, blob: [...names()].find((name) => !before_.has(name)) };
  };
  const kept = await uploaded('kept');
  const replaced = await uploaded('replaced');
  const removed = await uploaded('removed');
  const ofRemoved = await uploaded('1', other);
  assert.ok([kept, replaced, removed, ofRemoved].every(({ blob }) => blob));
  const newer = await uploaded('replaced');
  await admin('DELETE', `${vault}/archives/${removed._doc}`);
  await admin('DELETE', other);
  const then = new Date(Date.now() - 48 * 3600 * 1000);
  for (const name of blobs()) utimesSync(join(server.data, 'blobs', name), then, then);
  await until(() => [replaced, removed, ofRemoved].every(({ blob }) => !names().has(blob)), 'unused bytes are collected');
  for (const { blob } of [kept, newer]) assert.ok(names().has(blob));
  await server.stop();
  const { status, text } = server.check();
  assert.equal(status, 0, text);
  await server.launch();
  for (const one of [kept, newer]) assert.deepEqual((await download(vault, one)).bytes, one.bytes);
  assert.equal((await admin('GET', `${vault}/archives/lookup?group=com.example&artifact=orchard&version=kept`))._doc, kept._doc);
});
