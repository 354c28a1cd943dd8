// Properties that stand for associations (docs/specification/semantics.md 3.4): rights, locks, the trash, copies.
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { SteleServer } from '../support/stele_server.mjs';

let server;
let repository;
let branch;
let editor;
before(async () => {
  server = await SteleServer.start();
  await server.makeUser('editor');
  editor = await server.login('editor', 'secret-of-editor');
});
after(() => server.end());
beforeEach(async () => {
  repository = `/repositories/${(await server.admin('POST', '/repositories', {}))._doc}`;
  branch = `${repository}/branches/master`;
  await create({ _type: 'd:type', _qname: 'my:article', properties: {
    author: { type: 'object', _relator: { associationType: 'my:by' } },
    place: { type: 'object', properties: { city: { type: 'object', _relator: { associationType: 'my:in' } } } },
    sources: { type: 'array', items: { type: 'object', _relator: { associationType: 'my:source' } } } } });
});

const N = (id) => `${branch}/nodes/${id}`;
const create = async (fields, query = '') => (await server.admin('POST', `${branch}/nodes${query}`, fields))._doc;
const article = (fields, query) => create({ _type: 'my:article', ...fields }, query);
const read = (id) => server.admin('GET', N(id));
const as = (method, path, body) => server.request(method, path, { token: editor, body: body ?? (method === 'GET' ? undefined : {}) });
const ends = async (id, type) => (await server.admin('GET', `${N(id)}/associations?type=${type}&direction=OUTGOING`)).rows.map((row) => row.target).sort();
const named = async (id) => ((await read(id)).sources ?? []).map((source) => source.id).sort();
async function refused(reply, status, code) {
  const { json, text, status: got } = await reply;
  const codes = [json.code, ...(json.violations ?? []).map((one) => one.code)];
  assert.ok(got === status && codes.includes(code), text);
}
async function letIn(role) {
  await server.admin('POST', `${repository}/authorities/connector/grant?id=default/editor`);
  await server.admin('POST', `${branch}/authorities/${role}/grant?id=default/editor`);
}

test('a new target must be readable, a former one stays as it was, and nothing is written otherwise', async () => {
  const [hidden, shown] = [await create({ title: 'hidden' }), await create({ title: 'shown' })];
  const id = await article({ title: 't', sources: [{ id: hidden }] });
  await letIn('connector');
  await server.admin('POST', `${N(id)}/authorities/editor/grant?id=default/editor`);
  await server.admin('POST', `${N(shown)}/authorities/consumer/grant?id=default/editor`);
  const before_ = await read(id);
  await refused(as('PUT', N(id), { title: 't', author: { id: hidden }, sources: before_.sources }), 400, 'node.relation_unknown');
  assert.deepEqual(await read(id), before_);
  const reply = await as('PUT', N(id), { title: 'u', sources: [{ id: hidden, title: 'forged' }, { id: shown }] });
  assert.equal(reply.status, 200, reply.text);
  assert.deepEqual((await read(id)).sources.map((source) => source.title), ['hidden', 'shown']);
  assert.deepEqual(await ends(id, 'my:source'), [hidden, shown].sort());
});

test('whoever deletes a target needs no right on the nodes that name it, and no lock keeps the element there', async () => {
  const target = await create({ title: 'target' });
  const id = await article({ title: 't', author: { id: target }, place: { city: { id: target }, zip: 1 } });
  await server.admin('POST', `${N(id)}/lock`);
  await letIn('connector');
  await server.admin('POST', `${N(target)}/authorities/manager/grant?id=default/editor`);
  assert.equal((await as('DELETE', N(target))).status, 200);
  const now = await read(id);
  assert.deepEqual(['author' in now, now.place, now._features['f:locked'].lockedBy], [false, { zip: 1 }, 'admin']);
  assert.equal((await server.admin('GET', `${N(id)}/versions`)).total_rows >= 2, true);
});

test('a target that comes back is named again, unless another is by now', async () => {
  const [one, two] = [await create({ title: 'one' }), await create({ title: 'two' })];
  const id = await article({ author: { id: one }, sources: [{ id: one }, { id: two }] });
  await server.admin('DELETE', N(one));
  assert.deepEqual(await named(id), [two]);
  await server.admin('PUT', N(id), { author: { id: two }, sources: [{ id: two }] });
  await server.admin('POST', `${branch}/deletions/${one}/restore`, {});
  const now = await read(id);
  assert.deepEqual([now.author.id, await ends(id, 'my:by')], [two, [two]]);
  assert.deepEqual([await named(id), await ends(id, 'my:source')], [[one, two].sort(), [one, two].sort()]);
});

test('a node that comes back names what is there, also in an older version', async () => {
  const [one, two] = [await create({ title: 'one' }), await create({ title: 'two' })];
  const id = await article({ sources: [{ id: one }, { id: two }] });
  const { _system: { changeset } } = await read(id);
  await server.admin('DELETE', N(id));
  await server.admin('DELETE', N(one));
  await server.admin('POST', `${branch}/deletions/${id}/restore`, {});
  assert.deepEqual([await named(id), await ends(id, 'my:source')], [[two], [two]]);
  await server.admin('PUT', N(id), { sources: [] });
  await server.admin('POST', `${N(id)}/versions/${changeset}/restore`);
  assert.deepEqual([await named(id), await ends(id, 'my:source')], [[two], [two]]);
});

test('associations that are made and removed by hand reach the property', async () => {
  const [one, two] = [await create({ title: 'one' }), await create({ title: 'two' })];
  const id = await article({ author: { id: one } });
  const relate = (target, type, propertyPath) => server.request('POST', `${N(id)}/associate?node=${target}&type=${type}`,
    { token: server.adminToken, body: { _features: { 'f:relator': { propertyHolder: 'source', propertyPath } } } });
  assert.equal((await relate(two, 'my:source', 'sources')).status, 200);
  assert.deepEqual((await read(id)).sources.map((source) => [source.id, source.title]), [[two, 'two']]);
  await refused(relate(two, 'my:by', 'author'), 409, 'node.relation_taken');
  await server.admin('POST', `${N(id)}/unassociate?node=${one}&type=my:by`);
  assert.equal('author' in (await read(id)), false);
  // One that stands for nothing changes nothing.
  await server.admin('POST', `${N(id)}/associate?node=${one}&type=my:by`, {});
  assert.equal('author' in (await read(id)), false);
});

test('copies name the copies of what is copied with them, and else what the original names', async () => {
  const outside = await create({ title: 'outside' });
  const inside = await create({ title: 'inside' }, '?parentFolderPath=/f');
  const id = await article({ title: 'a', author: { id: outside }, sources: [{ id: inside }] }, '?parentFolderPath=/f');
  const folder = (await server.admin('GET', `${N('root')}?path=/f`))._doc;
  const target = await create({ title: 'g' }, '?parentFolderPath=/');
  await server.admin('POST', `${N(folder)}/copy?targetNodeId=${target}`);
  const at = async (path) => server.admin('GET', `${N('root')}?path=${path}`);
  const [copy, copied] = [await at('/g/f/a'), await at('/g/f/inside')];
  assert.notEqual(copied._doc, inside);
  assert.deepEqual([copy.author.id, copy.sources.map((source) => source.id)], [outside, [copied._doc]]);
  assert.deepEqual([await ends(copy._doc, 'my:by'), await ends(copy._doc, 'my:source')], [[outside], [copied._doc]]);
  assert.deepEqual([await ends(id, 'my:by'), await ends(id, 'my:source')], [[outside], [inside]]);
  const fork = (await server.admin('POST', `${repository}/branches?branch=master&changeset=0:root`, {}))._doc;
  const definition = (await server.admin('GET', `${branch}/definitions/my:article`))._doc;
  const other = `${repository}/branches/${fork}`;
  await server.admin('POST', `${other}/copyfrom?id=master`, { nodeIds: [definition] });
  await server.admin('POST', `${other}/copyfrom?id=master`, { nodeIds: [id, inside] });
  const clone = await server.admin('GET', `${other}/nodes/${id}`);
  assert.deepEqual(['author' in clone, clone.sources.map((source) => source.id)], [false, [inside]]);
  assert.match(clone.sources[0].ref, new RegExp(`/${fork}/${inside}$`));
});

test('a definition whose _relator cannot be used is refused', async () => {
  const define = (relator) => server.request('POST', `${branch}/nodes`, { token: server.adminToken,
    body: { _type: 'd:type', _qname: 'my:other', properties: { x: { properties: { y: { _relator: relator } } } } } });
  for (const wrong of [5, { associationType: 'x' }, { nodeType: 7 }]) await refused(define(wrong), 400, 'node.relator_malformed');
  await refused(define({ associationType: 'a:has_lock' }), 400, 'node.association_reserved');
  assert.equal((await define({})).status, 200);
});
