// Who may take policies away, and what a policy that is taken away leaves behind.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { SteleServer } from '../../../tests/support/stele_server.mjs';

let server;
let platform;
let record;
let manager;
before(async () => {
  server = await SteleServer.start();
  platform = (await server.admin('GET', '/'))._doc;
  record = (await server.admin('POST', '/uiconfigs', { title: 'policed' }))._doc;
  await server.makeUser('manager');
  await server.admin('POST', '/teams?key=managers');
  await server.admin('POST', '/teams/managers/authorities/manager/grant');
  await server.admin('POST', '/teams/managers/members/add?id=default/manager');
  manager = await server.login('manager', 'secret-of-manager');
});
after(() => server.end());

const ref = (name) => `user://${platform}/default/${name}`;
const found = async (name) => (await server.admin('POST', `/access/policies/find?ref=${ref(name)}`)).rows.map((row) => row._doc);
const change = (policy, verb, name) => server.admin('POST', `/access/policies/${policy}/${verb}?ref=${ref(name)}`);
const asManager = async (method, path, body) => (await server.request(method, path, { token: manager, body: body ?? {} })).status;

/// A policy that the manager may read and change, as far as the policy itself goes.
async function policy(...statements) {
  const { _doc } = await server.admin('POST', '/access/policies', { statements });
  await server.admin('POST', `/access/policies/${_doc}/authorities/manager/grant?id=default/manager`);
  return _doc;
}
const granting = (...roles) => ({ action: 'grant', roles });
const revoking = (...roles) => ({ action: 'revoke', roles });

test('unassignall takes away what was assigned by any form of the reference', async () => {
  const user = await server.makeUser('formed');
  const token = await server.login('formed', 'secret-of-formed');
  const status = async () => (await server.request('GET', `/uiconfigs/${record}`, { token })).status;
  const byId = await policy(granting('consumer'));
  const byName = await policy(granting('connector'));
  await change(byId, 'assign', user._doc.toUpperCase());
  await change(byId, 'assign', 'FORMED');
  await change(byName, 'assign', 'formed');
  await change(byName, 'assign', 'manager');
  assert.equal(await status(), 200);
  const gone = await server.admin('POST', `/access/policies/unassignall?ref=${ref('formed')}`);
  assert.deepEqual(gone.rows.map((row) => row._doc).sort(), [byId, byName].sort());
  assert.equal(await status(), 404);
  assert.deepEqual(await found('formed'), []);
  assert.deepEqual(await found(user._doc), []);
  assert.deepEqual(await found('manager'), [byName]);
  assert.deepEqual((await server.admin('GET', `/access/policies/${byId}/targets`)).rows, []);
});

test('a policy that was assigned by two forms of a reference counts until both are gone', async () => {
  const user = await server.makeUser('twice');
  const token = await server.login('twice', 'secret-of-twice');
  const twice = await policy(granting('consumer'));
  for (const form of ['twice', user._doc]) await change(twice, 'assign', form);
  for (const [form, expected] of [['twice', 200], [user._doc, 404]]) {
    await change(twice, 'unassign', form);
    assert.equal((await server.request('GET', `/uiconfigs/${record}`, { token })).status, expected, form);
  }
});

test('unassignall needs for each policy what unassigning it needs, and does all or nothing', async () => {
  await server.makeUser('assigned');
  const reading = await policy(granting('consumer'));
  const owning = await policy(granting('owner'));
  await change(reading, 'assign', 'assigned');
  await change(owning, 'assign', 'assigned');
  const all = `/access/policies/unassignall?ref=${ref('assigned')}`;
  assert.equal(await asManager('POST', all), 403);
  assert.deepEqual((await found('assigned')).sort(), [reading, owning].sort());
  await change(owning, 'unassign', 'assigned');
  assert.equal(await asManager('POST', all), 200);
  assert.deepEqual(await found('assigned'), []);
});

test('whoever lifts a revoke needs what it took', async () => {
  await server.makeUser('held-down');
  for (const [statement, expected] of [[revoking('consumer'), 200], [revoking('owner'), 403], [revoking('all'), 403]]) {
    const what = JSON.stringify(statement);
    const held = await policy(statement);
    const path = `/access/policies/${held}`;
    const target = `ref=${ref('held-down')}`;
    await change(held, 'assign', 'held-down');
    assert.equal(await asManager('POST', `${path}/unassign?${target}`), expected, `unassign ${what}`);
    await change(held, 'assign', 'held-down');
    assert.equal(await asManager('POST', `/access/policies/unassignall?${target}`), expected, `unassignall ${what}`);
    assert.equal(await asManager('PUT', path, { statements: [] }), expected, `update ${what}`);
    if (expected === 403) assert.deepEqual(await found('held-down'), [held]);
    await server.admin('PUT', path, { statements: [statement] });
    assert.equal(await asManager('DELETE', path), expected, `delete ${what}`);
    if (expected === 403) await server.admin('DELETE', path);
  }
});

test('a reference that is none is refused', async () => {
  const reply = await server.request('POST', '/access/policies/unassignall?ref=nonsense', { token: server.adminToken, body: {} });
  assert.equal(reply.status, 400);
  assert.equal(reply.json.violations[0].path, 'ref');
});
