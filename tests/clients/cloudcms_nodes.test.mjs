// Nodes by the driver cloudcms, with each of its engines, against the real program. Each test names the number of
// the checklist in docs/specification/nodes.md 34, or the section, that it is from.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { SteleServer } from '../support/stele_server.mjs';
import { configFor, connectWith, engines, told } from './cloudcms_driver.mjs';

let server;
// The driver's own tests sort by numbers, which is a setting.
before(async () => { server = await SteleServer.start({ config: 'pagination.sort_numbers = numeric\n' }); });
after(() => server.end());

const master = 'master';
const titles = (result) => result.rows.map((row) => row.title);
const changesetOf = (node) => node._system.changeset;

for (const engine of engines) {
  /// A test in a repository of its own.
  const inRepository = (name, work) => test(`${engine[0]}: ${name}`, async () => {
    const session = await connectWith(engine, configFor(server));
    const repository = await session.createRepository({});
    const make = async (fields = {}, options = undefined) => {
      const made = await session.createNode(repository, master, fields, options);
      return session.readNode(repository, master, made._doc);
    };
    const update = (node) => session.updateRecord(`/repositories/${repository._doc}/branches/master/nodes`, node);
    const total = async (query) => (await session.queryNodes(repository, master, query, {})).total_rows;
    await work({ session, repository, make, update, total });
  });

  inRepository('1: a fresh repository has the master branch and one changeset', async ({ session, repository, total }) => {
    assert.equal(repository.ok, true);
    const read = await session.readRepository(repository);
    assert.equal('ok' in read, false);
    assert.ok(read.platformId);
    const branches = await session.listBranches(repository);
    assert.equal(branches.total_rows, 1);
    assert.equal(branches.rows[0].type, 'MASTER');
    const branch = await session.readBranch(repository, master);
    assert.equal(branch._doc, branches.rows[0]._doc);
    assert.equal(branch.tip, '0:root');
    assert.equal(branch.repositoryId, repository._doc);
    assert.deepEqual((await session.listChangesets(repository)).rows.map((one) => one._doc), ['0:root']);
    assert.equal(await total({ '_features.f:container': { $exists: true } }), 2);
    const queried = await session.queryNodes(repository, master, {}, {});
    assert.ok(queried.rows.length > 0);
  });

  inRepository('2: a node comes back the same, twice', async ({ session, repository, make }) => {
    const made = await make({ title: 'Node', nested: { a: [1, { b: null }] } });
    const again = await session.readNode(repository, master, made._doc);
    assert.deepEqual(made, again);
    assert.equal(made._type, 'n:node');
    assert.match(made._qname, /^o:/);
    assert.ok(Object.keys(made._features).length > 0);
    assert.equal(made._is_association, false);
    assert.ok(changesetOf(made));
    assert.deepEqual(made.nested, { a: [1, { b: null }] });
  });

  inRepository('3: an update makes a second version, and the first can be restored', async ({ session, repository, make, update }) => {
    const first = await make({ title: 'Before', gone: true });
    const { gone, ...kept } = first;
    const second = await update({ ...kept, title: 'After' });
    assert.equal(gone, true);
    assert.equal(second._doc, first._doc);
    assert.equal('gone' in second, false);
    const versions = await session.listVersions(repository, master, first._doc, {}, {});
    assert.equal(versions.total_rows, 2);
    assert.deepEqual(versions.rows.map((row) => row._changesetId), [changesetOf(second), changesetOf(first)]);
    assert.equal((await session.readVersion(repository, master, first._doc, changesetOf(first), {})).title, 'Before');
    const restored = await session.restoreVersion(repository, master, first._doc, changesetOf(first));
    assert.equal(restored.title, 'Before');
    assert.equal((await session.readNode(repository, master, first._doc)).gone, true);
  });

  inRepository('4: a deleted node is null for the driver, and an error tells what is wrong', async ({ session, repository, make }) => {
    const made = await make({ title: 'Short' });
    await session.deleteNode(repository, master, made);
    assert.equal(await session.readNode(repository, master, made._doc), null);
    await assert.rejects(session.createNode(repository, master, { _qname: 'nocolon' }), (error) => {
      const { status, body } = told(error);
      assert.equal(status, 400);
      assert.ok(body.error);
      assert.match(body.message, /_qname/);
      return true;
    });
  });

  inRepository('5: associations are counted with the implicit one', async ({ session, repository, make }) => {
    const [one, two, three] = [await make(), await make(), await make()];
    const count = async (type, direction) =>
      (await session.listNodeAssociations(repository, master, one, type, direction)).total_rows;
    assert.equal(await count(), 1);
    await session.associateChild(repository, master, one, two);
    const link = await session.associate(repository, master, one, three, 'a:linked', 'UNDIRECTED');
    assert.equal(link.source, one._doc);
    assert.equal(link.target, three._doc);
    assert.equal(link.directionality, 'UNDIRECTED');
    assert.equal(link._is_association, true);
    assert.equal(await count(), 3);
    assert.equal((await session.listOutgoingAssociations(repository, master, one)).total_rows, 2);
    assert.equal((await session.listIncomingAssociations(repository, master, one)).total_rows, 2);
    assert.equal(await count('a:child'), 1);
    assert.equal((await session.queryNodeChildren(repository, master, one, {})).total_rows, 1);
    await session.unassociateChild(repository, master, one, two);
    await session.unassociate(repository, master, one, three, 'a:linked', 'UNDIRECTED');
    assert.equal(await count(), 1);
  });

  inRepository('7: folders by paths, read by path, with trees, relatives and moves', async ({ session, repository, make }) => {
    const nodes = {};
    const places = [['one', '/folder1/folder11'], ['two', '/folder1/folder12'], ['three', '/folder2/folder11']];
    for (const [title, parentPath] of places) nodes[title] = await make({ title }, { parentPath });
    for (const [title, parentPath] of places) {
      const found = await session.readNode(repository, master, 'root', `${parentPath}/${title}`);
      assert.equal(found._doc, nodes[title]._doc);
      assert.equal(await session.resolveNodePath(repository, master, found), `${parentPath}/${title}`);
    }
    assert.deepEqual(await session.resolveNodePaths(repository, master, nodes.one), { 'r:root': '/folder1/folder11/one' });
    assert.equal(await session.readNode(repository, master, 'root', '/folder1/none'), null);
    const tree = await session.nodeTree(repository, master, 'root', { depth: 3, leafPath: '/folder1', properties: true });
    assert.deepEqual(tree.children.map((child) => child.filename).sort(), ['folder1', 'folder2']);
    const folder1 = tree.children.find((child) => child.filename === 'folder1');
    assert.deepEqual(folder1.children.map((child) => child.filename).sort(), ['folder11', 'folder12']);
    const based = await session.nodeTree(repository, master, 'root', { basePath: '/folder1' });
    assert.equal(based.filename, 'folder1');
    const relatives = await session.queryNodeRelatives(repository, master, folder1.id, 'a:child', 'ANY', {}, {});
    assert.equal(relatives.total_rows, 3);
    const filtered = await session.nodeTree(repository, master, 'root', { depth: 10, query: { title: 'three' } });
    assert.deepEqual(filtered.children.map((child) => child.filename), ['folder2']);
    await session.moveNodes(repository, master, [nodes.one._doc, nodes.three._doc], 'root', '/folder1/folder12');
    for (const title of ['one', 'two', 'three']) {
      assert.equal(await session.resolveNodePath(repository, master, nodes[title]), `/folder1/folder12/${title}`);
    }
    const named = await make({}, { filename: 'named.txt', parentFolderPath: '/' });
    assert.equal(named.title, 'named.txt');
    assert.equal(await session.resolveNodePath(repository, master, named), '/named.txt');
  });

  inRepository('8, 16: queries, finds, fields, limit, skip and sort', async ({ session, repository, make, total }) => {
    for (let value = 1; value <= 20; ++value) await make({ kind: 'v', value, title: `t${value}` });
    assert.equal(await total({ value: { $gt: 15 } }), 5);
    const query = (more) => session.queryNodes(repository, master, { kind: 'v' }, more);
    const page = await query({ limit: 10, skip: 10, sort: { value: 1 } });
    assert.deepEqual(page.rows.map((row) => row.value), Array.from({ length: 10 }, (_, i) => i + 11));
    assert.equal(page.total_rows, 20);
    assert.equal(page.offset, 10);
    assert.equal(page.size, 10);
    const last = await query({ limit: 1, sort: { value: -1 } });
    assert.deepEqual(titles(last), ['t20']);
    const fields = await query({ limit: 2, fields: { value: 1 } });
    assert.deepEqual(fields.rows.map((row) => Object.keys(row).sort()), [['_doc', 'value'], ['_doc', 'value']]);
    assert.equal(fields.total_rows, 20);
    assert.equal((await session.queryOneNode(repository, master, { value: 7 })).title, 't7');
    assert.equal(await session.queryOneNode(repository, master, { value: 70 }), null);
    const found = await session.findNodes(repository, master, { query: { value: { $lt: 3 } } }, { sort: { value: -1 } });
    assert.deepEqual(titles(found), ['t2', 't1']);
    const minimal = await query({ limit: 1, full: false });
    assert.deepEqual(Object.keys(minimal.rows[0]), ['_doc']);
    const bare = await query({ limit: 1, metadata: false });
    assert.equal('_system' in bare.rows[0], false);
    assert.equal(bare.rows[0].title, 't1');
  });

  inRepository('9: a feature with its configuration comes and goes', async ({ session, repository, make }) => {
    const node = await make({ title: 'Featured' });
    const features = async () => (await session.readNode(repository, master, node._doc))._features;
    await session.addNodeFeature(repository, master, node, 'f:filename', { filename: 'woo' });
    assert.deepEqual((await features())['f:filename'], { filename: 'woo' });
    await session.removeNodeFeature(repository, master, node, 'f:filename');
    assert.equal('f:filename' in (await features()), false);
    const refreshed = await session.refreshNode(repository, master, node);
    assert.equal(refreshed._doc, node._doc);
  });

  inRepository('section 10: QName and type change, and queries follow', async ({ session, repository, make, total }) => {
    const node = await make({ title: 'Changing' });
    assert.equal((await session.changeNodeQName(repository, master, node, 'custom:new'))._qname, 'custom:new');
    assert.equal(await total({ _qname: node._qname }), 0);
    assert.equal(await total({ _qname: 'custom:new' }), 1);
    assert.equal((await session.changeNodeTypeQName(repository, master, node, 'custom:type'))._type, 'custom:type');
    assert.equal(await total({ _type: 'custom:type' }), 1);
  });

  inRepository('sections 4, 12: branches are forked at a changeset and queried; copies keep ids', async ({ session, repository, make }) => {
    const node = await make({ title: 'Shared' });
    const { tip } = await session.readBranch(repository, master);
    const fork = await session.createBranch(repository, master, tip, { title: 'Fork' });
    assert.equal(fork.title, 'Fork');
    assert.equal(fork.type, 'CUSTOM');
    assert.equal(fork.root, tip);
    assert.equal((await session.readNode(repository, fork, node._doc)).title, 'Shared');
    const made = await session.createNode(repository, fork, { title: 'New' });
    assert.equal(await session.readNode(repository, master, made._doc), null);
    assert.equal((await session.readBranch(repository, master)).tip, tip);
    assert.equal((await session.queryBranches(repository, { title: 'Fork' }, {})).total_rows, 1);
    const job = await session.startCopyNodes(repository, fork, master, [made._doc]);
    assert.equal((await session.waitForJobCompletion(job)).state, 'FINISHED');
    assert.equal((await session.readNode(repository, master, made._doc)).title, 'New');
  });

  inRepository('section 5: one write is one changeset, which lists its nodes', async ({ session, repository, make }) => {
    const nodes = [];
    for (let i = 0; i < 8; ++i) nodes.push(await make({ i }));
    assert.equal((await session.listChangesets(repository)).total_rows, 9);
    assert.equal((await session.queryChangesets(repository, {}, {})).total_rows, 9);
    const changeset = await session.readChangeset(repository, changesetOf(nodes[4]));
    assert.equal(changeset._doc, changesetOf(nodes[4]));
    const written = await session.listChangesetNodes(repository, changeset);
    assert.ok(written.rows.some((row) => row._doc === nodes[4]._doc));
  });

  inRepository('section 7: several nodes are deleted at once, and one is patched', async ({ session, repository, make, total }) => {
    const nodes = [];
    for (let i = 0; i < 4; ++i) nodes.push(await make({ kind: 'many', i }));
    const gone = await session.deleteNodes(repository, master, [nodes[0], nodes[1]]);
    assert.deepEqual([...gone._docs].sort(), [nodes[0]._doc, nodes[1]._doc].sort());
    assert.equal(await total({ kind: 'many' }), 2);
    const patched = await session.patchNode(repository, master, nodes[2], [{ op: 'replace', path: '/i', value: 'patched' }]);
    assert.equal(patched.i, 'patched');
    assert.equal((await session.readNode(repository, master, nodes[2]._doc)).kind, 'many');
  });

  inRepository('section 16: a traversal walks types exactly, over nodes of association types', async ({ session, repository, make }) => {
    for (const name of ['one', 'two']) await make({ _qname: `test:assoc-${name}`, _type: 'd:association', _parent: 'a:linked' });
    const types = ['n:node', 'test:assoc-one', 'test:assoc-two', 'test:assoc-two', 'n:node', 'n:node'];
    const nodes = [];
    for (const _type of types) nodes.push(await make({ _type }));
    const join = (from, to, type) => session.associate(repository, master, nodes[from], nodes[to], type, 'DIRECTED');
    await join(0, 1, 'test:assoc-one');
    await join(1, 2, 'test:assoc-two');
    await join(1, 2, 'a:linked');
    await join(1, 3, 'test:assoc-two');
    await join(1, 5, 'a:linked');
    await join(3, 4, 'test:assoc-two');
    const found = await session.traverseNode(repository, master, nodes[0],
      { associations: { 'test:assoc-one': 'ANY', 'test:assoc-two': 'ANY' }, depth: 3 });
    assert.deepEqual(Object.keys(found.nodes).sort(), nodes.slice(0, 5).map((node) => node._doc).sort());
    assert.equal(Object.keys(found.associations).length, 4);
    assert.ok(Object.values(found.nodes).every((node) => node._is_association === false));
    assert.equal(found.node, nodes[0]._doc);
    assert.equal(found.node_count, 5);
  });

  inRepository('8, section 15: texts are searched and found, with scores', async ({ session, repository, make }) => {
    for (const title of ['eggs and bacon', 'eggs', 'toast', 'soup']) await make({ title, meal: title === 'soup' ? 'lunch' : 'breakfast' });
    const searched = await session.searchNodes(repository, master, 'eggs', { sort: { _score: -1 } });
    assert.deepEqual(titles(searched), ['eggs', 'eggs and bacon']);
    assert.ok(searched.rows.every((row) => row._search.score > 0));
    assert.equal((await session.searchNodes(repository, master, { search: { query_string: { query: 'title:and' } } }, {})).total_rows, 1);
    const found = await session.findNodes(repository, master, { search: 'eggs', query: { meal: 'breakfast', title: 'eggs' } }, { limit: -1 });
    assert.deepEqual(titles(found), ['eggs']);
    assert.ok(found.rows[0]._search.score > 0);
  });

  inRepository('15: the selected members of the instances of a custom type', async ({ session, repository, make }) => {
    const text = { type: 'string' };
    await make({ _qname: 'custom:book', _type: 'd:type', type: 'object', properties: { title: text, author: text, summary: text } });
    for (const title of ['one', 'two']) await make({ _type: 'custom:book', title, author: 'Joe', summary: 'Long' });
    const { data, errors } = await session.graphqlQuery(repository, master, 'query { custom_books { title author } }');
    assert.equal(errors, undefined);
    assert.deepEqual(data.custom_books, [{ title: 'one', author: 'Joe' }, { title: 'two', author: 'Joe' }]);
  });

  inRepository('section 22: a type is used right after it was made', async ({ make, total }) => {
    await make({ _qname: 'custom:article', _type: 'd:type', _parent: 'n:node', description: 'Article', type: 'object',
                 properties: { title: { type: 'string' } } });
    const article = await make({ _type: 'custom:article', title: 'an article' });
    assert.equal(article._type, 'custom:article');
    assert.equal(article.title, 'an article');
    assert.equal(await total({ _type: 'custom:article' }), 1);
  });
}

/// The driver's forms are streams, which only its first engine sends.
const axios = engines[0];

async function withForms() {
  const session = await connectWith(axios, configFor(server));
  return { session, repository: await session.createRepository({}) };
}

async function bytesOf(stream) {
  const pieces = [];
  for await (const piece of stream) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces);
}

test('11: an attachment goes up as a form, is listed, comes down identical, and goes', async () => {
  const { session, repository } = await withForms();
  const node = await session.createNode(repository, master, { title: 'Picture' });
  const bytes = Buffer.from(Array.from({ length: 70_000 }, (_, i) => (i * 31) % 256));
  await session.uploadAttachment(repository, master, node, 'default', bytes, 'image/png', 'picture.png');
  await session.uploadAttachment(repository, master, node, 'plain', Buffer.from('text'), 'text/plain');
  const list = await session.listAttachments(repository, master, node);
  assert.deepEqual(list.rows.map((row) => [row.attachmentId, row._doc, row.length, row.contentType, row.filename]),
                   [['default', 'default', 70_000, 'image/png', 'picture.png'], ['plain', 'plain', 4, 'text/plain', 'plain']]);
  assert.ok(list.rows.every((row) => row.objectId));
  assert.ok(bytes.equals(await bytesOf(await session.downloadAttachment(repository, master, node, 'default'))));
  await session.deleteAttachment(repository, master, node, 'default');
  assert.equal((await session.listAttachments(repository, master, node)).size, 1);
  assert.equal(await session.downloadAttachment(repository, master, node, 'default'), null);
});

test('section 21: five attachments at once go up to nodes of their own', async () => {
  const { session, repository } = await withForms();
  const nodes = await Promise.all(Array.from({ length: 5 }, (_, i) => session.createNode(repository, master, { i })));
  await Promise.all(nodes.map((node, i) =>
    session.uploadAttachment(repository, master, node, 'default', Buffer.alloc(1000 + i, i), 'image/png', `${i}.png`)));
  for (const [i, node] of nodes.entries()) {
    const { rows } = await session.listAttachments(repository, master, node);
    assert.deepEqual(rows.map((row) => [row.filename, row.length]), [[`${i}.png`, 1000 + i]]);
  }
});

test('section 7.3: several nodes are made by one form', async () => {
  const { session, repository } = await withForms();
  const objects = ['one', 'two'].map((title) => JSON.stringify({ title, kind: 'form' }));
  const made = await session.createNodes(repository, master, objects);
  assert.deepEqual(made.rows.map((row) => row.title), ['one', 'two']);
  assert.equal((await session.queryNodes(repository, master, { kind: 'form' }, {})).total_rows, 2);
});

test('section 7: several nodes are updated in one changeset', async () => {
  const { session, repository } = await withForms();
  const nodes = [];
  for (const title of ['one', 'two']) nodes.push({ ...await session.createNode(repository, master, { title }), title: `${title} later` });
  await session.updateNodes(repository, master, nodes);
  const read = await Promise.all(nodes.map((node) => session.readNode(repository, master, node._doc)));
  assert.deepEqual(read.map((node) => node.title), ['one later', 'two later']);
  assert.equal(changesetOf(read[0]), changesetOf(read[1]));
});
