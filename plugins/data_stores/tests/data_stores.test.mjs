// Data stores (docs/reference/data-stores.md): what docs/specification/interface.md 3.2 says of registrars and web hosts, and
// locks, sizes, statistics and switched-off authorities under several callers at once.
import assert from 'node:assert/strict';
import http from 'node:http';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { readSpecification } from '../../../tests/support/specification.mjs';
import { SteleServer } from '../../../tests/support/stele_server.mjs';

const kWait = 1500;
const config = ['stores.lock_wait = 1500ms', 'stores.lock_waiters = 300', 'workers.threads = 2',
                'stores.statistics_period = 250ms'].join('\n');

let server;
const tokens = {};
before(async () => {
  server = await SteleServer.start({ config });
  for (const name of ['writer', 'stranger']) {
    await server.makeUser(name);
    tokens[name] = await server.login(name, `secret-of-${name}`);
  }
});
after(() => server.end());

const as = (name, method, path, body) =>
  server.request(method, path, { token: tokens[name], body });
const admin = (...args) => server.admin(...args);
const grant = (path, role, who) => admin('POST', `${path}/authorities/${role}/grant?id=default/${who}`);

/// A web host, and the paths in it.
async function makeHost(fields = {}) {
  const { _doc } = await admin('POST', '/webhosts', fields);
  const path = `/webhosts/${_doc}`;
  return { id: _doc, path, mappings: `${path}/autoclientmappings` };
}

async function makeSharedHost(fields) {
  const host = await makeHost(fields);
  await grant(host.path, 'collaborator', 'writer');
  return host;
}

const until = async (holds, patience = 120_000) => {
  const end = Date.now() + patience;
  while (!(await holds())) {
    assert.ok(Date.now() < end, 'it does not come true');
    await sleep(25);
  }
};

test('registrars and web hosts have every field of the table, with its default', async () => {
  const table = readSpecification('interface.md')
    .split('### 3.2 Data stores')[1].split('\n1. ')[0];
  const fields = [...table.matchAll(/^\| (\w+) \| (\w+) \| (\S*) ?\| (yes|no) \|/gm)]
    .map(([, name, type, byDefault, readOnly]) => ({ name, type, byDefault, isReadOnly: readOnly === 'yes' }));
  assert.equal(fields.length, 13);
  for (const [collection, type] of [['/registrars', 'registrar'], ['/webhosts', 'webhost']]) {
    const { _doc } = await admin('POST', collection, {});
    const record = await admin('GET', `${collection}/${_doc}`);
    assert.equal(record.datastoreId, _doc);
    assert.equal(record.datastoreTypeId, type);
    for (const { name, type: kind, byDefault } of fields) {
      if (byDefault) assert.equal(String(record[name]), byDefault, name);
      if (name in record) assert.equal(typeof record[name], kind, name);
    }
    assert.equal(record.locked, false);
    assert.equal(record.size, 0);
    assert.equal(record.objectcount, 0);
    assert.equal(record.maxsize, -1);
    assert.equal(record.statisticsDirty, false);
    const forged = Object.fromEntries(fields.filter((field) => field.isReadOnly)
      .map(({ name, type: kind }) => [name, { string: 'forged', boolean: true, number: 99 }[kind]]));
    await admin('PUT', `${collection}/${_doc}`, { ...record, ...forged, title: 'changed' });
    const again = await admin('GET', `${collection}/${_doc}`);
    for (const name of Object.keys(forged)) assert.deepEqual(again[name], record[name], name);
    assert.equal(again.title, 'changed');
  }
  const host = await makeHost({ key: 'k', deployerTypes: ['cloudcms.net'], urlPatterns: ['a', 'b'] });
  const record = await admin('GET', host.path);
  assert.equal(record.key, 'k');
  assert.deepEqual(record.deployerTypes, ['cloudcms.net']);
});

test('maxsize is a whole number of bytes up to the largest signed one, or -1; anything else is told by its name', async () => {
  const host = await makeHost({});
  const largest = '9223372036854775807';
  const put = (maxsize) => server.request('PUT', host.path, { body: `{"maxsize":${maxsize}}`, token: server.adminToken });
  for (const maxsize of ['-1', '0', largest, '"5000"', `"${largest}"`]) assert.equal((await put(maxsize)).status, 200, maxsize);
  for (const maxsize of ['-2', '9223372036854775808', '18446744073709551615', '1.5', '"12 bytes"', '"9223372036854775808"', '""', 'true', '[]']) {
    const reply = await put(maxsize);
    assert.equal(reply.status, 400, maxsize);
    assert.deepEqual(reply.json.violations.map(({ path }) => path), ['maxsize'], maxsize);
  }
});

test('an update that leaves fields out keeps what the server sets and falls back to defaults', async () => {
  const host = await makeHost({ maxsize: 5000, title: 'T' });
  await admin('POST', host.mappings, { host: 'a' });
  await admin('POST', `${host.path}/stats`);
  const before = await admin('GET', host.path);
  await admin('PUT', host.path, {});
  const after = await admin('GET', host.path);
  assert.equal(after.maxsize, -1);
  assert.equal(after.enableAuthorities, true);
  assert.equal(after.size, before.size);
  assert.equal(after.locked, false);
  assert.ok(!('title' in after));
});

/// A server on which only an unlock or the end of the server ends a wait, a store in it, and a writer.
async function startPatient() {
  const patient = await SteleServer.start(
    { config: 'stores.lock_wait = 10min\nstores.lock_waiters = 300\nworkers.threads = 2\n' });
  await patient.makeUser('writer');
  const token = await patient.login('writer', 'secret-of-writer');
  const path = `/webhosts/${(await patient.admin('POST', '/webhosts', {}))._doc}`;
  await patient.admin('POST', `${path}/authorities/collaborator/grant?id=default/writer`);
  const write = (options) =>
    patient.request('POST', `${path}/autoclientmappings`, { token, body: { host: 'x' }, ...options });
  return { patient, path, write };
}

test('a writer waits for a locked store and goes on when it is unlocked', async () => {
  const { patient, path, write } = await startPatient();
  try {
    const reply = await patient.admin('POST', `${path}/lock`);
    assert.equal(reply.ok, true);
    assert.equal(reply.lockedBy, 'default/admin');
    let isDone = false;
    const waiting = write().then((done) => { isDone = true; return done; });
    await sleep(400);
    assert.equal(isDone, false);
    await patient.admin('POST', `${path}/unlock`);
    const done = await waiting;
    assert.equal(done.status, 200, done.text);
    const record = await patient.admin('GET', path);
    assert.equal(record.locked, false);
    assert.ok(!('lockedBy' in record));
  } finally {
    await patient.end();
  }
});

test('every kind of write is kept out, reads are not, and the holder passes', async () => {
  const host = await makeSharedHost();
  const mine = (await as('writer', 'POST', host.mappings, { host: 'mine' })).json._doc;
  await admin('POST', `${host.path}/lock`);
  const writes = [['POST', host.mappings, { host: 'x' }], ['PUT', `${host.mappings}/${mine}`, { host: 'x' }],
                  ['DELETE', `${host.mappings}/${mine}`], ['PUT', host.path, { title: 'x' }],
                  ['DELETE', host.path]];
  const begun = Date.now();
  const replies = await Promise.all(writes.map(([method, path, body]) => as('writer', method, path, body)));
  for (const reply of replies) {
    assert.equal(reply.status, 423, reply.text);
    assert.equal(reply.json.code, 'data_store.locked');
    assert.match(reply.json.message, /default\/admin/);
    assert.equal(reply.statusText, 'Locked');
  }
  assert.ok(Date.now() - begun >= kWait - 50);
  assert.equal((await as('writer', 'GET', `${host.mappings}/${mine}`)).json.host, 'mine');
  assert.equal((await as('writer', 'POST', `${host.mappings}/query`, {})).json.total_rows, 1);
  await admin('PUT', `${host.mappings}/${mine}`, { host: 'by the holder' });
  await admin('PUT', host.path, { title: 'by the holder' });
  assert.equal((await admin('GET', host.path)).locked, true);
  const foreign = await as('writer', 'POST', `${host.path}/unlock`);
  assert.equal(foreign.status, 403);
  assert.equal(foreign.json.code, 'data_store.lock_foreign');
});

test('a lock is kept by another until an owner breaks it', async () => {
  const host = await makeHost();
  await grant(host.path, 'manager', 'writer');
  assert.equal((await as('stranger', 'POST', `${host.path}/lock`)).status, 404);
  const locked = await as('writer', 'POST', `${host.path}/lock`);
  assert.equal(locked.json.lockedBy, 'default/writer');
  const second = await server.request('POST', `${host.path}/lock`, { token: server.adminToken });
  assert.equal(second.status, 423);
  assert.equal((await admin('POST', `${host.path}/unlock`)).locked, false);
  assert.equal((await admin('POST', `${host.path}/lock`)).lockedBy, 'default/admin');
});

test('a domain, a directory and an application lock the same way', async () => {
  for (const [collection, inner, body] of [
    ['/domains', 'principals', { type: 'GROUP', name: 'g' }],
    ['/applications', '', {}],
    ['/directories', '', {}],
    ['/registrars', '', {}],
  ]) {
    const { _doc } = await admin('POST', collection, {});
    const path = `${collection}/${_doc}`;
    await grant(path, 'collaborator', 'writer');
    assert.equal((await admin('POST', `${path}/lock`)).locked, true, collection);
    const [method, target] = inner ? ['POST', `${path}/${inner}`] : ['PUT', path];
    assert.equal((await as('writer', method, target, body)).status, 423, collection);
    assert.equal((await admin('POST', `${path}/unlock`)).locked, false);
    assert.equal((await as('writer', method, target, body)).status, 200, collection);
    const stats = await admin('POST', `${path}/stats`);
    assert.equal(stats.objectcount, inner ? 1 : 0, collection);
    assert.equal((await admin('GET', `${path}/info`)).objectcount, inner ? 1 : 0);
  }
});

test('hundreds that wait hold up nobody, and more than may wait are refused at once', async () => {
  const { patient, path, write } = await startPatient();
  await patient.admin('POST', `${path}/lock`);
  const crowd = new http.Agent({ maxSockets: 400 });
  let refused = 0;
  const waiting = Array.from({ length: 310 },
    () => write({ agent: crowd }).then((reply) => { ++refused; return reply; }));
  await until(() => refused >= 10);
  for (let i = 0; i < 20; ++i) {
    await patient.admin('GET', '/');
    await patient.admin('GET', '/webhosts?limit=1');  // on one of the two workers
  }
  assert.equal(refused, 10);
  const ended = patient.stop();  // who waits is answered before the server ends
  const replies = await Promise.all(waiting);
  assert.deepEqual([...new Set(replies.map((reply) => reply.status))], [423]);
  assert.equal((await ended).code, 0);
  await patient.launch();
  patient.adminToken = undefined;
  assert.equal((await patient.admin('GET', `${path}/autoclientmappings`)).total_rows, 0);
  await patient.end();
});

test('a write and a lock that race are put in order', async () => {
  for (let round = 0; round < 5; ++round) {
    const host = await makeSharedHost();
    const acknowledged = [];
    let isLocked = false;
    const writers = Array.from({ length: 12 }, async () => {
      for (let i = 0; !isLocked && i < 200; ++i) {
        const reply = await as('writer', 'POST', host.mappings, { host: 'h' });
        if (reply.status === 200) acknowledged.push(reply.json._doc);
        else assert.equal(reply.status, 423, reply.text);
      }
    });
    await sleep(20 + 15 * round);
    await admin('POST', `${host.path}/lock`);
    isLocked = true;
    const atLock = (await admin('GET', `${host.mappings}?limit=0`)).total_rows;
    await Promise.all(writers);
    const atEnd = (await admin('GET', `${host.mappings}?limit=0`)).total_rows;
    assert.equal(atEnd, atLock, 'nothing came in behind the lock');
    assert.equal(acknowledged.length, atEnd, 'what came in was acknowledged');
  }
});

test('statistics are what a naive count finds', async () => {
  const host = await makeHost({ title: 'counted' });
  const made = [];
  for (let i = 0; i < 30; ++i) {
    made.push((await admin('POST', host.mappings, { host: 'x'.repeat(i), n: i }))._doc);
  }
  for (let i = 0; i < 5; ++i) await admin('POST', `${host.path}/trusteddomainmappings`, { host: `${i}` });
  for (const id of made.slice(0, 10)) await admin('PUT', `${host.mappings}/${id}`, { host: 'y'.repeat(100) });
  for (const id of made.slice(10, 15)) await admin('DELETE', `${host.mappings}/${id}`);
  const naive = async () => {
    let bytes = 0;
    let count = 0;
    for (const kind of ['autoclientmappings', 'trusteddomainmappings']) {
      for (const row of (await admin('GET', `${host.path}/${kind}?limit=-1`)).rows) {
        bytes += (await server.request('GET', `${host.path}/${kind}/${row._doc}`, { token: server.adminToken })).text.length;
        ++count;
      }
    }
    return { bytes, count };
  };
  const { bytes, count } = await naive();
  assert.equal(count, 30);
  const stats = await admin('POST', `${host.path}/stats`);
  assert.equal(stats.objectcount, count);
  assert.equal(stats.size, bytes);
  assert.equal(stats.statisticsDirty, false);
  assert.ok(Math.abs(stats.statisticsDate.ms - Date.now()) < 60_000);
  const info = await admin('GET', `${host.path}/info`);
  assert.deepEqual(info.counts, { autoClientMapping: 25, deployedApplication: 0, trustedDomainMapping: 5 });
  assert.equal(info.size, bytes);

  await admin('POST', host.mappings, { host: 'later' });
  await until(async () => (await admin('GET', host.path)).objectcount === count + 1);
  const record = await admin('GET', host.path);
  assert.equal(record.size, (await naive()).bytes);
  assert.equal(record.statisticsDirty, false);
  assert.ok(record._system.modified_on.ms <= stats.statisticsDate.ms, 'statistics modify nothing');
});

test('statistics are dirty from a write until they are taken', async () => {
  const slow = await SteleServer.start({ config: '[stores]\nstatistics_period = 1h\n' });
  try {
    const host = (await slow.admin('POST', '/webhosts', {}))._doc;
    const isDirty = async () => (await slow.admin('GET', `/webhosts/${host}`)).statisticsDirty;
    await slow.admin('POST', `/webhosts/${host}/autoclientmappings`, { host: 'a' });
    assert.equal(await isDirty(), true);
    await slow.admin('POST', `/webhosts/${host}/stats`);
    assert.equal(await isDirty(), false);
  } finally {
    await slow.end();
  }
});

test('statistics come right while others write', async () => {
  const host = await makeSharedHost();
  let stop = false;
  let written = 0;
  const writers = Array.from({ length: 8 }, async () => {
    while (!stop) {
      assert.equal((await as('writer', 'POST', host.mappings, { host: 'w' })).status, 200);
      ++written;
    }
  });
  for (let i = 0; i < 10; ++i) {
    const least = written;
    const stats = await admin('POST', `${host.path}/stats`);
    assert.ok(stats.objectcount >= least && stats.objectcount <= written + 8);
  }
  stop = true;
  await Promise.all(writers);
  await until(async () => !(await admin('GET', host.path)).statisticsDirty);
  assert.equal((await admin('GET', host.path)).objectcount, written);
});

test('maxsize holds against many writers at once, and deletions always pass', async () => {
  const host = await makeSharedHost();
  const one = await as('writer', 'POST', host.mappings, { host: 'x'.repeat(200) });
  const size = (await admin('POST', `${host.path}/stats`)).size;
  const room = 10;
  // Ids and times have fixed widths, so that all of them are as long as the first.
  const record = await admin('GET', host.path);
  await admin('PUT', host.path, { ...record, maxsize: size * (room + 1) + Math.floor(size / 2) });
  const replies = await Promise.all(Array.from({ length: 60 }, () =>
    as('writer', 'POST', host.mappings, { host: 'x'.repeat(200) })));
  const statuses = replies.map((reply) => reply.status);
  assert.equal(statuses.filter((status) => status === 200).length, room, String(statuses));
  assert.equal(statuses.filter((status) => status === 507).length, 60 - room);
  const full = replies.find((reply) => reply.status === 507);
  assert.equal(full.json.code, 'data_store.full');
  assert.match(full.json.message, new RegExp(`${size * (room + 1) + Math.floor(size / 2)}`));
  assert.equal((await admin('GET', host.mappings)).total_rows, room + 1);
  const stats = await admin('POST', `${host.path}/stats`);
  assert.ok(stats.size <= stats.maxsize);

  const id = one.json._doc;
  const grown = await as('writer', 'PUT', `${host.mappings}/${id}`, { host: 'x'.repeat(5000) });
  assert.equal(grown.status, 507);
  assert.equal((await admin('GET', `${host.mappings}/${id}`)).host.length, 200);
  assert.equal((await as('writer', 'PUT', `${host.mappings}/${id}`, { host: 'x' })).status, 200);
  await admin('PUT', host.path, { ...record, maxsize: 1 });
  assert.equal((await as('writer', 'POST', host.mappings, {})).status, 507);
  assert.equal((await as('writer', 'PUT', `${host.mappings}/${id}`, { host: '' })).status, 200);
  assert.equal((await as('writer', 'DELETE', `${host.mappings}/${id}`)).status, 200);
  await admin('PUT', host.path, { ...record, maxsize: -1 });
  assert.equal((await as('writer', 'POST', host.mappings, {})).status, 200);
});

test('a store without authorities is open inside, and only there', async () => {
  const host = await makeSharedHost();
  const { _doc } = await admin('POST', host.mappings, { host: 'published' });
  const inside = `${host.mappings}/${_doc}`;
  const record = await admin('GET', host.path);
  assert.equal((await as('stranger', 'GET', inside)).status, 404);
  const reserved = await as('writer', 'PUT', host.path, { enableAuthorities: false });
  assert.equal(reserved.status, 403);
  assert.equal(reserved.json.code, 'data_store.owner_required');
  await admin('PUT', host.path, { ...record, enableAuthorities: false });
  assert.equal((await as('stranger', 'GET', inside)).json.host, 'published');
  assert.equal((await as('stranger', 'GET', host.mappings)).json.total_rows, 1);
  assert.equal((await as('stranger', 'POST', host.mappings, { host: 'more' })).status, 200);
  assert.equal((await as('stranger', 'PUT', inside, { host: 'changed' })).status, 200);
  for (const [method, path, body] of [
    ['PUT', host.path, { title: 'x' }], ['DELETE', host.path], ['POST', `${host.path}/lock`],
    ['POST', `${inside}/authorities/owner/grant?id=default/stranger`, {}],
  ]) {
    assert.equal((await as('stranger', method, path, body)).status, 403, `${method} ${path}`);
  }
  await admin('PUT', host.path, { ...record, enableAuthorities: true });
  assert.equal((await as('stranger', 'GET', inside)).status, 404);
  assert.equal((await as('stranger', 'GET', host.mappings)).status, 404);
});

test('binaries go to a known place only', async () => {
  for (const collection of ['/registrars', '/webhosts', '/domains', '/applications']) {
    const bad = await server.request('POST', collection,
      { token: server.adminToken, body: { binaryStorageProviderType: 'floppy' } });
    assert.equal(bad.status, 400, collection);
    assert.deepEqual(bad.json.violations.map(({ path }) => path), ['binaryStorageProviderType']);
    assert.match(bad.json.message, /fs/);
    await admin('POST', collection, { binaryStorageProviderType: 'fs' });
    await admin('POST', collection, { binaryStorageProviderType: '' });
  }
});

test('a lock outlives the server', async () => {
  const own = await SteleServer.start({ config });
  await own.makeUser('writer');
  const { _doc } = await own.admin('POST', '/webhosts', {});
  await own.admin('POST', `/webhosts/${_doc}/authorities/collaborator/grant?id=default/writer`);
  await own.admin('POST', `/webhosts/${_doc}/lock`);
  await own.stop('SIGKILL');
  await own.launch();
  own.adminToken = undefined;
  const token = await own.login('writer', 'secret-of-writer');
  const refused = await own.request('PUT', `/webhosts/${_doc}`, { token, body: {} });
  assert.equal(refused.status, 423);
  assert.equal((await own.admin('GET', `/webhosts/${_doc}`)).lockedBy, 'default/admin');
  await own.admin('POST', `/webhosts/${_doc}/unlock`);
  assert.equal((await own.request('PUT', `/webhosts/${_doc}`, { token, body: {} })).status, 200);
  await own.end();
});

test('the store is consistent afterwards', async () => {
  await server.stop();
  const check = server.check();
  assert.equal(check.status, 0, check.text);
  await server.launch();
});
