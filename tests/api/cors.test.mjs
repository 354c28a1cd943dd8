// Web pages of other origins: the settings server.cors_origins, and OPTIONS without them.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { SteleServer } from '../support/stele_server.mjs';

const origin = 'https://app.example';
let server;
let token;
before(async () => {
  server = await SteleServer.start({ config: 'server.cors_origins = https://APP.example/, http://localhost:3000\n' });
  token = await server.login();
});
after(() => server.end());

test('a page of a listed origin may do what the published clients do', async () => {
  const asked = 'authorization, content-type, x-requested-with, x-csrf-token, x-cloudcms-origin, gitana_ticket';
  const preflight = await server.request('OPTIONS', '/uiconfigs?full=true', {
    headers: { Origin: origin, 'Access-Control-Request-Method': 'POST', 'Access-Control-Request-Headers': asked },
  });
  assert.equal(preflight.status, 200);
  assert.equal(preflight.headers['access-control-allow-origin'], origin);
  assert.equal(preflight.headers['access-control-allow-credentials'], 'true');
  assert.equal(preflight.headers['access-control-allow-headers'], asked);
  for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
    assert.ok(preflight.headers['access-control-allow-methods'].split(', ').includes(method), method);
  }
  assert.ok(preflight.headers.vary.split(', ').includes('Origin'));
  const reply = await server.request('POST', '/uiconfigs', { token, body: { title: 'x' }, headers: { Origin: origin } });
  assert.equal(reply.status, 200);
  assert.equal(reply.headers['access-control-allow-origin'], origin);
});

test('failures can be read by the page, too', async () => {
  for (const [path, options, status] of [
    ['/uiconfigs', {}, 401], ['/no/such/path', { token }, 404], ['/uiconfigs?skip=-1', { token }, 400],
  ]) {
    const reply = await server.request('GET', path, { ...options, headers: { ...options.headers, Origin: origin } });
    assert.equal(reply.status, status);
    assert.equal(reply.headers['access-control-allow-origin'], origin, path);
    assert.ok(reply.headers['access-control-expose-headers'].includes('X-Request-Id'));
  }
});

test('an unchanged record keeps its headers, so that the page may use its copy', async () => {
  const { _doc } = await server.admin('POST', '/uiconfigs', { title: 'cached' });
  const first = await server.request('GET', `/uiconfigs/${_doc}`, { token, headers: { Origin: origin } });
  const second = await server.request('GET', `/uiconfigs/${_doc}`, { token, headers: { Origin: origin, 'If-None-Match': first.headers.etag } });
  assert.equal(second.status, 304);
  assert.equal(second.headers['access-control-allow-origin'], origin);
  assert.ok(second.headers.vary.includes('Origin'));
});

test('another origin gets nothing that its page could read', async () => {
  const headers = { Origin: 'https://evil.example' };
  const preflight = await server.request('OPTIONS', '/uiconfigs', { headers: { ...headers, 'Access-Control-Request-Method': 'POST' } });
  assert.equal(preflight.status, 403);
  for (const reply of [preflight, await server.request('GET', '/uiconfigs', { token, headers })]) {
    assert.ok(!('access-control-allow-origin' in reply.headers));
    assert.ok(reply.headers.vary.includes('Origin'));
  }
});

test('OPTIONS without an origin says what the path knows', async () => {
  const reply = await server.request('OPTIONS', '/uiconfigs');
  assert.equal(reply.status, 200);
  assert.equal(reply.json.ok, true);
  assert.ok(reply.headers.allow.includes('POST'));
  assert.equal((await server.request('OPTIONS', '/no/such/path')).status, 404);
});

test('an origin that no browser sends stops the start', async () => {
  await assert.rejects(SteleServer.start({ config: 'server.cors_origins = app.example\n' }), /server.cors_origins: 'app.example' is no origin/);
});
