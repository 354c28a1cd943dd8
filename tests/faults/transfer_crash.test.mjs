// kill -9, and now and then an orderly stop, in the middle of exports and imports: after each restart they go on by
// themselves, an import is there wholly and once or not at all, an archive that is there is whole, and nothing that
// broken attempts have written stays.
//
// Five rounds, three in CI, fifty with STELE_LONG=1; STELE_CRASH_ROUNDS names another number.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { repetitions } from '../support/repetitions.mjs';
import { SteleServer } from '../support/stele_server.mjs';
import { assertClean, assertFailed, ageBlobs, blobsOf, hasWritten, kHasty, TransferWorld } from '../support/transfer_world.mjs';
import { until } from '../support/until.mjs';

const rounds = Number(process.env.STELE_CRASH_ROUNDS ?? (process.env.STELE_SHORT === 'ci' ? 3 : repetitions(5)));
let random = Number(process.env.STELE_SEED ?? Date.now() % 1_000_000);
console.log(`seed ${random}`);
const next = (limit) => {
  random = (random * 1103515245 + 12345) % 2147483648;
  return Math.floor(random / 65536) % limit;
};

/// What is under way when the server dies. Small ones have no middle that one could wait for.
const pairs = [
  { exported: 'repository', imported: 'branch', isLarge: true },
  { exported: 'domain', imported: 'domain' },
  { exported: 'branch', imported: 'repository', isLarge: true },
  { exported: 'project', imported: 'project' },
];

async function inWorld(work) {
  const server = await SteleServer.start({ config: kHasty });
  try {
    await work(server, await TransferWorld.make(server));
    await server.end();
  } finally {
    await server.stop('SIGKILL');
  }
}

async function killAndRestart(server) {
  await server.stop('SIGKILL');
  await server.launch();
}

async function stopAndRestart(server) {
  assert.equal((await server.stop()).code, 0, server.log);
  await server.launch();
}

test(`${rounds} rounds of kill -9 leave no export and no import in half`, async () => {
  await inWorld(async (server, world) => {
    await world.exportAll();
    let archives = Object.keys(world.archives).length;
    const begunAgain = { exports: 0, imports: 0 };
    for (let round = 0; round < rounds || Math.min(begunAgain.exports, begunAgain.imports) < rounds / 2; ++round) {
      assert.ok(round < 10 * rounds, `too few were hit in their middle: ${JSON.stringify(begunAgain)}`);
      const { exported, imported, isLarge = false } = pairs[round % pairs.length];
      const bringing = await world.startImport(imported);
      const writing = await world.startExport(exported);
      if (isLarge) await world.caught(bringing);
      await sleep(next(isLarge ? 1500 : 40));
      await killAndRestart(server);
      if (round % 2 === 1) {
        await world.caught(round % 4 === 1 ? bringing : writing);
        await stopAndRestart(server);
      }
      const [brought, written] = [await world.ended(bringing.id), await world.ended(writing.id)];
      for (const job of [brought, written]) assert.equal(job.state, 'FINISHED', `round ${round}: ${JSON.stringify(job.log_entries)}`);
      await world.checkImport(brought, bringing);
      await world.checkExport(written, writing);
      ++archives;
      if (brought.attempts > 1) ++begunAgain.imports;
      if (written.attempts > 1) ++begunAgain.exports;
    }
    assert.equal((await world.ask('GET', `/vaults/${world.vault}/archives?limit=1`)).total_rows, archives);
    await assertClean(server);
    console.log(`begun again: ${JSON.stringify(begunAgain)}`);
  });
});

test('what a transfer has committed when its server dies is done, and not once more', async () => {
  await inWorld(async (server, world) => {
    await world.exportAll(['branch']);
    for (let round = 0; round < Math.min(rounds, 10); ++round) {
      const bringing = await world.startImport('branch');
      const { tip } = bringing.before.repositories[bringing.target];
      await until(async () => (await world.ask('GET', `/repositories/${bringing.target}/branches/master`)).tip !== tip, 'the branch has it');
      await killAndRestart(server);
      const brought = await world.ended(bringing.id);
      assert.equal(brought.state, 'FINISHED', JSON.stringify(brought.log_entries));
      await world.checkImport(brought, bringing);

      const writing = await world.startExport('branch');
      await until(() => world.archiveOf(writing), 'the vault has it');
      await killAndRestart(server);
      const written = await world.ended(writing.id);
      assert.equal(written.state, 'FINISHED', JSON.stringify(written.log_entries));
      await world.checkExport(written, writing);
    }
    await assertClean(server);
  });
});

/// Kills the server of a job as often as jobs are begun; answers how that has ended.
async function killToTheEnd(server, world, started, begun) {
  for (let attempt = 1; attempt <= 3; ++attempt) {
    const isCaught = await world.caught(started, (job) => job.attempts === attempt && begun(job));
    assert.ok(isCaught, 'it has ended before its server died');
    await killAndRestart(server);
  }
  const job = await world.ended(started.id);
  assertFailed(job, /^the server \S+ died$/);
  assert.equal(job.attempts, 3);
  return job;
}

test('a transfer whose servers die again and again ends as an error and leaves nothing', async () => {
  await inWorld(async (server, world) => {
    await world.exportAll(['branch']);
    // From here on only the archive has the bytes of its attachments.
    await world.ask('DELETE', `/repositories/${world.repository}`);
    await until(() => { ageBlobs(server.data); return blobsOf(server.data).length === 1; }, 'those of the source are collected');
    const bringing = await world.startImport('branch');
    const brought = await killToTheEnd(server, world, bringing, () => blobsOf(server.data).length > 1);
    await world.checkImport(brought, bringing);
    assert.ok(blobsOf(server.data).length > 1, 'broken attempts have written something');
    await assertClean(server);
    assert.equal(blobsOf(server.data).length, 1);

    const again = await world.startImport('branch');
    await world.checkImport(await world.ended(again.id), again);
  });
  await inWorld(async (server, world) => {
    const writing = await world.startExport('repository');
    const written = await killToTheEnd(server, world, writing, hasWritten);
    assert.equal(await world.checkExport(written, writing), undefined);
    assert.equal((await world.ask('GET', `/vaults/${world.vault}/archives?limit=1`)).total_rows, 0);
    await assertClean(server);
  });
});
