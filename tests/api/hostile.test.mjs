// Input that no honest client sends: a JSON error each, a server that lives on, bounded memory.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { rawExchange } from '../support/raw_socket.mjs';
import { SteleServer } from '../support/stele_server.mjs';

let server;
let token;
const residentMiB = () =>
  Number(readFileSync(`/proc/${server.child.pid}/status`, 'utf8').match(/VmRSS:\s+(\d+)/)[1]) / 1024;
before(async () => {
  server = await SteleServer.start();
  token = await server.login();
});
after(() => server.end());

async function isAlive() {
  const reply = await server.request('GET', '/uiconfigs?limit=1', { token });
  assert.equal(reply.status, 200);
}

function isJsonError(reply, ...statuses) {
  assert.ok(statuses.includes(reply.status), `${reply.status}: ${String(reply.text).slice(0, 300)}`);
  assert.equal(reply.json?.ok, false, String(reply.text).slice(0, 300));
  assert.equal(typeof reply.json.message, 'string');
  assert.equal(typeof reply.json.code, 'string');
}

const raw = (pieces, options) => rawExchange(server.port, pieces, options);
/// Where senders are soon too slow.
async function impatient(work) {
  const one = await SteleServer.start({ config: '[server]\nheader_time = 2s\nbody_time = 2s\n' });
  try {
    await work(await one.login(), (pieces) => rawExchange(one.port, pieces, { keepOpen: true }));
    assert.equal((await one.request('GET', '/ping')).status, 200);
  } finally {
    await one.end();
  }
}
const headOf = (bearer, line, ...headers) => [line, 'Host: h', `Authorization: Bearer ${bearer}`, ...headers, '', ''].join('\r\n');
const head = (...lines) => headOf(token, ...lines);

test('requests that are no HTTP are refused', async () => {
  const cases = [
    'nonsense\r\n\r\n', 'GET\r\n\r\n', 'GET / HTTP/9.9\r\nHost: h\r\n\r\n', '\x00\x01\x02\x03\r\n\r\n',
    head('GET / HTTP/1.1', 'Content-Length: -1'), head('GET / HTTP/1.1', 'Content-Length: 99999999999999999999'),
    head('POST /uiconfigs HTTP/1.1', 'Content-Length: 2', 'Content-Length: 3') + '{}',
    head('POST /uiconfigs HTTP/1.1', 'Content-Length: 2', 'Transfer-Encoding: chunked') + '{}',
    head('POST /uiconfigs HTTP/1.1', 'Transfer-Encoding: chunked') + 'zz\r\n{}\r\n0\r\n\r\n',
    head('GET / HTTP/1.1', 'Bad Header: x'), head('GET / HTTP/1.1', ' folded'), head('GET /a\x00b HTTP/1.1'),
  ];
  for (const one of cases) {
    const reply = await raw(one);
    isJsonError(reply, 400, 404, 413, 501, 505);
  }
  await isAlive();
});

test('oversized headers, targets and bodies are refused before they are held', async () => {
  isJsonError(await raw(head('GET / HTTP/1.1', `X-Long: ${'x'.repeat(200_000)}`)), 431);
  isJsonError(await raw(head(`GET /${'a'.repeat(200_000)} HTTP/1.1`)), 414, 431);
  isJsonError(await raw(head('GET / HTTP/1.1', ...Array.from({ length: 20_000 }, (_, i) => `X-${i}: y`))), 431);
  isJsonError(await raw(head('POST /uiconfigs HTTP/1.1', 'Content-Length: 2000000000')), 413);
  const chunk = '100000\r\n' + ' '.repeat(0x100000) + '\r\n';
  isJsonError(await raw([head('POST /uiconfigs HTTP/1.1', 'Transfer-Encoding: chunked'), ...Array(40).fill(chunk)]), 413);
  await isAlive();
});

test('slow senders are told so and cut off', async () => {
  await impatient(async (bearer, send) => {
    isJsonError(await send('GET / HTT'), 408);
    isJsonError(await send(headOf(bearer, 'POST /uiconfigs HTTP/1.1', 'Content-Length: 100') + '{"a"'), 408);
  });
});

test('JSON nested 20,000 levels deep is refused', async () => {
  for (const body of ['['.repeat(20_000) + ']'.repeat(20_000), '{"a":'.repeat(20_000) + '1' + '}'.repeat(20_000)]) {
    isJsonError(await server.request('POST', '/uiconfigs', { token, body }), 400);
    isJsonError(await server.request('POST', '/uiconfigs/query', { token, body }), 400);
  }
  const query = encodeURIComponent('{"a":'.repeat(2000) + '1' + '}'.repeat(2000));
  isJsonError(await server.request('GET', `/uiconfigs?sort=${query}`, { token }), 400);
  await isAlive();
});

test('text that is no UTF-8, NUL characters and broken JSON are refused', async () => {
  const before = (await server.admin('GET', '/uiconfigs')).total_rows;
  const bodies = [
    Buffer.from([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xff, 0xfe, 0x22, 0x7d]), Buffer.from('{"a":"\xc3("}', 'latin1'),
    '{"a":1,}', '{"a" 1}', '{"a":1', '{"a":01}', "{'a':1}", '{"a":NaN}', '{"a":1}{"b":2}', '{"a":"\t"}', '"', '{"a":1,"a":2}',
    '{"a":1e999}', '{"a":-1e999}', '{"\\ud800":1}', '{"a\\u0000b":1}',
  ];
  for (const body of bodies) {
    isJsonError(await server.request('POST', '/uiconfigs', { token, body }), 400);
  }
  assert.equal((await server.admin('GET', '/uiconfigs')).total_rows, before);
});

test('absurd numbers come back as they went in or are refused', async () => {
  const text = '{"a":123456789012345678901234567890,"b":1e-320,"c":9007199254740993,"d":-0.0,"e":18446744073709551615}';
  const reply = await server.request('POST', '/uiconfigs', { token, body: text });
  assert.ok([200, 400].includes(reply.status));
  if (reply.status === 200) assert.match(reply.text, /"c":9007199254740993,/);
  for (const limit of ['99999999999999999999', '1e9', '0x10', '٣', '-9223372036854775809']) {
    isJsonError(await server.request('GET', `/uiconfigs?limit=${encodeURIComponent(limit)}`, { token }), 400);
  }
});

test('bad percent-encoding in path and query is refused', async () => {
  for (const path of ['/uiconfigs/%', '/uiconfigs/%zz', '/uiconfigs/%ff%fe', '/uiconfigs/a%00b', '/uiconfigs?a=%', '/uiconfigs?%c3%28=1']) {
    isJsonError(await raw(head(`GET ${path} HTTP/1.1`)), 400, 404);
  }
  for (const path of ['/uiconfigs/..%2f..%2fetc%2fpasswd', '/uiconfigs/%2e%2e', '/../../etc/passwd', '//uiconfigs']) {
    isJsonError(await raw(head(`GET ${path} HTTP/1.1`)), 400, 404);
  }
});

test('unknown operators, heavy and broken expressions and endless conditions are refused', async () => {
  const refused = [
    { a: { $foo: 1 } }, { $where: 'x' }, { a: { $in: 1 } }, { $or: {} }, { $or: [] }, { a: { $regex: '(' } },
    { a: { $regex: `(${'a{1000}'.repeat(1000)})` } }, { a: { $size: 'x' } }, { a: { $mod: [0, 0] } }, { a: { $mod: [1] } },
    { a: { $exists: { $gt: 1 } , $zzz: 1 } }, { _fields: { a: 1, b: 0 } }, { $and: Array(2000).fill({ a: 1 }) },
  ];
  for (const body of refused) {
    isJsonError(await server.request('POST', '/uiconfigs/query', { token, body }), 400);
  }
  const slow = { title: { $regex: '(a*)*(a*)*(a*)*b' } };
  await server.admin('POST', '/uiconfigs', { title: 'a'.repeat(50_000) });
  assert.equal((await server.request('POST', '/uiconfigs/query', { token, body: slow })).status, 200);
});

test('wide and long documents are stored whole or refused', async () => {
  const wide = (members) => Object.fromEntries(Array.from({ length: members }, (_, i) => [`f${i}`, i]));
  isJsonError(await server.request('POST', '/uiconfigs', { token, body: wide(10_001) }), 400);
  assert.equal((await server.admin('POST', '/uiconfigs/query', { f9999: 9999 })).total_rows, 0);
  const { _doc } = await server.admin('POST', '/uiconfigs', wide(10_000));
  assert.equal((await server.admin('GET', `/uiconfigs/${_doc}`)).f9999, 9999);
  assert.equal((await server.admin('POST', '/uiconfigs/query', { f9999: 9999 })).total_rows, 1);
  const long = 'x'.repeat(4_000_000);
  const second = await server.admin('POST', '/uiconfigs', { long });
  assert.equal((await server.admin('GET', `/uiconfigs/${second._doc}`)).long, long);
  await server.admin('DELETE', `/uiconfigs/${_doc}`);
  await server.admin('DELETE', `/uiconfigs/${second._doc}`);
});

test('broken tokens and credentials are refused alike', async () => {
  for (const value of ['Bearer', 'Bearer ', 'Bearer \x01', `Bearer ${'x'.repeat(30_000)}`, 'Basic !!!', token]) {
    const reply = await raw(`GET /uiconfigs HTTP/1.1\r\nHost: h\r\nAuthorization: ${value}\r\n\r\n`);
    isJsonError(reply, 400, 401);
  }
  for (const body of ['', 'grant_type', 'grant_type=password&username=%ff', 'x'.repeat(60_000), '{"a":1}', 'grant_type=magic']) {
    const reply = await server.request('POST', '/oauth/token', { body, headers: { 'Content-Type': 'application/x-www-form-urlencoded' } });
    isJsonError(reply, 400, 401);
    assert.notEqual(reply.json.error, 'invalid_token');
  }
});

test('a thousand callers that vanish leave nothing behind', async () => {
  const partial = [head('GET /uiconfigs HTTP/1.1').slice(0, 30), head('POST /uiconfigs HTTP/1.1', 'Content-Length: 1000') + '{"a":', ''];
  for (let round = 0; round < 20; ++round) {
    await Promise.all(Array.from({ length: 50 }, (_, i) => rawExchange(server.port, partial[i % 3], { patience: 20, keepOpen: true })));
  }
  await isAlive();
});

test('memory stayed bounded through all of it', () => {
  const limit = process.env.STELE_SANITIZED ? 3000 : 600;
  assert.ok(residentMiB() < limit, `${residentMiB()} MiB resident`);
});
