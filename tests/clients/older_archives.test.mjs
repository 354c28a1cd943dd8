// Archives of other servers' tools by published drivers, unpatched, against the real program: statements 35 to 37 of
// docs/specification/merge_and_transfer.md 7, each by calls of the driver alone.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { firstGeneration, packed, packedBranch } from '../support/archive_samples.mjs';
import { configFor, connectWith, engines } from './cloudcms_driver.mjs';
import { call, startPlatform } from './gitana_driver.mjs';
import { freshContent, queryNodes, readNode, total } from './gitana_repository.mjs';

const { server, admin } = await startPlatform();
const fileName = ({ group, artifact, version }) => `${group}-${artifact}-${version}.zip`;
const coordinatesOf = ({ group, artifact, version }) => ({ group, artifact, version });

/// The calls of gitana; what it has no method for, an upload of an archive, its transport sends as it sends attachments.
async function gitanaCalls() {
  const vault = await call(admin, (platform) => platform.readVault('primary'));
  const { repository, master } = await freshContent(admin);
  const imported = async (target, manifest, configuration = {}) => {
    const job = await call(target, (chain) => chain.importArchive({ vault, ...coordinatesOf(manifest), configuration }));
    assert.equal(job.getState(), 'FINISHED', JSON.stringify(job.log_entries));
    return job.imports[0].targets.at(-1);
  };
  const viewOf = (store, branch) => ({
    rows: async (query) => (await queryNodes(branch, query, { limit: 1000 })).asArray().map((node) => ({ id: node.getId(), title: node.title, qname: node.getQName() })),
    count: (query) => total(branch, query),
    links: async (id) => (await call(await readNode(branch, id), (chain) => chain.associations({ limit: 1000 }))).asArray()
      .map((link) => ({ id: link.getId(), type: link.getTypeQName(), source: link.getSourceNodeId(), target: link.getTargetNodeId() })),
    files: async (id) => (await call(await readNode(branch, id), (chain) => chain.listAttachments())).asArray().map((file) => [file.getId(), file.getLength(), file.getContentType()]),
    root: async () => (await call(branch, (chain) => chain.rootNode())).getId(),
    changesets: async () => (await call(store, (chain) => chain.queryChangesets({}))).totalRows(),
  });
  return {
    upload: (bytes) => new Promise((resolve, reject) => {
      admin.getDriver().gitanaUpload(`${vault.getUri()}/archives`, {}, 'application/zip', bytes, resolve, (error) => reject(new Error(error.message)));
    }),
    view: viewOf(repository, master),
    bring: (manifest, configuration) => imported(master, manifest, configuration),
    /// At the platform, where a repository of its own is made of it.
    bringAnew: async (manifest) => {
      const { id, typeId } = await imported(admin, manifest);
      assert.equal(typeId, 'repository');
      const made = await call(admin, (platform) => platform.readRepository(id));
      return viewOf(made, await call(made, (chain) => chain.readBranch('master')));
    },
  };
}

/// The calls of cloudcms with one of its engines.
async function cloudcmsCalls(engine) {
  const session = await connectWith(engine, configFor(server));
  const { _doc: repository } = await session.createRecord('/repositories', {});
  const { _doc: branch } = await session.readBranch(repository, 'master');
  const rowsOf = async (query) => session.queryNodes(repository, branch, query, { limit: 1000 });
  const view = {
    rows: async (query) => (await rowsOf(query)).rows.map(({ _doc: id, title, _qname: qname }) => ({ id, title, qname })),
    count: async (query) => (await rowsOf(query)).total_rows,
    links: async (id) => (await session.listNodeAssociations(repository, branch, id, undefined, undefined, { limit: 1000 })).rows
      .map((link) => ({ id: link._doc, type: link._type, source: link.source, target: link.target })),
    files: async (id) => (await session.listAttachments(repository, branch, id)).rows.map(({ attachmentId, length, contentType }) => [attachmentId, length, contentType]),
    root: async () => (await session.readNode(repository, branch, 'root'))._doc,
    changesets: async () => (await session.queryChangesets(repository, {}, {})).total_rows,
  };
  const bring = async (manifest, configuration = {}) => {
    const job = await session.waitForJobCompletion(await session.importArchiveToBranch(repository, branch, coordinatesOf(manifest), configuration));
    return job.imports[0].targets.at(-1);
  };
  return {
    upload: async (bytes, manifest) => assert.ok((await session.uploadArchive({}, bytes, fileName(manifest)))._doc),
    view,
    bring,
    // Its call for the platform ends with a ReferenceError before anything is sent.
    bringAnew: async (manifest) => { await bring(manifest); return view; },
  };
}

// The driver's forms are streams, which Node's own fetch does not send.
const drivers = [['gitana', gitanaCalls],
                 ...engines.filter(([, options]) => options === undefined).map((engine) => [`cloudcms with ${engine[0]}`, () => cloudcmsCalls(engine)])];
const definitions = { _type: { $in: ['d:type', 'd:association', 'd:feature'] } };
const sorted = (list) => list.map((one) => JSON.stringify(one)).sort();
const uploaded = async (calls, { manifest, files }) => calls.upload(packed(files), manifest);

/// Links of these types at these nodes, each once.
async function linksAmong(view, nodes, types) {
  const links = new Map();
  for (const { id } of nodes) for (const link of await view.links(id)) if (types.includes(link.type)) links.set(link.id, link);
  return [...links.values()];
}

let number = 0;
for (const [name, connected] of drivers) {
  test(`${name}: an archive of the first generation brings its nodes, definitions, associations and attachments (7.35)`, async () => {
    const calls = await connected();
    const archive = firstGeneration({ artifact: `first-${++number}` });
    const before = await calls.view.count(definitions);
    await uploaded(calls, archive);
    const view = await calls.bringAnew(archive.manifest);
    const nodes = await view.rows({ _type: 'orc:fruit' });
    assert.equal(nodes.length, 15);
    assert.deepEqual(nodes.map(({ title }) => title).sort(), archive.graph.titles);
    assert.equal(await view.count(definitions) - before, 2);
    assert.deepEqual((await view.rows({ _qname: { $in: ['orc:fruit', 'orc:grows'] } })).map(({ qname }) => qname).sort(), ['orc:fruit', 'orc:grows']);
    const titles = new Map(nodes.map(({ id, title }) => [id, title]));
    const links = await linksAmong(view, nodes, ['orc:grows', 'a:linked']);
    assert.equal(links.length, 18);
    assert.deepEqual(sorted(links.map(({ type, source, target }) => [titles.get(source), type, titles.get(target)])),
                     sorted(archive.graph.associations.map((link) => link.slice(0, 3))));
    const files = [];
    for (const { id, title } of nodes) for (const file of await view.files(id)) files.push([title, ...file]);
    assert.equal(files.length, 15);
    assert.deepEqual(sorted(files), sorted(archive.graph.photos.map(([title, id, , contentType, length]) => [title, id, length, contentType])));
  });

  for (const model of ['2.0.0', '3.0.0']) {
    test(`${name}: a tool's archive of model ${model} keeps the root of the branch and is one changeset (7.36)`, async () => {
      const { view, ...calls } = await connected();
      const archive = packedBranch({ model, artifact: `branch-${++number}` });
      await uploaded(calls, archive);
      const [root, changesets] = [await view.root(), await view.changesets()];
      assert.equal((await calls.bring(archive.manifest)).typeId, 'branch');
      assert.equal(await view.changesets(), changesets + 1);
      assert.deepEqual((await view.rows({ _type: 'n:root' })).map(({ id }) => id), [root]);
      const found = await view.rows({ _type: { $in: ['n:node', 'orc:fruit'] }, title: { $in: archive.graph.titles } });
      assert.deepEqual(found.map(({ title }) => title).sort(), archive.graph.titles);
      const titles = new Map([[root, 'root'], ...found.map(({ id, title }) => [id, title])]);
      const children = await linksAmong(view, [{ id: root }, ...found], ['a:child']);
      assert.deepEqual(sorted(children.filter(({ target }) => titles.has(target)).map(({ source, target }) => [titles.get(source), titles.get(target)])),
                       sorted([['root', 'Folder'], ['Folder', 'Inner'], ['Inner', 'Plum']]));
    });

    test(`${name}: a tool's archive of model ${model} that comes again doubles no keyed node (7.37)`, async () => {
      const { view, ...calls } = await connected();
      const archive = packedBranch({ model, artifact: `again-${++number}` });
      await uploaded(calls, archive);
      const shown = async () => [await view.rows({ _key: { $in: ['folder', 'inner', 'plum', 'pear', 'fruit'] } }), await view.count({})];
      await calls.bring(archive.manifest);
      const once = await shown();
      assert.deepEqual(once[0].map(({ title }) => title).sort(), ['Folder', 'Fruit', 'Inner', 'Pear', 'Plum']);
      await calls.bring(archive.manifest);
      const twice = await shown();
      assert.deepEqual([sorted(twice[0]), twice[1]], [sorted(once[0]), once[1]]);
    });
  }
}
