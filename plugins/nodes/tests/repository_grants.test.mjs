// How far a role on a repository reaches (docs/specification/nodes.md 26, docs/specification/platform.md 4.3,
// docs/specification/semantics.md 5.5; decision 0003).
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { SteleServer } from '../../../tests/support/stele_server.mjs';

let server;
let repository;
let master;
let fork;
let nodeId;
let other;
const tokens = {};
const admin = (...request) => server.admin(...request);

before(async () => {
  server = await SteleServer.start();
  repository = `/repositories/${(await admin('POST', '/repositories', {}))._doc}`;
  other = `/repositories/${(await admin('POST', '/repositories', {}))._doc}`;
  master = `${repository}/branches/master`;
  nodeId = (await admin('POST', `${master}/nodes`, { title: 'of the admin' }))._doc;
  fork = `${repository}/branches/${(await admin('POST', `${repository}/branches?branch=master`, {}))._doc}`;
});
after(() => server.end());

async function person(name) {
  await server.makeUser(name);
  tokens[name] = await server.login(name, `secret-of-${name}`);
}
const grant = (path, role, id) => admin('POST', `${path}/authorities/${role}/grant?id=default/${id}`);
const revoke = (path, role, id) => admin('POST', `${path}/authorities/${role}/revoke?id=default/${id}`);
const status = async (name, method, path, body) =>
  (await server.request(method, path, { token: tokens[name], body })).status;
const isRefused = (code) => [403, 404].includes(code);

test('26: a consumer of a repository reads it, its branches and nodes, and creates nothing', async () => {
  await person('reader');
  for (const path of [repository, master, `${master}/nodes/${nodeId}`])
    assert.ok(isRefused(await status('reader', 'GET', path)), path);
  await grant(repository, 'consumer', 'reader');
  for (const path of [repository, master, fork, `${master}/nodes/${nodeId}`, `${fork}/nodes/${nodeId}`, `${master}/nodes/root`])
    assert.equal(await status('reader', 'GET', path), 200, path);
  const list = await server.request('GET', `${repository}/branches`, { token: tokens.reader });
  assert.equal(list.json.total_rows, 2);
  const found = await server.request('POST', `${master}/nodes/query`, { token: tokens.reader, body: { title: 'of the admin' } });
  assert.deepEqual(found.json.rows.map((row) => row._doc), [nodeId]);
  for (const [method, path, body] of [
    ['POST', `${repository}/branches?branch=master`, {}], ['POST', `${master}/nodes`, {}], ['PUT', repository, {}],
    ['PUT', master, { title: 'x' }], ['PUT', `${master}/nodes/${nodeId}`, { title: 'x' }], ['DELETE', `${master}/nodes/${nodeId}`],
    ['DELETE', fork], ['POST', `${master}/authorities/consumer/grant?id=default/reader`],
  ]) assert.equal(await status('reader', method, path, body), 403, `${method} ${path}`);
  assert.ok(isRefused(await status('reader', 'GET', other)));
  assert.ok(isRefused(await status('reader', 'GET', `${other}/branches/master`)));
  await revoke(repository, 'consumer', 'reader');
  for (const path of [repository, master, fork, `${master}/nodes/${nodeId}`])
    assert.ok(isRefused(await status('reader', 'GET', path)), path);
});

test('26: a collaborator of a repository creates branches and nodes', async () => {
  await person('writer');
  await grant(repository, 'collaborator', 'writer');
  assert.equal(await status('writer', 'POST', `${repository}/branches?branch=master`, {}), 200);
  assert.equal(await status('writer', 'POST', `${fork}/nodes`, { title: 'new' }), 200);
  assert.equal(await status('writer', 'PUT', `${fork}/nodes/${nodeId}`, { title: 'changed' }), 200);
  assert.equal(await status('writer', 'DELETE', `${fork}/nodes/${nodeId}`), 200);
  for (const path of [repository, fork])
    assert.equal(await status('writer', 'POST', `${path}/authorities/consumer/grant?id=default/writer`), 403, path);
  assert.equal((await admin('GET', `${master}/nodes/${nodeId}`)).title, 'of the admin');
});

test('26: checks on branches and nodes say so', async () => {
  const cases = { manager: [true, true, true], editor: [true, true, true], consumer: [true, false, false], none: [false, false, false] };
  for (const [role, expected] of Object.entries(cases)) {
    const id = `check-${role}`;
    await server.makeUser(id);
    if (role !== 'none') await grant(repository, role, id);
    const branchId = (await admin('GET', master))._doc;
    const ask = async (path, permissionedId) => {
      const checks = ['READ', 'UPDATE', 'DELETE'].map((permissionId) => ({ permissionedId, permissionId, principalId: `default/${id}` }));
      return (await admin('POST', path, { checks })).results.map(({ result }) => result);
    };
    assert.deepEqual(await ask('/repositories/permissions/check', repository.split('/')[2]), expected, role);
    assert.deepEqual(await ask(`${repository}/branches/permissions/check`, branchId), expected, role);
    assert.deepEqual(await ask(`${master}/nodes/permissions/check`, nodeId), expected, role);
    assert.deepEqual(await ask('/repositories/permissions/check', other.split('/')[2]), [false, false, false], role);
  }
});

test('4.3: what everyone was granted on a repository opens no branch, a platform role no repository', async () => {
  await person('stranger');
  await grant(repository, 'consumer', 'everyone');
  assert.equal(await status('stranger', 'GET', repository), 200);
  await admin('POST', `${master}/authorities/all/revoke?id=default/everyone`);
  assert.ok(isRefused(await status('stranger', 'GET', master)));
  assert.ok(isRefused(await status('stranger', 'GET', `${master}/nodes/${nodeId}`)));
  await revoke(repository, 'consumer', 'everyone');
  await person('guestling');
  await grant('', 'collaborator', 'guestling');
  assert.ok(isRefused(await status('guestling', 'GET', repository)));
  assert.ok(isRefused(await status('guestling', 'GET', master)));
});

test('a role on one branch reaches neither the others nor its nodes', async () => {
  await person('visitor');
  await grant(master, 'consumer', 'visitor');
  await grant(repository, 'connector', 'visitor');
  assert.equal(await status('visitor', 'GET', master), 200);
  // To connect to a repository tells nothing of what is in it.
  assert.equal(await status('visitor', 'GET', fork), 404);
  assert.equal(await status('visitor', 'GET', `${master}/nodes/${nodeId}`), 404);
});

test('a role that a group of everyday users holds reaches, and ends with the membership', async () => {
  await person('member');
  await admin('POST', '/domains/default/principals', { type: 'GROUP', name: 'crew' });
  await grant(repository, 'consumer', 'crew');
  assert.ok(isRefused(await status('member', 'GET', master)));
  await admin('POST', '/domains/default/principals/crew/members/add?id=default/member');
  assert.equal(await status('member', 'GET', `${master}/nodes/${nodeId}`), 200);
  await admin('POST', '/domains/default/principals/crew/members/remove?id=default/member');
  assert.ok(isRefused(await status('member', 'GET', `${master}/nodes/${nodeId}`)));
});
