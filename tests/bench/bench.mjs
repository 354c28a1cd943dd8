// What the benches share: where the programs are, the options of all, and a server. Needs the release
// build with benchmarks, or another one whose folder STELE_BENCH_BIN names.
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { endedJob } from '../support/ended_job.mjs';

export const root = new URL('../..', import.meta.url).pathname;
export const bin = process.env.STELE_BENCH_BIN ?? join(root, 'build/release/bin');
process.env.STELE_BIN ??= join(bin, 'stele');
// Reads STELE_BIN, so it comes after.
export const { SteleServer } = await import('../support/stele_server.mjs');

export const option = (name, fallback) => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? fallback : process.argv[at + 1];
};
export const seconds = Number(option('seconds', 4));
export const rounds = Number(option('rounds', 3));

export const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

export const cpuMicroseconds = (pid) => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10_000;
};
export const residentMiB = (pid) =>
  Number(readFileSync(`/proc/${pid}/status`, 'utf8').match(/VmRSS:\s+(\d+)/)[1]) / 1024;

/// Runs a job to its end; answers it, its seconds, and how many MiB more than before the server had at most.
export async function measuredJob(server, path, body) {
  const before = residentMiB(server.child.pid);
  let most = before;
  const watch = setInterval(() => { most = Math.max(most, residentMiB(server.child.pid)); }, 50);
  const began = process.hrtime.bigint();
  const { _doc } = await server.admin('POST', path, body);
  const job = await endedJob((...request) => server.admin(...request), _doc, 3600);
  const seconds = Number(process.hrtime.bigint() - began) / 1e9;
  clearInterval(watch);
  if (job.state !== 'FINISHED') throw new Error(JSON.stringify(job.log_entries));
  return { job, seconds, memory: most - before };
}

/// Requests a second, and the server's CPU time for one.
export function load(url, pid, { connections = 64, duration = seconds, token, script, args = [] } = {}) {
  const command = ['-t1', `-c${connections}`, `-d${duration}s`];
  if (token) command.push('-H', `Authorization: Bearer ${token}`);
  if (script) command.push('-s', join(root, 'tests/bench', script));
  const before = cpuMicroseconds(pid);
  const done = spawnSync('wrk', [...command, url, '--', ...args], { encoding: 'utf8' });
  const used = cpuMicroseconds(pid) - before;
  const requests = Number(done.stdout.match(/(\d+) requests in/)?.[1] ?? NaN);
  if (/Non-2xx/.test(done.stdout)) throw new Error(`errors under load of ${url}:\n${done.stdout}`);
  return { rate: Number(done.stdout.match(/Requests\/sec:\s+([\d.]+)/)[1]), cpu: used / requests };
}

async function ceiling(port, bytes, measure) {
  const child = spawn(join(bin, 'bench_http_ceiling'), [port, 2, bytes].map(String), { stdio: 'ignore' });
  child.on('error', () => {});
  try {
    for (let tries = 0;; ++tries) {
      if (tries > 500) throw new Error('bench_http_ceiling does not answer: build it with STELE_BENCH=ON');
      const probe = spawnSync('curl', ['-s', '-o', '/dev/null', `http://127.0.0.1:${port}/`]);
      if (probe.status === 0) break;
    }
    return measure(child.pid);
  } finally {
    child.kill('SIGKILL');
  }
}

/// Reads of a path against a bare Beast responder of as many bytes: these, and the median ratio.
export async function readAgainstBare(server, path) {
  const { text } = await server.request('GET', path, { token: server.adminToken });
  const bytes = Buffer.byteLength(text);
  const ratios = [];
  for (let round = 0; round < rounds; ++round) {
    const port = 18500 + round;
    const bare = await ceiling(port, bytes, (pid) => load(`http://127.0.0.1:${port}/`, pid));
    const ours = load(server.baseUrl + path, server.child.pid, { token: server.adminToken });
    ratios.push(ours.rate / bare.rate);
    console.log(`  round ${round + 1}: bare Beast ${bare.rate.toFixed(0)}/s (${bare.cpu.toFixed(1)} us), stele ${ours.rate.toFixed(0)}/s (${ours.cpu.toFixed(1)} us)`);
  }
  return [bytes, median(ratios)];
}

/// Entries and bytes in the log of a server's embedded store, which holds what was written since
/// it was opened as long as that is less than `storage.write_buffer`.
export const logSize = (server) =>
  spawnSync(join(bin, 'bench_log_size'), [join(server.data, 'store')], { encoding: 'utf8' }).stdout.trim().split(' ').map(Number);

const createUnderLoad = ({ server, path }, options = {}) =>
  load(server.baseUrl + path, server.child.pid, { token: server.adminToken, script: 'create.lua', ...options });

/// Entries that a create writes under this load, and their bytes in the store's log: counters that later
/// ones replace are among them. The log holds all of a second.
async function writtenByCreate(open) {
  const opened = await open({ config: 'storage.write_buffer = 64MiB' });
  createUnderLoad(opened, { duration: 1 });
  const made = await opened.count();
  await opened.server.stop();
  const [entries, bytes] = logSize(opened.server);
  await opened.server.end();
  return [Math.round(entries / made), Math.round(bytes / made)];
}

/// Creates against a bare LevelDB that groups commits of 64 callers, of as many entries and bytes: the
/// median ratio. `open(options)` starts a server with those options and an empty collection and answers
/// { server, path, count }: where create.lua creates, and how many it has created.
export async function createAgainstRaw(open) {
  const [entries, bytes] = await writtenByCreate(open);
  // Keys of the raw ones have 24 bytes, and an entry of a log has 3 beside key and value.
  const valueBytes = Math.max(1, Math.round(bytes / entries) - 27);
  console.log(`  ${entries} entries and ${bytes} bytes a create`);
  const ratios = [];
  for (let round = 0; round < rounds; ++round) {
    const opened = await open();
    const ours = createUnderLoad(opened);
    await opened.server.end();
    const { stdout } = spawnSync(join(bin, 'bench_commit'), ['64', entries, valueBytes, seconds, 1].map(String), { encoding: 'utf8' });
    const raw = Number(stdout.match(/raw\D*([\d.]+)/i)?.[1] ?? NaN);
    ratios.push(ours.rate / raw);
    console.log(`  round ${round + 1}: stele ${ours.rate.toFixed(0)}/s (${ours.cpu.toFixed(1)} us), raw LevelDB ${raw.toFixed(0)}/s`);
  }
  return median(ratios);
}
