// Repositories whose branches are to be merged by pull requests.
import assert from 'node:assert/strict';
import { endedJob } from '../../../tests/support/ended_job.mjs';
import { until } from '../../../tests/support/until.mjs';

const folder = (title) => ({ title, _features: { 'f:container': {} } });

export class RequestWorld {
  /// A repository of its own, on a server.
  static async make(server) {
    const world = new RequestWorld();
    world.server = server;
    world.repository = `/repositories/${(await server.admin('POST', '/repositories', {}))._doc}`;
    world.master = (await world.branch('master'))._doc;
    return world;
  }

  admin(...request) { return this.server.admin(...request); }
  ask(method, path, body, token = this.server.adminToken) {
    return this.server.request(method, path, { token, body: method === 'GET' ? undefined : body ?? {} });
  }

  branchPath(id) { return `${this.repository}/branches/${id}`; }
  nodePath(branch, node) { return `${this.branchPath(branch)}/nodes/${node}`; }
  branch(id) { return this.admin('GET', this.branchPath(id)); }
  async set(branch, members) {
    return this.admin('PUT', this.branchPath(branch), { ...(await this.branch(branch)), ...members });
  }
  async fork(members = {}) { return (await this.admin('POST', `${this.branchPath('')}?branch=master`, members))._doc; }
  async make(branch, fields = {}, parent = 'root') {
    return (await this.admin('POST', `${this.branchPath(branch)}/nodes?rootNodeId=${parent}&parentFolderPath=/`, fields))._doc;
  }
  makeFolder(branch, title, parent) { return this.make(branch, folder(title), parent); }
  async put(branch, node, fields) {
    return this.admin('PUT', this.nodePath(branch, node), { ...(await this.admin('GET', this.nodePath(branch, node))), ...fields });
  }
  async title(branch, node) {
    const reply = await this.ask('GET', this.nodePath(branch, node));
    return reply.status === 404 ? undefined : reply.json.title;
  }

  /// A node that both branches have given another title; the source.
  async disputed() {
    const node = await this.make('master', { title: 'base' });
    const source = await this.fork();
    await this.put(source, node, { title: 'of the source' });
    await this.put('master', node, { title: 'of the target' });
    return { node, source };
  }

  requestPath(id) { return `${this.repository}/pullrequests/${id}`; }
  async open(fields) { return (await this.admin('POST', `${this.repository}/pullrequests`, fields))._doc; }
  read(id) { return this.admin('GET', this.requestPath(id)); }
  act(id, action, token) { return this.ask('POST', `${this.requestPath(id)}/${action}`, {}, token); }
  /// The request once nobody merges it.
  async settled(id) {
    let request;
    await until(async () => (request = await this.read(id)).state !== 'MERGING', 'the request is merged or open');
    return request;
  }
  /// The job that an action has started, once it has ended.
  async ended(id, action, token) {
    const started = await this.act(id, action, token);
    assert.equal(started.status, 200, started.text);
    return endedJob((...request) => this.admin(...request), started.json._doc);
  }

  /// Somebody with roles on the repository and on branches, by id.
  async person(name, roles = {}) {
    await this.server.makeUser(name);
    for (const [path, role] of Object.entries(roles)) await this.admin('POST', `${path}/authorities/${role}/grant?id=default/${name}`);
    return this.server.login(name, `secret-of-${name}`);
  }
}
