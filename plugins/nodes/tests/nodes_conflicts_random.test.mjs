// Random work on two branches, merged both ways with random decisions of whatever does not go together: each merge comes to
// its end, a second one has nothing to do, and the graph is whole.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { endedJob } from '../../../tests/support/ended_job.mjs';
import { SeededRandom, seeds } from '../../../tests/support/seeded_random.mjs';
import { SteleServer } from '../../../tests/support/stele_server.mjs';

const kSteps = 25;
const kMerges = 4;

let server;
before(async () => { server = await SteleServer.start(); });
after(() => server.end());
const admin = (...args) => server.admin(...args);

class History {
  constructor(seed) {
    this.random = new SeededRandom(seed);
    this.seed = seed;
    this.done = [];
  }

  async open() {
    this.path = `/repositories/${(await admin('POST', '/repositories', {}))._doc}`;
    this.branches = ['master'];
    for (let i = 0; i < 12; ++i) await this.step('master');
    this.branches.push((await admin('POST', `${this.path}/branches?branch=master`, {}))._doc);
  }

  below(limit) { return this.random.below(limit); }
  pick(list) { return list[this.below(list.length)]; }
  nodes(branch) { return `${this.path}/branches/${branch}/nodes`; }

  /// May be refused, as by a name that is taken; never a fault.
  async ask(method, path, body) {
    const reply = await server.request(method, path, { token: server.adminToken, body });
    this.done.push(`${method} ${path} ${JSON.stringify(body)} ${reply.status}`);
    assert.ok(reply.status < 500, `seed ${this.seed}: ${reply.text}\n${this.done.slice(-60).join('\n')}`);
    return reply.json;
  }

  async some(branch, query = {}) {
    const { rows } = await admin('POST', `${this.nodes(branch)}/query?limit=100&sort={"_doc":1}`,
      { _type: 'n:node', _qname: { $nin: ['r:root', 'r:users'] }, ...query });
    return rows.length > 0 ? this.pick(rows) : undefined;
  }
  folder(branch) { return this.some(branch, { '_features.f:container': { $exists: true } }); }

  async step(branch) {
    const kind = this.below(12);
    if (kind < 3) {
      const into = (await this.folder(branch))?._doc ?? 'root';
      const isFolder = this.below(2) === 0;
      return this.ask('POST', `${this.nodes(branch)}?rootNodeId=${into}&parentFolderPath=/`,
        { title: `t${this.below(6)}`, ...(this.below(4) === 0 ? { _qname: `ex:q${this.below(5)}` } : {}), ...(isFolder ? { _features: { 'f:container': {} } } : {}) });
    }
    const node = await this.some(branch);
    if (!node) return undefined;
    const at = `${this.nodes(branch)}/${node._doc}`;
    if (kind < 6) return this.ask('PUT', at, { ...node, title: `t${this.below(6)}`, [`m${this.below(3)}`]: this.below(4) });
    if (kind < 8) return this.ask('POST', `${at}/move?targetNodeId=${(await this.folder(branch))?._doc ?? 'root'}`, {});
    if (kind === 8) return this.ask('DELETE', at);
    const other = await this.some(branch);
    if (kind === 9) return this.ask('POST', `${at}/associate?node=${other._doc}&type=a:linked`, {});
    if (kind === 10) return this.ask('POST', `${at}/associate?node=${other._doc}&type=a:owned`, {});
    return this.ask('POST', `${at}/i18n?locale=${this.pick(['de', 'fr'])}`, { title: `i${this.below(4)}` });
  }

  /// Decides what a merge meets until it takes place.
  async merge(source, target) {
    for (let round = 0; round < 30; ++round) {
      const report = await this.ask('POST', `${this.path}/branches/${target}/merge?id=${source}`, {});
      if (report.merged) return;
      assert.ok(report.conflicts, `seed ${this.seed}: ${JSON.stringify(report)}\n${this.done.slice(-40).join('\n')}`);
      assert.equal(report.conflictIds?.length, report.conflictCount, `seed ${this.seed}: ${JSON.stringify(report)}\n${this.done.slice(-40).join('\n')}`);
      const kinds = report.conflicts.map(({ kind }) => kind);
      for (const [i, id] of report.conflictIds.entries()) {
        const side = kinds[i] === 'circle' || this.below(2) === 0 ? 'target' : 'source';
        await this.ask('POST', `${this.path}/conflicts/${id}/resolve?resolution=${side}`, {});
      }
    }
    assert.fail(`seed ${this.seed}: the merge does not end\n${this.done.slice(-60).join('\n')}`);
  }

  async check(branch) {
    const { _doc } = await admin('POST', `${this.path}/branches/${branch}/validate/start`, {});
    const job = await endedJob(admin, _doc);
    assert.deepEqual([job.state, job._result.faults], ['FINISHED', 0], `seed ${this.seed}: ${JSON.stringify(job.rows)}`);
    const { rows } = await admin('POST', `${this.nodes(branch)}/query?limit=-1`, { _type: 'a:child' });
    const folders = new Map();
    for (const { source, target } of rows) folders.set(target, [...(folders.get(target) ?? []), source]);
    for (const node of folders.keys()) {
      const seen = new Set();
      const visit = (at) => {
        if (seen.has(at)) return;
        seen.add(at);
        for (const above of folders.get(at) ?? []) {
          assert.notEqual(above, node, `seed ${this.seed}: ${node} lies in itself`);
          visit(above);
        }
      };
      visit(node);
    }
  }
}

for (const seed of seeds(12)) {
  test(`random work on two branches is merged by random decisions, seed ${seed}`, async () => {
    const history = new History(seed);
    await history.open();
    for (let i = 0; i < kMerges; ++i) {
      for (let step = 0; step < kSteps; ++step) await history.step(history.pick(history.branches));
      const [target, source] = history.below(2) === 0 ? history.branches : [...history.branches].reverse();
      await history.merge(source, target);
      const again = await history.ask('POST', `${history.path}/branches/${target}/merge?id=${source}`, {});
      assert.deepEqual([again.merged, again.nodeCount, again.conflictCount], [true, 0, 0], `seed ${seed}`);
      for (const branch of history.branches) await history.check(branch);
    }
    const open = await admin('POST', `${history.path}/conflicts/query`, { committed: false });
    assert.equal(open.total_rows, 0, `seed ${seed}`);
  });
}
