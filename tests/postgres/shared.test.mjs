// Two servers over one PostgreSQL: what one has acknowledged holds in the other from its next
// request on, and all that clients see through both fits one order.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { PostgresServer } from '../support/postgres_server.mjs';
import { SteleServer } from '../support/stele_server.mjs';
import { History, addSwitch } from './history_check.mjs';

const isLong = Boolean(process.env.STELE_LONG);
let random = Number(process.env.STELE_SEED ?? Date.now() % 1_000_000);
console.log(`seed ${random}`);
const next = (limit) => {
  random = (random * 1103515245 + 12345) % 2147483648;
  return Math.floor(random / 65536) % limit;
};

let postgres;
let servers;
before(async () => {
  postgres = await PostgresServer.start();
  servers = [await SteleServer.start({ config: postgres.config() })];
  servers.push(await SteleServer.start({ config: postgres.config(), isPrepared: true }));
});
after(async () => {
  for (const server of servers) await server.end();
  await postgres.end();
});

const pick = () => servers[next(2)];
async function admin(server, method, path, body) {
  servers[0].adminToken ??= await servers[0].login();
  const reply = await server.request(method, path, { body, token: servers[0].adminToken });
  assert.equal(reply.status, 200, `${method} ${path}: ${reply.text}`);
  return reply.json;
}

test('what one server stored, the other reads, changes and removes', async () => {
  for (let i = 0; i < 50; ++i) {
    const [one, other] = i % 2 ? servers : [...servers].reverse();
    const { _doc } = await admin(one, 'POST', '/uiconfigs', { title: `t${i}`, [`field${i}`]: i });
    assert.equal((await admin(other, 'GET', `/uiconfigs/${_doc}`)).title, `t${i}`);
    // A field that only the first server has given a number to.
    const found = await admin(other, 'POST', '/uiconfigs/query', { [`field${i}`]: i });
    assert.deepEqual(found.rows.map((row) => row._doc), [_doc]);
    await admin(other, 'PUT', `/uiconfigs/${_doc}`, { title: 'changed' });
    assert.equal((await admin(one, 'GET', `/uiconfigs/${_doc}`)).title, 'changed');
    await admin(one, 'DELETE', `/uiconfigs/${_doc}`);
    const { token } = { token: servers[0].adminToken };
    assert.equal((await other.request('GET', `/uiconfigs/${_doc}`, { token })).status, 404);
  }
});

test('a grant and a revoke through one hold in the other at its next request', async () => {
  const { _doc } = await admin(servers[0], 'POST', '/uiconfigs', { title: 'granted' });
  await admin(servers[0], 'POST', '/domains/default/principals', { type: 'USER', name: 'reader', password: 'secret-of-reader' });
  const token = await servers[1].login('reader', 'secret-of-reader');
  for (let i = 0; i < 50; ++i) {
    const [one, other] = i % 2 ? servers : [...servers].reverse();
    const read = (server) => server.request('GET', `/uiconfigs/${_doc}`, { token });
    await admin(one, 'POST', `/uiconfigs/${_doc}/authorities/consumer/grant?id=default/reader`);
    // Twice, so that both have decided and remember it.
    for (const server of [other, one, other]) assert.equal((await read(server)).status, 200);
    await admin(one, 'POST', `/uiconfigs/${_doc}/authorities/consumer/revoke?id=default/reader`);
    for (const server of [other, one, other]) assert.equal((await read(server)).status, 404);
  }
});

test('an authorization code of one server is good in the other, once in both', async () => {
  const back = 'https://app.example.org/back';
  const { _doc } = await admin(servers[0], 'POST', '/clients', { registeredRedirectUri: back });
  const { key, secret } = await admin(servers[1], 'GET', `/clients/${_doc}?full=true`);
  const post = (server, path, fields) => server.request('POST', path, {
    body: new URLSearchParams(fields).toString(), headers: { 'Content-Type': 'application/x-www-form-urlencoded' } });
  for (let i = 0; i < 6; ++i) {
    const [one, other] = i % 2 ? servers : [...servers].reverse();
    const sent = await post(one, '/oauth/authorize', {
      client_id: key, response_type: 'code', redirect_uri: back, username: 'admin', password: one.seed.admin.password });
    assert.equal(sent.status, 303, sent.text);
    const fields = { grant_type: 'authorization_code', code: new URL(sent.headers.location).searchParams.get('code'),
                     redirect_uri: back, client_id: key, client_secret: secret };
    const got = await post(other, '/oauth/token', fields);
    assert.equal(got.status, 200, got.text);
    const token = got.json.access_token;
    for (const server of servers) assert.equal((await server.request('GET', '/auth/info', { token })).status, 200);
    assert.equal((await post(one, '/oauth/token', fields)).json.error, 'invalid_grant');
    for (const server of servers) assert.equal((await server.request('GET', '/auth/info', { token })).status, 401);
  }
});

test('a member of a group gains and loses its rights in both', async () => {
  const { _doc } = await admin(servers[0], 'POST', '/uiconfigs', { title: 'for the group' });
  await admin(servers[0], 'POST', '/domains/default/principals', { type: 'GROUP', name: 'group' });
  await admin(servers[0], 'POST', '/domains/default/principals', { type: 'USER', name: 'member', password: 'secret-of-member' });
  await admin(servers[0], 'POST', `/uiconfigs/${_doc}/authorities/consumer/grant?id=default/group`);
  const token = await servers[1].login('member', 'secret-of-member');
  for (let i = 0; i < 10; ++i) {
    const [one, other] = i % 2 ? servers : [...servers].reverse();
    await admin(one, 'POST', '/domains/default/principals/group/members/add?id=default/member');
    for (const server of [other, one, other]) assert.equal((await server.request('GET', `/uiconfigs/${_doc}`, { token })).status, 200);
    await admin(one, 'POST', '/domains/default/principals/group/members/remove?id=default/member');
    for (const server of [other, one, other]) assert.equal((await server.request('GET', `/uiconfigs/${_doc}`, { token })).status, 404);
  }
});

test('sessions that end at one end at the other, and enabling the user again there revives none', async () => {
  const path = '/domains/default/principals/often-ended';
  const user = await admin(servers[0], 'POST', '/domains/default/principals', { type: 'USER', name: 'often-ended', password: 'secret of often' });
  const asks = async (server, token) => (await server.request('GET', '/auth/info', { token })).status;
  const ways = [
    (server) => admin(server, 'PUT', path, { ...user, password: 'secret of often' }),
    (server) => admin(server, 'POST', `${path}/sessions/expire`),
    async (server) => {
      await admin(server, 'PUT', path, { ...user, enabled: false });
      await admin(server, 'PUT', path, { ...user, enabled: true });
    },
    async (server, token) => assert.equal((await server.request('POST', '/auth/expire?all=true', { token })).status, 200),
  ];
  for (const [i, end] of [...ways, ...ways].entries()) {
    const [one, other] = i % 2 ? servers : [...servers].reverse();
    const { json } = await other.login('often-ended', 'secret of often', { isWhole: true });
    for (const server of [other, one, other]) assert.equal(await asks(server, json.access_token), 200);
    await end(one, json.access_token);
    for (const server of [other, one]) assert.equal(await asks(server, json.access_token), 401);
    const { key, secret } = other.seed.client;
    const refreshed = await other.request('POST', '/oauth/token', {
      body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: json.refresh_token, client_id: key, client_secret: secret }).toString(),
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' } });
    assert.equal(refreshed.json.error, 'invalid_grant');
  }
});

test('a token of one serves at the other, until it expires there or its user is disabled', async () => {
  await admin(servers[0], 'POST', '/domains/default/principals', { type: 'USER', name: 'guest2', password: 'secret-of-guest2' });
  for (let i = 0; i < 10; ++i) {
    const [one, other] = i % 2 ? servers : [...servers].reverse();
    const token = await one.login('guest2', 'secret-of-guest2');
    for (const server of [other, one, other]) assert.equal((await server.request('GET', '/auth/info', { token })).status, 200);
    assert.equal((await one.request('POST', '/auth/expire', { token, body: {} })).status, 200);
    assert.equal((await other.request('GET', '/auth/info', { token })).status, 401);
  }
  const token = await servers[1].login('guest2', 'secret-of-guest2');
  const user = await admin(servers[0], 'GET', '/domains/default/principals/guest2');
  assert.equal((await servers[1].request('GET', '/auth/info', { token })).status, 200);
  await admin(servers[0], 'PUT', '/domains/default/principals/guest2', { ...user, enabled: false });
  assert.equal((await servers[1].request('GET', '/auth/info', { token })).status, 401);
});

test('a unique name is given once, whoever asks for it', async () => {
  for (let i = 0; i < 10; ++i) {
    const make = (server) => server.request('POST', '/domains/default/principals', { token: servers[0].adminToken, body: { type: 'USER', name: `unique${i}`, password: 'secret-of-unique' } });
    const replies = await Promise.all([...servers, ...servers].map(make));
    assert.deepEqual(replies.map((reply) => reply.status).sort(), [200, 409, 409, 409]);
  }
});

test('a lock that one took holds in the other, until it is given back there', async () => {
  await admin(servers[0], 'POST', '/domains/default/authorities/manager/grant?id=default/reader');
  const reader = await servers[0].login('reader', 'secret-of-reader');
  for (let i = 0; i < 4; ++i) {
    const [one, other] = i % 2 ? servers : [...servers].reverse();
    await admin(one, 'POST', '/domains/default/lock');
    let isFree = false;
    const waiting = other.request('POST', '/domains/default/principals', { token: reader, body: { type: 'GROUP', name: `locked${i}` } })
      .then((reply) => ({ reply, wasFree: isFree }));
    await new Promise((done) => setTimeout(done, 300));
    isFree = true;
    await admin(other, 'POST', '/domains/default/unlock');
    const { reply, wasFree } = await waiting;
    assert.ok(wasFree, `the writer did not wait: ${reply.status} ${reply.text}`);
    assert.notEqual(reply.status, 423, reply.text);
  }
});

test('random reads, writes, queries, grants and checks of many clients fit one order', async () => {
  const registers = [];
  for (let i = 0; i < 6; ++i) {
    registers.push((await admin(pick(), 'POST', '/uiconfigs', { kind: 'register', value: `first${i}` }))._doc);
  }
  const guarded = [];
  for (const user of ['watcher0', 'watcher1']) {
    await admin(pick(), 'POST', '/domains/default/principals', { type: 'USER', name: user, password: `secret-of-${user}` });
    const { _doc } = await admin(pick(), 'POST', '/uiconfigs', { kind: 'guarded', title: user });
    guarded.push({ user, _doc, token: await pick().login(user, `secret-of-${user}`), writes: [], reads: [] });
  }
  const token = servers[0].adminToken;
  const history = new History();
  const wanted = isLong ? 20_000 : 2_500;
  let done = 0;
  let values = 0;
  const timed = async (call) => {
    const begin = performance.now();
    const reply = await call();
    ++done;
    return { begin, end: performance.now(), reply };
  };
  const readAll = async () => {
    const { begin, end, reply } = await timed(() => pick().request('POST', '/uiconfigs/query?limit=-1', { token, body: { kind: 'register' } }));
    assert.equal(reply.status, 200, reply.text);
    assert.equal(reply.json.rows.length, registers.length);
    history.add({ begin, end, read: Object.fromEntries(reply.json.rows.map((row) => [row._doc, row.value])) });
  };
  const readAndWrite = async () => {
    const register = registers[next(registers.length)];
    const read = await timed(() => pick().request('GET', `/uiconfigs/${register}`, { token }));
    assert.equal(read.reply.status, 200, read.reply.text);
    const seen = { [register]: read.reply.json.value };
    history.add({ begin: read.begin, end: read.end, read: seen });
    if (next(3) === 0) return;
    const value = `value${++values}`;
    const write = await timed(() => pick().request('PUT', `/uiconfigs/${register}`, {
      token, body: { kind: 'register', value }, headers: { 'If-Match': read.reply.headers.etag } }));
    if (write.reply.status === 412) return;
    assert.equal(write.reply.status, 200, write.reply.text);
    history.add({ begin: write.begin, end: write.end, read: seen, written: { [register]: value } });
  };
  const client = async () => { while (done < wanted) await (next(4) === 0 ? readAll() : readAndWrite()); };
  const granter = async ({ user, _doc, writes }) => {
    for (let value = true; done < wanted; value = !value) {
      const { begin, end, reply } = await timed(() => pick().request('POST', `/uiconfigs/${_doc}/authorities/consumer/${value ? 'grant' : 'revoke'}?id=default/${user}`, { token }));
      assert.equal(reply.status, 200, reply.text);
      writes.push({ begin, end, value });
    }
  };
  const watcher = async (one) => {
    while (done < wanted) {
      const isCheck = next(2) === 0;
      const { begin, end, reply } = await timed(() => isCheck
        ? pick().request('POST', `/uiconfigs/${one._doc}/permissions/read/check?id=default/${one.user}`, { token })
        : pick().request('GET', `/uiconfigs/${one._doc}`, { token: one.token }));
      assert.ok(isCheck ? reply.status === 200 : [200, 404].includes(reply.status), reply.text);
      one.reads.push({ begin, end, value: isCheck ? reply.json.check : reply.status === 200 });
    }
  };
  await Promise.all([...Array.from({ length: 8 }, client), ...guarded.map(granter), ...guarded.flatMap((one) => [watcher(one), watcher(one)])]);
  for (const one of guarded) {
    assert.ok(one.writes.length > 20 && one.reads.some((read) => read.value));
    assert.equal(addSwitch(history, one._doc, false, one.writes, one.reads), undefined);
  }
  assert.ok(values > wanted / 20);
  assert.equal(history.contradiction(), undefined);
});

test('servers that start together on one empty database prepare it once', async () => {
  const config = postgres.config('storage_postgres.schema = together');
  const both = await Promise.all([0, 1].map(() => SteleServer.start({ config, isPrepared: true })));
  try {
    const files = both.map((server) => join(server.data, 'first-login')).filter(existsSync);
    const told = files.map((file) => readFileSync(file, 'utf8'));
    const shown = told.map((text) => text.match(/password: +(\S+)/)?.[1]).filter(Boolean);
    assert.equal(shown.length, 1);
    const [, key] = told[0].match(/client key: +(\S+)/);
    const [, secret] = told[0].match(/client secret: +(\S+)/);
    for (const server of both) {
      server.seed = { client: { key, secret }, admin: { password: shown[0] } };
      assert.equal((await server.admin('GET', '/auth/info')).user.name, 'admin');
    }
    const checked = both[0].check();
    assert.equal(checked.status, 0, checked.text);
  } finally {
    for (const server of both) await server.end();
  }
});

test('a store that both have written is consistent', () => {
  const checked = servers[0].check();
  assert.equal(checked.status, 0, checked.text);
});
