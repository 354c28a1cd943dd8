// The driver gitana in a tenant, connected with the tenant's own client.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ask, call, connect, startPlatform } from './gitana_driver.mjs';

const { server, admin } = await startPlatform();

test('a tenant is made, found by its principal, entered with its default client, and deleted', async () => {
  const registrar = await call(admin, (platform) => platform.readRegistrar('default'));
  const domain = await call(admin, (platform) => platform.readPrimaryDomain());
  const user = await call(domain, (chain) => chain.createUser({ name: 'tess', password: 'secret of tess' }));
  const before = await call(registrar, (chain) => chain.listTenants());
  const tenant = await call(registrar, (chain) => chain.createTenant(user, 'unlimited'));
  const list = await call(registrar, (chain) => chain.listTenants());
  assert.equal(list.asArray().length, before.asArray().length + 1);
  const found = await call(registrar, (chain) => chain.lookupTenantForPrincipal(user));
  assert.equal(found.getId(), tenant.getId());
  assert.equal(found.getPlanKey(), 'unlimited');
  assert.equal(found.getPrincipalId(), user.getId());

  const client = await ask(tenant, (chain, answer) => chain.readDefaultAllocatedClientObject(answer));
  assert.ok(client.key && client.secret, JSON.stringify(client));
  const inside = await connect(server, { clientKey: client.key, clientSecret: client.secret,
                                         username: 'tess', password: 'secret of tess' });
  // The driver's getPlatformId() answers where the tenant's record lies.
  assert.equal(inside.getId(), tenant.platformId);
  const users = await call(inside, (platform) => platform.readPrimaryDomain().listUsers());
  assert.deepEqual(users.asArray().map(({ name }) => name).sort(), ['guest', 'tess']);

  await call(tenant, (chain) => chain.del());
  await assert.rejects(connect(server, { clientKey: client.key, clientSecret: client.secret,
                                         username: 'tess', password: 'secret of tess' }));
});

test('a plan is made, listed, queried, read by its key, updated and deleted', async () => {
  const registrar = await call(admin, (platform) => platform.readRegistrar('default'));
  const before = await call(registrar, (chain) => chain.listPlans());
  const plan = await call(registrar, (chain) => chain.createPlan({ planKey: 'driver', title: 'One' }));
  assert.equal((await call(registrar, (chain) => chain.listPlans())).asArray().length, before.asArray().length + 1);
  const queried = await call(registrar, (chain) => chain.queryPlans({ planKey: 'driver' }));
  assert.equal(queried.asArray().length, 1);
  const read = await call(registrar, (chain) => chain.readPlan('driver'));
  assert.equal(read.getId(), plan.getId());
  read.title = 'Two';
  await call(read, (chain) => chain.update());
  assert.equal((await call(registrar, (chain) => chain.readPlan('driver'))).title, 'Two');
  await call(read, (chain) => chain.del());
  await assert.rejects(call(registrar, (chain) => chain.readPlan('driver')), { status: 404 });
});
