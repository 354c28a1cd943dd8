// Files of a store that are away, or are no files: damage that is told, and never taken for what never was.
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { SteleServer, bin } from '../support/stele_server.mjs';

/// A server with a node, and the way to send it bytes; answers the file of these.
async function withNode(work) {
  const server = await SteleServer.start();
  try {
    const { _doc } = await server.admin('POST', '/repositories', {});
    const nodes = `/repositories/${_doc}/branches/master/nodes`;
    const node = `${nodes}/${(await server.admin('POST', nodes, { title: 'file' }))._doc}`;
    const path = (name) => `${node}/attachments/${name}`;
    const get = (name) => server.request('GET', path(name), { token: server.adminToken });
    const send = async (name, bytes) => {
      const headers = { 'Content-Type': 'image/x' };
      const reply = await server.request('POST', path(name), { token: server.adminToken, body: bytes, headers });
      assert.equal(reply.status, 200, reply.text);
      const digest = (await get(name)).headers.etag.replaceAll('"', '');
      return join(server.data, 'blobs', digest.slice(0, 2), digest);
    };
    await work({ server, path, get, send });
  } finally {
    await server.stop('SIGKILL');
    rmSync(server.data, { recursive: true, force: true });
  }
}

const inItsPlace = {
  nothing: () => {},
  'a pipe': (file) => execFileSync('mkfifo', [file]),
  'a folder': (file) => mkdirSync(file),
};

for (const [what, put] of Object.entries(inItsPlace)) {
  test(`a binary that a record names is damage when there is ${what} in its place`, async () => {
    await withNode(async ({ server, get, send }) => {
      const file = await send('a', Buffer.alloc(100_000, 1));
      await send('b', Buffer.alloc(100_000, 2));
      unlinkSync(file);
      put(file);
      for (let i = 0; i < 20; ++i) {
        const reply = await get('a');
        assert.deepEqual([reply.status, reply.json.code], [500, 'store.damaged'], reply.text);
      }
      assert.equal((await get('b')).status, 200);
      const ready = await server.request('GET', '/readyz');
      assert.deepEqual([ready.status, ready.json.code], [503, 'store.damaged'], ready.text);
      assert.equal((await server.logged(/ error .*damage: /)).length, 1, server.log);
      const copy = server.run(['backup'], { options: ['--to', join(server.data, 'x.backup')] });
      assert.notEqual(copy.status, 0, copy.text);
      assert.match(copy.text, /store\.damaged/);
      assert.ok(!existsSync(join(server.data, 'x.backup')));
      await server.stop();
      const checked = server.check();
      assert.equal(checked.status, 2, checked.text);
    });
  });
}

test('a backup misses binaries that nobody has asked for since they went, also those of former versions', async () => {
  await withNode(async ({ server, send }) => {
    const copy = (name, ...options) => server.run(['backup', ...options], { options: ['--to', join(server.data, name)] });
    const former = await send('a', Buffer.alloc(100_000, 1));
    await send('a', Buffer.alloc(100_000, 2));
    const { _doc } = await server.admin('POST', '/uiconfigs', {});
    const reply = await server.request('POST', `/uiconfigs/${_doc}/attachments/x`, {
      token: server.adminToken, body: Buffer.alloc(100_000, 3), headers: { 'Content-Type': 'image/x' },
    });
    assert.equal(reply.status, 200, reply.text);
    const [{ objectId }] = Object.values((await server.admin('GET', `/uiconfigs/${_doc}`))._system.attachments);
    const ofRecord = join(server.data, 'blobs', objectId.slice(0, 2), objectId);
    assert.equal(copy('whole.backup').status, 0);
    for (const file of [former, ofRecord]) {
      renameSync(file, `${file}.away`);
      assert.equal(copy('bare.backup', '--without-blobs').status, 0, 'what is left out is not looked for');
      rmSync(join(server.data, 'bare.backup'));
      const failed = copy('x.backup');
      assert.notEqual(failed.status, 0, failed.text);
      assert.match(failed.text, /store\.damaged/);
      assert.ok(!existsSync(join(server.data, 'x.backup')));
      assert.equal((await server.request('GET', '/readyz')).json.code, 'store.damaged');
      assert.equal((await server.logged(/ error .*damage: a binary that a record names is gone/)).length, 1, server.log);
      renameSync(`${file}.away`, file);
      await server.stop();
      server.log = '';
      await server.launch();
    }
    assert.equal(copy('again.backup').status, 0);
  });
});

test('a folder for uploads that cannot be used any more is told, and told when it can', async () => {
  await withNode(async ({ server, send }) => {
    const folder = join(server.data, 'uploads');
    const ready = async () => { const reply = await server.request('GET', '/readyz'); return [reply.status, reply.json.code]; };
    const until = async (holds, what) => {
      for (const end = Date.now() + 60_000; Date.now() < end; await sleep(100)) if (await holds()) return;
      assert.fail(what);
    };
    renameSync(folder, `${folder}.away`);
    writeFileSync(folder, '');
    await until(async () => (await ready())[0] === 503, 'it is told');
    assert.deepEqual(await ready(), [503, 'http.upload_folder_unusable']);
    const line = / error .*the folder for uploads /;
    await server.logged(line);
    await sleep(2500);
    assert.equal((await server.logged(line)).length, 1);
    unlinkSync(folder);
    renameSync(`${folder}.away`, folder);
    await until(async () => (await ready())[0] === 200, 'it can be used again');
    await send('a', Buffer.alloc(300_000, 1));
  });
});

test('a binary that is removed with its record is no damage to those who read it meanwhile', async () => {
  await withNode(async ({ server, path, get, send }) => {
    for (let round = 0; round < 20; ++round) {
      const file = await send('a', Buffer.alloc(50_000, round));
      const readers = Array.from({ length: 10 }, () => get('a'));
      const removed = server.request('DELETE', path('a'), { token: server.adminToken }).then((reply) => {
        assert.equal(reply.status, 200, reply.text);
        rmSync(file);
      });
      const more = Array.from({ length: 10 }, () => get('a'));
      for (const reply of await Promise.all([...readers, ...more])) assert.ok([200, 404].includes(reply.status), reply.text);
      await removed;
    }
    assert.equal((await server.request('GET', '/readyz')).status, 200);
  });
});

test('a server makes no empty store where its store is away; only init does', async () => {
  const server = await SteleServer.start();
  try {
    await server.admin('POST', '/uiconfigs', { number: 1 });
    await server.stop();
    const store = join(server.data, 'store');
    for (const isThere of [false, true]) {
      rmSync(store, { recursive: true, force: true });
      if (isThere) mkdirSync(store);
      const args = ['serve', '--data', server.data, '--listen', '127.0.0.1:0'];
      const served = spawnSync(bin, args, { encoding: 'utf8', timeout: 60_000 });
      assert.notEqual(served.status, 0);
      assert.match(served.stderr, /instance\.store_missing/);
      assert.match(served.stderr, /stele init/);
      const checked = server.check();
      assert.notEqual(checked.status, 0, checked.text);
      assert.match(checked.text, /instance\.store_missing/);
      assert.ok(!existsSync(join(store, 'CURRENT')));
    }
    server.init();
    await server.launch();
    const token = await server.login();
    assert.equal((await server.request('GET', '/uiconfigs?limit=1', { token })).json.total_rows, 0);
  } finally {
    await server.stop('SIGKILL');
    rmSync(server.data, { recursive: true, force: true });
  }
});

test('a first start that was killed at any moment is no lock-out', async () => {
  for (const when of [/^$/, /^secrets\.key$/, /^store$/, /^blobs$/, /^blobs\.owner$/]) {
    const data = mkdtempSync(join(tmpdir(), 'stele-first-'));
    try {
      const child = spawn(bin, ['serve', '--data', data, '--listen', '127.0.0.1:0'], { stdio: 'ignore' });
      const ended = new Promise((resolve) => child.on('exit', resolve));
      for (const end = Date.now() + 60_000; Date.now() < end; await sleep(1)) {
        if (when.test('') || readdirSync(data).some((name) => when.test(name))) break;
      }
      child.kill('SIGKILL');
      await ended;
      const server = await SteleServer.start({ data, isPrepared: true });
      assert.equal((await server.request('GET', '/readyz')).status, 200);
      await server.stop();
    } finally {
      rmSync(data, { recursive: true, force: true });
    }
  }
});

test('a seed that is no file, or has no end, is refused', () => {
  const data = mkdtempSync(join(tmpdir(), 'stele-seed-'));
  try {
    for (const seed of [data, '/dev/zero']) {
      const done = spawnSync(bin, ['init', '--data', join(data, 'new'), '--seed', seed], { encoding: 'utf8', timeout: 60_000 });
      assert.equal(done.signal, null);
      assert.notEqual(done.status, 0);
      assert.match(done.stderr, /instance\.seed_unreadable/);
      assert.ok(!existsSync(join(data, 'new')));
    }
  } finally {
    rmSync(data, { recursive: true, force: true });
  }
});
