// A server that is killed while it merges: the merge is there as a whole, or it has not begun.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { endedJob } from '../../../tests/support/ended_job.mjs';
import { repetitions } from '../../../tests/support/repetitions.mjs';
import { SteleServer } from '../../../tests/support/stele_server.mjs';

const rounds = repetitions(30);
const kNew = 60;

let server;
let branches;
before(async () => {
  server = await SteleServer.start({ config: 'jobs.lease = 3s\n' });
  branches = `/repositories/${(await server.admin('POST', '/repositories', {}))._doc}/branches`;
});
after(() => server.end());

const admin = (...args) => server.admin(...args);
const nodesIn = async (branch, round) => (await admin('POST', `${branches}/${branch}/nodes/query?limit=0`, { round })).total_rows;
const tip = async () => (await admin('GET', `${branches}/master`)).tip;
const incoming = async () => (await admin('GET', `${branches}/master/merges?mergeType=incoming`)).rows.map(({ _doc }) => _doc);

/// A branch with new nodes of its round, and one that it has changed and one that it has deleted.
async function prepare(round) {
  const [changed, deleted] = await admin('POST', `${branches}/master/nodes`, [{ changes: round }, { changes: round }]).then(({ rows }) => rows.map(({ _doc }) => _doc));
  const source = (await admin('POST', `${branches}?branch=master`, {}))._doc;
  await admin('POST', `${branches}/${source}/nodes`, Array.from({ length: kNew }, () => ({ round })));
  await admin('PUT', `${branches}/${source}/nodes/${changed}`, { changes: round, isChanged: true });
  await admin('DELETE', `${branches}/${source}/nodes/${deleted}`);
  const isWhole = async () => {
    const status = (await server.request('GET', `${branches}/master/nodes/${deleted}`, { token: server.adminToken })).status;
    const { isChanged = false } = await admin('GET', `${branches}/master/nodes/${changed}`);
    const seen = [await nodesIn('master', round), isChanged, status === 404];
    if (seen[0] === 0) assert.deepEqual(seen, [0, false, false], `round ${round}`);
    else assert.deepEqual(seen, [kNew, true, true], `round ${round}`);
    return isChanged;
  };
  return { source, isWhole };
}

/// How long a merge takes here, milliseconds.
async function usualTime() {
  const { source } = await prepare(-1);
  const began = Date.now();
  await admin('POST', `${branches}/master/merge?id=${source}`, {});
  return Date.now() - began;
}

test(`${rounds} rounds of kill -9 while branches are merged: merged as a whole and once, or not at all`, async () => {
  const usual = await usualTime();
  const came = { whole: 0, none: 0 };
  for (let round = 0; round < rounds; ++round) {
    const { source, isWhole } = await prepare(round);
    const before = await tip();
    const isJob = round % 2 === 1;
    const asked = server.request('POST', `${branches}/master/merge${isJob ? '/start' : ''}?id=${source}`, { token: server.adminToken, body: {} })
      .then(({ status, json }) => (status === 200 ? json : assert.fail(`merging answers ${status}`)), () => undefined);
    await sleep(1.5 * usual * (round / rounds));
    await server.stop('SIGKILL');
    const answer = await asked;
    await server.launch();
    // A job that was stored goes on, also where the answer did not come any more.
    if (isJob) {
      const { rows } = await admin('POST', '/jobs/query?sort=%7B%22_system.created_on.ms%22:-1%7D&limit=1', {});
      for (const { _doc } of rows) assert.equal((await endedJob(admin, _doc)).state, 'FINISHED');
    }
    const isThere = await isWhole();
    if (answer) assert.ok(isThere, `round ${round}: an acknowledged merge is not there`);
    assert.equal(await tip() !== before, isThere, `round ${round}`);
    assert.equal((await incoming()).includes(source), isThere, `round ${round}`);
    came[isThere ? 'whole' : 'none'] += 1;
    const report = await admin('POST', `${branches}/master/merge?id=${source}`, {});
    assert.deepEqual([report.merged, report.nodeCount], [true, isThere ? 0 : kNew + 2], `round ${round}`);
    assert.ok(await isWhole());
  }
  console.log(`merges that were there: ${came.whole}, that were not: ${came.none}`);
  await server.stop();
  const { status, text } = server.check();
  assert.equal(status, 0, text);
  await server.launch();
});
