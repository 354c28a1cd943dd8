// A full disk gives 507 and an intact store.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { noise } from '../support/noise.mjs';
import { SteleServer } from '../support/stele_server.mjs';
import { until } from '../support/until.mjs';

test('a full disk gives 507, reads go on, and writing works again when there is room', async () => {
  const data = mkdtempSync(join(tmpdir(), 'stele-full-'));
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64m', 'tmpfs', data], { encoding: 'utf8' });
  assert.equal(mounted.status, 0, `this test needs the right to mount a tmpfs: ${mounted.stderr}`);
  let server;
  try {
    server = await SteleServer.start({ data, config: '[storage]\nreserve = 16MiB\n' });
    const token = await server.login();
    const acknowledged = [];
    let full;
    for (let i = 0; i < 5000 && !full; ++i) {
      const body = { number: i, text: noise(30_000) };
      const reply = await server.request('POST', '/uiconfigs', { token, body });
      if (reply.status === 200) acknowledged.push(reply.json._doc);
      else full = reply;
    }
    assert.equal(full?.status, 507, full?.text);
    assert.equal(full.json.ok, false);
    const ballast = join(data, 'ballast');
    spawnSync('dd', ['if=/dev/zero', `of=${ballast}`, 'bs=1M', 'count=64'], { encoding: 'utf8' });
    for (let i = 0; i < 20; ++i) {
      const reply = await server.request('POST', '/uiconfigs', { token, body: { number: i } });
      assert.equal(reply.status, 507, reply.text);
    }
    const list = (await server.request('GET', '/uiconfigs?limit=1', { token })).json;
    assert.equal(list.total_rows, acknowledged.length);
    await server.stop('SIGKILL');
    unlinkSync(ballast);
    const checked = server.check();
    assert.equal(checked.status, 0, checked.text);
    await server.launch();
    for (const id of acknowledged) {
      assert.equal((await server.request('GET', `/uiconfigs/${id}`, { token })).status, 200);
    }
  } finally {
    if (server) await server.stop('SIGKILL');
    spawnSync('umount', ['-l', data]);
    rmSync(data, { recursive: true, force: true });
  }
});

/// A server on a disk of its own, which ends with `work`.
async function onDisk(size, config, work) {
  const data = mkdtempSync(join(tmpdir(), 'stele-full-'));
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', data], { encoding: 'utf8' });
  assert.equal(mounted.status, 0, `this test needs the right to mount a tmpfs: ${mounted.stderr}`);
  let server;
  try {
    server = await SteleServer.start({ data, config });
    await work(server, (count) => spawnSync('dd', ['if=/dev/zero', `of=${join(data, 'ballast')}`, 'bs=1M', `count=${count}`]));
  } finally {
    if (server) await server.stop('SIGKILL');
    spawnSync('umount', ['-l', data]);
    rmSync(data, { recursive: true, force: true });
  }
}

/// What a server still writes on a disk that was filled under it: tables that LevelDB merges at some moment cannot be
/// written, and the store is opened anew within seconds; until then everything is refused.
async function written(send, what) {
  let reply;
  await until(async () => {
    reply = await send();
    assert.ok([200, 503, 507].includes(reply.status), `${what}: ${reply.text}`);
    return reply.status === 200;
  }, what);
}
const untilLoginsGoOn = (server) => written(() => server.login(undefined, undefined, { isWhole: true }), 'logins go on');

const freeBytes = async (server) => Number((await server.request('GET', '/metrics')).text.match(/^stele_disk_free_bytes (\d+)$/m)[1]);

test('a disk that others fill leaves reads, logins and deletes, and says so once', async () => {
  await onDisk('128m', '[storage]\nreserve = 16MiB\n', async (server, fill) => {
    const ids = [];
    for (let i = 0; i < 300; ++i) ids.push((await server.admin('POST', '/uiconfigs', { number: i, text: noise(15_000) }))._doc);
    assert.equal((await server.request('GET', '/readyz')).status, 200);
    fill(200);
    await untilLoginsGoOn(server);
    const token = await server.login();
    const create = () => server.request('POST', '/uiconfigs', { token, body: { number: -1, text: noise(20_000) } });
    assert.equal((await create()).status, 507);
    assert.equal((await server.request('GET', `/uiconfigs/${ids[7]}`, { token })).json.number, 7);
    const remove = (id) => written(() => server.request('DELETE', `/uiconfigs/${id}`, { token }), `${id} is deleted`);
    await remove(ids[0]);
    assert.equal((await server.request('GET', `/uiconfigs/${ids[0]}`, { token })).status, 404);
    const ready = await server.request('GET', '/readyz');
    assert.deepEqual([ready.status, ready.json.code], [503, 'http.disk_full']);
    assert.match(ready.json.message, /\d+ bytes are left, 16777216 of which are reserved/);
    assert.ok(await freeBytes(server) < 17 * 1024 * 1024);
    for (const id of ids.slice(100, 150)) await remove(id);
    await untilLoginsGoOn(server);
    await server.logged(/ error .*disk is full/);
    for (let i = 0; i < 20; ++i) assert.equal((await create()).status, 507);
    assert.equal((await server.logged(/ error .*disk is full/)).length, 1);

    rmSync(join(server.data, 'ballast'));
    await until(async () => (await server.request('GET', '/readyz')).status === 200, 'there is room again');
    assert.equal((await create()).status, 200);
    await server.logged(/has room again/);
    await server.stop();
    const checked = server.check();
    assert.equal(checked.status, 0, checked.text);
  });
});

test('rights, members and kept deletions go on a full disk as records do', async () => {
  await onDisk('128m', '[storage]\nreserve = 16MiB\n', async (server, fill) => {
    const person = await server.makeUser('leaver');
    const config = (await server.admin('POST', '/uiconfigs', {}))._doc;
    const group = (await server.admin('POST', '/domains/default/principals', { type: 'GROUP', name: 'leavers' }))._doc;
    const { _doc: repository } = await server.admin('POST', '/repositories', {});
    const branch = `/repositories/${repository}/branches/master`;
    const { _doc: node } = await server.admin('POST', `${branch}/nodes`, { title: 'x' });
    await server.admin('POST', `/uiconfigs/${config}/authorities/consumer/grant?id=default/leaver`);
    await server.admin('POST', `/domains/default/principals/${group}/members/add?id=default/leaver`);
    await server.admin('DELETE', `${branch}/nodes/${node}`);
    fill(200);
    await untilLoginsGoOn(server);
    const post = (path, body) => server.request('POST', path, { token: server.adminToken, body });
    assert.equal((await post(`/uiconfigs/${config}/authorities/editor/grant?id=default/leaver`)).status, 507);
    const removals = [
      `/uiconfigs/${config}/authorities/consumer/revoke?id=default/leaver`,
      `/domains/default/principals/${group}/members/remove?id=default/leaver`,
      `${branch}/deletions/purgeall`,
      `/domains/default/principals/${person._doc}/sessions/expire`,
    ];
    for (const path of removals) await written(() => post(path, {}), path);
  });
});

test('the room of what is deleted on a full disk is there again within minutes', async () => {
  await onDisk('192m', '[storage]\nreserve = 48MiB\nwrite_buffer = 1MiB\n', async (server) => {
    const token = await server.login();
    const create = (number) => server.request('POST', '/uiconfigs', { token, body: { number, text: noise(50_000) } });
    const ids = [];
    // What the store merges holds room for a moment: the disk is full when none comes back.
    await until(async () => {
      for (let reply = await create(ids.length); reply.status !== 507; reply = await create(ids.length)) {
        assert.equal(reply.status, 200, reply.text);
        ids.push(reply.json._doc);
      }
      await sleep(1000);
      return (await server.request('GET', '/readyz')).status === 503;
    }, 'it is full');
    const full = await freeBytes(server);
    for (const id of ids.splice(1)) await written(() => server.request('DELETE', `/uiconfigs/${id}`, { token }), `${id} is deleted`);
    await until(async () => await freeBytes(server) > full + 30 * 1024 * 1024, 'there is room again');
    assert.equal((await server.request('GET', '/readyz')).status, 200);
    assert.equal((await create(-1)).status, 200);
    assert.equal((await server.request('GET', `/uiconfigs/${ids[0]}`, { token })).json.number, 0);
    await server.stop();
    const checked = server.check();
    assert.equal(checked.status, 0, checked.text);
  });
});

test('a large form that finds no room is answered with 507, to a client that sends before it reads, too', async () => {
  await onDisk('128m', '[storage]\nreserve = 16MiB\n', async (server, fill) => {
    const { _doc } = await server.admin('POST', '/repositories', {});
    fill(200);
    const token = await server.login();
    const part = (mark) => Buffer.from(`--x\r\nContent-Disposition: form-data; name="file"; filename="${mark}"\r\nContent-Type: image/x\r\n\r\n`);
    const body = Buffer.concat([part('a'), Buffer.alloc(48 * 1024 * 1024, 1), Buffer.from('\r\n--x--\r\n')]);
    const wire = [`POST /repositories/${_doc}/branches/master/nodes HTTP/1.1`, 'Host: h', `Authorization: Bearer ${token}`,
                  'Content-Type: multipart/form-data; boundary=x', `Content-Length: ${body.length}`, '', ''].join('\r\n');
    for (let i = 0; i < 5; ++i) {
      const reply = await new Promise((resolve, reject) => {
        const socket = connect(server.port, '127.0.0.1').pause();
        socket.on('error', reject);
        socket.on('data', (bytes) => resolve(String(bytes)));
        socket.write(wire);
        socket.write(body, () => socket.resume());
      });
      assert.match(reply, /^HTTP\/1\.1 507 /);
    }
  });
});

test('bytes that nothing refers to go at once while the disk is short, and stay otherwise', async () => {
  await onDisk('128m', '[storage]\nreserve = 16MiB\n', async (server, fill) => {
    const { _doc } = await server.admin('POST', '/repositories', {});
    const send = async (path) => {
      const reply = await server.request('POST', path, { body: randomBytes(3_000_000), token: server.adminToken, headers: { 'Content-Type': 'image/png' } });
      assert.equal(reply.status, 200, reply.text);
      return reply.json.objectId;
    };
    const kept = await send(`/repositories/${_doc}/files/kept`);
    const removed = await send(`/repositories/${_doc}/files/removed`);
    const fresh = await send(`/repositories/${_doc}/files/fresh`);
    for (const name of ['removed', 'fresh']) await server.admin('DELETE', `/repositories/${_doc}/files/${name}`);
    const place = (name) => join(server.data, 'blobs', name.slice(0, 2), name);
    const then = new Date(Date.now() - 600_000);
    for (const name of [kept, removed]) utimesSync(place(name), then, then);
    await sleep(3000);
    assert.ok(existsSync(place(removed)), 'there is room enough');
    fill(Math.floor(await freeBytes(server) / 1048576) - 20);
    await until(() => !existsSync(place(removed)), 'it is collected');
    assert.ok(existsSync(place(kept)));
    assert.ok(existsSync(place(fresh)), 'who wrote it may be about to commit');
  });
});

test('a store on a disk without any room says so and does not start half', () => {
  const folder = mkdtempSync(join(tmpdir(), 'stele-none-'));
  try {
    writeFileSync(join(folder, 'file'), '');
    const bin = process.env.STELE_BIN ?? new URL('../../build/release/bin/stele', import.meta.url).pathname;
    const done = spawnSync(bin, ['init', '--data', join(folder, 'file', 'below')], { encoding: 'utf8' });
    assert.notEqual(done.status, 0);
    assert.match(done.stderr, /data folder/);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
