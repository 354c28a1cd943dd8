// If-Match, If-None-Match, and members of records that are named like parameters
// (docs/reference/http.md).
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { allRoutes, families, makeRecords, makeTeams } from '../support/route_walk.mjs';
import { SteleServer } from '../support/stele_server.mjs';

let server;
let token;
let nodes;
const ask = (method, path, options = {}) => server.request(method, path, { token, ...options });
const admin = (...args) => server.admin(...args);
before(async () => {
  server = await SteleServer.start();
  token = await server.login();
  nodes = `/repositories/${(await admin('POST', '/repositories', {}))._doc}/branches/master/nodes`;
});
after(() => server.end());

const make = async (collection, fields = {}) => `${collection}/${(await admin('POST', collection, fields))._doc}`;
const tagOf = async (path) => (await ask('GET', path)).headers.etag;

test('racing increments by PATCH with If-Match lose none', async () => {
  const node = await make(nodes, { count: 0 });
  let refused = 0;
  const increment = async () => {
    for (;;) {
      const read = await ask('GET', node);
      const reply = await ask('PATCH', node, { body: { count: read.json.count + 1 }, headers: { 'If-Match': read.headers.etag } });
      if (reply.status === 200) return;
      assert.equal(reply.status, 412, reply.text);
      assert.equal(reply.json.code, 'document.version_changed');
      assert.match(reply.headers.etag, /^".+"$/);
      ++refused;
    }
  };
  const increments = 60;
  await Promise.all(Array.from({ length: 6 }, async () => {
    for (let i = 0; i < increments / 6; ++i) await increment();
  }));
  assert.equal((await admin('GET', node)).count, increments);
  assert.ok(refused > 0, 'some of them met');
});

test('every write to one record obeys If-Match, and writes nothing when it is refused', async () => {
  const node = await make(nodes, { title: 'a' });
  const config = await make('/uiconfigs', { title: 'a' });
  const application = await make('/applications', { title: 'a' });
  const writes = [
    ['PUT', node, { title: 'b' }], ['PATCH', node, { title: 'b' }], ['PATCH', `${node}/patch`, [{ op: 'add', path: '/title', value: 'b' }]],
    ['POST', `${node}/update`, { title: 'b' }], ['POST', `${node}/features/f:titled`, { x: 1 }], ['POST', `${node}/touch`],
    ['POST', `${node}/change_qname?qname=custom:other`], ['POST', `${node}/remove`], ['POST', `${node}/delete`], ['DELETE', node],
    ['POST', `${node}/i18n?locale=de`, { title: 'b' }], ['POST', `${node}/authorities/consumer/grant?id=default/admin`],
    ['PUT', config, { title: 'b' }], ['POST', `${config}/update`, { title: 'b' }], ['POST', `${config}/delete`], ['DELETE', config],
    ['POST', `${config}/authorities/consumer/grant?id=default/admin`], ['POST', `${application}/lock`], ['POST', `${application}/teams?key=x`],
    ['PUT', '/', { title: 'b' }],
  ];
  for (const [method, path, body] of writes) {
    const record = [node, config, application].find((one) => path.startsWith(one)) ?? '/';
    const before_ = await ask('GET', record);
    for (const stale of ['"0-0"', `W/${before_.headers.etag}`, before_.headers.etag.replaceAll('"', ''), '"x", "y"']) {
      const reply = await ask(method, path, { body, headers: { 'If-Match': stale } });
      assert.equal(reply.status, 412, `${method} ${path} with ${stale}: ${reply.text}`);
      assert.equal(reply.headers.etag, before_.headers.etag, `${method} ${path}`);
    }
    const after_ = await ask('GET', record);
    assert.deepEqual([after_.status, after_.headers.etag, after_.json], [200, before_.headers.etag, before_.json], `${method} ${path}`);
  }
});

test('a list, a star and the present tag let a write through', async () => {
  const node = await make(nodes, { title: 'a' });
  for (const form of [(tag) => tag, () => '*', (tag) => `"x,y", ${tag}`, (tag) => `W/"z",${tag} , "q"`]) {
    for (const [method, path, body] of [['PUT', node, { title: 'b' }], ['PATCH', node, { title: 'c' }], ['POST', `${node}/touch`, {}]]) {
      const reply = await ask(method, path, { body, headers: { 'If-Match': form(await tagOf(node)) } });
      assert.equal(reply.status, 200, `${method} ${path}: ${reply.text}`);
    }
  }
});

test('If-Match on an attachment names its bytes', async () => {
  const node = await make(nodes, { title: 'a' });
  const attachment = `${node}/attachments/a`;
  const put = (body, headers = {}) => ask('POST', attachment, { body, headers: { 'Content-Type': 'text/plain', ...headers } });
  assert.equal((await put('new', { 'If-Match': '"any"' })).status, 412, 'there is none yet');
  assert.equal((await put('one')).status, 200);
  const tag = await tagOf(attachment);
  assert.equal((await put('two', { 'If-Match': '"other"' })).status, 412);
  assert.equal((await ask('GET', attachment)).text, 'one');
  assert.equal((await put('two', { 'If-Match': tag })).status, 200);
  assert.equal((await ask('DELETE', attachment, { headers: { 'If-Match': tag } })).status, 412);
  assert.equal((await ask('DELETE', attachment, { headers: { 'If-Match': await tagOf(attachment) } })).status, 200);
});

test('a reply with computed parts is never answered by 304', async () => {
  const folder = await make(nodes, { title: 'a', _features: { 'f:container': {} } });
  const tag = await tagOf(folder);
  assert.match(tag, /^".+"$/);
  const other = await make(nodes, { title: 'b' });
  await admin('POST', `${folder}/associate?node=${other.split('/').at(-1)}&type=a:linked`);
  for (const query of ['', '?paths=true', '?metadata=false', '?full=true']) {
    const reply = await ask('GET', folder + query, { headers: { 'If-None-Match': tag } });
    assert.equal(reply.status, 200, query);
    assert.ok(reply.json._statistics, query);
  }
  const branch = nodes.slice(0, -'/nodes'.length);
  const branchTag = await tagOf(branch);
  await make(nodes, { title: 'c' });
  const reply = await ask('GET', branch, { headers: { 'If-None-Match': branchTag } });
  assert.equal(reply.status, 200, 'the tip of a branch moves without its record');
  const config = await make('/uiconfigs', { title: 'a' });
  const same = await ask('GET', config, { headers: { 'If-None-Match': await tagOf(config) } });
  assert.equal(same.status, 304, 'a record as it is stored');
});

test('members that are named like parameters change nothing but their record', async () => {
  const fields = { title: 'a', full: 'false', id: 'x', resend: true, limit: 0, skip: 5, sort: 'no', locale: 'de', path: '/x',
                   metadata: 'false', paths: 'true', branch: 'none', changeset: 'none', edition: 'e', rootNodeId: 'none',
                   parentFolderPath: '/made', filePath: '/made/too', associationType: 'a:none', key: 'k', access_token: 'none' };
  for (const collection of [nodes, '/uiconfigs', '/views']) {
    const created = await admin('POST', collection, fields);
    const record = `${collection}/${created._doc}`;
    assert.equal(created.title, 'a', `${collection} answers the whole record`);
    for (const method of collection === nodes ? ['PUT', 'PATCH'] : ['PUT']) {
      const changed = await ask(method, record, { body: { ...fields, title: 'b' } });
      assert.equal(changed.status, 200, `${method} ${record}: ${changed.text}`);
      assert.equal(changed.json.title, 'b');
    }
    const read = await admin('GET', record);
    for (const [name, value] of Object.entries({ ...fields, title: 'b' })) assert.deepEqual(read[name], value, `${collection}: ${name}`);
  }
  const made = await ask('POST', `${nodes.slice(0, -'/nodes'.length)}/nodes/query`, { body: { title: 'made' } });
  assert.equal(made.json.total_rows, 0, 'no folder was made of a member');
});

test('what would be stored deeper than it can be sent back is refused, however it grows', async () => {
  const nested = (levels) => (levels === 0 ? 1 : { a: nested(levels - 1) });
  const node = await make(nodes, { title: 'a', deep: nested(90) });
  let path = '/deep' + '/a'.repeat(89);
  const grow = (levels) => ask('PATCH', node, { body: [{ op: 'replace', path, value: nested(levels) }] });
  assert.equal((await grow(5)).status, 200);
  path += '/a'.repeat(4);
  for (const levels of [20, 90]) {
    const reply = await grow(levels);
    assert.equal(reply.status, 400, reply.text.slice(0, 200));
  }
  assert.equal((await ask('POST', `${node}/features/f:titled`, { body: nested(99) })).status, 400);
  const read = await ask('GET', node);
  assert.equal(read.status, 200);
  const { _system, _statistics, ...fields } = read.json;
  assert.equal((await ask('PUT', node, { body: fields })).status, 200, 'it can be sent back');
});

/// Paths that name no record with a tag, or one that is not there yet; and what only reads.
const tagless = /^post \/(access\/policies\/system|auth\/impersonate|jobs|ref\/exports|tools)\/|\/graphql$|^\w+ \/(authorities|permissions|teams|roles)\/|\/attachments\/\{attachmentId\}$|\/undelete$|\/deletions\/\{nodeId\}\/restore$/;

test('every operation at the path of a record obeys If-Match, on every route', async () => {
  const own = await SteleServer.start({ config: 'stores.statistics_period = 1h\nusage.look_interval = 1h' });
  try {
    const description = (await own.request('GET', '/openapi.json')).json;
    const routes = await allRoutes(own, await makeRecords(own));
    await makeTeams(own, routes);
    const collections = [...families(description).map(({ collection }) => collection), ...Object.keys(description.paths).filter((path) => /\/(applications|archives|branches|conflicts|deletions|editorial\/flows|meters|nodes|releases|work\/scheduled)$/.test(path))];
    const isOfCollection = (template) => collections.some((one) => template === one || (template.startsWith(`${one}/`) && !template.slice(one.length).includes('{')));
    const isOfCheck = (template) => /\/(authorities|permissions|membership)\/check$/.test(template);
    const asked = routes.filter(({ name, method, template }) => method !== 'GET' && template.includes('{') && !isOfCollection(template) && !isOfCheck(template) && !tagless.test(name));
    assert.ok(asked.length > 500, `${asked.length} routes`);
    const written = [];
    for (const { name, method, target } of asked) {
      const reply = await own.request(method, target, { token: own.adminToken, body: {}, headers: { 'If-Match': '"0-0"' } });
      if (reply.status !== 412) written.push(`${name}: ${reply.status} ${reply.json?.code}`);
    }
    assert.equal(written.length, 0, written.join('\n'));
  } finally {
    await own.end();
  }
});
