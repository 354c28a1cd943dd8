// Associations, folders, paths, trees, traversals and copies by the driver gitana, against the real program. Each
// test names the number of the checklist in docs/specification/nodes.md 34, or the section, that it is from.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ask, call, endedJob, send, startPlatform } from './gitana_driver.mjs';
import { associate, freshContent, idsOf, isMissing, makeNode, queryNodes, readNode, titlesOf, total, tree }
  from './gitana_repository.mjs';

const { admin, primary } = await startPlatform();
const fresh = (fields) => freshContent(admin, fields);
const associations = async (node, config) => (await call(node, (chain) => chain.associations(config))).totalRows();

/// The ids of what a traversal finds, and the associations; the driver's results cannot be cloned out of their chain.
const traverse = (node, config) => ask(node, (chain, answer) => chain.traverse(config).then(function () {
  answer({ nodes: Object.keys(this._nodes), associations: Object.values(this._associations) });
}));

test('5: associations are counted with the implicit one, by direction and type', async () => {
  const { master } = await fresh();
  const [one, two, three] = [await makeNode(master), await makeNode(master), await makeNode(master)];
  assert.equal(await associations(one), 1);
  assert.equal(await associations(one, { direction: 'INCOMING' }), 1);
  assert.equal(await associations(one, { direction: 'OUTGOING' }), 0);
  await associate(one, two, 'a:child');
  await associate(one, three, { _type: 'a:linked', test: 'field', tags: ['x'] }, true);
  assert.equal(await associations(one), 3);
  assert.equal((await call(one, (chain) => chain.outgoingAssociations())).totalRows(), 2);
  assert.equal((await call(one, (chain) => chain.incomingAssociations())).totalRows(), 2);
  assert.equal(await associations(one, { direction: 'MUTUAL' }), 1);
  assert.equal(await associations(one, { type: 'a:child' }), 1);
  assert.equal(await associations(two, { type: 'a:child', direction: 'INCOMING' }), 1);
  assert.equal(await associations(two, { type: 'a:child', direction: 'OUTGOING' }), 0);
  assert.equal(await associations(three, { type: 'a:linked', direction: 'OUTGOING' }), 1);
  const [link] = (await call(one, (chain) => chain.associations({ type: 'a:linked' }))).asArray();
  assert.equal(link.isAssociation(), true);
  assert.equal(link.getDirectionality(), 'UNDIRECTED');
  assert.equal(link.getSourceNodeId(), one.getId());
  assert.equal(link.getTargetNodeId(), three.getId());
  assert.equal(link.getSourceNodeType(), 'n:node');
  assert.equal(link.get('test'), 'field');
  assert.deepEqual(link.get('tags'), ['x']);
  assert.equal((await call(link, (chain) => chain.readTargetNode())).getId(), three.getId());
  assert.equal((await call(link, (chain) => chain.readOtherNode(three))).getId(), one.getId());
  await call(one, (chain) => chain.unassociate(two, 'a:child'));
  await call(one, (chain) => chain.unassociate(three, 'a:linked', true));
  assert.equal(await associations(one), 1);
  assert.equal((await call(one, (chain) => chain.listVersions())).totalRows(), 1, 'associating makes no versions');
});

test('section 6: an association is a node that can be changed and deleted; several join the same nodes', async () => {
  const { master } = await fresh();
  const [one, two] = [await makeNode(master, { _type: 'custom:likes' }), await makeNode(master)];
  await makeNode(master, { _qname: 'custom:likes', _type: 'd:association', _parent: 'a:linked' });
  assert.equal(one.isAssociation(), false);
  await associate(one, two, 'custom:likes');
  await associate(one, two, 'a:linked');
  assert.equal(await associations(one, { direction: 'OUTGOING' }), 2);
  const [likes] = (await call(one, (chain) => chain.associations({ type: 'custom:likes' }))).asArray();
  likes.title = 'Titled';
  await call(likes, (chain) => chain.update());
  const read = await readNode(master, likes.getId());
  assert.equal(read.title, 'Titled');
  assert.equal(read.source, one.getId());
  assert.equal(read.isAssociation(), true);
  await call(likes, (chain) => chain.del());
  assert.equal(await associations(one, { direction: 'OUTGOING' }), 1);
  await call(two, (chain) => chain.del());
  assert.equal(await associations(one, { direction: 'OUTGOING' }), 0);
});

test('section 11.4: with enableSocialAssembly a person is told to have created each node', async () => {
  const { master } = await fresh({ enableSocialAssembly: true });
  const [one, two] = [await makeNode(master), await makeNode(master)];
  assert.equal(await associations(one), 2);
  assert.equal(await associations(one, { type: 'a:created', direction: 'INCOMING' }), 1);
  await associate(two, one, 'a:linked');
  assert.equal(await associations(one), 3);
});

async function checkTree(master, ids) {
  const node = (name) => readNode(master, ids[name]);
  const root = await call(master, (chain) => chain.rootNode());
  const top = await ask(root, (chain, answer) => chain.loadTree(answer));
  assert.equal(top.children.length, 2);
  for (const child of top.children) {
    for (const key of ['filename', 'label', 'path', 'typeQName', 'qname']) assert.ok(child[key], key);
  }
  assert.deepEqual(top.children.map((child) => [child.filename, child.container]).sort(),
                   [['file1', false], ['folder1', true]]);
  const whole = await ask(root, (chain, answer) => chain.loadTree({ depth: -1, properties: true, object: true }, answer));
  const folder1 = whole.children.find((child) => child.filename === 'folder1');
  assert.equal(folder1.children.length, 3);
  assert.equal(folder1.properties.title, 'folder1');
  assert.equal(folder1._object._doc, ids.folder1);
  assert.equal(folder1.children.find((child) => child.filename === 'folder2').children.length, 2);
  const folder2 = await node('folder2');
  assert.deepEqual(titlesOf(await call(folder2, (chain) => chain.listChildren())).sort(), ['file3', 'file5']);
  const relation = { type: 'a:child', direction: 'ANY' };
  assert.equal((await call(folder2, (chain) => chain.listRelatives({ ...relation }))).totalRows(), 3);
  assert.equal((await call(folder2, (chain) => chain.queryRelatives({ title: 'file3' }, { ...relation }))).totalRows(), 1);
  const walked = await traverse(root, { associations: { 'a:child': 'ANY' }, depth: 1, filter: 'ALL_BUT_START_NODE' });
  assert.equal(walked.nodes.length, 2);
  assert.equal(walked.associations.length, 2);
  assert.equal(await ask(await node('file5'), (chain, answer) => chain.resolvePath('root', answer)), '/folder1/folder2/file5');
  const byPath = await call(master, (chain) => chain.readNode('root', '/folder1/folder2/file3'));
  assert.equal(byPath.getId(), ids.file3);
  await assert.rejects(call(master, (chain) => chain.readNode('root', '/folder1/none')), isMissing);
}

test('6: a tree built by hand', async () => {
  const { master } = await fresh();
  const root = await call(master, (chain) => chain.rootNode());
  const made = { root };
  for (const [name, parent, isFolder] of tree) {
    const features = { 'f:filename': { filename: name }, ...(isFolder ? { 'f:container': { active: 'true' } } : {}) };
    made[name] = await makeNode(master, { title: name, _features: features });
    await call(made[name], (chain) => chain.childOf(made[parent]));
  }
  await checkTree(master, Object.fromEntries(Object.entries(made).map(([name, node]) => [name, node.getId()])));
});

test('7: the same tree by parent folder paths', async () => {
  const { master } = await fresh();
  const paths = { root: '/', folder1: '/folder1', folder2: '/folder1/folder2' };
  const ids = {};
  for (const [name, parent] of tree) {
    ids[name] = (await makeNode(master, { title: name }, { parentFolderPath: paths[parent] })).getId();
  }
  await checkTree(master, ids);
});

test('section 7.2: places by file path, file name, template and member; missing folders are made, present ones reused', async () => {
  const { master } = await fresh();
  const loose = await makeNode(master, { title: 'Loose' }, {});
  assert.equal(await associations(loose), 1, 'rootNodeId and associationType alone place nothing');
  const path = (node) => ask(node, (chain, answer) => chain.resolvePath('root', answer));
  const file = await makeNode(master, {}, { filePath: 'pages/file.txt' });
  assert.equal(await path(file), '/pages/file.txt');
  assert.equal(file.title, 'file.txt');
  const named = await makeNode(master, { title: 'Own' }, { parentFolderPath: '/pages', fileName: '{document.id}.json' });
  assert.equal(await path(named), `/pages/${named.getId()}.json`);
  const member = await makeNode(master, { title: 'Member', _parentFolderPath: '/pages/deep' });
  assert.equal(await path(member), '/pages/deep/Member');
  const pages = await queryNodes(master, { title: 'pages' });
  assert.equal(pages.size(), 1);
  assert.ok(pages.asArray()[0].getFeatureIds().includes('f:container'));
  assert.deepEqual(pages.asArray()[0].getFeature('f:filename'), { filename: 'pages' });
  const plain = await makeNode(master, { title: 'plain' }, { parentFolderPath: '/' });
  await makeNode(master, { title: 'inside' }, { parentFolderPath: '/plain' });
  assert.equal((await call(plain, (chain) => chain.listChildren())).totalRows(), 1);
  const late = await makeNode(master, {}, { parentFolderPath: '/pages' });
  await call(late, (chain) => chain.addFeature('f:filename', {}));
  const again = await readNode(master, late.getId());
  again.title = 'Late';
  await call(again, (chain) => chain.update());
  assert.equal(await path(again), '/pages/Late');
});

test('section 17: a condition and a search filter the leaves of a tree and keep the folders above them', async () => {
  const { master } = await fresh();
  for (let i = 0; i < 6; ++i) {
    await makeNode(master, { title: `leaf${i}`, _type: 'custom:leaf', even: i % 2 === 0 }, { parentFolderPath: `/top${i % 2}/in` });
  }
  await makeNode(master, { title: 'other' }, { parentFolderPath: '/top0/in' });
  const root = await call(master, (chain) => chain.rootNode());
  const leaves = async (query) => {
    const found = await ask(root, (chain, answer) => chain.loadTree({ depth: -1, query }, answer));
    const under = (one) => (one.children?.length ? one.children.flatMap(under) : [one.filename]);
    return under(found).sort();
  };
  assert.deepEqual(await leaves({ _type: 'custom:leaf' }), [0, 1, 2, 3, 4, 5].map((i) => `leaf${i}`));
  assert.deepEqual(await leaves({ _type: 'custom:leaf', even: true }), ['leaf0', 'leaf2', 'leaf4']);
});

test('section 16: the start, its tree and its ring of friends are traversed', async () => {
  const { master } = await fresh();
  const top = await makeNode(master, { title: 'top' });
  let level = [top];
  for (const sizes of [[3], [1, 2, 3], [1, 1, 1, 1, 0, 0], [2, 0, 0, 0]]) {
    const next = [];
    for (const [at, parent] of level.entries()) {
      for (let i = 0; i < (sizes[at] ?? 0); ++i) {
        const child = await makeNode(master, { title: `below ${next.length}` });
        await associate(parent, child, 'a:child');
        next.push(child);
      }
    }
    level = next;
  }
  const deep = await traverse(top, { associations: { 'a:child': 'OUTGOING' }, depth: 3, filter: 'ALL_BUT_START_NODE' });
  assert.equal(deep.nodes.length, 13);
  assert.equal(deep.associations.length, 13);
  assert.ok(deep.associations.every((one) => one._is_association));
  const start = await traverse(top, { associations: { 'a:child': 'OUTGOING' }, depth: 1 });
  assert.ok(start.nodes.includes(top.getId()));
  const friends = [];
  for (let i = 0; i < 5; ++i) friends.push(await makeNode(master, { friend: i }));
  for (let i = 0; i < 5; ++i) await associate(friends[i], friends[(i + 1) % 5], 'custom:friend', true);
  const ring = await traverse(friends[0], { associations: { 'custom:friend': 'MUTUAL' }, depth: -1, filter: 'ALL_BUT_START_NODE' });
  assert.deepEqual(ring.nodes.sort(), friends.slice(1).map((one) => one.getId()).sort());
  const near = await traverse(friends[0], { associations: { 'custom:friend': 'ANY' }, depth: 1, filter: 'ALL_BUT_START_NODE' });
  assert.equal(near.nodes.length, 2);
  assert.equal(near.associations.length, 2);
});

test('section 15: a find without a filter leaves its start out; two steps reach all of one maker', async () => {
  const { master } = await fresh();
  const [one, two, far] = [await makeNode(master, { kind: 'k' }), await makeNode(master, { kind: 'k' }), await makeNode(master, { kind: 'k' })];
  await associate(one, two, 'a:linked');
  const find = async (traverse) => idsOf(await call(one, (chain) => chain.find({ query: { kind: 'k' }, traverse })));
  assert.deepEqual(await find({ associations: { 'a:linked': 'ANY' }, depth: 1 }), [two.getId()]);
  assert.deepEqual((await find({ associations: { 'a:linked': 'ANY' }, depth: 1, filter: 'ALL' })).sort(), [one.getId(), two.getId()].sort());
  assert.deepEqual((await find({ depth: 2 })).sort(), [two.getId(), far.getId()].sort());
});

test('18: nodes move, their subtrees and paths follow', async () => {
  const { master } = await fresh();
  const place = (title, path) => makeNode(master, { title }, { parentFolderPath: path });
  const [one, two, three] = [await place('one', '/a'), await place('two', '/a'), await place('three', '/a')];
  const inside = await place('inside', '/a/one');
  const target = await place('c', '/b');
  const before = (await call(master, (chain) => chain.reload())).tip;
  await call(master, (chain) => chain.moveNodes([one.getId(), two.getId()], 'root', '/b'));
  const history = await ask(master, (chain, answer) => chain.loadHistoryChangesets({ root: before }, answer));
  assert.equal(history.total_rows, 1, 'one batch is one changeset');
  await call(three, (chain) => chain.moveToFolder(target));
  const paths = async (node) => (await readNode(master, node.getId(), { paths: true }))._paths['r:root'];
  assert.equal(await paths(one), '/b/one');
  assert.equal(await paths(two), '/b/two');
  assert.equal(await paths(three), '/b/c/three');
  assert.equal(await paths(inside), '/b/one/inside');
});

test('19: mounting adds two rows to the mounts, unmounting takes them away', async () => {
  const { master } = await fresh();
  const mounts = async () => (await call(master, (chain) => chain.listMounts())).size();
  const start = await mounts();
  const node = await makeNode(master, { title: 'Mounted' });
  assert.equal(await mounts(), start);
  // The driver's own methods for this name a variable that there is not.
  await send(admin, 'POST', `${node.getUri()}/mount/key1`, {});
  assert.equal(await mounts(), start + 2);
  await send(admin, 'POST', `${node.getUri()}/unmount`, {});
  assert.equal(await mounts(), start);
});

test('section 18.2: a folder is copied with its children and attachments; a second copy may update the first', async () => {
  const { master } = await fresh();
  const folder = await makeNode(master, { title: 'folder', _features: { 'f:container': {} } });
  for (const title of ['a', 'b']) await call(await makeNode(master, { title }), (chain) => chain.childOf(folder));
  for (const id of ['x', 'y', 'z']) await call(folder, (chain) => chain.attach(id, 'text/plain', id));
  const source = await readNode(master, folder.getId());
  const root = await call(master, (chain) => chain.rootNode());
  const copied = async (config) => {
    const job = await call(source, (chain) => chain.copy(root, false, config));
    return job.getSingleImportTargetId();
  };
  const id = await copied({ copyOnExisting: false });
  assert.notEqual(id, folder.getId());
  const copy = await readNode(master, id);
  assert.equal(await associations(copy, { type: 'a:child', direction: 'INCOMING' }), 1);
  assert.equal(await associations(copy, { type: 'a:child', direction: 'OUTGOING' }), 2);
  assert.equal((await call(copy, (chain) => chain.listAttachments())).size(), 3);
  assert.equal(await copied({ copyOnExisting: false }), id);
});

test('section 4.4, 18.2: copyfrom keeps ids and is refused by a branch that blocks direct commits', async () => {
  const { repository, master } = await fresh();
  const fork = await call(repository, (chain) => chain.createBranch('master', '0:root', { title: 'Fork' }));
  const node = await makeNode(fork, { title: 'From the fork' });
  const copy = async (more = {}) => endedJob(admin, await ask(repository, (chain, answer) =>
    chain.startCopyFrom(fork.getId(), master.getId(), { nodeIds: [node.getId()], ...more }, answer)));
  assert.equal((await copy()).state, 'FINISHED');
  assert.equal((await readNode(master, node.getId())).title, 'From the fork');
  const blocked = await call(master, (chain) => chain.reload());
  blocked.blockDirectCommits = true;
  await call(blocked, (chain) => chain.update());
  assert.equal((await copy()).state, 'ERROR');
  assert.equal((await copy({ allowWriteToFrozenBranches: true })).state, 'FINISHED');
  await assert.rejects(makeNode(master, { title: 'Refused' }), (error) => error.status >= 400 && error.message.length > 0);
  assert.equal(await total(master, { title: 'Refused' }), 0);
});

test('section 23: a person node leads back to its principal and is the source of the implicit associations', async () => {
  const { master } = await fresh();
  const name = `person-${Date.now()}`;
  const user = await call(primary, (domain) => domain.createUser({ name, password: 'of the person', firstName: 'Ann' }));
  await assert.rejects(call(master, (chain) => chain.readPersonNode(user)), isMissing);
  const person = await call(master, (chain) => chain.readPersonNode(user, true));
  assert.equal(person.getTypeQName(), 'n:person');
  assert.equal(person.get('principal-id'), user.getId());
  assert.equal(person.get('principal-domain'), primary.getId());
  assert.equal(person.get('principal-name'), name);
  const node = await makeNode(master);
  const self = await call(master, (chain) => chain.readPersonNode('default/admin'));
  const [role] = (await call(node, (chain) => chain.associations())).asArray();
  assert.equal(role.getTypeQName(), 'a:has_role');
  assert.equal(role.getSourceNodeId(), self.getId());
  await associate(person, node, 'a:linked');
  const found = await traverse(person, { associations: { 'a:linked': 'ANY' }, depth: 1, filter: 'ALL_BUT_START_NODE' });
  assert.deepEqual(found.nodes, [node.getId()]);
});
