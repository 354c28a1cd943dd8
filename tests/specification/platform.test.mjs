// docs/specification/platform.md 3, 8 to 12 and 14 to 18: the platform and its collections.
import assert from 'node:assert/strict';
import { ids, statement, Subject } from '../support/statements.mjs';
import { makeTenant } from '../support/stele_tenant.mjs';

const it = Subject.serve();
const kUnknown = '0123456789abcdef0123';
const kCollections = {
  accessPolicy: '/access/policies', application: '/applications', authenticationGrant: '/auth/grants', billing: '/billing/configurations', client: '/clients',
  package: '/deployment/packages', receiver: '/deployment/receivers', strategy: '/deployment/strategies', target: '/deployment/targets',
  directory: '/directories', domain: '/domains', project: '/projects', registrar: '/registrars', report: '/reports', repository: '/repositories',
  descriptor: '/descriptors', sidekick: '/sidekicks', stack: '/stacks', uiconfig: '/uiconfigs', view: '/views', webhost: '/webhosts',
};
const kNeeded = { authenticationGrant: { principalDomainId: 'default', principalId: 'admin' } };

statement('platform 3.0.1, platform 3.0.2', async () => {
  const before = await it.get('/');
  for (const name of ['_doc', 'title', 'ownerRegistrarId', 'ownerTenantId']) assert.equal(typeof before[name], 'string', name);
  await it.put('/', { ...before, description: 'by PUT', own: { a: [1] } });
  assert.deepEqual([(await it.get('/')).description, (await it.get('/')).own], ['by PUT', { a: [1] }]);
  await it.post('/update', { ...before, own: 2 });
  assert.equal((await it.get('/')).own, 2);
});
statement('platform 3.0.3', async () => {
  const { datastore_counts: counts } = await it.get('/info');
  assert.ok(counts.domain > 0);
  for (const [type, count] of Object.entries(counts)) assert.equal(typeof count, 'number', type);
});
statement('platform 3.0.4, nodes 3.3', async () => {
  for (const path of ['/registrars/default', '/domains/default', `/webhosts/${await it.make('/webhosts')}`, (await it.repository()).path]) {
    const info = await it.get(`${path}/info`);
    assert.ok(Object.keys(info).length > 0, path);
  }
});
statement('platform 3.0.5', async () => {
  for (const method of ['GET', 'POST']) assert.equal((await it.ok(method, '/tools/types/contained/platform')).types.length, 20);
});
statement('platform 3.0.6', async () => {
  const one = await it.person('at-the-root');
  await it.grant('', 'consumer', one);
  assert.deepEqual((await it.get(`/acl?id=default/${one.id}`)).rows, ['consumer']);
  assert.equal((await it.post(`/permissions/READ/check?id=default/${one.id}`)).check, true);
  await it.post('/teams?key=root-team');
  assert.equal((await it.get('/teams/root-team')).key, 'root-team');
  await it.post('/roles', { roleKey: 'root-role', permissions: ['READ'] });
  assert.equal((await it.get('/roles/root-role')).roleKey, 'root-role');
});
statement('platform 3.0.7', async () => {
  const { id, path, branch, node } = await it.repository();
  await it.put(branch, { ...(await it.get(branch)), validateContent: true });
  await node({ _qname: 'custom:sized', _type: 'd:type', properties: { size: { type: 'number' } } });
  await it.put(branch, { ...(await it.get(branch)), validateContent: false });
  const wrong = await node({ _type: 'custom:sized', size: 'large', title: 'unmistakable' });
  await it.put(branch, { ...(await it.get(branch)), validateContent: true });
  // A branch that takes no writes is looked at only.
  const fork = await it.make(`${path}/branches?branch=master`, { title: 'shelved' });
  await it.put(`${path}/branches/${fork}`, { ...(await it.get(`${path}/branches/${fork}`)), validateContent: true });
  await it.post(`${path}/branches/${fork}/archive`);
  const repositories = (await it.get('/repositories?limit=1')).total_rows;

  const repair = await it.post('/admin/repair');
  assert.equal(repair.ok, true);
  const repaired = await it.finished(repair._doc);
  assert.equal(repaired.state, 'FINISHED', JSON.stringify(repaired.log_entries));
  assert.deepEqual([repaired._result.datastores, repaired._result.failures], [repositories, []]);
  assert.ok(repaired._result.branches > repositories);
  // What fits no definition is counted on the branch and on its fork, and left as it is.
  assert.deepEqual([repaired._result.faults, repaired._result.repaired], [2, 0]);
  assert.equal((await it.get(`${branch}/nodes/${wrong}`)).size, 'large');

  const index = await it.post('/admin/index');
  assert.equal(index.ok, true);
  const indexed = await it.finished(index._doc);
  assert.equal(indexed.state, 'FINISHED', JSON.stringify(indexed.log_entries));
  assert.deepEqual([indexed._result.indexes, indexed._result.failures], [repositories, []]);
  assert.deepEqual(ids(await it.post(`${branch}/nodes/search`, { search: 'unmistakable' })), [wrong]);

  // Administrators only: those who hold everything.
  const [plain, manager, owner] = [await it.person('upkeep-plain'), await it.person('upkeep-manager'), await it.person('upkeep-owner')];
  await it.grant('', 'manager', manager);
  await it.grant('', 'owner', owner);
  for (const tail of ['index', 'repair']) {
    for (const who of [plain, manager]) await it.refused(403, 'POST', `/admin/${tail}`, {}, who);
    await it.refused(401, 'POST', `/admin/${tail}`, {}, null);
    assert.equal((await it.allowed('POST', `/admin/${tail}?schedule=synchronous`, {}, owner)).state, 'FINISHED');
  }
  await it.ok('DELETE', `/repositories/${id}`);
});
statement('platform 3.1.1, platform 3.1.2, interface 5.2.2, interface 5.2.3, interface 2.2.1', async () => {
  for (const [name, path] of Object.entries(kCollections)) {
    const made = await it.post(path, { title: `one ${name}`, ...kNeeded[name] });
    const record = `${path}/${made._doc}`;
    assert.ok(ids(await it.get(`${path}?limit=-1`)).includes(made._doc), path);
    assert.deepEqual(ids(await it.post(`${path}/query`, { title: `one ${name}` })), [made._doc], path);
    await it.put(record, { title: 'changed', ...kNeeded[name] });
    assert.equal((await it.get(record)).title, 'changed', path);
    const entry = { permissionedId: made._doc, principalId: 'default/admin' };
    assert.equal((await it.post(`${path}/permissions/check`, { checks: [{ ...entry, permissionId: 'READ' }] })).checks[0].result, true);
    assert.equal((await it.post(`${path}/authorities/check`, { checks: [{ ...entry, authorityId: 'owner' }] })).checks[0].result, true);
    assert.ok((await it.get(`${record}/acl/list`)).total_rows >= 1);
    await it.ok('DELETE', record);
    await it.refused(404, 'GET', record);
  }
});
statement('platform 3.1.4', async () => {
  const id = await it.make('/sidekicks', { config: { branchRef: 'b1' } });
  assert.deepEqual(ids(await it.post('/sidekicks/query', { 'config.branchRef': 'b1' })), [id]);
  await it.put(`/sidekicks/${id}`, { config: { branchRef: 'b2' } });
  assert.deepEqual(ids(await it.post('/sidekicks/query', { 'config.branchRef': 'b1' })), []);
  assert.deepEqual(ids(await it.post('/sidekicks/query', { 'config.branchRef': 'b2' })), [id]);
});
statement('platform 3.1.6', async () => {
  const { id } = await it.person('with-grant');
  const grant = await it.make('/auth/grants', { principalDomainId: 'default', principalId: id, clientId: it.server.seed.client.key });
  assert.ok(ids(await it.get(`/auth/grants?clientId=${it.server.seed.client.key}`)).includes(grant));
  assert.deepEqual(ids(await it.get('/auth/grants?clientId=nobody')), []);
  assert.deepEqual(ids(await it.get(`/auth/grants?domainId=default&principalId=${id}`)), [grant]);
});
statement('platform 3.1.7', async () => {
  const platform = await it.platformId();
  const report = async (source) => `/reports/${await it.make('/reports', { title: 'kept', ...(source ? { source } : {}) })}`;
  const run = (path, body, page = '') => it.post(`${path}/execute${page}`, body);
  const [red, blue] = [await it.make('/uiconfigs', { title: 'a', asked: 'red', kind: 1 }), await it.make('/uiconfigs', { title: 'b', asked: 'blue', kind: 1 })];
  const both = await report({ typeId: 'uiconfig', query: { asked: { $in: ['red', 'blue'] } } });
  const whole = await run(both, {}, '?sort={"title":-1}');
  assert.deepEqual([ids(whole), whole.total_rows, whole.offset, whole.size], [[blue, red], 2, 0, 2]);
  const second = await run(both, {}, '?sort={"title":-1}&skip=1&limit=1');
  assert.deepEqual([ids(second), second.total_rows, second.offset, second.size], [[red], 2, 1, 1]);
  assert.deepEqual(ids(await run(both, { query: { asked: 'red' } })), [red]);
  assert.deepEqual(ids(await run(both, { query: { asked: 'green' } })), []);
  // Of collections inside others, too.
  const { id, branch, node } = await it.repository();
  const master = (await it.get(branch))._doc;
  const wanted = await node({ title: 'wanted', asked: 'in a branch' });
  const container = `branch://${platform}/${id}/${master}`;
  const ofNodes = await report({ typeId: 'node', container, query: { asked: 'in a branch' } });
  assert.deepEqual((await run(ofNodes)).rows, (await it.post(`${branch}/nodes/query`, { asked: 'in a branch' })).rows);
  assert.deepEqual(ids(await run(await report({ typeId: 'user', container: `domain://${platform}/default`, query: { name: 'admin' } }))).length, 1);
  // Everybody runs a report with rights of their own.
  const [reader, stranger] = [await it.person('report-reader'), await it.person('report-stranger')];
  for (const path of [both, ofNodes, `/uiconfigs/${red}`]) await it.grant(path, 'consumer', reader);
  assert.deepEqual(ids(await it.allowed('POST', `${both}/execute`, {}, reader)), [red]);
  await it.refused(404, 'POST', `${ofNodes}/execute`, {}, reader);
  await it.refused(404, 'POST', `${both}/execute`, {}, stranger);
  // An open document without a source finds nothing; what leads nowhere is said.
  const { rows, total_rows, offset, size } = await run(await report());
  assert.deepEqual({ rows, total_rows, offset, size }, { rows: [], total_rows: 0, offset: 0, size: 0 });
  for (const source of ['all', {}, { typeId: 'nothing' }, { typeId: 'node' }, { typeId: 'uiconfig', container }, { typeId: 'node', container: `repository://${platform}/${id}` },
                        { typeId: 'uiconfig', query: 'red' }, { typeId: 'uiconfig', query: { a: { $regex: '(' } } }]) await it.refused(400, 'POST', `${await report(source)}/execute`, {});
  await it.refused(400, 'POST', `${both}/execute`, { query: 'red' });
  await it.refused(400, 'POST', `${both}/execute?limit=x`, {});
  await it.refused(404, 'POST', `${await report({ typeId: 'node', container: `branch://${platform}/${id}/none` })}/execute`, {});
  await it.ok('DELETE', `${branch}/nodes/${wanted}`);
});
statement('platform 3.1.8, platform 18.18', async () => {
  const project = await it.make('/projects', { title: 'with configs' });
  const others = (await it.get('/uiconfigs')).total_rows;
  for (let i = 0; i < 2; ++i) await it.make('/uiconfigs', { projectId: project });
  await it.ok('DELETE', `/projects/${project}`);
  assert.equal((await it.get('/uiconfigs')).total_rows, others);
});
statement('platform 3.1.9', async () => {
  assert.equal((await it.get(`/repositories/${await it.make('/repositories')}`)).platformId, await it.platformId());
});
statement('platform 3.1.10', async () => assert.deepEqual(await it.get('/access/policies?clientId=x'), await it.get('/access/policies')));

statement('platform 3.2.1, platform 3.2.2, interface 3.2.1, interface 3.2.2', async () => {
  for (const [path, type] of [['/registrars', 'registrar'], ['/webhosts', 'webhost'], ['/domains', 'domain'], ['/directories', 'directory'], ['/applications', 'application'], ['/repositories', 'repository']]) {
    const id = await it.make(path, {});
    const record = await it.get(`${path}/${id}`);
    assert.deepEqual([record.datastoreId, record.datastoreTypeId, record.enableAuthorities, record.maxsize, record.objectcount >= 0, record.locked, record.statisticsDirty],
                     [id, type, true, -1, true, false, record.statisticsDirty]);
    assert.equal(typeof record.size, 'number');
  }
  const host = await it.make('/webhosts', { key: 'k', deployerTypes: ['a', 'b'] });
  assert.deepEqual((({ key, deployerTypes }) => [key, deployerTypes])(await it.get(`/webhosts/${host}`)), ['k', ['a', 'b']]);
});
statement('platform 3.2.3, platform 3.2.4, interface 4.1, interface 5.4.1, semantics 6.4', async () => {
  const [manager, worker] = [await it.person('lock-manager'), await it.person('lock-worker')];
  const path = `/webhosts/${await it.make('/webhosts')}`;
  await it.grant(path, 'manager', manager);
  await it.grant(path, 'collaborator', worker);
  await it.refused(403, 'POST', `${path}/lock`, undefined, worker);
  await it.allowed('POST', `${path}/lock`, undefined, manager);
  let record = await it.get(path);
  assert.deepEqual([record.locked, record.lockedBy], [true, 'default/lock-manager']);
  await it.refused(423, 'POST', `${path}/lock`);
  await it.refused(403, 'POST', `${path}/unlock`, undefined, worker);
  await it.post(`${path}/unlock`);
  record = await it.get(path);
  assert.deepEqual([record.locked, record.lockedBy ?? null], [false, null]);
});
statement('semantics 6.3', async () => {
  const path = `/webhosts/${await it.make('/webhosts', { lockedBy: 'me', locked: true })}`;
  await it.put(path, { lockedBy: 'me' });
  const record = await it.get(path);
  assert.deepEqual([record.locked, record.lockedBy ?? null], [false, null]);
});
statement('semantics 6.10', async () => {
  for (const [kind, body] of [['webhosts', {}], ['repositories', {}], ['registrars', {}]]) {
    const path = `/${kind}/${await it.make(`/${kind}`, body)}`;
    assert.equal((await it.get(path)).enableAuditing, false, kind);
    await it.put(path, { enableAuditing: true });
    assert.equal((await it.get(path)).enableAuditing, true, kind);
  }
});
statement('platform 3.2.6', async () => {
  const path = `/webhosts/${await it.make('/webhosts')}`;
  for (let i = 0; i < 3; ++i) await it.make(`${path}/autoclientmappings`, { host: `h${i}` });
  await it.post(`${path}/stats`);
  const record = await it.get(path);
  assert.deepEqual([record.statisticsDirty, typeof record.statisticsDate.ms], [false, 'number']);
  assert.ok(record.size > 0 && record.objectcount >= 3);
});
statement('platform 3.2.7, rulings 14, interface 8.1, semantics 6.5', async () => {
  const path = `/webhosts/${await it.make('/webhosts', { maxsize: 2000 })}`;
  const first = await it.make(`${path}/autoclientmappings`, { host: 'h' });
  await it.refused(507, 'POST', `${path}/autoclientmappings`, { filler: 'x'.repeat(4000) });
  assert.deepEqual(ids(await it.get(`${path}/autoclientmappings`)), [first]);
  await it.ok('DELETE', `${path}/autoclientmappings/${first}`);
});
statement('platform 3.2.8', async () => {
  const path = `/webhosts/${await it.make('/webhosts')}`;
  const { rows } = await it.get(`${path}/activities`);
  assert.ok(Array.isArray(rows));
  await it.post(`${path}/activities/query`, {});
  if (rows.length) assert.equal((await it.get(`${path}/activities/${rows[0]._doc}`))._doc, rows[0]._doc);
});
statement('platform 3.2.9', async () => {
  for (const path of [`/webhosts/${await it.make('/webhosts')}`, '/domains/default', '', `/stacks/${await it.make('/stacks')}`, (await it.repository()).path, '/registrars/default', '/directories/default']) {
    await it.get(`${path}/teams`);
    await it.get(`${path}/roles`);
  }
});
statement('semantics 6.6', async () => {
  const id = await it.make('/webhosts');
  const inside = await it.make(`/webhosts/${id}/autoclientmappings`);
  await it.ok('DELETE', `/webhosts/${id}`);
  await it.refused(404, 'GET', `/webhosts/${id}/autoclientmappings/${inside}`);
  const other = await it.person('locker');
  const locked = await it.make('/webhosts');
  await it.grant(`/webhosts/${locked}`, 'manager', other);
  await it.allowed('POST', `/webhosts/${locked}/lock`, undefined, other);
  await it.refused(423, 'DELETE', `/webhosts/${locked}`);
});
statement('semantics 6.7', async () => {
  await it.refused(400, 'POST', '/webhosts', { binaryStorageProviderType: 'no-such' });
  await it.make('/webhosts', { binaryStorageProviderType: '' });
});

statement('platform 8.1.1, platform 8.1.2, platform 8.1.3, platform 8.1.4, platform 8.1.5, platform 8.1.8, platform 18.11', async () => {
  const stack = `/stacks/${await it.make('/stacks')}`;
  const count = async () => (await it.get(`${stack}/datastores`)).total_rows;
  assert.equal(await count(), 0);
  const [host, domain] = [await it.make('/webhosts', { abc: '123', title: 'host' }), await it.make('/domains', { abc: '123' })];
  await it.post(`${stack}/datastores/assign?type=webhost&id=${host}&key=site`);
  assert.equal(await count(), 1);
  await it.post(`${stack}/datastores/assign?type=domain&id=${domain}`);
  assert.equal(await count(), 2);
  const row = (await it.get(`${stack}/datastores`)).rows.find((one) => one._doc === 'site');
  assert.deepEqual([row.datastoreId, row.datastoreTypeId, row.title], [host, 'webhost', 'host']);
  assert.equal((await it.post(`${stack}/datastores/query`, { abc: '123' })).total_rows, 2);
  assert.equal((await it.post(`${stack}/datastores/query`, { title: 'host' })).rows[0]._doc, 'site');
  const one = await it.get(`${stack}/datastores/site`);
  assert.deepEqual([one._doc, one.datastoreId, one.datastoreTypeId], [host, host, 'webhost']);
  assert.equal((await it.get(`${stack}/datastores/${domain}`))._doc, domain);
  await it.refused(404, 'GET', `${stack}/datastores/none`);
  assert.equal((await it.post(`${stack}/datastores/exists?key=site`)).exists, true);
  const other = await it.make('/webhosts');
  await it.post(`${stack}/datastores/assign?type=webhost&id=${other}&key=site`);
  assert.equal((await it.get(`${stack}/datastores/site`))._doc, other);
  await it.post(`${stack}/datastores/unassign?key=site`);
  assert.deepEqual([await count(), (await it.post(`${stack}/datastores/exists?key=site`)).exists], [1, false]);
});
statement('platform 8.1.7', async () => {
  const stack = `/stacks/${await it.make('/stacks')}`;
  for (const [type, path] of [['repository', '/repositories'], ['domain', '/domains'], ['directory', '/directories'], ['registrar', '/registrars'], ['application', '/applications'], ['webhost', '/webhosts']]) {
    await it.post(`${stack}/datastores/assign?type=${type}&id=${await it.make(path)}&key=${type}`);
    assert.equal((await it.get(`${stack}/datastores/${type}`)).datastoreTypeId, type);
  }
  await it.refused(400, 'POST', `${stack}/datastores/assign?type=teapot&id=x`);
});
statement('platform 8.1.9', async () => {
  const { stackId } = await it.get(`/projects/${await it.make('/projects')}`);
  await it.refused(409, 'DELETE', `/stacks/${stackId}`);
  const stack = await it.make('/stacks');
  const host = await it.make('/webhosts');
  await it.post(`/stacks/${stack}/datastores/assign?type=webhost&id=${host}`);
  await it.ok('DELETE', `/stacks/${stack}`);
  assert.equal((await it.get(`/webhosts/${host}`))._doc, host);
});
statement('platform 8.1.10', async () => {
  const stack = `/stacks/${await it.make('/stacks')}`;
  const { rows } = await it.get(`${stack}/logs`);
  assert.ok(Array.isArray((await it.post(`${stack}/logs/query`, {})).rows));
  if (rows.length) await it.get(`${stack}/logs/${rows[0]._doc}`);
  assert.equal((await it.reply('GET', `${stack}/logs/logfile`)).status, 200);
});
statement('platform 8.2.1, platform 8.2.5, platform 8.2.7', async () => {
  const made = await it.post('/projects', { title: 'own stack' });
  assert.equal(made.ok, true);
  const { stackId } = await it.get(`/projects/${made._doc}`);
  const { _doc: repository } = await it.get(`/stacks/${stackId}/datastores/content`);
  assert.equal((await it.get(`/repositories/${repository}/branches/master`)).type, 'MASTER');
  const keys = (await it.get(`/stacks/${stackId}/teams`)).rows.map((row) => row.key);
  for (const key of ['owners', 'project-users-team']) assert.ok(keys.includes(key), key);
  const stack = await it.make('/stacks');
  assert.equal((await it.get(`/projects/${await it.make('/projects', { stackId: stack })}`)).stackId, stack);
});
statement('platform 8.2.2, platform 14.1.5', async () => {
  const { _doc } = await it.post('/projects/start', { title: 'by a job' });
  const job = await it.finished(_doc);
  assert.equal(job.state, 'FINISHED');
  assert.equal(job['created-project-id'], job._result['created-project-id']);
  assert.equal((await it.get(`/projects/${job['created-project-id']}`)).title, 'by a job');
});
statement('platform 8.2.3', async () => {
  for (const row of (await it.get('/projecttypes')).rows) for (const name of ['_doc', 'identifier', 'reference', 'title']) assert.equal(typeof row[name], 'string', name);
});
statement('platform 8.2.4', async () => {
  const one = await it.person('project-user');
  const project = await it.make('/projects');
  const { stackId } = await it.get(`/projects/${project}`);
  assert.equal((await it.post(`/projects/${project}/users/invite?id=default/${one.id}`)).ok, true);
  assert.ok(ids(await it.get(`/stacks/${stackId}/teams/project-users-team/members`)).includes(one.id));
});
statement('platform 8.2.6', async () => {
  const [own, shared] = [await it.get(`/projects/${await it.make('/projects')}`), await it.get(`/projects/${await it.make('/projects', { sharedStack: true })}`)];
  for (const one of [own, shared]) await it.ok('DELETE', `/projects/${one._doc}`);
  await it.refused(404, 'GET', `/stacks/${own.stackId}`);
  await it.get(`/stacks/${shared.stackId}`);
});
statement('platform 8.2.9', async () => {
  const [maker, member, editor, stranger] = await Promise.all(['maintains', 'member', 'edits', 'strange'].map((name) => it.person(`upkeep-${name}`)));
  await it.grant('', 'contributor', maker);
  for (const who of [member, editor]) await it.grant(who.path, 'consumer', maker);
  const project = `/projects/${(await it.allowed('POST', '/projects', { title: 'in order' }, maker))._doc}`;
  const { stackId } = await it.get(project);
  const branch = `/repositories/${(await it.get(`/stacks/${stackId}/datastores/content`))._doc}/branches/master`;
  const node = await it.make(`${branch}/nodes`, { title: 'indispensable' });
  const other = await it.repository();
  await other.node();
  const started = await it.allowed('POST', `${project}/admin/maintenance`, {}, maker);
  assert.equal(started.ok, true);
  const job = await it.finished(started._doc);
  assert.equal(job.state, 'FINISHED', JSON.stringify(job.log_entries));
  const count = async (isAssociation) => (await it.post(`${branch}/nodes/query?limit=1`, { _is_association: isAssociation })).total_rows;
  // The stores of this project's stack, and of no other.
  assert.deepEqual([job._result.branches, job._result.indexes, job._result.nodes, job._result.associations], [1, 1, await count(false), await count(true)]);
  assert.deepEqual([job._result.faults, job._result.failures], [0, []]);
  assert.deepEqual(ids(await it.post(`${branch}/nodes/search`, { search: 'indispensable' })), [node]);
  await it.allowed('POST', `${project}/users/invite?id=default/${member.id}`, {}, maker);
  await it.grant(project, 'editor', editor);
  for (const who of [member, editor]) await it.refused(403, 'POST', `${project}/admin/maintenance`, {}, who);
  await it.refused(404, 'POST', `${project}/admin/maintenance`, {}, stranger);
});
statement('semantics 16.5', async () => it.refused(404, 'POST', `/applications/${kUnknown}/emailproviders`, {}));

statement('platform 11.1, platform 11.2, platform 18.12', async () => {
  const path = `/webhosts/${await it.make('/webhosts', { deployerTypes: ['cloudcms.net'], urlPatterns: ['a'], deployerType: 'x' })}`;
  const record = await it.get(path);
  assert.deepEqual([record.deployerTypes, record.urlPatterns], [['cloudcms.net'], ['a']]);
  const client = await it.get(`/clients/${await it.make('/clients')}`);
  const application = await it.make('/applications', { key: 'mapped' });
  const made = [];
  for (const host of ['a.example.org', 'b.example.org', 'c.example.org']) {
    made.push(await it.make(`${path}/autoclientmappings`, { host, applicationId: application, applicationKey: 'mapped', clientKey: client.key, tenantId: 't' }));
  }
  const mappings = `${path}/autoclientmappings`;
  assert.deepEqual(ids(await it.get(mappings)), made);
  assert.deepEqual(ids(await it.post(`${mappings}/query`, { clientKey: client.key })), made);
  assert.deepEqual(ids(await it.post(`${mappings}/query`, { host: 'b.example.org' })), [made[1]]);
  await it.ok('DELETE', `${mappings}/${made[0]}`);
  assert.equal((await it.get(mappings)).total_rows, 2);
});
statement('platform 11.3', async () => {
  const path = `/webhosts/${await it.make('/webhosts')}/trusteddomainmappings`;
  for (const scope of ['webdav', 'ftp', 'cmis']) await it.make(path, { host: 'h', scope, platformId: await it.platformId() });
  assert.equal((await it.get(path)).total_rows, 3);
  await it.ok('DELETE', `${path}/${(await it.get(path)).rows[0]._doc}`);
  assert.equal((await it.get(path)).total_rows, 2);
});
statement('platform 12.1, platform 12.3, platform 12.4', async () => {
  const reader = await it.person('reads-clients');
  const id = await it.make('/clients', { title: 'secretive' });
  const { key, secret } = await it.get(`/clients/${id}?full=true`);
  assert.ok(key && secret);
  await it.put(`/clients/${id}`, { title: 'changed', key: 'mine', secret: 'mine' });
  const again = await it.get(`/clients/${key}?full=true`);
  assert.deepEqual([again._doc, again.key, again.secret], [id, key, secret]);
  await it.grant(`/clients/${id}`, 'consumer', reader);
  const seen = await it.allowed('GET', `/clients/${id}?full=true`, undefined, reader);
  assert.ok(!JSON.stringify(seen).includes(secret));
});

statement('platform 14.1.1, platform 14.1.4', async () => {
  const { _doc } = await it.post('/projects/start', {});
  for (const path of [`/jobs/${_doc}`, `/jobs/${_doc}/poll`]) {
    const job = await it.get(path);
    assert.equal(job._doc, _doc);
    for (const name of ['type', 'state', 'submitted_by', 'runAsPrincipalId', 'runAsPrincipalDomainId', 'platformId']) assert.equal(typeof job[name], 'string', name);
    for (const name of ['priority', 'attempts', 'schedule_start_ms']) assert.equal(typeof job[name], 'number', name);
    assert.ok(['NONE', 'WAITING', 'RUNNING', 'PAUSED', 'FINISHED', 'ERROR', 'AWAITING'].includes(job.state));
    assert.equal(typeof job.submitted_timestamp.ms, 'number');
    assert.ok(Array.isArray(job.log_entries));
    assert.equal(typeof job._data, 'object');
  }
  await it.finished(_doc);
});
statement('platform 14.1.2', async () => {
  const { _doc } = await it.post('/projects/start', {});
  assert.ok(await it.post(`/jobs/${_doc}/kill`));
  await it.finished(_doc);
});
statement('platform 14.1.3, platform 14.1.7, nodes 1.5.5', async () => {
  const { _doc } = await it.post('/projects/start', {});
  await it.finished(_doc);
  assert.ok((await it.post('/jobs/query', {})).total_rows > 0);
  for (const state of ['unstarted', 'waiting', 'running', 'failed', 'finished']) {
    const [asked, listed] = [await it.post(`/jobs/${state}/query`, {}), await it.get(`/jobs/${state}`)];
    assert.equal(asked.total_rows, listed.total_rows, state);
    if (state === 'finished') assert.ok(asked.total_rows > 0);
    if (['waiting', 'running', 'unstarted'].includes(state)) assert.equal(asked.total_rows, 0, state);
  }
});
statement('platform 16.1', async () => {
  const id = await it.make('/logs', { level: 'INFO', message: 'told by a client' });
  const entry = await it.get(`/logs/${id}`);
  assert.deepEqual([entry.level, entry.message], ['INFO', 'told by a client']);
  assert.ok((await it.get('/logs')).total_rows > 0);
  assert.ok(ids(await it.post('/logs/query', { message: 'told by a client' })).includes(id));
});
statement('platform 16.2', async () => {
  const reply = await it.reply('GET', '/logs/logfile');
  assert.equal(reply.status, 200);
  assert.match(reply.headers['content-type'], /^text\/plain/);
});
statement('platform 16.3', async () => {
  assert.ok((await it.get('/activities')).total_rows > 0);
  assert.ok((await it.post('/activities/query', {})).total_rows > 0);
});
statement('platform 17.2, platform 17.3, platform 17.4, platform 17.8', async () => {
  const platform = await it.platformId();
  const application = await it.make('/applications');
  const records = {
    [`platform://${platform}`]: platform, [`domain://${platform}/default`]: 'default', [`application://${platform}/${application}`]: application,
    [`user://${platform}/default/admin`]: (await it.get('/domains/default/principals/admin'))._doc,
    [`group://${platform}/default/everyone`]: (await it.get('/domains/default/principals/everyone'))._doc,
  };
  const provider = await it.make(`/applications/${application}/emailproviders`);
  for (const type of ['emailprovider', 'emailProvider']) records[`${type}://${platform}/${application}/${provider}`] = provider;
  for (const [ref, id] of Object.entries(records)) {
    const { entries: [{ entry }] } = await it.post('/ref/read', { entries: [{ ref: ref.replace('/admin', `/${id}`).replace('/everyone', `/${id}`) }] });
    assert.equal(entry?._doc, id, ref);
  }
});
statement('platform 17.5, platform 17.6, nodes 1.6.1, nodes 1.6.2, nodes 1.6.3', async () => {
  const platform = await it.platformId();
  const { id, branch, node } = await it.repository();
  const [nodeId, other] = [await node({ title: 'first' }), await node()];
  const association = await it.make(`${branch}/nodes/${nodeId}/associate?node=${other}`);
  const { _doc: master } = await it.get(branch);
  const { _system: { changeset } } = await it.get(`${branch}/nodes/${nodeId}`);
  await it.put(`${branch}/nodes/${nodeId}`, { title: 'second' });
  const refs = { [`repository://${platform}/${id}`]: id, [`branch://${platform}/${id}/${master}`]: master, [`changeset://${platform}/${id}/${changeset}`]: changeset,
                 [`node://${platform}/${id}/${master}/${nodeId}`]: nodeId, [`node://${platform}/${id}/master/${nodeId}`]: nodeId,
                 [`node://${platform}/${id}/${changeset}/${nodeId}`]: nodeId, [`association://${platform}/${id}/${master}/${association}`]: association };
  for (const [ref, expected] of Object.entries(refs)) {
    const { entries: [{ entry }] } = await it.post('/ref/read', { entries: [{ ref }] });
    assert.equal(entry?._doc, expected, ref);
    if (ref.includes(`${changeset}/${nodeId}`)) assert.equal(entry.title, 'first');
  }
  await it.ok('DELETE', `${branch}/nodes/${other}`);
  const { entries: [{ entry }] } = await it.post('/ref/read', { entries: [{ ref: `deletion://${platform}/${id}/${master}/${other}` }] });
  assert.equal(entry._doc, other);
});
statement('platform 17.7', async () => {
  const platform = await it.platformId();
  const stack = await it.make('/stacks');
  const policy = await it.make('/access/policies');
  await it.post(`/access/policies/${policy}/assign?ref=team://stack/${platform}/${stack}/owners`);
  assert.deepEqual(ids(await it.post(`/access/policies/find?ref=team://stack/${platform}/${stack}/owners`)), [policy]);
});
statement('platform 18.15', async () => assert.equal((await it.get('/deployment/strategies')).rows.filter((row) => row.title !== 'changed').length, 0));
statement('platform 10.10', async () => {
  const tenant = await makeTenant(it.server, 'metered');
  const meters = '/registrars/default/meters';
  const present = await it.get(`${tenant.path}/meters/current/STORAGE`);
  const asked = { tenantId: tenant.id, meterType: 'STORAGE' };
  // The one that there is; figures are the server's.
  const made = await it.post(meters, { ...asked, rawByteCount: 12345678901, note: 'mine' });
  assert.deepEqual([made.ok, made._doc, made.note], [true, present._doc, 'mine']);
  assert.notEqual(made.rawByteCount, 12345678901);
  await it.ok('DELETE', `${meters}/${present._doc}`);
  await it.refused(404, 'GET', `${tenant.path}/meters/current/STORAGE`);
  const { _doc } = await it.post(`${meters}?tenantId=${tenant.id}&meterType=STORAGE`);
  const again = await it.get(`${tenant.path}/meters/current/STORAGE`);
  assert.deepEqual([again._doc, again.tenantId, again.meterType, again.meterStart], [_doc, tenant.id, 'STORAGE', present.meterStart]);
  assert.equal((await it.get(`${tenant.path}/meters`)).total_rows, 2);
  for (const body of [{}, { tenantId: tenant.id }, { ...asked, meterType: 'OTHER' }, { ...asked, tenantId: 'none' }]) await it.refused(400, 'POST', meters, body);
  // Administrators only: a manager may make things in the registrar, and holds nothing inside it.
  const [plain, manager, owner] = [await it.person('meter-plain'), await it.person('meter-manager'), await it.person('meter-owner')];
  await it.grant('/registrars/default', 'manager', manager);
  await it.grant('/registrars/default', 'owner', owner);
  assert.ok([403, 404].includes((await it.reply('POST', meters, asked, plain)).status));
  await it.refused(403, 'POST', meters, asked, manager);
  assert.equal((await it.allowed('POST', meters, asked, owner))._doc, _doc);
});
statement('platform 18.17, platform 10.9', async () => {
  const id = await it.make('/registrars/default/plans', { planKey: 'short' });
  assert.equal((await it.get('/registrars/default/plans/short'))._doc, id);
  assert.equal((await it.get(`/registrars/default/plans/${id}`)).planKey, 'short');
  await it.refused(400, 'POST', '/registrars/default/plans', {});
  await it.refused(409, 'POST', '/registrars/default/plans', { planKey: 'short' });
  await it.ok('DELETE', '/registrars/default/plans/short');
  const reply = await it.reply('GET', '/registrars/default/plans/short');
  assert.deepEqual([reply.status, reply.statusText, reply.json.status], [404, 'Not Found', 404]);
  assert.ok(reply.json.message);
});
statement('semantics 13.1', async () => {
  const fields = { title: 't', description: 'd', enabled: true, config: { blocks: [{ any: 'thing' }] } };
  const record = await it.get(`/uiconfigs/${await it.make('/uiconfigs', fields)}`);
  for (const [name, value] of Object.entries(fields)) assert.deepEqual(record[name], value);
  await it.refused(400, 'POST', '/uiconfigs', { config: [] });
});
statement('semantics 16.3', async () => {
  const { violations } = (await it.reply('POST', '/registrars', { maxsize: 'x', enableAuthorities: 7 })).json;
  assert.deepEqual(violations.map((one) => one.path ?? one.field ?? one.parameter ?? JSON.stringify(one)).map((text) => /maxsize|enableAuthorities/.exec(text)[0]).sort(), ['enableAuthorities', 'maxsize']);
});
statement('platform 15.2', async () => {
  const platform = await it.platformId();
  const [one, other] = [await it.make('/uiconfigs', { title: 'one', gone: true, same: [1] }), await it.make('/uiconfigs', { title: 'other', same: [1], more: 2 })];
  const ref = (id, type = 'uiconfig') => encodeURIComponent(`${type}://${platform}/${id}`);
  const { diff } = await it.get(`/ref/diff?source=${ref(one)}&target=${ref(other)}`);
  const byPath = (a, b) => (a.path < b.path ? -1 : 1);
  assert.deepEqual(diff.sort(byPath), [{ op: 'remove', path: '/gone' }, { op: 'add', path: '/more', value: 2 }, { op: 'replace', path: '/title', value: 'other' }]);
  assert.deepEqual((await it.get(`/ref/diff?source=${ref(one)}&target=${ref(one)}`)).diff, []);
  const stranger = await it.person('compares');
  await it.refused(404, 'GET', `/ref/diff?source=${ref(one)}&target=${ref(other)}`, undefined, stranger);
  await it.refused(404, 'GET', `/ref/diff?source=${ref(one)}&target=${ref('none')}`);
  for (const query of [`source=${ref(one)}`, `target=${ref(one)}`, `source=${ref(one)}&target=nothing`]) await it.refused(400, 'GET', `/ref/diff?${query}`);
});
statement('platform 15.3', async () => {
  const platform = await it.platformId();
  const merge = (ref, patch, who, headers) => it.server.request('POST', `/ref/merge?source=${encodeURIComponent(ref)}`, { body: patch, headers, token: who?.token ?? it.server.adminToken });
  const [one, other] = [await it.make('/uiconfigs', { title: 'one', gone: true, list: [1, 2] }), await it.make('/uiconfigs', { title: 'other', list: [2], more: { a: 1 } })];
  const [refOne, refOther] = [one, other].map((id) => `uiconfig://${platform}/${id}`);
  const { diff } = await it.get(`/ref/diff?source=${encodeURIComponent(refOne)}&target=${encodeURIComponent(refOther)}`);
  const merged = await merge(refOne.toUpperCase(), diff);
  assert.equal(merged.status, 200, merged.text);
  assert.deepEqual(merged.json, await it.get(`/uiconfigs/${one}`));
  const own = ({ _doc, _system, ...fields }) => fields;
  assert.deepEqual(own(merged.json), own(await it.get(`/uiconfigs/${other}`)));
  // What /ref/diff answers is taken as it is; values may hold more than 1000 entries.
  const long = Array.from({ length: 2000 }, (_, i) => i);
  assert.deepEqual((await merge(refOne, { diff: [{ op: 'replace', path: '/title', value: 'again' }, { op: 'add', path: '/long', value: long }] })).json.long, long);
  assert.equal((await it.get(`/uiconfigs/${one}`)).title, 'again');

  // Rights and If-Match as of any update, and nothing is written where it fails.
  const titled = (title) => [{ op: 'replace', path: '/title', value: title }];
  const [reader, writer, stranger] = [await it.person('merge-reader'), await it.person('merge-writer'), await it.person('merge-stranger')];
  await it.grant(`/uiconfigs/${one}`, 'consumer', reader);
  await it.grant(`/uiconfigs/${one}`, 'editor', writer);
  assert.equal((await merge(refOne, titled('by a reader'), reader)).status, 403);
  assert.equal((await merge(refOne, titled('by a stranger'), stranger)).status, 404);
  assert.equal((await merge(`uiconfig://${platform}/none`, titled('x'))).status, 404);
  const { headers } = await it.reply('GET', `/uiconfigs/${one}`);
  assert.equal((await merge(refOne, titled('by a writer'), writer, { 'If-Match': headers.etag })).status, 200);
  assert.equal((await merge(refOne, titled('too late'), writer, { 'If-Match': headers.etag })).status, 412);
  for (const [status, patch] of [[409, [{ op: 'test', path: '/title', value: 'other' }, ...titled('tested')]], [400, [...titled('half'), { op: 'remove', path: '/nothing' }]],
    [400, [{ op: 'replace', path: '', value: 1 }]], [400, {}], [400, 'text'], [400, Array(1001).fill(titled('x')[0])]]) assert.equal((await merge(refOne, patch)).status, status, JSON.stringify(patch).slice(0, 100));
  assert.equal((await it.get(`/uiconfigs/${one}`)).title, 'by a writer');
  await it.refused(400, 'POST', '/ref/merge', []);
  await it.refused(400, 'POST', '/ref/merge?source=nothing', []);

  // Any family: the platform, users, nodes; not what never changes.
  assert.equal((await merge(`platform://${platform}`, [{ op: 'add', path: '/merged', value: true }])).json.merged, true);
  assert.equal((await it.get('/')).merged, true);
  await it.grant('', 'consumer', reader);
  assert.equal((await merge(`platform://${platform}`, [{ op: 'add', path: '/merged', value: 2 }], reader)).status, 403);
  assert.equal((await merge(`user://${platform}/default/${reader.id}`, [{ op: 'add', path: '/jobTitle', value: 'reads' }], reader)).status, 200);
  assert.equal((await it.get(reader.path)).jobTitle, 'reads');
  const { id, branch, node } = await it.repository();
  const master = (await it.get(branch))._doc;
  const made = await node({ title: 'before', keep: 1 });
  const changed = await merge(`node://${platform}/${id}/${master}/${made}`, titled('after'));
  assert.equal(changed.status, 200, changed.text);
  assert.deepEqual(changed.json, await it.get(`${branch}/nodes/${made}`));
  assert.deepEqual([changed.json.title, changed.json.keep], ['after', 1]);
  const { rows: [changeset] } = await it.get(`/repositories/${id}/changesets?limit=1`);
  assert.equal((await merge(`changeset://${platform}/${id}/${changeset._doc}`, titled('x'))).status, 400);

  // The audit log tells of the record, once.
  const { rows } = await it.post('/activities/query', { requestId: merged.headers['x-request-id'] });
  assert.deepEqual(rows.map(({ type, objectRef, path }) => [type, objectRef, path.split('?')[0]]), [['update', refOne, '/ref/merge']]);
});
statement('platform 16.4', async () => {
  for (const [path, known] of [['/rule/actions', 'syncNode'], ['/rule/conditions', 'propertyEquals']]) {
    const { rows, total_rows, offset, size } = await it.get(path);
    assert.deepEqual({ total_rows, offset, size }, { total_rows: 1, offset: 0, size: 1 }, path);
    assert.equal(rows[0]._doc, known);
    await it.refused(400, 'GET', `${path}?skip=x`);
  }
});
