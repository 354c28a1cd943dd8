// Properties that stand for associations (docs/specification/semantics.md 3.4): rights, locks, bounds, the trash, versions, copies.
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { SteleServer } from '../../../tests/support/stele_server.mjs';

let server;
let repository;
let branch;
let editor;
const notSanitized = process.env.STELE_SANITIZED ? 'it takes minutes there; release runs it' : false;
before(async () => {
  // Under the sanitizers writers that never stop take much of the time.
  server = await SteleServer.start({ config: 'server.busy_wait = 300s\nserver.request_time = 600s\n' });
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
  assert.ok(got === status && codes.includes(code), text.slice(0, 1000));
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
  await refused(as('PUT', N(id), { title: 't', author: { id: hidden }, sources: before_.sources }), 400, 'nodes.relation_unknown');
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

test('a node that comes back names what is there, as does one whose older version comes back', async () => {
  const [one, two, three] = [await create({ title: 'one' }), await create({ title: 'two' }), await create({ title: 'three' })];
  const id = await article({ sources: [{ id: one }, { id: two }, { id: three }] });
  const { _system: { changeset } } = await read(id);
  await server.admin('DELETE', N(id));
  await server.admin('DELETE', N(one));
  const back = await server.admin('POST', `${branch}/deletions/${id}/restore`, {});
  assert.deepEqual(back.sources.map((source) => source.title), ['two', 'three']);
  assert.deepEqual([await named(id), await ends(id, 'my:source')], [[two, three].sort(), [two, three].sort()]);
  await server.admin('POST', `${branch}/deletions/${one}/restore`, {});
  assert.deepEqual(await ends(id, 'my:source'), [two, three].sort());
  await server.admin('PUT', N(id), { sources: [{ id: three }] });
  await server.admin('POST', `${N(id)}/versions/${changeset}/restore`);
  assert.deepEqual([await named(id), await ends(id, 'my:source')], [[one, two, three].sort(), [one, two, three].sort()]);
  await server.admin('DELETE', N(two));
  assert.deepEqual([await named(id), await ends(id, 'my:source')], [[one, three].sort(), [one, three].sort()]);
});

test('a target that comes back before its source is named by it again', async () => {
  const one = await create({ title: 'one' });
  const id = await article({ author: { id: one } });
  for (const node of [id, one]) await server.admin('DELETE', N(node));
  for (const node of [one, id]) await server.admin('POST', `${branch}/deletions/${node}/restore`, {});
  assert.deepEqual([(await read(id)).author.id, await ends(id, 'my:by')], [one, [one]]);
});

test('who restores a version names no node that they may not READ', async () => {
  const hidden = await create({ title: 'hidden' });
  const id = await article({ title: 't', author: { id: hidden } });
  const { _system: { changeset } } = await read(id);
  await server.admin('PUT', N(id), { title: 't' });
  await letIn('connector');
  await server.admin('POST', `${N(id)}/authorities/editor/grant?id=default/editor`);
  assert.equal((await as('POST', `${N(id)}/versions/${changeset}/restore`)).status, 200);
  assert.deepEqual(await ends(id, 'my:by'), []);
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
  assert.equal(copy.sources[0].qname, copied._qname);
  assert.deepEqual([await ends(copy._doc, 'my:by'), await ends(copy._doc, 'my:source')], [[outside], [copied._doc]]);
  assert.deepEqual([await ends(id, 'my:by'), await ends(id, 'my:source')], [[outside], [inside]]);
  const fork = (await server.admin('POST', `${repository}/branches?branch=master&changeset=0:root`, {}))._doc;
  const definition = (await server.admin('GET', `${branch}/definitions/my:article`))._doc;
  const other = `${repository}/branches/${fork}`;
  await server.admin('POST', `${other}/copyfrom?id=master`, { nodeIds: [definition] });
  await server.admin('POST', `${other}/copyfrom?id=master`, { nodeIds: [id, inside] });
  const clone = await server.admin('GET', `${other}/nodes/${id}`);
  const along = (await server.admin('GET', `${other}/nodes/${id}/associations?direction=OUTGOING`)).rows;
  assert.deepEqual([clone.sources.map((source) => source.id), along.map((row) => row.target)], [[inside], [inside]]);
  assert.match(clone.sources[0].ref, new RegExp(`/${fork}/${inside}$`));
});

test('a target that comes back is not named again', async () => {
  const [one, two] = [await create({ title: 'one' }), await create({ title: 'two' })];
  const id = await article({ author: { id: one }, sources: [{ id: one }, { id: two }] });
  await server.admin('DELETE', N(one));
  assert.deepEqual(await named(id), [two]);
  await server.admin('POST', `${branch}/deletions/${one}/restore`, {});
  assert.deepEqual(['author' in (await read(id)), await ends(id, 'my:by'), await named(id), await ends(id, 'my:source')], [false, [], [two], [two]]);
});

test('an association that is removed by hand leaves the property, for those who may change the node', async () => {
  const [one, two] = [await create({ title: 'one' }), await create({ title: 'two' })];
  const id = await article({ author: { id: one }, sources: [{ id: one }, { id: two }] });
  await server.admin('POST', `${N(id)}/unassociate?node=${one}&type=my:by`);
  assert.equal('author' in (await read(id)), false);
  const { _doc: association } = (await server.admin('GET', `${N(id)}/associations?type=my:source`)).rows.find((row) => row.target === one);
  await letIn('connector');
  await server.admin('POST', `${N(association)}/authorities/manager/grant?id=default/editor`);
  await refused(as('DELETE', N(association)), 403, 'authority.permission_missing');
  assert.deepEqual([await named(id), await ends(id, 'my:source')], [[one, two].sort(), [one, two].sort()]);
  await server.admin('POST', `${N(id)}/authorities/editor/grant?id=default/editor`);
  assert.equal((await as('DELETE', N(association))).status, 200);
  assert.deepEqual(await named(id), [two]);
});

const raw = (fields) => create({ _type: 'my:late', ...fields });
const late = (relator) => create({ _type: 'd:type', _qname: 'my:late', properties: { all: { type: 'array', _relator: relator } } });
const all = async (id) => (await server.admin('GET', `${N(id)}/associations?direction=OUTGOING`)).rows.map((row) => row.target);

test('values from before the definition make no association and are told nothing, in whatever way they name', async () => {
  const hidden = await create({ title: 'hidden' });
  const other = await create({ title: 'other' });
  const ids = [{ id: hidden }, { ref: `node://a/b/c/${hidden}` }];
  const nodes = [];
  for (const element of ids) nodes.push(await raw({ title: 't', all: [element] }));
  await late({ associationType: 'my:late-source' });
  for (const [i, id] of nodes.entries()) {
    for (const element of ids) {
      await server.admin('PUT', N(id), { title: 'u', all: [{ ...element, page: 7 }, { id: other }] });
      const [first] = (await read(id)).all;
      assert.deepEqual([first, await all(id)], [{ ...ids[i], page: 7 }, [other]]);
    }
    await server.admin('PUT', N(id), { title: 'u', all: [] });
    await server.admin('PUT', N(id), { title: 'u', all: [{ id: hidden }] });
    assert.deepEqual([(await read(id)).all[0].title, await all(id)], ['hidden', [hidden]]);
  }
});

test('values from before the definition keep nobody from a write', async () => {
  const many = Array.from({ length: 501 }, (_, n) => ({ id: `${n}` }));
  const nodes = [await raw({ all: many }), await raw({ all: ['text', 5] }), await raw({ all: [{ qname: 'my:hidden' }] })];
  await late({ associationType: 'my:late-source' });
  for (const id of nodes) {
    const { all: value } = await read(id);
    await server.admin('PUT', N(id), { title: 'u', all: value });
    assert.deepEqual([(await read(id)).all, await all(id)], [value, []]);
  }
  const others = many.map(({ id }) => ({ id: `x${id}` }));
  await refused(server.request('PUT', N(nodes[0]), { token: server.adminToken, body: { all: others } }), 400, 'nodes.relations_exceeded');
});

test('values from before the definition make no association when they come back or are copied', async () => {
  const one = await create({ title: 'one' });
  const id = await raw({ title: 'planted', all: [{ id: one }] });
  const { _system: { changeset } } = await read(id);
  await server.admin('PUT', N(id), { all: [] });
  await late({ associationType: 'my:late-source' });
  const stands = async (node) => assert.deepEqual([(await read(node)).all, await all(node)], [[{ id: one }], []]);
  await server.admin('POST', `${N(id)}/versions/${changeset}/restore`);
  await stands(id);
  await server.admin('DELETE', N(id));
  await server.admin('POST', `${branch}/deletions/${id}/restore`, {});
  await stands(id);
  const target = await create({ title: 'g' }, '?parentFolderPath=/');
  await server.admin('POST', `${N(id)}/copy?targetNodeId=${target}`);
  const copy = (await server.admin('GET', `${N(target)}/children`)).rows[0]._doc;
  assert.notEqual(copy, id);
  await stands(copy);
});

test('a target that is hidden and locked can be taken out, and nothing is told of it', async () => {
  const [hidden, shown] = [await create({ title: 'hidden' }), await create({ title: 'shown' })];
  const id = await article({ title: 't', sources: [{ id: hidden }, { id: shown }] });
  for (const node of [hidden, shown]) await server.admin('POST', `${N(node)}/lock`);
  await letIn('connector');
  await server.admin('POST', `${N(id)}/authorities/editor/grant?id=default/editor`);
  await server.admin('POST', `${N(shown)}/authorities/consumer/grant?id=default/editor`);
  assert.equal((await as('PUT', N(id), { title: 't', sources: [{ id: shown }] })).status, 200);
  const reply = await as('PUT', N(id), { title: 't', sources: [] });
  assert.equal(reply.status, 423, reply.text);
  assert.match(reply.json.message, /^the property "sources": /);
  assert.deepEqual([await named(id), await ends(id, 'my:source')], [[shown], [shown]]);
});

test('clients make no association stand for a property', async () => {
  const [one, two] = [await create({ title: 'one' }), await create({ title: 'two' })];
  const id = await article({ author: { id: one } });
  const marked = { _features: { 'f:relator': { propertyHolder: 'source', propertyPath: 'author' } } };
  const made = await server.admin('POST', `${N(id)}/associate?node=${two}&type=my:by`, marked);
  const { _doc: relation } = (await server.admin('GET', `${N(id)}/associations?type=my:by`)).rows.find((row) => row.target === one);
  const marks = async (node) => 'f:relator' in (await read(node))._features;
  assert.deepEqual([await marks(made._doc), await marks(relation)], [false, true]);
  await server.admin('POST', `${N(made._doc)}/features/f:relator`, { propertyPath: 'author' });
  await server.admin('DELETE', `${N(relation)}/features/f:relator`);
  assert.deepEqual([await marks(made._doc), await marks(relation)], [false, true]);
  await server.admin('DELETE', N(made._doc));
  await server.admin('PUT', `${branch}/deletions/${made._doc}`, marked);
  await server.admin('POST', `${branch}/deletions/${made._doc}/restore`, {});
  assert.equal(await marks(made._doc), false);
});

test('a node of another type names by what that says', async () => {
  const one = await create({ title: 'one' });
  await create({ _type: 'd:type', _qname: 'my:letter', properties: { sources: { _relator: { associationType: 'my:source' } } } });
  const id = await article({ author: { id: one }, sources: [{ id: one }] });
  await server.admin('POST', `${N(id)}/change_type?type=my:letter`);
  assert.deepEqual([(await read(id)).author.id, await ends(id, 'my:by'), await ends(id, 'my:source')], [one, [], [one]]);
});

test('many targets that go at once are taken out by one write', async () => {
  const [one, two, kept] = [await create({}, '?parentFolderPath=/f'), await create({}, '?parentFolderPath=/f'), await create({})];
  const id = await article({ author: { id: one }, sources: [{ id: one }, { id: kept }, { id: two }] });
  const folder = (await server.admin('GET', `${N('root')}?path=/f`))._doc;
  const before_ = (await server.admin('GET', `${N(id)}/versions`)).total_rows;
  await server.admin('DELETE', N(folder));
  assert.deepEqual(['author' in (await read(id)), await named(id), await ends(id, 'my:source')], [false, [kept], [kept]]);
  assert.equal((await server.admin('GET', `${N(id)}/versions`)).total_rows, before_ + 1);
});

test('a lock on the target keeps others from naming it, as from associating', async () => {
  const target = await create({ title: 'target' });
  await server.admin('POST', `${N(target)}/lock`);
  const id = await article({ title: 't' });
  await letIn('connector');
  await server.admin('POST', `${N(id)}/authorities/editor/grant?id=default/editor`);
  await server.admin('POST', `${N(target)}/authorities/consumer/grant?id=default/editor`);
  const { status, json: { code } } = await as('POST', `${N(id)}/associate?node=${target}&type=my:by`);
  await refused(as('PUT', N(id), { title: 't', author: { id: target } }), status, code);
  assert.deepEqual(['author' in (await read(id)), await all(id)], [false, []]);
});

test('rules of circles hold', async () => {
  await create({ _type: 'd:association', _qname: 'my:by', _features: { 'f:non-cyclic': {} } });
  const one = await article({ title: 'one' });
  const two = await article({ title: 'two', author: { id: one } });
  await refused(server.request('PUT', N(one), { token: server.adminToken, body: { title: 'one', author: { id: two } } }), 409, 'nodes.association_circle');
});

test('a _relator that cannot be used stands for nothing, and no definition is refused for it', async () => {
  const one = await create({ title: 'one' });
  const define = async (type, relator) => create({ _type: type, _qname: `my:of-${Math.random().toString(36).slice(2)}`, properties: { x: { properties: { y: { _relator: relator } } } } });
  const made = async (definition) => {
    const { _qname } = await read(definition);
    const id = await create({ _type: _qname, x: { y: { id: one } } });
    await server.admin('PUT', N(definition), await read(definition));
    return [(await read(id)).x.y.title, (await all(id)).length];
  };
  const types = ['a:has_lock', 'a:child', 'a:owned', 'a:has_role', 'a:has_tag', 'a:has_translation', 'n:node'].map((associationType) => ({ associationType }));
  for (const unusable of [5, true, null, 'my:by', [1], { associationType: 'x' }, { nodeType: 7 }, { nodeType: ['n:node'] }, ...types])
    assert.deepEqual(await made(await define('d:type', unusable)), [undefined, 0], JSON.stringify(unusable));
  for (const usable of [{}, [], { associationType: '', nodeType: '' }, { associationType: null }])
    assert.deepEqual(await made(await define('d:type', usable)), ['one', 1], JSON.stringify(usable));
  for (const type of ['d:feature', 'd:association']) assert.deepEqual(await made(await define(type, {})), [undefined, 0], type);
  const properties = Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`p${n}`, { _relator: {} }]));
  await create({ _type: 'd:type', _qname: 'my:many', properties });
  const many = await create({ _type: 'my:many', p0: { id: one }, p49: { id: one }, p50: { id: one } });
  assert.deepEqual(await all(many), [one, one]);
});

test('a property names at most 500 nodes', async () => {
  const one = await create({ title: 'one' });
  const ids = [];
  for (let at = 0; at < 501; ++at) ids.push({ id: await create({ title: `${at}` }) });
  const id = await article({ title: 't' });
  const put = (sources) => server.request('PUT', N(id), { token: server.adminToken, body: { title: 't', sources } });
  await refused(put(ids), 400, 'nodes.relations_exceeded');
  assert.equal((await put(ids.slice(0, 500))).status, 200);
  assert.equal((await ends(id, 'my:source')).length, 500);
  assert.equal((await put([...ids.slice(1, 500), { id: one }])).status, 200);
  assert.equal((await read(id)).sources.at(-1).title, 'one');
});

test('one operation makes at most 10,000 associations for properties, whether it writes, copies or restores', { skip: notSanitized }, async () => {
  const { rows } = await server.admin('POST', `${branch}/nodes`, Array(500).fill({ title: 'source' }));
  const sources = rows.map(({ _doc }) => ({ id: _doc }));
  const folder = await create({ title: 'folder', _features: { 'f:container': {} } });
  const inFolder = `${branch}/nodes?rootNodeId=${folder}&parentFolderPath=/`;
  const full = Array.from({ length: 20 }, () => ({ _type: 'my:article', sources }));
  const oneMore = { _type: 'my:article', author: sources[0] };
  await refused(send('POST', inFolder, [...full, oneMore]), 413, 'nodes.relations_too_many');
  assert.equal((await send('POST', inFolder, full)).status, 200);
  await server.admin('POST', inFolder, oneMore);
  const written = async () => (await server.admin('POST', `${branch}/nodes/query`, { _type: 'my:article' })).total_rows;
  assert.equal(await written(), 21);
  await refused(send('POST', `${N(folder)}/copy?targetNodeId=root`), 413, 'nodes.relations_too_many');
  assert.equal(await written(), 21);
  // That takes minutes.
  if (!process.env.STELE_LONG) return;
  const names = Array.from({ length: 21 }, (_, n) => `p${n}`);
  await create({ _type: 'd:type', _qname: 'my:wide', properties: Object.fromEntries(names.map((name) => [name, { _relator: {} }])) });
  const id = await create({ _type: 'my:wide' });
  for (const some of [names.slice(0, 7), names.slice(7, 14), names.slice(14)])
    await server.admin('PATCH', N(id), Object.fromEntries(some.map((name) => [name, sources])));
  await server.admin('DELETE', N(id));
  await refused(send('POST', `${branch}/deletions/${id}/restore`), 413, 'nodes.relations_too_many');
  assert.deepEqual([(await server.request('GET', N(id), { token: server.adminToken })).status, (await server.admin('GET', `${branch}/deletions/${id}`))._doc], [404, id]);
});

/// Jobs take out what the deletion itself does not write.
async function gone(ids) {
  const end = Date.now() + 120_000;
  for (const id of ids) {
    while ('author' in (await read(id))) {
      assert.ok(Date.now() < end, `${id} still names its target`);
      await new Promise((go_on) => setTimeout(go_on, 50));
    }
  }
}

test('elements in more nodes, and in longer ones, than a deletion writes itself follow it', async () => {
  const [many, long] = [await create({ title: 'many' }), await create({ title: 'long' })];
  const texts = [...Array(120).fill(''), ...Array(3).fill('x'.repeat(700_000))];
  const ids = [];
  for (const text of texts) ids.push(await article({ text, author: { id: text ? long : many } }));
  for (const target of [many, long]) await server.admin('DELETE', N(target));
  await gone(ids);
  for (const id of ids) assert.deepEqual(await all(id), []);
});

test('whoever keeps writing nodes that name a target does not keep it from going', async () => {
  for (const count of [10, 100]) {
    const target = await create({ title: 'target' });
    const ids = [];
    for (let at = 0; at < count; ++at) ids.push(await article({ author: { id: target } }));
    let is_over = false;
    const written = Array(4).fill(0);
    const writers = written.map(async (_, n) => {
      for (; !is_over; ++written[n]) {
        const { status, text } = await server.request('PATCH', N(ids[n]), { token: server.adminToken, body: { x: written[n] } });
        assert.ok(status === 200 || status === 503, text);
      }
    });
    const { status, text } = await server.request('DELETE', N(target), { token: server.adminToken });
    is_over = true;
    await Promise.all(writers);
    assert.equal(status, 200, text);
    await gone(ids);
    for (const id of ids.slice(0, 4)) assert.ok('x' in (await read(id)));
  }
});

test('a target that is back before its element was taken out is named by it', async () => {
  const target = await create({ title: 'target' });
  const ids = [];
  for (let at = 0; at < 200; ++at) ids.push(await article({ author: { id: target } }));
  await server.admin('DELETE', N(target));
  await server.admin('POST', `${branch}/deletions/${target}/restore`, {});
  for (const id of ids) assert.deepEqual(await ends(id, 'my:by'), 'author' in (await read(id)) ? [target] : []);
});

test('what an association stands for in the trash stays the server\'s', async () => {
  const one = await create({ title: 'one' });
  const id = await article({ author: { id: one } });
  const { _doc: relation } = (await server.admin('GET', `${N(id)}/associations?type=my:by`)).rows[0];
  await server.admin('DELETE', N(id));
  const put = (_features) => server.request('PUT', `${branch}/deletions/${relation}`, { token: server.adminToken, body: { _features } });
  for (const wrong of [[1], 'x', 7, true]) await refused(put(wrong), 400, 'nodes.feature_malformed');
  for (const nothing of [null, [], {}]) assert.equal((await put(nothing)).status, 200);
  await server.admin('POST', `${branch}/deletions/${id}/restore`, {});
  await server.admin('PUT', N(id), { title: 't' });
  assert.deepEqual(await ends(id, 'my:by'), []);
});

test('no circle closes by what comes back', async () => {
  await create({ _type: 'd:association', _qname: 'my:source', _features: { 'f:non-cyclic': {} } });
  const end = await create({ title: 'end' });
  const [first, other] = [await article({ sources: [{ id: end }] }), await article({ title: 'other' })];
  const id = await article({ sources: [{ id: first }] });
  const { _doc: back } = await server.admin('POST', `${N(other)}/associate?node=${id}&type=my:source`);
  await server.admin('DELETE', N(back));
  await server.admin('PUT', N(id), { sources: [{ id: first }, { id: other }] });
  await server.admin('DELETE', N(other));
  for (const node of [other, back]) await server.admin('POST', `${branch}/deletions/${node}/restore`, {});
  await server.admin('DELETE', N(id));
  const given = { sources: [{ id: first }, { id: other }] };
  await server.request('POST', `${branch}/deletions/${id}/restore`, { token: server.adminToken, body: given });
  const [there, here] = [await ends(other, 'my:source'), await server.request('GET', `${N(id)}/associations?type=my:source&direction=OUTGOING`, { token: server.adminToken })];
  assert.ok(!there.includes(id) || !(here.json.rows ?? []).some((row) => row.target === other));
});

test('a lock on the target keeps nobody from a copy or a version of what names it', async () => {
  const target = await create({ title: 'target' });
  const id = await article({ title: 't', author: { id: target } });
  const folder = await create({ title: 'g', _features: { 'f:container': {} } }, '?parentFolderPath=/');
  const { _system: { changeset } } = await read(id);
  await server.admin('PUT', N(id), { title: 't' });
  await server.admin('POST', `${N(target)}/lock`);
  await letIn('contributor');
  for (const node of [id, folder]) await server.admin('POST', `${N(node)}/authorities/manager/grant?id=default/editor`);
  await server.admin('POST', `${N(target)}/authorities/consumer/grant?id=default/editor`);
  const restored = await as('POST', `${N(id)}/versions/${changeset}/restore`);
  assert.equal(restored.status, 200, restored.text);
  // What is not for the copier to READ is not copied, this association either.
  const { _doc: association } = (await server.admin('GET', `${N(id)}/associations?type=my:by`)).rows[0];
  await server.admin('POST', `${N(association)}/authorities/consumer/grant?id=default/editor`);
  const copied = await as('POST', `${N(id)}/copy?targetNodeId=${folder}`);
  assert.equal(copied.status, 200, copied.text);
  const copy = (await server.admin('GET', `${N(folder)}/children`)).rows[0]._doc;
  for (const node of [id, copy]) assert.deepEqual([(await read(node)).author.id, await ends(node, 'my:by')], [target, [target]], node === copy ? 'copy' : 'node');
});

test('a version that comes back has its associations, whatever type the node had meanwhile', async () => {
  const target = await create({ title: 'target' });
  await create({ _type: 'd:type', _qname: 'my:plain', properties: {} });
  const id = await article({ title: 't', author: { id: target } });
  const { _system: { changeset } } = await read(id);
  await server.admin('POST', `${N(id)}/change_type?type=my:plain`);
  const { _system: { changeset: plain } } = await read(id);
  assert.deepEqual([(await read(id)).author.id, await all(id)], [target, []]);
  await server.admin('POST', `${N(id)}/versions/${changeset}/restore`);
  assert.deepEqual([(await read(id))._type, (await read(id)).author.id, await ends(id, 'my:by')], ['my:article', target, [target]]);
  await server.admin('POST', `${N(id)}/versions/${plain}/restore`);
  assert.deepEqual([(await read(id))._type, (await read(id)).author.id, await all(id)], ['my:plain', target, []]);
});

test('a copy names what it names as often as the original, and each by its own words', async () => {
  const one = await create({ title: 'one' }, '?parentFolderPath=/f');
  const id = await article({ title: 'a', sources: [{ id: one, page: 1 }, { id: one, page: 2 }] }, '?parentFolderPath=/f');
  const folder = (await server.admin('GET', `${N('root')}?path=/f`))._doc;
  const target = await create({ title: 'g' }, '?parentFolderPath=/');
  const copy = async () => {
    await server.admin('POST', `${N(folder)}/copy?targetNodeId=${target}&copyOnExisting=false`);
    const [a, of_one] = [await server.admin('GET', `${N('root')}?path=/g/f/a`), await server.admin('GET', `${N('root')}?path=/g/f/one`)];
    assert.deepEqual(a.sources.map((source) => [source.id, source.page]), [[of_one._doc, 1], [of_one._doc, 2]]);
    assert.ok(a.sources.every((source) => source.ref.endsWith(`/${of_one._doc}`)));
    assert.deepEqual(await ends(a._doc, 'my:source'), [of_one._doc]);
    return of_one._doc;
  };
  const earlier = await copy();
  await server.admin('PUT', N(id), { title: 'a', sources: [{ id: one, page: 1 }, { id: earlier, page: 2 }] });
  assert.equal(await copy(), earlier);
  assert.deepEqual(await ends(id, 'my:source'), [one, earlier].sort());
});

test('what a branch that validates content says to an associate it says to a property', async () => {
  await create({ _type: 'd:type', _qname: 'my:odd', properties: { ' ': { _relator: {} } } });
  await server.admin('PUT', branch, { ...(await server.admin('GET', branch)), validateContent: true });
  const [one, id] = [await create({ title: 'one' }), await article({ title: 't' })];
  const by_hand = await server.request('POST', `${N(id)}/associate?node=${one}&type=my:by`, { token: server.adminToken, body: {} });
  const by_property = await server.request('PATCH', N(id), { token: server.adminToken, body: { author: { id: one } } });
  assert.deepEqual([by_hand.status, by_property.status, by_property.json.violations], [400, 400, by_hand.json.violations]);
  await create({ _type: 'd:association', _qname: 'my:by' });
  await server.admin('PATCH', N(id), { author: { id: one } });
  assert.deepEqual(await ends(id, 'my:by'), [one]);
  const odd = await server.request('POST', `${branch}/nodes`, { token: server.adminToken, body: { _type: 'my:odd', ' ': { id: 'nobody' } } });
  assert.equal(odd.json.violations[0].message, 'the property " " names no node of the branch');
});

test('many associations of a node are copied, taken out, and come back with it', async () => {
  const properties = Object.fromEntries(['one', 'two'].map((name) => [name, { type: 'array', _relator: {} }]));
  await create({ _type: 'd:type', _qname: 'my:wide', properties });
  const count = process.env.STELE_SANITIZED ? 50 : 500;
  const elements = [];
  for (let at = 0; at < count; ++at) elements.push({ id: await create({ title: `${at}` }) });
  const target = await create({ title: 'g' }, '?parentFolderPath=/');
  const id = await create({ _type: 'my:wide', one: elements, two: elements });
  const { _system: { changeset } } = await read(id);
  const joined = async (node) => (await server.admin('GET', `${N(node)}/associations?direction=OUTGOING&limit=1`)).total_rows;
  assert.equal(await joined(id), 2 * count);
  await server.admin('POST', `${N(id)}/copy?targetNodeId=${target}`);
  const { rows: [copy] } = await server.admin('POST', `${branch}/nodes/query`, { _type: 'my:wide', _doc: { $ne: id } });
  assert.equal(await joined(copy._doc), 2 * count);
  await server.admin('DELETE', N(id));
  await server.admin('POST', `${branch}/deletions/${id}/restore`, {});
  assert.equal(await joined(id), 2 * count);
  await server.admin('PUT', N(id), { title: 't' });
  assert.equal(await joined(id), 0);
  await server.admin('POST', `${N(id)}/versions/${changeset}/restore`);
  assert.equal(await joined(id), 2 * count);
});

test('a circle is found that one of many elements closes', async () => {
  await create({ _type: 'd:association', _qname: 'my:source', _features: { 'f:non-cyclic': {} } });
  const end = await create({ title: 'end' });
  const sources = [];
  for (let at = 0; at < 3; ++at) sources.push({ id: await article({ sources: [{ id: end }] }) });
  const id = await article({ title: 'id' });
  const above = await article({ sources: [{ id }] });
  await refused(server.request('PUT', N(id), { token: server.adminToken, body: { sources: [...sources, { id: above }] } }), 409, 'nodes.association_circle');
  await server.admin('PUT', N(id), { sources });
  assert.equal((await ends(id, 'my:source')).length, 3);
});

const restore = (id, body = {}) => server.admin('POST', `${branch}/deletions/${id}/restore`, body);

test('what is written while an association is away, and what a restore adds, makes none', async () => {
  await create({ _type: 'd:type', _qname: 'my:plain', properties: {} });
  const target = await create({ title: 'target' });
  const [id, other] = [await article({ author: { id: target }, sources: [{ id: target }] }), await article({ author: { id: target } })];
  await server.admin('DELETE', N(target));
  await server.admin('POST', `${N(id)}/change_type?type=my:plain`);
  await server.admin('PUT', N(id), { author: { id: target } });
  await server.admin('POST', `${N(id)}/change_type?type=my:article`);
  await restore(target);
  assert.deepEqual([(await read(id)).author.id, await all(id)], [target, []]);
  await server.admin('DELETE', N(other));
  const missing = await create({ title: 'missing' });
  await server.admin('DELETE', N(missing));
  await restore(other, { sources: [{ id: target }, { id: missing }] });
  assert.deepEqual([await named(other), await all(other)], [[missing, target].sort(), []]);
});

test('however often nodes go and come back, one association stands for an element', async () => {
  const target = await create({ title: 'target' });
  const id = await article({ author: { id: target } });
  for (let round = 0; round < 3; ++round) {
    await server.admin('DELETE', N(target));
    await restore(target);
    assert.deepEqual([(await read(id)).author, await all(id)], [undefined, []]);
    await server.admin('PUT', N(id), { author: { id: target } });
    await server.admin('DELETE', N(id));
    await restore(id);
    assert.deepEqual(await ends(id, 'my:by'), [target]);
  }
  const { _doc: fork } = await server.admin('POST', `${repository}/branches?branch=master`, {});
  await server.admin('PUT', N(id), {});
  const onFork = `${repository}/branches/${fork}`;
  await server.admin('PUT', `${onFork}/nodes/${id}`, {});
  for (const at of [branch, onFork]) await server.admin('PUT', `${at}/nodes/${id}`, { author: { id: target } });
  await server.admin('POST', `${onFork}/copyfrom?id=master`, { nodeIds: [id] });
  const { rows } = await server.admin('GET', `${onFork}/nodes/${id}/associations?type=my:by&direction=OUTGOING`);
  assert.equal(rows.length, 1);
});

test('a node that comes back names nothing that was purged', async () => {
  const target = await create({ title: 'target' });
  const id = await article({ title: 't', author: { id: target } });
  await server.admin('DELETE', N(id));
  await server.admin('DELETE', N(target));
  await server.admin('DELETE', `${branch}/deletions/${target}`);
  await restore(id);
  assert.deepEqual([(await read(id)).author, await all(id)], [undefined, []]);
});

test('what a deletion leaves to do is done on a branch that is protected meanwhile', async () => {
  const target = await create({ title: 'target' });
  const ids = [];
  for (let at = 0; at < 200; ++at) ids.push(await article({ author: { id: target } }));
  const record = await server.admin('GET', branch);
  await server.admin('DELETE', N(target));
  await server.admin('PUT', branch, { ...record, readonly: true });
  await gone(ids);
});

test('a property inside one that names nodes stands for nothing, wherever the two are defined', async () => {
  const city = { type: 'object', _relator: { associationType: 'my:in' } };
  const place = { type: 'object', _relator: { associationType: 'my:at' } };
  await create({ _type: 'd:type', _qname: 'my:sub', _parent: 'my:article', properties: { place } });
  await create({ _type: 'd:type', _qname: 'my:base', properties: { place } });
  await create({ _type: 'd:type', _qname: 'my:inner', _parent: 'my:base', properties: { place: { type: 'object', properties: { city } } } });
  for (const [type, outer] of [['my:sub', true], ['my:inner', false]]) {
    const [one, two] = [await create({ title: 'one' }), await create({ title: 'two' })];
    const id = await create({ _type: type, place: { id: one, city: { id: two } } });
    assert.deepEqual([await ends(id, 'my:at'), await ends(id, 'my:in')], outer ? [[one], []] : [[], [two]], type);
    for (const target of [one, two]) await server.admin('DELETE', N(target));
    assert.deepEqual(await all(id), []);
  }
});

test('a property that names more than 500 nodes from before its definition takes none anew', async () => {
  await create({ _type: 'd:type', _qname: 'my:plain', properties: {} });
  const target = await create({ title: 'target' });
  const sources = Array.from({ length: 600 }, (_, at) => ({ id: `${at}`.padStart(20, '0') }));
  const id = await create({ _type: 'my:plain', sources });
  await server.admin('POST', `${N(id)}/change_type?type=my:article`);
  await refused(server.request('PUT', N(id), { token: server.adminToken, body: { sources: [...sources.slice(1), { id: target }] } }), 400, 'nodes.relations_exceeded');
  await server.admin('PUT', N(id), { sources: sources.slice(1) });
  await server.admin('PUT', N(id), { sources: sources.slice(1, 500) });
  await server.admin('PUT', N(id), { sources: [...sources.slice(1, 500), { id: target }] });
  assert.deepEqual(await all(id), [target]);
});

test('a write is told a bounded amount of what it names, and reads each node once', async () => {
  const target = await create({ title: 'x'.repeat(100_000) });
  const names = (count) => ({ sources: Array(count).fill({ id: target }) });
  const id = await article(names(5));
  assert.deepEqual(await all(id), [target]);
  await refused(server.request('POST', `${branch}/nodes`, { token: server.adminToken, body: { _type: 'my:article', ...names(20) } }), 400, 'nodes.relations_exceeded');
});

test('a refusal says which property it is about', async () => {
  const target = await create({ title: 'target' });
  const id = await article({ title: 't', author: { id: target } });
  const { _system: { changeset } } = await read(id);
  await create({ _type: 'd:association', _qname: 'my:by', _features: { 'f:non-cyclic': {} } });
  await server.admin('PUT', N(id), { title: 't' });
  await server.admin('POST', `${N(target)}/associate?node=${id}&type=my:by`);
  const reply = await server.request('POST', `${N(id)}/versions/${changeset}/restore`, { token: server.adminToken, body: {} });
  assert.deepEqual([reply.status, reply.json.code], [409, 'nodes.association_circle'], reply.text);
  assert.match(reply.json.message, /"author"/);
});

const send = (method, path, body = {}) => server.request(method, path, { token: server.adminToken, body });

test('what names a node once more than before is told anew, within the bounds', async () => {
  const target = await create({ title: 'x'.repeat(400_000) });
  const id = await article({ sources: [{ id: target }] });
  const put = (count) => send('PUT', N(id), { sources: Array.from({ length: count }, (_, page) => ({ id: target, page })) });
  for (const count of [16, 501]) {
    await refused(put(count), 400, 'nodes.relations_exceeded');
    assert.equal((await read(id)).sources.length, 1);
  }
  assert.equal((await put(3)).status, 200);
  assert.deepEqual([(await named(id)).length, await ends(id, 'my:source')], [3, [target]]);
  await letIn('connector');
  await server.admin('POST', `${N(id)}/authorities/editor/grant?id=default/editor`);
  assert.equal((await as('PUT', N(id), { sources: (await read(id)).sources.map((source) => ({ ...source, page: 9 })) })).status, 200);
  await refused(as('PUT', N(id), { sources: Array(4).fill({ id: target }) }), 400, 'nodes.relation_unknown');
});

test('each element from before the definition is kept once, in the order in which they name a node', async () => {
  const target = await create({ title: 'now' });
  const elements = [{ id: target, title: 'A', qname: 'qa' }, { id: target, title: Array(2000).fill({ text: 'B' }) }, { ref: `node://a/b/c/${target}` }];
  const id = await raw({ all: elements });
  await late({ associationType: 'my:late-source' });
  const put = (count) => send('PUT', N(id), { all: Array.from({ length: count }, (_, page) => ({ id: target, page })) });
  await refused(put(600), 400, 'nodes.relations_exceeded');
  assert.equal((await put(400)).status, 200);
  const { all: value } = await read(id);
  assert.deepEqual(value.slice(0, 4).map((element) => element.title), ['A', elements[1].title, undefined, 'now']);
  assert.ok(JSON.stringify(value).length < 200_000);
  assert.deepEqual(await all(id), []);
});

test('one operation is told a bounded amount of what it names', async () => {
  const target = await create({ title: 'x'.repeat(1_000_000) });
  const post = (count) => send('POST', `${branch}/nodes`, Array(count).fill({ _type: 'my:article', sources: [{ id: target }] }));
  await refused(post(40), 400, 'nodes.relations_exceeded');
  assert.equal((await post(4)).status, 200);
  assert.equal((await server.admin('POST', `${branch}/nodes/query`, { _type: 'my:article' })).total_rows, 4);
});

test('a value that a write leaves as it was stays as it was', async () => {
  const target = await create({ title: 'now' });
  const elements = [{ id: target, title: 'A', qname: 'qa' }, { id: target, title: 'B' }, { ref: `node://a/b/c/${target}` }];
  const id = await raw({ all: elements });
  await late({ associationType: 'my:late-source' });
  await server.admin('PATCH', N(id), { other: [1] });
  assert.deepEqual([(await read(id)).all, await all(id)], [elements, []]);
});

test('members that only change their places change no association, and those that change their names do', async () => {
  const target = await create({ title: 'target' });
  const id = await article({ a: [1], author: { id: target }, b: { c: 1 } });
  const { author } = await read(id);
  await server.admin('PUT', N(id), { b: { c: 1 }, author, a: [1] });
  assert.deepEqual(await ends(id, 'my:by'), [target]);
  await server.admin('PUT', N(id), { b: { c: 1 }, writer: author, a: [1] });
  assert.deepEqual(await ends(id, 'my:by'), []);
  await server.admin('PUT', N(id), { author, b: { c: 1 }, a: [1] });
  assert.deepEqual(await ends(id, 'my:by'), [target]);
});

test('an element that is named while its association is there makes no second one', async () => {
  const target = await create({ title: 'target' });
  const id = await article({ title: 't', author: { id: target } });
  const { rows: [definition] } = await server.admin('POST', `${branch}/nodes/query`, { _qname: 'my:article' });
  const defined = await read(definition._doc);
  await server.admin('PUT', N(definition._doc), { ...defined, properties: {} });
  await server.admin('PUT', N(id), { title: 't' });
  await server.admin('PUT', N(definition._doc), defined);
  await server.admin('PATCH', N(id), { author: { id: target } });
  assert.deepEqual([(await read(id)).author.title, await ends(id, 'my:by')], ['target', [target]]);
});

/// Another branch, as this one was when the node was deleted, before a job took elements out.
async function atDeletionOf(id) {
  const { _deletion: { changesetId } } = await server.admin('GET', `${branch}/deletions/${id}`);
  const { _doc: fork } = await server.admin('POST', `${repository}/branches?branch=master&changeset=${changesetId}`, {});
  branch = `${repository}/branches/${fork}`;
}
const namedByMany = async (target) => {
  const { rows } = await server.admin('POST', `${branch}/nodes`, Array(60).fill({ _type: 'my:article', author: { id: target } }));
  return rows.map(({ _doc }) => _doc);
};

test('a lock on what names it keeps no target in the trash, though the one who restores may not READ that', async () => {
  const target = await create({ title: 'target' });
  const { rows } = await server.admin('POST', `${branch}/nodes`, Array(300).fill({ _type: 'my:article', author: { id: target } }));
  const ids = rows.map(({ _doc }) => _doc);
  for (const id of ids) await server.admin('POST', `${N(id)}/lock`);
  await server.admin('POST', `${repository}/roles`, { roleKey: 'maker', permissions: ['CONNECT', 'CREATE_SUBOBJECTS'] });
  await letIn('maker');
  await server.admin('DELETE', N(target));
  await server.admin('POST', `${branch}/deletions/${target}/authorities/manager/grant?id=default/editor`);
  // Before, while or after the job takes elements out.
  const back = await as('POST', `${branch}/deletions/${target}/restore`);
  assert.equal(back.status, 200, back.text);
  assert.equal((await as('GET', N(ids[0]))).status, 404);
  for (const id of ids) assert.deepEqual(await ends(id, 'my:by'), 'author' in (await read(id)) ? [target] : []);
});

test('what would close a circle does not come back, and its element goes', async () => {
  const one = await create({ title: 'one' });
  const id = await article({ title: 't' });
  await server.admin('POST', `${N(one)}/associate?node=${id}&type=my:by`);
  await server.admin('PATCH', N(id), { author: { id: one } });
  const target = await create({ title: 'target' });
  const ids = await namedByMany(target);
  await server.admin('POST', `${N(target)}/associate?node=${ids[7]}&type=my:by`);
  await create({ _type: 'd:association', _qname: 'my:by', _features: { 'f:non-cyclic': {} } });
  await server.admin('DELETE', N(id));
  await restore(id);
  assert.deepEqual([(await read(id)).author, await ends(id, 'my:by'), await ends(one, 'my:by')], [undefined, [], [id]]);
  await server.admin('DELETE', N(target));
  await atDeletionOf(target);
  assert.equal((await read(ids[7])).author.id, target);
  await restore(target);
  const back = await Promise.all(ids.map(async (node) => [(await read(node)).author?.id, await ends(node, 'my:by')]));
  assert.deepEqual(back, ids.map((node) => node === ids[7] ? [undefined, []] : [target, [target]]));
});

test('what comes back while its definition is away has its associations', async () => {
  const target = await create({ title: 'target' });
  const id = await article({ author: { id: target } });
  const { rows: [{ _doc: definition }] } = await server.admin('POST', `${branch}/nodes/query`, { _qname: 'my:article' });
  for (const node of [id, definition]) await server.admin('DELETE', N(node));
  for (const node of [id, definition]) await restore(node);
  assert.deepEqual([(await read(id)).author.id, await ends(id, 'my:by')], [target, [target]]);
});

test('a node that was deleted before its element was taken out does not name its target when it comes back', async () => {
  const target = await create({ title: 'target' });
  const nodes = (await server.admin('POST', `${branch}/nodes`, Array(200).fill({ _type: 'my:article', author: { id: target } }))).rows;
  const ids = nodes.map(({ _doc }) => _doc);
  await server.admin('DELETE', N(target));
  for (const id of ids.slice(-3)) {
    await server.admin('PATCH', N(id), { title: 'w' });
    await server.admin('DELETE', N(id));
  }
  await gone(ids.slice(0, -3));
  for (const id of ids.slice(-3)) {
    await restore(id);
    assert.deepEqual([(await read(id)).author, await all(id)], [undefined, []]);
  }
});
