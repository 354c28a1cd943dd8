// Rights that end while an import waits for its turn: it runs with those of the moment (docs/reference/transfer.md#rights).
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { endedJob, errorOf } from '../../../tests/support/ended_job.mjs';
import { SteleServer } from '../../../tests/support/stele_server.mjs';
import { until } from '../../../tests/support/until.mjs';
import { archiveOf } from '../../../tests/support/zip_archive.mjs';

let server;
let platform;
let long;
let numbers = 0;
before(async () => {
  server = await SteleServer.start({ config: 'archives.running_transfers = 1\n' });
  platform = (await admin('GET', '/'))._doc;
  await admin('POST', '/roles', { roleKey: 'blind', permissions: ['CONNECT', 'UPDATE', 'CREATE_SUBOBJECTS'] });
  // An import that goes on until it is killed, as far as a test is concerned: each of its definitions extends the next.
  const at = await branchOf();
  const files = {};
  const count = 20_000;
  for (let i = 0; i < count; ++i)
    files[`d${i}`] = { _type: 'd:type', _qname: `my:t${i}`, _parent: i + 1 < count ? `my:t${i + 1}` : 'n:node', type: 'object' };
  long = { at, archive: await uploaded(asAdmin, at, files) };
});
after(() => server.end());

const admin = (...request) => server.admin(...request);
const asAdmin = async (method, path, body, headers) => server.request(method, path, { token: server.adminToken ??= await server.login(), body, headers });
async function branchOf() {
  const repository = (await admin('POST', '/repositories', {}))._doc;
  const branch = `/repositories/${repository}/branches/master`;
  return { repository, branch, master: (await admin('GET', branch))._doc };
}
/// An archive of nodes, as a branch or of `subjects`.
async function uploaded(ask, { repository, master }, nodes, subjects = undefined) {
  const artifact = `a${++numbers}`;
  const folder = `platforms/${platform}/repositories/${repository}`;
  const files = { [`${folder}/branches/${master}/branch.json`]: JSON.stringify({ _doc: master, tip: '0:1' }) };
  for (const [id, fields] of Object.entries(nodes)) files[`${folder}/changesets/0_1/nodes/${id}/node.json`] = JSON.stringify({ _doc: id, ...fields });
  const link = (typeId, id) => ({ typeId, id, key: `${typeId}:${id}` });
  const around = [link('platform', platform), link('repository', repository), link('branch', master)];
  const sources = subjects ? subjects.map((id) => [...around, link('node', id)]) : [around];
  const bytes = archiveOf({ model: '3.0.0', group: 'waiting', artifact, version: '1', tipChangesetOnly: true, sources }, files);
  const reply = await ask('POST', '/vaults/primary/archives', bytes, { 'Content-Type': 'application/zip' });
  assert.equal(reply.status, 200, reply.text);
  return { query: `group=waiting&artifact=${artifact}&version=1`, path: `/vaults/primary/archives/${reply.json._doc}` };
}
async function person() {
  const name = `w${++numbers}`;
  await server.makeUser(name);
  const token = await server.login(name, `secret-of-${name}`);
  const change = (how) => (path, role) => admin('POST', `${path}/authorities/${role}/${how}?id=default/${name}`);
  await change('grant')('/vaults/primary', 'contributor');
  return { grant: change('grant'), revoke: change('revoke'), ask: (method, path, body, headers) => server.request(method, path, { token, body, headers }) };
}
const begun = async (ask, path) => {
  const reply = await ask('POST', path, {});
  assert.equal(reply.status, 200, reply.text);
  return reply.json._doc;
};
const stateOf = async (id) => (await admin('GET', `/jobs/${id}`)).state;

/// An import of somebody, before whose turn something is done; as it has ended.
async function waiting(who, path, change) {
  const first = await begun(asAdmin, `${long.at.branch}/import?${long.archive.query}`);
  await until(async () => await stateOf(first) === 'RUNNING');
  const job = await begun(who.ask, path);
  await change();
  assert.deepEqual([await stateOf(first), await stateOf(job)], ['RUNNING', 'WAITING']);
  await admin('POST', `/jobs/${first}/kill`, {});
  return endedJob(admin, job);
}
const brought = async ({ branch }) => (await admin('POST', `${branch}/nodes/query?limit=1`, { title: 'brought' })).total_rows;
const one = { one: { _type: 'n:node', title: 'brought' } };

/// Where an import goes, what it needs there, and how it loses that before its turn.
const losses = {
  'READ on the archive': {
    prepare: ({ branch }, who) => who.grant(branch, 'collaborator'),
    lose: (_, who, { path }) => who.revoke(path, 'all'), error: /there is no archive/ },
  'UPDATE on the target': {
    prepare: async ({ branch }, who) => { for (const role of ['consumer', 'blind']) await who.grant(branch, role); },
    lose: ({ branch }, who) => who.revoke(branch, 'blind'), error: /UPDATE on the target is needed/ },
  'READ on the branch': {
    prepare: async ({ branch }, who) => { for (const role of ['consumer', 'blind']) await who.grant(branch, role); },
    lose: ({ branch }, who) => who.revoke(branch, 'consumer'), error: /there is no such branch/ },
  'READ on the node that it brings something below': {
    prepare: async (at, who) => {
      at.folder = (await admin('POST', `${at.branch}/nodes`, { title: 'folder' }))._doc;
      at.into = `${at.branch}/nodes/${at.folder}`;
      for (const role of ['consumer', 'blind']) for (const path of [at.branch, at.into]) await who.grant(path, role);
    },
    lose: ({ into }, who) => who.revoke(into, 'consumer'), error: /there is no node|node \w+ is unknown|unknown/ },
};
for (const [what, { prepare, lose, error }] of Object.entries(losses)) {
  test(`an import that has lost it before its turn brings nothing: ${what}`, async () => {
    const [at, who] = [await branchOf(), await person()];
    await who.grant(`/repositories/${at.repository}`, 'connector');
    await prepare(at, who);
    const archive = await uploaded(who.ask, at, one, at.into && ['one']);
    const path = `${at.into ?? at.branch}/import?${archive.query}`;
    const job = await waiting(who, path, () => lose(at, who, archive));
    assert.equal(job.state, 'ERROR');
    assert.match(errorOf(job), error);
    assert.equal(await brought(at), 0);
  });
}

test('an import that has lost nothing before its turn brings all', async () => {
  const [at, who] = [await branchOf(), await person()];
  await losses['READ on the node that it brings something below'].prepare(at, who);
  const archive = await uploaded(who.ask, at, one, ['one']);
  await who.grant(`/repositories/${at.repository}`, 'connector');
  const job = await waiting(who, `${at.into}/import?${archive.query}`, () => {});
  assert.equal(job.state, 'FINISHED', errorOf(job));
  assert.equal(await brought(at), 1);
});
