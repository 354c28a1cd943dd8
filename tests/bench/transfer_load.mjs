// node tests/bench/transfer_load.mjs [--nodes 1000000] [--writers 100] [--pause 50] [--quiet 15]
//
// An export of a branch, and an import of a tenth of it, while writers change and make nodes, each waiting so many
// milliseconds between two writes: rates, the most memory that the server had above what it had before, and the
// writers' 99th percentile with and without a transfer. Memory says little of fewer than a million nodes, which do not
// fill the store's caches. The rate of an import is compared with that of the bulk form of nodes, both with the server
// to themselves one after the other, and both beside the writers; the bulk form takes turns from these that an import
// leaves to them, as their 99th percentile says. What the archive holds is compared with every acknowledged
// write and with every loaded node: it has to be the branch at the tip that it names, or this fails. Needs the release build.
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { ZipFile } from '../support/zip_file.mjs';
import { measuredJob, option, residentMiB, SteleServer } from './bench.mjs';
import { loadNodes, nodeOf } from './load_nodes.mjs';

const nodes = Number(option('nodes', 1_000_000));
const writers = Number(option('writers', 100));
const pause = Number(option('pause', 50));
const kQuietSeconds = Number(option('quiet', 15));
const kCachedNodes = 60_000;

const server = await SteleServer.start();
server.adminToken ??= await server.login();
const makeBranch = async () => `/repositories/${(await server.admin('POST', '/repositories', {}))._doc}/branches/master`;
const percentile = (times, part) => [...times].sort((a, b) => a - b)[Math.floor(times.length * part)];
const revisionOf = (changeset) => Number(changeset.split(':')[0]);

/// Clients that each write to one node of their own and make new ones, in turn; they know what was acknowledged.
class Writers {
  agent = new http.Agent({ keepAlive: true, maxSockets: writers });
  /// By id: what it said from which revision on.
  said = new Map();
  times = [];
  goesOn = true;

  constructor(branch) {
    this.branch = branch;
  }

  #ask(method, path, body) {
    const payload = JSON.stringify(body);
    return new Promise((resolve, reject) => {
      const request = http.request(`${server.baseUrl.replace(/\/$/, '')}${path}`, { method, agent: this.agent, headers: {
        Authorization: `Bearer ${server.adminToken}`, 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(payload) } },
      (response) => {
        let text = '';
        response.on('data', (piece) => { text += piece; });
        response.on('end', () => (response.statusCode === 200 ? resolve(JSON.parse(text)) : reject(new Error(`${method} ${path}: ${response.statusCode} ${text}`))));
      });
      request.on('error', reject);
      request.end(payload);
    });
  }

  async #write(method, path, count) {
    const began = process.hrtime.bigint();
    const { _doc, _system } = await this.#ask(method, path, { count, text: 'y'.repeat(100) });
    this.times.push(Number(process.hrtime.bigint() - began) / 1e6);
    if (!this.said.has(_doc)) this.said.set(_doc, []);
    this.said.get(_doc).push({ revision: revisionOf(_system.changeset), count });
    return _doc;
  }

  async #run() {
    const own = await this.#write('POST', `${this.branch}/nodes`, 0);
    for (let count = 1; this.goesOn; ++count) {
      if (count % 2 === 0) await this.#write('POST', `${this.branch}/nodes`, count);
      else await this.#write('PUT', `${this.branch}/nodes/${own}`, count);
      await sleep(pause);
    }
  }

  start() {
    this.running = Promise.all(Array.from({ length: writers }, () => this.#run()));
  }

  async end() {
    this.goesOn = false;
    await this.running;
    this.agent.destroy();
  }

  /// The times since the last call.
  take() {
    return this.times.splice(0);
  }
}

async function download(query, file) {
  const { _doc } = await server.admin('GET', `/vaults/primary/archives/lookup?${query}`);
  const reply = await new Promise((resolve, reject) => {
    http.get(`${server.baseUrl.replace(/\/$/, '')}/vaults/primary/archives/${_doc}/download`,
             { headers: { Authorization: `Bearer ${server.adminToken}` } }, resolve).on('error', reject);
  });
  await pipeline(reply, createWriteStream(file));
}

/// Which of the loaded nodes an archive has, each with what the load said, and no more than once.
class LoadedNodes {
  #seen;
  count = 0;
  wrong = 0;

  constructor(loaded) {
    this.#seen = new Uint8Array(loaded);
  }

  add(node) {
    const said = nodeOf(node.number);
    const isSame = this.#seen[node.number] === 0 && Object.entries(said).every(([name, value]) => node[name] === value);
    if (!isSame) ++this.wrong;
    this.#seen[node.number] = 1;
    ++this.count;
  }

  get missing() {
    return this.#seen.reduce((sum, seen) => sum - seen, this.#seen.length);
  }
}

/// Fails unless the archive is the branch at the tip that it names.
function compare(file, said, loaded) {
  const zip = new ZipFile(file);
  let tip;
  const others = new LoadedNodes(loaded);
  const found = new Map();
  for (const entry of zip.entries()) {
    if (entry.name.endsWith('/branch.json')) tip = revisionOf(JSON.parse(zip.contentOf(entry)).tip);
    const id = entry.name.match(/\/nodes\/([^/]+)\/node\.json$/)?.[1];
    if (!id) continue;
    const node = JSON.parse(zip.contentOf(entry));
    if (said.has(id)) found.set(id, node.count);
    else if (node.kind === 'loaded') others.add(node);
  }
  zip.close();
  let wrong = 0;
  let later = 0;
  for (const [id, writes] of said) {
    const last = writes.filter(({ revision }) => revision <= tip).sort((a, b) => b.revision - a.revision)[0];
    if (found.get(id) !== last?.count) ++wrong;
    later += writes.filter(({ revision }) => revision > tip).length;
  }
  if (!(tip > 0) || wrong + others.wrong + others.missing > 0) {
    throw new Error(`tip ${tip}: ${wrong} of ${said.size} written nodes are not as they were, nor are ${others.wrong} of ${others.count} others; ${others.missing} are missing`);
  }
  console.log(`  the archive is the branch at ${tip}: ${found.size} written and ${others.count} loaded nodes as they were then; ${later} acknowledged writes came after it`);
}

const source = await makeBranch();
const { rate } = await loadNodes(server, source, nodes);
console.log(`  ${nodes} nodes loaded by the bulk form, ${rate.toFixed(0)}/s`);
// A tenth of them, for what is measured beside the writers, who leave an import little time.
const part = Math.ceil(nodes / 10);
const partPlace = 'group=bench&artifact=part&version=1';
const partBranch = await makeBranch();
await loadNodes(server, partBranch, part);
await measuredJob(server, `${partBranch}/export?${partPlace}`, { tipChangesetOnly: true });
const folder = mkdtempSync(join(tmpdir(), 'stele-bench-'));
try {
  // So that the caches do not fill within what is measured.
  for (let skip = 0; skip < Math.min(nodes, kCachedNodes); skip += 500) await server.admin('POST', `${source}/nodes/query?limit=500&skip=${skip}`, {});
  const onSource = new Writers(source);
  onSource.start();
  await sleep(kQuietSeconds * 1000);
  onSource.take();
  const before = residentMiB(server.child.pid);
  let most = before;
  const watch = setInterval(() => { most = Math.max(most, residentMiB(server.child.pid)); }, 50);
  await sleep(kQuietSeconds * 1000);
  clearInterval(watch);
  const quiet = onSource.take();
  console.log(`  ${writers} writers, ${(quiet.length / kQuietSeconds).toFixed(0)} writes/s, 99th percentile ${percentile(quiet, 0.99).toFixed(1)} ms; `
    + `${before.toFixed(0)} MiB, at most ${(most - before).toFixed(0)} more within ${kQuietSeconds} s`);
  const report = (what, count, { seconds, memory }, busy) => {
    const [before, during] = [percentile(quiet, 0.99), percentile(busy, 0.99)];
    console.log(`  ${what}: ${(count / seconds).toFixed(0)} nodes/s, ${memory.toFixed(0)} MiB above what it had before (target 64), writers ${(busy.length / seconds).toFixed(0)}/s, 99th percentile `
      + `${during.toFixed(1)} ms, ${(during / before).toFixed(1)} times that without (target 2)`);
  };
  const place = 'group=bench&artifact=load&version=1';
  const out = await measuredJob(server, `${source}/export?${place}`, { tipChangesetOnly: true });
  report(`export of ${nodes}`, nodes, out, onSource.take());
  const into = await measuredJob(server, `${await makeBranch()}/import?${partPlace}`, {});
  report(`import of ${part} into another repository`, part, into, onSource.take());
  const beside = await loadNodes(server, await makeBranch(), part);
  const busy = onSource.take();
  console.log(`  bulk form: ${beside.rate.toFixed(0)} nodes/s beside ${(busy.length / (part / beside.rate)).toFixed(0)} writes/s, 99th percentile ${percentile(busy, 0.99).toFixed(1)} ms; `
    + `import against it: ${(part / into.seconds / beside.rate).toFixed(2)}`);
  await onSource.end();
  const alone = await measuredJob(server, `${await makeBranch()}/import?${place}`, {});
  console.log(`  import of ${nodes} with the server to itself: ${(nodes / alone.seconds).toFixed(0)} nodes/s, ${alone.memory.toFixed(0)} MiB above what it had before (target 64)`);
  const after = await loadNodes(server, await makeBranch(), part);
  console.log(`  bulk form of ${part} after it, with the server to itself: ${after.rate.toFixed(0)} nodes/s; import against it: ${(nodes / alone.seconds / after.rate).toFixed(2)} (target 0.50), `
    + `against the bulk form into an empty store: ${(nodes / alone.seconds / rate).toFixed(2)}`);
  const file = join(folder, 'archive.zip');
  await download(place, file);
  compare(file, onSource.said, nodes);
} finally {
  rmSync(folder, { recursive: true });
}
await server.end();
process.exit(0);
