// What copies from a branch take along (docs/specification/merge_and_transfer.md 1.4, docs/reference/nodes_folders.md).
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { endedJob } from '../../../tests/support/ended_job.mjs';
import { SteleServer } from '../../../tests/support/stele_server.mjs';

let server;
before(async () => { server = await SteleServer.start(); });
after(() => server.end());
const admin = (...request) => server.admin(...request);
const make = async (nodes, fields) => (await admin('POST', nodes, fields))._doc;

/// The master of a new repository, and a branch that shows nothing of it.
async function branches() {
  const repository = `/repositories/${(await admin('POST', '/repositories', {}))._doc}/branches`;
  const fork = (await admin('POST', `${repository}?branch=master&changeset=0:root`, {}))._doc;
  return { nodes: `${repository}/master/nodes`, target: `${repository}/${fork}` };
}

test('copyfrom leaves the associations that it is told to leave (1.4.3)', async () => {
  const { nodes, target } = await branches();
  const [one, two] = [await make(nodes, { title: 'one' }), await make(nodes, { title: 'two' })];
  for (const type of ['a:linked', 'a:owned']) await admin('POST', `${nodes}/${one}/associate?node=${two}&type=${type}`);
  const copy = (excludeAssociationTypes) =>
    server.request('POST', `${target}/copyfrom?id=master`, { token: server.adminToken, body: { nodeIds: [one, two], excludeAssociationTypes } });
  const types = async () => (await admin('GET', `${target}/nodes/${one}/outgoing`)).rows.map(({ _type }) => _type).sort();
  for (const [excluded, left] of [[true, []], [['a:owned'], ['a:linked']], [false, ['a:linked', 'a:owned']]]) {
    assert.equal((await copy(excluded)).status, 200);
    assert.deepEqual(await types(), left, String(excluded));
  }
  for (const wrong of ['yes', 1, [1], {}]) {
    const reply = await copy(wrong);
    assert.equal(reply.status, 400, reply.text);
    assert.match(reply.text, /excludeAssociationTypes/);
  }
});

test('a dry run of a copy says what would be, and writes nothing', async () => {
  const { nodes, target } = await branches();
  const node = await make(nodes, { title: 'one' });
  const [, , repository, , branch] = target.split('/');
  const chain = (id, end) => [{ typeId: 'repository', id: repository }, { typeId: 'branch', id }, ...(end ? [{ typeId: 'node', id: end }] : [])];
  const tip = async () => (await admin('GET', target)).tip;
  const before = await tip();
  const copied = async (dryRun) => {
    const started = await admin('POST', '/tools/copy?schedule=ASYNCHRONOUS', { sources: chain('master', node), targets: chain(branch), configuration: { dryRun } });
    const job = await endedJob(admin, started._doc);
    assert.deepEqual([job.state, job._result.dryRun], ['FINISHED', dryRun], JSON.stringify(job.log_entries));
    return server.request('GET', `${target}/nodes/${job._result.copied}`, { token: server.adminToken });
  };
  assert.equal((await copied(true)).status, 404);
  assert.equal(await tip(), before);
  assert.equal((await copied(false)).json.title, 'one');
  assert.notEqual(await tip(), before);
});

test('copyfrom without associations brings those that stand for properties as the target defines them', async () => {
  const { nodes, target } = await branches();
  const define = (where) => make(where, { _type: 'd:type', _qname: 'custom:naming', properties: { named: { type: 'object', _relator: { associationType: 'my:by' } } } });
  await define(nodes);
  const other = await make(nodes, { title: 'other' });
  const node = await make(nodes, { _type: 'custom:naming', named: { id: other } });
  await admin('POST', `${nodes}/${node}/associate?node=${other}&type=my:by`, { note: 'stands for nothing' });
  const relations = async (where) => (await admin('GET', `${where}/${node}/outgoing`)).rows.map((row) => [row._type, row.target, row.note]);
  assert.equal((await relations(nodes)).length, 2);
  const copy = (nodeIds) => admin('POST', `${target}/copyfrom?id=master`, { nodeIds, excludeAssociationTypes: true, overwrite: true });
  await copy([node]);
  assert.deepEqual(await relations(`${target}/nodes`), []);
  await copy([other, node]);
  assert.deepEqual(await relations(`${target}/nodes`), []);
  await define(`${target}/nodes`);
  await copy([node]);
  assert.deepEqual(await relations(`${target}/nodes`), [['my:by', other, undefined]]);
});
