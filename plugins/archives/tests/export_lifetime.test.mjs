// How long the bytes of an export live (docs/reference/transfer.md, docs/reference/archives.md): as long as the archive, over the
// end of its job and a restart; then they are collected.
import assert from 'node:assert/strict';
import { readdirSync, utimesSync } from 'node:fs';
import { basename, join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { endedJob } from '../../../tests/support/ended_job.mjs';
import { SteleServer } from '../../../tests/support/stele_server.mjs';
import { until } from '../../../tests/support/until.mjs';
import { unzip } from '../../../tests/support/zip_archive.mjs';

const kPeriodMs = 400;
const kCollection = `storage.collection_period = ${kPeriodMs}ms\n`;
let server;
before(async () => {
  server = await SteleServer.start({ config: kCollection });
  await server.login();
});
after(() => server.end());

const admin = (...request) => server.admin(...request);
const blobs = () => readdirSync(join(server.data, 'blobs'), { recursive: true }).filter((name) => /\/[0-9a-f]{64}$/.test(name));
const names = () => new Set(blobs().map((name) => basename(name)));
const ask = (method, path) => server.request(method, path, { token: server.adminToken });
/// As if all bytes had been written long ago.
function age() {
  const then = new Date(Date.now() - 48 * 3600 * 1000);
  for (const name of blobs()) utimesSync(join(server.data, 'blobs', name), then, then);
}

/// A job that has ended well, and the bytes that came with it.
async function exported(domain, artifact) {
  const before_ = names();
  const started = await admin('POST', `/domains/${domain}/export?group=lifetime&artifact=${artifact}&version=1`, {});
  const job = await endedJob(admin, started._doc);
  assert.equal(job.state, 'FINISHED', JSON.stringify(job.log_entries));
  const added = [...names()].filter((name) => !before_.has(name));
  assert.equal(added.length, 1);
  return { id: job._doc, archive: `/vaults/${job.vaultId}/archives/${job.archiveId}`, blob: added[0] };
}
async function domainIn({ archive }) {
  const reply = await ask('GET', `${archive}/download`);
  assert.equal(reply.status, 200, reply.text);
  return JSON.parse([...unzip(reply.bytes)].find(([path]) => path.endsWith('/domain.json'))[1]).title;
}

test('the bytes of an export live as long as its archive, whatever becomes of its job, and go with it', async () => {
  const domain = (await admin('POST', '/domains', { title: 'first' }))._doc;
  const kept = await exported(domain, 'kept');
  const removed = await exported(domain, 'removed');
  const replaced = await exported(domain, 'replaced');
  await admin('PUT', `/domains/${domain}`, { title: 'second' });
  const newer = await exported(domain, 'replaced');
  const ended = Date.now();
  assert.equal(newer.archive, replaced.archive);
  await admin('DELETE', removed.archive);
  assert.equal((await ask('GET', `${removed.archive}/download`)).status, 404);
  age();
  await until(() => [removed, replaced].every(({ blob }) => !names().has(blob)), 'bytes of archives that are gone stay');
  // Its job is still there and says where it was.
  assert.equal(`/vaults/default/archives/${(await admin('GET', `/jobs/${removed.id}`)).archiveId}`, removed.archive);

  // The shortest time that can be set.
  await server.stop();
  server.options.config = `${kCollection}jobs.retention = 60s\n`;
  await sleep(Math.max(0, 61_000 - (Date.now() - ended)));
  await server.launch();
  await until(async () => (await ask('GET', `/jobs/${kept.id}`)).status === 404, 'the jobs of exports are kept');
  age();
  await sleep(10 * kPeriodMs);
  assert.deepEqual([await domainIn(kept), await domainIn(newer)], ['first', 'second']);
  await admin('DELETE', kept.archive);
  age();
  await until(() => !names().has(kept.blob), 'the bytes of an export outlive its archive');
  assert.ok(names().has(newer.blob));
});
