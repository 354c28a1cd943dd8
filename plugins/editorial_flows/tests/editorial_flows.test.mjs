// Work on a branch of its own that ends in a pull request (docs/reference/editorial_flows.md; docs/specification/nodes.md 30).
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { SteleServer } from '../../../tests/support/stele_server.mjs';

let server;
let repository;
before(async () => { server = await SteleServer.start(); });
after(() => server.end());
beforeEach(async () => { repository = (await admin('POST', '/repositories', {}))._doc; });

const admin = (...args) => server.admin(...args);
const ask = (method, path, body, token = server.adminToken) => server.request(method, path, { token, body });
const branchPath = (branch) => `/repositories/${repository}/branches/${branch}`;
const nodes = async (branch) => (await admin('POST', `${branchPath(branch)}/nodes/query`, { foo: 'bar' })).total_rows;
const make = (branch, fields = {}) => admin('POST', `${branchPath(branch)}/nodes`, { foo: 'bar', ...fields });
const start = (more = {}) => admin('POST', '/editorial/flows/start', { repositoryId: repository, branchId: 'master', operation: 'edit', flowKey: 'default',
  properties: { title: 'My flow' }, workflowData: { a: 1 }, swimlanes: {}, nodeRefs: [], ...more });
const task = (flow) => admin('GET', `/editorial/flows/${flow}/task`);
const go = (flow, route) => admin('POST', `/editorial/flows/${flow}/transition?route=${route}`);
async function settled(flow) {
  for (let left = 200; left > 0; --left) {
    const now = await task(flow);
    if (now.state !== 'merging') return now;
    await sleep(50);
  }
  throw new Error('the flow does not settle');
}

test('what is made in a flow is on its branch, and on the target when the flow is finished', async () => {
  const { workflowId, branchId, workspaceId } = await start();
  assert.ok(workspaceId);
  const first = await task(workflowId);
  assert.deepEqual(Object.keys(first.routes).sort(), ['cancel', 'finish']);
  assert.deepEqual([first.state, first.title, first.branchId], ['active', 'My flow', branchId]);
  for (let i = 0; i < 3; ++i) await make(branchId, { title: `n${i}` });
  assert.deepEqual([await nodes('master'), await nodes(branchId)], [0, 3]);
  const next = await go(workflowId, 'finish');
  assert.ok(['merging', 'review', 'finished'].includes(next.state), next.state);
  const last = await settled(workflowId);
  assert.deepEqual([last.state, last.routes, await nodes('master')], ['finished', {}, 3]);
  assert.equal((await admin('GET', `/repositories/${repository}/pullrequests/${last.pullRequestId}`)).state, 'MERGED');
  const again = await ask('POST', `/editorial/flows/${workflowId}/transition?route=finish`);
  assert.deepEqual([again.status, again.json.code], [409, 'editorial_flows.ended']);
  const record = await admin('GET', `/editorial/flows/${workflowId}`);
  assert.deepEqual([record.state, record.workflowData, record.operation], ['finished', { a: 1 }, 'edit']);
});

test('a flow that is cancelled leaves the target as it is, and its branch archived', async () => {
  const { workflowId, branchId } = await start();
  await make(branchId);
  const last = await go(workflowId, 'cancel');
  assert.deepEqual([last.state, last.routes, await nodes('master')], ['cancelled', {}, 0]);
  assert.equal((await admin('GET', branchPath(branchId))).archived, true);
  assert.equal((await ask('POST', `/editorial/flows/${workflowId}/transition?route=finish`)).status, 409);
});

test('a target that waits for approval gets nothing before somebody merges, and takes flows where it blocks direct commits', async () => {
  await admin('PUT', branchPath('master'), { autoPull: false, blockDirectCommits: true });
  const { workflowId, branchId } = await start();
  await make(branchId);
  const waiting = await go(workflowId, 'finish');
  assert.deepEqual([waiting.state, Object.keys(waiting.routes).sort(), await nodes('master')], ['review', ['cancel', 'finish'], 0]);
  await go(workflowId, 'finish');
  assert.deepEqual([(await settled(workflowId)).state, await nodes('master')], ['finished', 1]);
});

test('a flow that meets conflicts waits with its request until they are decided', async () => {
  const { _doc: node } = await make('master', { title: 'Before' });
  const { workflowId, branchId } = await start();
  for (const [branch, title] of [[branchId, 'Flow'], ['master', 'Master']]) await admin('PUT', `${branchPath(branch)}/nodes/${node}`, { foo: 'bar', title });
  await go(workflowId, 'finish');
  const waiting = await settled(workflowId);
  assert.equal(waiting.state, 'review');
  const [conflict] = (await admin('GET', `/repositories/${repository}/conflicts`)).rows;
  await admin('POST', `/repositories/${repository}/conflicts/${conflict._doc}/resolve?resolution=source`, {});
  await go(workflowId, 'finish');
  assert.equal((await settled(workflowId)).state, 'finished');
  assert.equal((await admin('GET', `${branchPath('master')}/nodes/${node}`)).title, 'Flow');
});

test('a request that somebody closes gives the flow back to its editors', async () => {
  await admin('PUT', branchPath('master'), { autoPull: false });
  const { workflowId, branchId } = await start();
  await make(branchId);
  const { pullRequestId } = await go(workflowId, 'finish');
  await admin('POST', `/repositories/${repository}/pullrequests/${pullRequestId}/close`);
  assert.equal((await task(workflowId)).state, 'active');
  const second = await go(workflowId, 'finish');
  assert.deepEqual([second.state, second.pullRequestId === pullRequestId], ['review', false]);
  assert.equal((await go(workflowId, 'cancel')).state, 'cancelled');
  assert.equal((await admin('GET', `/repositories/${repository}/pullrequests/${second.pullRequestId}`)).state, 'CLOSED');
});

test('what a flow is told badly is named, and nothing is made', async () => {
  const branches = async () => (await admin('GET', `/repositories/${repository}/branches`)).total_rows;
  for (const [body, name] of [[{}, 'repositoryId'], [{ repositoryId: 'nowhere' }, 'repositoryId'], [{ repositoryId: repository, branchId: 'nowhere' }, 'branchId'],
    [{ repositoryId: repository, properties: 'x' }, 'properties'], [{ repositoryId: repository, nodeRefs: {} }, 'nodeRefs'], [{ repositoryId: repository, flowKey: 1 }, 'flowKey']]) {
    const reply = await ask('POST', '/editorial/flows/start', body);
    assert.equal(reply.status, 400, reply.text);
    assert.ok(reply.text.includes(name), reply.text);
  }
  const { workflowId } = await start();
  for (const query of ['', '?route=elsewhere']) assert.equal((await ask('POST', `/editorial/flows/${workflowId}/transition${query}`)).status, 400);
  assert.deepEqual([await branches(), (await task(workflowId)).state], [2, 'active']);
});

test('nobody begins, sees or ends a flow beyond their rights', async () => {
  const { workflowId } = await start();
  await server.makeUser('stranger');
  const token = await server.login('stranger', 'secret-of-stranger');
  const own = (body) => ask('POST', '/editorial/flows/start', body, token);
  // Whoever may not READ the repository is told the same of it as of none.
  assert.equal((await own({ repositoryId: repository })).status, 400);
  for (const [method, path] of [['GET', ''], ['GET', '/task'], ['POST', '/transition?route=cancel']]) {
    assert.equal((await ask(method, `/editorial/flows/${workflowId}${path}`, undefined, token)).status, 404);
  }
  await admin('POST', `/repositories/${repository}/authorities/consumer/grant?id=default/stranger`, {});
  await admin('POST', `${branchPath('master')}/authorities/consumer/grant?id=default/stranger`, {});
  assert.equal((await own({ repositoryId: repository })).status, 403);
  await admin('POST', `/editorial/flows/${workflowId}/authorities/consumer/grant?id=default/stranger`, {});
  assert.equal((await ask('GET', `/editorial/flows/${workflowId}/task`, undefined, token)).status, 200);
  assert.equal((await ask('POST', `/editorial/flows/${workflowId}/transition?route=cancel`, undefined, token)).status, 403);
  assert.equal((await task(workflowId)).state, 'active');
});

test('nobody brings by a flow what they could not merge', async () => {
  const { _doc: node } = await make('master', { title: 'Before' });
  await server.makeUser('flower');
  const token = await server.login('flower', 'secret-of-flower');
  const grant = (path, role) => admin('POST', `${path}/authorities/${role}/grant?id=default/flower`, {});
  await grant(`/repositories/${repository}`, 'contributor');
  await grant(branchPath('master'), 'consumer');
  await grant(`${branchPath('master')}/nodes/${node}`, 'consumer');
  const begun = await ask('POST', '/editorial/flows/start', { repositoryId: repository }, token);
  assert.equal(begun.status, 200, begun.text);
  const { workflowId, branchId } = begun.json;
  await admin('PUT', `${branchPath(branchId)}/nodes/${node}`, { foo: 'bar', title: 'After' });
  const finished = await ask('POST', `/editorial/flows/${workflowId}/transition?route=finish`, undefined, token);
  assert.equal(finished.status, 200, finished.text);
  assert.equal((await settled(workflowId)).state, 'review');
  assert.equal((await admin('GET', `${branchPath('master')}/nodes/${node}`)).title, 'Before');
});
