// A full disk gives 507 and an intact store.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync, unlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { SteleServer } from '../support/stele_server.mjs';

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
      const body = { number: i, text: `${i} `.repeat(10_000) };
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
