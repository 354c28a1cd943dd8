// What much work of one person, or a change in many places, does to others (docs/reference/rules.md): repositories take
// turns, circles of rules come to rest, and what is bound at a changeset is what was bound, however late somebody looks.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SeededRandom, seeds } from '../../../tests/support/seeded_random.mjs';
import { SteleServer } from '../../../tests/support/stele_server.mjs';
import { RuleWorld } from './rule_world.mjs';

const plugins = 'identity,platform,nodes';

async function inWorld(work, options = {}) {
  const server = await SteleServer.start({ enable: `${plugins},node_rules`, ...options });
  try {
    await work(server, new RuleWorld(server));
    await server.end();
  } finally {
    await server.stop('SIGKILL');
  }
}
async function restart(server, enable) {
  server.options.enable = enable;
  await server.stop('SIGTERM');
  await server.launch();
  server.adminToken = await server.login();
}
async function inParallel(count, work) {
  let next = 0;
  await Promise.all(Array.from({ length: 8 }, async () => { while (next < count) await work(next++); }));
}

test('a repository in which much was written keeps the rules of another one waiting for a turn only', async () => {
  await inWorld(async (server, world) => {
    const [busy, quiet, live] = [(await world.repository()).master, (await world.repository()).master, (await world.repository()).master];
    const types = [await world.define(busy), await world.define(quiet)];
    const rules = [await world.bind(busy, types[0].id, world.rule(live, [])), await world.bind(quiet, types[1].id, world.rule(live, []))];
    await world.settle(busy);
    await world.settle(quiet);
    await restart(server, plugins);
    // More than one look takes. The types have no copies, so that nothing but the jobs is waited for.
    await inParallel(2100, () => world.make(busy, { _type: types[0].qname }));
    const node = await world.make(quiet, { _type: types[1].qname });
    await restart(server, `${plugins},node_rules`);
    await world.arrives(live, node);
    await world.settle(busy);
    // Ids of jobs grow with time.
    const ids = async (rule) => (await world.jobs()).filter(({ _data }) => _data.ruleId === rule.id).map(({ _doc }) => _doc).sort();
    const [ofBusy, ofQuiet] = [await ids(rules[0]), await ids(rules[1])];
    assert.equal(ofQuiet.length, 1);
    assert.ok(ofQuiet[0] < ofBusy.at(-1), `${ofQuiet} after all of ${ofBusy.at(-1)}`);
  });
});

test('a node that is changed at two places of a circle at once is the same everywhere in the end, and each change comes once', async () => {
  await inWorld(async (server, world) => {
    const circle = [];
    for (let i = 0; i < 10; ++i) circle.push((await world.repository()).master);
    for (const [place, branch] of circle.entries()) {
      const { _doc } = await server.admin('POST', branch.nodes, { _type: 'd:type', _qname: 'custom:round', type: 'object' });
      await world.bind(branch, _doc, world.rule(circle[(place + 1) % circle.length], []));
    }
    const node = await world.make(circle[0], { _type: 'custom:round', turn: 0 });
    await world.arrives(circle.at(-1), node, { turn: 0 });
    const rest = async () => { for (const branch of [...circle, ...circle]) await world.settle(branch); };
    await rest();
    await Promise.all([world.update(circle[0], node, { turn: 1 }), world.update(circle[5], node, { turn: 2 })]);
    await rest();
    const turns = [];
    for (const branch of circle) turns.push((await world.shown(branch, node)).turn);
    assert.deepEqual(turns, circle.map(() => turns[0]));
    assert.ok(turns[0] > 0);
    for (const branch of circle) {
      // Where it came first, once for each change, and once more where the newer one came home over the older one.
      const { total_rows: versions } = await server.admin('GET', `${branch.nodes}/${node}/versions`);
      assert.ok(versions <= 4, `${versions} versions on ${branch.path}`);
    }
  });
});

/// Binds, unbinds and changes rules between writes, and knows where each node should come.
class Bindings {
  constructor(world, random, draft, targets) { Object.assign(this, { world, random, draft, targets, bound: [], expected: new Map() }); }

  async begin() {
    this.types = [await this.world.define(this.draft), await this.world.define(this.draft)];
    this.types.push(await this.world.define(this.draft, { _parent: this.types[0].qname }));
  }
  above(type) { return type === 2 ? [2, 0] : [type]; }

  async step() {
    const { world, random, draft, targets } = this;
    const chosen = this.bound.length ? random.pick(this.bound) : undefined;
    const what = random.below(8);
    if (what === 0 || !chosen) {
      const bound = { type: random.below(3), target: random.below(targets.length), isOn: random.chance(0.7) };
      const settings = { policy: bound.isOn ? 'p:afterTouchNode' : 'p:afterReadNode', scope: 1 };
      Object.assign(bound, await world.bind(draft, this.types[bound.type].id, world.rule(targets[bound.target], []), { settings }));
      this.bound.push(bound);
    } else if (what === 1) {
      chosen.isOn = !chosen.isOn;
      await world.update(draft, chosen.association, { policy: chosen.isOn ? 'p:afterTouchNode' : 'p:afterReadNode' });
    } else if (what === 2) {
      chosen.target = random.below(targets.length);
      await world.update(draft, chosen.id, world.rule(targets[chosen.target], []));
    } else if (what === 3) {
      await world.admin('DELETE', `${draft.nodes}/${random.chance(0.5) ? chosen.association : chosen.id}`);
      this.bound = this.bound.filter((bound) => bound !== chosen);
    } else {
      const type = random.below(3);
      const node = await world.make(draft, { _type: this.types[type].qname });
      const on = this.bound.filter((bound) => bound.isOn && this.above(type).includes(bound.type));
      this.expected.set(node, new Set(on.map(({ target }) => target)));
    }
  }

  async check() {
    for (const [node, expected] of this.expected) {
      const found = new Set();
      for (const [place, target] of this.targets.entries()) if (await this.world.shown(target, node)) found.add(place);
      assert.deepEqual([...found].sort(), [...expected].sort(), `${node}; ${this.random.state}`);
    }
  }
}

for (const seed of seeds(2)) {
  test(`seed ${seed}: what is bound when a node is written is what brings it, whoever looks early or late`, async () => {
    await inWorld(async (server, world) => {
      const draft = (await world.repository()).master;
      const targets = [];
      for (let i = 0; i < 3; ++i) targets.push((await world.repository()).master);
      const bindings = new Bindings(world, new SeededRandom(seed), draft, targets);
      await bindings.begin();
      await world.settle(draft);
      for (let i = 0; i < 60; ++i) await bindings.step();
      await world.settle(draft);
      await bindings.check();
      await restart(server, plugins);
      for (let i = 0; i < 60; ++i) await bindings.step();
      await restart(server, `${plugins},node_rules`);
      await world.settle(draft);
      await bindings.check();
    });
  });
}
