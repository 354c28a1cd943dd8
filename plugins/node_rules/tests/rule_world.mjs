// Repositories with rules, for the tests of this plugin.
import assert from 'node:assert/strict';
import { until } from '../../../tests/support/until.mjs';

/// The condition and the policy of docs/specification/merge_and_transfer.md 1.3.
export const published = [{ type: 'propertyEquals', config: { property: 'state', value: 'published' } }];
export const atTouch = { policy: 'p:afterTouchNode', scope: 1 };

export class RuleWorld {
  constructor(server) {
    this.server = server;
    this.types = 0;
  }

  admin(...request) { return this.server.admin(...request); }

  /// A repository whose master has what `settle` needs.
  async repository() {
    const id = (await this.admin('POST', '/repositories', {}))._doc;
    const path = `/repositories/${id}`;
    const branch = await this.branch(id, 'master');
    return { id, path, master: branch, as: this };
  }

  /// A branch; `address` is what an action says of it.
  async branch(repository, id) {
    const path = `/repositories/${repository}/branches/${id}`;
    const { _doc } = await this.admin('GET', path);
    return { path, nodes: `${path}/nodes`, id: _doc, repository, address: { targetRepositoryId: repository, targetBranchId: _doc } };
  }

  async fork(branch) {
    const made = await this.admin('POST', `/repositories/${branch.repository}/branches?branch=${branch.id}`, {});
    return this.branch(branch.repository, made._doc);
  }

  /// A definition; answers its id and its QName.
  async define(branch, fields = {}) {
    const qname = `custom:type${++this.types}`;
    const { _doc } = await this.admin('POST', branch.nodes, { _type: 'd:type', _qname: qname, type: 'object', ...fields });
    return { id: _doc, qname };
  }

  rule(target, conditions = published, config = {}) {
    return { _type: 'n:rule', title: 'bring', conditions, actions: [{ type: 'syncNode', config: { ...target.address, ...config } }] };
  }

  /// Makes a rule and binds it to a definition or a node; `as` sends requests.
  async bind(branch, source, fields, { settings = atTouch, as = this } = {}) {
    const { _doc } = await as.admin('POST', branch.nodes, fields);
    const bound = await as.admin('POST', `${branch.nodes}/${source}/associate?node=${_doc}&type=a:has_behavior`, settings);
    return { id: _doc, association: bound._doc };
  }

  async make(branch, fields) { return (await this.admin('POST', branch.nodes, fields))._doc; }
  async update(branch, id, fields) {
    const before = await this.admin('GET', `${branch.nodes}/${id}`);
    await this.admin('PUT', `${branch.nodes}/${id}`, { ...before, ...fields });
  }
  attach(branch, id, name, bytes, type = 'image/jpeg') {
    return this.server.request('POST', `${branch.nodes}/${id}/attachments/${name}`, { token: this.server.adminToken, body: bytes, headers: { 'Content-Type': type } });
  }

  async shown(branch, id) {
    const reply = await this.server.request('GET', `${branch.nodes}/${id}`, { token: this.server.adminToken });
    assert.ok([200, 404].includes(reply.status), reply.text);
    return reply.status === 200 ? reply.json : undefined;
  }
  async arrives(branch, id, fields = {}) {
    const fits = (node) => node && Object.entries(fields).every(([name, value]) => node[name] === value);
    await until(async () => fits(await this.shown(branch, id)), `${id} with ${JSON.stringify(fields)} on ${branch.path}`);
  }
  async goes(branch, id) { await until(async () => !(await this.shown(branch, id)), `${id} gone from ${branch.path}`); }

  /// The jobs of rules; newest first or not, all of them.
  async jobs(ask = this) { return (await ask.admin('POST', '/jobs/query?limit=-1', { type: 'rule' })).rows; }
  async ended(rule) {
    await this.settle(this.settling);
    return (await this.jobs()).filter((job) => !rule || job._data.ruleId === rule.id);
  }

  /// Waits until rules have done all that they will do about what was written so far. What is written later comes
  /// later, and all that one look at the changesets finds is started before the next look: so a node of a rule of its
  /// own arrives twice.
  async settle(branch) {
    this.sentinels ??= new Map();
    if (!this.sentinels.has(branch.repository)) this.sentinels.set(branch.repository, await this.#sentinel(branch));
    const { on, target, node } = this.sentinels.get(branch.repository);
    for (let round = 0; round < 2; ++round) {
      this.rounds = (this.rounds ?? 0) + 1;
      await this.update(on, node, { round: this.rounds });
      await this.arrives(target, node, { round: this.rounds });
    }
    const open = async () => (await this.jobs()).filter((job) => !['FINISHED', 'ERROR'].includes(job.state));
    await until(async () => (await open()).length === 0, 'all jobs have ended');
  }

  async #sentinel(branch) {
    const on = await this.branch(branch.repository, 'master');
    const elsewhere = (await this.admin('POST', '/repositories', {}))._doc;
    const target = await this.branch(elsewhere, 'master');
    const { id, qname } = await this.define(on);
    await this.bind(on, id, this.rule(target, []));
    return { on, target, node: await this.make(on, { _type: qname, round: 0 }) };
  }
}
