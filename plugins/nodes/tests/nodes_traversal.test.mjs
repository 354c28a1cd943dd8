// Traversal, find, search and queries of nodes (docs/specification/nodes.md 13, 15, 16).
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { SteleServer } from '../../../tests/support/stele_server.mjs';

let server;
before(async () => { server = await SteleServer.start(); });
after(() => server.end());

const admin = (...args) => server.admin(...args);
const request = (method, path, body) =>
  server.request(method, path, { token: server.adminToken, body: method === 'GET' ? undefined : body ?? {} });
async function makeBranch() {
  return `/repositories/${(await admin('POST', '/repositories', {}))._doc}/branches/master`;
}
async function makeNode(branch, fields = {}) {
  const { _doc } = await admin('POST', `${branch}/nodes`, fields);
  return { id: _doc, path: `${branch}/nodes/${_doc}` };
}
const associate = (from, to, type, directionality = 'DIRECTED') =>
  admin('POST', `${from.path}/associate?node=${to.id}&type=${type}&directionality=${directionality}`, {});
const traverse = (from, config) => admin('POST', `${from.path}/traverse`, { traverse: config });
const sizes = ({ nodes, associations }) => [Object.keys(nodes).length, Object.keys(associations).length];
const ids = (map) => map.rows.map((row) => row._doc).sort();

/// A node with three friends who know each other, and what else hangs on them.
async function makeFriends() {
  const branch = await makeBranch();
  const [ann, bob, cid, dan] = [await makeNode(branch, { name: 'ann' }), await makeNode(branch, { name: 'bob' }),
                                await makeNode(branch, { name: 'cid' }), await makeNode(branch, { name: 'dan', _type: 'x:other' })];
  for (const [one, other] of [[ann, bob], [ann, cid], [ann, dan], [bob, cid], [cid, dan]])
    await associate(one, other, 'custom:friend', 'UNDIRECTED');
  return { branch, ann, bob, cid, dan };
}

test('three mutual friends at depth 1: their own ties are not walked (16)', async () => {
  const { ann } = await makeFriends();
  const found = await traverse(ann, { associations: { 'custom:friend': 'MUTUAL' }, depth: 1, filter: 'ALL_BUT_START_NODE' });
  assert.deepEqual(sizes(found), [3, 3]);
  assert.deepEqual([found.node, found.node_count], [ann.id, 3]);
  for (const [id, node] of Object.entries(found.nodes)) assert.deepEqual([node._doc, node._is_association], [id, false]);
  for (const [id, one] of Object.entries(found.associations)) assert.deepEqual([one._doc, one._is_association], [id, true]);
  assert.equal(found.ok, undefined);
});

test('undirected associations are walked under every direction; the start is there by default (16)', async () => {
  const { ann } = await makeFriends();
  for (const direction of ['ANY', 'incoming', 'OUTGOING', 'MUTUAL'])
    assert.deepEqual(sizes(await traverse(ann, { associations: { 'custom:friend': direction } })), [4, 3]);
});

test('each node once, however the ties run, at unlimited depth (16)', async () => {
  const branch = await makeBranch();
  const ring = [];
  for (let i = 0; i < 6; ++i) ring.push(await makeNode(branch));
  for (let i = 0; i < 6; ++i) await associate(ring[i], ring[(i + 1) % 6], 'custom:friend');
  const config = { associations: { 'custom:friend': 'OUTGOING' }, depth: -1, filter: 'ALL_BUT_START_NODE' };
  assert.deepEqual(sizes(await traverse(ring[0], config)), [5, 6]);
  assert.deepEqual(sizes(await traverse(ring[0], { ...config, depth: 2 })), [2, 2]);
  assert.deepEqual(sizes(await traverse(ring[0], { ...config, depth: 0 })), [0, 0]);
  assert.deepEqual(sizes(await traverse(ring[0], { ...config, associations: { 'custom:friend': 'ANY' }, depth: 1 })), [2, 2]);
});

test('a tree of sixteen, three levels down: thirteen nodes and associations (16)', async () => {
  const branch = await makeBranch();
  const top = await makeNode(branch);
  const below = async (parent, howMany) => {
    const made = [];
    for (let i = 0; i < howMany; ++i) made.push(await makeNode(branch));
    for (const child of made) await associate(parent, child, 'a:child');
    return made;
  };
  const [first, second] = await below(top, 2);
  const middle = [...await below(first, 2), ...await below(second, 3)];
  for (const [parent, howMany] of [[0, 3], [1, 2], [2, 1]]) {
    const made = await below(middle[parent], howMany);
    if (parent === 2) await below(made[0], 2);
  }
  const config = { associations: { 'a:child': 'OUTGOING' }, depth: 3, filter: 'ALL_BUT_START_NODE' };
  assert.deepEqual(sizes(await traverse(top, config)), [13, 13]);
  assert.deepEqual(sizes(await traverse(top, { ...config, depth: -1 })), [15, 15]);
});

test('from the root, the folders that the client put there and nothing else (16)', async () => {
  const branch = await makeBranch();
  const root = { path: `${branch}/nodes/root` };
  for (const title of ['one', 'two']) await associate(root, await makeNode(branch, { title }), 'a:child');
  const config = { associations: { 'a:child': 'ANY' }, depth: 1, filter: 'ALL_BUT_START_NODE' };
  assert.deepEqual(sizes(await traverse(root, config)), [2, 2]);
});

test('types select what is told, not what is walked (16)', async () => {
  const branch = await makeBranch();
  const chain = [await makeNode(branch), await makeNode(branch, { _type: 'x:a' }), await makeNode(branch, { _type: 'x:b' })];
  await associate(chain[0], chain[1], 'a:linked');
  await associate(chain[1], chain[2], 'a:linked');
  const found = await traverse(chain[0], { associations: { 'a:linked': 'OUTGOING' }, depth: 2, types: ['x:b'] });
  assert.deepEqual(Object.keys(found.nodes), [chain[2].id]);
  const parentOnly = await traverse(chain[0], { associations: { 'a:parent_of_linked': 'ANY' }, filter: 'ALL_BUT_START_NODE' });
  assert.deepEqual(sizes(parentOnly), [0, 0]);
});

test('a wrong traversal is refused and names the member', async () => {
  const branch = await makeBranch();
  const { path } = await makeNode(branch);
  for (const [name, config] of [['depth', { depth: -2 }], ['depth', { depth: 'far' }], ['depth', { depth: 1.5 }],
                                ['filter', { filter: 'SOME' }], ['associations', { associations: { 'a:child': 'UP' } }],
                                ['associations', { associations: 'a:child' }], ['types', { types: [1] }]]) {
    const reply = await request('POST', `${path}/traverse`, { traverse: config });
    assert.equal(reply.status, 400, JSON.stringify(config));
    assert.match(reply.json.message, new RegExp(name));
  }
});

test('a find meets all of its parts; its traversal leaves the start out (15)', async () => {
  const { branch, ann, bob, cid, dan } = await makeFriends();
  const friends = { associations: { 'custom:friend': 'ANY' } };
  const find = (body, query = '') => admin('POST', `${ann.path}/find${query}`, body);
  assert.deepEqual(ids(await find({ traverse: friends })), [bob.id, cid.id, dan.id].sort());
  assert.deepEqual(ids(await find({ traverse: { ...friends, filter: 'ALL' }, query: { name: 'ann' } })), [ann.id]);
  assert.deepEqual(ids(await find({ traverse: friends, query: { name: 'ann' } })), []);
  assert.deepEqual(ids(await find({ traverse: friends, query: { _type: 'x:other' } })), [dan.id]);
  assert.deepEqual(ids(await find({ query: { name: 'ann' } })), [ann.id]);
  const page = await find({ traverse: friends }, '?limit=1&sort=' + encodeURIComponent('{"name":-1}'));
  assert.deepEqual([page.total_rows, page.size, page.rows[0]._doc], [3, 1, dan.id]);
  const all = await admin('POST', `${branch}/nodes/find?limit=-1`, { query: { name: { $exists: true } } });
  assert.equal(all.total_rows, 4);
});

test('two hops from a node lies everything that its maker made (11.4, 15)', async () => {
  const branch = await makeBranch();
  const [one, two] = [await makeNode(branch, { kind: 'made' }), await makeNode(branch, { kind: 'made' })];
  const find = (depth) => admin('POST', `${one.path}/find`, { traverse: { depth }, query: { kind: 'made' } });
  assert.deepEqual(ids(await find(1)), []);
  assert.deepEqual(ids(await find(2)), [two.id]);
});

test('relatives are found by their association and a query (12, 15)', async () => {
  const { ann, bob } = await makeFriends();
  const found = await admin('POST', `${ann.path}/relatives/find?type=custom:friend`, { query: { name: 'bob' } });
  assert.deepEqual(ids(found), [bob.id]);
});

test('a query is taken from the parameter too, and deep ones are queries (13)', async () => {
  const branch = await makeBranch();
  const nodes = [];
  for (const meal of ['soup', 'soup', 'bread']) nodes.push(await makeNode(branch, { meal }));
  const soup = encodeURIComponent('{"meal":"soup"}');
  for (const path of ['query', 'query/deep']) {
    const found = await admin('GET', `${branch}/nodes/${path}?query=${soup}&limit=1`);
    assert.deepEqual([found.total_rows, found.size, found.rows[0]._doc], [2, 1, nodes[0].id]);
  }
  assert.equal((await admin('POST', `${branch}/nodes/query/deep`, { meal: 'bread' })).total_rows, 1);
  assert.equal((await request('GET', `${branch}/nodes/query?query=${encodeURIComponent('{"meal"')}`)).status, 400);
  assert.equal((await request('GET', `${branch}/nodes/query?query=1`)).status, 400);
});

test('without a plugin that searches, searching says so and queries go on (15)', async (t) => {
  const without = await SteleServer.start({ enable: 'identity,nodes' });
  t.after(() => without.end());
  const admin = (...args) => without.admin(...args);
  const request = (method, path, body) =>
    without.request(method, path, { token: without.adminToken, body: method === 'GET' ? undefined : body ?? {} });
  const branch = `/repositories/${(await admin('POST', '/repositories', {}))._doc}/branches/master`;
  await admin('POST', `${branch}/nodes`, { title: 'soup' });
  for (const [method, path, body] of [['GET', 'search?text=soup'], ['POST', 'search', { search: 'soup' }], ['POST', 'find', { search: 'soup' }]]) {
    const reply = await request(method, `${branch}/nodes/${path}`, body);
    assert.equal(reply.status, 503, reply.text);
    assert.equal(reply.json.code, 'nodes.search_missing');
  }
  assert.equal((await request('GET', `${branch}/nodes/search`)).status, 400);
  assert.equal((await admin('POST', `${branch}/nodes/find`, { search: '', query: { title: 'soup' } })).total_rows, 1);
});

test('what the caller may not read ends a walk', async () => {
  const branch = await makeBranch();
  const { _doc: userId } = await server.makeUser('walker');
  const token = await server.login('walker', 'secret-of-walker');
  const chain = [await makeNode(branch), await makeNode(branch), await makeNode(branch)];
  await associate(chain[0], chain[1], 'a:linked');
  await associate(chain[1], chain[2], 'a:linked');
  await admin('POST', `${branch.replace(/\/branches.*/, '')}/authorities/connector/grant?id=default/${userId}`, {});
  for (const path of [branch, chain[0].path, chain[2].path])
    await admin('POST', `${path}/authorities/consumer/grant?id=default/${userId}`, {});
  const walk = (path, body) => server.request('POST', `${chain[0].path}/${path}`, { token, body });
  const found = (await walk('traverse', { traverse: { associations: { 'a:linked': 'ANY' }, depth: -1 } })).json;
  assert.deepEqual(sizes(found), [1, 0]);
  assert.equal((await walk('find', { traverse: { depth: -1 } })).json.total_rows, 0);
  await admin('POST', `${chain[1].path}/authorities/consumer/grant?id=default/${userId}`, {});
  assert.deepEqual(sizes((await walk('traverse', { traverse: { associations: { 'a:linked': 'ANY' }, depth: -1 } })).json), [3, 2]);
});
