// Editorial flows by the driver cloudcms, with each of its engines, against the real program (docs/specification/nodes.md 30,
// merge_and_transfer.md 6).
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { SteleServer } from '../support/stele_server.mjs';
import { configFor, connectWith, engines } from './cloudcms_driver.mjs';

let server;
before(async () => { server = await SteleServer.start(); });
after(() => server.end());

/// Within the time that the driver's own test waits.
async function within(seconds, isThere) {
  for (const end = Date.now() + seconds * 1000; ; await sleep(50)) {
    if (await isThere()) return;
    assert.ok(Date.now() < end, `not within ${seconds} s`);
  }
}

for (const engine of engines) {
  test(`${engine[0]}: 14: nodes of a flow are on master when it is finished, and not before`, async () => {
    const session = await connectWith(engine, configFor(server));
    const repository = await session.createRepository({});
    const { workflowId, branchId, workspaceId } =
      await session.startEditorialFlow(repository, 'master', 'edit', 'default', { title: 'My Flow 1' }, {}, {}, []);
    assert.ok(workflowId && branchId && workspaceId);
    assert.deepEqual(Object.keys((await session.readCurrentTaskForEditorialFlow(workflowId)).routes).sort(), ['cancel', 'finish']);
    for (const title of ['n1', 'n2', 'n3']) await session.createNode(repository, branchId, { title, foo: 'bar' });
    const onMaster = async () => (await session.queryNodes(repository, 'master', { foo: 'bar' })).rows.length;
    assert.equal(await onMaster(), 0);
    assert.notEqual(await session.transitionEditorialFlow(workflowId, 'finish'), null);
    await within(60, async () => (await onMaster()) === 3);
    assert.equal((await session.readCurrentTaskForEditorialFlow(workflowId)).state, 'finished');
  });
}
