// What becomes of requests whose merge does not come to its end: the server dies, or the job is killed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { endedJob } from '../../../tests/support/ended_job.mjs';
import { repetitions } from '../../../tests/support/repetitions.mjs';
import { SteleServer } from '../../../tests/support/stele_server.mjs';
import { RequestWorld } from './request_world.mjs';

async function inWorld(config, work) {
  const server = await SteleServer.start({ config });
  try {
    await work(server, await RequestWorld.make(server));
    await server.end();
  } finally {
    await server.stop('SIGKILL');
  }
}

const kDelays = [0, 5, 15, 30, 50, 80, 120];
const rounds = repetitions(kDelays.length);

test(`${rounds} rounds of kill -9 while a request is merged: it is merged, and once`, async () => {
  await inWorld('jobs.lease = 3s\n', async (server, world) => {
    await world.set('master', { autoPull: false });
    for (let round = 0; round < rounds; ++round) {
      const source = await world.fork();
      const nodes = [];
      for (let i = 0; i < 40; ++i) nodes.push(await world.make(source, { title: `${round}-${i}` }));
      const id = await world.open({ sourceBranchId: source });
      const before = (await world.admin('GET', `${world.repository}/changesets?limit=0`)).total_rows;
      const started = await world.act(id, 'merge/start');
      assert.equal(started.status, 200, started.text);
      // Every other time when the merge is committed, and its changeset is not known yet.
      if (round % 2) while ((await world.read(id)).state === 'MERGING');
      else await sleep(kDelays[round % kDelays.length]);
      await server.stop('SIGKILL');
      await server.launch();
      const job = await endedJob((...call) => world.admin(...call), started.json._doc);
      assert.deepEqual([job.state, job._result.merged], ['FINISHED', true], JSON.stringify(job));
      const request = await world.read(id);
      const { tip } = await world.branch('master');
      assert.deepEqual([request.state, request.mergedChangesetId], ['MERGED', tip]);
      assert.equal((await world.admin('GET', `${world.repository}/changesets?limit=0`)).total_rows, before + 1);
      for (const [i, node] of nodes.entries()) assert.equal(await world.title('master', node), `${round}-${i}`);
    }
  });
});

/// Keeps the one thread of jobs busy, so that further ones wait.
async function keepBusy(server) {
  const other = await RequestWorld.make(server);
  const big = await other.fork();
  for (let i = 0; i < 300; ++i) await other.make(big, { title: `${i}` });
  await other.open({ sourceBranchId: big });
}

test('a request whose job was killed is open again', async () => {
  await inWorld('jobs.threads = 1\n', async (server, world) => {
    await world.set('master', { autoPull: false });
    const source = await world.fork();
    const node = await world.make(source, { title: 'Made' });
    const id = await world.open({ sourceBranchId: source });
    await keepBusy(server);
    const { json } = await world.act(id, 'merge/start');
    const merging = await world.read(id);
    assert.deepEqual([merging.state, merging.mergeJobId], ['MERGING', json._doc]);
    for (const [action, status] of [['close', 409], ['merge/start', 200]]) assert.equal((await world.act(id, action)).status, status, action);
    const kept = await world.ask('DELETE', world.requestPath(id));
    assert.deepEqual([kept.status, kept.json.code], [409, 'pull_requests.merging']);
    await world.admin('POST', `/jobs/${json._doc}/kill`, {});
    const killed = await world.read(id);
    assert.deepEqual([killed.state, (await world.ask('GET', `/jobs/${json._doc}`)).json.state], ['OPEN', 'ERROR']);
    assert.notEqual(killed.problem, '');
    assert.equal(await world.title('master', node), undefined);
    assert.equal((await world.ended(id, 'merge/start'))._result.merged, true);
    assert.equal((await world.read(id)).state, 'MERGED');
  });
});

test('who loses the right to approve before the merge is done merges nothing', async () => {
  await inWorld('jobs.threads = 1\n', async (server, world) => {
    await world.set('master', { autoPull: false });
    const source = await world.fork();
    const node = await world.make(source, { title: 'Made' });
    const id = await world.open({ sourceBranchId: source });
    const approver = await world.person('approver', { [world.repository]: 'contributor', [world.requestPath(id)]: 'editor', [world.branchPath('master')]: 'editor' });
    await keepBusy(server);
    const started = await world.act(id, 'merge/start', approver);
    assert.equal(started.status, 200, started.text);
    await world.admin('POST', `${world.branchPath('master')}/authorities/editor/revoke?id=default/approver`, {});
    assert.equal((await world.read(id)).state, 'MERGING');
    const job = await endedJob((...call) => world.admin(...call), started.json._doc);
    const request = await world.read(id);
    assert.deepEqual([job.state, request.state, await world.title('master', node)], ['ERROR', 'OPEN', undefined]);
    assert.match(request.problem, /merged by those who may UPDATE it/);
  });
});
