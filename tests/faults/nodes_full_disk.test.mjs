// A disk that fills up while many write nodes and attachments: what finds no room is refused with 507 and
// leaves no trace, what was acknowledged stays and is found, and writing works again when there is room.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, unlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { NodeTraffic } from '../support/node_traffic.mjs';
import { SteleServer } from '../support/stele_server.mjs';
import { until } from '../support/until.mjs';

function mount(...words) {
  const done = spawnSync('mount', words, { encoding: 'utf8' });
  assert.equal(done.status, 0, `this test needs the right to mount a tmpfs: ${done.stderr}`);
}

/// A server on a disk of its own, which ends with `work`.
async function onSmallDisk(config, work) {
  const data = mkdtempSync(join(tmpdir(), 'stele-full-'));
  mount('-t', 'tmpfs', '-o', 'size=64m', 'tmpfs', data);
  const ballast = join(data, 'ballast');
  let server;
  try {
    server = await SteleServer.start({ data, config });
    await work({
      server,
      traffic: await NodeTraffic.start([server], 8),
      fill: () => once(spawn('dd', ['if=/dev/zero', `of=${ballast}`, 'bs=64k'], { stdio: 'ignore' }), 'exit'),
      // A store whose write failed refuses others until it was opened anew, and says so.
      async makeRoom() {
        unlinkSync(ballast);
        mount('-o', 'remount,size=256m', data);
        await until(async () => (await server.request('GET', '/readyz')).status === 200, 'the server is ready again');
      },
    });
  } finally {
    if (server) await server.stop('SIGKILL');
    spawnSync('umount', ['-l', data]);
    rmSync(data, { recursive: true, force: true });
  }
}

async function restart(server) {
  await server.stop('SIGKILL');
  const checked = server.check();
  assert.equal(checked.status, 0, checked.text);
  await server.launch();
}

/// Takes answers of a server without room.
class Refusals {
  count = 0;
  codes = new Map();

  /// With 507 nothing has happened; a write that failed half-way, 503, is in doubt if `mayFail`.
  take(reply, writer, mayFail = false) {
    assert.ok(reply.status === 507 || (mayFail && reply.status === 503), reply.text);
    assert.equal(reply.json.ok, false);
    this.codes.set(reply.json.code, (this.codes.get(reply.json.code) ?? 0) + 1);
    ++this.count;
    if (reply.status === 507) writer.settle();
  }
}

/// The index of searches leaves the disk to others, and may have failed before it noticed.
function assertWithoutIndex(reply) {
  assert.equal(reply.status, 503, reply.text);
  assert.ok(['node_search.disk_full', 'node_search.index_unavailable'].includes(reply.json.code), reply.text);
}

test('a full disk refuses nodes and attachments with 507 and loses none', async () => {
  const refusals = new Refusals();
  await onSmallDisk('[storage]\nreserve = 16MiB\n', async ({ server, traffic, fill, makeRoom }) => {
    const runInto = (count, options) => traffic.run({ until: () => refusals.count >= count, refused: (reply, writer) => refusals.take(reply, writer), ...options });
    await runInto(50);
    await traffic.compare(server, 'with the reserve left');
    await fill();
    await runInto(150, { searchRefused: assertWithoutIndex });
    await makeRoom();
    const wanted = traffic.acknowledged + 50;
    await traffic.run({ until: () => traffic.acknowledged >= wanted });
    await traffic.compare(server, 'with room again');
    await restart(server);
    await traffic.compare(server, 'after a restart', { isLast: true });
    console.log(`acknowledged ${traffic.acknowledged}, refused ${JSON.stringify([...refusals.codes])}`);
  });
});

test('a disk that others fill between two writes of the server loses no node', async () => {
  const refusals = new Refusals();
  await onSmallDisk('[storage]\nreserve = 1KiB\n', async ({ server, traffic, fill, makeRoom }) => {
    let filling;
    await traffic.run({
      until() {
        if (traffic.acknowledged >= 60) filling ??= fill();
        return refusals.count >= 60;
      },
      refused: (reply, writer) => refusals.take(reply, writer, true),
      searchRefused(reply) {
        assert.ok(filling, reply.text);
        assertWithoutIndex(reply);
      },
    });
    await filling;
    await makeRoom();
    await traffic.compare(server, 'with room again, before a restart');
    await restart(server);
    await traffic.compare(server, 'after a restart', { isLast: true });
    const wanted = traffic.acknowledged + 50;
    await traffic.run({ until: () => traffic.acknowledged >= wanted });
    await traffic.compare(server, 'at last', { isLast: true });
    console.log(`acknowledged ${traffic.acknowledged}, refused ${JSON.stringify([...refusals.codes])}`);
  });
});
