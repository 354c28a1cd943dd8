// docs/specification/platform.md 9 and 11: what lies in applications and where they are deployed; attachments of records.
import assert from 'node:assert/strict';
import { ids, statement, Subject } from '../support/statements.mjs';
import { makeTenant } from '../support/stele_tenant.mjs';

const it = Subject.serve();
const put = (path, bytes, type, headers = {}) =>
  it.server.request('POST', path, { token: it.server.adminToken, body: bytes, headers: { 'Content-Type': type, ...headers } });
const attached = async (path) => (await it.get(`${path}/attachments`)).rows.map((row) => row.attachmentId);

/// One of each that has to have attachments, and the platform's job.
async function records() {
  const host = `/webhosts/${await it.make('/webhosts')}`;
  const domain = `/domains/${await it.make('/domains')}`;
  const user = (await it.server.makeUser(`owner-${host.split('/').at(-1)}`))._doc;
  const tenants = '/registrars/default/tenants';
  return [host, domain, `${domain}/principals/${await it.make(`${domain}/principals`, { type: 'USER', name: 'u' })}`,
    `/stacks/${await it.make('/stacks')}`, `/projects/${await it.make('/projects')}`, `/directories/${await it.make('/directories')}`,
    `${tenants}/${await it.make(tenants, { planKey: 'unlimited', principalId: user, domainId: 'default' })}`];
}

statement('platform 1.3.6, platform 1.6.1, platform 1.6.2, platform 1.6.6, platform 1.6.8, platform 7.1.9', async () => {
  for (const path of await records()) {
    const sent = await put(`${path}/attachments/avatar`, 'bytes', 'image/png');
    assert.equal(sent.status, 200, `${path} ${sent.text}`);
    const { rows: [row], total_rows: total } = await it.get(`${path}/attachments/`);
    assert.deepEqual([total, row.attachmentId, row._doc, row.length, row.contentType, row.filename, typeof row.objectId],
      [1, 'avatar', 'avatar', 5, 'image/png', 'avatar', 'string'], path);
    assert.deepEqual(Object.keys((await it.get(path))._system.attachments), ['avatar'], path);
    assert.equal((await it.ok('DELETE', `${path}/attachments/avatar`)).ok, true);
    await it.refused(404, 'GET', `${path}/attachments/avatar`);
    assert.ok(!((await it.get(path))._system.attachments), path);
  }
});
statement('platform 1.6.3, platform 1.6.4, platform 1.6.5, platform 1.6.7', async () => {
  const path = `/stacks/${await it.make('/stacks')}`;
  const part = (id, name, body) => `--b\r\nContent-Disposition: form-data; name="${id}"; filename="${name}"\r\nContent-Type: text/plain\r\n\r\n${body}\r\n`;
  const form = 'multipart/form-data; boundary=b';
  await put(`${path}/attachments/one?filename=first.txt`, 'raw', 'text/plain');
  await put(`${path}/attachments/one`, `${part('upload_file', 'second.txt', 'form')}--b--\r\n`, form);
  const field = '--b\r\nContent-Disposition: form-data; name="attachmentId_1"\r\n\r\nrenamed\r\n';
  await put(`${path}/attachments`, `${part('two', 'two.txt', '2')}${part('three', 'three.txt', '3')}${field}--b--\r\n`, form);
  assert.deepEqual(await attached(path), ['one', 'two', 'renamed']);
  const got = await it.reply('GET', `${path}/attachments/one?a=true`);
  assert.deepEqual([got.text, got.headers['content-type']], ['form', 'text/plain']);
  assert.match(got.headers['content-disposition'], /^attachment; filename="second\.txt"/);
  assert.equal((await it.reply('GET', `${path}/preview/one`)).text, 'form');
  await it.refused(404, 'GET', `${path}/preview/none`);
});
statement('platform 1.6.9', async () => {
  const tenant = await makeTenant(it.server, 'owner-inside');
  await put(`${tenant.path}/attachments/outside`, 'a', 'text/plain');
  await tenant.do('POST', '/tenant/attachments/inside?filename=b.txt', { b: 1 });
  const { rows } = await tenant.do('GET', '/tenant/attachments');
  assert.deepEqual(rows.map((row) => row.attachmentId), ['outside', 'inside']);
  assert.deepEqual(rows, (await it.get(`${tenant.path}/attachments`)).rows);
  assert.equal((await tenant.ask('GET', '/tenant/attachments/outside')).text, 'a');
  assert.equal((await it.reply('GET', `${tenant.path}/attachments/inside`)).text, '{"b":1}');
  await tenant.do('DELETE', '/tenant/attachments/outside');
  assert.deepEqual(await attached(tenant.path), ['inside']);
});
statement('platform 14.1.8', async () => {
  const job = await it.make('/projects/start');
  assert.equal((await it.get(`/jobs/${job}/attachments`)).total_rows, 0);
  await it.refused(404, 'GET', `/jobs/${job}/attachments/default`);
  await it.finished(job);
});
statement('platform 9.1', async () => {
  const id = await it.make('/applications', { key: 'holder' });
  const other = await it.person('reader-of-applications');
  for (const path of ['emailproviders', 'emails', 'registrations', 'settings', 'messages', 'deployments/live/pagerenditions']) {
    const collection = `/applications/holder/${path}`;
    const made = await it.make(collection, { title: 'first', userEmail: 'a@example.org' });
    assert.equal((await it.get(`${collection}/${made}`)).applicationId, id, path);
    assert.deepEqual([ids(await it.get(collection)), ids(await it.post(`${collection}/query`, { title: 'first' })), ids(await it.post(`${collection}/query`, { title: 'none' }))], [[made], [made], []], path);
    await it.put(`${collection}/${made}`, { title: 'second', userEmail: 'a@example.org' });
    assert.equal((await it.get(`/applications/${id}/${path}/${made}`)).title, 'second');
    await it.refused(404, 'GET', `${collection}/${made}`, undefined, other);
    const checks = async () => {
      const one = { permissionedId: made, principalId: `default/${other.id}` };
      const permissions = await it.post(`${collection}/permissions/check`, { checks: [{ ...one, permissionId: 'READ' }] });
      const authorities = await it.post(`${collection}/authorities/check`, { checks: [{ ...one, authorityId: 'consumer' }] });
      return [permissions, authorities].map(({ checks: [{ result }] }) => result);
    };
    assert.deepEqual(await checks(), [false, false], path);
    await it.grant(`${collection}/${made}`, 'consumer', other);
    assert.deepEqual(await checks(), [true, true], path);
    assert.ok((await it.get(`${collection}/${made}/acl/list`)).rows.some((row) => row.name === other.name), path);
    await it.revoke(`${collection}/${made}`, 'consumer', other);
    assert.deepEqual(await checks(), [false, false], path);
    await it.ok('DELETE', `${collection}/${made}`);
    assert.deepEqual(ids(await it.get(collection)), [], path);
  }
});
statement('platform 9.8', async () => {
  const application = await it.make('/applications', { key: 'mapped' });
  const [host, other] = [await it.make('/webhosts'), await it.make('/webhosts')];
  const named = [await it.make(`/webhosts/${host}/autoclientmappings`, { applicationId: application }),
    await it.make(`/webhosts/${host}/autoclientmappings`, { applicationKey: 'mapped' })];
  await it.make(`/webhosts/${other}/autoclientmappings`, { applicationId: 'another' });
  const trusted = await it.make(`/webhosts/${host}/trusteddomainmappings`, { host: 'a.example.org' });
  await it.make(`/webhosts/${other}/trusteddomainmappings`, { host: 'b.example.org' });
  assert.deepEqual(ids(await it.get('/applications/mapped/autoclientmappings')), named);
  assert.deepEqual(ids(await it.get('/applications/mapped/trusteddomainmappings')), [trusted]);
});
statement('platform 9.9', async () => {
  await it.make('/applications', { applicationType: 'web' });
  await it.make('/applications', { applicationType: 'web' });
  const types = await it.get('/applicationtypes');
  assert.deepEqual([ids(types), types.total_rows], [['web'], 1]);
});
statement('platform 9.10, platform 9.13', async () => {
  const application = `/applications/${await it.make('/applications')}`;
  assert.equal((await it.get(`${application}/apikeys`)).total_rows, 0);
  const settings = await it.make(`${application}/settings`, { scope: 'application', key: 'k', settings: { colour: { name: 'red' } } });
  assert.deepEqual(ids(await it.post(`${application}/settings/query`, { 'settings.colour.name': 'red' })), [settings]);
  const message = await it.make(`${application}/messages`, { key: 'hello', locale: 'de', message: 'Hallo' });
  assert.equal((await it.get(`${application}/messages/${message}`)).message, 'Hallo');
});
statement('platform 9.11, platform 11.4', async () => {
  const host = await it.make('/webhosts');
  const application = `/applications/${await it.make('/applications', { deployments: { live: { webhost: host, subdomain: 'a', domain: 'example.org' } } })}`;
  await it.refused(404, 'GET', `${application}/deployed/live`);
  const made = await it.post(`${application}/deploy/live`);
  assert.deepEqual([made.deploymentKey, made.urls], ['live', ['https://a.example.org']]);
  assert.equal((await it.get(`${application}/deployed/live`))._doc, made._doc);
  const deployed = `/webhosts/${host}/applications`;
  assert.deepEqual(ids(await it.get(deployed)), [made._doc]);
  for (const action of ['redeploy', 'start', 'stop', 'restart']) assert.equal((await it.post(`${deployed}/${made._doc}/${action}`)).ok, true);
  assert.equal((await it.post(`${application}/undeploy/live`)).ok, true);
  await it.refused(404, 'GET', `${application}/deployed/live`);
  const again = await it.post(`${application}/deploy/live`);
  assert.equal((await it.post(`${deployed}/${again._doc}/undeploy`)).ok, true);
  assert.deepEqual(ids(await it.get(deployed)), []);
});
statement('platform 9.12', async () => {
  const application = `/applications/${await it.make('/applications')}/registrations`;
  await it.refused(400, 'POST', application, {});
  const id = await it.make(application, { userEmail: 'r@example.org', userId: 'registered', tenantRegistrarId: 'default', tenantPlanKey: 'unlimited' });
  const done = await it.post(`${application}/${id}/confirm?password=long-enough`);
  assert.equal(done.completed, true);
  assert.equal((await it.get(`/domains/default/principals/${done.completedPrincipalId}`)).name, 'registered');
  assert.equal((await it.get(`/registrars/default/tenants/${done.completedTenantId}`)).principalId, done.completedPrincipalId);
});
