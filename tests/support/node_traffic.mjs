// Writers and readers of nodes at work on one repository, through one server or several over one store.
import assert from 'node:assert/strict';
import { settleAndCompare } from './node_comparison.mjs';
import { NodeWriter } from './node_writer.mjs';

const kLost = ['ECONNRESET', 'ECONNREFUSED', 'EPIPE'];

export class NodeTraffic {
  /// `count` writers, in turn on each of the servers; options go to NodeWriter.
  static async start(servers, count, options = {}) {
    const traffic = new NodeTraffic();
    let random = Number(process.env.STELE_SEED ?? Date.now() % 1_000_000);
    console.log(`seed ${random}`);
    traffic.next = (limit) => {
      random = (random * 1103515245 + 12345) % 2147483648;
      return Math.floor(random / 65536) % limit;
    };
    traffic.servers = servers;
    traffic.token = await servers[0].login();
    traffic.repository = `/repositories/${(await servers[0].admin('POST', '/repositories', {}))._doc}`;
    const { _doc } = await servers[0].admin('GET', `${traffic.repository}/branches/master`);
    traffic.writers = Array.from({ length: count }, (_, i) => new NodeWriter({
      name: String.fromCharCode(97 + i), next: traffic.next, token: traffic.token, repository: traffic.repository, ...options }));
    for (const writer of traffic.writers) await writer.begin(servers[0], _doc);
    return traffic;
  }

  get acknowledged() {
    return this.writers.reduce((sum, writer) => sum + writer.acknowledged, 0);
  }

  serverOf(i) {
    return this.servers[i % this.servers.length];
  }

  /// Everybody works until `until` says so after a write; then comes `atEnd`. Who loses the connection
  /// stops, if `mayLose(server)`, by default from `atEnd` on. `refused(reply, writer)` takes what was
  /// refused, else it is an error; a writer whom it leaves in doubt stops. `searchRefused(reply)` does the
  /// same for searches.
  async run({ until, atEnd = () => {}, mayLose, refused, searchRefused }) {
    this.searchRefused = searchRefused;
    for (const writer of this.writers) writer.touched.clear();
    let isOver = false;
    const stop = () => {
      if (!isOver) {
        isOver = true;
        atEnd();
      }
    };
    let writing = this.writers.length;
    const work = async (server, step, writer) => {
      try {
        while (!isOver && !writer?.doubt) {
          await step();
          if (until()) stop();
        }
      } catch (error) {
        if (kLost.includes(error.code) && (mayLose ? mayLose(server) : isOver)) return;
        isOver = true;
        throw error;
      } finally {
        if (writer && --writing === 0) stop();
      }
    };
    const writes = this.writers.map((writer, i) => work(this.serverOf(i), async () => {
      await this.write(writer, this.serverOf(i), refused);
      if (writer.last && this.next(3) === 0) await this.readBack(writer, this.serverOf(i + 1), mayLose);
    }, writer));
    const reads = this.servers.map((server) => work(server, () => this.readAny(server)));
    await Promise.all([...writes, ...reads]);
  }

  async write(writer, server, refused) {
    try {
      await writer.write(server);
    } catch (error) {
      if (!error.reply || !refused) throw error;
      refused(error.reply, writer);
    }
  }

  /// What was acknowledged just now is found, also by another server, unless that one may be gone.
  async readBack(writer, server, mayLose) {
    try {
      await this.find(writer, server);
    } catch (error) {
      if (!kLost.includes(error.code) || !mayLose?.(server)) throw error;
    }
  }

  async find(writer, server) {
    const branch = writer.world.branches[writer.last.at];
    const node = branch.nodes.get(writer.last.key);
    if (!node) return;
    const expected = node.isDeleted ? [] : [node.id];
    const path = `${this.repository}/branches/${branch.id}/nodes`;
    for (const [way, body] of [['query', { mark: node.mark }], ['search', { search: node.text }]]) {
      const reply = await server.request('POST', `${path}/${way}`, { token: this.token, body });
      if (this.isRefusedSearch(way, reply)) continue;
      assert.equal(reply.status, 200, reply.text);
      assert.deepEqual(reply.json.rows.map((row) => row._doc), expected, `${way} of ${JSON.stringify(body)}`);
    }
  }

  isRefusedSearch(way, reply) {
    if (way !== 'search' || reply.status === 200 || !this.searchRefused) return false;
    this.searchRefused(reply);
    return true;
  }

  /// A look at what others are writing: whatever is found fits what was asked for.
  async readAny(server) {
    const { name, world } = this.writers[this.next(this.writers.length)];
    const path = `${this.repository}/branches/${world.branches[this.next(world.branches.length)].id}/nodes`;
    const way = ['query', 'search'][this.next(2)];
    const isSearch = way === 'search';
    const pattern = `t${name}n${1 + this.next(9)}*`;
    const body = isSearch ? { search: pattern } : { owner: name };
    const reply = await server.request('POST', `${path}/${way}?limit=20`, { token: this.token, body });
    if (this.isRefusedSearch(way, reply)) return;
    assert.equal(reply.status, 200, reply.text);
    for (const row of reply.json.rows) {
      assert.equal(row.owner, name);
      if (isSearch) assert.ok(row.text.startsWith(pattern.slice(0, -1)), `${row.text} for ${pattern}`);
    }
  }

  /// Settles the doubts and compares; what the last run did not touch only by chance, or at last.
  async compare(server, round, { isLast = false } = {}) {
    const isWanted = ({ touched }) => (at, key) => isLast || touched.has(`${at} ${key}`) || this.next(20) === 0;
    // Servers over one database keep attachments each for itself (docs/guides/postgresql.md).
    const hasBytes = (writer) => this.serverOf(this.writers.indexOf(writer)) === server;
    return settleAndCompare(this.writers, server, { isWanted, hasBytes, round });
  }
}
