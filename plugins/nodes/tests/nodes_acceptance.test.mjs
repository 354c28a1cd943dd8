// The acceptance checklist of docs/specification/nodes.md 34, number by number.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { endedJob } from '../../../tests/support/ended_job.mjs';
import { SteleServer } from '../../../tests/support/stele_server.mjs';

let server;
before(async () => { server = await SteleServer.start(); });
after(async () => {
  await server.stop();
  const { status, text } = server.check();
  await server.end();
  assert.equal(status, 0, text);
});

const admin = (method, path, body) => server.admin(method, path, body);
const reply = async (method, path, options = {}) =>
  server.request(method, path, { token: server.adminToken, ...options });

/// A repository of its own for a test, and its master branch's path.
async function fresh(fields = {}) {
  const repository = `/repositories/${(await admin('POST', '/repositories', fields))._doc}`;
  return { repository, master: `${repository}/branches/master` };
}
const create = (branch, fields = {}, parameters = '') => admin('POST', `${branch}/nodes${parameters}`, fields);
const read = (branch, id, parameters = '') => admin('GET', `${branch}/nodes/${id}${parameters}`);
const total = async (branch, query) => (await admin('POST', `${branch}/nodes/query`, query)).total_rows;
const finished = ({ _doc }) => endedJob(admin, _doc);

test('1: a fresh repository has one branch and one changeset', async () => {
  const { repository, master } = await fresh({ title: 'First' });
  const branches = await admin('GET', `${repository}/branches`);
  assert.equal(branches.total_rows, 1);
  assert.equal(branches.rows[0].type, 'MASTER');
  const branch = await admin('GET', master);
  assert.equal(branch._doc, branches.rows[0]._doc);
  assert.equal(branch.tip, '0:root');
  assert.equal(branch.root, '0:root');
  const changesets = await admin('GET', `${repository}/changesets`);
  assert.deepEqual(changesets.rows.map((one) => one._doc), ['0:root']);
  assert.equal(await total(master, { '_features.f:container': { $exists: true } }), 2);
});

test('2: a node comes back the same, twice', async () => {
  const { master } = await fresh();
  const made = await create(master, { title: 'Node', nested: { a: [1, { b: null }] } });
  assert.equal(made.ok, true);
  const once = await read(master, made._doc);
  const twice = await read(master, made._doc);
  assert.deepEqual(once, twice);
  assert.equal('ok' in once, false);
  assert.equal(once._type, 'n:node');
  assert.match(once._qname, /^\w+:.+/);
  assert.ok(Object.keys(once._features).length >= 1);
  assert.equal(once._is_association, false);
  assert.match(once._system.changeset, /^1:[0-9a-f]{20}$/);
  assert.deepEqual(once.nested, { a: [1, { b: null }] });
  assert.equal(made._system.changeset, once._system.changeset);
});

test('3: an update makes a second version, and the first can be restored', async () => {
  const { master } = await fresh();
  const made = await create(master, { title: 'Before', gone: true });
  const first = await read(master, made._doc);
  await admin('PUT', `${master}/nodes/${made._doc}`, { title: 'After' });
  const second = await read(master, made._doc);
  assert.equal(second.title, 'After');
  assert.equal('gone' in second, false);
  assert.notEqual(second._system.changeset, first._system.changeset);
  assert.equal(second._system.previousChangeset, first._system.changeset);
  assert.deepEqual(second._system.created_on, first._system.created_on);
  const versions = await admin('GET', `${master}/nodes/${made._doc}/versions`);
  assert.equal(versions.total_rows, 2);
  assert.deepEqual(versions.rows.map((one) => one._changesetId),
                   [second._system.changeset, first._system.changeset]);
  const old = await admin('GET', `${master}/nodes/${made._doc}/versions/${encodeURIComponent(first._system.changeset)}`);
  assert.equal(old.title, 'Before');
  const restored = await admin(
    'POST', `${master}/nodes/${made._doc}/versions/${encodeURIComponent(first._system.changeset)}/restore`, {});
  assert.equal(restored.title, 'Before');
  assert.equal((await read(master, made._doc)).title, 'Before');
});

test('4: a deleted node is not found, with a message', async () => {
  const { master } = await fresh();
  const made = await create(master, { title: 'Short' });
  await admin('DELETE', `${master}/nodes/${made._doc}`);
  const gone = await reply('GET', `${master}/nodes/${made._doc}`);
  assert.equal(gone.status, 404);
  assert.equal(gone.json.error, true);
  assert.ok(gone.json.message.length > 0);
});

test('5: associations are counted with the implicit one', async () => {
  const { master } = await fresh();
  const [one, two, three] = [await create(master), await create(master), await create(master)];
  const count = async (what, parameters = '') =>
    (await admin('GET', `${master}/nodes/${one._doc}/${what}${parameters}`)).total_rows;
  assert.equal(await count('associations'), 1);
  await admin('POST', `${master}/nodes/${one._doc}/associate?node=${two._doc}&type=a:child`, {});
  const link = await admin(
    'POST', `${master}/nodes/${one._doc}/associate?node=${three._doc}&type=a:linked&directionality=UNDIRECTED`, { tags: ['x'] });
  assert.equal(link.source, one._doc);
  assert.equal(link.target, three._doc);
  assert.equal(link.directionality, 'UNDIRECTED');
  assert.deepEqual(link.tags, ['x']);
  assert.equal(await count('associations'), 3);
  assert.equal(await count('associations', '?direction=OUTGOING'), 2);
  assert.equal(await count('associations', '?direction=incoming'), 2);
  assert.equal(await count('outgoing'), 2);
  assert.equal(await count('mutual'), 1);
  assert.equal(await count('associations', '?type=a:child'), 1);
  await admin('POST', `${master}/nodes/${one._doc}/unassociate?node=${two._doc}&type=a:child`, {});
  await admin('POST', `${master}/nodes/${one._doc}/unassociate?node=${three._doc}&type=a:linked&directionality=UNDIRECTED`, {});
  assert.equal(await count('associations'), 1);
});

/// root / file1, folder1 / folder2, file2, file4; folder2 / file3, file5.
async function buildTree(master, place) {
  const ids = {};
  for (const [name, parent, isFolder] of [
    ['folder1', 'root', true], ['file1', 'root', false], ['folder2', 'folder1', true],
    ['file2', 'folder1', false], ['file4', 'folder1', false], ['file3', 'folder2', false],
    ['file5', 'folder2', false]])
    ids[name] = await place(name, parent, isFolder, ids);
  return ids;
}

async function checkTree(master, ids) {
  const tree = await admin('POST', `${master}/nodes/root/tree?depth=1`, {});
  assert.equal(tree.children.length, 2);
  for (const child of tree.children)
    for (const key of ['filename', 'label', 'path', 'typeQName', 'qname'])
      assert.ok(child[key], `${key} of ${JSON.stringify(child)}`);
  assert.equal((await admin('GET', `${master}/nodes/${ids.folder2}/children`)).total_rows, 2);
  const relatives = await admin('GET', `${master}/nodes/${ids.folder2}/relatives?type=a:child&direction=ANY`);
  assert.equal(relatives.total_rows, 3);
  const queried = await admin(
    'POST', `${master}/nodes/${ids.folder2}/relatives/query?type=a:child&direction=ANY`, { title: 'file3' });
  assert.equal(queried.total_rows, 1);
  const traversed = await admin('POST', `${master}/nodes/root/traverse`, {
    traverse: { associations: { 'a:child': 'ANY' }, depth: 1, filter: 'ALL_BUT_START_NODE' } });
  assert.equal(Object.keys(traversed.nodes).length, 2);
  assert.equal(Object.keys(traversed.associations).length, 2);
  assert.equal((await admin('GET', `${master}/nodes/${ids.file5}/path`)).path, '/folder1/folder2/file5');
}

test('6: a tree built by hand', async () => {
  const { master } = await fresh();
  const ids = await buildTree(master, async (name, parent, isFolder, known) => {
    const features = { 'f:filename': { filename: name } };
    if (isFolder) features['f:container'] = {};
    const node = await create(master, { title: name, _features: features });
    await admin('POST', `${master}/nodes/${known[parent] ?? parent}/associate?node=${node._doc}&type=a:child`, {});
    return node._doc;
  });
  await checkTree(master, ids);
});

test('7: the same tree by parent folder paths', async () => {
  const { master } = await fresh();
  const paths = { root: '/', folder1: '/folder1', folder2: '/folder1/folder2' };
  const ids = await buildTree(master, async (name, parent) =>
    (await create(master, { title: name }, `?parentFolderPath=${encodeURIComponent(paths[parent])}`))._doc);
  await checkTree(master, ids);
});

test('8: query, by equality', async () => {
  const { master } = await fresh();
  for (const [title, meal] of [['Bacon', 'breakfast'], ['Eggs', 'breakfast'], ['Toast', 'breakfast'], ['Soup', 'lunch']])
    await create(master, { title, meal });
  assert.equal(await total(master, { meal: 'breakfast' }), 3);
  const found = await admin('POST', `${master}/nodes/find`, { query: { meal: 'breakfast' } });
  assert.equal(found.total_rows, 3);
  const got = await admin('GET', `${master}/nodes/query?query=${encodeURIComponent('{"meal":"lunch"}')}`);
  assert.equal(got.total_rows, 1);
});

test('9: a feature with its configuration comes and goes', async () => {
  const { master } = await fresh();
  const node = await create(master, { title: 'Featured' });
  const path = `${master}/nodes/${node._doc}/features/f:filename`;
  await admin('POST', path, { filename: 'name.txt' });
  assert.deepEqual((await read(master, node._doc))._features['f:filename'], { filename: 'name.txt' });
  await admin('DELETE', path);
  assert.equal('f:filename' in (await read(master, node._doc))._features, false);
});

test('10: translations, editions, locales and fallback', async () => {
  const { master } = await fresh();
  const node = await create(master, { title: 'Theory of Mathematics' });
  const i18n = `${master}/nodes/${node._doc}/i18n`;
  await admin('POST', `${i18n}?edition=1.0&locale=de_DE`, { title: 'Theorie der Mathematik' });
  await admin('POST', `${i18n}?edition=1.0&locale=es_ES`, { title: 'Teoría de la Matemática' });
  await admin('POST', `${i18n}?edition=2.0&locale=es_ES`, { title: 'Teoría de las Matemáticas' });
  assert.equal((await admin('GET', `${i18n}/editions`)).editions.length, 2);
  assert.equal((await admin('GET', `${i18n}/locales?edition=1.0`)).locales.length, 2);
  assert.equal((await admin('GET', `${i18n}/locales?edition=2.0`)).locales.length, 1);
  assert.equal((await admin('GET', `${i18n}?edition=2.0&locale=es_MX`)).title, 'Teoría de las Matemáticas');
});

test('11: an attachment goes up raw and as multipart, and comes down identical', async () => {
  const { master } = await fresh();
  const node = await create(master, { title: 'Picture' });
  const bytes = Buffer.from(Array.from({ length: 70_000 }, (_, i) => (i * 31) % 256));
  const base = `${master}/nodes/${node._doc}/attachments`;
  const raw = await reply('POST', `${base}/raw`, { body: bytes, headers: { 'Content-Type': 'image/png' } });
  assert.equal(raw.status, 200, raw.text);
  const boundary = 'a-boundary';
  const form = Buffer.concat([
    Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="upload_file"; filename="p.png"\r\nContent-Type: image/png\r\n\r\n`),
    bytes, Buffer.from(`\r\n--${boundary}--\r\n`)]);
  const multi = await reply('POST', `${base}/form`, {
    body: form, headers: { 'Content-Type': `multipart/form-data; boundary=${boundary}` } });
  assert.equal(multi.status, 200, multi.text);
  const list = await admin('GET', base);
  assert.deepEqual(list.rows.map((row) => [row.attachmentId, row.length, row.contentType, row.filename]),
                   [['raw', 70_000, 'image/png', 'raw'], ['form', 70_000, 'image/png', 'p.png']]);
  for (const id of ['raw', 'form']) {
    const down = await fetch(`${server.baseUrl}${base}/${id}`, { headers: { Authorization: `Bearer ${server.adminToken}` } });
    assert.equal(down.status, 200);
    assert.equal(down.headers.get('content-type'), 'image/png');
    assert.ok(bytes.equals(Buffer.from(await down.arrayBuffer())));
  }
  await admin('DELETE', `${base}/raw`);
  assert.equal((await reply('GET', `${base}/raw`)).status, 404);
  assert.equal((await admin('GET', base)).total_rows, 1);
});

test('12: a fork does not touch its parent, and a branch can be reset', async () => {
  const { repository, master } = await fresh();
  const node = await create(master, { title: 'Shared' });
  const tip = (await admin('GET', master)).tip;
  const fork = await admin('POST', `${repository}/branches?branch=master`, { title: 'Fork' });
  assert.equal(fork.type, 'CUSTOM');
  assert.equal(fork.root, tip);
  const forked = `${repository}/branches/${fork._doc}`;
  assert.equal((await read(forked, node._doc)).title, 'Shared');
  await admin('PUT', `${forked}/nodes/${node._doc}`, { title: 'Changed' });
  await create(forked, { title: 'New' });
  assert.equal((await read(master, node._doc)).title, 'Shared');
  assert.equal(await total(master, { title: 'New' }), 0);
  assert.equal(await total(forked, { title: 'New' }), 1);
  assert.equal((await admin('GET', master)).tip, tip);
  const later = await create(master, { title: 'Later' });
  const job = await admin('POST', `${master}/reset/start?id=${encodeURIComponent(tip)}`, {});
  assert.equal((await finished(job)).state, 'FINISHED');
  assert.equal((await admin('GET', master)).tip, tip);
  assert.equal((await reply('GET', `${master}/nodes/${later._doc}`)).status, 404);
  assert.equal((await read(master, node._doc)).title, 'Shared');
  assert.equal((await read(forked, node._doc)).title, 'Changed');
});

test('13: two of five deleted, one restored', async () => {
  const { master } = await fresh();
  const nodes = [];
  for (let i = 0; i < 5; ++i) nodes.push(await create(master, { category: 'test1', i }));
  await admin('POST', `${master}/nodes/delete`, { _docs: [nodes[0]._doc, nodes[1]._doc, 'none'] });
  const deletions = await admin('POST', `${master}/deletions/query`, { category: 'test1' });
  assert.equal(deletions.total_rows, 2);
  assert.equal(deletions.rows[0]._deletion.nodeId, deletions.rows[0]._doc);
  await admin('POST', `${master}/deletions/${nodes[0]._doc}/restore`, {});
  assert.equal(await total(master, { category: 'test1' }), 4);
  assert.equal((await admin('POST', `${master}/deletions/query`, { category: 'test1' })).total_rows, 1);
  assert.equal((await read(master, nodes[0]._doc)).i, 0);
});

test('16: fields, limit, skip and sort leave the total alone', async () => {
  const { master } = await fresh();
  for (let value = 1; value <= 20; ++value) await create(master, { kind: 'v', value, title: `t${value}` });
  const page = await admin('POST', `${master}/nodes/query?limit=5&skip=5&sort=${encodeURIComponent('{"title":1}')}`,
                           { kind: 'v', _fields: { value: 1 } });
  assert.equal(page.total_rows, 20);
  assert.equal(page.offset, 5);
  assert.equal(page.rows.length, 5);
  assert.deepEqual(Object.keys(page.rows[0]).sort(), ['_doc', 'value']);
});

test('17: a list, its items, and an item deleted as a node', async () => {
  const { master } = await fresh();
  await admin('POST', `${master}/lists/countries?type=custom:country`, {});
  const list = await admin('GET', `${master}/lists/countries`);
  assert.equal(list._type, 'n:list');
  assert.equal(list.listKey, 'countries');
  for (const [name, size] of [['France', 1], ['Spain', 1], ['Malta', 2]])
    await admin('POST', `${master}/lists/countries/items`, { name, size });
  assert.equal((await admin('GET', `${master}/lists/countries/items`)).total_rows, 3);
  const queried = await admin('POST', `${master}/lists/countries/items/query`, { size: 1 });
  assert.equal(queried.total_rows, 2);
  assert.equal(queried.rows[0]._type, 'custom:country');
  await admin('DELETE', `${master}/nodes/${queried.rows[0]._doc}`);
  assert.equal((await admin('POST', `${master}/lists/countries/items/query`, { size: 1 })).total_rows, 1);
});

test('18: nodes move, and their paths follow', async () => {
  const { master } = await fresh();
  const place = async (title, path) =>
    (await create(master, { title }, `?parentFolderPath=${encodeURIComponent(path)}`))._doc;
  const [one, two, three] = [await place('one', '/a'), await place('two', '/a'), await place('three', '/a')];
  await place('keep', '/b/c');
  await admin('POST', `${master}/movenodes`, { sourceNodeIds: [one, two], targetNodeId: 'root', targetPath: '/b' });
  await admin('POST', `${master}/nodes/${three}/move?targetNodeId=root&targetPath=/b/c`, {});
  const paths = async (id) => (await read(master, id, '?paths=true'))._paths['r:root'];
  assert.equal(await paths(one), '/b/one');
  assert.equal(await paths(two), '/b/two');
  assert.equal(await paths(three), '/b/c/three');
});

test('19: mounting adds two rows to the list of nodes, unmounting takes them away', async () => {
  const { master } = await fresh();
  const list = async () => (await admin('GET', `${master}/nodes`)).total_rows;
  const start = await list();
  const node = await create(master, { title: 'Mounted' });
  assert.equal(await list(), start);
  await admin('POST', `${master}/nodes/${node._doc}/mount/key1`, {});
  assert.equal(await list(), start + 2);
  await admin('POST', `${master}/nodes/${node._doc}/unmount`, {});
  assert.equal(await list(), start);
});

test('20: touch, lock and unlock', async () => {
  const { master } = await fresh();
  const node = await create(master, { title: 'Touched' });
  const path = `${master}/nodes/${node._doc}`;
  const first = await admin('POST', `${path}/touch`, {});
  assert.equal(first._doc, node._doc);
  assert.equal((await admin('POST', `${path}/touch`))._doc, node._doc);
  assert.equal((await admin('GET', `${path}/lock`)).locked, false);
  await admin('POST', `${path}/lock`, {});
  assert.equal((await admin('GET', `${path}/lock`)).locked, true);
  await admin('POST', `${path}/unlock`, {});
  assert.equal((await admin('GET', `${path}/lock`)).locked, false);
});
