// node tests/bench/requests.mjs [--requests 200] [--record]
//
// What one request costs, beside what was recorded last (requests.recorded.json; `--record` writes it):
// instructions, allocations, and how often it parses and writes JSON, counted by callgrind (Debian:
// valgrind), and of writes the entries in the store's log and their bytes. The same on every machine but for
// what runs behind requests, so two builds can be compared: name the folder of the other's programs in
// STELE_BENCH_BIN. Nothing here passes or fails.
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folder = mkdtempSync(join(tmpdir(), 'stele-requests-'));
const bin = process.env.STELE_BENCH_BIN ?? new URL('../../build/release/bin', import.meta.url).pathname;
const wrapper = join(folder, 'stele');
const counting = join(folder, 'counting');
const valgrind = ['--tool=callgrind', `--callgrind-out-file=${join(folder, 'counted')}`, '--compress-strings=no', '--compress-pos=no'];
writeFileSync(wrapper, `#!/bin/sh\n[ "$1" = serve ] && [ -e ${counting} ] || exec ${bin}/stele "$@"\nexec valgrind -q ${valgrind.join(' ')} ${bin}/stele "$@"\n`);
chmodSync(wrapper, 0o755);
process.env.STELE_BIN = wrapper;
const { logSize, option, SteleServer } = await import('./bench.mjs');
const requests = Number(option('requests', 200));
const recordFile = new URL('requests.recorded.json', import.meta.url).pathname;

const kCounted = { allocations: ['operator new', 'malloc', 'calloc', 'realloc'], parses: ['stele::sdk::parse_json'], dumps: ['stele::sdk::dump_json'] };

function control(pid, order) {
  const done = spawnSync('callgrind_control', [order, `${pid}`], { encoding: 'utf8' });
  if (done.status !== 0) throw new Error(`callgrind_control ${order}: ${done.error ?? done.stderr + done.stdout}`);
}

/// Instructions in a dump, and calls of the counted functions.
function readCounts(file) {
  const counts = { instructions: 0, ...Object.fromEntries(Object.keys(kCounted).map((name) => [name, 0])) };
  let called;
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    if (line.startsWith('cfn=')) called = Object.keys(kCounted).find((name) => kCounted[name].some((start) => line.startsWith(`cfn=${start}`)));
    else if (called && line.startsWith('calls=')) counts[called] += Number(line.slice(6).split(' ')[0]);
    else if (line.startsWith('summary:')) counts.instructions = Number(line.split(':')[1]);
  }
  return counts;
}

const words = 'graph branch node content server schema token index editor draft publish review asset folder locale field'.split(' ');
const body = Array.from({ length: 80 }, (_, i) => words[(i * 7 + 3) % words.length]).join(' ').slice(0, 500);
const article = (i) => ({ _type: 'bench:article', title: `Article ${i}`, body, category: `cat-${i % 20}`, price: (i % 10000) / 100, tags: ['a', 'b', `t${i % 50}`] });
const wide = (i) => Object.fromEntries(Array.from({ length: 40 }, (_, field) => [`field${field}`, `value ${i}`]));

/// A repository with an article, and the requests that are measured; `writes` of them write.
async function prepare(server) {
  const { _doc: config } = await server.admin('POST', '/uiconfigs', { title: 'Count me' });
  const { _doc: repository } = await server.admin('POST', '/repositories', {});
  const nodes = `/repositories/${repository}/branches/master/nodes`;
  const text = { type: 'string' };
  const properties = { title: text, body: text, category: text, price: { type: 'number' }, tags: { type: 'array', items: text } };
  await server.admin('POST', nodes, { _type: 'd:type', _qname: 'bench:article', type: 'object', properties });
  const { _doc: node } = await server.admin('POST', nodes, article(0));
  return {
    nodes,
    reads: [
      ['read a record', () => server.admin('GET', `/uiconfigs/${config}`)],
      ['read a node', () => server.admin('GET', `${nodes}/${node}`)],
    ],
    writes: [
      ['update a record', (i) => server.admin('PUT', `/uiconfigs/${config}`, { title: `Count ${i}` })],
      ['create a record', (i) => server.admin('POST', '/uiconfigs', { title: `Count ${i}` })],
      ['update one number of an article', (i) => server.admin('PATCH', `${nodes}/${node}`, { price: i })],
      ['create an article of 600 bytes', (i) => server.admin('POST', nodes, article(i))],
      ['create a node of two fields', (i) => server.admin('POST', nodes, { title: `Count ${i}`, number: i })],
      ['create a node of 40 fields', (i) => server.admin('POST', nodes, wide(i))],
    ],
  };
}

/// Entries and bytes in the log for each write.
async function countLog(costs) {
  const server = await SteleServer.start({ config: 'storage.write_buffer = 64MiB' });
  try {
    await server.login();
    const { writes } = await prepare(server);
    for (const [what, call] of writes) {
      for (let i = 0; i < 5; ++i) await call(i);
      const [entries, bytes] = logSize(server);
      for (let i = 0; i < 50; ++i) await call(100 + i);
      const [moreEntries, moreBytes] = logSize(server);
      costs[what] = { entries: Math.round((moreEntries - entries) / 50), bytes: Math.round((moreBytes - bytes) / 50) };
    }
  } finally {
    await server.end();
  }
}

async function countInstructions(costs) {
  writeFileSync(counting, '');
  const server = await SteleServer.start();
  try {
    await server.login();
    const { pid } = server.child;
    const { nodes, reads, writes } = await prepare(server);
    // Until the search index has followed: what works behind a request is none of the next one's cost.
    const isFound = async () => (await server.admin('GET', `${nodes}/search?text=graph`)).total_rows > 0;
    while (!await isFound()) await new Promise((done) => setTimeout(done, 500));
    for (const [what, call] of [...reads, ...writes]) {
      for (let i = 0; i < 20; ++i) await call(i);
      control(pid, '-z');
      const before = new Set(readdirSync(folder));
      for (let i = 0; i < requests; ++i) await call(100 + i);
      control(pid, '-d');
      const counts = readdirSync(folder).filter((name) => !before.has(name)).map((name) => readCounts(join(folder, name)));
      const each = (name) => counts.reduce((sum, one) => sum + one[name], 0) / requests;
      costs[what] = { ...costs[what], instructions: Math.round(each('instructions')) };
      for (const name of Object.keys(kCounted)) costs[what][name] = Number(each(name).toFixed(1));
    }
  } finally {
    await server.end();
  }
}

try {
  const recorded = existsSync(recordFile) ? JSON.parse(readFileSync(recordFile, 'utf8')) : {};
  const costs = {};
  await countLog(costs);
  await countInstructions(costs);
  for (const [what, cost] of Object.entries(costs)) {
    const told = Object.entries(cost).map(([name, value]) => `${value} ${name}` + (recorded[what]?.[name] === undefined ? '' : ` (${recorded[what][name]})`));
    console.log(`${what}: ${told.join(', ')}`);
  }
  if (process.argv.includes('--record')) writeFileSync(recordFile, JSON.stringify(costs, undefined, 2) + '\n');
} finally {
  rmSync(folder, { recursive: true, force: true });
}
