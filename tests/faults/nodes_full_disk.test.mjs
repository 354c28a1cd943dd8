// A disk that fills up while many write nodes and attachments: what finds no room is refused with 507 and
// leaves no trace, what was acknowledged stays and is found, and writing works again when there is room.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, unlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { NodeTraffic } from '../support/node_traffic.mjs';
import { SteleServer } from '../support/stele_server.mjs';

function mount(...words) {
  const done = spawnSync('mount', words, { encoding: 'utf8' });
  assert.equal(done.status, 0, `this test needs the right to mount a tmpfs: ${done.stderr}`);
}

/// Takes answers of a server without room; the writes have not happened.
class Refusals {
  count = 0;
  codes = new Map();

  take = (reply, writer) => {
    assert.equal(reply.status, 507, reply.text);
    assert.equal(reply.json.ok, false);
    this.codes.set(reply.json.code, (this.codes.get(reply.json.code) ?? 0) + 1);
    ++this.count;
    writer.settle();
  };
}

test('a full disk refuses nodes and attachments with 507 and loses none', async () => {
  const data = mkdtempSync(join(tmpdir(), 'stele-full-'));
  mount('-t', 'tmpfs', '-o', 'size=64m', 'tmpfs', data);
  const ballast = join(data, 'ballast');
  const refusals = new Refusals();
  let server;
  try {
    server = await SteleServer.start({ data, config: '[storage]\nreserve = 16MiB\n' });
    const traffic = await NodeTraffic.start([server], 8);
    const fill = (count) => traffic.run({ until: () => refusals.count >= count, refused: refusals.take });
    await fill(50);
    await traffic.compare(server, 'with the reserve left');
    spawnSync('dd', ['if=/dev/zero', `of=${ballast}`, 'bs=1M', 'count=64']);
    await fill(150);
    await traffic.compare(server, 'without any room');
    unlinkSync(ballast);
    mount('-o', 'remount,size=256m', data);
    const wanted = traffic.acknowledged + 50;
    await traffic.run({ until: () => traffic.acknowledged >= wanted });
    await traffic.compare(server, 'with room again');
    await server.stop('SIGKILL');
    const checked = server.check();
    assert.equal(checked.status, 0, checked.text);
    await server.launch();
    await traffic.compare(server, 'after a restart', { isLast: true });
    console.log(`acknowledged ${traffic.acknowledged}, refused ${JSON.stringify([...refusals.codes])}`);
  } finally {
    if (server) await server.stop('SIGKILL');
    spawnSync('umount', ['-l', data]);
    rmSync(data, { recursive: true, force: true });
  }
});
