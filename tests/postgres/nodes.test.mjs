// Two servers over one PostgreSQL while nodes are written and read through both: what one has acknowledged,
// the other finds at once by query and by search. One of them is killed, or the database is: nothing that was
// acknowledged is missing in either, and a write in doubt has happened wholly or not at all.
//
// Three rounds, thirty with STELE_LONG=1; STELE_CRASH_ROUNDS names another number.
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { NodeTraffic } from '../support/node_traffic.mjs';
import { PostgresServer } from '../support/postgres_server.mjs';
import { repetitions } from '../support/repetitions.mjs';
import { SteleServer } from '../support/stele_server.mjs';

const rounds = Number(process.env.STELE_CRASH_ROUNDS ?? repetitions(3));
/// Longer than a database needs to come back on a machine that is busy with other things.
const patience = 'storage_postgres.wait_seconds = 120';
/// What a server left in the database when it died ends there by then.
const kSettled = 500;

/// Everybody works; the fault strikes in the midst of it.
function runThrough(traffic, fault, mayLose) {
  const before = traffic.acknowledged;
  let struck = false;
  return traffic.run({
    until() {
      if (!struck && traffic.acknowledged >= before + 40) {
        struck = true;
        fault();
      }
      return traffic.acknowledged >= before + 80;
    },
    mayLose: (server) => struck && mayLose(server),
  });
}

/// Answers how many writes were in doubt.
async function killServer({ traffic, servers, round, isLast }) {
  const victim = servers[traffic.next(2)];
  await runThrough(traffic, () => victim.child.kill('SIGKILL'), (server) => server === victim);
  await victim.exited;
  await sleep(kSettled);
  const inDoubt = traffic.writers.filter((writer) => writer.doubt).length;
  await traffic.compare(servers.find((server) => server !== victim), round, { isLast });
  // In some rounds it also has to read the words of all nodes again.
  if (round % 3 === 2) rmSync(join(victim.data, 'search'), { recursive: true });
  await victim.launch();
  await traffic.compare(victim, round, { isLast });
  return inDoubt;
}

/// The servers wait until the database is back: nobody loses anything.
async function killDatabase({ traffic, servers, postgres, round, isLast }) {
  let recovered;
  await runThrough(traffic, () => { recovered = postgres.kill().then(() => postgres.startPrimary()); }, () => false);
  await recovered;
  for (const server of servers) await traffic.compare(server, round, { isLast });
  return 0;
}

test(`${rounds} rounds of kill -9 of one of two servers that write nodes, or of their database`, async () => {
  const postgres = await PostgresServer.start();
  const servers = [await SteleServer.start({ config: postgres.config(patience) })];
  servers.push(await SteleServer.start({ config: postgres.config(patience), isPrepared: true }));
  try {
    const traffic = await NodeTraffic.start(servers, 6);
    let inDoubt = 0;
    for (let round = 0; round < rounds; ++round) {
      const strike = round % 3 === 1 ? killDatabase : killServer;
      inDoubt += await strike({ traffic, servers, postgres, round, isLast: round === rounds - 1 });
    }
    const checked = servers[0].check();
    assert.equal(checked.status, 0, checked.text);
    console.log(`acknowledged ${traffic.acknowledged}, in doubt ${inDoubt}`);
    if (rounds > 2) assert.ok(inDoubt > 0);
    for (const server of servers) await server.end();
  } catch (error) {
    for (const { child, log } of servers) console.log(`ended with ${child.exitCode ?? child.signalCode}; its log ends:\n${log.slice(-4000)}`);
    throw error;
  } finally {
    for (const server of servers) await server.stop('SIGKILL');
    await postgres.end();
  }
});
