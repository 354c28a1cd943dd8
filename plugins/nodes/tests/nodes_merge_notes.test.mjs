// What a branch turns out to have when a merge has nothing to write (docs/decisions/0171-the-base-of-a-merge.md).
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { endedJob } from '../../../tests/support/ended_job.mjs';
import { SteleServer } from '../../../tests/support/stele_server.mjs';

let server;
let repository;
before(async () => { server = await SteleServer.start(); });
after(() => server.end());
beforeEach(async () => { repository = `/repositories/${(await admin('POST', '/repositories', {}))._doc}`; });

const admin = (...args) => server.admin(...args);
const branchPath = (branch) => `${repository}/branches/${branch}`;
const nodePath = (branch, node) => `${branchPath(branch)}/nodes/${node}`;
const make = async (branch, fields) => (await admin('POST', `${branchPath(branch)}/nodes`, fields))._doc;
const set = (branch, node, value) => admin('PUT', nodePath(branch, node), { title: 'Node', value });
const valueOf = async (branch, node) => (await admin('GET', nodePath(branch, node))).value;
const status = async (branch, node) => (await server.request('GET', nodePath(branch, node), { token: server.adminToken })).status;
const fork = async (branch = 'master', changeset = '') =>
  (await admin('POST', `${branchPath('')}?branch=${branch}${changeset && `&changeset=${changeset}`}`, {}))._doc;
const tip = async (branch) => (await admin('GET', branchPath(branch))).tip;
/// How many records a merge without conflicts has written.
async function merged(source, target) {
  const report = await admin('POST', `${branchPath(target)}/merge?id=${source}`, {});
  assert.deepEqual([report.merged, report.conflicts], [true, []]);
  return report.nodeCount;
}
/// A node that a branch and master have both changed alike since an early changeset, and a fork of master without changesets that
/// has merged that branch.
async function noted() {
  const node = await make('master', { title: 'Node', value: 0 });
  const early = await tip('master');
  const source = await fork();
  for (const branch of [source, 'master']) await set(branch, node, 1);
  const bare = await fork();
  assert.equal(await merged(source, bare), 0);
  return { node, early, source, bare };
}

test('a fork has what was noted on a branch without changesets of its own, at any depth', async () => {
  const { node, source, bare } = await noted();
  const forks = [await fork(bare)];
  forks.push(await fork(forks[0]));
  for (const branch of forks) {
    await set(branch, node, 0);
    assert.equal(await merged(source, branch), 0);
    assert.equal(await valueOf(branch, node), 0);
  }
  // Who comes from elsewhere does not have it.
  const other = await fork();
  await set(other, node, 0);
  assert.equal(await merged(source, other), 1);
});

test('a fork that was made before something was noted on its parent does not have that', async () => {
  const other = await fork();
  const node = await make(other, { title: 'Node', value: 0 });
  const source = await fork();
  assert.equal(await merged(other, source), 1);
  await admin('DELETE', nodePath(source, node));
  const early = await fork();
  assert.equal(await merged(other, early), 1);
  assert.equal(await merged(source, 'master'), 0);
  assert.equal(await status(early, node), 200);
  assert.equal(await merged(source, early), 1);
  assert.equal(await status(early, node), 404);
});

test('a fork of an earlier changeset does not have what was noted on the branch since', async () => {
  const { node, early, source, bare } = await noted();
  const old = await fork(bare, early);
  assert.equal(await merged(source, old), 1);
  assert.equal(await valueOf(old, node), 1);
});

test('a branch that is reset to where it is keeps what was noted on it', async () => {
  const { node, source, bare } = await noted();
  const { _doc } = await admin('POST', `${branchPath(bare)}/reset/start?id=${await tip(bare)}`, {});
  assert.equal((await endedJob(admin, _doc)).state, 'FINISHED');
  await set(source, node, 0);
  assert.equal(await merged(source, bare), 1);
  assert.equal(await valueOf(bare, node), 0);
});
