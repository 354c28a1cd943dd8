// Tenants (docs/reference/tenants.md): a platform of one's own, and no way from one into another.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdirSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { endedJob } from '../../../tests/support/ended_job.mjs';
import { SteleServer } from '../../../tests/support/stele_server.mjs';
import { loginWith, makeTenant, openTenant } from '../../../tests/support/stele_tenant.mjs';

let server;
before(async () => { server = await SteleServer.start(); });
after(() => server.end());

const admin = (...args) => server.admin(...args);
const asAdmin = async (method, path, body) =>
  server.request(method, path, { body, token: (server.adminToken ??= await server.login()) });
const kTenants = '/registrars/default/tenants';
const kPlans = '/registrars/default/plans';
const count = async (path) => (await admin('GET', path)).total_rows;
const tally = (types) => types.reduce((sum, type) => ({ ...sum, [type]: (sum[type] ?? 0) + 1 }), {});

test('a tenant is a platform of its own, which its owner enters with the usual password', async () => {
  const tenant = await makeTenant(server, 'ann');
  const login = await tenant.login();
  assert.equal(login.status, 200, login.text);
  const info = await tenant.do('GET', '/auth/info');
  assert.equal(info.principalName, 'ann');
  assert.equal(info.tenantId, tenant.id);
  assert.equal(info.tenantRegistrarId, 'default');
  const platform = await tenant.do('GET', '/');
  assert.equal(platform._doc, tenant.record.platformId);
  assert.notEqual(platform._doc, (await admin('GET', '/'))._doc);
  assert.equal(platform.title, 'Tenant ann');
  await tenant.do('PUT', '/', { ...platform, title: 'Mine' });
  assert.equal((await admin('GET', '/')).title, 'Root Platform');
});

test('a tenant begins with the default objects, and the list of objects grows with what it makes', async () => {
  const tenant = await makeTenant(server, 'bob');
  const objects = await admin('GET', `${tenant.path}/objects`);
  assert.deepEqual(tally(objects.rows.map((row) => row.typeId)),
    { platform: 1, application: 2, client: 1, directory: 1, domain: 1, repository: 1, stack: 1, vault: 1, webhost: 1 });
  for (const path of ['/domains', '/repositories', '/directories', '/vaults', '/webhosts', '/stacks', '/clients'])
    assert.equal((await tenant.do('GET', path)).total_rows, 1, path);
  for (const path of ['/registrars', '/access/policies', '/reports', '/deployment/receivers', '/deployment/strategies', '/deployment/targets', '/billing/configurations', '/projects'])
    assert.equal((await tenant.do('GET', path)).total_rows, 0, path);
  await tenant.do('POST', '/webhosts', { title: 'another' });
  assert.equal((await admin('GET', `${tenant.path}/objects`)).total_rows, objects.total_rows + 1);
  const hosts = await admin('GET', `${tenant.path}/objects?type=webhost`);
  assert.equal(hosts.total_rows, 2);
  await tenant.do('POST', '/webhosts/default/autoclientmappings', { host: 'www.example.org' });
  assert.equal((await admin('GET', `${tenant.path}/autoclientmappings`)).rows[0].host, 'www.example.org');
});

test('the repository that a tenant begins with is its own, and its owner works in it', async () => {
  const [one, other] = [await makeTenant(server, 'rita'), await makeTenant(server, 'rosa')];
  const nodes = '/repositories/default/branches/master/nodes';
  const { _doc } = await one.do('POST', nodes, { title: 'mine' });
  assert.equal((await one.do('GET', `${nodes}/${_doc}`)).title, 'mine');
  for (const reply of [await other.ask('GET', `${nodes}/${_doc}`), await asAdmin('GET', `${nodes}/${_doc}`)]) assert.equal(reply.status, 404);
  assert.deepEqual((await one.do('GET', '/repositories/default/teams')).rows.map(({ key }) => key), ['owners']);
  await one.do('DELETE', '/repositories/default');
  assert.equal((await one.do('GET', '/repositories')).total_rows, 0);
  assert.equal((await other.do('GET', '/repositories')).total_rows, 1);
});

test('nobody enters a tenant but its users, and its users enter nothing else', async () => {
  const [cora, dora] = [await makeTenant(server, 'cora'), await makeTenant(server, 'dora')];
  for (const [client, name, password] of [
    [cora.client, 'dora', 'secret-of-dora'], [dora.client, 'cora', 'secret-of-cora'],
    [cora.client, 'admin', server.seed.admin.password], [cora.client, 'cora', 'wrong'],
    [cora.client, server.seed.grant.key, server.seed.grant.secret],
  ]) {
    const reply = await loginWith(server, client, name, password);
    assert.equal(reply.status, 400, `${name}: ${reply.text}`);
    assert.equal(reply.json.error, 'invalid_grant');
  }
  await cora.do('POST', '/domains/default/principals', { type: 'USER', name: 'eve', password: 'secret of eve' });
  assert.equal((await cora.login('eve', 'secret of eve')).status, 200);
  assert.equal((await dora.login('eve', 'secret of eve')).status, 400);
  assert.equal((await server.login('eve', 'secret of eve', { isWhole: true })).status, 400);
  const principals = (await dora.do('GET', '/domains/default/principals')).rows.map(({ name }) => name);
  const isTeam = (name) => name.startsWith('owners of ');
  assert.deepEqual(principals.filter((name) => !isTeam(name)).sort(), ['dora', 'everyone', 'guest']);
});

test('the first domain of a tenant has the team owners', async () => {
  const tenant = await makeTenant(server, 'tea');
  assert.deepEqual((await tenant.do('GET', '/domains/default/teams')).rows.map(({ key }) => key), ['owners']);
});

test('a new password holds on all platforms of a person', async () => {
  const tenant = await makeTenant(server, 'fay');
  const { directoryId, identityId } = await admin('GET', '/domains/default/principals/fay');
  const password = 'a new one';
  await admin('POST', `/directories/${directoryId}/identities/${identityId}/changepassword`,
    { password, verifyPassword: password });
  assert.equal((await tenant.login()).status, 400);
  assert.equal((await tenant.login('fay', password)).status, 200);
});

test('an identity that a tenant makes with the ids of another one takes over nobody', async () => {
  const tenant = await makeTenant(server, 'una');
  const owner = await tenant.do('GET', '/domains/default/principals/una');
  await tenant.do('POST', `/directories/${owner.directoryId}/identities`, { _doc: owner.identityId });
  await tenant.do('PUT', `/domains/default/principals/${owner._doc}`, { ...owner, jobTitle: 'owner' });
  assert.equal((await tenant.login()).status, 200);
});

test('the tenants and users of a person are found by its identity', async () => {
  const tenant = await makeTenant(server, 'gil');
  const user = await admin('GET', '/domains/default/principals/gil');
  const identity = `/directories/${user.directoryId}/identities/${user.identityId}`;
  assert.equal((await admin('GET', `${identity}/policy/users`)).total_rows, 2);
  const users = async (parameters) => (await admin('GET', `${identity}/policy/users?${parameters}`)).rows.map(({ _doc }) => _doc);
  const both = await users('sort={"_doc":1}');
  assert.equal(both.length, 2);
  assert.deepEqual(both, [...both].sort());
  assert.deepEqual(await users('sort={"_doc":-1}'), [...both].reverse());
  const page = await admin('GET', `${identity}/policy/users?sort={"_doc":1}&skip=1&limit=1`);
  assert.deepEqual([page.total_rows, page.offset, page.size, page.rows[0]._doc], [2, 1, 1, both[1]]);
  assert.deepEqual([...await users('limit=1'), ...await users('skip=1')].sort(), both);
  assert.deepEqual((await admin('GET', `${identity}/policy/tenants`)).rows.map(({ _doc }) => _doc), [tenant.id]);
  assert.equal((await admin('GET', `${identity}/policy/tenants?registrarId=default`)).total_rows, 2);
  assert.equal((await admin('GET', `${identity}/policy/tenants?authorityId=owner`)).total_rows, 1);
  const inside = await admin('GET', `${identity}/policy/user?tenantId=${tenant.id}`);
  assert.notEqual(inside._doc, user._doc);
  assert.equal(inside.name, 'gil');
  for (const id of ['default/gil', `default/${user._doc}`]) {
    assert.equal((await admin('GET', `${kTenants}/lookup?id=${encodeURIComponent(id)}`))._doc, tenant.id);
  }
  assert.equal((await asAdmin('GET', `${kTenants}/lookup?id=default/guest`)).status, 404);
});

test('the tenants of a person are shown to the person and to those who may read them', async () => {
  const tenant = await makeTenant(server, 'wim');
  const { directoryId, identityId } = await admin('GET', '/domains/default/principals/wim');
  const directory = `/directories/${directoryId}`;
  const identity = `${directory}/identities/${identityId}`;
  await server.makeUser('yan');
  for (const place of [directory, identity, '/registrars/default']) {
    for (const name of ['wim', 'yan']) await admin('POST', `${place}/authorities/consumer/grant?id=default/${name}`);
  }
  const seenBy = async (name) => {
    const token = await server.login(name, `secret-of-${name}`);
    const reply = await server.request('GET', `${identity}/policy/tenants`, { token });
    assert.equal(reply.status, 200, reply.text);
    return reply.json.rows.map(({ _doc }) => _doc);
  };
  assert.deepEqual(await seenBy('wim'), [tenant.id]);
  assert.deepEqual(await seenBy('yan'), []);
  await admin('POST', `${tenant.path}/authorities/consumer/grant?id=default/yan`);
  assert.deepEqual(await seenBy('yan'), [tenant.id]);
});

test('a tenant that cannot be made says why, and nothing is stored', async () => {
  const { _doc } = await server.makeUser('hal');
  await admin('PUT', `/domains/default/principals/${(await server.makeUser('ina'))._doc}`,
    { name: 'ina', type: 'USER', enabled: false });
  const tenants = await count(kTenants);
  for (const [fields, path] of [
    [{ principalId: _doc }, 'planKey'],
    [{ principalId: _doc, planKey: 'none' }, 'planKey'],
    [{ planKey: 'unlimited' }, 'principalId'],
    [{ planKey: 'unlimited', principalId: 'nobody' }, 'principalId'],
    [{ planKey: 'unlimited', principalId: _doc, domainId: 'none' }, 'principalId'],
    [{ planKey: 'unlimited', principalId: 'everyone' }, 'principalId'],
    [{ planKey: 'unlimited', principalId: 'guest' }, 'principalId'],
    [{ planKey: 'unlimited', principalId: 'ina' }, 'principalId'],
    [{ planKey: 'unlimited', principalId: _doc, dnsSlug: 'No Slug' }, 'dnsSlug'],
    [{ planKey: 'unlimited', principalId: _doc, enabled: 'yes' }, 'enabled'],
  ]) {
    const reply = await asAdmin('POST', kTenants, fields);
    assert.equal(reply.status, 400, reply.text);
    assert.deepEqual(reply.json.violations.map((violation) => violation.path), [path]);
  }
  assert.equal(await count(kTenants), tenants);
  const { directoryId, identityId } = await admin('GET', `/domains/default/principals/${_doc}`);
  assert.equal((await admin('GET', `/directories/${directoryId}/identities/${identityId}/policy/users`)).total_rows, 1);
});

test('a tenant has no tenants of its own', async () => {
  const tenant = await makeTenant(server, 'jan');
  const registrar = await tenant.do('POST', '/registrars', {});
  await tenant.do('POST', `/registrars/${registrar._doc}/plans`, { planKey: 'own' });
  const reply = await tenant.ask('POST', `/registrars/${registrar._doc}/tenants`, { planKey: 'own', principalId: 'jan' });
  assert.equal(reply.status, 409);
  assert.equal(reply.json.code, 'data_stores.tenant_nested');
});

test('a disabled tenant refuses logins and tokens, and is as before when it is enabled again', async () => {
  const tenant = await makeTenant(server, 'kim');
  const { refresh_token } = (await tenant.login()).json;
  const host = await tenant.do('POST', '/webhosts', { title: 'kept' });
  const record = await admin('GET', tenant.path);
  await admin('PUT', tenant.path, { ...record, enabled: false, principalId: 'other', platformId: 'other' });
  const refused = await tenant.ask('GET', '/');
  assert.equal(refused.status, 401);
  assert.equal(refused.json.error, 'invalid_token');
  assert.equal((await tenant.login()).json.error, 'invalid_grant');
  const form = new URLSearchParams({ grant_type: 'refresh_token', refresh_token,
    client_id: tenant.client.key, client_secret: tenant.client.secret });
  const refresh = () => server.request('POST', '/oauth/token',
    { body: form.toString(), headers: { 'Content-Type': 'application/x-www-form-urlencoded' } });
  assert.equal((await refresh()).json.error, 'invalid_grant');
  const disabled = await admin('GET', tenant.path);
  assert.equal(disabled.principalId, record.principalId);
  assert.equal(disabled.platformId, record.platformId);
  await admin('PUT', tenant.path, { planKey: 'unlimited', title: 'still closed' });
  assert.equal((await admin('GET', tenant.path)).enabled, false);
  assert.equal((await tenant.login()).json.error, 'invalid_grant');
  await admin('PUT', tenant.path, { ...record, enabled: true });
  assert.equal((await tenant.do('GET', `/webhosts/${host._doc}`)).title, 'kept');
  assert.equal((await refresh()).status, 200);
});

test('the tenant of the first platform can be neither disabled nor removed', async () => {
  const info = await admin('GET', '/auth/info');
  const own = await admin('GET', `${kTenants}/${info.tenantId}`);
  assert.equal(own.platformId, (await admin('GET', '/'))._doc);
  for (const reply of [await asAdmin('DELETE', `${kTenants}/${own._doc}`),
                       await asAdmin('PUT', `${kTenants}/${own._doc}`, { ...own, enabled: false })]) {
    assert.equal(reply.status, 409);
    assert.equal(reply.json.code, 'data_stores.tenant_own_required');
  }
});

/// Records of removed containers and platforms that are still to be erased, of a server that is down.
function left() {
  const checked = server.check();
  assert.equal(checked.status, 0, checked.text);
  return Number(checked.text.match(/(\d+) records of removed containers/)?.[1] ?? 0);
}

/// Lets the server go on, longer each time, until nothing is left to erase; it never becomes more.
async function untilErased(present) {
  for (let round = 0; present > 0; ++round) {
    assert.ok(round < 60, `${present} records are left`);
    await server.launch();
    await sleep(50 * round);
    await server.stop(round % 2 ? 'SIGTERM' : 'SIGKILL');
    const now = left();
    assert.ok(now <= present, 'it goes on where it was');
    present = now;
  }
  await server.launch();
}

test('a removed tenant is gone at once, and what it held soon after', async () => {
  const tenant = await makeTenant(server, 'lea');
  for (let i = 0; i < 5; ++i) {
    const { _doc } = await tenant.do('POST', '/webhosts', { title: `host ${i}` });
    await Promise.all(Array.from({ length: 60 }, (_, at) =>
      tenant.do('POST', `/webhosts/${_doc}/autoclientmappings`, { host: `${at}.example.org` })));
  }
  const user = await admin('GET', '/domains/default/principals/lea');
  await admin('DELETE', tenant.path);
  assert.equal((await tenant.ask('GET', '/')).json.error, 'invalid_token');
  assert.equal((await tenant.login()).json.error, 'invalid_client');
  assert.equal((await asAdmin('GET', tenant.path)).status, 404);
  const identity = `/directories/${user.directoryId}/identities/${user.identityId}`;
  assert.equal((await admin('GET', `${identity}/policy/users`)).total_rows, 1);
  assert.equal((await server.login('lea', 'secret-of-lea', { isWhole: true })).status, 200);
  await server.stop();
  await untilErased(left());
  // Her identity goes with her last user: only if the link of the tenant's was erased.
  await admin('DELETE', `/domains/default/principals/${user._doc}`);
  assert.equal((await asAdmin('GET', identity)).status, 404);
});

test('a server that ends while it erases goes on when it starts again, and the store is sound', async () => {
  let tenant;
  let atEnd = 0;
  // Larger each time, until it ends in the middle.
  for (let records = 1000; atEnd < records / 4; records *= 2) {
    assert.ok(records < 20_000, 'it ends before everything is erased');
    if (atEnd > 0) await untilErased(atEnd);
    else if (tenant) await server.launch();
    tenant = await makeTenant(server, `mia${records}`);
    const { _doc } = await tenant.do('POST', '/webhosts', { title: 'host' });
    await Promise.all(Array.from({ length: 20 }, async () => {
      for (let i = 0; i < records / 20; ++i) await tenant.do('POST', `/webhosts/${_doc}/autoclientmappings`, {});
    }));
    await admin('DELETE', tenant.path);
    await server.stop('SIGKILL');
    atEnd = left();
  }
  await server.launch();
  assert.equal((await tenant.login()).json.error, 'invalid_client');
  await server.stop();
  const now = left();
  assert.ok(now <= atEnd, `${now} of ${atEnd}`);
  await untilErased(now);
  await server.stop();
  assert.equal(left(), 0);
  await server.launch();
});

test('stele check looks into a disabled tenant, and says nothing of one that is being erased', async () => {
  const [closed, removed] = [await makeTenant(server, 'zeno'), await makeTenant(server, 'zara')];
  const lost = 54_321;
  for (const tenant of [closed, removed]) {
    const nodes = '/repositories/default/branches/master/nodes';
    const { _doc } = await tenant.do('POST', nodes, { title: 'with a file' });
    const sent = await server.request('POST', `${nodes}/${_doc}/attachments/default`, {
      body: randomBytes(tenant === closed ? lost : 54_322), token: tenant.token, headers: { 'Content-Type': 'image/png' } });
    assert.equal(sent.status, 200, sent.text);
  }
  await admin('PUT', closed.path, { ...closed.record, enabled: false });
  await admin('DELETE', removed.path);
  await server.stop('SIGKILL');
  assert.deepEqual([server.check().status, /attachments/.test(server.check().text)], [0, false], server.check().text);
  const files = readdirSync(server.data, { recursive: true }).map((name) => join(server.data, name));
  const file = files.find((one) => statSync(one).isFile() && statSync(one).size === lost);
  renameSync(file, `${server.data}/kept`);
  const { status, text } = server.check();
  renameSync(`${server.data}/kept`, file);
  assert.equal(status, 2, text);
  assert.match(text, /attachment default cannot be read: .*blob\.unknown/);
  assert.doesNotMatch(text, /cannot be checked/);
  await server.launch();
});

test('a tenant is made by a job too', async () => {
  const user = await server.makeUser('max');
  const { _doc } = await admin('POST', `${kTenants}/start`, { planKey: 'unlimited', principalId: user._doc });
  const job = await endedJob(admin, _doc);
  assert.equal(job.state, 'FINISHED', JSON.stringify(job.log_entries));
  const tenant = await openTenant(server, job['created-tenant-id'], 'max');
  assert.equal((await tenant.login()).status, 200);
  const refused = await asAdmin('POST', `${kTenants}/start`, { planKey: 'none', principalId: user._doc });
  assert.equal(refused.status, 400);
});

test('tenants that are made at once do not get in each other’s way', async () => {
  const names = Array.from({ length: 6 }, (_, i) => `crowd${i}`);
  const tenants = await Promise.all(names.map((name) => makeTenant(server, name)));
  assert.equal(new Set(tenants.map(({ record }) => record.platformId)).size, names.length);
  assert.equal(new Set(tenants.map(({ client }) => client.key)).size, names.length);
  for (const tenant of tenants) assert.equal((await tenant.login()).status, 200);
});

test('whoever may not manage a tenant learns nothing of what is inside', async () => {
  const tenant = await makeTenant(server, 'ned');
  await server.makeUser('reader');
  const token = await server.login('reader', 'secret-of-reader');
  const ask = (path) => server.request('GET', path, { token });
  assert.equal((await ask(tenant.path)).status, 404);
  for (const place of ['/registrars/default', tenant.path]) {
    await admin('POST', `${place}/authorities/consumer/grant?id=default/reader`);
  }
  assert.equal((await ask(tenant.path)).status, 200);
  for (const inside of ['defaultclient', 'objects', 'autoclientmappings']) {
    assert.equal((await ask(`${tenant.path}/${inside}`)).status, 403, inside);
  }
});

test('rights on the tenant of the first platform are none on the platform', async () => {
  const { tenantId } = await admin('GET', '/auth/info');
  const path = `${kTenants}/${tenantId}`;
  await server.makeUser('vera');
  const token = await server.login('vera', 'secret-of-vera');
  await admin('POST', '/registrars/default/authorities/consumer/grant?id=default/vera');
  await admin('POST', `${path}/authorities/owner/grant?id=default/vera`);
  for (const inside of ['defaultclient', 'objects', 'autoclientmappings']) {
    assert.equal((await server.request('GET', `${path}/${inside}`, { token })).status, 403, inside);
    assert.equal((await asAdmin('GET', `${path}/${inside}`)).status, 200, inside);
  }
});

test('amounts of a plan are numbers from 0 on, or -1 for no limit', async () => {
  for (const [i, amount] of [-1, 0, 0.5, 7, null].entries()) await admin('POST', kPlans, { planKey: `amounts-${i}`, storage: { allowance: amount, max: amount }, base: { price: amount } });
  for (const amount of [-0.5, -2, '7', true]) {
    for (const [part, name] of [['storage', 'allowance'], ['storage', 'max'], ['transferOut', 'price'], ['base', 'price']]) {
      const reply = await asAdmin('POST', kPlans, { planKey: 'none', [part]: { [name]: amount } });
      assert.equal(reply.status, 400, `${part}.${name} ${amount}`);
      assert.deepEqual(reply.json.violations.map(({ path, code }) => [path, code]), [[`${part}.${name}`, 'data_stores.plan_amount_malformed']]);
    }
  }
});

test('plans have unique keys, by which they are addressed, and stay while tenants have them', async () => {
  const plan = await admin('POST', kPlans, { planKey: 'gold', title: 'Gold', own: { x: 1 },
    base: { price: 10, schedule: 'MONTHLY' }, storage: { unit: 'gb', allowance: 5, max: -1, price: 0.5 } });
  assert.equal((await admin('GET', `${kPlans}/gold`))._doc, plan._doc);
  assert.deepEqual((await admin('GET', `${kPlans}/${plan._doc}`)).own, { x: 1 });
  assert.equal((await admin('POST', `${kPlans}/query`, { planKey: 'gold' })).total_rows, 1);
  assert.equal((await asAdmin('POST', kPlans, { planKey: 'gold' })).status, 409);
  for (const [fields, path] of [[{}, 'planKey'], [{ planKey: '' }, 'planKey'], [{ planKey: 'a/b' }, 'planKey'],
    [{ planKey: 'p', storage: { unit: 'pints' } }, 'storage.unit'],
    [{ planKey: 'p', transferOut: { allowance: -2 } }, 'transferOut.allowance'],
    [{ planKey: 'p', storage: { max: 'much' } }, 'storage.max'], [{ planKey: 'p', storage: 7 }, 'storage'],
    [{ planKey: 'p', base: { price: '1' } }, 'base.price']]) {
    const reply = await asAdmin('POST', kPlans, fields);
    assert.equal(reply.status, 400, reply.text);
    assert.ok(reply.json.violations.some((violation) => violation.path === path), reply.text);
  }
  const tenant = await makeTenant(server, 'ola', { planKey: plan._doc });
  assert.equal(tenant.record.planKey, 'gold');
  for (const reply of [await asAdmin('DELETE', `${kPlans}/gold`),
                       await asAdmin('PUT', `${kPlans}/gold`, { planKey: 'silver' })]) {
    assert.equal(reply.status, 409);
    assert.equal(reply.json.code, 'data_stores.plan_in_use');
  }
  await admin('PUT', tenant.path, { ...tenant.record, planKey: 'unlimited' });
  await admin('DELETE', `${kPlans}/gold`);
  const gone = await asAdmin('GET', `${kPlans}/gold`);
  assert.equal(gone.status, 404);
  assert.equal(gone.statusText, 'Not Found');
  assert.ok(gone.json.message);
});

test('a registrar takes its tenants and plans with it', async () => {
  const { _doc } = await admin('POST', '/registrars', { title: 'reseller' });
  await admin('POST', `/registrars/${_doc}/plans`, { planKey: 'only' });
  const user = await server.makeUser('pia');
  const made = await admin('POST', `/registrars/${_doc}/tenants`, { planKey: 'only', principalId: user._doc });
  const client = await admin('GET', `/registrars/${_doc}/tenants/${made._doc}/defaultclient`);
  assert.equal((await loginWith(server, client, 'pia', 'secret-of-pia')).status, 200);
  await admin('DELETE', `/registrars/${_doc}`);
  assert.equal((await loginWith(server, client, 'pia', 'secret-of-pia')).json.error, 'invalid_client');
});
