// A container with many records is removed: at once for everybody, in steps for the store, and the
// steps outlive the server.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { repetitions } from '../support/repetitions.mjs';
import { SteleServer } from '../support/stele_server.mjs';

// A twentieth where a sanitizer makes everything slow.
const kMany = Number(process.env.STELE_REMOVAL_RECORDS ?? (process.env.STELE_SANITIZED ? 1 : 20) * 1_000);

let server;
before(async () => { server = await SteleServer.start({ config: 'stores.statistics_period = 300ms' }); });
after(() => server.end());

async function createMany(path, count, body, width = 64) {
  let next = 0;
  await Promise.all(Array.from({ length: width }, async () => {
    while (next < count) await server.admin('POST', path, body(next++));
  }));
}

/// Records that are still to be erased, of a server that is down.
function left() {
  const check = server.check();
  assert.equal(check.status, 0, check.text);
  return Number(check.text.match(/(\d+) records of removed containers/)?.[1] ?? 0);
}

test(`a container of ${kMany} records is gone at once, and its records after a crash`, async () => {
  const { _doc } = await server.admin('POST', '/webhosts', { _doc: 'large', title: 'large' });
  assert.equal(_doc, 'large');
  const path = '/webhosts/large';
  const mappings = `${path}/autoclientmappings`;
  await createMany(mappings, kMany, (i) => ({ host: `h${i}.example.org`, clientKey: `c${i % 100}` }));
  const first = (await server.admin('GET', `${mappings}?limit=1`)).rows[0]._doc;
  assert.equal((await server.admin('POST', `${path}/stats`)).objectcount, kMany);

  await server.admin('DELETE', path);
  const token = server.adminToken;
  for (const [method, target, body] of [
    ['GET', path], ['GET', mappings], ['GET', `${mappings}/${first}`], ['POST', `${mappings}/query`, {}],
    ['PUT', `${mappings}/${first}`, {}], ['POST', mappings, {}], ['DELETE', path],
  ]) {
    const reply = await server.request(method, target, { token, body });
    assert.equal(reply.status, 404, `${method} ${target}: ${reply.text}`);
  }
  // The same id again is another container.
  await server.admin('POST', '/webhosts', { _doc: 'large' });
  assert.equal((await server.admin('GET', mappings)).total_rows, 0);
  await server.admin('POST', mappings, { host: 'new' });

  await sleep(200);
  await server.stop('SIGKILL');
  const atCrash = left();
  assert.ok(atCrash > 0, 'it died in the middle');
  for (let round = 0, before = atCrash; before > 0; ++round) {
    assert.ok(round < 60, `${before} are left`);
    await server.launch();
    await sleep(1000 + 500 * round);  // longer each time, for a slow machine
    await server.stop(round % 2 ? 'SIGTERM' : 'SIGKILL');
    const now = left();
    assert.ok(now <= before, 'it goes on where it was');
    before = now;
  }
  await server.launch();
  server.adminToken = undefined;
  assert.equal((await server.admin('GET', mappings)).total_rows, 1);
  const stats = await server.admin('POST', `${path}/stats`);
  assert.equal(stats.objectcount, 1);
  await server.admin('DELETE', path);
});

test('users and groups of a removed domain have and give no rights from then on', async () => {
  const domain = (await server.admin('POST', '/domains', { title: 'leaving' }))._doc;
  const principals = `/domains/${domain}/principals`;
  const user = (await server.admin('POST', principals, { type: 'USER', name: 'leaver', password: 'leaver password' }))._doc;
  const group = (await server.admin('POST', principals, { type: 'GROUP', name: 'club' }))._doc;
  const member = (await server.makeUser('member'))._doc;
  await server.admin('POST', `${principals}/${group}/members/add?id=default/${member}`);
  const { _doc: host } = await server.admin('POST', '/webhosts', {});
  await server.admin('POST', `/webhosts/${host}/authorities/consumer/grant?id=${domain}/${group}`);
  await server.admin('POST', `/webhosts/${host}/authorities/consumer/grant?id=${domain}/${user}`);
  await server.admin('POST', `/authorities/connector/grant?id=${domain}/${user}`);
  const leaver = await server.login(`${domain}/leaver`, 'leaver password');
  const other = await server.login('member', 'secret-of-member');
  for (const token of [leaver, other]) {
    assert.equal((await server.request('GET', `/webhosts/${host}`, { token })).status, 200);
  }
  await createMany(principals, repetitions(3000), (i) => ({ type: 'GROUP', name: `g${i}` }), 32);
  await server.admin('DELETE', `/domains/${domain}`);
  assert.equal((await server.request('GET', `/webhosts/${host}`, { token: other })).status, 404);
  assert.ok([401, 403].includes((await server.request('GET', `/webhosts/${host}`, { token: leaver })).status));
  const reference = `user://${(await server.admin('GET', '/'))._doc}/${domain}/${user}`;
  const read = await server.admin('POST', '/ref/read', { entries: [{ ref: reference }] });
  assert.equal(read.entries[0].entry, null);
  const acl = await server.admin('GET', `/webhosts/${host}/acl/list`);
  assert.deepEqual([...new Set(acl.rows.map((row) => row.domainId))], ['default']);

  for (let round = 0; ; ++round) {
    assert.ok(round < 30);
    await sleep(1000);
    await server.stop();
    const now = left();
    await server.launch();
    if (now === 0) break;
  }
  server.adminToken = undefined;
  assert.ok([401, 403].includes((await server.request('GET', `/webhosts/${host}`, { token: leaver })).status));
});

test('a directory stays as long as somebody needs an identity in it, however many others are in it', async () => {
  for (const others of [3, 250]) {
    const directory = `/directories/${(await server.admin('POST', '/directories', {}))._doc}`;
    const directoryId = directory.split('/')[2];
    await createMany(`${directory}/identities`, others, () => ({}));
    const identity = (await server.admin('POST', `${directory}/identities`, {}))._doc;
    const password = { password: 'password-of-heir', verifyPassword: 'password-of-heir' };
    await server.admin('POST', `${directory}/identities/${identity}/changepassword`, password);
    const user = (await server.admin('POST', '/domains/default/principals',
      { type: 'USER', name: `heir of ${others}`, directoryId, identityId: identity }))._doc;
    await server.admin('POST', `/authorities/owner/grant?id=default/${user}`);
    const token = await server.login(`heir of ${others}`, 'password-of-heir');
    const as = (method, path) => server.request(method, path, { token, body: {} });
    assert.equal((await as('POST', '/authorities/owner/revoke?id=default/admin')).status, 200);
    try {
      const refused = await as('DELETE', directory);
      assert.equal(refused.status, 409, refused.text);
      assert.equal(refused.json.code, 'identity.in_use');
    } finally {
      assert.equal((await as('POST', '/authorities/owner/grant?id=default/admin')).status, 200);
    }
    await server.admin('DELETE', `/domains/default/principals/${user}`);
    await server.admin('DELETE', directory);
  }
});

test('a domain with the only owner of the platform stays', async () => {
  const domain = (await server.admin('POST', '/domains', {}))._doc;
  const principals = `/domains/${domain}/principals`;
  const owner = (await server.admin('POST', principals, { type: 'USER', name: 'boss', password: 'boss password' }))._doc;
  await server.admin('POST', `/authorities/owner/grant?id=${domain}/${owner}`);
  const token = await server.login(`${domain}/boss`, 'boss password');
  const admin = await server.request('POST', '/authorities/all/revoke?id=default/admin', { token, body: {} });
  assert.equal(admin.status, 200, admin.text);
  await Promise.all(Array.from({ length: 250 }, (_, i) =>
    server.request('POST', principals, { token, body: { type: 'GROUP', name: `g${i}` } })));
  const refused = await server.request('DELETE', `/domains/${domain}`, { token });
  assert.equal(refused.status, 409, refused.text);
  assert.equal(refused.json.code, 'identity.principal_last_owner');
  assert.equal((await server.request('GET', `/domains/${domain}`, { token })).status, 200);
});
