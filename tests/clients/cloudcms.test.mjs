// The driver cloudcms, with each of its engines, against the real program.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { SteleServer } from '../support/stele_server.mjs';
import { CloudCMS, configFor, connectWith, engines, told } from './cloudcms_driver.mjs';

let server;
let names = 0;
before(async () => { server = await SteleServer.start(); });
after(() => server.end());

const fresh = (what) => `${what}-${++names}`;
const titles = (result) => result.rows.map((row) => row.title);
const ids = (rows) => rows.map((row) => row._doc);
const refused = (...statuses) => (error) => {
  const { status, body } = told(error);
  assert.ok(statuses.includes(status), `${status}: ${error.message}`);
  assert.ok(body.error, 'the reply has an error');
  assert.equal(typeof body.message, 'string');
  assert.equal(body.ok, false);
  assert.equal(body.status, status);
  return true;
};

for (const engine of engines) {
  const connect = (more) => connectWith(engine, configFor(server, more));
  const withEngine = (name, work) => test(`${engine[0]}: ${name}`, async () => work(await connect()));
  const makeUser = async (session, domain = 'default', fields = {}) => {
    const name = fields.name ?? fresh('user');
    const made = await session.createPrincipal(domain, { type: 'USER', name, password: `secret of ${name}`, ...fields });
    return session.readPrincipal(domain, made._doc);
  };
  const makeGroup = async (session, domain, fields = {}) => {
    const made = await session.createPrincipal(domain, { type: 'GROUP', name: fresh('group'), ...fields });
    return session.readPrincipal(domain, made._doc);
  };
  const connectAs = (user) => connect({ username: user.domainQualifiedName, password: `secret of ${user.name}` });

  // Connecting and tokens.

  withEngine('connect reads the platform, its id, and who is connected', async (session) => {
    const platform = await session.readPlatform();
    assert.equal(platform.title, 'Root Platform');
    assert.equal(platform.ok, undefined);
    const info = await session.readAuthInfo();
    assert.equal(info.principalName, 'admin');
    assert.equal(info.principalDomainId, 'default');
    assert.equal(info.clientId, server.seed.client.key);
    assert.equal(await session.getPlatformId(), platform._doc);
    assert.equal(await session.buildPlatformReference(), `platform://${platform._doc}`);
  });

  test(`${engine[0]}: connect and calls take callbacks as well`, async () => {
    const session = await new Promise((resolve, reject) => {
      connectWith(engine, configFor(server), (error, made) => (error ? reject(error) : resolve(made)));
    });
    const domain = await new Promise((resolve, reject) => {
      session.readDomain('default', (error, read) => (error ? reject(error) : resolve(read)));
    });
    assert.equal(domain._doc, 'default');
  });

  test(`${engine[0]}: connect with wrong credentials ends with an error`, async () => {
    const wrong = [{ password: 'not it' }, { username: 'nobody at all' }, { clientKey: 'unknown' },
                   { clientSecret: 'not it' }, { username: server.seed.grant.key, password: 'not it' }];
    for (const more of wrong) {
      await assert.rejects(connect(more), (error) => {
        const { status, body } = told(error);
        assert.ok(status === 400 || status === 401, JSON.stringify(more));
        assert.ok(['invalid_grant', 'invalid_client'].includes(body.error));
        assert.ok(body.error_description);
        return true;
      });
    }
  });

  test(`${engine[0]}: the guest and an authentication grant connect`, async () => {
    const guest = await connect({ username: 'guest', password: 'guest' });
    assert.equal((await guest.readAuthInfo()).principalName, 'guest');
    const { key, secret } = server.seed.grant;
    const granted = await connect({ username: key, password: secret });
    assert.ok((await granted.readAuthInfo()).principalId);
  });

  withEngine('three refreshes give three more access tokens and keep the refresh token', async (session) => {
    const { refreshToken } = session.engine.credentials;
    const seen = new Set([session.engine.credentials.accessToken]);
    for (let round = 1; round <= 3; round += 1) {
      await session.refresh();
      seen.add(session.engine.credentials.accessToken);
      assert.equal(seen.size, round + 1);
      assert.equal(session.engine.credentials.refreshToken, refreshToken);
      assert.equal((await session.readDomain('default'))._doc, 'default');
    }
  });

  withEngine('a token that ended is refreshed and the call repeated, reads and creates', async (session) => {
    for (const call of [() => session.readDomain('default'),
                        () => session.createDomain({ title: 'after the end' }),
                        () => session.queryDomains({ title: 'after the end' })]) {
      const ended = session.engine.credentials.accessToken;
      // Not disconnect(): in this version of the driver it sends the same request, and never settles.
      await session.post('/auth/expire');
      const reply = await call();
      assert.ok(reply._doc ?? reply.rows.length);
      assert.notEqual(session.engine.credentials.accessToken, ended);
    }
    const { rows: [made] } = await session.queryDomains({ title: 'after the end' });
    assert.equal((await session.readDomain(made._doc)).title, 'after the end');
    await session.post('/auth/expire');
    assert.equal((await session.readAuthInfo()).accessToken, session.engine.credentials.accessToken);
  });

  withEngine('when the refresh token ended too, the session logs in anew', async (session) => {
    const before = session.engine.credentials;
    session.reauthenticate((done) => connectWith(engine, configFor(server), done));
    await session.post('/auth/expire', { all: true });
    assert.equal((await session.readDomain('default'))._doc, 'default');
    assert.notEqual(session.engine.credentials.accessToken, before.accessToken);
    assert.notEqual(session.engine.credentials.refreshToken, before.refreshToken);
  });

  withEngine('tokens of less than an hour are refreshed before each call', async (session) => {
    const client = await session.createRecord('/clients', { title: fresh('client'), accessTokenValiditySeconds: 1800 });
    const short = await connect({ clientKey: client.key, clientSecret: client.secret });
    const seen = new Set([short.engine.credentials.accessToken]);
    for (let round = 1; round <= 3; round += 1) {
      assert.ok(short.engine.credentials.expires_in <= 1800);
      assert.equal((await short.readDomain('default'))._doc, 'default');
      seen.add(short.engine.credentials.accessToken);
      assert.equal(seen.size, round + 1);
    }
  });

  // Domains, users and groups.

  withEngine('domains are created, read, queried, paged, sorted, updated and deleted', async (session) => {
    const family = fresh('family');
    const made = [];
    for (const title of ['c', 'a', 'e', 'b', 'd']) made.push((await session.createDomain({ title, family }))._doc);
    const query = (pagination, more = {}) => session.queryDomains({ family, ...more }, pagination);
    assert.deepEqual(titles(await query({ sort: { title: 1 } })), ['a', 'b', 'c', 'd', 'e']);
    assert.deepEqual(titles(await query({ sort: { title: -1 } })), ['e', 'd', 'c', 'b', 'a']);
    const page = await query({ sort: { title: 1 }, skip: 1, limit: 2 });
    assert.deepEqual(titles(page), ['b', 'c']);
    assert.deepEqual([page.total_rows, page.size, page.offset], [5, 2, 1]);
    const pages = [await query({ skip: 0, limit: 3 }), await query({ skip: 3, limit: 3 })];
    assert.deepEqual(pages.flatMap((one) => ids(one.rows)), made);
    assert.deepEqual([(await query({ skip: 9 })).size, (await query({ skip: 9 })).total_rows], [0, 5]);
    const listed = await session.get('/domains', { sort: JSON.stringify({ title: 1 }), limit: -1 });
    assert.deepEqual(ids(listed.rows).filter((id) => made.includes(id)), ids((await query({ sort: { title: 1 } })).rows));
    const domain = await session.readDomain(made[0]);
    const changed = await session.updateRecord('/domains', { ...domain, title: 'z', nested: { deep: [1, 2] } });
    assert.equal(changed._doc, made[0]);
    assert.equal((await query({}, { 'nested.deep': 2 })).size, 1);
    assert.deepEqual(await session.readDomain(made[0]), await session.readDomain(made[0]));
    const removed = await session.deleteRecord('/domains', made[0]);
    assert.equal(removed.ok, true);
    assert.equal(await session.readDomain(made[0]), null);
    assert.equal((await query()).total_rows, 4);
  });

  withEngine('an update replaces the record: what the body leaves out is gone', async (session) => {
    const record = await session.createRecord('/uiconfigs', { title: 'old', first: 1, second: 2 });
    await session.updateRecord('/uiconfigs', { _doc: record._doc, title: 'new', second: 3 });
    const again = await session.readRecord('/uiconfigs', record._doc);
    assert.deepEqual([again.title, again.first, again.second], ['new', undefined, 3]);
  });

  withEngine('users and groups are created, read by id and name, queried and updated', async (session) => {
    const domain = (await session.createDomain({}))._doc;
    const user = await makeUser(session, domain, { title: 'First', country: 'DE' });
    const group = await makeGroup(session, domain, { country: 'DE' });
    assert.deepEqual([user.type, group.type], ['USER', 'GROUP']);
    assert.equal(user.domainQualifiedId, `${domain}/${user._doc}`);
    assert.equal(user.password, undefined);
    assert.equal((await session.readPrincipal(domain, user.name))._doc, user._doc);
    const query = (fields) => session.queryPrincipals(domain, { country: 'DE', ...fields }, { sort: { type: 1 } });
    assert.deepEqual(ids((await query()).rows), [group._doc, user._doc]);
    assert.equal((await query({ type: 'USER' })).total_rows, 1);
    const changed = { ...user, title: 'Second', custom: 'field' };
    if (session.engine instanceof CloudCMS.FetchEngine) {
      await session.updateRecord(`/domains/${domain}/principals`, changed);
    } else {
      await session.updatePrincipal(domain, changed);
    }
    const again = await session.readPrincipal(domain, user._doc);
    assert.deepEqual([again.title, again.custom, again.name], ['Second', 'field', user.name]);
    await assert.rejects(session.createPrincipal(domain, { type: 'USER', name: user.name }), refused(409));
  });

  withEngine('members and memberships are direct, indirect and paged', async (session) => {
    const domain = (await session.createDomain({}))._doc;
    const principals = `/domains/${domain}/principals`;
    const user = await makeUser(session, domain);
    const groups = [await makeGroup(session, domain), await makeGroup(session, domain), await makeGroup(session, domain)];
    const stranger = await makeUser(session);
    const add = (group, id) => session.post(`${principals}/${group._doc}/members/add`, { id });
    await add(groups[0], user.domainQualifiedId);
    await add(groups[0], stranger.domainQualifiedName);
    await add(groups[1], groups[0].name);
    await add(groups[2], groups[1]._doc);
    assert.equal((await session.members(domain, groups[0]._doc, { filter: 'user' })).length, 2);
    assert.equal((await session.members(domain, groups[2]._doc)).length, 1);
    assert.equal((await session.members(domain, groups[2]._doc, { indirect: true, filter: 'user' })).length, 2);
    const memberships = (more) => session.get(`${principals}/${user._doc}/memberships`, { ...more });
    assert.deepEqual(ids((await memberships()).rows), [groups[0]._doc]);
    assert.equal((await memberships({ indirect: true, limit: 1 })).size, 1);
    assert.equal((await memberships({ indirect: true, limit: 4 })).size, 3);
    assert.equal((await memberships({ indirect: true, skip: 2, limit: 2 })).size, 1);
    await session.post(`${principals}/${groups[0]._doc}/members/remove`, { id: stranger.domainQualifiedId });
    assert.equal((await session.members(domain, groups[0]._doc)).length, 1);
    const checks = [{ groupId: groups[2]._doc, principalId: user._doc, indirect: true },
                    { groupId: groups[2]._doc, principalId: user._doc, indirect: false }];
    const checked = await session.post(`${principals}/membership/check`, {}, { checks });
    assert.deepEqual(checked.results.map((one) => one.result), [true, false]);
  });

  withEngine('a password changed through the identity holds at once', async (session) => {
    const user = await makeUser(session);
    await connectAs(user);
    const identity = `/directories/${user.directoryId}/identities/${user.identityId}`;
    await session.post(`${identity}/changepassword`, {}, { password: 'a new one', verifyPassword: 'a new one' });
    await assert.rejects(connectAs(user));
    const again = await connect({ username: user.name, password: 'a new one' });
    assert.equal((await again.readAuthInfo()).principalId, user._doc);
  });

  // Rights.

  withEngine('nine single and 27 bulk checks follow the roles granted on three domains', async (session) => {
    const domains = [];
    const users = [];
    for (let count = 0; count < 3; count += 1) {
      domains.push((await session.createDomain({}))._doc);
      users.push((await makeUser(session)).domainQualifiedId);
    }
    const held = { manager: ['read', 'update', 'delete'], editor: ['read', 'update', 'delete'], consumer: ['read'] };
    const roles = [['manager', 'consumer', undefined], [undefined, undefined, 'editor'], [undefined, undefined, undefined]];
    const checks = [];
    const expected = [];
    for (const [at, permissionedId] of domains.entries()) {
      for (const [by, principalId] of users.entries()) {
        const role = roles[at][by];
        if (role) await session.grant(`/domains/${permissionedId}`, role, principalId);
        for (const permissionId of held.manager) {
          checks.push({ permissionedId, principalId, permissionId });
          expected.push((held[role] ?? []).includes(permissionId));
        }
      }
    }
    for (const [at, one] of checks.slice(0, 9).entries()) {
      assert.equal(await session.holds(`/domains/${one.permissionedId}`, one.permissionId, one.principalId), expected[at]);
    }
    const bulk = await session.post('/domains/permissions/check', {}, { checks });
    assert.deepEqual(bulk.results.map((one) => one.result), expected);
    assert.deepEqual(bulk.checks, bulk.results);
    const unknown = await session.post('/domains/authorities/check', {},
      { checks: [{ permissionedId: 'unknown', principalId: users[0], authorityId: 'consumer' }] });
    assert.equal(unknown.results[0].result, false);
  });

  withEngine('a grant opens a record to a new user, a revoke closes it at once', async (session) => {
    const user = await makeUser(session);
    const own = await connectAs(user);
    const record = await session.createRecord('/uiconfigs', { title: fresh('config') });
    const path = `/uiconfigs/${record._doc}`;
    assert.equal(await own.get(path), null);
    await session.grant(path, 'consumer', user.domainQualifiedId);
    assert.equal((await own.get(path)).title, record.title);
    const change = () => own.updateRecord('/uiconfigs', { ...record, title: 'mine' });
    await assert.rejects(change(), refused(403));
    await assert.rejects(own.deleteRecord('/uiconfigs', record._doc), refused(403));
    await session.grant(path, 'EDITOR', user.name);
    assert.equal((await change())._doc, record._doc);
    const list = await session.get(`${path}/acl/list`);
    assert.deepEqual(list.rows.find((row) => row._doc === user._doc).authorities.sort(), ['consumer', 'editor']);
    await session.revoke(path, 'all', user.domainQualifiedId);
    assert.equal(await own.get(path), null);
    assert.equal((await own.queryRecords('/uiconfigs', { title: 'mine' })).total_rows, 0);
  });

  withEngine('a user without rights is refused with 403 and keeps its token', async (session) => {
    const own = await connectAs(await makeUser(session));
    const { accessToken } = own.engine.credentials;
    await assert.rejects(own.createDomain({}), refused(403));
    await assert.rejects(own.post('/uiconfigs', {}, {}), refused(403));
    await assert.rejects(own.grant('', 'owner', 'default/guest'), refused(403));
    assert.equal(own.engine.credentials.accessToken, accessToken);
  });

  // Ui configs, access policies, applications.

  withEngine('ui configs and access policies are created, read, queried, updated and deleted', async (session) => {
    for (const path of ['/uiconfigs', '/access/policies']) {
      const family = fresh('family');
      const made = [];
      for (const title of ['b', 'c', 'a']) made.push(await session.createRecord(path, { title, family }));
      assert.deepEqual(titles(await session.queryRecords(path, { family }, { sort: { title: 1 }, limit: 2 })), ['a', 'b']);
      await session.updateRecord(path, { ...made[1], title: 'd' });
      assert.deepEqual(titles(await session.queryRecords(path, { family }, { sort: { title: 1 }, skip: 1 })), ['b', 'd']);
      await session.deleteRecord(path, made[0]._doc);
      assert.equal(await session.readRecord(path, made[0]._doc), null);
      assert.equal((await session.queryRecords(path, { family })).total_rows, 2);
    }
  });

  withEngine('access policies of a user are found 2, 1 and 0 and give what they grant', async (session) => {
    const user = await makeUser(session);
    const own = await connectAs(user);
    const ref = `user://${await session.getPlatformId()}/default/${user._doc}`;
    const record = await session.createRecord('/uiconfigs', { title: fresh('config') });
    const statements = [{ action: 'grant', roles: ['consumer'], conditions: [{ type: 'type', config: { type: '^uiconfig.*' } }] }];
    const policies = [await session.createRecord('/access/policies', { title: fresh('policy'), statements }),
                      await session.createRecord('/access/policies', { title: fresh('policy') })];
    const found = async () => (await session.post('/access/policies/find', { ref })).total_rows;
    const read = () => own.readRecord('/uiconfigs', record._doc);
    assert.equal(await read(), null);
    for (const policy of policies) await session.post(`/access/policies/${policy._doc}/assign`, { ref });
    assert.equal(await found(), 2);
    assert.equal((await read())._doc, record._doc);
    assert.deepEqual((await session.get(`/access/policies/${policies[1]._doc}/targets`)).rows, [ref]);
    await session.post(`/access/policies/${policies[0]._doc}/unassign`, { ref });
    assert.equal(await found(), 1);
    assert.equal(await read(), null);
    await session.post('/access/policies/unassignall', { ref });
    assert.equal(await found(), 0);
  });

  withEngine("the utility session reads its application by key, and no stack where there is none", async (session) => {
    const key = fresh('application');
    await session.createRecord('/applications', { key, title: 'Shop' });
    const own = await connect({ application: key });
    const application = await own.application();
    assert.equal(application.title, 'Shop');
    assert.equal((await own.readApplication(key))._doc, application._doc);
    assert.equal(await own.findDataStoreStack(application._doc, 'application'), null);
    const domain = own.wrapDataStore(await own.readDomain('default'));
    assert.equal(domain.datastoreTypeId, 'domain');
  });

  // Failures, and many calls at once.

  withEngine('reads of unknown records are null, other calls on them 404', async (session) => {
    assert.equal(await session.readDomain('unknown'), null);
    assert.equal(await session.readPrincipal('default', 'unknown'), null);
    assert.equal(await session.get('/no/such/route'), null);
    await assert.rejects(session.deleteRecord('/domains', 'unknown'), refused(404));
    await assert.rejects(session.grant('/domains/default', 'consumer', 'default/unknown'), refused(404));
    await assert.rejects(session.createPrincipal('unknown', { type: 'USER', name: 'x' }), refused(404));
  });

  withEngine('bad values are 400 with a message', async (session) => {
    await assert.rejects(session.queryDomains({ title: { $nonsense: 1 } }), refused(400));
    await assert.rejects(session.queryDomains({}, { limit: 'many' }), refused(400));
    await assert.rejects(session.get('/domains', { skip: -5 }), refused(400));
  });

  withEngine('a band, locales and unknown parameters are tolerated', async (session) => {
    session.useBand('blue');
    const read = await session.get('/domains/default', { metadata: true, locale: 'default', cb: 17, unknown: 'x' });
    assert.equal(read._doc, 'default');
  });

  withEngine('two hundred calls at once through one session all get their own answers', async (session) => {
    const domain = (await session.createDomain({}))._doc;
    const wanted = Array.from({ length: 200 }, (_, at) => `parallel-${at}`);
    const made = await Promise.all(wanted.map((name) => session.createPrincipal(domain, { type: 'USER', name, title: name })));
    const read = await Promise.all(made.map((one) => session.readPrincipal(domain, one._doc)));
    assert.deepEqual(read.map((one) => one.title), wanted);
    assert.equal((await session.queryPrincipals(domain, {}, { limit: 1 })).total_rows, 200);
  });
}

test('the fetch engine ends each put by itself, as this version of the driver is', async () => {
  const session = await connectWith(engines[1], configFor(server));
  await assert.rejects(session.put('/domains/default', {}, { title: 'never sent' }), ReferenceError);
  assert.notEqual((await session.readDomain('default')).title, 'never sent');
});
