// docs/specification/nodes.md 18.3, 32 and semantics.md 2, 3 and 18: what nodes and branches refuse, what leads to them, and what counts.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { statement, Subject } from '../support/statements.mjs';

const it = Subject.serve();

statement('nodes 18.3.3', async () => {
  const { branch, node } = await it.repository();
  const id = await node({ title: 'mounted' });
  await it.post(`${branch}/nodes/${id}/mount/home`);
  for (const row of (await it.get(`${branch}/nodes`)).rows) assert.equal((await it.get(`${branch}/nodes/${row._doc}`)).title, 'mounted');
});
statement('nodes 32.5', async () => {
  const { branch, node } = await it.repository();
  const one = `${branch}/nodes/${await node()}`;
  const gif = Buffer.from('R0lGODlhAQABAIAAAP8AAP///yH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==', 'base64');
  await it.server.request('POST', `${one}/attachments/default`, { token: it.server.adminToken, body: gif, headers: { 'Content-Type': 'image/gif' } });
  const made = await it.post(`${one}/transform?mimetype=image/png&target=converted`);
  assert.equal(made._system.attachments.converted.contentType, 'image/png');
  assert.equal((await it.refused(501, 'POST', `${one}/transform?mimetype=application/pdf`)).code, 'node_previews.type_unsupported');
});
statement('semantics 3.3.5', async () => {
  const { branch, node } = await it.repository();
  await node({ _type: 'd:association', _qname: 'custom:before', _features: { 'f:non-cyclic': {} } });
  for (const type of ['a:child', 'a:owned', 'custom:before']) {
    const [one, two] = [await node(), await node()];
    await it.post(`${branch}/nodes/${one}/associate?node=${two}&type=${type}`);
    await it.refused(409, 'POST', `${branch}/nodes/${two}/associate?node=${one}&type=${type}`, {});
  }
});
statement('semantics 18.1', async () => {
  const page = readFileSync(new URL('../../docs/reference/meters.md', import.meta.url), 'utf8').replaceAll('\n', ' ');
  assert.match(page, /older versions count nothing, but for the bytes of their attachments/);
  const { path, branch, node } = await it.repository();
  const one = `${branch}/nodes/${await node({ text: 'a'.repeat(5000) })}`;
  const size = async () => (await it.get(`${path}/info`)).size;
  const attach = (letter) => it.server.request('POST', `${one}/attachments/default`, { token: it.server.adminToken, body: letter.repeat(7000), headers: { 'Content-Type': 'text/plain' } });
  const first = await size();
  await it.put(one, { text: 'b'.repeat(5000) });
  assert.ok(Math.abs(await size() - first) < 500, 'the first version counts no more');
  for (const letter of 'cd') assert.equal((await attach(letter)).status, 200);
  assert.ok(await size() - first > 14_000, 'the bytes of both versions count');
});
/// A branch with a type whose properties `author` and `sources` stand for associations.
async function related() {
  const made = await it.repository();
  const relator = (associationType) => ({ associationType, nodeType: 'my:person' });
  await made.node({ _type: 'd:type', _qname: 'my:person' });
  await made.node({ _type: 'd:type', _qname: 'my:article', properties: {
    author: { type: 'object', _relator: relator('my:written-by') },
    sources: { type: 'array', items: { type: 'object' }, _relator: relator('my:source') } } });
  const people = [];
  for (const title of ['Ann', 'Bob', 'Cem']) people.push(await made.node({ _type: 'my:person', title }));
  const ends = async (id, type) => (await it.get(`${made.branch}/nodes/${id}/associations?type=${type}&direction=OUTGOING`)).rows.map((row) => row.target);
  return { ...made, people, ends };
}
statement('semantics 3.4.1', async () => {
  const { branch, node, people: [ann, bob, cem], ends } = await related();
  const id = await node({ _type: 'my:article', title: 't', author: { id: ann }, sources: [{ id: bob }, { id: cem, page: 7 }] });
  const one = `${branch}/nodes/${id}`;
  const { author, sources } = await it.get(one);
  const { _qname: qname } = await it.get(`${branch}/nodes/${ann}`);
  assert.deepEqual([author.id, author.title, author.qname, author.typeQName], [ann, 'Ann', qname, 'my:person']);
  assert.match(author.ref, new RegExp(`^node://[^/]+/[^/]+/[^/]+/${ann}$`));
  assert.deepEqual(sources.map((source) => [source.id, source.title, source.page]), [[bob, 'Bob', undefined], [cem, 'Cem', 7]]);
  assert.deepEqual([await ends(id, 'my:written-by'), (await ends(id, 'my:source')).sort()], [[ann], [bob, cem].sort()]);
  const kept = (await it.get(`${one}/associations?type=my:source`)).rows.find((row) => row.target === cem)._doc;
  await it.put(one, { title: 't', author: { ref: author.ref.replace(ann, bob) }, sources: [{ id: cem }, { id: ann }] });
  assert.deepEqual([await ends(id, 'my:written-by'), (await ends(id, 'my:source')).sort()], [[bob], [ann, cem].sort()]);
  assert.equal((await it.get(`${one}/associations?type=my:source`)).rows.find((row) => row.target === cem)._doc, kept);
  await it.put(one, { title: 't', sources: [] });
  assert.deepEqual([await ends(id, 'my:written-by'), await ends(id, 'my:source')], [[], []]);
  for (const wrong of [{ id: id }, { id: '0123456789abcdef0123' }, { title: 'nobody' }, ['Ann']])
    await it.refused(400, 'PUT', one, { author: wrong });
  assert.equal('author' in (await it.get(one)), false);
});
statement('semantics 3.4.2', async () => {
  const { branch, node, people: [ann, bob, cem], ends } = await related();
  const id = await node({ _type: 'my:article', author: { id: ann }, sources: [{ id: ann }, { id: bob }, { id: cem }] });
  const read = async () => {
    const { author, sources } = await it.get(`${branch}/nodes/${id}`);
    return [author?.id, (sources ?? []).map((source) => source.id)];
  };
  await it.ok('DELETE', `${branch}/nodes/${ann}`);
  assert.deepEqual(await read(), [undefined, [bob, cem]]);
  assert.deepEqual([await ends(id, 'my:written-by'), (await ends(id, 'my:source')).length], [[], 2]);
  const { _doc: association } = (await it.get(`${branch}/nodes/${bob}/associations?type=my:source`)).rows[0];
  await it.ok('DELETE', `${branch}/nodes/${association}`);
  assert.deepEqual(await read(), [undefined, [cem]]);
});
