// Secrets in archives: sealed with a passphrase or not there at all, for nobody who could not have them, and worth nothing
// in an archive that somebody has changed.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { endedJob, errorOf } from '../../../tests/support/ended_job.mjs';
import { SteleServer } from '../../../tests/support/stele_server.mjs';
import { unzip, zip } from '../../../tests/support/zip_archive.mjs';

const passphrase = 'correct horse battery';
const password = 'of-the-mail-server-0815';
let source;
let target;
before(async () => { [source, target] = await Promise.all([SteleServer.start(), SteleServer.start()]); });
after(() => Promise.all([source.end(), target.end()]));

let numbers = 0;
const coordinates = () => `group=secrets&artifact=a${++numbers}&version=1`;
const platformOf = async (server) => (await server.admin('GET', '/'))._doc;
const make = async (server, path, fields = {}) => (await server.admin('POST', path, fields))._doc;
const tokenOf = async (server, token) => token ?? (server.adminToken ??= await server.login());

const ended = (server, started, token) => endedJob(async (method, path) => (await server.request(method, path, { token })).json, started._doc);
async function exported(server, sources, settings = { passphrase }, who) {
  const token = await tokenOf(server, who);
  const reply = await server.request('POST', `/transfer/export?${coordinates()}`, { token, body: { sources, ...settings } });
  assert.equal(reply.status, 200, reply.text);
  const job = await ended(server, reply.json, token);
  assert.equal(job.state, 'FINISHED', JSON.stringify(job.log_entries));
  const { bytes } = await server.request('GET', `/vaults/${job.vaultId}/archives/${job.archiveId}/download`, { token });
  return { job, reply, bytes, files: unzip(bytes) };
}
async function imported(server, bytes, settings = { passphrase }, { to = '', who } = {}) {
  const token = await tokenOf(server, who);
  const place = coordinates();
  const uploaded = await server.request('POST', `/vaults/primary/archives?${place}`, { token, body: bytes, headers: { 'Content-Type': 'application/zip' } });
  assert.equal(uploaded.status, 200, uploaded.text);
  const reply = await server.request('POST', `${to}/import?${place}`, { token, body: settings });
  assert.equal(reply.status, 200, reply.text);
  return ended(server, reply.json, token);
}
const idOf = (job) => job.imports[0].targets.at(-1).id;
/// The same files in the same order, some of them changed.
const changed = (files, edit) => zip([...files].map(([name, data]) => ({ name, data: edit(name, data) ?? data })));
const pathOf = (files, name) => [...files.keys()].find((path) => path.endsWith(name));

/// An application with a mail account.
async function application(server, fields = {}) {
  const id = await make(server, '/applications', { title: 'with mail' });
  const provider = await make(server, `/applications/${id}/emailproviders`, { host: 'mail.example.org', username: 'app', password, smtp_requires_auth: true, ...fields });
  return { id, provider, reference: `application://${await platformOf(server)}/${id}` };
}
test('secrets leave sealed only, and an archive without a passphrase has none', async () => {
  const { reference } = await application(source);
  const open = await exported(source, [reference], {});
  assert.equal(pathOf(open.files, 'secrets.json'), undefined);
  assert.equal(JSON.parse(open.files.get('manifest.json')).seal, undefined);
  const sealed = await exported(source, [reference]);
  assert.deepEqual([open.job.secrets, sealed.job.secrets], [0, 1]);
  const file = JSON.parse(sealed.files.get(pathOf(sealed.files, 'emailproviders/' + pathOf(sealed.files, 'secrets.json').split('/').at(-2) + '/secrets.json')));
  assert.match(file.sealed, /^[0-9a-f]{80,}$/);
  for (const { bytes, files } of [open, sealed]) {
    assert.ok(!bytes.includes(password));
    for (const [name, data] of files) assert.ok(!data.includes(password) && !data.includes(passphrase), name);
  }
});

test('the passphrase is in no job, and nowhere in the store', async () => {
  const { reference } = await application(source);
  const unusual = 'a passphrase that stands nowhere else 4711';
  const { job, reply, bytes } = await exported(source, [reference], { passphrase: unusual });
  const back = await imported(source, bytes, { passphrase: unusual, dryRun: true });
  assert.equal(back.state, 'FINISHED', errorOf(back));
  for (const told of [reply.text, JSON.stringify(job), JSON.stringify(back), JSON.stringify(await source.admin('GET', `/jobs/${job._doc}`))]) assert.ok(!told.includes(unusual));
  const copied = await source.admin('POST', '/tools/copy', {
    sources: [{ typeId: 'application', id: reference.split('/').at(-1), ref: reference }], targets: [{ typeId: 'platform', id: await platformOf(source), ref: `platform://${await platformOf(source)}` }],
    configuration: { passphrase: unusual } });
  assert.ok(!JSON.stringify(await source.admin('GET', `/jobs/${copied._doc}`)).includes(unusual));
  await source.admin('GET', '/');
  const files = readdirSync(source.data, { recursive: true }).map((name) => join(source.data, name)).filter((name) => statSync(name, { throwIfNoEntry: false })?.isFile());
  for (const name of files) assert.ok(!readFileSync(name).includes(unusual), name);
});

test('a passphrase that is too short, too long or no text is refused, and starts nothing', async () => {
  const { reference } = await application(source);
  const jobs = async () => (await source.admin('GET', '/jobs?limit=1')).total_rows;
  const before = await jobs();
  for (const wrong of ['eleven char', '', 'ééééé éééé', 'x'.repeat(1025), 123456789012, ['correct horse battery']]) {
    const reply = await source.request('POST', `/transfer/export?${coordinates()}`, { token: source.adminToken, body: { sources: [reference], passphrase: wrong } });
    assert.equal(reply.status, 400, JSON.stringify(wrong));
    assert.match(reply.text, /passphrase/);
  }
  assert.equal(await jobs(), before);
});

test('with the passphrase a mail account works at the other end, and a second import changes nothing', async () => {
  const { reference, id, provider } = await application(source);
  const { bytes } = await exported(source, [reference]);
  const first = await imported(target, bytes, { passphrase, strategy: 'CLONE' });
  assert.deepEqual([first.state, first.secrets], ['FINISHED', 1], errorOf(first));
  const again = await imported(target, bytes, { passphrase, strategy: 'CLONE' });
  assert.deepEqual([again.state, again.created, again.updated, again.secrets], ['FINISHED', 0, 0, 1]);
  // The password came over: an archive of the target brings it back to where it had been changed.
  const path = `/applications/${id}/emailproviders/${provider}`;
  const of = await exported(target, [`application://${await platformOf(target)}/${id}`]);
  await source.admin('PUT', path, { ...await source.admin('GET', path), password: 'another one' });
  const back = await imported(source, of.bytes, { passphrase, strategy: 'CLONE' }, { to: '' });
  assert.deepEqual([back.state, back.updated], ['FINISHED', 1], errorOf(back));
  const same = await imported(source, bytes, { passphrase, strategy: 'CLONE' });
  assert.equal(same.updated, 0, 'the password is the first one again');
});

test('without the passphrase secrets stay away and the job says so; what is here stays', async () => {
  const { reference } = await application(source);
  const { bytes } = await exported(source, [reference]);
  const first = await imported(target, bytes, { passphrase, strategy: 'CLONE' });
  const without = await imported(target, bytes, { strategy: 'CLONE' });
  assert.deepEqual([without.state, without.updated, without.secrets], ['FINISHED', 0, 0]);
  assert.match(without.notes.join('\n'), /sealed; without its passphrase they were left out/);
  const still = await imported(target, bytes, { passphrase, strategy: 'CLONE' });
  assert.equal(still.updated, 0, 'the password is still there');
  assert.equal(first.created, 2);
});

test('a wrong passphrase, and one for an archive without a seal, import nothing', async () => {
  const { reference } = await application(source);
  const [sealed, open] = [await exported(source, [reference]), await exported(source, [reference], {})];
  const count = async () => (await target.admin('GET', '/applications?limit=1')).total_rows;
  const before = await count();
  const wrong = await imported(target, sealed.bytes, { passphrase: 'correct horse batteri' });
  assert.deepEqual([wrong.state, /another passphrase/.test(errorOf(wrong))], ['ERROR', true], errorOf(wrong));
  const missing = await imported(target, open.bytes);
  assert.deepEqual([missing.state, /nothing in the archive is sealed/.test(errorOf(missing))], ['ERROR', true], errorOf(missing));
  assert.equal(await count(), before);
});

test('an archive that was changed after it was sealed gives no secret to anybody', async () => {
  const [one, other] = [await application(source), await application(source, { password: 'of another server' })];
  const { files } = await exported(source, [one.reference, other.reference]);
  const providers = [...files.keys()].filter((path) => path.endsWith('/secrets.json'));
  assert.equal(providers.length, 2);
  const unlisted = (bytes) => {
    const manifest = JSON.parse(bytes);
    for (const entry of Object.values(manifest.contents)) delete entry.files;
    return Buffer.from(JSON.stringify(manifest));
  };
  const edits = {
    // Digests guard against accidents only: who changes a file takes them away.
    'a host that the password would be told': (name, data) => /emailprovider\.json$/i.test(name) ? Buffer.from(data.toString().replaceAll('mail.example.org', 'mail.evil.org'))
      : name === 'manifest.json' ? unlisted(data) : undefined,
    'secrets of two records that changed places': (name, data) => name === providers[0] ? files.get(providers[1]) : name === providers[1] ? files.get(providers[0])
      : name === 'manifest.json' ? unlisted(data) : undefined,
    'digests that are gone': (name, data) => name === 'manifest.json' ? unlisted(data) : undefined,
    'other subjects': (name, data) => {
      if (name !== 'manifest.json') return undefined;
      const manifest = JSON.parse(data);
      manifest.sources.pop();
      return Buffer.from(JSON.stringify(manifest));
    },
    'a seal that costs a gigabyte': (name, data) => {
      if (name !== 'manifest.json') return undefined;
      const manifest = JSON.parse(data);
      manifest.seal.memoryKiB = 1 << 20;
      return Buffer.from(JSON.stringify(manifest));
    } };
  const count = async () => (await target.admin('GET', '/applications?limit=1')).total_rows;
  const before = await count();
  for (const [what, edit] of Object.entries(edits)) {
    const job = await imported(target, changed(files, edit));
    assert.equal(job.state, 'ERROR', what);
    assert.match(errorOf(job), /changed since it was sealed|seal cannot be used/, what);
  }
  assert.equal(await count(), before);
  // It can be imported for what it is to everybody.
  const job = await imported(target, changed(files, edits['digests that are gone']), {});
  assert.equal(job.state, 'FINISHED', errorOf(job));
});

test('who may read a record but not its secrets gets none by a passphrase of their own', async () => {
  const { reference, id, provider } = await application(source);
  await source.makeUser('eve');
  const token = await source.login('eve', 'secret-of-eve');
  const grant = (path, role) => source.admin('POST', `${path}/authorities/${role}/grant?id=default/eve`);
  for (const path of [`/applications/${id}`, `/applications/${id}/emailproviders/${provider}`]) await grant(path, 'editor');
  await grant('/vaults/primary', 'contributor');
  const of = await exported(source, [reference], { passphrase }, token);
  assert.deepEqual([of.job.secrets, pathOf(of.files, 'secrets.json')], [0, undefined]);
  assert.ok([...of.files.keys()].some((name) => /emailprovider\.json$/i.test(name)), 'the account itself may be read');
  assert.match(of.job.log_entries.map(({ message }) => message).join('\n'), /no MODIFY_CREDENTIALS/);
  await grant(`/applications/${id}/emailproviders/${provider}`, 'manager');
  assert.equal((await exported(source, [reference], { passphrase }, token)).job.secrets, 1);
});

test('a client and a grant log in at the other end with the keys and secrets that they had', async () => {
  const from = await platformOf(source);
  const client = await source.admin('POST', '/clients', { title: 'app' });
  const { key, secret } = await source.admin('GET', `/clients/${client._doc}?full=true`);
  const user = (await source.makeUser('of-grant'))._doc;
  await target.makeUser('of-grant');
  const grant = await source.admin('POST', '/auth/grants', { principalDomainId: 'default', principalId: 'of-grant', clientId: '' });
  const granted = await source.admin('GET', `/auth/grants/${grant._doc}?full=true`);
  const { bytes, files, job } = await exported(source, [`client://${from}/${client._doc}`, `authenticationGrant://${from}/${grant._doc}`]);
  assert.equal(job.secrets, 2);
  for (const [name, data] of files) assert.ok(!data.includes(secret) && !data.includes(granted.secret), name);
  const there = await imported(target, bytes, { passphrase, substitutions: { [user]: 'of-grant' } });
  assert.deepEqual([there.state, there.secrets], ['FINISHED', 2], errorOf(there) + there.notes);
  const login = (username, secretOfGrant, id) => target.request('POST', '/oauth/token', {
    body: new URLSearchParams({ grant_type: 'password', username, password: secretOfGrant }).toString(),
    headers: { Authorization: 'Basic ' + Buffer.from(`${id.key}:${id.secret}`).toString('base64'), 'Content-Type': 'application/x-www-form-urlencoded' } });
  assert.equal((await login(granted.key, granted.secret, { key, secret })).status, 200);
  assert.notEqual((await login(granted.key, granted.secret, { key, secret: 'another' })).status, 200);
  // On the server itself the key is in use: a copy has keys of its own, and is told so.
  const copy = await imported(source, bytes);
  assert.deepEqual([copy.state, copy.secrets], ['FINISHED', 0], errorOf(copy));
  assert.match(copy.notes.join('\n'), /client:.*in use/);
  assert.notEqual((await source.admin('GET', `/clients/${idOf(copy)}?full=true`)).key, key);
});

test('passwords of users leave no server, sealed or not', async () => {
  const from = await platformOf(source);
  const domain = await make(source, '/domains', { title: 'of users' });
  await make(source, `/domains/${domain}/principals`, { type: 'USER', name: 'someone', password: 'a password of someone' });
  const { job, files } = await exported(source, [`domain://${from}/${domain}`]);
  assert.deepEqual([job.secrets, pathOf(files, 'secrets.json')], [0, undefined]);
  const refused = await source.request('POST', `/transfer/export?${coordinates()}`, { token: source.adminToken, body: {
    sources: [`identity://${from}/default/${(await source.admin('GET', '/directories/default/identities?limit=1')).rows[0]._doc}`], passphrase } });
  const outcome = refused.status === 200 ? await ended(source, refused.json, source.adminToken) : { state: 'ERROR' };
  assert.equal(outcome.state, 'ERROR');
});

test('through the session of somebody else no grant leaves with its secret, and none comes', async () => {
  const from = await platformOf(source);
  const owner = await source.makeUser('own-owner');
  await source.admin('POST', '/authorities/owner/grant?id=default/own-owner');
  const grant = await source.admin('POST', '/auth/grants', { principalDomainId: 'default', principalId: owner._doc, clientId: '' });
  const references = [`authenticationGrant://${from}/${grant._doc}`];
  const own = await source.login('own-owner', 'secret-of-own-owner');
  const through = (await source.admin('POST', `/auth/impersonate/default/${owner._doc}`)).access_token;
  const open = await exported(source, references, { passphrase }, own);
  const shut = await exported(source, references, { passphrase }, through);
  assert.deepEqual([open.job.secrets, shut.job.secrets], [1, 0]);
  const grants = async () => (await source.admin('GET', '/auth/grants?limit=-1')).rows.length;
  const before = await grants();
  const refused = await imported(source, open.bytes, { passphrase, strategy: 'COPY_EVERYTHING' }, { who: through });
  assert.deepEqual([refused.state, errorOf(refused).includes('somebody else acts through this session')], ['ERROR', true], errorOf(refused));
  assert.equal(await grants(), before);
  const allowed = await imported(source, open.bytes, { passphrase, strategy: 'COPY_EVERYTHING' }, { who: own });
  assert.equal(allowed.state, 'FINISHED', errorOf(allowed));
});
