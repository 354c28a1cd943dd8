// Two servers over one PostgreSQL: each touch starts the job of a rule once, whichever server it was written through,
// and what one that was killed has left the other one does (docs/reference/rules.md).
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { RuleWorld } from '../../plugins/node_rules/tests/rule_world.mjs';
import { PostgresServer } from '../support/postgres_server.mjs';
import { repetitions } from '../support/repetitions.mjs';
import { SteleServer } from '../support/stele_server.mjs';

const rounds = repetitions(10);
let postgres;
let servers;
let worlds;
before(async () => {
  postgres = await PostgresServer.start();
  const config = postgres.config('jobs.lease = 3s\n');
  servers = [await SteleServer.start({ config })];
  servers.push(await SteleServer.start({ config, isPrepared: true }));
  servers[0].adminToken = servers[1].adminToken = await servers[0].login();
  worlds = servers.map((server) => new RuleWorld(server));
});
after(async () => {
  for (const server of servers) await server.end();
  await postgres.end();
});

test('each of many touches, through either server, starts one job', async () => {
  const [world] = worlds;
  const [draft, live] = [(await world.repository()).master, (await world.repository()).master];
  const type = await world.define(draft);
  const rule = await world.bind(draft, type.id, world.rule(live, []));
  const node = await world.make(draft, { _type: type.qname, round: -1 });
  await world.arrives(live, node);
  for (let round = 0; round < rounds; ++round) {
    await worlds[round % 2].update(draft, node, { round });
    await worlds[(round + 1) % 2].arrives(live, node, { round });
  }
  await world.settle(draft);
  const jobs = (await world.jobs()).filter(({ _data }) => _data.ruleId === rule.id);
  assert.deepEqual(jobs.map(({ state }) => state), Array(rounds + 1).fill('FINISHED'));
});

test('what was written through a server that is killed then arrives by the other one', async () => {
  const [world, second] = worlds;
  const [draft, live] = [(await world.repository()).master, (await world.repository()).master];
  const type = await world.define(draft);
  await world.bind(draft, type.id, world.rule(live, []));
  for (let round = 0; round < Math.min(rounds, 5); ++round) {
    const node = await second.make(draft, { _type: type.qname, round });
    await servers[1].stop('SIGKILL');
    await world.arrives(live, node, { round });
    await servers[1].launch();
  }
});
