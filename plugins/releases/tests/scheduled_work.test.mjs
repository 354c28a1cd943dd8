// Releases that come at a date, as work that is seen, moved, run and given up (docs/reference/releases.md; docs/specification/merge_and_transfer.md 2.4).
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { endedJob } from '../../../tests/support/ended_job.mjs';
import { SteleServer } from '../../../tests/support/stele_server.mjs';

let server;
let platform;
let repository;
let repositoryId;
before(async () => {
  server = await SteleServer.start();
  platform = (await admin('GET', '/'))._doc;
});
after(() => server.end());
beforeEach(async () => {
  repositoryId = (await admin('POST', '/repositories', {}))._doc;
  repository = `/repositories/${repositoryId}`;
});

const admin = (...args) => server.admin(...args);
const ask = (method, path, body, token = server.adminToken) => server.request(method, path, { token, body });
const works = '/work/scheduled';
const work = (id) => `${works}/${id}`;
const release = (id) => `${repository}/releases/${id}`;
const reference = (id) => `release://${platform}/${repositoryId}/${id}`;
const kHour = 3_600_000;
const refusal = async (method, path, body, token) => { const { status, json } = await ask(method, path, body, token); return [status, json.code]; };

/// A release that changes something.
async function create(fields = {}) {
  const made = await admin('GET', release((await admin('POST', `${repository}/releases`, fields))._doc));
  const { _doc: node } = await admin('POST', `${repository}/branches/${made.branchId}/nodes`, { title: 'New' });
  return { ...made, node };
}
/// The same, which comes at a date.
async function scheduled(fields = {}, inMs = kHour) {
  const made = await create({ releaseDate: Date.now() + inMs, ...fields });
  const { result } = await admin('POST', `${release(made._doc)}/finalize`, { schedule: true });
  return { ...made, ...result };
}
const isOnMaster = async ({ node }) => (await ask('GET', `${repository}/branches/master/nodes/${node}`)).status === 200;
const ended = async (id) => endedJob(admin, (await admin('GET', work(id))).jobId);

test('what is scheduled is listed, found, read and named by its reference, and says when it has run', async () => {
  const made = await scheduled({ title: 'Spring' }, 4000);
  const id = made.scheduledWorkId;
  const { rows } = await admin('GET', `${works}?limit=-1`);
  assert.ok(rows.some(({ _doc }) => _doc === id));
  const [row, ...others] = (await admin('POST', `${works}/query`, { repositoryId })).rows;
  assert.deepEqual(others, []);
  assert.deepEqual([row._doc, row.title, row.type, row.reference, row.releaseId, row.startDate.ms, row.scheduledBy, row.state],
    [id, 'Spring', 'release', reference(made._doc), made._doc, made.releaseDate.ms, 'admin', 'NONE']);
  const { entries } = await admin('POST', '/ref/read', { entries: [{ ref: `scheduled-work://${platform}/${id}` }] });
  assert.equal(entries[0].entry._doc, id, JSON.stringify(entries));
  assert.equal((await ended(id)).state, 'FINISHED');
  assert.equal(await isOnMaster(made), true);
  const last = await admin('GET', release(made._doc));
  assert.deepEqual([(await admin('GET', work(id))).state, last.released, last.scheduled, last.scheduledWorkId], ['FINISHED', true, false, id]);
});

test('triggered work runs now, once', async () => {
  const made = await scheduled();
  const former = (await admin('GET', work(made.scheduledWorkId))).jobId;
  const { jobId } = await admin('POST', `${work(made.scheduledWorkId)}/trigger`);
  assert.deepEqual((await endedJob(admin, jobId))._result.released, true);
  assert.equal(await isOnMaster(made), true);
  assert.equal((await endedJob(admin, former)).state, 'ERROR');
  assert.equal((await admin('GET', release(made._doc))).releaseDate.ms, made.releaseDate.ms);
  assert.deepEqual(await refusal('POST', `${work(made.scheduledWorkId)}/trigger`), [409, 'releases.released']);
});

test('what did not go together can be triggered again when it is decided', async () => {
  const made = await scheduled();
  const { _doc: node } = await admin('POST', `${repository}/branches/master/nodes`, { _qname: 'ex:one' });
  await admin('POST', `${release(made._doc)}/unfinalize`);
  await admin('POST', `${repository}/branches/${made.branchId}/nodes`, { _qname: 'ex:one' });
  const { result } = await admin('POST', `${release(made._doc)}/finalize`, { schedule: true });
  assert.equal(result.finalizeHasConflicts, true);
  const path = work(result.scheduledWorkId);
  await admin('POST', `${path}/trigger`);
  assert.equal((await ended(result.scheduledWorkId))._result.released, false);
  await admin('DELETE', `${repository}/branches/master/nodes/${node}`);
  await admin('POST', `${path}/trigger`);
  assert.equal((await ended(result.scheduledWorkId))._result.released, true);
  assert.equal(await isOnMaster(made), true);
});

test('another start is another date of the release, and what the server keeps stays', async () => {
  const made = await scheduled({ title: 'Spring' });
  const path = work(made.scheduledWorkId);
  const before = await admin('GET', path);
  await admin('PUT', path, { title: 'Mine', own: { a: 1 }, state: 'FINISHED', jobId: 'x', reference: 'y', releaseId: 'z' });
  const kept = await admin('GET', path);
  assert.deepEqual([kept.title, kept.own, kept.startDate.ms, kept.jobId, kept.reference, kept.releaseId, kept.state],
    ['Mine', { a: 1 }, made.releaseDate.ms, before.jobId, before.reference, made._doc, 'NONE']);
  for (const startDate of ['soon', {}, -1]) {
    const wrong = await ask('PUT', path, { startDate });
    assert.equal(wrong.status, 400);
    assert.match(wrong.text, /startDate/);
  }
  const start = Date.now() + 1000;
  await admin('PUT', path, { ...kept, startDate: { ms: start } });
  const [moved, now] = [await admin('GET', path), await admin('GET', release(made._doc))];
  assert.deepEqual([moved.startDate.ms, now.releaseDate.ms, now.scheduledWorkId], [start, start, made.scheduledWorkId]);
  assert.equal((await endedJob(admin, before.jobId)).state, 'ERROR');
  assert.equal((await ended(made.scheduledWorkId))._result.released, true);
  assert.ok(Date.now() >= start);
  assert.deepEqual(await refusal('PUT', path, { startDate: Date.now() + kHour }), [409, 'releases.not_scheduled']);
  await admin('PUT', path, { title: 'Done' });
});

test('another date of the release moves its work', async () => {
  const made = await scheduled();
  const date = made.releaseDate.ms + kHour;
  await admin('PUT', release(made._doc), { ...(await admin('GET', release(made._doc))), releaseDate: date });
  assert.equal((await admin('GET', work(made.scheduledWorkId))).startDate.ms, date);
  assert.equal((await admin('POST', `${works}/query`, { repositoryId })).total_rows, 1);
});

test('work that is deleted does not run, and its release is scheduled no more', async () => {
  const made = await scheduled({}, 3000);
  await admin('DELETE', work(made.scheduledWorkId));
  const now = await admin('GET', release(made._doc));
  assert.deepEqual([now.scheduled, now.scheduledWorkId, now.finalized], [false, '', true]);
  await sleep(made.releaseDate.ms + 500 - Date.now());
  assert.equal(await isOnMaster(made), false);
  const again = (await admin('POST', `${release(made._doc)}/finalize`, { schedule: true })).result;
  assert.equal((await ended(again.scheduledWorkId))._result.released, true);
  await admin('DELETE', work(again.scheduledWorkId));
  const last = await admin('GET', release(made._doc));
  assert.deepEqual([last.released, last.scheduledWorkId], [true, '']);
});

test('work goes with the schedule, the release and the repository', async () => {
  const [one, two, three, four] = [await scheduled(), await scheduled(), await scheduled(), await scheduled()];
  await admin('POST', `${release(one._doc)}/unfinalize`);
  await admin('POST', `${release(two._doc)}/archive`);
  const { branchId } = await admin('GET', release(three._doc));
  await admin('DELETE', release(three._doc));
  for (const { scheduledWorkId } of [one, two, three]) assert.equal((await ask('GET', work(scheduledWorkId))).status, 404);
  assert.equal((await ask('GET', `${repository}/branches/${branchId}`)).status, 404);
  assert.equal((await ask('GET', work(four.scheduledWorkId))).status, 200);
  await admin('DELETE', repository);
  for (const end = Date.now() + 60_000; (await ask('GET', work(four.scheduledWorkId))).status !== 404; await sleep(50)) assert.ok(Date.now() < end);
});

test('work that is posted schedules the release that it names, and nothing else', async () => {
  const made = await create();
  const other = await create({ releaseDate: Date.now() + kHour });
  const { _doc: config } = await admin('POST', '/uiconfigs', {});
  for (const named of [undefined, 'nonsense', 7, reference('none'), `uiconfig://${platform}/${config}`, `repository://${platform}/${repositoryId}`]) {
    const reply = await ask('POST', works, { reference: named });
    assert.equal(reply.status, 400, `${named}: ${reply.text}`);
    assert.match(reply.text, /reference/);
  }
  const undated = await ask('POST', works, { reference: reference(made._doc) });
  assert.equal(undated.status, 400);
  assert.match(undated.text, /releaseDate/);
  assert.equal((await ask('POST', works, { reference: reference(made._doc), startDate: 'soon' })).status, 400);
  assert.equal((await admin('POST', `${works}/query`, { repositoryId })).total_rows, 0);

  const start = Date.now() + 2 * kHour;
  const { _doc: id } = await admin('POST', works, { reference: reference(made._doc), startDate: { ms: start }, title: 'Mine', own: 1, jobId: 'x' });
  const [posted, now] = [await admin('GET', work(id)), await admin('GET', release(made._doc))];
  assert.deepEqual([posted.title, posted.own, posted.startDate.ms, posted.releaseId], ['Mine', 1, start, made._doc]);
  assert.notEqual(posted.jobId, 'x');
  assert.deepEqual([now.finalized, now.scheduled, now.scheduledWorkId, now.releaseDate.ms], [true, true, id, start]);
  await admin('POST', works, { reference: reference(other._doc) });
  assert.equal((await admin('GET', release(other._doc))).scheduled, true);
});

test('what a release allows decides over its work, and who reaches into the repository sees it', async () => {
  const made = await scheduled();
  const path = work(made.scheduledWorkId);
  const tokens = {};
  for (const name of ['stranger', 'trusted', 'keeper']) {
    await server.makeUser(name);
    tokens[name] = await server.login(name, `secret-of-${name}`);
  }
  const grant = (record, role, name) => admin('POST', `${record}/authorities/${role}/grant?id=default/${name}`, {});
  assert.equal((await ask('GET', path, undefined, tokens.stranger)).status, 404);
  assert.equal((await ask('POST', `${works}/query`, {}, tokens.stranger)).json.total_rows, 0);
  await admin('POST', `${repository}/teams/owners/members/add?id=default/keeper`);
  assert.equal((await ask('GET', path, undefined, tokens.keeper)).status, 200);

  await grant(path, 'manager', 'trusted');
  const steps = [['PUT', path, { startDate: Date.now() }], ['POST', `${path}/trigger`, {}], ['DELETE', path]];
  for (const [method, target, body] of steps) assert.deepEqual(await refusal(method, target, body, tokens.trusted), [403, 'authority.permission_missing'], method);
  const posted = { reference: reference(made._doc), startDate: Date.now() };
  assert.equal((await ask('POST', works, posted, tokens.stranger)).status, 400);
  await grant(release(made._doc), 'consumer', 'stranger');
  assert.equal((await ask('POST', works, posted, tokens.stranger)).status, 403);
  assert.equal((await ask('POST', works, { reference: posted.reference }, tokens.stranger)).status, 403);
  const kept = await admin('GET', release(made._doc));
  assert.deepEqual([kept.scheduled, kept.scheduledBy, kept.releaseDate.ms], [true, 'admin', made.releaseDate.ms]);

  // Who runs it now needs on the master what a merge needs.
  await grant(release(made._doc), 'editor', 'trusted');
  await admin('GET', path);
  const { jobId } = (await ask('POST', `${path}/trigger`, {}, tokens.trusted)).json;
  assert.equal((await endedJob(admin, jobId)).state, 'ERROR');
  assert.equal(await isOnMaster(made), false);
  assert.equal((await admin('GET', release(made._doc))).scheduled, false);
  await admin('POST', `${path}/trigger`);
  assert.equal((await ended(made.scheduledWorkId))._result.released, true);
});

test('what somebody has scheduled who is disabled at the date does not come, and can be scheduled again', async () => {
  const made = await create({ releaseDate: Date.now() + 5000 });
  const { _doc: leaver } = await server.makeUser('leaver');
  const token = await server.login('leaver', 'secret-of-leaver');
  await admin('POST', `${repository}/teams/owners/members/add?id=default/leaver`);
  const { json } = await ask('POST', `${release(made._doc)}/finalize`, { schedule: true }, token);
  assert.equal(json.result?.scheduledBy, 'leaver', JSON.stringify(json));
  await admin('PUT', `/domains/default/principals/${leaver}`, { ...(await admin('GET', `/domains/default/principals/${leaver}`)), enabled: false });
  assert.equal((await ended(json.result.scheduledWorkId)).state, 'ERROR');
  const now = await admin('GET', release(made._doc));
  assert.deepEqual([now.released, now.scheduled, await isOnMaster(made)], [false, false, false]);
  const again = (await admin('POST', `${release(made._doc)}/finalize`, { schedule: true })).result;
  assert.deepEqual([again.scheduledWorkId, again.scheduledBy], [json.result.scheduledWorkId, 'admin']);
  assert.equal((await ended(again.scheduledWorkId))._result.released, true);
  assert.equal(await isOnMaster(made), true);
});
