// What callers may reach: nobody reaches anything without the right to it.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { repetitions } from '../support/repetitions.mjs';
import { allRoutes, describedPlugins, makeRecords, makeTeams } from '../support/route_walk.mjs';
import { SteleServer } from '../support/stele_server.mjs';

let server;
before(async () => { server = await SteleServer.start(); });
after(() => server.end());

let routes;
/// The routes of all plugins, over records of the test's own and over those that a new server has.
async function allOperations() {
  if (routes) return routes;
  const own = await makeRecords(server);
  const first = async (path) => (await server.admin('GET', path)).rows[0]._doc;
  const given = {
    domainId: 'default', principalId: 'guest', groupId: 'everyone', directoryId: 'default', registrarId: 'default',
    planId: 'unlimited', identityId: await first('/directories/default/identities'),
    connectionId: (await server.admin('POST', '/directories/default/connections'))._doc,
    tenantId: await first('/registrars/default/tenants'), meterId: await first('/registrars/default/meters'),
    clientId: await first('/clients'), authenticationGrantId: await first('/auth/grants'),
  };
  const all = [...await allRoutes(server, own), ...await allRoutes(server, { ...own, ...given })];
  await makeTeams(server, all);
  routes = [...new Map(all.map((one) => [`${one.method} ${one.target}`, one])).values()];
  return routes;
}

const openPaths = ['/healthz', '/readyz', '/metrics', '/openapi.json', '/oauth/token', '/oauth/authorize', '/ping'];

test('without a token every operation but the open ones answers 401', async () => {
  const all = await allOperations();
  assert.deepEqual([...new Set(all.map(({ plugin }) => plugin))].sort(), await describedPlugins(server));
  for (const one of all) {
    if (one.isOpen) {
      assert.ok(openPaths.includes(one.path), `${one.name} is open`);
      continue;
    }
    const reply = await server.request(one.method, one.target, { body: one.method === 'GET' ? undefined : {} });
    assert.equal(reply.status, 401, one.name);
    assert.equal(reply.json.error, 'invalid_token', one.name);
  }
});

test('a caller without rights gets nothing but 401, 403 or 404 from every route', async () => {
  await server.makeUser('outsider');
  const token = await server.login('outsider', 'secret-of-outsider');
  const all = await allOperations();
  const before = await server.admin('GET', '/info');
  await server.admin('POST', '/authorities/connector/revoke?id=default/everyone');
  try {
    for (const one of all.filter((operation) => !operation.isOpen)) {
      const reply = await server.request(one.method, one.target, { token, body: one.method === 'GET' ? undefined : {} });
      assert.ok([401, 403, 404].includes(reply.status), `${one.name} answers ${reply.status}: ${reply.text.slice(0, 200)}`);
    }
  } finally {
    await server.admin('POST', '/authorities/connector/grant?id=default/everyone');
  }
  assert.deepEqual((await server.admin('GET', '/info')).datastore_counts, before.datastore_counts);
});

test('a plain user changes nothing and sees no record that was not opened to it', async () => {
  await server.makeUser('plain');
  const token = await server.login('plain', 'secret-of-plain');
  for (const collection of ['/uiconfigs', '/access/policies', '/applications', '/clients', '/auth/grants', '/repositories']) {
    const record = (await server.admin('GET', collection)).rows[0]._doc;
    const list = await server.request('GET', collection, { token });
    assert.equal(list.status, 200);
    assert.equal(list.json.total_rows, 0, collection);
    const attempts = [['GET', `${collection}/${record}`], ['PUT', `${collection}/${record}`],
                      ['POST', `${collection}/${record}/update`], ['DELETE', `${collection}/${record}`],
                      ['POST', `${collection}/${record}/delete`],
                      ['POST', `${collection}/${record}/authorities/owner/grant?id=default/plain`],
                      ['GET', `${collection}/${record}/acl/list`]];
    for (const [method, path] of attempts) {
      const reply = await server.request(method, path, { token, body: method === 'GET' ? undefined : {} });
      assert.equal(reply.status, 404, `${method} ${path}`);
    }
    const created = await server.request('POST', collection, { token, body: {} });
    assert.equal(created.status, 403, collection);
  }
});

test('a plain user reaches nothing in a repository that was not opened to it', async () => {
  const token = await server.login('plain', 'secret-of-plain');
  const inside = (await allOperations()).filter(({ template }) => template.startsWith('/repositories/{repositoryId}'));
  assert.ok(inside.length > 200, `${inside.length} routes`);
  for (const one of inside) {
    const reply = await server.request(one.method, one.target, { token, body: one.method === 'GET' ? undefined : {} });
    assert.ok([403, 404].includes(reply.status), `${one.name} answers ${reply.status}: ${reply.text.slice(0, 200)}`);
  }
});

test('connect without read is 403, no connect is 404, and a revoke holds at once', async () => {
  await server.makeUser('step');
  const token = await server.login('step', 'secret-of-step');
  const record = (await server.admin('POST', '/uiconfigs', { title: 'step' }))._doc;
  const path = `/uiconfigs/${record}`;
  const status = async (method = 'GET') => (await server.request(method, path, { token, body: method === 'GET' ? undefined : {} })).status;
  const change = (verb, role) => server.admin('POST', `${path}/authorities/${role}/${verb}?id=default/step`);
  assert.equal(await status(), 404);
  await change('grant', 'connector');
  assert.equal(await status(), 403);
  await change('grant', 'consumer');
  assert.equal(await status(), 200);
  assert.equal(await status('PUT'), 403);
  await change('grant', 'EDITOR');
  assert.equal(await status('PUT'), 200);
  await change('revoke', 'all');
  assert.equal(await status(), 404);
  for (let round = 0; round < 50; ++round) {
    await change('grant', 'consumer');
    assert.equal(await status(), 200, `round ${round}`);
    await change('revoke', 'consumer');
    assert.equal(await status(), 404, `round ${round}`);
  }
});

test('rights come through nested groups and go with the membership', async () => {
  const user = await server.makeUser('nested');
  const token = await server.login('nested', 'secret-of-nested');
  const group = async (name) => (await server.admin('POST', '/domains/default/principals', { type: 'GROUP', name }))._doc;
  const inner = await group('inner');
  const outer = await group('outer');
  const member = (verb, into, id) => server.admin('POST', `/domains/default/principals/${into}/members/${verb}?id=default/${id}`);
  const record = (await server.admin('POST', '/uiconfigs', { title: 'nested' }))._doc;
  await server.admin('POST', `/uiconfigs/${record}/authorities/consumer/grant?id=default/outer`);
  const status = async () => (await server.request('GET', `/uiconfigs/${record}`, { token })).status;
  assert.equal(await status(), 404);
  await member('add', inner, user._doc);
  await member('add', outer, inner);
  await member('add', inner, outer);
  assert.equal(await status(), 200);
  await member('remove', inner, user._doc);
  assert.equal(await status(), 404);
});

test('a policy with conditions decides reads, lists, queries and counts', async () => {
  const user = await server.makeUser('policed');
  const token = await server.login('policed', 'secret-of-policed');
  const { _doc: platform } = await server.admin('GET', '/');
  for (let i = 0; i < 20; ++i) {
    await server.admin('POST', '/uiconfigs', { title: `p${i}`, colour: i % 4 === 0 ? 'red' : 'blue', walk: 'policy' });
  }
  const policy = await server.admin('POST', '/access/policies', {
    title: 'red ones', order: 5,
    statements: [
      { action: 'grant', roles: ['consumer'], conditions: [{ type: 'type', config: { type: '^uiconfig.*' } }] },
      { action: 'revoke', roles: ['consumer'], conditions: [{ type: 'not', conditions: [{ type: 'property', config: { property: 'colour', value: 're.' } }] }] },
    ],
  });
  const query = async () => (await server.request('POST', '/uiconfigs/query?limit=2', { token, body: { walk: 'policy' } })).json;
  assert.equal((await query()).total_rows, 0);
  await server.admin('POST', `/access/policies/${policy._doc}/assign?ref=user://${platform}/default/${user._doc}`.toLowerCase());
  const seen = await query();
  assert.equal(seen.total_rows, 5);
  assert.deepEqual(seen.rows.map((row) => row.title), ['p0', 'p4']);
  const one = seen.rows[0]._doc;
  assert.equal((await server.request('GET', `/uiconfigs/${one}`, { token })).status, 200);
  await server.admin('PUT', `/uiconfigs/${one}`, { title: 'p0', colour: 'blue', walk: 'policy' });
  assert.equal((await server.request('GET', `/uiconfigs/${one}`, { token })).status, 404);
  assert.equal((await query()).total_rows, 4);
  await server.admin('POST', `/access/policies/unassignall?ref=user://${platform}/default/${user._doc}`);
  assert.equal((await query()).total_rows, 0);
});

const many = repetitions(10_000);
test(`of ${many} records a caller sees exactly every seventh, on pages of any size`, async () => {
  await server.makeUser('seventh');
  const token = await server.login('seventh', 'secret-of-seventh');
  const granted = [];
  let next = 0;
  await Promise.all(Array.from({ length: 64 }, async () => {
    while (next < many) {
      const number = next++;
      const { _doc } = await server.admin('POST', '/uiconfigs', { title: `t${String(number).padStart(5, '0')}`, number, walk: 'seventh' });
      if (number % 7 !== 0) continue;
      granted.push(_doc);
      await server.admin('POST', `/uiconfigs/${_doc}/authorities/consumer/grant?id=default/seventh`);
    }
  }));
  granted.sort();
  assert.equal(granted.length, Math.ceil(many / 7));
  for (const size of [1000, 333, 97, 10]) {
    for (const sort of ['', '&sort={"title":-1}']) {
      const seen = [];
      for (let skip = 0; skip < granted.length; skip += size) {
        const page = (await server.request('GET', `/uiconfigs?skip=${skip}&limit=${size}${sort}`, { token })).json;
        assert.equal(page.total_rows, granted.length);
        assert.equal(page.offset, skip);
        seen.push(...page.rows.map((row) => row._doc));
      }
      assert.deepEqual(seen.sort(), granted, `size ${size} ${sort}`);
    }
  }
  const all = (await server.request('GET', '/uiconfigs?limit=-1', { token })).json;
  assert.equal(all.total_rows, granted.length);
  assert.deepEqual(all.rows.map((row) => row._doc).sort(), granted);
});

test('a manager neither makes itself owner nor unmakes the owners', async () => {
  await server.makeUser('boss');
  await server.admin('POST', '/authorities/manager/grant?id=default/boss');
  const token = await server.login('boss', 'secret-of-boss');
  const ask = (path) => server.request('POST', path, { token, body: {} });
  assert.equal((await ask('/authorities/owner/grant?id=default/boss')).status, 403);
  assert.equal((await ask('/authorities/all/revoke?id=default/admin')).status, 403);
  assert.equal((await ask('/authorities/consumer/grant?id=default/guest')).status, 200);
  assert.equal((await ask('/authorities/consumer/revoke?id=default/guest')).status, 200);
  const policy = (roles) => server.request('POST', '/access/policies', { token, body: { statements: [{ action: 'grant', roles }] } });
  assert.equal((await policy(['owner'])).status, 403);
  assert.equal((await policy(['all'])).status, 403);
  // What a policy gives counts everywhere, what a manager has on the platform only there.
  assert.equal((await policy(['collaborator'])).status, 403);
  const last = await server.request('POST', '/authorities/owner/revoke?id=default/admin', { token: server.adminToken });
  assert.equal(last.status, 409);
});

test('a chosen id cannot take the place of another record\'s name', async () => {
  const taken = await server.request('POST', '/domains/default/principals', { token: server.adminToken, body: { _doc: 'admin', type: 'USER', name: 'shadow' } });
  assert.equal(taken.status, 409);
  await server.admin('POST', '/domains/default/principals', { _doc: 'own-id', type: 'USER', name: 'own-name' });
  const named = await server.request('POST', '/domains/default/principals', { token: server.adminToken, body: { type: 'USER', name: 'own-id' } });
  assert.equal(named.status, 409);
  assert.equal((await server.admin('GET', '/domains/default/principals/admin')).name, 'admin');
});

test('an operation that failed leaves no trace in what the server remembers', async () => {
  const user = await server.makeUser('poisoner');
  await server.admin('POST', '/authorities/contributor/grant?id=default/poisoner');
  const token = await server.login('poisoner', 'secret-of-poisoner');
  const domain = (await server.request('POST', '/domains', { token, body: {} })).json._doc;
  const failed = await server.request('POST', `/domains/${domain}/principals`, { token, body: { type: 'USER', name: 'x', groups: ['nosuch'] } });
  assert.notEqual(failed.status, 200);
  // The first record of a new collection is what the number of the failed one is given to.
  const other = (await server.admin('POST', '/domains', {}))._doc;
  const victim = (await server.admin('POST', `/domains/${other}/principals`, { type: 'GROUP', name: 'victims' }))._doc;
  await server.admin('POST', `/domains/${other}/principals/${victim}/authorities/all/revoke?id=default/everyone`);
  const reached = await server.request('PUT', `/domains/${other}/principals/${victim}`, { token, body: { type: 'GROUP', name: 'mine' } });
  assert.ok([403, 404].includes(reached.status), reached.text);
  assert.ok(user._doc);
});

test('the ACL of a principal is about the principal that is asked for', async () => {
  const user = await server.makeUser('subject');
  await server.makeUser('asker');
  await server.admin('POST', `/domains/default/principals/${user._doc}/authorities/editor/grant?id=default/asker`);
  for (const path of [`acl?id=default/asker`, `acl/${encodeURIComponent('default/asker')}`]) {
    const { rows } = await server.admin('GET', `/domains/default/principals/${user._doc}/${path}`);
    assert.deepEqual(rows, ['editor'], path);
  }
});

test('records that the caller may not know of answer like unknown ones, also to checks of their own rights', async () => {
  const token = await server.login('plain', 'secret-of-plain');
  const { _doc } = await server.admin('POST', '/uiconfigs', { title: 'hidden' });
  const checks = [_doc, '0123456789abcdef0123'].map((permissionedId) => ({ permissionedId, principalId: 'default/plain', permissionId: 'READ' }));
  const { json } = await server.request('POST', '/uiconfigs/permissions/check', { token, body: { checks } });
  assert.deepEqual(json.results.map(({ result }) => result), [false, false]);
  const [onHidden, onUnknown] = await Promise.all(checks.map(({ permissionedId }) =>
    server.request('POST', `/uiconfigs/${permissionedId}/permissions/READ/check?id=default/admin`, { token })));
  assert.deepEqual([onHidden.status, onUnknown.status], [404, 404]);
  const hidden = await server.request('GET', `/uiconfigs/${_doc}`, { token });
  const unknown = await server.request('GET', '/uiconfigs/0123456789abcdef0123', { token });
  assert.equal(hidden.json.message.replace(_doc, 'X'), unknown.json.message.replace('0123456789abcdef0123', 'X'));
});

test('an unassigned policy is out of force, whatever its target is called by now', async () => {
  const user = await server.makeUser('renamed');
  const token = await server.login('renamed', 'secret-of-renamed');
  const { _doc: platform } = await server.admin('GET', '/');
  const record = (await server.admin('POST', '/uiconfigs', { title: 'policed' }))._doc;
  const policy = (await server.admin('POST', '/access/policies', { statements: [{ action: 'grant', roles: ['consumer'] }] }))._doc;
  const status = async () => (await server.request('GET', `/uiconfigs/${record}`, { token })).status;
  const change = (verb, name) => server.admin('POST', `/access/policies/${policy}/${verb}?ref=user://${platform}/default/${name}`);
  await change('assign', 'Renamed');
  assert.equal(await status(), 200);
  await server.admin('PUT', `/domains/default/principals/${user._doc}`, { type: 'USER', name: 'other-name' });
  await change('unassign', 'RENAMED');
  assert.equal(await status(), 404);
  await change('assign', 'other-name');
  await change('assign', user._doc);
  await change('unassign', 'other-name');
  assert.equal(await status(), 200);
  await change('unassign', user._doc);
  assert.equal(await status(), 404);
});

test('a policy is found by every form of its target, and an assignment means whom it was made for', async () => {
  const user = await server.makeUser('formed');
  const token = await server.login('formed', 'secret-of-formed');
  const { _doc: platform } = await server.admin('GET', '/');
  const record = (await server.admin('POST', '/uiconfigs', { title: 'formed' }))._doc;
  const policy = (await server.admin('POST', '/access/policies', { statements: [{ action: 'grant', roles: ['consumer'] }] }))._doc;
  const ref = (name) => `user://${platform}/default/${name}`;
  const status = async (one = token) => (await server.request('GET', `/uiconfigs/${record}`, { token: one })).status;
  const change = (verb, name) => server.admin('POST', `/access/policies/${policy}/${verb}?ref=${ref(name)}`);
  const found = async (name) => (await server.admin('POST', `/access/policies/find?ref=${ref(name)}`)).rows.map((row) => row._doc);
  await change('assign', user._doc.toUpperCase());
  assert.equal(await status(), 200);
  assert.deepEqual(await found('formed'), [policy]);
  await change('assign', 'formed');
  assert.deepEqual(await found(user._doc), [policy]);
  await change('unassign', user._doc);
  assert.equal(await status(), 200);
  assert.deepEqual(await found(user._doc), [policy]);
  await server.admin('PUT', `/domains/default/principals/${user._doc}`, { type: 'USER', name: 'formed-before' });
  await server.makeUser('formed', 'secret-of-another');
  const another = await server.login('formed', 'secret-of-another');
  assert.deepEqual([await status(), await status(another)], [200, 404]);
  await change('assign', 'formed');
  assert.deepEqual([await status(), await status(another)], [404, 200]);
  assert.deepEqual(await found('formed-before'), []);
  await server.admin('DELETE', `/access/policies/${policy}`);
  assert.equal(await status(another), 404);
  assert.deepEqual(await found('formed'), []);
  const collect = async (size) => (await server.request('POST', '/access/policies/collect', {
    token: server.adminToken, body: { references: Array(size).fill(ref('formed')) } })).status;
  assert.deepEqual([await collect(1000), await collect(1001)], [200, 400]);
  const owning = { statements: [{ action: 'grant', roles: ['owner'] }] };
  const giver = (await server.admin('POST', '/access/policies', owning))._doc;
  await server.makeUser('policy-manager');
  await server.admin('POST', '/authorities/manager/grant?id=default/policy-manager');
  // A grant on the platform does not open the policy, so without this one it would be unknown.
  await server.admin('POST', `/access/policies/${giver}/authorities/manager/grant?id=default/policy-manager`);
  const manager = await server.login('policy-manager', 'secret-of-policy-manager');
  for (const path of ['/access/policies', `/access/policies/${giver}/assign?ref=${ref('policy-manager')}`]) {
    assert.equal((await server.request('POST', path, { token: manager, body: owning })).status, 403, path);
  }
});
