// Stacks, projects, jobs and the open collections of the platform (docs/specification/platform.md 3.1, 8, 14.1).
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { endedJob } from '../../../tests/support/ended_job.mjs';
import { SteleServer } from '../../../tests/support/stele_server.mjs';

let server;
let builder;
let stranger;
before(async () => {
  server = await SteleServer.start();
  [builder, stranger] = await Promise.all(['builder', 'stranger'].map(async (name) => {
    const user = await server.makeUser(name);
    return { ...user, token: await server.login(name, 'secret-of-' + name) };
  }));
  await server.admin('POST', `/authorities/collaborator/grant?id=default/${builder._doc}`, {});
});
after(() => server.end());

const make = async (path, fields = {}) => (await server.admin('POST', path, fields))._doc;
const call = async (method, path, options) => {
  const reply = await server.request(method, path, options);
  assert.equal(reply.status, 200, `${method} ${path}: ${reply.text}`);
  return reply.json;
};
const status = async (method, path, token, body) =>
  (await server.request(method, path, { token, body })).status;

test('a store in a stack is shown under its key, and by its own id when asked for by key', async () => {
  const stack = await make('/stacks', { title: 'Stack' });
  const store = await make('/applications', { title: 'Store', abc: '123' });
  await server.admin('POST', `/stacks/${stack}/datastores/assign?type=application&id=${store}&key=app`);
  const list = await server.admin('GET', `/stacks/${stack}/datastores`);
  assert.equal(list.total_rows, 1);
  assert.equal(list.rows[0]._doc, 'app');
  assert.equal(list.rows[0].datastoreId, store);
  assert.equal(list.rows[0].datastoreTypeId, 'application');
  assert.equal(list.rows[0].title, 'Store');
  const one = await server.admin('GET', `/stacks/${stack}/datastores/app`);
  assert.equal(one._doc, store);
  assert.equal((await server.admin('POST', `/stacks/${stack}/datastores/exists?key=app`)).exists, true);
  assert.equal((await server.admin('POST', `/stacks/${stack}/datastores/exists?key=none`)).exists, false);
  assert.equal(await status('GET', `/stacks/${stack}/datastores/none`, server.adminToken), 404);
  const found = await server.admin('POST', `/stacks/${stack}/datastores/query`, { abc: '123' });
  assert.equal(found.total_rows, 1);
  const none = await server.admin('POST', `/stacks/${stack}/datastores/query`, { abc: '124' });
  assert.equal(none.total_rows, 0);
  assert.equal((await server.admin('GET', `/stacks/find/application/${store}`))._doc, stack);
});

test('a key that is assigned again means the new store; an unassigned one nothing', async () => {
  const stack = await make('/stacks');
  const [first, second] = [await make('/applications'), await make('/directories')];
  await server.admin('POST', `/stacks/${stack}/datastores/assign?type=application&id=${first}&key=k`);
  await server.admin('POST', `/stacks/${stack}/datastores/assign?type=directory&id=${second}&key=k`);
  assert.equal((await server.admin('GET', `/stacks/${stack}/datastores/k`))._doc, second);
  assert.equal(await status('GET', `/stacks/find/application/${first}`, server.adminToken), 404);
  // Without a key the store's id is one.
  await server.admin('POST', `/stacks/${stack}/datastores/assign?type=application&id=${first}`);
  assert.equal((await server.admin('GET', `/stacks/${stack}/datastores/${first}`))._doc, first);
  await server.admin('POST', `/stacks/${stack}/datastores/unassign?key=k`);
  assert.equal((await server.admin('GET', `/stacks/${stack}/datastores`)).total_rows, 1);
  assert.equal(await status('POST', `/stacks/${stack}/datastores/unassign?key=k`, server.adminToken), 404);
  await server.admin('DELETE', `/applications/${first}`);
  assert.equal((await server.admin('GET', `/stacks/${stack}/datastores`)).total_rows, 0);
});

test('only who owns a store puts it into a stack, and a store of another kind is refused', async () => {
  const store = await make('/applications');
  const stack = (await call('POST', '/stacks', { token: builder.token, body: {} }))._doc;
  const assign = (type, id) =>
    status('POST', `/stacks/${stack}/datastores/assign?type=${type}&id=${id}`, builder.token);
  assert.equal(await assign('application', store), 404);
  await server.admin('POST', `/applications/${store}/authorities/consumer/grant?id=default/${builder._doc}`, {});
  assert.equal(await assign('application', store), 403);
  assert.equal(await assign('uiconfig', store), 400);
  assert.equal(await assign('application', 'none'), 404);
  const own = (await call('POST', '/applications', { token: builder.token, body: {} }))._doc;
  assert.equal(await assign('application', own), 200);
});

test('a project gets a stack of its own, and takes it and its ui configs along', async () => {
  const project = await make('/projects', { title: 'Project' });
  const { stackId } = await server.admin('GET', `/projects/${project}`);
  assert.ok(stackId);
  const config = await make('/uiconfigs', { projectId: project });
  assert.equal(await status('DELETE', `/stacks/${stackId}`, server.adminToken), 409);
  await server.admin('DELETE', `/projects/${project}`);
  assert.equal(await status('GET', `/stacks/${stackId}`, server.adminToken), 404);
  assert.equal(await status('GET', `/uiconfigs/${config}`, server.adminToken), 404);
});

test('a project leaves a stack that it shares', async () => {
  const stack = await make('/stacks');
  const first = await make('/projects', { stackId: stack, sharedStack: true });
  const second = await make('/projects', { stackId: stack });
  const third = await make('/projects', { stackId: stack });
  await server.admin('DELETE', `/projects/${second}`);
  assert.equal(await status('GET', `/stacks/${stack}`, server.adminToken), 200);
  await server.admin('DELETE', `/projects/${third}`);
  await server.admin('DELETE', `/projects/${first}`);
  assert.equal(await status('GET', `/stacks/${stack}`, server.adminToken), 200);
  assert.equal(await status('POST', '/projects', server.adminToken, { stackId: 'none' }), 400);
});

test('a job makes a project that belongs to whoever started it', async () => {
  const token = builder.token;
  const { _doc: id } = await call('POST', '/projects/start', { token, body: { title: 'By job' } });
  const job = await endedJob((method, path) => call(method, path, { token }), id);
  assert.equal(job.state, 'FINISHED', JSON.stringify(job.log_entries));
  assert.equal(job.type, 'create-project');
  const project = job['created-project-id'];
  assert.equal(job._result['created-project-id'], project);
  assert.equal((await call('GET', `/projects/${project}`, { token })).title, 'By job');
  assert.equal(await status('DELETE', `/projects/${project}`, token), 200);
  const waited = await call('POST', '/projects/start?schedule=SYNCHRONOUS', { token, body: {} });
  assert.equal(waited.state, 'FINISHED');
});

/// A stack that the builder may read, and what it does with it while it owns it.
async function stackOfBuilder() {
  const stack = await make('/stacks');
  const change = (role, verb) =>
    server.admin('POST', `/stacks/${stack}/authorities/${role}/${verb}?id=default/${builder._doc}`, {});
  await change('consumer', 'grant');
  const asOwner = async (work) => {
    await change('owner', 'grant');
    const done = await work();
    await change('owner', 'revoke');
    return done;
  };
  return { stack, asOwner };
}

test('a stack is given to a project by its owners only, as policies of the project count on its stores', async () => {
  const { stack, asOwner } = await stackOfBuilder();
  const token = builder.token;
  const project = (await call('POST', '/projects', { token, body: {} }))._doc;
  assert.equal(await status('POST', '/projects', token, { stackId: stack }), 403);
  assert.equal(await status('PUT', `/projects/${project}`, token, { stackId: stack }), 403);
  assert.equal(await status('POST', '/projects/start?schedule=synchronous', token, { stackId: stack }), 403);
  assert.equal(await asOwner(() => status('PUT', `/projects/${project}`, token, { stackId: stack })), 200);
});

test('a job that is given a stack gives no rights on it', async () => {
  const { stack, asOwner } = await stackOfBuilder();
  const token = builder.token;
  const job = await asOwner(() => call('POST', '/projects/start?schedule=synchronous', { token, body: { stackId: stack } }));
  assert.equal((await call('GET', `/projects/${job['created-project-id']}`, { token })).stackId, stack);
  assert.equal(await status('PUT', `/stacks/${stack}`, token, {}), 403);
  assert.equal(await status('DELETE', `/stacks/${stack}`, token), 403);
  const check = await server.admin('POST', `/stacks/${stack}/teams/owners/members/check?id=default/${builder._doc}`, {});
  assert.equal(check.belongs, false);
});

test('a project takes a stack along that was made for it or that the caller may remove, no other', async () => {
  const token = builder.token;
  const { stack, asOwner } = await stackOfBuilder();
  const there = () => status('GET', `/stacks/${stack}`, server.adminToken);
  const named = (await asOwner(() => call('POST', '/projects', { token, body: { stackId: stack, ownStackId: stack } })))._doc;
  assert.equal((await call('GET', `/projects/${named}`, { token })).ownStackId, undefined);
  await call('DELETE', `/projects/${named}`, { token });
  assert.equal(await there(), 200);
  const moved = (await call('POST', '/projects', { token, body: {} }))._doc;
  await asOwner(() => call('PUT', `/projects/${moved}`, { token, body: { stackId: stack, ownStackId: stack } }));
  assert.equal((await call('GET', `/projects/${moved}`, { token })).stackId, stack);
  await call('DELETE', `/projects/${moved}`, { token });
  assert.equal(await there(), 200);
  const last = await make('/projects', { stackId: stack });
  await server.admin('DELETE', `/projects/${last}`);
  assert.equal(await there(), 404);
});

test('jobs are queried by whoever started them and by managers only', async () => {
  const { _doc: id } = await call('POST', '/projects/start?schedule=synchronous',
                                         { token: builder.token, body: { title: 'Mine' } });
  const query = (token, kind = '') =>
    call('POST', `/jobs${kind}/query`, { token, body: { type: 'create-project' } });
  const ids = async (token, kind) => (await query(token, kind)).rows.map((row) => row._doc);
  assert.ok((await ids(builder.token)).includes(id));
  assert.ok((await ids(server.adminToken, '/finished')).includes(id));
  assert.ok(!(await ids(builder.token, '/running')).includes(id));
  assert.deepEqual(await ids(stranger.token), []);
  assert.equal(await status('GET', `/jobs/${id}`, stranger.token), 404);
  assert.equal(await status('POST', `/jobs/${id}/kill`, stranger.token), 404);
  assert.equal(await status('POST', `/jobs/${id}/kill`, builder.token), 200);
  assert.equal((await call('GET', `/jobs/${id}`, { token: builder.token })).state, 'FINISHED');
  const waiting = await server.admin('POST', '/jobs/waiting/query', {});
  assert.equal(waiting.total_rows, 0);
});

test('the open collections keep what clients put there', async () => {
  for (const path of ['/billing/configurations', '/deployment/packages', '/deployment/receivers',
                      '/deployment/strategies', '/deployment/targets', '/descriptors', '/sidekicks',
                      '/views']) {
    const made = await make(path, { title: 'Open', own: { branchRef: path } });
    const found = await server.admin('POST', `${path}/query`, { 'own.branchRef': path });
    assert.equal(found.rows[0]._doc, made, path);
    await server.admin('DELETE', `${path}/${made}`);
  }
  const billing = await make('/billing/configurations', { providerId: 'p', privateKey: 'hidden-key' });
  const { text } = await server.request('GET', `/billing/configurations/${billing}`, { token: server.adminToken });
  assert.ok(!text.includes('hidden-key'));
});

test('an application names a project by an update only where its owner may change the stack', async () => {
  const project = await make('/projects', { title: 'Named' });
  await server.admin('POST', `/projects/${project}/authorities/consumer/grant?id=default/${builder._doc}`, {});
  const { stackId } = await server.admin('GET', `/projects/${project}`);
  const { _doc: own } = await call('POST', '/applications', { token: builder.token, body: {} });
  const name = () => status('PUT', `/applications/${own}`, builder.token, { projectId: project });
  assert.equal(await name(), 403);
  assert.equal((await server.admin('GET', `/applications/${own}`)).projectId, undefined);
  await server.admin('POST', `/stacks/${stackId}/authorities/editor/grant?id=default/${builder._doc}`, {});
  assert.equal(await name(), 200);
  // One that is named already stays through other updates.
  await server.admin('POST', `/stacks/${stackId}/authorities/all/revoke?id=default/${builder._doc}`, {});
  assert.equal(await status('PUT', `/applications/${own}`, builder.token, { projectId: project, title: 'x' }), 200);
});
