// GraphQL over the nodes of a branch (docs/specification/nodes.md 27; docs/reference/graphql.md).
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { SteleServer } from '../../../tests/support/stele_server.mjs';

let server;
let branch;
before(async () => {
  // A server built elsewhere serves the plugin of this folder (STELE_PLUGINS).
  server = await SteleServer.start({ plugins: process.env.STELE_PLUGINS?.split(':') });
});
after(() => server.end());

const admin = (...args) => server.admin(...args);
const send = async (method, path, body, token) =>
  server.request(method, path, { token: token ?? (server.adminToken ??= await server.login()), body });
async function freshBranch() {
  branch = `/repositories/${(await admin('POST', '/repositories', {}))._doc}/branches/master`;
}
const create = (fields) => admin('POST', `${branch}/nodes`, fields);
const define = (qname, properties, more = {}) =>
  create({ _qname: qname, _type: 'd:type', type: 'object', ...(properties && { properties }), ...more });
const ask = (query, variables) => admin('POST', `${branch}/graphql`, { query, variables });
const data = async (query, variables) => {
  const answer = await ask(query, variables);
  assert.equal(answer.errors, undefined, JSON.stringify(answer.errors));
  return answer.data;
};
const textType = { type: 'string' };

test('schema text and a query over a custom type (27, 34 number 15)', async () => {
  await freshBranch();
  await define('custom:book', { title: textType, description: textType, author: textType });
  const schema = await send('GET', `${branch}/graphql/schema`);
  assert.equal(schema.status, 200);
  assert.match(schema.headers['content-type'], /^text\/plain/);
  assert.match(schema.text, /custom_books\(.*\): \[custom_book!\]/);
  await create({ title: 'hello', description: 'salutations', author: 'mr bean', _type: 'custom:book' });
  await create({ title: 'goodbye', description: 'leave', author: 'guillermo', _type: 'custom:book' });
  const { custom_books: books } = await data('query { custom_books { title author } }');
  assert.deepEqual(books, [{ title: 'hello', author: 'mr bean' }, { title: 'goodbye', author: 'guillermo' }]);
});

test('n:node gives n_nodes, and nodes only of exactly that type', async () => {
  await freshBranch();
  await define('custom:book');
  const plain = await create({ title: 'plain' });
  await create({ title: 'book', _type: 'custom:book' });
  const found = await data('{ n_nodes { _doc _type } n_roots { _qname } }');
  assert.ok(found.n_nodes.some(({ _doc }) => _doc === plain._doc));
  assert.ok(found.n_nodes.every(({ _type }) => _type === 'n:node'));
  assert.deepEqual(found.n_roots, [{ _qname: 'r:root' }]);
});

test('newly added types are visible at once, changed and removed ones too', async () => {
  await freshBranch();
  const query = '{ custom_things { size } }';
  assert.equal((await ask(query)).errors[0].extensions.code, 'graphql.query_invalid');
  const definition = await define('custom:thing', { size: { type: 'integer' } });
  assert.deepEqual(await data(query), { custom_things: [] });
  const thing = await create({ _type: 'custom:thing', size: 3, weight: 4 });
  assert.deepEqual(await data(query), { custom_things: [{ size: 3 }] });
  assert.ok((await ask('{ custom_things { weight } }')).errors);
  await admin('PUT', `${branch}/nodes/${definition._doc}`, { ...definition, properties: { weight: { type: 'number' } } });
  assert.deepEqual(await data('{ custom_things { weight } }'), { custom_things: [{ weight: 4 }] });
  // A definition that is used stays.
  await admin('DELETE', `${branch}/nodes/${thing._doc}`);
  await admin('DELETE', `${branch}/nodes/${definition._doc}`);
  assert.ok((await ask('{ custom_things { weight } }')).errors);
});

test('collections take query, sort, skip and limit', async () => {
  await freshBranch();
  await define('custom:book', { title: textType, pages: { type: 'integer' } });
  const ids = {};
  for (const [title, pages, tag] of [['a', 3, 'x'], ['b', 20, 'y'], ['c', 100, 'x']])
    ids[title] = (await create({ _type: 'custom:book', title, pages, 'odd:tag': tag, deep: { tag } }))._doc;
  const titles = async (args, variables, head = '') =>
    (await data(`${head} { custom_books${args} { title } }`, variables)).custom_books.map(({ title }) => title);
  assert.deepEqual(await titles(''), ['a', 'b', 'c']);
  assert.deepEqual(await titles('(query: {pages: 20})'), ['b']);
  assert.deepEqual(await titles('(query: "{\\"deep.tag\\": \\"x\\"}")'), ['a', 'c']);
  assert.deepEqual(await titles('(query: $q)', { q: { pages: { $gt: 3 }, 'odd:tag': 'x' } }, 'query ($q: JSON)'), ['c']);
  assert.deepEqual(await titles('(query: $q)', { q: '{"$or": [{"title": "a"}, {"title": "b"}]}' }, 'query ($q: String!)'), ['a', 'b']);
  assert.deepEqual(await titles('(query: {_doc: $id})', { id: ids.b }, 'query ($id: ID)'), ['b']);
  assert.deepEqual(await titles('(query: $q)', { q: { _doc: { $in: [ids.c, ids.a] } } }, 'query ($q: JSON)'), ['a', 'c']);
  assert.deepEqual(await titles('(query: {_type: "n:node"})'), [], 'the type stays');
  assert.deepEqual(await titles('(query: {_fields: {pages: 1}}, limit: 1)'), ['a'], 'what is selected comes back');
  assert.deepEqual(await titles('(sort: {title: -1})'), ['c', 'b', 'a']);
  assert.deepEqual(await titles('(sort: "{\\"_system.created_on.ms\\": 1, \\"title\\": -1}", limit: -1)').then((all) => all.length), 3);
  assert.deepEqual(await titles('(sort: {title: -1}, skip: 1, limit: 1)'), ['b']);
  assert.deepEqual(await titles('(skip: 3)'), []);
  assert.deepEqual(await titles('(limit: 0)'), []);
  const wrong = await ask('{ custom_books(query: "{\\"a\\": {\\"$nothing\\": 1}}") { title } n_roots { _qname } }');
  assert.deepEqual(wrong.data, { custom_books: null, n_roots: [{ _qname: 'r:root' }] });
  assert.equal(wrong.errors[0].extensions.code, 'query.operator_unknown');
  assert.deepEqual(wrong.errors[0].path, ['custom_books']);
});

test('a node is found by id, alias and QName, with the system fields', async () => {
  await freshBranch();
  const node = await create({ title: 'one', _qname: 'my:one', more: { any: [1] } });
  const found = await data(`{ a: n_node(id: "${node._doc}") { _doc _qname _is_association _features
      _system { changeset created_by created_on { ms iso_8601 } } } b: n_node(id: "my:one") { title }
      c: n_node(id: "nothing") { title } d: n_root(id: "root") { _qname } e: n_root(id: "my:one") { _qname }
      f: node(id: "my:one") }`);
  const { _system: system } = node;
  assert.deepEqual(found.a, {
    _doc: node._doc, _qname: 'my:one', _is_association: false, _features: node._features,
    _system: { changeset: system.changeset, created_by: 'admin',
               created_on: { ms: system.created_on.ms, iso_8601: system.created_on.iso_8601 } },
  });
  assert.deepEqual([found.b, found.c, found.d, found.e], [{ title: 'one' }, null, { _qname: 'r:root' }, null]);
  const { _statistics, ...stored } = await admin('GET', `${branch}/nodes/${node._doc}`);
  assert.deepEqual(found.f, stored);
});

test('GET takes the same by parameters, also with quotes and other names', async () => {
  await freshBranch();
  const get = async (parameters, path = branch) =>
    (await send('GET', `${path}/graphql?${new URLSearchParams(parameters)}`)).json;
  const query = 'query A($l: Int) { n_roots(limit: $l) { _qname } } query B { __typename }';
  const rootOnly = { data: { n_roots: [{ _qname: 'r:root' }] } };
  assert.deepEqual(await get({ query, operationName: 'A', variables: '{"l": 5}' }), rootOnly);
  assert.deepEqual(await get({ query, operation_name: 'B' }), { data: { __typename: 'Query' } });
  assert.deepEqual(await get({ query: JSON.stringify('{ n_roots { _qname } }'), full: 'true' }), rootOnly);
  assert.deepEqual(await get({ query: '{ n_roots { _qname } }' }, branch.replace('/branches/', '/b/')), rootOnly);
  const sent = await admin('POST', `${branch}/graphql`, { query, operationName: 'A', variables: '{"l": 0}' });
  assert.deepEqual(sent, { data: { n_roots: [] } });
});

test('what is wrong stands in errors, never in error, with status 200', async () => {
  await freshBranch();
  const cases = {
    'graphql.query_missing': {},
    'graphql.syntax_wrong': { query: '{ n_nodes { ' },
    'graphql.query_invalid': { query: 'mutation { x }' },
    'graphql.operation_unknown': { query: '{ __typename }', operationName: 'X' },
    'graphql.variable_invalid': { query: 'query ($a: Int!) { n_nodes(limit: $a) { _doc } }' },
    'graphql.query_too_deep': { query: '{a'.repeat(60) + '}'.repeat(60) },
  };
  for (const [code, body] of Object.entries(cases)) {
    const { status, json } = await send('POST', `${branch}/graphql`, body);
    assert.equal(status, 200, code);
    assert.equal('error' in json, false);
    assert.equal(json.errors[0].extensions.code, code, JSON.stringify(json));
    assert.ok(json.errors[0].message.length > 0);
  }
  assert.equal((await send('POST', `${branch}/graphql`, '{')).status, 400);
  assert.equal((await send('POST', `${branch.replace('master', 'nothing')}/graphql`, { query: '{ __typename }' })).status, 404);
});

test('introspection as clients send it', async () => {
  await freshBranch();
  await define('custom:book', { tags: { type: 'array', items: textType } });
  const whole = await data(`query IntrospectionQuery { __schema { queryType { name } mutationType { name }
    subscriptionType { name } types { ...FullType } directives { name description locations args { ...InputValue } } } }
    fragment FullType on __Type { kind name description fields(includeDeprecated: true) { name description
      args { ...InputValue } type { ...TypeRef } isDeprecated deprecationReason } inputFields { ...InputValue }
      interfaces { ...TypeRef } enumValues(includeDeprecated: true) { name description isDeprecated deprecationReason }
      possibleTypes { ...TypeRef } }
    fragment InputValue on __InputValue { name description type { ...TypeRef } defaultValue }
    fragment TypeRef on __Type { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name
      ofType { kind name ofType { kind name ofType { kind name } } } } } } } }`);
  const book = whole.__schema.types.find(({ name }) => name === 'custom_book');
  const tags = book.fields.find(({ name }) => name === 'tags');
  assert.deepEqual(tags.type, { kind: 'LIST', name: null, ofType: { kind: 'SCALAR', name: 'String', ofType: null } });
  const names = new Set(whole.__schema.types.map(({ name }) => name));
  const named = (type) => (type.ofType ? named(type.ofType) : type.name);
  for (const type of whole.__schema.types)
    for (const field of type.fields ?? []) assert.ok(names.has(named(field.type)), `${type.name}.${field.name}`);
});

test('nothing is shown that the caller may not READ', async () => {
  await freshBranch();
  const definition = await define('custom:book', { title: textType });
  const [open] = [await create({ _type: 'custom:book', title: 'open' }), await create({ _type: 'custom:book', title: 'hidden' })];
  const { _doc: userId } = await server.makeUser('reader');
  const token = await server.login('reader', 'secret-of-reader');
  const as = (query) => send('POST', `${branch}/graphql`, { query }, token);
  const repository = branch.replace(/\/branches.*/, '');
  const grant = (path, role) => admin('POST', `${path}/authorities/${role}/grant?id=default/${userId}`, {});
  const query = '{ custom_books { title } }';
  assert.equal((await as(query)).status, 404);
  await grant(repository, 'connector');
  assert.equal((await as(query)).status, 404);
  await grant(branch, 'connector');
  assert.equal((await as(query)).status, 403);
  assert.equal((await send('GET', `${branch}/graphql/schema`, undefined, token)).status, 403);
  await grant(branch, 'consumer');
  assert.equal((await as(query)).json.errors[0].extensions.code, 'graphql.query_invalid', 'the type is hidden');
  assert.doesNotMatch((await send('GET', `${branch}/graphql/schema`, undefined, token)).text, /custom/);
  await grant(`${branch}/nodes/${definition._doc}`, 'consumer');
  assert.deepEqual((await as(query)).json, { data: { custom_books: [] } });
  await grant(`${branch}/nodes/${open._doc}`, 'consumer');
  assert.deepEqual((await as(query)).json, { data: { custom_books: [{ title: 'open' }] } });
  assert.deepEqual((await as('{ custom_books(skip: 1) { title } }')).json, { data: { custom_books: [] } });
  const { rows } = await admin('POST', `${branch}/nodes/query`, { title: 'hidden' });
  assert.deepEqual((await as(`{ custom_book(id: "${rows[0]._doc}") { title } node(id: "${rows[0]._doc}") }`)).json,
    { data: { custom_book: null, node: null } });
});

test('a branch has a schema and nodes of its own', async () => {
  await freshBranch();
  await define('custom:book');
  const repository = branch.replace(/\/branches.*/, '');
  const { rows } = await admin('GET', `${repository}/changesets?sort=${encodeURIComponent('{"_system.created_on.ms":-1}')}`);
  const fork = await admin('POST', `${repository}/branches?changeset=${rows[0]._doc}`, { title: 'fork' });
  branch = `${repository}/branches/${fork._doc}`;
  await define('custom:leaf');
  await create({ _type: 'custom:leaf', title: 'new' });
  assert.deepEqual(await data('{ custom_leafs { title } custom_books { _doc } }'),
    { custom_leafs: [{ title: 'new' }], custom_books: [] });
  branch = `${repository}/branches/master`;
  assert.ok((await ask('{ custom_leafs { title } }')).errors);
});
