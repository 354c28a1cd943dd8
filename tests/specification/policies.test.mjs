// docs/specification/platform.md 5 and semantics.md 5.7: access policies.
import assert from 'node:assert/strict';
import { ids, statement, Subject, titles } from '../support/statements.mjs';

const it = Subject.serve();
let people = 0;
const somebody = () => it.person(`person-${++people}`);
const refOf = async (who) => `user://${await it.platformId()}/default/${who.id}`;
const assign = (policy, ref) => it.post(`/access/policies/${policy}/assign?ref=${encodeURIComponent(ref)}`);
const unassign = (policy, ref) => it.post(`/access/policies/${policy}/unassign?ref=${encodeURIComponent(ref)}`);
const find = async (ref, more = '') => ids(await it.post(`/access/policies/find?ref=${encodeURIComponent(ref)}${more}`));
const may = async (path, permission, who) => (await it.post(`${path}/permissions/${permission}/check?id=default/${who.id}`)).check;
const config = async (fields) => `/uiconfigs/${await it.make('/uiconfigs', fields)}`;
const grantWhen = (roles, ...conditions) => ({ action: 'grant', roles: [].concat(roles), conditions });
const revokeWhen = (roles, ...conditions) => ({ action: 'revoke', roles: [].concat(roles), conditions });
const when = (type, config) => ({ type, config });

/// Somebody to whom exactly these statements are assigned, in a policy for each list.
async function governed(...lists) {
  const who = await somebody();
  const ref = await refOf(who);
  for (const statements of lists) await assign(await it.make('/access/policies', { statements, order: 100000 }), ref);
  return who;
}

/// What one condition gives consumer on.
async function holdsOn(condition, paths) {
  const who = await governed([grantWhen('consumer', condition)]);
  return Promise.all(paths.map((path) => may(path, 'READ', who)));
}

statement('platform 5.1.1, platform 5.1.2, platform 5.1.4, interface 3.1.1, interface 3.1.2, semantics 16.1', async () => {
  const fields = { title: 't', description: 'd', key: 'k', order: 7, scope: 'platform',
                   statements: [{ action: 'grant', roles: ['all'], conditions: [when('type', { type: '^node.*' })], description: 'all nodes' }] };
  const id = await it.make('/access/policies', fields);
  const record = await it.get(`/access/policies/${id}`);
  for (const [name, value] of Object.entries(fields)) assert.deepEqual(record[name], value, name);
  const text = await it.make('/access/policies', { order: '1000' });
  assert.equal(String((await it.get(`/access/policies/${text}`)).order), '1000');
  await it.refused(400, 'POST', '/access/policies', { scope: 'galaxy' });
  await it.refused(400, 'POST', '/access/policies', { statements: [{ action: 'maybe', roles: ['consumer'] }] });
  const forged = await it.make('/access/policies', { system: true });
  assert.ok(!(await it.get(`/access/policies/${forged}`)).system);
});
statement('platform 5.1.3', async () => {
  const path = await config({ title: 'two' });
  const always = await governed([{ action: 'grant', roles: ['consumer'] }]);
  const both = await governed([grantWhen('consumer', when('type', { type: 'uiconfig' }), when('property', { property: 'title', value: 'two' }))]);
  const one = await governed([grantWhen('consumer', when('type', { type: 'uiconfig' }), when('property', { property: 'title', value: 'three' }))]);
  assert.deepEqual([await may(path, 'READ', always), await may(path, 'READ', both), await may(path, 'READ', one)], [true, true, false]);
});

statement('platform 5.2.1, platform 5.2.3, platform 5.2.4, platform 5.2.2, interface 1.6, interface 5.3.1, interface 5.3.2, interface 5.3.3, platform 18.14', async () => {
  const ref = await refOf(await somebody());
  const [one, two] = [await it.make('/access/policies', { title: 'one', scope: 'platform' }), await it.make('/access/policies', { title: 'two', scope: 'project' })];
  for (let i = 0; i < 2; ++i) assert.equal((await assign(one, ref)).ok, true);
  await assign(two, ref);
  assert.deepEqual((await find(ref)).sort(), [one, two].sort());
  assert.deepEqual(await find(ref, '&scope=project'), [two]);
  const targets = await it.get(`/access/policies/${one}/targets`);
  assert.deepEqual([targets.rows.length, targets.total_rows, typeof targets.rows[0]], [1, 1, 'string']);
  assert.equal(targets.rows[0].toLowerCase(), ref.toLowerCase());
  assert.equal((await unassign(two, ref)).ok, true);
  assert.deepEqual(await find(ref), [one]);
  assert.deepEqual(ids(await it.post(`/access/policies/unassignall?ref=${encodeURIComponent(ref)}`)), [one]);
  assert.deepEqual(await find(ref), []);
  for (const path of [`/access/policies/${one}/assign`, `/access/policies/${one}/unassign`, '/access/policies/unassignall', '/access/policies/find']) await it.refused(400, 'POST', path);
});
statement('platform 5.2.5, interface 5.3.4, semantics 5.7.4', async () => {
  const templates = await it.get('/access/policies/templates');
  for (const key of ['folder-consumer', 'folder-contributor', 'branch-readonly', 'type-editor', 'project-reader']) {
    assert.ok(templates.rows.some((row) => row.key === key), key);
    assert.equal((await it.get(`/access/policies/templates/${key}`)).key, key);
  }
  const system = await it.get('/access/policies/system');
  assert.ok(system.rows.some((row) => row.key === 'project-user'));
  assert.equal((await it.get('/access/policies/system/project-user')).key, 'project-user');
  for (const path of ['templates', 'system']) await it.refused(404, 'GET', `/access/policies/${path}/no-such`);
});
statement('platform 5.2.6', async () => {
  const { rows } = await it.get('/access/policies/conditions');
  const types = rows.map((row) => row.type ?? row._doc ?? row.key);
  for (const type of ['and', 'or', 'not', 'type', 'qname', 'path', 'property', 'feature', 'branch', 'datastore']) assert.ok(types.includes(type), type);
});
statement('platform 5.2.7', async () => {
  const who = await somebody();
  const policy = await it.make('/access/policies', { statements: [grantWhen('consumer')] });
  await assign(policy, await refOf(who));
  const ref = await refOf(who);
  const { references } = await it.post('/access/policies/collect', { references: [ref], userId: `default/${who.id}` });
  assert.ok(references[ref].some((one) => one._doc === policy));
});
statement('platform 5.2.8', async () => {
  assert.equal((await it.get('/access/policies')).rows.filter((row) => ['project-user', 'project-collaborator'].includes(row.key)).length, 0);
});
statement('platform 5.2.9, platform 17.1, semantics 5.8.1', async () => {
  const who = await somebody();
  const ref = await refOf(who);
  const policy = await it.make('/access/policies', {});
  await assign(policy, ref.toLowerCase());
  assert.deepEqual(await find(ref.toUpperCase().replace(/^USER/, 'User')), [policy]);
  const foreign = 'user://0123456789abcdef0123/nowhere/nobody';
  await assign(policy, foreign);
  assert.deepEqual(await find(foreign), [policy]);
});
statement('platform 5.2.10', async () => {
  const who = await governed();
  const policy = await it.make('/access/policies', { statements: [grantWhen('consumer')] });
  await assign(policy, await refOf(who));
  await it.ok('DELETE', `/access/policies/${policy}`);
  assert.deepEqual(await find(await refOf(who)), []);
});
statement('platform 5.2.11, platform 5.3.1, semantics 16.2', async () => {
  const who = await somebody();
  const platform = await it.platformId();
  const group = await it.make('/domains/default/principals', { type: 'GROUP', name: 'governed' });
  const outer = await it.make('/domains/default/principals', { type: 'GROUP', name: 'governed-outer' });
  await it.post(`/domains/default/principals/${outer}/members/add?id=default/${group}`);
  const stack = await it.make('/stacks');
  await it.post(`/stacks/${stack}/teams?key=team`);
  const joins = { [`group://${platform}/default/${outer}`]: `/domains/default/principals/${group}/members`, [`team://stack/${platform}/${stack}/team`]: `/stacks/${stack}/teams/team/members` };
  for (const [ref, members] of Object.entries(joins)) {
    const path = await config({ title: ref });
    await assign(await it.make('/access/policies', { statements: [grantWhen('consumer', when('property', { property: 'title', value: ref.replaceAll('.', '\\.') }))] }), ref);
    assert.equal(await may(path, 'READ', who), false, ref);
    await it.post(`${members}/add?id=default/${who.id}`);
    assert.equal(await may(path, 'READ', who), true, ref);
    await it.post(`${members}/remove?id=default/${who.id}`);
    assert.equal(await may(path, 'READ', who), false, ref);
  }
});

statement('platform 5.3.2, rulings 17', async () => {
  const path = await config({});
  const who = await somebody();
  const ref = await refOf(who);
  await assign(await it.make('/access/policies', { order: 3, statements: [grantWhen('consumer')] }), ref);
  await assign(await it.make('/access/policies', { order: 2, statements: [revokeWhen('consumer')] }), ref);
  assert.equal(await may(path, 'READ', who), true);
  await assign(await it.make('/access/policies', { order: 99999, statements: [revokeWhen('consumer')] }), ref);
  assert.equal(await may(path, 'READ', who), false);
  await assign(await it.make('/access/policies', { statements: [grantWhen('consumer')] }), ref);
  assert.equal(await may(path, 'READ', who), true);
  await assign(await it.make('/access/policies', { order: '100000', statements: [revokeWhen('consumer')] }), ref);
  assert.equal(await may(path, 'READ', who), false);
});
statement('platform 5.3.3, rulings 18', async () => {
  const path = await config({});
  const who = await governed([grantWhen('collaborator'), revokeWhen('consumer')]);
  for (const [permission, expected] of [['CONNECT', false], ['READ', false], ['UPDATE', true], ['DELETE', true]]) assert.equal(await may(path, permission, who), expected, permission);
  const again = await governed([grantWhen('collaborator'), revokeWhen('all'), grantWhen('consumer')]);
  for (const [permission, expected] of [['READ', true], ['UPDATE', false]]) assert.equal(await may(path, permission, again), expected, permission);
});
statement('platform 5.3.5', async () => {
  const path = await config({});
  const who = await governed([grantWhen('contributor'), revokeWhen('all')]);
  await it.grant(path, 'editor', who);
  for (const permission of ['READ', 'UPDATE', 'DELETE']) assert.equal(await may(path, permission, who), true, permission);
  assert.equal(await may(path, 'CREATE_SUBOBJECTS', who), false);
});
statement('platform 5.4.1, rulings 19, semantics 5.7.1', async () => {
  const [red, reddish, five, fifty] = [await config({ color: 'red' }), await config({ color: 'reddish' }), await config({ color: 5 }), await config({ color: '5' })];
  const color = (value) => when('property', { property: 'color', value });
  assert.deepEqual(await holdsOn(color('red'), [red, reddish]), [true, false]);
  assert.deepEqual(await holdsOn(color('^red.*'), [red, reddish]), [true, true]);
  assert.deepEqual(await holdsOn(color(5), [five, fifty]), [true, false]);
  await it.refused(400, 'POST', '/access/policies', { statements: [grantWhen('consumer', color('(unclosed'))] });
  await it.refused(400, 'POST', '/uiconfigs/query', { color: { $regex: '(unclosed' } });
});
statement('platform 5.4.2, semantics 17.1', async () => {
  const [a, b, c] = [await config({ k: 'a', l: 'x' }), await config({ k: 'b', l: 'x' }), await config({ k: 'c', l: 'y' })];
  const k = (value) => when('property', { property: 'k', value });
  const l = (value) => when('property', { property: 'l', value });
  for (const shape of [(type, conditions) => ({ type, conditions }), (type, conditions) => ({ type, config: { conditions } })]) {
    assert.deepEqual(await holdsOn(shape('and', [k('a'), l('x')]), [a, b, c]), [true, false, false]);
    assert.deepEqual(await holdsOn(shape('or', [k('a'), l('y')]), [a, b, c]), [true, false, true]);
    assert.deepEqual(await holdsOn(shape('not', [l('x')]), [a, b, c]), [false, false, true]);
  }
});
statement('platform 5.4.3', async () => {
  const { path: repository, branch, node } = await it.repository();
  const paths = [await config({}), repository, branch, `${branch}/nodes/${await node()}`];
  assert.deepEqual(await holdsOn(when('type', { type: 'uiconfig' }), paths), [true, false, false, false]);
  assert.deepEqual(await holdsOn(when('type', { type: '^branch.*' }), paths), [false, false, true, false]);
  assert.deepEqual(await holdsOn(when('type', { type: '^node.*' }), paths), [false, false, false, true]);
});
statement('platform 5.4.4, semantics 5.7.3', async () => {
  const [one, two] = [await config({}), `/clients/${await it.make('/clients')}`];
  for (const type of ['reference-matches', 'reference']) {
    for (const member of ['reference', ...(type === 'reference' ? ['id'] : [])]) assert.deepEqual(await holdsOn(when(type, { [member]: '^client://.*' }), [one, two]), [false, true], type + member);
  }
});
statement('platform 5.4.5', async () => {
  const { branch, node } = await it.repository();
  const [named, typed] = [`${branch}/nodes/${await node({ _qname: 'my:named' })}`, `${branch}/nodes/${await node({ _type: 'my:type' })}`];
  assert.deepEqual(await holdsOn(when('qname', { qname: 'my:named' }), [named, typed]), [true, false]);
  assert.deepEqual(await holdsOn(when('qname', { qname: 'r:root' }), [`${branch}/nodes/root`, named]), [true, false]);
  assert.deepEqual(await holdsOn(when('type-qname', { qname: 'my:type' }), [named, typed]), [false, true]);
});
statement('platform 5.4.6', async () => {
  const { branch, node } = await it.repository();
  const [has, lacks] = [`${branch}/nodes/${await node({ _features: { 'f:geolocation': {} } })}`, `${branch}/nodes/${await node()}`];
  for (const type of ['feature', 'feature-matches', 'node-has-feature']) {
    assert.deepEqual(await holdsOn(when(type, { qname: 'f:geolocation' }), [has, lacks]), [true, false], type);
  }
});
statement('platform 5.4.7', async () => {
  const [red, blue] = [await config({ color: 'red' }), await config({ color: 'blue' })];
  for (const type of ['property', 'property-matches']) assert.deepEqual(await holdsOn(when(type, { property: 'color', value: 'red' }), [red, blue]), [true, false]);
});
statement('platform 5.3.4, platform 5.4.8', async () => {
  const { branch, node } = await it.repository();
  const paths = [];
  for (const folder of ['/welcome/here', '/elsewhere']) paths.push(`${branch}/nodes/${await node({ title: folder, _parentFolderPath: folder })}`);
  for (const type of ['path', 'path-matches']) {
    const when = (path) => ({ type, config: { path } });
    assert.deepEqual(await holdsOn(when('^/welcome/.*'), paths), [true, false], type);
    const who = await governed([grantWhen('collaborator')], [revokeWhen('consumer', when('^/.*')), grantWhen('consumer', when('^/welcome.*'))]);
    assert.deepEqual(await Promise.all(paths.map((path) => may(path, 'READ', who))), [true, false], type);
    const { rows } = await it.allowed('POST', `${branch}/nodes/query`, { title: { $in: ['/welcome/here', '/elsewhere'] } }, who);
    assert.deepEqual(rows.map(({ title }) => title), ['/welcome/here'], type);
  }
});
statement('platform 5.3.6', async () => {
  const { stackId } = await it.get(`/projects/${await it.make('/projects', { title: 'scoped' })}`);
  const { datastoreId } = (await it.get(`/stacks/${stackId}/datastores`)).rows.find(({ datastoreTypeId }) => datastoreTypeId === 'repository');
  const other = await it.repository();
  const who = await somebody();
  await assign(await it.make('/access/policies', { scope: 'project', statements: [grantWhen('consumer')] }), await refOf(who));
  assert.deepEqual([await may(`/repositories/${datastoreId}`, 'READ', who), await may(other.path, 'READ', who)], [true, false]);
});
statement('platform 5.4.9', async () => {
  const { path, branch, node } = await it.repository();
  const onMaster = `${branch}/nodes/${await node()}`;
  const fork = await it.post(`${path}/branches?branch=master`, { title: 'the fork', alias: 'forked' });
  const onFork = `${path}/branches/${fork._doc}/nodes/${await it.make(`${path}/branches/${fork._doc}/nodes`)}`;
  for (const config of [{ id: fork._doc }, { title: 'the fork' }, { alias: 'forked' }]) assert.deepEqual(await holdsOn(when('branch', config), [onMaster, onFork]), [false, true], JSON.stringify(config));
  assert.deepEqual(await holdsOn(when('branch', { alias: 'master' }), [onMaster, onFork]), [true, false]);
});
statement('platform 5.4.10', async () => {
  const { branch, node } = await it.repository();
  const [one, two] = [`${branch}/nodes/${await node()}`, `${branch}/nodes/${await node()}`];
  assert.deepEqual(await holdsOn(when('changeset', { id: `\\Q${(await it.get(one))._system.changeset}\\E` }), [one, two]), [true, false]);
});
statement('platform 5.4.12', async () => {
  const { branch, node } = await it.repository();
  const type = async (name) => `${branch}/nodes/${await node({ _qname: name, _type: 'd:type', type: 'object' })}`;
  const paths = [await type('my:one'), await type('my:two'), `${branch}/nodes/${await node()}`];
  assert.deepEqual(await holdsOn({ type: 'definition' }, paths), [true, true, false]);
  assert.deepEqual(await holdsOn(when('definition', { qname: 'my:one' }), paths), [true, false, false]);
});
statement('platform 5.4.11', async () => {
  const [one, two] = [await it.repository({ title: 'first store' }), await it.repository({ title: 'second store' })];
  const paths = [`${one.branch}/nodes/${await one.node()}`, `${two.branch}/nodes/${await two.node()}`, await config({})];
  assert.deepEqual(await holdsOn(when('datastore', { id: one.id }), paths), [true, false, false]);
  assert.deepEqual(await holdsOn(when('datastore', { title: 'second store' }), paths), [false, true, false]);
  assert.deepEqual(await holdsOn(when('datastore', { typeId: 'repository' }), paths), [true, true, false]);
});
statement('platform 5.4.13', async () => {
  const path = await config({});
  const reply = await it.reply('POST', '/access/policies', { statements: [grantWhen('consumer', when('phase-of-the-moon', {}))] });
  if (reply.status === 400) return;
  const who = await somebody();
  await assign(reply.json._doc, await refOf(who));
  assert.equal(await may(path, 'READ', who), false);
});
statement('platform 5.5.1, platform 5.5.2', async () => {
  const roles = (policy) => policy.statements.map((one) => [one.action, one.roles.join(), ...(one.conditions ?? []).map(({ type, config: c }) => `${type} ${Object.values(c ?? {}).join()}`.trim())]);
  const user = await it.get('/access/policies/system/project-user');
  assert.deepEqual([user.scope, roles(user)], ['project', [['grant', 'consumer'], ['revoke', 'consumer', 'type ^node.*'], ['grant', 'consumer', 'definition'], ['grant', 'consumer', 'qname r:root']]]);
  const worker = await it.get('/access/policies/system/project-collaborator');
  assert.deepEqual([worker.scope, roles(worker)], ['project', [['grant', 'contributor', 'type ^repository.*'], ['grant', 'contributor', 'type ^branch.*'], ['grant', 'collaborator', 'type ^node.*']]]);
});
statement('semantics 5.7.5', async () => {
  const reply = await it.reply('PUT', '/access/policies/system/project-user', { title: 'mine' });
  assert.ok(reply.status >= 400);
  assert.notEqual((await it.get('/access/policies/system/project-user')).title, 'mine');
});
statement('platform 5.5.3', async () => {
  const [maker, user, stranger] = [await somebody(), await somebody(), await somebody()];
  await it.grant('', 'contributor', maker);
  for (const who of [user, stranger]) await it.grant(`/domains/default/principals/${who.id}`, 'consumer', maker);
  const project = (await it.allowed('POST', '/projects', { title: 'with policies' }, maker))._doc;
  const { stackId } = await it.get(`/projects/${project}`);
  const ref = `team://stack/${await it.platformId()}/${stackId}/project-users-team`;
  assert.deepEqual((await find(ref)).sort(), ['project-collaborator', 'project-user']);
  const branch = `/repositories/${(await it.get(`/stacks/${stackId}/datastores/content`))._doc}/branches/master`;
  const node = (await it.allowed('POST', `${branch}/nodes`, { title: 'shared' }, maker))._doc;
  await it.refused(404, 'GET', `${branch}/nodes/${node}`, undefined, user);
  await it.allowed('POST', `/projects/${project}/users/invite?id=default/${user.id}`, {}, maker);
  assert.ok(ids(await it.get(`/stacks/${stackId}/teams/project-users-team/members`)).includes(user.id));
  assert.equal((await it.allowed('GET', `${branch}/nodes/${node}`, undefined, user)).title, 'shared');
  const own = (await it.allowed('POST', `${branch}/nodes`, { title: 'own' }, user))._doc;
  await it.allowed('PUT', `${branch}/nodes/${node}`, { title: 'changed' }, user);
  assert.deepEqual(titles(await it.allowed('POST', `${branch}/nodes/query`, { title: { $in: ['changed', 'own'] } }, user)).sort(), ['changed', 'own']);
  // Only inside the project, and only for its users.
  const elsewhere = await it.repository();
  await it.refused(404, 'GET', `${elsewhere.branch}/nodes/${await elsewhere.node()}`, undefined, user);
  await it.refused(404, 'GET', `${branch}/nodes/${own}`, undefined, stranger);
});
statement('platform 5.5.4', async () => {
  const { id, branch, node } = await it.repository();
  const { _doc: branchId } = await it.get(branch);
  const inTree = await node({ title: 'in the tree' }, '?parentFolderPath=/a');
  const outside = await node({ title: 'outside' });
  const [one, other] = [await somebody(), await somebody()];
  const stack = await it.make('/stacks');
  await it.post(`/stacks/${stack}/teams?key=crew`);
  await it.post(`/stacks/${stack}/teams/crew/members/add?id=default/${one.id}`);
  const policy = await it.make('/access/policies', { statements: [grantWhen('connector')] });
  await assign(policy, `team://stack/${await it.platformId()}/${stack}/crew`);
  await it.grant(`${branch}/nodes/root`, 'consumer', one);
  const refTo = async (nodeId) => `node://${await it.platformId()}/${id}/${branchId}/${nodeId}`;
  const collect = async (nodeId, who, caller) => {
    const ref = await refTo(nodeId);
    return (await it.allowed('POST', '/access/policies/collect', { references: [ref], userId: `default/${who.id}` }, caller)).references[ref];
  };
  const [ofTeam, builtIn, ...none] = await collect(inTree, one);
  assert.deepEqual([ofTeam._doc, none], [policy, []]);
  assert.deepEqual([builtIn._doc, builtIn.key, builtIn.system, builtIn.scope], ['root-node', 'root-node', true, 'platform']);
  assert.deepEqual(builtIn.statements.map(({ action, roles }) => [action, roles]), [['grant', ['consumer']]]);
  // It says what holds.
  assert.equal(await may(`${branch}/nodes/${inTree}`, 'READ', one), true);
  const copied = await it.make('/access/policies', { statements: builtIn.statements });
  await assign(copied, await refOf(other));
  assert.deepEqual(await Promise.all([inTree, outside].map((nodeId) => may(`${branch}/nodes/${nodeId}`, 'READ', other))), [true, false]);
  const nothing = [['root-node', []]];
  const told = (rows) => rows.filter(({ key }) => key === 'root-node').map(({ key, statements }) => [key, statements]);
  assert.deepEqual(told(await collect(outside, one)), nothing);
  assert.deepEqual(told(await collect(inTree, other)), nothing);
  assert.deepEqual(told(await collect(inTree, one, other)), [['root-node', builtIn.statements]]);
  // Nothing about what the caller may not read, and nothing about others for the guest.
  assert.deepEqual(await collect(outside, one, other), []);
  const guest = { token: await it.server.login('guest', 'guest') };
  await it.post(`${branch}/nodes/${inTree}/authorities/consumer/grant?id=guest`);
  assert.deepEqual(told(await collect(inTree, one, guest)), nothing);
  for (const ref of [`branch://${await it.platformId()}/${id}/${branchId}`, 'node://x']) assert.deepEqual((await it.post('/access/policies/collect', { references: [ref] })).references[ref], []);
});
