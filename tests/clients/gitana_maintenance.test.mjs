// Snapshots, pull sources, bulk checks and what keeps a branch in order, by the driver gitana, against the real
// program. Each test names its section of docs/specification/nodes.md.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ask, call, connect, endedJob, send, startPlatform } from './gitana_driver.mjs';
import { freshContent, idsOf, makeNode, queryNodes, readNode, titlesOf, total } from './gitana_repository.mjs';

const { server, admin, primary } = await startPlatform();
const fresh = (fields) => freshContent(admin, fields);
let names = 0;
const makeUser = () => call(primary, (domain) => domain.createUser({ name: `keeper-${++names}`, password: 'of the user' }));
const connectAs = (user) => connect(server, { username: user.getDomainQualifiedName(), password: 'of the user' });
const post = async (branch, what) => send(admin, 'POST', `${branch.getUri()}/${what}`, {});
const finished = async ({ _doc: id }) => {
  const job = await endedJob(admin, id);
  assert.equal(job.state, 'FINISHED', JSON.stringify(job));
  return job._result;
};

test('section 4.1: a snapshot shows its changeset for good', async () => {
  const { repository, master } = await fresh();
  const node = await makeNode(master, { title: 'then' });
  const { tip } = await call(master, (chain) => chain.reload());
  node.title = 'now';
  await call(node, (chain) => chain.update());
  const snapshot = await call(repository, (chain) => chain.createSnapshot(tip, { title: 'Picture' }));
  const read = await send(admin, 'GET', `${repository.getUri()}/snapshots/${snapshot.getId()}`);
  assert.deepEqual([read.title, read.snapshot, read.root, read.tip, read.type], ['Picture', true, tip, tip, 'CUSTOM']);
  assert.equal((await readNode(snapshot, node.getId())).title, 'then');
  await assert.rejects(makeNode(snapshot, { title: 'new' }), { status: 403 });
  assert.equal((await readNode(master, node.getId())).title, 'now');
  await assert.rejects(send(admin, 'GET', `${repository.getUri()}/snapshots/${master.getId()}`), { status: 404 });
  await assert.rejects(call(repository, (chain) => chain.createSnapshot('9:00000000000000000000', {})), { status: 400 });
});

test('section 4.1: a snapshot is taken of a changeset of any branch', async () => {
  const { repository, master } = await fresh();
  const fork = await call(repository, (chain) => chain.createBranch('master', '0:root', {}));
  const node = await makeNode(fork, { title: 'on the fork' });
  await makeNode(master, { title: 'on the master' });
  const snapshot = await call(repository, (chain) => chain.createSnapshot(node.getSystemMetadata().getChangesetId(), {}));
  assert.equal((await readNode(snapshot, node.getId())).title, 'on the fork');
  assert.equal(await total(snapshot, { title: 'on the master' }), 0);
});

test('section 4.1: every other branch but archived ones can be pulled from', async () => {
  const { repository, master } = await fresh();
  const forks = [];
  for (const title of ['one', 'two', 'old']) forks.push(await call(repository, (chain) => chain.createBranch('master', '0:root', { title })));
  await ask(forks[2], (chain, answer) => chain.archive(answer));
  const sources = async (branch, page) => call(repository, (chain) => chain.listPullSources(branch, page));
  const found = await sources('master');
  assert.deepEqual(titlesOf(found), ['one', 'two']);
  assert.equal(found.asArray()[0].tip, '0:root');
  assert.deepEqual(idsOf(await sources(forks[0].getId())), [master.getId(), forks[1].getId()]);
  const page = await sources('master', { limit: 1, skip: 1 });
  assert.deepEqual([titlesOf(page), page.totalRows()], [['two'], 2]);
  const user = await makeUser();
  await call(repository, (chain) => chain.grantAuthority(user, 'connector'));
  await call(forks[1], (chain) => chain.grantAuthority(user, 'consumer'));
  await call(master, (chain) => chain.grantAuthority(user, 'consumer'));
  const theirs = await send(await connectAs(user), 'GET', `${repository.getUri()}/branches/master/pull/sources`);
  assert.deepEqual(theirs.rows.map((row) => row.title), ['two']);
});

test('section 3, 26: branches are checked in bulk below their repository, nodes below their branch', async () => {
  const { repository, master } = await fresh();
  const [reader, stranger] = [await makeUser(), await makeUser()];
  const node = await makeNode(master);
  for (const record of [master, node]) await call(record, (chain) => chain.grantAuthority(reader, 'consumer'));
  for (const [place, record] of [[repository, master], [master, node]]) {
    const checks = [[stranger, 'READ'], [reader, 'read'], [reader, 'UPDATE']].map(([user, permissionId]) =>
      ({ permissionedId: record.getId(), principalId: user.getDomainQualifiedId(), permissionId }));
    const reply = await send(admin, 'POST', `${place.getUri()}/permissions/check`, { checks });
    assert.deepEqual(reply.results.map((one) => one.result), [false, true, false]);
    assert.deepEqual(reply.checks, reply.results);
    const roles = [reader, stranger].map((user) =>
      ({ permissionedId: record.getId(), principalId: user.getDomainQualifiedId(), authorityId: 'CONSUMER' }));
    const held = await send(admin, 'POST', `${place.getUri()}/authorities/check`, { checks: roles });
    assert.deepEqual(held.results.map((one) => one.result), [true, false]);
  }
});

test('section 4.1: a branch in order is found so, and repairing it writes nothing', async () => {
  const { master } = await fresh();
  const folder = await makeNode(master, { title: 'folder' }, { parentFolderPath: '/' });
  for (const title of ['a', 'b']) await makeNode(master, { title }, { parentFolderPath: '/folder' });
  folder.title = 'renamed';
  await call(folder, (chain) => chain.update());
  const { tip } = await call(master, (chain) => chain.reload());
  const count = async (flag) => total(master, { _is_association: flag });
  for (const repair of [false, true]) {
    const jobId = await ask(master, (chain, answer) => chain.startValidation(repair, answer));
    const found = await finished({ _doc: jobId });
    assert.deepEqual([found.nodes, found.associations, found.faults, found.repaired, found.rows],
                     [await count(false), await count(true), 0, 0, []]);
  }
  for (const what of ['paths/index', 'content']) assert.equal((await finished(await post(master, `admin/${what}`))).faults, 0);
  for (const method of ['adminRebuildPathIndexes', 'adminContentMaintenance', 'adminUpgradeSchema', 'adminRebuildSearchIndexes']) {
    await call(master, (chain) => chain[method]());
  }
  assert.equal((await call(master, (chain) => chain.reload())).tip, tip);
});

test('section 4.1: where a branch validates, what fits no definition is named to those who may read it', async () => {
  const { repository, master } = await fresh();
  await makeNode(master, { _qname: 'custom:sized', _type: 'd:type', properties: { size: { type: 'number' } } });
  const [wrong, hidden] = [await makeNode(master, { _type: 'custom:sized', size: 'large' }), await makeNode(master, { _type: 'custom:none' })];
  await makeNode(master, { _type: 'custom:sized', size: 1 });
  const validate = async (platform = admin) => finished(await send(platform, 'POST', `${master.getUri()}/validate/start`, {}));
  assert.equal((await validate()).faults, 0);
  const branch = await call(master, (chain) => chain.reload());
  branch.validateContent = true;
  await call(branch, (chain) => chain.update());
  const found = await validate();
  assert.deepEqual(found.rows.map((row) => [row._doc, row.code, row.repaired]).sort(),
                   [[wrong.getId(), 'nodes.schema_violated', false], [hidden.getId(), 'nodes.type_undefined', false]].sort());
  const reader = await makeUser();
  await call(repository, (chain) => chain.grantAuthority(reader, 'consumer'));
  await call(master, (chain) => chain.grantAuthority(reader, 'consumer'));
  await assert.rejects(send(await connectAs(reader), 'POST', `${master.getUri()}/validate/start`, {}), { status: 403 });
});

test('section 4.1: definitions that a branch lacks come with an upgrade of its schema', async () => {
  const { master } = await fresh();
  const definition = await call(master, (chain) => chain.readDefinition('blog:post'));
  await call(definition, (chain) => chain.del());
  assert.equal(await total(master, { _qname: 'blog:post' }), 0);
  const told = await post(master, 'admin/upgradeschema');
  assert.deepEqual([told.ok, told.definitions], [true, ['blog:post']]);
  assert.equal((await call(master, (chain) => chain.readDefinition('blog:post'))).get('_parent'), 'n:node');
  assert.deepEqual((await post(master, 'admin/upgradeschema')).definitions, []);
});

test('section 4.1: searches go on finding everything while and after the index is built anew', async () => {
  const { repository, master } = await fresh();
  const fork = await call(repository, (chain) => chain.createBranch('master', '0:root', {}));
  for (let i = 0; i < 30; ++i) await makeNode(i % 3 ? master : fork, { title: `apple ${i}` });
  const found = async (branch) => (await call(branch, (chain) => chain.searchNodes('apple'))).totalRows();
  const job = await post(master, 'admin/search/index');
  assert.deepEqual([await found(master), await found(fork)], [20, 10]);
  assert.deepEqual(await finished(job), { searched: true });
  assert.deepEqual([await found(master), await found(fork)], [20, 10]);
});

test('section 15: neither the built-in definitions nor what is switched off is found by words', async () => {
  const { master } = await fresh();
  const search = async (text) => titlesOf(await call(master, (chain) => chain.searchNodes(text)));
  assert.equal(await total(master, { description: { $regex: '\\band\\b' }, _type: 'd:association' }) > 0, true);
  assert.deepEqual(await search('and'), []);
  const node = await makeNode(master, { title: 'salt and pepper' });
  assert.deepEqual(await search('and'), ['salt and pepper']);
  await call(node, (chain) => chain.addFeature('f:indexable', { enabled: false }));
  assert.deepEqual(await search('and'), []);
  await call(node, (chain) => chain.addFeature('f:indexable', {}));
  assert.deepEqual(await search('and'), ['salt and pepper']);
});

test('section 32: a node tells its type and its renditions, and comes back by its own path', async () => {
  const { master } = await fresh();
  await makeNode(master, { _qname: 'custom:book', _type: 'd:type' });
  const node = await makeNode(master, { _type: 'custom:book', title: 'Book' });
  const other = await makeNode(master, { _type: 'custom:none' });
  assert.equal((await send(admin, 'GET', `${node.getUri()}/type`))._qname, 'custom:book');
  await assert.rejects(send(admin, 'GET', `${other.getUri()}/type`), { status: 404 });
  const renditions = () => send(admin, 'GET', `${node.getUri()}/renditions`);
  assert.deepEqual([(await renditions()).total_rows, (await renditions()).rows], [0, []]);
  const rendition = await makeNode(master, { title: 'Rendered', _features: { 'f:rendition': {} } });
  for (const target of [rendition, other]) await call(node, (chain) => chain.associate(target, 'a:linked'));
  assert.deepEqual((await renditions()).rows.map((row) => row._doc), [rendition.getId()]);
  await call(node, (chain) => chain.del());
  const back = await send(admin, 'POST', `${node.getUri()}/undelete`, {});
  assert.deepEqual([back.ok, back._doc, back.title], [true, node.getId(), 'Book']);
  assert.deepEqual(titlesOf(await queryNodes(master, { _type: 'custom:book' })), ['Book']);
  await assert.rejects(send(admin, 'POST', `${node.getUri()}/undelete`, {}), { status: 404 });
});
