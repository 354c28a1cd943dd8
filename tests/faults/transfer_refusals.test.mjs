// Exports that do not fit into their vault, imports that do not fit into their repository, and both ended by who
// started them: each ends as an error that says why, and leaves nothing in half.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { repetitions } from '../support/repetitions.mjs';
import { SteleServer } from '../support/stele_server.mjs';
import { ageBlobs, assertClean, assertFailed, assertNoScratch, blobsOf, hasWritten, kHasty, TransferWorld } from '../support/transfer_world.mjs';
import { until } from '../support/until.mjs';

let random = Number(process.env.STELE_SEED ?? Date.now() % 1_000_000);
console.log(`seed ${random}`);
const next = (limit) => {
  random = (random * 1103515245 + 12345) % 2147483648;
  return Math.floor(random / 65536) % limit;
};

let server;
let world;
before(async () => {
  // One job at a time: the next one runs when the one before has let go of everything.
  server = await SteleServer.start({ config: `${kHasty}jobs.threads = 1\n` });
  world = await TransferWorld.make(server);
  await world.exportAll(['branch']);
});
after(() => server.end());

const noRoomIn = (id, most) => new RegExp(`the repository ${id} holds \\d+ bytes of at most ${most}; this would add \\d+`);
/// An export stops there, without what it would have written yet.
const noRoomToWriteIn = (vault, left) => new RegExp(`the vault ${vault} has ${left} bytes left, and the archive is longer`);
const makeVault = async (fields) => (await world.ask('POST', '/vaults', fields))._doc;
const archivesIn = async (vault) => (await world.ask('GET', `/vaults/${vault}/archives?limit=1`)).total_rows;
async function finished(started) {
  const job = await world.ended(started.id);
  assert.equal(job.state, 'FINISHED', JSON.stringify(job.log_entries));
  return job;
}

test('an export that its vault has no room for is refused, and its bytes are collected', async () => {
  const blobs = blobsOf(server.data);
  const vault = await makeVault({ maxsize: 100_000 });
  const info = await world.ask('GET', `/vaults/${vault}/info`);
  const refused = await world.startExport('branch', { vault });
  const job = await world.ended(refused.id);
  assertFailed(job, noRoomToWriteIn(vault, 100_000));
  assert.equal(await world.checkExport(job, refused), undefined);
  assert.equal(await archivesIn(vault), 0);
  const { size, objectcount } = await world.ask('GET', `/vaults/${vault}/info`);
  assert.deepEqual([size, objectcount], [info.size, info.objectcount]);
  await assertClean(server);
  assert.deepEqual(blobsOf(server.data), blobs);

  await world.ask('PUT', `/vaults/${vault}`, { maxsize: -1 });
  const again = await world.startExport('branch', { vault });
  assert.ok(await world.checkExport(await finished(again), again));
});

test('an export that has no room beside others leaves the archive that it was to replace', async () => {
  const vault = await makeVault({ maxsize: -1 });
  const first = await world.startExport('branch', { vault });
  const archive = await world.checkExport(await finished(first), first);
  const { size } = await world.ask('GET', `/vaults/${vault}/info`);
  await world.ask('PUT', `/vaults/${vault}`, { maxsize: size + 50_000 });
  const [node] = (await world.ask('POST', `${world.branch}/nodes/query`, { number: 0 })).rows;
  await world.attach(node._doc, 0, 200_000);
  const second = await world.startExport('branch', { vault, artifact: first.artifact });
  const job = await world.ended(second.id);
  assertFailed(job, noRoomToWriteIn(vault, '\\d+'));
  const kept = await world.archiveOf(first);
  assert.equal(kept.id, archive.id);
  assert.ok(kept.bytes.equals(archive.bytes));
  assert.equal(await archivesIn(vault), 1);
  // What follows compares with the source as it is now.
  await world.exportAll(['branch']);
});

test('an import that its repository has no room for is refused, and leaves the branch', async () => {
  const refused = await world.startImport('branch', { fields: { maxsize: 1_000_000 } });
  const job = await world.ended(refused.id);
  assertFailed(job, noRoomIn(refused.target, 1_000_000));
  await world.checkImport(job, refused);
  const { size } = await world.ask('GET', `/repositories/${refused.target}/info`);
  assert.ok(size < 1_000_000);
  await assertClean(server);

  const again = await world.startImport('branch', { fields: { maxsize: 100_000_000 } });
  await world.checkImport(await finished(again), again);
});

/// Ends a job, and waits until its runner has let go of it.
async function killed({ id }) {
  await world.ask('POST', `/jobs/${id}/kill`);
  const job = await world.job(id);
  assert.ok(['FINISHED', 'ERROR'].includes(job.state), job.state);
  await finished(await world.startExport('project'));
  const later = await world.job(id);
  assert.equal(later.state, job.state);
  return later;
}

test('an export that is killed ends at once, and its vault has nothing of it', async () => {
  for (let round = 0; round < repetitions(4); ++round) {
    const started = await world.startCaught(() => world.startExport('repository'), hasWritten);
    if (round > 0) await sleep(next(300));
    const job = await killed(started);
    if (round === 0 || job.state === 'ERROR') assertFailed(job, /^killed by admin$/);
    await world.checkExport(job, started);
    assertNoScratch(server.data);
  }
});

test('an import that is killed ends at once, in its middle, and the branch has nothing of it', async () => {
  await world.ask('DELETE', `/repositories/${world.repository}`);
  for (const { _doc } of (await world.ask('GET', '/repositories?limit=-1')).rows) {
    if (_doc !== 'default' && (await world.ask('GET', `/repositories/${_doc}`)).title === 'target') await world.ask('DELETE', `/repositories/${_doc}`);
  }
  let length = 0;
  for (const { _doc } of (await world.ask('GET', '/vaults?limit=-1')).rows) length += await archivesIn(_doc);
  // From here on only archives have the bytes of attachments.
  await until(() => { ageBlobs(server.data); return blobsOf(server.data).length === length; }, 'those of removed repositories are collected');
  const started = await world.startImport('branch');
  assert.ok(await world.caught(started, () => blobsOf(server.data).length > length), 'it has ended by itself');
  const job = await killed(started);
  assertFailed(job, /^killed by admin$/);
  await world.checkImport(job, started);
  assert.ok(blobsOf(server.data).length < length + world.attachments.size, 'its runner went on');

  for (let round = 0; round < repetitions(4); ++round) {
    const another = await world.startImport('branch');
    await world.caught(another);
    await sleep(next(3000));
    const ended = await killed(another);
    if (ended.state === 'ERROR') assertFailed(ended, /^killed by admin$/);
    await world.checkImport(ended, another);
  }
  await assertClean(server);
});
