// What the flags of a transfer's configuration take along and leave behind (docs/reference/transfer.md#configuration), by the files
// of the archives and by what comes of them.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { endedJob, errorOf } from '../../../tests/support/ended_job.mjs';
import { SteleServer } from '../../../tests/support/stele_server.mjs';
import { makeArchive, unzip } from '../../../tests/support/zip_archive.mjs';

let server;
before(async () => { server = await SteleServer.start(); });
after(() => server.end());

const ask = (...request) => server.admin(...request);
const make = async (path, fields = {}) => (await ask('POST', path, fields))._doc;
let artifacts = 0;
/// The files of an export by path, and where its archive is.
async function exported(path, settings = {}) {
  const place = `group=flags&artifact=a${++artifacts}&version=1`;
  const job = await endedJob(ask, (await ask('POST', `${path}/export?${place}`, settings))._doc);
  assert.equal(job.state, 'FINISHED', errorOf(job));
  const { bytes } = await server.request('GET', `/vaults/primary/archives/${job.archiveId}/download`, { token: server.adminToken });
  return { files: unzip(bytes), place };
}
const started = async (path, { place }, settings = {}) => endedJob(ask, (await ask('POST', `${path}/import?${place}`, settings))._doc);
async function imported(path, archive, settings) {
  const job = await started(path, archive, settings);
  assert.equal(job.state, 'FINISHED', errorOf(job));
  return job;
}
const json = (files, ending) => [...files].filter(([path]) => path.endsWith(ending)).map(([, bytes]) => JSON.parse(bytes));
const titles = (files, ending) => json(files, ending).map(({ title }) => title).filter((title) => title !== undefined).sort();
/// Without those that every branch has.
const nodesOf = (files) => json(files, '/node.json').filter(({ _type, _qname }) => !['n:root', 'n:person'].includes(_type) && _qname !== 'r:users').map(({ title }) => title).sort();
const has = (files, ending) => [...files.keys()].some((path) => path.endsWith(ending));

async function makeBranch() {
  const repository = `/repositories/${await make('/repositories', { title: 'Flagged' })}`;
  return { repository, master: `${repository}/branches/master` };
}
const fork = ({ repository }, title) => make(`${repository}/branches?branch=master`, { title });
const query = async (path, body = {}) => (await ask('POST', `${path}/query?limit=-1`, body)).rows;
/// Writes until the clock has moved on since `earlier`, so that times tell the two apart.
async function madeLater(path, fields, earlier) {
  for (;;) {
    const id = await make(path, fields);
    const { modified_on: { ms } } = (await ask('GET', `${path}/${id}`))._system;
    if (ms > earlier) return { id, ms };
    await ask('DELETE', `${path}/${id}`);
  }
}

test('selectedBranchIds lets the branches leave that it names, and all without it', async () => {
  const { repository, master } = await makeBranch();
  const first = await fork({ repository }, 'first');
  await fork({ repository }, 'second');
  await make(`${master}/nodes`, { title: 'on master' });
  await make(`${repository}/branches/${first}/nodes`, { title: 'on first' });
  const { files } = await exported(repository, { selectedBranchIds: [first] });
  assert.deepEqual(titles(files, '/branch.json'), ['first']);
  assert.deepEqual(nodesOf(files), ['on first']);
  assert.deepEqual(titles((await exported(repository)).files, '/branch.json').filter((title) => title !== 'Master'), ['first', 'second']);
});

test('archived branches leave with branchIncludeArchives only, or as what is exported', async () => {
  const { repository } = await makeBranch();
  const id = await fork({ repository }, 'closed');
  const path = `${repository}/branches/${id}`;
  await ask('PUT', path, { ...(await ask('GET', path)), archived: true });
  const leaves = async (from, settings) => titles((await exported(from, settings)).files, '/branch.json').includes('closed');
  assert.deepEqual([await leaves(repository), await leaves(repository, { branchIncludeArchives: false }), await leaves(repository, { branchIncludeArchives: true })], [false, false, true]);
  assert.equal(await leaves(path), true);
});

test('a range of dates takes the records that were modified then, and what contains others', async () => {
  const domain = `/domains/${await make('/domains', { title: 'Dated' })}`;
  const people = `${domain}/principals`;
  const early = await madeLater(people, { type: 'USER', name: 'early' }, 0);
  const middle = await madeLater(people, { type: 'USER', name: 'middle' }, early.ms);
  const late = await madeLater(people, { type: 'USER', name: 'late' }, middle.ms);
  const names = async (settings) => {
    const { files } = await exported(domain, settings);
    assert.deepEqual(titles(files, '/domain.json'), ['Dated']);
    return json(files, '/user.json').map(({ name }) => name).sort();
  };
  assert.deepEqual(await names({ startDate: middle.ms }), ['late', 'middle']);
  assert.deepEqual(await names({ endDate: { ms: middle.ms } }), ['early', 'middle']);
  assert.deepEqual(await names({ startDate: { ms: early.ms + 1 }, endDate: late.ms - 1 }), ['middle']);
});

test('a range of dates takes the nodes that were written then', async () => {
  const { master } = await makeBranch();
  const early = await madeLater(`${master}/nodes`, { title: 'early' }, 0);
  const late = await madeLater(`${master}/nodes`, { title: 'late' }, early.ms);
  assert.deepEqual(nodesOf((await exported(master, { tipChangesetOnly: true, startDate: late.ms })).files), ['late']);
  assert.deepEqual(nodesOf((await exported(master, { tipChangesetOnly: true, endDate: late.ms - 1 })).files), ['early']);
});

test('startChangeset and endChangeset take what was written after the one and up to the other', async () => {
  const { repository, master } = await makeBranch();
  const changesets = [];
  for (const title of ['one', 'two', 'three']) {
    await make(`${master}/nodes`, { title });
    changesets.push((await ask('GET', master)).tip);
  }
  const [one, two] = changesets;
  const told = async (settings) => nodesOf((await exported(master, settings)).files);
  assert.deepEqual(await told({ startChangeset: one }), ['three', 'two']);
  assert.deepEqual(await told({ startChangeset: one, endChangeset: two }), ['two']);
  assert.deepEqual(await told({ endChangeset: two }), ['one', 'two']);
  const target = await makeBranch();
  await imported(target.master, await exported(master, { startChangeset: one, endChangeset: two, tipChangesetOnly: true }));
  assert.deepEqual((await query(`${target.master}/nodes`, { title: { $in: ['one', 'two', 'three'] } })).map(({ title }) => title), ['two'], repository);
});

test('includeSourceIds says the former id of nodes that an import makes, and nothing does without it', async () => {
  const { master } = await makeBranch();
  const node = await make(`${master}/nodes`, { title: 'named' });
  const content = await exported(master);
  for (const includeSourceIds of [true, false]) {
    const target = await makeBranch();
    await imported(target.master, content, { includeSourceIds });
    const [copy] = await query(`${target.master}/nodes`, { title: 'named' });
    assert.deepEqual([copy._source_doc, copy._doc === node], [includeSourceIds ? node : undefined, false]);
  }
});

/// A node in a folder, that names one by a property and is linked with another, which has a neighbour of its own.
async function makeNeighbourhood() {
  const { master } = await makeBranch();
  await ask('POST', `${master}/nodes`, { _qname: 'my:naming', _type: 'd:type', _parent: 'n:node', type: 'object', title: 'Naming',
                                         properties: { named: { type: 'object', _relator: { associationType: 'a:linked' } } } });
  const folder = await make(`${master}/nodes`, { title: 'folder', _features: { 'f:container': { enabled: true } } });
  const [named, linked] = [await make(`${master}/nodes`, { title: 'named' }), await make(`${master}/nodes`, { title: 'linked' })];
  const inner = await make(`${master}/nodes`, { _type: 'my:naming', title: 'inner', named: { id: named, typeQName: 'n:node' } });
  await ask('POST', `${master}/nodes/${folder}/associate?node=${inner}&type=a:child`, {});
  await ask('POST', `${master}/nodes/${inner}/associate?node=${linked}&type=a:linked`, {});
  return `${master}/nodes/${inner}`;
}
const associationsOf = (files) => json(files, '/association.json').map(({ _type, _features }) => [_type, 'f:relator' in (_features ?? {})]).sort();

test('the three contentInclude flags take along of a node its folders, what it names, and its other associations', async () => {
  const path = await makeNeighbourhood();
  const told = async (settings) => {
    const { files } = await exported(path, settings);
    return [nodesOf(files), associationsOf(files)];
  };
  assert.deepEqual(await told({}), [['Naming', 'inner'], []]);
  assert.deepEqual((await told({ contentIncludeFolders: true }))[0], ['Naming', 'folder', 'inner']);
  assert.deepEqual(await told({ contentIncludeRelators: true }), [['Naming', 'inner', 'named'], [['a:linked', true]]]);
  const [nodes, associations] = await told({ contentIncludeRelatingAssociations: true });
  assert.deepEqual(nodes, ['Naming', 'inner']);
  assert.ok(associations.some(([type, isRelator]) => type === 'a:linked' && !isRelator), JSON.stringify(associations));
});

test('includeRoles and includeTeams off leave roles and teams at home', async () => {
  const { repository } = await makeBranch();
  await ask('POST', `${repository}/roles`, { roleKey: 'flagged', permissions: ['READ'] });
  await ask('POST', `${repository}/teams?key=flagged`, { title: 'Flagged' });
  const leave = async (settings) => {
    const { files } = await exported(repository, settings);
    return ['/roles.json', '/teams.json'].map((name) => has(files, name));
  };
  assert.deepEqual(await leave({}), [true, true]);
  assert.deepEqual(await leave({ includeRoles: false }), [false, true]);
  assert.deepEqual(await leave({ includeTeams: false }), [true, false]);
});

const attach = async (path) => {
  const reply = await server.request('POST', `${path}/attachments/default`, { token: server.adminToken, body: Buffer.from('a file'), headers: { 'Content-Type': 'text/plain' } });
  assert.equal(reply.status, 200, reply.text);
};
const kAttachmentFlags = ['includeAttachments', 'includeBinaries', 'copyAttachments', 'copyBinaries'];
const hasAttachments = ({ files }) => [...files.keys()].some((path) => path.includes('/attachments/'));

test('attachments of records leave when includeAttachments and includeBinaries both say so', async () => {
  const domain = `/domains/${await make('/domains', { title: 'with a file' })}`;
  await attach(domain);
  assert.equal(hasAttachments(await exported(domain)), true);
  for (const flag of kAttachmentFlags) assert.equal(hasAttachments(await exported(domain, { [flag]: false })), false, flag);
});

test('attachments of nodes leave when both say so', async () => {
  const { master } = await makeBranch();
  await attach(`${master}/nodes/${await make(`${master}/nodes`, { title: 'with a file' })}`);
  for (const flag of kAttachmentFlags) assert.equal(hasAttachments(await exported(master, { [flag]: false })), false, flag);
});

test('attachments come when both say so', async () => {
  const { master } = await makeBranch();
  await attach(`${master}/nodes/${await make(`${master}/nodes`, { title: 'with a file' })}`);
  const archive = await exported(master);
  const come = async (settings) => {
    const target = await makeBranch();
    await imported(target.master, archive, settings);
    const [{ _doc }] = await query(`${target.master}/nodes`, { title: 'with a file' });
    return (await ask('GET', `${target.master}/nodes/${_doc}/attachments`)).total_rows;
  };
  assert.equal(await come({}), 1);
  for (const flag of kAttachmentFlags) assert.equal(await come({ [flag]: false }), 0, flag);
});

test('archives leave with their vault when includeBinaries says so, whatever includeAttachments says', async () => {
  const id = await make('/vaults', { title: 'kept' });
  await makeArchive(ask, `/vaults/${id}`);
  const leave = async (settings) => {
    const { files } = await exported(`/vaults/${id}`, settings);
    return ['/archive.json', '/archive.zip'].map((name) => has(files, name));
  };
  assert.deepEqual([await leave({}), await leave({ includeAttachments: false }), await leave({ includeBinaries: false })], [[true, true], [true, true], [false, false]]);
});

test('allowWriteToFrozenBranches lets an import write to a frozen branch, which stays frozen', async () => {
  const { master } = await makeBranch();
  await make(`${master}/nodes`, { title: 'brought' });
  const archive = await exported(master);
  const target = await makeBranch();
  await ask('PUT', target.master, { ...(await ask('GET', target.master)), frozen: true });
  const { tip } = await ask('GET', target.master);
  const refused = await started(target.master, archive);
  assert.deepEqual([refused.state, (await ask('GET', target.master)).tip], ['ERROR', tip]);
  assert.match(errorOf(refused), /frozen/);
  await imported(target.master, archive, { allowWriteToFrozenBranches: true });
  assert.equal((await query(`${target.master}/nodes`, { title: 'brought' })).length, 1);
  assert.equal((await ask('GET', target.master)).frozen, true);
});
