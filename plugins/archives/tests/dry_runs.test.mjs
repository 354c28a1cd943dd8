// What a dry run tells: what would be made, changed and left as it is, and each thing that would be refused. An import ends
// with the first refusal; its dry run finds the others, too.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { endedJob } from '../../../tests/support/ended_job.mjs';
import { SteleServer } from '../../../tests/support/stele_server.mjs';
import { archiveOf } from '../../../tests/support/zip_archive.mjs';

let server;
let platform;
let eve;
before(async () => {
  server = await SteleServer.start();
  await server.makeUser('eve');
  eve = await server.login('eve', 'secret-of-eve');
  await admin('POST', '/vaults/primary/authorities/contributor/grant?id=default/eve');
  platform = (await admin('GET', '/'))._doc;
});
after(() => server.end());

const admin = (...request) => server.admin(...request);
const make = async (path, fields = {}) => (await admin('POST', path, fields))._doc;
let numbers = 0;

async function uploaded(bytes, artifact, token) {
  const reply = await server.request('POST', '/vaults/primary/archives', { token, body: bytes, headers: { 'Content-Type': 'application/zip' } });
  assert.equal(reply.status, 200, reply.text);
  return `group=dry&artifact=${artifact}&version=1`;
}
/// The ended job of an import of files about one subject, `[typeId, ...ids]` of each link down to it.
async function imported(target, links, files, settings = {}, token = server.adminToken) {
  const artifact = `a${++numbers}`;
  const chain = links.map(([typeId, id]) => ({ typeId, id, key: `${typeId}:${id}` }));
  const place = await uploaded(archiveOf({ model: '3.0.0', group: 'dry', artifact, version: '1', tipChangesetOnly: true, sources: [chain] }, files), artifact, token);
  const started = await server.request('POST', `${target}/import?${place}`, { token, body: settings });
  assert.equal(started.status, 200, started.text);
  return endedJob(async (method, path) => (await server.request(method, path, { token })).json, started.json._doc);
}
const unfit = 'an-unfit-id';
const counts = ({ state, created, updated, skipped, refused }) => ({ state, created, updated, skipped, refused });

/// Nodes of a branch as the files of an archive, by their ids.
function branchFiles(repository, nodes) {
  const changeset = '5:0123456789abcdef01234567';
  const folder = `platforms/${platform}/repositories/${repository}/changesets/${changeset.replace(':', '_')}`;
  const files = { [`platforms/${platform}/repositories/${repository}/branches/master/branch.json`]: '{"type":"MASTER"}',
    [`${folder}/changeset.json`]: JSON.stringify({ _doc: changeset, revision: '5', parents: [] }) };
  for (const [id, fields] of Object.entries(nodes)) {
    const name = fields.source ? 'association' : 'node';
    files[`${folder}/nodes/${id}/${name}.json`] = JSON.stringify({ _doc: id, _type: 'n:node', ...fields });
  }
  return files;
}
const hex = (number) => `0123456789abcdef${String(number).padStart(4, '0')}`;

async function fails(target, links, files, settings, pattern, token) {
  const job = await imported(target, links, files, settings, token);
  assert.equal(job.state, 'ERROR');
  assert.match(job.log_entries.at(-1).message, pattern);
}

test('a dry run of users tells which names are taken, and what would be made', async () => {
  const domain = await make('/domains', { title: 'of people' });
  await make(`/domains/${domain}/principals`, { type: 'USER', name: 'vic' });
  const folder = `platforms/${platform}/domains/source`;
  const user = (name) => JSON.stringify({ type: 'USER', name });
  const files = { [`${folder}/domain.json`]: '{}' };
  for (const name of ['vic', 'ann', 'joe']) files[`${folder}/principals/${name}/principal.json`] = user(name);
  const links = [['platform', platform], ['domain', 'source']];
  const before = (await admin('GET', `/domains/${domain}/principals`)).total_rows;
  await fails(`/domains/${domain}`, links, files, {}, /vic/);
  const job = await imported(`/domains/${domain}`, links, files, { dryRun: true });
  assert.deepEqual(job.refusals.map(({ key, code }) => [key.split('/').at(-1), code]), [['vic', 'document.value_taken']]);
  assert.deepEqual(counts(job), { state: 'FINISHED', created: 2, updated: 0, skipped: 1, refused: 1 });
  assert.equal((await admin('GET', `/domains/${domain}/principals`)).total_rows, before);
});

test('a dry run of a branch tells each node that would be refused, and does not bring what leads to it', async () => {
  const repository = await make('/repositories', { title: 'target' });
  const nodes = `/repositories/${repository}/branches/master/nodes`;
  await make(nodes, { title: 'there', _qname: 'custom:taken' });
  const files = branchFiles('source', {
    [hex(1)]: { title: 'good' },
    [unfit]: { title: 'with an id that no server makes' },
    [hex(3)]: { title: 'with a name that another has', _qname: 'custom:taken' },
    [hex(4)]: { title: 'good, too' },
    [hex(5)]: { _type: 'a:linked', directionality: 'DIRECTED', source: hex(1), target: unfit },
    [hex(6)]: { _type: 'a:linked', directionality: 'DIRECTED', source: hex(1), target: hex(4) },
  });
  const links = [['platform', platform], ['repository', 'source'], ['branch', 'master']];
  const settings = { strategy: 'CLONE' };
  await fails(`/repositories/${repository}/branches/master`, links, files, settings, /unfit|custom:taken/);
  const tip = (await admin('GET', `/repositories/${repository}/branches/master`)).tip;
  const job = await imported(`/repositories/${repository}/branches/master`, links, files, { ...settings, dryRun: true });
  assert.deepEqual(job.refusals.map(({ key, code }) => [key.split('/').at(-1), code]).sort(),
    [[hex(3), 'nodes.import_qname_taken'], [unfit, 'request.input_invalid']]);
  assert.deepEqual([job.state, job.created, job.refused], ['FINISHED', 2, 2]);
  assert.ok(job.notes.some((note) => note.startsWith(`${hex(5)} leads to ${unfit}`)), JSON.stringify(job.notes));
  assert.ok(!job.notes.some((note) => note.includes(hex(6))));
  assert.equal((await admin('GET', `/repositories/${repository}/branches/master`)).tip, tip);
  // What leads to a refused node is no refusal of its own.
  const strict = await imported(`/repositories/${repository}/branches/master`, links, files, { ...settings, requireAllIncludes: true, dryRun: true });
  assert.deepEqual([strict.refused, strict.refusals.map(({ code }) => code).sort()], [2, ['nodes.import_qname_taken', 'request.input_invalid']]);
});

test('a dry run tells what rights are missing, one by one', async () => {
  const target = await make('/domains', { title: 'one' });
  await admin('POST', `/domains/${target}/authorities/editor/grant?id=default/eve`);
  const folder = `platforms/${platform}/domains/source`;
  const files = { [`${folder}/domain.json`]: '{"title":"another"}',
    [`${folder}/acl.json`]: JSON.stringify([{ type: 'USER', domain: 'default', name: 'eve', authorities: ['consumer'] }]),
    [`${folder}/principals/ann/principal.json`]: '{"type":"USER","name":"ann"}' };
  const links = [['platform', platform], ['domain', 'source']];
  await fails(`/domains/${target}`, links, files, {}, /CREATE_SUBOBJECTS|MODIFY_PERMISSIONS/, eve);
  const job = await imported(`/domains/${target}`, links, files, { dryRun: true }, eve);
  assert.deepEqual(job.refusals.map(({ key, code }) => [key.split('/').at(-1), code]),
    [['ann', 'authority.permission_missing'], ['source', 'authority.permission_missing']]);
  assert.match(job.refusals[1].message, /MODIFY_PERMISSIONS/);
  assert.deepEqual(counts(job), { state: 'FINISHED', created: 0, updated: 1, skipped: 0, refused: 2 });
  assert.equal((await admin('GET', `/domains/${target}`)).title, 'one');
});

test('what lies in a refused record does not come, and is not counted', async () => {
  const folder = `platforms/${platform}/applications`;
  const files = {
    [`${folder}/app/application.json`]: JSON.stringify({ title: 'with a taken key', key: 'taken' }),
    [`${folder}/app/emailproviders/p1/emailprovider.json`]: '{"host":"smtp.example.com"}',
  };
  await make('/applications', { title: 'first', key: 'taken' });
  const links = [['platform', platform], ['application', 'app']];
  const job = await imported('', links, files, { dryRun: true });
  assert.equal(job.state, 'FINISHED', JSON.stringify(job.log_entries));
  assert.deepEqual([job.created, job.refused, job.refusals.length, job.imports], [0, 1, 1, []]);
});
