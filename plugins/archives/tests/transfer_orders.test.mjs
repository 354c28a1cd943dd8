// Members of records that make the server do something (set a password, let into groups, fill a project): an archive tells
// what there was, and gives no orders. And records whose ids are words of the format.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { endedJob, errorOf } from '../../../tests/support/ended_job.mjs';
import { SteleServer } from '../../../tests/support/stele_server.mjs';
import { unzip, zip } from '../../../tests/support/zip_archive.mjs';

let server;
let platform;
before(async () => {
  server = await SteleServer.start();
  platform = (await server.admin('GET', '/'))._doc;
});
after(() => server.end());

let numbers = 0;
const coordinates = () => `group=orders&artifact=a${++numbers}&version=1`;
const make = async (path, fields = {}) => (await server.admin('POST', path, fields))._doc;
const passphrase = 'correct horse battery';
/// Everything off by which an import brings rights.
const noRights = { includeACLs: false, includeTeams: false, includeTeamMembers: false, includeRoles: false };

const ended = ({ _doc }) => endedJob((...request) => server.admin(...request), _doc);
async function exported(path, settings = {}, place = coordinates()) {
  const job = await ended(await server.admin('POST', `${path}/export?${place}`, settings));
  assert.equal(job.state, 'FINISHED', JSON.stringify(job.log_entries));
  const { bytes } = await server.request('GET', `/vaults/primary/archives/${job.archiveId}/download`, { token: server.adminToken });
  return { job, bytes, files: unzip(bytes) };
}
async function uploaded(bytes, place = coordinates(), more = '') {
  const reply = await server.request('POST', `/vaults/primary/archives?${place}${more}`, { token: server.adminToken, body: bytes, headers: { 'Content-Type': 'application/zip' } });
  assert.equal(reply.status, 200, reply.text);
  return { place, record: reply.json };
}
async function imported(bytes, settings = {}) {
  const { place } = await uploaded(bytes);
  return ended(await server.admin('POST', `/import?${place}`, settings));
}
const idOf = (job) => job.imports[0].targets.at(-1).id;
/// The same files, some of them changed and some more, without the digests that would tell.
function changed(files, edit, more = {}) {
  const undigested = (bytes) => {
    const manifest = JSON.parse(bytes);
    for (const entry of Object.values(manifest.contents)) delete entry.files;
    return Buffer.from(JSON.stringify(manifest));
  };
  return zip([...[...files].map(([name, data]) => ({ name, data: name === 'manifest.json' ? undigested(data) : edit(name, data) ?? data })),
    ...Object.entries(more).map(([name, data]) => ({ name, data }))]);
}
const withMembers = (files, ending, members) => (name, data) => name.endsWith(ending) ? Buffer.from(JSON.stringify({ ...JSON.parse(data), ...members })) : undefined;
const membersOf = async (domain, group) => (await server.admin('GET', `/domains/${domain}/principals/${group}/members`)).rows.map(({ name }) => name);
const logsIn = (name, password) => server.login(name, password).then(() => true, () => false);

/// A domain with a user and a group that the user is in.
async function domain() {
  const id = await make('/domains', { title: 'of people' });
  const [user, group] = [await make(`/domains/${id}/principals`, { type: 'USER', name: 'vic', password: 'a password of vic' }), await make(`/domains/${id}/principals`, { type: 'GROUP', name: 'insiders' })];
  await server.admin('POST', `/domains/${id}/principals/${group}/members/add?id=${id}/${user}`);
  return { id, user, group };
}

test('an archive sets no passwords and lets nobody into groups by members of a user', async () => {
  const { id, group } = await domain();
  const { files } = await exported(`/domains/${id}`);
  const hostile = changed(files, withMembers(files, '/user.json', { password: 'a password of mallory', groups: [`${id}/${group}`] }));
  const made = await imported(hostile, noRights);
  assert.equal(made.state, 'FINISHED', errorOf(made));
  assert.match(made.notes.join('\n'), /user:.*passwords and groups of principals are not taken/);
  assert.deepEqual(await membersOf(id, group), ['vic'], 'the new one is in no group that was here');
  assert.equal(await logsIn(`${idOf(made)}/vic`, 'a password of mallory'), false);
  const cloned = await imported(hostile, { ...noRights, strategy: 'CLONE' });
  assert.deepEqual([cloned.state, cloned.updated], ['FINISHED', 0], errorOf(cloned));
  assert.deepEqual([await logsIn(`${id}/vic`, 'a password of vic'), await logsIn(`${id}/vic`, 'a password of mallory')], [true, false]);
});

test('secrets that stand open in an archive are not taken, and what is here stays', async () => {
  const application = await make('/applications', { title: 'with mail' });
  const provider = await make(`/applications/${application}/emailproviders`, { host: 'mail.example.org', password: 'of the server' });
  const of = `/applications/${application}`;
  const { bytes: sealed, files } = await exported(of, { passphrase });
  const open = await imported(changed(files, withMembers(files, '/emailProvider.json', { password: 'of mallory' })), { strategy: 'CLONE' });
  assert.deepEqual([open.state, open.updated], ['FINISHED', 0], errorOf(open));
  assert.match(open.notes.join('\n'), new RegExp(`${provider}: secrets that stand open`));
  // The sealed archive finds its own password still there.
  const same = await imported(sealed, { passphrase, strategy: 'CLONE' });
  assert.deepEqual([same.state, same.updated, same.secrets], ['FINISHED', 0, 1], errorOf(same));
});

test('members of groups come with those of teams, and stay away without them', async () => {
  const { id, group } = await domain();
  const members = ({ files }) => [...files.keys()].filter((name) => name.endsWith('/members.json')).length;
  const [all, none] = [await exported(`/domains/${id}`), await exported(`/domains/${id}`, { includeTeamMembers: false })];
  assert.deepEqual([members(all), members(none)], [1, 0]);
  const groupOf = async (job) => (await server.admin('GET', `/domains/${idOf(job)}/principals?limit=100`)).rows.find(({ name }) => name === 'insiders')._doc;
  const [without, with_] = [await imported(all.bytes, { includeTeamMembers: false }), await imported(all.bytes)];
  for (const job of [without, with_]) assert.equal(job.state, 'FINISHED', errorOf(job));
  assert.deepEqual(await membersOf(idOf(without), await groupOf(without)), []);
  assert.deepEqual(await membersOf(idOf(with_), await groupOf(with_)), ['vic']);
  assert.deepEqual(await membersOf(id, group), ['vic']);
});

const storesOf = async (project) => (await server.admin('GET', `/stacks/${(await server.admin('GET', `/projects/${project}`)).stackId}/datastores`)).rows;
const nodesOf = async (project, title) => {
  const repository = (await storesOf(project)).find((row) => row.datastoreTypeId === 'repository').datastoreId;
  return { path: `/repositories/${repository}/branches/master/nodes`, count: (await server.admin('POST', `/repositories/${repository}/branches/master/nodes/query`, { title })).total_rows };
};

test('a project that was made from a template comes back once, whether or not the template is there', async () => {
  const model = await make('/projects', { title: 'model' });
  await server.admin('POST', (await nodesOf(model, '')).path, { title: 'of the template' });
  const template = (await exported(`/projects/${model}`, {}, `${coordinates()}&published=true`)).job.archiveId;
  const { vaultId } = await server.admin('GET', `/vaults/primary/archives/${template}`);
  const projectType = `archive://${platform}/${vaultId}/${template}`;
  const project = await make('/projects', { title: 'made', projectType });
  assert.equal((await nodesOf(project, 'of the template')).count, 1);
  const { bytes } = await exported(`/projects/${project}`);
  const back = await imported(bytes);
  assert.equal(back.state, 'FINISHED', errorOf(back));
  assert.equal((await nodesOf(idOf(back), 'of the template')).count, 1);
  await server.admin('DELETE', `/vaults/primary/archives/${template}`);
  const later = await imported(bytes);
  assert.equal(later.state, 'FINISHED', errorOf(later));
  assert.equal((await nodesOf(idOf(later), 'of the template')).count, 1);
  assert.equal((await server.admin('GET', `/projects/${idOf(later)}`)).projectType, projectType);
});

test('what belongs to a project by no name that it knows is refused, a project of the same template before it is filled', async () => {
  const { files, job } = await exported(`/projects/${await make('/projects', { title: 'model' })}`);
  const place = coordinates();
  const { record } = await uploaded((await server.request('GET', `/vaults/primary/archives/${job.archiveId}/download`, { token: server.adminToken })).bytes, place, '&published=true&type=project');
  const projectType = `archive://${platform}/${record.vaultId}/${record._doc}`;
  const folder = [...files.keys()].find((name) => name.endsWith('/project.json')).slice(0, -'/project.json'.length);
  const inner = 'a'.repeat(20);
  const companions = JSON.stringify({ ...JSON.parse(files.get(`${folder}/companions.json`)), 'uiconfig/x': `project://${platform}/${inner}` });
  await uploaded(changed(files, (name) => name === `${folder}/companions.json` ? Buffer.from(companions) : undefined,
    { [`${folder.slice(0, folder.lastIndexOf('/'))}/${inner}/project.json`]: JSON.stringify({ title: 'names its own template', projectType }) }), place, '&published=true&type=project');
  const count = async () => (await server.admin('POST', '/projects/query', { title: 'names its own template' })).total_rows;
  const made = await server.request('POST', '/projects', { token: server.adminToken, body: { title: 'filled', projectType } });
  assert.deepEqual([made.status, made.json.code], [400, 'resource.companion_unknown'], made.text);
  assert.equal(await count(), 0);
});

test('records come back whose ids are words of the format', async () => {
  for (const id of ['changesets', 'attachments', 'nodes']) {
    await make('/domains', { _doc: id, title: `called ${id}` });
    await make(`/domains/${id}/principals`, { type: 'GROUP', name: 'friends' });
    const attached = await server.request('POST', `/domains/${id}/attachments/default?filename=a.txt`, { token: server.adminToken, body: Buffer.from(id), headers: { 'Content-Type': 'text/plain' } });
    assert.equal(attached.status, 200, attached.text);
    const { bytes } = await exported(`/domains/${id}`);
    const back = await imported(bytes);
    assert.equal(back.state, 'FINISHED', `${id}: ${errorOf(back)}`);
    assert.equal((await server.admin('GET', `/domains/${idOf(back)}`)).title, `called ${id}`);
    const names = (await server.admin('GET', `/domains/${idOf(back)}/principals?limit=100`)).rows.map(({ name }) => name);
    assert.ok(names.includes('friends'), `${id}: ${names}`);
    assert.equal((await server.request('GET', `/domains/${idOf(back)}/attachments/default`, { token: server.adminToken })).text, id);
  }
});

test('a list of roles that would take hours is refused, and nothing of it is kept', async () => {
  const domains = async () => (await server.admin('GET', '/domains?limit=1')).total_rows;
  const { files } = await exported(`/domains/${await make('/domains', { title: 'of roles' })}`);
  const before = await domains();
  const path = [...files.keys()].find((name) => name.endsWith('/domain.json')).replace('domain.json', 'roles.json');
  const roles = (count) => JSON.stringify(Array.from({ length: count }, (_, i) => ({ roleKey: `r${i}`, permissions: ['READ'] })));
  const job = await imported(changed(files, () => undefined, { [path]: roles(1001) }));
  assert.deepEqual([job.state, /at most 1,000 roles/.test(errorOf(job))], ['ERROR', true], errorOf(job));
  assert.equal(await domains(), before);
  const few = await imported(changed(files, () => undefined, { [path]: roles(3) }));
  assert.equal(few.state, 'FINISHED', errorOf(few));
});

test('nothing comes along as the UI config of a project that is none, and UI configs do', async () => {
  const project = await make('/projects', { title: 'with a config' });
  await make('/uiconfigs', { projectId: project, title: 'of the project' });
  const { bytes, files } = await exported(`/projects/${project}`);
  const configs = async () => (await server.admin('POST', '/uiconfigs/query', { title: 'of the project' })).total_rows;
  assert.equal(await configs(), 1);
  const fine = await imported(bytes);
  assert.deepEqual([fine.state, await configs()], ['FINISHED', 2], errorOf(fine));
  const folder = [...files.keys()].find((name) => name.endsWith('/project.json')).slice(0, -'/project.json'.length);
  const stranger = 'b'.repeat(20);
  const companions = JSON.stringify({ ...JSON.parse(files.get(`${folder}/companions.json`)), 'uiconfig/x': `client://${platform}/${stranger}` });
  const clients = async () => (await server.admin('GET', '/clients?limit=1')).total_rows;
  const before = await clients();
  const job = await imported(changed(files, (name) => name === `${folder}/companions.json` ? Buffer.from(companions) : undefined,
    { [`${folder.slice(0, folder.indexOf('/projects/'))}/clients/${stranger}/client.json`]: JSON.stringify({ title: 'comes along unseen' }) }));
  assert.deepEqual([job.state, /takes nothing under the name uiconfig\/x/.test(errorOf(job))], ['ERROR', true], errorOf(job));
  assert.equal(await clients(), before);
});
