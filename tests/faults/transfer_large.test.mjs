// kill -9 at places all over the import of a large branch: until the import has ended nothing of it shows, afterwards
// all of it, once, as one changeset, and the store is consistent.
//
// 3,000 nodes, of which half hang below one another; STELE_IMPORT_NODES names another number (the long form: 40000).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { SteleServer } from '../support/stele_server.mjs';
import { kHasty } from '../support/transfer_world.mjs';
import { until } from '../support/until.mjs';

const nodes = Number(process.env.STELE_IMPORT_NODES ?? (process.env.STELE_SANITIZED ? 300 : 3000));
const perRequest = 250;
/// As parts of the time that a whole import has taken.
const places = [0.15, 0.35, 0.55, 0.75, 0.9];
const isNumbered = { number: { $gte: 0 } };

test(`an import of ${nodes} nodes that is killed at any place shows nothing, and is carried on`, { timeout: 3_600_000 }, async () => {
  const server = await SteleServer.start({ config: kHasty });
  try {
    const ask = (...request) => server.admin(...request);
    const makeBranch = async () => `/repositories/${(await ask('POST', '/repositories', {}))._doc}/branches/master`;
    const source = await makeBranch();
    let folder = 'root';
    const links = [];
    for (let first = 0; first < nodes; first += perRequest) {
      const numbers = Array.from({ length: Math.min(perRequest, nodes - first) }, (_, i) => first + i);
      const made = await ask('POST', `${source}/nodes`, numbers.map((number) => ({ number, title: `node ${number}`, text: 'word '.repeat(30) })));
      const ids = made._docs ?? made.rows?.map(({ _doc }) => _doc) ?? (await ask('POST', `${source}/nodes/query?limit=-1`, { number: { $in: numbers } })).rows.map(({ _doc }) => _doc);
      for (const id of ids.slice(0, 10)) links.push([folder, id]);
      folder = ids[0];
    }
    for (const [from, to] of links) await ask('POST', `${source}/nodes/${from}/associate?node=${to}&type=a:child`, {});

    const ended = async (id) => {
      let job;
      await until(async () => ['FINISHED', 'ERROR'].includes((job = await ask('GET', `/jobs/${id}`)).state), `job ${id} ends`);
      assert.equal(job.state, 'FINISHED', JSON.stringify(job.log_entries));
      return job;
    };
    const begin = async (path, body = {}) => (await ask('POST', path, body))._doc;
    await ended(await begin(`${source}/export?group=g&artifact=large&version=1`, { tipChangesetOnly: true }));

    const stateOf = async (branch) => {
      const { tip } = await ask('GET', branch);
      const [all, numbered] = await Promise.all([{}, isNumbered].map(async (query) => (await ask('POST', `${branch}/nodes/query?limit=1`, query)).total_rows));
      const changesets = (await ask('GET', `${branch.replace(/\/branches.*/, '')}/changesets?limit=1`)).total_rows;
      return { tip, all, numbered, changesets };
    };
    const checkWhole = async (branch, before, whole) => {
      const after = await stateOf(branch);
      assert.deepEqual([after.numbered, after.changesets], [nodes, before.changesets + 1]);
      assert.notEqual(after.tip, before.tip);
      if (whole) assert.equal(after.all, whole.all);
      const numbers = (await ask('POST', `${branch}/nodes/query?limit=-1`, isNumbered)).rows.map(({ number }) => number).sort((a, b) => a - b);
      assert.deepEqual(numbers, Array.from({ length: nodes }, (_, number) => number));
      return after;
    };
    const start = (branch) => begin(`${branch}/import?group=g&artifact=large&version=1`);

    const first = await makeBranch();
    const empty = await stateOf(first);
    const began = Date.now();
    await ended(await start(first));
    const whole = Date.now() - began;
    const expected = await checkWhole(first, empty);

    let hit = 0;
    for (let round = 0; round < places.length || hit === 0; ++round) {
      assert.ok(round < 10 * places.length, 'none was hit in its middle');
      const branch = await makeBranch();
      const before = await stateOf(branch);
      const job = await start(branch);
      await sleep(places[round % places.length] * whole);
      await server.stop('SIGKILL');
      await server.launch();
      // The job may be carried on, or have ended, by now; half of it is never there.
      const seen = await stateOf(branch);
      assert.ok([0, nodes].includes(seen.numbered), `${seen.numbered} nodes`);
      assert.equal(seen.changesets - before.changesets, seen.numbered === 0 ? 0 : 1);
      if ((await ended(job)).attempts > 1) ++hit;
      await checkWhole(branch, before, expected);
    }
    console.log(`${hit} of ${places.length} were begun again`);
    await server.stop();
    assert.match(server.check().text, /The store is consistent/);
  } finally {
    await server.stop('SIGKILL');
  }
});
