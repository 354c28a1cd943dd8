// Conflicts of merges as records: listed, decided and committed (docs/reference/merge.md; merge_and_transfer.md 1.1 and
// statements 6, 11 and 12 of its checklist).
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { endedJob } from '../../../tests/support/ended_job.mjs';
import { SteleServer } from '../../../tests/support/stele_server.mjs';

let server;
let repository;
const tokens = {};
before(async () => {
  server = await SteleServer.start();
  for (const name of ['writer', 'reader']) {
    await server.makeUser(name);
    tokens[name] = await server.login(name, `secret-of-${name}`);
  }
});
after(() => server.end());
beforeEach(async () => { repository = `/repositories/${(await admin('POST', '/repositories', {}))._doc}`; });

const admin = (...args) => server.admin(...args);
const as = (name, method, path, body) => server.request(method, path, { token: tokens[name], body });
const branchPath = (branch) => `${repository}/branches/${branch}`;
const nodePath = (branch, node) => `${branchPath(branch)}/nodes/${node}`;
const make = async (branch, fields = {}) => (await admin('POST', `${branchPath(branch)}/nodes`, fields))._doc;
const makeIn = async (branch, folder, fields = {}) =>
  (await admin('POST', `${branchPath(branch)}/nodes?rootNodeId=${folder}&parentFolderPath=/`, fields))._doc;
const folder = (branch, title) => makeIn(branch, 'root', { title, _features: { 'f:container': {} } });
const get = (branch, node) => admin('GET', nodePath(branch, node));
const put = async (branch, node, fields) => admin('PUT', nodePath(branch, node), { ...(await get(branch, node)), ...fields });
const status = async (branch, node) => (await server.request('GET', nodePath(branch, node), { token: server.adminToken })).status;
const fork = async (branch = 'master') => (await admin('POST', `${branchPath('')}?branch=${branch}`, {}))._doc;
const merge = (source, target = 'master') => admin('POST', `${branchPath(target)}/merge?id=${source}`, {});
const move = (branch, node, into) => admin('POST', `${nodePath(branch, node)}/move?targetNodeId=${into}`, {});
const conflicts = (query = { committed: false }) => admin('POST', `${repository}/conflicts/query`, query).then(({ rows }) => rows);
const one = (id) => `${repository}/conflicts/${id}`;
const resolve = (id, resolution, more = '') => admin('POST', `${one(id)}/resolve?resolution=${resolution}${more}`, {});
const commit = (id) => admin('POST', `${one(id)}/commit`, {});
const refused = (id, path, body = {}) => server.request('POST', `${one(id)}/${path}`, { token: server.adminToken, body });
const foldersOf = async (branch, node) =>
  (await admin('GET', `${nodePath(branch, node)}/associations?type=a:child&direction=INCOMING`)).rows.map((row) => row.source).sort();

/// A node that both branches have given another title.
async function disputed(fields = {}) {
  const node = await make('master', { title: 'base', ...fields });
  const source = await fork();
  await put(source, node, { title: 'of the source' });
  await put('master', node, { title: 'of the target' });
  return { node, source };
}
/// The ids of what a merge has met.
async function met(source, count = 1) {
  const report = await merge(source);
  assert.deepEqual([report.merged, report.conflictCount, report.conflictIds.length], [false, count, count], JSON.stringify(report.conflicts));
  return report.conflictIds;
}

test('12: edits of the same member are one conflict; after resolve and commit the target has the chosen value', async () => {
  for (const [resolution, body, title] of [['source', {}, 'of the source'], ['target', {}, 'of the target'], ['value', { value: 'of neither' }, 'of neither']]) {
    const { node, source } = await disputed();
    const before = (await admin('GET', branchPath('master'))).tip;
    const [id] = await met(source);
    const { rows } = await admin('GET', `${repository}/conflicts`);
    const found = rows.find(({ _doc }) => _doc === id);
    const master = (await admin('GET', branchPath('master')))._doc;
    assert.deepEqual([found.nodeId, found.kind, found.path, found.base, found.source, found.target, found.resolved, found.sourceBranchId, found.targetBranchId],
      [node, 'value', '/title', 'base', 'of the source', 'of the target', false, source, master]);
    assert.equal((await admin('GET', branchPath('master'))).tip, before);
    assert.equal((await get('master', node)).title, 'of the target');

    assert.equal((await refused(id, 'commit')).status, 409);
    const told = await admin('POST', `${one(id)}/resolve?resolution=${resolution}`, body);
    assert.deepEqual([told.resolvedCount, told.openCount], [1, 0]);
    assert.equal((await admin('GET', one(id))).resolution, resolution);
    const committed = await commit(id);
    assert.deepEqual([committed._doc, committed.committed], [id, true]);
    assert.equal((await get('master', node)).title, title);
    assert.equal((await get(source, node)).title, 'of the source');
    const report = await merge(source);
    assert.deepEqual([report.merged, report.nodeCount], [true, 0]);
  }
});

test('6: a dry run makes no conflict records, and goes by what was decided', async () => {
  const { source } = await disputed();
  const job = await endedJob((...request) => admin(...request),
    (await admin('POST', `${branchPath('master')}/merge/start?id=${source}&dryRun=true`, {}))._doc);
  assert.deepEqual([job.state, job.conflictCount, job.conflictIds], ['FINISHED', 1, []]);
  assert.deepEqual(await conflicts(), []);
  const [id] = await met(source);
  await resolve(id, 'source');
  const preview = await endedJob((...request) => admin(...request),
    (await admin('POST', `${branchPath('master')}/merge/start?id=${source}&dryRun=true`, {}))._doc);
  assert.deepEqual([preview.conflictCount, preview.nodeCount], [0, 1]);
});

test('a job makes conflict records that belong to whoever started it', async () => {
  const { source } = await disputed();
  for (const place of [repository, branchPath('master'), branchPath(source)]) await admin('POST', `${place}/authorities/collaborator/grant?id=default/writer`);
  const started = await as('writer', 'POST', `${branchPath('master')}/merge/start?id=${source}`, {});
  assert.equal(started.status, 200, started.text);
  const job = await endedJob(async (method, path) => (await as('writer', method, path)).json, started.json._doc);
  assert.deepEqual([job.state, job.conflictIds.length], ['FINISHED', 1], JSON.stringify(job.log_entries));
  const acl = await admin('GET', `${one(job.conflictIds[0])}/acl/list`);
  assert.deepEqual(acl.rows.map(({ name, authorities }) => [name, authorities]), [['writer', ['owner']]]);
});

test('what has changed since is asked again, what has not keeps its decision', async () => {
  const { node, source } = await disputed();
  const other = await make('master', { title: 'base of the other' });
  const second = await fork();
  await put(second, node, { title: 'of the second' });
  await put(second, other, { title: 'other of the second' });
  await put('master', node, { title: 'of the target again' });
  await put('master', other, { title: 'other of the target' });
  assert.ok(source);
  const ids = await met(second, 2);
  for (const id of ids) await resolve(id, 'source');
  await put('master', other, { title: 'once more' });
  const [first] = await conflicts({ nodeId: node, committed: false });
  const after = await commit(first._doc);
  assert.equal(after.committed, false);
  const open = (await conflicts()).filter(({ resolved }) => !resolved);
  assert.deepEqual(open.map(({ nodeId, target }) => [nodeId, target]), [[other, 'once more']]);
  assert.equal((await conflicts({ nodeId: node, committed: false }))[0].resolved, true);
  await resolve(open[0]._doc, 'target');
  assert.equal((await commit(open[0]._doc)).committed, true);
  assert.deepEqual([(await get('master', node)).title, (await get('master', other)).title], ['of the second', 'once more']);
  assert.deepEqual(await conflicts(), []);
});

test('conflicts that are met no more go', async () => {
  const { node, source } = await disputed();
  await met(source);
  await put('master', node, { title: 'of the source' });
  assert.equal((await merge(source)).merged, true);
  assert.deepEqual(await conflicts({}), []);
});

test('all of a merge are decided at once, or several by their ids', async () => {
  const nodes = [];
  for (let i = 0; i < 4; ++i) nodes.push(await make('master', { title: `base ${i}` }));
  const source = await fork();
  for (const [i, node] of nodes.entries()) {
    await put(source, node, { title: `source ${i}` });
    await put('master', node, { title: `target ${i}` });
  }
  const ids = await met(source, 4);
  const some = await admin('POST', `${one(ids[0])}/resolve`, { resolutions: [{ conflictId: ids[0], resolution: 'value', value: 'of neither' }, { conflictId: ids[1], resolution: 'target' }] });
  assert.deepEqual([some.resolvedCount, some.openCount], [2, 2]);
  const rest = await resolve(ids[2], 'source', '&all=true');
  assert.deepEqual([rest.resolvedCount, rest.openCount], [2, 0]);
  await resolve(ids[2], 'manual');
  assert.equal((await refused(ids[0], 'commit')).status, 409);
  await resolve(ids[2], 'source');
  await commit(ids[3]);
  const titles = Object.fromEntries(await Promise.all(nodes.map(async (node) => [node, (await get('master', node)).title])));
  const said = Object.fromEntries((await conflicts({})).map(({ _doc, nodeId }) => [_doc, nodeId]));
  assert.deepEqual(ids.map((id) => titles[said[id]]).slice(0, 1), ['of neither']);
  assert.match(titles[said[ids[1]]], /^target/);
  assert.match(titles[said[ids[2]]], /^source/);
  assert.match(titles[said[ids[3]]], /^source/);
});

test('a deletion and an edit are decided for either side', async () => {
  for (const resolution of ['source', 'target']) {
    const [deleted, edited] = [await make('master', { title: 'deleted by the source' }), await make('master', { title: 'edited by the source' })];
    const source = await fork();
    await admin('DELETE', nodePath(source, deleted));
    await put(source, edited, { title: 'edited' });
    await put('master', deleted, { title: 'edited by the target' });
    await admin('DELETE', nodePath('master', edited));
    const [id] = await met(source, 2);
    await resolve(id, resolution, '&all=true');
    await commit(id);
    assert.deepEqual([await status('master', deleted), await status('master', edited)], resolution === 'source' ? [404, 200] : [200, 404]);
  }
});

test('two moves are decided for either side', async () => {
  for (const resolution of ['source', 'target']) {
    const [from, trees, fruit] = [await folder('master', `from ${resolution}`), await folder('master', `trees ${resolution}`), await folder('master', `fruit ${resolution}`)];
    const node = await makeIn('master', from, { title: 'plum' });
    const source = await fork();
    await move(source, node, trees);
    await move('master', node, fruit);
    const [id] = await met(source);
    await resolve(id, resolution);
    await commit(id);
    assert.deepEqual(await foldersOf('master', node), [resolution === 'source' ? trees : fruit]);
  }
});

test('two nodes of one name or QName are decided for either side', async () => {
  for (const resolution of ['source', 'target']) {
    const source = await fork();
    const made = {};
    for (const branch of [source, 'master']) made[branch] = await makeIn(branch, 'root', { title: `plum-${resolution}`, _qname: `ex:plum-${resolution}` });
    const ids = await met(source, 2);
    await resolve(ids[0], resolution, '&all=true');
    await commit(ids[0]);
    const kept = made[resolution === 'source' ? source : 'master'];
    assert.equal((await get('master', `ex:plum-${resolution}`))._doc, kept);
    assert.equal((await admin('GET', `${nodePath('master', 'root')}?path=/plum-${resolution}`))._doc, kept);
    assert.equal(await status('master', made[resolution === 'source' ? 'master' : source]), 200);
  }
});

test('a folder that the source has deleted and the target has filled goes or stays', async () => {
  for (const resolution of ['source', 'target']) {
    const trees = await folder('master', `trees ${resolution}`);
    const source = await fork();
    await admin('DELETE', nodePath(source, trees));
    const plum = await makeIn('master', trees, { title: 'plum' });
    const [id] = await met(source);
    await resolve(id, resolution);
    await commit(id);
    assert.deepEqual([await status('master', trees), await status('master', plum)], resolution === 'source' ? [404, 200] : [200, 200]);
    assert.deepEqual(await foldersOf('master', plum), resolution === 'source' ? [] : [trees]);
    assert.equal((await merge(source)).nodeCount, 0);
  }
});

test('two owners and two translations are decided for either side', async () => {
  for (const resolution of ['source', 'target']) {
    const [stone, plum, peach] = [await make('master', { title: 'stone' }), await make('master', { title: 'plum' }), await make('master', { title: 'peach' })];
    const source = await fork();
    await admin('POST', `${nodePath(source, plum)}/associate?node=${stone}&type=a:owned`, {});
    await admin('POST', `${nodePath('master', peach)}/associate?node=${stone}&type=a:owned`, {});
    await admin('POST', `${nodePath(source, plum)}/i18n?locale=de`, { title: 'Pflaume' });
    await admin('POST', `${nodePath('master', plum)}/i18n?locale=de`, { title: 'Zwetschge' });
    const ids = await met(source, 2);
    await resolve(ids[0], resolution, '&all=true');
    await commit(ids[1]);
    const owners = (await admin('GET', `${nodePath('master', stone)}/associations?type=a:owned&direction=INCOMING`)).rows.map((row) => row.source);
    assert.deepEqual(owners, [resolution === 'source' ? plum : peach]);
    assert.equal((await admin('GET', `${nodePath('master', plum)}/i18n?locale=de`)).title, resolution === 'source' ? 'Pflaume' : 'Zwetschge');
  }
});

test('folders that would lie in one another stay as the target has them', async () => {
  const [a, b] = [await folder('master', 'a'), await folder('master', 'b')];
  const source = await fork();
  await move(source, a, b);
  await put(source, a, { title: 'a of the source' });
  await move('master', b, a);
  const [id] = await met(source);
  const { status: answer, json } = await refused(id, 'resolve?resolution=source');
  assert.deepEqual([answer, json.violations[0].code], [400, 'nodes.resolution_unfit']);
  await resolve(id, 'target');
  await commit(id);
  assert.deepEqual([await foldersOf('master', b), (await get('master', a)).title], [[a], 'a of the source']);
  assert.deepEqual(await foldersOf('master', a), [(await get('master', 'root'))._doc]);
});

test('conflicts of a revert are decided like those of a merge', async () => {
  const node = await make('master', { title: 'before' });
  const { _system } = await put('master', node, { title: 'a mistake' });
  await put('master', node, { title: 'after it' });
  const report = await admin('POST', `${branchPath('master')}/revert?id=${_system.changeset}`, {});
  assert.deepEqual([report.merged, report.conflictIds.length], [false, 1]);
  const [id] = report.conflictIds;
  assert.deepEqual([(await admin('GET', one(id))).revertedChangesetId, (await admin('GET', one(id))).source], [_system.changeset, 'before']);
  await resolve(id, 'source');
  await commit(id);
  assert.equal((await get('master', node)).title, 'before');
});

test('what a conflict is about is shown to those only who may read the node, and decided by those who may write it', async () => {
  const { node, source } = await disputed();
  const [id] = await met(source);
  await admin('POST', `${repository}/conflicts/${id}/authorities/editor/grant?id=default/reader`);
  for (const place of [repository, branchPath('master'), branchPath(source)]) await admin('POST', `${place}/authorities/connector/grant?id=default/reader`);
  const hidden = (await as('reader', 'GET', one(id))).json;
  assert.equal(hidden.nodeId, node);
  for (const member of ['path', 'message', 'base', 'source', 'target', 'key', 'fingerprint']) assert.ok(!(member in hidden), member);
  assert.equal((await as('reader', 'POST', `${repository}/conflicts/query`, { source: 'of the source' })).status, 403);
  assert.ok((await as('reader', 'POST', `${one(id)}/resolve?resolution=source`, {})).status >= 403);
  for (const branch of ['master', source]) await admin('POST', `${branchPath(branch)}/authorities/consumer/grant?id=default/reader`);
  for (const branch of ['master', source]) await admin('POST', `${nodePath(branch, node)}/authorities/consumer/grant?id=default/reader`);
  assert.equal((await as('reader', 'GET', one(id))).json.source, 'of the source');
  const told = await as('reader', 'POST', `${one(id)}/resolve?resolution=source`, {});
  assert.deepEqual([told.status, told.json.code], [403, 'authority.permission_missing']);
  assert.equal((await admin('GET', one(id))).resolved, false);
});

test('whoever may not write to the target leaves no conflicts', async () => {
  const { source } = await disputed();
  await admin('POST', `${repository}/authorities/consumer/grant?id=default/reader&deep=true`);
  const report = await as('reader', 'POST', `${branchPath('master')}/merge?id=${source}`, {});
  assert.deepEqual([report.status, report.json.conflictCount, report.json.conflictIds], [200, 1, []], report.text);
  assert.deepEqual(await conflicts({}), []);
});

test('nobody gives others, by the conflicts that they commit, what they do not hold on the node', async () => {
  for (const name of ['mover', 'holder']) await server.makeUser(name);
  tokens.mover = await server.login('mover', 'secret-of-mover');
  tokens.holder = await server.login('holder', 'secret-of-holder');
  const grant = (path, role, name) => admin('POST', `${path}/authorities/${role}/grant?id=default/${name}`, {});
  const [shelf, node, titled] = [await folder('master', 'shelf'), await make('master', { title: 'node' }), await make('master', { title: 'base' })];
  const source = await fork();
  await admin('POST', `${nodePath(source, shelf)}/associate?node=${node}&type=a:child`, {});
  await put(source, titled, { title: 'of the source' });
  await put('master', titled, { title: 'of the target' });
  const [membership] = (await admin('GET', `${nodePath(source, node)}/associations?type=a:child&direction=INCOMING`)).rows;
  for (const path of [branchPath('master'), branchPath(source), nodePath(source, shelf), nodePath(source, node), nodePath(source, membership._doc), nodePath(source, titled)])
    await grant(path, 'consumer', 'mover');
  for (const [path, role] of [[nodePath('master', shelf), 'contributor'], [nodePath('master', node), 'collaborator'], [nodePath('master', titled), 'collaborator'], [branchPath('master'), 'contributor']])
    await grant(path, role, 'mover');
  await grant(branchPath('master'), 'consumer', 'holder');
  await grant(nodePath('master', shelf), 'manager', 'holder');
  const merged = await as('mover', 'POST', `${branchPath('master')}/merge?id=${source}`, {});
  const [id] = merged.json.conflictIds;
  assert.equal((await as('mover', 'POST', `${one(id)}/resolve?resolution=source`, {})).status, 200);
  const committed = await as('mover', 'POST', `${one(id)}/commit`, {});
  assert.deepEqual([committed.status, committed.json.code], [403, 'nodes.membership_gives_rights'], committed.text);
  assert.deepEqual([(await get('master', titled)).title, (await admin('GET', one(id))).committed], ['of the target', false]);
  // What the holder of the folder has already is no gift.
  await grant(nodePath('master', node), 'manager', 'holder');
  assert.equal((await as('mover', 'POST', `${one(id)}/commit`, {})).status, 200);
  assert.equal((await get('master', titled)).title, 'of the source');
});

test('wrong decisions are named, and nothing is decided', async () => {
  const { source } = await disputed();
  const [id] = await met(source);
  for (const [query, body, path] of [['', {}, 'resolution'], ['?resolution=mine', {}, 'resolution'], ['?resolution=value', {}, 'resolution'], ['?resolution=source', { value: 1 }, 'resolution'],
    ['', { resolutions: [] }, 'resolutions'], ['', { resolutions: ['nothing'] }, 'resolutions[0]'], ['', { resolutions: [{ conflictId: id, resolution: 'source' }, 7] }, 'resolutions[1]'],
    ['?resolution=value&all=true', { value: 1 }, 'all']]) {
    const { status: answer, json } = await refused(id, `resolve${query}`, body);
    assert.deepEqual([answer, json.violations?.[0].path], [400, path], `${query} ${JSON.stringify(body)}`);
  }
  assert.equal((await refused(id, 'resolve', { resolutions: [{ conflictId: 'nobody', resolution: 'source' }] })).status, 404);
  assert.equal((await refused(id, 'commit?branch=nowhere')).status, 400);
  assert.equal((await admin('GET', one(id))).resolved, false);
  assert.equal((await server.request('POST', `${repository}/conflicts`, { token: server.adminToken, body: { nodeId: 'x' } })).status, 405);
  await resolve(id, 'source');
  await admin('POST', `${one(id)}/commit?branch=master`, {});
  assert.equal((await refused(id, 'commit')).json.code, 'nodes.conflict_committed');
  assert.equal((await refused(id, 'resolve?resolution=target')).json.code, 'nodes.conflict_committed');
});

test('elements of arrays and attachments are decided, too', async () => {
  const node = await make('master', { title: 'list', items: [{ _key: 'a', says: 1 }, { _key: 'b', says: 1 }] });
  const source = await fork();
  const upload = (branch, bytes) => server.request('POST', `${nodePath(branch, node)}/attachments/default`, { token: server.adminToken, body: Buffer.from(bytes), headers: { 'Content-Type': 'text/plain' } });
  for (const [branch, says] of [[source, 2], ['master', 3]]) {
    await put(branch, node, { items: [{ _key: 'a', says }, { _key: 'b', says: 1 }] });
    await upload(branch, `of ${says}`);
  }
  const ids = await met(source, 2);
  const [element] = await conflicts({ kind: 'value', committed: false });
  assert.equal(element.path, '/items/_key=a/says');
  await admin('POST', `${one(element._doc)}/resolve`, { resolution: 'value', value: { deep: [5] } });
  await resolve(ids.find((id) => id !== element._doc), 'source');
  await commit(element._doc);
  assert.deepEqual((await get('master', node)).items, [{ _key: 'a', says: { deep: [5] } }, { _key: 'b', says: 1 }]);
  assert.equal((await server.request('GET', `${nodePath('master', node)}/attachments/default`, { token: server.adminToken })).text, 'of 2');
});

test('who decides must be able to write all that the decision writes', async () => {
  await admin('POST', `${repository}/authorities/contributor/grant?id=default/writer`);
  const source = await fork();
  for (const branch of ['master', source]) await admin('POST', `${branchPath(branch)}/authorities/contributor/grant?id=default/writer`);
  const theirs = await makeIn('master', 'root', { title: 'plum', _qname: 'ex:plum' });
  const own = (await as('writer', 'POST', `${branchPath(source)}/nodes?rootNodeId=root&parentFolderPath=/`, { title: 'plum', _qname: 'ex:plum' })).json._doc;
  assert.ok(own);
  const [membership] = (await admin('GET', `${nodePath(source, own)}/associations?type=a:child&direction=INCOMING`)).rows;
  await admin('POST', `${nodePath(source, membership._doc)}/authorities/consumer/grant?id=default/writer`);
  await admin('POST', `${nodePath('master', theirs)}/authorities/consumer/grant?id=default/writer`);
  const merged = await as('writer', 'POST', `${branchPath('master')}/merge?id=${source}`, {});
  assert.equal(merged.status, 200, merged.text);
  assert.deepEqual(merged.json.conflicts.map(({ kind }) => kind).sort(), ['name', 'qname']);
  for (const id of merged.json.conflictIds) {
    const told = await as('writer', 'POST', `${one(id)}/resolve?resolution=source`, {});
    assert.deepEqual([told.status, told.json.code], [403, 'authority.permission_missing'], told.text);
    assert.equal((await as('writer', 'POST', `${one(id)}/resolve?resolution=target`, {})).status, 200);
  }
  assert.equal((await merge(source)).merged, true);
  assert.deepEqual([(await get('master', 'ex:plum'))._doc, (await get('master', theirs))._features?.['f:filename']], [theirs, undefined]);
});

test('nobody decides what the server goes by, all of a node, or a value that is large', async () => {
  const many = (says) => Object.fromEntries(Array.from({ length: 5001 }, (_, i) => [`m${i}`, says]));
  const node = await make('master', { title: 'many', a: many(0), b: many(0) });
  const named = await make('master', { title: 'named', _qname: 'ex:named' });
  const source = await fork();
  for (const [branch, says] of [[source, 1], ['master', 2]]) {
    await put(branch, node, { a: many(says), b: many(says) });
    await admin('POST', `${nodePath(branch, named)}/change_qname?qname=ex:named${says}`, {});
  }
  await met(source, 2);
  for (const { _doc, path } of await conflicts()) {
    assert.ok(path === '' || path === '/_qname', path);
    for (const value of [{ title: 'x', _system: {} }, 5]) {
      const { status: answer, json } = await refused(_doc, 'resolve?resolution=value', { value });
      assert.deepEqual([answer, json.violations?.[0].code], [400, 'nodes.resolution_unfit']);
    }
  }
  const { source: other } = await disputed();
  const [id] = await met(other);
  const large = await refused(id, 'resolve?resolution=value', { value: 'x'.repeat(65_536) });
  assert.deepEqual([large.status, large.json.violations?.[0].path], [400, 'value']);
});

test('what a decision was not needed for is not committed', async () => {
  const { node, source } = await disputed();
  const [id] = await met(source);
  await resolve(id, 'source');
  await put(source, node, { title: 'base' });
  assert.equal((await commit(id)).committed, false);
  assert.equal((await get('master', node)).title, 'of the target');
  assert.deepEqual(await conflicts({}), []);
});

test('people with other rights meet the same conflict, and its decision counts for both', async () => {
  const source = await fork();
  for (const branch of ['master', source]) await make(branch, { title: 'plum', _qname: 'ex:plum' });
  const [id] = await met(source);
  await resolve(id, 'target');
  for (const place of [repository, branchPath('master'), branchPath(source)]) await admin('POST', `${place}/authorities/contributor/grant?id=default/writer`);
  const [own] = (await admin('POST', `${branchPath(source)}/nodes/query`, { title: 'plum' })).rows;
  await admin('POST', `${nodePath(source, own._doc)}/authorities/consumer/grant?id=default/writer`);
  const merged = await as('writer', 'POST', `${branchPath('master')}/merge?id=${source}`, {});
  assert.deepEqual([merged.status, merged.json.merged], [200, true], merged.text);
  assert.equal((await admin('GET', one(id))).committed, true);
});

test('records that are as deep as records can be are decided, too', async () => {
  const nested = (levels) => (levels === 0 ? 1 : { a: nested(levels - 1) });
  const node = await make('master', { title: 'deep', deep: nested(97) });
  const source = await fork();
  await admin('DELETE', nodePath(source, node));
  await put('master', node, { title: 'edited' });
  const [id] = await met(source);
  const told = await admin('GET', one(id));
  assert.deepEqual([told.kind, 'base' in told, 'target' in told], ['delete-edit', false, false]);
  await resolve(id, 'source');
  await commit(id);
  assert.equal(await status('master', node), 404);
});

test('what a commit answers hides what a read hides', async () => {
  const { node, source } = await disputed();
  const [id] = await met(source);
  await resolve(id, 'source');
  await put(source, node, { title: 'base' });
  for (const place of [repository, branchPath('master'), branchPath(source)]) await admin('POST', `${place}/authorities/connector/grant?id=default/writer`);
  for (const branch of ['master', source]) await admin('POST', `${branchPath(branch)}/authorities/consumer/grant?id=default/writer`);
  await admin('POST', `${one(id)}/authorities/editor/grant?id=default/writer`);
  const told = await as('writer', 'POST', `${one(id)}/commit`, {});
  assert.equal(told.status, 200, told.text);
  for (const member of ['path', 'message', 'base', 'source', 'target', 'key', 'fingerprint', 'mentions', 'writes']) assert.ok(!(member in told.json), member);
});

test('of two nodes that come into a folder under one name either keeps it', async () => {
  for (const resolution of ['source', 'target']) {
    const [f, g] = [await folder('master', `f ${resolution}`), await folder('master', `g ${resolution}`)];
    const moved = await makeIn('master', g, { title: 'before' });
    const source = await fork();
    await put(source, moved, { title: 'plum' });
    const made = await makeIn(source, f, { title: 'plum' });
    await move('master', moved, f);
    const [id] = await met(source);
    const { nodeId } = await admin('GET', one(id));
    await resolve(id, resolution);
    await commit(id);
    const found = await admin('GET', `${nodePath('master', f)}?path=/plum`);
    const other = nodeId === made ? moved : made;
    assert.equal(found._doc, resolution === 'source' ? nodeId : other);
    assert.equal((await admin('GET', `${nodePath('master', f)}?path=/${encodeURIComponent('plum (2)')}`))._doc, resolution === 'source' ? other : nodeId);
  }
});

test('a folder that stays in its place keeps the place, and its name there', async () => {
  // The source has deleted the place.
  const around = await folder('master', 'around');
  const [a, b] = [await makeIn('master', around, { title: 'a', _features: { 'f:container': {} } }), await folder('master', 'b')];
  const source = await fork();
  await move(source, a, b);
  await admin('DELETE', nodePath(source, around));
  await move('master', b, a);
  const ids = await met(source, 1);
  await resolve(ids[0], 'target');
  assert.equal((await commit(ids[0])).committed, true);
  assert.deepEqual([await foldersOf('master', a), await foldersOf('master', b)], [[around], [a]]);
  assert.equal(await status('master', around), 200);
  // It has given its name to another one there.
  const [c, d] = [await folder('master', 'c'), await folder('master', 'd')];
  const second = await fork();
  await move(second, c, d);
  const other = await folder(second, 'c');
  await move('master', d, c);
  const [circle] = await met(second);
  await resolve(circle, 'target');
  for (let round = 0; round < 3 && !(await merge(second)).merged; ++round) {
    const [open] = (await conflicts()).filter(({ resolved }) => !resolved);
    await resolve(open._doc, 'target', '&all=true');
  }
  const root = (await get('master', 'root'))._doc;
  assert.deepEqual([await foldersOf('master', c), await foldersOf('master', other)], [[root], [root]]);
  assert.equal((await admin('GET', `${nodePath('master', 'root')}?path=/c`))._doc, c);
});
