// node tests/bench/files.mjs [--seconds 4] [--rounds 3] [--only download,upload,many]
//
// Bytes in and out against a bare loop of sendfile(2), and of writing and syncing, in the same run. For
// reading, as those of run.mjs. Needs wrk and the release build with benchmarks.
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bin, load, median, option, rounds, SteleServer } from './bench.mjs';

const only = option('only', 'download,upload,many').split(',');
const size = 1 << 20;
const folder = mkdtempSync(join(tmpdir(), 'stele-bench-'));
const file = join(folder, 'one-mb');
writeFileSync(file, randomBytes(size));
mkdirSync(join(folder, 'uploads'));

/// Runs `measure(url)` against the bare loop.
function bare(port, measure) {
  const child = spawn(join(bin, 'bench_http_files'), [port, file, join(folder, 'uploads')].map(String), { stdio: 'ignore' });
  child.on('error', () => {});
  const url = `http://127.0.0.1:${port}/`;
  try {
    for (let tries = 0;; ++tries) {
      if (tries > 500) throw new Error('bench_http_files does not answer: build it with STELE_BENCH=ON');
      if (spawnSync('curl', ['-s', '-o', '/dev/null', url]).status === 0) break;
    }
    return measure(url, child.pid);
  } finally {
    child.kill('SIGKILL');
  }
}

async function compare(what, port, ours, options) {
  const ratios = [];
  for (let round = 0; round < rounds; ++round) {
    const least = bare(port + round, (url, pid) => load(url, pid, { connections: 4, ...options }));
    const stele = await ours({ connections: 4, ...options });
    ratios.push(stele.rate / least.rate);
    console.log(`  round ${round + 1}: bare ${least.rate.toFixed(0)}/s (${least.cpu.toFixed(0)} us), stele ${stele.rate.toFixed(0)}/s (${stele.cpu.toFixed(0)} us)`);
  }
  console.log(`${what}: ${median(ratios).toFixed(2)}`);
}

const server = await SteleServer.start();
const repository = (await server.admin('POST', '/repositories', { title: 'files' }))._doc;
const token = server.adminToken;
const nodes = `/repositories/${repository}/branches/master/nodes`;
const node = async () => (await server.admin('POST', nodes, { title: 'files' }))._doc;
const put = (path, bytes) => fetch(server.baseUrl + path, { method: 'POST', body: bytes, headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/octet-stream' } })
  .then(async (reply) => { if (!reply.ok) throw new Error(await reply.text()); });
const on = (path) => (options) => load(server.baseUrl + path, server.child.pid, { token, ...options });

if (only.includes('download')) {
  const path = `${nodes}/${await node()}/attachments/one`;
  await put(path, randomBytes(size));
  await compare('download of 1 MiB, 4 connections, against sendfile in a loop', 18600, on(path), {});
}
if (only.includes('upload')) {
  const path = `${nodes}/${await node()}/attachments/one`;
  await compare('upload of 1 MiB, 4 connections, against writing and syncing a file', 18620, on(path), { script: 'upload.lua', connections: 1, args: [file] });
}
if (only.includes('many')) {
  const [few, many] = [await node(), await node()];
  for (let i = 0; i < 400; ++i) await put(`${nodes}/${many}/attachments/a${i}`, randomBytes(16));
  const ratios = [];
  const small = join(folder, 'small');
  writeFileSync(small, randomBytes(1000));
  for (let round = 0; round < rounds; ++round) {
    const [one, other] = [few, many].map((id) => on(`${nodes}/${id}/attachments/one`)({ connections: 1, script: 'upload.lua', args: [small] }));
    ratios.push(other.cpu / one.cpu);
    console.log(`  round ${round + 1}: ${one.cpu.toFixed(0)} us, beside 400 others ${other.cpu.toFixed(0)} us`);
  }
  console.log(`upload of 1000 bytes to a node with 400 attachments against one with none, CPU time: ${median(ratios).toFixed(2)}`);
}
await server.end();
rmSync(folder, { recursive: true });
process.exit(0);
