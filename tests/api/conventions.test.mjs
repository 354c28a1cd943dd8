// Conventions of every operation (docs/specification/platform.md 0.1 and 1; docs/specification/rulings.md).
import assert from 'node:assert/strict';
import { gunzipSync } from 'node:zlib';
import { after, before, test } from 'node:test';
import { SteleServer } from '../support/stele_server.mjs';

let server;
let token;
const ask = (method, path, options = {}) => server.request(method, path, { token, ...options });
before(async () => {
  server = await SteleServer.start();
  token = await server.login();
});
after(() => server.end());

test('an error is an object with ok, error, message, code, status and the request id', async () => {
  for (const [method, path, status, options] of [
    ['GET', '/no/such/path', 404], ['GET', '/uiconfigs/0123456789abcdef0123', 404],
    ['PATCH', '/uiconfigs', 405], ['POST', '/uiconfigs', 400, { body: '{broken' }],
    ['GET', '/uiconfigs', 401, { token: 'nonsense' }], ['GET', '/uiconfigs?skip=-1', 400],
  ]) {
    const reply = await ask(method, path, options);
    assert.equal(reply.status, status, `${method} ${path}: ${reply.text}`);
    assert.equal(reply.json.ok, false);
    assert.ok(reply.json.error);
    assert.equal(reply.json.status, status);
    assert.equal(typeof reply.json.message, 'string');
    assert.equal(typeof reply.json.code, 'string');
    assert.equal(reply.json.requestId, reply.headers['x-request-id']);
    assert.ok(reply.statusText.length > 0);
  }
});

test('an unknown method names the known ones in Allow', async () => {
  const reply = await ask('PATCH', '/uiconfigs');
  assert.equal(reply.json.code, 'http.method_unknown');
  assert.deepEqual(reply.headers.allow.split(', ').sort(), ['GET', 'HEAD', 'POST']);
  const record = (await ask('POST', '/uiconfigs', { body: {} })).json._doc;
  const inner = await ask('PATCH', `/uiconfigs/${record}`);
  assert.equal(inner.json.code, 'http.method_unknown');
  assert.deepEqual(inner.headers.allow.split(', ').sort(), ['DELETE', 'GET', 'HEAD', 'PUT']);
});

test('bodies are JSON whatever the content type says, and an empty one is an empty object', async () => {
  for (const type of ['text/plain; charset=utf-8', 'application/x-www-form-urlencoded', 'application/json']) {
    const reply = await ask('POST', '/uiconfigs', { body: '{"title":"typed"}', headers: { 'Content-Type': type } });
    assert.equal(reply.json.title, 'typed', type);
  }
  const empty = await ask('POST', '/uiconfigs', { headers: { 'Content-Type': 'application/x-www-form-urlencoded', 'Content-Length': 0 } });
  assert.equal(empty.json.ok, true);
});

test('unknown parameters are ignored and a trailing slash makes no difference', async () => {
  const { json } = await ask('GET', '/uiconfigs/?full=true&metadata=true&cb=123&locale=default&paths=true');
  assert.ok(Array.isArray(json.rows));
});

test('system and identification members are the server\'s', async () => {
  const created = (await ask('POST', '/uiconfigs', { body: { title: 'x', _system: { created_by: 'me' }, _ref: 'r', ok: 1, platformId: 'p' } })).json;
  const record = (await ask('GET', `/uiconfigs/${created._doc}`)).json;
  assert.equal(record._system.created_by, 'admin');
  assert.ok(!('_ref' in record) && !('ok' in record));
  assert.equal(record.platformId, (await ask('GET', '/')).json._doc);
  assert.match(record._doc, /^[0-9a-f]{20}$/);
  const when = record._system.created_on;
  for (const name of ['year', 'month', 'day_of_month', 'hour', 'minute', 'second', 'millisecond', 'ms']) {
    assert.equal(typeof when[name], 'number', name);
  }
  assert.ok(Math.abs(when.ms - Date.now()) < 60_000);
});

test('a chosen id is used when it is free and refused when it is taken', async () => {
  const first = await ask('POST', '/uiconfigs', { body: { _doc: 'chosen-one', title: 'a' } });
  assert.equal(first.json._doc, 'chosen-one');
  assert.equal((await ask('GET', '/uiconfigs/chosen-one')).json.title, 'a');
  const second = await ask('POST', '/uiconfigs', { body: { _doc: 'chosen-one', title: 'b' } });
  assert.equal(second.status, 409);
  assert.equal((await ask('GET', '/uiconfigs/chosen-one')).json.title, 'a');
});

test('an ETag saves a transfer and If-Match saves an update', async () => {
  const { _doc } = (await ask('POST', '/uiconfigs', { body: { title: 'one' } })).json;
  const path = `/uiconfigs/${_doc}`;
  const etag = (await ask('GET', path)).headers.etag;
  assert.match(etag, /^"[^"]+"$/);
  const same = await ask('GET', path, { headers: { 'If-None-Match': etag } });
  assert.equal(same.status, 304);
  assert.equal(same.text, '');
  assert.equal((await ask('PUT', path, { body: { title: 'two' }, headers: { 'If-Match': etag } })).status, 200);
  const late = await ask('PUT', path, { body: { title: 'three' }, headers: { 'If-Match': etag } });
  assert.equal(late.status, 412);
  assert.notEqual(late.headers.etag, etag);
  assert.equal((await ask('GET', path)).json.title, 'two');
  assert.equal((await ask('DELETE', path, { headers: { 'If-Match': etag } })).status, 412);
});

test('wrong kinds of declared fields are refused with the field\'s name, all at once', async () => {
  const reply = await ask('POST', '/uiconfigs', { body: { title: 7, config: 'text' } });
  assert.equal(reply.status, 400);
  assert.deepEqual(reply.json.violations.map((violation) => violation.path).sort(), ['config', 'title']);
  const array = await ask('POST', '/uiconfigs', { body: '[1]' });
  assert.equal(array.status, 400);
});

test('HEAD answers as GET without a body', async () => {
  const get = await ask('GET', '/uiconfigs/chosen-one');
  const head = await ask('HEAD', '/uiconfigs/chosen-one');
  assert.equal(head.status, 200);
  assert.equal(head.text, '');
  assert.equal(head.headers['content-length'], get.headers['content-length']);
});

test('pages: numbers in quotes, a limit of -1, offsets beyond the end, wrong values', async () => {
  const body = { family: 'pages' };
  for (let i = 0; i < 12; ++i) await ask('POST', '/uiconfigs', { body: { ...body, rank: i, title: String(i) } });
  const query = async (parameters) => (await ask('POST', `/uiconfigs/query?${parameters}`, { body })).json;
  const page = await query('skip="3"&limit=4');
  assert.deepEqual([page.total_rows, page.offset, page.size], [12, 3, 4]);
  assert.deepEqual(page.rows.map((row) => row.rank), [3, 4, 5, 6]);
  assert.equal((await query('limit=-1')).size, 12);
  const beyond = await query('skip=100');
  assert.deepEqual([beyond.total_rows, beyond.offset, beyond.size, beyond.rows], [12, 100, 0, []]);
  const sorted = await query('sort={"rank":1}');
  assert.deepEqual(sorted.rows.map((row) => row.rank), [0, 1, 10, 11, 2, 3, 4, 5, 6, 7, 8, 9]);
  const numeric = await query('sort={"title":1}&options={"locales":"en","numericOrdering":true}');
  assert.deepEqual(numeric.rows.map((row) => row.rank), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  for (const bad of ['skip=x', 'skip=-1', 'limit=-2', 'limit=1.5', 'sort=title', 'sort={"a":2}', 'options=[]',
                     'options={"numericOrdering":true}', 'options={"locale":"de","caseFirst":"up"}']) {
    const reply = await ask('POST', `/uiconfigs/query?${bad}`, { body });
    assert.equal(reply.status, 400, bad);
    assert.ok(reply.json.message.includes(bad.split('=')[0]), reply.json.message);
  }
  assert.equal((await ask('POST', '/uiconfigs/query?options={"countTotal":true}', { body })).status, 200);
});

test('the members of a query are fields, also where they are called like parameters', async () => {
  const body = { skip: 'none', limit: 'none', sort: 'none' };
  for (const path of ['/uiconfigs/query', '/domains/default/activities/query', '/jobs/query', '/logs/query']) {
    const reply = await ask('POST', path, { body });
    assert.equal(reply.status, 200, `${path}: ${reply.text}`);
    assert.equal(reply.json.total_rows, 0, path);
  }
});

test('unknown operators and broken expressions are named', async () => {
  const bad = await ask('POST', '/uiconfigs/query', { body: { title: { $gtt: 1 } } });
  assert.equal(bad.status, 400);
  assert.match(bad.json.message, /\$gtt/);
  assert.equal((await ask('POST', '/uiconfigs/query', { body: { title: { $regex: '([' } } })).status, 400);
  assert.equal((await ask('POST', '/uiconfigs/query', { body: { $where: 'true' } })).status, 400);
});

test('a projection keeps the wanted fields and the id', async () => {
  const { json } = await ask('POST', '/uiconfigs/query?limit=1', { body: { family: 'pages', _fields: { rank: 1 } } });
  assert.deepEqual(Object.keys(json.rows[0]).sort(), ['_doc', 'rank']);
});

test('explain tells how the rows were found', async () => {
  const { json } = await ask('POST', '/uiconfigs/query?explain=true', { body: { family: 'pages' } });
  // Twelve records have the value, and the automatic index leads to them.
  assert.deepEqual([json.explain.access, json.explain.conditions, json.explain.records],
                   ['index', ['family $eq "pages"'], 12]);
  assert.ok(!('explain' in (await ask('POST', '/uiconfigs/query', { body: { family: 'pages' } })).json));
});

test('full=false answers the status alone', async () => {
  const { json } = await ask('POST', '/uiconfigs?full=false', { body: { title: 'short' } });
  assert.deepEqual(Object.keys(json).sort(), ['_doc', 'ok']);
});

test('health, readiness, metrics and the route list need no token', async () => {
  for (const path of ['/healthz', '/readyz', '/metrics', '/openapi.json']) {
    assert.equal((await server.request('GET', path)).status, 200, path);
  }
  assert.match((await server.request('GET', '/metrics')).text, /^stele_requests_total\{status="200"\} \d+$/m);
});

test('all who ask a new server for its description at once get the whole of it', async () => {
  const { text } = await server.request('GET', '/openapi.json');
  const other = await SteleServer.start();
  try {
    await other.stop();
    await other.launch();
    const replies = await Promise.all(Array.from({ length: 20 }, () => other.request('GET', '/openapi.json')));
    for (const reply of replies) assert.deepEqual([reply.status, reply.text === text], [200, true], reply.text.slice(0, 200));
  } finally {
    await other.end();
  }
});

test('the description is compressed for those who take that, and not sent again to those who have it', async () => {
  const plain = await server.request('GET', '/openapi.json', { headers: { 'Accept-Encoding': 'identity' } });
  const short = await server.request('GET', '/openapi.json', { headers: { 'Accept-Encoding': 'gzip' } });
  assert.equal(gunzipSync(short.bytes).toString(), plain.text);
  assert.match(plain.headers.vary, /Accept-Encoding/);
  const tags = [plain, short].map(({ headers }) => headers.etag);
  assert.equal(new Set(tags).size, 2, `${tags}`);
  const again = (tag, encoding) => server.request('GET', '/openapi.json', { headers: { 'Accept-Encoding': encoding, 'If-None-Match': tag } });
  const replies = [await again(tags[0], 'identity'), await again(tags[1], 'gzip'), await again(tags[0], 'gzip')];
  assert.deepEqual(replies.map(({ status, headers }) => [status, headers.vary]), [304, 304, 200].map((status) => [status, plain.headers.vary]));
});

test('the platform record is updated by either form and keeps custom fields', async () => {
  const { _doc } = (await ask('GET', '/')).json;
  assert.equal((await ask('PUT', '/', { body: { title: 'Mine', own: { a: 1 } } })).json.ok, true);
  assert.deepEqual((await ask('GET', '/')).json.own, { a: 1 });
  assert.equal((await ask('POST', '/update', { body: { title: 'Root Platform' } })).json.ok, true);
  const root = (await ask('GET', '/')).json;
  assert.deepEqual([root._doc, root.title, root.own], [_doc, 'Root Platform', undefined]);
  assert.ok(!('platformId' in root));
});

test('an authentication grant is listed by its user\'s id, however the user was named', async () => {
  const guest = (await ask('GET', '/domains/default/principals/guest')).json;
  const grant = await ask('POST', '/auth/grants', { body: { principalDomainId: 'default', principalId: 'guest', title: 'named' } });
  assert.equal(grant.status, 200, grant.text);
  const list = (await ask('GET', `/auth/grants?domainId=default&principalId=${guest._doc}`)).json;
  assert.deepEqual(list.rows.map((row) => row._doc), [grant.json._doc]);
});
