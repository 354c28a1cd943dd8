// docs/specification/platform.md 4, 6 and 18, semantics.md 5: rights, and who gives them.
import assert from 'node:assert/strict';
import { ids, statement, Subject } from '../support/statements.mjs';

const it = Subject.serve();
const kUnknown = '0123456789abcdef0123';
const kRoles = {
  connector: ['CONNECT'], consumer: ['CONNECT', 'READ'], contributor: ['CONNECT', 'READ', 'CREATE_SUBOBJECTS'],
  editor: ['CONNECT', 'READ', 'UPDATE', 'DELETE'], collaborator: ['CONNECT', 'READ', 'CREATE_SUBOBJECTS', 'UPDATE', 'DELETE'],
  manager: ['CONNECT', 'READ', 'CREATE_SUBOBJECTS', 'UPDATE', 'DELETE', 'MODIFY_PERMISSIONS', 'MODIFY_CREDENTIALS'],
};
const kAll = [...kRoles.manager, 'GRANTAUTH', 'IMPERSONATE', 'CREATE_WITH_DEFINITION', 'READ_WITH_DEFINITION', 'UPDATE_WITH_DEFINITION',
              'DELETE_WITH_DEFINITION', 'MODIFY_PERMISSIONS_WITH_DEFINITION'];
let people = 0;
const somebody = () => it.person(`person-${++people}`);
const group = (name) => it.make('/domains/default/principals', { type: 'GROUP', name });
const join = (groupId, who) => it.post(`/domains/default/principals/${groupId}/members/add?id=default/${who.id ?? who}`);
const may = async (path, permission, who) => (await it.post(`${path}/permissions/${permission}/check?id=default/${who.id ?? who}`)).check;
const holds = async (path, authority, who) => (await it.post(`${path}/authorities/${authority}/check?id=default/${who.id ?? who}`)).check;
const host = async (fields) => `/webhosts/${await it.make('/webhosts', fields)}`;
const mapping = async (store) => `${store}/autoclientmappings/${await it.make(`${store}/autoclientmappings`)}`;
const config = async () => `/uiconfigs/${await it.make('/uiconfigs', { title: 'guarded' })}`;

statement('platform 4.1.1, platform 4.1.4, interface 5.2.7, interface 5.2.8, interface 3.9.3', async () => {
  const { id, name } = await somebody();
  const path = await config();
  await it.post(`${path}/authorities/consumer/grant?id=${name}`);
  for (const form of [`default/${id}`, `default/${name}`, id, name]) {
    assert.deepEqual(await it.post(`${path}/authorities/consumer/check?id=${form}`), { check: true, ok: true });
    assert.deepEqual(await it.post(`${path}/permissions/READ/check?id=${form}`), { check: true, ok: true });
    assert.deepEqual((await it.get(`${path}/acl?id=${form}`)).rows, ['consumer']);
    const { checks: [check] } = await it.post('/uiconfigs/permissions/check', { checks: [{ permissionedId: path.split('/')[2], principalId: form, permissionId: 'READ' }] });
    assert.deepEqual([check.principalId, check.result], [form, true]);
    assert.ok(form in (await it.post(`${path}/authorities`, { principals: [form] })));
  }
  await it.refused(400, 'POST', `${path}/permissions/READ/check`);
  await it.refused(400, 'POST', `${path}/authorities/consumer/check`);
});
statement('platform 4.1.2', async () => {
  const domain = await it.make('/domains');
  const inside = await it.make(`/domains/${domain}/principals`, { type: 'USER', name: 'same-name' });
  const primary = await it.make('/domains/default/principals', { type: 'USER', name: 'same-name' });
  await it.post(`/domains/${domain}/authorities/consumer/grant?id=same-name`);
  const path = await config();
  await it.post(`${path}/authorities/consumer/grant?id=same-name`);
  const principals = async (one) => (await it.get(`${one}/acl/list`)).rows.filter((row) => row.name === 'same-name').map((row) => row._doc);
  assert.deepEqual(await principals(`/domains/${domain}`), [inside]);
  assert.deepEqual(await principals(path), [primary]);
});
statement('platform 4.1.3', async () => {
  const path = await config();
  for (const form of ['nobody', `default/${kUnknown}`, 'nowhere/admin']) {
    await it.refused(404, 'POST', `${path}/authorities/consumer/grant?id=${form}`);
    await it.refused(404, 'POST', `${path}/permissions/READ/check?id=${form}`);
  }
});

statement('platform 4.2.1, nodes 26.2', async () => {
  const one = await somebody();
  const { branch, node } = await it.repository();
  for (const path of [await config(), `${branch}/nodes/${await node()}`]) {
    await it.grant(path, 'COLLABORATOR', one);
    assert.equal(await may(path, 'read', one), true);
    assert.equal(await holds(path, 'Collaborator', one), true);
    assert.deepEqual((await it.get(`${path}/acl?id=default/${one.id}`)).rows, ['collaborator']);
    await it.revoke(path, 'ALL', one);
    assert.deepEqual((await it.get(`${path}/acl?id=default/${one.id}`)).rows, []);
  }
});
statement('platform 4.2.2, platform 4.2.3', async () => {
  for (const [role, permissions] of Object.entries({ ...kRoles, owner: kAll })) {
    const one = await somebody();
    const path = await config();
    await it.grant(path, role, one);
    for (const permission of kAll) assert.equal(await may(path, permission, one), permissions.includes(permission), `${role} ${permission}`);
  }
});
statement('platform 4.2.4', async () => {
  const one = await somebody();
  const reply = await it.reply('POST', `${await config()}/authorities/no-such-role/grant?id=default/${one.id}`);
  assert.ok([400, 404].includes(reply.status), reply.text);
});
statement('platform 4.2.5, semantics 5.2.1', async () => {
  const one = await somebody();
  const path = await config();
  await it.refused(404, 'GET', path, undefined, one);
  await it.grant(path, 'connector', one);
  await it.refused(403, 'GET', path, undefined, one);
  assert.ok(!ids(await it.allowed('GET', '/uiconfigs', undefined, one)).includes(path.split('/')[2]));
  await it.grant(path, 'consumer', one);
  await it.allowed('GET', path, undefined, one);
  assert.deepEqual(ids(await it.allowed('GET', '/uiconfigs', undefined, one)), [path.split('/')[2]]);
});
statement('platform 4.2.6, nodes 26.4', async () => {
  const [reader, worker] = [await somebody(), await somebody()];
  await it.grant('', 'consumer', reader);
  await it.grant('', 'collaborator', worker);
  await it.refused(403, 'POST', '/repositories', {}, reader);
  await it.allowed('POST', '/repositories', {}, worker);
  const { path, branch } = await it.repository();
  for (const [who, role] of [[reader, 'consumer'], [worker, 'collaborator']]) await it.grant(path, role, who);
  await it.allowed('GET', branch, undefined, reader);
  for (const one of [`${path}/branches?branch=master`, `${branch}/nodes`]) {
    await it.refused(403, 'POST', one, {}, reader);
    await it.allowed('POST', one, {}, worker);
  }
});
statement('platform 4.2.7', async () => {
  const [reader, editor] = [await somebody(), await somebody()];
  const path = await config();
  await it.grant(path, 'contributor', reader);
  await it.grant(path, 'editor', editor);
  await it.refused(403, 'PUT', path, { title: 'no' }, reader);
  await it.refused(403, 'DELETE', path, undefined, reader);
  await it.allowed('PUT', path, { title: 'yes' }, editor);
  await it.allowed('DELETE', path, undefined, editor);
});
statement('platform 4.2.8, semantics 5.4.1', async () => {
  const [worker, manager, other] = [await somebody(), await somebody(), await somebody()];
  const store = await host();
  await it.grant(store, 'collaborator', worker);
  await it.grant(store, 'manager', manager);
  const give = `${store}/authorities/consumer/grant?id=default/${other.id}`;
  await it.refused(403, 'POST', give, undefined, worker);
  await it.allowed('POST', give, undefined, manager);
  await it.refused(403, 'POST', give.replace('grant', 'revoke'), undefined, worker);
  await it.refused(403, 'POST', `${store}/teams?key=t`, {}, worker);
  await it.refused(403, 'POST', `${store}/roles`, { roleKey: 'r', permissions: ['READ'] }, worker);
  await it.allowed('POST', `${store}/teams?key=t`, {}, manager);
  await it.allowed('POST', `${store}/roles`, { roleKey: 'r', permissions: [] }, manager);
});
statement('platform 4.2.9', async () => {
  const [one, editor] = [await somebody(), await somebody()];
  const { directoryId, identityId } = await it.get(one.path);
  const path = `/directories/${directoryId}/identities/${identityId}/changepassword`;
  await it.grant(one.path, 'editor', editor);
  const reply = await it.reply('POST', path, { password: 'another-one', verifyPassword: 'another-one' }, editor);
  assert.ok([403, 404].includes(reply.status), reply.text);
  await it.post(path, { password: 'another-one', verifyPassword: 'another-one' });
  assert.ok(await it.server.login(one.name, 'another-one'));
});
statement('platform 4.2.10', async () => {
  const [asker, other] = [await somebody(), await somebody()];
  const path = await config();
  await it.grant(path, 'connector', asker);
  await it.grant(path, 'editor', other);
  for (const tail of ['/acl/list', `/acl?id=default/${other.id}`]) await it.allowed('GET', path + tail, undefined, asker);
  await it.allowed('POST', `${path}/authorities`, { principals: [`default/${other.id}`] }, asker);
  assert.equal((await it.allowed('POST', `${path}/permissions/UPDATE/check?id=default/${other.id}`, undefined, asker)).check, true);
});

statement('platform 4.3.1, platform 4.3.2, platform 18.2', async () => {
  const [direct, indirect, deep] = [await somebody(), await somebody(), await somebody()];
  const [outer, inner] = [await group('outer'), await group('inner')];
  await join(outer, inner);
  await join(outer, indirect);
  await join(inner, deep);
  const path = await config();
  await it.grant(path, 'editor', direct);
  await it.grant(path, 'editor', outer);
  for (const who of [direct, indirect, deep]) {
    assert.equal(await may(path, 'UPDATE', who), true);
    await it.allowed('PUT', path, { title: who.name }, who);
  }
});
statement('platform 4.3.3, platform 6.1.10, semantics 5.6.1', async () => {
  const one = await somebody();
  const stack = `/stacks/${await it.make('/stacks')}`;
  const store = await host();
  await it.post(`${stack}/datastores/assign?type=webhost&id=${store.split('/')[2]}&key=host`);
  await it.post(`${stack}/teams?key=readers`);
  await it.post(`${stack}/teams/readers/authorities/consumer/grant`);
  for (const path of [stack, store]) assert.equal(await may(path, 'READ', one), false);
  await it.post(`${stack}/teams/readers/members/add?id=default/${one.id}`);
  for (const path of [stack, store, await mapping(store)]) assert.equal(await may(path, 'READ', one), true, path);
  await it.post(`${stack}/teams/readers/members/remove?id=default/${one.id}`);
  for (const path of [stack, store]) assert.equal(await may(path, 'READ', one), false);
});
statement('platform 4.3.4, semantics 5.5.1, semantics 5.5.3', async () => {
  const one = await somebody();
  const { branch, node } = await it.repository();
  const folder = await node({ title: 'folder', _features: { 'f:container': {} } }, '?parentFolderPath=/');
  const child = await node({ title: 'child' }, '?parentFolderPath=/folder');
  const other = await node({ title: 'other', _features: { 'f:container': {} } }, '?parentFolderPath=/');
  await it.grant(`${branch}/nodes/${folder}`, 'consumer', one);
  assert.equal(await may(`${branch}/nodes/${child}`, 'READ', one), true);
  await it.post(`${branch}/nodes/${child}/move?targetNodeId=${other}`);
  assert.equal(await may(`${branch}/nodes/${child}`, 'READ', one), false);
});
statement('semantics 5.5.2', async () => {
  const [one, two] = [await somebody(), await somebody()];
  const { branch, node } = await it.repository();
  const [a, b, child] = [await node({}), await node({}), await node({})];
  for (const parent of [a, b]) await it.post(`${branch}/nodes/${parent}/associate?node=${child}&type=a:child`);
  await it.grant(`${branch}/nodes/${a}`, 'consumer', one);
  await it.grant(`${branch}/nodes/${b}`, 'editor', two);
  assert.deepEqual([await may(`${branch}/nodes/${child}`, 'READ', one), await may(`${branch}/nodes/${child}`, 'UPDATE', two)], [true, true]);
});
statement('platform 4.3.5', async () => {
  const one = await somebody();
  const path = await config();
  const policy = await it.make('/access/policies', { statements: [{ action: 'grant', roles: ['consumer'], conditions: [{ type: 'type', config: { type: 'uiconfig' } }] }] });
  assert.equal(await may(path, 'READ', one), false);
  await it.post(`/access/policies/${policy}/assign?ref=user://${await it.platformId()}/default/${one.id}`);
  assert.equal(await may(path, 'READ', one), true);
  assert.equal(await may(`/sidekicks/${await it.make('/sidekicks')}`, 'READ', one), false);
});
statement('platform 4.3.6, platform 3.1.5, semantics 5.3.3', async () => {
  const one = await somebody();
  await it.grant('', 'contributor', one);
  const { _doc } = await it.allowed('POST', '/uiconfigs', { title: 'own' }, one);
  assert.deepEqual((await it.get(`/uiconfigs/${_doc}/acl?id=default/${one.id}`)).rows, ['owner']);
  await it.allowed('PUT', `/uiconfigs/${_doc}`, { title: 'changed' }, one);
  await it.allowed('DELETE', `/uiconfigs/${_doc}`, undefined, one);
});
statement('platform 4.3.7, platform 4.4.11', async () => {
  const one = await somebody();
  const outer = await group('reported');
  await join(outer, one);
  const store = await host();
  const path = await mapping(store);
  await it.grant(path, 'consumer', outer);
  await it.post(`${store}/teams?key=all`);
  await it.post(`${store}/teams/all/authorities/editor/grant`);
  await it.post(`${store}/teams/all/members/add?id=default/${one.id}`);
  assert.equal(await may(path, 'UPDATE', one), true);
  assert.deepEqual((await it.get(`${path}/acl?id=default/${one.id}`)).rows, []);
  assert.ok(!(await it.get(`${path}/acl/list`)).rows.some((row) => row._doc === one.id));
  const grants = Object.values((await it.post(`${path}/authorities`, { principals: [`default/${one.id}`] }))[`default/${one.id}`]);
  const consumer = grants.find((grant) => grant['role-key'] === 'consumer');
  const editor = grants.find((grant) => grant['role-key'] === 'editor');
  assert.match(consumer.principal, new RegExp(`(^|/)${outer}$|reported$`));
  assert.ok(!consumer.inheritsFrom || Object.keys(consumer.inheritsFrom).length === 0);
  assert.ok(editor.inheritsFrom.permissioned.includes(store.split('/')[2]));
});
statement('platform 4.3.8', async () => {
  const one = await somebody();
  const { branch, node } = await it.repository();
  const folder = await node({ title: 'folder', _features: { 'f:container': {} } }, '?parentFolderPath=/');
  const child = `${branch}/nodes/${await node({}, '?parentFolderPath=/folder')}`;
  await it.grant(`${branch}/nodes/${folder}`, 'consumer', one);
  await it.revoke(child, 'consumer', one);
  await it.revoke(child, 'all', one);
  assert.equal(await may(child, 'READ', one), true);
});
statement('platform 4.3.9, platform 6.1.11', async () => {
  const [owner, reader] = [await somebody(), await somebody()];
  const { path, branch } = await it.repository();
  await it.post(`${path}/teams/owners/members/add?id=default/${owner.id}`);
  await it.post(`${path}/teams?key=readers`);
  await it.post(`${path}/teams/readers/authorities/consumer/grant`);
  await it.post(`${path}/teams/readers/members/add?id=default/${reader.id}`);
  await it.allowed('PUT', branch, { title: 'changed' }, owner);
  await it.allowed('GET', branch, undefined, reader);
  await it.ok('DELETE', `${path}/teams/readers`);
  await it.refused(404, 'GET', branch, undefined, reader);
});
statement('platform 4.3.10, nodes 26.6', async () => {
  const one = await somebody();
  const { path, branch } = await it.repository();
  await it.grant(path, 'consumer', 'everyone');
  await it.revoke(branch, 'all', 'everyone');
  const reply = await it.reply('GET', branch, undefined, one);
  assert.ok([403, 404].includes(reply.status));
});
statement('platform 4.3.11', async () => {
  const one = await somebody();
  const { branch, node } = await it.repository();
  await it.grant('', 'owner', one);
  for (const path of [await config(), await mapping(await host()), branch, `${branch}/nodes/${await node()}`]) {
    for (const permission of kAll) assert.equal(await may(path, permission, one), true, `${path} ${permission}`);
  }
  await it.revoke('', 'owner', one);
});
statement('platform 4.3.12, interface 7.1, semantics 6.2', async () => {
  const one = await somebody();
  const [open, closed] = [await host({ enableAuthorities: false }), await host()];
  const [inside, guarded] = [await mapping(open), await mapping(closed)];
  await it.allowed('GET', inside, undefined, one);
  await it.refused(404, 'GET', guarded, undefined, one);
});
statement('platform 4.3.13, platform 4.3.14', async () => {
  const [one, other] = [await somebody(), await somebody()];
  assert.equal((await it.allowed('GET', one.path, undefined, other)).name, one.name);
  await it.revoke(one.path, 'all', 'everyone');
  await it.refused(404, 'GET', one.path, undefined, other);
  const own = await it.allowed('GET', one.path, undefined, one);
  await it.allowed('PUT', one.path, { ...own, firstName: 'Own' }, one);
});
statement('platform 4.3.15', async () => {
  const one = await somebody();
  await it.refused(404, 'GET', (await it.repository()).path, undefined, one);
});

statement('platform 4.4.1', async () => {
  const path = await config();
  assert.deepEqual(await it.post(`${path}/permissions/READ/check?id=default/admin`), { check: true, ok: true });
  assert.deepEqual(await it.post(`${path}/authorities/consumer/check?id=default/guest`), { check: false, ok: true });
});
statement('platform 4.4.2, interface 5.2.10', async () => {
  const one = await somebody();
  const path = await config();
  for (let i = 0; i < 2; ++i) assert.equal((await it.grant(path, 'editor', one)).ok, true);
  for (let i = 0; i < 2; ++i) assert.equal((await it.revoke(path, 'editor', one)).ok, true);
  await it.refused(400, 'POST', `${path}/authorities/editor/grant`);
  await it.refused(400, 'POST', `${path}/authorities/editor/revoke`);
});
statement('platform 4.4.3', async () => {
  const one = await somebody();
  const path = await config();
  for (const role of ['editor', 'consumer', 'manager']) await it.grant(path, role, one);
  await it.revoke(path, 'all', one);
  assert.deepEqual((await it.get(`${path}/acl?id=default/${one.id}`)).rows, []);
});
statement('platform 4.4.4, platform 4.4.9, interface 3.9.7, interface 5.2.11, platform 18.1', async () => {
  const people = [await somebody(), await somebody()];
  for (const path of [await config(), '']) {
    const count = async () => (await it.get(`${path}/acl/list`)).total_rows;
    const before = await count();
    await it.grant(path, 'consumer', people[0]);
    await it.grant(path, 'editor', people[0]);
    assert.equal(await count(), before + 1);
    await it.grant(path, 'consumer', people[1]);
    assert.equal(await count(), before + 2);
    const row = (await it.get(`${path}/acl/list`)).rows.find((one) => one._doc === people[0].id);
    assert.deepEqual([row.name, row.type, row.domainId, row.domainQualifiedId, row.domainQualifiedName, row.principalId, [...row.authorities].sort()],
                     [people[0].name, 'USER', 'default', `default/${people[0].id}`, `default/${people[0].name}`, people[0].id, ['consumer', 'editor']]);
    for (const name of ['userEmail', 'userFirstName', 'userLastName']) assert.equal(typeof row[name], 'string');
    for (const who of people) await it.revoke(path, 'all', who);
    assert.equal(await count(), before);
  }
});
statement('platform 4.4.5, interface 3.9.8', async () => {
  const one = await somebody();
  const path = await config();
  await it.grant(path, 'editor', one);
  const rows = (await it.get(`${path}/acl?id=default/${one.id}`)).rows;
  assert.deepEqual(rows, ['editor']);
  assert.deepEqual((await it.get(`${path}/acl/${one.id}`)).rows, rows);
  await it.refused(400, 'GET', `${path}/acl`);
});
statement('platform 4.4.6, platform 4.4.10, interface 3.9.9', async () => {
  const one = await somebody();
  const path = await config();
  await it.grant(path, 'editor', one);
  const report = await it.post(`${path}/authorities`, { principals: [`default/${one.id}`] });
  for (const key of [`default/${one.id}`, one.id]) {
    const [grant] = Object.values(report[key]);
    assert.equal(grant['role-key'], 'editor');
    for (const name of ['principal', 'permissioned']) assert.equal(typeof grant[name], 'string');
  }
  const whole = await it.post(`${path}/authorities`);
  assert.ok(Object.keys(whole).some((key) => key.includes(one.id)));
});
statement('platform 4.4.7, interface 5.2.9, interface 3.9.5, interface 3.9.6, semantics 5.4.2, platform 18.3', async () => {
  const one = await somebody();
  const paths = [];
  for (let i = 0; i < 5; ++i) paths.push(`/stacks/${await it.make('/stacks')}`);
  for (const i of [0, 2, 3]) await it.grant(paths[i], 'collaborator', one);
  for (const [kind, member, value] of [['authorities', 'authorityId', 'COLLABORATOR'], ['permissions', 'permissionId', 'UPDATE']]) {
    const asked = paths.map((path) => ({ permissionedId: path.split('/')[2], principalId: `default/${one.id}`, [member]: value }));
    const { checks } = await it.post(`/stacks/${kind}/check`, { checks: asked });
    assert.deepEqual(checks, asked.map((entry, i) => ({ ...entry, result: [0, 2, 3].includes(i) })));
  }
});
statement('platform 4.4.8', async () => {
  const id = await it.make('/uiconfigs');
  const entries = [[kUnknown, 'default/admin'], [id, 'default/nobody'], [id, 'nowhere/admin']]
    .map(([permissionedId, principalId]) => ({ permissionedId, principalId, permissionId: 'READ' }));
  assert.deepEqual((await it.post('/uiconfigs/permissions/check', { checks: entries })).checks.map((one) => one.result), [false, false, false]);
});
statement('semantics 5.2.3', async () => {
  const id = await it.make('/uiconfigs');
  const entry = { permissionedId: id, principalId: 'default/admin', permissionId: 'NO_SUCH' };
  assert.equal((await it.post('/uiconfigs/permissions/check', { checks: [entry, { ...entry, permissionId: 'rEaD' }] })).checks.map((one) => one.result).join(), 'false,true');
  await it.refused(400, 'POST', `/uiconfigs/${id}/permissions/NO_SUCH/check?id=default/admin`);
});

statement('platform 4.5.1, platform 4.5.2, platform 4.5.4', async () => {
  const platform = await it.platformId();
  for (const [type, collection] of [['repository', '/repositories'], ['domain', '/domains'], ['registrar', '/registrars']]) {
    const permissioned = `${type}://${platform}/${await it.make(collection)}`;
    const { entries: [found] } = await it.post('/access/lookup', { entries: [{ permissioned, principalId: 'default/admin' }] });
    assert.ok(found.authorities.length > 0 && found.permissions.length > 0);
    const asked = [['authorityId', 'connector'], ['authorityId', 'owner'], ['permissionId', 'UPDATE']].map(([member, value]) => ({ permissioned, principalId: 'default/admin', [member]: value }));
    const { entries } = await it.post('/access/check', { entries: asked });
    assert.deepEqual(entries.map((one) => one.hasAuthority ?? one.hasPermission), [true, true, true]);
  }
});
statement('platform 4.5.3, platform 15.1', async () => {
  const id = await it.make('/uiconfigs', { title: 'referred' });
  const platform = await it.platformId();
  const refs = [`uiconfig://${platform}/${id}`, `uiconfig://${platform}/${kUnknown}`, `platform://${platform}`];
  const { entries } = await it.post('/ref/read', { entries: refs.map((ref) => ({ ref })) });
  assert.deepEqual(entries.map((one) => one.ref), refs);
  assert.deepEqual([entries[0].entry.title, entries[1].entry, entries[2].entry._doc], ['referred', null, platform]);
});
statement('platform 4.5.5', async () => {
  const one = await somebody();
  const path = await config();
  await it.grant(path, 'collaborator', one);
  for (const [role, expected] of [['connector', true], ['consumer', true], ['contributor', true], ['editor', true], ['collaborator', true], ['manager', false], ['owner', false]]) {
    assert.equal(await holds(path, role, one), expected, role);
  }
});

statement('platform 6.1.1, platform 6.1.6, platform 6.1.9, interface 3.3.1, interface 5.4.2, interface 5.4.4', async () => {
  const store = await host();
  const team = await it.post(`${store}/teams?key=makers`, { title: 'Makers' });
  assert.deepEqual([team._doc, team.key, team.title], ['makers', 'makers', 'Makers']);
  const read = await it.get(`${store}/teams/makers`);
  for (const name of ['groupId', 'groupDomainId', 'teamableObjectTypeId', 'teamableObjectId', 'teamId']) assert.equal(typeof read[name], 'string', name);
  assert.deepEqual([read.roleKeys, read.teamableObjectId, read.teamableObjectTypeId], [[], store.split('/')[2], 'webhost']);
  await it.post(`${store}/teams/makers/authorities/editor/grant`);
  assert.deepEqual((await it.get(`${store}/teams/makers`)).roleKeys, ['editor']);
  assert.deepEqual((await it.get(`${store}/teams/makers/authorities`)).authorities, ['editor']);
  await it.post(`${store}/teams/makers/authorities/editor/revoke`);
  assert.deepEqual((await it.get(`${store}/teams/makers/authorities`)).authorities, []);
  await it.refused(404, 'GET', `${store}/teams/none`);
});
statement('platform 6.1.2, platform 6.1.3, platform 6.1.4, interface 5.4.3, interface 3.9.4, interface 3.9.10, semantics 5.6.3', async () => {
  const [one, two] = [await somebody(), await somebody()];
  const inner = await group('in-a-team');
  await join(inner, two);
  const store = await host();
  await it.post(`${store}/teams?key=t`);
  const team = `${store}/teams/t`;
  assert.deepEqual(ids(await it.post(`${team}/members/add?id=${one.name}`)), [one.id]);
  assert.deepEqual(ids(await it.post(`${team}/members/add?id=default/${inner}`)).sort(), [one.id, inner].sort());
  assert.deepEqual(ids(await it.get(`${team}/members?filter=user`)), [one.id]);
  assert.ok(ids(await it.get(`${team}/members?indirect=true`)).includes(two.id));
  const [row] = (await it.get(`${team}/members`)).rows;
  assert.deepEqual([row.domainId, row.type, row.name], ['default', 'USER', one.name]);
  for (const [who, belongs] of [[one, true], [two, true], [await somebody(), false]]) {
    assert.deepEqual(await it.post(`${team}/members/check?id=default/${who.id}`), { belongs, ok: true });
  }
  await it.post(`${team}/members/remove?id=default/${one.id}`);
  assert.deepEqual(ids(await it.get(`${team}/members`)), [inner]);
  for (const verb of ['add', 'remove', 'check']) await it.refused(400, 'POST', `${team}/members/${verb}`);
});
statement('platform 6.1.5, platform 18.7', async () => {
  const one = await somebody();
  const store = await host();
  const path = `${one.path}/teams?teamableType=webhost&teamableId=${store.split('/')[2]}`;
  const count = async () => (await it.get(path)).total_rows;
  assert.equal(await count(), 0);
  for (let i = 0; i < 6; ++i) {
    await it.post(`${store}/teams?key=t${i}`);
    await it.post(`${store}/teams/t${i}/members/add?id=default/${one.id}`);
  }
  assert.equal(await count(), 6);
  await it.post(`${store}/teams/t3/members/remove?id=default/${one.id}`);
  assert.equal(await count(), 5);
});
statement('platform 6.1.7, platform 3.2.10, nodes 3.7, platform 18.6', async () => {
  const people = [await somebody(), await somebody()];
  for (const path of [(await it.repository()).path, await host(), `/stacks/${await it.make('/stacks')}`]) {
    const { rows } = await it.get(`${path}/teams`);
    assert.deepEqual(rows.map((row) => [row.key, row.roleKeys]), [['owners', ['owner']]]);
    const members = async () => (await it.get(`${path}/teams/owners/members`)).rows.map((row) => row.name);
    assert.deepEqual(await members(), ['admin']);
    for (const who of people) await it.post(`${path}/teams/owners/members/add?id=default/${who.id}`);
    assert.equal((await members()).length, 3);
    await it.post(`${path}/teams/owners/members/remove?id=default/${people[0].id}`);
    assert.equal((await members()).length, 2);
    await it.post(`${path}/teams?key=second`);
    assert.equal((await it.get(`${path}/teams`)).total_rows, 2);
    await it.ok('DELETE', `${path}/teams/second`);
    assert.equal((await it.get(`${path}/teams`)).total_rows, 1);
  }
});
statement('platform 6.1.8', async () => {
  const one = await somebody();
  const store = await host();
  await it.post(`${store}/teams?key=t`);
  await it.post(`${store}/teams/t/members/add?id=default/${one.id}`);
  for (const query of ['', '?indirect=true']) assert.equal((await it.get(`${one.path}/memberships${query}`)).total_rows, 0);
  assert.ok((await it.get(`${store}/teams/t`)).groupId);
});
statement('semantics 5.6.2', async () => {
  const store = await host();
  const reply = await it.reply('DELETE', `${store}/teams/owners`);
  assert.ok(reply.status >= 400 && reply.status < 500, reply.text);
});
statement('platform 6.2.1, platform 6.2.2, platform 6.2.3, platform 6.2.4, platform 6.2.5, interface 3.4.1, interface 5.4.5, platform 18.5', async () => {
  const store = `/registrars/${await it.make('/registrars')}`;
  const count = async (query = '') => (await it.get(`${store}/roles${query}`)).total_rows;
  assert.equal(await count(), 0);
  const inherited = await count('?inherited=true');
  assert.ok(inherited >= 7);
  const made = await it.post(`${store}/roles`, { roleKey: 'tester', permissions: ['CONNECT', 'READ'], title: 'Tester', description: 'tests' });
  assert.equal(made.ok, true);
  assert.deepEqual([await count(), await count('?inherited=true')], [1, inherited + 1]);
  for (const name of ['tester', made._doc]) {
    const role = await it.get(`${store}/roles/${name}`);
    assert.deepEqual([role._doc, role.roleKey, role.permissions, role.title, role.description, typeof role._system],
                     [made._doc, 'tester', ['CONNECT', 'READ'], 'Tester', 'tests', 'object']);
  }
  assert.equal((await it.get(`${store}/roles/consumer?inherited=true`)).roleKey, 'consumer');
  assert.equal((await it.get(`${store}/roles/consumer`)).roleKey, 'consumer');
  await it.put(`${store}/roles/tester`, { roleKey: 'tester', permissions: ['CONNECT'] });
  assert.deepEqual((await it.get(`${store}/roles/tester`)).permissions, ['CONNECT']);
  await it.post(`${store}/roles/${made._doc}/update`, { roleKey: 'tester', permissions: ['CONNECT', 'READ', 'UPDATE'] });
  assert.equal((await it.get(`${store}/roles/tester`)).permissions.length, 3);
  await it.post(`${store}/roles/tester/delete`);
  assert.deepEqual([await count(), await count('?inherited=true')], [0, inherited]);
});
statement('platform 6.2.6, nodes 26.3, platform 18.4', async () => {
  const one = await somebody();
  const { path, branch, node } = await it.repository();
  await it.post(`${path}/roles`, { roleKey: 'aha', permissions: [] });
  const nodes = [];
  for (let i = 0; i < 5; ++i) nodes.push(await node());
  for (const i of [0, 2, 4]) await it.grant(`${branch}/nodes/${nodes[i]}`, 'aha', one);
  const checks = nodes.map((permissionedId) => ({ permissionedId, principalId: `default/${one.id}`, authorityId: 'AHA' }));
  assert.deepEqual((await it.post(`${branch}/nodes/authorities/check`, { checks })).checks.map((check) => check.result), [true, false, true, false, true]);
  await it.grant(branch, 'aha', one);
  assert.equal(await holds(branch, 'aha', one), true);
});
statement('semantics 5.3.1', async () => {
  const store = await host();
  await it.post(`${store}/roles`, { roleKey: 'once', permissions: ['READ'] });
  await it.refused(409, 'POST', `${store}/roles`, { roleKey: 'once', permissions: ['READ'] });
  for (const roleKey of ['consumer', 'Owner', 'all']) {
    const reply = await it.reply('POST', `${store}/roles`, { roleKey, permissions: ['READ'] });
    assert.ok([400, 409].includes(reply.status), reply.text);
  }
});
statement('semantics 5.3.2', async () => {
  const one = await somebody();
  const store = await host();
  await it.post(`${store}/roles`, { roleKey: 'sleeper', permissions: ['CONNECT', 'READ'] });
  await it.grant(store, 'sleeper', one);
  assert.equal(await may(store, 'READ', one), true);
  await it.ok('DELETE', `${store}/roles/sleeper`);
  assert.equal(await may(store, 'READ', one), false);
  await it.post(`${store}/roles`, { roleKey: 'sleeper', permissions: ['CONNECT', 'READ'] });
  assert.equal(await may(store, 'READ', one), true);
});
statement('semantics 5.4.3, architecture 5.2', async () => {
  const one = await somebody();
  const path = await config();
  for (let i = 0; i < 20; ++i) {
    await it.grant(path, 'consumer', one);
    await it.allowed('GET', path, undefined, one);
    await it.revoke(path, 'consumer', one);
    await it.refused(404, 'GET', path, undefined, one);
  }
});
statement('semantics 5.1.1, platform 7.2.3', async () => {
  const domain = await it.make('/domains');
  await it.make(`/domains/${domain}/principals`, { type: 'USER', name: 'unique' });
  for (const type of ['USER', 'GROUP']) await it.refused(409, 'POST', `/domains/${domain}/principals`, { type, name: 'unique' });
  await it.make('/domains/default/principals', { type: 'GROUP', name: 'unique' });
});
statement('semantics 5.1.3', async () => {
  const one = await somebody();
  const id = await it.make('/domains/default/principals', { type: 'GROUP', name: 'pretender', authorities: ['owner'] });
  await join(id, one);
  await it.refused(403, 'PUT', '/', { title: 'taken' }, one);
});
statement('nodes 26.5', async () => {
  const { path, branch, node } = await it.repository();
  const nodeId = await node();
  for (const [role, expected] of [['manager', [true, true, true]], ['editor', [true, true, true]], ['consumer', [true, false, false]], [null, [false, false, false]]]) {
    const one = await somebody();
    if (role) await it.grant(path, role, one);
    for (const record of [path]) assert.deepEqual(await Promise.all(['READ', 'UPDATE', 'DELETE'].map((permission) => may(record, permission, one))), expected, role);
    assert.equal(await may(`${branch}/nodes/${nodeId}`, 'READ', one), expected[0]);
  }
});
