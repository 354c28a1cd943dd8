// What the conditions of policies look at, and that templates and system policies do what they describe
// (docs/reference/policies.md).
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { SteleServer } from '../../../tests/support/stele_server.mjs';

let server;
let platform;
let people = 0;
const admin = (...request) => server.admin(...request);
before(async () => {
  server = await SteleServer.start();
  platform = (await admin('GET', '/'))._doc;
});
after(() => server.end());

/// A user whom nothing but these policies gives anything.
async function person(...policies) {
  const name = `person-${++people}`;
  await server.makeUser(name);
  const ref = `user://${platform}/default/${name}`;
  for (const policy of policies) {
    const { _doc } = await admin('POST', '/access/policies', policy);
    await admin('POST', `/access/policies/${_doc}/assign?ref=${ref}`);
  }
  const token = await server.login(name, `secret-of-${name}`);
  const status = async (path, method = 'GET', body = undefined) => (await server.request(method, path, { token, body })).status;
  return { name, ref, token, status, reads: async (path) => (await status(path)) === 200 };
}
const grant = (roles, ...conditions) => ({ action: 'grant', roles: [roles].flat(), conditions });
const revoke = (roles, ...conditions) => ({ action: 'revoke', roles: [roles].flat(), conditions });
const policy = (...statements) => ({ statements });
const when = (type, config) => ({ type, config });

/// A repository with a few nodes in folders.
async function content() {
  const repositoryId = (await admin('POST', '/repositories', { title: 'Content' }))._doc;
  const repository = `/repositories/${repositoryId}`;
  const master = `${repository}/branches/master`;
  const make = async (fields) => `${master}/nodes/${(await admin('POST', `${master}/nodes`, fields))._doc}`;
  return { repositoryId, repository, master, make,
           branchId: (await admin('GET', master))._doc,
           inside: await make({ title: 'inside', _parentFolderPath: '/folder/deep' }),
           beside: await make({ title: 'beside', _parentFolderPath: '/folder-two' }),
           outside: await make({ title: 'outside' }) };
}

test('a path grants what lies below it, by each of the paths that a node has', async () => {
  const { master, inside, beside, outside } = await content();
  const user = await person(policy(grant('consumer', when('path', { path: '^/folder/deep(/.*)?$' }))));
  assert.deepEqual(await Promise.all([inside, beside, outside].map(user.reads)), [true, false, false]);
  // A second folder gives a second path.
  const deep = (await admin('GET', `${master}/nodes/root?path=/folder/deep`))._doc;
  await admin('POST', `${master}/nodes/${deep}/associate?node=${beside.split('/').pop()}&type=a:child`);
  assert.equal(await user.reads(beside), true);
  const query = await server.request('POST', `${master}/nodes/query?limit=-1`, { token: server.adminToken, body: { title: { $in: ['inside', 'beside', 'outside'] } } });
  assert.equal(query.json.total_rows, 3);
});

test('a path revokes what lies below it, in reads and in queries', async () => {
  const { master, inside, beside, outside } = await content();
  const user = await person(policy(grant('consumer'), revoke('consumer', when('path', { path: '^/folder(/.*)?$' }))));
  assert.deepEqual(await Promise.all([inside, beside, outside].map(user.reads)), [false, true, true]);
  const found = await server.request('POST', `${master}/nodes/query`, { token: user.token, body: { title: { $in: ['inside', 'beside', 'outside'] } } });
  assert.deepEqual(found.json.rows.map(({ title }) => title).sort(), ['beside', 'outside']);
  await admin('POST', `${outside}/move?targetPath=/folder`).catch(() => {});
});

test('a path holds for the deletion of what lay there when it went', async () => {
  const { master, inside, beside } = await content();
  const deletionOf = (node) => `${master}/deletions/${node.split('/').pop()}`;
  const user = await person(policy(grant('consumer'), revoke('consumer', when('path', { path: '^/folder(/.*)?$' }))));
  const other = await person(policy(grant('consumer', when('path', { path: '^/folder(/.*)?$' }))));
  // With its folder, which is renamed before it goes, and by itself.
  const folder = `${master}/nodes/${(await admin('GET', `${master}/nodes/root?path=/folder-two`))._doc}`;
  await admin('PUT', folder, { ...(await admin('GET', folder)), title: 'folder', _features: { 'f:container': {}, 'f:filename': { filename: 'secret' } } });
  const closed = await person(policy(grant('consumer'), revoke('consumer', when('path', { path: '^/secret(/.*)?$' }))));
  await admin('DELETE', inside);
  await admin('DELETE', folder);
  assert.deepEqual(await Promise.all([inside, beside].map(deletionOf).map(user.reads)), [false, true]);
  assert.deepEqual(await Promise.all([inside, beside].map(deletionOf).map(other.reads)), [true, false]);
  assert.deepEqual(await Promise.all([inside, beside].map(deletionOf).map(closed.reads)), [true, false]);
  const listed = await server.request('POST', `${master}/deletions/query`, { token: user.token, body: {} });
  assert.deepEqual([listed.json.total_rows, listed.json.rows.some(({ title }) => title === 'inside')], [2, false], listed.text);
  // It is no secret that it lay elsewhere by now, nor what comes back as it was.
  await admin('POST', `${deletionOf(inside)}/restore`, {});
  await admin('DELETE', inside);
  assert.equal(await user.reads(deletionOf(inside)), false);
});

test('a node with more paths than can be looked at is one that policies give nothing on', async () => {
  const { master, make } = await content();
  // Ten floors of two folders each, every one in both of the floor below: 1,024 paths and more.
  let floor = [await make({ title: 'a', _parentFolderPath: '/maze' }), await make({ title: 'b', _parentFolderPath: '/maze' })];
  const id = (path) => path.split('/').pop();
  for (let height = 0; height < 10; ++height) {
    const next = [await make({ title: 'l' }), await make({ title: 'r' })];
    for (const from of floor) {
      for (const to of next) await admin('POST', `${from}/associate?node=${id(to)}&type=a:child`);
    }
    floor = next;
  }
  const user = await person(policy(grant('consumer'), revoke('consumer', when('path', { path: '^/hidden.*' }))));
  assert.equal(await user.reads(`${master}/nodes/root`), true);
  assert.equal(await user.reads(floor[0]), false);
});

test('a changeset grants and revokes what it wrote', async () => {
  const { inside, outside } = await content();
  const changeset = (await admin('GET', inside))._system.changeset;
  const exactly = { id: `\\Q${changeset}\\E` };
  const granted = await person(policy(grant('consumer', when('changeset', exactly))));
  assert.deepEqual(await Promise.all([inside, outside].map(granted.reads)), [true, false]);
  const revoked = await person(policy(grant('consumer'), revoke('consumer', when('changeset', exactly))));
  assert.deepEqual(await Promise.all([inside, outside].map(revoked.reads)), [false, true]);
});

test('a branch is found by its id, title and alias', async () => {
  const { repository, master, branchId, outside } = await content();
  const fork = `${repository}/branches/${(await admin('POST', `${repository}/branches?branch=master`, { title: 'Workspace', alias: 'work' }))._doc}`;
  const forked = `${fork}/nodes/${(await admin('POST', `${fork}/nodes`, { title: 'forked' }))._doc}`;
  for (const [config, expected] of [[{ alias: 'master' }, [true, true, false, false]], [{ id: branchId }, [true, true, false, false]],
    [{ alias: 'work' }, [false, false, true, true]], [{ title: 'Workspace' }, [false, false, true, true]], [{ alias: 'mast' }, [false, false, false, false]]]) {
    const user = await person(policy(grant('consumer', when('branch', config))));
    assert.deepEqual(await Promise.all([master, outside, fork, forked].map(user.reads)), expected, JSON.stringify(config));
  }
});

test('definitions are meant as such, or one by one', async () => {
  const { make, outside } = await content();
  const book = await make({ _qname: 'custom:book', _type: 'd:type', type: 'object' });
  const shelf = await make({ _qname: 'custom:shelf', _type: 'd:type', type: 'object' });
  const all = await person(policy(grant('consumer', when('definition'))));
  assert.deepEqual(await Promise.all([book, shelf, outside].map(all.reads)), [true, true, false]);
  const one = await person(policy(grant('consumer', when('definition', { qname: 'custom:book' }))));
  assert.deepEqual(await Promise.all([book, shelf, outside].map(one.reads)), [true, false, false]);
});

/// A project, the repository in its stack and a node there; `teamRef` is the team of its users.
async function project(title) {
  const _doc = (await admin('POST', '/projects', { title }))._doc;
  const { stackId } = await admin('GET', `/projects/${_doc}`);
  const store = (await admin('GET', `/stacks/${stackId}/datastores`)).rows.find(({ datastoreTypeId }) => datastoreTypeId === 'repository');
  const repository = `/repositories/${store.datastoreId}`;
  const node = `${repository}/branches/master/nodes/${(await admin('POST', `${repository}/branches/master/nodes`, { title }))._doc}`;
  return { _doc, stackId, stack: `/stacks/${stackId}`, repository, master: `${repository}/branches/master`, node,
           teamRef: `team://stack/${platform}/${stackId}/project-users-team` };
}
const join = (one, user) => admin('POST', `${one.stack}/teams/project-users-team/members/add?id=default/${user.name}`);

test('a project is meant by its title or id, wherever a store of its stack is asked for', async () => {
  const [one, two] = [await project('Alpha'), await project('Beta')];
  const byTitle = await person(policy(grant('consumer', when('project', { title: 'Alpha' }))));
  assert.deepEqual(await Promise.all([one.repository, one.node, one.stack, two.repository, two.node].map(byTitle.reads)), [true, true, true, false, false]);
  const byId = await person(policy(grant('consumer', when('project', { id: two._doc }))));
  assert.deepEqual(await Promise.all([one.node, two.node].map(byId.reads)), [false, true]);
  await admin('PUT', `/projects/${one._doc}`, { title: 'Gamma' });
  assert.equal(await byTitle.reads(one.repository), false);
  await admin('PUT', `/projects/${one._doc}`, { title: 'Alpha' });
  await admin('POST', `${one.stack}/datastores/unassign?key=content`);
  assert.deepEqual(await Promise.all([one.stack, one.repository, one.node].map(byTitle.reads)), [true, false, false]);
});

test('a policy of scope project counts inside projects only, one of a team inside its own', async () => {
  const [one, two] = [await project('One'), await project('Two')];
  const { repository } = await content();
  const scoped = { scope: 'project', ...policy(grant('consumer')) };
  const direct = await person(scoped);
  assert.deepEqual(await Promise.all([one.node, two.node, repository].map(direct.reads)), [true, true, false]);
  const member = await person();
  const { _doc } = await admin('POST', '/access/policies', scoped);
  await admin('POST', `/access/policies/${_doc}/assign?ref=${one.teamRef}`);
  await join(one, member);
  assert.deepEqual(await Promise.all([one.node, two.node, repository].map(member.reads)), [true, false, false]);
});

const kTemplates = {
  'folder-consumer': async (template) => {
    const { inside, beside, outside } = await content();
    const user = await person(template);
    assert.deepEqual(await Promise.all([inside, beside, outside].map(user.reads)), [true, false, false]);
    assert.equal(await user.status(inside, 'PUT', { title: 'x' }), 403);
  },
  'folder-contributor': async (template) => {
    const { master, inside, beside } = await content();
    const user = await person(template);
    const add = async (path) => {
      const folder = (await admin('GET', `${master}/nodes/root?path=${path}`))._doc;
      return user.status(`${master}/nodes?rootNodeId=${folder}&parentFolderPath=/`, 'POST', { title: 'added' });
    };
    assert.deepEqual(await Promise.all([inside, beside].map(user.reads)), [true, false]);
    assert.equal(await user.status(inside, 'PUT', { title: 'x' }), 403);
    assert.equal(await add('/folder/deep'), 200);
    assert.equal(await add('/folder-two'), 400);
  },
  'branch-readonly': async (template) => {
    const { repository, master, outside } = await content();
    const fork = `${repository}/branches/${(await admin('POST', `${repository}/branches?branch=master`, {}))._doc}`;
    const user = await person(template);
    assert.deepEqual(await Promise.all([master, outside, fork].map(user.reads)), [true, true, false]);
    assert.equal(await user.status(outside, 'PUT', { title: 'x' }), 403);
  },
  'type-editor': async (template) => {
    const { make, outside } = await content();
    await make({ _qname: 'custom:article', _type: 'd:type', type: 'object' });
    const article = await make({ _type: 'custom:article', title: 'one' });
    const user = await person(template);
    assert.equal(await user.status(article, 'PUT', { title: 'two' }), 200);
    assert.equal(await user.status(outside, 'PUT', { title: 'two' }), 404);
    assert.equal(await user.status(article, 'DELETE'), 200);
  },
  'project-reader': async (template) => {
    const one = await project('Read');
    const { repository } = await content();
    const user = await person(template);
    assert.deepEqual(await Promise.all([one.repository, one.master, one.node, repository].map(user.reads)), [true, true, true, false]);
    assert.equal(await user.status(one.node, 'PUT', { title: 'x' }), 403);
  },
};

test('each template does what it describes', async (t) => {
  const { rows } = await admin('GET', '/access/policies/templates');
  assert.deepEqual(rows.map(({ key }) => key).sort(), Object.keys(kTemplates).sort());
  for (const template of rows) await t.test(`${template.key}: ${template.description}`, () => kTemplates[template.key](template));
});

const kSystem = {
  'project-user': async ({ node, master, repository }, user) => {
    const type = `${master}/nodes/${(await admin('POST', `${master}/nodes`, { _qname: 'custom:thing', _type: 'd:type', type: 'object' }))._doc}`;
    assert.deepEqual(await Promise.all([repository, master, type, `${master}/nodes/root`, node].map(user.reads)), [true, true, true, true, false]);
    assert.equal(await user.status(`${master}/nodes`, 'POST', {}), 403);
  },
  'project-collaborator': async ({ node, master, repository }, user) => {
    assert.deepEqual(await Promise.all([repository, master, node].map(user.reads)), [true, true, true]);
    assert.equal(await user.status(node, 'PUT', { title: 'changed' }), 200);
    assert.equal(await user.status(`${master}/nodes`, 'POST', { title: 'new' }), 200);
    assert.equal(await user.status(repository, 'PUT', { title: 'changed' }), 403);
  },
};

test('each system policy does what it describes for the team of a project, and nothing outside', async (t) => {
  const { rows } = await admin('GET', '/access/policies/system');
  assert.deepEqual(rows.map(({ key }) => key).sort(), Object.keys(kSystem).sort());
  for (const { key, title } of rows) {
    await t.test(`${key}: ${title}`, async () => {
      const [one, other] = [await project(`of ${key}`), await project('other')];
      // Projects begin with both of them.
      for (const project of [one, other]) {
        for (const row of rows) await admin('POST', `/access/policies/system/${row.key}/unassign?ref=${project.teamRef}`);
      }
      const user = await person();
      await join(one, user);
      assert.equal(await user.reads(one.master), false);
      await admin('POST', `/access/policies/system/${key}/assign?ref=${one.teamRef}`);
      await kSystem[key](one, user);
      assert.deepEqual(await Promise.all([other.repository, other.master, other.node].map(user.reads)), [false, false, false]);
      await admin('POST', `/access/policies/system/${key}/unassign?ref=${one.teamRef}`);
      assert.equal(await user.reads(one.master), false);
    });
  }
  assert.equal((await admin('GET', '/access/policies')).rows.some(({ system }) => system), false);
  for (const _doc of ['project-user', 'root-node']) {
    const taken = await server.request('POST', '/access/policies', { token: server.adminToken, body: { _doc, statements: [] } });
    assert.equal(taken.status, 400);
    assert.equal(taken.json.violations[0].code, 'access_policies.key_reserved');
  }
});

test('whoever may not give what a system policy gives does not assign it', async () => {
  const user = await person();
  for (const verb of ['assign', 'unassign']) {
    assert.equal(await user.status(`/access/policies/system/project-user/${verb}?ref=${user.ref}`, 'POST', {}), 403);
  }
  assert.equal(await user.status(`/access/policies/system/none/assign?ref=${user.ref}`, 'POST', {}), 404);
});

test('collect answers for the user that is named, or the caller, on records that the caller may read', async () => {
  const { outside, repositoryId, branchId } = await content();
  const nodeRef = `node://${platform}/${repositoryId}/${branchId}/${outside.split('/').pop()}`;
  const one = await person(policy(grant('consumer')));
  const two = await person();
  const [mine] = (await admin('POST', `/access/policies/find?ref=${one.ref}`)).rows;
  const collect = async (token, references, userId) => {
    const reply = await server.request('POST', `/access/policies/collect${userId ? `?userId=${userId}` : ''}`, { token, body: { references } });
    assert.equal(reply.status, 200, reply.text);
    return Object.values(reply.json.references).map((rows) => rows.map(({ _doc }) => _doc));
  };
  assert.deepEqual(await collect(server.adminToken, [nodeRef, one.ref], one.name), [[mine._doc, 'root-node'], [mine._doc]]);
  assert.deepEqual(await collect(server.adminToken, [nodeRef], two.name), [['root-node']]);
  assert.deepEqual(await collect(server.adminToken, [nodeRef, one.ref, two.ref]), [['root-node'], [mine._doc], []]);
  assert.deepEqual(await collect(one.token, [nodeRef]), [[mine._doc, 'root-node']]);
  assert.deepEqual(await collect(two.token, [nodeRef], one.name), [[]]);
  const unknown = await server.request('POST', '/access/policies/collect?userId=nobody-there', { token: server.adminToken, body: { references: [nodeRef] } });
  assert.equal(unknown.status, 400);
});

test('a condition that no record of its statement can be asked for is refused when it is saved', async () => {
  const about = (type) => when('type', { type });
  const cases = [
    [[about('^repository.*'), when('path', { path: '^/a' })], 1], [[when('qname', { qname: 'r:root' }), about('user')], 0],
    [[about('^client://.*'), when('feature', { qname: 'f:x' })], 1], [[about('^repository.*'), when('branch', { alias: 'master' })], 1],
    [[about('^branch.*'), when('changeset', { id: '1:a' })], 1], [[about('^changeset.*'), when('path', { path: '/x' })], 1],
    [[about('^uiconfig$'), { type: 'not', config: { conditions: [when('definition')] } }], 1],
  ];
  for (const [conditions, at] of cases) {
    const reply = await server.request('POST', '/access/policies', { token: server.adminToken, body: policy(grant('consumer', ...conditions)) });
    assert.equal(reply.status, 400, JSON.stringify(conditions));
    assert.equal(reply.json.violations[0].code, 'access_policies.condition_unfit');
    assert.ok(reply.json.violations[0].path.startsWith(`statements.0.conditions.${at}`), reply.text);
  }
  for (const conditions of [[about('^node.*'), when('path', { path: '^/a' })], [about('^(node|user).*'), when('path', { path: '^/a' })],
    [when('reference', { reference: '^client://.*' }), when('property', { property: 'x', value: 'y' })],
    [{ type: 'or', conditions: [about('^repository.*'), about('^node.*')] }, when('qname', { qname: 'r:root' })]]) {
    await admin('POST', '/access/policies', policy(grant('consumer', ...conditions)));
  }
});

const kFamilies = ['/uiconfigs', '/applications', '/directories', '/webhosts', '/registrars', '/repositories', '/domains',
  '/stacks', '/projects', '/clients', '/access/policies'];

test('a condition that nothing can be asked for any more is refused when its policy is assigned', async (t) => {
  const own = await SteleServer.start();
  t.after(() => own.end());
  const about = (type) => when('type', { type });
  const { _doc: gone } = await own.admin('POST', '/access/policies', policy(grant('consumer', about('^node.*'), when('path', { path: '^/a' }))));
  const { _doc: still } = await own.admin('POST', '/access/policies', policy(grant('consumer', about('^user.*'))));
  const user = `user://${(await own.admin('GET', '/'))._doc}/default/${(await own.makeUser('assigned-late'))._doc}`;
  await own.stop();
  own.options.enable = 'identity,access_policies';
  await own.launch();
  const assign = (id) => own.request('POST', `/access/policies/${id}/assign?ref=${encodeURIComponent(user)}`, { token: own.adminToken });
  const refused = await assign(gone);
  assert.deepEqual([refused.status, refused.json.violations?.[0].code], [400, 'access_policies.condition_unfit'], refused.text);
  assert.equal((await assign(still)).status, 200);
});

test('no family believes a client what the server computes', async () => {
  const forged = { _paths: { root: '/open/x' }, _statistics: { 'f:forged': 1 }, _features: { 'f:open': {} },
                   _is_association: true, _system: { changeset: '1:forged', created_by: 'forged' } };
  const conditions = [when('path', { path: '^/open.*' }), when('feature', { qname: 'f:open' }), when('qname', { qname: 'open:one' }),
    when('type-qname', { qname: 'open:type' }), when('changeset', { id: '1:forged' }), when('definition', { qname: 'open:one' })];
  const users = await Promise.all(conditions.map((condition) => person(policy(grant('consumer', condition)))));
  const nobody = await person();
  const body = { title: 'walked', ...forged, _qname: 'open:one', _type: 'open:type' };
  for (const collection of kFamilies) {
    const path = `${collection}/${(await admin('POST', collection, body))._doc}`;
    const usual = await nobody.status(path);
    for (const user of users) assert.equal(await user.status(path), usual, `${path} for ${user.name}`);
    for (const write of [() => {}, () => admin('PUT', path, body)]) {
      await write();
      const record = await admin('GET', path);
      for (const member of ['_paths', '_statistics', '_features', '_is_association'])
        assert.equal(record[member], undefined, `${path} ${member}`);
      assert.notEqual(record._system.created_by, 'forged');
    }
  }
});

test('a node believes no client either, however the client writes it', async () => {
  const { master, outside } = await content();
  const user = await person(policy(grant('consumer', when('path', { path: '^/open.*' })), grant('consumer', when('changeset', { id: '.*forged' }))));
  const forged = { _paths: { root: '/open/x' }, _statistics: { forged: 1 }, _system: { changeset: '1:forged' } };
  const made = `${master}/nodes/${(await admin('POST', `${master}/nodes`, { title: 'made', ...forged }))._doc}`;
  const ways = [['PUT', outside, { title: 'put', ...forged }], ['POST', `${outside}/patch`, Object.entries(forged).map(([name, value]) => ({ op: 'add', path: `/${name}`, value }))],
    ['PATCH', outside, Object.entries(forged).map(([name, value]) => ({ op: 'add', path: `/${name}`, value }))]];
  for (const [method, path, body] of ways) {
    await server.request(method, path, { token: server.adminToken, body });
    for (const node of [made, outside]) {
      assert.equal(await user.reads(node), false, `${method} ${node}`);
      const record = await admin('GET', node);
      assert.equal(record._paths, undefined, `${method} ${node}`);
      assert.equal(record._statistics.forged, undefined, `${method} ${node}`);
    }
  }
});

test('no name dodges a condition: not with line breaks, and not with slashes', async () => {
  const { master, make, inside } = await content();
  const breaks = ['\n', '\r', '\u2028', '\u0085'];
  const hidden = await Promise.all(breaks.map((character) => make({ title: `a${character}b`, _parentFolderPath: '/folder' })));
  const below = await make({ title: 'below', _parentFolderPath: '/folder/with\nline' });
  const titled = await make({ title: 'closed\nmore' });
  const user = await person(policy(grant('consumer'), revoke('consumer', when('path', { path: '^/folder.*' })), revoke('consumer', when('property', { property: 'title', value: '^closed.*' }))));
  for (const path of [inside, below, titled, ...hidden]) assert.equal(await user.reads(path), false, path);
  const drafts = await person(policy(grant('consumer'), grant('owner', when('path', { path: '^/drafts/.*' }))));
  const elsewhere = await make({ title: 'drafts/x' });
  await admin('POST', `${master}/nodes/root/associate?node=${elsewhere.split('/').pop()}&type=a:child`);
  assert.equal(await drafts.status(elsewhere, 'PUT', { title: 'drafts/x' }), 403);
  const there = await make({ title: 'y', _parentFolderPath: '/drafts' });
  assert.equal(await drafts.status(there, 'PUT', { title: 'y' }), 200);
});
