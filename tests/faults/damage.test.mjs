// Bytes that change on the disk: `stele check` finds each, the server hands none of them out, says so, and
// makes no backup of them.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { chmodSync, closeSync, cpSync, existsSync, mkdirSync, mkdtempSync, openSync, readSync, readdirSync, rmSync, statSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { repetitions } from '../support/repetitions.mjs';
import { SteleServer } from '../support/stele_server.mjs';
import { until } from '../support/until.mjs';

let random = Number(process.env.STELE_SEED ?? 17);
const next = (limit) => {
  random = (random * 1103515245 + 12345) % 2147483648;
  return Math.floor((random / 2147483648) * limit);
};

function flip(file, offset, change = 1) {
  const descriptor = openSync(file, 'r+');
  const byte = Buffer.alloc(1);
  readSync(descriptor, byte, 0, 1, offset);
  byte[0] ^= change;
  writeSync(descriptor, byte, 0, 1, offset);
  closeSync(descriptor);
}

/// What belongs to the store: not what LevelDB tells of its work, nor room that is held back.
const filesOf = (data) => ['store', 'blobs', 'search'].flatMap((part) =>
  readdirSync(join(data, part), { recursive: true }).map((name) => join(data, part, name)))
  .filter((file) => statSync(file).isFile() && statSync(file).size > 0 && !/(^|\/)(LOG(\.old)?|stele\.reserve)$/.test(file));

const folder = mkdtempSync(join(tmpdir(), 'stele-damage-'));
const config = 'storage.row_cache = 0\nstorage.cache = 1MiB\nstorage.write_buffer = 64KiB\n';
let server;
let attachment;
let large;
let bytes;
before(async () => {
  mkdirSync(join(folder, 'whole'));
  server = await SteleServer.start({ data: join(folder, 'whole'), config });
  const { _doc } = await server.admin('POST', '/repositories', {});
  const master = `/repositories/${_doc}/branches/master`;
  for (let i = 0; i < 40; ++i) await server.admin('POST', `${master}/nodes`, { title: `lighthouse ${i}`, text: randomBytes(1500).toString('hex') });
  const node = `${master}/nodes/${(await server.admin('POST', `${master}/nodes`, {}))._doc}`;
  attachment = `${node}/attachments/small`;
  large = `${node}/attachments/large`;
  bytes = randomBytes(3_000_000);
  for (const [path, body] of [[attachment, bytes.subarray(0, 20_000)], [large, bytes]]) {
    const reply = await server.request('POST', path, { body, token: server.adminToken, headers: { 'Content-Type': 'image/png' } });
    assert.equal(reply.status, 200, reply.text);
  }
  await until(async () => (await server.admin('POST', `${master}/nodes/search`, { search: 'lighthouse' })).total_rows === 40, 'the search finds all');
  await server.stop();
  // Once more, so that the log has become tables.
  await server.launch();
  await server.admin('POST', `${master}/nodes`, { title: 'last' });
  await server.stop();
});
after(() => rmSync(folder, { recursive: true, force: true }));

/// A server over a copy of the store; not started.
function copied(name) {
  const copy = Object.assign(new SteleServer(), { options: { config }, data: join(folder, name), seed: server.seed, ownsData: true });
  cpSync(server.data, copy.data, { recursive: true });
  return copy;
}

/// Gives a copy back what a flip and the check after it have changed: that file, and what opening a store writes.
function restore(copy, file) {
  if (!file.startsWith(join(server.data, 'store'))) cpSync(file, file.replace(server.data, copy.data));
  rmSync(join(copy.data, 'store'), { recursive: true });
  cpSync(join(server.data, 'store'), join(copy.data, 'store'), { recursive: true });
}

test('stele check finds every flipped byte of store, binaries and search index, and never aborts', () => {
  const sound = server.check();
  assert.equal(sound.status, 0, sound.text);
  const copy = copied('flipped');
  // Seven hundred more, without the program, are in tests/storage/leveldb_damage_test.cpp.
  const flips = repetitions(process.env.STELE_SANITIZED ? 40 : process.env.STELE_SHORT === 'ci' ? 100 : 300);
  for (let i = 0; i < flips; ++i) {
    const files = filesOf(server.data);
    // Each part as often as the others, however large.
    const part = ['store', 'blobs', 'search'][i % 3];
    const chosen = files.filter((file) => file.startsWith(join(server.data, part)));
    const file = chosen[next(chosen.length)];
    const offset = next(statSync(file).size);
    const change = 1 << next(8);
    flip(file.replace(server.data, copy.data), offset, change);
    const checked = copy.check();
    // A table that the store no longer consists of holds nothing, and the next opening removes it unread.
    if (checked.status === 0 && file.endsWith('.ldb') && !existsSync(file.replace(server.data, copy.data))) {
      restore(copy, file);
      continue;
    }
    assert.equal(checked.status, 2, `${file} at ${offset} changed by ${change}: ${checked.text}`);
    assert.match(checked.text, /NOT consistent/);
    // A digest that changed looks like a change of the file that it is of.
    const named = file.endsWith('search/stele.seal') ? 'the search index' : file.split('/').at(-1);
    assert.ok(checked.text.includes(named), `${file} at ${offset}: ${checked.text}`);
    restore(copy, file);
  }
  rmSync(copy.data, { recursive: true });
});

test('a damaged table answers 500, is logged with file and offset, and stops readiness and backups', async () => {
  const copy = copied('table');
  await copy.launch();
  const token = await copy.login();
  assert.equal((await copy.request('GET', '/readyz')).status, 200);
  const tables = filesOf(copy.data).filter((file) => file.endsWith('.ldb'));
  for (const table of tables) for (let offset = 100; offset < statSync(table).size - 5000; offset += 4000) flip(table, offset);
  try {
    const codes = new Map();
    for (const path of ['/repositories', '/domains/default/principals', '/activities?limit=-1', attachment.replace(/\/attachments.*/, '')]) {
      const reply = await copy.request('GET', path, { token });
      codes.set(`${reply.status} ${reply.json?.code ?? ''}`, path);
      if (reply.status !== 500) continue;
      assert.equal(reply.json.code, 'store.damaged');
      assert.ok(!reply.text.includes('.ldb'), reply.text);
    }
    assert.ok([...codes.keys()].includes('500 store.damaged'), JSON.stringify([...codes]));
    const ready = await copy.request('GET', '/readyz');
    assert.equal(ready.status, 503);
    assert.equal(ready.json.code, 'store.damaged');
    assert.match(ready.json.message, /\d+\.ldb of the store at offset \d+/);
    assert.equal((await copy.request('GET', '/healthz')).status, 200);
    assert.match(copy.log, /error.*damage: the table \d+\.ldb of the store at offset \d+/);
    const backup = copy.run(['backup'], { options: ['--to', join(folder, 'damaged.backup')] });
    assert.notEqual(backup.status, 0);
    assert.match(backup.err, /\d+\.ldb of the store at offset \d+.*store\.damaged/);
  } finally {
    await copy.stop('SIGKILL');
  }
});

test('a damaged binary is not handed out, and stops readiness and backups', async () => {
  const copy = copied('binary');
  await copy.launch();
  copy.adminToken = await copy.login();
  const blobs = filesOf(join(copy.data)).filter((file) => file.startsWith(join(copy.data, 'blobs')));
  const get = (path, headers) => copy.request('GET', path, { token: copy.adminToken, headers });
  try {
    assert.deepEqual((await get(large)).bytes, bytes);
    for (const file of blobs) flip(file, statSync(file).size - 1);
    const small = await get(attachment);
    assert.deepEqual([small.status, small.json.code], [500, 'store.damaged'], small.text);
    const ready = await copy.request('GET', '/readyz');
    assert.deepEqual([ready.status, ready.json.code], [503, 'store.damaged']);
    assert.match(ready.json.message, /the binary fs\/[0-9a-f]{64}/);
    assert.match(copy.log, /error.*damage: the binary fs\/[0-9a-f]{64}/);
    const backup = copy.run(['backup'], { options: ['--to', join(folder, 'binary.backup')] });
    assert.notEqual(backup.status, 0);
    assert.match(backup.err, /the binary fs\/[0-9a-f]{64}.*store\.damaged/);
    // Without the backup's look, the one that was found sound a moment ago is trusted for parts, and as a
    // whole only while nobody writes to its file.
    const whole = await get(large);
    assert.deepEqual([whole.status, whole.json.code], [500, 'store.damaged'], whole.text);
    await copy.stop();
    await copy.launch();
    const part = await get(large, { Range: 'bytes=0-9' });
    assert.deepEqual([part.status, part.json.code], [500, 'store.damaged'], part.text);
  } finally {
    await copy.stop('SIGKILL');
  }
});

test('a damaged search index is built anew at the next start', async () => {
  const copy = copied('search');
  for (const file of filesOf(copy.data).filter((one) => one.endsWith('.glass'))) flip(file, Math.floor(statSync(file).size / 2), 64);
  await copy.launch();
  try {
    const master = attachment.replace(/\/nodes\/.*/, '');
    copy.adminToken = await copy.login();
    await until(async () => (await copy.admin('POST', `${master}/nodes/search`, { search: 'lighthouse' })).total_rows === 40, 'the search finds all again');
    assert.match(copy.log, /search index .* is not what it was when the index was closed; it is built anew/);
  } finally {
    await copy.stop('SIGKILL');
  }
});

test('folders and files of a store are their owner\'s', async () => {
  const copy = copied('private');
  await copy.launch();
  await copy.stop();
  const open = readdirSync(copy.data, { recursive: true }).map((name) => join(copy.data, name))
    .filter((file) => !file.endsWith('test.conf') && !file.endsWith('seed.json'))
    .filter((file) => (statSync(file).mode & 0o077) !== 0);
  assert.deepEqual(open, []);
});

test('folders that were opened to others are closed at the next start', async () => {
  const copy = copied('opened');
  const opened = { store: 0o750, blobs: 0o705, uploads: 0o720 };
  for (const [name, mode] of Object.entries(opened)) chmodSync(join(copy.data, name), mode);
  await copy.launch();
  await copy.stop();
  for (const name of Object.keys(opened)) assert.equal(statSync(join(copy.data, name)).mode & 0o777, 0o700, name);
});

/// A server of its own with records that only the log of writes has.
async function withLog(work) {
  const own = await SteleServer.start({});
  const logs = () => readdirSync(join(own.data, 'store')).filter((name) => name.endsWith('.log')).map((name) => join(own.data, 'store', name));
  try {
    for (let i = 0; i < 20; ++i) await own.admin('POST', '/uiconfigs', { number: i });
    await work(own, logs);
  } finally {
    await own.stop('SIGKILL');
    rmSync(own.data, { recursive: true, force: true });
  }
}

test('a log of writes that is gone is damage, however the server ended', async () => {
  for (const [signal, isWhileRunning] of [['SIGKILL', false], ['SIGKILL', true], ['SIGTERM', true]]) {
    await withLog(async (own, logs) => {
      const take = () => logs().forEach((log) => rmSync(log));
      if (isWhileRunning) take();
      await own.stop(signal);
      if (!isWhileRunning) take();
      if (signal === 'SIGTERM') assert.match(own.log, / error .*\.log: it is gone/);
      const checked = own.check();
      assert.notEqual(checked.status, 0, `${signal} ${checked.text}`);
      assert.match(checked.text, /The store is damaged: .*\.log: it is gone/);
      await assert.rejects(own.launch());
    });
  }
});

test('a second process stays out of a store that is served, also when its lock files were removed', async () => {
  await withLog(async (own) => {
    for (const name of ['LOCK', 'stele.lock']) rmSync(join(own.data, 'store', name), { force: true });
    const checked = own.check();
    assert.notEqual(checked.status, 0, checked.text);
    assert.match(checked.text, /is in use by another Stele process/);
    await own.admin('POST', '/uiconfigs', { number: 20 });
    await own.stop();
    assert.equal(own.check().status, 0);
    await own.launch();
    assert.equal((await own.admin('GET', '/uiconfigs?limit=1')).total_rows, 21);
  });
});
