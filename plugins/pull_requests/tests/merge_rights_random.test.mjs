// Nobody reads by a merge, a preview, a conflict, a difference or a pull request what they may not read on the branch where it
// is, and nobody writes by one what they may not write; random contents, rights and requests (docs/reference/merge.md).
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { SeededRandom, seeds } from '../../../tests/support/seeded_random.mjs';
import { SteleServer } from '../../../tests/support/stele_server.mjs';

const kRoles = [undefined, undefined, 'consumer', 'consumer', 'contributor', 'editor', 'collaborator', 'manager'];
let server;
before(async () => { server = await SteleServer.start(); });
after(() => server.end());
const admin = (...args) => server.admin(...args);

/// Two branches, whose nodes say a secret of their own in each version, and somebody with random rights on all of it.
class World {
  static async make(seed) {
    const world = new World();
    world.random = new SeededRandom(seed);
    world.person = `person${seed}`;
    await server.makeUser(world.person);
    world.token = await server.login(world.person, `secret-of-${world.person}`);
    world.repository = `/repositories/${(await admin('POST', '/repositories', {}))._doc}`;
    world.secrets = [];
    world.read = new Set();
    world.versions = 0;
    world.nodes = [];
    await world.fill();
    world.granted = [];
    await world.deal();
    await world.spread();
    return world;
  }

  branchPath(branch) { return `${this.repository}/branches/${branch}`; }
  nodePath(branch, node) { return `${this.branchPath(branch)}/nodes/${node}`; }
  /// A title that nobody may see but who may read the node on one of these branches.
  secret(node, branches) {
    const text = `secret-${this.versions++}-${this.random.below(1e9)}`;
    this.secrets.push({ text, node, branches });
    return text;
  }
  async make(branch, folder, isFolder, branches) {
    const text = this.secret(undefined, branches);
    const { _doc } = await admin('POST', `${this.branchPath(branch)}/nodes?rootNodeId=${folder}&parentFolderPath=/`, {
      title: text, text: `${text} text`, ...(isFolder ? { _features: { 'f:container': {} } } : {}) });
    this.secrets.at(-1).node = _doc;
    this.nodes.push(_doc);
    return _doc;
  }

  async fill() {
    const { random } = this;
    this.master = (await admin('GET', this.branchPath('master')))._doc;
    this.both = [this.master];
    this.folders = [];
    for (let i = 0; i < 2; ++i) this.folders.push(await this.make(this.master, 'root', true, this.both));
    for (let i = 0; i < 5; ++i) await this.make(this.master, random.pick(this.folders), false, this.both);
    this.source = (await admin('POST', `${this.branchPath('')}?branch=master`, {}))._doc;
    this.both.push(this.source);
    for (const branch of [this.source, this.source, this.master]) {
      for (const node of random.some(this.nodes, 0.4)) await this.change(branch, node);
      if (random.chance(0.5)) await this.make(branch, random.pick(this.folders), false, [branch]);
    }
  }
  async change(branch, node) {
    const reply = await server.request('GET', this.nodePath(branch, node), { token: server.adminToken });
    if (reply.status !== 200) return;
    const kind = this.random.below(6);
    const { json } = reply;
    // Some changes may not go together with what the branch has by now.
    const ask = (method, path, body = {}) => server.request(method, path, { token: server.adminToken, body });
    if (kind < 3) await ask('PUT', this.nodePath(branch, node), { ...json, title: this.secret(node, [branch]) });
    else if (kind === 3) await ask('PUT', this.nodePath(branch, node), { ...json, text: this.secret(node, [branch]) });
    else if (kind === 4) await ask('POST', `${this.nodePath(branch, node)}/move?targetNodeId=${this.random.pick(this.folders)}`);
    else if (!this.folders.includes(node)) await ask('DELETE', this.nodePath(branch, node));
  }

  async grant(path, role) {
    this.granted.push(path);
    if (role) await admin('POST', `${path}/authorities/${role}/grant?id=default/${this.person}`, {});
  }
  /// Sometimes on almost everything, so that merges come through.
  async deal() {
    const { random } = this;
    const generosity = random.pick([0, 0.5, 0.9, 1]);
    const role = () => (random.chance(generosity) ? random.pick(['manager', 'manager', 'consumer', 'editor', 'collaborator']) : random.pick(kRoles));
    await this.grant(this.repository, random.pick([undefined, undefined, undefined, 'consumer', 'contributor']));
    for (const branch of this.both) {
      await this.grant(this.branchPath(branch), random.pick(['consumer', 'contributor', 'editor', 'collaborator', 'manager']));
      const rows = (await admin('POST', `${this.branchPath(branch)}/nodes/query?limit=-1`, {})).rows;
      for (const { _doc } of rows) {
        if (this.nodes.includes(_doc)) await this.grant(this.nodePath(branch, _doc), role());
      }
      // Memberships are associations, with rights of their own.
      for (const node of this.nodes) {
        const reply = await server.request('GET', `${this.nodePath(branch, node)}/associations?type=a:child&direction=INCOMING`, { token: server.adminToken });
        if (reply.status !== 200) continue;
        for (const { _doc } of reply.json.rows) await this.grant(this.nodePath(branch, _doc), random.chance(0.8) ? 'collaborator' : role());
      }
    }
  }

  /// What the person may do with each of several records, by id.
  async permissions(collection, ids, wanted) {
    const checks = ids.flatMap((id) => wanted.map((permissionId) => ({ permissionedId: id, principalId: `default/${this.person}`, permissionId })));
    const { results } = await admin('POST', `${collection}/permissions/check`, { checks });
    return new Map(ids.map((id, i) => [id, wanted.filter((_, j) => results[i * wanted.length + j].result)]));
  }

  /// Also of a node that was deleted since.
  async reads(branch, node) {
    const path = this.nodePath(branch, node);
    if (this.read.has(path)) return true;
    for (const at of [path, `${this.branchPath(branch)}/deletions/${node}`]) {
      if ((await server.request('GET', at, { token: this.token })).status === 200) this.read.add(path);
    }
    return this.read.has(path);
  }

  /// What a reply must not say: secrets of nodes that are not read on a branch that has them.
  async check(reply, told) {
    for (const { text, node, branches } of this.secrets) {
      if (!reply.text.includes(text)) continue;
      const seen = [];
      for (const branch of branches) seen.push(await this.reads(branch, node));
      assert.ok(seen.includes(true), `${told} tells ${text} of ${node}: ${reply.text}`);
    }
  }

  async ask(method, path, body) {
    const reply = await server.request(method, path, { token: this.token, body: method === 'GET' ? undefined : body ?? {} });
    assert.ok(reply.status < 500, `${method} ${path}: ${reply.text}`);
    await this.check(reply, `${method} ${path}`);
    return reply;
  }

  /// What has come to a branch may be read there by whoever may read the node there.
  async spread() {
    for (const branch of this.both) {
      const { rows } = await admin('POST', `${this.branchPath(branch)}/nodes/query?limit=-1`, {});
      const texts = new Map(rows.map((row) => [row._doc, JSON.stringify(row)]));
      for (const { text, node, branches } of this.secrets) {
        if (!branches.includes(branch) && texts.get(node)?.includes(text)) branches.push(branch);
      }
      for (const node of this.nodes) await this.reads(branch, node);
    }
  }

  /// All nodes of the master as an administrator sees them, and what the person may do there.
  async shown() {
    const { rows } = await admin('POST', `${this.branchPath('master')}/nodes/query?limit=-1&full=true`, {});
    const shown = rows.filter(({ _type }) => !_type.startsWith('d:') && _type !== 'n:person');
    const ids = shown.filter(({ source }) => !source).map(({ _doc }) => _doc);
    const permissions = await this.permissions(`${this.branchPath('master')}/nodes`, ids, ['UPDATE', 'DELETE', 'CREATE_SUBOBJECTS']);
    const nodes = new Map(shown.map(({ _doc, _system, ...fields }) => [_doc, { fields, isAssociation: Boolean(fields.source), permissions: permissions.get(_doc) }]));
    const onBranch = (await this.permissions(`${this.repository}/branches`, [this.master], ['CREATE_SUBOBJECTS'])).get(this.master);
    return { nodes, onBranch };
  }
}

/// Takes no more than what single writes take.
function checkWritten(before, after, told) {
  const check = (has, permission, what) => assert.ok(has.includes(permission), `${told} ${what} with ${has}`);
  for (const [id, { fields, isAssociation }] of after.nodes) {
    const old = before.nodes.get(id);
    if (isAssociation) {
      // The server puts persons into a folder of its own.
      const isNew = !old && fields._type === 'a:child' && fields.target_type !== 'n:person';
      const folder = isNew ? before.nodes.get(fields.source) : undefined;
      if (folder) check(folder.permissions, 'CREATE_SUBOBJECTS', `fills ${fields.source}`);
    } else if (!old) check(before.onBranch, 'CREATE_SUBOBJECTS', `makes ${id}`);
    else if (JSON.stringify(old.fields) !== JSON.stringify(fields)) check(old.permissions, 'UPDATE', `changes ${id}`);
  }
  for (const [id, { isAssociation, permissions }] of before.nodes) {
    if (!after.nodes.has(id) && !isAssociation) check(permissions, 'DELETE', `deletes ${id}`);
  }
}

const kSteps = {
  preview: (world) => world.ask('POST', `${world.branchPath('master')}/changes/start?id=${world.source}&schedule=synchronous`),
  previewBack: (world) => world.ask('POST', `${world.branchPath(world.source)}/changes/start?id=${world.master}&schedule=synchronous`),
  table: (world) => world.ask('GET', `${world.branchPath('master')}/changes/export?id=${world.source}`),
  dryRun: (world) => world.ask('POST', `${world.branchPath('master')}/merge/start?id=${world.source}&dryRun=true&schedule=synchronous`),
  difference: (world) => world.ask('POST', `${world.branchPath('master')}/diff/start?id=${world.source}&schedule=synchronous`),
  merges: (world) => world.ask('GET', `${world.branchPath('master')}/merges`),
  merge: (world) => world.ask('POST', `${world.branchPath('master')}/merge?id=${world.source}`),
  mergeByJob: (world) => world.ask('POST', `${world.branchPath('master')}/merge/start?id=${world.source}&schedule=synchronous`),
  publish: (world) => world.ask('POST', `${world.nodePath(world.source, world.random.pick(world.nodes))}/publish`),
  copyfrom: (world) => world.ask('POST', `${world.branchPath('master')}/copyfrom?schedule=synchronous`, {
    sourceRepositoryId: world.repository.split('/').at(-1), sourceBranchId: world.source, sourceNodeIds: [world.random.pick(world.nodes)] }),
  async conflicts(world) {
    const { json } = await world.ask('GET', `${world.repository}/conflicts`);
    for (const { _doc } of json.rows ?? []) await world.ask('GET', `${world.repository}/conflicts/${_doc}`);
  },
  /// Conflicts that others have met.
  async othersConflicts(world) {
    const { conflictIds = [] } = await admin('POST', `${world.branchPath('master')}/merge/start?id=${world.source}&dryRun=false&schedule=synchronous`, {}).then(({ _result }) => _result ?? {});
    for (const id of conflictIds) await admin('POST', `${world.repository}/conflicts/${id}/authorities/collaborator/grant?id=default/${world.person}`, {});
    world.isOthers = true;
  },
  async decide(world) {
    const { json } = await world.ask('GET', `${world.repository}/conflicts`);
    for (const { _doc } of json.rows ?? []) {
      await world.ask('POST', `${world.repository}/conflicts/${_doc}/resolve?resolution=${world.random.pick(['source', 'target'])}`);
      await world.ask('POST', `${world.repository}/conflicts/${_doc}/commit`);
    }
  },
  /// One's own, or one of others that somebody may work on.
  async request(world) {
    const body = { title: 'to merge', sourceBranchId: world.source, targetBranchId: world.master };
    const isOwn = world.random.chance(0.5);
    const opened = isOwn ? await world.ask('POST', `${world.repository}/pullrequests`, body) : await server.request('POST', `${world.repository}/pullrequests`, { token: server.adminToken, body });
    if (opened.status !== 200) return;
    world.isOthers = !isOwn;
    const path = `${world.repository}/pullrequests/${opened.json._doc}`;
    if (!isOwn) await admin('POST', `${path}/authorities/${world.random.pick(['consumer', 'editor', 'manager'])}/grant?id=default/${world.person}`, {});
    for (const action of world.random.some(['changes/tree', 'validate/start?schedule=synchronous', 'merge/start?schedule=synchronous'])) await world.ask('POST', `${path}/${action}`);
    await world.ask('GET', path);
    await world.ask('GET', `${path}/changes/tree`);
  },
  history: (world) => world.ask('GET', `${world.nodePath('master', world.random.pick(world.nodes))}/history?path=/title`),
  async revert(world) {
    const { tip } = await admin('GET', world.branchPath(world.master));
    await world.ask('POST', `${world.branchPath('master')}/revert?id=${tip}`);
  },
};

for (const seed of seeds(40)) {
  test(`rights of merges, seed ${seed}`, async () => {
    const world = await World.make(seed);
    await admin('PUT', world.branchPath('master'), { autoPull: world.random.chance(0.5), autoConflictResolutionRule: world.random.pick(['manual', 'manual', 'source', 'target', 'newest']) });
    for (let left = 10; left > 0; --left) {
      const name = world.random.pick(Object.keys(kSteps));
      const before = await world.shown();
      world.isOthers = false;
      await kSteps[name](world);
      await world.spread();
      if (world.isOthers) continue;
      checkWritten(before, await world.shown(), `seed ${seed}: ${name}`);
    }
  });
}

test('the random requests are not all refused', async () => {
  const world = await World.make(4711);
  for (const path of world.granted) await admin('POST', `${path}/authorities/manager/grant?id=default/${world.person}`, {});
  const preview = await kSteps.preview(world);
  assert.ok(preview.json._result.total_rows > 0, preview.text);
  const told = world.secrets.filter(({ text }) => preview.text.includes(text));
  assert.ok(told.length > 0);
});
