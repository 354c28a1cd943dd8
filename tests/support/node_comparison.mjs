// Holds the worlds of writers (node_world.mjs) against what a server shows: by id, by list, by query, by
// search, from both ends of associations, in versions, deletions and bytes.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import http from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import { countTies, kChild, kLink, liveNodes, liveTies } from './node_world.mjs';

const kAtOnce = 8;

/// Answers { status, length, hash } of what is downloaded.
export function download(server, token, path) {
  return new Promise((resolve, reject) => {
    http.get({ host: '127.0.0.1', port: server.port, path, headers: { Authorization: `Bearer ${token}` } }, (response) => {
      const hash = createHash('sha256');
      let length = 0;
      response.on('data', (piece) => { hash.update(piece); length += piece.length; });
      response.on('error', reject);
      response.on('end', () => resolve({ status: response.statusCode, length, hash: hash.digest('hex') }));
    }).on('error', reject);
  });
}

export class NodeComparison {
  /// Everything that is other than it must be.
  differences = [];

  /// With `withBytes`, attachments are downloaded, too.
  constructor(server, { token, repository, withBytes = true }) {
    Object.assign(this, { server, token, repository, withBytes });
  }

  async ask(method, path, body) {
    const reply = await this.server.request(method, path, { token: this.token, body });
    assert.equal(reply.status, 200, `${method} ${path}: ${reply.text}`);
    return reply.json;
  }

  same(found, expected, what) {
    if (isDeepStrictEqual(found, expected)) return;
    this.differences.push(`${what} is ${JSON.stringify(found)}, not ${JSON.stringify(expected)}`);
  }

  /// Fills in what no answer told, once; from then on it must stay.
  known(place, member, found, what) {
    if (place[member] === undefined) place[member] = found;
    this.same(found, place[member], what);
  }

  /// A whole world by lists, and the nodes that `isWanted(at, key)` picks in every way.
  async compare(owner, world, isWanted) {
    for (const [at, branch] of world.branches.entries()) {
      if (!await this.findBranch(branch)) continue;
      const path = `${this.repository}/branches/${branch.id}`;
      await this.compareLists(owner, branch, path);
      const nodes = [...branch.nodes.values()].filter((node) => node.id && isWanted(at, node.key));
      const worker = async () => {
        for (let node = nodes.pop(); node; node = nodes.pop()) await this.compareNode(branch, path, node);
      };
      await Promise.all(Array.from({ length: kAtOnce }, worker));
    }
    return this.differences;
  }

  async findBranch(branch) {
    if (branch.id) return true;
    const { rows } = await this.ask('POST', `${this.repository}/branches/query?limit=-1`, { title: branch.title });
    this.same(rows.length, 1, `number of branches called ${branch.title}`);
    branch.id = rows[0]?._doc;
    return Boolean(branch.id);
  }

  async compareLists(owner, branch, path) {
    const { rows, total_rows: total } = await this.ask('POST', `${path}/nodes/query?limit=-1`, { owner });
    const expected = liveNodes(branch);
    this.same(total, expected.length, `${branch.title}: number of nodes of ${owner}`);
    const shown = new Map(rows.map((row) => [row.key, row]));
    for (const node of expected) this.compareRecord(node, shown.get(node.key), `${branch.title}, list, ${node.key}`);
    for (const key of shown.keys()) {
      if (!branch.nodes.has(key) || branch.nodes.get(key).isDeleted) this.differences.push(`${branch.title} shows ${key}, which is not there`);
    }
    const { rows: hits } = await this.ask('POST', `${path}/nodes/search?limit=-1`, { search: `owner:${owner}` });
    this.same(hits.map((row) => row.key).sort(), expected.map((node) => node.key).sort(), `${branch.title}, search for ${owner}`);
    const deletions = await this.ask('POST', `${path}/deletions/query?limit=-1`, { owner });
    const deleted = [...branch.nodes.values()].filter((node) => node.isDeleted);
    this.same(deletions.rows.map((row) => row.key).sort(), deleted.map((node) => node.key).sort(), `${branch.title}, deletions of ${owner}`);
  }

  compareRecord(node, row, what) {
    if (!row) {
      this.differences.push(`${what} is missing`);
      return;
    }
    this.known(node, 'id', row._doc, `${what}, id`);
    this.same([row.key, row.mark, row.text], [node.key, node.mark, node.text], what);
    this.known(node.versions.at(-1), 'changeset', row._system.changeset, `${what}, changeset`);
    const lengths = (attachments) => Object.fromEntries(Object.entries(attachments).map(([name, { length }]) => [name, length]).sort());
    this.same(lengths(row._system.attachments ?? {}), lengths(node.attachments), `${what}, attachments`);
  }

  async compareNode(branch, path, node) {
    const what = `${branch.title}, ${node.key}`;
    await this.compareFound(path, node, what);
    const one = await this.server.request('GET', `${path}/nodes/${node.id}`, { token: this.token });
    this.same(one.status, node.isDeleted ? 404 : 200, `${what}, status`);
    if (one.status !== 200 || node.isDeleted) return;
    this.compareRecord(node, one.json, what);
    for (const type of [kLink, kChild]) {
      if (type === kChild && node.isFolder) await this.compareMembers(branch, path, node, one.json._statistics, what);
      else await this.compareTies(branch, path, node, type, one.json._statistics, what);
    }
    await this.compareVersions(path, node, what);
    for (const [name, { length, hash }] of Object.entries(this.withBytes ? node.attachments : {}))
      this.same(await download(this.server, this.token, `${path}/nodes/${node.id}/attachments/${name}`), { status: 200, length, hash }, `${what}, ${name}`);
  }

  /// A query by an indexed member and a search by a word that no other version has.
  async compareFound(path, node, what) {
    const found = async ({ mark, text }) => [await this.ask('POST', `${path}/nodes/query`, { mark }), await this.ask('POST', `${path}/nodes/search`, { search: text })]
      .map(({ rows, total_rows: total }) => [total, ...rows.map((row) => row._doc)]);
    const now = node.isDeleted ? [0] : [1, node.id];
    this.same(await found(node), [now, now], `${what}, by query and by search`);
    if (node.past) this.same(await found(node.past), [[0], [0]], `${what}, by what it was`);
  }

  compareStatistics(statistics, type, { outgoing, incoming }, what) {
    this.same([type, `${type}_OUTGOING`, `${type}_INCOMING`].map((name) => statistics?.[name] ?? 0), [outgoing + incoming, outgoing, incoming], `${what}, statistics of ${type}`);
  }

  async compareTies(branch, path, node, type, statistics, what) {
    this.compareStatistics(statistics, type, countTies(branch, node, type), what);
    const idOf = (key) => branch.nodes.get(key).id;
    for (const [direction, near, far] of [['outgoing', 'source', 'target'], ['incoming', 'target', 'source']]) {
      const { rows } = await this.ask('GET', `${path}/nodes/${node.id}/${direction}?limit=-1&type=${encodeURIComponent(type)}`);
      const shown = rows.filter((row) => row._type === type);
      if (type === kChild) {
        const folders = direction === 'incoming' && node.folder ? [idOf(node.folder)] : [];
        this.same(shown.map((row) => row[far]), folders, `${what}, folders`);
        continue;
      }
      const ties = liveTies(branch).filter((tie) => tie[near] === node.key);
      this.same(shown.map((row) => row[far]).sort(), ties.map((tie) => idOf(tie[far])).sort(), `${what}, ${direction}`);
      for (const tie of ties) this.known(tie, 'id', shown.find((row) => row[far] === idOf(tie[far]))?._doc, `${what}, association`);
    }
  }

  async compareMembers(branch, path, folder, statistics, what) {
    const members = liveNodes(branch).filter((node) => node.folder === folder.key);
    // A folder lies in the root.
    this.compareStatistics(statistics, kChild, { outgoing: members.length, incoming: 1 }, what);
    const { rows } = await this.ask('GET', `${path}/nodes/${folder.id}/children?limit=-1`);
    this.same(rows.map((row) => row._doc).sort(), members.map((node) => node.id).sort(), `${what}, members`);
  }

  async compareVersions(path, node, what) {
    const { rows } = await this.ask('GET', `${path}/nodes/${node.id}/versions?limit=-1`);
    const shown = rows.map((row) => row._system.changeset).reverse();
    for (const [i, version] of node.versions.entries()) this.known(version, 'changeset', shown[i], `${what}, version ${i}`);
    this.same(shown.length, node.versions.length, `${what}, number of versions`);
  }
}

/// Decides about each write in doubt, which has happened wholly or not at all, and asserts that
/// everything else is as it was acknowledged. `isWanted(writer)` answers what `compare` takes,
/// `hasBytes(writer)` whether the server has its attachments. Answers how many of the doubts have happened.
export async function settleAndCompare(writers, server, { isWanted, hasBytes, round }) {
  let happened = 0;
  for (const writer of writers) {
    const { name, token, repository } = writer;
    const options = { token, repository, withBytes: hasBytes(writer) };
    const compare = (world, wanted) => new NodeComparison(server, options).compare(name, world, wanted);
    let doubts = [];
    if (writer.doubt) {
      const { at, keys, method, path } = writer.doubt;
      const isInDoubt = (place, key) => place === at && keys.includes(key);
      const before = structuredClone(writer.world);
      const without = await compare(before, isInDoubt);
      const after = writer.worldOfDoubt();
      const isDone = without.length > 0;
      if (isDone) ++happened;
      doubts = isDone ? [`in doubt: ${method} ${path}`, ...without] : [];
      writer.settle(isDone ? after : before);
    }
    const differences = await compare(writer.world, isWanted(writer));
    assert.deepEqual(differences, [], `round ${round}, writer ${name}\n${doubts.join('\n')}`);
  }
  return happened;
}
