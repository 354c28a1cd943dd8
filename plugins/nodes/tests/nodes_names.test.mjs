// Names in folders: one child of a name (docs/specification/semantics.md 1.6.3), whatever gives a node its name.
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { crc32 } from 'node:zlib';
import { SteleServer } from '../../../tests/support/stele_server.mjs';

let server;
let repository;
let branch;
before(async () => { server = await SteleServer.start(); });
after(() => server.end());
beforeEach(async () => {
  repository = `/repositories/${(await server.admin('POST', '/repositories', {}))._doc}`;
  branch = `${repository}/branches/master`;
});

const N = (id) => `${branch}/nodes/${id}`;
const ask = (method, path, body) => server.request(method, path, { token: server.adminToken, body: body ?? (method === 'GET' ? undefined : {}) });
const create = async (title, folder, fields = {}) =>
  (await server.admin('POST', `${branch}/nodes${folder ? `?parentFolderPath=${folder}` : ''}`, { title, ...fields }))._doc;
const read = (id) => server.admin('GET', N(id));
const path = async (id) => (await server.admin('GET', `${N(id)}/path`)).path;
const named = (filename) => ({ _features: { 'f:filename': { filename } } });
const names = async (folder) => (await server.admin('GET', `${N(folder)}/tree`)).children.map((child) => child.filename).sort();
async function taken(method, where, body) {
  const reply = await ask(method, where, body);
  assert.equal(reply.status, 409, reply.text);
  assert.equal(reply.json.code, 'nodes.name_taken', reply.text);
}

test('a second child of a name is refused, in whatever way it is put there, and nothing is written', async () => {
  const one = await create('x', '/f');
  const folder = (await server.admin('GET', `${N('root')}?path=/f`))._doc;
  const other = await create('x');
  const before_ = (await server.admin('GET', `${repository}/changesets?limit=-1`)).total_rows;
  await taken('POST', `${branch}/nodes?parentFolderPath=/f`, { title: 'x' });
  await taken('POST', `${branch}/nodes?filePath=/f/x`, {});
  await taken('POST', `${branch}/nodes`, { title: 'else', _parentFolderPath: '/f', ...named('x') });
  await taken('POST', `${branch}/nodes?parentFolderPath=/f`, [{ title: 'y' }, { title: 'y' }]);
  await taken('POST', `${N(folder)}/associate?node=${other}&type=a:child`);
  await taken('POST', `${N(other)}/move?targetNodeId=${folder}`);
  await taken('POST', `${branch}/movenodes`, { sourceNodeIds: [other], targetNodeId: folder });
  assert.equal((await server.admin('GET', `${repository}/changesets?limit=-1`)).total_rows, before_);
  assert.deepEqual(await names(folder), ['x']);
  // The same node again is no second child, and other folders have names of their own.
  await server.admin('POST', `${N(one)}/move?targetNodeId=${folder}`);
  await server.admin('POST', `${N(folder)}/associate?node=${other}&type=a:linked`, {});
  await create('x', '/g');
  await create('X', '/f');
});

test('a node does not get a name that another child of its folder has', async () => {
  await create('x', '/f', { value: 1 });
  const other = await create('y', '/f');
  const first = (await read(other))._system.changeset;
  await taken('PUT', N(other), { title: 'x' });
  await taken('PATCH', N(other), [{ op: 'replace', path: '/title', value: 'x' }]);
  await taken('POST', `${N(other)}/features/f:filename`, { filename: 'x' });
  await server.admin('PUT', N(other), { title: 'z' });
  await create('y', '/f');
  await taken('POST', `${N(other)}/versions/${first}/restore`);
  await server.admin('PUT', N(other), { title: 'x', ...named('z') });
  await taken('DELETE', `${N(other)}/features/f:filename`);
  assert.equal(await path(other), '/f/z');
});

test('one operation may exchange names', async () => {
  const [one, two] = [await create('x', '/f'), await create('y', '/f')];
  const both = (first, second) => ({ nodes: { [one]: { title: first }, [two]: { title: second } } });
  await server.admin('PUT', `${branch}/nodes`, both('y', 'x'));
  assert.deepEqual([await path(one), await path(two)], ['/f/y', '/f/x']);
  await taken('PUT', `${branch}/nodes`, both('z', 'z'));
});

test('of writers at once that give one name, one succeeds', async () => {
  await create('first', '/f');
  const others = await Promise.all(Array.from({ length: 4 }, (_, i) => create(`other ${i}`, '/f')));
  const loose = await Promise.all(Array.from({ length: 4 }, () => create('same')));
  const folder = (await server.admin('GET', `${N('root')}?path=/f`))._doc;
  const replies = await Promise.all([
    ...Array.from({ length: 4 }, () => ask('POST', `${branch}/nodes?parentFolderPath=/f`, { title: 'same' })),
    ...others.map((id) => ask('PUT', N(id), { title: 'same' })),
    ...loose.map((id) => ask('POST', `${N(id)}/move?targetNodeId=${folder}`)),
  ]);
  assert.deepEqual(replies.map((reply) => reply.status).sort(), [200, ...Array(11).fill(409)]);
  assert.equal((await names(folder)).filter((name) => name === 'same').length, 1);
});

test('a copy whose name is taken gets a numbered one and keeps its title; brought up to date it keeps that', async () => {
  const node = await create('report.txt', '/f', { value: 1 });
  const folder = (await server.admin('GET', `${N('root')}?path=/f`))._doc;
  const copy = async (more = '') => (await server.admin('POST', `${N(node)}/copy?targetNodeId=${folder}${more}`))._doc;
  const made = [await copy(), await copy(), await copy(), await copy()];
  assert.deepEqual(await names(folder),
    ['report (2).txt', 'report (3).txt', 'report (4).txt', 'report (5).txt', 'report.txt']);
  assert.equal((await read(made[0])).title, 'report.txt');
  await server.admin('PUT', N(node), { title: 'report.txt', value: 2 });
  assert.equal(await copy('&copyOnExisting=false'), made[3]);
  assert.equal((await read(made[3])).value, 2);
  assert.equal(await path(made[3]), '/f/report (5).txt');
});

test('a clone whose name is taken on its branch is refused', async () => {
  const fork = (await server.admin('POST', `${repository}/branches?branch=master`, {}))._doc;
  const node = await create('x', '/');
  await server.admin('POST', `${repository}/branches/${fork}/nodes?parentFolderPath=/`, { title: 'x' });
  await taken('POST', `${repository}/branches/${fork}/copyfrom?id=master`, { nodeIds: [node], overwrite: true, excludeAssociationTypes: false });
});

test('an archive with a file whose name is taken is not unpacked', async () => {
  const bytes = (size, value) => { const made = Buffer.alloc(size); made.writeUIntLE(value, 0, size); return made; };
  const data = Buffer.from('text');
  const common = Buffer.concat([bytes(2, 20), bytes(2, 0), bytes(2, 0), bytes(4, 0), bytes(4, crc32(data)), bytes(4, 4), bytes(4, 4), bytes(2, 1), bytes(2, 0)]);
  const local = Buffer.concat([Buffer.from('PK\x03\x04'), common, Buffer.from('x'), data]);
  const head = Buffer.concat([Buffer.from('PK\x01\x02'), bytes(2, 20), common, bytes(6, 0), bytes(4, 0), bytes(4, 0), Buffer.from('x')]);
  const end = Buffer.concat([Buffer.from('PK\x05\x06'), bytes(4, 0), bytes(2, 1), bytes(2, 1), bytes(4, head.length), bytes(4, local.length), bytes(2, 0)]);
  const archive = N(await create('archive', '/'));
  const sent = await server.request('POST', `${archive}/attachments/default`,
    { token: server.adminToken, body: Buffer.concat([local, head, end]), headers: { 'Content-Type': 'application/zip' } });
  assert.equal(sent.status, 200, sent.text);
  await server.admin('POST', `${archive}/unzip`);
  await taken('POST', `${archive}/unzip`);
});
