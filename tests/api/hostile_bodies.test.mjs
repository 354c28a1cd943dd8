// Bodies, parameters and ids that no honest client sends, to every route that writes (POST, PUT, PATCH of
// /openapi.json): a JSON error or an answer, never a failure of the server, and nothing stored where it refuses.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { repetitions, walked } from '../support/repetitions.mjs';
import { allRoutes, describedPlugins, makeRecords, makeTeams } from '../support/route_walk.mjs';
import { SteleServer } from '../support/stele_server.mjs';
import { until } from '../support/until.mjs';

const seed = Number(process.env.STELE_SEED ?? Date.now() % 1_000_000);
console.log(`seed ${seed}`);
let random = seed;
const next = (limit) => {
  random = (random * 1103515245 + 12345) % 2147483648;
  return Math.floor(random / 65536) % limit;
};

let server;
let all;
let plugins;
before(async () => {
  // No sweep changes records or writes to the audit log while the walk looks at them.
  server = await SteleServer.start({ config: 'stores.statistics_period = 1h\nusage.look_interval = 1h' });
  all = await allRoutes(server, await makeRecords(server));
  await makeTeams(server, all);
  await server.makeUser('expiring');
  // What removes comes last, the inner record before the outer one.
  const removes = /\/(delete|delete\/start|remove|restore|purgeall|purgeall\/start)$/;
  const depth = ({ name, path }) => (removes.test(name) ? 100 - path.split('/').length : 0);
  all = all.filter(({ method }) => ['POST', 'PUT', 'PATCH'].includes(method)).sort((a, b) => depth(a) - depth(b));
  plugins = [...new Set(all.map(({ plugin }) => plugin))].sort();
  all = walked(all, seed);
});
after(() => server.end());

const deep = (levels) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
const bytes = (...values) => Buffer.from(values);
/// No JSON, or none that the server takes, whatever a route wants of its body.
const broken = {
  'cut off': '{"title":"x"', 'a comma too many': '{"title":"x",}', 'two values': '{"title":"x"}{"title":"y"}',
  'a member twice': '{"title":"x","title":"y"}', 'nested deeply': deep(20_000), 'lists nested deeply': `{"a":${'['.repeat(20_000)}`,
  'invalid UTF-8': Buffer.concat([Buffer.from('{"title":"'), bytes(0xff, 0xfe), Buffer.from('"}')]),
  'UTF-8 that is cut off': Buffer.concat([Buffer.from('{"title":"'), bytes(0xe2, 0x82), Buffer.from('"}')]),
  'an overlong form': Buffer.concat([Buffer.from('{"title":"'), bytes(0xc0, 0x80), Buffer.from('"}')]),
  'a NUL byte': '{"title":"a\0b"}', 'a NUL in a name': '{"a\\u0000b":1}', 'half a surrogate pair': '{"title":"\\ud800"}',
  'a number beyond all': '{"title":1e999}', 'words': 'title=x', 'UTF-16': Buffer.from('{"title":"x"}', 'utf16le'),
};
/// JSON, but no object.
const noObjects = ['1', '"text"', 'true', '[1]', '[]', '-1e308', '[[[{}]]]'];
/// Clients that know no other empty value send it for an empty query of nodes (docs/specification/nodes.md 1.1). Where nodes
/// are made it is a list of them, which may hold none.
const makesNodes = ({ template }) => /\/branches\/\{branchId\}\/nodes$/.test(template);
const standsForObject = (route, body) => body === '[]' && route.plugin === 'nodes' && (isQuery(route) || makesNodes(route));

/// Members that some route or other reads, and values that none of them can want.
const members = [
  '_doc', '_system', 'id', 'ref', 'email', 'from', 'to', 'key', 'type', 'typeId', 'name', 'title', 'password', 'groups',
  'checks', 'references', 'objects', 'statements', 'order', 'roleKey', 'roleKeys', 'permissions', 'groupId', 'planKey',
  'principalId', 'domainId', 'storage', 'transferOut', 'base', 'capabilities', 'schedule', 'skip', 'limit', 'sort',
  'level', 'message', 'maxsize', 'binaryStorageProviderType', 'host', 'port', 'datastoreId', 'stackId', 'properties',
  'object', 'start', 'end', 'metadata', 'inherited', 'scopes', 'uri', 'clientKey', 'lockedBy', 'attachments', 'items',
];
const absurd = [
  null, true, -1, 1.5, 1e308, -9007199254740993, 18446744073709551615n, '', ' ', '\u0001', '\u0000', '../..', '/', '%00', '$ne',
  'x'.repeat(70_000), 'default/', '/guest', 'a/b/c/d', 'user://', '\u202e', [], {}, [null], [[]], [{}], [1, 'a'], { $gt: '' },
  { '': 1 }, { 'a.b': 1 }, { $where: 'x' }, { a: { b: { c: [{ d: null }] } } }, Array(3000).fill('default/guest'),
];
/// JSON text; numbers that no double holds are written out.
const text = (value) => JSON.stringify(value, (name, one) => (typeof one === 'bigint' ? `#${one}#` : one)).replace(/"#(\d+)#"/g, '$1');
const randomBody = () => text(Object.fromEntries(
  Array.from({ length: 1 + next(4) }, () => [members[next(members.length)], absurd[next(absurd.length)]])));

/// Values of another type than the field's.
function wrongValues({ type, enum: allowed }) {
  const byType = {
    string: [7, true, { a: 1 }, ['a']], integer: ['many', 1.5, true, {}, [1]], number: ['many', true, {}, [1]],
    boolean: ['yes', 1, {}, [true]], array: [7, 'a', { a: 1 }], object: [7, 'a', true, [1]],
  };
  const types = [type].flat();
  const wrong = (byType[types[0]] ?? []).filter((value) => {
    const kind = Array.isArray(value) ? 'array' : typeof value;
    return !types.includes(kind) && !(kind === 'number' && types.some((one) => ['number', 'integer'].includes(one)));
  });
  return allowed ? [...wrong, 'none-of-them'] : wrong;
}

/// Refused bodies after which the state was compared.
let compared = 0;
/// What was wrong, all of it: a walk that stops at the first fault hides the others.
let problems = [];
const statuses = new Map();
const hasNoProblems = () => {
  const found = problems;
  problems = [];
  assert.deepEqual(found, []);
};

/// They are written down, too.
let logins = 0;
async function send(route, body, headers, target = route.target) {
  let token = server.adminToken;
  // A session that this route ends is none that the others use.
  if (route.path === '/auth/expire') {
    token = await server.login('expiring', 'secret-of-expiring');
    logins += 1;
  }
  const reply = await server.request(route.method, target, { token, body, headers });
  statuses.set(reply.status, (statuses.get(reply.status) ?? 0) + 1);
  return reply;
}

/// Whether a reply is a refusal; notes what neither an answer nor an error may look like.
function isRefused(route, what, reply) {
  const note = (problem) => problems.push(`${route.name}, ${what}: ${problem}: ${reply.status} ${reply.text.slice(0, 200)}`);
  if (reply.status >= 500 && ![501, 503, 507].includes(reply.status)) note('the server fails');
  if (!/^application\/json/.test(reply.headers['content-type'])) note('no JSON by name');
  if (reply.status < 400) {
    if (reply.status !== 200 || typeof reply.json !== 'object') note('no answer');
    return false;
  }
  const error = reply.json ?? {};
  if (error.ok !== false || typeof error.code !== 'string' || !error.message) note('no error');
  if ('status' in error && error.status !== reply.status) note('two statuses');
  return true;
}

/// What a refused request must leave as it is: how much was ever written, and what is at the path.
async function state(route) {
  const { total_rows: written } = await server.admin('GET', '/activities?limit=0');
  const path = route.path.replace(/\/update$/, '');
  const shown = await server.request('GET', path, { token: server.adminToken });
  const isList = Array.isArray(shown.json?.rows);
  return { written: written - logins, shown: isList ? shown.json.total_rows : shown.text.replace(/"requestId":"[^"]*"/, '') };
}

/// Compares a route's state with a former one.
async function compare(route, before, refused) {
  compared += refused.length;
  const after = await state(route);
  if (JSON.stringify(after) === JSON.stringify(before)) return;
  const bodies = refused.map(([what]) => what).join(', ').slice(0, 300);
  problems.push(`${route.name} has stored something of ${bodies}: ${JSON.stringify([before, after])}`);
}

/// The job that a taken body has started writes on its own: it ends before the next state is looked at.
const jobHasEnded = (id) => until(async () => {
  const { json: job } = await server.request('GET', `/jobs/${id}`, { token: server.adminToken });
  return ['FINISHED', 'ERROR'].includes(job.state);
});

/// Sends bodies to a route, of which none, or any, may be taken; what it refuses must leave everything as it was.
/// One that is taken hides what those before it have done: these are sent again.
async function sendAll(route, bodies, judge = () => {}) {
  let pending = bodies;
  for (let round = 0; pending.length > 0; ++round) {
    const hidden = [];
    let refused = [];
    let before;
    for (const one of pending) {
      const [what, body, headers, target] = one;
      before ??= await state(route);
      const reply = await send(route, body, headers, target);
      const isTaken = !isRefused(route, what, reply);
      if (round === 0) judge(route, what, reply);
      if (!isTaken) refused.push(one);
      if (!isTaken) continue;
      if (route.path === '/projects/start') await jobHasEnded(reply.json._doc);
      hidden.push(...refused);
      refused = [];
      before = undefined;
    }
    if (refused.length > 0) await compare(route, before, refused);
    // A second time they come after one another; whoever takes one of them now, refused it for another reason.
    pending = round === 0 ? hidden : [];
  }
}

/// Judges a reply that must be a refusal of what the caller sent.
function mustRefuse(route, what, reply) {
  if (reply.status < 400 || reply.status >= 500) problems.push(`${route.name} takes ${what}: ${reply.status} ${reply.text.slice(0, 200)}`);
}

const isQuery = ({ path }) => path.endsWith('/query');
const isCreation = ({ template, properties }) => Boolean(properties) && !template.endsWith('/update');

test('routes of every plugin are tried', async () => {
  assert.deepEqual(plugins, await describedPlugins(server, ['post', 'put', 'patch']));
});

test('where a record or a query is wanted, what is no JSON object is refused', async () => {
  const bodies = [...Object.entries(broken), ...noObjects.map((body) => [body, body])];
  for (const route of all.filter((one) => one.properties || isQuery(one))) {
    await sendAll(route, bodies.filter(([, body]) => !standsForObject(route, body)), mustRefuse);
  }
  hasNoProblems();
});

test('fields of the wrong type are refused by name', async () => {
  for (const route of all.filter(isCreation)) {
    for (const [field, schema] of Object.entries(route.properties)) {
      if (schema.readOnly || field.startsWith('_')) continue;
      const bodies = wrongValues(schema).map((value) => [`${field}: ${text(value)}`, text({ [field]: value })]);
      await sendAll(route, bodies, (_, what, reply) => {
        if (reply.status === 400 && reply.text.includes(field)) return;
        problems.push(`${route.name}, ${what}: not refused by name: ${reply.status} ${reply.text.slice(0, 200)}`);
      });
    }
  }
  hasNoProblems();
});

test('queries with unknown operators are refused', async () => {
  const bodies = [{ a: { $foo: 1 } }, { $where: 'x' }, { $or: [] }, { a: { $in: 1 } }, { a: { $regex: '(' } }, { a: { $size: 'x' } }];
  for (const route of all.filter(isQuery)) await sendAll(route, bodies.map((body) => [text(body), text(body)]), mustRefuse);
  hasNoProblems();
});

const names = ['', '%20', '%00', '%ff', '/', 'a%2Fb%2Fc%2Fd', 'default%2F', '..%2F..', 'user:%2F%2F', '%E2%80%AE', 'x'.repeat(6000)];
test('for parameters and ids that can name nothing there is an error or an answer', async () => {
  for (const route of all) {
    const withOthers = (path, parameter) =>
      `${path}?${route.parameters.filter((one) => one !== parameter).map((one) => `${one}=default%2Fguest`).join('&')}`;
    for (const name of names) {
      const short = name.slice(0, 30);
      const asked = route.parameters.map((one) => [`${one}=${short}`, '{}', {}, `${withOthers(route.path, one)}&${one}=${name}`]);
      if (route.pathTo && !['', '/'].includes(name)) asked.push([`id ${short}`, '{}', {}, withOthers(route.pathTo(name))]);
      await sendAll(route, asked);
    }
  }
  hasNoProblems();
});

const many = repetitions(6);
test(`${many} bodies of chance, broken JSON and other content for every route`, async () => {
  const others = [
    ['a form', 'title=%ff&a', { 'Content-Type': 'application/x-www-form-urlencoded' }],
    ['parts without a boundary', '--x\r\n', { 'Content-Type': 'multipart/form-data' }],
    ['a gzip that is none', '{}', { 'Content-Encoding': 'gzip' }],
    ['no JSON by name', 'x', { 'Content-Type': '\u00e9' }],
  ];
  for (const route of all) {
    const chance = Array.from({ length: many }, () => { const body = randomBody(); return [body.slice(0, 200), body]; });
    // Whoever asks for no body may let any pass, but not fail over it.
    const few = Object.entries(broken).filter((_, i) => (i + route.name.length) % 4 === 0);
    await sendAll(route, [...few, ...others, [noObjects[next(7)], noObjects[next(7)]], ...chance]);
  }
  hasNoProblems();
});

test('the server lives, no plugin threw, and the store is sound', async () => {
  console.log(`answers: ${JSON.stringify([...statuses].sort())}, ${compared} refused bodies compared`);
  const refused = [...statuses].reduce((sum, [status, count]) => (status >= 400 ? sum + count : sum), 0);
  assert.ok(compared > refused / 2, `${compared} of ${refused} refused bodies were compared`);
  assert.equal((await server.request('GET', '/readyz')).status, 200);
  const { text: metrics } = await server.request('GET', '/metrics');
  assert.match(metrics, /^stele_plugin_exceptions_total 0$/m);
  await server.stop();
  const checked = server.check();
  assert.equal(checked.status, 0, checked.text);
});
