// Users manage their own records, and get nothing else by that (docs/decisions/0081-users-manage-their-own-records.md).
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { SteleServer } from '../../../tests/support/stele_server.mjs';

let server;
const users = '/domains/default/principals';
const admin = (...request) => server.admin(...request);
const servers = [];

before(async () => {
  server = await SteleServer.start();
  servers.push(server);
});
after(() => Promise.all(servers.map((one) => one.end())));

async function person(name) {
  const record = await server.makeUser(name);
  const token = await server.login(name, `secret-of-${name}`);
  const ask = (method, path, body) => server.request(method, path, { token, body: body ?? (method === 'GET' ? undefined : {}) });
  return { ...record, path: `${users}/${record._doc}`, form: `default/${record._doc}`, ask, status: async (...request) => (await ask(...request)).status };
}
function refused(reply, status, code) {
  assert.deepEqual([reply.status, reply.json.code], [status, code], reply.text);
}

test('a user hides itself from everyone and shows itself again', async () => {
  const [one, other] = [await person('hiding'), await person('looking')];
  assert.equal(await other.status('GET', one.path), 200);
  assert.equal(await other.status('POST', `${one.path}/authorities/all/revoke?id=default/everyone`), 403);
  assert.equal(await one.status('POST', `${one.path}/authorities/all/revoke?id=default/everyone`), 200);
  assert.equal(await other.status('GET', one.path), 404);
  const record = (await one.ask('GET', one.path)).json;
  assert.equal(await one.status('PUT', one.path, { ...record, jobTitle: 'hidden' }), 200);
  assert.equal(await one.status('POST', `${one.path}/authorities/consumer/grant?id=default/everyone`), 200);
  assert.equal((await other.ask('GET', one.path)).json.jobTitle, 'hidden');
});

test('a user gives on its record what it holds there, and takes nothing from owners', async () => {
  const [one, friend] = [await person('giving'), await person('friend')];
  refused(await one.ask('POST', `${one.path}/authorities/owner/grant?id=${friend.form}`), 403, 'authority.role_above_own');
  refused(await one.ask('POST', `${one.path}/authorities/owner/grant?id=${one.form}`), 403, 'authority.role_above_own');
  await admin('POST', `${one.path}/authorities/owner/grant?id=default/guest`);
  for (const role of ['owner', 'all'])
    refused(await one.ask('POST', `${one.path}/authorities/${role}/revoke?id=default/guest`), 403, 'authority.role_above_own');
  await admin('POST', `${one.path}/authorities/owner/revoke?id=default/guest`);
  assert.equal(await one.status('POST', `${one.path}/authorities/manager/grant?id=${friend.form}`), 200);
  const record = (await friend.ask('GET', one.path)).json;
  assert.equal(await friend.status('PUT', one.path, { ...record, jobTitle: 'by a friend' }), 200);
  // The friend manages the record, not the person.
  const { directoryId, identityId } = await admin('GET', one.path);
  const password = { password: 'taken over', verifyPassword: 'taken over' };
  for (const [method, path, body] of [
    ['POST', `/auth/impersonate/${one.form}`], ['PUT', one.path, { ...record, password: 'taken over' }],
    ['POST', '/auth/grants', { principalDomainId: 'default', principalId: one._doc }],
  ]) assert.equal(await friend.status(method, path, body), 403, `${method} ${path}`);
  assert.equal(await friend.status('POST', `/directories/${directoryId}/identities/${identityId}/changepassword`, password), 404);
  assert.equal(await one.status('POST', `${one.path}/authorities/manager/revoke?id=${friend.form}`), 200);
  assert.equal(await friend.status('PUT', one.path, record), 403);
});

test('a user gets nowhere else by its own record', async () => {
  const [one, other] = [await person('climbing'), await person('beside')];
  const owners = (await admin('POST', users, { type: 'GROUP', name: 'owners-beside' }))._doc;
  await admin('POST', `/authorities/owner/grant?id=default/${owners}`);
  for (const path of ['', '/domains/default', `${users}/everyone`, `${users}/${owners}`, other.path]) {
    for (const verb of ['grant', 'revoke']) {
      const reply = await one.ask('POST', `${path}/authorities/consumer/${verb}?id=${one.form}`);
      assert.ok([403, 404].includes(reply.status), `${path} ${verb}: ${reply.text}`);
    }
  }
  assert.ok([403, 404].includes(await one.status('POST', `${users}/${owners}/members/add?id=${one.form}`)));
  refused(await one.ask('POST', `${one.path}/members/add?id=${other.form}`), 400, 'identity.principal_not_a_group');
  const record = (await one.ask('GET', one.path)).json;
  assert.equal(await one.status('PUT', one.path, { ...record, groups: [owners], type: 'GROUP' }), 200);
  const groups = await admin('GET', `${one.path}/memberships`);
  assert.ok(!groups.rows.some(({ _doc }) => _doc === owners));
  assert.equal((await admin('GET', one.path)).type, 'USER');
  refused(await one.ask('PUT', one.path, { ...record, name: 'system' }), 409, 'identity.principal_name_confusable');
  refused(await one.ask('PUT', one.path, { ...record, name: 'bеside' }), 409, 'identity.principal_name_confusable');
  assert.equal(await one.status('POST', '/auth/grants', { principalDomainId: 'default', principalId: one._doc }), 403);
  assert.equal(await one.status('POST', `/auth/impersonate/default/${other._doc}`), 403);
});

test('users do not remove themselves; who may delete everything in the domain does', async () => {
  const one = await person('leaving');
  refused(await one.ask('DELETE', one.path), 403, 'identity.principal_own_removal');
  refused(await one.ask('POST', `${one.path}/delete`), 403, 'identity.principal_own_removal');
  await admin('POST', '/domains/default/teams?key=leavers');
  await admin('POST', '/domains/default/teams/leavers/authorities/editor/grant');
  await admin('POST', `/domains/default/teams/leavers/members/add?id=${one.form}`);
  assert.equal(await one.status('DELETE', one.path), 200);
  assert.equal((await server.request('GET', one.path, { token: server.adminToken })).status, 404);
});

test('the guest and groups manage nothing, their own records least', async () => {
  const open = await SteleServer.start({ config: 'identity.guest_is_everyone = true' });
  servers.push(open);
  for (const each of [server, open]) {
    const token = await each.login('guest', 'guest');
    const ask = (method, path, body = {}) => each.request(method, path, { token, body });
    const guest = await each.admin('GET', `${users}/guest`);
    const path = `${users}/${guest._doc}`;
    for (const verb of ['grant', 'revoke'])
      assert.equal((await ask('POST', `${path}/authorities/consumer/${verb}?id=default/everyone`)).status, 403, verb);
    refused(await ask('PUT', path, { ...guest, title: 'taken' }), 403, 'identity.principal_guest_unchangeable');
    assert.equal((await ask('DELETE', path)).status, 403);
    assert.equal((await each.admin('POST', `${path}/permissions/MODIFY_PERMISSIONS/check?id=default/guest`)).check, false);
  }
  const group = (await admin('POST', users, { type: 'GROUP', name: 'plain-group' }))._doc;
  assert.equal((await admin('POST', `${users}/${group}/permissions/MODIFY_PERMISSIONS/check?id=default/${group}`)).check, false);
});
