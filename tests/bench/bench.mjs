// What the benches share: where the programs are, the options of all, and a server. Needs the release
// build with benchmarks, or another one whose folder STELE_BENCH_BIN names.
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
