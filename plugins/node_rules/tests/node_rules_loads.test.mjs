// A large import gives its branch another line (docs/decisions/0151-imports-of-large-branches.md), which is neither a fork
// nor a reset: rules go on as if it had been written like any other changeset.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { SteleServer } from '../../../tests/support/stele_server.mjs';
import { until } from '../../../tests/support/until.mjs';
import { RuleWorld } from './rule_world.mjs';

const kPlugins = 'identity,platform,nodes,archives';
/// So many are loaded.
const kLoaded = 1100;

let server;
let world;
let many;
before(async () => {
  server = await SteleServer.start({ enable: `${kPlugins},node_rules` });
  world = new RuleWorld(server);
  many = (await world.repository()).master;
  await world.define(many, { _qname: 'custom:many' });
  for (let first = 0; first < kLoaded; first += 275)
    await world.admin('POST', many.nodes, Array.from({ length: 275 }, (_, i) => ({ _type: 'custom:many', number: first + i })));
  await ended(await world.admin('POST', `${many.path}/export?group=g&artifact=many&version=1`, { tipChangesetOnly: true }));
});
after(async () => {
  try {
    await server.end();
  } finally {
    await server.stop('SIGKILL');
  }
});

async function ended({ _doc }) {
  let job;
  await until(async () => ['FINISHED', 'ERROR'].includes((job = await world.admin('GET', `/jobs/${_doc}`)).state), `job ${_doc} ends`, 120);
  assert.equal(job.state, 'FINISHED', JSON.stringify(job.log_entries));
  return job;
}
async function load(branch) {
  const numbered = async () => (await world.admin('POST', `${branch.nodes}/query?limit=1`, { number: { $gte: 0 } })).total_rows;
  const before = await numbered();
  await ended(await world.admin('POST', `${branch.path}/import?group=g&artifact=many&version=1`, {}));
  assert.equal(await numbered(), before + kLoaded);
}
async function restart(enable) {
  server.options.enable = enable;
  await server.stop('SIGTERM');
  await server.launch();
  server.adminToken = await server.login();
}
async function drafts() {
  const [draft, live] = [(await world.repository()).master, (await world.repository()).master];
  return { draft, live, type: await world.define(draft) };
}

test('what was written before a large import, and what was bound then, is brought behind it, however late somebody looks', async () => {
  const { draft, live, type } = await drafts();
  await world.bind(draft, type.id, world.rule(live));
  await world.settle(draft);
  await restart(kPlugins);
  const first = await world.make(draft, { _type: type.qname, state: 'published', title: 'before' });
  await load(draft);
  const second = await world.make(draft, { _type: type.qname, state: 'published', title: 'between' });
  await load(draft);
  const third = await world.make(draft, { _type: type.qname, state: 'published', title: 'behind' });
  await restart(`${kPlugins},node_rules`);
  await world.arrives(live, first, { title: 'before' });
  await world.arrives(live, second, { title: 'between' });
  await world.arrives(live, third, { title: 'behind' });
  await world.update(draft, first, { title: 'later' });
  await world.arrives(live, first, { title: 'later' });
  assert.deepEqual((await world.jobs()).filter(({ state }) => state === 'ERROR').map(({ log_entries }) => log_entries), []);
});

test('a binding that was taken away behind a large import held for what was written before it', async () => {
  const { draft, live, type } = await drafts();
  const bound = await world.bind(draft, type.id, world.rule(live));
  await world.settle(draft);
  await restart(kPlugins);
  const node = await world.make(draft, { _type: type.qname, state: 'published', title: 'before' });
  await load(draft);
  const late = await world.make(draft, { _type: type.qname, state: 'published', title: 'bound still' });
  await world.admin('DELETE', `${draft.nodes}/${bound.association}`);
  const unbound = await world.make(draft, { _type: type.qname, state: 'published', title: 'behind' });
  await restart(`${kPlugins},node_rules`);
  await world.arrives(live, node, { title: 'before' });
  await world.arrives(live, late, { title: 'bound still' });
  await world.settle(draft);
  assert.equal(await world.shown(live, unbound), undefined);
});

test('what a large import brings is brought on by the rules of its branch', async () => {
  const { draft, live } = await drafts();
  await load(draft);
  const { rows: [type] } = await world.admin('POST', `${draft.nodes}/query?limit=1`, { _qname: 'custom:many' });
  await world.bind(draft, type._doc, world.rule(live, [{ type: 'propertyEquals', config: { property: 'number', value: kLoaded - 1 } }]));
  assert.equal((await world.admin('POST', `${live.nodes}/query?limit=2`, { number: { $gte: 0 } })).total_rows, 0);
  await load(draft);
  await until(async () => (await world.admin('POST', `${live.nodes}/query?limit=2`, { number: { $gte: 0 } })).total_rows > 0, 'a node arrives');
  await world.settle(draft);
  assert.deepEqual((await world.admin('POST', `${live.nodes}/query?limit=2`, { number: { $gte: 0 } })).rows.map(({ number }) => number), [kLoaded - 1]);
});
