// Archives of other servers' tools (docs/reference/archives_older.md): what comes of each is what their description says.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { firstGeneration, graphOf, packed, packedBranch, parted } from '../../../tests/support/archive_samples.mjs';
import { endedJob } from '../../../tests/support/ended_job.mjs';
import { statement } from '../../../tests/support/statements.mjs';
import { SteleServer } from '../../../tests/support/stele_server.mjs';

let server;
before(async () => { server = await SteleServer.start(); });
after(() => server.end());

const ask = (...request) => server.admin(...request);
async function upload({ manifest, files }, { query = '', vault = 'primary' } = {}) {
  const bytes = packed(files, { hasFolders: !manifest.model });
  return ask('POST', `/vaults/${vault}/archives${query}`, bytes);
}
const finish = ({ _doc }) => endedJob(ask, _doc);
const start = async (at, { group, artifact, version }, body = {}, vault = 'primary') =>
  finish(await ask('POST', `${at}/import?group=${group}&artifact=${artifact}&version=${version}&vault=${vault}`, body));
async function bring(at, manifest, body) {
  const job = await start(at, manifest, body);
  assert.equal(job.state, 'FINISHED', JSON.stringify(job.log_entries));
  return job;
}
async function refused(code, at, manifest, body, vault) {
  const job = await start(at, manifest, body, vault);
  assert.equal(job.state, 'ERROR');
  const entry = job.log_entries.at(-1);
  assert.equal(entry.level ?? entry.type, 'ERROR', JSON.stringify(entry));
  assert.match(entry.message, code);
  assert.deepEqual(job.imports, []);
  return job;
}
const makeRepository = async () => `/repositories/${(await ask('POST', '/repositories', { title: 'Target' }))._doc}`;
const makeBranch = async () => `${await makeRepository()}/branches/master`;
const totals = async () => Object.fromEntries(await Promise.all(['repositories', 'domains', 'projects', 'stacks', 'applications'].map(
  async (family) => [family, (await ask('POST', `/${family}/query`, {})).total_rows])));

/// What is there is what the description says, and nothing else.
function same(found, { titles, associations, photos }, message) {
  assert.deepEqual([found.titles, found.associations, found.photos], [titles, associations, photos], message);
}

statement('merge_and_transfer 5.1.1, merge_and_transfer 5.1.2, merge_and_transfer 5.1.3, merge_and_transfer 7.12', async () => {
  for (const type of ['repository', 'domain']) {
    const archive = firstGeneration({ type });
    assert.equal(Object.keys(archive.files).length, 54);
    await upload(archive);
    const earlier = await totals();
    const job = await bring('', archive.manifest);
    const { ref, id, typeId } = job.imports[0].targets.at(-1);
    assert.deepEqual([job.imports.length, typeId], [1, 'repository']);
    assert.ok(ref.endsWith(`/${id}`));
    const { title, description } = await ask('GET', `/repositories/${id}`);
    assert.deepEqual([title, description], ['Orchard', 'Demo store']);
    const branches = (await ask('GET', `/repositories/${id}/branches`)).rows;
    assert.deepEqual(branches.map((branch) => [branch.type, branch.title, branch.description]), [['MASTER', 'Main', 'Main line']]);
    const found = await graphOf(server, `/repositories/${id}/branches/master`);
    same(found, archive.graph);
    assert.deepEqual([found.nodes.length, found.definitions.length, found.links.length, found.photos.length], [15, 2, 18, 15]);
    assert.deepEqual(found.nodes.map(({ _qname, weight }) => [_qname, weight]).sort((one, other) => one[1] - other[1]),
                     Array.from({ length: 15 }, (_, i) => [`orc:fruit${i}`, i]));
    assert.deepEqual(found.definitions.map(({ _qname, _parent }) => [_qname, _parent]).sort(), [['orc:fruit', 'n:node'], ['orc:grows', 'a:linked']]);
    assert.ok(found.nodes.every((node) => !('_source' in node)));
    assert.deepEqual(await totals(), { ...earlier, repositories: earlier.repositories + 1 });
  }
});

test('an archive without ids goes into a branch with other content, and each time anew', async () => {
  const archive = firstGeneration({ artifact: 'twice' });
  await upload(archive);
  const branch = await makeBranch();
  const before_ = await ask('GET', branch);
  await ask('POST', `${branch}/nodes`, { title: 'Other' });
  for (const count of [1, 2]) {
    // There are no ids that a clone could keep.
    const job = await bring(branch, archive.manifest, { strategy: 'CLONE' });
    assert.deepEqual(job.strategy ?? job.configuration.strategy, ['COPY_EVERYTHING']);
    assert.equal(job.imports[0].targets.at(-1).id, before_._doc);
    const times = (list) => list.flatMap((one) => Array(count).fill(one));
    const found = await graphOf(server, branch);
    same(found, { titles: [...times(archive.graph.titles), 'Other'], associations: times(archive.graph.associations), photos: times(archive.graph.photos) });
    assert.equal(found.definitions.length, 2);
  }
  assert.equal((await ask('GET', branch)).title, before_.title);
});

test('a repository keeps its name and its branches, and takes the content onto its master', async () => {
  const archive = firstGeneration({ artifact: 'onto-repository' });
  await upload(archive);
  const repository = await makeRepository();
  const job = await bring(repository, archive.manifest);
  assert.equal(`/repositories/${job.imports[0].targets.at(-1).id}`, repository);
  assert.equal((await ask('GET', repository)).title, 'Target');
  const branches = (await ask('GET', `${repository}/branches`)).rows;
  assert.deepEqual(branches.map(({ type, title }) => [type, title === 'Main']), [['MASTER', false]]);
  same(await graphOf(server, `${repository}/branches/master`), archive.graph);
});

test('nodes go into a branch or below a node, and into no platform', async () => {
  const archive = firstGeneration({ type: 'node' });
  await upload(archive);
  const branch = await makeBranch();
  const folder = (await ask('POST', `${branch}/nodes`, { title: 'Basket' }))._doc;
  const job = await bring(`${branch}/nodes/${folder}`, archive.manifest);
  const top = job.imports[0].targets.at(-1);
  assert.deepEqual([job.imports.length, top.typeId, (await ask('GET', `${branch}/nodes/${top.id}`)).title], [1, 'node', 'Fruit 0']);
  const { graph } = archive;
  same(await graphOf(server, branch), { ...graph, titles: ['Basket', ...graph.titles],
                                        associations: [['Basket', 'a:child', 'Fruit 0', 'DIRECTED'], ...graph.associations] });
  const earlier = await totals();
  await refused(/a node goes neither into a platform nor onto one/, '', archive.manifest);
  assert.deepEqual(await totals(), earlier);
  const other = await makeBranch();
  await bring(other, archive.manifest);
  same(await graphOf(server, other), graph);
});

statement('merge_and_transfer 5.1.4', async () => {
  const branch = await makeBranch();
  const at = 'repository/branch';
  const file = (value) => JSON.stringify(value);
  const manifest = { title: 'More', group: 'com.example', artifact: 'more', version: '1', type: 'repository' };
  await upload({ manifest, files: {
    'manifest.json': file(manifest),
    [`${at}/associations/plum/orc:grows/pear/association.json`]: file({ _type: 'orc:grows', directionality: 'DIRECTED' }),
    [`${at}/nodes/plum/translations/de_DE/translation.json`]: file({ title: 'Pflaume' }),
    [`${at}/nodes/plum/translations/de_DE/attachments/photo.jpeg`]: 'sauer',
    [`${at}/nodes/plum/node.json`]: file({ _type: 'orc:fruit', _qname: 'orc:plum', title: 'Plum' }),
    [`${at}/nodes/plum/attachments/notes.txt`]: 'sour',
    [`${at}/nodes/plum/attachments/notes.pdf`]: 'sourer',
    [`${at}/nodes/pear/node.json`]: file({ _type: 'orc:fruit', title: 'Pear' }),
    // The parent comes behind what extends it.
    [`${at}/types/fruit/node.json`]: file({ title: 'Fruit', type: 'object', _qname: 'orc:fruit', _type: 'd:type', _parent: 'orc:plant', properties: {} }),
    [`${at}/types/fruit/forms/master.json`]: file({ title: 'Form', fields: { title: { type: 'text' } } }),
    [`${at}/types/grows/node.json`]: file({ title: 'Grows', type: 'object', _qname: 'orc:grows', _type: 'd:association', _parent: 'a:linked', properties: {} }),
    [`${at}/types/plant/node.json`]: file({ title: 'Plant', type: 'object', _qname: 'orc:plant', _type: 'd:type', _parent: 'n:node', properties: {} }),
  } });
  const job = await bring(branch, manifest);
  assert.deepEqual(job.notes, []);
  const form = await ask('GET', `${branch}/definitions/orc:fruit/forms/master`);
  assert.deepEqual([form.title, form._type, form.fields], ['Form', 'n:form', { title: { type: 'text' } }]);
  const plum = await ask('GET', `${branch}/nodes/orc:plum`);
  assert.equal(plum._features['f:multilingual'].edition, '1.0');
  const german = await ask('GET', `${branch}/nodes/orc:plum/i18n?locale=de_DE`);
  assert.deepEqual([german.title, german._type, german._features['f:translation']],
                   ['Pflaume', 'orc:fruit', { enabled: true, locale: 'de_DE', edition: '1.0', 'master-node-id': plum._doc }]);
  const { associations, photos } = await graphOf(server, branch);
  const hex = (bytes) => Buffer.from(bytes).toString('hex');
  assert.deepEqual(photos, [['Pflaume', 'photo', 'photo.jpeg', 'image/jpeg', 5, hex('sauer')], ['Plum', 'notes', 'notes.txt', 'text/plain', 4, hex('sour')],
                            ['Plum', 'notes.pdf', 'notes.pdf', 'application/pdf', 6, hex('sourer')]]);
  assert.deepEqual(associations, [['Fruit', 'a:has_form', 'Form', 'DIRECTED'], ['Plum', 'a:has_translation', 'Pflaume', 'DIRECTED'],
                                  ['Plum', 'orc:grows', 'Pear', 'DIRECTED']]);
});

statement('merge_and_transfer 5.2.1, merge_and_transfer 5.2.2, merge_and_transfer 5.2.3, merge_and_transfer 5.2.4, merge_and_transfer 5.2.5, merge_and_transfer 5.2.6, merge_and_transfer 5.2.7, merge_and_transfer 7.13', async () => {
  for (const model of ['2.0.0', '3.0.0']) {
    const branch = await makeBranch();
    const elsewhere = (await ask('POST', `${branch}/nodes`, { title: 'Elsewhere' }))._doc;
    const archive = packedBranch({ model, artifact: `branch-${model[0]}`, elsewhere });
    await upload(archive);
    const { graph } = archive;
    const expected = { photos: graph.photos, titles: ['Elsewhere', ...graph.titles],
                       associations: [...graph.associations, ['Pear', 'a:linked', 'Elsewhere', 'DIRECTED']].sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1)) };
    const changesets = async () => (await ask('POST', `${branch.replace(/\/branches.*/, '')}/changesets/query`, {})).total_rows;
    const earlier = await changesets();
    const job = await bring(branch, archive.manifest);
    assert.deepEqual(job.notes, []);
    assert.equal(job.imports[0].targets.at(-1).typeId, 'branch');
    assert.equal(await changesets(), earlier + 1, model);
    const found = await graphOf(server, branch);
    same(found, expected, model);
    assert.equal((await ask('POST', `${branch}/nodes/query`, { _type: 'n:root' })).total_rows, 1);
    const [plum, pear, folder, inner] = ['Plum', 'Pear', 'Folder', 'Inner'].map((title) => found.nodes.find((node) => node.title === title));
    assert.deepEqual([folder, inner].map((node) => node._features['f:filename'].filename), ['My%20Fruit', 'ripe_and_sweet']);
    assert.deepEqual([pear.neighbour.id, pear.neighbour.ref.split('/').at(-1), pear.neighbour.qname], [plum._doc, plum._doc, 'orc:plum']);
    assert.ok(pear.neighbour.ref.startsWith(`node://${(await ask('GET', '/'))._doc}/`));
    assert.deepEqual([pear._qname, '_existing' in pear, pear._key], [`o:${pear._doc}`, false, 'pear']);
    const related = found.links.find(({ target, source }) => source === pear._doc && target === plum._doc);
    assert.deepEqual([related.source_type, related.target_type, related._features['f:relator'].propertyPath], ['orc:fruit', 'orc:fruit', 'neighbour']);
    // Once more: nothing is doubled, and nothing is written.
    const { tip } = await ask('GET', branch);
    await bring(branch, archive.manifest);
    assert.equal((await ask('GET', branch)).tip, tip);
    same(await graphOf(server, branch), expected, model);
    // What was changed meanwhile is found again and brought up to date.
    await ask('PUT', `${branch}/nodes/${pear._doc}`, { ...pear, title: 'Bitten' });
    await bring(branch, archive.manifest);
    same(await graphOf(server, branch), expected, model);
  }
});

test('a branch of a tool goes into a repository as another branch, and nowhere else', async () => {
  const archive = packedBranch({ artifact: 'another' });
  await upload(archive);
  const repository = await makeRepository();
  const job = await bring(repository, archive.manifest);
  const { id, typeId } = job.imports[0].targets.at(-1);
  assert.equal(typeId, 'branch');
  const branches = (await ask('GET', `${repository}/branches`)).rows;
  assert.deepEqual(branches.map(({ type }) => type).sort(), ['CUSTOM', 'MASTER']);
  same(await graphOf(server, `${repository}/branches/${id}`), archive.graph);
  assert.deepEqual((await graphOf(server, `${repository}/branches/master`)).titles, []);
  const earlier = await totals();
  await refused(/a branch goes neither into a platform nor onto one/, '', archive.manifest);
  assert.deepEqual(await totals(), earlier);
});

test('a manifest that is about what the archive does not hold is refused', async () => {
  const branch = await makeBranch();
  const { manifest, files } = packedBranch({ artifact: 'elsewhere' });
  const sources = [manifest.sources[0].with(2, { ...manifest.sources[0][2], id: 'another' })];
  const about = { ...manifest, sources };
  await upload({ manifest: about, files: { ...files, 'manifest.json': JSON.stringify(about) } });
  const { tip } = await ask('GET', branch);
  await refused(/the archive is about a branch another that is not in it/, branch, about);
  assert.equal((await ask('GET', branch)).tip, tip);
  const nothing = { title: 'Nothing', group: 'com.example', artifact: 'nothing', version: '1', type: 'repository' };
  await upload({ manifest: nothing, files: { 'manifest.json': JSON.stringify(nothing), 'other/file.txt': '' } });
  const earlier = await totals();
  await refused(/does not say what it is about/, '', nothing);
  assert.deepEqual(await totals(), earlier);
});

statement('merge_and_transfer 5.2.8', async () => {
  const vault = (await ask('POST', '/vaults', {}))._doc;
  const [index, ...parts] = parted();
  const branch = await makeBranch();
  const { tip } = await ask('GET', branch);
  await upload(index, { vault });
  await refused(/the vault has no part com\.example-big_part0-2 of the package/, branch, index.manifest, {}, vault);
  await upload(parts[0], { vault, query: '?filename=com.example-big_part0-2.zip' });
  await refused(/the vault has no part com\.example-big_part1-2 of the package/, branch, index.manifest, {}, vault);
  assert.equal((await ask('GET', branch)).tip, tip);
  await upload(parts[1], { vault, query: '?filename=com.example-big_part1-2.zip' });
  const job = await start(branch, index.manifest, {}, vault);
  assert.equal(job.state, 'FINISHED', JSON.stringify(job.log_entries));
  assert.deepEqual([job.imports.length, job.notes], [1, []]);
  const found = await graphOf(server, branch);
  same(found, index.graph);
  assert.equal(found.definitions.length, 1);
});

test('parts are archives with records of their own', async () => {
  const branch = await makeBranch();
  const cases = [['itself', { artifact: 'itself' }, /com\.example-itself-1 is no part, but a package itself/],
                 ['handmade', { artifact: 'orchard-handmade' }, /com\.example-orchard-handmade-1 is no part: its manifest has no model/],
                 ['empty', null, /names no parts/]];
  await upload(firstGeneration({ artifact: 'orchard-handmade', version: '1' }));
  for (const [artifact, part, problem] of cases) {
    const parts = part === null ? [] : [{ group: 'com.example', version: '1', ...part }];
    const manifest = { model: '3.0.0', group: 'com.example', artifact, version: '1', type: 'package', includes: [], parts };
    await upload({ manifest, files: { 'manifest.json': JSON.stringify(manifest) } });
    await refused(problem, branch, manifest);
  }
});
