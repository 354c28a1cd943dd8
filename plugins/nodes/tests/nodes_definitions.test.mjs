// Definitions, forms, schemas and validation (docs/specification/nodes.md 22).
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { SteleServer } from '../../../tests/support/stele_server.mjs';

let server;
let repository;
let branch;
before(async () => {
  server = await SteleServer.start();
});
after(() => server.end());

const admin = (...args) => server.admin(...args);
const send = async (method, path, body) => server.request(method, path, { token: server.adminToken, body });
async function freshBranch() {
  repository = `/repositories/${(await admin('POST', '/repositories', {}))._doc}`;
  branch = `${repository}/branches/master`;
}
const define = (qname, members = {}, type = 'd:type') =>
  admin('POST', `${branch}/nodes`, { _qname: qname, _type: type, ...members });
const qnames = (map) => map.rows.map((row) => row._qname);

test('a fresh branch defines types, associations and features (22)', async () => {
  await freshBranch();
  for (const [filter, type] of [['type', 'd:type'], ['ASSOCIATION', 'd:association'], ['Feature', 'd:feature']]) {
    const list = await admin('GET', `${branch}/definitions?filter=${filter}&limit=-1`);
    assert.ok(list.total_rows > 0, filter);
    assert.ok(list.rows.every((row) => row._type === type), filter);
  }
  const all = qnames(await admin('GET', `${branch}/definitions?limit=-1`));
  for (const qname of ['n:node', 'n:root', 'n:person', 'n:group', 'n:form', 'n:list', 'n:rule', 'n:comment', 'n:tag', 'a:child',
                       'a:linked', 'a:owned', 'a:has_form', 'a:has_translation', 'a:has_role', 'f:container', 'f:multilingual']) {
    assert.ok(all.includes(qname), qname);
  }
  const wrong = await send('GET', `${branch}/definitions?filter=nothing`);
  assert.equal(wrong.status, 400);
});

test('five built-in types beside those of the prefix n extend n:node (22)', async () => {
  await freshBranch();
  const list = async () => (await admin('POST', `${branch}/definitions/query?limit=-1`, { _type: 'd:type', _parent: 'n:node' }))
    .rows.map((row) => row._qname).filter((qname) => !qname.startsWith('n:')).sort();
  const builtIn = ['blog:blog', 'blog:post', 'wcm:page', 'wcm:template', 'workflow:package'];
  assert.deepEqual(await list(), builtIn);
  await define('custom:article');
  assert.deepEqual(await list(), [...builtIn, 'custom:article'].sort());
});

test('no built-in definition is a container (4.3)', async () => {
  await freshBranch();
  const found = await admin('POST', `${branch}/nodes/query`, { '_features.f:container': { $exists: true } });
  assert.deepEqual(qnames(found).sort(), ['r:root', 'r:users']);
});

test('a type is read by its QName, also as a child of another (22)', async () => {
  await freshBranch();
  await define('custom:base', { title: 'Base' });
  await define('custom:more', { _parent: 'custom:base' });
  assert.equal((await admin('GET', `${branch}/definitions/custom:base`)).title, 'Base');
  assert.deepEqual(qnames(await admin('GET', `${branch}/definitions/custom:base/children`)), ['custom:more']);
  assert.equal((await send('GET', `${branch}/definitions/custom:none`)).status, 404);
  assert.equal((await send('GET', `${branch}/definitions/r:root`)).status, 404, 'a node that is no definition');
  assert.deepEqual(qnames(await admin('GET', `${branch}/definitions?custom=true`)), ['custom:base', 'custom:more']);
  assert.ok(!qnames(await admin('GET', `${branch}/definitions?custom=False&limit=-1`)).includes('custom:base'));
  const node = await admin('POST', `${branch}/nodes`, { _type: 'custom:more' });
  assert.equal(node._type, 'custom:more', 'used right after it was made');
});

test('a schema holds what its definition inherits', async () => {
  await freshBranch();
  await define('custom:base', { properties: { a: { type: 'string' }, b: { type: 'string' } }, required: ['a'] });
  await define('custom:more', { _parent: 'custom:base', properties: { b: { type: 'number' } }, required: ['b'] });
  const schema = await admin('GET', `${branch}/schemas/custom:more`);
  assert.equal(schema.properties.a.type, 'string');
  assert.equal(schema.properties.b.type, 'number');
  assert.deepEqual([...schema.required].sort(), ['a', 'b']);
  assert.deepEqual((await admin('GET', `${branch}/schemas?filter=type`))['custom:more'], schema);
  assert.equal((await send('GET', `${branch}/schemas/custom:none`)).status, 404);
});

test('forms hang on a definition by key (22)', async () => {
  await freshBranch();
  const definition = await define('custom:article');
  const forms = [];
  for (const key of ['one', 'two', 'three']) {
    const form = await admin('POST', `${branch}/nodes`, { _type: 'n:form', title: key });
    await admin('POST', `${branch}/nodes/${definition._doc}/associate?node=${form._doc}&type=a:has_form`, { 'form-key': key });
    forms.push(form);
  }
  const path = `${branch}/definitions/custom:article/forms`;
  const list = await admin('GET', path);
  assert.equal(list.total_rows, 3);
  assert.deepEqual(list.rows.map((row) => [row._type, row['form-key']]), [['a:has_form', 'one'], ['a:has_form', 'two'], ['a:has_form', 'three']]);
  assert.equal((await admin('GET', `${path}/two`))._doc, forms[1]._doc);
  assert.equal((await admin('GET', `${path}/${forms[2]._doc}`))._doc, forms[2]._doc);
  assert.equal((await send('GET', `${path}/none`)).status, 404);
  const instance = await admin('POST', `${branch}/nodes`, { _type: 'custom:article' });
  assert.equal((await admin('GET', `${branch}/nodes/${instance._doc}/forms`)).total_rows, 3);
  assert.equal((await admin('GET', `${branch}/nodes/${instance._doc}/forms/one`))._doc, forms[0]._doc);
  assert.equal((await admin('GET', `${branch}/forms`))['custom:article'].two._doc, forms[1]._doc);
  await admin('POST', `${branch}/nodes/${definition._doc}/unassociate?node=${forms[0]._doc}&type=a:has_form`);
  assert.equal((await admin('GET', path)).total_rows, 2);
  await admin('DELETE', `${branch}/nodes/${forms[1]._doc}`);
  assert.equal((await admin('GET', path)).total_rows, 1);
});

test('mandatory features come with the type (22)', async () => {
  await freshBranch();
  await define('custom:base', { mandatoryFeatures: { 'f:taggable': { tags: ['new'] } } });
  await define('custom:more', { _parent: 'custom:base', mandatoryFeatures: ['f:geolocation'] });
  const node = await admin('POST', `${branch}/nodes`, { _type: 'custom:more' });
  assert.deepEqual(node._features['f:taggable'], { tags: ['new'] });
  assert.deepEqual(node._features['f:geolocation'], {});
  const own = await admin('POST', `${branch}/nodes`, { _type: 'custom:base', _features: { 'f:taggable': { tags: [] } } });
  assert.deepEqual(own._features['f:taggable'], { tags: [] });
});

test('definitions that extend one another in a circle do no harm', async () => {
  await freshBranch();
  await define('custom:a', { _parent: 'custom:b', properties: { a: {} } });
  await define('custom:b', { _parent: 'custom:a', mandatoryFeatures: ['f:taggable'] });
  const node = await admin('POST', `${branch}/nodes`, { _type: 'custom:a' });
  assert.deepEqual(node._features['f:taggable'], {});
  assert.deepEqual((await admin('GET', `${branch}/schemas/custom:b`)).properties, { a: {} });
});

test('a branch that validates refuses what does not fit, and names every problem', async () => {
  await freshBranch();
  await define('custom:book', { required: ['title', 'pages'], properties: { pages: { type: 'integer', minimum: 1 }, isbn: { pattern: '^[0-9-]+$' } } });
  const bad = { _type: 'custom:book', pages: 0, isbn: 'x' };
  const before = await admin('POST', `${branch}/nodes`, bad);
  await admin('PUT', branch, { ...(await admin('GET', branch)), validateContent: true });
  const refused = await send('POST', `${branch}/nodes`, bad);
  assert.equal(refused.status, 400);
  assert.deepEqual(refused.json.violations.map((one) => [one.path, one.code]).sort(),
                   [['', 'nodes.schema_violated'], ['isbn', 'nodes.schema_violated'], ['pages', 'nodes.schema_violated']]);
  const good = await admin('POST', `${branch}/nodes`, { _type: 'custom:book', title: 'T', pages: 3 });
  assert.equal((await send('PUT', `${branch}/nodes/${good._doc}`, { title: 'T' })).status, 400);
  assert.equal((await admin('GET', `${branch}/nodes/${good._doc}`)).pages, 3, 'nothing was stored');
  assert.equal((await admin('GET', `${branch}/nodes/${before._doc}`)).pages, 0, 'what was there stays');
  const unknown = await send('POST', `${branch}/nodes`, { _type: 'custom:unknown' });
  assert.equal(unknown.json.violations[0].code, 'nodes.type_undefined');
  const faulty = await send('POST', `${branch}/nodes`, { _type: 'd:type', _qname: 'custom:faulty', properties: { a: { type: 'nonsense' } } });
  assert.equal(faulty.json.violations[0].code, 'nodes.definition_faulty');
});

test('a client\'s definition takes the place of a built-in one outside of the reserved prefixes, once', async () => {
  await freshBranch();
  const before_ = await admin('GET', `${branch}/definitions/blog:post`);
  const post = (await admin('POST', `${branch}/nodes`, { _type: 'blog:post', title: 'an old post' }))._doc;
  for (const qname of ['wcm:page', 'wcm:template', 'workflow:package', 'blog:blog', 'blog:post']) {
    const made = await define(qname, { title: 'mine', properties: { own: { type: 'string' } } });
    assert.equal((await admin('GET', `${branch}/definitions/${qname}`))._doc, made._doc, qname);
    assert.equal((await admin('GET', `${branch}/definitions/${qname}`)).title, 'mine');
    const again = await send('POST', `${branch}/nodes`, { _qname: qname, _type: 'd:type' });
    assert.equal(again.status, 409, again.text);
    assert.equal((await admin('GET', `${branch}/definitions/${qname}`))._doc, made._doc, 'a client\'s own stays');
  }
  assert.equal((await send('GET', `${branch}/nodes/${before_._doc}`)).status, 404);
  assert.equal((await admin('GET', `${branch}/nodes/${post}/type`)).title, 'mine');
  assert.equal((await admin('GET', `${branch}/deletions`)).total_rows, 0, 'nothing of a client was deleted');
  const custom = qnames(await admin('GET', `${branch}/definitions?custom=true&limit=-1`)).sort();
  assert.deepEqual(custom, ['blog:blog', 'blog:post', 'wcm:page', 'wcm:template', 'workflow:package']);
  assert.ok(!qnames(await admin('GET', `${branch}/definitions?system=true&limit=-1`)).includes('blog:post'));
  assert.deepEqual((await admin('POST', `${branch}/admin/upgradeschema`, {})).definitions, []);
});

test('the names of the server\'s own prefixes, and of what is no definition, stay', async () => {
  await freshBranch();
  for (const [qname, type] of [['n:person', 'd:type'], ['a:child', 'd:association'], ['f:container', 'd:feature'], ['blog:post', 'n:node']]) {
    const reply = await send('POST', `${branch}/nodes`, { _qname: qname, _type: type });
    assert.equal(reply.status, 409, `${qname} ${reply.text}`);
  }
  const fork = `${repository}/branches/${(await admin('POST', `${repository}/branches?branch=master`, {}))._doc}`;
  const { _doc } = await admin('POST', `${fork}/nodes`, { _qname: 'blog:post', _type: 'd:type', title: 'on the fork' });
  assert.equal((await admin('GET', `${fork}/definitions/blog:post`))._doc, _doc);
  assert.notEqual((await admin('GET', `${branch}/definitions/blog:post`)).title, 'on the fork');
});
