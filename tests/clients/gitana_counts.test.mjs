// What the driver gitana's own published tests count about teams, tenants, stores and projects.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ask, call, connect, startPlatform } from './gitana_driver.mjs';

const { server, admin, primary } = await startPlatform();
let names = 0;

const fresh = (what) => `${what}-${++names}`;
const makeUser = (password = 'of the user') =>
  call(primary, (domain) => domain.createUser({ name: fresh('user'), password }));

/// A tenant of a new user, and the driver inside it.
async function makeTenant() {
  const user = await makeUser();
  const registrar = await call(admin, (platform) => platform.readRegistrar('default'));
  const tenant = await call(registrar, (chain) => chain.createTenant(user, 'unlimited'));
  const client = await ask(tenant, (chain, answer) => chain.readDefaultAllocatedClientObject(answer));
  const inside = await connect(server, { clientKey: client.key, clientSecret: client.secret,
                                         username: user.getName(), password: 'of the user' });
  return { user, registrar, tenant, inside };
}

test('the owners of a store are one, three and two, and its teams two and one', async () => {
  const domain = await call(admin, (platform) => platform.createDomain({}));
  const members = async () => (await call(domain, (chain) => chain.readOwnersTeam().listMembers())).size();
  assert.equal(await members(), 1);
  const users = [await makeUser(), await makeUser()];
  for (const user of users) await call(domain, (chain) => chain.readOwnersTeam().addMember(user));
  assert.equal(await members(), 3);
  await call(domain, (chain) => chain.readOwnersTeam().removeMember(users[0]));
  assert.equal(await members(), 2);
  await call(domain, (chain) => chain.createTeam('helpers'));
  assert.equal((await call(domain, (chain) => chain.listTeams())).size(), 2);
  await call(domain, (chain) => chain.readTeam('helpers').del());
  assert.equal((await call(domain, (chain) => chain.listTeams())).size(), 1);
});

test('a user is in six teams more after six joins, and in five after one leave', async () => {
  const user = await makeUser();
  const stack = await call(admin, (platform) => platform.createStack({}));
  const teams = async () => (await call(user, (chain) => chain.listTeamMemberships(stack, { limit: -1 }))).size();
  const start = await teams();
  const keys = Array.from({ length: 6 }, () => fresh('team'));
  for (const key of keys) {
    const team = await call(stack, (chain) => chain.createTeam(key));
    await call(team, (chain) => chain.addMember(user));
  }
  assert.equal(await teams(), start + 6);
  await call(stack, (chain) => chain.readTeam(keys[2]).removeMember(user));
  assert.equal(await teams(), start + 5);
});

test('an identity is two users and is in one tenant, in which its user is found', async () => {
  const { user, registrar, tenant } = await makeTenant();
  const identity = await call(admin, (platform) =>
    platform.readDirectory(user.directoryId).readIdentity(user.identityId));
  const users = await call(identity, (chain) => chain.findPolicyUsers());
  assert.equal(users.size(), 2);
  const tenants = await call(identity, (chain) => chain.findPolicyTenants());
  assert.deepEqual(tenants.asArray().map((one) => one.getId()), [tenant.getId()]);
  // With a registrar, the tenant that stands for the first platform counts, too.
  assert.equal((await call(identity, (chain) => chain.findPolicyTenants(registrar.getId()))).size(), 2);
  const inside = await call(identity, (chain) => chain.findPolicyUserForTenant(tenant.getId()));
  assert.equal(inside.get('identityId'), user.identityId);
  assert.notEqual(inside.getId(), user.getId());
});

test('a new tenant has a meter of each type', async () => {
  const { registrar, tenant } = await makeTenant();
  const meters = await call(registrar, (chain) => chain.queryMeters({ tenantId: tenant.getId() }));
  assert.deepEqual(meters.asArray().map((one) => one.get('meterType')).sort(), ['STORAGE', 'TRANSFER_OUT']);
});

test('policies, reports and billing configurations of a new tenant are three, fewer by a query', async () => {
  const { inside } = await makeTenant();
  const policies = [];
  for (const title of ['one', 'two', 'three']) {
    policies.push(await call(inside, (platform) => platform.createAccessPolicy({ title, order: 0,
      statements: [{ action: 'grant', roles: ['consumer'], conditions: [] }] })));
  }
  const listed = async () => (await call(inside, (platform) => platform.listAccessPolicies())).size();
  assert.equal(await listed(), 3);
  assert.equal((await call(inside, (platform) => platform.queryAccessPolicies({ title: 'two' }))).size(), 1);
  await call(policies[0], (chain) => chain.del());
  assert.equal(await listed(), 2);
  for (const abc of ['x', 'x', 'y']) {
    await call(inside, (platform) => platform.createReport({ abc }));
    await call(inside, (platform) => platform.createBillingProviderConfiguration('provider', { abc }));
  }
  assert.equal((await call(inside, (platform) => platform.listReports())).size(), 3);
  assert.equal((await call(inside, (platform) => platform.queryReports({ abc: 'x' }))).size(), 2);
  assert.equal((await call(inside, (platform) => platform.listBillingProviderConfigurations())).size(), 3);
  assert.equal((await call(inside, (platform) => platform.queryBillingProviderConfigurations({ abc: 'x' }))).size(), 2);
});

test('a removed project takes two of its three UI configs along, as one went before', async () => {
  const count = async () => (await call(admin, (platform) => platform.listUIConfigs({ limit: -1 }))).size();
  const start = await count();
  const project = await call(admin, (platform) => platform.createProject({ title: fresh('project') }));
  const configs = [];
  for (let i = 0; i < 3; ++i) {
    configs.push(await call(admin, (platform) => platform.createUIConfig({ projectId: project.getId() })));
  }
  await call(admin, (platform) => platform.createUIConfig({}));
  assert.equal(await count(), start + 4);
  assert.equal((await call(admin, (platform) => platform.queryUIConfigs({ projectId: project.getId() }))).size(), 3);
  await call(configs[0], (chain) => chain.del());
  await call(project, (chain) => chain.del());
  assert.equal(await count(), start + 1);
});
