// node tests/bench/run.mjs [--seconds 4] [--rounds 3] [--only read,accounting,create,list,start]
//
// Ratios against ceilings measured in the same run, on the machine it runs on. Nothing here passes or
// fails: the figures are for reading. Needs wrk and the release build with benchmarks.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAgainstRaw, load, median, option, readAgainstBare, residentMiB, rounds, SteleServer } from './bench.mjs';

const only = option('only', 'read,accounting,create,list,start').split(',');

async function read() {
  const server = await SteleServer.start();
  const { _doc } = await server.admin('POST', '/uiconfigs', { title: 'Read me' });
  const [bytes, ratio] = await readAgainstBare(server, `/uiconfigs/${_doc}`);
  console.log(`read one record of ${bytes} bytes, 64 connections, against a bare Beast responder: ${ratio.toFixed(2)} (target 0.70)`);
  await server.end();
}

/// What counting replies for meters and noting writes for the audit log cost those who read.
async function accounting() {
  const configs = ['', 'audit.enabled = false\nusage.enabled = false\n'];
  const ratios = [];
  // Many short pairs of new servers: how memory happens to lie makes more of a difference than what is
  // measured, and only a mean of many shows it. Each goes first as often as the other.
  for (let round = 0; round < 16 * rounds; ++round) {
    const costs = [];
    for (const i of round % 2 ? [1, 0] : [0, 1]) {
      const server = await SteleServer.start({ config: configs[i] });
      const { _doc } = await server.admin('POST', '/uiconfigs', { title: 'Read me' });
      costs[i] = load(`${server.baseUrl}/uiconfigs/${_doc}`, server.child.pid, { token: server.adminToken, duration: 1 }).cpu;
      await server.end();
    }
    ratios.push(costs[0] / costs[1]);
  }
  const mean = ratios.reduce((sum, one) => sum + one, 0) / ratios.length;
  const deviation = Math.sqrt(ratios.reduce((sum, one) => sum + (one - mean) ** 2, 0) / (ratios.length - 1));
  const range = [Math.min(...ratios), Math.max(...ratios)].map((one) => one.toFixed(2)).join(' to ');
  console.log(`  ${ratios.length} pairs of servers: ratios from ${range}, median ${median(ratios).toFixed(3)}`);
  console.log(`read with meters and audit log against without, CPU time: ${mean.toFixed(3)}, standard error ${(deviation / Math.sqrt(ratios.length)).toFixed(3)} (target at most 1.03)`);
}

async function create() {
  const ratio = await createAgainstRaw(async (options) => {
    const server = await SteleServer.start(options);
    await server.admin('POST', '/uiconfigs', { title: 'first' });
    const count = async () => (await server.admin('POST', '/uiconfigs/query?limit=1', { key: { $exists: true } })).total_rows;
    return { server, path: '/uiconfigs', count };
  });
  console.log(`durable create, 64 connections, against raw LevelDB group commit of the same bytes: ${ratio.toFixed(2)} (target 0.50)`);
}

async function fillStore(data, count) {
  const server = await SteleServer.start({ data });
  await server.login();
  let next = 0;
  await Promise.all(Array.from({ length: 64 }, async () => {
    while (next < count) {
      const number = next++;
      await server.admin('POST', '/uiconfigs', {
        title: `Title ${String((number * 7919) % count).padStart(8, '0')}`, key: `key-${number}`,
        projectId: `project${number % 10}`, category: `category${number % 10}`,
        group: `group${Math.floor(number / 50)}`, config: { text: 'x'.repeat(40), n: number },
      });
    }
  }));
  // A new start, so that small and large stores are both read from files and not from the buffer of
  // recent writes.
  const token = server.adminToken;
  await server.stop();
  await server.launch();
  server.adminToken = token;
  return server;
}

async function list() {
  const servers = [];
  const sizes = [1000, 100_000];
  for (const size of sizes) servers.push(await fillStore(mkdtempSync(join(tmpdir(), 'stele-bench-')), size));
  const sort = encodeURIComponent('{"title":1}');
  const kinds = [['projectId', 'project3', 'a tenth of all, declared composite index'],
                 ['category', 'category3', 'a tenth of all, index that the server made by itself'],
                 ['group', 'group3', '50 of all, single-field index']];
  for (const [field, value, meaning] of kinds) {
    const token = servers.map((server) => server.adminToken);
    const path = `/uiconfigs/query?limit=25&sort=${sort}`;
    for (let i = 0; i < 40; ++i) {
      for (const server of servers) await server.admin('POST', path, { [field]: value });
    }
    // Time for an index that those queries have asked for.
    await new Promise((done) => setTimeout(done, 3000));
    const ratios = [];
    let last;
    for (let round = 0; round < rounds; ++round) {
      const [small, large] = servers.map((server, i) =>
        load(server.baseUrl + path, server.child.pid, { connections: 8, token: token[i], script: 'query.lua', args: [field, value] }));
      ratios.push(large.cpu / small.cpu);
      last = { small, large };
    }
    const { explain, total_rows } = await servers[1].admin('POST', `${path}&explain=true`, { [field]: value });
    console.log(`  ${field}: ${last.small.cpu.toFixed(0)} us at 1,000, ${last.large.cpu.toFixed(0)} us at 100,000 (${last.large.rate.toFixed(0)}/s, total ${total_rows}, access ${explain.access})`);
    console.log(`list of 25 sorted by title, equality on ${field} (${meaning}), cost at 100,000 against 1,000 records: ${median(ratios).toFixed(2)} (target at most 1.30)`);
  }
  for (const server of servers) await server.stop();
  return servers;
}

async function start(full) {
  const times = [];
  const server = full ?? await fillStore(mkdtempSync(join(tmpdir(), 'stele-bench-')), 100_000);
  await server.stop();
  for (let round = 0; round < Math.max(rounds, 5); ++round) {
    const began = process.hrtime.bigint();
    await server.launch();
    await server.request('GET', '/readyz');
    times.push(Number(process.hrtime.bigint() - began) / 1e9);
    if (round === 0) console.log(`  resident with 100,000 records after start: ${residentMiB(server.child.pid).toFixed(1)} MiB`);
    await server.stop();
  }
  console.log(`start of a store with 100,000 records to /readyz: ${median(times).toFixed(3)} s (target under 0.300)`);
  const idle = await SteleServer.start();
  await idle.request('GET', '/readyz');
  console.log(`resident memory idle: ${residentMiB(idle.child.pid).toFixed(1)} MiB (target under 40)`);
  await idle.end();
}

if (only.includes('read')) await read();
if (only.includes('accounting')) await accounting();
if (only.includes('create')) await create();
const servers = only.includes('list') ? await list() : undefined;
if (only.includes('start')) await start(servers?.[1]);
for (const server of servers ?? []) rmSync(server.data, { recursive: true, force: true });
process.exit(0);
