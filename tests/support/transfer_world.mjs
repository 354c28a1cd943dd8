// Records and content to export and import while something goes wrong, and what tells afterwards whether anything of a
// transfer is there in half.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { inflateRawSync } from 'node:zlib';
import { until } from './until.mjs';

const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');
/// Settings under which unused binaries go, and jobs of dead servers are taken over, within seconds.
export const kHasty = 'storage.collection_period = 400ms\njobs.lease = 3s\n';
/// As many nodes as take seconds to import.
export const kNodes = process.env.STELE_SANITIZED ? 300 : 1500;
const isNumbered = { number: { $gte: 0 } };
const hasEnded = ({ state }) => ['FINISHED', 'ERROR'].includes(state);
/// These change by themselves, or by each job.
const kOwn = ['/activities', '/jobs', '/logs'];

/// Every file of a zip by its path, unpacked, as its central directory tells it.
function filesOf(bytes) {
  const end = bytes.lastIndexOf('PK\x05\x06');
  assert.ok(end >= 0, 'the zip has an end');
  const count = bytes.readUInt16LE(end + 10);
  assert.notEqual(count, 0xffff, 'the zip is a small one');
  const files = new Map();
  let at = bytes.readUInt32LE(end + 16);
  for (let i = 0; i < count; ++i) {
    assert.equal(bytes.toString('latin1', at, at + 4), 'PK\x01\x02');
    const [method, packedSize] = [bytes.readUInt16LE(at + 10), bytes.readUInt32LE(at + 20)];
    const [name, extra, comment] = [28, 30, 32].map((place) => bytes.readUInt16LE(at + place));
    const local = bytes.readUInt32LE(at + 42);
    const data = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28);
    const packed = bytes.subarray(data, data + packedSize);
    files.set(bytes.toString('utf8', at + 46, at + 46 + name), method === 0 ? packed : inflateRawSync(packed));
    at += 46 + name + extra + comment;
  }
  assert.equal(files.size, count, 'no path is there twice');
  return files;
}

/// An archive that is whole: the zip, and every digest of its manifest. Answers the manifest.
export function verifyArchive(bytes) {
  const file = join(tmpdir(), `stele-archive-${process.pid}.zip`);
  writeFileSync(file, bytes);
  const tested = spawnSync('unzip', ['-tqq', file], { encoding: 'utf8' });
  rmSync(file);
  assert.equal(tested.status, 0, tested.stdout + tested.stderr);
  const files = filesOf(bytes);
  const manifest = JSON.parse(files.get('manifest.json').toString());
  let told = 0;
  for (const { location, files: named } of Object.values(manifest.contents)) {
    for (const [name, { sha256: digest, size }] of Object.entries(named)) {
      const content = files.get(`${location}/${name}`);
      assert.ok(content, `${location}/${name} is missing`);
      assert.deepEqual([content.length, sha256(content)], [size, digest], `${location}/${name}`);
      ++told;
    }
  }
  assert.equal(files.size, told + 1, 'the manifest tells of every file');
  return manifest;
}

/// The whole binaries of a data folder, by name.
export function blobsOf(data) {
  return readdirSync(join(data, 'blobs'), { recursive: true }).filter((name) => /\/[0-9a-f]{64}$/.test(name)).map((name) => basename(name)).sort();
}

/// As if all binaries had been there for two days.
export function ageBlobs(data) {
  const then = new Date(Date.now() - 48 * 3600 * 1000);
  for (const name of blobsOf(data)) {
    try {
      utimesSync(join(data, 'blobs', name.slice(0, 2), name), then, then);
    } catch (error) {
      if (error.code !== 'ENOENT') throw error;  // collected by now
    }
  }
}

/// Nothing that a transfer keeps on its way lies in a data folder.
export function assertNoScratch(data) {
  for (const folder of ['transfers', join('blobs', 'unfinished')]) {
    const place = join(data, folder);
    assert.deepEqual(statSync(place, { throwIfNoEntry: false }) ? readdirSync(place) : [], [], folder);
  }
}

/// The kinds of records that are exported; the target of an import is the platform, or a branch of a new repository.
export const kinds = ['branch', 'repository', 'domain', 'project'];

export class TransferWorld {
  /// A repository of `nodes` nodes, every tenth of which has an attachment, a domain and a project, made by way of `server`.
  static async make(server, { nodes = kNodes, attachmentSize = 20_000 } = {}) {
    const world = new TransferWorld();
    world.server = server;
    world.nodes = nodes;
    world.attachments = new Map();
    world.artifacts = 0;
    await world.#findCollections();
    // Its archives are looked up one by one, and are no part of the state.
    world.vault = (await world.ask('POST', '/vaults', { title: 'exports' }))._doc;
    world.repository = (await world.ask('POST', '/repositories', { title: 'source' }))._doc;
    world.empty = (await world.ask('POST', '/repositories', { title: 'empty' }))._doc;
    world.branch = `/repositories/${world.repository}/branches/master`;
    await world.#fill(attachmentSize);
    world.domain = (await world.ask('POST', '/domains', { title: 'source' }))._doc;
    world.principals = [];
    for (let i = 0; i < 40; ++i) {
      const isGroup = i % 10 === 0;
      const fields = isGroup ? { type: 'GROUP', name: `group${i}` } : { type: 'USER', name: `user${i}`, password: `secret-of-user${i}` };
      const { _doc } = await world.ask('POST', `/domains/${world.domain}/principals`, fields);
      const last = world.principals.at(-1);
      if (isGroup && last) await world.ask('POST', `/domains/${world.domain}/principals/${_doc}/members/add?id=${world.domain}/${last.id}`);
      world.principals.push({ id: _doc, name: fields.name });
    }
    const project = await world.ask('POST', '/projects', { title: 'source' });
    world.project = project._doc;
    const stores = (await world.ask('GET', `/stacks/${project.stackId}/datastores`)).rows;
    world.projectStores = stores.map((row) => row.datastoreTypeId);
    const { datastoreId } = stores.find((row) => row.datastoreTypeId === 'repository');
    for (let number = 0; number < 30; ++number) await world.ask('POST', `/repositories/${datastoreId}/branches/master/nodes`, { number });
    return world;
  }

  /// A request that must succeed; answers its JSON.
  async ask(method, path, body) {
    return this.server.admin(method, path, body);
  }

  async #findCollections() {
    const { json } = await this.server.request('GET', '/openapi.json');
    const paths = Object.keys(json.paths).filter((path) => /^\/[a-z]+$/.test(path) && json.paths[path].get && !kOwn.includes(path));
    this.collections = [];
    const token = await this.server.login();
    this.server.adminToken ??= token;
    for (const path of paths) {
      const reply = await this.server.request('GET', `${path}?limit=0`, { token });
      if (reply.status === 200 && typeof reply.json?.total_rows === 'number') this.collections.push(path);
    }
    for (const path of ['/repositories', '/domains', '/projects', '/stacks']) assert.ok(this.collections.includes(path), path);
  }

  async #fill(attachmentSize) {
    let next = 0;
    await Promise.all(Array.from({ length: 8 }, async () => {
      for (let number = next++; number < this.nodes; number = next++) {
        const { _doc } = await this.ask('POST', `${this.branch}/nodes`, { number, title: `node ${number}`, text: 'word '.repeat(60) });
        if (number % 10 === 0) await this.attach(_doc, number, attachmentSize);
      }
    }));
  }

  /// Other bytes for the node of a number, of the source.
  async attach(node, number, size) {
    const bytes = randomBytes(size);
    this.attachments.set(number, sha256(bytes));
    const reply = await this.server.request('POST', `${this.branch}/nodes/${node}/attachments/default`,
      { body: bytes, token: this.server.adminToken, headers: { 'Content-Type': 'image/png' } });
    assert.equal(reply.status, 200, reply.text);
  }

  #path(kind) {
    return { branch: this.branch, repository: `/repositories/${this.repository}`, domain: `/domains/${this.domain}`, project: `/projects/${this.project}` }[kind];
  }

  /// Starts the export of one kind; answers the job, and where its archive will be.
  async startExport(kind, { vault = this.vault, artifact = `${kind}${++this.artifacts}` } = {}) {
    const { _doc } = await this.ask('POST', `${this.#path(kind)}/export?group=faults&artifact=${artifact}&version=1&vault=${vault}`, { tipChangesetOnly: kind === 'branch' });
    return { id: _doc, kind, artifact, vault };
  }

  /// The archive of a job that has ended, whole; undefined where there is none.
  async archiveOf({ artifact, vault }) {
    const token = this.server.adminToken;
    const archives = `/vaults/${vault}/archives`;
    const found = await this.server.request('GET', `${archives}/lookup?group=faults&artifact=${artifact}&version=1`, { token });
    if (found.status === 404) return undefined;
    assert.equal(found.status, 200, found.text);
    const { bytes } = await this.server.request('GET', `${archives}/${found.json._doc}/download`, { token });
    assert.equal(bytes.length, found.json.length);
    return { id: found.json._doc, bytes, manifest: verifyArchive(bytes) };
  }

  /// What an export has left is what its job says: an archive that is whole and complete, or none.
  async checkExport(job, started) {
    const archive = await this.archiveOf(started);
    assert.equal(Boolean(archive), job.state === 'FINISHED', JSON.stringify(job));
    if (!archive) return undefined;
    const entries = Object.values(archive.manifest.contents);
    assert.deepEqual([job.archiveId, job.entries, job.bytes], [archive.id, entries.length, archive.bytes.length]);
    const named = (type) => new Set(entries.filter(({ typeId }) => typeId === type).map(({ id }) => id)).size;
    if (started.kind === 'branch' || started.kind === 'repository') assert.ok(named('node') >= this.nodes);
    if (started.kind === 'domain') assert.equal(entries.filter(({ location }) => /\/principals\/[^/]+$/.test(location)).length, this.principals.length);
    if (started.kind === 'project') assert.equal(named('project') + named('stack'), 2);
    return archive;
  }

  /// Archives to import.
  async exportAll(wanted = kinds) {
    this.archives = {};
    for (const kind of wanted) {
      const started = await this.startExport(kind);
      const job = await this.ended(started.id);
      assert.equal(job.state, 'FINISHED', JSON.stringify(job.log_entries));
      assert.ok(await this.checkExport(job, started));
      this.archives[kind] = started.artifact;
    }
  }

  /// Starts an import of one kind; answers the job, the state before it, and a new branch if it goes to one.
  async startImport(kind, { fields = {} } = {}) {
    return this.beginImport(await this.prepareImport(kind, { fields }));
  }

  /// Everything but the job, which `beginImport` adds.
  async prepareImport(kind, { fields = {} } = {}) {
    const target = kind === 'branch' ? (await this.ask('POST', '/repositories', { title: 'target', ...fields }))._doc : undefined;
    return { kind, target, before: await this.state() };
  }

  async beginImport(prepared) {
    const path = prepared.target ? `/repositories/${prepared.target}/branches/master` : '';
    const { _doc } = await this.ask('POST', `${path}/import?group=faults&artifact=${this.archives[prepared.kind]}&version=1&vault=${this.vault}`, {});
    return { id: _doc, ...prepared };
  }

  async #rows(path) {
    return (await this.ask('GET', `${path}?limit=-1`)).rows;
  }

  async #total(path, query) {
    return (await (query ? this.ask('POST', `${path}?limit=1`, query) : this.ask('GET', `${path}?limit=1`))).total_rows;
  }

  async #stateOfRepository(id) {
    const path = `/repositories/${id}`;
    const { tip } = await this.ask('GET', `${path}/branches/master`);
    return { tip, branches: await this.#total(`${path}/branches`), changesets: await this.#total(`${path}/changesets`),
             nodes: await this.#total(`${path}/branches/master/nodes/query`, isNumbered) };
  }

  /// How much there is of everything, and the tips of all branches.
  async state() {
    const state = { totals: {}, repositories: {}, principals: {}, archives: {}, stores: {} };
    for (const path of this.collections) state.totals[path] = await this.#total(path);
    for (const { _doc } of await this.#rows('/repositories')) state.repositories[_doc] = await this.#stateOfRepository(_doc);
    for (const { _doc } of await this.#rows('/domains')) state.principals[_doc] = await this.#total(`/domains/${_doc}/principals`);
    for (const { _doc } of (await this.#rows('/vaults')).filter((vault) => vault._doc !== this.vault)) state.archives[_doc] = await this.#total(`/vaults/${_doc}/archives`);
    for (const { _doc } of await this.#rows('/stacks')) state.stores[_doc] = await this.#total(`/stacks/${_doc}/datastores`);
    // Teams of the platform's records are groups here, and named by them.
    const records = new Set([...Object.keys(state.repositories), ...Object.keys(state.principals), ...Object.keys(state.stores)]);
    const names = (await this.#rows('/domains/default/principals')).map(({ name }) => name);
    state.principals.default = names.filter((name) => !records.has(name.split(' ').at(-1))).sort();
    return state;
  }

  /// What an import that has ended well leaves of what was there before: `after` without what is new, which is checked.
  async #withoutImported({ kind, target, before }, after) {
    const rest = structuredClone(after);
    const take = (part, collection, count) => {
      const made = Object.keys(rest[part]).filter((id) => !(id in before[part]));
      assert.equal(made.length, count, `new ${part}`);
      const [found] = made.map((id) => ({ id, ...(typeof rest[part][id] === 'object' ? rest[part][id] : { count: rest[part][id] }) }));
      for (const id of made) delete rest[part][id];
      rest.totals[collection] -= count;
      return found;
    };
    if (kind === 'branch') {
      const [was, is] = [before.repositories[target], rest.repositories[target]];
      assert.notEqual(is.tip, was.tip);
      assert.deepEqual(is, { ...was, tip: is.tip, changesets: was.changesets + 1, nodes: this.nodes });
      rest.repositories[target] = was;
      await this.#checkContent(target);
    }
    if (kind === 'repository') {
      const made = take('repositories', '/repositories', 1);
      assert.equal(made.nodes, this.nodes);
      assert.equal(made.changesets, before.repositories[this.empty].changesets + 1, 'one changeset');
      await this.#checkContent(made.id);
    }
    if (kind === 'domain') {
      const made = take('principals', '/domains', 1);
      const names = (await this.#rows(`/domains/${made.id}/principals`)).map(({ name }) => name);
      for (const { name } of this.principals) assert.ok(names.includes(name), name);
      assert.equal(made.count, before.principals[this.domain]);
    }
    if (kind === 'project') {
      rest.totals['/projects'] -= 1;
      assert.equal(take('stores', '/stacks', 1).count, this.projectStores.length);
      assert.deepEqual(this.projectStores, ['repository']);
      assert.equal(take('repositories', '/repositories', 1).nodes, 30);
    }
    return rest;
  }

  /// Each node is there once, and its attachment is what was attached to the source.
  async #checkContent(repository) {
    const branch = `/repositories/${repository}/branches/master`;
    const rows = (await this.ask('POST', `${branch}/nodes/query?limit=-1`, isNumbered)).rows;
    assert.deepEqual(rows.map(({ number }) => number).sort((one, other) => one - other), Array.from({ length: this.nodes }, (_, number) => number));
    for (const { _doc, number } of rows.filter((row) => this.attachments.has(row.number))) {
      const { bytes } = await this.server.request('GET', `${branch}/nodes/${_doc}/attachments/default`, { token: this.server.adminToken });
      assert.equal(sha256(bytes), this.attachments.get(number), `attachment of node ${number}`);
    }
  }

  /// Nothing of an import is there unless its job has finished; then all of it, once, and nothing else.
  async checkImport(job, started) {
    const after = await this.state();
    const rest = job.state === 'FINISHED' ? await this.#withoutImported(started, after) : after;
    assert.deepEqual(rest, started.before);
  }

  async job(id) {
    return this.ask('GET', `/jobs/${id}`);
  }

  async ended(id) {
    let job;
    await until(async () => hasEnded(job = await this.job(id)), `job ${id} ends`);
    return job;
  }

  /// Waits until a job is in its middle, and what `begun` looks for is there; false when it has ended before.
  async caught({ id }, begun = () => true) {
    for (let i = 0; ; ++i) {
      assert.ok(i < 30_000, `job ${id} is never begun`);
      const job = await this.job(id);
      if (hasEnded(job)) return false;
      if (job.state === 'RUNNING' && await begun(job)) return true;
      await sleep(5);
    }
  }

  /// Starts transfers by `start` until one is caught in its middle; answers that one.
  async startCaught(start, begun) {
    for (let i = 0; i < 20; ++i) {
      const started = await start();
      if (await this.caught(started, begun)) return started;
    }
    assert.fail('every transfer had ended before it was seen in its middle');
  }
}

/// A transfer has begun to write when it tells of entries.
export const hasWritten = ({ progress }) => progress.done > 0;

/// A job ends as an error with a sentence for people, by its log.
export function assertFailed(job, sentence) {
  assert.equal(job.state, 'ERROR', JSON.stringify(job.log_entries));
  const { level, type, message } = job.log_entries.at(-1);
  assert.equal(level ?? type, 'ERROR');
  assert.match(message, sentence);
}

/// The store of a server is consistent, and soon has nothing unused among its binaries; what transfers keep on their
/// way is gone. The server has the settings `kHasty`, and is started anew.
export async function assertClean(server) {
  const unused = /binaries of \d+ bytes that nothing refers to/;
  await until(async () => {
    ageBlobs(server.data);
    await sleep(4000);
    await server.stop();
    const { status, text } = server.check();
    assert.equal(status, 0, text);
    await server.launch();
    return !unused.test(text);
  }, 'unused binaries are collected');
  assertNoScratch(server.data);
}
