// How far a transfer is: in its job, and on the terminal of a command.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { endedJob } from '../support/ended_job.mjs';
import { bin, seed, SteleServer } from '../support/stele_server.mjs';
import { unzip } from '../support/zip_archive.mjs';

const kNodes = 300;

let server, folder, repository, reference;
const file = (name) => join(folder, name);
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'stele-progress-'));
  writeFileSync(file('password'), seed.admin.password);
  writeFileSync(file('secret'), seed.client.secret);
  server = await SteleServer.start();
  repository = (await server.admin('POST', '/repositories', { title: 'orchard' }))._doc;
  reference = `repository://${(await server.admin('GET', '/'))._doc}/${repository}`;
  const nodes = Array.from({ length: kNodes }, (_, i) => ({ title: `tree ${i}` }));
  await server.admin('POST', `/repositories/${repository}/branches/master/nodes`, nodes);
});
after(async () => {
  await server.end();
  rmSync(folder, { recursive: true });
});

const ended = async ({ _doc }) => {
  const job = await endedJob((...request) => server.admin(...request), _doc);
  assert.equal(job.state, 'FINISHED', JSON.stringify(job.log_entries));
  return job;
};
const shownUpTo = (end) => `[${'#'.repeat(end)}${'.'.repeat(30 - end)}]`;

/// A command with a terminal, which shows both of its outputs. Answers what was shown.
async function onTerminal(words) {
  const quoted = [bin, ...words, '--user', 'admin', '--password-file', file('password'),
    '--client-key', seed.client.key, '--client-secret-file', file('secret')].map((word) => `'${word}'`).join(' ');
  const child = spawn('script', ['--quiet', '--return', '--command', quoted, '/dev/null'], { stdio: ['ignore', 'pipe', 'inherit'] });
  let shown = '';
  child.stdout.on('data', (piece) => { shown += piece; });
  const status = await new Promise((done) => { child.on('close', done); });
  assert.equal(status, 0, shown);
  return shown;
}

test('the job of an export tells its entries and the bytes of the archive', async () => {
  const job = await ended(await server.admin('POST', `/repositories/${repository}/export?group=g&artifact=progress&version=1`, {}));
  assert.deepEqual(job.progress, { done: job.entries, total: job.entries, bytes: job.bytes, totalBytes: job.bytes });
  assert.ok(job.entries > kNodes);
});

test('the job of an import tells what has come of how much, and the bytes that were compared', async () => {
  const place = 'group=g&artifact=counted&version=1';
  const exported = await ended(await server.admin('POST', `/repositories/${repository}/export?${place}`, { tipChangesetOnly: true }));
  const { bytes } = await server.request('GET', `/vaults/primary/archives/${exported.archiveId}/download`, { token: server.adminToken });
  const files = [...unzip(bytes)];
  const all = files.reduce((sum, [, { length }]) => sum + length, 0);
  const { progress } = await ended(await server.admin('POST', `/import?${place}`, {}));
  // The nodes and the repository, its branch, and what each branch has.
  assert.ok(progress.done > kNodes + 2, JSON.stringify(progress));
  assert.equal(progress.total, progress.done);
  assert.ok(progress.done < files.length);
  assert.deepEqual([progress.bytes, progress.totalBytes], [all, all]);
});

test('a terminal shows an export with a bar, and the file that came of it', async () => {
  const output = file('orchard.zip');
  const shown = await onTerminal(['export', '--server', server.baseUrl, '--reference', reference, '--output', output]);
  const bar = shown.match(/Exporting (\[#+\]) (\d+) of (\d+) records/);
  assert.ok(bar, shown);
  assert.equal(bar[1], shownUpTo(30));
  assert.equal(bar[2], bar[3]);
  assert.ok(Number(bar[2]) > kNodes);
  // A line that changes, and is gone in the end.
  assert.match(shown, /\r\x1b\[K[^\r]*Exported .* to .*orchard\.zip\./);
  assert.ok(statSync(output).size > 0);
  assert.deepEqual([...readFileSync(output).subarray(0, 2)], [0x50, 0x4b]);
});

test('a terminal shows an import with a bar', async () => {
  const output = file('again.zip');
  await onTerminal(['export', '--server', server.baseUrl, '--reference', reference, '--output', output]);
  const shown = await onTerminal(['import', output, '--server', server.baseUrl, '--target', 'platform']);
  const bar = shown.match(/Importing (\[#+\]) (\d+) of \2 records/);
  assert.ok(bar, shown);
  assert.equal(bar[1], shownUpTo(30));
  assert.match(shown, /Imported: \d+ created/);
});
