// Attachments of records above the nodes, whatever family they belong to (docs/reference/attachments.md).
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { SteleServer } from '../support/stele_server.mjs';
import { makeRecords } from '../support/route_walk.mjs';

let server;
let records;
let routes;
const admin = (...args) => server.admin(...args);
const ask = (method, path, body, { token = server.adminToken, headers } = {}) => server.request(method, path, { token, body, headers });
const put = (path, bytes, type, token) => ask('POST', path, bytes, { token, headers: type === undefined ? {} : { 'Content-Type': type } });
const tokens = {};

before(async () => {
  server = await SteleServer.start();
  records = await makeRecords(server);
  routes = Object.keys((await ask('GET', '/openapi.json')).json.paths);
  for (const name of ['reader', 'writer', 'stranger']) {
    await server.makeUser(name);
    tokens[name] = await server.login(name, `secret-of-${name}`);
  }
});
after(() => server.end());

const filled = (path) => path.replace(/\{(\w+)\}/g, (_, name) => {
  assert.ok(records[name], `the walk has no ${name} for ${path}`);
  return encodeURIComponent(records[name]);
});
const isOfNodes = (path) => /\/(nodes|n|deletions)\/\{/.test(path);

test('every record that is read by a path of its own has attachments, but those that the server alone writes', async () => {
  const { paths } = (await ask('GET', '/openapi.json')).json;
  const items = routes.filter((path) => paths[path].get && paths[path].put && path.endsWith('}') && !isOfNodes(path) && !/\/b\//.test(path)
    && !/\/(teams|roles|features)\/\{/.test(path));
  assert.ok(items.length >= 25, items.join());
  for (const item of items) {
    for (const path of ['/attachments', '/attachments/{attachmentId}']) assert.ok(paths[item + path]?.post, item + path);
    const record = filled(item);
    const bytes = Buffer.from([0, 255, 1, 254, ...Buffer.from(record)]);
    const before_ = await admin('GET', record);
    const sent = await put(`${record}/attachments/avatar?filename=me.png`, bytes, 'image/png');
    assert.equal(sent.status, 200, `${record} ${sent.text}`);
    assert.deepEqual([sent.json.ok, sent.json._doc], [true, before_._doc], record);
    const { rows, total_rows: total } = await admin('GET', `${record}/attachments/`);
    assert.equal(total, 1);
    const { objectId, ...row } = rows[0];
    assert.deepEqual(row, { attachmentId: 'avatar', _doc: 'avatar', length: bytes.length, contentType: 'image/png', filename: 'me.png' }, record);
    assert.equal(typeof objectId, 'string');
    for (const path of ['attachments/avatar', 'preview/avatar', 'preview/any?attachment=avatar']) {
      const got = await ask('GET', `${record}/${path}`);
      assert.equal(got.status, 200, path);
      assert.ok(got.bytes.equals(bytes), `${record}/${path}`);
      assert.equal(got.headers['content-type'], 'image/png');
    }
    // The record tells what it has, whatever becomes of it (platform 1.3.6).
    const told = { avatar: { length: bytes.length, contentType: 'image/png', filename: 'me.png', objectId } };
    const { _system: { attachments, ...system }, ...rest } = await admin('GET', record);
    const { _system: systemBefore, ...restBefore } = before_;
    assert.deepEqual([attachments, system, { ...rest, statisticsDirty: 0 }], [told, systemBefore, { ...restBefore, statisticsDirty: 0 }], record);
    assert.deepEqual(sent.json._system.attachments, told);
    await admin('PUT', record, { ...before_, _system: { attachments: {} } });
    assert.deepEqual((await admin('GET', record))._system.attachments, told, record);
    assert.equal((await ask('DELETE', `${record}/attachments/avatar`)).status, 200);
    assert.equal((await ask('GET', `${record}/attachments/avatar`)).json.code, 'attachment.unknown');
    assert.equal((await admin('GET', `${record}/attachments`)).total_rows, 0);
    assert.equal((await admin('GET', record))._system.attachments, undefined);
  }
});

test('the platform itself has attachments, and jobs answer that they have none', async () => {
  const { _doc } = await admin('GET', '/');
  assert.equal((await put('/attachments/logo', 'bytes', 'text/plain')).json._doc, _doc);
  assert.equal((await ask('GET', '/attachments/logo')).text, 'bytes');
  assert.equal((await admin('GET', '/attachments')).total_rows, 1);
  await admin('DELETE', '/attachments/logo');
  assert.deepEqual((await admin('GET', `/jobs/${records.jobId}/attachments`)).rows, []);
  assert.equal((await ask('GET', `/jobs/${records.jobId}/attachments/default`)).json.code, 'attachment.unknown');
  assert.equal((await ask('GET', `/jobs/${records.jobId}/attachments`, undefined, { token: tokens.stranger })).status, 404);
});

test('forms, names and types are those of nodes', async () => {
  const record = `/stacks/${(await admin('POST', '/stacks', {}))._doc}`;
  const part = (head, body) => `--limit\r\n${head}\r\n\r\n${body}\r\n`;
  const file = (id, name, type, body) => part(`Content-Disposition: form-data; name="${id}"; filename="${name}"\r\nContent-Type: ${type}`, body);
  const form = { 'Content-Type': 'multipart/form-data; boundary=limit' };
  const many = `${file('a', 'a.txt', 'text/plain', 'A')}${file('b', '', 'image/png', 'B')}${part('Content-Disposition: form-data; name="attachmentId_1"', 'second')}--limit--\r\n`;
  assert.equal((await ask('POST', `${record}/attachments`, many, { headers: form })).status, 200);
  const shown = async () => (await admin('GET', `${record}/attachments`)).rows.map((row) => [row.attachmentId, row.filename, row.contentType, row.length]);
  assert.deepEqual(await shown(), [['a', 'a.txt', 'text/plain', 1], ['second', 'b', 'image/png', 1]]);
  const one = `${file('upload_file', '../c.txt', 'text/plain', 'C')}--limit--\r\n`;
  await ask('POST', `${record}/attachments/a`, one, { headers: form });
  await put(`${record}/attachments`, 'raw', 'application/x-thing');
  assert.deepEqual(await shown(), [['a', 'c.txt', 'text/plain', 1], ['second', 'b', 'image/png', 1], ['default', 'default', 'application/x-thing', 3]]);
  assert.equal((await ask('GET', `${record}/preview/small`)).text, 'raw');
  await put(`${record}/attachments/page`, '<script>1</script>', 'text/html');
  const page = await ask('GET', `${record}/attachments/page`);
  assert.match(page.headers['content-disposition'], /^attachment/);
  assert.equal(page.headers['x-content-type-options'], 'nosniff');
  assert.match(page.headers['content-security-policy'], /sandbox/);
  const partial = await ask('GET', `${record}/attachments/default`, undefined, { headers: { Range: 'bytes=1-1' } });
  assert.deepEqual([partial.status, partial.text], [206, 'a']);
  for (const [path, code, headers] of [[`${record}/attachments/${encodeURIComponent('a/b')}`, 'attachment.id_malformed', {}],
    [`${record}/attachments/x`, 'attachment.type_malformed', { 'Content-Type': 'nothing' }]]) {
    const reply = await ask('POST', path, 'x', { headers });
    assert.equal(reply.status, 400, reply.text);
    assert.ok(JSON.stringify(reply.json).includes(code), reply.text);
  }
});

test('reading needs READ, writing UPDATE, and nobody else learns of them', async () => {
  const host = `/webhosts/${(await admin('POST', '/webhosts', {}))._doc}`;
  await put(`${host}/attachments/kept`, 'bytes', 'text/plain');
  await admin('POST', `${host}/authorities/consumer/grant?id=default/reader`);
  await admin('POST', `${host}/authorities/editor/grant?id=default/writer`);
  const status = async (name, method, path, body) => (await ask(method, `${host}/${path}`, body, { token: tokens[name] })).status;
  for (const [name, reads, writes] of [['reader', 200, 403], ['writer', 200, 200], ['stranger', 404, 404]]) {
    assert.equal(await status(name, 'GET', 'attachments'), reads, name);
    assert.equal(await status(name, 'GET', 'attachments/kept'), reads, name);
    assert.equal(await status(name, 'GET', 'preview/kept'), reads, name);
    assert.equal(await status(name, 'POST', 'attachments/own', 'x'), writes, name);
    assert.equal(await status(name, 'POST', 'attachments', 'x'), writes, name);
    assert.equal(await status(name, 'DELETE', 'attachments/kept'), writes, name);
  }
});

test('they count in their data store, obey its maxsize and its lock, and go with the record', async () => {
  const registrar = (await admin('POST', '/registrars', {}))._doc;
  const store = `/registrars/${registrar}`;
  const plan = `${store}/plans/${(await admin('POST', `${store}/plans`, { planKey: 'one' }))._doc}`;
  const size = async () => { const { size: bytes, objectcount } = await admin('POST', `${store}/stats`); return [bytes, objectcount]; };
  // The plan's record lies in the store, too, and tells what it has.
  const text = async () => Buffer.byteLength((await ask('GET', plan)).text);
  const [all, objects] = await size();
  const bytes = all - await text();
  await put(`${plan}/attachments/a`, 'x'.repeat(1000), 'text/plain');
  await put(`${store}/attachments/b`, 'x'.repeat(10), 'text/plain');
  assert.deepEqual(await size(), [bytes + await text() + 1010, objects + 2]);
  await put(`${plan}/attachments/a`, 'x'.repeat(400), 'text/plain');
  assert.deepEqual(await size(), [bytes + await text() + 410, objects + 2]);
  const record = await admin('GET', store);
  await admin('PUT', store, { ...record, maxsize: bytes + await text() + 500 });
  assert.equal((await put(`${plan}/attachments/c`, 'x'.repeat(200), 'text/plain')).status, 507);
  assert.equal((await admin('GET', `${plan}/attachments`)).total_rows, 1);
  await admin('DELETE', plan);
  const left = await size();
  assert.equal(left[1], objects, 'one plan and its attachment less, the one of the store more');
  await admin('DELETE', `${store}/attachments/b`);
  assert.equal((await size())[1], objects - 1);
  const domain = `/domains/${(await admin('POST', '/domains', {}))._doc}`;
  const user = `${domain}/principals/${(await admin('POST', `${domain}/principals`, { type: 'USER', name: 'gone' }))._doc}`;
  await put(`${user}/attachments/avatar`, 'a user has bytes', 'text/plain');
  await admin('DELETE', domain);
});

test('what was attached outlives the server, and check finds nothing wrong', async () => {
  const own = await SteleServer.start();
  const project = `/projects/${(await own.admin('POST', '/projects', {}))._doc}`;
  const vault = `/webhosts/${(await own.admin('POST', '/webhosts', {}))._doc}`;
  const mapping = `${vault}/autoclientmappings/${(await own.admin('POST', `${vault}/autoclientmappings`, {}))._doc}`;
  for (const record of [project, vault, mapping])
    await own.request('POST', `${record}/attachments/a`, { token: own.adminToken, body: record, headers: { 'Content-Type': 'text/plain' } });
  await own.stop();
  const checked = own.check();
  assert.equal(checked.status, 0, checked.text);
  await own.launch();
  own.adminToken = await own.login();
  for (const record of [project, vault, mapping])
    assert.equal((await own.request('GET', `${record}/attachments/a`, { token: own.adminToken })).text, record);
  await own.end();
});
