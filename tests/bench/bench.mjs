// What the benches share: where the programs are, the options of all, and a server. Needs the release
// build with benchmarks, or another one whose folder STELE_BENCH_BIN names.
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

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

export async function ceiling(port, bytes, measure) {
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

/// Entries and bytes of a stopped server's embedded store, then entries and bytes of its log, which holds
/// what was written since it was opened as long as that is less than `storage.write_buffer`.
export const storeSize = (server) =>
  spawnSync(join(bin, 'bench_store_size'), [join(server.data, 'store')], { encoding: 'utf8' }).stdout.trim().split(' ').map(Number);

/// Commits a second of a bare LevelDB that groups those of 64 callers, of so many entries each.
export function rawCommits(keys, valueBytes) {
  const raw = spawnSync(join(bin, 'bench_commit'), ['64', keys, valueBytes, seconds, 1].map(String), { encoding: 'utf8' });
  return Number(raw.stdout.match(/raw\D*([\d.]+)/i)?.[1] ?? NaN);
}
