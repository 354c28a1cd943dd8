// The setting log.access: a line of JSON for every request.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { SteleServer } from '../support/stele_server.mjs';

let server;
let folder;
let file;
let token;
const lines = (from = file) => readFileSync(from, 'utf8').split('\n').filter(Boolean).map((line) => JSON.parse(line));

async function lineOf(reply) {
  const id = reply.headers['x-request-id'];
  for (let tries = 0; tries < 100; ++tries) {
    const found = lines().find((line) => line.requestId === id);
    if (found) return found;
    await sleep(50);
  }
  throw new Error(`no line for ${id}`);
}

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'stele-access-'));
  file = join(folder, 'access.log');
  server = await SteleServer.start({ config: `log.access = ${file}\nserver.trusted_proxies = 127.0.0.1\n` });
  token = await server.login();
});
after(async () => {
  await server.end();
  rmSync(folder, { recursive: true, force: true });
});

test('a request of a user is logged with everything that is known of it', async () => {
  const platform = await server.admin('GET', '/');
  const created = await server.request('POST', '/uiconfigs', { token, body: { title: 'logged' } });
  const reply = await server.request('GET', `/uiconfigs/${created.json._doc}?full=true`, { token, headers: { 'X-Forwarded-For': '198.51.100.7' } });
  const me = (await server.admin('GET', '/domains/default/principals/admin'));
  const { time, us, bytes, ...rest } = await lineOf(reply);
  assert.deepEqual(rest, {
    requestId: reply.headers['x-request-id'], remote: '198.51.100.7', method: 'GET', path: `/uiconfigs/${created.json._doc}`,
    route: '/uiconfigs/{uiConfigId}', status: 200, platform: platform._doc, domain: 'default', principal: me._doc,
  });
  assert.ok(Math.abs(Date.parse(time) - Date.now()) < 10_000, time);
  assert.ok(Number.isInteger(us) && us > 0 && us < 5_000_000);
  assert.ok(bytes > Buffer.byteLength(reply.text) && bytes < Buffer.byteLength(reply.text) + 1000);
  const line = await lineOf(created);
  assert.equal(line.route, '/uiconfigs');
  assert.equal(line.method, 'POST');
  assert.equal(line.remote, '127.0.0.1');
});

test('failures are logged, with the caller where it is known', async () => {
  for (const [path, options, wanted] of [
    ['/no/such/path', { token }, { status: 404 }],
    ['/uiconfigs', { token: 'nonsense' }, { status: 401, route: '/uiconfigs' }],
    ['/uiconfigs/0123', { token }, { status: 404, route: '/uiconfigs/{uiConfigId}', domain: 'default' }],
    ['/', { token }, { status: 200, route: '/' }], ['/healthz', {}, { status: 200, route: '/healthz' }],
  ]) {
    const line = await lineOf(await server.request('GET', path, options));
    assert.equal(line.path, path);
    for (const [name, value] of Object.entries(wanted)) assert.equal(line[name], value, `${path} ${name}`);
    assert.equal('principal' in line, 'domain' in wanted || path === '/', path);
  }
});

test('neither tokens nor passwords are in the log', async () => {
  await server.request('GET', `/uiconfigs?access_token=${token}`);
  const reply = await server.request('GET', '/oauth/token?grant_type=password&username=admin&password=my+secret+words&client_id=x');
  await lineOf(reply);
  const text = readFileSync(file, 'utf8');
  for (const secret of [token, 'access_token', 'secret+words', 'password']) assert.ok(!text.includes(secret), secret);
});

test('long lists, cached reads and refusals have their true status and size', async () => {
  for (let i = 0; i < 40; ++i) await server.admin('POST', '/uiconfigs', { text: 'y'.repeat(50_000) });
  const long = await server.request('GET', '/uiconfigs?limit=-1', { token });
  assert.equal(long.headers['transfer-encoding'], 'chunked');
  const line = await lineOf(long);
  assert.ok(line.bytes >= Buffer.byteLength(long.text) && line.bytes < Buffer.byteLength(long.text) * 1.01 + 1000, `${line.bytes}`);
  assert.ok(!line.aborted);
  const { _doc } = await server.admin('POST', '/uiconfigs', { title: 'cached' });
  const first = await server.request('GET', `/uiconfigs/${_doc}`, { token });
  const second = await server.request('GET', `/uiconfigs/${_doc}`, { token, headers: { 'If-None-Match': first.headers.etag } });
  assert.equal(second.status, 304);
  assert.equal((await lineOf(second)).status, 304);
  assert.equal((await lineOf(await server.request('POST', '/uiconfigs', { token, body: {}, headers: { Expect: 'tea' } }))).status, 417);
});

test('a log that was moved away goes on under its name', async () => {
  const old = join(folder, 'access.log.1');
  await lineOf(await server.request('GET', '/healthz'));
  renameSync(file, old);
  for (let tries = 0; tries < 100 && !existsSync(file); ++tries) await sleep(50);
  const reply = await server.request('GET', '/readyz');
  assert.equal((await lineOf(reply)).path, '/readyz');
  assert.ok(!lines(old).some((line) => line.requestId === reply.headers['x-request-id']));
});

test('the last lines are written when the server ends, and lost ones are counted', async () => {
  const metrics = await server.request('GET', '/metrics');
  assert.match(metrics.text, /^stele_access_log_dropped_total 0$/m);
  const replies = await Promise.all(Array.from({ length: 200 }, () => server.request('GET', '/healthz')));
  await server.stop();
  const ids = new Set(lines().map((line) => line.requestId));
  for (const reply of replies) assert.ok(ids.has(reply.headers['x-request-id']));
  await server.launch();
});

test('a log that cannot be written stops the start', async () => {
  await assert.rejects(SteleServer.start({ config: 'log.access = /no/such/folder/access.log\n' }), /http.access_log_unusable/);
});

test('without the setting there is no log, with - it goes to the standard output', async () => {
  const other = await SteleServer.start({ config: 'log.access = -\n' });
  let out = '';
  other.child.stdout.on('data', (text) => { out += text; });
  const reply = await other.request('GET', '/healthz');
  await other.end();
  const line = JSON.parse(out.split('\n').find((text) => text.includes(reply.headers['x-request-id'])));
  assert.equal(line.path, '/healthz');
});
