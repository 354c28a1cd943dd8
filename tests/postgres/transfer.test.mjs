// Exports and imports over PostgreSQL, which is restarted or killed in their middle, and those of a server that dies, which
// another one over the same database takes over: each is done once and wholly.
//
// A few rounds each; STELE_LONG=1 makes it ten times as many.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { PostgresServer } from '../support/postgres_server.mjs';
import { repetitions } from '../support/repetitions.mjs';
import { SteleServer } from '../support/stele_server.mjs';
import { assertNoScratch, hasWritten, kHasty, TransferWorld } from '../support/transfer_world.mjs';
import { until } from '../support/until.mjs';

const rounds = repetitions(2);
let random = Number(process.env.STELE_SEED ?? Date.now() % 1_000_000);
console.log(`seed ${random}`);
const next = (limit) => {
  random = (random * 1103515245 + 12345) % 2147483648;
  return Math.floor(random / 65536) % limit;
};

let postgres;
let witness;
let world;
/// The name that jobs give to the server `witness`.
let witnessName;
// One job at a time, so that a server that has one leaves the next to others.
const config = () => postgres.config(`${kHasty}jobs.threads = 1\nstorage_postgres.wait_seconds = 120\n`);
before(async () => {
  postgres = await PostgresServer.start();
  witness = await SteleServer.start({ config: config() });
  world = await TransferWorld.make(witness);
  await world.exportAll(['branch']);
  const started = await world.startExport('project');
  witnessName = (await finished(started)).current_server;
  assert.ok(witnessName);
});
after(async () => {
  await witness.end();
  await postgres.end();
});

async function finished(started) {
  const job = await world.ended(started.id);
  assert.equal(job.state, 'FINISHED', JSON.stringify(job.log_entries));
  return job;
}

/// An export and an import: how each is started, and how one sees that it is done once and wholly.
const transfers = {
  export: { start: () => world.startExport('repository'), check: (job, started) => world.checkExport(job, started) },
  import: { start: () => world.startImport('branch'), check: (job, started) => world.checkImport(job, started) },
};

/// Restarts of the database, each in the middle of a transfer.
async function runRestarts(what, restart) {
  const { start, check } = transfers[what];
  for (let round = 0; round < rounds; ++round) {
    const started = await world.startCaught(start, hasWritten);
    await sleep(next(300));
    await restart();
    await check(await finished(started), started);
    assertNoScratch(witness.data);
  }
}

for (const what of ['export', 'import']) {
  test(`an ${what} goes on after PostgreSQL was restarted in its middle`, () => runRestarts(what, () => postgres.restart()));

  test(`an ${what} goes on after PostgreSQL was killed in its middle and has recovered`, () => runRestarts(what, async () => {
    await postgres.kill();
    await postgres.startPrimary();
  }));

  test(`an ${what} of a server that is killed is taken over by another one, and done once`, async () => {
    const { start, check } = transfers[what];
    for (let round = 0, taken = 0; taken < rounds; ++round) {
      assert.ok(round < 20 * rounds, 'the other server was never in the middle of a job');
      const victim = await SteleServer.start({ config: config(), isPrepared: true });
      try {
        // While one server has this, the next job is the other one's.
        const aside = await world.startExport('repository');
        await world.caught(aside);
        const started = await start();
        const isCaught = await world.caught(started, hasWritten) && (await world.job(started.id)).current_server !== witnessName;
        if (isCaught) {
          await sleep(next(300));
          await victim.stop('SIGKILL');
        }
        const job = await finished(started);
        if (job.current_server === witnessName && isCaught) {
          assert.equal(job.attempts, 2, JSON.stringify(job.log_entries));
          ++taken;
        }
        await check(job, started);
        await finished(aside);
        // Started anew it cleans up what it has left behind.
        if (isCaught) await victim.launch();
        assertNoScratch(victim.data);
      } finally {
        await victim.end();
      }
    }
  });
}

test('nothing unused stays in the database', async () => {
  const unused = /binaries of \d+ bytes that nothing refers to/;
  await until(async () => {
    postgres.query("update stele.stele_blob set written = written - interval '2 days' where written > now() - interval '1 day'");
    await sleep(4000);
    const { status, text } = witness.check();
    assert.equal(status, 0, text);
    return !unused.test(text);
  }, 'unused binaries are collected');
});
