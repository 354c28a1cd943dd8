// Who acts as a person (docs/decisions/0093-whose-the-person-is.md).
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { SteleServer } from '../../../tests/support/stele_server.mjs';
import { loginWith, makeTenant } from '../../../tests/support/stele_tenant.mjs';

let server;
const users = '/domains/default/principals';
const askAs = (token) => (method, path, body) => server.request(method, path, { token, body: body ?? (method === 'GET' ? undefined : {}) });
before(async () => { server = await SteleServer.start(); });
after(() => server.end());

const refused = (reply, code) => {
  assert.equal(reply.status, 403, reply.text);
  assert.equal(reply.json.code, code, reply.text);
};

test('owners of a tenant do not act as the person for whom it was made, who comes from elsewhere', async () => {
  await server.makeUser('victim');
  const tenant = await makeTenant(server, 'tina');
  await tenant.do('POST', users, { type: 'USER', name: 'coco', password: 'secret-of-coco' });
  await tenant.do('POST', '/authorities/owner/grant?id=default/coco');
  const coco = askAs((await loginWith(server, tenant.client, 'coco', 'secret-of-coco')).json.access_token);
  assert.equal((await coco('POST', `${users}/invite?id=default/victim`)).status, 404);
  const tina = (await coco('GET', `${users}/tina`)).json;
  refused(await coco('POST', `/auth/impersonate/default/${tina._doc}`), 'authority.principal_above_own');
  refused(await coco('POST', '/auth/grants', { principalDomainId: 'default', principalId: tina._doc, allowOpenDriverAuthentication: true }),
    'authority.principal_above_own');
  refused(await coco('POST', users, { type: 'USER', name: 'second', directoryId: tina.directoryId, identityId: tina.identityId }), 'authority.permission_missing');
  // Users whose identities lie on the tenant are its owners' own.
  const made = await tenant.do('POST', users, { type: 'USER', name: 'employee', password: 'secret-of-employee' });
  assert.equal((await coco('POST', `/auth/impersonate/default/${made._doc}`)).status, 200);
  // The person itself invites, and makes grants of its own.
  await tenant.do('POST', `${users}/invite?id=default/victim`);
  await tenant.do('POST', '/auth/grants', { principalDomainId: 'default', principalId: tina._doc });
});

test('a session through which somebody else acts is not the person', async () => {
  const tenant = await makeTenant(server, 'theo');
  await server.makeUser('invitee');
  const theo = await tenant.do('GET', `${users}/theo`);
  // The person may act through itself; what it gets is a token with an actor.
  const through = askAs((await tenant.do('POST', `/auth/impersonate/default/${theo._doc}`)).access_token);
  assert.equal((await through('GET', `${users}/theo`)).status, 200);
  assert.equal((await through('POST', `${users}/invite?id=default/invitee`)).status, 404);
  refused(await through('POST', '/auth/grants', { principalDomainId: 'default', principalId: theo._doc }), 'authority.principal_above_own');
  refused(await through('POST', `/auth/impersonate/default/${theo._doc}`), 'authority.principal_above_own');
  await tenant.do('POST', `${users}/invite?id=default/invitee`);
});

test('an identity is managed by its first user, not by those to whom it is given later', async () => {
  const first = await server.makeUser('first-of-two');
  const { directoryId, identityId } = first;
  await server.admin('POST', users, { type: 'USER', name: 'second-of-two', directoryId, identityId });
  const rolesOf = async (name) => (await server.admin('GET', `/directories/${directoryId}/identities/${identityId}/acl?id=default/${name}`)).rows;
  assert.deepEqual(await rolesOf('first-of-two'), ['manager']);
  assert.deepEqual(await rolesOf('second-of-two'), []);
});

test('whether somebody belongs to a group is told to those who know both', async () => {
  const { _doc: member } = await server.makeUser('belonging');
  await server.makeUser('asker');
  const asker = askAs(await server.login('asker', 'secret-of-asker'));
  const { _doc: group } = await server.admin('POST', users, { type: 'GROUP', name: 'circle' });
  await server.admin('POST', `${users}/${group}/members/add?id=default/belonging`);
  const belongs = async (ask) => {
    const reply = await ask('POST', `${users}/membership/check`, { checks: [{ groupId: group, principalId: member }] });
    return reply.json.checks[0].result;
  };
  const admin = askAs(server.adminToken);
  const own = askAs(await server.login('belonging', 'secret-of-belonging'));
  assert.deepEqual([await belongs(admin), await belongs(own), await belongs(asker)], [true, true, true]);
  for (const hidden of [group, member]) {
    await server.admin('POST', `${users}/${hidden}/authorities/all/revoke?id=default/everyone`);
    assert.equal(await belongs(asker), false, hidden === group ? 'a hidden group' : 'a hidden member');
    assert.deepEqual([await belongs(admin), await belongs(own)], [true, true]);
    await server.admin('POST', `${users}/${hidden}/authorities/connector/grant?id=default/everyone`);
    assert.equal(await belongs(asker), true);
  }
});

test('what outlives an impersonated session is neither made nor read in it', async () => {
  const played = await server.makeUser('played');
  const other = await server.makeUser('bystander');
  const grantOf = (id) => ({ principalDomainId: 'default', principalId: id, allowOpenDriverAuthentication: true });
  await server.admin('POST', '/authorities/owner/grant?id=default/played');
  const present = await server.admin('POST', '/auth/grants', grantOf(played._doc));
  const through = askAs((await server.admin('POST', `/auth/impersonate/default/${played._doc}`)).access_token);
  const code = 'authority.principal_above_own';
  for (const user of [played, other]) {
    refused(await through('POST', '/auth/grants', grantOf(user._doc)), code);
    refused(await through('PUT', `${users}/${user._doc}`, { name: user.name, password: 'another-password' }), code);
    const identity = `/directories/${user.directoryId}/identities/${user.identityId}`;
    refused(await through('POST', `${identity}/changepassword`, { password: 'another-password', verifyPassword: 'another-password' }), code);
    refused(await through('POST', users, { type: 'USER', name: `${user.name}-again`, directoryId: user.directoryId, identityId: user.identityId }), code);
  }
  const told = await through('GET', `/auth/grants/${present._doc}`);
  assert.deepEqual([told.status, told.json.key, told.json.secret], [200, undefined, undefined], told.text);
  // In the own name, and on through others, as before.
  await server.admin('POST', '/auth/grants', grantOf(other._doc));
  assert.equal((await through('POST', `/auth/impersonate/default/${other._doc}`)).status, 200);
  await server.login('played', 'secret-of-played');
});
