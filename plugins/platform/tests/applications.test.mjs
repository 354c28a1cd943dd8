// Applications: the one that the first start makes, what lies in them, deployments and registrations
// (docs/reference/platform.md).
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { SteleServer } from '../../../tests/support/stele_server.mjs';

let server;
let application;
let user;
let token;
const mails = mkdtempSync(join(tmpdir(), 'stele-mails-'));
const admin = (...args) => server.admin(...args);
const ask = (method, path, body, as = server.adminToken) =>
  server.request(method, path, { token: as, body: body ?? (method === 'GET' ? undefined : {}) });
/// Whole mails; one that is being written has a name that begins with a dot.
const captured = () => readdirSync(mails).filter((name) => !name.startsWith('.'));
before(async () => {
  server = await SteleServer.start({ config: `email_providers.capture_folder = ${mails}\n` });
  application = `/applications/${(await admin('POST', '/applications', { key: 'shop' }))._doc}`;
  user = await server.makeUser('somebody');
  token = await server.login('somebody', 'secret-of-somebody');
});
after(async () => {
  await server.end();
  rmSync(mails, { recursive: true, force: true });
});

test('the first start makes the default application, once', async () => {
  const made = await admin('GET', '/applications/default');
  assert.deepEqual([made._doc, made.key], ['default', 'default']);
  await admin('DELETE', '/applications/default');
  await server.stop();
  await server.launch();
  server.adminToken = await server.login();
  token = await server.login('somebody', 'secret-of-somebody');
  assert.equal((await ask('GET', '/applications/default')).status, 404);
});

test('what is named as contained in an application is a family with all standard operations', async () => {
  const { types } = await admin('POST', '/tools/types/contained/application');
  const paths = { settings: 'settings', message: 'messages', registration: 'registrations', apikey: 'apikeys', email: 'emails', emailProvider: 'emailproviders',
    pageRendition: 'deployments/live/pagerenditions' };
  assert.deepEqual([...types].sort(), Object.keys(paths).sort());
  const { paths: routes } = (await ask('GET', '/openapi.json')).json;
  for (const path of Object.values(paths)) {
    const collection = `${application}/${path}`;
    const fields = { title: 'one', userEmail: 'a@example.org', key: 'k', config: { deep: { value: 1 } } };
    const made = (await admin('POST', collection, fields))._doc;
    assert.equal((await admin('GET', `${collection}/${made}`)).applicationId, application.split('/').at(-1), path);
    assert.equal((await admin('GET', collection)).total_rows, 1, path);
    assert.equal((await admin('POST', `${collection}/query`, { 'config.deep.value': 1 })).total_rows, 1, path);
    await admin('PUT', `${collection}/${made}`, { ...fields, title: 'two' });
    assert.equal((await admin('GET', `/applications/shop/${path}/${made}`)).title, 'two', 'by the key of the application');
    const checked = await admin('POST', `${collection}/permissions/check`, { checks: [{ permissionedId: made, principalId: `default/${user._doc}`, permissionId: 'READ' }] });
    assert.equal(checked.checks[0].result, false);
    assert.equal((await ask('GET', `${collection}/${made}`, undefined, token)).status, 404, path);
    await admin('POST', `${collection}/${made}/authorities/consumer/grant?id=default/${user._doc}`);
    await admin('DELETE', `${collection}/${made}`);
    assert.equal((await ask('GET', `${collection}/${made}`)).status, 404);
    const template = Object.keys(routes).find((route) => new RegExp(`^/applications/\\{\\w+\\}/${path.replace('live', '\\{\\w+\\}')}/\\{\\w+\\}$`).test(route));
    for (const [suffix, method] of [['', 'get'], ['/update', 'post'], ['/delete', 'post'], ['/acl/list', 'get'], ['/attachments', 'get']])
      assert.ok(routes[`${template}${suffix}`]?.[method], `${template}${suffix}`);
  }
  assert.ok(!JSON.stringify(await admin('POST', `${application}/apikeys`, { key: 'maps', secret: 'told to nobody' })).includes('told'));
});

test('an application is deployed to a web host by what it says of the key', async () => {
  const host = (await admin('POST', '/webhosts', {}))._doc;
  const other = (await admin('POST', '/webhosts', {}))._doc;
  const record = await admin('GET', application);
  await admin('PUT', application, { ...record, deployed: { live: { webhost: 'forged', id: 'forged' } },
    deployments: { live: { webhost: host, subdomain: 'shop', domain: 'example.org' }, lost: { webhost: 'nowhere' } } });
  assert.equal((await admin('GET', application)).deployed, undefined, 'the server alone says what is deployed');
  assert.equal((await ask('GET', `${application}/deployed/live`)).status, 404);
  assert.equal((await ask('POST', `${application}/deploy/none`)).status, 404);
  assert.equal((await ask('POST', `${application}/deploy/lost`)).status, 400);
  const made = await admin('POST', `${application}/deploy/live`, {});
  assert.deepEqual([made.deploymentKey, made.webhostId, made.deploymentSubdomain, made.urls, made.state],
    ['live', host, 'shop', ['https://shop.example.org'], 'STARTED']);
  const listed = await admin('GET', `/webhosts/${host}/applications`);
  assert.deepEqual(listed.rows.map((row) => row._doc), [made._doc]);
  for (const method of ['GET', 'POST']) assert.equal((await admin(method, `${application}/deployed/live`))._doc, made._doc);
  assert.deepEqual((await admin('GET', `${application}/deployed/live/info`)).urls, made.urls);
  const deployed = `/webhosts/${host}/applications/${made._doc}`;
  assert.equal((await admin('POST', `${deployed}/stop`)).state, 'STOPPED');
  for (const action of ['start', 'restart', 'redeploy']) assert.equal((await admin('POST', `${deployed}/${action}`)).state, 'STARTED');
  assert.equal((await ask('PUT', deployed, {})).status, 405);
  // Once more, elsewhere: there is one of a key.
  await admin('PUT', application, { ...record, deployments: { live: { webhost: other } } });
  const again = await admin('POST', `${application}/deploy/live`, {});
  assert.deepEqual([again.webhostId, (await admin('GET', `/webhosts/${host}/applications`)).total_rows], [other, 0]);
  const places = async () => Object.keys((await admin('GET', application)).deployed);
  await admin('PUT', application, { ...record, deployments: { live: { webhost: other }, test: { webhost: host } } });
  await admin('POST', `${application}/deploy/test`, {});
  assert.deepEqual((await places()).sort(), ['live', 'test']);
  await admin('POST', `${application}/undeploy/live`, {});
  assert.deepEqual(await places(), ['test']);
  assert.equal((await ask('GET', `${application}/deployed/live`)).status, 404);
  assert.equal((await ask('POST', `${application}/undeploy/live`)).status, 404);
  assert.equal((await admin('GET', `/webhosts/${other}/applications`)).total_rows, 0);
});

test('deploying needs UPDATE on the application and CREATE_SUBOBJECTS on the web host', async () => {
  const host = (await admin('POST', '/webhosts', {}))._doc;
  const own = (await admin('POST', '/applications', { deployments: { live: { webhost: host } } }))._doc;
  const deploy = async () => (await ask('POST', `/applications/${own}/deploy/live`, {}, token)).status;
  assert.equal(await deploy(), 404);
  await admin('POST', `/applications/${own}/authorities/editor/grant?id=default/${user._doc}`);
  assert.equal(await deploy(), 400, 'a web host that they may not read is none');
  await admin('POST', `/webhosts/${host}/authorities/consumer/grant?id=default/${user._doc}`);
  assert.equal(await deploy(), 403);
  await admin('POST', `/webhosts/${host}/authorities/collaborator/grant?id=default/${user._doc}`);
  assert.equal(await deploy(), 200);
});

test('a registration is confirmed once, and makes the user that it describes', async () => {
  const collection = `${application}/registrations`;
  assert.equal((await ask('POST', collection, {})).status, 400, 'userEmail is required');
  const made = await admin('POST', collection, { userEmail: 'new@example.org', userId: 'newcomer', completed: true,
    userProperties: { firstName: 'New', favourite: 'green' } });
  const { _doc: id } = made;
  assert.deepEqual([made.completed, made.confirmationSent, made.signupProperties], [false, false, {}]);
  assert.equal((await admin('GET', `${collection}/lookup?registrationId=${id}`))._doc, id);
  assert.equal((await ask('GET', `${collection}/lookup`)).status, 400);
  const done = await admin('POST', `${collection}/${id}/confirm?password=secret-enough`, {});
  assert.deepEqual([done.completed, done.completedDomainId, done.password], [true, 'default', undefined]);
  const person = await admin('GET', `/domains/default/principals/${done.completedPrincipalId}`);
  assert.deepEqual([person.name, person.email, person.firstName, person.favourite], ['newcomer', 'new@example.org', 'New', 'green']);
  assert.ok(await server.login('newcomer', 'secret-enough'));
  const again = await ask('POST', `${collection}/${id}/confirm?password=secret-enough`);
  assert.deepEqual([again.status, again.json.code], [409, 'platform.registration_completed']);
});

test('a registration keeps no password, and who confirms it gives the first one', async () => {
  const collection = `${application}/registrations`;
  const made = await admin('POST', collection, { userEmail: 'p@example.org', userId: 'passworded', userProperties: { password: 'of the author', firstName: 'P' } });
  const path = `${collection}/${made._doc}`;
  assert.deepEqual((await admin('GET', path)).userProperties, { firstName: 'P' });
  await admin('PUT', path, { ...made, userProperties: { password: 'of the author', firstName: 'Q' } });
  assert.deepEqual((await admin('GET', path)).userProperties, { firstName: 'Q' });
  await admin('POST', `${path}/confirm`, {});
  assert.equal((await server.login('passworded', 'of the author', { isWhole: true })).status, 400);
});

test('a registration with a registrar and a plan makes a tenant, too', async () => {
  const { _doc: id } = await admin('POST', `${application}/registrations`, { userEmail: 'owner@example.org', tenantRegistrarId: 'default',
    tenantPlanKey: 'unlimited', tenantTitle: 'Of the owner' });
  const done = await admin('POST', `${application}/registrations/${id}/confirm?password=secret-enough`, {});
  const tenant = await admin('GET', `/registrars/default/tenants/${done.completedTenantId}`);
  assert.deepEqual([tenant.title, tenant.principalId], ['Of the owner', done.completedPrincipalId]);
});

test('confirming needs what it makes: nobody gets users or tenants by it that they could not make', async () => {
  const { _doc: id } = await admin('POST', `${application}/registrations`, { userEmail: 'third@example.org' });
  const registration = `${application}/registrations/${id}`;
  await admin('POST', `${registration}/authorities/editor/grant?id=default/${user._doc}`);
  const reply = await ask('POST', `${registration}/confirm?password=secret-enough`, {}, token);
  assert.ok([400, 403].includes(reply.status), reply.text);
  assert.equal((await admin('GET', registration)).completed, false);
});

test('mails of a registration are sent by the provider of the application', async () => {
  const none = await admin('POST', `${application}/registrations`, { userEmail: 'mail@example.org' });
  assert.equal((await ask('POST', `${application}/registrations/${none._doc}/send/welcome`)).status, 400);
  await admin('POST', `${application}/emailproviders`, { host: 'localhost', from: 'shop@example.org' });
  const { _doc: id } = await admin('POST', `${application}/registrations`, { userEmail: 'mail@example.org', userId: 'mailed',
    emails: { confirmation: { from: 'shop@example.org', subject: 'Hello', body: 'Dear ${userId}, ${registrationId}' }, welcome: { from: 'shop@example.org' } } });
  for (const kind of ['confirmation', 'welcome']) {
    const sent = await admin('POST', `${application}/registrations/${id}/send/${kind}`, {});
    assert.deepEqual([sent[`${kind}Sent`], typeof sent[`${kind}SentOn`].ms], [true, 'number']);
  }
  const texts = () => captured().map((name) => readFileSync(join(mails, name), 'utf8'));
  for (let i = 0; i < 200 && texts().length < 2; i += 1) await new Promise((resolve) => setTimeout(resolve, 50));
  assert.equal(texts().length, 2);
  assert.ok(texts().some((text) => text.includes(`Dear mailed, ${id}`)), texts().join());
  for (const text of texts()) assert.match(text, /mail@example\.org/);
});

test('a mail of a registration tells its author nothing that is hidden from it', async () => {
  const repository = (await admin('POST', '/repositories', {}))._doc;
  const branch = `/repositories/${repository}/branches/master`;
  const node = (await admin('POST', `${branch}/nodes`, { title: 'hidden' }))._doc;
  await server.request('POST', `${branch}/nodes/${node}/attachments/default?filename=s.txt`,
    { token: server.adminToken, body: 'text of a hidden node', headers: { 'Content-Type': 'text/plain' } });
  const users = '/domains/default/principals';
  const hidden = await admin('POST', users, { type: 'USER', name: 'hidden-addressee', email: 'hidden@secret.example', password: 'password' });
  await admin('POST', `${users}/${hidden._doc}/authorities/all/revoke?id=default/everyone`);
  await admin('POST', '/authorities/contributor/grant?id=default/somebody');
  const own = `/applications/${(await ask('POST', '/applications', {}, token)).json._doc}`;
  assert.equal((await ask('POST', `${own}/emailproviders`, { host: 'localhost' }, token)).status, 200);
  const members = { bodyRepositoryId: repository, bodyNodeId: node, toDomainId: 'default', toPrincipalId: 'hidden-addressee' };
  for (const body of ['', undefined]) {
    const before = captured().length;
    const { _doc: id } = (await ask('POST', `${own}/registrations`,
      { userEmail: 'me@example.org', emails: { confirmation: { from: 'me@example.org', subject: 'mine', body, ...members } } }, token)).json;
    const sent = await ask('POST', `${own}/registrations/${id}/send/confirmation`, {}, token);
    assert.equal(sent.status, 200, sent.text);
    for (let i = 0; i < 200 && captured().length === before; i += 1) await new Promise((resolve) => setTimeout(resolve, 50));
  }
  for (const { toPrincipalId, bodyNodeId } of (await ask('GET', `${own}/emails`, undefined, token)).json.rows)
    assert.deepEqual([toPrincipalId, bodyNodeId], [undefined, undefined]);
  const texts = captured().map((name) => readFileSync(join(mails, name), 'utf8')).filter((text) => text.includes('me@example.org'));
  assert.equal(texts.length, 2);
  const encoded = Buffer.from('text of a hidden').toString('base64').slice(0, 16);
  for (const text of texts)
    for (const secret of ['text of a hidden', encoded, 'hidden@secret.example']) assert.ok(!text.includes(secret), text);
});
