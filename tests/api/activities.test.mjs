// The audit log and the log, as clients read them (docs/specification/platform.md 3.2, 16).
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { SteleServer } from '../support/stele_server.mjs';

let server;
let reader;
let owner;
let stranger;
let manager;
before(async () => {
  server = await SteleServer.start({ config: '[server]\ntrusted_proxies = 127.0.0.1\n' });
  [reader, owner, stranger, manager] = await Promise.all(['reader', 'owner', 'stranger', 'manager'].map(async (name) => {
    const user = await server.makeUser(name);
    return { ...user, token: await server.login(name, 'secret-of-' + name) };
  }));
  await server.admin('POST', `/authorities/consumer/grant?id=default/${reader._doc}`, {});
  await server.admin('POST', `/authorities/collaborator/grant?id=default/${owner._doc}`, {});
  await server.admin('POST', `/authorities/manager/grant?id=default/${manager._doc}`, {});
});
after(() => server.end());

const query = (condition, page = '') => server.admin('POST', `/activities/query${page}`, condition);
const status = async (method, path, token, body) =>
  (await server.request(method, path, { token, body })).status;

/// What a request leaves in the audit log, found by the id that its reply carries.
async function entriesOf(method, path, { body, token = server.adminToken, headers, expect = 200 } = {}) {
  const reply = await server.request(method, path, { body, token, headers });
  assert.equal(reply.status, expect, `${method} ${path}: ${reply.text}`);
  const requestId = reply.headers['x-request-id'];
  assert.ok(requestId, 'a reply without request id');
  return { reply, entries: (await query({ requestId })).rows };
}

async function oneEntry(method, path, options) {
  const { reply, entries } = await entriesOf(method, path, options);
  assert.equal(entries.length, 1, `${method} ${path} left ${JSON.stringify(entries)}`);
  return { reply, entry: entries[0] };
}

test('each kind of write leaves one entry that says who did what to which record, when and from where',
  async () => {
    const begin = Date.now();
    const made = await oneEntry('POST', '/applications',
      { body: { title: 'One' }, headers: { 'X-Forwarded-For': '203.0.113.9' } });
    const id = made.reply.json._doc;
    const platform = (await server.admin('GET', '/'))._doc;
    const { entry } = made;
    assert.equal(entry.type, 'create');
    assert.equal(entry.userName, 'admin');
    assert.equal(entry.userDomainId, 'default');
    assert.equal(entry.objectTypeId, 'application');
    assert.equal(entry.objectId, id);
    assert.equal(entry.objectRef, `application://${platform}/${id}`);
    assert.equal(entry.objectDatastoreRef, `application://${platform}/${id}`);
    assert.equal(entry.platformId, platform);
    assert.equal(entry.route, 'POST /applications');
    assert.equal(entry.path, '/applications');
    assert.equal(entry.status, 200);
    assert.equal(entry.remoteAddress, '203.0.113.9');
    assert.ok(entry.timestamp.ms >= begin && entry.timestamp.ms <= Date.now());

    const inside = await oneEntry('POST', `/applications/${id}/emails`, { body: { subject: 'Inside' } });
    const email = inside.reply.json._doc;
    assert.equal(inside.entry.objectRef, `email://${platform}/${id}/${email}`);
    assert.equal(inside.entry.objectDatastoreRef, `application://${platform}/${id}`);
    assert.equal(inside.entry.objectDatastoreId, id);
    assert.equal(inside.entry.remoteAddress, '127.0.0.1');

    const kinds = [
      ['PUT', `/applications/${id}`, { title: 'Two' }, 'update', id],
      ['POST', `/applications/${id}/lock`, {}, 'lock', id],
      ['POST', `/applications/${id}/unlock`, {}, 'unlock', id],
      ['POST', `/applications/${id}/authorities/consumer/grant?id=default/${reader._doc}`, {}, 'grant', id],
      ['POST', `/applications/${id}/authorities/consumer/revoke?id=default/${reader._doc}`, {}, 'revoke', id],
      ['DELETE', `/applications/${id}/emails/${email}`, undefined, 'delete', email],
      ['DELETE', `/applications/${id}`, undefined, 'delete', id],
    ];
    for (const [method, path, body, type, objectId] of kinds) {
      const written = await oneEntry(method, path, { body });
      assert.equal(written.entry.path, path.split('?')[0]);
      assert.ok(written.entry.type.includes(type), `${written.entry.type} for ${type}`);
      assert.equal(written.entry.objectId, objectId);
      if (path.includes('?id=')) assert.equal(written.entry.otherId, `default/${reader._doc}`);
    }
  });

test('reads, checks and writes that failed leave nothing', async () => {
  const none = async (method, path, options) =>
    assert.deepEqual((await entriesOf(method, path, options)).entries, [], `${method} ${path}`);
  await none('GET', '/applications');
  await none('GET', '/');
  await none('POST', '/applications/query', { body: {} });
  await none('POST', '/authorities/owner/check?id=default/' + reader._doc, { body: {} });
  await none('POST', '/applications', { body: '{"title":', expect: 400 });
  await none('POST', '/applications', { body: { maxsize: 'much' }, expect: 400 });
  await none('POST', '/applications', { body: {}, token: reader.token, expect: 403 });
  await none('PUT', '/applications/none', { body: {}, expect: 404 });
  await none('POST', '/applications', { body: {}, token: 'wrong', expect: 401 });
});

test('a login is in the audit log; a refused one says what the caller claimed to be', async () => {
  const login = await server.login('reader', 'secret-of-reader', { isWhole: true });
  const [entry, ...others] = (await query({ requestId: login.headers['x-request-id'] })).rows;
  assert.equal(others.length, 0);
  assert.equal(entry.type, 'login');
  assert.equal(entry.userName, 'reader');
  assert.equal(entry.userId, reader._doc);

  const refused = await server.login('reader', 'wrong', { isWhole: true });
  assert.equal(refused.status, 400);
  const requestId = refused.headers['x-request-id'];
  let rows = [];
  for (let i = 0; i < 100 && rows.length === 0; ++i) {
    await pause(50);
    rows = (await query({ requestId })).rows;
  }
  assert.equal(rows.length, 1);
  assert.equal(rows[0].type, 'login.refused');
  assert.equal(rows[0].userName, 'reader');
  assert.equal(rows[0].userId, undefined);
  assert.ok(!JSON.stringify(rows[0]).includes('wrong'));
});

test('only those who manage the platform read the audit log, by whatever way', async () => {
  const { entry, reply } = await oneEntry('POST', '/applications', { body: {} });
  const store = (await server.request('POST', '/applications', { token: owner.token, body: {} })).json._doc;
  const platform = (await server.admin('GET', '/'))._doc;
  for (const { token } of [reader, owner, stranger]) {
    assert.equal(await status('GET', '/activities', token), 403);
    assert.equal(await status('POST', '/activities/query', token, {}), 403);
    assert.equal(await status('GET', `/activities/${entry._doc}`, token), 403);
    const followed = await server.request('POST', '/ref/read',
      { token, body: { entries: [{ ref: `activity://${platform}/${entry._doc}` }] } });
    assert.equal(followed.json.entries[0].entry, null);
  }
  const managed = await server.request('GET', '/activities', { token: manager.token });
  assert.ok(managed.json.rows.some((row) => row._doc === entry._doc), 'a manager sees what the owner sees');
  assert.equal(await status('GET', `/activities/${entry._doc}`, manager.token), 200);
  // The owner of a store manages the store, not the platform.
  assert.equal(await status('GET', `/applications/${store}/activities`, owner.token), 403);
  assert.equal(await status('POST', `/applications/${store}/activities/query`, owner.token, {}), 403);
  // A store that is hidden is unknown here, too.
  assert.equal(await status('GET', `/applications/${reply.json._doc}/activities`, stranger.token), 404);
  // Nobody writes into it.
  assert.equal(await status('POST', '/activities', server.adminToken, {}), 405);
  assert.equal(await status('DELETE', `/activities/${entry._doc}`, server.adminToken), 405);
  assert.equal(await status('PUT', `/activities/${entry._doc}`, server.adminToken, {}), 405);
  assert.equal((await server.admin('GET', `/activities/${entry._doc}`)).requestId, entry.requestId);
});

test('the audit log is queried, sorted and paged like every collection', async () => {
  const ids = [];
  for (const title of ['a', 'b', 'c', 'd']) {
    ids.push((await server.request('POST', '/directories', { token: owner.token, body: { title } })).json._doc);
  }
  const mine = { userId: owner._doc, objectTypeId: 'directory' };
  assert.deepEqual((await query(mine)).rows.map((row) => row.objectId), ids);
  const last = await query(mine, `?skip=1&limit=2&sort=${encodeURIComponent('{"timestamp.ms":-1,"_doc":-1}')}`);
  assert.equal(last.total_rows, 4);
  assert.equal(last.offset, 1);
  assert.deepEqual(last.rows.map((row) => row.objectId), [ids[2], ids[1]]);
  const since = (await query({ objectId: ids[2] })).rows[0].timestamp.ms;
  const later = await query({ ...mine, 'timestamp.ms': { $gte: since } });
  assert.deepEqual(later.rows.map((row) => row.objectId).slice(-2), ids.slice(2));
  assert.ok((await server.admin('GET', '/activities?limit=3')).rows.length === 3);
});

test('a store shows its own part of the audit log', async () => {
  const store = (await server.admin('POST', '/applications', {}))._doc;
  const other = (await server.admin('POST', '/applications', {}))._doc;
  await server.admin('POST', `/applications/${store}/emails`, {});
  await server.admin('PUT', `/applications/${store}`, { title: 'x' });
  const types = (page) => page.rows.map((row) => `${row.type} ${row.objectTypeId}`);
  const expected = ['create application', 'create email', 'update application'];
  const list = await server.admin('GET', `/applications/${store}/activities`);
  assert.deepEqual(types(list), expected);
  const some = await server.admin('POST', `/applications/${store}/activities/query`, { type: 'create' });
  assert.deepEqual(types(some), expected.slice(0, 2));
  const one = list.rows[1];
  assert.equal((await server.admin('GET', `/applications/${store}/activities/${one._doc}`)).objectId, one.objectId);
  assert.equal(await status('GET', `/applications/${other}/activities/${one._doc}`, server.adminToken), 404);
});

test('the audit log survives the server, and the store is consistent with it', async () => {
  const { entry } = await oneEntry('POST', '/applications', { body: { title: 'kept' } });
  await server.stop();
  const checked = server.check();
  assert.equal(checked.status, 0, checked.text);
  await server.launch();
  server.adminToken = await server.login();
  assert.equal((await server.admin('GET', `/activities/${entry._doc}`)).requestId, entry.requestId);
});

test('entries older than the retention go, younger ones stay', async () => {
  const short = await SteleServer.start({ config: '[audit]\nretention = 3s\n' });
  try {
    const made = (await short.admin('POST', '/applications', {}))._doc;
    const left = async (objectId) =>
      (await short.admin('POST', '/activities/query', { objectId })).total_rows;
    assert.equal(await left(made), 1);
    for (let i = 0; i < 200 && await left(made) > 0; ++i) await pause(50);
    assert.equal(await left(made), 0);
    const young = (await short.admin('POST', '/applications', {}))._doc;
    await pause(1500);
    assert.equal(await left(young), 1);
    await short.stop();
    const checked = short.check();
    assert.equal(checked.status, 0, checked.text);
    await short.launch();
  } finally {
    await short.end();
  }
});

test('with the audit log off, only stores that ask for it are in it', async () => {
  const quiet = await SteleServer.start({ config: '[audit]\nenabled = false\n' });
  try {
    const asking = (await quiet.admin('POST', '/applications', { enableAuditing: true }))._doc;
    const silent = (await quiet.admin('POST', '/applications', {}))._doc;
    for (const id of [asking, silent]) {
      await quiet.admin('PUT', `/applications/${id}`, { enableAuditing: id === asking, title: 'x' });
      await quiet.admin('POST', `/applications/${id}/emails`, {});
    }
    const rows = (await quiet.admin('GET', '/activities')).rows;
    assert.deepEqual(rows.map((row) => [row.type, row.objectDatastoreId]),
      [['update', asking], ['create', asking]]);
  } finally {
    await quiet.end();
  }
});

test('the log is read as entries and as text, by those who manage the platform', async () => {
  const made = await server.admin('POST', '/logs', { level: 'WARN', message: 'look\nhere' });
  let entry;
  for (let i = 0; i < 100 && !entry; ++i) {
    const reply = await server.request('GET', `/logs/${made._doc}`, { token: server.adminToken });
    if (reply.status === 200) entry = reply.json;
    else await pause(20);
  }
  assert.equal(entry.level, 'WARN');
  assert.equal(entry.message, 'look\nhere');
  assert.equal(entry.source, 'client default/admin');
  assert.ok(Math.abs(entry.timestamp.ms - Date.now()) < 60_000);
  const found = await server.admin('POST', '/logs/query', { level: 'WARN', message: 'look\nhere' });
  assert.deepEqual(found.rows.map((row) => row._doc), [made._doc]);
  assert.ok((await server.admin('GET', '/logs?limit=1')).total_rows >= 1);
  const file = await server.request('GET', '/logs/logfile', { token: server.adminToken });
  assert.match(file.headers['content-type'], /^text\/plain/);
  assert.match(file.text, /^\d{4}-\d\d-\d\dT.* warning \[client default\/admin\] look\\nhere$/m);
  await server.logged(/\[client default\/admin\] look\\nhere/);
  const stack = (await server.admin('POST', '/stacks', {}))._doc;
  assert.ok((await server.admin('GET', `/stacks/${stack}/logs`)).total_rows >= 1);

  assert.equal(await status('POST', '/logs', server.adminToken, { level: 'LOUD', message: 'x' }), 400);
  assert.equal(await status('POST', '/logs', server.adminToken, {}), 400);
  assert.equal(await status('POST', '/logs', server.adminToken, { message: 'x'.repeat(4001) }), 400);
  assert.equal(await status('GET', '/logs/none', server.adminToken), 404);
  for (const { token } of [reader, owner]) {
    for (const path of ['/logs', '/logs/logfile', `/logs/${made._doc}`]) {
      assert.equal(await status('GET', path, token), 403);
    }
    assert.equal(await status('POST', '/logs', token, { message: 'x' }), 403);
  }
});
