// A disk that is full, or fills up, during exports and imports: they end as an error that says so, or go on when there
// is room again; nothing of them is there in half, and the server goes on.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { SteleServer } from '../support/stele_server.mjs';
import { ageBlobs, assertClean, assertFailed, assertNoScratch, blobsOf, hasWritten, kHasty, TransferWorld } from '../support/transfer_world.mjs';
import { until } from '../support/until.mjs';

const kMiB = 1024 * 1024;
/// All attachments together are many times what the disk has left below.
const kAttachment = 8_000_000;
const kLeft = 6 * kMiB;

/// A server on a disk of its own, with `world`, which ends with `work`.
async function onDisk(reserve, work) {
  const data = mkdtempSync(join(tmpdir(), 'stele-full-'));
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=512m', 'tmpfs', data], { encoding: 'utf8' });
  assert.equal(mounted.status, 0, `this test needs the right to mount a tmpfs: ${mounted.stderr}`);
  const [ballast, rest] = ['ballast', 'rest'].map((name) => join(data, name));
  let server;
  try {
    server = await SteleServer.start({ data, config: `${kHasty}storage.reserve = ${reserve}\nstorage.write_buffer = 1MiB\n` });
    const world = await TransferWorld.make(server, { nodes: 100, attachmentSize: kAttachment });
    await work({
      server, world,
      /// Takes all room but so many bytes.
      async leave(bytes) {
        const size = Math.max(0, await freeBytes(server) - bytes);
        const done = spawnSync('fallocate', ['-l', String(size), ballast], { encoding: 'utf8' });
        assert.equal(done.status, 0, done.stderr);
      },
      fill: () => once(spawn('dd', ['if=/dev/zero', `of=${rest}`, 'bs=64k'], { stdio: 'ignore' }), 'exit'),
      async makeRoom() {
        for (const file of [ballast, rest]) rmSync(file, { force: true });
        await until(async () => (await server.request('GET', '/readyz')).status === 200, 'the server is ready again');
      },
    });
    await server.stop();
    const { status, text } = server.check();
    assert.equal(status, 0, text);
  } finally {
    if (server) await server.stop('SIGKILL');
    spawnSync('umount', ['-l', data]);
    rmSync(data, { recursive: true, force: true });
  }
}

const freeBytes = async (server) => Number((await server.request('GET', '/metrics')).text.match(/^stele_disk_free_bytes (\d+)$/m)[1]);
const kFull = /disk is full/;

async function finished(world, started) {
  const job = await world.ended(started.id);
  assert.equal(job.state, 'FINISHED', JSON.stringify(job.log_entries));
  return job;
}

/// From here on only the archive has the bytes of attachments.
async function removeSource(server, world) {
  await world.ask('DELETE', `/repositories/${world.repository}`);
  await until(() => { ageBlobs(server.data); return blobsOf(server.data).length === 1; }, 'those of the source are collected');
}

test('an export and an import that come into the reserve of the disk end as an error, and work with room again', async () => {
  const reserve = 32 * kMiB;
  await onDisk(reserve, async ({ server, world, leave, makeRoom }) => {
    await leave(reserve + kLeft);
    const refused = await world.startExport('branch');
    const job = await world.ended(refused.id);
    assertFailed(job, kFull);
    assert.equal(await world.checkExport(job, refused), undefined);
    assertNoScratch(server.data);
    await makeRoom();
    await world.exportAll(['branch']);

    await removeSource(server, world);
    const prepared = await world.prepareImport('branch');
    await leave(reserve + kLeft);
    const bringing = await world.beginImport(prepared);
    const brought = await world.ended(bringing.id);
    assertFailed(brought, kFull);
    await world.checkImport(brought, bringing);
    assertNoScratch(server.data);
    await makeRoom();
    await assertClean(server);
    assert.equal(blobsOf(server.data).length, 1);
    const again = await world.startImport('branch');
    await world.checkImport(await finished(world, again), again);
  });
});

test('a disk that others fill up to the last byte leaves no export and no import in half', async () => {
  await onDisk('1KiB', async ({ server, world, leave, fill, makeRoom }) => {
    // Enough for a whole transfer, unless the rest is filled in its middle.
    const kEnough = 15 * kAttachment;
    const filledDuring = async (start, check) => {
      const started = await world.startCaught(start, hasWritten);
      await fill();
      await makeRoom();
      const job = await world.ended(started.id);
      if (job.state === 'ERROR') assertFailed(job, /\w+ \w+/);
      console.log(`${job.type}: ${job.state} ${JSON.stringify(job.log_entries.map(({ message }) => message))}`);
      await check(job, started);
    };
    await leave(kEnough);
    await filledDuring(() => world.startExport('repository'), (job, started) => world.checkExport(job, started));
    await world.exportAll(['branch']);
    await leave(kEnough);
    await filledDuring(() => world.startImport('branch'), (job, started) => world.checkImport(job, started));
    const again = await world.startImport('branch');
    await world.checkImport(await finished(world, again), again);
    await assertClean(server);
  });
});
