// Patches of nodes, and branches that take no writes (docs/specification/nodes.md 4.4, 7.5; docs/specification/semantics.md 2.3, 2.7).
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { repetitions } from '../../../tests/support/repetitions.mjs';
import { SteleServer } from '../../../tests/support/stele_server.mjs';

let server;
let repository;
let branch;
before(async () => {
  server = await SteleServer.start();
  await server.makeUser('somebody');
});
after(() => server.end());
beforeEach(async () => {
  repository = `/repositories/${(await admin('POST', '/repositories', {}))._doc}`;
  branch = `${repository}/branches/master`;
});

const admin = (...args) => server.admin(...args);
const ask = (method, path, body = {}) =>
  server.request(method, path, { token: server.adminToken, body: method === 'GET' ? undefined : body });
const make = async (fields, where = branch) => `${where}/nodes/${(await admin('POST', `${where}/nodes`, fields))._doc}`;
const own = ({ title, list, deep }) => ({ title, list, deep });

test('a patch is an array, an array in an object, or a merge; it answers the whole node (7.5)', async () => {
  const node = await make({ title: 'a', list: [1, 2], deep: { x: 1, y: 2 } });
  const first = await admin('PATCH', node, [{ op: 'replace', path: '/title', value: 'b' }, { op: 'remove', path: '/list/0' }]);
  assert.deepEqual(own(first), { title: 'b', list: [2], deep: { x: 1, y: 2 } });
  assert.equal(first.ok, true);
  for (const [name, value] of [['patches', 3], ['operations', 4], ['ops', 5]]) {
    const told = await admin('PATCH', node, { [name]: [{ op: 'add', path: '/list/-', value }] });
    assert.equal(told.list.at(-1), value, name);
  }
  await admin('PATCH', node, { title: null, deep: { x: 7 } });
  assert.deepEqual(own(await admin('GET', node)), { title: undefined, list: [2, 3, 4, 5], deep: { x: 7, y: 2 } });
  assert.equal((await admin('GET', `${node}/versions`)).total_rows, 6);
});

test('the path of a patch may lack its slash, and the address may end in /patch (semantics 2.7)', async () => {
  const node = await make({ title: 'a', deep: { x: 1 } });
  await admin('PATCH', node, [{ op: 'replace', path: 'title', value: 'b' }, { op: 'move', from: 'deep/x', path: 'deep/y' }]);
  assert.deepEqual(own(await admin('GET', node)), { title: 'b', list: undefined, deep: { y: 1 } });
  const told = await admin('PATCH', `${node}/patch`, [{ op: 'replace', path: '/title', value: 'c' }]);
  assert.deepEqual([told.ok, told.title], [true, 'c']);
});

test('a patch whose test fails, or that names system fields, writes nothing (7.5; semantics 2.7)', async () => {
  const node = await make({ title: 'a' });
  const before_ = await admin('GET', node);
  for (const patch of [[{ op: 'add', path: '/list', value: [] }, { op: 'test', path: '/title', value: 'b' }],
                       [{ op: 'replace', path: '/_qname', value: 'a:b' }], [{ op: 'remove', path: '/_type' }]]) {
    const reply = await ask('PATCH', node, patch);
    assert.ok(reply.status >= 400 && reply.status < 500, reply.text);
    assert.equal(reply.json.error, true);
  }
  await admin('PATCH', node, [{ op: 'add', path: '/_system', value: { created_by: 'x' } }]);
  assert.equal((await admin('GET', node))._system.created_by, before_._system.created_by);
});

test('several nodes are deleted by _docs, a bare array or numbered parameters; unknown ones are skipped (7.1, 7.6)', async () => {
  const ids = [];
  for (let i = 0; i < 6; ++i) ids.push(idOf(await make({ i, kind: 'many' })));
  const none = '00000000000000000000';
  const path = `${branch}/nodes/delete`;
  const answers = [await admin('POST', path, { _docs: [ids[0], none, ids[1]] }), await admin('POST', path, [ids[2], none]),
                   await admin('POST', `${path}?0=${ids[3]}&1=${ids[4]}&full=true`, '')];
  assert.deepEqual(answers.map((answer) => answer._docs), [[ids[0], ids[1]], [ids[2]], [ids[3], ids[4]]]);
  const left = await admin('POST', `${branch}/nodes/query`, { kind: 'many' });
  assert.deepEqual(left.rows.map((row) => row._doc), [ids[5]]);
});

const marked = async (mark) => admin('PUT', branch, { ...(await admin('GET', branch)), ...mark });
const idOf = (one) => one.split('/').at(-1);
/// Every operation that writes on a branch with these nodes: on a node itself, then around it.
const writesTo = (node) => [
  ['PUT', node, { title: 'new' }], ['PATCH', node, { title: 'new' }], ['POST', `${node}/update`, { title: 'new' }], ['POST', `${node}/touch`],
  ['POST', `${node}/features/f:geolocation`], ['PUT', `${node}/features/f:audit`, { a: 1 }], ['DELETE', `${node}/features/f:titled`],
  ['POST', `${node}/change_qname?qname=a:b`], ['POST', `${node}/change_type?type=a:b`], ['PUT', `${branch}/nodes`, { nodes: { [idOf(node)]: { title: 'new' } } }],
  ['POST', `${node}/attachments/a`], ['POST', `${node}/attachments/kept/copy?id=b`], ['DELETE', `${node}/attachments/kept`],
  ['POST', `${node}/i18n?locale=de_DE`], ['POST', `${node}/lock`], ['DELETE', node], ['POST', `${node}/delete`], ['POST', `${node}/remove`],
];
const refused = async (code, method, path, body) => {
  const { status, json, text } = await ask(method, path, body);
  assert.deepEqual([status, json.code], [403, code], text);
};

test('whoever writes other nodes all the time does not keep a folder of hundreds from going', async () => {
  const folder = await make({ title: 'folder', _features: { 'f:container': {} } });
  const members = Array.from({ length: repetitions(300) }, (_, at) => ({ title: `member ${at}` }));
  await admin('POST', `${branch}/nodes?rootNodeId=${folder.split('/').pop()}&parentFolderPath=/`, members);
  const others = await Promise.all(Array.from({ length: 16 }, () => make({ title: 'other' })));
  let isOver = false;
  const writers = others.map(async (other) => {
    for (let x = 0; !isOver; ++x) await admin('PATCH', other, { x });
  });
  const { status, text } = await server.request('DELETE', folder, { token: server.adminToken });
  isOver = true;
  await Promise.all(writers);
  assert.equal(status, 200, text);
  assert.equal((await admin('POST', `${branch}/nodes/query`, { title: { $regex: '^member' } })).total_rows, 0);
});

test('a read-only branch takes no writes of any kind and can be forked (4.4; semantics 2.3)', async () => {
  const [node, other] = [await make({ title: 'kept' }), await make({})];
  await admin('POST', `${node}/attachments/kept`, { a: 1 });
  await marked({ readonly: true });
  const { tip } = await admin('GET', branch);
  const before_ = await admin('GET', node);
  for (const [method, path, body] of [
    ...writesTo(node), ['POST', `${branch}/nodes`], ['POST', `${branch}/nodes/delete`, { _docs: [idOf(node)] }],
    ['POST', `${node}/associate?node=${idOf(other)}`], ['POST', `${node}/mount/key`], ['POST', `${node}/move?targetNodeId=${idOf(other)}`],
    ['POST', `${node}/copy?targetNodeId=${idOf(other)}`], ['POST', `${branch}/lists/key?type=n:node`],
    ['POST', `${branch}/reset/start?id=0:root`], ['POST', `${branch}/validate/start?repair=true`], ['POST', `${branch}/admin/content`],
    ['GET', `${branch}/person/acquire?id=default/somebody&createIfNotFound=true`],
  ]) await refused('nodes.branch_readonly', method, path, body);
  assert.deepEqual(await admin('GET', node), before_);
  assert.equal((await admin('GET', branch)).tip, tip);
  const fork = await admin('POST', `${repository}/branches?branch=master`, {});
  await make({ title: 'on the fork' }, `${repository}/branches/${fork._doc}`);
  await marked({ readonly: false });
  await make({ title: 'again' });
});

test('a frozen branch takes no writes and is not forked (4.4; semantics 2.3)', async () => {
  const node = await make({ title: 'kept' });
  await marked({ frozen: true });
  await refused('nodes.branch_frozen', 'PUT', node, { title: 'new' });
  await refused('nodes.branch_frozen', 'POST', `${branch}/nodes`);
  await refused('nodes.branch_frozen', 'POST', `${repository}/branches?branch=master`);
  await refused('nodes.branch_frozen', 'POST', `${repository}/branches/create/start?branch=master`);
  await refused('nodes.branch_frozen', 'POST', `${repository}/snapshots`);
  assert.equal((await admin('GET', node)).title, 'kept');
  assert.equal((await admin('GET', `${repository}/branches`)).total_rows, 1);
});

test('what a branch is and where it begins is not changed by an update (4.2)', async () => {
  const { _doc: id } = await admin('POST', `${repository}/branches?branch=master`, { title: 'fork', extra: [1] });
  const fork = `${repository}/branches/${id}`;
  const before_ = await admin('GET', fork);
  await admin('PUT', fork, { title: 'later', type: 'MASTER', root: '9:x', tip: '9:x', snapshot: true, 'root-branch': 'x', 'join-branch': 'x' });
  const now = await admin('GET', fork);
  for (const name of ['type', 'root', 'tip', 'snapshot', 'root-branch', 'join-branch', 'platformId', 'repositoryId']) {
    assert.deepEqual(now[name], before_[name], name);
  }
  assert.deepEqual([now.title, now.extra], ['later', undefined]);
});

test('a lock keeps everybody but its holder and managers from every change of the node, and of it alone (semantics 2.7)', async () => {
  const node = await make({ title: 'kept' });
  await admin('POST', `${node}/attachments/kept`, { a: 1 });
  await admin('POST', `${repository}/teams?key=crew`);
  await admin('POST', `${repository}/teams/crew/members/add?id=default/somebody`);
  await admin('POST', `${repository}/teams/crew/authorities/collaborator/grant`);
  await admin('POST', `${node}/lock`);
  const before_ = await admin('GET', node);
  const token = await server.login('somebody', 'secret-of-somebody');
  const other = (method, path, body = {}) => server.request(method, path, { token, body: method === 'GET' ? undefined : body });
  for (const [method, path, body] of [...writesTo(node), ['POST', `${node}/unlock`]]) {
    const { status, json, text } = await other(method, path, body);
    assert.deepEqual([status, json.code], [423, 'nodes.locked'], `${method} ${path}: ${text}`);
  }
  assert.deepEqual(await admin('GET', node), before_);
  for (const [method, path] of [['GET', node], ['GET', `${node}/versions`]]) {
    assert.equal((await other(method, path)).status, 200, path);
  }
  for (const [method, path, body] of writesTo(node).slice(0, 5)) assert.equal((await ask(method, path, body)).status, 200, path);
  await admin('POST', `${node}/unlock`);
  assert.equal((await other('POST', `${node}/touch`)).status, 200);
});

test('where a branch validates, features and types that are set one by one must fit, too (semantics 3.1, 3.2)', async () => {
  await make({ _qname: 'custom:sized', _type: 'd:type', properties: { size: { type: 'number' } }, required: ['size'] });
  await make({ _qname: 'custom:paced', _type: 'd:feature', properties: { pace: { type: 'number' } } });
  const node = await make({ title: 'kept', size: 'large' });
  await marked({ validateContent: true });
  const before_ = await admin('GET', node);
  for (const [method, path, body, code] of [
    ['POST', `${node}/features/custom:none`, {}, 'nodes.feature_undefined'], ['POST', `${node}/features/custom:paced`, { pace: 'slow' }, 'nodes.schema_violated'],
    ['PUT', `${node}/features/custom:none`, {}, 'nodes.feature_undefined'], ['POST', `${node}/change_type?type=custom:none`, {}, 'nodes.type_undefined'],
    ['PUT', `${node}/change_type?type=custom:sized`, {}, 'nodes.schema_violated'],
  ]) {
    const { status, json, text } = await ask(method, path, body);
    assert.deepEqual([status, json.violations?.[0]?.code], [400, code], `${path}: ${text}`);
  }
  assert.deepEqual(await admin('GET', node), before_);
  await admin('POST', `${node}/features/custom:paced`, { pace: 3 });
  await admin('PUT', node, { title: 'kept', size: 3 });
  assert.equal((await admin('POST', `${node}/change_type?type=custom:sized`))._type, 'custom:sized');
});
