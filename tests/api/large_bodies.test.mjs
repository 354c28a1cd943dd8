// Large bodies: only of callers who are known, and no more of them than there is memory for
// (docs/reference/http.md, Large bodies).
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import { after, before, test } from 'node:test';
import { rawExchange } from '../support/raw_socket.mjs';
import { described, everyPath } from '../support/route_walk.mjs';
import { SteleServer } from '../support/stele_server.mjs';

const kMemory = 24 * 1024 * 1024;
const kSmall = 64 * 1024;
let server;
before(async () => {
  server = await SteleServer.start({ config: `server.body_memory = ${kMemory}\nserver.body_memory_per_address = ${kMemory}\nserver.busy_wait = 300s\n` });
  await server.admin('GET', '/');
});
after(() => server.end());

const head = (method, path, framing, token) => `${method} ${path} HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n` +
  `${token ? `Authorization: Bearer ${token}\r\n` : ''}${framing}\r\n\r\n`;
const metric = async (name) => Number((await server.request('GET', '/metrics')).text.match(new RegExp(`^${name} (\\d+)$`, 'm'))[1]);
const residentMiB = () => Number(readFileSync(`/proc/${server.child.pid}/status`, 'utf8').match(/VmRSS:\s+(\d+)/)[1]) / 1024;

test('a large body of nobody is refused on every route before any of it comes', async () => {
  const paths = everyPath(await described(server));
  let known = 0;
  let open = 0;
  for (const [template, methods] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      if (!['post', 'put', 'patch', 'delete', 'get'].includes(method)) continue;
      const path = template.replace(/\{\w+\}/g, 'some');
      const isOpen = operation.security?.length === 0;
      for (const framing of [`Content-Length: ${kSmall + 1}`, 'Transfer-Encoding: chunked']) {
        if (isOpen && framing.startsWith('T')) continue;
        const reply = await rawExchange(server.port, head(method.toUpperCase(), path, framing));
        assert.equal(reply.status, isOpen ? 413 : 401, `${method} ${path} ${framing}: ${reply.text.slice(0, 300)}`);
        assert.equal(reply.timedOut, false);
      }
      isOpen ? ++open : ++known;
    }
  }
  assert.ok(known > 500 && open >= 5, `${known} and ${open} routes`);
});

test('where no token is needed a body in chunks is small, too', async () => {
  const chunk = `10001\r\n${'x'.repeat(kSmall + 1)}\r\n0\r\n\r\n`;
  const reply = await rawExchange(server.port, [head('POST', '/oauth/token', 'Transfer-Encoding: chunked'), chunk]);
  assert.deepEqual([reply.status, reply.json.code], [413, 'http.body_too_large']);
});

test('a large body for a path or a method that nobody knows is not waited for', async () => {
  const framing = 'Content-Length: 5000000';
  assert.equal((await rawExchange(server.port, head('POST', '/nothing/of/the/kind', framing))).status, 404);
  assert.equal((await rawExchange(server.port, head('PATCH', '/openapi.json', framing))).status, 405);
});

test('bodies that are sent but for the last byte hold no more memory than there is, and small requests go on', async () => {
  const kBytes = 15 * 1024 * 1024;
  const idle = residentMiB();
  const sockets = [];
  const piece = Buffer.alloc(1 << 20, ' ');
  for (let i = 0; i < 20; ++i) {
    const socket = net.connect(server.port, '127.0.0.1');
    socket.on('error', () => {});
    socket.write(head('POST', '/uiconfigs', `Content-Length: ${kBytes + 1}`, server.adminToken));
    for (let n = 0; n < 15; ++n) socket.write(piece);
    sockets.push(socket);
  }
  while (await metric('stele_bodies_waiting') < 19) await new Promise((done) => setTimeout(done, 20));
  assert.ok(await metric('stele_body_memory_bytes') <= kMemory);
  assert.equal((await server.request('POST', '/uiconfigs', { token: server.adminToken, body: { small: true } })).status, 200);
  const reply = await server.request('GET', '/uiconfigs?limit=1', { token: server.adminToken });
  assert.equal(reply.status, 200);
  const grown = residentMiB() - idle;
  assert.ok(grown < 100, `${grown} MiB for bodies`);
  sockets.forEach((socket) => socket.destroy());
  while (await metric('stele_body_memory_bytes') > 0) await new Promise((done) => setTimeout(done, 20));
});

test('many large bodies at once are all taken, one after another', async () => {
  const text = 'x'.repeat(2_000_000);
  const agent = new http.Agent({ maxSockets: 40 });
  const replies = await Promise.all(Array.from({ length: 40 }, (_, number) =>
    server.request('POST', '/uiconfigs?full=false', { token: server.adminToken, body: { number, text }, agent })));
  agent.destroy();
  for (const reply of replies) assert.equal(reply.status, 200, reply.text.slice(0, 300));
  assert.equal(await metric('stele_body_memory_bytes'), 0);
});
