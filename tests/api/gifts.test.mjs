// Nobody gives what they do not hold everywhere that it reaches
// (docs/decisions/0045-gifts-are-measured-by-their-reach.md). tests/gifts walks over random ones.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { everyPath } from '../support/route_walk.mjs';
import { SteleServer } from '../support/stele_server.mjs';

let server;
let platform;
const users = '/domains/default/principals';
const admin = (...request) => server.admin(...request);

before(async () => {
  server = await SteleServer.start();
  platform = (await admin('GET', '/'))._doc;
});
after(() => server.end());

async function person(name) {
  const record = await server.makeUser(name);
  const token = await server.login(name, `secret-of-${name}`);
  const ask = (method, path, body) => server.request(method, path, { token, body: body ?? (method === 'GET' ? undefined : {}) });
  return { ...record, token, ask, status: async (...request) => (await ask(...request)).status };
}
const grant = (base, role, name) => admin('POST', `${base}/authorities/${role}/grant?id=default/${name}`);
const group = async (name, domain = 'default') =>
  (await admin('POST', `/domains/${domain}/principals`, { type: 'GROUP', name }))._doc;
/// A team of the record with the role, which therefore reaches inside, and the member.
async function teamWith(base, key, role, member) {
  await admin('POST', `${base}/teams?key=${key}`);
  await admin('POST', `${base}/teams/${key}/authorities/${role}/grant`);
  await admin('POST', `${base}/teams/${key}/members/add?id=default/${member}`);
}
async function identityOf(name) {
  const { directoryId, identityId } = await admin('GET', `${users}/${name}`);
  return `/directories/${directoryId}/identities/${identityId}`;
}
function refused(reply, code) {
  assert.equal(reply.status, 403, reply.text);
  assert.equal(reply.json.code, code, reply.text);
}

test('a manager of the platform gives a team no role that reaches inside it', async () => {
  const manager = await person('case-a');
  await grant('', 'manager', 'case-a');
  assert.equal(await manager.status('POST', '/teams?key=own'), 200);
  refused(await manager.ask('POST', '/teams/own/authorities/manager/grant'), 'authority.role_above_own');
  refused(await manager.ask('POST', '/teams/own/authorities/consumer/grant'), 'authority.role_above_own');
  assert.equal(await manager.status('POST', '/teams/own/members/add?id=default/case-a'), 200);
  const { directoryId, identityId } = await admin('GET', `${users}/admin`);
  const password = { password: 'taken', verifyPassword: 'taken' };
  const change = await manager.ask('POST', `/directories/${directoryId}/identities/${identityId}/changepassword`, password);
  assert.ok([403, 404].includes(change.status), change.text);
  await server.login('admin', 'admin');
  // What the manager holds on the platform itself it goes on to give there.
  assert.equal(await manager.status('POST', '/authorities/manager/grant?id=default/guest'), 200);
  assert.equal(await manager.status('POST', '/authorities/manager/revoke?id=default/guest'), 200);
});

test('the same for managers of a directory, a domain and a web host', async () => {
  const manager = await person('case-a2');
  for (const base of ['/directories/default', '/domains/default', `/webhosts/${(await admin('POST', '/webhosts'))._doc}`]) {
    await grant(base, 'manager', 'case-a2');
    assert.equal(await manager.status('POST', `${base}/teams?key=own`), 200, base);
    refused(await manager.ask('POST', `${base}/teams/own/authorities/manager/grant`), 'authority.role_above_own');
  }
});

test('an editor of a group that owns the platform adds nobody to it', async () => {
  const editor = await person('case-b');
  const owners = await group('case-b-owners');
  await admin('POST', `/authorities/owner/grant?id=default/${owners}`);
  await grant(`${users}/${owners}`, 'editor', 'case-b');
  refused(await editor.ask('POST', `${users}/${owners}/members/add?id=default/case-b`), 'authority.group_above_own');
  // The same through groups in groups, and by `groups` of a new user.
  const inner = await group('case-b-inner');
  await admin('POST', `${users}/${owners}/members/add?id=default/${inner}`);
  await grant(`${users}/${inner}`, 'editor', 'case-b');
  refused(await editor.ask('POST', `${users}/${inner}/members/add?id=default/case-b`), 'authority.group_above_own');
  await grant('/domains/default', 'contributor', 'case-b');
  const fresh = { type: 'USER', name: 'case-b-fresh', groups: [inner] };
  refused(await editor.ask('POST', users, fresh), 'authority.group_above_own');
  // A group that gives what the editor holds, it may fill; also one that is put into another.
  const plain = await group('case-b-plain');
  await grant(`${users}/${plain}`, 'editor', 'case-b');
  assert.equal(await editor.status('POST', `${users}/${plain}/members/add?id=default/case-b`), 200);
  assert.equal(await editor.status('POST', users, { ...fresh, groups: [plain] }), 200);
  refused(await editor.ask('POST', `${users}/${inner}/members/add?id=default/${plain}`), 'authority.group_above_own');
});

test('a manager of a domain gets at no group of it through a team of their own', async () => {
  const manager = await person('case-c');
  const { _doc: domain } = await admin('POST', '/domains', {});
  const owners = await group('case-c-owners', domain);
  await admin('POST', `/authorities/owner/grant?id=${domain}/${owners}`);
  await grant(`/domains/${domain}`, 'manager', 'case-c');
  assert.equal(await manager.status('POST', `/domains/${domain}/teams?key=own`), 200);
  for (const role of ['manager', 'editor', 'contributor']) {
    refused(await manager.ask('POST', `/domains/${domain}/teams/own/authorities/${role}/grant`), 'authority.role_above_own');
  }
  // Even who owns the domain does not hold what one of its groups holds.
  await grant(`/domains/${domain}`, 'owner', 'case-c');
  refused(await manager.ask('POST', `/domains/${domain}/principals/${owners}/members/add?id=default/case-c`), 'authority.group_above_own');
  assert.equal(await manager.status('POST', `/domains/${domain}/teams/own/authorities/manager/grant`), 200);
});

test('nobody assigns a policy that gives more than they hold everywhere', async () => {
  const manager = await person('case-d');
  await grant('', 'manager', 'case-d');
  const code = 'access_policies.administration_needed';
  const statements = [{ action: 'grant', roles: ['manager'] }];
  refused(await manager.ask('POST', '/access/policies', { statements }), code);
  const policy = `/access/policies/${(await admin('POST', '/access/policies', { statements }))._doc}`;
  await grant(policy, 'manager', 'case-d');
  const ref = `user://${platform}/default/${manager._doc}`;
  refused(await manager.ask('POST', `${policy}/assign?ref=${ref}`), code);
  refused(await manager.ask('PUT', policy, { statements: [] }), code);
  await teamWith('', 'case-d-team', 'manager', 'case-d');
  assert.equal(await manager.status('POST', `${policy}/assign?ref=${ref}`), 200);
  refused(await manager.ask('PUT', policy, { statements: [{ action: 'grant', roles: ['owner'] }] }), code);
  assert.equal(await manager.status('POST', `${policy}/unassign?ref=${ref}`), 200);
});

test('a group that carries a policy, and one that a policy holds down, are joined and left by those who hold the roles', async () => {
  const editor = await person('policed-editor');
  const ref = (id) => `group://${platform}/default/${id}`;
  const given = await group('given');
  const held = await group('held-down');
  for (const [id, action] of [[given, 'grant'], [held, 'revoke']]) {
    const policy = (await admin('POST', '/access/policies', { statements: [{ action, roles: ['consumer'] }] }))._doc;
    await admin('POST', `/access/policies/${policy}/assign?ref=${ref(id)}`);
    await grant(`${users}/${id}`, 'collaborator', 'policed-editor');
    await grant(`${users}/${id}`, 'manager', 'policed-editor');
  }
  const member = (id, verb) => editor.ask('POST', `${users}/${id}/members/${verb}?id=default/policed-editor`);
  refused(await member(given, 'add'), 'authority.group_above_own');
  assert.equal((await member(given, 'remove')).status, 200);
  assert.equal((await member(held, 'add')).status, 200);
  refused(await member(held, 'remove'), 'authority.group_above_own');
  refused(await editor.ask('DELETE', `${users}/${held}`), 'authority.group_above_own');
  await teamWith('', 'readers-of-all', 'consumer', 'policed-editor');
  assert.equal((await member(given, 'add')).status, 200);
  assert.equal((await member(held, 'remove')).status, 200);
});

test('a custom role is defined, changed and revived by those who hold it inside', async () => {
  const manager = await person('definer');
  const host = `/webhosts/${(await admin('POST', '/webhosts'))._doc}`;
  await grant(host, 'manager', 'definer');
  const role = { roleKey: 'helper', permissions: ['READ', 'UPDATE'] };
  refused(await manager.ask('POST', `${host}/roles`, role), 'authority.role_above_own');
  await admin('POST', `${host}/roles`, role);
  refused(await manager.ask('PUT', `${host}/roles/helper`, { permissions: ['READ'] }), 'authority.role_above_own');
  refused(await manager.ask('DELETE', `${host}/roles/helper`), 'authority.role_above_own');
  // It is granted on the record as far as it goes there.
  assert.equal(await manager.status('POST', `${host}/authorities/helper/grant?id=default/guest`), 200);
  await admin('PUT', `${host}/roles/helper`, { permissions: ['READ', 'IMPERSONATE'] });
  refused(await manager.ask('POST', `${host}/authorities/helper/grant?id=default/guest`), 'authority.role_above_own');
  await teamWith(host, 'inside', 'manager', 'definer');
  assert.equal(await manager.status('POST', `${host}/roles`, { ...role, roleKey: 'other' }), 200);
  assert.equal(await manager.status('PUT', `${host}/roles/other`, { permissions: ['READ'] }), 200);
  refused(await manager.ask('PUT', `${host}/roles/other`, { permissions: ['IMPERSONATE'] }), 'authority.role_above_own');
  assert.equal(await manager.status('DELETE', `${host}/roles/other`), 200);
});

test('custom roles of a stack end for a store by those who hold on it what they meant, and what they mean without it', async () => {
  const keeper = await person('stack-keeper');
  const { _doc: host } = await admin('POST', '/webhosts');
  const stack = `/stacks/${(await admin('POST', '/stacks'))._doc}`;
  await admin('POST', '/roles', { roleKey: 'warden', permissions: ['CONNECT', 'READ', 'UPDATE'] });
  await admin('POST', `${stack}/datastores/assign?type=webhost&id=${host}&key=one`);
  await admin('POST', `${stack}/roles`, { roleKey: 'warden', permissions: [] });
  await grant(`/webhosts/${host}`, 'warden', 'guest');
  await grant(stack, 'collaborator', 'stack-keeper');
  refused(await keeper.ask('POST', `${stack}/datastores/unassign?key=one`), 'platform.stack_roles_above_own');
  refused(await keeper.ask('DELETE', stack), 'platform.stack_roles_above_own');
  await admin('DELETE', `${stack}/roles/warden`);
  assert.equal(await keeper.status('POST', `${stack}/datastores/unassign?key=one`), 200);
  await admin('DELETE', '/roles/warden');
});

test('a store goes into a stack, and opens to everybody, by those who hold everything inside', async () => {
  const all = ['CONNECT', 'READ', 'CREATE_SUBOBJECTS', 'UPDATE', 'DELETE', 'MODIFY_PERMISSIONS', 'MODIFY_CREDENTIALS', 'GRANTAUTH',
               'IMPERSONATE', 'CREATE_SUBOBJECTS_WITH_DEFINITION'];
  const holder = await person('all-but-inside');
  const { _doc: host } = await admin('POST', '/webhosts');
  const known = (await admin('GET', '/roles/owner')).permissions;
  assert.ok(all.slice(0, 9).every((name) => known.includes(name)));
  await admin('POST', `/webhosts/${host}/roles`, { roleKey: 'everything-here', permissions: known });
  await grant(`/webhosts/${host}`, 'everything-here', 'all-but-inside');
  const stack = `/stacks/${(await admin('POST', '/stacks'))._doc}`;
  await grant(stack, 'owner', 'all-but-inside');
  refused(await holder.ask('POST', `${stack}/datastores/assign?type=webhost&id=${host}&key=one`), 'platform.store_not_owned');
  refused(await holder.ask('PUT', `/webhosts/${host}`, { enableAuthorities: false }), 'data_store.owner_required');
  await grant(`/webhosts/${host}`, 'owner', 'all-but-inside');
  assert.equal(await holder.status('POST', `${stack}/datastores/assign?type=webhost&id=${host}&key=one`), 200);
});

test('a password is set by the person, and by those who hold what all its users hold', async () => {
  const clerk = await person('clerk');
  await teamWith('/directories/default', 'help-desk', 'manager', 'clerk');
  const target = await person('target');
  const { directoryId, identityId } = await admin('GET', `${users}/target`);
  const identity = `/directories/${directoryId}/identities/${identityId}/changepassword`;
  const body = { password: 'set-by-clerk', verifyPassword: 'set-by-clerk' };
  const code = 'authority.principal_above_own';
  // Not even the record of the user is the clerk's.
  refused(await clerk.ask('POST', identity, body), code);
  await grant(`${users}/${target._doc}`, 'editor', 'clerk');
  refused(await clerk.ask('POST', identity, body), code);
  // Users manage their own records.
  await grant(`${users}/${target._doc}`, 'manager', 'clerk');
  assert.equal(await clerk.status('POST', identity, body), 200);
  await server.login('target', 'set-by-clerk');
  const record = (await admin('POST', '/uiconfigs', {}))._doc;
  await grant(`/uiconfigs/${record}`, 'consumer', 'target');
  refused(await clerk.ask('POST', identity, body), code);
  refused(await clerk.ask('PUT', `${users}/${target._doc}`, { name: 'target', password: 'again' }), code);
  await grant(`/uiconfigs/${record}`, 'consumer', 'clerk');
  assert.equal(await clerk.status('PUT', `${users}/${target._doc}`, { name: 'target', password: 'set-again' }), 200);
  const token = await server.login('target', 'set-again');
  const own = await server.request('POST', identity, { token, body: { password: 'my own secret', verifyPassword: 'my own secret', currentPassword: 'set-again' } });
  assert.equal(own.status, 200, own.text);
});

test('an identity is given to another user by its person, and by those who hold what its users hold', async () => {
  const maker = await person('maker');
  await grant('/domains/default', 'contributor', 'maker');
  await teamWith('/directories/default', 'linkers', 'manager', 'maker');
  const { directoryId, identityId } = await admin('GET', `${users}/admin`);
  refused(await maker.ask('POST', users, { type: 'USER', name: 'second-admin', directoryId, identityId }), 'authority.principal_above_own');
  const own = await admin('GET', `${users}/maker`);
  const second = { type: 'USER', name: 'second-maker', directoryId: own.directoryId, identityId: own.identityId };
  assert.equal(await maker.status('POST', users, second), 200);
});

test('an authentication grant is made, changed and read by the person, and by those who hold what it holds', async () => {
  const owner = await person('grant-maker');
  await grant('', 'contributor', 'grant-maker');
  const target = await person('granted');
  const code = 'authority.principal_above_own';
  await grant(`${users}/${target._doc}`, 'owner', 'grant-maker');
  await grant(await identityOf('granted'), 'manager', 'grant-maker');
  const record = (await admin('POST', '/uiconfigs', {}))._doc;
  await grant(`/uiconfigs/${record}`, 'consumer', 'granted');
  const wanted = { principalDomainId: 'default', principalId: target._doc };
  refused(await owner.ask('POST', '/auth/grants', wanted), code);
  const mine = (await owner.ask('POST', '/auth/grants', { principalDomainId: 'default', principalId: owner._doc })).json;
  refused(await owner.ask('PUT', `/auth/grants/${mine._doc}`, wanted), code);
  const path = `/auth/grants/${(await admin('POST', '/auth/grants', wanted))._doc}`;
  await grant(path, 'owner', 'grant-maker');
  const secret = async (who) => (await who.ask('GET', `${path}?full=true`)).json.secret;
  assert.equal(await secret(owner), undefined);
  refused(await owner.ask('PUT', path, { ...wanted, allowOpenDriverAuthentication: true }), code);
  await grant(`/uiconfigs/${record}`, 'consumer', 'grant-maker');
  assert.equal(typeof await secret(owner), 'string');
  assert.equal(await owner.status('PUT', path, { ...wanted, enabled: false }), 200);
});

test('the key of a grant that needs no secret is one', async () => {
  const reader = await person('grant-reader');
  const path = `/auth/grants/${(await admin('POST', '/auth/grants', {
    principalDomainId: 'default', principalId: 'admin', allowOpenDriverAuthentication: true }))._doc}`;
  await grant(path, 'consumer', 'grant-reader');
  assert.equal(typeof (await admin('GET', path)).key, 'string');
  const seen = await reader.ask('GET', path);
  assert.equal(seen.status, 200);
  assert.equal(seen.json.key, undefined);
  for (const list of [await reader.ask('GET', '/auth/grants'), await reader.ask('POST', '/auth/grants/query')]) {
    assert.equal(list.json.total_rows, 1, list.text);
    assert.equal(list.json.rows[0].key, undefined);
  }
});

test('somebody is impersonated by those who hold what that one holds', async () => {
  const actor = await person('actor');
  const target = await person('played');
  await grant(`${users}/${target._doc}`, 'owner', 'actor');
  const play = () => actor.ask('POST', `/auth/impersonate/default/${target._doc}`);
  // Everybody manages the own identity.
  refused(await play(), 'authority.principal_above_own');
  await grant(await identityOf('played'), 'manager', 'actor');
  assert.equal((await play()).status, 200);
  const crew = await group('crew-of-played');
  const record = (await admin('POST', '/uiconfigs', {}))._doc;
  await admin('POST', `/uiconfigs/${record}/authorities/editor/grant?id=default/${crew}`);
  await admin('POST', `${users}/${crew}/members/add?id=default/played`);
  refused(await play(), 'authority.principal_above_own');
  await admin('POST', `${users}/${crew}/members/add?id=default/actor`);
  assert.equal((await play()).status, 200);
});

test('where the codes of a client go is changed with MODIFY_CREDENTIALS on it', async () => {
  const editor = await person('client-editor');
  const client = `/clients/${(await admin('POST', '/clients', { registeredRedirectUri: 'https://a.example/' }))._doc}`;
  await grant(client, 'editor', 'client-editor');
  const record = (await editor.ask('GET', client)).json;
  const put = (body) => editor.status('PUT', client, { ...record, ...body });
  assert.equal(await put({ title: 'described' }), 200);
  assert.equal(await put({ registeredRedirectUri: 'https://b.example/' }), 403);
  assert.equal(await put({ allowGuestLogin: true }), 403);
  await grant(client, 'manager', 'client-editor');
  assert.equal(await put({ registeredRedirectUri: 'https://b.example/' }), 200);
});

test('a patch by reference gives no more than an update', async () => {
  const editor = await person('patcher');
  await person('patched');
  const keeper = await person('patched-keeper');
  await admin('POST', `/authorities/editor/grant?id=default/patched`);
  const user = (await admin('GET', `${users}/patched`));
  const [host, client] = [await admin('POST', '/webhosts'), await admin('POST', '/clients', { registeredRedirectUri: 'https://a.example/' })];
  const policy = await admin('POST', '/access/policies', { statements: [] });
  const project = await admin('POST', '/projects', { title: 'patched' });
  const { _doc: stackId } = await admin('POST', '/stacks');
  const loginGrant = await admin('POST', '/auth/grants', { principalDomainId: 'default', principalId: keeper._doc });
  for (const path of [`${users}/${user._doc}`, `/webhosts/${host._doc}`, `/clients/${client._doc}`, `/access/policies/${policy._doc}`, `/projects/${project._doc}`, `/stacks/${stackId}`, `/auth/grants/${loginGrant._doc}`]) {
    await grant(path, 'editor', 'patcher');
  }
  await grant(await identityOf('patched'), 'manager', 'patcher');
  for (const [reference, path, value, code] of [
    [`user://${platform}/${user.domainId}/${user._doc}`, '/password', 'a new password', 'authority.principal_above_own'],
    [`webhost://${platform}/${host._doc}`, '/enableAuthorities', false, undefined],
    [`client://${platform}/${client._doc}`, '/registeredRedirectUri', 'https://b.example/', undefined],
    [`accessPolicy://${platform}/${policy._doc}`, '/statements', [{ action: 'grant', roles: ['manager'] }], 'access_policies.administration_needed'],
    [`project://${platform}/${project._doc}`, '/stackId', stackId, undefined],
    [`authenticationGrant://${platform}/${loginGrant._doc}`, '/principalId', user._doc, undefined],
  ]) {
    const before_ = await server.request('POST', '/ref/read', { token: server.adminToken, body: { entries: [{ ref: reference }] } });
    const patch = (at, to) => editor.ask('POST', `/ref/merge?source=${encodeURIComponent(reference)}`, [{ op: 'add', path: at, value: to }]);
    const reply = await patch(path, value);
    assert.equal(reply.status, 403, `${reference}: ${reply.text}`);
    if (code) assert.equal(reply.json.code, code, reply.text);
    assert.deepEqual((await server.request('POST', '/ref/read', { token: server.adminToken, body: { entries: [{ ref: reference }] } })).json.entries, before_.json.entries);
    // Of these every change is one of rights.
    if (/^(accessPolicy|authenticationGrant):/.test(reference)) continue;
    const plain = await patch('/note', 'described');
    assert.equal(plain.status, 200, `${reference}: ${plain.text}`);
  }
  await server.login('patched', 'secret-of-patched');
});

test('who is invited into a project gets no more than the inviter has', async () => {
  const inviter = await person('inviter');
  const { _doc: stackId } = await admin('POST', '/stacks');
  const { _doc: project } = await admin('POST', '/projects', { stackId });
  await grant(`/projects/${project}`, 'manager', 'inviter');
  await grant(`/stacks/${stackId}`, 'manager', 'inviter');
  await admin('POST', `/stacks/${stackId}/teams?key=readers`);
  await admin('POST', `/stacks/${stackId}/teams/readers/authorities/consumer/grant`);
  const invite = (team) => inviter.ask('POST', `/projects/${project}/users/invite?id=default/inviter&teamKey=${team}`);
  refused(await invite('readers'), 'authority.group_above_own');
  refused(await invite('owners'), 'authority.group_above_own');
  await teamWith(`/stacks/${stackId}`, 'inside', 'manager', 'inviter');
  assert.equal((await invite('readers')).status, 200);
});

test('whoever owns a project lets people into its users team, and nobody else does', async () => {
  const [owner, helper] = [await person('p-owner'), await person('p-helper')];
  await person('p-plain');
  await grant('', 'contributor', 'p-owner');
  for (const who of [owner, helper]) for (const other of ['p-owner', 'p-helper', 'p-plain']) await grant(`${users}/${other}`, 'consumer', who.name);
  const { _doc: project } = (await owner.ask('POST', '/projects', { title: 'measured' })).json;
  const { stackId } = await admin('GET', `/projects/${project}`);
  // MODIFY_PERMISSIONS on the records alone is not what the team has inside the stack.
  for (const base of [`/projects/${project}`, `/stacks/${stackId}`]) await grant(base, 'manager', 'p-helper');
  const invite = (who, base, guest) => who.ask('POST', `/projects/${base}/users/invite?id=default/${guest}`);
  refused(await invite(helper, project, 'p-helper'), 'authority.group_above_own');
  refused(await helper.ask('POST', `/stacks/${stackId}/teams/project-users-team/members/add?id=default/p-helper`), 'authority.group_above_own');
  assert.equal((await invite(owner, project, 'p-plain')).status, 200);
  // Of a team on the stack only: a store may come into stacks of others with what its own teams have.
  const store = `/stacks/${stackId}/datastores/content`;
  const repository = `/repositories/${(await admin('GET', store))._doc}`;
  await admin('POST', `${repository}/teams?key=inner`);
  await admin('POST', `/access/policies/system/project-user/assign?ref=team://repository/${platform}/${repository.split('/')[2]}/inner`);
  refused(await owner.ask('POST', `${repository}/teams/inner/members/add?id=default/p-plain`), 'authority.group_above_own');
  // The stack's other projects count, too.
  const { _doc: second } = await admin('POST', '/projects', { stackId });
  refused(await invite(owner, project, 'p-helper'), 'authority.group_above_own');
  await grant(`/projects/${second}`, 'owner', 'p-owner');
  assert.equal((await invite(owner, project, 'p-helper')).status, 200);
});

test('a project gets another stack from its owners only, as the stack\'s teams count on it', async () => {
  const editor = await person('p-editor');
  const { _doc: stackId } = await admin('POST', '/stacks');
  await grant(`/stacks/${stackId}`, 'owner', 'p-editor');
  const { _doc: project } = await admin('POST', '/projects', { title: 'of the administrator' });
  await grant(`/projects/${project}`, 'manager', 'p-editor');
  const before = await admin('GET', `/projects/${project}`);
  // Of both stacks an owner: what the project's policies take there is the editor's already.
  await grant(`/stacks/${before.stackId}`, 'owner', 'p-editor');
  refused(await editor.ask('PUT', `/projects/${project}`, { ...before, stackId }), 'platform.project_not_owned');
  assert.equal(await editor.status('PUT', `/projects/${project}`, { ...before, title: 'changed' }), 200);
  await grant(`/projects/${project}`, 'owner', 'p-editor');
  assert.equal(await editor.status('PUT', `/projects/${project}`, { ...before, stackId }), 200);
});

test('a stack is given to a project by its owners, and a registration gives no groups', async () => {
  const maker = await person('project-maker');
  await grant('', 'contributor', 'project-maker');
  const { _doc: stackId } = await admin('POST', '/stacks');
  await grant(`/stacks/${stackId}`, 'manager', 'project-maker');
  refused(await maker.ask('POST', '/projects', { stackId }), 'platform.stack_not_owned');
  const own = (await maker.ask('POST', '/projects', { title: 'own' })).json;
  refused(await maker.ask('PUT', `/projects/${own._doc}`, { ...own, stackId }), 'platform.stack_not_owned');
  await grant(`/stacks/${stackId}`, 'owner', 'project-maker');
  assert.equal(await maker.status('POST', '/projects', { stackId }), 200);

  const owners = await group('owners-by-registration');
  await admin('POST', `/authorities/owner/grant?id=default/${owners}`);
  const application = `/applications/${(await admin('POST', '/applications'))._doc}`;
  const { _doc } = await admin('POST', `${application}/registrations`, {
    userEmail: 'new@example.org', userProperties: { groups: [owners], name: 'registered' } });
  await admin('POST', `${application}/registrations/${_doc}/confirm?password=long-enough`, {});
  assert.equal((await admin('GET', `${users}/${owners}/members`)).total_rows, 0);
  assert.equal((await admin('GET', `${users}/registered`)).type, 'USER');
});

test('a store, a stack and a project go, and their teams with them, by those who hold what policies take from the teams', async () => {
  const remover = await person('team-remover');
  const { _doc: host } = await admin('POST', '/webhosts');
  const { _doc: stack } = await admin('POST', '/stacks');
  const project = await admin('POST', '/projects', {});
  await admin('POST', `/webhosts/${host}/teams?key=held`);
  await admin('POST', `/stacks/${stack}/teams?key=held`);
  const teams = [`webhost/${platform}/${host}/held`, `stack/${platform}/${stack}/held`, `stack/${platform}/${project.stackId}/project-users-team`];
  const policy = (await admin('POST', '/access/policies', { statements: [{ action: 'revoke', roles: ['editor'] }] }))._doc;
  for (const team of teams) await admin('POST', `/access/policies/${policy}/assign?ref=team://${team}`);
  const paths = [`/webhosts/${host}`, `/stacks/${stack}`, `/projects/${project._doc}`];
  await grant(`/stacks/${project.stackId}`, 'owner', 'team-remover');
  for (const path of paths) {
    await grant(path, 'owner', 'team-remover');
    refused(await remover.ask('DELETE', path), 'authority.group_above_own');
    assert.equal(await remover.status('GET', path), 200);
  }
  await teamWith('', 'editors-of-all', 'editor', 'team-remover');
  for (const path of paths) assert.equal(await remover.status('DELETE', path), 200);
  await admin('DELETE', `/access/policies/${policy}`);
});

test('a store leaves a project, in whatever way, by those who hold inside it what policies take in projects', async () => {
  const [keeper, held] = [await person('p-keeper'), await person('p-held')];
  const { _doc: host } = await admin('POST', '/webhosts');
  const mapping = `/webhosts/${host}/autoclientmappings/${(await admin('POST', `/webhosts/${host}/autoclientmappings`, { host: 'h' }))._doc}`;
  const policies = [];
  for (const policy of [
    { order: 1, statements: [{ action: 'grant', roles: ['editor'], conditions: [{ type: 'type', config: { type: '^autoClientMapping.*' } }] }] },
    { order: 2, scope: 'project', statements: [{ action: 'revoke', roles: ['editor'] }] },
  ]) {
    policies.push(`/access/policies/${(await admin('POST', '/access/policies', policy))._doc}`);
    await admin('POST', `${policies.at(-1)}/assign?ref=user://${platform}/default/${held._doc}`);
  }
  assert.equal(await held.status('GET', mapping), 200);
  const project = await admin('POST', '/projects', {});
  const stack = `/stacks/${project.stackId}`;
  const assign = `${stack}/datastores/assign?type=webhost&key=one&id=`;
  await admin('POST', `${assign}${host}`);
  assert.equal(await held.status('GET', mapping), 404);
  const other = (await admin('POST', '/webhosts'))._doc;
  const ownStack = (await admin('POST', '/stacks'))._doc;
  for (const base of [`/webhosts/${other}`, `/stacks/${ownStack}`, `/projects/${project._doc}`]) await grant(base, 'owner', 'p-keeper');
  await grant(stack, 'manager', 'p-keeper');
  const moved = { ...(await admin('GET', `/projects/${project._doc}`)), stackId: ownStack };
  refused(await keeper.ask('POST', `${stack}/datastores/unassign?key=one`), 'platform.stack_roles_above_own');
  refused(await keeper.ask('POST', `${assign}${other}`), 'platform.stack_roles_above_own');
  refused(await keeper.ask('PUT', `/projects/${project._doc}`, moved), 'platform.project_policies_above_own');
  refused(await keeper.ask('DELETE', `/projects/${project._doc}`), 'platform.project_policies_above_own');
  assert.equal(await held.status('GET', mapping), 404);
  await grant(stack, 'owner', 'p-keeper');
  assert.equal(await keeper.status('POST', `${stack}/datastores/unassign?key=one`), 200);
  assert.equal(await keeper.status('PUT', `/projects/${project._doc}`, moved), 200);
  assert.equal(await held.status('GET', mapping), 200);
  for (const policy of policies) await admin('DELETE', policy);
});

test('who made a store goes on to work as its owner', async () => {
  const builder = await person('builder');
  await grant('', 'contributor', 'builder');
  const host = `/webhosts/${(await builder.ask('POST', '/webhosts')).json._doc}`;
  const mapping = `${host}/autoclientmappings/${(await builder.ask('POST', `${host}/autoclientmappings`, { host: 'h' })).json._doc}`;
  const friend = await person('friend-of-builder');
  for (const [method, path, body] of [
    ['POST', `${host}/teams?key=crew`], ['POST', `${host}/roles`, { roleKey: 'reader', permissions: ['CONNECT', 'READ'] }],
    ['POST', `${host}/teams/crew/authorities/reader/grant`], ['POST', `${host}/teams/crew/members/add?id=default/friend-of-builder`],
    ['POST', `${host}/authorities/owner/grant?id=default/friend-of-builder`], ['POST', `${mapping}/authorities/manager/grant?id=default/guest`],
    ['POST', `${host}/teams/owners/members/add?id=default/friend-of-builder`], ['PUT', host, { enableAuthorities: false }],
  ]) assert.equal(await builder.status(method, path, body), 200, `${method} ${path}`);
  assert.equal(await friend.status('GET', mapping), 200);
});

/// What the last tests of this file know by name. Whoever adds an operation says here which it is; those that change rights are
/// measured, listed in docs/decisions/0045, and taken by the random walk of tests/gifts, but for `besideTheWalk`.
const changesRights = `/grant /revoke /update /delete /patch /ref/merge /members/add /members/remove /assign /unassign /access/policies/unassignall
  /datastores/assign /datastores/unassign /principals/invite /users/invite /changepassword /auth/impersonate /associate /unassociate /move
  /movenodes /move/start /nodes/move/start /n/move/start /projects/start /reset/start /tenants/start /closeout /confirm
  /import /transfer/import /tools/copy /merge /merge/start /copyfrom /copyfrom/start /publish
  /revert /revert/start /commit /finalize /finalize/start /releaseimmediately /trigger /transition`;
const changesNone = `/export /transfer/export /unlock /lock /stats /restore /unzip /unmount /undelete /tree /traverse /touch /repair /_repair /remove /relatives/find
  /refresh /recreate /predelete /find /delete/start /copy /copy/start /ancestorbytype /validate/start /changes/start /changes/invalidate /changes/tree /unarchive
  /archive /test /send /qnames/generate /nodes/search /n/search /nodes/query/deep /n/query/deep /nodes/predelete /n/predelete
  /nodes/find /n/find /nodes/delete /n/delete /lookup /i18n /i18n/add /history/start /graphql /diff/start /deletions/purgeall
  /deletions/purgeall/start /deletions/delete /admin/upgradeschema /admin/search/index /admin/paths/index /admin/content /admin/index /admin/repair
  /admin/maintenance /execute
  /pagerenditions/invalidateall /invalidate /sessions/expire /ref/read /branches/create/start /b/create/start /snapshots /oauth/token /oauth/authorize /kill /auth/expire
  /ref/exports/start /generate /email
  /datastores/exists /access/policies/find /access/policies/collect /access/lookup /access/check /change_type /change_qname /indexes
  /releases/create/start /unfinalize /editorial/flows/start /items /attachments /resolve /unpublish /undeploy /close /stop /redeploy /start /restart /transform /send/confirmation /send/welcome`;

test('every operation that is no standard one is known to change rights, or not to', async () => {
  const paths = everyPath(await admin('GET', '/openapi.json'));
  const [giving, plain] = [changesRights, changesNone].map((text) => new Set(text.split(/\s+/)));
  assert.deepEqual([...giving].filter((tail) => plain.has(tail)), []);
  const unknown = new Set();
  for (const [path, methods] of Object.entries(paths)) {
    const tail = path.slice(path.lastIndexOf('}') + 1);
    // Where there is a list, a POST creates; queries, checks and reports change nothing.
    if (!methods.post || methods.get || tail === '' || /\/(query|check|authorities)$/.test(tail)) continue;
    if (!giving.has(tail) && !plain.has(tail)) unknown.add(path);
  }
  assert.deepEqual([...unknown], []);
});

/// Operations that change rights and that the walk does not take: each with the test that asks what it gives.
const besideTheWalk = {
  // Other words for PUT and DELETE of a record, which it takes.
  '/update /delete /patch': ['tests/gifts/gift_steps.cpp', '"PUT", kPrincipal'],
  '/ref/merge': ['tests/api/gifts.test.mjs', 'a patch by reference gives no more than an update'],
  '/principals/invite': ['plugins/identity/tests/invitations.test.mjs', 'a user whom one has made of the owner\'s identity opens nothing of the owner'],
  '/associate /unassociate /move /movenodes /move/start /nodes/move/start /n/move/start':
    ['plugins/nodes/tests/nodes_folders.test.mjs', 'nobody gives others, by the folder that a node comes into, what they do not hold on the node'],
  '/tools/copy': ['plugins/nodes/tests/nodes_copies.test.mjs', 'grants are given on copies where that is asked for, and never more than whoever copies has there'],
  '/revert /revert/start': ['plugins/nodes/tests/nodes_merge.test.mjs', 'nobody gives others, by a revert that puts a node back into a folder, what they do not hold on the node'],
  '/merge /merge/start': ['plugins/nodes/tests/nodes_merge.test.mjs', 'nobody gives others, by the folder that a merge puts a node into, what they do not hold on the node'],
  '/copyfrom /copyfrom/start /publish':
    ['plugins/nodes/tests/nodes_publish.test.mjs', 'nobody gives others, by the folder that publishing puts a node into, what they do not hold on the node'],
  '/finalize /finalize/start /releaseimmediately /trigger':
    ['plugins/releases/tests/releases.test.mjs', 'nobody gives others, by the folder that a release puts a node into, what they do not hold on the node'],
  '/transition': ['plugins/editorial_flows/tests/editorial_flows.test.mjs', 'nobody brings by a flow what they could not merge'],
  '/commit': ['plugins/nodes/tests/nodes_conflicts.test.mjs', 'nobody gives others, by the conflicts that they commit, what they do not hold on the node'],
  '/projects/start': ['plugins/platform/tests/projects.test.mjs', 'a job that is given a stack gives no rights on it'],
  '/reset/start': ['plugins/nodes/tests/whole_branches.test.mjs', 'who may update the record of a branch resets nothing that is in it'],
  '/tenants/start': ['plugins/identity/tests/persons.test.mjs', 'owners of a tenant do not act as the person for whom it was made'],
  '/closeout': ['plugins/meters/tests/meters.test.mjs', 'closeout needs UPDATE on the tenant'],
  '/confirm': ['plugins/platform/tests/applications.test.mjs', 'confirming needs what it makes'],
};

test('every operation that changes rights is taken by the random walk, or has a test of its own', () => {
  const read = (file) => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
  const steps = ['gift_steps.cpp', 'gift_transfers.cpp'].map((file) => read(`tests/gifts/${file}`)).join('');
  // The walk takes /members/add as "/members/" and a verb.
  const isWalked = (tail) => steps.includes(`${tail}"`) || steps.includes(`${tail}/{`) || /^\/members\//.test(tail)
    || steps.includes(`"${tail.replace('/access/policies', '')}"`) || steps.includes(`/authorities/{authorityId}${tail}"`);
  const beside = new Set(Object.keys(besideTheWalk).flatMap((tails) => tails.split(' ')));
  const tails = changesRights.split(/\s+/);
  assert.deepEqual(tails.filter((tail) => !isWalked(tail) && !beside.has(tail)), []);
  assert.deepEqual([...beside].filter((tail) => !tails.includes(tail)), []);
  for (const [file, title] of Object.values(besideTheWalk)) assert.ok(read(file).includes(title.replaceAll("'", "\\'")) || read(file).includes(title), `${file} has no test "${title}"`);
});
