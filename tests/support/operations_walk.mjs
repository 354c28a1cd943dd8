// Every row of docs/specification/operations.json for the families below and for nodes answers as interface.md beside it says, and does what its name says. The rows come from the file,
// not from a list of ours; the walk is the same over every engine.
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { prepareNodeOperations, walkNodeOperations } from './node_operations_walk.mjs';
import { isResultMap, shapes } from './operation_shapes.mjs';
import { readSpecification } from './specification.mjs';
import { fill } from './stele_server.mjs';
import { archiveOf, makeArchive } from './zip_archive.mjs';

const families = {
  'access policies': { placeholder: 'accessPolicyId', collection: '/access/policies', rows: 28 },
  'ui configs': { placeholder: 'uiConfigId', collection: '/uiconfigs', rows: 19 },
  'registrars': { placeholder: 'registrarId', collection: '/registrars', rows: 43 },
  'web hosts': { placeholder: 'webhostId', collection: '/webhosts', rows: 36 },
  'email providers': { placeholder: 'emailProviderId', collection: '/applications/{applicationId}/emailproviders', rows: 21 },
  // The server makes meters itself: two for each tenant.
  'meters': { placeholder: 'meterId', collection: '/registrars/default/meters', rows: 18, make: makeMeter },
  // Made by uploads, no JSON.
  'archives': { placeholder: 'archiveId', collection: '/vaults/primary/archives', rows: 29, make: () => nextArchive() },
  // With something to merge that waits for somebody.
  'pull requests': { placeholder: 'pullRequestId', collection: '/repositories/{repositoryId}/pullrequests', rows: 23, make: () => nextRequest() },
};
const rows = JSON.parse(readSpecification('operations.json'))
  .filter((row) => row.family in families);
const mails = mkdtempSync(join(tmpdir(), 'stele-mails-'));
const kMember = 'default/row-member';

let server;
let user;
let platform;
let applicationId;
let repositoryId;
let otherVault;
const spareMeters = [];

async function makeMeter() {
  if (spareMeters.length === 0) {
    const { _doc } = await server.admin('POST', '/registrars/default/tenants',
      { title: 'walked', planKey: 'unlimited', principalId: user._doc, domainId: 'default' });
    const made = await server.admin('POST', '/registrars/default/meters/query', { tenantId: _doc });
    assert.equal(made.total_rows, 2);
    spareMeters.push(...made.rows.map((row) => row._doc));
  }
  return spareMeters.pop();
}

let archives = 0;
const nextArchive = () => makeArchive((...request) => server.admin(...request), '/vaults/primary', { artifact: `walked-${++archives}`, title: 'subject' });

async function nextRequest() {
  const repository = `/repositories/${repositoryId}`;
  const { _doc: sourceBranchId } = await server.admin('POST', `${repository}/branches?branch=master`, {});
  await server.admin('POST', `${repository}/branches/${sourceBranchId}/nodes`, { title: 'to be merged' });
  return (await server.admin('POST', `${repository}/pullrequests`, { title: 'subject', sourceBranchId }))._doc;
}

/// A stored email that no walk has sent yet.
async function makeEmail() {
  const body = { from: 'a@example.org', to: 'b@example.org', subject: 'walked' };
  return (await server.admin('POST', `/applications/${applicationId}/emails`, body))._doc;
}

/// One record to walk a row with: where it is, and what it can be asked about itself.
class Subject {
  static async make(family) {
    const subject = new Subject();
    subject.collection = fill(family.collection, { applicationId, repositoryId });
    subject.id = family.make ? await family.make()
      : (await server.admin('POST', subject.collection, { title: 'subject' }))._doc;
    subject.path = `${subject.collection}/${subject.id}`;
    subject.hasTitle = (await server.admin('GET', subject.path)).title === 'subject';
    await subject.ask('POST', `/authorities/consumer/grant?id=default/${user._doc}`);
    return subject;
  }

  ask(method, path, body) {
    return server.admin(method, this.path + path, body);
  }

  read() {
    return this.ask('GET', '');
  }

  async isGone(path = '') {
    const reply = await server.request('GET', this.path + path, { token: server.adminToken });
    assert.equal(reply.status, 404, reply.text);
  }

  async authorities() {
    return (await this.ask('GET', `/acl?id=default/${user._doc}`)).rows.sort();
  }

  async teamAuthorities() {
    return (await this.ask('GET', '/teams/walkers/authorities')).authorities;
  }

  async hasMember() {
    return (await this.ask('POST', `/teams/walkers/members/check?id=${kMember}`)).belongs;
  }

  async targets() {
    return (await this.ask('GET', '/targets')).rows;
  }

  role(key = 'walker') {
    return this.ask('GET', `/roles/${key}`);
  }
}

const userReference = () => `user://${platform}/default/${user._doc}`;
const ofTeams = (path) => async (subject) => {
  await subject.ask('POST', '/teams?key=walkers');
  await subject.ask('POST', '/roles', { roleKey: 'walker', permissions: ['READ'] });
  if (path) await subject.ask('POST', path);
};
const attached = (subject) => subject.ask('POST', '/attachments/default', { title: 'attached' });
const attachments = async (subject) => (await subject.ask('GET', '/attachments')).rows.map((row) => row.attachmentId);
const assigned = (subject) => subject.ask('POST', `/assign?ref=${userReference()}`);

const hasZip = ({ collection }) => collection.endsWith('/archives');
const zipOf = async ({ path }) => (await server.request('GET', `${path}/download`, { token: server.adminToken })).bytes;

/// An upload of the same coordinates takes the place of what an archive had.
async function replaceZip(subject) {
  const { group, artifact, version } = await subject.read();
  await server.admin('POST', subject.collection, archiveOf({ group, artifact, version }, { 'another.txt': 'in between' }));
  assert.notDeepEqual(await zipOf(subject), subject.zip);
}

/// What must be there before a row can be asked.
const preparations = {
  'unlock': (subject) => subject.ask('POST', '/lock'),
  'unassign': assigned, 'unassign all': assigned, 'find': assigned, 'targets': assigned,
  'list teams': ofTeams(), 'read team': ofTeams(), 'update team': ofTeams(), 'delete team': ofTeams(),
  'add team member': ofTeams(), 'grant team authority': ofTeams(), 'list roles': ofTeams(),
  'list team members': ofTeams(`/teams/walkers/members/add?id=${kMember}`),
  'remove team member': ofTeams(`/teams/walkers/members/add?id=${kMember}`),
  'check team member': ofTeams(`/teams/walkers/members/add?id=${kMember}`),
  'list team authorities': ofTeams('/teams/walkers/authorities/consumer/grant'),
  'revoke team authority': ofTeams('/teams/walkers/authorities/consumer/grant'),
  'unpublish': (subject) => subject.ask('POST', '/publish'),
  // What a record says when it leaves it says again when it comes back.
  'import': async (subject) => {
    if (hasZip(subject)) subject.zip = await zipOf(subject);
    await jobEnds(await subject.ask('POST', `/export?${coordinatesOf(subject)}`));
    if (hasZip(subject)) await replaceZip(subject);
    await subject.ask('PUT', '', { title: 'changed before it comes back' });
  },
  'list attachments': attached, 'attachment': attached, 'preview': attached,
  'read role': ofTeams(), 'update role': ofTeams(), 'delete role': ofTeams(),
};

const hasRow = (json, holds) => assert.ok(json.rows.some(holds), JSON.stringify(json).slice(0, 500));
const holdsSubject = (json, subject) => hasRow(json, (row) => row._doc === subject.id);
const isSubject = (json, subject) => assert.equal(json._doc, subject.id);
/// Checks of many answer for each by itself.
const checksOfMany = (json) => {
  assert.deepEqual(json.checks, json.results);
  assert.deepEqual(json.checks.map((check) => check.result), [true, false, false]);
  assert.equal(json.checks[0].principalId, `default/${user._doc}`);
};
/// What answers bytes, not JSON.
const files = {
  'download': (bytes) => assert.equal(bytes.subarray(0, 2).toString(), 'PK'),
  'download by coordinates': (bytes) => assert.equal(bytes.subarray(0, 2).toString(), 'PK'),
  'attachment': (bytes) => assert.deepEqual(JSON.parse(bytes), { title: 'attached' }),
  'preview': (bytes) => assert.deepEqual(JSON.parse(bytes), { title: 'attached' }),
};
/// Where a walk puts what it exports.
const coordinatesOf = ({ id }) => new URLSearchParams({ groupId: 'walk', artifactId: `moved-${id}`, versionId: '1' });
async function jobEnds({ _doc }) {
  for (const end = Date.now() + 120_000; ;) {
    const job = await server.admin('GET', `/jobs/${_doc}`);
    if (job.state === 'FINISHED') return job;
    assert.ok(job.state !== 'ERROR' && Date.now() < end, JSON.stringify(job.log_entries));
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
const captured = (json) => assert.ok(readdirSync(mails).includes(json.captured));

/// What a row has brought about, or told, besides an answer of the right shape.
const effects = {
  'create': async (json, { collection }) => {
    const made = await server.admin('GET', `${collection}/${json._doc}`);
    assert.equal(made.title, 'made by the row walk');
  },
  'list': holdsSubject,
  'query': holdsSubject,
  'read': isSubject,
  'update': async (json, subject) => assert.equal((await subject.read()).title, 'changed by the row walk'),
  'delete': (json, subject) => subject.isGone(),
  'check permission': (json) => assert.equal(json.check, true),
  'check single authority': (json) => assert.equal(json.check, true),
  'check multiple authorities': checksOfMany,
  'check multiple permissions': checksOfMany,
  'grant authority': async (json, subject) => assert.deepEqual(await subject.authorities(), ['consumer', 'editor']),
  'revoke authority': async (json, subject) => assert.deepEqual(await subject.authorities(), []),
  'read ACL': (json) => hasRow(json, (row) => row._doc === user._doc && row.authorities.includes('consumer')),
  'read ACL for principal': (json) => assert.deepEqual(json.rows, ['consumer']),
  'authorities report': (json) => {
    const grants = Object.values(json).flatMap((one) => Object.values(one));
    assert.ok(grants.some((one) => one['role-key'] === 'consumer'), JSON.stringify(json));
  },
  'send': captured,
  'test': captured,
  'assign': async (json, subject) => assert.equal((await subject.targets()).length, 1),
  'unassign': async (json, subject) => assert.deepEqual(await subject.targets(), []),
  'unassign all': async (json, subject) => assert.deepEqual(await subject.targets(), []),
  'find': holdsSubject,
  'targets': (json) => assert.equal(json.rows.length, 1),
  'templates': (json) => hasRow(json, (row) => row.key === 'folder-consumer'),
  'template': (json) => assert.equal(json.key, 'folder-consumer'),
  'system policies': (json) => hasRow(json, (row) => row.key === 'project-user'),
  'system policy': (json) => assert.equal(json.key, 'project-user'),
  'lock': async (json, subject) => assert.equal((await subject.read()).locked, true),
  'unlock': async (json, subject) => assert.equal((await subject.read()).locked, false),
  'stats': async (json, subject) => assert.equal(typeof (await subject.read()).statisticsDate, 'object'),
  'close': async (json, subject) => assert.equal((await subject.read()).state, 'CLOSED'),
  'merge/start': async (json, subject) => {
    await jobEnds(json);
    assert.equal((await subject.read()).state, 'MERGED');
  },
  'validate/start': async (json) => assert.equal((await jobEnds(json)).nodeCount, 1),
  'changes/tree': (json) => assert.deepEqual(json.tree.unplaced.map(({ title }) => title), ['to be merged']),
  'lookup': isSubject,
  'copy': async (json, subject) => {
    assert.notEqual(json._doc, subject.id);
    assert.equal((await server.admin('GET', `/vaults/${otherVault}/archives/${json._doc}`)).title, 'subject');
  },
  'publish': async (json, subject) => assert.equal((await subject.read()).published, true),
  'unpublish': async (json, subject) => assert.equal((await subject.read()).published, false),
  'list attachments': (json) => hasRow(json, (row) => row.attachmentId === 'default'),
  'create attachments': async (json, subject) => assert.deepEqual(await attachments(subject), ['default']),
  'attachment': async (json, subject, { method }) => assert.deepEqual(await attachments(subject), method === 'POST' ? ['default'] : []),
  'export': async (json, subject) => {
    await jobEnds(json);
    const found = new URLSearchParams({ group: 'walk', artifact: `moved-${subject.id}`, version: '1' });
    assert.equal((await server.admin('GET', `/vaults/primary/archives/lookup?${found}`)).group, 'walk');
  },
  'import': async (json, subject) => {
    const { imports } = await jobEnds(json);
    assert.equal(imports[0].targets.at(-1).id, subject.id);
    const { title } = await subject.read();
    // The server's own are never written by imports.
    assert.equal(title, subject.hasTitle ? 'subject' : 'changed before it comes back');
    if (hasZip(subject)) assert.deepEqual(await zipOf(subject), subject.zip);
  },
  'create team': async (json, subject) => assert.equal((await subject.ask('GET', '/teams/walked')).key, 'walked'),
  'list teams': (json) => hasRow(json, (row) => row.key === 'walkers'),
  'read team': (json) => assert.equal(json.key, 'walkers'),
  'update team': async (json, subject) => {
    const team = await subject.ask('GET', '/teams/walkers');
    assert.deepEqual([team.key, team.title], ['walkers', 'changed by the row walk']);
  },
  'delete team': (json, subject) => subject.isGone('/teams/walkers'),
  'list team members': (json) => hasRow(json, (row) => row.name === 'row-member'),
  'add team member': async (json, subject) => assert.equal(await subject.hasMember(), true),
  'remove team member': async (json, subject) => assert.equal(await subject.hasMember(), false),
  'check team member': (json) => assert.equal(json.belongs, true),
  'list team authorities': (json) => assert.deepEqual(json.authorities, ['consumer']),
  'grant team authority': async (json, subject) => assert.deepEqual(await subject.teamAuthorities(), ['consumer']),
  'revoke team authority': async (json, subject) => assert.deepEqual(await subject.teamAuthorities(), []),
  'create role': async (json, subject) => assert.deepEqual((await subject.role('walked')).permissions, ['READ']),
  'list roles': (json) => hasRow(json, (row) => row.roleKey === 'walker'),
  'read role': (json) => assert.equal(json.roleKey, 'walker'),
  'update role': async (json, subject) => assert.deepEqual((await subject.role()).permissions, ['CONNECT', 'READ']),
  'delete role': (json, subject) => subject.isGone('/roles/walker'),
};

const checkBody = (record, third, value) => ({
  checks: [
    { permissionedId: record, principalId: `default/${user._doc}`, [third]: value },
    { permissionedId: record, principalId: 'default/nobody', [third]: value },
    { permissionedId: 'no-such-record', principalId: `default/${user._doc}`, [third]: value },
  ],
});

function bodyOf(row, subject) {
  switch (row.operation) {
    case 'create role': return { roleKey: 'walked', permissions: ['READ'] };
    case 'update role': return { roleKey: 'walker', permissions: ['CONNECT', 'READ'] };
    case 'create': if (row.family === 'archives') return archiveOf({ group: 'walk', artifact: 'made', version: '1', title: 'made by the row walk' });
      return { title: 'made by the row walk' };
    case 'update': case 'update team': return { title: 'changed by the row walk' };
    case 'query': return { _doc: subject.id };
    case 'check multiple authorities': return checkBody(subject.id, 'authorityId', 'consumer');
    case 'check multiple permissions': return checkBody(subject.id, 'permissionId', 'READ');
    default: return row.method === 'GET' || row.method === 'DELETE' ? undefined : {};
  }
}

function pathOf(row, subject) {
  const values = {
    applicationId, repositoryId, registrarId: 'default', permissionedId: subject.id, permissionId: 'READ',
    authorityId: row.operation === 'grant authority' ? 'editor' : 'consumer',
    templateKey: 'folder-consumer', key: 'project-user', teamKey: 'walkers', roleKeyOrId: 'walker',
    vaultId: 'primary', attachmentId: 'default', name: 'default',
    [families[row.family].placeholder]: subject.id,
  };
  return fill(row.path, values);
}

/// Of an archive, by the name of the parameter.
const coordinate = async (subject, name) => (await subject.read())[name.replace(/Id$/, '')];

async function queryOf(row, subject) {
  const query = new URLSearchParams(row.operation === 'create team' ? { key: 'walked' } : {});
  for (const { name, required } of row.params) {
    if (name === 'id') query.set('id', row.operation.includes('team member') ? kMember : `default/${user._doc}`);
    if (name === 'ref') query.set('ref', userReference());
    if (name === 'email') query.set('email', await makeEmail());
    if (name === 'from' || name === 'to') query.set(name, `${name}@example.org`);
    if (name === 'targetVaultId') query.set(name, otherVault);
    if (/^(group|artifact|version)Id$/.test(name) && ['export', 'import'].includes(row.operation)) query.set(name, coordinatesOf(subject).get(name));
    if (required && /^(group|artifact|version)(Id)?$/.test(name)) query.set(name, await coordinate(subject, name));
    if (required) assert.ok(query.has(name), `the walk must know a value for ${name}`);
  }
  return query;
}

async function checkParameters(row, path, query, body) {
  const token = server.adminToken;
  for (const { name, required } of row.params) {
    if (!required) continue;
    const others = new URLSearchParams(query);
    others.delete(name);
    const missing = await server.request(row.method, `${path}?${others}`, { body, token });
    assert.equal(missing.status, 400, `${name} is required`);
    assert.match(missing.json.message, new RegExp(name));
  }
  if (!row.paged) return;
  const page = await server.request(row.method, `${path}?skip=0&limit=1&sort={"title":1}`, { body, token });
  assert.equal(page.status, 200, page.text);
  isResultMap(page.json);
  assert.ok(page.json.rows.length <= 1);
  const bad = await server.request(row.method, `${path}?skip=minus`, { body, token });
  assert.equal(bad.status, 400);
  assert.match(bad.json.message, /skip/);
}

async function checkJson(row, reply, subject) {
  assert.match(reply.headers['content-type'], /^application\/json/);
  assert.ok(row.returns in shapes, `the walk knows the shape ${row.returns}`);
  shapes[row.returns](reply.json);
  assert.ok(row.operation in effects, `the walk knows what comes of ${row.operation}`);
  await effects[row.operation](reply.json, subject, row);
}

async function walk(row) {
  const subject = await Subject.make(families[row.family]);
  await preparations[row.operation]?.(subject);
  const path = pathOf(row, subject);
  const query = await queryOf(row, subject);
  const body = bodyOf(row, subject);
  const reply = await server.request(row.method, `${path}?${query}`, { body, token: server.adminToken });
  assert.equal(reply.status, 200, reply.text);
  if (row.method === 'GET' && row.operation in files) files[row.operation](reply.bytes);
  else await checkJson(row, reply, subject);
  await checkParameters(row, path, query, body);
  const slashed = await server.request(row.method, `${path}/?${query}`, { body, token: server.adminToken });
  assert.notEqual(slashed.status, 405);
}

async function walkLife(family) {
  const collection = fill(family.collection, { applicationId, repositoryId });
  const sent = { title: 'T', own: { nested: [1, 'two', null, true] }, z: 1, a: 2 };
  let id;
  if (family.make) {
    id = await family.make();
    await server.admin('PUT', `${collection}/${id}`, sent);
  } else {
    const created = await server.admin('POST', collection, sent);
    assert.equal(created.ok, true);
    id = created._doc;
  }
  const path = `${collection}/${id}`;
  const read = await server.admin('GET', path);
  for (const [name, value] of Object.entries(sent)) assert.deepEqual(read[name], value);
  assert.deepEqual(read, await server.admin('GET', path));
  assert.equal((await server.admin('PUT', path, { title: 'U' }))._doc, id);
  const again = await server.admin('GET', path);
  assert.equal(again.title, 'U');
  assert.ok(!('own' in again));
  assert.equal(again._system.created_on.ms, read._system.created_on.ms);
  await server.admin('POST', `${path}/delete`);
  const gone = await server.request('GET', path, { token: server.adminToken });
  assert.equal(gone.statusText, 'Not Found');
  assert.deepEqual({ ok: gone.json.ok, error: gone.json.error, status: gone.json.status },
                   { ok: false, error: true, status: 404 });
  assert.ok(gone.json.message.length > 0);
}

/// Walks over a server that `start` starts with additional settings and that `end` ends; with `inEveryForm`,
/// in every form of the paths of nodes, not only those that the file shows.
export function walkOperations({ start, end, inEveryForm = false }) {
  before(async () => {
    server = await start(`email_providers.capture_folder = ${mails}\n`);
    user = await server.makeUser('row-walker');
    await server.makeUser('row-member');
    platform = (await server.admin('GET', '/'))._doc;
    applicationId = (await server.admin('POST', '/applications', { title: 'walked' }))._doc;
    repositoryId = (await server.admin('POST', '/repositories', { title: 'walked' }))._doc;
    const master = `/repositories/${repositoryId}/branches/master`;
    await server.admin('PUT', master, { ...(await server.admin('GET', master)), autoPull: false });
    otherVault = (await server.admin('POST', '/vaults', { title: 'walked' }))._doc;
    await prepareNodeOperations(server);
  });
  after(async () => {
    await end(server);
    rmSync(mails, { recursive: true });
  });

  test('the file has all rows of the families', () => {
    const counts = Object.keys(families).map((name) => [name, rows.filter((row) => row.family === name).length]);
    assert.deepEqual(counts, Object.entries(families).map(([name, family]) => [name, family.rows]));
  });
  for (const row of rows) test(`${row.family}: ${row.operation}: ${row.method} ${row.path}`, () => walk(row));
  for (const [name, family] of Object.entries(families)) {
    test(`${name}: what is written comes back as it went in, and what is removed is gone`, () => walkLife(family));
  }  walkNodeOperations({ inEveryForm });
}
