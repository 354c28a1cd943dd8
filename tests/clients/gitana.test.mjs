// The driver gitana against the real program; expected values are those of its own published tests.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BrowserCookies } from './browser_cookies.mjs';
import { Gitana, ask, call, connect, refresh, send, settingsFor, startPlatform, withSecondTransport } from './gitana_driver.mjs';

const { server, admin, primary } = await startPlatform();
let names = 0;

const everyone = { limit: -1 };
const fresh = (what) => `${what}-${++names}`;
const title = (object) => object.title;
const keysOf = (map) => map.asArray().map((object) => object.getId());
const makeDomain = (fields = {}) => call(admin, (platform) => platform.createDomain(fields));
const makeGroup = (domain, fields = {}) =>
  call(domain, (chain) => chain.createGroup({ name: fresh('group'), ...fields }));
const makeUser = (domain, fields = {}) => {
  const name = fields.name ?? fresh('user');
  return call(domain, (chain) => chain.createUser({ name, password: `secret of ${name}`, ...fields }));
};
const connectAs = (user) =>
  connect(server, { username: user.getDomainQualifiedName(), password: `secret of ${user.getName()}` });

// Connecting.

test('connect reads who is connected, where, and the root of the platform', () => {
  const info = admin.getDriver().getAuthInfo();
  assert.equal(info.getPrincipalName(), 'admin');
  assert.equal(info.getPrincipalDomainId(), 'default');
  assert.equal(info.getClientId(), server.seed.client.key);
  assert.ok(info.getTenantId());
  assert.ok(info.getTicket());
  assert.equal(admin.getTitle(), 'Root Platform');
  assert.ok(admin.getId());
});

test('connect takes the client with an open driver, the guest, and the keys of a grant', async () => {
  const open = await connect(server, { clientSecret: null, username: 'admin', password: 'admin' });
  assert.equal(open.getDriver().getAuthInfo().getPrincipalName(), 'admin');
  const guest = await connect(server, {});
  assert.equal(guest.getDriver().getAuthInfo().getPrincipalName(), 'guest');
  const { key, secret } = server.seed.grant;
  const granted = await connect(server, { username: key, password: secret });
  const openGrant = await connect(server, { username: key });
  const { principalId } = granted.getDriver().getAuthInfo();
  assert.ok(principalId);
  assert.equal(openGrant.getDriver().getAuthInfo().principalId, principalId);
});

test('connect with wrong credentials ends with an error', async () => {
  const wrong = [
    { username: 'admin', password: 'not it' },
    { username: 'nobody at all', password: 'not it' },
    { username: 'admin', password: 'admin', clientKey: 'unknown' },
    { username: 'admin', password: 'admin', clientSecret: 'not it' },
    { username: server.seed.grant.key, password: 'not it' },
    { accessToken: 'unknown' },
    { ticket: 'unknown' },
    { cookie: true },
  ];
  for (const settings of wrong) {
    await assert.rejects(connect(server, settings),
      (error) => error.status === 400 || error.status === 401, JSON.stringify(settings));
  }
});

test('connect with an application loads it and goes on when no stack holds it', async () => {
  const application = fresh('application');
  await call(admin, (platform) => platform.createApplication({ key: application, title: 'Shop' }));
  const helper = await new Promise((resolve, reject) => {
    Gitana.connect(settingsFor(server, { username: 'admin', password: 'admin', application }), function (error) {
      if (error) reject(error);
      else resolve({ application: this.application(), stack: this.stack(), platform: this.platform() });
    });
  });
  assert.equal(helper.application.getTitle(), 'Shop');
  assert.equal(helper.stack, null);
  assert.equal(helper.platform.getTitle(), 'Root Platform');
});

test('connect with an unknown application ends with 404', async () => {
  const error = await new Promise((resolve) => {
    Gitana.connect(settingsFor(server, { username: 'admin', password: 'admin', application: 'none' }), resolve);
  });
  assert.equal(error.status, 404);
});

// Tokens and tickets.

test('three refreshes give three more access tokens, one refresh token, and keep the ticket', async () => {
  const platform = await connect(server);
  const { http } = platform.getDriver();
  const ticket = platform.getDriver().getAuthInfo().getTicket();
  const refreshToken = http.refreshToken();
  const seen = new Set([http.accessToken()]);
  for (let round = 1; round <= 3; round += 1) {
    await refresh(platform);
    seen.add(http.accessToken());
    assert.equal(seen.size, round + 1);
    assert.equal(http.refreshToken(), refreshToken);
    await call(platform, (chain) => chain.reload());
  }
  const byTicket = await connect(server, { ticket });
  assert.equal(byTicket.getDriver().getAuthInfo().getPrincipalName(), 'admin');
});

test('the driver mends an altered token, an expired one, and many calls at once on it', async () => {
  const platform = await connect(server);
  const { http } = platform.getDriver();
  http.accessToken('altered');
  assert.equal((await call(platform, (chain) => chain.readDomain('default'))).getId(), 'default');
  const mended = http.accessToken();
  assert.notEqual(mended, 'altered');
  await send(platform, 'POST', '/auth/expire');
  assert.equal((await call(platform, (chain) => chain.readDomain('default'))).getId(), 'default');
  assert.notEqual(http.accessToken(), mended);
  http.accessToken('altered again');
  const many = await Promise.all(Array.from({ length: 20 }, () => call(platform, (chain) => chain.readDomain('default'))));
  assert.deepEqual(many.map((domain) => domain.getId()), Array(20).fill('default'));
});

test('after expiring all tokens a call is refused, and credentials give a different pair', async () => {
  const user = await makeUser(primary);
  const platform = await connectAs(user);
  const { http } = platform.getDriver();
  const before = [http.accessToken(), http.refreshToken()];
  await send(platform, 'POST', '/auth/expire?all=true');
  await assert.rejects(call(platform, (chain) => chain.readDomain('default')), { status: 401 });
  const anew = await connectAs(user);
  assert.notEqual(anew.getDriver().http.accessToken(), before[0]);
  assert.notEqual(anew.getDriver().http.refreshToken(), before[1]);
});

test('a ticket alone connects, works, and brings the tokens', async () => {
  const user = await makeUser(primary);
  const first = await connectAs(user);
  const ticket = first.getDriver().getAuthInfo().getTicket();
  const second = await connect(server, { ticket });
  assert.equal(second.getDriver().getAuthInfo().getPrincipalName(), user.getName());
  const { accessToken, refreshToken } = second.getDriver().getAuthInfo();
  assert.equal(accessToken, first.getDriver().http.accessToken());
  assert.equal(refreshToken, first.getDriver().http.refreshToken());
  const self = await call(await call(second, (chain) => chain.readPrimaryDomain()), (chain) => chain.readPrincipal(user.getId()));
  assert.equal(self.getName(), user.getName());
});

test('the cookie of a login is there for scripts, ends after ticketMaxAge, and alone reconnects', async () => {
  const cookies = new BrowserCookies();
  const read = () => Gitana.readCookie('GITANA_TICKET');
  const inBrowser = (jar, work) => jar.during(() => withSecondTransport(work, (xhr) => jar.watch(xhr)));
  const credentials = { username: 'admin', password: 'admin' };
  await inBrowser(cookies, async () => {
    await connect(server, { ...credentials, ticketMaxAge: 5 });
    assert.ok(read());
    cookies.now += 4;
    assert.ok(read());
    cookies.now += 6;
    assert.equal(read(), null);
    await connect(server, credentials);
    cookies.now += 1e9;
    assert.ok(read());
    assert.equal(cookies.find('GITANA_TICKET').path, '/');
  });
  const restored = new BrowserCookies();
  restored.store(`GITANA_TICKET=${cookies.find('GITANA_TICKET').value}; Path=/`);
  await inBrowser(restored, async () => {
    const platform = await connect(server, { cookie: true });
    assert.equal(platform.getDriver().getAuthInfo().getPrincipalName(), 'admin');
    assert.ok(platform.getDriver().getAuthInfo().accessToken);
    assert.equal((await call(platform, (chain) => chain.readDomain('default'))).getId(), 'default');
  });
});

test('several users hold tokens and tickets side by side', async () => {
  const users = await Promise.all([1, 2, 3].map(() => makeUser(primary)));
  const platforms = await Promise.all(users.map(connectAs));
  const tickets = platforms.map((platform) => platform.getDriver().getAuthInfo().getTicket());
  assert.equal(new Set(tickets).size, 3);
  const again = await Promise.all(tickets.map((ticket) => connect(server, { ticket })));
  assert.deepEqual(again.map((platform) => platform.getDriver().getAuthInfo().getPrincipalName()),
    users.map((user) => user.getName()));
});

// The platform.

test('the root tells its counts, its twenty contained types, and keeps custom fields', async () => {
  const info = await ask(admin, (platform, answer) => platform.loadInfo(answer));
  assert.ok(info.datastore_counts.domain > 0);
  const types = await ask(admin.getCluster(), (cluster, answer) => cluster.loadContainedTypes('platform', answer));
  assert.equal(types.length, 20);
  const color = fresh('color');
  await call(admin, (platform) => { platform.color = color; return platform.update(); });
  const again = await call(admin, (platform) => platform.reload());
  assert.equal(again.color, color);
  assert.equal(again.getTitle(), 'Root Platform');
});

test('a collaborator of the platform creates and lists, a consumer may not create', async () => {
  const [collaborator, consumer] = [await makeUser(primary), await makeUser(primary)];
  await call(admin, (platform) => platform.grantAuthority(collaborator, 'collaborator'));
  await call(admin, (platform) => platform.grantAuthority(consumer, 'consumer'));
  await call(admin, (platform) => platform.revokeAuthority(Gitana.EVERYONE, 'connector'));
  try {
    const first = await connectAs(collaborator);
    const domain = await call(first, (platform) => platform.createDomain({ title: fresh('domain') }));
    const config = await call(first, (platform) => platform.createUIConfig({ title: fresh('config') }));
    assert.ok(keysOf(await call(first, (platform) => platform.listDomains(everyone))).includes(domain.getId()));
    assert.ok(keysOf(await call(first, (platform) => platform.listUIConfigs(everyone))).includes(config.getId()));
    const second = await connectAs(consumer);
    await assert.rejects(call(second, (platform) => platform.createDomain({})), { status: 403 });
    await assert.rejects(call(second, (platform) => platform.createUIConfig({})), { status: 403 });
  } finally {
    await call(admin, (platform) => platform.grantAuthority(Gitana.EVERYONE, 'connector'));
  }
});

test('the access list of the platform grows by two grants and is back after two revokes', async () => {
  const count = async () => (await ask(admin, (platform, answer) => platform.loadACL(answer))).rows.length;
  const users = [await makeUser(primary), await makeUser(primary)];
  const start = await count();
  assert.ok(start >= 1);
  await call(admin, (platform) => platform.grantAuthority(users[0], 'consumer'));
  assert.equal(await count(), start + 1);
  await call(admin, (platform) => platform.grantAuthority(users[1], 'consumer'));
  assert.equal(await count(), start + 2);
  const { rows } = await ask(admin, (platform, answer) => platform.loadACL(answer));
  const row = rows.find((one) => one._doc === users[1].getId());
  assert.equal(row.name, users[1].getName());
  assert.equal(row.type, 'USER');
  assert.deepEqual(row.authorities, ['consumer']);
  await call(admin, (platform) => platform.revokeAuthority(users[0], 'consumer'));
  assert.equal(await count(), start + 1);
  await call(admin, (platform) => platform.revokeAllAuthorities(users[1]));
  assert.equal(await count(), start);
});

// Rights.

const permissions = ['read', 'update', 'delete'];
const held = { manager: permissions, editor: permissions, consumer: ['read'] };

test('nine single checks on a domain follow the roles granted on it', async () => {
  const domain = await makeDomain();
  const others = await makeDomain();
  const grants = ['manager', 'consumer', undefined];
  for (const role of grants) {
    const user = await makeUser(primary);
    if (role) await call(domain, (chain) => chain.grantAuthority(user, role));
    for (const permission of permissions) {
      const check = (store) => ask(store, (chain, answer) => chain.checkPermission(user, permission, answer));
      assert.equal(await check(domain), (held[role] ?? []).includes(permission), `${role} ${permission}`);
      assert.equal(await check(others), false);
    }
  }
});

for (const [what, make, check] of [
  ['domains', () => makeDomain(), 'checkDomainPermissions'],
  ['ui configs', () => call(admin, (platform) => platform.createUIConfig({})), 'checkUIConfigPermissions'],
  ['access policies', () => call(admin, (platform) => platform.createAccessPolicy({})), undefined],
]) {
  test(`27 bulk permission checks on three ${what} follow the roles granted on them`, async () => {
    const records = await Promise.all([make(), make(), make()]);
    const users = await Promise.all([1, 2, 3].map(() => makeUser(primary)));
    const roles = [['manager', 'consumer', undefined], [undefined, undefined, 'editor'], [undefined, undefined, undefined]];
    const checks = [];
    const expected = [];
    for (const [at, record] of records.entries()) {
      for (const [by, user] of users.entries()) {
        const role = roles[at][by];
        if (role) await call(record, (chain) => chain.grantAuthority(user, role.toUpperCase()));
        for (const permissionId of permissions) {
          checks.push({ permissionedId: record.getId(), principalId: user.getDomainQualifiedId(), permissionId });
          expected.push((held[role] ?? []).includes(permissionId));
        }
      }
    }
    const results = check
      ? await ask(admin, (platform, answer) => platform[check](checks, answer))
      : (await send(admin, 'POST', '/access/policies/permissions/check', { checks })).results;
    assert.equal(results.length, 27);
    assert.deepEqual(results.map((one) => one.result), expected);
    assert.deepEqual(results.map(({ result, ...asked }) => asked), checks);
  });
}

test('bulk authority checks tell a collaborator on exactly three of five domains', async () => {
  const user = await makeUser(primary);
  const domains = await Promise.all([1, 2, 3, 4, 5].map(() => makeDomain()));
  for (const domain of domains.slice(0, 3)) await call(domain, (chain) => chain.grantAuthority(user, 'COLLABORATOR'));
  const checks = domains.map((domain) =>
    ({ permissionedId: domain.getId(), principalId: user.getDomainQualifiedId(), authorityId: 'COLLABORATOR' }));
  const results = await ask(admin, (platform, answer) => platform.checkDomainAuthorities(checks, answer));
  assert.deepEqual(results.map((one) => one.result), [true, true, true, false, false]);
});

test('grants are listed, checked, reported and taken away', async () => {
  const user = await makeUser(primary);
  const domain = await makeDomain();
  const authorities = () => ask(domain, (chain, answer) => chain.listAuthorities(user, answer));
  const isEditor = () => ask(domain, (chain, answer) => chain.checkAuthority(user, 'editor', answer));
  assert.deepEqual(await authorities(), []);
  assert.equal(await isEditor(), false);
  await call(domain, (chain) => chain.grantAuthority(user, 'editor'));
  await call(domain, (chain) => chain.grantAuthority(user, 'EDITOR'));
  assert.deepEqual(await authorities(), ['editor']);
  assert.equal(await isEditor(), true);
  const id = user.getDomainQualifiedId();
  const report = await ask(domain, (chain, answer) => chain.loadAuthorityGrants([id], answer));
  for (const key of [id, user.getId()]) {
    assert.deepEqual(Object.values(report[key]).map((grant) => grant['role-key']), ['editor']);
  }
  const platform = await connectAs(user);
  const seen = await call(platform, (chain) => chain.readDomain(domain.getId()));
  assert.equal(seen.getId(), domain.getId());
  await call(domain, (chain) => chain.revokeAuthority(user, 'editor'));
  assert.deepEqual(await authorities(), []);
  await assert.rejects(call(platform, (chain) => chain.readDomain(domain.getId())), { status: 404 });
});

test('the creator of a domain holds connector and owner and may update it', async () => {
  const domain = await makeDomain();
  const principalId = admin.getDriver().getAuthInfo().getPrincipalDomainId() + '/' + admin.getDriver().getAuthInfo().getPrincipalId();
  const permissioned = domain.ref();
  const [found] = await ask(admin, (platform, answer) => platform.accessLookups([{ permissioned, principalId }], answer));
  assert.ok(found.authorities.length > 0);
  assert.ok(found.permissions.length > 0);
  const checks = await ask(admin, (platform, answer) => platform.accessChecks([
    { permissioned, principalId, authorityId: 'connector' },
    { permissioned, principalId, authorityId: 'owner' },
    { permissioned, principalId, permissionId: 'UPDATE' },
  ], answer));
  assert.deepEqual(checks.map((one) => one.hasAuthority ?? one.hasPermission), [true, true, true]);
  const [read] = await ask(admin, (platform, answer) => platform.referenceReads([{ ref: permissioned }], answer));
  assert.equal(read.entry._doc, domain.getId());
});

test('a user reads and updates itself, hides from others, and yields to the managers of it', async () => {
  const [user, other, manager] = [await makeUser(primary), await makeUser(primary), await makeUser(primary)];
  const readBy = async (reader) => call(await call(await connectAs(reader), (chain) => chain.readPrimaryDomain()),
    (chain) => chain.readPrincipal(user.getId()));
  const change = async (by, companyName) => {
    const record = await readBy(by);
    record.companyName = companyName;
    return call(record, (chain) => chain.update());
  };
  assert.equal((await readBy(other)).getName(), user.getName());
  await assert.rejects(change(other, 'Intruders'), { status: 403 });
  await call(user, (chain) => chain.revokeAllAuthorities(Gitana.EVERYONE));
  await assert.rejects(readBy(other), { status: 404 });
  assert.equal((await change(user, 'Own')).companyName, 'Own');
  const group = await makeGroup(primary);
  await call(group, (chain) => chain.addMember(manager));
  await call(user, (chain) => chain.grantAuthority(group, 'manager'));
  assert.equal((await change(manager, 'Managed')).companyName, 'Managed');
});

// Domains, users and groups.

test('domains are created, read, updated, queried, paged, sorted and deleted', async () => {
  const family = fresh('family');
  const domains = [];
  for (const name of ['c', 'a', 'e', 'b', 'd']) domains.push(await makeDomain({ title: name, family }));
  const query = (pagination, more = {}) => call(admin, (platform) => platform.queryDomains({ family, ...more }, pagination));
  assert.deepEqual((await query({ sort: { title: 1 } })).asArray().map(title), ['a', 'b', 'c', 'd', 'e']);
  assert.deepEqual((await query({ sort: { title: -1 } })).asArray().map(title), ['e', 'd', 'c', 'b', 'a']);
  const page = await query({ sort: { title: 1 }, skip: 1, limit: 2 });
  assert.deepEqual(page.asArray().map(title), ['b', 'c']);
  assert.equal(page.totalRows(), 5);
  assert.equal(page.size(), 2);
  assert.equal(page.offset(), 1);
  const pages = [await query({ skip: 0, limit: 3 }), await query({ skip: 3, limit: 3 })].flatMap(keysOf);
  assert.deepEqual(pages, domains.map((domain) => domain.getId()));
  assert.equal((await query({}, { title: 'a' })).size(), 1);
  const changed = await call(domains[0], (domain) => { domain.title = 'z'; domain.nested = { deep: [1, 2] }; return domain.update(); });
  assert.equal(changed.getTitle(), 'z');
  assert.equal((await query({}, { 'nested.deep': 2 })).size(), 1);
  const read = await call(admin, (platform) => platform.readDomain(domains[0].getId()));
  assert.deepEqual(read.nested, { deep: [1, 2] });
  await call(domains[0], (domain) => domain.del());
  await assert.rejects(call(admin, (platform) => platform.readDomain(domains[0].getId())), { status: 404 });
  assert.equal((await query()).totalRows(), 4);
});

test('the first of all domains has users', async () => {
  const domains = await call(admin, (platform) => platform.queryDomains());
  assert.ok(domains.size() >= 1);
  assert.ok((await call(domains.asArray()[0], (domain) => domain.listPrincipals())).size() >= 1);
});

test('two successive reads of a record are equal', async () => {
  const user = await makeUser(primary, { settings: { b: 1, a: [true, null] } });
  const read = () => send(admin, 'GET', `/domains/default/principals/${user.getId()}`);
  assert.deepEqual(await read(), await read());
});

test('a group keeps title, description and a custom field through update and reload', async () => {
  const domain = await makeDomain();
  const before = (await call(domain, (chain) => chain.listGroups())).size();
  const group = await makeGroup(domain);
  assert.equal((await call(domain, (chain) => chain.listGroups())).size(), before + 1);
  const fields = { title: 'A title', description: 'A description', custom: 'A field' };
  await call(group, (chain) => { Object.assign(chain, fields); return chain.update(); });
  const again = await call(group, (chain) => chain.reload());
  for (const [name, value] of Object.entries(fields)) assert.equal(again[name], value);
  const user = await makeUser(domain);
  await call(user, (chain) => { Object.assign(chain, fields); return chain.update(); });
  const reloaded = await call(domain, (chain) => chain.readPrincipal(user.getName()));
  for (const [name, value] of Object.entries(fields)) assert.equal(reloaded[name], value);
  await call(group, (chain) => chain.del());
  assert.equal((await call(domain, (chain) => chain.listGroups())).size(), before);
});

test('members are listed as users and as groups', async () => {
  const domain = await makeDomain();
  const users = [];
  for (let count = 0; count < 5; count += 1) users.push(await makeUser(domain));
  const groups = [await makeGroup(domain), await makeGroup(domain), await makeGroup(domain)];
  const add = (group, member) => call(group, (chain) => chain.addMember(member));
  const counts = async (group) => [(await call(group, (chain) => chain.listUsers())).size(),
                                   (await call(group, (chain) => chain.listGroups())).size()];
  await add(groups[0], users[0]);
  await add(groups[0], users[1]);
  await add(groups[1], groups[0]);
  await add(groups[1], users[2]);
  for (const user of users.slice(2)) await add(groups[2], user);
  assert.deepEqual(await counts(groups[0]), [2, 0]);
  assert.deepEqual(await counts(groups[1]), [1, 1]);
  assert.deepEqual(await counts(groups[2]), [3, 0]);
  await call(groups[2], (chain) => chain.removeMember(users[4]));
  assert.deepEqual(await counts(groups[2]), [2, 0]);
  const inherited = await call(groups[1], (chain) => chain.listUsers(true));
  assert.deepEqual(keysOf(inherited).sort(), users.slice(0, 3).map((user) => user.getId()).sort());
  const viaDomain = await call(domain, (chain) => chain.listMembers(groups[1], 'group'));
  assert.deepEqual(keysOf(viaDomain), [groups[0].getId()]);
  const results = await ask(domain, (chain, answer) => chain.checkGroupMemberships([
    { groupId: groups[1].getId(), principalId: users[0].getId(), indirect: true },
    { groupId: groups[1].getId(), principalId: users[0].getId(), indirect: false },
    { groupId: groups[2].getId(), principalId: users[0].getId(), indirect: true },
  ], answer));
  assert.deepEqual(results.map((one) => one.result), [true, false, false]);
});

test('memberships are direct or through groups of groups, and paged', async () => {
  const domain = await makeDomain();
  const user = await makeUser(domain);
  const [first, second, third] = [await makeGroup(domain), await makeGroup(domain), await makeGroup(domain)];
  const memberships = (indirect, pagination) => call(user, (chain) => chain.listMemberships(indirect, pagination));
  await call(third, (chain) => chain.addMember(user));
  await call(second, (chain) => chain.addMember(third));
  assert.deepEqual(keysOf(await memberships(false)), [third.getId()]);
  assert.equal((await memberships(true)).size(), 2);
  await call(first, (chain) => chain.addMember(second));
  assert.equal((await memberships(true, { limit: 1 })).size(), 1);
  assert.equal((await memberships(true, { limit: 4 })).size(), 3);
  assert.equal((await memberships(true, { skip: 2, limit: 2 })).size(), 1);
  assert.equal((await memberships(true, { limit: 1 })).totalRows(), 3);
});

test('the groups of a user come with it on request, direct and indirect', async () => {
  const domain = await makeDomain();
  const groups = [];
  for (let count = 0; count < 4; count += 1) groups.push(await makeGroup(domain));
  const user = await makeUser(domain);
  for (const group of groups.slice(0, 3)) await call(group, (chain) => chain.addMember(user));
  await call(groups[3], (chain) => chain.addMember(groups[2]));
  const read = async (which) => (await call(domain, (chain) => chain.readPrincipal(user.getId(), which && { groups: which })))._groups;
  assert.equal(Object.keys(await read('direct')).length, 3);
  assert.equal(Object.keys(await read('indirect')).length, 4);
  assert.equal(await read(), undefined);
  const rows = await call(domain, (chain) => chain.queryPrincipals({ type: 'USER' }, null, { groups: 'direct' }));
  assert.equal(Object.keys(rows.asArray()[0]._groups).length, 3);
});

test('groups named on create have the new user as their member', async () => {
  const domain = await makeDomain();
  const groups = [await makeGroup(domain), await makeGroup(domain), await makeGroup(domain)];
  const named = [groups[0].getName(), groups[1].getId(), groups[2].getDomainQualifiedId()];
  const user = await makeUser(domain, { groups: named });
  for (const group of groups) {
    assert.deepEqual(keysOf(await call(group, (chain) => chain.listUsers())), [user.getId()]);
  }
});

test('five users come in the order of their titles', async () => {
  const domain = await makeDomain();
  for (const name of ['bravo', 'echo', 'alpha', 'delta', 'charlie']) await makeUser(domain, { title: name });
  const users = await call(domain, (chain) => chain.listUsers({ sort: { title: 1 } }));
  assert.deepEqual(users.asArray().map(title), ['alpha', 'bravo', 'charlie', 'delta', 'echo']);
});

test('users and groups are queried by two fields', async () => {
  const domain = await makeDomain();
  for (const [make, query] of [[makeUser, 'queryUsers'], [makeGroup, 'queryGroups']]) {
    for (const town of ['Aachen', 'Bremen', 'Celle']) await make(domain, { country: 'DE', town });
    await make(domain, { country: 'FR', town: 'Celle' });
    const count = async (fields) => (await call(domain, (chain) => chain[query](fields))).size();
    assert.equal(await count({ country: 'DE' }), 3);
    assert.equal(await count({ country: 'DE', town: 'Celle' }), 1);
  }
});

test('a group holds members of three domains and lets one go', async () => {
  const domains = await Promise.all([makeDomain(), makeDomain(), makeDomain()]);
  const group = await makeGroup(domains[0]);
  const users = await Promise.all(domains.map((domain) => makeUser(domain)));
  for (const user of users) await call(group, (chain) => chain.addMember(user));
  assert.equal((await call(group, (chain) => chain.listUsers())).size(), 3);
  await call(group, (chain) => chain.removeMember(users[2].getDomainQualifiedId()));
  assert.equal((await call(group, (chain) => chain.listUsers())).size(), 2);
});

test('a password changed through the identity holds at once', async () => {
  const user = await makeUser(primary);
  await connectAs(user);
  await call(user, (chain) => chain.readIdentity().changePassword('a new one', 'a new one'));
  await assert.rejects(connectAs(user));
  const platform = await connect(server, { username: user.getName(), password: 'a new one' });
  assert.equal(platform.getDriver().getAuthInfo().getPrincipalName(), user.getName());
  await assert.rejects(call(user, (chain) => chain.readIdentity().changePassword('one', 'another')), { status: 400 });
});

test('a disabled user cannot log in until it is enabled', async () => {
  const user = await makeUser(primary);
  const set = (enabled) => call(user, (chain) => { chain.enabled = enabled; return chain.update(); });
  await set(false);
  await assert.rejects(connectAs(user));
  await set(true);
  assert.equal((await connectAs(user)).getDriver().getAuthInfo().getPrincipalName(), user.getName());
});

test('a name is taken once in a domain, and a password never comes back', async () => {
  const domain = await makeDomain();
  const user = await makeUser(domain);
  assert.equal((await call(domain, (chain) => chain.readPrincipal(user.getId()))).password, undefined);
  await assert.rejects(makeUser(domain, { name: user.getName() }), { status: 409 });
  assert.ok(await makeUser(await makeDomain(), { name: user.getName() }));
});

// Families beside identity.

test('ui configs are four more in all and three of a project', async () => {
  const projectId = fresh('project');
  const total = async () => (await call(admin, (platform) => platform.listUIConfigs(everyone))).totalRows();
  const ofProject = (pagination) => call(admin, (platform) => platform.queryUIConfigs({ projectId }, pagination));
  const before = await total();
  const made = [];
  for (const key of ['b', 'c', 'a']) {
    made.push(await call(admin, (platform) => platform.createUIConfig({ key, projectId, config: { pages: [key] } })));
  }
  await call(admin, (platform) => platform.createUIConfig());
  assert.equal(await total(), before + 4);
  assert.equal((await ofProject()).size(), 3);
  assert.deepEqual((await ofProject({ sort: { key: 1 }, limit: 2 })).asArray().map((one) => one.key), ['a', 'b']);
  const changed = await call(made[0], (config) => { config.config = { pages: ['x', 'y'] }; return config.update(); });
  assert.deepEqual(changed.config, { pages: ['x', 'y'] });
  assert.equal((await call(admin, (platform) => platform.queryUIConfigs({ 'config.pages': 'y', projectId }))).size(), 1);
  await call(made[0], (config) => config.del());
  assert.equal((await ofProject()).size(), 2);
  await assert.rejects(call(admin, (platform) => platform.readUIConfig(made[0].getId())), { status: 404 });
});

test('access policies are listed 3, queried 1, and 2 after a delete', async () => {
  const list = async () => (await call(admin, (platform) => platform.listAccessPolicies())).size();
  for (const policy of (await call(admin, (platform) => platform.listAccessPolicies())).asArray()) await call(policy, (chain) => chain.del());
  const policies = [];
  for (const name of ['one', 'two', 'three']) {
    policies.push(await call(admin, (platform) => platform.createAccessPolicy({ title: name, order: 100000,
      statements: [{ action: 'grant', roles: ['consumer'], conditions: [] }] })));
  }
  assert.equal(await list(), 3);
  assert.equal(policies[0].order, 100000);
  assert.equal((await call(admin, (platform) => platform.queryAccessPolicies({ title: 'two' }))).size(), 1);
  const changed = await call(policies[1], (policy) => { policy.title = 'second'; return policy.update(); });
  assert.equal(changed.getTitle(), 'second');
  await call(policies[0], (policy) => policy.del());
  assert.equal(await list(), 2);
});

test('access policies of a user are found 2, 1 and 0, by a reference in any case', async () => {
  const user = await makeUser(primary);
  const ref = user.ref();
  const policies = [await call(admin, (platform) => platform.createAccessPolicy({ title: fresh('policy') })),
                    await call(admin, (platform) => platform.createAccessPolicy({ title: fresh('policy') }))];
  const found = async () => (await call(admin, (platform) => platform.findAccessPolicies(ref))).size();
  for (const policy of policies) {
    await call(admin, (platform) => platform.assignAccessPolicy(policy.getId(), ref.toLowerCase()));
    await call(admin, (platform) => platform.assignAccessPolicy(policy.getId(), ref));
  }
  assert.equal(await found(), 2);
  const targets = await ask(admin, (platform, answer) => platform.loadAccessPolicyTargets(policies[0].getId(), {}, answer));
  assert.deepEqual(targets.rows.map((target) => target.toLowerCase()), [ref.toLowerCase()]);
  await call(admin, (platform) => platform.unassignAccessPolicy(policies[0].getId(), ref));
  assert.equal(await found(), 1);
  await call(admin, (platform) => platform.unassignAllAccessPolicies(ref));
  assert.equal(await found(), 0);
});

test('an assigned access policy opens what its conditions name, until it is unassigned', async () => {
  const user = await makeUser(primary);
  const config = await call(admin, (platform) => platform.createUIConfig({ title: fresh('config') }));
  const platform = await connectAs(user);
  const read = () => call(platform, (chain) => chain.readUIConfig(config.getId()));
  await assert.rejects(read(), { status: 404 });
  const policy = await call(admin, (chain) => chain.createAccessPolicy({ title: fresh('policy'), order: 1,
    statements: [{ action: 'grant', roles: ['consumer'],
                   conditions: [{ type: 'reference-matches', config: { reference: '^uiconfig://.*' } }] }] }));
  await call(admin, (chain) => chain.assignAccessPolicy(policy.getId(), user.ref()));
  assert.equal((await read()).getId(), config.getId());
  await call(admin, (chain) => chain.unassignAccessPolicy(policy.getId(), user.ref()));
  await assert.rejects(read(), { status: 404 });
});

test('clients are found by what they allow and log in with their generated secret', async () => {
  const client = await call(admin, (platform) => platform.createClient({ title: fresh('client') }));
  assert.ok(client.key && client.secret);
  const allowing = await call(admin, (platform) => platform.queryClients({ authorizedGrantTypes: 'password' }, everyone));
  assert.ok(keysOf(allowing).includes(client.getId()));
  const credentials = { username: 'admin', password: 'admin', clientKey: client.key, clientSecret: client.secret };
  const platform = await connect(server, credentials);
  assert.equal(platform.getDriver().getAuthInfo().getClientId(), client.key);
  await assert.rejects(connect(server, { ...credentials, clientSecret: '' }));
  await call(client, (chain) => { chain.enabled = false; return chain.update(); });
  await assert.rejects(connect(server, credentials));
});

test('an authentication grant logs in as its user, openly when it allows that', async () => {
  const user = await makeUser(primary);
  const makeGrant = (principalId) => call(admin, (platform) => platform.createAuthenticationGrant({ principalId,
    principalDomainId: 'default', clientId: server.seed.client.key, enabled: true, allowOpenDriverAuthentication: true }));
  const byName = await makeGrant(user.getName());
  assert.equal((await connect(server, { username: byName.key })).getDriver().getAuthInfo().getPrincipalName(), user.getName());
  const made = await makeGrant(user.getId());
  assert.ok(made.key && made.secret);
  for (const settings of [{ username: made.key, password: made.secret }, { username: made.key }]) {
    const platform = await connect(server, settings);
    assert.equal(platform.getDriver().getAuthInfo().getPrincipalName(), user.getName());
  }
  const ofUser = await call(user, (chain) => chain.listAuthenticationGrants());
  assert.ok(keysOf(ofUser).includes(made.getId()));
  await call(made, (chain) => { chain.allowOpenDriverAuthentication = false; return chain.update(); });
  await assert.rejects(connect(server, { username: made.key }));
  await call(made, (chain) => chain.del());
  await assert.rejects(connect(server, { username: made.key, password: made.secret }));
});

// Failures.

test('an unknown record is 404 with a message and, where the transport tells it, a status text', async () => {
  const reads = [(platform) => platform.readDomain('unknown'), (platform) => platform.readUIConfig('unknown'),
                 (platform) => platform.readAccessPolicy('unknown'), (platform) => platform.readClient('unknown'),
                 (platform) => platform.readRepository('unknown')];
  for (const read of reads) {
    await assert.rejects(call(admin, read), (error) => error.status === 404 && error.message.length > 0);
    await withSecondTransport(() => assert.rejects(call(admin, read),
      (error) => error.status === 404 && error.statusText.length > 0 && error.message.length > 0));
  }
});

test('a refused change is 403 and costs the caller neither token nor record', async () => {
  const user = await makeUser(primary);
  const platform = await connectAs(user);
  assert.equal(platform.getTitle(), 'Root Platform');
  const token = platform.getDriver().http.accessToken();
  for (const work of [(chain) => chain.createDomain({}), (chain) => chain.createUIConfig({}),
                      (chain) => chain.createAccessPolicy({}), (chain) => chain.grantAuthority(user, 'owner')]) {
    await assert.rejects(call(platform, work), (error) => error.status === 403 && error.message.length > 0);
  }
  assert.equal(platform.getDriver().http.accessToken(), token);
});

test('a query that cannot be understood is 400 and says why', async () => {
  await assert.rejects(call(admin, (platform) => platform.queryDomains({ title: { $nonsense: 1 } })),
    (error) => error.status === 400 && error.message.length > 0);
});

test('two hundred calls at once through one driver all get their own answers', async () => {
  const domain = await makeDomain();
  const wanted = Array.from({ length: 200 }, (_, at) => `parallel-${at}`);
  const users = await Promise.all(wanted.map((name) => call(domain, (chain) => chain.createUser({ name, title: name }))));
  assert.deepEqual(users.map((user) => user.getName()), wanted);
  const read = await Promise.all(users.map((user) => call(domain, (chain) => chain.readPrincipal(user.getId()))));
  assert.deepEqual(read.map(title), wanted);
  assert.equal((await call(domain, (chain) => chain.listUsers(everyone))).totalRows(), 200);
});
