// Meters (docs/reference/meters.md): what a tenant sent and stores, to the byte, and what a crash may lose.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { SteleServer } from '../../../tests/support/stele_server.mjs';
import { makeTenant } from '../../../tests/support/stele_tenant.mjs';

const config = ['usage.write_interval = 300ms', 'usage.look_interval = 300ms'].join('\n');

let server;
before(async () => {
  server = await SteleServer.start({ config });
  await server.admin('POST', '/registrars/default/plans', { planKey: 'small',
    storage: { unit: 'KB', allowance: 4, max: 8 }, transferOut: { unit: 'B', allowance: 1000, max: 100000 } });
});
after(() => server.end());

const meter = (tenant, type) => server.admin('GET', `${tenant.path}/meters/current/${type}`);
/// The meter once it shows what is wanted, or as it is after a long time.
async function settled(tenant, type, isWanted) {
  for (let tries = 0; tries < 300; ++tries) {
    const now = await meter(tenant, type);
    if (isWanted(now)) return now;
    await sleep(100);
  }
  return meter(tenant, type);
}
let witness;
/// Until everything that was sent and stored before is written: twice a look at all tenants has shown what another one
/// did. The first look may have begun earlier, or have come by the others before.
async function written() {
  witness ??= await makeTenant(server, 'witness');
  for (let looks = 0; looks < 2; ++looks) {
    const before = { TRANSFER_OUT: await meter(witness, 'TRANSFER_OUT'), STORAGE: await meter(witness, 'STORAGE') };
    await witness.do('POST', '/webhosts', { title: 'seen' });
    for (const [type, { rawObjectCount }] of Object.entries(before)) {
      const now = await settled(witness, type, (shown) => shown.rawObjectCount > rawObjectCount);
      assert.ok(now.rawObjectCount > rawObjectCount, `${type} is written`);
    }
  }
}
const asAdmin = async (method, path, body) =>
  server.request(method, path, { body, token: (server.adminToken ??= await server.login()) });

test('a new tenant has two meters of this month', async () => {
  const tenant = await makeTenant(server, 'anna');
  const found = await server.admin('POST', '/registrars/default/meters/query', { tenantId: tenant.id });
  assert.deepEqual(found.rows.map(({ meterType }) => meterType).sort(), ['STORAGE', 'TRANSFER_OUT']);
  const now = new Date();
  for (const row of found.rows) {
    assert.equal(row.meterStart.ms, Date.UTC(now.getUTCFullYear(), now.getUTCMonth()));
    assert.equal(row.meterEnd.ms, Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1));
    assert.equal(row.maxByteCount, -1);
    assert.equal(row.billableByteCount, 0);
  }
  const own = await server.admin('GET', `${tenant.path}/meters`);
  assert.equal(own.total_rows, 2);
  assert.equal((await server.admin('POST', `${tenant.path}/meters/query`, { meterType: 'STORAGE' })).total_rows, 1);
  assert.equal((await asAdmin('GET', `${tenant.path}/meters/current/OTHER`)).status, 404);
});

test('what is sent to a tenant is counted to the byte, and to nobody else', async () => {
  const [bea, cleo] = [await makeTenant(server, 'bea', { planKey: 'small' }), await makeTenant(server, 'cleo')];
  let bytes = 0;
  let replies = 0;
  for (let i = 0; i < 20; ++i) {
    for (const [method, path, body] of [['POST', '/webhosts', { title: 'x'.repeat(i * 10) }], ['GET', '/webhosts'],
                                        ['GET', '/webhosts/none'], ['GET', '/']]) {
      const reply = await bea.ask(method, path, body);
      bytes += Buffer.byteLength(reply.text);
      replies += 1;
    }
  }
  const sent = await settled(bea, 'TRANSFER_OUT', (now) => now.rawObjectCount >= replies);
  assert.equal(sent.rawByteCount, bytes);
  assert.equal(sent.rawObjectCount, replies);
  assert.equal(sent.maxByteCount, 100000);
  assert.equal(sent.billableByteCount, bytes - 1000);
  assert.ok(Math.abs(sent.rawByteCountPercentage - Math.min(100, bytes / 1000)) <= 0.01);
  assert.equal((await meter(cleo, 'TRANSFER_OUT')).rawByteCount, 0);
});

test('a long reply counts as it was compressed', async () => {
  const tenant = await makeTenant(server, 'bob');
  const made = await tenant.ask('POST', '/webhosts', { description: 'x'.repeat(100_000) });
  const path = `/webhosts/${made.json._doc}`;
  const whole = await tenant.ask('GET', path);
  assert.ok(whole.text.length > 64 * 1024);
  const packed = await server.request('GET', path, { token: tenant.token, headers: { 'Accept-Encoding': 'gzip' } });
  assert.equal(packed.headers['content-encoding'], 'gzip');
  const sent = await settled(tenant, 'TRANSFER_OUT', (now) => now.rawObjectCount >= 3);
  assert.equal(sent.rawObjectCount, 3);
  assert.equal(sent.rawByteCount,
    Buffer.byteLength(made.text + whole.text) + Number(packed.headers['content-length']));
});

test('what is stored is the most of the month', async () => {
  const tenant = await makeTenant(server, 'dana', { planKey: 'small' });
  const first = await settled(tenant, 'STORAGE', (now) => now.rawObjectCount >= 8);
  assert.ok(first.rawByteCount > 0);
  assert.ok(first.rawObjectCount >= 8);
  const host = await tenant.do('POST', '/webhosts', {});
  for (let i = 0; i < 5; ++i) {
    await tenant.do('POST', `/webhosts/${host._doc}/autoclientmappings`, { host: 'h'.repeat(2000) });
  }
  const more = await settled(tenant, 'STORAGE', (now) => now.rawObjectCount >= first.rawObjectCount + 7);
  // The host, what it holds, and the group of its owners.
  assert.equal(more.rawObjectCount, first.rawObjectCount + 7);
  assert.ok(more.rawByteCount > first.rawByteCount + 10_000);
  assert.equal(more.maxByteCount, 8 * 1024);
  assert.equal(more.billableByteCount, more.rawByteCount - 4 * 1024);
  assert.equal(more.rawByteCountPercentage, 100);
  await tenant.do('DELETE', `/webhosts/${host._doc}`);
  await written();
  assert.equal((await meter(tenant, 'STORAGE')).rawByteCount, more.rawByteCount);
});

test('figures are the server’s: none can be set', async () => {
  const tenant = await makeTenant(server, 'elsa');
  const record = await meter(tenant, 'STORAGE');
  const path = `/registrars/default/meters/${record._doc}`;
  await server.admin('PUT', path, { ...record, rawByteCount: 1, tenantId: 'other', note: 'mine' });
  const after = await server.admin('GET', path);
  assert.equal(after.tenantId, tenant.id);
  assert.notEqual(after.rawByteCount, 1);
  assert.equal(after.note, 'mine');
  const made = await server.admin('POST', '/registrars/default/meters', { tenantId: tenant.id, meterType: 'STORAGE', rawByteCount: 1, _doc: 'mine' });
  assert.equal(made._doc, record._doc);
  assert.notEqual(made.rawByteCount, 1);
  assert.equal((await asAdmin('GET', `/registrars/default/meters`)).status, 200);
});

test('a tenant that is made again under its id leaves the figures of the first alone', async () => {
  const first = await makeTenant(server, 'gwen', { _doc: 'twice' });
  const { length } = (await first.ask('GET', '/webhosts')).text;
  assert.equal((await settled(first, 'TRANSFER_OUT', (now) => now.rawByteCount >= length)).rawByteCount, length);
  await server.admin('DELETE', first.path);
  const second = await makeTenant(server, 'hugo', { _doc: 'twice' });
  await written();
  assert.equal((await meter(second, 'TRANSFER_OUT')).rawByteCount, 0);
  const both = await server.admin('POST', `${second.path}/meters/query`, { meterType: 'TRANSFER_OUT' });
  assert.deepEqual(both.rows.map(({ rawByteCount }) => rawByteCount), [0, length]);
});

test('a crash loses at most what was sent since the last writing, an end loses nothing', async () => {
  const tenant = await makeTenant(server, 'fina');
  const spend = async () => {
    let bytes = 0;
    for (let i = 0; i < 10; ++i) bytes += Buffer.byteLength((await tenant.ask('GET', '/')).text);
    return bytes;
  };
  const early = await spend();
  await settled(tenant, 'TRANSFER_OUT', (now) => now.rawByteCount >= early);
  const late = await spend();
  await server.stop('SIGKILL');
  await server.launch();
  const kept = (await meter(tenant, 'TRANSFER_OUT')).rawByteCount;
  assert.ok(kept >= early && kept <= early + late, `${early} ${kept} ${early + late}`);
  const last = await spend();
  await server.stop();
  await server.launch();
  assert.equal((await meter(tenant, 'TRANSFER_OUT')).rawByteCount, kept + last);
});

test('a server that does not count says nothing about what it sends', async () => {
  const silent = await SteleServer.start({ config: `${config}\nusage.enabled = false` });
  try {
    const tenant = await makeTenant(silent, 'ines');
    assert.equal((await tenant.ask('GET', '/webhosts')).status, 200);
    // An end writes all that is left.
    await silent.stop();
    await silent.launch();
    for (const type of ['TRANSFER_OUT', 'STORAGE']) {
      assert.equal((await silent.admin('GET', `${tenant.path}/meters/current/${type}`)).rawByteCount, 0, type);
    }
  } finally {
    await silent.end();
  }
});

/// Periods end with the month and are a minute long at least: a test that begins where one month becomes another
/// waits until it cannot see two.
async function insideMonth() {
  const minute = 60_000;
  for (;;) {
    const now = new Date();
    const since = now - Date.UTC(now.getUTCFullYear(), now.getUTCMonth());
    const left = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1) - now;
    if (since > minute && left > 3 * minute) return;
    await sleep(Math.min(since > minute ? left : minute - since, minute) + 1);
  }
}

test('closeout ends the period: what was counted stays, and new meters count on from nothing', async () => {
  await insideMonth();
  const tenant = await makeTenant(server, 'orla', { planKey: 'small' });
  // More than a new tenant has by itself.
  const much = 500_000;
  assert.ok((await settled(tenant, 'STORAGE', (now) => now.rawByteCount > 0)).rawByteCount < much);
  await tenant.ask('POST', '/webhosts', { title: 'x'.repeat(much) });
  const stored = await settled(tenant, 'STORAGE', (now) => now.rawByteCount > much);
  const sent = await settled(tenant, 'TRANSFER_OUT', (now) => now.rawByteCount > much);
  assert.ok(sent.rawByteCount > much);
  const start = Date.now();
  const reply = await asAdmin('POST', `${tenant.path}/closeout`, {});
  assert.equal(reply.status, 200, reply.text);
  assert.equal(reply.json.ok, true);
  assert.equal(reply.json._doc, tenant.id);

  const ended = await server.admin('GET', `/registrars/default/meters/${sent._doc}`);
  assert.equal(ended.rawByteCount, sent.rawByteCount);
  assert.equal(ended.meterStart.ms, sent.meterStart.ms);
  assert.ok(ended.meterEnd.ms >= start && ended.meterEnd.ms <= Date.now(), JSON.stringify(ended.meterEnd));
  const fresh = await meter(tenant, 'TRANSFER_OUT');
  assert.notEqual(fresh._doc, sent._doc);
  assert.equal(fresh.meterStart.ms, ended.meterEnd.ms);
  assert.equal(fresh.meterEnd.ms, sent.meterEnd.ms);
  assert.equal(fresh.rawByteCount, 0);
  const read = await tenant.ask('GET', '/webhosts/none');
  const length = Buffer.byteLength(read.text);
  assert.equal((await settled(tenant, 'TRANSFER_OUT', (now) => now.rawByteCount >= length)).rawByteCount, length);
  assert.equal((await server.admin('GET', `/registrars/default/meters/${sent._doc}`)).rawByteCount, sent.rawByteCount);
  const again = await settled(tenant, 'STORAGE', (now) => now.rawByteCount >= stored.rawByteCount);
  assert.equal(again.rawByteCount, stored.rawByteCount);
  assert.equal((await server.admin('GET', `${tenant.path}/meters`)).total_rows, 4);

});

test('a closeout that is repeated at once ends no second period', async () => {
  await insideMonth();
  const tenant = await makeTenant(server, 'pia');
  for (let times = 0; times < 3; ++times) {
    assert.equal((await asAdmin('POST', `${tenant.path}/closeout`, {})).status, 200);
    const meters = await server.admin('GET', `${tenant.path}/meters`);
    assert.equal(meters.total_rows, 4, `after ${times + 1}`);
  }
  const open = await meter(tenant, 'STORAGE');
  assert.equal(open.meterEnd.ms, Date.UTC(new Date().getUTCFullYear(), new Date().getUTCMonth() + 1));
});

test('a list of meters is cut, sorted, filtered and shown as asked', async () => {
  await insideMonth();
  const tenant = await makeTenant(server, 'quin');
  await server.admin('POST', `${tenant.path}/closeout`, {});
  const list = (query, body) => server.admin(body ? 'POST' : 'GET', `${tenant.path}/meters${body ? '/query' : ''}${query}`, body);
  const all = await list('');
  assert.equal(all.total_rows, 4);
  const starts = all.rows.map(({ meterStart }) => meterStart.ms);
  assert.deepEqual(starts, [...starts].sort((a, b) => b - a), 'the latest come first');
  const cut = await list('?skip=1&limit=2');
  assert.deepEqual([cut.total_rows, cut.offset, cut.rows.map(({ _doc }) => _doc)], [4, 1, all.rows.slice(1, 3).map(({ _doc }) => _doc)]);
  const sorted = await list(`?sort=${encodeURIComponent('{"meterType":-1}')}&limit=1`);
  assert.equal(sorted.rows[0].meterType, 'TRANSFER_OUT');
  const some = await list('?limit=1', { meterType: 'STORAGE', _fields: { meterType: 1 } });
  assert.equal(some.total_rows, 2);
  assert.deepEqual(Object.keys(some.rows[0]).filter((name) => name !== '_doc'), ['meterType']);
  const other = await list('', { tenantId: 'another' });
  assert.equal(other.total_rows, 0, 'a condition does not widen the list');
  assert.equal((await list('', { $or: [{ tenantId: 'another' }, { meterType: 'STORAGE' }] })).total_rows, 2);
});

test('closeout needs UPDATE on the tenant', async () => {
  await insideMonth();
  const tenant = await makeTenant(server, 'pam');
  await server.makeUser('reader');
  const token = await server.login('reader', 'secret-of-reader');
  const closeout = async () => (await server.request('POST', `${tenant.path}/closeout`, { token, body: {} })).status;
  assert.ok([403, 404].includes(await closeout()));
  for (const place of ['/registrars/default', tenant.path]) {
    await server.admin('POST', `${place}/authorities/consumer/grant?id=default/reader`, {});
  }
  assert.equal(await closeout(), 403);
  await server.admin('POST', `${tenant.path}/authorities/editor/grant?id=default/reader`, {});
  assert.equal(await closeout(), 200);
});
