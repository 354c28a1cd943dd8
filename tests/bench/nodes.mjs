// node tests/bench/nodes.mjs [--seconds 4] [--rounds 3] [--large 1000000] [--updates 100000]
//   [--only fork,query,depth,search,difference,read,create,memory,disk,start]
//
// The cost model of content (docs/specification/architecture.md 4) as ratios: what operations cost in a large repository against a
// small one, and reads and creates against ceilings measured in the same run. Nothing here passes or fails.
// Needs wrk and the release build with benchmarks.
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import http from 'node:http';
import { cpuMicroseconds, createAgainstRaw, load, median, option, readAgainstBare, residentMiB, rounds, SteleServer } from './bench.mjs';
import { loadNodes } from './load_nodes.mjs';

const only = option('only', 'fork,query,depth,search,difference,read,create,memory,disk,start').split(',');
const large = Number(option('large', 1_000_000));
const updates = Number(option('updates', 100_000));

async function repositoryOf(server, nodes) {
  const { _doc } = await server.admin('POST', '/repositories', { title: `${nodes} nodes` });
  const path = `/repositories/${_doc}`;
  if (nodes > 0) {
    const { rate } = await loadNodes(server, `${path}/branches/master`, nodes);
    if (nodes >= 10_000) console.log(`  ${nodes} nodes loaded by bulk forms: ${rate.toFixed(0)}/s`);
  }
  return path;
}

/// The server's CPU time for one of `count` calls, eight at a time.
async function cost(server, count, call) {
  const before = cpuMicroseconds(server.child.pid);
  let next = 0;
  await Promise.all(Array.from({ length: 8 }, async () => {
    while (next < count) await call(next++);
  }));
  return (cpuMicroseconds(server.child.pid) - before) / count;
}

/// Prints the median ratio of what the two cost.
async function compare(what, target, [small, big], measure) {
  const ratios = [];
  let last;
  for (let round = 0; round < rounds; ++round) {
    last = [await measure(small), await measure(big)];
    ratios.push(last[1] / last[0]);
  }
  console.log(`${what}: ${median(ratios).toFixed(2)} (target at most ${target}; ${last.map((us) => us.toFixed(0)).join(' and ')} us)`);
}

const server = await SteleServer.start();
const repositories = {};
const sized = async (nodes) => (repositories[nodes] ??= await repositoryOf(server, nodes));
/// A branch with so many changed nodes, those behind the first `skip`.
async function changedFork(repository, changes, skip = 0) {
  const { _doc } = await server.admin('POST', `${repository}/branches?branch=master`, {});
  const branch = `${repository}/branches/${_doc}`;
  const { rows } = await server.admin('POST', `${branch}/nodes/query?limit=${changes}&skip=${skip}`, { kind: 'loaded' });
  for (let at = 0; at < rows.length; at += 100) {
    const nodes = Object.fromEntries(rows.slice(at, at + 100).map(({ _doc: id, ...row }) => [id, { ...row, changed: true }]));
    await server.admin('PUT', `${branch}/nodes`, { nodes });
  }
  return branch;
}
const query = (branch) => (i) => server.admin('POST', `${branch}/nodes/query?limit=25`, { group: `group${i % 20}` });

if (only.includes('fork')) {
  const pair = [await sized(1000), await sized(large)];
  await compare(`fork of ${large} nodes against 1,000`, 1.5, pair, (repository) =>
    cost(server, 100, () => server.admin('POST', `${repository}/branches?branch=master`, {})));
}
if (only.includes('query')) {
  const pair = [await sized(10_000), await sized(large)];
  const masters = pair.map((path) => `${path}/branches/master`);
  await compare(`25 rows by an index at ${large} nodes against 10,000`, 2, masters, (branch) => cost(server, 300, query(branch)));
  const forks = [masters[0], await changedFork(pair[1], 1000)];
  await compare('the same on a fork with 1,000 changes', 2, forks, (branch) => cost(server, 300, query(branch)));
}
if (only.includes('depth')) {
  const repository = await sized(1000);
  const { rows: [{ _doc: node }] } = await server.admin('POST', `${repository}/branches/master/nodes/query?limit=1`, { kind: 'loaded' });
  let parent = 'master';
  for (let depth = 1; depth <= 10; ++depth) {
    parent = (await server.admin('POST', `${repository}/branches?branch=${parent}`, {}))._doc;
    await server.admin('POST', `${repository}/branches/${parent}/nodes`, { title: `of depth ${depth}` });
  }
  const branches = [`${repository}/branches/master`, `${repository}/branches/${parent}`];
  await compare('a node read at branch depth 10 against depth 1', 2, branches, (branch) =>
    load(`${server.baseUrl}${branch}/nodes/${node}`, server.child.pid, { token: server.adminToken }).cpu);
}
if (only.includes('search')) {
  // Each text has the word `title`, fifty have the same `group`.
  const masters = [await sized(2000), await sized(200_000)].map((path) => `${path}/branches/master`);
  const search = (word) => async (branch) => {
    const find = async () => {
      const { rows } = await server.admin('POST', `${branch}/nodes/search?limit=25`, { search: word });
      if (rows.length !== 25) throw new Error(`${word}: ${rows.length} found`);
    };
    // After a bulk load the index needs a while.
    for (let waited = 0; ; ++waited) {
      const ready = await find().then(() => true, (error) => { if (waited > 20) throw error; });
      if (ready) break;
    }
    return cost(server, 200, find);
  };
  await compare('search of a common word in 200,000 nodes against 2,000', 'what holds them costs', masters, search('title'));
  await compare('search of a rare word, the same', 2, masters, search('group7'));
}
if (only.includes('difference')) {
  const sides = [];
  for (const nodes of [1000, large]) {
    const repository = await sized(nodes);
    sides.push([await changedFork(repository, 50), await changedFork(repository, 50, 50)]);
  }
  await compare(`difference of two branches with 50 changes each at ${large} nodes against 1,000`, 2, sides, ([source, target]) =>
    cost(server, 100, () => server.admin('POST', `${target}/diff/start?id=${source.split('/').at(-1)}&schedule=synchronous`)));
}
if (only.includes('read')) {
  const branch = `${await sized(1000)}/branches/master`;
  const { rows: [{ _doc: node }] } = await server.admin('POST', `${branch}/nodes/query?limit=1`, { kind: 'loaded' });
  const [, ratio] = await readAgainstBare(server, `${branch}/nodes/${node}`);
  console.log(`read one node, authenticated, 64 connections, against a bare Beast responder: ${ratio.toFixed(2)} (target 0.60)`);
}
if (only.includes('create')) {
  const ratio = await createAgainstRaw(async (options) => {
    const fresh = await SteleServer.start(options);
    const { _doc } = await fresh.admin('POST', '/repositories', {});
    const path = `/repositories/${_doc}/branches/master/nodes`;
    await fresh.admin('POST', path, {});
    const count = async () => (await fresh.admin('POST', `${path}/query?limit=1`, { key: { $exists: true } })).total_rows;
    return { server: fresh, path, count };
  });
  console.log(`durable create of a node, 64 connections, against raw LevelDB group commit of the same bytes: ${ratio.toFixed(2)} (target 0.40)`);
}
if (only.includes('memory')) {
  const branch = `${await sized(1000)}/branches/master`;
  const { _doc: node } = await server.admin('POST', `${branch}/nodes`, { title: 'large' });
  const path = `${branch}/nodes/${node}/attachments/large`;
  const idle = residentMiB(server.child.pid);
  let most = 0;
  const watch = setInterval(() => { most = Math.max(most, residentMiB(server.child.pid) - idle); }, 100);
  await new Promise((resolve, reject) => {
    const request = http.request({ host: '127.0.0.1', port: server.port, method: 'POST', path, headers: {
      Authorization: `Bearer ${server.adminToken}`, 'Content-Type': 'application/octet-stream', 'Content-Length': 2 ** 30 } },
    (response) => { response.resume(); response.on('end', () => resolve(response.statusCode)); });
    request.on('error', reject);
    const piece = Buffer.alloc(2 ** 20, 'x');
    let left = 1024;
    const send = () => {
      while (left-- > 0) if (!request.write(piece)) return request.once('drain', send);
      request.end();
    };
    send();
  });
  const up = most;
  most = 0;
  await new Promise((resolve) => spawn('curl', ['-s', '-o', '/dev/null', '-H', `Authorization: Bearer ${server.adminToken}`, `${server.baseUrl}${path}`]).on('exit', resolve));
  clearInterval(watch);
  console.log(`memory above idle while 1 GiB is uploaded ${up.toFixed(0)} MiB, downloaded ${most.toFixed(0)} MiB (target under 64)`);
}
if (only.includes('disk')) {
  const fresh = await SteleServer.start();
  const nodes = `/repositories/${(await fresh.admin('POST', '/repositories', {}))._doc}/branches/master/nodes`;
  const { _doc: node } = await fresh.admin('POST', nodes, {});
  const used = () => Number(spawnSync('du', ['-sb', fresh.data], { encoding: 'utf8' }).stdout.split('\t')[0]);
  const before = used();
  for (let update = 0; update < updates; ++update)
    await fresh.admin('PUT', `${nodes}/${node}?full=false`, { text: randomBytes(1000).toString('hex') });
  await fresh.stop();
  console.log(`disk for each of ${updates} versions of a node with 2,000 bytes that share nothing: ${((used() - before) / updates).toFixed(0)} bytes`);
  await fresh.launch();
  await fresh.end();
}
if (only.includes('start')) {
  await sized(large);
  await server.stop();
  const began = process.hrtime.bigint();
  await server.launch();
  await server.request('GET', '/readyz');
  console.log(`start with ${large} nodes to /readyz: ${(Number(process.hrtime.bigint() - began) / 1e9).toFixed(3)} s (target under 1)`);
}
await server.end();
process.exit(0);
