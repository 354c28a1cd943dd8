// Downloads that go out from their files (docs/decisions/0185): whatever readers do, and whatever becomes of the
// file meanwhile, they get the bytes that were stored or see that they did not.
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { closeSync, openSync, readdirSync, readFileSync, readSync, rmSync, truncateSync, utimesSync, writeSync } from 'node:fs';
import net from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { SteleServer } from '../support/stele_server.mjs';

const kLarge = 24 << 20; // more than sockets hold
let server;
let record;
before(async () => {
  server = await SteleServer.start();
  record = `/uiconfigs/${(await server.admin('POST', '/uiconfigs', { title: 'files' }))._doc}`;
});
after(() => server.end());

const ask = (path, headers) => server.request('GET', path, { token: server.adminToken, headers });
const digest = (bytes) => createHash('sha256').update(bytes).digest('hex');

async function attached(bytes) {
  const path = `${record}/attachments/a${randomBytes(6).toString('hex')}`;
  const reply = await server.request('POST', path, { token: server.adminToken, body: bytes, headers: { 'Content-Type': 'application/octet-stream' } });
  assert.equal(reply.status, 200, reply.text);
  return path;
}

/// The file of a binary, by what only it holds. It seems to be an hour old: a write shows from now on.
function fileOf(bytes) {
  const blobs = join(server.data, 'blobs');
  const file = readdirSync(blobs, { recursive: true }).filter((name) => /\/[0-9a-f]{64}$/.test(name)).map((name) => join(blobs, name))
    .find((name) => readFileSync(name).equals(bytes));
  const then = Date.now() / 1000 - 3600;
  utimesSync(file, then, then);
  return file;
}

function flip(file, offset) {
  const descriptor = openSync(file, 'r+');
  const byte = Buffer.alloc(1);
  readSync(descriptor, byte, 0, 1, offset);
  byte[0] ^= 1;
  writeSync(descriptor, byte, 0, 1, offset);
  closeSync(descriptor);
}

const requestFor = (path, more = '') => `GET ${path} HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer ${server.adminToken}\r\n${more}\r\n`;

/// A socket that reads nothing until it is told to.
async function connected() {
  const socket = net.connect({ port: Number(new URL(server.baseUrl).port), host: '127.0.0.1' });
  await new Promise((ok) => { socket.once('connect', ok); });
  return socket;
}

const all = (socket) => new Promise((resolve) => {
  const pieces = [];
  socket.on('data', (piece) => pieces.push(piece));
  socket.on('error', () => {});
  socket.on('close', () => resolve(Buffer.concat(pieces)));
});

/// Bytes of the body, behind the first header.
const body = (bytes) => bytes.subarray(bytes.indexOf('\r\n\r\n') + 4);

/// Begins a download and reads nothing of it but its beginning.
async function begun(path) {
  const socket = await connected();
  socket.write(requestFor(path, 'Connection: close\r\n'));
  const first = await new Promise((ok) => { socket.once('data', (piece) => { socket.pause(); ok(piece); }); });
  return { socket, rest: async () => { const more = all(socket); socket.resume(); return Buffer.concat([first, await more]); } };
}

test('wholes, parts and what lies beyond the end come again and again as they were stored', async () => {
  for (const size of [1, 1000, 65_536, 1 << 20, (4 << 20) + 1]) {
    const bytes = randomBytes(size);
    const path = await attached(bytes);
    for (const round of ['just written', 'verified', 'known']) {
      if (round === 'verified') fileOf(bytes);
      const whole = await ask(path);
      assert.equal(whole.status, 200, round);
      assert.ok(whole.bytes.equals(bytes), `${size} ${round}`);
      const part = await ask(path, { Range: `bytes=${size >> 1}-` });
      assert.equal(part.status, 206, round);
      assert.ok(part.bytes.equals(bytes.subarray(size >> 1)), `${size} ${round}`);
      const beyond = await ask(path, { Range: `bytes=${size}-` });
      assert.equal(beyond.status, 416);
      assert.equal(beyond.headers['content-range'], `bytes */${size}`);
      const known = await ask(path, { 'If-None-Match': whole.headers.etag });
      assert.equal(known.status, 304);
      const head = await server.request('HEAD', path, { token: server.adminToken });
      assert.equal(head.headers['content-length'], String(size));
    }
  }
});

test('requests that come at once on one connection are answered in order', async () => {
  const bytes = randomBytes(1 << 20);
  const path = await attached(bytes);
  fileOf(bytes);
  await ask(path);
  const socket = await connected();
  const replies = all(socket);
  socket.write(requestFor(path) + requestFor(path, 'Range: bytes=5-9\r\n') + requestFor('/healthz') + requestFor(path, 'Connection: close\r\n'));
  let rest = await replies;
  for (const expected of [bytes, bytes.subarray(5, 10), null, bytes]) {
    const head = rest.subarray(0, rest.indexOf('\r\n\r\n')).toString();
    const length = Number(head.match(/content-length: (\d+)/i)[1]);
    if (expected) assert.ok(body(rest).subarray(0, length).equals(expected), head);
    rest = body(rest).subarray(length);
  }
  assert.equal(rest.length, 0);
});

test('two hundred readers at the same time all get everything, and others are served meanwhile', async () => {
  const bytes = randomBytes(1 << 20);
  const path = await attached(bytes);
  fileOf(bytes);
  const expected = digest(bytes);
  const readers = Array.from({ length: 200 }, async () => {
    const socket = await connected();
    socket.write(requestFor(path, 'Connection: close\r\n'));
    assert.equal(digest(body(await all(socket))), expected);
  });
  for (let i = 0; i < 20; ++i) assert.equal((await ask('/healthz')).status, 200);
  await Promise.all(readers);
});

test('a slow reader gets bytes that are deleted and replaced meanwhile, and holds up nobody', async () => {
  const bytes = randomBytes(kLarge);
  const path = await attached(bytes);
  const file = fileOf(bytes);
  for (const round of ['read and verified', 'known as sound']) {
    if (round === 'known as sound') {
      await attached(bytes);
      fileOf(bytes);
      assert.equal((await ask(path)).bytes.length, kLarge);
    }
    const { rest } = await begun(path);
    rmSync(file);
    assert.equal((await ask('/healthz')).status, 200);
    assert.ok(body(await rest()).equals(bytes), round);
  }
});

test('readers that leave in the middle leave nothing open', async () => {
  const bytes = randomBytes(kLarge);
  const path = await attached(bytes);
  fileOf(bytes);
  assert.equal((await ask(path)).bytes.length, kLarge);
  const open = () => readdirSync(`/proc/${server.child.pid}/fd`).length;
  const before_ = open();
  const readers = await Promise.all(Array.from({ length: 20 }, () => begun(path)));
  assert.ok(open() >= before_ + 40, `${open()} of ${before_}`);
  for (const { socket } of readers) socket.destroy();
  while (open() > before_ + 4) await ask('/healthz');
});

test('damage of a file that was found sound is told before the first byte', async () => {
  for (const size of [1000, 1 << 20]) {
    const bytes = randomBytes(size);
    const path = await attached(bytes);
    const file = fileOf(bytes);
    for (let i = 0; i < 2; ++i) assert.equal((await ask(path)).status, 200);
    flip(file, size - 1);
    const reply = await ask(path);
    assert.equal(reply.status, 500, `${size}`);
    assert.equal(reply.json.code, 'store.damaged');
    truncateSync(file, size / 2);
    assert.equal((await ask(path)).json?.code, 'store.damaged');
  }
});

test('a file that is changed or cut while it goes out does not come to its end', async () => {
  for (const spoil of [(file) => flip(file, kLarge - 10), (file) => truncateSync(file, kLarge - 10)]) {
    const bytes = randomBytes(kLarge);
    const path = await attached(bytes);
    const file = fileOf(bytes);
    assert.equal((await ask(path)).bytes.length, kLarge);
    const { rest } = await begun(path);
    spoil(file);
    const got = body(await rest());
    assert.ok(got.length < kLarge, `${got.length}`);
    assert.ok(got.equals(bytes.subarray(0, got.length)));
    assert.equal((await ask('/readyz')).status, 503);
  }
});
