// Exports, imports and copies by the driver gitana, against the real program. Each test names the statement of
// docs/specification/merge_and_transfer.md that it is from. Where gitana has no call for it, what another published
// driver sends goes through gitana's transport.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ask, call, Gitana, send, startPlatform } from './gitana_driver.mjs';
import { associate, freshContent, isMissing, makeNode, readNode, total } from './gitana_repository.mjs';
import { until } from '../support/until.mjs';

const { server, admin } = await startPlatform();
const vault = await call(admin, (platform) => platform.readVault('primary'));
const fresh = () => freshContent(admin);

let archives = 0;
/// The coordinates of an archive of its own.
const place = () => ({ vault, group: 'org.gitana', artifact: `transfer-${++archives}`, version: '1.0' });
const lookup = ({ group, artifact, version }) => call(vault, (chain) => chain.lookupArchive(group, artifact, version));

/// The driver goes on after failed jobs, too.
function finished(job) {
  assert.equal(job.getState(), 'FINISHED', JSON.stringify(job.log_entries));
  return job;
}
/// Exports by the driver; the archive must be there the moment that the job is finished.
async function exported(subject, configuration = {}, coordinates = place()) {
  finished(await call(subject, (chain) => chain.exportArchive({ ...coordinates, configuration })));
  const archive = await lookup(coordinates);
  assert.equal(archive.getVaultId(), vault.getId());
  return coordinates;
}
const started = (target, coordinates, configuration) => call(target, (chain) => chain.importArchive({ ...coordinates, configuration }));

/// What the job says of its subjects; the driver's job of an import has no word for it, and its copy has.
function importsOf(job) {
  const { imports, _result: result } = job;
  assert.ok(Array.isArray(imports) && imports.length > 0);
  assert.deepEqual(result.imports, imports);
  return imports;
}
const subjectOf = (job) => importsOf(job)[0].targets.at(-1);
const imported = async (target, coordinates, configuration = {}) => subjectOf(finished(await started(target, coordinates, configuration)));

/// The id of the copy, by the driver's own call.
async function copied(source, target, configuration = undefined) {
  const job = finished(await call(source, (chain) => chain.copy(target, false, configuration)));
  assert.equal(job.getSingleImportTargetId(), subjectOf(job).id);
  return job.getSingleImportTargetId();
}
/// As a driver does that always says the strategy and polls at /poll; `sources` is its chain, if not gitana's.
async function copiedByStrategy(strategy, source, target, configuration = {}, sources = Gitana.toCopyDependencyChain(source)) {
  const body = { sources, targets: Gitana.toCopyDependencyChain(target), configuration };
  let job = await send(admin, 'POST', `/tools/copy?schedule=ASYNCHRONOUS&strategy=${strategy}`, body);
  while (job.state !== 'FINISHED') {
    assert.notEqual(job.state, 'ERROR', JSON.stringify(job.log_entries));
    await sleep(50);
    job = await send(admin, 'GET', `/jobs/${job._doc}/poll`);
  }
  return subjectOf(job).id;
}
/// What explicit `COPY_EVERYTHING` comes with.
const onlyOnce = { copyOnExisting: false };

async function raw(method, path, body = undefined) {
  server.adminToken ??= await server.login();
  return server.request(method, path, { token: server.adminToken, body, headers: body ? { 'Content-Type': 'application/zip' } : {} });
}
/// The children of a new node, made by associations, and that node.
async function parentOf(branch, count, fields = {}) {
  const parent = await makeNode(branch, { title: 'parent' });
  const children = [];
  for (let i = 0; i < count; ++i) {
    children.push(await makeNode(branch, { title: `child ${i}`, ...fields }));
    await associate(parent, children[i], 'a:child');
  }
  return { parent, children };
}
const childrenOf = async (branch, id) => (await call(await readNode(branch, id), (chain) => chain.listChildren())).asArray();
const count = async (node, direction) => (await call(node, (chain) => chain.associations({ type: 'a:child', direction }))).totalRows();
const rootOf = (branch) => call(branch, (chain) => chain.rootNode());
const forkOf = (repository) => call(repository, (chain) => chain.createBranch('master', '0:root', {}));
/// The master of a project's content, found as the driver finds it.
async function contentOf(project) {
  const stack = await call(project, (chain) => chain.readStack());
  const repository = await ask(stack, (chain, answer) => chain.readDataStore('content', function () { answer(this); }));
  return call(repository, (chain) => chain.readBranch('master'));
}

test('4.4.1, 4.4.11: a tree of nodes leaves, is deleted as an archive, comes back as bytes and goes onto the root of another repository', async () => {
  const [{ master }, other] = [await fresh(), await fresh()];
  const { parent, children } = await parentOf(master, 3);
  const grandchild = await makeNode(master, { title: 'grandchild' });
  await associate(children[0], grandchild, 'a:child');
  const coordinates = await exported(parent);
  const archive = await lookup(coordinates);
  const { bytes } = await raw('GET', `${archive.getUri()}/download`);
  assert.ok(bytes.length > 0);
  const all = async () => (await call(vault, (chain) => chain.queryArchives({ artifact: coordinates.artifact }))).size();
  assert.equal(await all(), 1);
  await call(archive, (chain) => chain.del());
  await assert.rejects(lookup(coordinates), isMissing);
  assert.equal((await raw('GET', `${archive.getUri()}/download`)).status, 404);
  assert.equal(await all(), 0);
  // Without parameters: the file says what it is.
  assert.equal((await raw('POST', `${vault.getUri()}/archives`, bytes)).status, 200);
  assert.ok(await lookup(coordinates));

  const root = await rootOf(other.master);
  const before = await count(root, 'OUTGOING');
  const { typeId, id } = await imported(root, coordinates);
  assert.equal(typeId, 'node');
  const copy = await readNode(other.master, id);
  assert.equal(copy.title, 'parent');
  assert.deepEqual([await count(copy, 'INCOMING'), await count(copy, 'OUTGOING')], [1, 3]);
  assert.equal(await count(root, 'OUTGOING'), before + 1);
  const below = await childrenOf(other.master, id);
  assert.deepEqual(below.map(({ title }) => title).sort(), ['child 0', 'child 1', 'child 2']);
  const first = below.find(({ title }) => title === 'child 0');
  assert.deepEqual((await childrenOf(other.master, first.getId())).map(({ title }) => title), ['grandchild']);
});

test('4.4.2: a node with eight children goes onto a node of an empty branch of its repository', async () => {
  const { repository, master } = await fresh();
  const { parent } = await parentOf(master, 8, { kind: 'eighth' });
  const coordinates = await exported(parent);
  const branch = await forkOf(repository);
  const target = await makeNode(branch, { title: 'target' });
  assert.equal(await total(branch, { kind: 'eighth' }), 0);
  const { id } = await imported(target, coordinates);
  assert.equal(await total(branch, { kind: 'eighth' }), 8);
  assert.equal((await childrenOf(branch, id)).length, 8);
  assert.equal(await total(master, { kind: 'eighth' }), 8);
});

test('4.1.5: a branch from its first changeset on comes into an empty branch, each node once', async () => {
  const { repository, master } = await fresh();
  await makeNode(master, { title: 'original' });
  const coordinates = await exported(master, { startChangeset: '0:root', payload: 'publication' });
  const branch = await forkOf(repository);
  await imported(branch, coordinates);
  assert.equal(await total(branch, { title: 'original' }), 1);
});

/// A domain with a user in a group.
async function domainOf() {
  const domain = await call(admin, (platform) => platform.createDomain({ title: 'moved' }));
  const user = await call(domain, (chain) => chain.createUser({ name: 'user1', password: 'secret of user1', shoe: 44 }));
  return { domain, user };
}
const principal = async (domainId, name) =>
  call(await call(admin, (platform) => platform.readDomain(domainId)), (chain) => chain.readPrincipal(name));

test('7.11: a domain imported at the root path is a new one with its user and its group', async () => {
  const { domain, user } = await domainOf();
  const group = await call(domain, (chain) => chain.createGroup({ name: 'group1' }));
  await call(group, (chain) => chain.addMember(user));
  const { typeId, id } = await imported(admin, await exported(domain));
  assert.equal(typeId, 'domain');
  assert.notEqual(id, domain.getId());
  assert.equal((await principal(id, 'user1')).shoe, 44);
  const there = await principal(id, 'group1');
  assert.equal(there.getType(), 'GROUP');
  assert.deepEqual((await call(there, (chain) => chain.listMembers())).asArray().map((member) => [member.getName(), member.getDomainId()]), [['user1', id]]);
});

test('4.4.3, 7.14: a user goes into another domain, exported or copied by its reference, and keeps its name and what else it says', async () => {
  const [{ user }, one, two] = [await domainOf(), ...await Promise.all([1, 2].map(() => call(admin, (platform) => platform.createDomain({}))))];
  assert.equal((await imported(one, await exported(user))).typeId, 'user');
  // The driver leaves the domain out, and only the reference says it.
  assert.deepEqual(Gitana.toCopyDependencyChain(user).map((link) => link.typeId), ['platform', 'USER']);
  await copied(user, two);
  for (const domain of [one, two]) {
    const there = await principal(domain.getId(), 'user1');
    assert.deepEqual([there.getName(), there.shoe, there.getDomainId()], ['user1', 44, domain.getId()]);
  }
});

test('4.4.6: a domain copied onto its platform is a new one with exactly one user', async () => {
  const { domain } = await domainOf();
  const id = await copied(domain, admin);
  assert.notEqual(id, domain.getId());
  const copy = await call(admin, (platform) => platform.readDomain(id));
  assert.equal((await call(copy, (chain) => chain.listUsers())).size(), 1);
});

test('4.4.7: a project copied onto the platform has a stack, content and nodes of its own', async () => {
  const project = await call(admin, (platform) => platform.createProject({ title: 'whole' }));
  const master = await contentOf(project);
  for (const title of ['first node', 'second node']) await makeNode(master, { title });
  const id = await copied(project, admin);
  assert.notEqual(id, project.getId());
  const copy = await call(admin, (platform) => platform.readProject(id));
  assert.notEqual(copy.stackId, project.stackId);
  const content = await contentOf(copy);
  assert.notEqual(content.getRepositoryId(), master.getRepositoryId());
  for (const title of ['first node', 'second node']) assert.equal(await total(content, { title }), 1);
});

test('4.4.8: a container copied onto the root has one parent, and both children', async () => {
  const { master } = await fresh();
  const { parent } = await parentOf(master, 2);
  const copy = await readNode(master, await copied(parent, await rootOf(master)));
  assert.notEqual(copy.getId(), parent.getId());
  assert.deepEqual([await count(copy, 'INCOMING'), await count(copy, 'OUTGOING')], [1, 2]);
});

test('4.4.4, 4.4.9: a file copied again into folders of its branch takes the place of its copy there', async () => {
  const { master } = await fresh();
  const source = await makeNode(master, { title: 'old' }, { filePath: 's/report.txt' });
  const folders = await Promise.all(['q', 'l'].map((title) => makeNode(master, { title, _features: { 'f:container': {} } })));
  for (const title of ['old', 'new']) {
    Object.assign(source, { title });
    await call(source, (chain) => chain.update());
    for (const folder of folders) {
      await copiedByStrategy('COPY_EVERYTHING', source, folder, onlyOnce);
      const inside = await childrenOf(master, folder.getId());
      assert.deepEqual(inside.map((child) => [child.getFeature('f:filename').filename, child.title]), [['report.txt', title]]);
    }
  }
});

test('4.4.9: a file with a document copied three times into a folder of another project is there once', async () => {
  const [from, to] = await Promise.all(['from', 'to'].map(async (title) => contentOf(await call(admin, (platform) => platform.createProject({ title })))));
  const source = await makeNode(from, { title: 'document', kind: 'pdf' }, { filePath: 's/paper.pdf' });
  await call(source, (chain) => chain.attach('default', 'application/pdf', '%PDF-1.4 a page', 'paper.pdf'));
  const folder = await makeNode(to, { title: 'folder', _features: { 'f:container': {} } });
  const ids = new Set();
  for (let i = 0; i < 3; ++i) ids.add(await copiedByStrategy('COPY_EVERYTHING', source, folder, onlyOnce));
  assert.equal(ids.size, 1);
  assert.equal(await total(to, { kind: 'pdf' }), 1);
  const [child] = await childrenOf(to, folder.getId());
  assert.ok(ids.has(child.getId()));
  assert.equal((await raw('GET', `${child.getUri()}/attachments/default`)).text, '%PDF-1.4 a page');
});

/// A node with three attachments on `draft` is cloned to `target`, changed and cloned again.
async function cloneTwice(draft, target, copyTarget) {
  const node = await makeNode(draft, { value: 'old' });
  const files = Object.fromEntries(['default', 'one', 'two'].map((id) => [id, randomBytes(2000).toString('hex')]));
  for (const [id, text] of Object.entries(files)) await call(node, (chain) => chain.attach(id, 'text/plain', text, `${id}.txt`));
  const counts = (value) => Promise.all([draft, target].map((branch) => total(branch, { value })));
  assert.deepEqual(await counts('old'), [1, 0]);
  const clone = () => copiedByStrategy('CLONE', node, copyTarget);
  assert.equal(await clone(), node.getId());
  assert.deepEqual(await counts('old'), [1, 1]);
  const now = await readNode(draft, node.getId());
  Object.assign(now, { value: 'new' });
  await call(now, (chain) => chain.update());
  assert.deepEqual(await counts('old'), [0, 1]);
  assert.equal(await clone(), node.getId());
  assert.deepEqual([await counts('old'), await counts('new')], [[0, 0], [1, 1]]);
  const there = await readNode(target, node.getId());
  assert.equal((await call(there, (chain) => chain.listAttachments())).size(), 3);
  for (const [id, text] of Object.entries(files)) assert.equal((await raw('GET', `${there.getUri()}/attachments/${id}`)).text, text);
}

test('4.4.5: a clone brings a node of a draft up to date on master, attachments and all', async () => {
  const { repository, master } = await fresh();
  await cloneTwice(await forkOf(repository), master, master);
});

test('4.4.5: so it does between two repositories', async () => {
  const [{ repository }, other] = [await fresh(), await fresh()];
  await cloneTwice(await forkOf(repository), other.master, other.master);
});

test('4.4.2: what is imported onto a node is a child of it, with all that lies below', async () => {
  const { master } = await fresh();
  const { parent } = await parentOf(master, 2);
  const coordinates = await exported(parent);
  const target = await makeNode(master, { title: 'target' });
  const { id } = await imported(target, coordinates);
  assert.deepEqual((await childrenOf(master, target.getId())).map((child) => child.getId()), [id]);
  assert.deepEqual((await childrenOf(master, id)).map(({ title }) => title).sort(), ['child 0', 'child 1']);
});

test('4.2.4: an untouched node seen on a fork is copied as the branch in its reference has it', async () => {
  const { repository, master } = await fresh();
  const node = await makeNode(master, { title: 'before the fork' });
  const { tip } = await send(admin, 'GET', master.getUri());
  const fork = await call(repository, (chain) => chain.createBranch('master', tip, {}));
  const seen = await readNode(fork, node.getId());
  Object.assign(node, { title: 'after the fork' });
  await call(node, (chain) => chain.update());
  const other = await fresh();
  // The branch of its last changeset is the parent, which another driver names in the chain.
  const chain = Gitana.toCopyDependencyChain(seen).map((link) => (link.typeId === 'branch' ? Gitana.toDependencyObject(master) : link));
  assert.equal(chain.at(-1).ref, seen.ref());
  for (const sources of [undefined, chain]) {
    const id = await copiedByStrategy('COPY_EVERYTHING', seen, other.master, {}, sources);
    assert.equal((await readNode(other.master, id)).title, 'before the fork');
  }
});

test('1.3.3: a rule brings a node to the live branch while it is published, and takes it away with its source', async () => {
  const [{ master: live }, { master: draft }] = [await fresh(), await fresh()];
  const article = await makeNode(draft, { _type: 'd:type', _qname: 'my:article', type: 'object' });
  const rule = await makeNode(draft, {
    _type: 'n:rule', title: 'sync', conditions: [{ type: 'propertyEquals', config: { property: 'state', value: 'published' } }],
    actions: [{ type: 'syncNode', config: { targetRepositoryId: live.getRepositoryId(), targetBranchId: live.getId() } }],
  });
  await associate(article, rule, { _type: 'a:has_behavior', policy: 'p:afterTouchNode', scope: 1 });
  const node = await makeNode(draft, { _type: 'my:article', version: '1' });
  for (const name of ['attach1', 'attach2', 'attach3']) await call(node, (chain) => chain.attach(name, 'image/jpeg', randomBytes(500)));
  const counts = async (version) => [await total(draft, { version }), await total(live, { version })];
  assert.deepEqual(await counts('1'), [1, 0]);
  // As the published test does it, but for the ten seconds that it waits each time.
  const reach = (wanted, version) => until(async () => JSON.stringify(await counts(version)) === JSON.stringify(wanted), `${wanted} of ${version}`, 10);
  const update = async (fields) => { const read = await readNode(draft, node.getId()); Object.assign(read, fields); await call(read, (chain) => chain.update()); };
  await update({ state: 'published' });
  await reach([1, 1], '1');
  await update({ version: '2' });
  await reach([1, 1], '2');
  assert.deepEqual(await counts('1'), [0, 0]);
  assert.equal((await call(await readNode(live, node.getId()), (chain) => chain.listAttachments())).size(), 3);
  await call(await readNode(draft, node.getId()), (chain) => chain.del());
  await reach([0, 0], '2');
});

test('7.6: a failed import says so in its log, and has an array of imports', async () => {
  const [{ repository }, { master }] = [await fresh(), await fresh()];
  const coordinates = await exported(repository);
  // A repository goes into no node.
  const target = await makeNode(master, { title: 'target' });
  const job = await started(target, coordinates);
  assert.equal(job.getState(), 'ERROR');
  assert.deepEqual(job.imports, []);
  const entry = job.log_entries.at(-1);
  assert.equal(entry.type, 'ERROR');
  assert.ok(entry.message.length > 0);
  assert.deepEqual(await childrenOf(master, target.getId()), []);
});

test('7.39: an export of documents becomes one node with the given title', async () => {
  const { master } = await fresh();
  const node = await makeNode(master, { title: 'document' });
  const { id, status } = await ask(admin, (platform, answer) => platform.runExport([node], { package: 'ZIP' }, (exportId, told) => answer({ id: exportId, status: told })));
  assert.equal(status.state, 'FINISHED');
  assert.ok(status.fileCount > 0);
  // The driver says `{}` where it is told no folder.
  const { rows } = await ask(master, (branch, answer) => branch.createForExport(id, { properties: { title: 'of an export' } }, answer));
  assert.equal(rows.length, 1);
  assert.equal(rows[0].title, 'of an export');
  assert.equal((await readNode(master, rows[0]._doc)).title, 'of an export');
});
