// Teams and custom roles (docs/reference/teams.md): records, members, and rights that come and go with them.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { SteleServer } from '../support/stele_server.mjs';

let server;
let platform;
const tokens = {};
const ids = {};
before(async () => {
  server = await SteleServer.start();
  platform = (await server.admin('GET', '/'))._doc;
  for (const name of ['member', 'builder', 'stranger', 'friend']) {
    ids[name] = (await server.makeUser(name))._doc;
    tokens[name] = await server.login(name, `secret-of-${name}`);
  }
  await server.admin('POST', '/authorities/collaborator/grant?id=default/builder');
});
after(() => server.end());

const admin = (...args) => server.admin(...args);
const as = (name, method, path, body) =>
  server.request(method, path, { token: tokens[name] ?? server.adminToken, body: body ?? (method === 'GET' ? undefined : {}) });
const statusAs = async (...args) => (await as(...args)).status;
const ok = async (...args) => {
  const reply = await as(...args);
  assert.equal(reply.status, 200, `${args.slice(0, 3).join(' ')}: ${reply.text}`);
  return reply.json;
};
const total = async (path) => (await admin('GET', path)).total_rows;
const keys = (map) => map.rows.map((row) => row.key);

async function makeHost(name = 'admin') {
  const path = `/webhosts/${(await ok(name, 'POST', '/webhosts', { title: 'host' }))._doc}`;
  const mapping = `${path}/autoclientmappings/${(await ok(name, 'POST', `${path}/autoclientmappings`, { host: 'h' }))._doc}`;
  return { path, mapping, id: path.split('/')[2] };
}

async function makeTeam(base, key, role) {
  const team = await admin('POST', `${base}/teams?key=${key}`);
  if (role) await admin('POST', `${base}/teams/${key}/authorities/${role}/grant`);
  return { path: `${base}/teams/${key}`, ...team };
}

test('every store and stack has the team owners with its creator', async () => {
  for (const [collection, type] of [['/registrars', 'registrar'], ['/webhosts', 'webhost'], ['/applications', 'application'],
                                    ['/directories', 'directory'], ['/domains', 'domain'], ['/stacks', 'stack']]) {
    const { _doc } = await ok('builder', 'POST', collection, { title: 'T' });
    const list = await ok('builder', 'GET', `${collection}/${_doc}/teams`);
    assert.deepEqual([list.total_rows, list.offset, list.size], [1, 0, 1]);
    const [team] = list.rows;
    assert.equal(team._doc, 'owners');
    assert.equal(team.key, 'owners');
    assert.equal(team.teamableObjectTypeId, type);
    assert.equal(team.teamableObjectId, _doc);
    assert.equal(team.groupDomainId, 'default');
    assert.deepEqual(team.roleKeys, ['owner']);
    assert.equal((await admin('GET', `/domains/default/principals/${team.groupId}`)).type, 'GROUP');
    const members = await ok('builder', 'GET', `${collection}/${_doc}/teams/owners/members`);
    assert.deepEqual(members.rows.map((row) => row._doc), [ids.builder]);
    assert.equal(members.rows[0].domainId, 'default');
    assert.equal(members.rows[0].type, 'USER');
    assert.deepEqual(await ok('builder', 'GET', `${collection}/${_doc}/teams/owners`), team);
  }
});

test('what the server made has the team too, and the platform begins without any', async () => {
  for (const store of ['/registrars/default', '/domains/default', '/directories/default']) {
    assert.deepEqual((await admin('GET', `${store}/teams/owners`)).roleKeys, ['owner'], store);
    assert.equal(await total(`${store}/teams/owners/members`), 0, store);
  }
  assert.equal(await total('/teams'), 0);
});

test('teams are made, changed and removed', async () => {
  const { path } = await makeHost();
  const created = await admin('POST', `${path}/teams?key=editors`, { title: 'Editors', own: { a: [1] }, groupId: 'forged', roleKeys: ['owner'] });
  assert.equal(created.ok, true);
  assert.equal(created._doc, 'editors');
  assert.deepEqual(created.roleKeys, []);
  assert.notEqual(created.groupId, 'forged');
  const team = await admin('GET', `${path}/teams/editors`);
  assert.ok(!('ok' in team));
  assert.equal(team.title, 'Editors');
  assert.deepEqual(team.own, { a: [1] });
  assert.equal(team._system.created_by, 'admin');
  assert.deepEqual(keys(await admin('GET', `${path}/teams`)), ['owners', 'editors']);
  assert.deepEqual(keys(await admin('GET', `${path}/teams?sort={"key":1}&limit=1`)), ['editors']);
  assert.equal((await admin('PUT', `${path}/teams/editors`, { ...team, title: 'New', groupId: 'forged' })).ok, true);
  await admin('POST', `${path}/teams/editors/update`, { ...team, title: 'Newer' });
  const changed = await admin('GET', `${path}/teams/editors`);
  assert.equal(changed.title, 'Newer');
  assert.equal(changed.groupId, team.groupId);
  assert.equal(changed._system.created_on.ms, team._system.created_on.ms);
  await admin('DELETE', `${path}/teams/editors`);
  assert.equal(await statusAs('admin', 'GET', `${path}/teams/editors`), 404);
  assert.equal(await statusAs('admin', 'GET', `/domains/default/principals/${team.groupId}`), 404);
  await admin('POST', `${path}/teams?key=editors`);
  await admin('POST', `${path}/teams/editors/delete`);
  assert.equal(await total(`${path}/teams`), 1);
});

test('wrong input is refused with a message that names it, and stores nothing', async () => {
  const { path } = await makeHost();
  await makeTeam(path, 'taken');
  const cases = [
    ['POST', '/teams', 400, /key/], ['POST', '/teams?key=', 400, /key/], ['POST', '/teams?key=a%2Fb', 400, /key/],
    ['POST', '/teams?key=taken', 409, /taken/], ['POST', '/teams?key=x', 400, /title/, { title: 7 }],
    ['POST', '/teams?key=x', 400, /object/, []], ['PUT', '/teams/taken', 400, /key/, { key: 'other' }],
    ['GET', '/teams/none', 404, /none/], ['DELETE', '/teams/none', 404, /none/], ['DELETE', '/teams/owners', 409, /owners/],
    ['POST', '/teams/taken/members/add', 400, /id/], ['POST', '/teams/taken/members/add?id=default/nobody', 404, /nobody/],
    ['POST', '/teams/taken/members/remove?id=nobody', 404, /nobody/], ['POST', '/teams/taken/members/check?id=nobody', 404, /nobody/],
    ['POST', '/teams/taken/authorities/nonsense/grant', 404, /nonsense/], ['GET', '/teams/taken/members?filter=x', 400, /filter/],
    ['GET', '/teams/taken/members?indirect=x', 400, /indirect/], ['GET', '/teams?skip=x', 400, /skip/],
    ['POST', '/roles', 400, /roleKey/], ['POST', '/roles', 409, /owner/i, { roleKey: 'OWNER' }],
    ['POST', '/roles', 400, /FLY/, { roleKey: 'x', permissions: ['READ', 'FLY'] }], ['POST', '/roles', 400, /roleKey/, { roleKey: 'a/b' }],
    ['POST', '/roles', 400, /permissions/, { roleKey: 'x', permissions: 'READ' }], ['GET', '/roles/none', 404, /none/],
    ['PUT', '/roles/consumer', 409, /built-in/], ['DELETE', '/roles/consumer', 409, /built-in/], ['PUT', '/roles/none', 404, /none/],
    ['GET', '/roles?inherited=x', 400, /inherited/],
  ];
  for (const [method, rest, status, message, body] of cases) {
    const reply = await as('admin', method, path + rest, body);
    assert.equal(reply.status, status, `${method} ${rest}: ${reply.text}`);
    assert.match(reply.json.message, message, `${method} ${rest}`);
  }
  assert.equal(await total(`${path}/teams`), 2);
  assert.equal(await total(`${path}/roles`), 0);
});

test('members are users and groups, by every form of their names', async () => {
  const { path } = await makeHost();
  const team = await makeTeam(path, 'crew');
  const group = await admin('POST', '/domains/default/principals', { type: 'GROUP', name: 'crowd' });
  await admin('POST', `/domains/default/principals/${group._doc}/members/add?id=default/friend`);
  const forms = [`default/${ids.member}`, 'default/builder', ids.stranger, 'crowd'];
  for (const [i, form] of forms.entries()) {
    const members = await admin('POST', `${team.path}/members/add?id=${encodeURIComponent(form)}`);
    assert.equal(members.total_rows, i + 1, form);
  }
  await admin('POST', `${team.path}/members/add?id=default/builder`);
  assert.equal(await total(`${team.path}/members`), 4);
  assert.equal(await total(`${team.path}/members?filter=user`), 3);
  assert.equal(await total(`${team.path}/members?filter=group`), 1);
  const names = async (parameters) => (await admin('GET', `${team.path}/members?${parameters}`)).rows.map((row) => row.name);
  const sorted = await names('sort={"name":-1}');
  assert.deepEqual(sorted, [...sorted].sort().reverse());
  assert.deepEqual(await names('sort={"name":-1}&skip=1&limit=2'), sorted.slice(1, 3));
  const all = await names('');
  assert.deepEqual(await names('skip=1&limit=2'), all.slice(1, 3));
  const page = await admin('GET', `${team.path}/members?skip=1&limit=2`);
  assert.deepEqual([page.total_rows, page.offset, page.size], [4, 1, 2]);
  assert.equal(await total(`${team.path}/members?indirect=true`), 5);
  assert.equal((await admin('GET', `${team.path}/members?skip=1&limit=2`)).size, 2);
  for (const [name, belongs] of [['member', true], ['friend', true], ['admin', false]]) {
    assert.equal((await admin('POST', `${team.path}/members/check?id=default/${name}`)).belongs, belongs, name);
  }
  for (const name of ['crowd', 'member']) await admin('POST', `${team.path}/members/remove?id=default/${name}`);
  assert.equal((await admin('POST', `${team.path}/members/check?id=default/friend`)).belongs, false);
  assert.equal(await total(`${team.path}/members`), 2);
});

test('a team opens what is inside, a plain grant does not, and rights come and go at once', async () => {
  const host = await makeHost();
  const team = await makeTeam(host.path, 'readers', 'consumer');
  assert.deepEqual((await admin('GET', `${team.path}/authorities`)).authorities, ['consumer']);
  await admin('POST', `${host.path}/authorities/consumer/grant?id=default/friend`);
  assert.equal(await statusAs('friend', 'GET', host.path), 200);
  assert.equal(await statusAs('friend', 'GET', host.mapping), 404);
  for (let round = 0; round < 20; ++round) {
    assert.equal(await statusAs('member', 'GET', host.mapping), 404, `round ${round}`);
    await admin('POST', `${team.path}/members/add?id=default/member`);
    assert.equal(await statusAs('member', 'GET', host.mapping), 200, `round ${round}`);
    assert.equal(await statusAs('member', 'PUT', host.mapping), 403, `round ${round}`);
    assert.equal((await ok('member', 'GET', `${host.path}/autoclientmappings`)).total_rows, 1);
    await admin('POST', `${team.path}/members/remove?id=default/member`);
  }
  await admin('POST', `${team.path}/members/add?id=default/member`);
  await admin('POST', `${team.path}/authorities/COLLABORATOR/grant`);
  assert.deepEqual((await admin('GET', team.path)).roleKeys, ['collaborator', 'consumer']);
  assert.equal(await statusAs('member', 'PUT', host.mapping), 200);
  await admin('POST', `${team.path}/authorities/collaborator/revoke`);
  assert.equal(await statusAs('member', 'PUT', host.mapping), 403);
  await admin('DELETE', team.path);
  assert.equal(await statusAs('member', 'GET', host.mapping), 404);
});

test('who may see a record sees its teams, who manages it changes them, up to its own roles', async () => {
  const host = await makeHost();
  const team = await makeTeam(host.path, 'crew', 'consumer');
  const reads = [['GET', '/teams'], ['GET', '/teams/crew'], ['GET', '/teams/crew/members'], ['GET', '/teams/crew/authorities'],
                 ['POST', '/teams/crew/members/check?id=default/admin'], ['GET', '/roles'], ['GET', '/roles/consumer']];
  const writes = [['POST', '/teams?key=new'], ['PUT', '/teams/crew'], ['POST', '/teams/crew/members/add?id=default/friend'],
                  ['POST', '/teams/crew/members/remove?id=default/friend'], ['POST', '/teams/crew/authorities/editor/grant'],
                  ['POST', '/teams/crew/authorities/editor/revoke'], ['DELETE', '/teams/crew'], ['POST', '/roles', { roleKey: 'r' }],
                  ['PUT', '/roles/r', { permissions: ['READ'] }], ['DELETE', '/roles/r']];
  for (const [method, rest, body] of [...reads, ...writes]) {
    assert.equal(await statusAs('stranger', method, host.path + rest, body), 404, `${method} ${rest}`);
  }
  await admin('POST', `${host.path}/authorities/consumer/grant?id=default/stranger`);
  for (const [method, rest] of reads) assert.equal(await statusAs('stranger', method, host.path + rest), 200, rest);
  for (const [method, rest, body] of writes) {
    assert.equal(await statusAs('stranger', method, host.path + rest, body), 403, `${method} ${rest}`);
  }
  await admin('POST', `${host.path}/authorities/manager/grant?id=default/stranger`);
  for (const rest of ['/teams/owners/members/add?id=default/stranger', '/teams/owners/members/remove?id=default/admin',
                      '/teams/crew/authorities/owner/grant', '/teams/owners/authorities/owner/revoke', '/teams/owners/authorities/all/revoke']) {
    const reply = await as('stranger', 'POST', host.path + rest);
    assert.equal(reply.status, 403, rest);
    assert.equal(reply.json.code, rest.includes('/add') ? 'authority.group_above_own' : 'authority.role_above_own', rest);
  }
  // What a team has counts inside as well, and so must what the manager has.
  await makeTeam(host.path, 'managers', 'manager');
  await admin('POST', `${host.path}/teams/managers/members/add?id=default/stranger`);
  for (const [method, rest, body] of writes) {
    assert.equal(await statusAs('stranger', method, host.path + rest, body), 200, `${method} ${rest}`);
  }
  assert.equal(await statusAs('admin', 'GET', team.path), 404);
});

test('the group of a team changes through the team alone, and disturbs no memberships', async () => {
  const { path } = await makeHost();
  const team = await makeTeam(path, 'crew', 'editor');
  const user = (await server.makeUser('counted'))._doc;
  await admin('POST', `${team.path}/members/add?id=default/${user}`);
  const group = `/domains/default/principals/${team.groupId}`;
  for (const [method, rest] of [['PUT', ''], ['DELETE', ''], ['POST', '/update'], ['POST', '/members/add?id=default/friend'],
                                ['POST', `/members/remove?id=default/${user}`]]) {
    const reply = await as('admin', method, group + rest, { name: 'stolen', type: 'GROUP' });
    assert.equal(reply.status, 409, `${method} ${rest}: ${reply.text}`);
    assert.equal(reply.json.code, 'identity.principal_team_group');
  }
  const joined = await as('admin', 'POST', '/domains/default/principals', { type: 'USER', name: 'sneaky', groups: [team.groupId] });
  assert.equal(joined.status, 409, joined.text);
  assert.equal(await total(`/domains/default/principals/${user}/memberships`), 0);
  assert.deepEqual((await admin('GET', `/domains/default/principals/${user}?groups=indirect`))._groups, {});
  assert.equal(await statusAs('stranger', 'GET', group), 404);
});

test('a principal has a list of its teams', async () => {
  const one = await makeHost();
  const two = await makeHost();
  const user = (await server.makeUser('teamed'))._doc;
  const list = (query = '') => total(`/domains/default/principals/${user}/teams${query}`);
  for (const key of ['a', 'b', 'c']) {
    for (const host of [one, two]) {
      const team = await makeTeam(host.path, key);
      await admin('POST', `${team.path}/members/add?id=default/${user}`);
    }
  }
  assert.equal(await list(), 6);
  assert.equal(await list(`?teamableType=webhost&teamableId=${one.id}`), 3);
  assert.equal(await list('?teamableType=stack'), 0);
  await admin('POST', `${one.path}/teams/a/members/remove?id=default/${user}`);
  assert.equal(await list(), 5);
  assert.equal((await ok('stranger', 'GET', `/domains/default/principals/${user}/teams`)).total_rows, 0);
});

test('what a team of a stack has holds on every store in it, as long as it is there', async () => {
  const host = await makeHost();
  const other = await makeHost();
  const stack = `/stacks/${(await admin('POST', '/stacks', {}))._doc}`;
  const assign = (key) => admin('POST', `${stack}/datastores/assign?type=webhost&id=${host.id}&key=${key}`);
  await admin('POST', `${stack}/roles`, { roleKey: 'visitor', permissions: ['CONNECT', 'READ'] });
  const team = await makeTeam(stack, 'visitors', 'visitor');
  await admin('POST', `${team.path}/members/add?id=default/member`);
  const holds = async (path) => (await admin('POST', `${path}/authorities/visitor/check?id=default/member`)).check;
  const expectHeld = async (isHeld, moment) => {
    assert.equal(await holds(host.path), isHeld, moment);
    assert.equal(await statusAs('member', 'GET', host.mapping), isHeld ? 200 : 404, moment);
    assert.equal((await ok('member', 'GET', '/webhosts?limit=-1')).rows.some((row) => row._doc === host.id), isHeld, moment);
    assert.equal(await statusAs('member', 'GET', other.path), 404, moment);
  };
  assert.equal(await holds(stack), true);
  await expectHeld(false, 'before the store is in the stack');
  await assign('one');
  await expectHeld(true, 'in the stack');
  await admin('POST', `${team.path}/members/remove?id=default/member`);
  await expectHeld(false, 'after leaving');
  await admin('POST', `${team.path}/members/add?id=default/member`);
  await expectHeld(true, 'after joining again');
  await assign('two');
  await admin('POST', `${stack}/datastores/unassign?key=one`);
  await expectHeld(true, 'still there under another key');
  await admin('POST', `${stack}/datastores/unassign?key=two`);
  await expectHeld(false, 'after the store left the stack');
  await assign('one');
  await admin('POST', `${stack}/datastores/assign?type=webhost&id=${other.id}&key=one`);
  assert.equal(await holds(host.path), false);
  assert.equal(await holds(other.path), true);
  await admin('POST', `${stack}/datastores/unassign?key=one`);
  await assign('one');
  await expectHeld(true, 'before the stack is removed');
  await admin('DELETE', stack);
  await expectHeld(false, 'after the stack was removed');
});

test('only owners put a store into a stack', async () => {
  const host = await makeHost();
  const stack = (await ok('builder', 'POST', '/stacks', {}))._doc;
  const assign = () => as('builder', 'POST', `/stacks/${stack}/datastores/assign?type=webhost&id=${host.id}`);
  await admin('POST', `${host.path}/authorities/manager/grant?id=default/builder`);
  const refused = await assign();
  assert.equal(refused.status, 403);
  assert.equal(refused.json.code, 'platform.store_not_owned');
  await admin('POST', `${host.path}/teams/owners/members/add?id=default/builder`);
  assert.equal((await assign()).status, 200);
});

test('roles of a store: direct ones, and those from above', async () => {
  const { path, mapping } = await makeHost();
  const inherited = await total(`${path}/roles?inherited=true`);
  assert.equal(await total(`${path}/roles`), 0);
  assert.ok(inherited >= 7);
  const created = await admin('POST', `${path}/roles`, { roleKey: 'Reader', title: 'R', permissions: ['read', 'CONNECT'], own: 1 });
  assert.equal(created.ok, true);
  assert.equal(await total(`${path}/roles`), 1);
  assert.equal(await total(`${path}/roles?inherited=true`), inherited + 1);
  const role = await admin('GET', `${path}/roles/${created._doc}`);
  assert.deepEqual(role, await admin('GET', `${path}/roles/READER?inherited=false`));
  assert.equal(role.roleKey, 'Reader');
  assert.deepEqual(role.permissions, ['CONNECT', 'READ']);
  assert.equal(role.own, 1);
  assert.equal(role._system.created_by, 'admin');
  assert.equal(await statusAs('admin', 'POST', `${path}/roles`, { roleKey: 'READER' }), 409);
  assert.equal((await admin('GET', `${path}/roles/consumer`)).roleKey, 'consumer');
  assert.equal(await statusAs('admin', 'GET', `${path}/roles/consumer?inherited=false`), 404);
  const team = await makeTeam(path, 'crew', 'reader');
  await admin('POST', `${team.path}/members/add?id=default/member`);
  assert.equal(await statusAs('member', 'GET', mapping), 200);
  await admin('PUT', `${path}/roles/reader`, { ...role, permissions: ['CONNECT'] });
  assert.equal(await statusAs('member', 'GET', mapping), 403);
  await admin('POST', `${path}/roles/${role._doc}/update`, { title: 'again', permissions: ['CONNECT', 'READ', 'UPDATE'] });
  assert.equal(await statusAs('member', 'PUT', mapping), 200);
  await admin('POST', `${path}/roles/reader/delete`);
  assert.equal(await statusAs('member', 'GET', mapping), 404);
  assert.equal(await total(`${path}/roles?inherited=true`), inherited);
});

test('of roles with one key the nearest is listed, and it alone', async () => {
  const { path } = await makeHost();
  await admin('POST', '/roles', { roleKey: 'shade', permissions: ['READ'] });
  const listed = async () => (await admin('GET', `${path}/roles?inherited=true&limit=-1`)).rows
    .filter(({ roleKey }) => roleKey.toLowerCase() === 'shade').map(({ roleKey, permissions }) => [roleKey, permissions]);
  assert.deepEqual(await listed(), [['shade', ['READ']]]);
  await admin('POST', `${path}/roles`, { roleKey: 'Shade', permissions: ['CONNECT'] });
  assert.deepEqual(await listed(), [['Shade', ['CONNECT']]]);
  assert.deepEqual((await admin('GET', `${path}/roles/shade`)).permissions, ['CONNECT']);
  await admin('POST', `${path}/roles/shade/delete`);
  assert.deepEqual(await listed(), [['shade', ['READ']]]);
});

test('a role of the platform can be granted everywhere; one without permissions is held by its key', async () => {
  const { path, mapping } = await makeHost();
  await admin('POST', '/roles', { roleKey: 'sign' });
  assert.equal((await admin('GET', `${path}/roles/sign`)).roleKey, 'sign');
  assert.equal(await statusAs('admin', 'GET', `${path}/roles/sign?inherited=false`), 404);
  await admin('POST', `${mapping}/authorities/SIGN/grant?id=default/member`);
  const check = async (role) => (await admin('POST', `${mapping}/authorities/${role}/check?id=default/member`)).check;
  assert.equal(await check('sign'), true);
  assert.equal(await check('consumer'), false);
  await admin('DELETE', '/roles/sign');
  assert.equal(await check('sign'), false);
});

test('teams of the platform reach everything, and it never loses its last owner', async () => {
  const { mapping } = await makeHost();
  const team = await makeTeam('', 'staff', 'consumer');
  assert.equal(team.teamableObjectTypeId, 'platform');
  assert.equal(await statusAs('friend', 'GET', mapping), 404);
  await admin('POST', `${team.path}/members/add?id=default/friend`);
  assert.equal(await statusAs('friend', 'GET', mapping), 200);
  await admin('POST', `${team.path}/authorities/owner/grant`);
  await admin('POST', `${team.path}/members/remove?id=default/friend`);
  const revoked = await as('admin', 'POST', '/authorities/owner/revoke?id=default/admin');
  assert.equal(revoked.status, 409, revoked.text);
  await admin('DELETE', team.path);
  assert.equal(await statusAs('friend', 'GET', mapping), 404);
});

test('the last user who owns the platform by a team is neither removed nor disabled', async () => {
  const domain = (await admin('POST', '/domains', {}))._doc;
  const user = `/domains/${domain}/principals/${(await admin('POST', `/domains/${domain}/principals`, { type: 'USER', name: 'chief', password: 'secret-of-chief' }))._doc}`;
  const adminUser = `/domains/default/principals/${(await admin('GET', '/domains/default/principals/admin'))._doc}`;
  const team = await makeTeam('', 'chiefs', 'owner');
  const refused = async (name, method, path, body) => {
    const reply = await as(name, method, path, body);
    assert.equal(reply.status, 409, `${method} ${path}: ${reply.text}`);
    assert.equal(reply.json.code, 'identity.principal_last_owner');
  };
  await refused('admin', 'PUT', adminUser, { type: 'USER', name: 'admin', enabled: false });
  await refused('admin', 'DELETE', adminUser);
  await admin('POST', `${team.path}/members/add?id=${domain}/chief`);
  tokens.chief = await server.login(`${domain}/chief`, 'secret-of-chief');
  await ok('chief', 'POST', '/authorities/owner/revoke?id=default/admin');
  try {
    await refused('chief', 'PUT', user, { type: 'USER', name: 'chief', enabled: false });
    await refused('chief', 'DELETE', user);
    await refused('chief', 'DELETE', `/domains/${domain}`);
  } finally {
    await ok('chief', 'POST', '/authorities/owner/grant?id=default/admin');
  }
  await admin('DELETE', `/domains/${domain}`);
  await admin('DELETE', team.path);
});

test('the last enabled user who owns the platform by a group neither leaves it nor makes way for a disabled one', async () => {
  const principals = '/domains/default/principals';
  await server.makeUser('heir');
  const group = (await admin('POST', principals, { type: 'GROUP', name: 'house' }))._doc;
  const outer = (await admin('POST', principals, { type: 'GROUP', name: 'dynasty' }))._doc;
  await admin('POST', `${principals}/${outer}/members/add?id=${group}`);
  await admin('POST', `${principals}/${group}/members/add?id=admin`);
  await admin('POST', `${principals}/${group}/members/add?id=heir`);
  await admin('POST', `/authorities/owner/grant?id=default/${outer}`);
  const heir = await admin('GET', `${principals}/heir`);
  await admin('PUT', `${principals}/heir`, { ...heir, enabled: false });
  // From here on the administrator owns by the groups alone.
  await admin('POST', '/authorities/owner/revoke?id=default/admin');
  try {
    for (const [method, path, code] of [
      ['POST', `${principals}/${group}/members/remove?id=admin`, 'identity.principal_last_owner'],
      ['POST', `${principals}/${outer}/members/remove?id=${group}`, 'identity.principal_last_owner'],
      ['DELETE', `${principals}/${group}`, 'identity.principal_last_owner'],
      ['POST', `/authorities/owner/revoke?id=default/${outer}`, 'authority.last_owner'],
    ]) {
      const reply = await as('admin', method, path);
      assert.equal(reply.status, 409, `${method} ${path}: ${reply.text}`);
      assert.equal(reply.json.code, code);
    }
    assert.equal((await admin('GET', `${principals}/${group}/members`)).total_rows, 2);
  } finally {
    await admin('POST', '/authorities/owner/grant?id=default/admin');
  }
  await admin('POST', `${principals}/${group}/members/remove?id=admin`);
  await admin('POST', `/authorities/owner/revoke?id=default/${outer}`);
});

test('a team that owns the platform is changed by owners alone, and keeps the last one', async () => {
  const host = await makeHost();
  const team = await makeTeam(host.path, 'landlords');
  await admin('POST', `/authorities/owner/grant?id=default/${team.groupId}`);
  await admin('POST', `${team.path}/members/add?id=default/friend`);
  await admin('POST', `${host.path}/authorities/manager/grant?id=default/stranger`);
  for (const path of ['members/add?id=default/stranger', 'members/remove?id=default/friend', 'delete']) {
    const reply = await as('stranger', 'POST', `${team.path}/${path}`);
    assert.equal(reply.status, 403, `${path}: ${reply.text}`);
    assert.equal(reply.json.code, path.includes('add') ? 'authority.group_above_own' : 'authority.role_above_own');
  }
  await ok('friend', 'POST', '/authorities/owner/revoke?id=default/admin');
  try {
    for (const [method, path, code] of [
      ['POST', `${team.path}/members/remove?id=default/friend`, 'authority.last_owner'],
      ['DELETE', team.path, 'identity.principal_last_owner'], ['DELETE', host.path, 'identity.principal_last_owner'],
    ]) {
      const reply = await as('friend', method, path);
      assert.equal(reply.status, 409, `${method} ${path}: ${reply.text}`);
      assert.equal(reply.json.code, code);
    }
  } finally {
    await ok('friend', 'POST', '/authorities/owner/grant?id=default/admin');
  }
  await admin('DELETE', team.path);
});

test('an owner who cannot log in is none', async () => {
  const principals = '/domains/default/principals';
  const { _doc } = await ok('admin', 'POST', `${principals}/invite?email=later@example.org`);
  await admin('POST', `/authorities/owner/grant?id=default/${_doc}`);
  const adminUser = await admin('GET', `${principals}/admin`);
  for (const [method, path, body, code] of [
    ['POST', '/authorities/owner/revoke?id=default/admin', {}, 'authority.last_owner'],
    ['PUT', `${principals}/admin`, { ...adminUser, enabled: false }, 'identity.principal_last_owner'],
  ]) {
    const reply = await as('admin', method, path, body);
    assert.equal(reply.status, 409, `${method} ${path}: ${reply.text}`);
    assert.equal(reply.json.code, code);
  }
  const { directoryId, identityId } = await admin('GET', `${principals}/${_doc}`);
  const password = { password: 'now another', verifyPassword: 'now another' };
  await admin('POST', `/directories/${directoryId}/identities/${identityId}/changepassword`, password);
  await ok('admin', 'POST', '/authorities/owner/revoke?id=default/admin');
  tokens.later = await server.login('later@example.org', 'now another');
  await ok('later', 'POST', '/authorities/owner/grant?id=default/admin');
  await admin('POST', `/authorities/owner/revoke?id=default/${_doc}`);
});

test('a policy that is assigned to a team holds for its members', async () => {
  const host = await makeHost();
  const team = await makeTeam(host.path, 'crew');
  const { _doc } = await admin('POST', '/access/policies', {
    title: 'P', statements: [{ action: 'grant', roles: ['consumer'], conditions: [{ type: 'type', config: { type: '^uiconfig.*' } }] }],
  });
  const config = `/uiconfigs/${(await admin('POST', '/uiconfigs', {}))._doc}`;
  await admin('POST', `/access/policies/${_doc}/assign?ref=team://webhost/${platform}/${host.id}/crew`);
  assert.equal(await statusAs('member', 'GET', config), 404);
  await admin('POST', `${team.path}/members/add?id=default/member`);
  assert.equal(await statusAs('member', 'GET', config), 200);
  await admin('POST', `${team.path}/members/remove?id=default/member`);
  assert.equal(await statusAs('member', 'GET', config), 404);
});

test('a removed store takes its teams along', async () => {
  const host = await makeHost();
  const team = await makeTeam(host.path, 'crew', 'consumer');
  await admin('DELETE', host.path);
  assert.equal(await statusAs('admin', 'GET', `${host.path}/teams`), 404);
  assert.equal(await statusAs('admin', 'GET', `/domains/default/principals/${team.groupId}`), 404);
});

test("the stack of a project has the project's teams, made by hand or by a job", async () => {
  const own = (await ok('builder', 'POST', '/projects', { title: 'own' }))._doc;
  const job = await ok('builder', 'POST', '/projects/start?schedule=synchronous', { title: 'started' });
  for (const project of [own, job['created-project-id']]) {
    const { stackId } = await ok('builder', 'GET', `/projects/${project}`);
    const teams = await ok('builder', 'GET', `/stacks/${stackId}/teams?sort={"key":1}`);
    assert.deepEqual(keys(teams), ['owners', 'project-managers-team', 'project-users-team']);
    assert.deepEqual(teams.rows.map((row) => row.roleKeys), [['owner'], ['manager'], []]);
    const owners = await ok('builder', 'GET', `/stacks/${stackId}/teams/owners/members`);
    assert.deepEqual(owners.rows.map((row) => row._doc), [ids.builder]);
  }
});

test('teams outlive a restart', async () => {
  const { path, mapping } = await makeHost();
  const team = await makeTeam(path, 'crew', 'consumer');
  await admin('POST', `${team.path}/members/add?id=default/member`);
  await server.stop();
  const checked = server.check();
  assert.equal(checked.status, 0, checked.text);
  await server.launch();
  assert.deepEqual((await admin('GET', team.path)).roleKeys, ['consumer']);
  assert.equal(await statusAs('member', 'GET', mapping), 200);
});

test('a full primary domain refuses users, but neither stores nor teams', async () => {
  const domain = '/domains/default';
  const record = await admin('GET', domain);
  await admin('PUT', domain, { ...record, maxsize: 1 });
  try {
    const user = await as('admin', 'POST', `${domain}/principals`, { type: 'USER', name: 'too-much', password: 'xxxxxxxx' });
    assert.equal(user.status, 507, user.text);
    assert.equal(user.json.code, 'data_store.full');
    const before = await admin('GET', `${domain}/info`);
    const host = await makeHost();
    assert.deepEqual(keys(await admin('GET', `${host.path}/teams`)), ['owners']);
    await makeTeam(host.path, 'guides', 'consumer');
    const after = await admin('GET', `${domain}/info`);
    assert.equal(after.objectcount, before.objectcount + 2);
    assert.ok(after.size > before.size);
    await admin('DELETE', host.path);
    assert.equal((await admin('GET', `${domain}/info`)).size, before.size);
  } finally {
    await admin('PUT', domain, { ...record, maxsize: -1 });
  }
  await server.makeUser('not-too-much');
});
