// Work on a branch of its own that comes to the master at a date (docs/reference/releases.md; docs/specification/nodes.md 28,
// merge_and_transfer.md 2).
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { endedJob } from '../../../tests/support/ended_job.mjs';
import { SteleServer } from '../../../tests/support/stele_server.mjs';

let server;
let repository;
before(async () => { server = await SteleServer.start(); });
after(() => server.end());
beforeEach(async () => { repository = `/repositories/${(await admin('POST', '/repositories', {}))._doc}`; });

const admin = (...args) => server.admin(...args);
const ask = (method, path, body, token = server.adminToken) => server.request(method, path, { token, body });
const branchPath = (branch) => `${repository}/branches/${branch}`;
const nodePath = (branch, node) => `${branchPath(branch)}/nodes/${node}`;
const release = (id) => `${repository}/releases/${id}`;
const make = async (branch, fields = {}) => (await admin('POST', `${branchPath(branch)}/nodes`, fields))._doc;
const title = async (branch, node) => (await admin('GET', nodePath(branch, node))).title;
const put = (branch, node, fields) => admin('PUT', nodePath(branch, node), fields);
const create = async (fields = {}, query = '') => admin('GET', release((await admin('POST', `${repository}/releases${query}`, fields))._doc));
const read = (id) => admin('GET', release(id));
async function until(is, seconds = 60) {
  for (const end = Date.now() + seconds * 1000; ; await sleep(50)) {
    if (await is()) return;
    assert.ok(Date.now() < end, `not within ${seconds} s`);
  }
}
const jobOf = async (work) => (await admin('GET', `/work/scheduled/${work}`)).jobId;
const refusal = async (path, body) => { const { status, json } = await ask('POST', path, body); return [status, json.code]; };

test('2.3: a release is made, changed, finalized, scheduled, and on the master after its date', async () => {
  const node = await make('master', { title: 'Before' });
  const started = await admin('POST', `${repository}/releases/create/start`, { title: 'Spring', own: { a: 1 } });
  const job = await endedJob(admin, started._doc);
  const id = job._result['created-release-id'];
  const [row, ...others] = (await admin('GET', `${repository}/releases/`)).rows;
  assert.deepEqual([row._doc, others, row.title, row.own], [id, [], 'Spring', { a: 1 }]);
  assert.equal((await admin('POST', `${repository}/releases/query`, {})).total_rows, 1);
  const { branchId } = row;
  assert.equal((await admin('GET', branchPath(branchId)))._doc, branchId);
  assert.equal(await title(branchId, node), 'Before');
  await put(branchId, node, { title: 'After' });
  const date = Date.now() + 3000;
  await admin('PUT', release(id), { ...row, releaseDate: { ms: date }, finalized: true, branchId: 'x', released: true });
  const dated = await read(id);
  assert.deepEqual([dated.releaseDate.ms, dated.finalized, dated.branchId, dated.released], [date, false, branchId, false]);
  assert.ok(dated.releaseDate.iso_8601);
  const first = await admin('POST', `${release(id)}/finalize`, { schedule: false });
  assert.deepEqual([first.result._doc, first.result.finalized, first.result.scheduled, first.result.finalizeHasConflicts], [id, true, false, false]);
  assert.deepEqual(await refusal(`${branchPath(branchId)}/nodes`, {}), [403, 'nodes.branch_readonly']);
  const second = (await admin('POST', `${release(id)}/finalize`, { schedule: true })).result;
  assert.deepEqual([second.scheduled, second.scheduledBy, second.finalizedDate], [true, 'admin', first.result.finalizedDate]);
  assert.equal(await title('master', node), 'Before');
  await until(async () => (await read(id)).snapshotId);
  assert.ok(Date.now() >= date, 'it came before its date');
  const last = await read(id);
  assert.deepEqual([await title('master', node), last.released, last.scheduled], ['After', true, false]);
  await put('master', node, { title: 'Later' });
  assert.equal(await title(last.snapshotId, node), 'After');
  assert.equal((await admin('GET', branchPath(last.snapshotId))).snapshot, true);
  for (const action of ['finalize', 'unfinalize', 'releaseimmediately']) assert.deepEqual(await refusal(`${release(id)}/${action}`, {}), [409, 'releases.released'], action);
});

test('a release begins with the content of another one, or of the master', async () => {
  const one = await create({ title: 'One' });
  const node = await make(one.branchId, { title: 'Of one' });
  const two = await create({ title: 'Two' }, `?sourceId=${one._doc}`);
  assert.equal(await title(two.branchId, node), 'Of one');
  const three = await create();
  assert.equal((await ask('GET', nodePath(three.branchId, node))).status, 404);
  const wrong = await ask('POST', `${repository}/releases?sourceId=nowhere`, {});
  assert.equal(wrong.status, 400);
  assert.match(wrong.text, /sourceId/);
});

test('a date is a time, also by its milliseconds alone, and a schedule needs one', async () => {
  const { _doc: id } = await create();
  for (const releaseDate of [1900000000000, { ms: 1900000000000 }, { ms: 1900000000000, year: 1 }]) {
    await admin('PUT', release(id), { releaseDate });
    assert.deepEqual([(await read(id)).releaseDate.ms, (await read(id)).releaseDate.year], [1900000000000, 2030]);
  }
  for (const releaseDate of ['soon', {}, { ms: 'x' }, -1, [1], true]) {
    for (const [method, path] of [['PUT', release(id)], ['POST', `${repository}/releases`]]) {
      const reply = await ask(method, path, { releaseDate });
      assert.equal(reply.status, 400, `${method} ${JSON.stringify(releaseDate)} ${reply.text}`);
      assert.match(reply.text, /releaseDate/);
    }
  }
  assert.equal((await admin('GET', `${repository}/branches`)).total_rows, 2);
  const { _doc: undated } = await create();
  const reply = await ask('POST', `${release(undated)}/finalize`, { schedule: true });
  assert.equal(reply.status, 400);
  assert.match(reply.text, /releaseDate/);
  assert.equal((await read(undated)).finalized, false);
});

test('conflicts with the master and with other finalized releases are found, and keep a release from the master', async () => {
  const [node, other] = [await make('master', { title: 'Node' }), await make('master', { title: 'Other' })];
  const [one, two] = [await create({ title: 'One' }), await create({ title: 'Two' })];
  await put(one.branchId, node, { title: 'By one' });
  await put(two.branchId, node, { title: 'By two' });
  assert.equal((await admin('POST', `${release(one._doc)}/finalize`, {})).result.finalizeHasConflicts, false);
  const found = (await admin('POST', `${release(two._doc)}/finalize`, {})).result;
  assert.deepEqual([found.finalizeHasConflicts, found.conflictsWith], [true, [one._doc]]);
  await put('master', node, { title: 'By master' });
  const { info } = await admin('GET', `${release(two._doc)}/info`);
  assert.deepEqual([info.changeCount, info.conflictCount, info.finalized], [1, 1, true]);
  assert.deepEqual(await refusal(`${release(two._doc)}/releaseimmediately`), [409, 'releases.conflicts']);
  // At its date it stays where it is, and people are asked.
  await admin('PUT', release(two._doc), { ...(await read(two._doc)), releaseDate: Date.now() - 1000 });
  const { scheduledWorkId } = (await admin('POST', `${release(two._doc)}/finalize`, { schedule: true })).result;
  assert.deepEqual((await endedJob(admin, await jobOf(scheduledWorkId)))._result.released, false);
  const waiting = await read(two._doc);
  assert.deepEqual([waiting.released, waiting.scheduled, waiting.finalizeHasConflicts, await title('master', node)], [false, false, true, 'By master']);
  const [conflict] = (await admin('GET', `${repository}/conflicts`)).rows;
  await admin('POST', `${repository}/conflicts/${conflict._doc}/resolve?resolution=source`, {});
  await admin('POST', `${release(two._doc)}/releaseimmediately`);
  assert.deepEqual([await title('master', node), await title('master', other)], ['By two', 'Other']);
});

test('what is unfinalized can be changed again, and comes at no date', async () => {
  const made = await create({ releaseDate: Date.now() + 2000 });
  await admin('POST', `${release(made._doc)}/finalize`, { schedule: true });
  const job = await jobOf((await read(made._doc)).scheduledWorkId);
  await admin('POST', `${release(made._doc)}/unfinalize`);
  const now = await read(made._doc);
  assert.deepEqual([now.finalized, now.scheduled, now.scheduledWorkId ?? ''], [false, false, '']);
  assert.equal((await endedJob(admin, job)).state, 'ERROR');
  await make(made.branchId, { title: 'Changed' });
  await sleep(2500);
  assert.equal((await read(made._doc)).released, false);
});

test('a branch that somebody has closed stays closed where no release has closed it', async () => {
  const made = await create();
  await admin('PUT', branchPath(made.branchId), { readonly: true });
  await admin('POST', `${release(made._doc)}/unfinalize`);
  assert.equal((await admin('GET', branchPath(made.branchId))).readonly, true);
});

test('another date is another schedule', async () => {
  const node = await make('master', { title: 'Before' });
  const made = await create({ releaseDate: Date.now() + 3_600_000 });
  await put(made.branchId, node, { title: 'After' });
  await admin('POST', `${release(made._doc)}/finalize`, { schedule: true });
  const former = await read(made._doc);
  const job = await jobOf(former.scheduledWorkId);
  const none = await ask('PUT', release(made._doc), { title: 'x', releaseDate: null });
  assert.equal(none.status, 400, none.text);
  await admin('PUT', release(made._doc), { ...former, releaseDate: Date.now() + 500 });
  assert.equal((await endedJob(admin, job)).state, 'ERROR');
  await until(async () => (await read(made._doc)).released);
  assert.equal(await title('master', node), 'After');
});

test('releaseimmediately finalizes and releases, past a master that takes no direct commits', async () => {
  const made = await create();
  const node = await make(made.branchId, { title: 'New' });
  await admin('PUT', branchPath('master'), { blockDirectCommits: true });
  await admin('POST', `${release(made._doc)}/releaseimmediately`);
  assert.equal(await title('master', node), 'New');
  await until(async () => (await read(made._doc)).snapshotId);
  const now = await read(made._doc);
  assert.deepEqual([now.released, now.finalized], [true, true]);
  assert.equal(await title(now.snapshotId, node), 'New');
  assert.deepEqual(await refusal(`${branchPath('master')}/nodes`, {}), [403, 'nodes.branch_direct_commits_blocked']);
});

test('an archived release and its branch rest', async () => {
  const made = await create();
  await admin('POST', `${release(made._doc)}/archive`);
  assert.deepEqual([(await read(made._doc)).archived, (await admin('GET', branchPath(made.branchId))).archived], [true, true]);
  assert.deepEqual(await refusal(`${release(made._doc)}/finalize`, {}), [409, 'releases.archived']);
  assert.equal((await admin('GET', `${repository}/releases`)).total_rows, 1);
  await admin('POST', `${release(made._doc)}/unarchive`);
  assert.deepEqual([(await read(made._doc)).archived, (await admin('GET', branchPath(made.branchId))).archived], [false, false]);
  await make(made.branchId);
});

test('a release goes with its branch, unless it is on the master', async () => {
  const [fresh, released, bare] = [await create(), await create(), await create()];
  assert.equal((await ask('DELETE', release(fresh._doc))).status, 200);
  assert.equal((await ask('GET', branchPath(fresh.branchId))).status, 404);
  await admin('POST', `${release(released._doc)}/releaseimmediately`);
  await admin('DELETE', release(released._doc));
  assert.equal((await ask('GET', branchPath(released.branchId))).status, 200);
  await admin('DELETE', branchPath(bare.branchId));
  assert.equal((await admin('GET', `${repository}/releases`)).total_rows, 1);
  assert.deepEqual(await refusal(`${release(bare._doc)}/finalize`, {}), [409, 'releases.branch_gone']);
  await admin('DELETE', release(bare._doc));
  await create();
  await admin('DELETE', repository);
});

test('whoever releases has on the master what merging needs, and nobody acts on what they may only read', async () => {
  const node = await make('master', { title: 'Before' });
  const made = await create();
  await put(made.branchId, node, { title: 'After' });
  await server.makeUser('releaser');
  const token = await server.login('releaser', 'secret-of-releaser');
  const grant = (path, role) => admin('POST', `${path}/authorities/${role}/grant?id=default/releaser`, {});
  const act = async (action) => (await ask('POST', `${release(made._doc)}/${action}`, {}, token)).status;
  assert.equal(await act('finalize'), 404);
  await grant(release(made._doc), 'consumer');
  for (const action of ['finalize', 'finalize/start', 'unfinalize', 'releaseimmediately', 'archive', 'unarchive']) assert.equal(await act(action), 403, action);
  await grant(release(made._doc), 'editor');
  assert.equal(await act('finalize'), 409);
  for (const branch of ['master', made.branchId]) for (const path of [branchPath(branch), nodePath(branch, node)]) await grant(path, 'consumer');
  assert.equal(await act('finalize'), 403);
  await grant(branchPath(made.branchId), 'editor');
  assert.equal(await act('finalize'), 200);
  assert.equal(await act('releaseimmediately'), 403);
  assert.deepEqual([await title('master', node), (await read(made._doc)).released], ['Before', false]);
  assert.equal((await ask('POST', `${repository}/releases`, {}, token)).status, 404);
  await grant(nodePath('master', node), 'editor');
  assert.equal(await act('releaseimmediately'), 200);
  assert.equal(await title('master', node), 'After');
  // What the master was is kept, whoever may make branches.
  await until(async () => (await read(made._doc)).snapshotId);
});

test('what was changed after a release was finalized does not come with it', async () => {
  const made = await create({ releaseDate: Date.now() + 500 });
  await make(made.branchId, { title: 'Seen' });
  const { scheduledWorkId, ...rest } = (await admin('POST', `${release(made._doc)}/finalize`, { schedule: true })).result;
  assert.ok(scheduledWorkId && rest.finalized);
  await admin('PUT', branchPath(made.branchId), { readonly: false });
  const added = await make(made.branchId, { title: 'Added' });
  await until(async () => !(await read(made._doc)).scheduled);
  assert.deepEqual([(await read(made._doc)).released, (await ask('GET', nodePath('master', added))).status], [false, 404]);
  assert.deepEqual(await refusal(`${release(made._doc)}/releaseimmediately`), [409, 'releases.changed']);
  await admin('POST', `${release(made._doc)}/finalize`, {});
  await admin('POST', `${release(made._doc)}/releaseimmediately`);
  assert.equal(await title('master', added), 'Added');
});

test('a master that waits for approval takes releases from those who may change its record', async () => {
  await admin('PUT', branchPath('master'), { autoPull: false });
  const made = await create({ releaseDate: Date.now() + 3_600_000 });
  const node = await make(made.branchId, { title: 'New' });
  await server.makeUser('unapproved');
  const token = await server.login('unapproved', 'secret-of-unapproved');
  const grant = (path, role) => admin('POST', `${path}/authorities/${role}/grant?id=default/unapproved`, {});
  for (const [path, role] of [[release(made._doc), 'editor'], [branchPath(made.branchId), 'manager'], [branchPath('master'), 'contributor'], [nodePath(made.branchId, node), 'consumer']]) await grant(path, role);
  for (const [action, body] of [['releaseimmediately', {}], ['finalize', { schedule: true }]]) {
    const { status, json } = await ask('POST', `${release(made._doc)}/${action}`, body, token);
    assert.deepEqual([status, json.code], [403, 'releases.approval_missing'], action);
  }
  assert.equal((await ask('GET', nodePath('master', node))).status, 404);
  await admin('POST', `${release(made._doc)}/releaseimmediately`);
  assert.equal(await title('master', node), 'New');
});

test('a role on a release is none on its branch', async () => {
  const made = await create();
  await server.makeUser('of-record');
  const token = await server.login('of-record', 'secret-of-of-record');
  await admin('POST', `${release(made._doc)}/authorities/manager/grant?id=default/of-record`, {});
  await admin('PUT', branchPath(made.branchId), { readonly: true });
  const act = async (action) => (await ask('POST', `${release(made._doc)}/${action}`, {}, token)).status;
  await act('unfinalize');
  assert.equal((await admin('GET', branchPath(made.branchId))).readonly, true);
  assert.equal(await act('archive'), 409);
  await admin('POST', `${release(made._doc)}/finalize`, {});
  assert.equal(await act('unfinalize'), 403);
  assert.equal((await admin('GET', branchPath(made.branchId))).readonly, true);
  assert.equal((await ask('DELETE', release(made._doc), undefined, token)).status, 200);
  assert.equal((await ask('GET', branchPath(made.branchId))).status, 200);
});

test('nobody gives others, by the folder that a release puts a node into, what they do not hold on the node', async () => {
  const shelf = (await admin('POST', `${branchPath('master')}/nodes?rootNodeId=root&parentFolderPath=/`, { title: 'Shelf', _features: { 'f:container': {} } }))._doc;
  const node = await make('master', { title: 'Node' });
  const made = await create();
  const { _doc: membership } = await admin('POST', `${nodePath(made.branchId, shelf)}/associate?node=${node}&type=a:child`, {});
  const tokens = {};
  for (const name of ['mover', 'holder']) {
    await server.makeUser(name);
    tokens[name] = await server.login(name, `secret-of-${name}`);
  }
  const grant = (path, role, name) => admin('POST', `${path}/authorities/${role}/grant?id=default/${name}`, {});
  for (const path of [branchPath('master'), branchPath(made.branchId), nodePath(made.branchId, shelf), nodePath(made.branchId, node), nodePath(made.branchId, membership)]) await grant(path, 'consumer', 'mover');
  await grant(release(made._doc), 'editor', 'mover');
  await grant(branchPath(made.branchId), 'editor', 'mover');
  await grant(branchPath('master'), 'consumer', 'holder');
  for (const [path, role] of [[nodePath('master', shelf), 'contributor'], [nodePath('master', node), 'collaborator'], [branchPath('master'), 'contributor']]) await grant(path, role, 'mover');
  await grant(nodePath('master', shelf), 'manager', 'holder');
  await ask('PUT', release(made._doc), { releaseDate: Date.now() - 1000 }, tokens.mover);
  const now = await ask('POST', `${release(made._doc)}/releaseimmediately`, {}, tokens.mover);
  assert.deepEqual([now.status, now.json.code], [403, 'nodes.membership_gives_rights'], now.text);
  const dated = await ask('POST', `${release(made._doc)}/finalize`, { schedule: true }, tokens.mover);
  assert.equal(dated.status, 200, dated.text);
  assert.equal((await endedJob(admin, await jobOf(dated.json.result.scheduledWorkId))).state, 'ERROR');
  const triggered = await ask('POST', `/work/scheduled/${dated.json.result.scheduledWorkId}/trigger`, {}, tokens.mover);
  assert.equal(triggered.status, 200, triggered.text);
  assert.equal((await endedJob(admin, triggered.json.jobId)).state, 'ERROR');
  assert.deepEqual([(await read(made._doc)).released, (await read(made._doc)).scheduled], [false, false]);
});

test('a server that is killed between schedule and date releases once when it is there again', async () => {
  const own = await SteleServer.start();
  try {
    const path = `/repositories/${(await own.admin('POST', '/repositories', {}))._doc}`;
    const { _doc: id } = await own.admin('POST', `${path}/releases`, { releaseDate: Date.now() + 1500 });
    const { branchId } = await own.admin('GET', `${path}/releases/${id}`);
    const { _doc: node } = await own.admin('POST', `${path}/branches/${branchId}/nodes`, { title: 'New' });
    await own.admin('POST', `${path}/releases/${id}/finalize`, { schedule: true });
    await own.stop('SIGKILL');
    await sleep(1600);
    await own.launch();
    await until(async () => (await own.admin('GET', `${path}/releases/${id}`)).snapshotId);
    assert.equal((await own.admin('GET', `${path}/branches/master/nodes/${node}`)).title, 'New');
    assert.equal((await own.admin('GET', `${path}/branches/master/merges?mergeType=incoming`)).total_rows, 1);
    assert.equal((await own.admin('GET', `${path}/branches`)).rows.filter(({ snapshot }) => snapshot).length, 1);
  } finally {
    await own.end();
  }
});
