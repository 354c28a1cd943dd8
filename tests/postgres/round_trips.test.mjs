// How often a request asks the database: bounds, so that no look comes back that is known already.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { PostgresServer } from '../support/postgres_server.mjs';
import { StatementCounter } from '../support/statement_counter.mjs';
import { SteleServer } from '../support/stele_server.mjs';

let postgres;
let counter;
let server;
let nodes;
let ids;

const start = () => SteleServer.start({ config: postgres.config().replace(postgres.connection, counter.connection), isPrepared: true });

before(async () => {
  postgres = await PostgresServer.start();
  counter = await StatementCounter.start(postgres);
  // The counter works in this process, which waits for a program that prepares a store.
  await (await SteleServer.start({ config: postgres.config() })).end();
  server = await start();
  await server.login();
  const { _doc: repository } = await server.admin('POST', '/repositories', {});
  nodes = `/repositories/${repository}/branches/master/nodes`;
  ids = [];
  for (let i = 0; i < 40; ++i) ids.push((await server.admin('POST', nodes, { title: `Node ${i}`, kind: 'x' }))._doc);
});

after(async () => {
  await server?.end();
  await counter?.end();
  await postgres?.end();
});

/// The fewest of several, for the server works by itself meanwhile.
async function fewest(call) {
  let least = Infinity;
  for (let i = 0; i < 7; ++i) least = Math.min(least, (await counter.count(() => call(i))).roundTrips);
  return least;
}

for (const [what, most, call] of [
  ['a read of a node', 3, (i) => server.admin('GET', `${nodes}/${ids[i]}`)],
  ['a page of 25 nodes', 6, (i) => server.admin('POST', `${nodes}/query?limit=25&skip=${i}`, { kind: 'x' })],
  ['a create of a node', 8, (i) => server.admin('POST', nodes, { title: `New ${i}` })],
  ['an update of a node', 8, (i) => server.admin('PUT', `${nodes}/${ids[i]}`, { title: `Changed ${i}` })],
  ['a removal of a node', 12, (i) => server.admin('DELETE', `${nodes}/${ids[20 + i]}`)],
]) {
  test(`${what} takes ${most} round trips at most`, async () => {
    const trips = await fewest(call);
    assert.ok(trips >= 1, 'the counter counts nothing');
    assert.ok(trips <= most, `${trips} round trips`);
  });
}

test('a page of 25 records that another server wrote takes 12 round trips at most', async () => {
  const other = await start();
  try {
    other.adminToken = server.adminToken;
    await other.admin('POST', '/uiconfigs/query', { title: 'none' });
    let least = Infinity;
    for (let i = 0; i < 4; ++i) {
      for (let made = 0; made < 25; ++made) await server.admin('POST', '/uiconfigs', { title: `Page ${i}` });
      const { roundTrips } = await counter.count(async () => {
        const { rows } = await other.admin('POST', '/uiconfigs/query?limit=25', { title: `Page ${i}` });
        assert.equal(rows.length, 25);
      });
      least = Math.min(least, roundTrips);
    }
    assert.ok(least <= 12, `${least} round trips`);
  } finally {
    await other.end();
  }
});

test('a server that nobody asks asks the database about once a second', async () => {
  // What was done above still has its consequences.
  let trips = Infinity;
  for (let i = 0; i < 6 && trips > 10; ++i) trips = (await counter.count(() => sleep(5000))).roundTrips;
  assert.ok(trips <= 10, `${trips} round trips in five seconds`);
});
