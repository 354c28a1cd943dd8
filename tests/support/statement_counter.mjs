// Stands between servers and a private PostgreSQL and counts what they ask it.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import net from 'node:net';
import { join } from 'node:path';

const kStartup = '';

/// Whole messages of the client's side, as they arrive in pieces; the first has no type.
class Messages {
  #waiting = Buffer.alloc(0);
  #isStarted = false;

  * read(bytes) {
    this.#waiting = Buffer.concat([this.#waiting, bytes]);
    while (true) {
      const head = this.#isStarted ? 1 : 0;
      if (this.#waiting.length < head + 4) return;
      const size = head + this.#waiting.readUInt32BE(head);
      if (this.#waiting.length < size) return;
      const type = head ? String.fromCharCode(this.#waiting[0]) : kStartup;
      yield { type, body: this.#waiting.subarray(head + 4, size) };
      this.#waiting = this.#waiting.subarray(size);
      this.#isStarted = true;
    }
  }
}

/// The name of the prepared statement and the parameters of a Bind message.
function readBind(body) {
  const afterPortal = body.indexOf(0) + 1;
  const end = body.indexOf(0, afterPortal);
  const name = body.toString('latin1', afterPortal, end);
  let at = end + 1;
  at += 2 + 2 * body.readUInt16BE(at);
  const parameters = [];
  let left = body.readUInt16BE(at);
  for (at += 2; left > 0; --left) {
    const size = Math.max(0, body.readInt32BE(at));
    parameters.push(body.subarray(at + 4, at + 4 + size));
    at += 4 + size;
  }
  return { name, parameters };
}

export class StatementCounter {
  /// Servers that connect to `connection` instead of the database's own are counted.
  static async start(postgres) {
    const counter = new StatementCounter();
    counter.folder = mkdtempSync('/tmp/stele-counter-');
    chmodSync(counter.folder, 0o755);
    counter.connection = `host=${counter.folder} user=postgres dbname=postgres`;
    counter.statements = 0;
    counter.roundTrips = 0;
    /// Called with each statement when set.
    counter.watch = undefined;
    counter.sockets = new Set();
    counter.server = net.createServer((client) => counter.#accept(client, join(postgres.primary, '.s.PGSQL.5432')));
    await new Promise((done) => { counter.server.listen(join(counter.folder, '.s.PGSQL.5432'), done); });
    return counter;
  }

  #accept(client, path) {
    const server = net.connect(path);
    const messages = new Messages();
    client.on('data', (bytes) => {
      for (const message of messages.read(bytes)) this.#count(message);
      server.write(bytes);
    });
    server.on('data', (bytes) => client.write(bytes));
    for (const [one, other] of [[client, server], [server, client]]) {
      this.sockets.add(one);
      one.on('error', () => one.destroy());
      one.on('close', () => { this.sockets.delete(one); other.destroy(); });
    }
  }

  #count({ type, body }) {
    if (type === 'S' || type === 'Q') ++this.roundTrips;
    if (type === 'Q') ++this.statements;
    if (type !== 'B') return;
    ++this.statements;
    this.watch?.(readBind(body));
  }

  /// What `work` makes servers ask: statements and round trips.
  async count(work) {
    const before = [this.statements, this.roundTrips];
    await work();
    return { statements: this.statements - before[0], roundTrips: this.roundTrips - before[1] };
  }

  async end() {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((done) => { this.server.close(done); });
    rmSync(this.folder, { recursive: true, force: true });
  }
}
