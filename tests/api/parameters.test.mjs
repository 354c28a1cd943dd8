// Parameters and bodies are read alike on every route: what is wrong is refused, and lists obey what they are asked.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { allRoutes, described, everyPath, makeRecords, makeTeams } from '../support/route_walk.mjs';
import { SteleServer } from '../support/stele_server.mjs';

let server;
let ids;
let routes;
const admin = (...request) => server.admin(...request);
const ask = (method, path, body) => server.request(method, path, { token: server.adminToken, body });

before(async () => {
  server = await SteleServer.start({ config: 'stores.statistics_period = 1h\nusage.look_interval = 1h' });
  ids = await makeRecords(server);
  routes = await allRoutes(server, ids);
  await makeTeams(server, routes);
});
after(() => server.end());

/// Bytes and forms: their bodies are no JSON.
const isOfBytes = ({ template, method }) => method !== 'GET' && (/\/attachments(\/\{attachmentId\})?$|\/files\/\{filename\}|\/unzip$|\/import$/.test(template)
  || template.startsWith('/oauth/'));
/// The bodies of these may be arrays (docs/reference/http.md).
const takesArray = ({ name }) => /^(post|patch) .*\/nodes$|^patch .*\/nodes\/\{nodeId\}(\/patch)?$|\/nodes\/(delete|predelete)$|\/movenodes$|\/items$/.test(name);

const isList = (json) => Array.isArray(json?.rows) && 'total_rows' in json;
const withParameters = (target, parameters) => {
  const query = new URLSearchParams(parameters).toString();
  return `${target}${target.includes('?') ? '&' : '?'}${query}`;
};

/// Routes that answer with a list.
async function lists() {
  const found = [];
  for (const route of routes) {
    const isAsking = route.method === 'GET' || /\/(query|find|search|items|templates|system|targets)$/.test(route.template);
    if (!isAsking || route.isOpen) continue;
    const body = route.method === 'GET' ? undefined : route.template.endsWith('find') ? { query: {} } : route.template.endsWith('search') ? { search: 'walk' } : {};
    const { status, json } = await ask(route.method, route.target, body);
    if (status === 200 && isList(json)) found.push({ ...route, body, all: json });
  }
  return found;
}

test('every list refuses a wrong skip, limit, sort and options', async () => {
  const found = await lists();
  assert.ok(found.length > 150, `${found.length} lists`);
  const accepted = [];
  for (const { name, method, target, body } of found) {
    for (const [parameter, value] of [['skip', '-1'], ['skip', 'x'], ['limit', '-2'], ['limit', 'many'], ['sort', '5'], ['sort', '{"a":2}'], ['sort', '{'], ['options', '[]']]) {
      const { status, json } = await ask(method, withParameters(target, { [parameter]: value }), body);
      if (status !== 400 || !json.violations?.some(({ path }) => path.startsWith(parameter))) accepted.push(`${name} ${parameter}=${value}: ${status} ${json?.code}`);
    }
  }
  assert.equal(accepted.length, 0, accepted.join('\n'));
});

test('every list obeys skip, limit and sort', async () => {
  const disobedient = [];
  const sortable = (rows) => rows.every((row) => row && typeof row === 'object');
  const fieldOf = (rows) => ['_doc', 'key', 'roleKey', 'name', 'attachmentId', 'locale', 'qname'].find((name) => rows.every((row) => typeof row[name] === 'string'));
  const order = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
  for (const { name, method, target, body } of await lists()) {
    const page = async (parameters) => (await ask(method, withParameters(target, parameters), body)).json;
    const all = await page({ limit: -1 });
    const first = await page({ limit: 1 });
    const none = await page({ skip: all.total_rows + 5 });
    const told = [first.size, first.rows.length, none.size, none.offset, none.rows.length];
    const wanted = [Math.min(1, all.total_rows), Math.min(1, all.total_rows), 0, all.total_rows + 5, 0];
    if (JSON.stringify(told) !== JSON.stringify(wanted)) disobedient.push(`${name}: ${JSON.stringify(told)} is not ${JSON.stringify(wanted)}`);
    const field = sortable(all.rows) && fieldOf(all.rows);
    if (!field || all.rows.length < 2) continue;
    for (const direction of [1, -1]) {
      const sorted = (await page({ limit: -1, sort: JSON.stringify({ [field]: direction }) })).rows.map((row) => row[field]);
      const expected = all.rows.map((row) => row[field]).sort((a, b) => direction * order(a, b));
      if (JSON.stringify(sorted) !== JSON.stringify(expected)) disobedient.push(`${name} sorted by ${field}: ${sorted.slice(0, 4)} is not ${expected.slice(0, 4)}`);
    }
  }
  assert.equal(disobedient.length, 0, disobedient.join('\n'));
});

const post = async (path, body = {}) => ask('POST', path, body);
const refusal = ({ status, json }) => [status, json.violations?.map(({ path }) => path)];
const branchOf = () => `/repositories/${ids.repositoryId}/branches/${ids.branchId}`;
const makeNode = async (fields = {}) => (await admin('POST', `${branchOf()}/nodes`, fields))._doc;

test('a custom role is granted, checked and revoked by its id as by its key, to teams too', async () => {
  const host = `/webhosts/${(await admin('POST', '/webhosts', {}))._doc}`;
  const role = await admin('POST', `${host}/roles`, { roleKey: 'Reader', permissions: ['CONNECT', 'READ'] });
  const here = await admin('POST', `${host}/trusteddomainmappings`, { host: 'a.example.org' });
  await server.makeUser('by-id');
  const rolesOn = async (path) => (await admin('GET', `${path}/acl?id=default/by-id`)).rows;
  for (const path of [host, `${host}/trusteddomainmappings/${here._doc}`]) {
    await admin('POST', `${path}/authorities/${role._doc}/grant?id=default/by-id`);
    assert.deepEqual((await rolesOn(path)).map((key) => key.toLowerCase()), ['reader'], path);
    assert.equal((await admin('POST', `${path}/authorities/${role._doc}/check?id=default/by-id`)).check, true);
    await admin('POST', `${path}/authorities/${role._doc}/revoke?id=default/by-id`);
    assert.deepEqual(await rolesOn(path), []);
  }
  await admin('POST', `${host}/teams?key=those`);
  const ofTeam = async () => (await admin('GET', `${host}/teams/those/authorities`)).authorities.map((key) => key.toLowerCase());
  await admin('POST', `${host}/teams/those/authorities/${role._doc}/grant`);
  assert.deepEqual(await ofTeam(), ['reader']);
  await admin('POST', `${host}/teams/those/authorities/${role._doc}/revoke`);
  assert.deepEqual(await ofTeam(), []);
});

test('an update without a body empties no role', async () => {
  const host = `/webhosts/${(await admin('POST', '/webhosts', {}))._doc}`;
  const role = await admin('POST', `${host}/roles`, { roleKey: 'kept', permissions: ['READ'] });
  for (const [method, path] of [['PUT', `${host}/roles/kept`], ['POST', `${host}/roles/${role._doc}/update`]]) {
    assert.deepEqual(refusal(await ask(method, path)), [400, ['body']]);
    assert.deepEqual(refusal(await ask(method, path, {})), [400, ['body']]);
    await admin(method, path, { title: 'named' });
    const { title, permissions } = await admin('GET', `${host}/roles/kept`);
    assert.deepEqual([title, permissions], ['named', ['READ']]);
  }
  await admin('PUT', `${host}/roles/kept`, { permissions: [] });
  assert.deepEqual((await admin('GET', `${host}/roles/kept`)).permissions, []);
});

test('a quoted flag counts as the flag', async () => {
  const host = `/webhosts/${(await admin('POST', '/webhosts', {}))._doc}`;
  const keys = async (value) => (await admin('GET', `${host}/roles?inherited=${value}`)).rows.map(({ roleKey }) => roleKey);
  assert.ok((await keys('%22true%22')).includes('owner'));
  assert.deepEqual(await keys('%22false%22'), []);
  assert.deepEqual(refusal(await ask('GET', `${host}/roles?inherited=%22maybe%22`)), [400, ['inherited']]);
});

test('what is moved or deleted must be named, and where to', async () => {
  const node = await makeNode();
  for (const [path, body] of [[`/nodes/${node}/move`, {}], [`/nodes/${node}/move/start`, {}]]) {
    assert.deepEqual(refusal(await post(branchOf() + path, body)), [400, ['targetNodeId']], path);
  }
  for (const path of ['/nodes/delete', '/nodes/predelete']) {
    for (const body of [undefined, {}, { ids: [node] }]) assert.deepEqual(refusal(await ask('POST', branchOf() + path, body)), [400, ['_docs']], path);
  }
  assert.equal((await ask('GET', `${branchOf()}/nodes/${node}`)).status, 200);
  assert.deepEqual((await admin('POST', `${branchOf()}/nodes/delete`, { _docs: [node] }))._docs, [node]);
});

test('an incomplete entry of a bulk check is refused by its place', async () => {
  const third = { permissions: 'permissionId', authorities: 'authorityId' };
  for (const [kind, name] of Object.entries(third)) {
    for (const collection of ['/webhosts', '/domains', `${branchOf()}/nodes`]) {
      const whole = { permissionedId: 'x', principalId: 'default/admin', [name]: 'READ' };
      const { [name]: left, ...without } = whole;
      const checks = [whole, without, { ...whole, permissionedId: '' }, { ...whole, principalId: undefined }, 7, whole];
      assert.deepEqual(refusal(await post(`${collection}/${kind}/check`, { checks })),
                       [400, [`checks.1.${name}`, 'checks.2.permissionedId', 'checks.3.principalId', 'checks.4']], `${collection} ${kind}`);
      const { json } = await post(`${collection}/${kind}/check`, { checks: [whole] });
      assert.deepEqual(json.results, [{ ...whole, result: false }]);
    }
  }
  const checks = [{ groupId: 'everyone', principalId: 'admin' }, { groupId: 'everyone' }];
  assert.deepEqual(refusal(await post('/domains/default/principals/membership/check', { checks })), [400, ['checks.1.principalId']]);
});

test('an operation that starts a job knows two schedules, and answers with the job', async () => {
  const paths = everyPath(await described(server));
  const scheduled = (template, method) => paths[template][method].parameters.some(({ name }) => name === 'schedule');
  const starting = routes.filter(({ template, method }) => method === 'POST' && scheduled(template, 'post'));
  assert.ok(starting.length > 8, `${starting.length} operations start jobs`);
  assert.deepEqual(routes.filter(({ template, method }) => method === 'POST' && template.endsWith('/start') && !scheduled(template, 'post')), []);
  for (const { name, target } of starting) {
    assert.deepEqual(refusal(await post(withParameters(target, { schedule: 'someday' }))), [400, ['schedule']], name);
  }
  const node = await makeNode();
  const folder = await makeNode({ _features: { 'f:container': {} } });
  // The walk's own deletion is asked for later.
  const other = (await admin('POST', '/repositories', {}))._doc;
  for (const [path, body] of [['/projects/start', { title: 'started' }], [`${branchOf()}/nodes/${node}/copy?targetNodeId=${folder}`, {}],
                              [`${branchOf()}/nodes/${node}/move/start?targetNodeId=${folder}`, {}], [`${branchOf()}/nodes/${node}/delete/start`, {}],
                              [`/repositories/${other}/branches/master/deletions/purgeall/start`, {}], [`${branchOf()}/validate/start`, {}]]) {
    const begun = (await post(withParameters(path, { schedule: 'ASYNCHRONOUS' }), body)).json;
    assert.deepEqual([begun.ok, typeof begun._doc, typeof begun.state, typeof begun.type], [true, 'string', 'string', 'string'], path);
    const { json } = await server.request('GET', `/jobs/${begun._doc}`, { token: server.adminToken });
    assert.equal(json.type, begun.type);
  }
  const ended = (await post('/projects/start?schedule=%22synchronous%22', { title: 'waited for' })).json;
  assert.equal(ended.state, 'FINISHED', JSON.stringify(ended));
});

test('metadata=false leaves the system\'s member out of every record and row', async () => {
  const shown = [];
  for (const { name, method, target } of routes) {
    if (method !== 'GET' || /\/attachments\/|\/preview\/|\/files\/|\/versions\/.*diff|logfile/.test(name)) continue;
    const { json } = await ask('GET', withParameters(target, { metadata: false }));
    const records = [json, ...(Array.isArray(json?.rows) ? json.rows : [])];
    if (records.some((record) => record && typeof record === 'object' && '_system' in record)) shown.push(name);
  }
  assert.equal(shown.length, 0, shown.join('\n'));
});

test('full=false answers writes by the id, and lists by ids', async () => {
  for (const [path, body] of [['/webhosts', {}], ['/uiconfigs', {}], ['/repositories', {}], [`${branchOf()}/nodes`, {}], ['/domains/default/principals', { name: 'bare', type: 'GROUP' }]]) {
    const { json } = await post(`${path}?full=false`, { title: 'bare', ...body });
    assert.deepEqual(Object.keys(json).sort(), ['_doc', 'ok'], path);
    const read = await admin('GET', `${path}/${json._doc}`);
    const updated = (await ask('PUT', `${path}/${json._doc}?full=false`, { ...read, title: 'changed' })).json;
    assert.deepEqual([Object.keys(updated).sort(), updated._doc], [['_doc', 'ok'], json._doc], path);
    const { rows } = await admin('GET', `${path}?full=false&limit=2`);
    for (const row of rows) assert.deepEqual(Object.keys(row), ['_doc'], path);
  }
  const node = await makeNode();
  for (const [method, path, body] of [['PATCH', '', [{ op: 'add', path: '/title', value: 'patched' }]], ['POST', '/touch', {}], ['POST', '/change_type?type=custom:other', {}]]) {
    const { json } = await ask(method, withParameters(`${branchOf()}/nodes/${node}${path}`, { full: false }), body);
    assert.deepEqual(Object.keys(json).sort(), ['_doc', 'ok'], path);
  }
});

test('a version has an ETag of its own', async () => {
  const node = await makeNode({ title: 'first' });
  const path = `${branchOf()}/nodes/${node}`;
  const first = (await admin('GET', path))._system.changeset;
  await admin('PUT', path, { title: 'second' });
  const second = (await admin('GET', path))._system.changeset;
  const tags = [];
  for (const changeset of [first, second]) tags.push((await ask('GET', `${path}/versions/${encodeURIComponent(changeset)}`)).headers.etag);
  assert.ok(tags.every((tag) => /^"[^"]+"$/.test(tag)), tags.join());
  assert.notEqual(tags[0], tags[1]);
});

/// Last: where one is accepted, something may be gone.
test('a body of the wrong JSON kind is refused on every route', async () => {
  const accepted = [];
  for (const route of routes) {
    if (route.method === 'GET' || isOfBytes(route)) continue;
    for (const body of ['[1,2]', 'null', '"x"', '7', 'true']) {
      if (body.startsWith('[') && takesArray(route)) continue;
      const { status, json } = await ask(route.method, route.target, body);
      if (status !== 400) accepted.push(`${route.name} ${body}: ${status} ${json?.code}`);
    }
  }
  assert.equal(accepted.length, 0, accepted.join('\n'));
});
