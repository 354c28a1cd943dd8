// What a write changes elsewhere, and what it leaves as it was, by the driver gitana, against the real program. Each
// test names its section of docs/specification/nodes.md.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ask, call, endedJob, send, startPlatform } from './gitana_driver.mjs';
import { associate, freshContent, idsOf, isMissing, makeNode, queryNodes, readNode, titlesOf, total }
  from './gitana_repository.mjs';

const { admin, primary } = await startPlatform();
const fresh = (fields) => freshContent(admin, fields);
const associations = async (node, config) => (await call(node, (chain) => chain.associations(config))).totalRows();
const changesetOf = (node) => node.getSystemMetadata().getChangesetId();
let names = 0;
const makeUser = () => call(primary, (domain) => domain.createUser({ name: `effect-${++names}`, password: 'of the user' }));

test('section 1.4: what there is not of any kind is 404 with a message', async () => {
  const { repository, master } = await fresh();
  const node = await makeNode(master, { _qname: 'custom:book', _type: 'd:type' });
  const definition = await call(master, (chain) => chain.readDefinition('custom:book'));
  const none = '00000000000000000000';
  for (const missing of [
    () => call(admin, (platform) => platform.readRepository(none)),
    () => call(repository, (chain) => chain.readBranch(none)),
    () => call(repository, (chain) => chain.readChangeset(`7:${none}`)),
    () => readNode(master, none),
    () => call(master, (chain) => chain.readDeletion(none)),
    () => call(master, (chain) => chain.listItems('none')),
    () => call(master, (chain) => chain.readDefinition('custom:none')),
    () => call(definition, (chain) => chain.readForm('none')),
    () => send(admin, 'GET', `${node.getUri()}/attachments/none`),
  ]) await assert.rejects(missing(), isMissing, missing.toString());
});

test('section 1.3: rows are sorted by several keys in the order in which they are written, and by dotted ones', async () => {
  const { master } = await fresh();
  const made = [['b', 1], ['a', 2], ['b', 2], ['a', 1]];
  for (const [letter, level] of made) await makeNode(master, { kind: 's', title: `${letter}${level}`, at: { letter, level } });
  const sorted = async (sort) => titlesOf(await queryNodes(master, { kind: 's' }, { sort }));
  assert.deepEqual(await sorted({ 'at.letter': 1, 'at.level': -1 }), ['a2', 'a1', 'b2', 'b1']);
  assert.deepEqual(await sorted({ 'at.level': -1, 'at.letter': 1 }), ['a2', 'b2', 'a1', 'b1']);
  assert.deepEqual(await sorted({ '_system.created_on.ms': 1, title: 1 }), ['b1', 'a2', 'b2', 'a1']);
  assert.deepEqual(await sorted({ '_system.created_on.ms': -1 }), ['a1', 'b2', 'a2', 'b1']);
  assert.deepEqual(titlesOf(await queryNodes(master, { kind: 's' })), ['b1', 'a2', 'b2', 'a1'], 'in order of creation');
});

test('section 1.5: what a job made stands in its result and beside it', async () => {
  const { repository, master } = await fresh();
  const branchJob = await ask(repository, (chain, answer) => chain.startCreateBranch(master.getId(), '0:root', {}, answer));
  const node = await makeNode(master);
  const root = await call(master, (chain) => chain.rootNode());
  const copied = await call(node, (chain) => chain.copy(root, false, {}));
  for (const [id, name] of [[branchJob, 'createdBranchId'], [copied.getId(), 'imports']]) {
    const job = await endedJob(admin, id);
    assert.ok(job[name]?.length > 0, name);
    assert.deepEqual(job[name], job._result[name]);
  }
  const [{ sources, targets }] = (await endedJob(admin, copied.getId())).imports;
  assert.equal(sources.at(-1).id, node.getId());
  const { typeId, ref } = targets.at(-1);
  assert.deepEqual([typeId, ref], ['node', (await readNode(master, targets.at(-1).id)).ref()]);
});

test('section 1.6: references of every kind are read, by the branch\'s id and its alias, in their order', async () => {
  const { repository, master } = await fresh({ title: 'referred' });
  const [one, two, gone] = [await makeNode(master), await makeNode(master), await makeNode(master)];
  await associate(one, two, 'a:linked');
  const [link] = (await call(one, (chain) => chain.associations({ type: 'a:linked' }))).asArray();
  await call(gone, (chain) => chain.del());
  const deletion = await call(master, (chain) => chain.readDeletion(gone.getId()));
  const changeset = await call(repository, (chain) => chain.readChangeset('0:root'));
  const onAlias = one.ref().replace(`/${master.getId()}/`, '/master/');
  const kinds = [[repository.ref(), repository], [master.ref(), master], [one.ref(), one], [onAlias, one], [link.ref(), link],
                 [link.ref().replace(/^\w+/, 'association'), link], [link.ref().replace(/^\w+/, 'node'), link], [deletion.ref(), gone],
                 [changeset.ref(), changeset]];
  const unknown = [gone.ref(), changeset.ref().replace('0:root', '9:none'), changeset.ref().replace(repository.getId(), 'none')];
  const entries = [...kinds.map(([ref]) => ref), ...unknown].map((ref) => ({ ref }));
  const told = await send(admin, 'POST', '/ref/read', { entries });
  assert.deepEqual(told.entries.map(({ ref, entry }) => [ref, entry?._doc ?? null]),
                   [...kinds.map(([ref, record]) => [ref, record.getId()]), ...unknown.map((ref) => [ref, null])]);
});

test('section 2: what lies below a repository names it and its platform', async () => {
  const { repository, master } = await fresh();
  const changeset = await call(repository, (chain) => chain.readChangeset('0:root'));
  for (const record of [master, changeset]) {
    assert.equal(record.get('platformId'), admin.getId());
    assert.equal(record.get('repositoryId'), repository.getId());
  }
  assert.equal(changeset.get('revision'), 0);
});

test('section 2: _system.attachments tells length, type, name and object of each attachment', async () => {
  const { master } = await fresh();
  const node = await makeNode(master);
  assert.equal((await readNode(master, node.getId())).getSystemMetadata().attachments, undefined);
  await call(node, (chain) => chain.attach('default', 'text/plain', 'four', 'four.txt'));
  const { attachments } = (await readNode(master, node.getId())).getSystemMetadata();
  const { objectId, ...told } = attachments.default;
  assert.ok(objectId);
  assert.deepEqual(told, { length: 4, contentType: 'text/plain', filename: 'four.txt' });
});

test('section 4.3: the users node is a container outside of the root, and persons are no children of the root', async () => {
  const { master } = await fresh();
  const users = await readNode(master, 'r:users');
  assert.equal(users.isContainer(), true);
  await makeNode(master, { title: 'first' });
  const root = await call(master, (chain) => chain.rootNode());
  assert.equal(await associations(root, { type: 'a:child' }), 0);
  assert.equal((await call(root, (chain) => chain.listChildren())).totalRows(), 0);
});

test('section 4.4: each write moves the tip of its own branch to its changeset', async () => {
  const { repository, master } = await fresh();
  const fork = await call(repository, (chain) => chain.createBranch('master', '0:root', {}));
  const tip = async (branch) => (await call(branch, (chain) => chain.reload())).tip;
  let node = await makeNode(master, { title: 'one' });
  assert.equal(await tip(master), changesetOf(node));
  node.title = 'two';
  node = await call(node, (chain) => chain.update());
  assert.equal(await tip(master), changesetOf(node));
  const before = await tip(master);
  await call(node, (chain) => chain.del());
  assert.notEqual(await tip(master), before);
  assert.equal(await tip(fork), '0:root');
});

test('section 6: a node made of nothing has features, a type and a QName', async () => {
  const { master } = await fresh();
  const node = await makeNode(master, {});
  assert.ok(node.getFeatureIds().length > 0);
  assert.equal(node.getTypeQName(), 'n:node');
  assert.match(node.getQName(), /^o:/);
});

test('section 7.2: a folder path may name the new node by its id', async () => {
  const { master } = await fresh();
  const node = await makeNode(master, { title: 'in its own folder' }, { parentFolderPath: '/by/{document.id}' });
  const path = await ask(node, (chain, answer) => chain.resolvePath('root', answer));
  assert.equal(path, `/by/${node.getId()}/in its own folder`);
});

test('section 7.4: an update keeps who made the node and when, and tells the version before', async () => {
  const { master } = await fresh();
  const made = await makeNode(master, { title: 'a' });
  const { _system: before } = await send(admin, 'GET', made.getUri());
  made.title = 'b';
  await new Promise((resolve) => setTimeout(resolve, 5));
  await call(made, (chain) => chain.update());
  const { _system: after } = await send(admin, 'GET', made.getUri());
  for (const name of ['created_on', 'created_by', 'created_by_principal_id']) assert.deepEqual(after[name], before[name], name);
  assert.ok(after.modified_on.ms > before.modified_on.ms);
  assert.equal(after.previousChangeset, before.changeset);
  assert.equal('previousChangeset' in before, false);
});

test('section 7.6: a deleted node is nowhere any more, and a deletion', async () => {
  const { master } = await fresh();
  const root = await call(master, (chain) => chain.rootNode());
  const [gone, stays] = [await makeNode(master, { title: 'vanishing' }), await makeNode(master, { title: 'staying' })];
  for (const node of [gone, stays]) await call(node, (chain) => chain.childOf(root));
  await associate(gone, stays, 'a:linked');
  const seen = async () => ({
    query: await total(master, { title: 'vanishing' }),
    search: (await call(master, (chain) => chain.searchNodes('vanishing'))).totalRows(),
    find: (await call(master, (chain) => chain.findNodes({ search: 'vanishing' }))).totalRows(),
    children: (await call(root, (chain) => chain.listChildren())).totalRows(),
    relatives: (await call(stays, (chain) => chain.listRelatives({ type: 'a:linked', direction: 'ANY' }))).totalRows(),
    associations: await associations(stays),
    tree: (await ask(root, (chain, answer) => chain.loadTree({ depth: 1 }, answer))).children.length,
    walked: await ask(root, (chain, answer) => chain.traverse({ associations: { 'a:child': 'ANY' }, depth: -1, filter: 'ALL_BUT_START_NODE' })
      .then(function () { answer(Object.keys(this._nodes).length); })),
    deletions: (await call(master, (chain) => chain.queryDeletions({}))).totalRows(),
  });
  assert.deepEqual(await seen(), { query: 1, search: 1, find: 1, children: 2, relatives: 1, associations: 3, tree: 2, walked: 2, deletions: 0 });
  await call(gone, (chain) => chain.del());
  // Section 20: the associations that went with it are no deletions of this query.
  assert.deepEqual(await seen(), { query: 0, search: 0, find: 0, children: 1, relatives: 0, associations: 2, tree: 1, walked: 1, deletions: 1 });
  await assert.rejects(readNode(master, gone.getId()), isMissing);
  const deletion = await call(master, (chain) => chain.readDeletion(gone.getId()));
  await ask(deletion, (chain, answer) => chain.restore(answer));
  const restored = await readNode(master, gone.getId());
  assert.equal(await associations(restored, { type: 'a:has_role', direction: 'INCOMING' }), 1);
});

test('section 9: nothing brings a removed feature back', async () => {
  const { master } = await fresh();
  const node = await makeNode(master, { title: 'bare' }, { parentFolderPath: '/' });
  await call(node, (chain) => chain.addFeature('f:filename', { filename: 'named' }));
  await call(node, (chain) => chain.removeFeature('f:filename'));
  const read = await readNode(master, node.getId());
  read.title = 'still bare';
  await call(read, (chain) => chain.update());
  await call(read, (chain) => chain.touch());
  assert.equal((await readNode(master, node.getId())).getFeatureIds().includes('f:filename'), false);
  assert.equal(await ask(read, (chain, answer) => chain.resolvePath('root', answer)), '/still bare');
});

test('section 12.3, 19: associations of a custom type are counted, and neither counting nor reading makes versions', async () => {
  const { master } = await fresh();
  await makeNode(master, { _qname: 'custom:likes', _type: 'd:association' });
  const [one, two] = [await makeNode(master), await makeNode(master)];
  await associate(one, two, 'custom:likes');
  for (let i = 0; i < 2; ++i) await associate(one, await makeNode(master), 'custom:likes');
  const counted = (await readNode(master, one.getId())).stats();
  assert.deepEqual([counted['custom:likes'], counted['custom:likes_OUTGOING'], counted['custom:likes_INCOMING'] ?? 0], [3, 3, 0]);
  assert.equal((await readNode(master, two.getId())).stats()['custom:likes_INCOMING'], 1);
  for (const node of [one, two]) assert.equal((await call(node, (chain) => chain.listVersions())).totalRows(), 1);
});

test('section 11.5: of several associations between two nodes only those of the type go', async () => {
  const { master } = await fresh();
  const [one, two] = [await makeNode(master), await makeNode(master)];
  for (const type of ['a:child', 'a:linked', 'custom:x']) await associate(one, two, type);
  await call(one, (chain) => chain.unassociate(two, 'a:linked'));
  const left = (await call(one, (chain) => chain.associations({ direction: 'OUTGOING' }))).asArray();
  assert.deepEqual(left.map((edge) => edge.getTypeQName()).sort(), ['a:child', 'custom:x']);
});

test('section 18.2: copies to another repository keep attachments, are made once, and clones keep ids', async () => {
  const { repository, master } = await fresh();
  const other = await fresh();
  const node = await makeNode(master, { title: 'Copied' });
  for (const id of ['x', 'y', 'z']) await call(node, (chain) => chain.attach(id, 'text/plain', id));
  const root = await call(other.master, (chain) => chain.rootNode());
  const copied = async () => {
    const source = await readNode(master, node.getId());
    const job = await call(source, (chain) => chain.copy(root, false, { copyOnExisting: false }));
    return job.getSingleImportTargetId();
  };
  const id = await copied();
  const copy = await readNode(other.master, id);
  assert.equal(copy.title, 'Copied');
  assert.deepEqual(idsOf(await call(copy, (chain) => chain.listAttachments())), ['x', 'y', 'z']);
  assert.equal(await copied(), id);
  assert.equal(await total(other.master, { title: 'Copied' }), 1);
  const fork = await call(repository, (chain) => chain.createBranch('master', '0:root', {}));
  const jobId = await ask(repository, (chain, answer) =>
    chain.startCopyFrom(master.getId(), fork.getId(), { nodeIds: [node.getId()] }, answer));
  assert.equal((await endedJob(admin, jobId)).state, 'FINISHED');
  const clone = await readNode(fork, node.getId());
  assert.equal((await call(clone, (chain) => chain.listAttachments())).size(), 3);
});

test('11: a picture goes up raw, is listed, comes down identical, and goes', async () => {
  const { master } = await fresh();
  const node = await makeNode(master, { title: 'Picture' });
  const bytes = Buffer.from(Array.from({ length: 70_000 }, (_, i) => (i * 31) % 256));
  await call(node, (chain) => chain.attach('default', 'image/png', bytes, 'picture.png'));
  const [picture] = (await call(node, (chain) => chain.listAttachments())).asArray();
  assert.deepEqual([picture.getId(), picture.getLength(), picture.getContentType(), picture.getFilename()],
                   ['default', 70_000, 'image/png', 'picture.png']);
  const reply = await fetch(picture.getDownloadUri(), { headers: admin.getDriver().getHttpHeaders() });
  assert.equal(reply.headers.get('content-type'), 'image/png');
  assert.ok(bytes.equals(Buffer.from(await reply.arrayBuffer())));
  await call(node, (chain) => chain.unattach('default'));
  assert.equal((await fetch(picture.getDownloadUri(), { headers: admin.getDriver().getHttpHeaders() })).status, 404);
});

test('section 20: a restored node has its id, its members and those associations whose ends live', async () => {
  const { master } = await fresh();
  const [one, two, three] = [await makeNode(master, { title: 'one' }), await makeNode(master), await makeNode(master)];
  await associate(one, two, 'a:linked');
  await associate(one, three, 'a:linked');
  await call(one, (chain) => chain.del());
  await call(three, (chain) => chain.del());
  await ask(await call(master, (chain) => chain.readDeletion(one.getId())), (chain, answer) => chain.restore(answer));
  const back = await readNode(master, one.getId());
  assert.equal(back.title, 'one');
  assert.deepEqual(idsOf(await call(back, (chain) => chain.listRelatives({ type: 'a:linked', direction: 'ANY' }))), [two.getId()]);
});

test('section 22: a definition is a node like others, and instances have what it demands', async () => {
  const { master } = await fresh();
  await makeNode(master, { _qname: 'custom:feature', _type: 'd:feature' });
  const definition = await makeNode(master, { _qname: 'custom:demanding', _type: 'd:type', mandatoryFeatures: { 'custom:feature': { a: 1 } } });
  const instance = await makeNode(master, { _type: 'custom:demanding' });
  assert.deepEqual(instance.getFeature('custom:feature'), { a: 1 });
  definition.title = 'Changed';
  assert.equal((await call(definition, (chain) => chain.update())).title, 'Changed');
  assert.deepEqual(titlesOf(await queryNodes(master, { _qname: 'custom:demanding' })), ['Changed']);
});

test('section 23: the person node leads back to the user', async () => {
  const { master } = await fresh();
  const user = await makeUser();
  const person = await call(master, (chain) => chain.readPersonNode(user, true));
  const domain = await call(admin, (platform) => platform.readDomain(person.get('principal-domain')));
  const principal = await call(domain, (chain) => chain.readPrincipal(person.get('principal-id')));
  assert.equal(principal.getId(), user.getId());
});

test('section 26: custom roles of a repository are authorities on it and on its branches', async () => {
  const { repository, master } = await fresh();
  const user = await makeUser();
  await call(repository, (chain) => chain.createRole('proofreader', { permissions: ['read', 'update'] }));
  for (const object of [repository, master]) {
    // The driver's own methods for stores and branches name a variable that there is not.
    const told = async (what) => (await send(admin, 'POST', `${object.getUri()}/${what}?id=${user.getDomainQualifiedId()}`, {})).check;
    const has = () => told('authorities/ProofReader/check');
    assert.equal(await has(), false);
    await call(object, (chain) => chain.grantAuthority(user, 'PROOFREADER'));
    assert.equal(await has(), true);
    assert.deepEqual([await told('permissions/Update/check'), await told('permissions/delete/check')], [true, false]);
    await call(object, (chain) => chain.revokeAuthority(user, 'proofreader'));
    assert.equal(await has(), false);
  }
});

test('section 26: principals of checks are named by name, id, or domain and either', async () => {
  const { master } = await fresh();
  const user = await makeUser();
  await call(master, (chain) => chain.grantAuthority(user, 'consumer'));
  const forms = [user.getName(), user.getId(), `default/${user.getName()}`, `${primary.getId()}/${user.getId()}`];
  for (const form of forms) {
    const { check } = await send(admin, 'POST', `${master.getUri()}/permissions/read/check?id=${form}`, {});
    assert.equal(check, true, form);
  }
});
