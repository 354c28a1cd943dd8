// Associations, children, relatives and statistics of nodes (docs/specification/nodes.md 11, 12).
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { SteleServer } from '../../../tests/support/stele_server.mjs';

let server;
let branch;
before(async () => {
  server = await SteleServer.start();
  branch = await makeBranch();
});
after(() => server.end());

const admin = (...args) => server.admin(...args);
async function makeBranch(fields = {}) {
  return `/repositories/${(await admin('POST', '/repositories', fields))._doc}/branches/master`;
}
async function makeNode(fields = {}, at = branch) {
  const { _doc } = await admin('POST', `${at}/nodes`, fields);
  return { id: _doc, path: `${at}/nodes/${_doc}` };
}
const associate = (from, to, parameters = '', body = {}) =>
  admin('POST', `${from.path}/associate?node=${to.id}${parameters}`, body);
const unassociate = (from, to, parameters = '') => admin('POST', `${from.path}/unassociate?node=${to.id}${parameters}`);
const count = async (path) => (await admin('GET', path)).total_rows;
const ids = (map) => map.rows.map((row) => row._doc);
const refused = async (method, path, body = {}) => {
  const reply = await server.request(method, path, { token: server.adminToken, body: method === 'GET' ? undefined : body });
  return reply.status;
};

test('a fresh node has one association, incoming, from the node of its creator (11.4)', async () => {
  const node = await makeNode();
  const { rows, total_rows } = await admin('GET', `${node.path}/associations`);
  assert.equal(total_rows, 1);
  assert.equal(rows[0]._type, 'a:has_role');
  assert.equal(rows[0].target, node.id);
  assert.equal(rows[0]._is_association, true);
  const person = await admin('GET', `${branch}/nodes/${rows[0].source}`);
  assert.equal(person._type, 'n:person');
  assert.equal(await count(`${node.path}/incoming`), 1);
  assert.equal(await count(`${node.path}/outgoing`), 0);
  assert.equal(await count(`${node.path}/mutual`), 0);
});

test('counts follow a child and an undirected link, and go back (11.4, checklist 5)', async () => {
  const [one, two, three] = [await makeNode(), await makeNode(), await makeNode()];
  await associate(one, two, '&type=a:child');
  await associate(one, three, '&type=a:linked&directionality=UNDIRECTED');
  const counts = async (node) =>
    Promise.all(['ANY', 'OUTGOING', 'incoming', 'MUTUAL'].map((direction) => count(`${node.path}/associations?direction=${direction}`)));
  assert.deepEqual(await counts(one), [3, 2, 2, 1]);
  assert.deepEqual(await counts(two), [2, 0, 2, 0]);
  assert.deepEqual(await counts(three), [2, 1, 2, 1]);
  assert.equal(await count(`${one.path}/associations?type=a:child`), 1);
  await unassociate(one, two, '&type=a:child');
  await unassociate(one, three, '&type=a:linked&directionality=UNDIRECTED');
  assert.deepEqual(await counts(one), [1, 0, 1, 0]);
  assert.deepEqual(await counts(three), [1, 0, 1, 0]);
});

test('an undirected association is taken away from either end (11.5)', async () => {
  const [one, two] = [await makeNode(), await makeNode()];
  await associate(one, two, '&directionality=undirected');
  await unassociate(two, one, '&type=a:linked&directionality=UNDIRECTED');
  assert.equal(await count(`${one.path}/mutual`), 0);
  assert.equal((await unassociate(two, one, '&type=a:linked')).ok, true);
});

test('social assembly adds a:created (11.4)', async () => {
  const social = await makeBranch({ enableSocialAssembly: true });
  const [one, two] = [await makeNode({}, social), await makeNode({}, social)];
  assert.equal(await count(`${one.path}/associations`), 2);
  assert.equal(await count(`${one.path}/associations?type=a:created&direction=INCOMING`), 1);
  await associate(two, one);
  assert.equal(await count(`${one.path}/associations`), 3);
});

test('social assembly is switched on and off for all branches, as of now (11.4)', async () => {
  const master = await makeBranch();
  const repository = master.split('/branches')[0];
  const { _doc: id } = await admin('POST', `${master}/nodes`, {});
  const { _doc: fork } = await admin('POST', `${repository}/branches?branch=master`, {});
  const paths = [master, `${repository}/branches/${fork}`].map((one) => `${one}/nodes/${id}`);
  const counts = async () => Promise.all(paths.map(async (path) => (await admin('GET', path))._statistics['a:created'] ?? 0));
  assert.deepEqual(await counts(), [0, 0]);
  await admin('PUT', repository, { enableSocialAssembly: true });
  assert.deepEqual(await counts(), [1, 1]);
  await admin('PUT', repository, { title: 'not any more' });
  assert.deepEqual(await counts(), [0, 0]);
});

test('associate answers the whole association; it is a node, too (11.2, 6)', async () => {
  const [one, two] = [await makeNode({ title: 'one' }), await makeNode()];
  const made = await associate(one, two, '&type=custom:friend&directionality=UNDIRECTED', { test: 'field', tags: ['a'] });
  assert.equal(made.ok, true);
  assert.deepEqual([made.source, made.target, made.directionality, made._type], [one.id, two.id, 'UNDIRECTED', 'custom:friend']);
  assert.deepEqual([made.source_type, made.target_type, made._is_association], ['n:node', 'n:node', true]);
  assert.deepEqual([made.test, made.tags], ['field', ['a']]);
  assert.match(made._qname, /^o:/);
  const path = `${branch}/nodes/${made._doc}`;
  const read = await admin('GET', path);
  assert.equal(read.source_changeset, (await admin('GET', one.path))._system.changeset);
  assert.equal(await count(`${path}/associations`), 0);
  await admin('PUT', path, { title: 'changed' });
  const changed = await admin('GET', path);
  assert.deepEqual([changed.title, changed.source, changed.target, changed.directionality], ['changed', one.id, two.id, 'UNDIRECTED']);
  await admin('DELETE', path);
  assert.equal(await count(`${one.path}/mutual`), 0);
});

test('the type comes from the parameter, else from _type, else it is a:linked (11.1)', async () => {
  const one = await makeNode();
  const types = [];
  for (const [parameters, body] of [['&type=x:a', { _type: 'x:b' }], ['', { _type: 'x:b' }], ['', {}], ['', { type: 'no type' }]]) {
    const made = await associate(one, await makeNode(), parameters, body);
    types.push([made._type, made.type]);
  }
  assert.deepEqual(types, [['x:a', undefined], ['x:b', undefined], ['a:linked', undefined], ['a:linked', 'no type']]);
});

test('the same association twice is one, with other properties or the other way round it is another', async () => {
  const [one, two] = [await makeNode(), await makeNode()];
  const first = await associate(one, two, '', { note: 1 });
  assert.equal((await associate(one, two, '', { note: 1 }))._doc, first._doc);
  const others = [await associate(one, two, '', { note: 2 }), await associate(two, one, '', { note: 1 }),
                  await associate(one, two, '&type=a:child', { note: 1 })];
  assert.equal(new Set([first, ...others].map((made) => made._doc)).size, 4);
  await unassociate(one, two, '&type=a:linked');
  assert.equal(await count(`${one.path}/outgoing`), 1);
  assert.equal(await count(`${one.path}/incoming?type=a:linked`), 1);
});

test('what is no end, no direction or no node is refused (11.5)', async () => {
  const [one, two] = [await makeNode(), await makeNode()];
  const association = await associate(one, two);
  const at = `${one.path}/associate?node=`;
  assert.equal(await refused('POST', `${one.path}/associate`), 400);
  assert.equal(await refused('POST', `${at}0123456789abcdef0123`), 404);
  assert.equal(await refused('POST', `${at}${association._doc}`), 400);
  assert.equal(await refused('POST', `${branch}/nodes/${association._doc}/associate?node=${one.id}`), 400);
  assert.equal(await refused('POST', `${at}${two.id}&directionality=SIDEWAYS`), 400);
  assert.equal(await refused('POST', `${at}${two.id}&type=nocolon`), 400);
  assert.equal(await refused('POST', `${at}${two.id}&type=a:has_lock`), 400);
  assert.equal(await refused('GET', `${one.path}/associations?direction=SIDEWAYS`), 400);
  assert.equal(await count(`${one.path}/associations`), 2);
});

test('associating makes no versions of the ends (11.5)', async () => {
  const [one, two] = [await makeNode(), await makeNode()];
  const before = await admin('GET', one.path);
  await associate(one, two);
  const now = await admin('GET', one.path);
  assert.deepEqual(now._system, before._system);
});

test('children and relatives: members in order, each node once, the parent too (12.2)', async () => {
  const [folder, parent] = [await makeNode(), await makeNode()];
  const members = [await makeNode({ kind: 'a', n: 2 }), await makeNode({ kind: 'b', n: 1 })];
  await associate(parent, folder, '&type=a:child');
  for (const member of members) await associate(folder, member, '&type=a:child');
  await associate(folder, members[0], '&type=a:linked');
  assert.deepEqual(ids(await admin('GET', `${folder.path}/children`)), members.map(({ id }) => id));
  assert.deepEqual(ids(await admin('GET', `${folder.path}/children?sort=${encodeURIComponent('{"n":1}')}`)),
                   members.map(({ id }) => id).reverse());
  const page = await admin('GET', `${folder.path}/children?skip=1&limit=1`);
  assert.deepEqual([page.total_rows, page.offset, page.size, ids(page)], [2, 1, 1, [members[1].id]]);
  const any = await admin('GET', `${folder.path}/relatives?type=a:child&direction=ANY`);
  assert.equal(any.total_rows, 3);
  assert.ok(any.rows.every((row) => row._is_association === false));
  assert.equal(await count(`${folder.path}/relatives?direction=OUTGOING`), 2);
  const queried = await admin('POST', `${folder.path}/relatives/query?type=a:child&direction=ANY`, { kind: 'a' });
  assert.deepEqual(ids(queried), [members[0].id]);
});

test('conditions of a query of relatives are no parameters (12.1)', async () => {
  const [one, two, three] = [await makeNode(), await makeNode({ type: 'article' }), await makeNode({ type: 'note' })];
  await associate(one, two);
  await associate(one, three);
  assert.deepEqual(ids(await admin('POST', `${one.path}/relatives/query`, { type: 'article' })), [two.id]);
  const selected = await admin('POST', `${one.path}/relatives/query?limit=1`, { type: 'article', _fields: { type: 1 } });
  assert.equal(selected.rows[0]._system, undefined);
});

test('the nearest folder of a type is found upwards (12.1)', async () => {
  const [top, middle, low] = [await makeNode({ _type: 'x:shelf' }), await makeNode({ _type: 'x:shelf' }), await makeNode()];
  const leaf = await makeNode();
  for (const [from, to] of [[top, middle], [middle, low], [low, leaf]]) await associate(from, to, '&type=a:child');
  assert.equal((await admin('POST', `${leaf.path}/ancestorbytype?type=x:shelf`, {}))._doc, middle.id);
  assert.equal(await refused('POST', `${leaf.path}/ancestorbytype?type=x:other`), 404);
  assert.equal(await refused('POST', `${leaf.path}/ancestorbytype`), 400);
});

test('statistics count associations by type and sum up ratings (12.3)', async () => {
  const node = await makeNode();
  for (const rating of [2, 5]) await associate(node, await makeNode({ _type: 'n:comment', rating }), '&type=a:has_comment');
  await associate(node, await makeNode({ rating: 100 }), '&type=a:has_comment');
  await associate(await makeNode(), node, '&type=custom:friend');
  const { _statistics } = await admin('GET', node.path);
  assert.equal(_statistics['custom:friend'], 1);
  assert.equal(_statistics['custom:friend_INCOMING'], 1);
  assert.equal(_statistics['a:has_comment'], 3);
  assert.equal(_statistics['a:has_comment_OUTGOING'], 3);
  assert.deepEqual([_statistics.ratingTotalCount, _statistics.ratingTotalValue, _statistics.ratingAverageValue], [2, 7, 3.5]);
});

test('nobody gains rights on a node by filing it, nor sees what lies behind an association', async () => {
  const { _doc: userId } = await server.makeUser('filer');
  const token = await server.login('filer', 'secret-of-filer');
  const as = (method, path, body) => server.request(method, path, { token, body: method === 'GET' ? undefined : body ?? {} });
  const [shown, hidden] = [await makeNode(), await makeNode()];
  await associate(shown, hidden, '&type=a:linked');
  await admin('POST', `${branch.replace(/\/branches.*/, '')}/authorities/connector/grant?id=default/${userId}`, {});
  await admin('POST', `${branch}/authorities/contributor/grant?id=default/${userId}`, {});
  await admin('POST', `${shown.path}/authorities/consumer/grant?id=default/${userId}`, {});
  assert.equal((await as('GET', `${shown.path}/relatives?type=a:linked`)).json.total_rows, 0);
  assert.equal((await as('GET', `${shown.path}/associations?type=a:linked`)).json.total_rows, 0);
  assert.equal((await as('POST', `${shown.path}/associate?node=${shown.id}`)).status, 403);
  const own = (await as('POST', `${branch}/nodes`, {})).json;
  const path = `${branch}/nodes/${own._doc}`;
  assert.equal((await as('POST', `${path}/associate?node=${hidden.id}`)).status, 404);
  assert.equal((await as('POST', `${path}/associate?node=${shown.id}`)).status, 200);
  assert.equal((await as('POST', `${path}/associate?node=${shown.id}&type=a:child`)).status, 403);
  await admin('POST', `${shown.path}/authorities/editor/grant?id=default/${userId}`, {});
  assert.equal((await as('POST', `${path}/associate?node=${shown.id}&type=a:child`)).status, 403);
});
