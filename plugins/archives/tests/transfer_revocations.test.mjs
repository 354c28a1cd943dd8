// Rights that end while an export or an import runs count for nothing at its commit
// (docs/decisions/0169-rights-that-end-during-transfers.md).
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { endedJob, errorOf } from '../../../tests/support/ended_job.mjs';
import { SteleServer } from '../../../tests/support/stele_server.mjs';
import { archiveOf, unzip } from '../../../tests/support/zip_archive.mjs';

let server;
let platform;
let numbers = 0;
before(async () => {
  server = await SteleServer.start();
  platform = (await admin('GET', '/'))._doc;
});
after(() => server.end());

const admin = (...request) => server.admin(...request);
const grant = (path, role, name) => admin('POST', `${path}/authorities/${role}/grant?id=default/${name}`);
const revoke = (path, name) => admin('POST', `${path}/authorities/all/revoke?id=default/${name}`);

/// Somebody with an own token, who may keep archives.
async function person() {
  const name = `p${++numbers}`;
  const { _doc } = await server.makeUser(name);
  const token = await server.login(name, `secret-of-${name}`);
  await grant('/vaults/primary', 'contributor', name);
  return { name, _doc, ask: (method, path, body, headers) => server.request(method, path, { token, body, headers }) };
}

/// A job of somebody, during which something is done, when its first record has come; answers it as it has ended, or nothing where
/// it was faster.
async function during(who, path, change, body = {}) {
  const reply = await who.ask('POST', path, body);
  assert.equal(reply.status, 200, reply.text);
  const job = () => admin('GET', `/jobs/${reply.json._doc}`);
  const hasBegun = ({ state, progress }) => ['FINISHED', 'ERROR'].includes(state) || progress?.done > 0;
  for (const end = Date.now() + 180_000; !hasBegun(await job()) && Date.now() < end;) await sleep(5);
  await change();
  const { state } = await job();
  const ended = await endedJob(admin, reply.json._doc);
  return state === 'RUNNING' ? ended : undefined;
}

/// An archive of a branch with many nodes, uploaded by somebody.
async function manyNodes(who, { repository, master, count, size }) {
  const artifact = `many-${++numbers}`;
  const folder = `platforms/${platform}/repositories/${repository}`;
  const files = { [`${folder}/branches/${master}/branch.json`]: JSON.stringify({ _doc: master, tip: '0:1' }) };
  for (let i = 0; i < count; ++i)
    files[`${folder}/changesets/0_1/nodes/m${i}/node.json`] = JSON.stringify({ _doc: `m${i}`, _type: 'n:node', title: 'brought', text: 'brought '.repeat(size) });
  const link = (typeId, id) => ({ typeId, id, key: `${typeId}:${id}` });
  const bytes = archiveOf({ model: '3.0.0', group: 'ending', artifact, version: '1', tipChangesetOnly: true,
                            sources: [[link('platform', platform), link('repository', repository), link('branch', master)]] }, files);
  const reply = await who.ask('POST', '/vaults/primary/archives', bytes, { 'Content-Type': 'application/zip' });
  assert.equal(reply.status, 200, reply.text);
  return { query: `group=ending&artifact=${artifact}&version=1`, path: `/vaults/primary/archives/${reply.json._doc}` };
}
async function store() {
  const repository = (await admin('POST', '/repositories', {}))._doc;
  const branch = `/repositories/${repository}/branches/master`;
  return { repository, branch, master: (await admin('GET', branch))._doc };
}
const brought = async ({ branch }) => (await admin('POST', `${branch}/nodes/query?limit=1`, { title: 'brought' })).total_rows;

/// How a right ends of which an import lives, and how it is given.
const endings = {
  'a grant on the branch': { give: ({ branch }, { name }) => grant(branch, 'collaborator', name), take: ({ branch }, { name }) => revoke(branch, name) },
  'a membership': {
    give: async ({ branch }, who) => {
      who.group = (await admin('POST', '/domains/default/principals', { type: 'GROUP', name: `g${++numbers}` }))._doc;
      await admin('POST', `/domains/default/principals/${who.group}/members/add?id=default/${who.name}`);
      await grant(branch, 'collaborator', who.group);
    },
    take: (_, who) => admin('POST', `/domains/default/principals/${who.group}/members/remove?id=default/${who.name}`) },
  'a policy': {
    give: async ({ branch }, who) => {
      await grant(branch, 'consumer', who.name);
      who.policy = (await admin('POST', '/access/policies', { statements: [{ action: 'grant', roles: ['collaborator'] }] }))._doc;
      who.ref = `user://${platform}/default/${who._doc}`;
      await admin('POST', `/access/policies/${who.policy}/assign?ref=${who.ref}`);
    },
    take: (_, who) => admin('POST', `/access/policies/${who.policy}/unassign?ref=${who.ref}`) },
  'CREATE_SUBOBJECTS alone': {
    give: async ({ branch }, { name }) => { await grant(branch, 'editor', name); await grant(branch, 'contributor', name); },
    take: ({ branch }, { name }) => admin('POST', `${branch}/authorities/contributor/revoke?id=default/${name}`) },
  'UPDATE on the target alone': {
    give: async ({ branch }, { name }) => { await grant(branch, 'editor', name); await grant(branch, 'contributor', name); },
    take: ({ branch }, { name }) => admin('POST', `${branch}/authorities/editor/revoke?id=default/${name}`) },
  'READ on the archive': {
    give: ({ branch }, { name }) => grant(branch, 'collaborator', name), take: (_, who, { path }) => revoke(path, who.name) },
};

// What is held in memory until the commit, and what goes to a line that nobody sees.
for (const [how, count, size] of [['held', 900, 500], ['loaded', 2000, 50]]) {
  for (const [what, { give, take }] of Object.entries(endings)) {
    test(`an import that is ${how} writes nothing by what has ended before its commit: ${what}`, async () => {
      for (let more = 1; more <= 8; more *= 2) {
        const [who, place] = [await person(), await store()];
        await grant(`/repositories/${place.repository}`, 'connector', who.name);
        await give(place, who);
        const archive = await manyNodes(who, { ...place, count: how === 'held' ? count : count * more, size: size * more });
        const job = await during(who, `${place.branch}/import?${archive.query}`, () => take(place, who, archive));
        if (!job) continue;
        assert.equal(job.state, 'ERROR', 'a right that has ended was used');
        assert.match(errorOf(job), /is needed for this|there is no|needed/);
        assert.equal(await brought(place), 0);
        return;
      }
      assert.fail('the import is too fast for this test');
    });
  }
}

/// An application with many emails, each a record of an export, on which nobody has rights by the application.
async function manyEmails(count) {
  const application = (await admin('POST', '/applications', { title: 'large' }))._doc;
  const path = `/applications/${application}`;
  const emails = [];
  for (let i = 0; i < count; ++i) emails.push(admin('POST', `${path}/emails`, { subject: `number ${i}` }));
  return { path, emails: (await Promise.all(emails)).map(({ _doc }) => _doc) };
}
async function filesOf(job) {
  const reply = await server.request('GET', `/vaults/${job.vaultId}/archives/${job.archiveId}/download`, { token: server.adminToken });
  return unzip(reply.bytes);
}

test('an export of a record on which its starter has lost READ meanwhile leaves no archive', async () => {
  const { path } = await manyEmails(600);
  for (let round = 0; round < 8; ++round) {
    const who = await person();
    await grant(path, 'consumer', who.name);
    const place = `group=ending&artifact=lost-${++numbers}&version=1`;
    const job = await during(who, `${path}/export?${place}`, () => revoke(path, who.name));
    if (!job) continue;
    assert.equal(job.state, 'ERROR');
    assert.equal((await server.request('GET', `/vaults/primary/archives/lookup?${place}`, { token: server.adminToken })).status, 404);
    return;
  }
  assert.fail('the export is too fast for this test');
});

test('an export leaves out what its starter has lost READ on meanwhile', async () => {
  const { path, emails } = await manyEmails(600);
  for (let round = 0; round < 8; ++round) {
    const who = await person();
    await grant(path, 'consumer', who.name);
    for (const id of emails.slice(0, 300)) await grant(`${path}/emails/${id}`, 'consumer', who.name);
    const place = `group=ending&artifact=part-${++numbers}&version=1`;
    const job = await during(who, `${path}/export?${place}`, () => revoke(`${path}/emails/${emails[0]}`, who.name));
    if (!job) continue;
    assert.equal(job.state, 'FINISHED', errorOf(job));
    const told = [...(await filesOf(job)).keys()].filter((name) => name.endsWith('/email.json'));
    assert.deepEqual([told.length, told.some((name) => name.includes(emails[0]))], [299, false]);
    return;
  }
  assert.fail('the export is too fast for this test');
});

test('an export takes no node along on which its starter has lost READ meanwhile', async () => {
  const place = await store();
  const ids = [];
  for (let i = 0; i < 400; ++i) ids.push(admin('POST', `${place.branch}/nodes`, { title: 'single', text: randomBytes(2000).toString('hex') }));
  const nodes = (await Promise.all(ids)).map(({ _doc }) => _doc);
  await admin('POST', '/roles', { roleKey: 'reader-of-branch', permissions: ['CONNECT', 'READ'] });
  for (let round = 0; round < 8; ++round) {
    const who = await person();
    await grant(`/repositories/${place.repository}`, 'connector', who.name);
    await grant(place.branch, 'consumer', who.name);
    for (const id of nodes.slice(0, 200)) await grant(`${place.branch}/nodes/${id}`, 'consumer', who.name);
    const coordinates = `group=ending&artifact=nodes-${++numbers}&version=1`;
    const job = await during(who, `${place.branch}/export?${coordinates}`, () => revoke(`${place.branch}/nodes/${nodes[0]}`, who.name), { tipChangesetOnly: true });
    if (!job) continue;
    assert.equal(job.state, 'FINISHED', errorOf(job));
    assert.ok(![...(await filesOf(job)).keys()].some((name) => name.includes(nodes[0])), 'a node that is hidden by now is in it');
    return;
  }
  assert.fail('the export is too fast for this test');
});
