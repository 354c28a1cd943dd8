// Paths, trees, moves, copies, mounts and locks of nodes (docs/specification/nodes.md 8, 14, 17, 18, 32).
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { endedJob } from '../../../tests/support/ended_job.mjs';
import { SteleServer } from '../../../tests/support/stele_server.mjs';

let server;
let repository;
let branch;
const tokens = {};
before(async () => {
  server = await SteleServer.start();
  for (const name of ['editor', 'stranger']) {
    await server.makeUser(name);
    tokens[name] = await server.login(name, `secret-of-${name}`);
  }
});
after(() => server.end());

const admin = (...args) => server.admin(...args);
const as = (name, method, path, body) =>
  server.request(method, path, { token: tokens[name] ?? server.adminToken, body: body ?? (method === 'GET' ? undefined : {}) });

beforeEach(async () => {
  repository = `/repositories/${(await admin('POST', '/repositories', {}))._doc}`;
  branch = `${repository}/branches/master`;
});

const N = (id) => `${branch}/nodes/${id}`;
const create = async (fields, query = '') => (await admin('POST', `${branch}/nodes${query}`, fields))._doc;
const file = (title, folder = '/', fields = {}) =>
  create({ title, ...fields }, `?parentFolderPath=${encodeURIComponent(folder)}`);
const join = (folder, node, type = 'a:child') => admin('POST', `${N(folder)}/associate?node=${node}&type=${type}`, {});
const path = async (id) => (await admin('GET', `${N(id)}/path`)).path;
const count = async (id, query) => (await admin('GET', `${N(id)}/associations?${query}`)).total_rows;
const refused = async (status, code, method, where, body) => {
  const reply = await as('admin', method, where, body);
  assert.equal(reply.status, status, reply.text);
  const codes = [reply.json.code, ...(reply.json.violations ?? []).map((one) => one.code)];
  assert.ok(codes.includes(code), reply.text);
};

/// Gives the user `editor` a role on everything in the repository.
async function letIn(role) {
  await admin('POST', `${repository}/teams?key=crew`);
  await admin('POST', `${repository}/teams/crew/members/add?id=default/editor`);
  await admin('POST', `${repository}/teams/crew/authorities/${role}/grant`);
}

const ended = (id) => endedJob(admin, id);

const flat = (element) => [element, ...(element.children ?? []).flatMap(flat)];

test('paths follow names and containment (8, 14)', async () => {
  const folder = await create({ title: 'a title', _features: { 'f:container': {}, 'f:filename': { filename: 'a' } } });
  const node = await create({ title: 'b' });
  assert.equal(await path(node), null);
  assert.deepEqual((await admin('GET', `${N(node)}/paths`)).paths, {});
  await join('root', folder);
  await join(folder, node);
  assert.equal(await path('root'), '/');
  assert.equal(await path(node), '/a/b');
  assert.equal((await admin('GET', `${N(node)}/path?rootNodeId=${folder}`)).path, '/b');
  assert.deepEqual((await admin('GET', `${N(node)}/paths`)).paths, { 'r:root': '/a/b' });
});

test('an empty f:filename leaves the title as name (8)', async () => {
  const node = await file('x');
  await admin('POST', `${N(node)}/features/f:filename`, {});
  assert.equal(await path(node), '/x');
});

test('the tree of the acceptance list: five keys, children, containers (17, 34.6)', async () => {
  await file('file1');
  await file('file3', '/folder1/folder2');
  await file('file5', '/folder1/folder2');
  const tree = await admin('POST', `${N('root')}/tree`);
  assert.equal(tree.children.length, 2);
  assert.equal(tree.truncated, undefined);
  for (const child of tree.children) {
    for (const key of ['filename', 'label', 'path', 'typeQName', 'qname']) assert.ok(child[key] !== null && child[key] !== undefined, key);
    assert.equal(child.children, undefined);
  }
  const folder = tree.children.find((child) => child.label === 'folder1');
  assert.deepEqual([folder.container, folder.childCount, folder.childContainerCount], [true, 1, 1]);
  const whole = await admin('GET', `${N('root')}/tree?depth=-1`);
  assert.deepEqual(flat(whole).map((one) => one.path).sort(),
    ['/', '/file1', '/folder1', '/folder1/folder2', '/folder1/folder2/file3', '/folder1/folder2/file5']);
});

test('a tree begins at its base, opens leaves, and shows what is asked for (17)', async () => {
  const deep = await file('deep', '/a/b/c', { color: 'red' });
  await file('beside', '/a');
  const based = await admin('POST', `${N('root')}/tree?base=/a/b&depth=0`);
  assert.deepEqual([based.path, based.children], ['/a/b', undefined]);
  const opened = await admin('POST', `${N('root')}/tree?leaf=/a/b/c,&properties=True&object=true`);
  const found = flat(opened).find((one) => one._doc === deep);
  assert.equal(found.properties.color, 'red');
  assert.equal(found._object._doc, deep);
  assert.equal(found._object._is_association, false);
  const containers = await admin('POST', `${N('root')}/tree?depth=-1&containers=true`);
  assert.deepEqual(flat(containers).map((one) => one.path), ['/', '/a', '/a/b', '/a/b/c']);
  await refused(404, 'nodes.path_unknown', 'POST', `${N('root')}/tree?base=/none`);
  await refused(400, 'request.parameter_invalid', 'POST', `${N('root')}/tree?depth=-2`);
});

test('a leaf opens the folders on its path, and none whose name only begins like one of them (17)', async () => {
  for (const folder of ['/a', '/ab', '/abc/d', '/abcd', '/abc/de']) await file('inside', folder);
  const opened = async (leaf) => {
    const tree = await admin('POST', `${N('root')}/tree?depth=1&leaf=${encodeURIComponent(leaf)}`);
    return flat(tree).filter((one) => one.children).map((one) => one.path).sort();
  };
  assert.deepEqual(await opened('/abc/d'), ['/', '/abc', '/abc/d']);
  assert.deepEqual(await opened('/abc'), ['/', '/abc']);
  assert.deepEqual(await opened('/ab'), ['/', '/ab']);
  assert.deepEqual(await opened('/abc/d,/a'), ['/', '/a', '/abc', '/abc/d']);
  assert.deepEqual(await opened('/abc/d/inside'), ['/', '/abc', '/abc/d', '/abc/d/inside']);
  assert.deepEqual(await opened('/abcde'), ['/']);
});

test('a query filters leaves; folders that lead to a match stay (17)', async () => {
  const top = await create({ title: 'top', _type: 'custom:box' });
  await join('root', top);
  for (const name of ['left', 'right', 'bare']) {
    const box = await create({ title: name, _type: 'custom:box' });
    await join(top, box);
    for (let i = 0; i < 3 && name !== 'bare'; i += 1) await join(box, await create({ title: `${name}${i}`, kind: 'leaf', number: i }));
  }
  const leaves = async (query) => {
    const tree = await admin('POST', `${N(top)}/tree?depth=-1`, { query });
    return flat(tree).filter((one) => one.typeQName === 'n:node').length;
  };
  assert.equal(await leaves({ kind: 'leaf' }), 6);
  assert.equal(await leaves({ kind: 'leaf', number: 1 }), 2);
  const shown = await admin('POST', `${N(top)}/tree`, { query: { title: 'left2' } });
  assert.deepEqual(flat(shown).map((one) => one.label), ['top', 'left', 'left2']);
});

test('no folder comes to lie in itself, so that trees end', async () => {
  const one = await create({ title: 'one' });
  const two = await create({ title: 'two' });
  await join('root', one);
  await join(one, two);
  await refused(409, 'nodes.association_circle', 'POST', `${N(two)}/associate?node=${one}&type=a:child`);
  const tree = await admin('POST', `${N('root')}/tree?depth=-1`);
  assert.deepEqual(flat(tree).map((each) => each.label), [tree.label, 'one', 'two']);
});

test('move and movenodes: paths follow, ids and subtrees stay, one changeset (18.1, 34.18)', async () => {
  const a = await file('a', '/from/deep');
  const b = await file('b', '/from');
  const c = await file('c', '/from');
  const to = await file('to');
  const before = (await admin('GET', `${repository}/changesets?limit=-1`)).total_rows;
  await admin('POST', `${branch}/movenodes`, { sourceNodeIds: [b, c], targetNodeId: to });
  assert.equal((await admin('GET', `${repository}/changesets?limit=-1`)).total_rows, before + 1);
  assert.equal((await admin('GET', `${N(b)}?paths=true`))._paths['r:root'], '/to/b');
  assert.equal(await path(c), '/to/c');
  assert.equal((await admin('GET', N(to)))._features['f:container'] !== undefined, true);
  const deep = (await admin('GET', `${N('root')}?path=/from/deep`))._doc;
  const moved = await admin('POST', `${N(deep)}/move?targetNodeId=root&targetPath=/to`);
  assert.deepEqual([moved.ok, moved._doc], [true, deep]);
  assert.equal(await path(a), '/to/deep/a');
  assert.equal(await count(deep, 'type=a:child&direction=INCOMING'), 1);
});

test('rows have the paths that were asked for, whatever else of them is left out (1.3)', async () => {
  const node = await file('node', '/folder');
  const row = async (parameters, more = {}) => (await admin('POST', `${branch}/nodes/query?${parameters}`, { _doc: node, ...more })).rows[0];
  assert.equal((await row('paths=true'))._paths['r:root'], '/folder/node');
  const bare = await row('paths=true&metadata=false');
  assert.deepEqual([bare._paths['r:root'], '_system' in bare], ['/folder/node', false]);
  assert.deepEqual(await row('paths=true&full=false'), { _doc: node });
  assert.deepEqual(await row('paths=true', { _fields: { title: 1 } }), { _doc: node, title: 'node' });
});

test('moves that cannot be', async () => {
  const node = await file('node', '/outer/inner');
  const outer = (await admin('GET', `${N('root')}?path=/outer`))._doc;
  await refused(409, 'nodes.association_circle', 'POST', `${N(outer)}/move?targetNodeId=root&targetPath=/outer/inner`);
  await refused(400, 'nodes.root_unfit', 'POST', `${N('root')}/move?targetNodeId=${outer}`);
  await refused(404, 'nodes.path_unknown', 'POST', `${N(node)}/move?targetNodeId=root&targetPath=/none`);
  await refused(400, 'request.parameter_invalid', 'POST', `${N(node)}/move?targetPath=/outer`);
  await refused(404, 'document.unknown', 'POST', `${branch}/movenodes`, { sourceNodeIds: [node, '00000000000000000000'] });
  await refused(400, 'request.parameter_invalid', 'POST', `${branch}/movenodes`, {});
  assert.equal(await path(node), '/outer/inner/node');
  await admin('POST', `${branch}/movenodes`, { sourceNodeIds: [node] });
  assert.equal(await path(node), '/node', 'of many the target is the root by default');
});

test('nodes are made in a folder, and folders in it, with CREATE_SUBOBJECTS on it', async () => {
  const folder = await create({ title: 'kept' });
  const deep = await create({ title: 'deep' }, `?rootNodeId=${folder}&parentFolderPath=${encodeURIComponent('/')}`);
  await admin('POST', `${branch}/authorities/contributor/grant?id=default/editor`);
  await admin('POST', `${N(folder)}/authorities/consumer/grant?id=default/editor`);
  const before = await admin('GET', N(folder));
  const make = (query, body = { title: 'new' }) => as('editor', 'POST', `${branch}/nodes?rootNodeId=${folder}&${query}`, body);
  const ways = [['parentFolderPath=/'], ['parentFolderPath=a/b'], ['parentFolderPath=deep'], ['parentFolderPath=deep/c'], ['filePath=f.txt'],
    ['filePath=d/f.txt'], ['', { title: 'newer', _parentFolderPath: '/' }], ['parentFolderPath=/&associationType=a:linked']];
  for (const [query, body] of ways) {
    const reply = await make(query, body);
    assert.equal(reply.status, 403, `${query}: ${reply.text}`);
  }
  assert.equal((await admin('GET', `${N(folder)}/children`)).total_rows, 1);
  assert.deepEqual(await admin('GET', N(folder)), before);
  assert.equal((await make('')).status, 200);
  await admin('POST', `${N(folder)}/authorities/contributor/grant?id=default/editor`);
  for (const [query, body] of ways.slice(0, -1)) assert.equal((await make(query, body)).status, 200, query);
  // A member only is no change of the folder.
  assert.equal((await make(...ways.at(-1))).status, 403);
  await admin('POST', `${N(folder)}/authorities/editor/grant?id=default/editor`);
  assert.equal((await make(...ways.at(-1))).status, 200);
  assert.equal((await admin('GET', `${N(deep)}/children`)).total_rows, 2);
});

test('moves and deletions as jobs (32)', async () => {
  const node = await file('node', '/from');
  await file('other', '/to');
  const job = await admin('POST', `${branch}/nodes/move/start`, { sourceNodeIds: [node], targetNodeId: 'root', targetPath: '/to' });
  assert.equal((await ended(job._doc)).state, 'FINISHED');
  assert.equal(await path(node), '/to/node');
  const back = await admin('POST', `${N(node)}/move/start?targetNodeId=root&targetPath=/from`);
  assert.equal((await ended(back._doc)).state, 'FINISHED');
  assert.equal(await path(node), '/from/node');
  const gone = await ended((await admin('POST', `${N(node)}/delete/start`))._doc);
  assert.deepEqual(gone._result._docs, [node]);
  assert.equal((await as('admin', 'GET', N(node))).status, 404);
});

test('a copy of a folder has its members, a parent and an id of its own (18.2)', async () => {
  const one = await file('one', '/folder', { _qname: 'custom:one', words: ['x'] });
  const two = await file('two', '/folder');
  await join(one, two, 'a:linked');
  const folder = (await admin('GET', `${N('root')}?path=/folder`))._doc;
  await file('inside', '/target');
  const copy = await admin('POST', `${N(folder)}/copy?targetNodeId=root&targetPath=/target`);
  assert.equal(copy.ok, true);
  assert.notEqual(copy._doc, folder);
  assert.equal(await path(copy._doc), '/target/folder');
  assert.equal(await count(copy._doc, 'type=a:child&direction=INCOMING'), 1);
  assert.equal(await count(copy._doc, 'type=a:child&direction=OUTGOING'), 2);
  const copied = await admin('GET', `${N(copy._doc)}?path=/one`);
  assert.deepEqual(copied.words, ['x']);
  assert.notEqual(copied._qname, 'custom:one');
  assert.equal(await count(copied._doc, 'type=a:linked&direction=OUTGOING'), 1);
  assert.equal(await count(one, 'type=a:linked'), 1);
  await refused(400, 'request.parameter_invalid', 'POST', `${N(folder)}/copy`);
});

test('a copy as a job names the new node; copyOnExisting=false brings it up to date (18.2)', async () => {
  const node = await file('node', '/from', { value: 1 });
  const target = await file('target');
  const other = (await admin('POST', '/repositories', {}))._doc;
  const [, , repositoryId] = repository.split('/');
  const chain = (id, end) => [{ typeId: 'repository', id }, { typeId: 'branch', id: 'master' }, ...(end ? [{ typeId: 'node', id: end }] : [])];
  const copyTo = async (targets) => {
    const started = await admin('POST', '/tools/copy?schedule=ASYNCHRONOUS',
      { sources: chain(repositoryId, node), targets, configuration: { copyOnExisting: false } });
    const job = await ended(started._doc);
    assert.equal(job.state, 'FINISHED', JSON.stringify(job));
    return job._result.imports[0].targets.at(-1).id;
  };
  for (const [targets, base] of [[chain(repositoryId, target), branch], [chain(other), `/repositories/${other}/branches/master`]]) {
    await admin('PUT', N(node), { title: 'node', value: 1 });
    const first = await copyTo(targets);
    assert.notEqual(first, node);
    await admin('PUT', N(node), { title: 'node', value: 2 });
    assert.equal(await copyTo(targets), first);
    assert.equal((await admin('GET', `${base}/nodes/${first}`)).value, 2);
  }
  const synchronous = await admin('POST', `${N(node)}/copy?targetNodeId=${target}&schedule=synchronous`);
  assert.equal(synchronous.state, 'FINISHED');
});

test('a copy as a job is a new node each time unless it is told otherwise (18.2)', async () => {
  const node = await file('node', '/again', { value: 1 });
  const target = await file('target');
  const [, , repositoryId] = repository.split('/');
  const chain = (id) => [{ typeId: 'repository', id: repositoryId }, { typeId: 'branch', id: 'master' }, { typeId: 'node', id }];
  const copies = new Set();
  for (const told of [{}, { configuration: {} }, { configuration: { copyOnExisting: true } }]) {
    const started = await admin('POST', '/tools/copy?schedule=ASYNCHRONOUS', { sources: chain(node), targets: chain(target), ...told });
    const job = await ended(started._doc);
    assert.equal(job.state, 'FINISHED', JSON.stringify(job));
    copies.add(job._result.imports[0].targets.at(-1).id);
  }
  assert.equal(copies.size, 3);
});

test('clones keep ids and replace earlier ones (18.2)', async () => {
  const node = await file('node', '/', { value: 1 });
  const other = (await admin('POST', '/repositories', {}))._doc;
  const [, , repositoryId] = repository.split('/');
  const clone = async () => {
    const started = await admin('POST', '/tools/copy?strategy=CLONE', {
      sources: [{ typeId: 'repository', id: repositoryId }, { typeId: 'branch', id: 'master' }, { typeId: 'node', id: node }],
      targets: [{ typeId: 'repository', id: other }, { typeId: 'branch', id: 'master' }],
    });
    assert.equal((await ended(started._doc)).state, 'FINISHED');
    return admin('GET', `/repositories/${other}/branches/master/nodes/${node}`);
  };
  assert.equal((await clone()).value, 1);
  await admin('PUT', N(node), { title: 'node', value: 2 });
  assert.equal((await clone()).value, 2);
});

test('copyfrom brings nodes of another branch under their ids, past a block when asked (18.2, 4.4)', async () => {
  const fork = (await admin('POST', `${repository}/branches?branch=master&changeset=0:root`, { title: 'fork' }))._doc;
  const target = `${repository}/branches/${fork}`;
  const node = await file('node');
  const second = await file('second');
  const brought = await admin('POST', `${target}/copyfrom?id=master`, { nodeIds: [node] });
  assert.deepEqual(brought._docs, [node]);
  assert.equal((await admin('GET', `${target}/nodes/${node}`)).title, 'node');
  await admin('PUT', target, { title: 'fork', blockDirectCommits: true });
  const start = async (body) => (await ended((await admin('POST', `${target}/copyfrom/start?id=master`, body))._doc)).state;
  assert.equal(await start({ nodeIds: [second] }), 'ERROR');
  assert.equal((await as('admin', 'GET', `${target}/nodes/${second}`)).status, 404);
  assert.equal(await start({ nodeIds: [second], allowWriteToFrozenBranches: true }), 'FINISHED');
  assert.equal((await admin('GET', `${target}/nodes/${second}`)).title, 'second');
});

test('what a job writes is whose it acts for', async () => {
  await letIn('collaborator');
  const own = await as('editor', 'POST', `${branch}/nodes`, { title: 'own' });
  assert.equal(own.status, 200, own.text);
  const target = await as('editor', 'POST', `${branch}/nodes`, { title: 'target' });
  const started = await as('editor', 'POST', `${N(own.json._doc)}/copy/start?targetNodeId=${target.json._doc}`);
  assert.equal(started.status, 200, started.text);
  const job = await ended(started.json._doc);
  assert.equal(job.state, 'FINISHED', JSON.stringify(job));
  const copy = await admin('GET', N(job._result.copied));
  assert.equal(copy._system.created_by, 'editor');
});

test('lookup answers by id, QName or path', async () => {
  const node = await file('node', '/a b', { _qname: 'custom:node' });
  for (const body of [{ id: node }, { _doc: node }, { qname: 'custom:node' }, { _qname: 'custom:node' }, { path: '/a b/node' }]) {
    const found = await admin('POST', `${branch}/lookup`, body);
    assert.deepEqual([found._doc, found.ok], [node, undefined]);
  }
  const many = await admin('POST', `${branch}/lookup`, { nodes: [node, '/none', 'r:root'] });
  assert.deepEqual([many.total_rows, many.rows[0]._doc, many.rows[1]._qname], [2, node, 'r:root']);
  await refused(404, 'document.unknown', 'POST', `${branch}/lookup`, { path: '/none' });
  await refused(400, 'request.parameter_invalid', 'POST', `${branch}/lookup`, {});
});

test('a mount is two rows of the list, and both go (18.3, 34.19)', async () => {
  const mounts = () => admin('GET', `${branch}/nodes`);
  const before = (await mounts()).total_rows;
  const node = await create({ title: 'mounted' });
  assert.equal((await mounts()).total_rows, before);
  await admin('POST', `${N(node)}/mount/my-key`);
  await admin('POST', `${N(node)}/mount/my-key`);
  const listed = await mounts();
  assert.equal(listed.total_rows, before + 2);
  assert.deepEqual(listed.rows.slice(-2).map((row) => row._doc).sort(), [node, 'my-key'].sort());
  for (const row of listed.rows) assert.equal(row._is_association, false);
  assert.equal(await count(node, 'type=a:has_mount&direction=INCOMING'), 1);
  const other = await create({ title: 'other' });
  await admin('POST', `${N(other)}/mount/my-key`);
  assert.deepEqual((await mounts()).rows.map((row) => row._doc).sort(), [other, 'my-key'].sort());
  await admin('POST', `${N(other)}/unmount`);
  await admin('POST', `${N(other)}/unmount`);
  assert.equal((await mounts()).total_rows, before);
  await refused(400, 'nodes.mount_key_malformed', 'POST', `${N(node)}/mount/a%20b`);
});

test('locks: two rounds, the holder writes, others do not (18.4, 34.20)', async () => {
  await letIn('collaborator');
  const node = await create({ title: 'node' });
  const locked = () => admin('GET', `${N(node)}/lock`);
  assert.deepEqual(await locked(), { locked: false });
  for (let round = 0; round < 2; round += 1) {
    assert.equal((await admin('POST', `${N(node)}/lock`))._doc, node);
    const lock = await locked();
    assert.deepEqual([lock.locked, lock.lockedBy], [true, 'admin']);
    await admin('PUT', N(node), { title: `round ${round}` });
    for (const [method, where] of [['PUT', N(node)], ['DELETE', N(node)], ['POST', `${N(node)}/unlock`], ['POST', `${N(node)}/lock`]]) {
      const reply = await as('editor', method, where, { title: 'mine' });
      assert.deepEqual([reply.status, reply.json.code], [423, 'nodes.locked'], `${method} ${where}`);
    }
    await admin('POST', `${N(node)}/unlock`);
    assert.deepEqual(await locked(), { locked: false });
  }
  assert.equal((await as('editor', 'PUT', N(node), { title: 'mine' })).status, 200);
  assert.equal(await count(node, 'direction=ANY'), 1);
});

test('a locked node has f:locked, which the server alone puts on and takes away', async () => {
  await admin('PUT', branch, { validateContent: true });
  const id = await file('locked', '/locks');
  const read = async () => (await admin('GET', N(id)))._features;
  const features = await read();
  await admin('PUT', N(id), { title: 't', _features: { ...features, 'f:locked': {} } });
  assert.deepEqual(await read(), features);
  const locked = { ...features, 'f:locked': { lockedBy: 'admin' } };
  assert.deepEqual((await admin('POST', `${N(id)}/lock`, {}))._features, locked);
  await admin('PUT', N(id), { title: 'u', _features: features });
  await admin('DELETE', `${N(id)}/features/f:locked`);
  await admin('POST', `${N(id)}/features/f:locked`, { lockedBy: 'me' });
  assert.deepEqual(await read(), locked);
  for (const method of ['PUT', 'PATCH']) {
    for (const broken of [[1], 'x', 7, true]) {
      const reply = await server.request(method, N(id), { token: server.adminToken, body: { title: 'v', _features: broken } });
      assert.deepEqual([reply.status, reply.json.violations?.[0]?.path], [400, '_features'], `${method} ${JSON.stringify(broken)}`);
    }
    for (const nothing of [null, [], {}]) await admin(method, N(id), { title: 'v', _features: nothing });
    assert.deepEqual((await read())['f:locked'], { lockedBy: 'admin' }, method);
    await admin('PUT', N(id), { title: 'u', _features: features });
  }
  assert.deepEqual(await read(), locked);
  const found = await admin('POST', `${branch}/nodes/query`, { '_features.f:locked': { $exists: true } });
  assert.deepEqual(found.rows.map((row) => row._doc), [id]);
  const copy = (await admin('POST', `${N(id)}/copy?targetNodeId=root`, {}))._doc;
  assert.equal('f:locked' in (await admin('GET', N(copy)))._features, false);
  assert.deepEqual((await admin('POST', `${N(id)}/unlock`, {}))._features, features);
  assert.deepEqual(await read(), features);
  await admin('POST', `${N(id)}/lock`, {});
  await admin('DELETE', N(id));
  await admin('POST', `${branch}/deletions/${id}/restore`, {});
  assert.deepEqual([await read(), (await admin('GET', `${N(id)}/lock`)).locked], [features, false]);
});

test('owners pass a lock that somebody else holds', async () => {
  await letIn('collaborator');
  const node = await create({ title: 'node' });
  assert.equal((await as('editor', 'POST', `${N(node)}/lock`)).status, 200);
  await admin('PUT', N(node), { title: 'whatever' });
  await admin('POST', `${N(node)}/unlock`);
  assert.deepEqual(await admin('GET', `${N(node)}/lock`), { locked: false });
});

test('strangers see no paths, trees or rows', async () => {
  const node = await file('node', '/a');
  for (const [method, where] of [['GET', `${N(node)}/path`], ['POST', `${N('root')}/tree`], ['POST', `${N(node)}/copy?targetNodeId=root`],
                                 ['GET', `${branch}/nodes`], ['POST', `${branch}/lookup`]]) {
    assert.equal((await as('stranger', method, where, { id: node })).status, 404, `${method} ${where}`);
  }
});

test('nobody gains rights by taking a node into a folder of their own', async () => {
  await letIn('collaborator');
  const node = await file('node');
  const own = await as('editor', 'POST', `${branch}/nodes`, { title: 'own', _features: { 'f:container': {} } });
  assert.equal(own.status, 200, own.text);
  for (const where of [`${N(node)}/move?targetNodeId=${own.json._doc}`, `${N(own.json._doc)}/associate?node=${node}&type=a:child`]) {
    const reply = await as('editor', 'POST', where);
    assert.deepEqual([reply.status, reply.json.code], [403, 'nodes.membership_gives_rights'], where);
  }
  assert.equal(await path(node), '/node');
});

/// A user of the repository who may make nodes, and reads none but those that it was given.
async function letMake(name) {
  await admin('POST', `${repository}/authorities/connector/grant?id=default/${name}`);
  await admin('POST', `${branch}/authorities/contributor/grant?id=default/${name}`);
}
const folder = async (name) => {
  const made = await as(name, 'POST', `${branch}/nodes`, { title: `of ${name}`, _features: { 'f:container': {} } });
  assert.equal(made.status, 200, made.text);
  return made.json._doc;
};

test('what a policy gives on a folder alone opens nothing in it, wherever its holder puts the folder', async () => {
  const shared = await create({ title: 'shared', _features: { 'f:container': {} } });
  await join('root', shared);
  const hidden = await file('hidden', '/shared');
  await letMake('editor');
  const statements = [{ action: 'grant', roles: ['owner'], conditions: [{ type: 'path', config: { path: '^/shared$' } }] }];
  const policy = (await admin('POST', '/access/policies', { statements }))._doc;
  const { _doc: platform } = await admin('GET', '/');
  const { _doc: user } = await admin('GET', '/domains/default/principals/editor');
  await admin('POST', `/access/policies/${policy}/assign?ref=user://${platform}/default/${user}`);
  assert.equal((await as('editor', 'PUT', N(shared), { title: 'shared' })).status, 200);
  const own = await folder('editor');
  for (const where of [`${N(own)}/associate?node=${shared}&type=a:child`, `${N(own)}/associate?node=${shared}&type=a:owned`, `${N(shared)}/move?targetNodeId=${own}`]) {
    const reply = await as('editor', 'POST', where);
    assert.deepEqual([reply.status, reply.json.code], [403, 'nodes.membership_gives_rights'], where);
    assert.equal((await as('editor', 'GET', N(hidden))).status, 404);
  }
  await admin('POST', `/access/policies/${policy}/unassign?ref=user://${platform}/default/${user}`);
});

test('nobody gives others, by the folder that a node comes into, what they do not hold on the node', async () => {
  for (const name of ['editor', 'stranger']) await letMake(name);
  const node = await create({ title: 'node' });
  await admin('POST', `${N(node)}/authorities/collaborator/grant?id=default/editor`);
  const theirs = await folder('stranger');
  const into = (name, target) => as(name, 'POST', `${N(node)}/move?targetNodeId=${target}`);
  assert.equal((await as('stranger', 'POST', `${N(theirs)}/authorities/collaborator/grant?id=default/editor`)).status, 200);
  // Whoever made the folder would own the node.
  assert.deepEqual([(await into('editor', theirs)).json.code, (await as('stranger', 'GET', N(node))).status], ['nodes.membership_gives_rights', 404]);
  // Somebody would become a manager of it, by the folder or by one above.
  const shelf = await create({ title: 'shelf', _features: { 'f:container': {} } });
  const inner = await create({ title: 'inner', _features: { 'f:container': {} } });
  await join(shelf, inner);
  await admin('POST', `${N(shelf)}/authorities/manager/grant?id=default/stranger`);
  await admin('POST', `${N(shelf)}/authorities/contributor/grant?id=default/editor`);
  for (const target of [shelf, inner]) {
    const reply = await into('editor', target);
    assert.deepEqual([reply.status, reply.json.code], [403, 'nodes.membership_gives_rights'], target);
    assert.equal((await as('stranger', 'GET', N(node))).status, 404);
  }
  // What the mover has may be passed on, and what somebody has already is no gift.
  await admin('POST', `${N(node)}/authorities/manager/grant?id=default/stranger`);
  assert.equal((await into('editor', inner)).status, 200);
  const open = await create({ title: 'open', _features: { 'f:container': {} } });
  await admin('POST', `${N(open)}/authorities/consumer/grant?id=default/stranger`);
  await admin('POST', `${N(open)}/authorities/contributor/grant?id=default/editor`);
  const other = await create({ title: 'other' });
  await admin('POST', `${N(other)}/authorities/collaborator/grant?id=default/editor`);
  assert.equal((await as('stranger', 'GET', N(other))).status, 404);
  assert.equal((await as('editor', 'POST', `${N(other)}/move?targetNodeId=${open}`)).status, 200);
  assert.equal((await as('stranger', 'GET', N(other))).status, 200);
  // Their own nodes makers put where they like.
  const own = await as('editor', 'POST', `${branch}/nodes`, { title: 'own' });
  assert.equal((await as('editor', 'POST', `${N(own.json._doc)}/move?targetNodeId=${theirs}`)).status, 200);
});

test('a node that was deleted comes back by a clone to whoever may undo the deletion, and is whose it was', async () => {
  for (const name of ['editor', 'stranger']) await letMake(name);
  const node = await create({ title: 'plan', secret: 'first' });
  const master = (await admin('GET', branch))._doc;
  const id = repository.split('/').pop();
  await admin('POST', `${N(node)}/authorities/consumer/grant?id=default/editor`);
  await admin('POST', '/authorities/contributor/grant?id=default/editor');
  const other = (await as('editor', 'POST', '/repositories')).json._doc;
  const theirs = (await as('editor', 'GET', `/repositories/${other}/branches/master`)).json._doc;
  const out = await as('editor', 'POST', `/repositories/${other}/branches/master/copyfrom`, { id: master, sourceRepositoryId: id, nodeIds: [node] });
  assert.equal(out.status, 200, out.text);
  await admin('POST', `${N(node)}/authorities/all/revoke?id=default/editor`);
  await admin('PUT', N(node), { title: 'plan', secret: 'second' });
  await admin('DELETE', N(node));
  const back = () => as('editor', 'POST', `${branch}/copyfrom`, { id: theirs, sourceRepositoryId: other, nodeIds: [node] });
  const refused = await back();
  assert.deepEqual([refused.status, refused.json.code], [409, 'nodes.deletion_kept'], refused.text);
  assert.equal((await admin('GET', `${branch}/deletions/${node}`))._doc, node);
  // Where nothing but versions is left it comes back, but belongs to its maker as before.
  await admin('DELETE', `${branch}/deletions/${node}`);
  await back();
  assert.equal((await as('editor', 'GET', `${N(node)}/versions?full=true`)).status, 404);
  await admin('POST', '/authorities/all/revoke?id=default/editor');
});
