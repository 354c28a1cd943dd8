// Stands between a client and a server, and breaks connections where a test says so.
import net from 'node:net';

/// A proxy to a port of this machine for clients that use each connection for one request. `decide(head)`, asked with
/// the head of every request, answers what becomes of it: undefined passes it on; `{ isDropped: true }` closes the
/// connection at once; `{ passes: n }` passes on so many bytes of the reply, and then closes, or with `isSilent` keeps
/// the connection and says nothing more; `{ replies: text }` answers in the server's place.
export class CuttingProxy {
  static async start(port) {
    const proxy = new CuttingProxy();
    proxy.target = port;
    proxy.heads = [];
    proxy.decide = () => undefined;
    proxy.sockets = new Set();
    proxy.server = net.createServer((socket) => proxy.#accept(socket));
    await new Promise((done) => { proxy.server.listen(0, '127.0.0.1', done); });
    proxy.url = `http://127.0.0.1:${proxy.server.address().port}`;
    return proxy;
  }

  #accept(client) {
    this.#keep(client);
    let waiting = Buffer.alloc(0);
    const read = (bytes) => {
      waiting = Buffer.concat([waiting, bytes]);
      const end = waiting.indexOf('\r\n\r\n');
      if (end < 0) return;
      client.off('data', read);
      const head = waiting.subarray(0, end).toString('latin1');
      this.heads.push(head);
      this.#pass(client, waiting, this.decide(head) ?? {});
    };
    client.on('data', read);
  }

  #pass(client, first, { isDropped, passes = Infinity, isSilent, replies }) {
    if (isDropped) {
      client.destroy();
      return;
    }
    if (replies !== undefined) {
      client.end(replies);
      return;
    }
    const server = net.connect(this.target, '127.0.0.1');
    this.#keep(server);
    server.write(first);
    client.on('data', (bytes) => server.write(bytes));
    let rest = passes;
    server.on('data', (bytes) => {
      const part = bytes.subarray(0, Math.min(rest, bytes.length));
      rest -= part.length;
      client.write(part);
      if (rest === 0 && !isSilent) client.end();
    });
    server.on('end', () => { if (rest > 0) client.end(); });
    client.on('close', () => server.destroy());
  }

  #keep(socket) {
    this.sockets.add(socket);
    // Whoever is cut off may say so.
    socket.on('error', () => socket.destroy());
    socket.on('close', () => this.sockets.delete(socket));
  }

  /// The heads of requests that begin so, such as `GET /jobs/`.
  asked(beginning) {
    return this.heads.filter((head) => head.startsWith(beginning));
  }

  end() {
    for (const socket of this.sockets) socket.destroy();
    return new Promise((done) => { this.server.close(done); });
  }
}
