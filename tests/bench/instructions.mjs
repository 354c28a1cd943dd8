// node tests/bench/instructions.mjs [--requests 200]
//
// What one request costs in instructions, and how often it parses and writes JSON, counted by callgrind (Debian:
// valgrind). The same on every machine but for what runs behind requests, so two builds can be compared: name the
// folder of the other's programs in STELE_BENCH_BIN. Nothing here passes or fails.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folder = mkdtempSync(join(tmpdir(), 'stele-instructions-'));
const bin = process.env.STELE_BENCH_BIN ?? new URL('../../build/release/bin', import.meta.url).pathname;
const wrapper = join(folder, 'stele');
const options = ['--tool=callgrind', `--callgrind-out-file=${join(folder, 'counted')}`, '--compress-strings=no', '--compress-pos=no'];
writeFileSync(wrapper, `#!/bin/sh\n[ "$1" = serve ] || exec ${bin}/stele "$@"\nexec valgrind -q ${options.join(' ')} ${bin}/stele "$@"\n`);
chmodSync(wrapper, 0o755);
process.env.STELE_BIN = wrapper;
const { option, SteleServer } = await import('./bench.mjs');
const requests = Number(option('requests', 200));

const kCounted = ['parse_json', 'dump_json'];

function control(pid, order) {
  const done = spawnSync('callgrind_control', [order, `${pid}`], { encoding: 'utf8' });
  if (done.status !== 0) throw new Error(`callgrind_control ${order}: ${done.error ?? done.stderr + done.stdout}`);
}

/// Instructions in a dump, and calls of the counted functions of the SDK.
function readCounts(file) {
  const counts = { instructions: 0, ...Object.fromEntries(kCounted.map((name) => [name, 0])) };
  let called;
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    if (line.startsWith('cfn=')) called = kCounted.find((name) => line.startsWith(`cfn=stele::sdk::${name}`));
    else if (called && line.startsWith('calls=')) counts[called] += Number(line.slice(6).split(' ')[0]);
    else if (line.startsWith('summary:')) counts.instructions = Number(line.split(':')[1]);
  }
  return counts;
}

const server = await SteleServer.start();
try {
  await server.login();
  const { pid } = server.child;
  const { _doc: config } = await server.admin('POST', '/uiconfigs', { title: 'Count me' });
  const { _doc: repository } = await server.admin('POST', '/repositories', {});
  const nodes = `/repositories/${repository}/branches/master/nodes`;
  const { _doc: node } = await server.admin('POST', nodes, { title: 'Count me' });
  const kinds = [
    ['GET a record', () => server.admin('GET', `/uiconfigs/${config}`)],
    ['PUT a record', (i) => server.admin('PUT', `/uiconfigs/${config}`, { title: `Count ${i}` })],
    ['POST a record', (i) => server.admin('POST', '/uiconfigs', { title: `Count ${i}` })],
    ['GET a node', () => server.admin('GET', `${nodes}/${node}`)],
    ['PUT a node', (i) => server.admin('PUT', `${nodes}/${node}`, { title: `Count ${i}` })],
    ['POST a node', (i) => server.admin('POST', nodes, { title: `Count ${i}` })],
  ];
  // Until the search index has followed: what works behind a request is none of the next one's cost.
  const isFound = async () => (await server.admin('GET', `${nodes}/search?text=Count`)).total_rows > 0;
  while (!await isFound()) await new Promise((done) => setTimeout(done, 500));
  for (const [what, call] of kinds) {
    for (let i = 0; i < 20; ++i) await call(i);
    control(pid, '-z');
    const before = new Set(readdirSync(folder));
    for (let i = 0; i < requests; ++i) await call(100 + i);
    control(pid, '-d');
    const counts = readdirSync(folder).filter((name) => !before.has(name)).map((name) => readCounts(join(folder, name)));
    const each = (name) => counts.reduce((sum, one) => sum + one[name], 0) / requests;
    console.log(`${what}: ${Math.round(each('instructions'))} instructions, ${kCounted.map((name) => `${each(name).toFixed(2)} ${name}`).join(', ')}`);
  }
} finally {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}
