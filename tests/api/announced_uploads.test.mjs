// What is known of an upload before its bytes are here: who sends it, what they may do, how much it is.
import assert from 'node:assert/strict';
import http from 'node:http';
import { after, before, test } from 'node:test';
import { SteleServer } from '../support/stele_server.mjs';

let server;
let small;
let plain;
before(async () => {
  server = await SteleServer.start();
  small = `/repositories/${(await server.admin('POST', '/repositories', { maxsize: 100_000 }))._doc}`;
  plain = `/repositories/${(await server.admin('POST', '/repositories', {}))._doc}`;
});
after(() => server.end());

/// Announces a body and sends none of it.
function announce(path, token, length) {
  return new Promise((resolve, reject) => {
    const request = http.request({ host: '127.0.0.1', port: server.port, method: 'POST', path, agent: false,
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'image/png', 'Content-Length': length } }, (response) => {
      let text = '';
      response.on('data', (piece) => { text += piece; });
      response.on('end', () => {
        request.destroy();
        resolve({ status: response.statusCode, json: JSON.parse(text) });
      });
    });
    request.on('error', reject);
    request.flushHeaders();
  });
}

test('an upload that is larger than its data store may be is refused before its bytes come', async () => {
  const reply = await announce(`${small}/files/large`, server.adminToken, 50_000_000);
  assert.deepEqual([reply.status, reply.json.code], [507, 'data_store.full']);
  const node = (await server.admin('POST', `${small}/branches/master/nodes`, {}))._doc;
  const attached = await announce(`${small}/branches/master/nodes/${node}/attachments/default`, server.adminToken, 50_000_000);
  assert.deepEqual([attached.status, attached.json.code], [507, 'data_store.full']);
});

test('an upload without the right to it is refused before its bytes come', async () => {
  await server.makeUser('reader');
  const token = await server.login('reader', 'secret-of-reader');
  const hidden = await announce(`${plain}/files/large`, token, 50_000_000);
  assert.equal(hidden.status, 404);
  const unknown = await announce('/repositories/unknown/files/large', server.adminToken, 50_000_000);
  assert.equal(unknown.status, 404);
});

test('an upload that fits is taken', async () => {
  const reply = await server.request('POST', `${small}/files/fits`,
    { body: Buffer.alloc(1_000, 'x'), token: server.adminToken, headers: { 'Content-Type': 'image/png' } });
  assert.equal(reply.status, 200, reply.text);
});
