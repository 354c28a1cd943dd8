// How many exports and imports run at the same time, and who waits for whom (docs/reference/transfer.md).
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { SteleServer } from '../../../tests/support/stele_server.mjs';
import { until } from '../../../tests/support/until.mjs';
import { archiveOf } from '../../../tests/support/zip_archive.mjs';

let server;
let branch;
let query;
const tokens = {};
const kCoordinates = (artifact) => `group=turns&artifact=${artifact}&version=1`;

before(async () => {
  server = await SteleServer.start({ config: 'archives.running_transfers = 1\n' });
  for (const name of ['ann', 'bob']) {
    await server.makeUser(name);
    tokens[name] = await server.login(name, `secret-of-${name}`);
    await admin('POST', `/authorities/manager/grant?id=default/${name}`);
    await admin('POST', `/vaults/primary/authorities/contributor/grant?id=default/${name}`);
  }
  const platform = (await admin('GET', '/'))._doc;
  const repository = (await admin('POST', '/repositories'))._doc;
  await admin('POST', `/repositories/${repository}/authorities/owner/grant?id=default/ann`);
  branch = `/repositories/${repository}/branches/master`;
  const master = (await admin('GET', branch))._doc;
  // An import that goes on until it is killed, as far as a test is concerned: each of its definitions extends the next.
  const folder = `platforms/${platform}/repositories/${repository}`;
  const files = { [`${folder}/branches/${master}/branch.json`]: JSON.stringify({ _doc: master, tip: '0:1' }) };
  const count = 20_000;
  for (let i = 0; i < count; ++i) {
    files[`${folder}/changesets/0_1/nodes/d${i}/node.json`] = JSON.stringify({
      _doc: `d${i}`, _type: 'd:type', _qname: `my:t${i}`, _parent: i + 1 < count ? `my:t${i + 1}` : 'n:node', type: 'object' });
  }
  const link = (typeId, id) => ({ typeId, id, key: `${typeId}:${id}` });
  const bytes = archiveOf({ model: '3.0.0', group: 'turns', artifact: 'long', version: '1', tipChangesetOnly: true,
                            sources: [[link('platform', platform), link('repository', repository), link('branch', master)]] }, files);
  query = kCoordinates('long');
  const reply = await as('ann', 'POST', '/vaults/primary/archives', bytes, { 'Content-Type': 'application/zip' });
  assert.equal(reply.status, 200, reply.text);
});
after(() => server.end());

const admin = (...request) => server.admin(...request);
const as = (name, method, path, body, headers) => server.request(method, path, { token: tokens[name], body, headers });
async function start(name, path, body = {}) {
  const reply = await as(name, 'POST', path, body);
  assert.equal(reply.status, 200, reply.text);
  return reply.json._doc;
}
const exported = (name, artifact, more = '') => start(name, `/domains/default/export?${kCoordinates(artifact)}${more}`);
const job = async (id) => admin('GET', `/jobs/${id}`);
const reached = (id, ...states) => until(async () => states.includes((await job(id)).state));

/// An import of ann's that runs, and has the only place, until `work` is done.
async function whileOneRuns(work) {
  const long = await start('ann', `${branch}/import?${query}`);
  await reached(long, 'RUNNING');
  const result = await work();
  assert.equal((await job(long)).state, 'RUNNING', 'the long import has ended by itself');
  await as('ann', 'POST', `/jobs/${long}/kill`, {});
  return result;
}

test('one more waits, is seen to wait, can be killed while it waits, and keeps no other job waiting', async () => {
  const [kept, killed] = await whileOneRuns(async () => {
    const waiting = [await exported('bob', 'kept'), await exported('bob', 'killed')];
    // Another kind of job runs meanwhile.
    await reached(await start('ann', `${branch}/validate/start`), 'FINISHED');
    for (const id of waiting) assert.equal((await job(id)).state, 'WAITING');
    const seen = (await admin('POST', '/jobs/query', { state: 'WAITING' })).rows.map(({ _doc }) => _doc);
    for (const id of waiting) assert.ok(seen.includes(id));
    const reply = await as('bob', 'POST', `/jobs/${waiting[1]}/kill`, {});
    assert.equal(reply.status, 200, reply.text);
    assert.equal((await job(waiting[1])).state, 'ERROR');
    return waiting;
  });
  await reached(kept, 'FINISHED', 'ERROR');
  assert.equal((await job(kept)).state, 'FINISHED');
  const dead = await job(killed);
  assert.deepEqual([dead.started, dead.log_entries.at(-1).message], [false, 'killed by bob']);
  assert.equal((await as('bob', 'GET', `/vaults/primary/archives/lookup?${kCoordinates('killed')}`)).status, 404);
});

test('an export of somebody else comes before all but the next of those that one person has started', async () => {
  const [ofAnn, ofBob] = await whileOneRuns(async () => {
    const many = [];
    for (let i = 0; i < 12; ++i) many.push(await exported('ann', `many-${i}`));
    return [many, await exported('bob', 'single')];
  });
  for (const id of [...ofAnn, ofBob]) await reached(id, 'FINISHED', 'ERROR');
  const begun = async (id) => (await job(id)).started_timestamp.ms;
  const times = await Promise.all(ofAnn.map(begun));
  assert.deepEqual(times, times.toSorted((one, other) => one - other), 'those of one person run in their order');
  // Ann had the turn before: by turns bob is the next.
  assert.ok((await begun(ofBob)) <= times[1], `${await begun(ofBob)} ${times}`);
});

test('who waits for an export waits for its turn, too', async () => {
  const reply = await whileOneRuns(async () => {
    const waiting = as('bob', 'POST', `/domains/default/export?${kCoordinates('awaited')}&schedule=SYNCHRONOUS`, {});
    await until(async () => (await admin('POST', '/jobs/query', { state: 'WAITING' })).rows.length === 1);
    return { waiting };
  });
  const { status, json } = await reply.waiting;
  assert.deepEqual([status, json.state], [200, 'FINISHED']);
});
