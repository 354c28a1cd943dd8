// Archives as other servers' tools write them (docs/specification/merge_and_transfer.md 5), and what is in them.
import { zip } from './zip_archive.mjs';

const kDefinitions = ['orc:fruit', 'orc:grows'];
const text = (value) => JSON.stringify(value);
const kPhoto = Buffer.from('89504e470d0a1a0a', 'hex');
/// What a graph tells of an attachment.
const photoOf = (title, id, filename, contentType, bytes) => [title, id, filename, contentType, bytes.length, Buffer.from(bytes).toString('hex')];

/// The zip of files by path; with folders it has an entry for each, too, as desktops pack them.
export function packed(files, { hasFolders = false } = {}) {
  const paths = Object.keys(files);
  const folders = new Set(paths.flatMap((path) => [...path.matchAll(/\//g)].map(({ index }) => path.slice(0, index + 1))));
  return zip([...(hasFolders ? [...folders].map((name) => ({ name, data: '', method: 0 })) : []),
              ...paths.map((name) => ({ name, data: files[name] }))]);
}

/// Generation 1: `{ manifest, files, graph }`. 15 nodes with one photo each, no two alike, 2 definitions, 15 directed and 3 undirected
/// associations. The graph tells titles, photos, and associations as `[source, type, target, directionality, season]`, by titles.
export function firstGeneration({ type = 'repository', artifact = `orchard-${type}`, version = '1.0.0' } = {}) {
  const manifest = { title: 'Orchard', description: 'Demo', group: 'com.example', artifact, version, type };
  const branch = 'repository/branch';
  const files = {
    'manifest.json': text(manifest),
    'repository/repository.json': text({ title: 'Orchard', description: 'Demo store' }),
    [`${branch}/branch.json`]: text({ title: 'Main', description: 'Main line' }),
    [`${branch}/types/fruit/node.json`]: text({ title: 'Fruit', type: 'object', _qname: 'orc:fruit', _type: 'd:type', _parent: 'n:node',
                                                properties: { weight: { type: 'number' } } }),
    [`${branch}/types/grows/node.json`]: text({ title: 'Grows', type: 'object', _qname: 'orc:grows', _type: 'd:association', _parent: 'a:linked',
                                                properties: { season: { type: 'string' } } }),
    '__MACOSX/._repository': 'a desktop was here',
  };
  const graph = { titles: [], associations: [], photos: [] };
  for (let i = 0; i < 15; ++i) {
    graph.titles.push(`Fruit ${i}`);
    files[`${branch}/nodes/fruit${i}/node.json`] = text({ _type: 'orc:fruit', _qname: `orc:fruit${i}`, title: `Fruit ${i}`, weight: i });
    const photo = Buffer.concat([kPhoto, Buffer.alloc(i, i)]);
    files[`${branch}/nodes/fruit${i}/attachments/photo.png`] = photo;
    graph.photos.push(photoOf(`Fruit ${i}`, 'photo', 'photo.png', 'image/png', photo));
  }
  const tie = (source, kind, target, directionality, season) => {
    files[`${branch}/associations/fruit${source}/${kind}/fruit${target}/association.json`] = text(
      { _type: kind, directionality, _source: `/nodes/fruit${source}`, _target: `/nodes/fruit${target}`, season });
    graph.associations.push([`Fruit ${source}`, kind, `Fruit ${target}`, directionality, season]);
  };
  for (let i = 1; i < 15; ++i) tie((i - 1) >> 1, 'orc:grows', i, 'DIRECTED', 'summer');
  tie(14, 'orc:grows', 1, 'DIRECTED', 'winter');
  for (const i of [3, 5, 7]) tie(i, 'a:linked', i + 1, 'UNDIRECTED', 'autumn');
  for (const list of Object.values(graph)) list.sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
  return { manifest, files, graph };
}

/// A 20 digit id of the tools.
const idOf = (name) => Buffer.from(name.padEnd(10, '.')).toString('hex').slice(0, 20);

const kPlatform = 'platformId';
const kRepository = 'repositoryId';
const kBranch = '1700000000';
const kChangeset = '0:77';
const kRepositoryFolder = `platforms/${kPlatform}/repositories/${kRepository}`;
const kChangesetFolder = `${kRepositoryFolder}/changesets/0_77`;

/// Files and entries of `contents` for what lies around nodes, in the words of a model.
function surroundings(model) {
  const isThird = model.startsWith('3');
  const chain = [['platform', kPlatform, isThird ? `platform://${kPlatform}` : `platform_${kPlatform}`, `platforms/${kPlatform}`],
                 ['repository', kRepository, isThird ? `repository://${kPlatform}/${kRepository}` : `repository_${kRepository}`, kRepositoryFolder],
                 ['branch', kBranch, isThird ? `branch://${kPlatform}/${kRepository}/${kBranch}` : `branch_${kBranch}`, `${kRepositoryFolder}/branches/${kBranch}`],
                 ['changeset', kChangeset, isThird ? `changeset://${kPlatform}/${kRepository}/${kChangeset}` : `changeset_${kChangeset}`, kChangesetFolder]];
  const entries = chain.map(([typeId, id, key, location]) => ({ typeId, id, key, location, requires: [], requiredBy: [], dependencies: [] }));
  const files = {
    [`platforms/${kPlatform}/platform.json`]: { _doc: kPlatform, datastoreId: kPlatform, datastoreTypeId: 'platform' },
    [`${kRepositoryFolder}/repository.json`]: { _doc: kRepository, platformId: kPlatform, datastoreId: kRepository, datastoreTypeId: 'repository' },
    [`${kRepositoryFolder}/branches/${kBranch}/branch.json`]: { _doc: kBranch, root: '0:root', tip: kChangeset, type: 'CUSTOM' },
    [`${kChangesetFolder}/changeset.json`]: { _doc: kChangeset, revision: '0', branch: kBranch },
  };
  const links = entries.map(({ typeId, id, key }) => ({ typeId, id, key }));
  return { isThird, entries, files, links, sources: [links.slice(0, 3).map((link) => ({ ...link, requires: [], requiredBy: [] }))] };
}

/// What a packer has packed: `records`, whole nodes and associations in the order of `contents`; of a node `bytes` are
/// its attachments as `[id, extension, content type, file name, bytes]`.
function toolArchive({ model, artifact, version, records, hasMetadata }) {
  const { isThird, entries, files, links, sources } = surroundings(model);
  const contents = Object.fromEntries(entries.map((entry) => [entry.key, entry]));
  for (const { bytes = [], isAssociation = false, ...record } of records) {
    const kind = isAssociation ? 'association' : 'node';
    const location = `${kChangesetFolder}/nodes/${record._doc}`;
    const key = isThird ? `${kind}://${kPlatform}/${kRepository}/${kChangeset}/${record._doc}` : `${kChangeset}_${record._doc}`;
    contents[key] = { typeId: kind, id: record._doc, key, location, _qname: record._qname, _type: record._type, requires: [], dependencies: [], requiredBy: [links[3]] };
    const attachments = {};
    for (const [id, extension, contentType, filename, data] of bytes) {
      const about = { contentType, length: data.length, objectId: '', filename };
      attachments[id] = about;
      files[`${location}/attachments/${id}${extension}`] = data;
      if (hasMetadata) files[`${location}/attachments/${id}.metadata.json`] = about;
    }
    const system = { changeset: kChangeset, ...(hasMetadata || bytes.length === 0 ? {} : { attachments }) };
    files[`${location}/${kind}.json`] = { ...record, _system: system };
  }
  const manifest = { model, group: 'com.example', artifact, version, type: 'branch', includes: [], tipChangesetOnly: true, sources, contents };
  const written = Object.fromEntries(Object.entries(files).map(([path, data]) => [path, Buffer.isBuffer(data) ? data : text(data)]));
  return { manifest, files: { 'manifest.json': text(manifest), ...written } };
}

/// Generation 2 (`model` 2.0.0) or 3 (3.0.0): a branch of a root, two folders one in the other, two keyed nodes, one of
/// which names the other, four attachments and a definition. `elsewhere` is the id of a node of the target branch that one leads to.
export function packedBranch({ model = '3.0.0', artifact = 'orchard', version = '2', elsewhere = undefined } = {}) {
  const [root, folder, inner, plum, pear, fruit] = ['root', 'folder', 'inner', 'plum', 'pear', 'fruit'].map(idOf);
  const unnamed = (_doc) => ({ _doc, _qname: `o:${_doc}` });
  const keyed = (key) => ({ _key: key, _existing: { _key: key } });
  const container = (filename) => ({ _features: { 'f:container': { enabled: true }, 'f:filename': { filename } } });
  const link = (name, source, target, fields = {}) => ({ isAssociation: true, ...unnamed(idOf(name)), _type: 'a:child', _features: {}, source, target,
                                                         source_type: 'n:node', target_type: 'n:node', directionality: 'DIRECTED', ...fields });
  const records = [
    { _doc: root, _qname: 'r:root', _type: 'n:root', _features: {} },
    { _doc: fruit, _qname: 'orc:fruit', _type: 'd:type', _parent: 'n:node', _features: {}, type: 'object', title: 'Fruit', ...keyed('fruit'),
      properties: { weight: { type: 'number' }, neighbour: { type: 'object', _relator: { associationType: 'a:linked' } } } },
    { ...unnamed(folder), _type: 'n:node', title: 'Folder', ...container('My%20Fruit'), ...keyed('folder') },
    { ...unnamed(inner), _type: 'n:node', title: 'Inner', ...container('ripe_and_sweet'), ...keyed('inner') },
    { _doc: plum, _qname: 'orc:plum', _type: 'orc:fruit', _features: { 'f:filename': { filename: 'plum.json' } }, title: 'Plum', weight: 40, ...keyed('plum'),
      bytes: [['default', '.png', 'image/png', 'plum.png', kPhoto], ['v1.0', '', 'text/plain', 'notes', Buffer.from('ripe')],
              ['photo', '.png', 'image/png', 'a.png', Buffer.from('one')], ['photo.png', '.png', 'image/png', 'b.png', Buffer.from('two!')]] },
    { ...unnamed(pear), _type: 'orc:fruit', _features: {}, title: 'Pear', ...keyed('pear'),
      neighbour: { id: plum, ref: `node://${kPlatform}/${kRepository}/${kBranch}/${plum}`, qname: 'orc:plum', typeQName: 'orc:fruit', title: 'Plum' } },
    link('l1', root, folder, { source_type: 'n:root' }),
    link('l2', folder, inner),
    link('l3', inner, plum, { target_type: 'orc:fruit' }),
    link('l4', pear, plum, { _type: 'a:linked', source_type: undefined, target_type: undefined,
                             _features: { 'f:relator': { propertyHolder: 'source', propertyPath: 'neighbour' } } }),
    ...(elsewhere ? [link('l5', pear, elsewhere, { _type: 'a:linked', target_type: undefined })] : []),
  ];
  const graph = {
    titles: ['Folder', 'Inner', 'Pear', 'Plum'],
    photos: [photoOf('Plum', 'default', 'plum.png', 'image/png', kPhoto), photoOf('Plum', 'photo', 'a.png', 'image/png', Buffer.from('one')),
             photoOf('Plum', 'photo.png', 'b.png', 'image/png', Buffer.from('two!')), photoOf('Plum', 'v1.0', 'notes', 'text/plain', Buffer.from('ripe'))],
    associations: [['Folder', 'a:child', 'Inner', 'DIRECTED'], ['Inner', 'a:child', 'Plum', 'DIRECTED'],
                   ['Pear', 'a:linked', 'Plum', 'DIRECTED'], ['root', 'a:child', 'Folder', 'DIRECTED']],
  };
  return { ...toolArchive({ model, artifact, version, records, hasMetadata: model.startsWith('3') }), records, graph };
}

/// The same in two parts and an index that names them: `[index, part, part]`. Manifests inside the parts have the
/// artifact of the whole.
export function parted({ artifact = 'big', version = '2', ...options } = {}) {
  const { records, manifest, graph } = packedBranch({ artifact, version, ...options });
  const part = (some) => toolArchive({ model: manifest.model, artifact, version, records: some, hasMetadata: true });
  // The packer begins each part with the root.
  const parts = [part(records.slice(0, 5)), part([records[0], ...records.slice(5)])];
  const index = { model: manifest.model, group: manifest.group, artifact, version, type: 'package', includes: [],
                  parts: parts.map((_, n) => ({ group: manifest.group, artifact: `${artifact}_part${n}`, version })) };
  return [{ manifest: index, files: { 'manifest.json': text(index) }, graph }, ...parts];
}

/// What clients wrote on a branch, by titles and in one order: nodes, definitions of the prefix `orc`, associations as
/// `firstGeneration().graph` tells them, and attachments with the bytes that the server serves. The branch's own is left out.
export async function graphOf(server, branch) {
  const ask = (...request) => server.admin(...request);
  const kinds = { _type: { $in: ['orc:fruit', 'd:type', 'd:association', 'n:node', 'n:form'] } };
  const rows = (await ask('POST', `${branch}/nodes/query?limit=1000`, kinds)).rows.filter(({ _qname }) => _qname !== 'r:users');
  const definitions = rows.filter(({ _qname }) => kDefinitions.includes(_qname));
  const nodes = rows.filter(({ _type }) => !_type.startsWith('d:'));
  const links = new Map();
  const photos = [];
  for (const node of [...nodes, ...definitions]) {
    for (const found of (await ask('GET', `${branch}/nodes/${node._doc}/associations?limit=1000`)).rows) links.set(found._doc, found);
    for (const { attachmentId, filename, contentType, length } of (await ask('GET', `${branch}/nodes/${node._doc}/attachments`)).rows) {
      const { bytes } = await server.request('GET', `${branch}/nodes/${node._doc}/attachments/${attachmentId}`, { token: server.adminToken });
      photos.push(photoOf(node.title, attachmentId, filename, contentType, bytes).with(4, length));
    }
  }
  const root = (await ask('GET', `${branch}/nodes/root`))._doc;
  const titles = new Map([[root, 'root'], ...rows.map(({ _doc, title }) => [_doc, title])]);
  const own = [...links.values()].filter(({ _type }) => _type !== 'a:has_role');
  const sorted = (list) => list.sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
  return { nodes, definitions, links: own, photos: sorted(photos), titles: nodes.map(({ title }) => title).sort(),
           associations: sorted(own.map(({ source, _type, target, directionality, season }) =>
             [titles.get(source) ?? source, _type, titles.get(target) ?? target, directionality, ...(season ? [season] : [])])) };
}
