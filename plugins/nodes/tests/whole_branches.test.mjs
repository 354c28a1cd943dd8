// What an operation writes on a whole branch, its caller holds on everything in the branch
// (docs/decisions/0092-what-writes-to-a-whole-branch.md), and what a job writes is checked as its caller's.
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { endedJob } from '../../../tests/support/ended_job.mjs';
import { SteleServer } from '../../../tests/support/stele_server.mjs';

let server;
let branch;
let repository;
const admin = (...request) => server.admin(...request);
const grant = (base, role, name) => admin('POST', `${base}/authorities/${role}/grant?id=default/${name}`);
const people = {};

before(async () => {
  server = await SteleServer.start();
  for (const name of ['ann', 'bea']) {
    await server.makeUser(name);
    const token = await server.login(name, `secret-of-${name}`);
    people[name] = (method, path, body) => server.request(method, path, { token, body: body ?? (method === 'GET' ? undefined : {}) });
  }
});
after(() => server.end());
beforeEach(async () => {
  repository = `/repositories/${(await admin('POST', '/repositories', {}))._doc}`;
  branch = `${repository}/branches/master`;
  await grant(repository, 'connector', 'ann');
});

const N = (id) => `${branch}/nodes/${id}`;
const make = async (fields) => (await admin('POST', `${branch}/nodes`, fields))._doc;
/// The job that a reply names, when it has ended.
async function ended(reply) {
  assert.equal(reply.status, 200, reply.text);
  return endedJob(admin, reply.json._doc);
}
const refused = (reply, code = 'authority.permission_missing') => {
  assert.equal(reply.status, 403, reply.text);
  assert.equal(reply.json.code, code, reply.text);
};
test('who may update the record of a branch resets nothing that is in it', async () => {
  const folder = await make({ title: 'public', _features: { 'f:container': {} } });
  await grant(N(folder), 'consumer', 'ann');
  const node = await make({ title: 'plan', secret: 'of then' });
  await admin('POST', `${N(folder)}/associate?node=${node}&type=a:child`);
  const then = (await admin('GET', branch)).tip;
  await admin('POST', `${N(node)}/move?targetNodeId=root`);
  const later = await make({ title: 'made later' });
  const reset = `${branch}/reset/start?id=${encodeURIComponent(then)}`;
  for (const role of ['editor', 'manager']) {
    await grant(branch, role, 'ann');
    refused(await people.ann('POST', reset));
  }
  assert.equal((await people.ann('GET', N(node))).status, 404);
  assert.equal((await admin('GET', N(later))).title, 'made later');
  // Whose rights reach inside, but are not all of them, brings nothing back either.
  await grant(repository, 'editor', 'bea');
  refused(await people.bea('POST', reset));
  await grant(branch, 'owner', 'ann');
  assert.equal((await ended(await people.ann('POST', reset))).state, 'FINISHED');
  assert.equal((await server.request('GET', N(later), { token: server.adminToken })).status, 404);
});

test('repairs of a branch need UPDATE and DELETE on everything in it', async () => {
  await make({ title: 'of somebody' });
  const repairs = ['validate/start?repair=true', 'admin/content', 'admin/paths/index'];
  for (const role of ['editor', 'manager']) {
    await grant(branch, role, 'ann');
    for (const repair of repairs) refused(await people.ann('POST', `${branch}/${repair}`));
  }
  // Looking takes nothing but what it took.
  assert.equal((await ended(await people.ann('POST', `${branch}/validate/start`))).state, 'FINISHED');
  // What is granted on a repository reaches inside its branches.
  await grant(branch, 'editor', 'bea');
  for (const [role, isEnough] of [['contributor', false], ['editor', true]]) {
    await grant(repository, role, 'bea');
    for (const repair of repairs) {
      const reply = await people.bea('POST', `${branch}/${repair}`);
      if (isEnough) assert.equal((await ended(reply)).state, 'FINISHED', repair);
      else refused(reply);
    }
  }
  await grant(branch, 'owner', 'ann');
  for (const repair of repairs) assert.equal((await ended(await people.ann('POST', `${branch}/${repair}`))).state, 'FINISHED', repair);
});

test('a job moves nothing into a folder that the caller could not move, whatever type the client gave it', async () => {
  await grant(branch, 'contributor', 'ann');
  const node = await make({ title: 'of somebody' });
  await grant(N(node), 'editor', 'ann');
  const own = (await people.ann('POST', `${branch}/nodes`, { title: 'own', _features: { 'f:container': {} } })).json._doc;
  for (const type of ['n:node', 'n:person', 'n:group']) {
    assert.equal((await people.ann('POST', `${N(node)}/change_type?type=${type}`)).status, 200);
    refused(await people.ann('POST', `${N(node)}/move?targetNodeId=${own}`), 'nodes.membership_gives_rights');
    const moved = await people.ann('POST', `${N(node)}/move/start?targetNodeId=${own}`);
    assert.equal((await ended(moved)).state, 'ERROR', type);
    refused(await people.ann('POST', `${N(node)}/authorities/consumer/grant?id=default/ann`), 'authority.permission_missing');
  }
});

test('what a job makes is its caller\'s, of whatever type, and is validated like what a call makes', async () => {
  await grant(branch, 'contributor', 'ann');
  const from = await make({ title: 'a person', _type: 'n:person' });
  await grant(N(from), 'consumer', 'ann');
  const own = (await people.ann('POST', `${branch}/nodes`, { title: 'own', _features: { 'f:container': {} } })).json._doc;
  const copied = await ended(await people.ann('POST', `${N(from)}/copy/start?targetNodeId=${own}`));
  assert.equal(copied.state, 'FINISHED', JSON.stringify(copied));
  const { rows } = await admin('POST', `${branch}/nodes/query`, { title: 'a person' });
  assert.deepEqual(rows.map((one) => one._system.created_by).sort(), ['admin', 'ann']);

  await admin('POST', `${branch}/nodes`, { _qname: 'custom:strict', _type: 'd:type', _parent: 'n:node', type: 'object', required: ['needed'], properties: { needed: { type: 'string' } } });
  const unfit = await make({ title: 'unfit', _type: 'custom:strict', needed: 'x' });
  await admin('PUT', N(unfit), { title: 'unfit' });
  await grant(N(unfit), 'consumer', 'ann');
  await admin('PUT', branch, { ...(await admin('GET', branch)), validateContent: true });
  const call = await people.ann('POST', `${N(unfit)}/copy?targetNodeId=${own}`);
  const job = await people.ann('POST', `${N(unfit)}/copy/start?targetNodeId=${own}`);
  assert.equal(call.status, 400, call.text);
  assert.equal((await ended(job)).state, 'ERROR');
});
