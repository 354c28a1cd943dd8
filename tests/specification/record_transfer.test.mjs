// docs/specification/platform.md 14.2 and 14.3, merge_and_transfer.md 4 and 7, semantics.md 7, nodes.md 31: exports,
// imports and copies of records.
import assert from 'node:assert/strict';
import { inflateRawSync } from 'node:zlib';
import { statement, Subject } from '../support/statements.mjs';
import { archiveOf } from '../support/zip_archive.mjs';

const it = Subject.serve();
let numbers = 0;

const kConfiguration = ['startDate', 'endDate', 'startChangeset', 'endChangeset', 'includeACLs', 'includeTeams', 'includeActivities',
  'includeBinaries', 'includeAttachments', 'artifactDependencies', 'artifactIncludes', 'forceIncludes', 'strategy', 'substitutions'];
const place = (artifact) => `group=spec&artifact=${artifact}&version=1`;
const fresh = (word) => `${word}${++numbers}`;

/// A job that must end well.
async function ended(reply) {
  const job = await it.finished(reply._doc);
  assert.equal(job.state, 'FINISHED', JSON.stringify(job.log_entries));
  return job;
}
/// Exports a record; answers what finds the archive.
async function exported(path, settings = {}, more = '') {
  const artifact = fresh('archive');
  await ended(await it.post(`${path}/export?${place(artifact)}${more}`, settings));
  return place(artifact);
}
const imported = async (path, found, settings = {}) => ended(await it.post(`${path}/import?${found}`, settings));
const idOf = (job) => job.imports[0].targets.at(-1).id;
const children = async (branch, id) => (await it.get(`${branch}/nodes/${id}/children`)).rows.map((row) => row.title).sort();
async function lookedUp(found) {
  return it.get(`/vaults/primary/archives/lookup?${found}`);
}
async function bytesOf(archive) {
  return (await it.reply('GET', `/vaults/primary/archives/${archive._doc}/download`)).bytes;
}
async function uploaded(bytes, query = '') {
  it.server.adminToken ??= await it.server.login();
  const reply = await it.server.request('POST', `/vaults/primary/archives${query}`,
    { body: bytes, token: it.server.adminToken, headers: { 'Content-Type': 'application/zip' } });
  assert.equal(reply.status, 200, reply.text);
  return reply.json;
}
/// Every file of a zip, unpacked.
function filesOf(bytes) {
  const files = [];
  for (let at = bytes.indexOf('PK\x01\x02'); at >= 0; at = bytes.indexOf('PK\x01\x02', at + 4)) {
    const local = bytes.readUInt32LE(at + 42);
    const data = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28);
    const packed = bytes.subarray(data, data + bytes.readUInt32LE(at + 20));
    files.push({ name: bytes.subarray(at + 46, at + 46 + bytes.readUInt16LE(at + 28)).toString(),
                 content: bytes.readUInt16LE(at + 10) === 0 ? packed : inflateRawSync(packed) });
  }
  return files;
}
/// A folder with this many children.
async function tree({ branch, node }, count, title = 'top') {
  const top = await node({ title });
  for (let i = 0; i < count; ++i) {
    const child = await node({ title: `${title} child ${i}` });
    await it.post(`${branch}/nodes/${top}/associate?node=${child}&type=a:child`, {});
  }
  return top;
}

statement('platform 14.2.1, interface 5.2.13, interface 3.9.11, interface 3.9.12, semantics 17.2, merge_and_transfer 4.1.5, semantics 7.3.2', async () => {
  const id = await it.make('/uiconfigs', { title: 'moved' });
  for (const [names, schedule] of [[['groupId', 'artifactId', 'versionId', 'vaultId'], 'synchronous'],
                                   [['group', 'artifact', 'version', 'vault'], 'ASYNCHRONOUS']]) {
    const artifact = fresh('names');
    const query = ['spec', artifact, '1', 'primary'].map((value, i) => `${names[i]}=${value}`).join('&');
    const reply = await it.post(`/uiconfigs/${id}/export?${query}&schedule=${schedule}`, { startDate: 0, endDate: { ms: 4102444800000 }, own: { any: 1 } });
    for (const name of kConfiguration) assert.ok(name in reply, name);
    await ended(reply);
    assert.equal((await lookedUp(place(artifact))).artifact, artifact);
    for (const settings of [{ strategy: 'COPY_EVERYTHING', substitutions: {} }, { strategy: ['COPY_EVERYTHING'], substitutions: '{"a":"b"}' }])
      await ended(await it.post(`/import?${query}&schedule=${schedule}`, settings));
  }
  for (const [name, value] of [['strategy', 'MOVE'], ['strategy', 7], ['substitutions', 'no map'], ['startDate', 'yesterday'], ['includeACLs', 'perhaps']]) {
    const { violations } = await it.refused(400, 'POST', `/uiconfigs/${id}/export`, { [name]: value });
    assert.equal(violations[0].path, name);
  }
  await it.refused(400, 'POST', `/uiconfigs/${id}/export?schedule=later`, {});
});
statement('platform 14.2.2, semantics 7.2.3, rulings 9, merge_and_transfer 4.1.3', async () => {
  const id = await it.make('/uiconfigs', { title: 'unnamed' });
  const reply = await it.post(`/uiconfigs/${id}/export`, {});
  const job = await ended(reply);
  assert.deepEqual([job.archiveGroup, job.archiveArtifact], ['export', `uiconfig-${id}`]);
  assert.match(job.archiveVersion, /^\d{8}T\d{6}\.\d{3}Z$/);
  assert.ok(typeof reply.state === 'string');
  const waited = await it.post(`/uiconfigs/${id}/export?schedule=SYNCHRONOUS`, {});
  assert.equal(waited.state, 'FINISHED');
  assert.equal((await it.get(`/jobs/${waited._doc}`)).state, 'FINISHED');
});
statement('platform 14.2.3, merge_and_transfer 4.3.4', async () => {
  const { path } = await it.repository({ title: 'found' });
  const artifact = fresh('found');
  const reply = await it.post(`${path}/export?${place(artifact)}&title=Found&description=again`, {});
  const job = await ended(reply);
  const archive = await lookedUp(place(artifact));
  assert.deepEqual([archive.vaultId, archive.title, archive.description, archive.type], [job.vaultId, 'Found', 'again', 'repository']);
  for (const name of ['archiveGroup', 'archiveArtifact', 'archiveVersion', 'vaultId']) assert.equal(job._data[name], job[name], name);
  assert.equal(typeof job.configuration, 'object');
  const back = await imported('', place(artifact));
  assert.equal(back.targets.length, 1);
  assert.equal(typeof back._data.vaultId, 'string');
});
statement('platform 14.2.4, merge_and_transfer 4.1.1, merge_and_transfer 7.11, merge_and_transfer 4.1.2', async () => {
  const domain = await it.make('/domains', { title: 'Orchard' });
  await it.make(`/domains/${domain}/principals`, { type: 'USER', name: 'plum', color: 'blue' });
  await it.make(`/domains/${domain}/principals`, { type: 'GROUP', name: 'fruits' });
  await it.post(`/domains/${domain}/principals/fruits/members/add?id=${domain}/plum`, {});
  const job = await imported('', await exported(`/domains/${domain}`));
  assert.deepEqual(job._result.imports, job.imports);
  assert.equal(job.type, 'import');
  const [{ sources, targets }] = job.imports;
  assert.deepEqual(sources.map(({ typeId }) => typeId), ['platform', 'domain']);
  assert.deepEqual([sources[1].id, targets[1].typeId], [domain, 'domain']);
  assert.notEqual(targets[1].id, domain);
  const rows = (await it.get(`/domains/${targets[1].id}/principals`)).rows;
  assert.deepEqual(rows.map(({ name, type, color }) => [name, type, color]), [['plum', 'USER', 'blue'], ['fruits', 'GROUP', undefined]]);
  const members = (await it.get(`/domains/${targets[1].id}/principals/fruits/members`)).rows;
  assert.deepEqual(members.map(({ name, domainId }) => [name, domainId]), [['plum', targets[1].id]]);
});
statement('platform 14.2.5, nodes 31.3, merge_and_transfer 4.4.14', async () => {
  const [one, two, three] = [await it.repository(), await it.repository(), await it.repository()];
  const id = await one.node({ title: 'novel' });
  const found = await exported(`${one.branch}/nodes/${id}`, { tipChangesetOnly: true });
  await imported(two.branch, found, { strategy: 'CLONE' });
  assert.equal((await it.get(`${two.branch}/nodes/${id}`)).title, 'novel');
  const copy = idOf(await imported(three.branch, found));
  assert.notEqual(copy, id);
  assert.equal((await it.get(`${three.branch}/nodes/${copy}`)).title, 'novel');
  await it.refused(404, 'GET', `${three.branch}/nodes/${id}`);
});
statement('platform 14.3.2, merge_and_transfer 4.1.4', async () => {
  const [one, two] = [await it.repository(), await it.repository()];
  const [first, second] = [await one.node({ title: 'first' }), await one.node({ title: 'second' })];
  const platform = await it.platformId();
  const { _doc: master } = await it.get(one.branch);
  const sources = [first, second].map((id) => `node://${platform}/${one.id}/${master}/${id}`);
  const artifact = fresh('by-reference');
  await ended(await it.post(`/transfer/export?${place(artifact)}&vault=primary&schedule=ASYNCHRONOUS`, { sources, includeACLs: true }));
  const target = `branch://${platform}/${two.id}/${(await it.get(two.branch))._doc}`;
  const job = await ended(await it.post(`/transfer/import?${place(artifact)}&target=${encodeURIComponent(target)}&title=x&published=true`, { strategy: 'CLONE', own: 1 }));
  assert.equal(job.imports.length, 2);
  for (const [id, title] of [[first, 'first'], [second, 'second']]) assert.equal((await it.get(`${two.branch}/nodes/${id}`)).title, title);
  assert.equal((await it.refused(400, 'POST', `/transfer/import?${place(artifact)}&target=node://x/y`, {})).violations[0].path, 'target');
  assert.equal((await it.refused(400, 'POST', '/transfer/export', { sources: ['uiconfig://nowhere/x'] })).violations[0].path, 'sources');
});
statement('merge_and_transfer 4.4.1', async () => {
  const [one, two] = [await it.repository(), await it.repository()];
  const top = await tree(one, 3);
  const found = await exported(`${one.branch}/nodes/${top}`);
  const archive = await lookedUp(found);
  const bytes = await bytesOf(archive);
  assert.ok(bytes.length > 0);
  await it.ok('DELETE', `/vaults/primary/archives/${archive._doc}`);
  await it.refused(404, 'GET', `/vaults/primary/archives/lookup?${found}`);
  await uploaded(bytes);
  const { _doc: root } = await it.get(`${two.branch}/nodes/root`);
  const copy = idOf(await imported(`${two.branch}/nodes/${root}`, found));
  assert.deepEqual(await children(two.branch, copy), ['top child 0', 'top child 1', 'top child 2']);
  assert.deepEqual(await children(two.branch, root), ['top']);
});
statement('merge_and_transfer 4.4.2, nodes 31.1, nodes 31.2', async () => {
  const one = await it.repository();
  const top = await tree(one, 8);
  const found = await exported(`${one.branch}/nodes/${top}`);
  const fork = `${one.path}/branches/${await it.make(`${one.path}/branches?branch=master&changeset=0:root`)}`;
  const onto = await it.make(`${fork}/nodes`, { title: 'onto' });
  const { tip } = await it.get(fork);
  await imported(`${fork}/nodes/${onto}`, found);
  assert.equal((await it.post(`${fork}/nodes/query`, { title: { $regex: 'top child' } })).total_rows, 8);
  const [before] = tip.split(':');
  assert.equal((await it.get(fork)).tip.split(':')[0], String(Number(before) + 1), 'one changeset');
  for (const path of [one.branch, one.path]) await exported(path);
});
statement('merge_and_transfer 4.4.3, merge_and_transfer 7.14, merge_and_transfer 4.2.3', async () => {
  const [from, to] = [await it.make('/domains'), await it.make('/domains')];
  const id = await it.make(`/domains/${from}/principals`, { type: 'USER', name: 'kept', email: 'kept@example.com', shoe: 44 });
  await imported(`/domains/${to}`, await exported(`/domains/${from}/principals/${id}`));
  const kept = await it.get(`/domains/${to}/principals/kept`);
  assert.deepEqual([kept.name, kept.shoe, kept.email], ['kept', 44, 'kept@example.com']);
  const platform = await it.platformId();
  const third = await it.make('/domains');
  await ended(await it.post('/tools/copy', {
    sources: [{ typeId: 'platform', id: platform }, { typeId: 'user', id, ref: `user://${platform}/${from}/${id}` }],
    targets: [{ typeId: 'platform', id: platform }, { typeId: 'domain', id: third }] }));
  assert.equal((await it.get(`/domains/${third}/principals/kept`)).shoe, 44);
});
statement('merge_and_transfer 4.4.6, merge_and_transfer 4.2.5', async () => {
  const domain = await it.make('/domains', { title: 'copied' });
  await it.make(`/domains/${domain}/principals`, { type: 'USER', name: 'alone' });
  const platform = await it.platformId();
  const chain = [{ typeId: 'platform', id: platform }];
  const job = await ended(await it.post('/tools/copy?schedule=ASYNCHRONOUS', { sources: [...chain, { typeId: 'domain', id: domain }], targets: chain }));
  assert.equal(job.type, 'copy');
  assert.notEqual(idOf(job), domain);
  assert.equal((await it.get(`/domains/${idOf(job)}/principals`)).total_rows, 1);
});
statement('merge_and_transfer 4.4.7, merge_and_transfer 4.3.3', async () => {
  const project = await it.get(`/projects/${await it.make('/projects', { title: 'whole' })}`);
  const contentOf = async ({ stackId }) => `/repositories/${(await it.get(`/stacks/${stackId}/datastores/content`)).datastoreId}/branches/master`;
  const content = await contentOf(project);
  for (const title of ['node one', 'node two']) await it.make(`${content}/nodes`, { title });
  const platform = await it.platformId();
  const chain = [{ typeId: 'platform', id: platform }];
  const job = await ended(await it.post('/tools/copy', { sources: [...chain, { typeId: 'project', id: project._doc }], targets: chain }));
  assert.equal(job.imports[0].targets.at(-1).typeId, 'project');
  const copy = await it.get(`/projects/${idOf(job)}`);
  assert.ok(copy.stackId && copy.stackId !== project.stackId);
  assert.deepEqual([copy.title, await contentOf(copy) === content], ['whole', false]);
  for (const title of ['node one', 'node two'])
    assert.equal((await it.post(`${await contentOf(copy)}/nodes/query`, { title })).total_rows, 1, title);
});
statement('merge_and_transfer 4.4.10, platform 8.2.8', async () => {
  const project = await it.get(`/projects/${await it.make('/projects', { title: 'template' })}`);
  const contentOf = async (id) => `/repositories/${(await it.get(`/stacks/${(await it.get(`/projects/${id}`)).stackId}/datastores/content`)).datastoreId}/branches/master`;
  await it.make(`${await contentOf(project._doc)}/nodes`, { title: 'from the template' });
  const artifact = fresh('template');
  const typesNow = async () => (await it.get('/projecttypes?limit=-1')).rows.filter(({ identifier }) => identifier === `spec-${artifact}-1`);
  await ended(await it.post(`/projects/${project._doc}/export?${place(artifact)}&published=true&title=A+template`, { tipChangesetOnly: true }));
  const [type] = await typesNow();
  assert.deepEqual([type.title, type.reference], ['A template', `archive://${await it.platformId()}/${(await lookedUp(place(artifact))).vaultId}/${type._doc}`]);
  const job = await ended(await it.post('/projects/start', { title: 'made', projectType: type.reference }));
  assert.equal(job._result['created-project-id'], job['created-project-id']);
  const made = job['created-project-id'];
  assert.equal((await it.get(`/projects/${made}`)).title, 'made');
  assert.equal((await it.post(`${await contentOf(made)}/nodes/query`, { title: 'from the template' })).total_rows, 1);
  const direct = await it.make('/projects', { title: 'direct', projectType: type.reference });
  assert.equal((await it.post(`${await contentOf(direct)}/nodes/query`, { title: 'from the template' })).total_rows, 1);
  await it.post(`/vaults/primary/archives/${type._doc}/unpublish`, {});
  assert.deepEqual(await typesNow(), []);
  const stacks = (await it.get('/stacks?limit=-1')).total_rows;
  assert.equal((await it.refused(400, 'POST', '/projects', { projectType: type.reference })).violations[0].path, 'projectType');
  assert.equal((await it.get('/stacks?limit=-1')).total_rows, stacks, 'nothing is left of it');
});
statement('merge_and_transfer 7.6', async () => {
  const repository = await exported((await it.repository()).path);
  const { branch, node } = await it.repository();
  const job = await it.finished((await it.post(`${branch}/nodes/${await node()}/import?${repository}`, {}))._doc);
  assert.equal(job.state, 'ERROR');
  assert.deepEqual([job.imports, job.log_entries.at(-1).type], [[], 'ERROR']);
  assert.ok(job.log_entries.at(-1).message.length > 0);
});
statement('semantics 7.2.1', async () => {
  const { branch, node } = await it.repository();
  // Each write changes both nodes in one changeset; an export that saw one of them only would tear it.
  const ids = [await node({ round: 0 }), await node({ round: 0 })];
  const round = async (number) => it.put(`${branch}/nodes`, { nodes: Object.fromEntries(ids.map((id) => [id, { round: number }])) });
  const { _doc: master } = await it.get(branch);
  const platform = await it.platformId();
  const sources = ids.map((id) => `node://${platform}/${branch.split('/')[2]}/${master}/${id}`);
  let goesOn = true;
  const writing = (async () => { for (let i = 1; goesOn; ++i) await round(i); })();
  try {
    for (let i = 0; i < 5; ++i) {
      const artifact = fresh('torn');
      await ended(await it.post(`/transfer/export?${place(artifact)}`, { sources }));
      const target = await it.repository();
      await imported(target.branch, place(artifact), { strategy: 'CLONE' });
      const [one, other] = await Promise.all(ids.map((id) => it.get(`${target.branch}/nodes/${id}`)));
      assert.equal(one.round, other.round);
    }
  } finally {
    goesOn = false;
    await writing;
  }
});
statement('semantics 7.2.2', async () => {
  const secret = 'a secret of the archive test';
  const application = await it.make('/applications', { title: 'mails' });
  await it.make(`/applications/${application}/emailproviders`, { title: 'mail', host: 'localhost', username: 'me', password: secret });
  const domain = await it.make('/domains');
  await it.make(`/domains/${domain}/principals`, { type: 'USER', name: 'hidden', password: secret });
  const client = await it.make('/clients', { title: 'client', secret });
  for (const path of [`/applications/${application}`, `/domains/${domain}`, `/clients/${client}`, '']) {
    const archive = await lookedUp(await exported(path, { tipChangesetOnly: true }));
    const bytes = await bytesOf(archive);
    assert.ok(!bytes.includes(secret));
    for (const { name, content } of filesOf(bytes)) assert.ok(!content.includes(secret), name);
  }
});
statement('semantics 7.3.1', async () => {
  const [one, two] = [await it.repository(), await it.repository()];
  await tree(one, 5);
  const found = await exported(one.branch);
  const before = Number((await it.get(two.branch)).tip.split(':')[0]);
  await imported(two.branch, found);
  assert.equal(Number((await it.get(two.branch)).tip.split(':')[0]), before + 1);
  // A name that is taken ends an import whose copies keep their names; nothing of it stays.
  const three = await it.repository();
  const named = await one.node({ title: 'named', _qname: 'spec:named' });
  await three.node({ title: 'other', _qname: 'spec:named' });
  const clone = await exported(`${one.branch}/nodes/${named}`);
  const { tip } = await it.get(three.branch);
  const job = await it.finished((await it.post(`${three.branch}/import?${clone}`, { strategy: 'CLONE' }))._doc);
  assert.equal(job.state, 'ERROR');
  assert.equal((await it.get(three.branch)).tip, tip);
});
statement('merge_and_transfer 5.3.1', async () => {
  const bare = archiveOf(null, { 'notes.txt': 'no manifest' });
  await uploaded(bare, '?group=spec&artifact=bare&version=1');
  assert.equal((await it.refused(400, 'POST', `/import?${place('bare')}`, {})).code, 'archives.manifest_missing');
  const platform = await it.platformId();
  const folder = `platforms/${platform}/uiconfigs/x`;
  await uploaded(archiveOf({ model: '3.0.0', group: 'spec', artifact: 'unknown', version: '1', sources: [[{ typeId: 'platform', id: platform }, { typeId: 'uiconfig', id: 'x' }]] },
    { [`${folder}/uiconfig.json`]: '{"title":"known"}', [`platforms/${platform}/unicorns/u/unicorn.json`]: '{"title":"unknown"}' }));
  const brought = await imported('', place('unknown'));
  assert.equal((await it.get(`/uiconfigs/${idOf(brought)}`)).title, 'known');
  assert.ok(brought.log_entries.some(({ message }) => message.includes('unicorns/u/unicorn.json')));
});
statement('merge_and_transfer 5.3.2', async () => {
  const domain = await it.make('/domains', { title: 'in a tree' });
  await it.make(`/domains/${domain}/principals`, { type: 'USER', name: 'leaf' });
  await it.post(`/domains/${domain}/teams?key=helpers`, {});
  const bytes = await bytesOf(await lookedUp(await exported(`/domains/${domain}`)));
  const folder = `platforms/${await it.platformId()}/domains/${domain}`;
  for (const name of ['domain.json', 'acl.json', 'teams.json', 'principals/']) assert.ok(bytes.includes(`${folder}/${name}`), name);
});
statement('merge_and_transfer 4.4.4', async () => {
  const [from, to, other] = [await it.make('/domains'), await it.make('/domains'), await it.make('/domains')];
  const user = (domain, shoe) => it.make(`/domains/${domain}/principals`, { type: 'USER', name: 'matched', shoe });
  const [id, , elsewhere] = [await user(from, 44), await user(to, 1), await user(other, 2)];
  const found = await exported(`/domains/${from}/principals/${id}`);
  await imported(`/domains/${to}`, found, { copyOnExisting: false });
  const rows = (await it.get(`/domains/${to}/principals`)).rows;
  assert.deepEqual(rows.map(({ name, shoe }) => [name, shoe]), [['matched', 44]]);
  assert.equal((await it.get(`/domains/${other}/principals/${elsewhere}`)).shoe, 2);
  // Without it a second one of the name is refused.
  const job = await it.finished((await it.post(`/domains/${to}/import?${found}`, {}))._doc);
  assert.equal(job.state, 'ERROR');
});
statement('merge_and_transfer 5.3.3', async () => {
  const { branch, node } = await it.repository();
  const gone = await node({ title: 'gone' });
  await it.ok('DELETE', `${branch}/nodes/${gone}`);
  const found = await exported(branch);
  const texts = filesOf(await bytesOf(await lookedUp(found))).filter(({ name }) => name.endsWith(`/nodes/${gone}/node.json`));
  const versions = texts.map(({ content }) => JSON.parse(content));
  assert.deepEqual(versions.map(({ _doc, title, _system }) => [_doc, title, _system.deleted === true]), [[gone, 'gone', false], [gone, undefined, true]]);
  const target = await it.repository();
  await imported(target.branch, found);
  assert.equal((await it.post(`${target.branch}/nodes/query`, { title: 'gone' })).total_rows, 0);
});
statement('semantics 7.3.3', async () => {
  const platform = await it.platformId();
  const [repository, branch, changeset] = ['r1', 'b1', '0_77'];
  const source = '00000000000000000a0b';
  const around = `platforms/${platform}/repositories/${repository}`;
  const folder = `${around}/changesets/${changeset}/nodes`;
  const link = (typeId, id) => ({ typeId, id, key: `${typeId}:${id}` });
  await uploaded(archiveOf(
    { model: '3.0.0', group: 'spec', artifact: 'dangling', version: '1', sources: [[link('platform', platform), link('repository', repository), link('branch', branch)]] },
    { [`${around}/branches/${branch}/branch.json`]: JSON.stringify({ _doc: branch, tip: '0:77' }),
      [`${folder}/${source}/node.json`]: JSON.stringify({ _doc: source, _type: 'n:node', title: 'dangling source' }),
      [`${folder}/1a0b/association.json`]: JSON.stringify({ _doc: '1a0b', _type: 'a:linked', source, target: 'nowhere', directionality: 'DIRECTED' }) }));
  const target = await it.repository();
  const refused = await it.finished((await it.post(`${target.branch}/import?${place('dangling')}`, { requireAllIncludes: true }))._doc);
  assert.equal(refused.state, 'ERROR');
  assert.equal((await it.post(`${target.branch}/nodes/query`, { title: 'dangling source' })).total_rows, 0);
  const job = await imported(target.branch, place('dangling'));
  assert.ok(job.log_entries.some(({ message }) => message.includes('1a0b')), JSON.stringify(job.log_entries));
  assert.equal((await it.post(`${target.branch}/nodes/query`, { title: 'dangling source' })).total_rows, 1);
});
