// An import does nothing that its starter could not do by single operations (docs/reference/transfer.md#rights): for each kind of
// write somebody who has everything that the import needs but the one right for it. Besides, what an export seals.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { endedJob, errorOf } from '../../../tests/support/ended_job.mjs';
import { SteleServer } from '../../../tests/support/stele_server.mjs';
import { archiveOf, unzip } from '../../../tests/support/zip_archive.mjs';

const passphrase = 'correct horse battery';
let server;
let platform;
let numbers = 0;
before(async () => {
  server = await SteleServer.start();
  platform = (await admin('GET', '/'))._doc;
});
after(() => server.end());

const admin = (...request) => server.admin(...request);
const make = async (path, fields = {}) => (await admin('POST', path, fields))._doc;
const link = (typeId, id) => ({ typeId, id, key: `${typeId}:${id}` });
const chain = (...links) => [[link('platform', platform), ...links.map(([type, id]) => link(type, id))]];
const at = (path) => `platforms/${platform}${path}`;

/// Somebody who may keep archives, and has these roles on these records.
async function person(roles = {}) {
  const name = `p${++numbers}`;
  await server.makeUser(name);
  const token = await server.login(name, `secret-of-${name}`);
  const grant = (path, role) => admin('POST', `${path}/authorities/${role}/grant?id=default/${name}`);
  await grant('/vaults/primary', 'contributor');
  for (const [path, role] of Object.entries(roles)) await grant(path, role);
  return { name, grant, ask: (method, path, body, headers) => server.request(method, path, { token, body, headers }) };
}
async function started(who, path, body = {}) {
  const reply = await who.ask('POST', path, body);
  assert.equal(reply.status, 200, reply.text);
  return endedJob(admin, reply.json._doc);
}
async function imported(who, path, sources, files, settings = { strategy: 'CLONE' }) {
  const artifact = `crafted-${++numbers}`;
  const bytes = archiveOf({ model: '3.0.0', group: 'single', artifact, version: '1', tipChangesetOnly: true, sources }, files);
  const reply = await who.ask('POST', '/vaults/primary/archives', bytes, { 'Content-Type': 'application/zip' });
  assert.equal(reply.status, 200, reply.text);
  return started(who, `${path}/import?group=single&artifact=${artifact}&version=1`, settings);
}
/// Refused to whoever lacks the right, and done for whoever has it.
async function needs(role, roles, on, run, isDone) {
  const who = await person(roles);
  const refused = await run(who);
  assert.equal(refused.state, 'ERROR', 'done without the right');
  assert.match(errorOf(refused), /is needed for this|needed/);
  assert.equal(await isDone(), false, 'refused, and done all the same');
  await who.grant(on, role);
  const job = await run(who);
  assert.equal(job.state, 'FINISHED', errorOf(job));
  assert.equal(await isDone(), true);
}

test('a record is made for those only who have CREATE_SUBOBJECTS', async () => {
  const application = await make('/applications', { title: 'around' });
  const path = `/applications/${application}`;
  const folder = at(path);
  const files = { [`${folder}/application.json`]: '{}', [`${folder}/emails/brought/email.json`]: JSON.stringify({ _doc: 'brought', subject: 'brought' }) };
  await needs('contributor', { [path]: 'editor' }, path, (who) => imported(who, path, chain(['application', application]), files),
    async () => (await admin('POST', `${path}/emails/query`, { subject: 'brought' })).total_rows === 1);
});

test('a record is changed for those only who have UPDATE on it', async () => {
  const application = await make('/applications', { title: 'around' });
  const path = `/applications/${application}`;
  const email = await make(`${path}/emails`, { subject: 'as it was' });
  const folder = at(path);
  const files = { [`${folder}/application.json`]: '{}', [`${folder}/emails/${email}/email.json`]: JSON.stringify({ _doc: email, subject: 'changed' }) };
  const inner = `${path}/emails/${email}`;
  await needs('editor', { [path]: 'editor', [inner]: 'consumer' }, inner, (who) => imported(who, path, chain(['application', application]), files),
    async () => (await admin('GET', inner)).subject === 'changed');
});

test('a file is attached for those only who have UPDATE on the record', async () => {
  const application = await make('/applications', { title: 'around' });
  const path = `/applications/${application}`;
  const email = await make(`${path}/emails`, { subject: 'with a file' });
  const inner = `${path}/emails/${email}`;
  // What an archive says of files is as an export says it.
  const bytes = Buffer.from('a picture');
  await server.request('POST', `${inner}/attachments/picture`, { token: server.adminToken ??= await server.login(), body: bytes, headers: { 'Content-Type': 'image/png' } });
  const job = await started({ ask: (method, request, body) => server.request(method, request, { token: server.adminToken, body }) }, `${path}/export?group=single&artifact=files&version=1`);
  assert.equal(job.state, 'FINISHED', errorOf(job));
  await admin('DELETE', `${inner}/attachments/picture`);
  const run = async (who) => {
    await who.grant(`/vaults/${job.vaultId}/archives/${job.archiveId}`, 'consumer');
    return started(who, `${path}/import?group=single&artifact=files&version=1`, { strategy: 'CLONE', includeACLs: false, includeTeams: false, includeRoles: false, includeTeamMembers: false });
  };
  await needs('editor', { [path]: 'editor', [inner]: 'consumer' }, inner, run, async () => (await admin('GET', `${inner}/attachments`)).total_rows === 1);
});

test('an archive comes into a vault for those only who have CREATE_SUBOBJECTS on it', async () => {
  const vault = await make('/vaults', { title: 'around' });
  const path = `/vaults/${vault}`;
  const folder = at(path);
  const inner = { group: 'inner', artifact: 'brought', version: '1' };
  const files = { [`${folder}/vault.json`]: '{}', [`${folder}/archives/inner/archive.json`]: JSON.stringify(inner), [`${folder}/archives/inner/archive.zip`]: archiveOf(inner) };
  await needs('contributor', { [path]: 'editor' }, path, (who) => imported(who, path, chain(['vault', vault]), files),
    async () => (await admin('POST', `${path}/archives/query`, {})).total_rows === 1);
});

test('a branch is forked for those only who have CREATE_SUBOBJECTS on the repository', async () => {
  const repository = await make('/repositories');
  const path = `/repositories/${repository}`;
  const folder = at(path);
  const files = { [`${folder}/repository.json`]: '{}', [`${folder}/branches/brought/branch.json`]: JSON.stringify({ _doc: 'brought', title: 'brought', tip: '0:1' }) };
  await needs('contributor', { [path]: 'editor' }, path, (who) => imported(who, path, chain(['repository', repository]), files),
    async () => (await admin('POST', `${path}/branches/query`, { title: 'brought' })).total_rows === 1);
});

test('a branch is closed for those only who have UPDATE on it', async () => {
  const repository = await make('/repositories');
  const path = `/repositories/${repository}`;
  const master = (await admin('GET', `${path}/branches/master`))._doc;
  const branch = `${path}/branches/${master}`;
  const folder = at(path);
  const files = { [`${folder}/repository.json`]: '{}', [`${folder}/branches/${master}/branch.json`]: JSON.stringify({ _doc: master, frozen: true }) };
  // What gives READ, too, reaches the branches.
  await admin('POST', '/roles', { roleKey: 'updater', permissions: ['CONNECT', 'UPDATE'] });
  const run = async (who) => {
    await who.grant(path, 'updater');
    return imported(who, path, chain(['repository', repository]), files);
  };
  await needs('editor', { [path]: 'consumer' }, branch, run,
    async () => (await admin('GET', branch)).frozen === true);
});

test('roles, teams and grants come for those only who have MODIFY_PERMISSIONS, and give nobody more than they have', async () => {
  const rights = {
    'roles.json': [[{ roleKey: 'brought', title: 'brought', permissions: ['CONNECT', 'READ'] }], 'roles', ({ roleKey }) => roleKey === 'brought'],
    'teams.json': [[{ key: 'brought', title: 'brought', roleKeys: [], members: [] }], 'teams', ({ key }) => key === 'brought'],
    'acl.json': [[{ type: 'USER', domain: 'default', name: 'admin', authorities: ['connector'] }], 'acl/list', ({ authorities }) => authorities.includes('connector')] };
  for (const [file, [content, route, isBrought]] of Object.entries(rights)) {
    const repository = await make('/repositories');
    const path = `/repositories/${repository}`;
    const files = { [`${at(path)}/repository.json`]: '{}', [`${at(path)}/${file}`]: JSON.stringify(content) };
    await needs('manager', { [path]: 'editor' }, path, (who) => imported(who, path, chain(['repository', repository]), files),
      async () => (await admin('GET', `${path}/${route}`)).rows.some(isBrought));
  }
  // What is above the importer, who may change rights.
  const above = {
    'roles.json': [[{ roleKey: 'mine', title: 'mine', permissions: ['CONNECT', 'IMPERSONATE'] }], 'roles', ({ roleKey }) => roleKey === 'mine'],
    'teams.json': [[{ key: 'mine', roleKeys: ['owner'], members: [] }], 'teams', ({ key }) => key === 'mine'],
    'acl.json': [[{ type: 'USER', domain: 'default', name: 'guest', authorities: ['owner'] }], 'acl/list', ({ name }) => name === 'guest'] };
  for (const [file, [content, route, isBrought]] of Object.entries(above)) {
    const repository = await make('/repositories');
    const path = `/repositories/${repository}`;
    const who = await person({ [path]: 'manager' });
    const files = { [`${at(path)}/repository.json`]: '{}', [`${at(path)}/${file}`]: JSON.stringify(content) };
    const job = await imported(who, path, chain(['repository', repository]), files);
    assert.equal(job.state, 'ERROR', file);
    assert.equal((await admin('GET', `${path}/${route}`)).rows.some(isBrought), false, file);
  }
});

test('a role and a team that are there are changed for those only who have MODIFY_PERMISSIONS, within what they have', async () => {
  const repository = await make('/repositories');
  const path = `/repositories/${repository}`;
  await admin('POST', `${path}/roles`, { roleKey: 'there', permissions: ['CONNECT'] });
  await admin('POST', `${path}/teams?key=there`, { title: 'as it was' });
  const role = (permissions) => ({ [`${at(path)}/repository.json`]: '{}', [`${at(path)}/roles.json`]: JSON.stringify([{ roleKey: 'there', permissions }]) });
  const who = await person({ [path]: 'manager' });
  assert.equal((await imported(who, path, chain(['repository', repository]), role(['CONNECT', 'IMPERSONATE']))).state, 'ERROR');
  assert.deepEqual((await admin('GET', `${path}/roles/there`)).permissions, ['CONNECT']);
  const team = { [`${at(path)}/repository.json`]: '{}', [`${at(path)}/teams.json`]: JSON.stringify([{ key: 'there', title: 'changed', roleKeys: [], members: [] }]) };
  const editor = await person({ [path]: 'editor' });
  assert.equal((await imported(editor, path, chain(['repository', repository]), team)).state, 'ERROR');
  assert.equal((await admin('GET', `${path}/teams/there`)).title, 'as it was');
  assert.equal((await imported(who, path, chain(['repository', repository]), team)).state, 'FINISHED');
  assert.equal((await admin('GET', `${path}/teams/there`)).title, 'changed');
});

test('nobody comes into a group or a team that gives more than the importer has', async () => {
  const group = await make('/domains/default/principals', { type: 'GROUP', name: `owners-${++numbers}` });
  await admin('POST', `/authorities/owner/grant?id=default/${group}`);
  const path = `/domains/default/principals/${group}`;
  const who = await person({ [path]: 'manager' });
  const member = JSON.stringify([{ type: 'USER', domain: 'default', name: who.name }]);
  const job = await imported(who, path, chain(['domain', 'default'], ['group', group]), { [`${at(path)}/group.json`]: '{}', [`${at(path)}/members.json`]: member });
  assert.equal(job.state, 'ERROR');
  assert.equal((await admin('GET', `${path}/members`)).total_rows, 0);
  const repository = await make('/repositories');
  const store = `/repositories/${repository}`;
  const boss = await person({ [store]: 'manager' });
  const into = await imported(boss, store, chain(['repository', repository]), { [`${at(store)}/repository.json`]: '{}',
    [`${at(store)}/teams.json`]: JSON.stringify([{ key: 'owners', roleKeys: [], members: [{ type: 'USER', domain: 'default', name: boss.name }] }]) });
  assert.equal(into.state, 'ERROR');
  assert.ok(!(await admin('GET', `${store}/teams/owners/members`)).rows.some(({ name }) => name === boss.name));
});

test('an import gets key and secret of a client back for those only who have MODIFY_CREDENTIALS on it', async () => {
  const client = await make('/clients', { title: 'sealed' });
  const path = `/clients/${client}`;
  const secret = async () => (await admin('GET', `${path}?full=true`)).secret;
  const who = await person({ [path]: 'editor' });
  const query = 'group=single&artifact=client&version=1';
  const boss = { ask: async (method, request, body) => server.request(method, request, { token: server.adminToken ??= await server.login(), body }) };
  const sealed = await started(boss, `${path}/export?${query}`, { passphrase });
  assert.deepEqual([sealed.state, sealed.secrets], ['FINISHED', 1], errorOf(sealed));
  await who.grant(`/vaults/${sealed.vaultId}/archives/${sealed.archiveId}`, 'consumer');
  const settings = { strategy: 'CLONE', passphrase, includeACLs: false };
  const refused = await started(who, `${path}/import?${query}`, settings);
  assert.equal(refused.state, 'ERROR', 'restored without MODIFY_CREDENTIALS');
  assert.match(errorOf(refused), /MODIFY_CREDENTIALS/);
  await who.grant(path, 'manager');
  const before_ = await secret();
  const done = await started(who, `${path}/import?${query}`, settings);
  assert.deepEqual([done.state, done.secrets, await secret()], ['FINISHED', 1, before_], errorOf(done));
});

test('the secret of a grant is sealed for those only who have what its person has', async () => {
  const owner = await make('/domains/default/principals', { type: 'USER', name: `owner-${++numbers}`, password: 'of an owner' });
  await admin('POST', `/authorities/owner/grant?id=default/${owner}`);
  const grant = await make('/auth/grants', { principalDomainId: 'default', principalId: owner });
  const path = `/auth/grants/${grant}`;
  const who = await person({ [path]: 'manager' });
  const job = await started(who, `${path}/export?group=single&artifact=grant&version=1`, { passphrase });
  assert.deepEqual([job.state, job.secrets], ['FINISHED', 0], errorOf(job));
  const { bytes } = await who.ask('GET', `/vaults/${job.vaultId}/archives/${job.archiveId}/download`);
  assert.ok(![...unzip(bytes).keys()].some((name) => name.endsWith('/secrets.json')));
});
