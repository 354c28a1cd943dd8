// The driver gitana and what lies on the platform beside principals and policies; the counts are
// those of the driver's own published tests (docs/specification/platform.md 18).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Gitana, ask, call, endedJob, settingsFor, startPlatform } from './gitana_driver.mjs';

const { server, admin } = await startPlatform();
let names = 0;

const everything = { limit: -1 };
const fresh = (what) => `${what}-${++names}`;
const count = async (object, work) => (await call(object, work)).asArray().length;
const make = (method, fields = {}) => call(admin, (platform) => platform[method](fields));
const makeUser = async () => {
  const primary = await call(admin, (platform) => platform.readPrimaryDomain());
  const name = fresh('user');
  return call(primary, (domain) => domain.createUser({ name, password: `secret of ${name}` }));
};

test('a stack holds none, one and two stores, and one after an unassignment', async () => {
  const stack = await make('createStack', { title: fresh('stack') });
  const abc = fresh('abc');
  const stores = [await make('createDomain', { abc }), await make('createApplication', { abc, def: 'x' })];
  const held = () => count(stack, (chain) => chain.listDataStores());
  const exists = (key) => ask(stack, (chain, answer) => chain.existsDataStore(key, answer));
  assert.equal(await held(), 0);
  await call(stack, (chain) => chain.assignDataStore(stores[0], 'principals'));
  assert.equal(await held(), 1);
  await call(stack, (chain) => chain.assignDataStore(stores[1], 'application'));
  assert.equal(await held(), 2);
  assert.deepEqual([await exists('principals'), await exists('application'), await exists('none')], [true, true, false]);
  assert.equal(await count(stack, (chain) => chain.queryDataStores({ abc })), 2);
  assert.equal(await count(stack, (chain) => chain.queryDataStores({ def: 'x' })), 1);
  const row = (await call(stack, (chain) => chain.listDataStores()))['principals'];
  assert.equal(row.datastoreId, stores[0].getId());
  assert.equal(row.datastoreTypeId, 'domain');
  await call(stack, (chain) => chain.unassignDataStore('principals'));
  assert.equal(await held(), 1);
  assert.equal(await exists('principals'), false);
});

test('connect with an application in a stack brings the stack and its stores', async () => {
  const project = await make('createProject', { title: fresh('project') });
  const key = fresh('application');
  await make('createApplication', { key, title: 'Shop', projectId: project.getId() });
  const helper = await new Promise((resolve, reject) => {
    Gitana.connect(settingsFor(server, { username: 'admin', password: 'admin', application: key }), function (error) {
      if (error) reject(Object.assign(new Error(error.message), error));
      else resolve({ application: this.application(), stack: this.stack(), project: this.project() });
    });
  });
  assert.equal(helper.application.getTitle(), 'Shop');
  assert.equal(helper.stack.getId(), project.stackId);
  assert.equal(helper.project.getId(), project.getId());
});

for (const [what, create, list, query] of [
  ['stacks', 'createStack', 'listStacks', 'queryStacks'],
  ['web hosts', 'createWebHost', 'listWebHosts', 'queryWebHosts'],
  ['registrars', 'createRegistrar', 'listRegistrars', 'queryRegistrars'],
]) {
  test(`${what} are one more, found by one query, and as many as before after a delete`, async () => {
    const listed = () => count(admin, (platform) => platform[list](everything));
    const before_ = await listed();
    const title = fresh(what);
    const record = await make(create, { title, description: 'made by a test' });
    assert.equal(await listed(), before_ + 1);
    assert.equal(await count(admin, (platform) => platform[query]({ title })), 1);
    const again = await call(record, (chain) => { chain.color = 'red'; return chain.update().reload(); });
    assert.deepEqual([again.getTitle(), again.getDescription(), again.color], [title, 'made by a test', 'red']);
    await call(record, (chain) => chain.del());
    assert.equal(await listed(), before_);
    assert.equal(await count(admin, (platform) => platform[query]({ title })), 0);
  });
}

test('bulk checks tell a collaborator on exactly three of five stacks', async () => {
  const user = await makeUser();
  const stacks = [];
  for (let i = 0; i < 5; ++i) stacks.push(await make('createStack'));
  for (const stack of stacks.slice(0, 3)) await call(stack, (chain) => chain.grantAuthority(user, 'COLLABORATOR'));
  const checks = stacks.map((stack) =>
    ({ permissionedId: stack.getId(), principalId: user.getDomainQualifiedId(), authorityId: 'COLLABORATOR' }));
  const results = await ask(admin, (platform, answer) => platform.checkStackAuthorities(checks, answer));
  assert.deepEqual(results.map((one) => one.result), [true, true, true, false, false]);
});

test('projects are three by a query, two after a delete, and keep a used stack', async () => {
  const abc = fresh('abc');
  const projects = [];
  for (let i = 0; i < 3; ++i) projects.push(await make('createProject', { title: fresh('project'), abc }));
  const found = () => count(admin, (platform) => platform.queryProjects({ abc }));
  assert.equal(await found(), 3);
  const stack = await call(admin, (platform) => platform.readStack(projects[0].stackId));
  await assert.rejects(call(stack, (chain) => chain.del()), { status: 409 });
  await call(projects[2], (chain) => chain.del());
  assert.equal(await found(), 2);
});

test('a job makes a project, tells its id, and is counted among the finished ones', async () => {
  const finished = () => count(admin.getCluster(), (cluster) => cluster.queryFinishedJobs({}, everything));
  const before_ = await finished();
  const jobId = await ask(admin, (platform, answer) => platform.startCreateProject({ title: fresh('project') }, {}, answer));
  const job = await new Promise((resolve) => {
    globalThis.Chain(admin.getCluster()).then(function () {
      // The driver's object has a `then`, which a promise must not follow.
      this.waitForJobCompletion(jobId, ({ state, 'created-project-id': id }) => resolve({ state, id }));
      return false;
    });
  });
  assert.equal(job.state, 'FINISHED');
  const project = await call(admin, (platform) => platform.readProject(job.id));
  assert.ok(project.stackId);
  assert.equal(await finished(), before_ + 1);
});

test('every query for jobs works, and none is left unfinished', async () => {
  const cluster = admin.getCluster();
  for (const query of ['queryJobs', 'queryUnstartedJobs', 'queryRunningJobs', 'queryWaitingJobs', 'queryFailedJobs', 'queryFinishedJobs']) {
    const map = await call(cluster, (chain) => chain[query]({}, everything));
    assert.ok(Array.isArray(map.asArray()), query);
  }
  for (const query of ['queryUnstartedJobs', 'queryRunningJobs', 'queryWaitingJobs']) {
    assert.equal(await count(cluster, (chain) => chain[query]({}, everything)), 0, query);
  }
});

test('auto client mappings are three, three by client, one by host, two after a delete', async () => {
  const webHost = await make('createWebHost', { title: fresh('web host'), urlPatterns: ['example.org'] });
  const application = await make('createApplication', { title: fresh('application') });
  const client = await make('createClient', { title: fresh('client') });
  const grant = await make('createAuthenticationGrant', { principalDomainId: 'default', principalId: 'admin' });
  const hosts = [1, 2, 3].map((number) => `auto-${number}.example.org`);
  const mappings = [];
  for (const host of hosts) {
    mappings.push(await call(webHost, (chain) => chain.createAutoClientMapping(host, application, client, grant)));
  }
  assert.equal(await count(webHost, (chain) => chain.listAutoClientMappings()), 3);
  assert.equal(await count(webHost, (chain) => chain.queryAutoClientMappings({ clientKey: client.getKey() })), 3);
  assert.equal(await count(webHost, (chain) => chain.queryAutoClientMappings({ host: hosts[1] })), 1);
  await call(mappings[0], (chain) => chain.del());
  assert.equal(await count(webHost, (chain) => chain.listAutoClientMappings()), 2);
});

test('trusted domain mappings of one host differ by scope: three, two after a delete', async () => {
  const webHost = await make('createWebHost', { title: fresh('web host') });
  const mappings = [];
  for (const scope of ['webdav', 'ftp', 'cmis']) {
    mappings.push(await call(webHost, (chain) => chain.createTrustedDomainMapping('files.example.org', scope, admin)));
  }
  assert.equal(await count(webHost, (chain) => chain.listTrustedDomainMappings()), 3);
  await call(mappings[2], (chain) => chain.del());
  assert.equal(await count(webHost, (chain) => chain.listTrustedDomainMappings()), 2);
});

test('connections of a directory are two more, one by a query', async () => {
  const directory = await make('createDirectory', { title: fresh('directory') });
  const before_ = await count(directory, (chain) => chain.listConnections());
  const title = fresh('connection');
  for (const fields of [{ title }, {}]) {
    await call(directory, (chain) => chain.createConnection({ providerId: 'ldap', providerType: 'ldap', ...fields }));
  }
  assert.equal(await count(directory, (chain) => chain.listConnections()), before_ + 2);
  assert.equal(await count(directory, (chain) => chain.queryConnections({ title })), 1);
});

test('reports and billing configurations are three, two by a query', async () => {
  const abc = fresh('abc');
  for (const fields of [{ abc }, { abc }, {}]) {
    await make('createReport', { title: fresh('report'), ...fields });
    await call(admin, (platform) => platform.createBillingProviderConfiguration('braintree', { ...fields }));
  }
  assert.equal(await count(admin, (platform) => platform.listReports(everything)), 3);
  assert.equal(await count(admin, (platform) => platform.queryReports({ abc })), 2);
  assert.equal(await count(admin, (platform) => platform.listBillingProviderConfigurations(everything)), 3);
  assert.equal(await count(admin, (platform) => platform.queryBillingProviderConfigurations({ abc })), 2);
});

test('the only deployment strategy is the only one listed', async () => {
  await make('createDeploymentStrategy', { title: fresh('strategy') });
  assert.equal(await count(admin, (platform) => platform.listDeploymentStrategies()), 1);
});

test('a difference of two references is merged, a report is executed, and stores are kept in order', async () => {
  const asked = fresh('asked');
  const [one, other] = [await make('createReport', { title: 'one', asked, gone: 1 }), await make('createReport', { title: 'other', asked, more: [1] })];
  const between = () => ask(admin, (platform, answer) => platform.referenceDiff(one.ref(), other.ref(), answer));
  const difference = await between();
  const merged = await ask(admin, (platform, answer) => platform.referenceMerge(one.ref(), difference, answer));
  assert.deepEqual([merged._doc, merged.title, merged.more, merged.gone], [one.getId(), 'other', [1], undefined]);
  assert.deepEqual((await between()).diff, []);
  const report = await make('createReport', { title: 'of reports', source: { typeId: 'report', query: { asked } } });
  const found = await ask(admin, (platform, answer) => platform.executeReport(report.getId(), {}, { limit: 1 }, answer));
  assert.deepEqual([found.total_rows, found.size], [2, 1]);
  const project = await make('createProject', { title: fresh('project') });
  await call(admin, (platform) => platform.adminIndexDatastores());
  await call(admin, (platform) => platform.adminRepair());
  await call(project, (chain) => chain.adminMaintenance());
  const kinds = { $in: ['index-platform', 'repair-platform', 'maintain-project'] };
  const jobs = (await call(admin.getCluster(), (cluster) => cluster.queryJobs({ type: kinds }, everything))).asArray();
  assert.equal(jobs.length, 3);
  for (const job of jobs) assert.equal((await endedJob(admin, job.getId())).state, 'FINISHED');
});
