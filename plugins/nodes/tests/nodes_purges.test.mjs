// Purges of a branch's trash beside those who write it, and what ends them (docs/specification/nodes.md 20).
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { endedJob } from '../../../tests/support/ended_job.mjs';
import { SteleServer } from '../../../tests/support/stele_server.mjs';

const kThreads = 2;
let server;
let repository;
let master;
before(async () => { server = await SteleServer.start({ config: `jobs.threads = ${kThreads}\n` }); });
after(() => server.end());

const admin = (...request) => server.admin(...request);
/// Enough for a job to be at work for a while; a sanitized build is slower.
const kMany = process.env.STELE_SANITIZED ? 200 : 1000;

async function makeRepository() {
  const { _doc } = await admin('POST', '/repositories', {});
  repository = `/repositories/${_doc}`;
  master = `${repository}/branches/master`;
}

/// A folder with so many nodes: its id, and theirs.
async function makeFolder(members) {
  const { _doc: folder } = await admin('POST', `${master}/nodes`, { _features: { 'f:container': {} } });
  const { rows } = await admin('POST', `${master}/nodes?rootNodeId=${folder}&parentFolderPath=/`,
                               Array.from({ length: members }, (_, i) => ({ title: `${i}` })));
  return { folder, members: rows.map(({ _doc }) => _doc) };
}

const deletionsOf = (query = {}) => admin('POST', `${master}/deletions/query?limit=-1`, query);
const associationsLeft = async () => (await deletionsOf({ '_deletion.association': true })).total_rows;

const ended = (id) => endedJob(admin, id);

async function associationsGone() {
  while ((await associationsLeft()) > 0) await sleep(50);
}

test('a node with many associations is purged at once, and they after it', async () => {
  await makeRepository();
  const { folder, members } = await makeFolder(250);
  await admin('DELETE', `${master}/nodes/${folder}`);
  assert.equal(await associationsLeft(), 250);
  await admin('DELETE', `${master}/deletions/${folder}`);
  await associationsGone();
  const left = (await deletionsOf()).rows.map(({ _doc }) => _doc);
  assert.deepEqual(left.sort(), members.sort());
});

test('nodes that say that they lead to a purged one are no associations of it, however many', async () => {
  await makeRepository();
  const { folder } = await makeFolder(3);
  const { rows } = await admin('POST', `${master}/nodes`, Array.from({ length: 300 }, () => ({ source: folder, target: folder })));
  const forged = rows.map(({ _doc }) => _doc);
  await admin('POST', `${master}/nodes/delete`, { _docs: forged });
  await admin('DELETE', `${master}/nodes/${folder}`);
  await admin('DELETE', `${master}/deletions/${folder}`);
  await associationsGone();
  assert.equal((await admin('POST', `${master}/deletions/query?limit=0`, { source: folder })).total_rows, forged.length);
});

test('whoever keeps writing the deletion of one association holds up no purge', async () => {
  for (const purge of ['one', 'all']) {
    await makeRepository();
    const { folder } = await makeFolder(150);
    await admin('DELETE', `${master}/nodes/${folder}`);
    const { rows: [written] } = await admin('POST', `${master}/deletions/query?limit=1`, { '_deletion.association': true, source: folder });
    let isOver = false;
    const writers = Array.from({ length: 4 }, async () => {
      while (!isOver) await server.request('PUT', `${master}/deletions/${written._doc}`, { token: server.adminToken, body: { written: Math.random() } });
    });
    try {
      if (purge === 'one') {
        await admin('DELETE', `${master}/deletions/${folder}`);
        assert.equal((await deletionsOf({ _doc: folder })).total_rows, 0);
      } else {
        const { _doc } = await admin('POST', `${master}/deletions/purgeall/start`);
        // All but the one that is written: whether that goes is a matter of luck.
        while ((await admin('POST', `${master}/deletions/query?limit=0`, { _doc: { $ne: written._doc } })).total_rows > 0) {
          assert.notEqual((await admin('GET', `/jobs/${_doc}`)).state, 'ERROR');
          await sleep(50);
        }
      }
    } finally {
      isOver = true;
      await Promise.all(writers);
    }
    await associationsGone();
  }
});

test('what a reset brings back is not what a job was started to purge', async () => {
  await makeRepository();
  const { members } = await makeFolder(kMany);
  const { folder: kept } = await makeFolder(0);
  await admin('POST', `${master}/nodes/delete`, { _docs: members });
  await admin('DELETE', `${master}/nodes/${kept}`);
  const { tip } = await admin('GET', master);
  await admin('POST', `${master}/deletions/${kept}/restore`, {});
  const purge = await admin('POST', `${master}/deletions/purgeall/start`);
  const reset = await admin('POST', `${master}/reset/start?id=${tip}`);
  assert.equal((await ended(reset._doc)).state, 'FINISHED');
  await ended(purge._doc);
  // It was alive when the purge began.
  assert.equal((await deletionsOf({ _doc: kept })).total_rows, 1);
});

test('the job of a purge tells no more of the branch than which one it is', async () => {
  await makeRepository();
  await server.makeUser('connected');
  const token = await server.login('connected', 'secret-of-connected');
  for (const path of [repository, master]) await admin('POST', `${path}/authorities/connector/grant?id=default/connected`);
  const started = await server.request('POST', `${master}/deletions/purgeall/start`, { token });
  assert.equal(started.status, 200, started.text);
  assert.deepEqual(Object.keys(started.json._data), ['branch'], started.text);
  const { _data, _result } = await ended(started.json._doc);
  assert.deepEqual([Object.keys(_data), _result], [['branch'], { purged: 0, kept: 0 }]);
});

test('a copy that a stopping server interrupts is made once', async () => {
  await makeRepository();
  const { folder } = await makeFolder(kMany);
  const { folder: target } = await makeFolder(0);
  const { _doc } = await admin('POST', `${master}/nodes/${folder}/copy?targetNodeId=${target}&schedule=ASYNCHRONOUS`, {});
  while ((await admin('GET', `/jobs/${_doc}`)).state !== 'RUNNING') await sleep(10);
  await server.stop();
  await server.launch();
  assert.equal((await ended(_doc)).state, 'FINISHED');
  const { rows } = await admin('GET', `${master}/nodes/${target}/children`);
  assert.equal(rows.length, 1);
  assert.equal((await admin('GET', `${master}/nodes/${rows[0]._doc}/children?limit=0`)).total_rows, kMany);
});

/// A purge by a user who was disabled while it waited for copies that have all threads for jobs, and the copies.
/// Copies that end before that say nothing: larger ones then.
async function disabledPurge(leaver, target) {
  for (let members = kMany; members <= 16 * kMany; members *= 2) {
    await admin('DELETE', `${master}/nodes/${(await makeFolder(0)).folder}`);
    const { folder } = await makeFolder(members);
    const start = `${master}/nodes/${folder}/copy?targetNodeId=${target}&schedule=ASYNCHRONOUS`;
    const copies = await Promise.all(Array.from({ length: kThreads }, () => admin('POST', start, {})));
    const purge = await server.request('POST', `${master}/deletions/purgeall/start`,
                                       { token: await server.login('leaver', 'secret-of-leaver') });
    assert.equal(purge.status, 200, purge.text);
    await admin('PUT', leaver.path, { ...leaver.record, enabled: false });
    if ((await admin('GET', `/jobs/${purge.json._doc}`)).state === 'WAITING') return { purge: purge.json._doc, copies };
    for (const { _doc } of copies) await ended(_doc);
    await ended(purge.json._doc);
    await admin('PUT', leaver.path, { ...leaver.record, enabled: true });
  }
  assert.fail('no copy takes long enough');
}

test('a job ends when it is killed or its starter is disabled, and makes room for others', async () => {
  await makeRepository();
  const { folder: target } = await makeFolder(0);
  const { _doc: user } = await server.makeUser('leaver');
  for (const path of [repository, master]) await admin('POST', `${path}/authorities/manager/grant?id=default/leaver`);
  const path = `/domains/default/principals/${user}`;
  const { purge, copies } = await disabledPurge({ path, record: await admin('GET', path) }, target);
  for (const { _doc } of copies) await admin('POST', `/jobs/${_doc}/kill`);
  const job = await ended(purge);
  assert.equal(job.state, 'ERROR');
  assert.match(job.log_entries.at(-1).message, /disabled/);
  assert.ok((await deletionsOf()).total_rows > 0, 'what was to be purged is still there');
  const states = await Promise.all(copies.map(async ({ _doc }) => (await ended(_doc)).state));
  assert.equal((await admin('GET', `${master}/nodes/${target}/children`)).total_rows,
               states.filter((state) => state === 'FINISHED').length, 'a killed copy leaves nothing');
});
