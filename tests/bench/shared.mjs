// node tests/bench/shared.mjs [--seconds 4] [--rounds 3]
//
// The engine over PostgreSQL against a bare libpq loop of the same statements, and two servers over
// one database against one server, in the same run. For reading, as those of run.mjs; how often one
// request asks the database tells statements.mjs. Needs wrk, the release build with benchmarks, and
// PostgreSQL.
import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { PostgresServer } from '../support/postgres_server.mjs';
import { bin, median, root, rounds, seconds, SteleServer } from './bench.mjs';

const connections = 64;

/// Requests a second that `wrk` gets through to all servers together.
async function load(servers, path, token, script) {
  const runs = servers.map((server) => new Promise((resolve) => {
    const args = ['-t1', `-c${connections / servers.length}`, `-d${seconds}s`, '-H', `Authorization: Bearer ${token}`];
    if (script) args.push('-s', join(root, 'tests/bench', script));
    const child = spawn('wrk', [...args, server.baseUrl + path]);
    let out = '';
    child.stdout.on('data', (text) => { out += text; });
    child.on('exit', () => resolve(out));
  }));
  const outputs = await Promise.all(runs);
  for (const out of outputs) if (/Non-2xx/.test(out)) throw new Error(`errors under load:\n${out}`);
  return outputs.reduce((sum, out) => sum + Number(out.match(/Requests\/sec:\s+([\d.]+)/)[1]), 0);
}

const postgres = await PostgresServer.start();
const ratios = new Map();
for (let round = 0; round < rounds; ++round) {
  const done = spawnSync(join(bin, 'bench_postgres'), [postgres.connection, String(seconds)], { encoding: 'utf8' });
  if (done.status !== 0) throw new Error(`bench_postgres failed: ${done.stderr}`);
  for (const [, what, detail, ratio] of done.stdout.matchAll(/^(.*?): (.*), ratio ([\d.]+)$/gm)) {
    console.log(`  round ${round + 1}: ${what}: ${detail}`);
    ratios.set(what, [...(ratios.get(what) ?? []), Number(ratio)]);
  }
  postgres.query('drop schema bench cascade');
}
for (const [what, all] of ratios) {
  console.log(`${what}, against a bare libpq loop of the same statements: ${median(all).toFixed(2)} (target 0.60)`);
}

const servers = [await SteleServer.start({ config: postgres.config() })];
servers.push(await SteleServer.start({ config: postgres.config(), isPrepared: true }));
const { _doc } = await servers[0].admin('POST', '/uiconfigs', { title: 'Read me' });
const token = servers[0].adminToken;
for (const [what, path, script] of [['read', `/uiconfigs/${_doc}`], ['create', '/uiconfigs', 'create.lua']]) {
  const results = [];
  for (let round = 0; round < rounds; ++round) {
    const one = await load([servers[0]], path, token, script);
    const two = await load(servers, path, token, script);
    console.log(`  round ${round + 1}: ${what} through one server ${one.toFixed(0)}/s, through two ${two.toFixed(0)}/s`);
    results.push(two / one);
  }
  console.log(`${what}, ${connections} connections, two servers against one on this machine: ${median(results).toFixed(2)}`);
}
for (const server of servers) await server.end();
await postgres.end();
process.exit(0);
