// What a cookie is good for: nothing that another site makes a browser do.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { allRoutes, makeRecords, makeTeams } from '../support/route_walk.mjs';
import { SteleServer } from '../support/stele_server.mjs';

let server;
let cookie;
before(async () => {
  server = await SteleServer.start({ config: 'stores.statistics_period = 1h\nusage.look_interval = 1h\nserver.cors_origins = https://app.example\nserver.trusted_proxies = 127.0.0.1\n' });
  server.adminToken = await server.login();
  cookie = `GITANA_TICKET=${await server.login()}`;
});
after(() => server.end());

const host = () => new URL(server.baseUrl).host;
const make = (headers, method = 'POST') => server.request(method, '/uiconfigs', { headers, body: { title: 'made' } });

test('a write by a cookie comes from a page of the own site, or of an origin that the settings name', async () => {
  const mine = [{ Origin: `http://${host()}` }, { Origin: `https://${host()}` }, { Origin: 'https://app.example' },
    { 'Sec-Fetch-Site': 'same-origin' }, { 'Sec-Fetch-Site': 'same-site' }, { 'Sec-Fetch-Site': 'none' },
    { Origin: 'https://app.example', 'Sec-Fetch-Site': 'cross-site' }];
  for (const headers of mine) {
    assert.equal((await make({ Cookie: cookie, ...headers })).status, 200, JSON.stringify(headers));
  }
  const { total_rows: before } = await server.admin('GET', '/uiconfigs');
  const others = [{}, { Origin: 'https://evil.example' }, { Origin: 'null' }, { Origin: `http://${host()}.evil.example` },
    { Origin: 'http://127.0.0.1:1' }, { 'Sec-Fetch-Site': 'cross-site' }, { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' },
    { Origin: `http://${host()}`, 'Sec-Fetch-Site': 'cross-site' }, { Referer: server.baseUrl }];
  for (const headers of others) {
    const refused = await make({ Cookie: cookie, ...headers });
    assert.equal(refused.status, 403, JSON.stringify(headers));
    assert.equal(refused.json.code, 'http.origin_foreign');
  }
  assert.equal((await server.admin('GET', '/uiconfigs')).total_rows, before);
});

test('tokens and tickets that no browser adds by itself need no origin', async () => {
  const token = cookie.split('=')[1];
  for (const headers of [{ Authorization: `Bearer ${token}` }, { GITANA_TICKET: token },
    { Cookie: cookie, Authorization: `Bearer ${token}`, Origin: 'https://evil.example' }]) {
    assert.equal((await make(headers)).status, 200);
  }
  assert.equal((await server.request('POST', `/uiconfigs?access_token=${token}`, { headers: { Cookie: cookie }, body: {} })).status, 200);
});

test('reads by a cookie need no origin', async () => {
  for (const headers of [{}, { Origin: 'https://evil.example' }, { 'Sec-Fetch-Site': 'cross-site' }]) {
    assert.equal((await server.request('GET', '/auth/info', { headers: { Cookie: cookie, ...headers } })).status, 200);
  }
});

test('no GET writes anything for a caller with a cookie', async () => {
  const routes = await allRoutes(server, await makeRecords(server));
  await makeTeams(server, routes);
  const reads = routes.filter(({ method, path }) => method === 'GET' && path !== '/oauth/token');
  assert.ok(reads.length > 100, `${reads.length}`);
  const written = async () => (await server.admin('GET', '/activities?limit=0')).total_rows;
  const before = await written();
  const writing = [];
  for (const route of reads) {
    const reply = await server.request('GET', route.target, { headers: { Cookie: cookie } });
    if (reply.json?.code === 'http.cookie_reads_only') writing.push(route.path);
  }
  assert.equal(await written(), before);
  assert.deepEqual([...new Set(writing)].sort(), []);
});

test('a page of somebody else logs nobody in', async () => {
  const { key, secret } = server.seed.client;
  const form = new URLSearchParams({ grant_type: 'password', username: 'admin', password: 'admin', client_id: key, client_secret: secret }).toString();
  const login = (headers, method = 'POST') => server.request(method, method === 'GET' ? `/oauth/token?${form}` : '/oauth/token', {
    body: method === 'GET' ? undefined : form, headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers } });
  for (const headers of [{}, { Origin: `http://${host()}` }, { Origin: 'https://app.example', 'Sec-Fetch-Site': 'cross-site' }]) {
    assert.match((await login(headers)).headers['set-cookie'][0], /^GITANA_TICKET=.+; SameSite=Lax/);
  }
  for (const method of ['GET', 'POST']) {
    for (const headers of [{ 'Sec-Fetch-Site': 'cross-site' }, { Origin: 'https://evil.example' }]) {
      const reply = await login(headers, method);
      assert.equal(reply.status, 200);
      assert.equal(reply.headers['set-cookie'], undefined);
    }
  }
});

test('behind a proxy that speaks TLS the cookie is for TLS only, and so is the site', async () => {
  const { key, secret } = server.seed.client;
  const body = new URLSearchParams({ grant_type: 'password', username: 'admin', password: 'admin', client_id: key, client_secret: secret }).toString();
  const login = (more) => server.request('POST', '/oauth/token', { body, headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...more } });
  const plain = await login({});
  assert.doesNotMatch(plain.headers['set-cookie'][0], /Secure/);
  assert.equal(plain.headers['strict-transport-security'], undefined);
  const safe = await login({ 'X-Forwarded-Proto': 'https' });
  assert.match(safe.headers['set-cookie'][0], /; Secure/);
  assert.equal(safe.headers['strict-transport-security'], `max-age=${365 * 24 * 3600}`);
});
