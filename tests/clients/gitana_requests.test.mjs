// How requests about content may look and what replies hold, by the driver gitana, against the real program. Each
// test names its section of docs/specification/nodes.md.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ask, call, connect, endedJob, send, startPlatform } from './gitana_driver.mjs';
import { associate, freshContent, idsOf, makeNode, queryNodes, readNode, titlesOf, total } from './gitana_repository.mjs';

const { server, admin } = await startPlatform();
const fresh = (fields) => freshContent(admin, fields);

test('section 1.1: options without a locale, unknown parameters, offsets and capital booleans are taken', async () => {
  const { master } = await fresh();
  for (let i = 0; i < 3; ++i) await makeNode(master, { kind: 'k', i });
  const page = await queryNodes(master, { kind: 'k' }, { options: { trackTotal: true }, a: 1, cb: 'x', offset: 2, limit: 2 });
  assert.deepEqual(page.asArray().map((row) => row.i), [0, 1]);
  assert.equal(page.totalRows(), 3);
  assert.equal(page.offset(), 0);
  assert.equal((await queryNodes(master, { kind: 'k' }, { limit: -1 })).size(), 3);
  const bare = await send(admin, 'POST', `${master.getUri()}/nodes/query?full=False&limit=1`, { kind: 'k' });
  assert.deepEqual(Object.keys(bare.rows[0]), ['_doc']);
  const read = await readNode(master, idsOf(page)[0], { paths: 'True' });
  assert.deepEqual(read._paths, {});
});

test('section 1.1: one pair of quotes around a text counts as none', async () => {
  const { master } = await fresh();
  const [one, two] = [await makeNode(master, { title: 'one' }), await makeNode(master, { title: 'two' })];
  await associate(one, two, 'a:child');
  const relatives = await call(one, (chain) => chain.listRelatives({ type: '"a:child"', direction: '"outgoing"' }));
  assert.deepEqual(titlesOf(relatives), ['two']);
  const definitions = await call(master, (chain) => chain.listDefinitions('"association"', { limit: 1 }));
  assert.equal(definitions.asArray()[0].getTypeQName(), 'd:association');
  await send(admin, 'POST', `${two.getUri()}/i18n?locale="de_DE"&edition="1.0"`, { title: 'zwei' });
  assert.equal((await call(two, (chain) => chain.readTranslation('"1.0"', 'de_DE'))).title, 'zwei');
  const history = await ask(master, (chain, answer) => chain.loadHistoryChangesets({ root: '"0:root"' }, answer));
  assert.equal(history.total_rows, 4);
});

test('section 1.3: eleven branches are listed without a limit, in the order of their making', async () => {
  const { repository } = await fresh();
  const made = [];
  for (let i = 0; i < 10; ++i) {
    made.push((await call(repository, (chain) => chain.createBranch('master', '0:root', { title: `b${i}`, i }))).getId());
  }
  const branches = await call(repository, (chain) => chain.listBranches());
  assert.equal(branches.size(), 11);
  assert.deepEqual(idsOf(branches).slice(1), made);
  assert.equal((await call(repository, (chain) => chain.queryBranches({ i: { $gt: 7 } }))).size(), 2);
});

test('section 1.5: no job waits when all is done', async () => {
  const { repository, master } = await fresh();
  const jobId = await ask(repository, (chain, answer) => chain.startCreateBranch(master.getId(), '0:root', {}, answer));
  assert.equal((await endedJob(admin, jobId)).state, 'FINISHED');
  const waiting = await call(admin.getCluster(), (chain) => chain.queryJobs({ state: 'WAITING' }, { limit: 1 }));
  assert.equal(waiting.totalRows(), 0);
});

test('section 7.4: a driver that sends no system members keeps type, QName, features and attachments', async () => {
  const { master } = await fresh();
  const node = await makeNode(master, { _type: 'custom:kept', _qname: 'custom:one', title: 'a', _features: { 'f:geolocation': { lat: 1 } } });
  await call(node, (chain) => chain.attach('default', 'text/plain', 'x'));
  const updated = await send(admin, 'PUT', node.getUri(), { title: 'b' });
  assert.deepEqual([updated._type, updated._qname, updated.title], ['custom:kept', 'custom:one', 'b']);
  assert.deepEqual(updated._features['f:geolocation'], { lat: 1 });
  assert.equal(updated.ok, true);
  const read = await send(admin, 'GET', node.getUri());
  assert.equal('ok' in read, false);
  assert.deepEqual(Object.keys(read._system.attachments), ['default']);
  assert.equal(read._system.attachments.default.length, 1);
});

test('section 11.3: directions of directed and undirected associations, seen from both ends', async () => {
  const { master } = await fresh();
  const [source, target, left, right] = [await makeNode(master), await makeNode(master), await makeNode(master), await makeNode(master)];
  await associate(source, target, 'custom:x');
  await associate(left, right, 'custom:x', true);
  const cells = { OUTGOING: [1, 0, 1, 1], INCOMING: [0, 1, 1, 1], MUTUAL: [0, 0, 1, 1], ANY: [1, 1, 1, 1] };
  for (const [direction, expected] of Object.entries(cells)) {
    for (const [at, node] of [source, target, left, right].entries()) {
      const config = () => ({ type: 'custom:x', direction });
      const found = await call(node, (chain) => chain.associations(config()));
      assert.equal(found.totalRows(), expected[at], `${direction} of node ${at}`);
      const relatives = await call(node, (chain) => chain.listRelatives(config()));
      assert.equal(relatives.totalRows(), expected[at], `relatives ${direction} of node ${at}`);
    }
  }
});

test('section 16: three mutual friends of one are three nodes and three associations at depth one', async () => {
  const { master } = await fresh();
  const friends = [];
  for (let i = 0; i < 4; ++i) friends.push(await makeNode(master, { i }));
  for (let a = 0; a < 4; ++a) {
    for (let b = a + 1; b < 4; ++b) await associate(friends[a], friends[b], 'custom:friend', true);
  }
  const found = await ask(friends[0], (chain, answer) =>
    chain.traverse({ associations: { 'custom:friend': 'MUTUAL' }, depth: 1, filter: 'ALL_BUT_START_NODE' }).then(function () {
      answer([Object.keys(this._nodes).length, Object.keys(this._associations).length]);
    }));
  assert.deepEqual(found, [3, 3]);
});

test('section 18.2: CLONE keeps the id on another branch, and cloning again overwrites', async () => {
  const { repository, master } = await fresh();
  const fork = await call(repository, (chain) => chain.createBranch('master', '0:root', { title: 'Fork' }));
  const node = await makeNode(master, { title: 'Cloned' });
  const clone = async () => {
    const source = await readNode(master, node.getId());
    const chainOf = (typeId, id, ref) => ({ typeId, id, ref });
    const ids = [admin.getId(), repository.getId()];
    const branchChain = (branch) => [
      chainOf('platform', admin.getId(), admin.ref()), chainOf('repository', repository.getId(), repository.ref()),
      chainOf('branch', branch.getId(), branch.ref())];
    const changeset = source.getSystemMetadata().getChangesetId();
    const { _doc: id } = await send(admin, 'POST', '/tools/copy?schedule=ASYNCHRONOUS&strategy=CLONE', {
      sources: [...branchChain(master), chainOf('changeset', changeset, `changeset://${ids.join('/')}/${changeset}`),
                chainOf('node', source.getId(), source.ref())],
      targets: branchChain(fork), configuration: {} });
    assert.equal((await endedJob(admin, id)).state, 'FINISHED');
    return (await readNode(fork, node.getId())).title;
  };
  assert.equal(await clone(), 'Cloned');
  node.title = 'Cloned again';
  await call(node, (chain) => chain.update());
  assert.equal(await clone(), 'Cloned again');
  assert.equal(await total(fork, { title: { $regex: '^Cloned' } }), 1);
});

test('section 25: with a locale, all items of a list come back translated', async () => {
  const { repository, master } = await fresh();
  await send(admin, 'POST', `${master.getUri()}/lists/words?type=custom:word`, {});
  for (const title of ['one', 'two', 'three']) {
    const { _doc: id } = await send(admin, 'POST', `${master.getUri()}/lists/words/items`, { title });
    const item = await readNode(master, id);
    await call(item, (chain) => chain.createTranslation('1.0', 'de_DE', { title: `${title} auf Deutsch` }));
  }
  const german = await connect(server, { username: 'admin', password: server.seed.admin.password, locale: 'de_DE' });
  const branch = await call(await call(german, (chain) => chain.readRepository(repository.getId())), (chain) => chain.readBranch('master'));
  assert.deepEqual(titlesOf(await call(branch, (chain) => chain.listItems('words'))),
                   ['one auf Deutsch', 'two auf Deutsch', 'three auf Deutsch']);
  assert.deepEqual(titlesOf(await call(master, (chain) => chain.listItems('words'))), ['one', 'two', 'three']);
});
