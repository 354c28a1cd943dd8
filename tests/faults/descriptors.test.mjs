// Connections of nobody do not take the files that the store needs (docs/reference/http.md, Limits).
import assert from 'node:assert/strict';
import http from 'node:http';
import net from 'node:net';
import { test } from 'node:test';
import { noise } from '../support/noise.mjs';
import { SteleServer } from '../support/stele_server.mjs';

test('more connections than there are descriptors leave the store its own', async () => {
  const server = await SteleServer.start({ limits: '-n 600', config: 'storage.write_buffer = 1MiB\n' });
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  const sockets = [];
  try {
    const token = await server.login();
    const ask = (method, path, body) => server.request(method, path, { token, body, agent });
    assert.equal((await ask('GET', '/readyz')).status, 200);
    await server.logged(/600 files and sockets only/);
    await Promise.all(Array.from({ length: 800 }, () => new Promise((done) => {
      const socket = net.connect(server.port, '127.0.0.1', done);
      socket.on('error', done);
      sockets.push(socket);
    })));
    // The server has taken those that it takes, or told them to come again, once it answers.
    const made = [];
    for (let i = 0; i < 40; ++i) {
      const reply = await ask('POST', '/uiconfigs', { number: i, text: noise(300_000) });
      assert.equal(reply.status, 200, `${i}: ${reply.text.slice(0, 300)}`);
      made.push(reply.json._doc);
    }
    const metrics = (await ask('GET', '/metrics')).text;
    const open = Number(metrics.match(/^stele_connections_open (\d+)$/m)[1]);
    assert.ok(open < 300, `${open} connections`);
    for (const id of made) assert.equal((await ask('GET', `/uiconfigs/${id}?metadata=false`)).status, 200);
    assert.equal((await ask('GET', '/readyz')).status, 200);
  } finally {
    sockets.forEach((socket) => socket.destroy());
    agent.destroy();
    await server.end();
  }
});
