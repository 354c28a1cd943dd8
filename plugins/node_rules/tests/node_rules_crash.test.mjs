// kill -9 between a write and what rules make of it: nothing that was committed is missed, and what was looked at
// before the rule was bound stays as it is. Five rounds, fifty with STELE_LONG=1.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { repetitions } from '../../../tests/support/repetitions.mjs';
import { SteleServer } from '../../../tests/support/stele_server.mjs';
import { RuleWorld } from './rule_world.mjs';

const rounds = repetitions(5);

async function inWorld(work) {
  const server = await SteleServer.start({ config: 'jobs.lease = 3s\n' });
  try {
    await work(server, new RuleWorld(server));
    await server.end();
  } finally {
    await server.stop('SIGKILL');
  }
}
/// The token stays good, so that nobody has to write anything before rules follow what was written before.
async function restart(server, signal = 'SIGKILL') {
  await server.stop(signal);
  await server.launch();
}

test(`${rounds} rounds of kill -9 behind a write: each arrives, and goes`, async () => {
  await inWorld(async (server, world) => {
    const [draft, live] = [(await world.repository()).master, (await world.repository()).master];
    const type = await world.define(draft);
    const early = await world.make(draft, { _type: type.qname, title: 'early' });
    await world.bind(draft, type.id, world.rule(live, []));
    let last;
    for (let round = 0; round < rounds; ++round) {
      const made = [];
      for (let i = 0; i < 5; ++i) made.push(await world.make(draft, { _type: type.qname, round, i }));
      if (last) await server.admin('DELETE', `${draft.nodes}/${last}`);
      if (round % 3) await sleep(round % 3 === 1 ? 3 : 15);
      await restart(server);
      for (const [i, node] of made.entries()) await world.arrives(live, node, { round, i });
      if (last) await world.goes(live, last);
      last = made[2];
    }
    await restart(server, 'SIGTERM');
    await world.settle(draft);
    assert.equal(await world.shown(live, early), undefined);
    const jobs = await world.jobs();
    assert.deepEqual(jobs.filter(({ state }) => state !== 'FINISHED'), []);
    await server.stop();
    assert.equal(server.check().status, 0);
  });
});

const plugins = 'identity,platform,nodes';

test('what was written while nobody looked is brought by the rules that were bound then', async () => {
  const server = await SteleServer.start({ enable: `${plugins},node_rules` });
  try {
    const world = new RuleWorld(server);
    const [draft, live] = [(await world.repository()).master, (await world.repository()).master];
    const types = [await world.define(draft), await world.define(draft)];
    const make = async () => [await world.make(draft, { _type: types[0].qname }), await world.make(draft, { _type: types[1].qname })];
    const early = await make();
    const bound = [await world.bind(draft, types[0].id, world.rule(live, []))];
    await world.settle(draft);
    server.options.enable = plugins;
    // An orderly stop leaves its marks behind the first binding.
    await restart(server, 'SIGTERM');
    bound.push(await world.bind(draft, types[1].id, world.rule(live, [])));
    const between = await make();
    for (const { association } of bound) await server.admin('DELETE', `${draft.nodes}/${association}`);
    const late = await make();
    server.options.enable = `${plugins},node_rules`;
    await restart(server, 'SIGTERM');
    for (const node of between) await world.arrives(live, node);
    await world.settle(draft);
    for (const node of [...early, ...late]) assert.equal(await world.shown(live, node), undefined);
    await server.end();
  } finally {
    await server.stop('SIGKILL');
  }
});

test('a plugin that is new to a store begins with what is written from then on', async () => {
  const server = await SteleServer.start({ enable: plugins });
  try {
    const world = new RuleWorld(server);
    const [draft, live] = [(await world.repository()).master, (await world.repository()).master];
    const type = await world.define(draft);
    await world.bind(draft, type.id, world.rule(live, []));
    const early = await world.make(draft, { _type: type.qname });
    await server.stop();
    server.options.enable = `${plugins},node_rules`;
    await server.launch();
    server.adminToken = await server.login();
    const late = await world.make(draft, { _type: type.qname });
    await world.arrives(live, late);
    await world.settle(draft);
    assert.equal(await world.shown(live, early), undefined);
    await server.end();
  } finally {
    await server.stop('SIGKILL');
  }
});
