// Releases by the driver cloudcms, with each of its engines, against the real program (docs/specification/merge_and_transfer.md 2.3).
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { endedJob } from '../support/ended_job.mjs';
import { SteleServer } from '../support/stele_server.mjs';
import { configFor, connectWith, engines } from './cloudcms_driver.mjs';

let server;
before(async () => { server = await SteleServer.start(); });
after(() => server.end());

for (const engine of engines) {
  test(`${engine[0]}: 15 to 20: a release is made, dated, finalized and scheduled, and on the master after its date`, async () => {
    const session = await connectWith(engine, configFor(server));
    const repository = await session.createRepository({});
    const { _doc: node } = await session.createNode(repository, 'master', { title: 'Before' });
    assert.equal((await session.listReleases(repository)).total_rows, 0);
    const started = await session.startCreateRelease(repository, { title: 'Spring' });
    const job = await endedJob((...request) => server.admin(...request), started._doc ?? started);
    const id = job._result['created-release-id'];
    for (const found of [await session.listReleases(repository), await session.queryReleases(repository, {})]) assert.deepEqual(found.rows.map(({ _doc }) => _doc), [id]);
    const release = await session.readRelease(repository, id);
    assert.equal((await session.readBranch(repository, release.branchId))._doc, release.branchId);
    await server.admin('PUT', `/repositories/${repository._doc}/branches/${release.branchId}/nodes/${node}`, { title: 'After' });
    release.releaseDate = { ms: Date.now() + 2000 };
    await session.updateRecord(`/repositories/${repository._doc}/releases`, release);
    const path = `/repositories/${repository._doc}/releases/${id}`;
    for (const schedule of [false, true]) assert.equal(typeof (await server.admin('POST', `${path}/finalize`, { schedule })).result, 'object');
    assert.equal(typeof (await server.admin('GET', `${path}/info`)).info, 'object');
    for (const end = Date.now() + 60_000; (await session.readNode(repository, 'master', node)).title !== 'After'; await sleep(50)) assert.ok(Date.now() < end);
    const other = await session.startCreateRelease(repository, { title: 'Other' });
    const { _result } = await endedJob((...request) => server.admin(...request), other._doc ?? other);
    await session.deleteRelease(repository, _result['created-release-id']);
    assert.equal((await session.listReleases(repository)).total_rows, 1);
  });
}
