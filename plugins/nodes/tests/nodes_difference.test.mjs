// What two branches have done since their common ancestor (docs/specification/nodes.md 29; docs/reference/nodes_history.md).
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { endedJob } from '../../../tests/support/ended_job.mjs';
import { SteleServer } from '../../../tests/support/stele_server.mjs';

let server;
let repository;
before(async () => { server = await SteleServer.start(); });
after(() => server.end());
beforeEach(async () => { repository = `/repositories/${(await admin('POST', '/repositories', {}))._doc}`; });

const admin = (...args) => server.admin(...args);
const branchPath = (branch) => `${repository}/branches/${branch}`;
const make = async (branch, fields = {}) => (await admin('POST', `${branchPath(branch)}/nodes`, fields))._doc;
const get = (branch, node) => admin('GET', `${branchPath(branch)}/nodes/${node}`);
const put = async (branch, node, fields) =>
  admin('PUT', `${branchPath(branch)}/nodes/${node}`, { ...(await get(branch, node)), ...fields });
const remove = (branch, node) => admin('DELETE', `${branchPath(branch)}/nodes/${node}`);
const fork = async (branch = 'master', query = '') =>
  (await admin('POST', `${branchPath('')}?branch=${branch}${query}`, {}))._doc;
const tip = async (branch) => (await admin('GET', branchPath(branch))).tip;
/// A node of that id, as a copy to another branch has.
const cloneTo = (source, target, node) => admin('POST', `${branchPath(target)}/copyfrom?id=${source}`,
  { sourceRepositoryId: repository.split('/').at(-1), branchId: source, nodeIds: [node] });

/// The result of the job.
async function difference(source, target, token = server.adminToken) {
  const reply = await server.request('POST', `${branchPath(target)}/diff/start?id=${source}&schedule=synchronous`, { token });
  assert.equal(reply.status, 200, reply.text);
  assert.equal(reply.json.state, 'FINISHED', reply.text);
  return reply.json._result;
}
/// `[source, target, isConflict]` by id, of what is no association.
const nodesIn = ({ changes }) => Object.fromEntries(changes.filter((row) => !row._is_association)
  .map((row) => [row._doc, [row.sourceOperation, row.targetOperation, row.isConflict]]));
const none = { create: 0, update: 0, delete: 0 };

test('29: what one side created, updated and deleted is named, with the totals', async () => {
  const updated = await make('master', { title: 'before' });
  const deleted = await make('master', { title: 'deleted' });
  const untouched = await make('master', { title: 'untouched' });
  const ancestor = await tip('master');
  const source = await fork();
  const { _doc: target } = await admin('GET', branchPath('master'));
  await put(source, updated, { title: 'after' });
  await remove(source, deleted);
  const created = await make(source, { title: 'created', _qname: 'my:created', _type: 'my:type' });
  const { changes, ...rest } = await difference(source, 'master');
  assert.deepEqual(changes.find((row) => row._doc === created), {
    _doc: created, title: 'created', _type: 'my:type', _qname: 'my:created', _is_association: false,
    sourceOperation: 'create', targetOperation: 'none', isConflict: false });
  assert.equal(changes.find((row) => row._doc === updated).title, 'after');
  assert.equal(changes.find((row) => row._doc === deleted).title, 'deleted');
  assert.deepEqual(nodesIn({ changes }), { [created]: ['create', 'none', false], [updated]: ['update', 'none', false],
                                           [deleted]: ['delete', 'none', false] });
  assert.ok(!changes.some((row) => row._doc === untouched));
  const totals = { create: 0, update: 0, delete: 0 };
  for (const row of changes) totals[row.sourceOperation] += 1;
  assert.deepEqual(rest, { sourceBranchId: source, targetBranchId: target, ancestorChangesetId: ancestor,
                           totals: { changes: changes.length, conflicts: 0, source: totals, target: none } });

  const back = await difference('master', source);
  assert.deepEqual(nodesIn(back), { [created]: ['none', 'create', false], [updated]: ['none', 'update', false],
                                    [deleted]: ['none', 'delete', false] });
  assert.deepEqual([back.sourceBranchId, back.totals.target, back.totals.source], [target, totals, none]);
});

test('29: only what both sides changed differently is a conflict', async () => {
  const ids = {};
  for (const name of ['same', 'different', 'updatedDeleted', 'deletedUpdated', 'deleted', 'reordered', 'apart'])
    ids[name] = await make('master', { title: name, state: 'before' });
  const source = await fork();
  for (const [branch, value] of [[source, 'source'], ['master', 'target']]) {
    await put(branch, ids.same, { state: 'after' });
    await put(branch, ids.different, { state: value });
    await remove(branch, ids.deleted);
  }
  await put(source, ids.updatedDeleted, { state: 'after' });
  await remove('master', ids.updatedDeleted);
  await remove(source, ids.deletedUpdated);
  await put('master', ids.deletedUpdated, { state: 'after', title: 'kept here' });
  await put(source, ids.reordered, { one: 1, two: 2 });
  await put('master', ids.reordered, { two: 2, one: 1 });
  await put(source, ids.apart, { mine: 1 });
  await put('master', ids.apart, { yours: 1 });
  const result = await difference(source, 'master');
  assert.deepEqual(nodesIn(result), {
    [ids.same]: ['update', 'update', false], [ids.different]: ['update', 'update', true],
    [ids.updatedDeleted]: ['update', 'delete', true], [ids.deletedUpdated]: ['delete', 'update', true],
    [ids.deleted]: ['delete', 'delete', false], [ids.reordered]: ['update', 'update', false],
    [ids.apart]: ['update', 'update', true] });
  assert.equal(result.changes.find((row) => row._doc === ids.deletedUpdated).title, 'kept here');
  assert.equal(result.totals.conflicts, 4);
  assert.deepEqual(result.totals.target, { create: 0, update: 5, delete: 2 });
});

test('29: a node that came to both sides under one id conflicts where it differs', async () => {
  const source = await fork();
  const same = await make(source, { title: 'same' });
  const different = await make(source, { title: 'different' });
  for (const node of [same, different]) await cloneTo(source, 'master', node);
  await put('master', different, { title: 'changed' });
  const found = nodesIn(await difference(source, 'master'));
  assert.deepEqual(found[same], ['create', 'create', false]);
  assert.deepEqual(found[different], ['create', 'create', true]);
});

test('29: what is as it was before is no difference, whatever was written meanwhile', async () => {
  const touched = await make('master', { title: 'touched' });
  const restored = await make('master', { title: 'restored' });
  const source = await fork();
  await admin('POST', `${branchPath(source)}/nodes/${touched}/touch`, {});
  await put(source, restored, { title: 'changed' });
  await put(source, restored, { title: 'restored' });
  const passing = await make(source, { title: 'passing' });
  await remove(source, passing);
  assert.deepEqual((await difference(source, 'master')).changes, []);
});

test('29: an attachment is content of its node', async () => {
  const [same, different, alone] = [await make('master'), await make('master'), await make('master')];
  const source = await fork();
  const attach = (branch, node, text) => server.request('POST', `${branchPath(branch)}/nodes/${node}/attachments/default`,
    { token: server.adminToken, body: text, headers: { 'Content-Type': 'text/plain' } });
  for (const [branch, text] of [[source, 'one'], ['master', 'two']]) {
    assert.equal((await attach(branch, same, 'both')).status, 200);
    assert.equal((await attach(branch, different, text)).status, 200);
  }
  await attach(source, alone, 'one');
  assert.deepEqual(nodesIn(await difference(source, 'master')), {
    [same]: ['update', 'update', false], [different]: ['update', 'update', true], [alone]: ['update', 'none', false] });
});

test('29: a moved node is a difference of its associations', async () => {
  const folder = (title) => make('master', { title, _features: { 'f:container': {} }, _parentFolderPath: '/' });
  const [from, to] = [await folder('from'), await folder('to')];
  const node = await make('master', { title: 'moved' });
  const old = await admin('POST', `${branchPath('master')}/nodes/${from}/associate?node=${node}&type=a:child`, {});
  const source = await fork();
  await admin('POST', `${branchPath(source)}/nodes/${node}/move?targetNodeId=${to}`, {});
  const { rows: [now] } = await admin('GET', `${branchPath(source)}/nodes/${node}/associations?type=a:child&direction=INCOMING`);
  assert.equal(now.source, to);
  const { changes } = await difference(source, 'master');
  const children = changes.filter((row) => row._type === 'a:child');
  const said = Object.fromEntries(children.map((row) => [row._doc, [row._is_association, row.sourceOperation, row.targetOperation]]));
  const expected = now._doc === old._doc ? { [now._doc]: [true, 'update', 'none'] }
    : { [old._doc]: [true, 'delete', 'none'], [now._doc]: [true, 'create', 'none'] };
  assert.deepEqual(said, expected);
  assert.ok(!changes.some((row) => row.isConflict));
});

test('29: the ancestor is the nearest that both show: forks of forks, siblings, forks of the past', async () => {
  const node = await make('master', { title: 'master' });
  const early = await tip('master');
  const late = await make('master', { title: 'late' });
  const one = await fork();
  const onOne = await make(one, { title: 'on one' });
  const forkPoint = await tip(one);
  const deep = await fork(one);
  const sibling = await fork('master', `&changeset=${encodeURIComponent(early)}`);
  await put(deep, onOne, { title: 'on deep' });
  const afterwards = await make(one, { title: 'afterwards' });
  await put(sibling, node, { title: 'on sibling' });
  const later = await make('master', { title: 'later' });

  const near = await difference(deep, one);
  assert.equal(near.ancestorChangesetId, forkPoint);
  assert.deepEqual(nodesIn(near), { [onOne]: ['update', 'none', false], [afterwards]: ['none', 'create', false] });

  const far = await difference(deep, sibling);
  assert.equal(far.ancestorChangesetId, early);
  assert.deepEqual(nodesIn(far), { [late]: ['create', 'none', false], [onOne]: ['create', 'none', false], [node]: ['none', 'update', false] });
  assert.equal(far.changes.find((row) => row._doc === onOne).title, 'on deep');

  assert.deepEqual(nodesIn(await difference(sibling, 'master')),
    { [late]: ['none', 'create', false], [later]: ['none', 'create', false], [node]: ['update', 'none', false] });
});

test('29: a branch differs in nothing from itself, nor from its parent when it is made', async () => {
  await make('master', { title: 'one' });
  const source = await fork();
  const at = await tip('master');
  for (const [one, other] of [['master', 'master'], [source, source], [source, 'master'], ['master', source]]) {
    const result = await difference(one, other);
    assert.deepEqual([result.changes, result.totals, result.ancestorChangesetId],
                     [[], { changes: 0, conflicts: 0, source: none, target: none }, at]);
    assert.ok(!('truncated' in result));
  }
  const made = await make('master', { title: 'made' });
  assert.deepEqual(nodesIn(await difference(source, 'master')), { [made]: ['none', 'create', false] });
});

test('29: a reset branch shows nothing of what it has left', async () => {
  const node = await make('master', { title: 'before' });
  const source = await fork();
  const at = await tip(source);
  await put(source, node, { title: 'after' });
  await admin('POST', `${branchPath(source)}/reset/start?id=${encodeURIComponent(at)}&schedule=synchronous`, {});
  assert.deepEqual((await difference(source, 'master')).changes, []);
});

test('29: the answer is a job that is begun at once or waited for', async () => {
  const source = await fork();
  await make(source, { title: 'made' });
  const job = await admin('POST', `${branchPath('master')}/diff/start?id=${source}`);
  assert.equal(typeof job._doc, 'string');
  const ended = await endedJob(admin, job._doc);
  assert.equal(ended.state, 'FINISHED');
  assert.equal(ended.type, 'branch-difference');
  assert.equal(ended._result.totals.source.create, ended._result.changes.length);
});

test('29: the source must be a branch of the repository', async () => {
  const foreign = `/repositories/${(await admin('POST', '/repositories', {}))._doc}`;
  const { _doc: elsewhere } = await admin('POST', `${foreign}/branches?branch=master`, {});
  const start = (target, query) => server.request('POST', `${branchPath(target)}/diff/start${query}`, { token: server.adminToken });
  for (const query of ['', '?id=', '?id=00000000000000000000', '?id=nothing', `?id=${elsewhere}`, '?id=master%2Fx']) {
    const reply = await start('master', query);
    assert.equal(reply.status, 400, `${query}: ${reply.text}`);
    assert.match(reply.text, /\bid\b/);
  }
  assert.equal((await start('00000000000000000000', '?id=master')).status, 404);
  const gone = await fork();
  await admin('DELETE', branchPath(gone));
  assert.equal((await start('master', `?id=${gone}`)).status, 400);
});

test('29: whoever may not READ both branches learns nothing of either', async () => {
  const name = `reader${Date.now()}`;
  await server.makeUser(name);
  const token = await server.login(name, `secret-of-${name}`);
  const source = await fork();
  const grant = (path, role) => admin('POST', `${path}/authorities/${role}/grant?id=default/${name}`);
  const revoke = (path, role) => admin('POST', `${path}/authorities/${role}/revoke?id=default/${name}`);
  const start = (one, other) => server.request('POST', `${branchPath(other)}/diff/start?id=${one}&schedule=synchronous`, { token });
  await grant(repository, 'connector');
  await grant(branchPath('master'), 'consumer');
  assert.equal((await start(source, 'master')).status, 400);
  assert.ok([403, 404].includes((await start('master', source)).status));
  await grant(branchPath(source), 'connector');
  assert.equal((await start(source, 'master')).status, 400);
  assert.equal((await start('master', source)).status, 403);
  await grant(branchPath(source), 'consumer');
  assert.equal((await start(source, 'master')).json.state, 'FINISHED');
  await revoke(branchPath(source), 'consumer');
  assert.equal((await start(source, 'master')).status, 400);
});

test('29: nodes that the caller may not READ where a branch has them are left out', async () => {
  const name = `partly${Date.now()}`;
  await server.makeUser(name);
  const token = await server.login(name, `secret-of-${name}`);
  const ids = {};
  const names = ['both', 'onlySource', 'onlyTarget', 'neither', 'deleted', 'deletedHidden', 'deletedOnBoth'];
  for (const title of names) ids[title] = await make('master', { title });
  const source = await fork();
  const grant = (path) => admin('POST', `${path}/authorities/consumer/grant?id=default/${name}`);
  await admin('POST', `${repository}/authorities/connector/grant?id=default/${name}`);
  for (const branch of ['master', source]) await grant(branchPath(branch));
  const grantNode = (branch, node) => grant(`${branchPath(branch)}/nodes/${node}`);
  await Promise.all([grantNode('master', ids.both), grantNode(source, ids.both), grantNode(source, ids.onlySource),
                     grantNode('master', ids.onlyTarget), grantNode('master', ids.deleted), grantNode('master', ids.deletedHidden)]);
  for (const title of names.slice(0, 4)) await put(source, ids[title], { title: `changed ${title}` });
  for (const title of names.slice(4)) await remove(source, ids[title]);
  await grant(`${branchPath(source)}/deletions/${ids.deleted}`);
  await remove('master', ids.deletedOnBoth);
  const created = await make(source, { title: 'created' });
  const hidden = await make(source, { title: 'hidden' });
  await grantNode(source, created);

  const result = await difference(source, 'master', token);
  assert.deepEqual(nodesIn(result), { [ids.both]: ['update', 'none', false], [created]: ['create', 'none', false],
                                      [ids.deleted]: ['delete', 'none', false] });
  assert.deepEqual(result.totals, { changes: 3, conflicts: 0, source: { create: 1, update: 1, delete: 1 }, target: none });
  const everything = nodesIn(await difference(source, 'master'));
  assert.deepEqual(everything[hidden], ['create', 'none', false]);
  assert.equal(Object.keys(everything).length, 9);
});
