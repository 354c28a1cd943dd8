// Releases and scheduled work by the driver gitana, against the real program (docs/specification/merge_and_transfer.md 2.1, 2.3, 2.4).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ask, call, endedJob, send, startPlatform } from './gitana_driver.mjs';
import { freshContent, idsOf, makeNode, readNode } from './gitana_repository.mjs';

const { admin } = await startPlatform();

/// A release of a repository that changes the title of a node, and the branch of it.
async function releaseOf({ repository }, node, title) {
  const jobId = await ask(repository, (chain, answer) => chain.startCreateRelease({ title }, answer));
  const { _result } = await endedJob(admin, jobId);
  const release = await call(repository, (chain) => chain.readRelease(_result['created-release-id']));
  const branch = await call(repository, (chain) => chain.readBranch(release.branchId));
  const changed = await readNode(branch, node.getId());
  changed.title = title;
  await call(changed, (chain) => chain.update());
  return { release, branch };
}
async function dated(release, ms) {
  const fresh = await call(release, (chain) => chain.reload());
  fresh.releaseDate = { ms };
  return call(fresh, (chain) => chain.update());
}
const finalize = (release, schedule) => ask(release, (chain, answer) => chain.finalize({ schedule }, answer));
async function becomes(branch, node, title) {
  for (const end = Date.now() + 60_000; (await readNode(branch, node.getId())).title !== title; await sleep(50)) assert.ok(Date.now() < end, title);
}

test('2.3: a release is made, changed, dated, finalized twice, on the master after its date; a fresh one is deleted', async () => {
  const content = await freshContent(admin);
  const { repository, master } = content;
  const node = await makeNode(master, { title: 'Before' });
  assert.equal((await call(repository, (chain) => chain.listReleases())).size(), 0);
  const { release } = await releaseOf(content, node, 'After');
  for (const map of [await call(repository, (chain) => chain.listReleases()), await call(repository, (chain) => chain.queryReleases({}))]) assert.deepEqual(idsOf(map), [release.getId()]);
  await dated(release, Date.now() + 2000);
  const first = await finalize(release, false);
  assert.deepEqual([first.result.finalized, first.result.scheduled], [true, false]);
  assert.equal((await finalize(release, true)).result.scheduled, true);
  assert.equal((await readNode(master, node.getId())).title, 'Before');
  await becomes(master, node, 'After');
  const { info } = await ask(release, (chain, answer) => chain.loadInfo((told) => answer(told.info ? told : { info: told })));
  assert.equal(info.branchId, release.branchId);
  const fresh = await call(repository, (chain) => chain.createRelease({ title: 'Fresh' }));
  await call(fresh, (chain) => chain.del());
  assert.equal((await call(repository, (chain) => chain.listReleases())).size(), 1);
});

test('2.1: a release is made of another one', async () => {
  const content = await freshContent(admin);
  const node = await makeNode(content.master, { title: 'Before' });
  const { release } = await releaseOf(content, node, 'Of one');
  const copy = await call(content.repository, (chain) => chain.createRelease({ title: 'Two' }, release.getId()));
  const branch = await call(content.repository, (chain) => chain.readBranch(copy.branchId));
  assert.equal((await readNode(branch, node.getId())).title, 'Of one');
});

test('2.4: scheduled work is listed, queried, read, changed, triggered and deleted', async () => {
  const content = await freshContent(admin);
  const { repository, master } = content;
  const node = await makeNode(master, { title: 'Before' });
  const { release } = await releaseOf(content, node, 'After');
  await dated(release, Date.now() + 3_600_000);
  const { result } = await finalize(release, true);
  const id = result.scheduledWorkId;
  assert.ok(idsOf(await call(admin, (platform) => platform.listScheduledWorkItems({ limit: -1 }))).includes(id));
  assert.deepEqual(idsOf(await call(admin, (platform) => platform.queryScheduledWorkItems({ repositoryId: repository.getId() }))), [id]);
  const work = await call(admin, (platform) => platform.readScheduledWorkItem(id));
  work.title = 'Mine';
  await call(work, (chain) => chain.update());
  const checks = [{ permissionedId: id, principalId: 'admin', permissionId: 'read' }];
  const [checked] = await new Promise((resolve, reject) => {
    call(admin, (platform) => platform.checkScheduledWorkPermissions(checks, resolve)).catch(reject);
  });
  assert.equal(checked.result, true);
  await call(work, (chain) => chain.trigger());
  await becomes(master, node, 'After');
  const read = await send(admin, 'GET', `/work/scheduled/${id}`);
  assert.equal(read.title, 'Mine');
  await endedJob(admin, read.jobId);
  await call(work, (chain) => chain.del());
  assert.equal((await call(admin, (platform) => platform.queryScheduledWorkItems({ repositoryId: repository.getId() }))).size(), 0);

  const other = await releaseOf(content, node, 'Later');
  const posted = await call(admin, (platform) => platform.createScheduledWorkItem({ reference: other.release.ref(), startDate: Date.now() + 1000 }));
  assert.equal(posted.releaseId, other.release.getId());
  await becomes(master, node, 'Later');
});
