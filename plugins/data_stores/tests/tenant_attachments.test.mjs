// Attachments of the tenant that a platform is, from inside (docs/reference/attachments.md; docs/specification/platform.md 1.6.9).
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { SteleServer } from '../../../tests/support/stele_server.mjs';
import { loginWith, makeTenant } from '../../../tests/support/stele_tenant.mjs';

let server;
let one;
let other;
before(async () => {
  server = await SteleServer.start({ config: 'stores.lock_wait = 200ms\n' });
  one = await makeTenant(server, 'olga');
  other = await makeTenant(server, 'otto');
  for (const tenant of [one, other]) await tenant.do('GET', '/');
});
after(() => server.end());

const admin = (...args) => server.admin(...args);
const send = (token, path, bytes) => server.request('POST', path, { body: bytes, token, headers: { 'Content-Type': 'text/plain' } });
const names = (page) => page.rows.map((row) => row.attachmentId);

/// A user of the tenant, with a role on its platform; the token.
async function member(tenant, name, role) {
  const { _doc } = await tenant.do('POST', '/domains/default/principals', { type: 'USER', name, password: `secret of ${name}` });
  if (role) await tenant.do('POST', `/authorities/${role}/grant?id=default/${_doc}`);
  return (await loginWith(server, tenant.client, name, `secret of ${name}`)).json.access_token;
}

test('what is attached from inside and from outside is one set, and each tenant has its own', async () => {
  await admin('GET', '/');
  const sent = await send(one.token, '/tenant/attachments/inside', 'written inside');
  assert.equal(sent.status, 200, sent.text);
  // The record itself is not theirs to read.
  assert.deepEqual(sent.json, { ok: true, _doc: one.id });
  assert.equal((await send(server.adminToken, `${one.path}/attachments/outside`, 'written outside')).status, 200);
  const inside = await one.do('GET', '/tenant/attachments');
  assert.deepEqual(names(inside), ['inside', 'outside']);
  assert.deepEqual(inside.rows, (await admin('GET', `${one.path}/attachments`)).rows);
  for (const path of ['attachments/outside', 'preview/outside']) assert.equal((await one.ask('GET', `/tenant/${path}`)).text, 'written outside');
  assert.equal((await server.request('GET', `${one.path}/attachments/inside`, { token: server.adminToken })).text, 'written inside');
  assert.deepEqual(names(await other.do('GET', '/tenant/attachments')), []);
  assert.equal((await other.ask('GET', '/tenant/attachments/inside')).json.code, 'attachment.unknown');
  assert.equal((await other.ask('DELETE', '/tenant/attachments/inside')).status, 404);
  // The platform has attachments of its own besides.
  assert.deepEqual(names(await one.do('GET', '/attachments')), []);
  await one.do('DELETE', '/tenant/attachments/outside');
  assert.deepEqual(names(await admin('GET', `${one.path}/attachments`)), ['inside']);
});

test('no path and no field of the platform leads to another tenant', async () => {
  await send(server.adminToken, `${other.path}/attachments/private`, 'of the other');
  const platform = await one.do('GET', '/');
  await one.do('PUT', '/', { ...platform, ownerTenantId: other.id });
  assert.deepEqual(names(await one.do('GET', '/tenant/attachments')), ['inside']);
  for (const path of [other.path, one.path]) assert.equal((await one.ask('GET', `${path}/attachments`)).status, 404, path);
});

test('inside, READ on the platform reads and UPDATE writes; nobody else does either', async () => {
  for (const [role, reads, writes] of [[undefined, 403, 403], ['consumer', 200, 403], ['editor', 200, 200]]) {
    const token = await member(one, `one-${role}`, role);
    for (const path of ['attachments', 'attachments/inside', 'preview/inside'])
      assert.equal((await server.request('GET', `/tenant/${path}`, { token })).status, reads, `${role} ${path}`);
    assert.equal((await send(token, '/tenant/attachments/more', 'x')).status, writes, role);
    assert.equal((await send(token, '/tenant/attachments', 'x')).status, writes, role);
    assert.equal((await server.request('DELETE', '/tenant/attachments/more', { token })).status, writes, role);
  }
  assert.equal((await server.request('GET', '/tenant/attachments')).status, 401);
});

test('on the first platform rights on the tenant itself are needed, too', async () => {
  assert.equal((await send(server.adminToken, '/tenant/attachments/logo', 'mine')).status, 200);
  const { ownerRegistrarId, ownerTenantId } = await admin('GET', '/');
  assert.deepEqual(names(await admin('GET', `/registrars/${ownerRegistrarId}/tenants/${ownerTenantId}/attachments`)), ['logo']);
  const { _doc } = await server.makeUser('clerk');
  const token = await server.login('clerk', 'secret-of-clerk');
  const status = async () => (await server.request('GET', '/tenant/attachments', { token })).status;
  assert.equal(await status(), 403);
  await admin('POST', `/registrars/${ownerRegistrarId}/tenants/${ownerTenantId}/authorities/consumer/grant?id=default/${_doc}`);
  assert.equal(await status(), 403, 'rights on the tenant are none on the platform');
});

test('the lock and the room of the registrar hold inside, too, and tell nothing of it', async () => {
  const registrar = '/registrars/default';
  await admin('POST', `${registrar}/lock`);
  const locked = await send(one.token, '/tenant/attachments/late', 'x');
  assert.deepEqual([locked.status, /admin|registrar/.test(locked.text)], [423, false], locked.text);
  await admin('POST', `${registrar}/unlock`);
  const record = await admin('GET', registrar);
  const { size } = await admin('POST', `${registrar}/stats`);
  await admin('PUT', registrar, { ...record, maxsize: size + 100 });
  const full = await send(one.token, '/tenant/attachments/late', 'x'.repeat(1000));
  assert.deepEqual([full.status, /\d{3}.*bytes|registrar/.test(full.json.message)], [507, false], full.text);
  await admin('PUT', registrar, { ...record, maxsize: -1 });
  assert.equal((await send(one.token, '/tenant/attachments/late', 'x')).status, 200);
});
