// Nodes are brought to another branch by merging (docs/reference/nodes_folders.md; docs/specification/merge_and_transfer.md 1.4).
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { endedJob } from '../../../tests/support/ended_job.mjs';
import { SteleServer } from '../../../tests/support/stele_server.mjs';

let server;
let repository;
let draft;
before(async () => { server = await SteleServer.start(); });
after(() => server.end());
beforeEach(async () => {
  repository = `/repositories/${(await admin('POST', '/repositories', {}))._doc}`;
});

const admin = (...args) => server.admin(...args);
const ask = (method, path, body, token = server.adminToken) => server.request(method, path, { token, body });
const branchPath = (branch) => `${repository}/branches/${branch}`;
const nodePath = (branch, node) => `${branchPath(branch)}/nodes/${node}`;
const make = async (branch, fields = {}) => (await admin('POST', `${branchPath(branch)}/nodes`, fields))._doc;
const makeIn = async (branch, folder, fields = {}) =>
  (await admin('POST', `${branchPath(branch)}/nodes?rootNodeId=${folder}&parentFolderPath=/`, fields))._doc;
const get = (branch, node) => admin('GET', nodePath(branch, node));
const put = async (branch, node, fields) => admin('PUT', nodePath(branch, node), { ...(await get(branch, node)), ...fields });
const status = async (branch, node) => (await ask('GET', nodePath(branch, node))).status;
const tip = async (branch) => (await admin('GET', branchPath(branch))).tip;
const fork = async () => (await admin('POST', `${branchPath('')}?branch=master`, {}))._doc;
const folder = (title) => ({ title, _features: { 'f:container': {} } });
const associate = async (branch, source, target, type = 'a:linked') =>
  (await admin('POST', `${nodePath(branch, source)}/associate?node=${target}&type=${type}`, {}))._doc;
const outgoing = async (branch, node) => (await admin('GET', `${nodePath(branch, node)}/outgoing`)).rows.map(({ _type, target }) => `${_type} ${target}`).sort();
const publish = (nodeIds, more = {}, source = draft) => ask('POST', `${branchPath('master')}/copyfrom?id=${source}`, { nodeIds, ...more });
async function published(nodeIds, more, source) {
  const reply = await publish(nodeIds, more, source);
  assert.equal(reply.status, 200, reply.text);
  return reply.json._docs.sort();
}
async function changes(source, target) {
  const { _doc } = await admin('POST', `${branchPath(target)}/changes/start?id=${source}`, {});
  return (await endedJob(admin, _doc))._result.rows.map(({ nodeId }) => nodeId);
}

test('what both branches have changed of a node holds, and what does not go together is refused whole', async () => {
  const node = await make('master', { title: 'Plum', colour: 'blue', size: 1 });
  draft = await fork();
  await put(draft, node, { colour: 'red' });
  await put('master', node, { size: 2 });
  assert.deepEqual(await published([node]), [node]);
  const merged = await get('master', node);
  assert.deepEqual([merged.colour, merged.size], ['red', 2]);

  const other = await make(draft, { title: 'Other' });
  await put(draft, node, { size: 3 });
  await put('master', node, { size: 4 });
  const before = await tip('master');
  const refused = await publish([other, node]);
  assert.deepEqual([refused.status, refused.json.code], [409, 'nodes.copy_conflicts']);
  assert.match(refused.json.message, /1 change.*\/size of Plum/);
  const job = await endedJob(admin, (await admin('POST', `${branchPath('master')}/copyfrom/start?id=${draft}`, { nodeIds: [other, node] }))._doc);
  assert.equal(job.state, 'ERROR');
  assert.deepEqual([await tip('master'), await status('master', other)], [before, 404]);
  // Whoever means it takes the node as it is.
  assert.deepEqual(await published([node], { overwrite: true }), [node]);
  assert.equal((await get('master', node)).size, 3);
});

test('a node is published again and again, back and forth, and merged as a whole after that', async () => {
  const node = await make('master', { title: 'Plum', size: 0 });
  draft = await fork();
  for (const size of [1, 2, 3]) {
    await put(draft, node, { size });
    await published([node]);
    assert.equal((await get('master', node)).size, size);
  }
  await put('master', node, { size: 4 });
  const back = await ask('POST', `${branchPath(draft)}/copyfrom?id=master`, { nodeIds: [node] });
  assert.equal(back.status, 200, back.text);
  assert.equal((await get(draft, node)).size, 4);
  // A fork has taken over what its parent has.
  const child = await fork();
  await put(draft, node, { size: 5 });
  for (const target of [child, 'master']) {
    const report = await admin('POST', `${branchPath(target)}/merge?id=${draft}`, {});
    assert.deepEqual([report.merged, report.conflicts], [true, []]);
    assert.equal((await get(target, node)).size, 5);
  }
});

test('nothing changes when nodes are published that are there already, and no changes are left between the branches', async () => {
  const box = await makeIn('master', 'root', folder('Box'));
  draft = await fork();
  const nodes = [await makeIn(draft, box, { title: 'One' }), await make(draft, { title: 'Two' })];
  await associate(draft, nodes[0], nodes[1]);
  await put(draft, box, { text: 'changed' });
  await published(nodes);
  // The folder was not named: it has come as it was.
  assert.deepEqual(await changes(draft, 'master'), [box]);
  const before = await tip('master');
  await published(nodes);
  assert.equal(await tip('master'), before);
  await published([box]);
  assert.deepEqual(await changes(draft, 'master'), []);
});

test('folders that are missing, translations and owned nodes come along, and what lies beside them does not', async () => {
  draft = await fork();
  const outer = await makeIn(draft, 'root', folder('Outer'));
  const inner = await makeIn(draft, outer, folder('Inner'));
  const node = await makeIn(draft, inner, { title: 'Plum', _features: { 'f:multilingual': { edition: '1.0' } } });
  const beside = await makeIn(draft, inner, { title: 'Beside' });
  const stone = await make(draft, { title: 'Stone' });
  await associate(draft, node, stone, 'a:owned');
  const pip = await make(draft, { title: 'Pip' });
  await associate(draft, stone, pip, 'a:owned');
  const linked = await make(draft, { title: 'Linked' });
  await associate(draft, node, linked);
  const translation = (await admin('POST', `${nodePath(draft, node)}/i18n?locale=de&edition=1.0`, { title: 'Pflaume' }))._doc;
  assert.deepEqual(await published([node]), [outer, inner, node, stone, pip, translation].sort());
  assert.deepEqual((await admin('GET', `${nodePath('master', node)}/path`)).path, '/Outer/Inner/Plum');
  assert.equal((await admin('GET', `${nodePath('master', node)}/i18n?locale=de&edition=1.0`)).title, 'Pflaume');
  assert.deepEqual(await outgoing('master', node), [`a:has_translation ${translation}`, `a:owned ${stone}`].sort());
  for (const left of [beside, linked]) assert.equal(await status('master', left), 404);
  // Named with the rest, and then as far as asked.
  await published([beside]);
  assert.deepEqual((await admin('GET', `${nodePath('master', beside)}/path`)).path, '/Outer/Inner/Beside');
  const far = await make(draft, { title: 'Far' });
  await associate(draft, linked, far);
  assert.deepEqual(await published([node], { includeAllAssociations: true }), [linked, node, stone, pip, translation].sort());
  assert.equal(await status('master', far), 404);
  await published([node], { optionalAssociationsMaxDepth: 2 });
  assert.equal(await status('master', far), 200);
});

test('what properties name comes along when that is asked for', async () => {
  await make('master', { _type: 'd:type', _qname: 'custom:naming', properties: { named: { type: 'object', _relator: { associationType: 'my:by' } } } });
  draft = await fork();
  const named = await make(draft, { title: 'Named' });
  const node = await make(draft, { _type: 'custom:naming', title: 'Naming', named: { id: named } });
  assert.deepEqual(await published([node]), [node]);
  assert.deepEqual(await outgoing('master', node), []);
  await admin('DELETE', nodePath('master', node));
  assert.deepEqual(await published([node], { includeRelators: true }), [named, node].sort());
  assert.deepEqual(await outgoing('master', node), [`my:by ${named}`]);
});

test('a move is published with its node, and an association that is gone goes', async () => {
  const [here, there] = [await makeIn('master', 'root', folder('Here')), await makeIn('master', 'root', folder('There'))];
  const [node, other] = [await makeIn('master', here, { title: 'Plum' }), await make('master', { title: 'Other' })];
  await associate('master', node, other);
  draft = await fork();
  await admin('POST', `${nodePath(draft, node)}/move?targetNodeId=${there}`, {});
  await admin('POST', `${nodePath(draft, node)}/unassociate?node=${other}&type=a:linked`, {});
  await published([node]);
  const folders = (await admin('GET', `${nodePath('master', node)}/associations?type=a:child&direction=INCOMING`)).rows.map(({ source }) => source);
  assert.deepEqual(folders, [there]);
  assert.deepEqual(await outgoing('master', node), []);
});

test('a node that the target has deleted comes back when it is named', async () => {
  const node = await makeIn('master', 'root', { title: 'Plum' });
  draft = await fork();
  await admin('DELETE', nodePath('master', node));
  await published([node]);
  assert.deepEqual((await admin('GET', `${nodePath('master', node)}/path`)).path, '/Plum');
});

test('what the source has deleted is deleted when that is asked for, and only what it has had', async () => {
  const node = await make('master', { title: 'Plum' });
  draft = await fork();
  const own = await make('master', { title: 'Of the target alone' });
  await admin('DELETE', nodePath(draft, node));
  assert.equal((await publish([node])).status, 404);
  assert.equal((await publish([own], { forceDelete: true })).status, 404);
  assert.deepEqual(await published([node], { forceDelete: true }), []);
  assert.deepEqual([await status('master', node), await status('master', own)], [404, 200]);
});

test('publish brings nodes of a branch to the master or another branch, and unpublish takes them from there', async () => {
  draft = await fork();
  const other = await fork();
  const node = await make(draft, { title: 'Plum' });
  const did = await admin('POST', `${branchPath(draft)}/publish`, { nodes: [node] });
  assert.deepEqual([did._docs, did.targetBranchId], [[node], (await admin('GET', branchPath('master')))._doc]);
  assert.deepEqual([await status('master', node), await status(other, node)], [200, 404]);
  await admin('POST', `${branchPath(draft)}/publish?targetBranchId=${other}`, { nodes: [node] });
  assert.equal(await status(other, node), 200);
  assert.deepEqual((await admin('POST', `${branchPath(draft)}/unpublish`, { nodes: [node] }))._docs, [node]);
  assert.deepEqual([await status('master', node), await status(other, node), await status(draft, node)], [404, 200, 200]);
  for (const [path, name] of [['master/publish', 'targetBranchId'], [`${draft}/publish?targetBranchId=nowhere`, 'targetBranchId']]) {
    const refused = await ask('POST', branchPath(path), { nodes: [node] });
    assert.deepEqual([refused.status, refused.json.errors?.[0]?.path ?? refused.json.violations?.[0]?.path], [400, name], refused.text);
  }
  for (const body of [{}, { nodes: [1] }, { nodes: [] }]) assert.equal((await ask('POST', branchPath(`${draft}/publish`), body)).status, 400);
});

test('whoever publishes needs what merging needs, and names nothing that is hidden', async () => {
  const node = await make('master', { title: 'Plum' });
  draft = await fork();
  await put(draft, node, { size: 1 });
  const owned = await make(draft, { title: 'Hidden' });
  await associate(draft, node, owned, 'a:owned');
  await server.makeUser('publisher');
  const token = await server.login('publisher', 'secret-of-publisher');
  const grant = (path, role) => admin('POST', `${path}/authorities/${role}/grant?id=default/publisher`, {});
  const attempt = (path = `${draft}/publish`) => ask('POST', branchPath(path), { nodes: [node] }, token);
  assert.equal((await attempt()).status, 404);
  for (const branch of ['master', draft]) for (const path of [branchPath(branch), nodePath(branch, node)]) await grant(path, 'consumer');
  assert.deepEqual([(await attempt()).json.code, (await attempt(`${draft}/unpublish`)).json.code], Array(2).fill('authority.permission_missing'));
  await grant(nodePath('master', node), 'editor');
  const done = await attempt();
  assert.equal(done.status, 200, done.text);
  assert.deepEqual([(await get('master', node)).size, await status('master', owned)], [1, 404]);
  assert.ok(!done.text.includes(owned));
});

test('nobody gives others, by the folder that publishing puts a node into, what they do not hold on the node', async () => {
  const [shelf, node] = [await makeIn('master', 'root', folder('Shelf')), await make('master', { title: 'Node' })];
  const tokens = {};
  for (const name of ['mover', 'holder']) {
    await server.makeUser(name);
    tokens[name] = await server.login(name, `secret-of-${name}`);
  }
  const grant = (path, role, name) => admin('POST', `${path}/authorities/${role}/grant?id=default/${name}`, {});
  draft = await fork();
  const membership = await associate(draft, shelf, node, 'a:child');
  for (const path of [branchPath('master'), branchPath(draft), nodePath(draft, shelf), nodePath(draft, node), nodePath(draft, membership)]) await grant(path, 'consumer', 'mover');
  await grant(branchPath('master'), 'consumer', 'holder');
  for (const [path, role] of [[nodePath('master', shelf), 'contributor'], [nodePath('master', node), 'collaborator'], [branchPath('master'), 'contributor']]) await grant(path, role, 'mover');
  await grant(nodePath('master', shelf), 'manager', 'holder');
  const byMover = () => ask('POST', `${branchPath(draft)}/publish`, { nodes: [node] }, tokens.mover);
  const refused = await byMover();
  assert.deepEqual([refused.status, refused.json.code], [403, 'nodes.membership_gives_rights'], refused.text);
  await grant(nodePath('master', node), 'manager', 'holder');
  const done = await byMover();
  assert.equal(done.status, 200, done.text);
});

/// Values of a node's members on a branch.
const said = async (branch, node, ...names) => { const now = await get(branch, node); return names.map((name) => now[name]); };
const into = (target, source, nodeIds, more = {}) => ask('POST', `${branchPath(target)}/copyfrom?id=${source}`, { nodeIds, ...more });
async function taken(target, source, node, more) {
  const reply = await into(target, source, [node], more);
  assert.equal(reply.status, 200, reply.text);
}
async function mergedWhole(source, target) {
  const report = await admin('POST', `${branchPath(target)}/merge?id=${source}`, {});
  assert.deepEqual([report.merged, report.conflicts], [true, []]);
}

test('a publication is no newer base than a merge that has taken it in', async () => {
  for (const isWhole of [false, true]) {
    const bring = (node) => (isWhole ? mergedWhole(draft, 'master') : taken('master', draft, node));
    const node = await make('master', { title: `Plum ${isWhole}`, x: 0 });
    draft = await fork();
    await put(draft, node, { x: 1 });
    await taken('master', draft, node);
    await put('master', node, { x: 2 });
    await mergedWhole('master', draft);
    await put('master', node, { x: 1 });
    await bring(node);
    assert.deepEqual(await said('master', node, 'x'), [1]);
    // And what the draft has changed since comes.
    await put('master', node, { x: 2 });
    await mergedWhole('master', draft);
    await put(draft, node, { x: 1 });
    await bring(node);
    assert.deepEqual(await said('master', node, 'x'), [1]);
    await put(draft, node, { x: 3 });
    await bring(node);
    assert.deepEqual(await said('master', node, 'x'), [3]);
  }
});

test('what came from several branches, published and merged, is one base', async () => {
  const node = await make('master', { title: 'Plum', x: 0, y: 0 });
  draft = await fork();
  const other = await fork();
  await put(draft, node, { x: 1 });
  await taken('master', draft, node);
  await put(other, node, { y: 1 });
  for (const target of [draft, 'master']) await mergedWhole(other, target);
  await put('master', node, { y: 0 });
  await taken('master', draft, node);
  assert.deepEqual(await said('master', node, 'x', 'y'), [1, 0]);
  // Two publications, of which the draft has both.
  const second = await make('master', { title: 'Peach', x: 0, y: 0 });
  for (const target of [draft, other]) await mergedWhole('master', target);
  await put(draft, second, { x: 1 });
  await taken('master', draft, second);
  await put(other, second, { y: 1 });
  await taken('master', other, second);
  await mergedWhole(other, draft);
  await put('master', second, { x: 0 });
  await taken('master', draft, second);
  assert.deepEqual(await said('master', second, 'x', 'y'), [0, 1]);
});

test('a draft that was reset to before a publication still has given what came before', async () => {
  const node = await make('master', { title: 'Plum', x: 0, y: 0 });
  draft = await fork();
  await put(draft, node, { y: 1 });
  const before = await tip(draft);
  await put(draft, node, { x: 1 });
  await taken('master', draft, node);
  await endedJob(admin, (await admin('POST', `${branchPath(draft)}/reset/start?id=${before}`, {}))._doc);
  await put('master', node, { y: 0 });
  await put(draft, node, { z: 6 });
  await taken('master', draft, node);
  assert.deepEqual(await said('master', node, 'y', 'z'), [0, 6]);
});

test('a node that both branches have moved is refused, not put into both folders', async () => {
  const [here, one, two] = [await makeIn('master', 'root', folder('Here')), await makeIn('master', 'root', folder('One')), await makeIn('master', 'root', folder('Two'))];
  const node = await makeIn('master', here, { title: 'Plum' });
  draft = await fork();
  await admin('POST', `${nodePath(draft, node)}/move?targetNodeId=${one}`, {});
  await admin('POST', `${nodePath('master', node)}/move?targetNodeId=${two}`, {});
  const refused = await publish([node]);
  assert.deepEqual([refused.status, refused.json.code], [409, 'nodes.copy_conflicts'], refused.text);
  assert.match(refused.json.message, /moved/);
});

const foldersOf = async (branch, node) =>
  (await admin('GET', `${nodePath(branch, node)}/associations?type=a:child&direction=INCOMING`)).rows.map(({ source }) => source).sort();

test('what the target has deleted stays deleted unless it is named', async () => {
  const [gone, other] = [await makeIn('master', 'root', folder('Gone')), await makeIn('master', 'root', folder('Other'))];
  const [child, edited] = [await makeIn('master', gone, { title: 'Child' }), await makeIn('master', gone, { title: 'Edited' })];
  const owned = await make('master', { title: 'Owned' });
  await associate('master', edited, owned, 'a:owned');
  draft = await fork();
  for (const node of [child, edited]) await admin('POST', `${nodePath('master', node)}/move?targetNodeId=${other}`, {});
  for (const node of [gone, owned]) await admin('DELETE', nodePath('master', node));
  await put(draft, edited, { text: 'changed' });
  await taken('master', draft, edited);
  assert.deepEqual([await said('master', edited, 'text'), await foldersOf('master', edited), await foldersOf('master', child)], [['changed'], [other], [other]]);
  assert.deepEqual([await status('master', gone), await status('master', owned)], [404, 404]);
  // New in a folder that is gone there, it has no place.
  const added = await makeIn(draft, gone, { title: 'Added' });
  assert.equal((await publish([added])).status, 409);
  assert.deepEqual([await status('master', gone), await status('master', added)], [404, 404]);
});

test('a node that comes back has the associations that may come, and no others', async () => {
  const [node, other] = [await makeIn('master', 'root', { title: 'Plum' }), await make('master', { title: 'Other' })];
  await associate('master', node, other);
  draft = await fork();
  await admin('DELETE', nodePath('master', node));
  await taken('master', draft, node, { excludeAssociationTypes: true });
  assert.deepEqual([await outgoing('master', node), await foldersOf('master', node)], [[], []]);
});

test('a node that somebody has joined with what is hidden is published without that', async () => {
  const [node, hidden] = [await make('master', { title: 'Plum' }), await make('master', { title: 'Hidden' })];
  draft = await fork();
  await associate(draft, hidden, node);
  await server.makeUser('owner-of-plum');
  const token = await server.login('owner-of-plum', 'secret-of-owner-of-plum');
  for (const branch of ['master', draft]) {
    await admin('POST', `${branchPath(branch)}/authorities/contributor/grant?id=default/owner-of-plum`, {});
    await admin('POST', `${nodePath(branch, node)}/authorities/manager/grant?id=default/owner-of-plum`, {});
  }
  await admin('DELETE', nodePath('master', node));
  const reply = await ask('POST', `${branchPath(draft)}/publish`, { nodes: [node] }, token);
  assert.ok(!reply.text.includes(hidden), reply.text);
});

test('an owner comes with what it owns', async () => {
  const [first, node] = [await make('master', { title: 'First' }), await make('master', { title: 'Plum' })];
  await associate('master', first, node, 'a:owned');
  draft = await fork();
  const second = await make(draft, { title: 'Second' });
  await admin('POST', `${nodePath(draft, first)}/unassociate?node=${node}&type=a:owned`, {});
  await associate(draft, second, node, 'a:owned');
  await published([node]);
  assert.deepEqual([await outgoing('master', first), await outgoing('master', second)], [[], [`a:owned ${node}`]]);
});

test('a decision of a conflict between the branches holds when its node is published', async () => {
  const node = await make('master', { title: 'Plum', size: 0 });
  draft = await fork();
  await put(draft, node, { size: 1 });
  await put('master', node, { size: 2 });
  const { conflictIds: [conflict] } = await admin('POST', `${branchPath('master')}/merge?id=${draft}`, {});
  assert.equal((await publish([node])).status, 409);
  await admin('POST', `${repository}/conflicts/${conflict}/resolve?resolution=source`, {});
  await published([node]);
  assert.deepEqual(await said('master', node, 'size'), [1]);
});

test('what was taken as it is, and what both have made alike, is the base of the next publication', async () => {
  const node = await make('master', { title: 'Plum', x: 0 });
  draft = await fork();
  await put(draft, node, { x: 1 });
  await put('master', node, { x: 2 });
  await taken('master', draft, node, { overwrite: true });
  await put(draft, node, { x: 3 });
  await taken('master', draft, node);
  assert.deepEqual(await said('master', node, 'x'), [3]);
  for (const branch of ['master', draft]) await put(branch, node, { x: 4 });
  await taken('master', draft, node);
  await put(draft, node, { x: 5 });
  await taken('master', draft, node);
  assert.deepEqual(await said('master', node, 'x'), [5]);
});

test('only what stands for associations is named on the target', async () => {
  const node = await make('master', { title: 'Plum', other: 0 });
  const elsewhere = await fork();
  const platform = (await admin('GET', '/'))._doc;
  const pinned = { id: node, ref: `node://${platform}/${repository.split('/')[2]}/${elsewhere}/${node}` };
  await put('master', node, { pinned });
  draft = await fork();
  await put(draft, node, { other: 1 });
  await taken('master', draft, node);
  assert.deepEqual(await said('master', node, 'pinned', 'other'), [pinned, 1]);
  const again = { ...pinned, ref: `node://${platform}/${repository.split('/')[2]}/${draft}/${node}` };
  await put(draft, node, { pinned: again });
  await taken('master', draft, node);
  assert.deepEqual(await said('master', node, 'pinned'), [again]);
});
