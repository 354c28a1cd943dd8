// How long passwords are, when the present one is asked for, and who waits after wrong ones.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import { SteleServer } from '../../../tests/support/stele_server.mjs';

const users = '/domains/default/principals';

async function withServer(config, check) {
  const server = await SteleServer.start({ config });
  try {
    await check(server);
  } finally {
    await server.end();
  }
}

const codeOf = (reply) => reply.json.violations?.[0]?.code ?? reply.json.code;

test('a password has eight characters at least, wherever it is set', () => withServer('', async (server) => {
  const make = (password) => server.request('POST', users, { token: server.adminToken, body: { type: 'USER', name: 'lea', password } });
  server.adminToken = await server.login();
  const short = await make('7 chars');
  assert.equal(short.status, 400);
  assert.equal(codeOf(short), 'identity.password_short');
  assert.equal(short.json.violations[0].path, 'password');
  // Characters, not bytes.
  assert.equal((await make('äöüäöüä')).status, 400);
  const made = await make('äöüäöüäö');
  assert.equal(made.status, 200, made.text);
  const path = `${users}/${made.json._doc}`;
  const { identityId } = await server.admin('GET', path);
  const token = server.adminToken;
  assert.equal(codeOf(await server.request('PUT', path, { token, body: { type: 'USER', name: 'lea', password: 'short' } })), 'identity.password_short');
  const changed = await server.request('POST', `/directories/default/identities/${identityId}/changepassword`,
    { token, body: { password: 'short', verifyPassword: 'short' } });
  assert.equal(codeOf(changed), 'identity.password_short');
  assert.equal((await server.login('lea', 'äöüäöüäö', { isWhole: true })).status, 200);
  const invited = await server.request('POST', `${users}/invite?email=max@example.org`, { token, body: { password: 'short' } });
  assert.equal(codeOf(invited), 'identity.password_short');
}));

test('the length is a setting, and a seed may be shorter', () => withServer('identity.password_length = 12\n', async (server) => {
  assert.equal(server.seed.admin.password, 'admin');
  await assert.rejects(server.makeUser('lea', 'eleven char'), /identity.password_short/);
  await server.makeUser('lea', 'twelve chars');
}));

/// Changes the own password with credentials of one kind.
async function changeOwn(server, headers, more) {
  const user = (await server.request('GET', `${users}/lea`, { headers })).json;
  return server.request('PUT', `${users}/lea`, { headers, body: { ...user, password: 'another password', ...more } });
}

const own = { Origin: 'http://127.0.0.1', 'Sec-Fetch-Site': 'same-origin' };
const cookieOf = (token) => ({ Cookie: `GITANA_TICKET=${token}`, ...own });
const bearerOf = (token) => ({ Authorization: `Bearer ${token}` });

test('who has nothing but a cookie tells the present password to change the own one', () => withServer('', async (server) => {
  const user = await server.makeUser('lea');
  const token = await server.login('lea', 'secret-of-lea');
  assert.equal(codeOf(await changeOwn(server, cookieOf(token))), 'identity.password_required');
  assert.equal(codeOf(await changeOwn(server, cookieOf(token), { currentPassword: 'not it' })), 'identity.password_wrong');
  const path = `/directories/default/identities/${user.identityId}/changepassword`;
  const body = { password: 'another password', verifyPassword: 'another password' };
  assert.equal(codeOf(await server.request('POST', path, { headers: cookieOf(token), body })), 'identity.password_required');
  assert.equal((await changeOwn(server, cookieOf(token), { currentPassword: 'secret-of-lea' })).status, 200);
  // Published drivers do not send it.
  const next = await server.login('lea', 'another password');
  assert.equal((await changeOwn(server, bearerOf(next))).status, 200);
  // Nobody is asked for that of somebody else.
  const admin = await server.login();
  assert.equal((await changeOwn(server, cookieOf(admin))).status, 200);
  const shown = await server.admin('GET', `${users}/lea`);
  assert.ok(!('currentPassword' in shown));
}));

test('everybody or nobody is asked for the present password where a setting says so', async () => {
  await withServer('identity.ask_present_password = always\n', async (server) => {
    await server.makeUser('lea');
    const token = await server.login('lea', 'secret-of-lea');
    assert.equal(codeOf(await changeOwn(server, bearerOf(token))), 'identity.password_required');
    assert.equal((await changeOwn(server, bearerOf(token), { currentPassword: 'secret-of-lea' })).status, 200);
  });
  await withServer('identity.ask_present_password = never\n', async (server) => {
    await server.makeUser('lea');
    const token = await server.login('lea', 'secret-of-lea');
    assert.equal((await changeOwn(server, cookieOf(token))).status, 200);
  });
});

test('whoever holds a session cannot guess the present password for long', () => withServer('', async (server) => {
  await server.makeUser('lea');
  const token = await server.login('lea', 'secret-of-lea');
  const codes = [];
  for (let i = 0; i < 8; ++i) codes.push(codeOf(await changeOwn(server, cookieOf(token), { currentPassword: `guess ${i}` })));
  assert.deepEqual(codes.slice(0, 5), Array(5).fill('identity.password_wrong'));
  assert.ok(codes.slice(5).includes('identity.authentication_guesses_exceeded'), `${codes}`);
}));

// Many addresses, each with its own logins.
const behindProxy = 'server.trusted_proxies = 127.0.0.1\nlimits.login_failures_per_minute = 0\n';

async function loginFrom(server, address, username, password) {
  const { key, secret } = server.seed.client;
  return server.request('POST', '/oauth/token', {
    body: new URLSearchParams({ grant_type: 'password', username, password, client_id: key, client_secret: secret }).toString(),
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', 'X-Forwarded-For': address } });
}
async function failFrom(server, address, username, count) {
  const replies = [];
  for (let i = 0; i < count; ++i) replies.push(await loginFrom(server, address, username, `guess ${i}`));
  return replies.map((reply) => reply.status);
}

test('an address that fails at an account waits, longer each time, and other accounts do not', () => withServer(behindProxy, async (server) => {
  await server.makeUser('lea');
  await server.makeUser('max');
  assert.deepEqual(await failFrom(server, '198.51.100.1', 'lea', 5), Array(5).fill(400));
  const refused = await loginFrom(server, '198.51.100.1', 'lea', 'secret-of-lea');
  assert.equal(refused.status, 429);
  assert.equal(refused.json.code, 'identity.authentication_guesses_exceeded');
  assert.equal(refused.headers['retry-after'], '1');
  // By any form of the name.
  assert.equal((await loginFrom(server, '198.51.100.1', 'default/lea', 'secret-of-lea')).status, 429);
  assert.equal((await loginFrom(server, '198.51.100.1', 'max', 'secret-of-max')).status, 200);
  assert.equal((await loginFrom(server, '198.51.100.2', 'lea', 'secret-of-lea')).status, 200);
}));

test('it is the same for names that nobody has', () => withServer(behindProxy, async (server) => {
  assert.deepEqual(await failFrom(server, '198.51.100.1', 'nobody', 6), [...Array(5).fill(400), 429]);
  assert.equal((await loginFrom(server, '198.51.100.1', 'primary/nobody', 'x')).status, 429);
}));

test('strangers at many addresses share the failures of an account, its own address is let in', () => withServer(behindProxy, async (server) => {
  await server.makeUser('lea');
  assert.equal((await loginFrom(server, '192.0.2.7', 'lea', 'secret-of-lea')).status, 200);
  const statuses = [];
  for (let i = 0; i < 60; ++i) statuses.push(...await failFrom(server, `198.51.100.${i + 1}`, 'lea', 1));
  assert.deepEqual(statuses.slice(0, 20), Array(20).fill(400));
  assert.ok(statuses.slice(20).filter((status) => status === 429).length >= 30, `${statuses}`);
  for (let i = 0; i < 3; ++i) assert.equal((await loginFrom(server, '192.0.2.7', 'lea', 'secret-of-lea')).status, 200);
  // Also after a start, when what failed is forgotten and strangers begin anew.
  await server.stop();
  await server.launch();
  for (let i = 0; i < 60; ++i) await failFrom(server, `198.51.100.${i + 1}`, 'lea', 1);
  assert.equal((await loginFrom(server, '203.0.113.9', 'lea', 'secret-of-lea')).status, 429);
  assert.equal((await loginFrom(server, '192.0.2.7', 'lea', 'secret-of-lea')).status, 200);
}));

test('an address that tries one password at many accounts waits, and whoever is known there does not', () => withServer(behindProxy, async (server) => {
  await server.makeUser('lea');
  assert.equal((await loginFrom(server, '198.51.100.1', 'lea', 'secret-of-lea')).status, 200);
  const statuses = [];
  for (let i = 0; i < 70; ++i) statuses.push((await loginFrom(server, '198.51.100.1', `victim${i}`, 'the usual')).status);
  assert.deepEqual(statuses.slice(0, 50), Array(50).fill(400));
  assert.ok(statuses.slice(50).includes(429), `${statuses}`);
  assert.equal((await loginFrom(server, '198.51.100.1', 'lea', 'secret-of-lea')).status, 200);
}));

test('many guesses at once are no way around, and many good logins at once are no guesses', () => withServer(behindProxy, async (server) => {
  await server.makeUser('lea');
  const good = await Promise.all(Array.from({ length: 20 }, () => loginFrom(server, '198.51.100.2', 'lea', 'secret-of-lea')));
  assert.ok(good.every((reply) => reply.status === 200));
  const guesses = Array.from({ length: 150 }, (_, i) => loginFrom(server, '198.51.100.1', 'lea', `guess ${i}`));
  const statuses = (await Promise.all(guesses)).map((reply) => reply.status);
  // As many as may be on their way when nothing has failed yet, and what is free.
  assert.ok(statuses.filter((status) => status === 400).length <= 64 + 5, `${statuses}`);
}));

test('nobody can keep guests out', () => withServer(behindProxy, async (server) => {
  for (let i = 0; i < 40; ++i) await failFrom(server, `198.51.100.${i + 1}`, 'guest', 1);
  await failFrom(server, '192.0.2.1', 'guest', 20);
  assert.equal((await loginFrom(server, '192.0.2.1', 'guest', 'guest')).status, 200);
}));

test('a login says the same, and takes as long, whether or not there is the user', () => withServer('identity.login_failures = 0\n', async (server) => {
  await server.makeUser('lea');
  await server.admin('POST', users, { type: 'USER', name: 'without-password' });
  await server.admin('POST', users, { type: 'GROUP', name: 'no-user' });
  const names = ['lea', 'nobody', 'without-password', 'no-user', 'no-domain/lea'];
  // What the server computes, whatever else the machine does: looking at a password takes many times as much as
  // all the rest.
  const computed = () => {
    const { pid } = server.child;
    const times = readdirSync(`/proc/${pid}/task`).map((thread) => readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8'));
    return times.reduce((sum, text) => sum + Number(text.split(' ')[0]), 0) / 1e6;
  };
  const taken = Object.fromEntries(names.map((name) => [name, 0]));
  const told = {};
  for (let round = 0; round < 5; ++round) {
    for (const name of names) {
      const begin = computed();
      const { json, status } = await server.login(name, 'wrong password', { isWhole: true });
      taken[name] += computed() - begin;
      const { requestId, ...rest } = json;
      told[name] = [status, JSON.stringify(rest).replaceAll(name, '*')];
    }
  }
  for (const name of names) {
    assert.deepEqual(told[name], told.lea, name);
    assert.ok(taken[name] > taken.lea / 2, `${name}: ${taken[name]} ms in place of ${taken.lea}`);
  }
}));
