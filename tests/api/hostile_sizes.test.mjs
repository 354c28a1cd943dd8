// Bodies that make much work, to every route that takes one: what tells the server what to do is bounded and
// refused by name, and nothing keeps others from being answered (docs/reference/http.md, What a request may cost).
// The slowest routes are printed; STELE_LONG=1 sends larger bodies.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import http from 'node:http';
import net from 'node:net';
import { repetitions, walked } from '../support/repetitions.mjs';
import { allRoutes, makeRecords, makeTeams } from '../support/route_walk.mjs';
import { SteleServer } from '../support/stele_server.mjs';

const kBodyBytes = 4 * 1024 * 1024;
let server;
let all;
let guestToken;
before(async () => {
  server = await SteleServer.start({ config: `server.body_bytes = ${kBodyBytes}` });
  all = await allRoutes(server, await makeRecords(server));
  await makeTeams(server, all);
  await server.makeUser('somebody');
  guestToken = await server.login('somebody', 'secret-of-somebody');
});
after(() => server.end());

const ask = (method, path, body, token = server.adminToken) => server.request(method, path, { token, body });
const entries = (count, make) => Array.from({ length: count }, (_, i) => make(i));
/// Members by which some operation or other is told what to do, with entries that it would look at.
const orders = {
  principals: (i) => `default/p${i}`, checks: (i) => ({ permissionedId: `x${i}`, principalId: `p${i}`, permissionId: 'READ', authorityId: 'consumer' }),
  references: (i) => `uiconfig://p/${i}`, entries: (i) => ({ ref: `uiconfig://p/${i}` }), _docs: (i) => `n${i}`, nodes: (i) => `/n${i}`,
  sourceNodeIds: (i) => `n${i}`, nodeIds: (i) => `n${i}`, sources: (i) => ({ typeId: 'node', id: `n${i}` }),
  targets: (i) => ({ typeId: 'node', id: `n${i}` }), objects: (i) => `o${i}`, roleKeys: (i) => `r${i}`, whatever: (i) => i,
};
const isOrder = ({ template, method }) => method === 'POST' &&
  /\/(authorities|check|checks|read|exists|nodes\/delete|nodes\/predelete|movenodes|move\/start|copyfrom|copyfrom\/start|lookup|collect|copy|traverse|unassignall)$/.test(template);

test('orders with more entries than an operation takes are refused by name, on every route', async () => {
  const many = 1001 + repetitions(1000);
  const body = JSON.stringify(Object.fromEntries(Object.entries(orders).map(([name, make]) => [name, entries(many, make)])));
  const times = [];
  let refused = 0;
  for (const route of walked(all.filter(({ method }) => ['POST', 'PUT', 'PATCH'].includes(method)), Date.now())) {
    if (/\/(delete|remove|restore|purgeall)(\/start)?$/.test(route.template) && !isOrder(route)) continue;
    const begin = performance.now();
    const reply = await ask(route.method, route.target, body);
    times.push([performance.now() - begin, route.name]);
    assert.ok(reply.status < 500 || reply.json?.code === 'http.budget_spent', `${route.name}: ${reply.status} ${reply.text.slice(0, 300)}`);
    if (reply.json?.violations?.[0]?.code === 'request.too_many_entries') {
      ++refused;
      assert.equal(reply.status, 400, route.name);
      assert.ok(reply.json.violations[0].path in orders, reply.text);
    } else if (isOrder(route)) {
      assert.ok([400, 403, 404, 405].includes(reply.status), `${route.name} takes ${many} entries: ${reply.status} ${reply.text.slice(0, 300)}`);
    }
  }
  assert.ok(refused > (process.env.STELE_SANITIZED ? 5 : 50), `${refused} routes have bounds`);
  times.sort(([a], [b]) => b - a);
  for (const [time, name] of times.slice(0, 10)) console.log(`${time.toFixed(0).padStart(6)} ms  ${name}`);
});

test('a report on 150,000 principals is refused by name, and others are answered meanwhile', async () => {
  const body = JSON.stringify({ principals: entries(150_000, (i) => `p${i}`) });
  const agent = new http.Agent({ maxSockets: 32 });
  const replies = [];
  const hostile = entries(16, async () => {
    const reply = await server.request('POST', '/authorities', { token: guestToken, body, agent });
    replies.push('hostile');
    assert.equal(reply.status, 400, reply.text.slice(0, 300));
    assert.deepEqual(reply.json.violations.map(({ path, code }) => [path, code]), [['principals', 'request.too_many_entries']]);
  });
  const ping = server.request('GET', '/ping', {}).then((reply) => {
    replies.push('ping');
    assert.equal(reply.status, 200);
  });
  await Promise.all([...hostile, ping]);
  agent.destroy();
  assert.notEqual(replies.at(-1), 'ping', 'a small request does not wait for all of the large ones');
});

test('expressions of a query that take long to compile are refused', async () => {
  const branch = `/repositories/${(await server.admin('POST', '/repositories', {}))._doc}/branches/master`;
  for (const pattern of ['\\pL'.repeat(1300), 'x{0,1000}'.repeat(400), '(?i)[' + '\\PL'.repeat(1300) + ']']) {
    for (const path of ['/uiconfigs/query', `${branch}/nodes/query`]) {
      const reply = await ask('POST', path, { $or: entries(32, (i) => ({ [`a${i}`]: { $regex: pattern } })) });
      assert.equal(reply.status, 400, `${path}: ${reply.text.slice(0, 300)}`);
      assert.match(reply.text, /regular expressions/);
    }
  }
  const fine = await ask('POST', '/uiconfigs/query', { $or: entries(32, (i) => ({ [`a${i}`]: { $regex: `^word${i}[a-z]{1,20}$` } })) });
  assert.equal(fine.status, 200, fine.text);
});

test('objects with more members than any may have are refused by name, also in records and queries', async () => {
  const { _doc: repository } = await server.admin('POST', '/repositories', {});
  const branch = `/repositories/${repository}/branches/master`;
  const { _doc: node } = await server.admin('POST', `${branch}/nodes`, { title: 'x' });
  const wide = (count) => Object.fromEntries(entries(count, (i) => [`_m${i}`, 1]));
  const routes = [['POST', '/uiconfigs'], ['POST', '/uiconfigs/query'], ['POST', `${branch}/nodes`], ['PUT', `${branch}/nodes/${node}`],
                  ['POST', `${branch}/nodes/query`], ['POST', `${branch}/graphql`]];
  for (const [method, path] of routes) {
    const reply = await ask(method, path, { inner: [wide(10_001)] });
    assert.equal(reply.status, 400, `${method} ${path}: ${reply.text.slice(0, 300)}`);
    assert.equal(reply.json.violations[0].code, 'request.too_many_members', `${method} ${path}`);
    assert.match(reply.json.violations[0].path, /^inner/);
  }
  assert.equal((await ask('PUT', `${branch}/nodes/${node}`, { inner: wide(10_000) })).status, 200);
});

test('what repeats names of members is bounded: names, differences, and violations', async () => {
  const { _doc: repository } = await server.admin('POST', '/repositories', {});
  const branch = `/repositories/${repository}/branches/master`;
  const longest = 'n'.repeat(1024);
  for (const [method, path] of [['POST', '/reports'], ['POST', `${branch}/nodes`]]) {
    for (const [body, place] of [[{ [`${longest}n`]: 1 }, /^nnn.*n…$/], [{ inner: [{ [`${longest}n`]: 1 }] }, /^inner\.0\.nnn.*n…$/]]) {
      const reply = await ask(method, path, body);
      assert.equal(reply.status, 400, `${method} ${path}: ${reply.text.slice(0, 300)}`);
      assert.deepEqual(reply.json.violations.map(({ code }) => code), ['field.name_too_long']);
      assert.match(reply.json.violations[0].path, place);
      assert.ok(Buffer.byteLength(reply.json.violations[0].path) <= 1024);
    }
  }
  // Each operation of the difference says the whole name.
  const count = 20_000;
  const deep = (sign) => ({ [longest]: entries(count, (i) => sign * (i + 1)) });
  const { _doc: platform } = await server.admin('GET', '/');
  const reports = [await server.admin('POST', '/reports', deep(1)), await server.admin('POST', '/reports', deep(-1))];
  const [source, target] = reports.map(({ _doc }) => encodeURIComponent(`report://${platform}/${_doc}`));
  const { _doc: node } = await server.admin('POST', `${branch}/nodes`, deep(1));
  await server.admin('PUT', `${branch}/nodes/${node}`, deep(-1));
  for (const path of [`/ref/diff?source=${source}&target=${target}`, `${branch}/nodes/${node}/versions?diff=true`]) {
    const reply = await ask('GET', path);
    assert.deepEqual([reply.status, reply.json.code], [413, 'json.difference_too_large'], `${path}: ${reply.text.slice(0, 300)}`);
  }
  const same = await ask('GET', `/ref/diff?source=${source}&target=${source}`);
  assert.deepEqual([same.status, same.json.diff], [200, []]);

  const master = await server.admin('GET', branch);
  await server.admin('PUT', branch, { ...master, validateContent: true });
  await server.admin('POST', `${branch}/nodes`, {
    _type: 'd:type', _qname: 'my:long', type: 'object', _parent: 'n:node',
    properties: { [longest]: { type: 'object', properties: { [longest]: { type: 'array', items: { type: 'string' } } } } },
  });
  const wrong = await ask('POST', `${branch}/nodes`, { _type: 'my:long', [longest]: { [longest]: entries(count, (i) => i) } });
  assert.equal(wrong.status, 400, wrong.text.slice(0, 300));
  assert.ok(wrong.json.violations.length > 10 && wrong.json.violations.length <= 100, `${wrong.json.violations.length}`);
  for (const { code, path } of wrong.json.violations) {
    assert.equal(code, 'nodes.schema_violated');
    assert.ok(path.endsWith('…') && Buffer.byteLength(path) <= 1024);
  }
});

test('lists of clients, web hosts and mails are refused by name when they are too long', async () => {
  const { _doc: application } = await server.admin('POST', '/applications', {});
  const cases = [['/clients', 'scope', 1000], ['/clients', 'authorizedGrantTypes', 1000], ['/clients', 'domainUrls', 1000],
                 ['/clients', 'registeredRedirectUri', 1000], ['/webhosts', 'urlPatterns', 1000], ['/webhosts', 'deployerTypes', 1000],
                 [`/applications/${application}/emails`, 'cc', 10_000]];
  for (const [path, member, most] of cases) {
    const reply = await ask('POST', path, { [member]: entries(most + 1, (i) => `x${i}@example.org`) });
    assert.equal(reply.status, 400, `${path}: ${reply.text.slice(0, 300)}`);
    assert.deepEqual(reply.json.violations.map(({ path: at, code }) => [at, code]), [[member, 'request.too_many_entries']]);
  }
  const texts = await ask('POST', `/applications/${application}/emails`, { cc: entries(10_001, (i) => `x${i}@example.org`).join(',') });
  assert.deepEqual([texts.status, texts.json.violations[0].path, texts.json.violations[0].code], [400, 'cc', 'email_providers.recipients_too_many']);
});

test('policies, trees and texts of searches have bounds', async () => {
  const { _doc: repository } = await server.admin('POST', '/repositories', {});
  const branch = `/repositories/${repository}/branches/master`;
  const conditions = entries(1001, (i) => ({ type: 'path', config: { path: `/p${i}` } }));
  const cases = [
    ['/access/policies', { statements: [{ action: 'grant', roles: ['consumer'], conditions }] }, 'statements', 'access_policies.policy_too_large'],
    [`${branch}/nodes/root/tree`, { leaf: entries(101, (i) => `/n${i}`).join(',') }, 'leaf'],
    [`${branch}/nodes/search`, { search: { multi_match: { query: 'a '.repeat(1000), fields: entries(11, (i) => `f${i}`) } } }, 'search.multi_match'],
    [`${branch}/nodes/search`, { search: { match: { title: 'a '.repeat(10_000) } } }, 'search.match.title'],
  ];
  for (const [path, body, member, code] of cases) {
    const reply = await ask('POST', path, body);
    assert.equal(reply.status, 400, `${path}: ${reply.text.slice(0, 300)}`);
    assert.equal(reply.json.violations[0].path, member);
    if (code) assert.equal(reply.json.violations[0].code, code);
  }
});

test('records that are read by reference have a bound of their bytes together', async () => {
  const { _doc: large, platformId } = await server.admin('POST', '/uiconfigs', { text: 'x'.repeat(3_500_000) });
  const ref = `uiconfig://${platformId}/${large}`;
  const read = (count) => ask('POST', '/ref/read', { entries: entries(count, () => ({ ref })) });
  const few = await read(2);
  assert.equal(few.status, 200, few.text.slice(0, 300));
  assert.deepEqual(few.json.entries.map(({ entry }) => entry._doc), [large, large]);
  const many = await read(25);
  assert.deepEqual([many.status, many.json.code], [413, 'platform.entries_too_large']);
});

test('policies that are collected for many references have a bound of their bytes together', async () => {
  const { _doc: policy, platformId } = await server.admin('POST', '/access/policies', { text: 'x'.repeat(3_500_000), statements: [] });
  const references = [];
  for (let i = 0; i < 25; ++i) {
    const { _doc } = await server.admin('POST', '/uiconfigs', {});
    references.push(`uiconfig://${platformId}/${_doc}`);
  }
  // What holds for a record is what its reader's policies say.
  await server.admin('POST', `/access/policies/${policy}/assign?ref=${encodeURIComponent(`user://${platformId}/default/admin`)}`);
  const collect = (count) => ask('POST', '/access/policies/collect', { references: references.slice(0, count) });
  const few = await collect(2);
  assert.equal(few.status, 200, few.text.slice(0, 300));
  assert.deepEqual(Object.values(few.json.references).map((rows) => rows.map(({ _doc }) => _doc)), [[policy], [policy]]);
  const many = await collect(25);
  assert.deepEqual([many.status, many.json.code], [413, 'access_policies.collection_too_large']);
});

test('server.body_bytes holds on every route that takes JSON', async () => {
  const body = Buffer.from(JSON.stringify({ title: 'x'.repeat(kBodyBytes) }));
  const writing = all.filter((route) => ['POST', 'PUT', 'PATCH'].includes(route.method));
  for (const { name, method, target } of walked(writing, Date.now())) {
    const isFile = /\/(archives|attachments|attachments\/\{\w+\}|files\/\{\w+\}|unzip)$/.test(name);
    if (isFile) continue;
    const reply = await ask(method, target, body).catch((error) => ({ status: 413, text: String(error) }));
    assert.equal(reply.status, 413, `${name}: ${reply.text.slice(0, 300)}`);
  }
});

test('memory that large requests took is given back', { timeout: 180_000 }, async (t) => {
  // A server of its own: what the cases above have left in caches is not what this asks about.
  const fresh = await SteleServer.start();
  t.after(() => fresh.end());
  const token = await fresh.login();
  const resident = () =>
    Number(readFileSync(`/proc/${fresh.child.pid}/status`, 'utf8').match(/VmRSS:\s+(\d+)/)[1]) / 1024;
  const before_ = resident();
  const body = JSON.stringify({ whatever: entries(300_000, (i) => ({ a: i })) });
  await Promise.all(entries(12, () => fresh.request('POST', '/uiconfigs/query', { token, body })));
  // Sanitizers keep freed memory for themselves.
  const limit = before_ + (process.env.STELE_SANITIZED ? 2000 : 60);
  let now = resident();
  for (const end = Date.now() + 60_000; now > limit && Date.now() < end; now = resident()) {
    await new Promise((done) => { setTimeout(done, 500); });
    await fresh.request('GET', '/ping');
  }
  assert.ok(now <= limit, `${before_.toFixed(0)} MiB before, ${now.toFixed(0)} MiB a minute after`);
});

test('callers who ask for the description and do not read it share one text', { timeout: 120_000 }, async (t) => {
  const fresh = await SteleServer.start();
  t.after(() => fresh.end());
  const most = () => Number(readFileSync(`/proc/${fresh.child.pid}/status`, 'utf8').match(/VmHWM:\s+(\d+)/)[1]) / 1024;
  const answered = async () => Number((await fresh.request('GET', '/metrics')).text.match(/^stele_requests_total\{status="200"\} (\d+)$/m)?.[1] ?? 0);
  const [before_, first] = [most(), await answered()];
  const callers = entries(300, () => net.connect(fresh.port, '127.0.0.1').pause());
  t.after(() => callers.forEach((caller) => caller.destroy()));
  for (const caller of callers) caller.write('GET /openapi.json HTTP/1.1\r\nHost: stele\r\n\r\n');
  while (await answered() < first + callers.length) await new Promise((done) => { setTimeout(done, 50); });
  const text = (await fresh.request('GET', '/openapi.json')).text.length / 1024 / 1024;
  assert.ok(text > 1, `${text} MiB`);
  // Sanitizers keep freed memory for themselves.
  const limit = before_ + (process.env.STELE_SANITIZED ? 400 : 100);
  assert.ok(most() <= limit, `${before_.toFixed(0)} MiB before, ${most().toFixed(0)} MiB at most; the text has ${text.toFixed(1)} MiB`);
});
