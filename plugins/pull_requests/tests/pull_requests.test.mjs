// Pull requests from opening to merging or closing (docs/reference/pull_requests.md).
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

const kAdmin = 'admin';
const isTime = (value) => assert.ok(Math.abs(value.ms - Date.now()) < 60_000, JSON.stringify(value));
const isRefused = (reply, status, code) => assert.deepEqual([reply.status, reply.json.code], [status, code], reply.text);

test('a request into a branch that says nothing else is merged by itself, as whoever opened it', async () => {
  const source = await world.fork();
  const node = await world.make(source, { title: 'Made' });
  const opened = await world.admin('POST', `${world.repository}/pullrequests`, { title: 'Spring', sourceBranchId: source });
  assert.deepEqual([opened.ok, opened.state, opened.targetBranchId], [true, 'OPEN', world.master]);
  const request = await world.settled(opened._doc);
  assert.deepEqual([request.state, request.mergedBy, request.title, request.conflictCount, request.faultCount, request.problem, request.stale],
    ['MERGED', kAdmin, 'Spring', 0, 0, '', false]);
  isTime(request.mergedOn);
  const job = await endedJob((...call) => world.admin(...call), request.mergeJobId);
  assert.deepEqual([job.state, job._result.merged, job._result.pullRequestId], ['FINISHED', true, opened._doc]);
  const { tip } = await world.branch('master');
  assert.deepEqual([(await world.read(opened._doc)).mergedChangesetId, job._result.changesetId], [tip, tip]);
  assert.equal(await world.title('master', node), 'Made');
  assert.equal((await world.read(opened._doc)).sourceChangesetId, (await world.branch(source)).tip);
});

test('a request without anything to merge stays open until somebody asks', async () => {
  const source = await world.fork();
  const id = await world.open({ sourceBranchId: source });
  const request = await world.settled(id);
  assert.deepEqual([request.state, request.problem, request.conflictCount, request.stale], ['OPEN', '', 0, false]);
  const { tip } = await world.branch('master');
  const job = await world.ended(id, 'merge/start');
  assert.deepEqual([job.state, job._result.merged], ['FINISHED', true]);
  const merged = await world.read(id);
  assert.deepEqual([merged.state, merged.mergedChangesetId, (await world.branch('master')).tip], ['MERGED', undefined, tip]);
});

test('a target with autoPull false waits for merge/start', async () => {
  await world.set('master', { autoPull: false });
  const source = await world.fork();
  const node = await world.make(source, { title: 'Made' });
  const id = await world.open({ sourceBranchId: source, targetBranchId: 'master' });
  const request = await world.read(id);
  assert.deepEqual([request.state, request.mergeJobId, request.targetBranchId], ['OPEN', '', world.master]);
  assert.deepEqual([request.sourceChangesetId, request.targetChangesetId], [(await world.branch(source)).tip, (await world.branch('master')).tip]);
  assert.equal(await world.title('master', node), undefined);
  const started = await world.act(id, 'merge/start');
  assert.equal(typeof started.json._doc, 'string', started.text);
  const job = await endedJob((...call) => world.admin(...call), started.json._doc);
  assert.equal(job._result.merged, true);
  assert.deepEqual([(await world.read(id)).state, await world.title('master', node)], ['MERGED', 'Made']);
});

test('conflicts leave the request open and are decided before it is merged', async () => {
  const { node, source } = await world.disputed();
  const id = await world.open({ sourceBranchId: source });
  const request = await world.settled(id);
  assert.deepEqual([request.state, request.conflictCount, request.conflictIds.length], ['OPEN', 1, 1]);
  assert.notEqual(request.problem, '');
  const again = await world.ended(id, 'merge/start');
  assert.deepEqual([again.state, again._result.merged, again._result.conflictCount], ['FINISHED', false, 1]);
  assert.equal((await world.read(id)).state, 'OPEN');
  assert.equal(await world.title('master', node), 'of the target');
  await world.admin('POST', `${world.repository}/conflicts/${request.conflictIds[0]}/resolve?resolution=source`, {});
  assert.equal((await world.ended(id, 'merge/start'))._result.merged, true);
  const merged = await world.read(id);
  assert.deepEqual([merged.state, merged.conflictCount, merged.conflictIds, merged.problem], ['MERGED', 0, [], '']);
  assert.equal(await world.title('master', node), 'of the source');
});

test('a target that takes no writes leaves the request open and says why', async () => {
  const source = await world.fork();
  await world.make(source, { title: 'Made' });
  for (const closed of ['readonly', 'frozen']) {
    await world.set('master', { [closed]: true });
    const id = await world.open({ sourceBranchId: source });
    const request = await world.settled(id);
    assert.equal(request.state, 'OPEN');
    assert.match(request.problem, closed === 'frozen' ? /frozen/ : /read-only/);
    const job = await world.ended(id, 'merge/start');
    assert.equal(job.state, 'ERROR');
    assert.equal((await world.read(id)).state, 'OPEN');
    await world.set('master', { [closed]: false });
  }
});

test('a branch that moves or goes makes an open request stale, and breaks nothing', async () => {
  await world.set('master', { autoPull: false });
  const source = await world.fork();
  await world.make(source, { title: 'Made' });
  const id = await world.open({ sourceBranchId: source });
  const isStale = async () => {
    const { rows } = await world.admin('POST', `${world.repository}/pullrequests/query`, { _doc: id });
    const { stale } = await world.read(id);
    assert.equal(rows[0].stale, stale);
    return stale;
  };
  assert.equal(await isStale(), false);
  for (const moved of [source, 'master']) {
    await world.make(moved, { title: `Another of ${moved}` });
    assert.equal(await isStale(), true, moved);
    await world.ended(id, 'validate/start');
    assert.equal(await isStale(), false, moved);
  }
  await world.admin('DELETE', world.branchPath(source));
  assert.equal(await isStale(), true);
  for (const action of ['merge/start', 'validate/start', 'changes/tree']) isRefused(await world.act(id, action), 409, 'pull_requests.branches_missing');
  assert.equal((await world.act(id, 'close')).status, 200);
  assert.equal(await isStale(), false);
});

test('each state has its actions', async () => {
  await world.set('master', { autoPull: false });
  const source = await world.fork();
  await world.make(source, { title: 'Made' });
  const [merged, closed, empty] = [await world.open({ sourceBranchId: source }), await world.open({ sourceBranchId: source }), await world.open({})];
  const { _doc: job } = await world.ended(merged, 'merge/start');
  isRefused(await world.act(merged, 'close'), 409, 'pull_requests.merged');
  assert.equal((await world.act(merged, 'merge/start')).json._doc, job);
  await world.make(source, { title: 'After the merge' });
  const tree = (await world.act(merged, 'changes/tree')).json;
  assert.deepEqual([tree.total_rows, tree.rows, tree.tree.children], [0, [], []]);

  for (let i = 0; i < 2; ++i) {
    const reply = await world.act(closed, 'close');
    assert.deepEqual([reply.json.ok, reply.json._doc, reply.json.state], [true, closed, 'CLOSED']);
  }
  const record = await world.read(closed);
  assert.deepEqual([record.state, record.closedBy], ['CLOSED', kAdmin]);
  isTime(record.closedOn);
  isRefused(await world.act(closed, 'merge/start'), 409, 'pull_requests.closed');
  assert.equal((await world.act(closed, 'changes/tree')).status, 200);

  isRefused(await world.act(empty, 'merge/start'), 409, 'pull_requests.branches_missing');
  for (const id of [merged, closed, empty]) await world.admin('DELETE', world.requestPath(id));
  assert.equal((await world.admin('GET', `${world.repository}/pullrequests`)).total_rows, 0);
});

test('clients set what is theirs, and never what the server keeps', async () => {
  const source = await world.fork();
  const id = await world.open({ title: 'Draft', state: 'MERGED', conflictCount: 7, mergedBy: 'nobody', problem: 'lie', comments: [{ text: 'good' }], reviewers: ['ann'], own: { a: 1 } });
  const before = await world.read(id);
  assert.deepEqual([before.state, before.conflictCount, before.mergedBy, before.problem, before.stale, before.repositoryId],
    ['OPEN', 0, undefined, undefined, false, world.repository.split('/').at(-1)]);
  await world.admin('PUT', world.requestPath(id), { title: 'Better', state: 'CLOSED', mergeJobId: 'x', own: { a: 2 }, comments: before.comments });
  const after = await world.read(id);
  assert.deepEqual([after.title, after.state, after.mergeJobId, after.own, after.comments, after.reviewers],
    ['Better', 'OPEN', '', { a: 2 }, [{ text: 'good' }], undefined]);
  const violations = async (fields, method = 'POST', path = `${world.repository}/pullrequests`) => {
    const reply = await world.ask(method, path, fields);
    assert.equal(reply.status, 400, reply.text);
    return reply.json.violations.map(({ path: field, code }) => [field, code]);
  };
  assert.deepEqual(await violations({ sourceBranchId: 'nowhere', targetBranchId: 'nor-here' }),
    [['sourceBranchId', 'pull_requests.branch_unknown'], ['targetBranchId', 'pull_requests.branch_unknown']]);
  assert.deepEqual(await violations({ sourceBranchId: world.master }), [['targetBranchId', 'pull_requests.branches_same']]);
  assert.deepEqual(await violations({ sourceBranchId: source, targetBranchId: source }, 'PUT', world.requestPath(id)), [['targetBranchId', 'pull_requests.branches_same']]);
  const other = await RequestWorld.make(server);
  assert.deepEqual(await violations({ sourceBranchId: await other.fork() }), [['sourceBranchId', 'pull_requests.branch_unknown']]);
});

test('branches of an open request are changed, which forgets what was found out; those of others stay', async () => {
  const { source } = await world.disputed();
  const id = await world.open({ sourceBranchId: source });
  assert.equal((await world.settled(id)).conflictCount, 1);
  const other = await world.fork();
  const changed = await world.admin('PUT', world.requestPath(id), { title: 'other', sourceBranchId: other });
  assert.deepEqual([changed.sourceBranchId, changed.targetBranchId, changed.conflictCount, changed.conflictIds, changed.mergeJobId, changed.problem],
    [other, world.master, 0, [], '', '']);
  assert.equal((await world.read(id)).sourceChangesetId, (await world.branch(other)).tip);
  await world.act(id, 'close');
  await world.admin('PUT', world.requestPath(id), { title: 'after', sourceBranchId: source });
  const closed = await world.read(id);
  assert.deepEqual([closed.title, closed.sourceBranchId, closed.state], ['after', other, 'CLOSED']);
});

test('validate/start tells conflicts and what the target would refuse, and writes nothing to the branches', async () => {
  await world.set('master', { autoPull: false });
  const { source } = await world.disputed();
  const id = await world.open({ sourceBranchId: source });
  const tips = async () => [(await world.branch(source)).tip, (await world.branch('master')).tip];
  const before = await tips();
  const job = await world.ended(id, 'validate/start');
  assert.deepEqual([job.state, job._result.conflictCount, job._result.conflicts[0].kind, job._result.faultCount, job._result.rows, job._result.total_rows],
    ['FINISHED', 1, 'value', 0, [], 0], JSON.stringify(job));
  assert.deepEqual(await tips(), before);
  const request = await world.read(id);
  assert.deepEqual([request.conflictCount, request.conflictIds, request.validateJobId, request.state], [1, [], job._doc, 'OPEN']);
  assert.equal((await world.admin('GET', `${world.repository}/conflicts`)).total_rows, 0);
});

test('a content fault of what would come to a target that validates is told with its node', async () => {
  await world.make('master', { _type: 'd:type', _qname: 'my:fruit', title: 'Fruit', type: 'object', properties: { size: { type: 'number' } } });
  const source = await world.fork({ validateContent: false });
  const node = await world.make(source, { _type: 'my:fruit', title: 'Plum', size: 'large' });
  await world.set('master', { autoPull: false, validateContent: true });
  const id = await world.open({ sourceBranchId: source });
  const job = await world.ended(id, 'validate/start');
  assert.deepEqual([job._result.faultCount, job._result.rows.map(({ nodeId, title }) => [nodeId, title])], [1, [[node, 'Plum']]], JSON.stringify(job._result));
  const request = await world.read(id);
  assert.deepEqual([request.faultCount, request.faults.map(({ nodeId }) => nodeId)], [1, [node]]);
  const merge = await world.ended(id, 'merge/start');
  assert.equal(merge.state, 'ERROR');
  const refused = await world.read(id);
  assert.deepEqual([refused.state, await world.title('master', node)], ['OPEN', undefined]);
  assert.match(refused.problem, /size/);
  await world.put(source, node, { size: 3 });
  assert.equal((await world.ended(id, 'merge/start'))._result.merged, true);
  assert.deepEqual([(await world.read(id)).faults, await world.title('master', node)], [[], 'Plum']);
});

test('validate/start tells of branches that cannot be merged at all', async () => {
  const source = await world.fork();
  await world.make(source, { title: 'Made' });
  const target = await world.fork({ autoPull: false });
  const id = await world.open({ sourceBranchId: source, targetBranchId: target });
  const codeOf = async () => {
    const job = await world.ended(id, 'validate/start');
    assert.deepEqual([job.state, job._result.faultCount, job._result.rows.length], ['FINISHED', 1, 1], JSON.stringify(job));
    assert.equal((await world.read(id)).faults[0].code, job._result.rows[0].code);
    return job._result.rows[0].code;
  };
  for (const closed of ['readonly', 'frozen']) {
    await world.set(target, { [closed]: true });
    assert.equal(await codeOf(), `nodes.branch_${closed}`);
    await world.set(target, { [closed]: false });
  }
  await world.admin('POST', `${world.branchPath(source)}/archive`, {});
  assert.equal(await codeOf(), 'nodes.branch_archived');
});

test('changes/tree arranges changed nodes by folder', async () => {
  await world.set('master', { autoPull: false });
  const box = await world.makeFolder('master', 'Box');
  const [changed, gone] = [await world.make('master', { title: 'Changed' }, box), await world.make('master', { title: 'Gone' }, box)];
  const source = await world.fork();
  await world.put(source, changed, { colour: 'red' });
  await world.admin('DELETE', world.nodePath(source, gone));
  const inner = await world.makeFolder(source, 'Inner', box);
  const made = await world.make(source, { title: 'Made' }, inner);
  const lone = (await world.admin('POST', `${world.branchPath(source)}/nodes`, { title: 'Lone' }))._doc;
  const id = await world.open({ sourceBranchId: source });
  const { total_rows: total, rows, tree } = (await world.act(id, 'changes/tree')).json;
  assert.equal(total, 5);
  assert.deepEqual(rows.map(({ nodeId }) => nodeId), [changed, gone, inner, made, lone]);
  assert.deepEqual([tree.name, tree.path, tree.children.map(({ name }) => name), tree.unplaced.map(({ nodeId }) => nodeId)], ['', '/', ['Box'], [lone]]);
  const [folder] = tree.children;
  assert.deepEqual([folder.path, folder.nodeId, folder.operation], ['/Box', undefined, undefined]);
  const shape = ({ name, nodeId, operation, children }) => [name, nodeId, operation, children.map(shape)];
  assert.deepEqual(folder.children.map(shape), [['Changed', changed, 'update', []], ['Gone', gone, 'delete', []],
    ['Inner', inner, 'create', [['Made', made, 'create', []]]]]);
  const row = folder.children[0];
  assert.deepEqual([row.members, row.moved, row.conflict, row._type, row.title], [['colour'], false, false, 'n:node', 'Changed']);
  // Whoever looks writes nothing, so a closed target stands in nobody's way.
  await world.set('master', { frozen: true });
  assert.equal((await world.act(id, 'changes/tree')).json.total_rows, 5);
});

test('a request is exported, and comes back open and without its jobs', async () => {
  const source = await world.fork();
  await world.make(source, { title: 'Made' });
  const id = await world.open({ title: 'Spring', sourceBranchId: source });
  assert.equal((await world.settled(id)).state, 'MERGED');
  await world.make(source, { title: 'After the merge' });
  const { tip } = await world.branch('master');
  const archive = 'groupId=g&artifactId=requests&versionId=1&schedule=SYNCHRONOUS';
  assert.equal((await world.admin('POST', `${world.requestPath(id)}/export?${archive}`, {})).state, 'FINISHED');
  const other = await RequestWorld.make(server);
  for (const there of [world, other]) {
    const job = await there.admin('POST', `${there.repository}/import?${archive}`, {});
    assert.equal(job.state, 'FINISHED', JSON.stringify(job.log_entries));
    const copy = await there.read(job.targets[0].id);
    assert.deepEqual([copy.title, copy.state, copy.mergeJobId, copy.mergedBy, copy.stale], ['Spring', 'OPEN', '', undefined, there === other]);
  }
  assert.equal((await world.branch('master')).tip, tip);
});
