// One of several clients that write nodes at a time, each its own ones, and keep the book of what was
// acknowledged (node_world.mjs). It does one thing after the other, so when a server dies at most one of
// its writes is in doubt: that one has happened wholly or not at all.
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import http from 'node:http';
import { addNode, changeNode, forkBranch, kLink, liveNodes, liveTies, makeBranch, moveNode, removeNode, restoreNode, untie } from './node_world.mjs';

const kMaxBranches = 3;
const kLarge = 1 << 20;
const kPiece = 64 << 10;

/// Sends bytes piece by piece, without telling how many there are.
export function upload(server, token, path, bytes) {
  return new Promise((resolve, reject) => {
    const request = http.request({ host: '127.0.0.1', port: server.port, path, method: 'POST', agent: false,
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/octet-stream' } }, (response) => {
      let text = '';
      response.on('data', (piece) => { text += piece; });
      response.on('error', reject);
      response.on('end', () => resolve({ status: response.statusCode, text, json: text.startsWith('{') ? JSON.parse(text) : undefined }));
    });
    request.on('error', reject);
    for (let at = 0; at < bytes.length; at += kPiece) request.write(bytes.subarray(at, at + kPiece));
    request.end();
  });
}

export class NodeWriter {
  world = { branches: [] };
  /// Branch and key of what was written lately.
  touched = new Set();
  acknowledged = 0;
  number = 0;

  /// `name` is a word of letters; `next(n)` answers a number below n.
  constructor({ name, next, token, repository, large = kLarge }) {
    Object.assign(this, { name, next, token, repository, large });
  }

  /// Two folders on a branch; no fault is expected meanwhile.
  async begin(server, branchId) {
    const branch = makeBranch(`of ${this.name}`, branchId);
    this.world.branches.push(branch);
    for (let i = 0; i < 2; ++i) {
      const fields = this.fresh();
      const reply = await server.request('POST', `${this.path(branch)}/nodes`,
        { token: this.token, body: { ...fields, _parentFolderPath: '/', _features: { 'f:container': {} } } });
      assert.equal(reply.status, 200, reply.text);
      addNode(branch, fields, reply.json, { changeset: reply.json._system.changeset });
      branch.nodes.get(fields.key).isFolder = true;
    }
  }

  /// One write. `doubt` holds it until it is answered; any answer but 200 throws, with `reply`.
  async write(server) {
    this.doubt = this.choose();
    const { method, path, body, bytes, apply, at, keys } = this.doubt;
    const reply = bytes ? await upload(server, this.token, path, bytes)
      : await server.request(method, path, { token: this.token, body });
    if (reply.status !== 200) throw Object.assign(new Error(`${method} ${path}: ${reply.status} ${reply.text}`), { reply });
    apply(this.world, reply.json);
    this.settle();
    ++this.acknowledged;
    this.last = { at, key: keys[0] };
  }

  /// The write in doubt is done with: it did not happen, or `world` is what came of it.
  settle(world = this.world) {
    this.world = world;
    for (const key of this.doubt.keys) this.touched.add(`${this.doubt.at} ${key}`);
    this.doubt = undefined;
  }

  /// What the world is if the write in doubt has happened.
  worldOfDoubt() {
    const world = structuredClone(this.world);
    this.doubt.apply(world, undefined);
    return world;
  }

  path(branch) {
    return `${this.repository}/branches/${branch.id}`;
  }

  fresh() {
    const number = ++this.number;
    return { owner: this.name, key: `k${this.name}n${number}`, ...this.freshValues() };
  }

  freshValues() {
    const number = ++this.number;
    return { mark: `${this.name}${number}`, text: `t${this.name}n${number}` };
  }

  choose() {
    const at = this.next(2) === 0 ? 0 : this.next(this.world.branches.length);
    const ways = [['create', 3], ['createMany', 2], ['change', 4], ['changeMany', 1], ['remove', 2], ['restore', 2], ['associate', 3],
      ['unassociate', 1], ['move', 2], ['attach', 2], ['attachLarge', 1], ['detach', 1], ['fork', 1]];
    let pick = this.next(ways.reduce((sum, [, weight]) => sum + weight, 0));
    const [way] = ways.find(([, weight]) => (pick -= weight) < 0);
    const branch = this.world.branches[at];
    return { at, ...(this[way](branch, at) ?? this.create(branch, at)) };
  }

  /// Some nodes of a branch that fit, fewer when there are fewer.
  some(branch, count, fits = () => true) {
    const nodes = [...branch.nodes.values()].filter((node) => !node.isFolder && fits(node));
    const picked = [];
    while (picked.length < count && nodes.length > 0) picked.push(...nodes.splice(this.next(nodes.length), 1));
    return picked;
  }

  live(branch, count, fits = () => true) {
    return this.some(branch, count, (node) => !node.isDeleted && fits(node));
  }

  create(branch, at, count = 1) {
    const all = Array.from({ length: count }, () => this.fresh());
    return { method: 'POST', path: `${this.path(branch)}/nodes`, body: count > 1 ? all : all[0], keys: all.map(({ key }) => key),
      apply(world, json) {
        const rows = json ? json.rows ?? [json] : [];
        const version = { changeset: rows[0]?._system.changeset };
        for (const fields of all) addNode(world.branches[at], fields, rows.find((row) => row.key === fields.key), version);
      } };
  }

  createMany(branch, at) {
    return this.create(branch, at, 2 + this.next(4));
  }

  change(branch, at, count = 1) {
    const nodes = this.live(branch, count);
    if (nodes.length === 0) return undefined;
    const changes = nodes.map(({ id, key, owner }) => ({ id, fields: { owner, key, ...this.freshValues() } }));
    const [{ id, fields }] = changes;
    return { method: 'PUT', path: `${this.path(branch)}/nodes${count > 1 ? '' : `/${id}`}`,
      body: count > 1 ? { nodes: Object.fromEntries(changes.map((one) => [one.id, one.fields])) } : fields,
      keys: changes.map((one) => one.fields.key),
      apply(world, json) {
        const version = { changeset: (json?.rows ? json.rows[0] : json)?._system.changeset };
        for (const one of changes) changeNode(world.branches[at].nodes.get(one.fields.key), one.fields, version);
      } };
  }

  changeMany(branch, at) {
    return this.change(branch, at, 2 + this.next(3));
  }

  remove(branch, at) {
    const [node] = this.live(branch, 1);
    return node && { method: 'DELETE', path: `${this.path(branch)}/nodes/${node.id}`, keys: this.withTied(branch, node),
      apply: (world) => removeNode(world.branches[at], node.key) };
  }

  restore(branch, at) {
    const [node] = this.some(branch, 1, (one) => one.isDeleted && !one.isUprooted);
    return node && { method: 'POST', path: `${this.path(branch)}/deletions/${node.id}/restore`, keys: this.withTied(branch, node),
      apply: (world, json) => restoreNode(world.branches[at], node.key, { changeset: json?._system.changeset }) };
  }

  /// A node and those whose lists change with it.
  withTied(branch, node) {
    const tied = branch.ties.filter((tie) => [tie.source, tie.target].includes(node.key));
    return [...new Set([node.key, ...tied.flatMap((tie) => [tie.source, tie.target]), ...(node.folder ? [node.folder] : [])])];
  }

  associate(branch, at) {
    const [source, target] = this.live(branch, 2);
    if (!target || branch.ties.some((tie) => tie.source === source.key && tie.target === target.key)) return undefined;
    return { method: 'POST', path: `${this.path(branch)}/nodes/${source.id}/associate?node=${target.id}&type=${kLink}`, body: {},
      keys: [source.key, target.key],
      apply: (world, json) => world.branches[at].ties.push({ id: json?._doc, source: source.key, target: target.key, isLive: true }) };
  }

  unassociate(branch, at) {
    const ties = liveTies(branch);
    if (ties.length === 0) return undefined;
    const index = branch.ties.indexOf(ties[this.next(ties.length)]);
    const { source, target } = branch.ties[index];
    const id = (key) => branch.nodes.get(key).id;
    return { method: 'POST', path: `${this.path(branch)}/nodes/${id(source)}/unassociate?node=${id(target)}&type=${kLink}`, body: {},
      keys: [source, target], apply: (world) => untie(world.branches[at], world.branches[at].ties[index]) };
  }

  move(branch, at) {
    const [node] = this.live(branch, 1);
    const folder = node && liveNodes(branch).find((one) => one.isFolder && one.key !== node.folder);
    return node && { method: 'POST', path: `${this.path(branch)}/nodes/${node.id}/move?targetNodeId=${folder.id}`, body: {},
      keys: [node.key, folder.key, ...(node.folder ? [node.folder] : [])],
      apply: (world) => moveNode(world.branches[at].nodes.get(node.key), folder.key) };
  }

  attach(branch, at, length = 1 + this.next(5000)) {
    const [node] = this.live(branch, 1);
    if (!node) return undefined;
    const bytes = randomBytes(length);
    const hash = createHash('sha256').update(bytes).digest('hex');
    const name = ['default', 'second'][this.next(2)];
    return { method: 'POST', path: `${this.path(branch)}/nodes/${node.id}/attachments/${name}`, bytes, keys: [node.key],
      apply(world, json) {
        const now = world.branches[at].nodes.get(node.key);
        now.attachments[name] = { length, hash };
        now.versions.push({ changeset: json?._system.changeset });
      } };
  }

  attachLarge(branch, at) {
    return this.attach(branch, at, this.large);
  }

  detach(branch, at) {
    const [node] = this.live(branch, 1, (one) => Object.keys(one.attachments).length > 0);
    const [name] = Object.keys(node?.attachments ?? {});
    return node && { method: 'DELETE', path: `${this.path(branch)}/nodes/${node.id}/attachments/${name}`, keys: [node.key],
      apply(world, json) {
        const now = world.branches[at].nodes.get(node.key);
        delete now.attachments[name];
        now.versions.push({ changeset: json?._system.changeset });
      } };
  }

  fork(branch, at) {
    if (this.world.branches.length >= kMaxBranches) return undefined;
    const title = `fork ${this.fresh().key}`;
    return { method: 'POST', path: `${this.repository}/branches?branch=${branch.id}`, body: { title }, keys: [],
      apply: (world, json) => forkBranch(world, world.branches[at], title, json?._doc) };
  }
}
