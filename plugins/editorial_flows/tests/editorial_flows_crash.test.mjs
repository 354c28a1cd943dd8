// A server that is killed while a flow is finished: it is finished once, or may be finished again.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { repetitions } from '../../../tests/support/repetitions.mjs';
import { SteleServer } from '../../../tests/support/stele_server.mjs';
import { until } from '../../../tests/support/until.mjs';

const rounds = repetitions(30);
const kNew = 40;
const kLatest = 90;

let server;
let repository;
let branches;
before(async () => {
  server = await SteleServer.start({ config: 'jobs.lease = 3s\n' });
  repository = (await server.admin('POST', '/repositories', {}))._doc;
  branches = `/repositories/${repository}/branches`;
});
after(() => server.end());

const admin = (...args) => server.admin(...args);
const finish = (flow) => server.request('POST', `/editorial/flows/${flow}/transition?route=finish`, { token: server.adminToken, body: {} });

test(`${rounds} rounds of kill -9 while a flow is finished: its nodes are on the master once, or it can be finished again`, async () => {
  const came = {};
  for (let round = 0; round < rounds; ++round) {
    const { workflowId: flow, branchId } = await admin('POST', '/editorial/flows/start', {
      repositoryId: repository, branchId: 'master', operation: 'edit', flowKey: 'default', properties: { title: `${round}` },
      workflowData: {}, swimlanes: {}, nodeRefs: [] });
    await admin('POST', `${branches}/${branchId}/nodes`, Array.from({ length: kNew }, () => ({ round })));
    const present = async () => (await admin('POST', `${branches}/master/nodes/query?limit=0`, { round })).total_rows;
    const changesets = async () => (await admin('GET', `/repositories/${repository}/changesets?limit=0`)).total_rows;
    const before = await changesets();
    const asked = finish(flow).then(({ status, text }) => (status === 200 ? true : assert.fail(text)), () => false);
    await sleep(kLatest * (round / rounds));
    await server.stop('SIGKILL');
    const isAcknowledged = await asked;
    await server.launch();
    const seen = await present();
    assert.ok([0, kNew].includes(seen), `round ${round}: ${seen} of ${kNew}`);
    const { state } = await admin('GET', `/editorial/flows/${flow}/task`);
    came[state] = (came[state] ?? 0) + 1;
    if (isAcknowledged) assert.notEqual(state, 'active', `round ${round}: what was acknowledged is not there`);
    if (state === 'active') {
      assert.equal(seen, 0);
      const again = await finish(flow);
      assert.equal(again.status, 200, again.text);
    }
    await until(async () => (await admin('GET', `/editorial/flows/${flow}/task`)).state === 'finished', `round ${round} is finished`);
    assert.deepEqual([await present(), await changesets()], [kNew, before + 1], `round ${round}`);
    const requests = (await admin('POST', `/repositories/${repository}/pullrequests/query`, { sourceBranchId: branchId })).rows;
    assert.deepEqual(requests.map((request) => request.state), ['MERGED'], `round ${round}`);
  }
  console.log(`states after the server came back: ${JSON.stringify(came)}`);
  await server.stop();
  const { status, text } = server.check();
  assert.equal(status, 0, text);
  await server.launch();
});
