// What a merge of two branches would change (docs/reference/merge.md; docs/specification/nodes.md 29).
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
const makeIn = async (branch, folder, fields) =>
  (await admin('POST', `${branchPath(branch)}/nodes?rootNodeId=${folder}&parentFolderPath=/`, fields))._doc;
const put = async (branch, node, fields) => admin('PUT', nodePath(branch, node), { ...(await admin('GET', nodePath(branch, node))), ...fields });
const fork = async () => (await admin('POST', `${branchPath('')}?branch=master`, {}))._doc;
const folder = (title) => ({ title, _features: { 'f:container': {} } });
async function changes(source, target, query = '') {
  const { _doc } = await admin('POST', `${branchPath(target)}/changes/start?id=${source}${query}`, {});
  const job = await endedJob(admin, _doc);
  assert.equal(job.state, 'FINISHED', JSON.stringify(job));
  return job._result;
}

test('changes of a branch are told as nodes with operation, path, title, type and members', async () => {
  const box = await makeIn('master', 'root', folder('Box'));
  const changed = await makeIn('master', box, { title: 'Changed', _qname: 'ex:changed', colour: 'red', size: 1 });
  const gone = await makeIn('master', box, { title: 'Gone' });
  const moved = await makeIn('master', 'root', { title: 'Moved' });
  const source = await fork();
  const { colour, ...others } = await admin('GET', nodePath(source, changed));
  assert.equal(colour, 'red');
  await admin('PUT', nodePath(source, changed), { ...others, size: 2, weight: 3 });
  await admin('DELETE', nodePath(source, gone));
  await admin('POST', `${nodePath(source, moved)}/move?targetNodeId=${box}`, {});
  const made = await makeIn(source, box, { title: 'Made' });
  const lone = (await admin('POST', `${branchPath(source)}/nodes`, { title: 'Lone' }))._doc;

  const { rows, total_rows: total, sourceBranchId, truncated } = await changes(source, 'master');
  const row = (nodeId, operation, title, path, more = {}) => ({ nodeId, operation, title, _type: 'n:node', _qname: rows.find((one) => one.nodeId === nodeId)?._qname,
    ...(path ? { path } : {}), members: [], moved: false, conflict: false, ...more });
  assert.deepEqual([total, sourceBranchId, truncated], [5, source, undefined]);
  assert.deepEqual(rows.map(({ members, ...rest }) => ({ ...rest, members: [...members].sort() })), [
    row(changed, 'update', 'Changed', '/Box/Changed', { _qname: 'ex:changed', members: ['colour', 'size', 'weight'] }),
    row(gone, 'delete', 'Gone', '/Box/Gone'), row(made, 'create', 'Made', '/Box/Made'),
    row(moved, 'update', 'Moved', '/Box/Moved', { moved: true }), row(lone, 'create', 'Lone', undefined)]);
  const page = await changes(source, 'master', '&skip=1&limit=2');
  assert.deepEqual([page.rows.map(({ nodeId }) => nodeId), page.total_rows, page.offset, page.size], [[gone, made], 5, 1, 2]);
  assert.equal((await changes(source, 'master', '&limit=9999999')).rows.length, 5);
  assert.deepEqual((await changes('master', source)).rows, []);
  await admin('POST', `${branchPath('master')}/merge?id=${source}`, {});
  assert.deepEqual((await changes(source, 'master')).rows, []);
});

test('changes tell what does not go together, also of nodes that only the target has changed', async () => {
  const node = await makeIn('master', 'root', { title: 'Before' });
  const source = await fork();
  await put(source, node, { title: 'Source' });
  await put('master', node, { title: 'Target' });
  const { rows } = await changes(source, 'master');
  assert.deepEqual(rows.map(({ nodeId, conflict }) => [nodeId, conflict]), [[node, true]]);
});

test('the export of changes is a table that spreadsheets read as text', async () => {
  const source = await fork();
  const made = await makeIn(source, 'root', { title: '=1+1, "x"' });
  const reply = await server.request('GET', `${branchPath('master')}/changes/export?id=${source}&view=editorial`, { token: server.adminToken });
  assert.equal(reply.status, 200);
  assert.match(reply.headers['content-type'], /^text\/csv/);
  const [head, line, end] = reply.text.split('\r\n');
  assert.equal(head, 'nodeId,operation,title,_type,_qname,path,conflict');
  assert.ok(line.startsWith(`${made},create,"'=1+1, ""x""",n:node,`), line);
  assert.equal(end, '');
});

test('changes of nodes that may not be read are not told, and writing is not needed to look', async () => {
  const [hidden, half, shown] = [await makeIn('master', 'root', { title: 'Hidden' }), await makeIn('master', 'root', { title: 'Half' }), await makeIn('master', 'root', { title: 'Shown' })];
  const source = await fork();
  for (const node of [hidden, half, shown]) await put(source, node, { text: 'secret' });
  await put('master', hidden, { text: 'conflict' });
  await server.makeUser('looker');
  const token = await server.login('looker', 'secret-of-looker');
  for (const branch of ['master', source]) {
    for (const path of [branchPath(branch), nodePath(branch, shown)]) await admin('POST', `${path}/authorities/consumer/grant?id=default/looker`, {});
  }
  // What is open on one branch only.
  await admin('POST', `${nodePath('master', half)}/authorities/consumer/grant?id=default/looker`, {});
  const job = await server.request('POST', `${branchPath('master')}/changes/start?id=${source}&schedule=synchronous`, { token });
  assert.deepEqual(job.json._result.rows.map(({ nodeId }) => nodeId), [shown]);
  const table = await server.request('GET', `${branchPath('master')}/changes/export?id=${source}`, { token });
  for (const { text } of [job, table]) assert.ok(!text.includes(hidden) && !text.includes(half), text);
  assert.equal(table.text.trim().split('\r\n').length, 2);
  // Of a branch that they may not read nothing at all.
  const other = await fork();
  const refused = await server.request('POST', `${branchPath('master')}/changes/start?id=${other}`, { token });
  assert.deepEqual([refused.status, refused.json.code], [400, 'request.parameter_invalid']);
});

test('a node that must give up its name is not told to who may not read it on the target', async () => {
  const box = await makeIn('master', 'root', folder('Box'));
  const node = await makeIn('master', box, { title: 'Old' });
  const source = await fork();
  await put('master', node, { title: 'TOP SECRET', _features: { 'f:filename': { filename: 'plan' } } });
  await admin('PUT', branchPath('master'), { autoConflictResolutionRule: 'source' });
  const made = await makeIn(source, box, { title: 'plan' });
  await server.makeUser('namer');
  const token = await server.login('namer', 'secret-of-namer');
  for (const path of [branchPath('master'), branchPath(source), nodePath(source, box), nodePath(source, node), nodePath(source, made)]) {
    await admin('POST', `${path}/authorities/consumer/grant?id=default/namer`, {});
  }
  const { rows: memberships } = await admin('GET', `${nodePath(source, made)}/associations?type=a:child`);
  for (const { _doc } of memberships) await admin('POST', `${nodePath(source, _doc)}/authorities/consumer/grant?id=default/namer`, {});
  const shown = await server.request('GET', nodePath('master', node), { token });
  const job = await server.request('POST', `${branchPath('master')}/changes/start?id=${source}&schedule=synchronous`, { token });
  assert.deepEqual(job.json._result.rows.map(({ nodeId }) => nodeId).filter((id) => id === made), [made], job.text);
  assert.ok(!job.text.includes('TOP SECRET'), job.text);
  assert.equal(shown.status, 404);
});
