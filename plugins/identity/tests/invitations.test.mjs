// Invitations to domains and projects (docs/specification/platform.md 7.3, 8.2; docs/reference/identity.md).
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { SteleServer } from '../../../tests/support/stele_server.mjs';
import { loginWith, makeTenant } from '../../../tests/support/stele_tenant.mjs';

let server;
let stranger;
before(async () => {
  server = await SteleServer.start();
  stranger = { ...(await server.makeUser('stranger')), token: await server.login('stranger', 'secret-of-stranger') };
});
after(() => server.end());

const make = async (path, fields = {}) => (await server.admin('POST', path, fields))._doc;
const ask = async (method, path, body, token) =>
  server.request(method, path, { body, token: token ?? (server.adminToken ??= await server.login()) });
const invite = (where, parameters, { body, token } = {}) =>
  ask('POST', `${where}/invite?${new URLSearchParams(parameters)}`, body, token);
const members = async (stack, team = 'project-users-team') =>
  (await server.admin('GET', `/stacks/${stack}/teams/${team}/members`)).rows.map(({ name }) => name).sort();

/// A user of the primary domain, and another domain.
async function twoDomains(name) {
  const user = await server.admin('POST', '/domains/default/principals', {
    type: 'USER', name, password: `secret-of-${name}`, email: `${name}@example.org`, firstName: 'First', lastName: 'Last' });
  const domain = await make('/domains', { title: `Domain of ${name}` });
  return { user, domain, principals: `/domains/${domain}/principals` };
}

test('an invited user is the same person in the other domain, with the same password', async () => {
  const { user, domain, principals } = await twoDomains('ann');
  const reply = await invite(principals, { id: `default/${user._doc}` });
  assert.equal(reply.status, 200, reply.text);
  assert.equal(reply.json.ok, true);
  const invited = await server.admin('GET', `${principals}/${reply.json._doc}`);
  assert.notEqual(invited._doc, user._doc);
  for (const member of ['name', 'email', 'firstName', 'lastName', 'directoryId', 'identityId']) {
    assert.equal(invited[member], user[member], member);
  }
  assert.equal(invited.domainId, domain);
  assert.equal(invited.type, 'USER');
  assert.equal(invited.inviterName, 'admin');
  assert.equal((await server.login(`${domain}/ann`, 'secret-of-ann', { isWhole: true })).status, 200);
  const identity = `/directories/${user.directoryId}/identities/${user.identityId}`;
  assert.equal((await server.admin('GET', `${identity}/policy/users`)).total_rows, 2);
  await server.admin('POST', `${identity}/changepassword`, { password: 'new password', verifyPassword: 'new password' });
  assert.equal((await server.login(`${domain}/ann`, 'new password', { isWhole: true })).status, 200);
});

test('inviting the same person again finds the user that was made', async () => {
  const { user, principals } = await twoDomains('bob');
  const first = await invite(principals, { id: `default/${user._doc}` });
  const second = await invite(principals, { id: 'default/bob' });
  assert.equal(second.json._doc, first.json._doc);
  assert.equal((await server.admin('GET', principals)).total_rows, 1);
});

test('a name that somebody else has in the domain is taken', async () => {
  const { user, principals } = await twoDomains('cid');
  await make(principals, { type: 'USER', name: 'cid' });
  const reply = await invite(principals, { id: `default/${user._doc}` });
  assert.equal(reply.status, 409, reply.text);
  assert.equal((await server.admin('GET', principals)).total_rows, 1);
});

test('whoever removes the invited user leaves the person in its own domain', async () => {
  const { user, principals } = await twoDomains('dan');
  const { _doc } = (await invite(principals, { id: `default/${user._doc}` })).json;
  await server.admin('DELETE', `${principals}/${_doc}`);
  assert.equal((await server.login('dan', 'secret-of-dan', { isWhole: true })).status, 200);
});

test('groups, guests, the disabled and the unknown are not invited', async () => {
  const domain = await make('/domains');
  const principals = `/domains/${domain}/principals`;
  const group = await make('/domains/default/principals', { type: 'GROUP', name: 'a group' });
  const gone = await make('/domains/default/principals', { type: 'USER', name: 'gone', enabled: false });
  for (const id of [`default/${group}`, `default/${gone}`, 'default/guest']) {
    const reply = await invite(principals, { id });
    assert.equal(reply.status, 400, `${id}: ${reply.text}`);
    assert.equal(reply.json.violations[0].code, 'identity.principal_invitation_unfit');
  }
  assert.equal((await invite(principals, { id: 'default/nobody' })).status, 404);
  assert.equal((await invite(principals, { id: 'nowhere/admin' })).status, 404);
  assert.equal((await invite(principals, {})).status, 400);
  assert.equal((await invite(principals, { id: 'default/stranger', email: 'a@example.org' })).status, 400);
  assert.equal((await server.admin('GET', principals)).total_rows, 0);
});

test('an invitation needs rights on the domain, and READ on the user', async () => {
  const { user, domain, principals } = await twoDomains('eve');
  const token = stranger.token;
  assert.ok([403, 404].includes((await invite(principals, { id: `default/${user._doc}` }, { token })).status));
  await server.admin('POST', `/domains/${domain}/authorities/contributor/grant?id=default/stranger`, {});
  await server.admin('POST', `/domains/default/principals/eve/authorities/all/revoke?id=default/everyone`, {});
  assert.equal((await invite(principals, { id: `default/${user._doc}` }, { token })).status, 404);
  await server.admin('POST', `/domains/default/principals/eve/authorities/consumer/grant?id=default/stranger`, {});
  const reply = await invite(principals, { id: `default/${user._doc}` }, { token });
  assert.equal(reply.status, 200, reply.text);
  // Its owner now, but not of the password, which opens all users of the person.
  const path = `${principals}/${reply.json._doc}`;
  const mine = await ask('GET', path, undefined, token);
  assert.equal((await ask('PUT', path, { ...mine.json, password: 'stolen password' }, token)).status, 403);
  assert.equal((await server.login('eve', 'secret-of-eve', { isWhole: true })).status, 200);
  assert.equal((await ask('DELETE', path, undefined, token)).status, 200);
});

test('an address makes a user, never leads to one who says to have it', async () => {
  const { principals } = await twoDomains('fay');
  await make(principals, { type: 'USER', name: 'fay2', email: 'fay@example.org' });
  for (const email of ['fay@example.org', 'FAY@example.org']) {
    const taken = await invite(principals, { email });
    assert.equal(taken.status, 409, email);
    assert.equal(taken.json.code, 'identity.principal_email_taken');
  }
  const body = { firstName: 'New', password: 'secret of new' };
  const reply = await invite(principals, { email: 'new@example.org' }, { body });
  assert.equal(reply.status, 200, reply.text);
  const made = await server.admin('GET', `${principals}/${reply.json._doc}`);
  assert.deepEqual([made.name, made.email, made.firstName, made.password, made.inviterName],
    ['new@example.org', 'new@example.org', 'New', undefined, 'admin']);
  assert.equal((await invite(principals, { email: 'new@example.org' })).status, 409);
  for (const email of ['nobody', '@example.org', 'a@', 'a@b@c', 'a b@example.org', 'a@example.org\r\nBcc: b@example.org',
    `${'a'.repeat(250)}@example.org`, 'a/b@example.org']) {
    const refused = await invite(principals, { email });
    assert.equal(refused.status, 400, email);
    assert.equal(refused.json.violations[0].code, 'identity.principal_email_malformed');
  }
});

test('the owner of a tenant invites users of the first platform that it may read there, nobody else does', async () => {
  const tenant = await makeTenant(server, 'gil');
  const mate = await server.makeUser('mate');
  const hidden = await server.makeUser('hidden');
  await server.admin('POST', '/domains/default/principals/hidden/authorities/all/revoke?id=default/everyone', {});
  const principals = '/domains/default/principals';
  const reply = await tenant.ask('POST', `${principals}/invite?id=default/${mate._doc}`, {});
  assert.equal(reply.status, 200, reply.text);
  const inside = await tenant.do('GET', `${principals}/mate`);
  assert.equal(inside._doc, reply.json._doc);
  assert.equal(inside.identityId, mate.identityId);
  assert.equal((await loginWith(server, tenant.client, 'mate', 'secret-of-mate')).status, 200);
  assert.equal((await tenant.ask('POST', `${principals}/invite?id=default/${hidden._doc}`, {})).status, 404);
  // Not even with all rights in the tenant does another one see the first platform.
  await tenant.do('POST', `/authorities/owner/grant?id=default/mate`, {});
  const { access_token: token } = (await loginWith(server, tenant.client, 'mate', 'secret-of-mate')).json;
  assert.equal((await ask('POST', `${principals}/invite?id=default/${stranger._doc}`, {}, token)).status, 404);
  // Nor does one tenant see another.
  const other = await makeTenant(server, 'hal');
  assert.equal((await other.ask('POST', `${principals}/invite?id=default/${inside._doc}`, {})).status, 404);
});

test('a user whom one has made of the owner\'s identity opens nothing of the owner', async () => {
  const tenant = await makeTenant(server, 'ida');
  await tenant.do('POST', '/domains/default/principals', { type: 'USER', name: 'mal', password: 'secret of mal' });
  await tenant.do('POST', '/authorities/contributor/grant?id=default/mal', {});
  const { access_token: token } = (await loginWith(server, tenant.client, 'mal', 'secret of mal')).json;
  const as = async (path, body = {}, by = token) => {
    const reply = await ask('POST', path, body, by);
    assert.equal(reply.status, 200, `${path}: ${reply.text}`);
    return reply.json;
  };
  const { _doc: domain } = await as('/domains');
  const { _doc: double } = await as(`/domains/${domain}/principals/invite?id=default/ida`);
  await as(`/domains/${domain}/authorities/contributor/grant?id=${domain}/${double}`);
  const reply = await ask('POST', `/auth/impersonate/${domain}/${double}`, {}, token);
  assert.equal(reply.status, 403, reply.text);
  assert.equal(reply.json.code, 'authority.principal_above_own');
});

test('a user who is invited to a project joins its team and reads the project', async () => {
  const project = await make('/projects', { title: 'Project' });
  const { stackId } = await server.admin('GET', `/projects/${project}`);
  const read = async () => (await ask('GET', `/projects/${project}`, undefined, stranger.token)).status;
  assert.ok([403, 404].includes(await read()));
  const reply = await invite(`/projects/${project}/users`, { id: `default/${stranger._doc}` });
  assert.equal(reply.status, 200, reply.text);
  assert.equal(reply.json._doc, stranger._doc);
  assert.equal(reply.json.teamKey, 'project-users-team');
  assert.deepEqual(await members(stackId), ['stranger']);
  assert.equal(await read(), 200);
  assert.equal((await ask('PUT', `/projects/${project}`, {}, stranger.token)).status, 403);
  // Again, harmlessly.
  assert.equal((await invite(`/projects/${project}/users`, { id: 'stranger' })).status, 200);
  assert.deepEqual(await members(stackId), ['stranger']);
  await server.admin('POST', `/stacks/${stackId}/teams/project-users-team/members/remove?id=default/stranger`);
  assert.ok([403, 404].includes(await read()));
});

test('a project invites by address, into the team that is named', async () => {
  const project = await make('/projects', { title: 'By address' });
  const { stackId } = await server.admin('GET', `/projects/${project}`);
  const reply = await invite(`/projects/${project}/users`, { email: 'pia@example.org', teamKey: 'project-managers-team' });
  assert.equal(reply.status, 200, reply.text);
  assert.deepEqual(await members(stackId), []);
  assert.deepEqual(await members(stackId, 'project-managers-team'), ['pia@example.org']);
  assert.equal((await server.admin('GET', `/domains/default/principals/${reply.json._doc}`)).email, 'pia@example.org');
  assert.equal((await invite(`/projects/${project}/users`, { id: 'stranger', teamKey: 'none' })).status, 404);
  assert.equal((await invite(`/projects/${project}/users`, { id: 'nobody' })).status, 404);
  assert.equal((await invite(`/projects/${project}/users`, { id: 'guest' })).status, 400);
  assert.equal((await invite(`/projects/${project}/users`, { id: 'everyone' })).status, 400);
  assert.equal((await invite(`/projects/${project}/users`, {})).status, 400);
});

test('a stack that was there before the project gets the team', async () => {
  const stackId = await make('/stacks');
  const project = await make('/projects', { stackId });
  assert.equal((await invite(`/projects/${project}/users`, { id: 'stranger' })).status, 200);
  assert.deepEqual(await members(stackId), ['stranger']);
});

test('rights on a project alone bring nobody into its stack, and a manager makes no owner', async () => {
  const stackId = await make('/stacks');
  const project = await make('/projects', { stackId });
  const token = stranger.token;
  const asStranger = (parameters) => invite(`/projects/${project}/users`, parameters, { token });
  await server.admin('POST', `/projects/${project}/authorities/consumer/grant?id=default/stranger`, {});
  assert.equal((await asStranger({ id: 'stranger' })).status, 403);
  await server.admin('POST', `/projects/${project}/authorities/owner/grant?id=default/stranger`, {});
  assert.equal((await asStranger({ id: 'stranger' })).status, 404);
  await server.admin('POST', `/stacks/${stackId}/authorities/consumer/grant?id=default/stranger`, {});
  assert.equal((await asStranger({ id: 'stranger' })).status, 403);
  await server.admin('POST', `/stacks/${stackId}/authorities/manager/grant?id=default/stranger`, {});
  const owners = await asStranger({ id: 'stranger', teamKey: 'owners' });
  assert.equal(owners.status, 403);
  assert.equal(owners.json.code, 'authority.group_above_own');
  // A new user is made by those only who may make one.
  assert.equal((await asStranger({ email: 'ina@example.org' })).status, 403);
  // What the team's policies give inside the stack a manager of the stack alone does not hold there.
  assert.equal((await asStranger({ id: 'stranger' })).json.code, 'authority.group_above_own');
  await server.admin('POST', `/stacks/${stackId}/authorities/owner/grant?id=default/stranger`, {});
  assert.equal((await asStranger({ id: 'stranger' })).status, 200);
});

test('who owns a stack brings nobody into a team that has more on the platform', async () => {
  const stackId = await make('/stacks');
  const project = await make('/projects', { stackId });
  const users = `/projects/${project}/users`;
  assert.equal((await invite(users, { email: 'first@example.org' })).status, 200);
  const { groupId } = await server.admin('GET', `/stacks/${stackId}/teams/project-users-team`);
  for (const path of [`/projects/${project}`, `/stacks/${stackId}`]) {
    await server.admin('POST', `${path}/authorities/owner/grant?id=default/stranger`, {});
  }
  await server.admin('POST', `/authorities/owner/grant?id=default/${groupId}`, {});
  const reply = await invite(users, { id: 'stranger' }, { token: stranger.token });
  assert.equal(reply.status, 403, reply.text);
  assert.equal(reply.json.code, 'authority.group_above_own');
  assert.deepEqual(await members(stackId), ['first@example.org']);
  await server.admin('POST', `/authorities/owner/revoke?id=default/${groupId}`, {});
  assert.equal((await invite(users, { id: 'stranger' }, { token: stranger.token })).status, 200);
});
