// Nodes, their versions, queries, features, attachments and history by the driver gitana, against the real
// program. Each test names the number of the checklist in docs/specification/nodes.md 34, or the section, that it is from.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ask, call, endedJob, send, startPlatform } from './gitana_driver.mjs';
import { freshContent, idsOf, isMissing, makeNode, plain, queryNodes, readNode, titlesOf, total } from './gitana_repository.mjs';

// The driver's own tests sort by numbers, which is a setting.
const { admin } = await startPlatform({ config: 'pagination.sort_numbers = numeric\n' });
const fresh = (fields) => freshContent(admin, fields);

test('1: a fresh repository has the master branch, its two containers and one changeset', async () => {
  const { repository, master } = await fresh({ title: 'First' });
  assert.equal(repository.getTitle(), 'First');
  const branches = await call(repository, (chain) => chain.listBranches());
  assert.equal(branches.size(), 1);
  assert.equal(branches.totalRows(), 1);
  assert.equal(branches.asArray()[0].getId(), master.getId());
  assert.equal(master.getBranchType(), 'MASTER');
  assert.equal(master.isMaster(), true);
  assert.equal(master.getTip(), '0:root');
  const changesets = await call(repository, (chain) => chain.listChangesets());
  assert.deepEqual(idsOf(changesets), ['0:root']);
  assert.equal(await total(master, { '_features.f:container': { $exists: true } }), 2);
  const root = await call(master, (chain) => chain.rootNode());
  assert.equal(root.getQName(), 'r:root');
  assert.equal(root.isContainer(), true);
});

test('section 3: a repository, its fields and a query of repositories; a removed one is not found', async () => {
  const { repository } = await fresh({ tag: ['test1', 'test2'], number: 3, kind: 'of section 3' });
  const found = async (query) =>
    (await call(admin, (platform) => platform.queryRepositories({ kind: 'of section 3', ...query }))).size();
  assert.equal(await found({ tag: 'test1' }), 1);
  assert.equal(await found({ tag: 'test3' }), 0);
  assert.equal(await found({ number: { $gt: 2 } }), 1);
  repository.title = 'Later';
  const updated = await call(repository, (chain) => chain.update());
  assert.equal(updated.title, 'Later');
  assert.deepEqual(updated.tag, ['test1', 'test2']);
  assert.equal(updated.getPlatformId(), admin.getId());
  const members = await call(repository, (chain) => chain.readOwnersTeam().listMembers());
  assert.equal(members.size(), 1);
  await call(repository, (chain) => chain.del());
  await assert.rejects(call(admin, (platform) => platform.readRepository(repository.getId())), isMissing);
});

test('2: a node comes back the same, twice, with what the server adds', async () => {
  const { master } = await fresh();
  const made = await makeNode(master, { title: 'Node', nested: { a: [1, { b: null }] } });
  const [once, twice] = [await plain(made), await plain(made)];
  assert.deepEqual(once, twice);
  assert.equal(made.title, 'Node');
  assert.deepEqual(made.nested, { a: [1, { b: null }] });
  assert.equal(made.getTypeQName(), 'n:node');
  assert.ok(made.getQName());
  assert.ok(made.getFeatureIds().length > 0);
  assert.equal(made.isAssociation(), false);
  assert.ok(made.getSystemMetadata().getChangesetId());
  assert.ok(made.getSystemMetadata().getCreatedOn().timestamp);
  assert.equal(made.getSystemMetadata().getCreatedBy(), 'admin');
});

test('section 2: a custom QName, type and features are kept; unknown ids with blanks and apostrophes are not found', async () => {
  const { master } = await fresh();
  const made = await makeNode(master, { _qname: 'custom:thing', _type: 'custom:kind', _features: { 'f:geolocation': {} } });
  assert.equal(made.getQName(), 'custom:thing');
  assert.equal(made.getTypeQName(), 'custom:kind');
  assert.ok(made.getFeatureIds().includes('f:geolocation'));
  assert.equal((await readNode(master, 'custom:thing')).getId(), made.getId());
  await assert.rejects(readNode(master, "it's%20nothing"), isMissing);
});

test('3: an update makes a second version, and the first can be read and restored', async () => {
  const { master } = await fresh();
  const made = await makeNode(master, { title: 'Before', gone: true });
  const first = made.getSystemMetadata().getChangesetId();
  made.title = 'After';
  delete made.gone;
  const updated = await call(made, (chain) => chain.update());
  assert.equal(updated.title, 'After');
  assert.equal('gone' in updated, false);
  assert.equal(updated.getQName(), made.getQName());
  assert.notEqual(updated.getSystemMetadata().getChangesetId(), first);
  const versions = await send(admin, 'GET', `${made.getUri()}/versions/`);
  assert.equal(versions.total_rows, 2);
  assert.deepEqual(versions.rows.map((row) => row._changesetId),
                   [updated.getSystemMetadata().getChangesetId(), first]);
  assert.equal((await call(made, (chain) => chain.listVersions())).totalRows(), 2);
  assert.equal((await call(made, (chain) => chain.readVersion(first))).title, 'Before');
  const restored = await call(made, (chain) => chain.restoreVersion(first));
  assert.equal(restored.title, 'Before');
  assert.equal(restored.gone, true);
  assert.equal((await readNode(master, made.getId())).title, 'Before');
});

test('4: a deleted node is not found, with a message', async () => {
  const { master } = await fresh();
  const made = await makeNode(master, { title: 'Short' });
  await call(made, (chain) => chain.del());
  await assert.rejects(readNode(master, made.getId()), isMissing);
  assert.equal(await total(master, { title: 'Short' }), 0);
});

test('8 and section 13: queries by equality, numbers, arrays, alternatives and dotted paths', async () => {
  const { master } = await fresh();
  const meals = [['Bacon', 'breakfast', 1], ['Eggs', 'breakfast', 5], ['Toast', 'breakfast', 9], ['Soup', 'lunch', 5]];
  for (const [title, meal, price] of meals) await makeNode(master, { title, meal, price, tags: [meal, 'food'], at: { price } });
  assert.equal(await total(master, { meal: 'breakfast' }), 3);
  assert.equal(await total(master, { price: { $gt: 1, $lt: 9 } }), 2);
  assert.equal(await total(master, { price: '5' }), 0);
  assert.equal(await total(master, { tags: 'food' }), 4);
  assert.equal(await total(master, { 'at.price': 5, meal: 'lunch' }), 1);
  assert.equal(await total(master, { $or: [{ title: 'Eggs' }, { meal: 'lunch' }] }), 2);
  const found = await call(master, (chain) => chain.findNodes({ query: { meal: 'breakfast' } }));
  assert.deepEqual(titlesOf(found), ['Bacon', 'Eggs', 'Toast']);
  const one = await call(master, (chain) => chain.queryNodes({ meal: 'lunch' }).keepOne());
  assert.equal(one.title, 'Soup');
});

test('16: fields, limit, skip and sort leave the total alone', async () => {
  const { master } = await fresh();
  for (let value = 1; value <= 20; ++value) await makeNode(master, { kind: 'v', value, title: `t${value}` });
  const values = (map) => map.asArray().map((row) => row.value);
  const ten = Array.from({ length: 10 }, (_, i) => i + 1);
  const sorted = await queryNodes(master, { kind: 'v' }, { limit: 10, sort: { value: 1 } });
  assert.deepEqual(values(sorted), ten);
  assert.equal(sorted.totalRows(), 20);
  assert.equal(sorted.size(), 10);
  const unsorted = await queryNodes(master, { kind: 'v' }, { limit: 10, skip: 10 });
  assert.deepEqual(values(unsorted), ten.map((value) => value + 10));
  assert.equal(unsorted.offset(), 10);
  assert.equal((await queryNodes(master, { kind: 'v' }, { limit: -1 })).size(), 20);
  const fields = await queryNodes(master, { kind: 'v', _fields: { value: 1 } }, { limit: 1 });
  assert.deepEqual(JSON.parse(JSON.stringify(fields.asArray()[0])), { _doc: idsOf(fields)[0], value: 1 });
  assert.equal(fields.totalRows(), 20);
});

test('section 1.3: full=false leaves the ids alone, metadata=false leaves _system out, paths=true adds _paths', async () => {
  const { master } = await fresh();
  const made = await makeNode(master, { title: 'Row', kind: 'row' }, { parentFolderPath: '/folder' });
  const folder = await readNode(master, made.getId(), { paths: true });
  assert.deepEqual(folder._paths, { 'r:root': '/folder/Row' });
  const parent = await call(master, (chain) => chain.queryNodes({ title: 'folder' }).keepOne());
  const lists = {
    query: (page) => queryNodes(master, { kind: 'row' }, page),
    find: (page) => call(master, (chain) => chain.findNodes({ query: { kind: 'row' } }, page)),
    children: (page) => call(parent, (chain) => chain.listChildren(page)),
    relatives: (page) => call(parent, (chain) => chain.queryRelatives({ kind: 'row' }, { type: 'a:child' }, page)),
  };
  for (const [name, list] of Object.entries(lists)) {
    const row = async (page) => JSON.parse(JSON.stringify((await list(page)).asArray()[0]));
    assert.deepEqual(await row({ full: false }), { _doc: made.getId() }, name);
    assert.equal((await list({ full: false })).totalRows(), 1, name);
    assert.equal((await list({ metadata: false })).asArray()[0].getSystemMetadata().getChangesetId(), undefined, name);
    assert.equal((await row({ metadata: false })).title, 'Row', name);
    assert.deepEqual((await row({ paths: true }))._paths, { 'r:root': '/folder/Row' }, name);
    assert.equal('_paths' in await row({}), false, name);
  }
});

test('9: a feature with its configuration comes, is replaced, and goes', async () => {
  const { master } = await fresh();
  const made = await makeNode(master, { title: 'Featured' });
  await call(made, (chain) => chain.addFeature('f:filename', { filename: 'one.txt' }));
  await call(made, (chain) => chain.addFeature('f:filename', { filename: 'name.txt' }));
  const read = await readNode(master, made.getId());
  assert.deepEqual(read.getFeature('f:filename'), { filename: 'name.txt' });
  assert.equal(await total(master, { '_features.f:filename': { $exists: true } }), 1);
  await call(made, (chain) => chain.removeFeature('f:filename'));
  assert.equal((await readNode(master, made.getId())).getFeatureIds().includes('f:filename'), false);
});

test('section 10: QName and type change, and queries follow', async () => {
  const { master } = await fresh();
  const made = await makeNode(master, { title: 'My First Title' });
  const before = made.getQName();
  await call(made, (chain) => chain.changeQName('my:specialNode'));
  assert.equal(await total(master, { _qname: before }), 0);
  assert.equal(await total(master, { _qname: 'my:specialNode' }), 1);
  for (const type of ['custom:one', 'custom:two']) {
    await call(made, (chain) => chain.changeTypeQName(type));
    assert.equal((await readNode(master, made.getId())).getTypeQName(), type);
    assert.equal(await total(master, { _type: type }), 1);
  }
  const qname = await ask(master, (chain, answer) => chain.generateQName({ title: 'My First Title' }, answer));
  assert.equal(qname, 'custom:myfirsttitle0');
});

test('11: an attachment goes up raw, is listed, comes down identical, and goes', async () => {
  const { master } = await fresh();
  const node = await makeNode(master, { title: 'Text' });
  const text = 'Some text, with ünïcödé.';
  await call(node, (chain) => chain.attach('default', 'text/plain', text));
  const attached = (await call(node, (chain) => chain.listAttachments())).asArray()[0];
  assert.equal(attached.getId(), 'default');
  assert.equal(attached.getLength(), Buffer.byteLength(text));
  assert.equal(attached.getContentType(), 'text/plain');
  assert.equal(attached.getFilename(), 'default');
  await call(node, (chain) => chain.attach('second', 'text/plain', 'two', 'second.txt'));
  const list = await call(node, (chain) => chain.listAttachments());
  assert.deepEqual(list.asArray().map((one) => [one.getId(), one.getFilename()]), [['default', 'default'], ['second', 'second.txt']]);
  assert.ok(list.asArray().every((one) => one.objectId));
  assert.equal(await ask(attached, (chain, answer) => chain.download(answer)), text);
  node.title = 'Later';
  const updated = await call(node, (chain) => chain.update());
  assert.deepEqual(Object.keys(updated.getSystemMetadata().attachments), ['default', 'second']);
  await call(node, (chain) => chain.unattach('default'));
  assert.equal((await call(node, (chain) => chain.listAttachments())).size(), 1);
  await assert.rejects(send(admin, 'GET', `${node.getUri()}/attachments/default`), isMissing);
});

test('12: a fork does not touch its parent, and a branch can be reset', async () => {
  const { repository, master } = await fresh();
  const node = await makeNode(master, { title: 'Shared' });
  const { tip } = await call(master, (chain) => chain.reload());
  const fork = await call(repository, (chain) => chain.createBranch('master', tip, { title: 'Fork', tags: ['a', 'b'] }));
  assert.equal(fork.isMaster(), false);
  assert.equal(fork.root, tip);
  assert.equal(fork.title, 'Fork');
  const forked = await readNode(fork, node.getId());
  forked.title = 'Changed';
  await call(forked, (chain) => chain.update());
  await makeNode(fork, { title: 'New' });
  assert.equal((await readNode(master, node.getId())).title, 'Shared');
  assert.equal(await total(master, { title: 'New' }), 0);
  assert.equal(await total(fork, { title: 'New' }), 1);
  assert.equal((await call(master, (chain) => chain.reload())).tip, tip);
  assert.equal((await call(repository, (chain) => chain.queryBranches({ tags: 'a' }))).size(), 1);
  assert.equal((await call(repository, (chain) => chain.listBranches())).size(), 2);
  const later = await makeNode(master, { title: 'Later' });
  const { _doc: id } = await send(admin, 'POST', `${master.getUri()}/reset/start?id=${tip}`, {});
  assert.equal((await endedJob(admin, id)).state, 'FINISHED');
  assert.equal((await call(master, (chain) => chain.reload())).tip, tip);
  await assert.rejects(readNode(master, later.getId()), isMissing);
  assert.equal((await readNode(fork, node.getId())).title, 'Changed');
});

test('section 4, 5: a branch is made by a job; one write is one changeset with its nodes', async () => {
  const { repository, master } = await fresh();
  const made = [];
  for (let i = 0; i < 8; ++i) made.push(await makeNode(master, { i }));
  const changesets = await call(repository, (chain) => chain.listChangesets());
  assert.equal(changesets.size(), 9);
  assert.equal(new Set(made.map((node) => node.getSystemMetadata().getChangesetId())).size, 8);
  const changeset = await call(repository, (chain) => chain.readChangeset(made[3].getSystemMetadata().getChangesetId()));
  assert.equal(changeset.branch, master.getId());
  assert.ok(idsOf(await call(changeset, (chain) => chain.listNodes())).includes(made[3].getId()));
  assert.equal((await call(repository, (chain) => chain.queryChangesets({}))).size(), 9);
  const jobId = await ask(repository, (chain, answer) => chain.startCreateBranch(master.getId(), '0:root', { title: 'By job' }, answer));
  const job = await endedJob(admin, jobId);
  assert.equal(job.state, 'FINISHED');
  const branch = await call(repository, (chain) => chain.readBranch(job._result.createdBranchId));
  assert.equal(branch.title, 'By job');
  assert.equal(await total(branch, { i: { $exists: true } }), 0);
});

test('13: two of five deleted, one restored', async () => {
  const { master } = await fresh();
  const deletions = async () => call(master, (chain) => chain.queryDeletions({ category: 'test1' }));
  assert.equal((await call(master, (chain) => chain.queryDeletions({}))).size(), 0);
  const nodes = [];
  for (let i = 0; i < 5; ++i) nodes.push(await makeNode(master, { category: 'test1', i }));
  await call(master, (chain) => chain.deleteNodes([nodes[0].getId(), nodes[1].getId()]));
  assert.equal((await deletions()).size(), 2);
  const deletion = await call(master, (chain) => chain.readDeletion(nodes[0].getId()));
  assert.equal(deletion.getNodeId(), nodes[0].getId());
  await ask(deletion, (chain, answer) => chain.restore(answer));
  assert.equal(await total(master, { category: 'test1' }), 4);
  assert.equal((await deletions()).size(), 1);
  assert.equal((await readNode(master, nodes[0].getId())).i, 0);
  await call(await call(master, (chain) => chain.readDeletion(nodes[1].getId())), (chain) => chain.del());
  assert.equal((await deletions()).size(), 0);
});

test('20: touch twice, lock and unlock', async () => {
  const { master } = await fresh();
  const node = await makeNode(master, { title: 'Touched' });
  for (let round = 0; round < 2; ++round) {
    const touched = await call(node, (chain) => chain.touch());
    assert.equal((touched ?? node).getId(), node.getId());
  }
  const isLocked = () => ask(node, (chain, answer) => chain.checkLocked(answer));
  assert.equal(await isLocked(), false);
  await call(node, (chain) => chain.lock());
  assert.equal(await isLocked(), true);
  await call(node, (chain) => chain.unlock());
  assert.equal(await isLocked(), false);
});
