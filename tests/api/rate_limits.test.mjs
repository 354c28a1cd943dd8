// The settings limits.*: how often callers may ask, and how often logins may fail.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { SteleServer } from '../support/stele_server.mjs';

const limited = (reply) => reply.status === 429;

async function withServer(config, check) {
  const server = await SteleServer.start({ config });
  try {
    await check(server);
  } finally {
    await server.end();
  }
}

async function askMany(server, count, options) {
  const replies = [];
  for (let i = 0; i < count; ++i) replies.push(await server.request('GET', '/uiconfigs/none', options));
  return replies;
}

test('requests are not limited unless that is wanted', () => withServer('', async (server) => {
  const token = await server.login();
  const replies = await Promise.all(Array.from({ length: 1000 }, () => server.request('GET', '/uiconfigs/none', { token })));
  assert.ok(!replies.some(limited));
}));

test('each user has an allowance, and learns when it may come back', () => withServer('limits.requests_per_second = 2\nlimits.request_burst = 20\n', async (server) => {
  const token = await server.login();
  await server.request('POST', '/domains/default/principals', { token, body: { type: 'USER', name: 'lea', password: 'lea password' } });
  const other = await server.login('lea', 'lea password');
  const replies = await askMany(server, 40, { token });
  const refused = replies.filter(limited);
  assert.ok(refused.length >= 15 && refused.length <= 22, `${refused.length}`);
  for (const reply of refused) {
    assert.equal(reply.json.code, 'http.rate_exceeded');
    assert.equal(reply.json.status, 429);
    assert.equal(reply.json.ok, false);
    assert.equal(reply.headers['retry-after'], '1');
    assert.equal(reply.headers['ratelimit-limit'], '20');
    assert.equal(reply.headers['ratelimit-remaining'], '0');
    assert.equal(reply.headers['ratelimit-reset'], '1');
  }
  assert.ok(!(await askMany(server, 15, { token: other })).some(limited), 'somebody else');
  await sleep(1100);
  assert.ok(!limited(await server.request('GET', '/uiconfigs/none', { token })));
  assert.match((await server.request('GET', '/metrics')).text, new RegExp(`^stele_rate_limited_total ${refused.length}$`, 'm'));
}));

test('who is not known is limited by address, and so are wrong tokens', () => withServer('limits.requests_per_second = 1\nlimits.request_burst = 10\nserver.trusted_proxies = 127.0.0.1\n', async (server) => {
  const from = (address, token) => ({ token, headers: { 'X-Forwarded-For': address } });
  const wrong = await askMany(server, 15, from('198.51.100.1', 'wrong'));
  assert.deepEqual([...new Set(wrong.map((reply) => reply.status))].sort(), [401, 429]);
  assert.ok(!limited(await server.request('GET', '/uiconfigs', from('198.51.100.2', 'wrong'))));
  // The same network of IPv6 is the same caller, another one is not.
  for (let i = 0; i < 10; ++i) await server.request('GET', '/ping', from(`2001:db8::${i + 1}`));
  assert.ok(limited(await server.request('GET', '/ping', from('2001:db8::ffff'))));
  assert.ok(!limited(await server.request('GET', '/ping', from('2001:db8:0:1::1'))));
  // Watching the server goes on.
  for (let i = 0; i < 30; ++i) assert.equal((await server.request('GET', '/healthz', from('198.51.100.1'))).status, 200);
}));

test('failed logins are limited by address, good ones are not', () => withServer('limits.login_failures_per_minute = 60\nlimits.login_failure_burst = 5\nserver.trusted_proxies = 127.0.0.1\n', async (server) => {
  for (let i = 0; i < 12; ++i) assert.equal((await server.login('admin', 'admin', { isWhole: true })).status, 200);
  const wrong = [];
  for (let i = 0; i < 8; ++i) wrong.push(await server.login('admin', `guess ${i}`, { isWhole: true }));
  const statuses = wrong.map((reply) => reply.status);
  assert.ok(statuses.slice(0, 5).every((status) => status === 400 || status === 401), `${statuses}`);
  assert.ok(statuses.slice(6).some((status) => status === 429), `${statuses}`);
  const refused = await server.login('admin', 'admin', { isWhole: true });
  assert.equal(refused.status, 429);
  assert.equal(refused.headers['retry-after'], '1');
  // A token that is there goes on.
  await sleep(1100);
  assert.equal((await server.login('admin', 'admin', { isWhole: true })).status, 200);
}));

test('many guesses at once are no way around', () => withServer('limits.login_failures_per_minute = 1\nlimits.login_failure_burst = 5\n', async (server) => {
  const replies = await Promise.all(Array.from({ length: 50 }, (_, i) => server.login('admin', `guess ${i}`, { isWhole: true })));
  assert.equal(replies.filter((reply) => !limited(reply)).length, 5);
}));

test('what is refused before a password is looked at is no failed login', () => withServer('limits.login_failures_per_minute = 1\nlimits.login_failure_burst = 5\n[identity]\nlogin_failures = 1\nlogin_delay_seconds = 900\n', async (server) => {
  const replies = [];
  for (let i = 0; i < 10; ++i) replies.push(await server.login('admin', 'guess', { isWhole: true }));
  assert.ok(replies.filter(({ json }) => json.code === 'identity.authentication_guesses_exceeded').length >= 8, replies.map(({ text }) => text).join('\n'));
  // Another user of the same address is not held up by them.
  assert.equal((await server.login('nobody', 'nothing', { isWhole: true })).json.code, 'identity.authentication_grant_invalid');
}));

test('by default logins may fail now and then', () => withServer('', async (server) => {
  const replies = [];
  for (let i = 0; i < 30; ++i) replies.push(await server.login(`nobody ${i % 10}`, 'nothing', { isWhole: true }));
  assert.ok(!replies.some(limited));
}));
