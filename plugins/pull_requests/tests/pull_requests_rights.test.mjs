// Who may do what with pull requests, and what they are told (docs/reference/pull_requests.md).
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { endedJob } from '../../../tests/support/ended_job.mjs';
import { SteleServer } from '../../../tests/support/stele_server.mjs';
import { RequestWorld } from './request_world.mjs';

let server;
let world;
before(async () => { server = await SteleServer.start(); });
after(() => server.end());
beforeEach(async () => { world = await RequestWorld.make(server); });

const isRefused = (reply, status, code) => assert.deepEqual([reply.status, reply.json.code], [status, code], reply.text);
const jobOf = async (reply) => {
  assert.equal(reply.status, 200, reply.text);
  return endedJob((...call) => world.admin(...call), reply.json._doc);
};
let persons = 0;
/// Somebody with a role on each of these paths.
const personWith = (...grants) => world.person(`person-${++persons}`, Object.fromEntries(grants));
/// A role on the repository that lets somebody open requests and reaches nothing in it.
async function opener() {
  await world.admin('POST', `${world.repository}/roles`, { roleKey: 'opener', permissions: ['CONNECT', 'CREATE_SUBOBJECTS'] });
  return [world.repository, 'opener'];
}
/// A source with a new node, and the request to merge it that nobody has merged yet.
async function waiting() {
  await world.set('master', { autoPull: false });
  const source = await world.fork();
  const node = await world.make(source, { title: 'Made' });
  return { source, node, id: await world.open({ sourceBranchId: source }) };
}

test('who may read a request does not merge, close, change or delete it, and who may not is told of none', async () => {
  const { id } = await waiting();
  const reader = await personWith([world.requestPath(id), 'consumer']);
  assert.equal((await world.ask('GET', world.requestPath(id), undefined, reader)).json.state, 'OPEN');
  for (const action of ['merge/start', 'close']) isRefused(await world.act(id, action, reader), 403, 'authority.permission_missing');
  for (const method of ['PUT', 'DELETE']) isRefused(await world.ask(method, world.requestPath(id), {}, reader), 403, 'authority.permission_missing');
  const stranger = await personWith();
  for (const action of ['merge/start', 'validate/start', 'changes/tree', 'close']) assert.equal((await world.act(id, action, stranger)).status, 404);
});

test('who may not read both branches is told nothing of them', async () => {
  const { source } = await world.disputed();
  const id = await world.open({ sourceBranchId: source });
  const { conflictIds } = await world.settled(id);
  assert.equal(conflictIds.length, 1);
  const hidden = ['conflictIds', 'faults', 'problem'];
  const shownTo = async (token) => {
    const { json } = await world.ask('GET', world.requestPath(id), undefined, token);
    const { rows } = (await world.ask('POST', `${world.repository}/pullrequests/query`, { _doc: id }, token)).json;
    const shown = hidden.filter((name) => name in json);
    assert.deepEqual(hidden.filter((name) => name in rows[0]), shown);
    return shown;
  };
  const repository = [world.repository, 'connector'];
  for (const branches of [[], [world.branchPath('master')], [world.branchPath(source)]]) {
    const token = await personWith(repository, [world.requestPath(id), 'collaborator'], ...branches.map((path) => [path, 'consumer']));
    assert.deepEqual(await shownTo(token), []);
    for (const action of ['merge/start', 'validate/start', 'changes/tree']) isRefused(await world.act(id, action, token), 409, 'pull_requests.branches_missing');
    for (const name of hidden) assert.equal((await world.ask('POST', `${world.repository}/pullrequests/query`, { [name]: { $exists: true } }, token)).json.total_rows ?? 0, 0);
  }
  const both = await personWith(repository, [world.requestPath(id), 'consumer'], [world.branchPath('master'), 'consumer'], [world.branchPath(source), 'consumer']);
  assert.deepEqual(await shownTo(both), hidden);
});

test('the job of somebody else is answered to those who may read both branches', async () => {
  const { id } = await waiting();
  const { _doc: job } = await world.ended(id, 'merge/start');
  const changing = [world.requestPath(id), 'collaborator'];
  isRefused(await world.act(id, 'merge/start', await personWith([world.repository, 'connector'], changing)), 409, 'pull_requests.merged');
  assert.equal((await world.act(id, 'merge/start', await personWith([world.repository, 'consumer'], changing))).json._doc, job);
});

test('a request is opened for branches that whoever opens it may read', async () => {
  const source = await world.fork();
  const token = await personWith(await opener(), [world.branchPath('master'), 'consumer']);
  const reply = await world.ask('POST', `${world.repository}/pullrequests`, { sourceBranchId: source }, token);
  assert.deepEqual([reply.status, reply.json.violations.map(({ path }) => path)], [400, ['sourceBranchId']], reply.text);
});

test('a merge does what whoever starts it may do, and tells why it did not', async () => {
  const { node, id } = await waiting();
  await world.set('master', { autoPull: true });
  const token = await personWith([world.repository, 'consumer'], [world.requestPath(id), 'editor']);
  const job = await jobOf(await world.act(id, 'merge/start', token));
  assert.equal(job.state, 'ERROR');
  const request = await world.read(id);
  assert.equal(request.state, 'OPEN');
  assert.match(request.problem, /CREATE_SUBOBJECTS/);
  assert.equal(await world.title('master', node), undefined);
  const writer = await personWith([world.repository, 'contributor'], [world.requestPath(id), 'editor']);
  assert.equal((await jobOf(await world.act(id, 'merge/start', writer)))._result.merged, true);
  assert.deepEqual([(await world.read(id)).mergedBy, await world.title('master', node)], [`person-${persons}`, 'Made']);
});

test('a request that somebody opens without rights on the target waits for somebody else', async () => {
  const source = await world.fork();
  const node = await world.make(source, { title: 'Made' });
  const token = await personWith([world.repository, 'consumer']);
  await world.admin('POST', `${(await opener())[0]}/authorities/opener/grant?id=default/person-${persons}`, {});
  const opened = await world.ask('POST', `${world.repository}/pullrequests`, { sourceBranchId: source }, token);
  const request = await world.settled(opened.json._doc);
  assert.equal(request.state, 'OPEN');
  assert.match(request.problem, /CREATE_SUBOBJECTS/);
  const job = await endedJob((...call) => world.admin(...call), request.mergeJobId);
  assert.deepEqual([job.state, job._result.merged], ['FINISHED', false]);
  assert.equal((await world.ended(opened.json._doc, 'merge/start'))._result.merged, true);
  assert.equal(await world.title('master', node), 'Made');
});

test('where requests wait for approval, only who may update the target merges them', async () => {
  const { node, id } = await waiting();
  const rights = [[world.repository, 'contributor'], [world.requestPath(id), 'editor']];
  const author = await personWith(...rights);
  isRefused(await world.act(id, 'merge/start', author), 403, 'pull_requests.approval_missing');
  assert.deepEqual([(await world.read(id)).state, await world.title('master', node)], ['OPEN', undefined]);
  const approver = await personWith(...rights, [world.branchPath('master'), 'editor']);
  assert.equal((await jobOf(await world.act(id, 'merge/start', approver)))._result.merged, true);
});

test('a request is the way into a branch that takes no direct commits', async () => {
  const source = await world.fork();
  const node = await world.make(source, { title: 'Made' });
  await world.set('master', { blockDirectCommits: true });
  const code = 'nodes.branch_direct_commits_blocked';
  isRefused(await world.ask('POST', `${world.branchPath('master')}/nodes`, { title: 'Direct' }), 403, code);
  isRefused(await world.ask('POST', `${world.branchPath('master')}/merge?id=${source}`), 403, code);
  const author = await personWith([world.repository, 'contributor']);
  const opened = await world.ask('POST', `${world.repository}/pullrequests`, { sourceBranchId: source }, author);
  assert.equal((await world.settled(opened.json._doc)).state, 'MERGED');
  assert.equal(await world.title('master', node), 'Made');
  isRefused(await world.ask('POST', `${world.branchPath('master')}/nodes`, { title: 'Direct' }), 403, code);
  // With approval nobody lets in what is their own.
  await world.set('master', { autoPull: false });
  await world.make(source, { title: 'Another' });
  const second = await world.ask('POST', `${world.repository}/pullrequests`, { sourceBranchId: source }, author);
  isRefused(await world.act(second.json._doc, 'merge/start', author), 403, 'pull_requests.approval_missing');
  assert.equal((await world.ended(second.json._doc, 'merge/start'))._result.merged, true);
});

test('changed nodes and faults are told to those who may read the nodes', async () => {
  await world.make('master', { _type: 'd:type', _qname: 'my:fruit', title: 'Fruit', type: 'object', properties: { size: { type: 'number' } } });
  const source = await world.fork({ validateContent: false });
  const [shown, hidden] = [await world.make(source, { _type: 'my:fruit', title: 'Shown', size: 'large' }), await world.make(source, { _type: 'my:fruit', title: 'Hidden', size: 'small' })];
  await world.set('master', { autoPull: false, validateContent: true });
  const id = await world.open({ sourceBranchId: source });
  await world.ended(id, 'validate/start');
  const looker = await personWith([world.repository, 'connector'], [world.requestPath(id), 'consumer'], [world.branchPath('master'), 'consumer'],
    [world.branchPath(source), 'consumer'], [world.nodePath(source, shown), 'consumer']);
  const { json } = await world.ask('GET', world.requestPath(id), undefined, looker);
  assert.deepEqual([json.faultCount, json.faults.map(({ nodeId }) => nodeId)], [2, [shown]]);
  assert.deepEqual((await world.read(id)).faults.map(({ nodeId }) => nodeId).sort(), [shown, hidden].sort());
  const tree = await world.act(id, 'changes/tree', looker);
  assert.deepEqual(tree.json.rows.map(({ nodeId }) => nodeId), [shown]);
  for (const { text } of [tree, await world.ask('GET', world.requestPath(id), undefined, looker)]) assert.ok(!text.includes(hidden), text);
});

test('what a reader finds out by validate/start is in their job, not in the request', async () => {
  const { id } = await waiting();
  const reader = await personWith([world.repository, 'consumer']);
  const before = await world.read(id);
  const job = await jobOf(await world.act(id, 'validate/start', reader));
  assert.deepEqual([job.state, job._result.faultCount, job._result.rows[0].code], ['FINISHED', 1, 'authority.permission_missing'], JSON.stringify(job));
  assert.deepEqual(await world.read(id), before);
});
