// Two servers over one PostgreSQL merge into one branch at the same time: in one order, and nothing is lost.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { PostgresServer } from '../support/postgres_server.mjs';
import { repetitions } from '../support/repetitions.mjs';
import { SteleServer } from '../support/stele_server.mjs';

const rounds = repetitions(100);
let postgres;
let servers;
let repository;
let branches;
before(async () => {
  postgres = await PostgresServer.start();
  servers = [await SteleServer.start({ config: postgres.config() })];
  servers.push(await SteleServer.start({ config: postgres.config(), isPrepared: true }));
  servers[1].adminToken = servers[0].adminToken = await servers[0].login();
  repository = `/repositories/${(await servers[0].admin('POST', '/repositories', {}))._doc}`;
  branches = `${repository}/branches`;
});
after(async () => {
  for (const server of servers) await server.end();
  await postgres.end();
});

const each = (work) => Promise.all(servers.map((server, index) => work(server, index)));
const read = async (server, node) => server.admin('GET', `${branches}/master/nodes/${node}`);
const tips = () => each(async (server) => (await server.admin('GET', `${branches}/master`)).tip);
const changesets = async () => (await servers[0].admin('GET', `${repository}/changesets?limit=0`)).total_rows;

/// One fork through each server, made from the same changeset, with a node of its own and its own value of a shared one.
async function prepare(round, shared, member) {
  return each(async (server, index) => {
    const { _doc: source } = await server.admin('POST', `${branches}?branch=master`, {});
    const { _doc: node } = await server.admin('POST', `${branches}/${source}/nodes`, { round, by: index });
    const before = await server.admin('GET', `${branches}/${source}/nodes/${shared}`);
    await server.admin('PUT', `${branches}/${source}/nodes/${shared}`, { ...before, [member(index)]: `${round} of ${index}` });
    return { source, node };
  });
}

const mergeAtOnce = (forks) => each((server, index) => server.admin('POST', `${branches}/master/merge?id=${forks[index].source}`, {}));

test(`${rounds} rounds of two servers that merge into one branch at once: both are there, one after the other`, async () => {
  const { _doc: shared } = await servers[0].admin('POST', `${branches}/master/nodes`, { title: 'Shared' });
  for (let round = 0; round < rounds; ++round) {
    const forks = await prepare(round, shared, (index) => `of${index}`);
    const before = await changesets();
    const [tip] = await tips();
    const reports = await mergeAtOnce(forks);
    assert.deepEqual(reports.map(({ merged, nodeCount }) => [merged, nodeCount]), [[true, 2], [true, 2]], `round ${round}`);
    assert.equal(await changesets(), before + 2);
    // The one came after the other, and neither on what was there before only.
    const after = await tips();
    assert.equal(after[0], after[1]);
    const last = await servers[0].admin('GET', `${repository}/changesets/${after[0]}`);
    const former = await servers[1].admin('GET', `${repository}/changesets/${last.parents[0]}`);
    assert.equal(former.parents[0], tip, `round ${round}`);
    assert.deepEqual([last, former].map(({ _doc }) => _doc).sort(), reports.map(({ changesetId }) => changesetId).sort());
    for (const server of servers) {
      const { of0, of1 } = await read(server, shared);
      assert.deepEqual([of0, of1], [`${round} of 0`, `${round} of 1`]);
      for (const [index, { node }] of forks.entries()) assert.equal((await read(server, node)).by, index);
    }
  }
});

test(`${rounds} rounds of two servers that merge what does not go together: one is there, and the other is told`, async () => {
  const { _doc: shared } = await servers[0].admin('POST', `${branches}/master/nodes`, { title: 'Shared' });
  for (let round = 0; round < rounds; ++round) {
    const forks = await prepare(round, shared, () => 'disputed');
    const before = await changesets();
    const reports = await mergeAtOnce(forks);
    const won = reports.findIndex(({ merged }) => merged);
    const [other] = reports.filter((_, index) => index !== won);
    assert.deepEqual([other.merged, other.conflicts.map(({ kind, path }) => [kind, path])], [false, [['value', '/disputed']]], `round ${round}`);
    assert.equal(await changesets(), before + 1);
    for (const server of servers) {
      assert.equal((await read(server, shared)).disputed, `${round} of ${won}`);
      const lost = await server.request('GET', `${branches}/master/nodes/${forks[1 - won].node}`, { token: server.adminToken });
      assert.equal(lost.status, 404);
    }
  }
});
