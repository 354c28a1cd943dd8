// Lists by key, lists of nodes, blogs (docs/specification/nodes.md 25).
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { SteleServer } from '../../../tests/support/stele_server.mjs';

let server;
let branch;
before(async () => {
  server = await SteleServer.start();
  branch = `/repositories/${(await server.admin('POST', '/repositories', {}))._doc}/branches/master`;
});
after(() => server.end());

const admin = (...args) => server.admin(...args);
const send = async (method, path, body) => server.request(method, path, { token: server.adminToken, body });

test('a list is made by key and read by key (25)', async () => {
  const list = await admin('POST', `${branch}/lists/colours?type=custom:colour`);
  assert.equal(list.ok, true);
  const read = await admin('GET', `${branch}/lists/colours`);
  assert.equal(read._doc, list._doc);
  assert.deepEqual([read._type, read.listKey, read.listItemType], ['n:list', 'colours', 'custom:colour']);
  assert.deepEqual(await admin('GET', `${branch.replace('/branches/', '/b/')}/lists/colours`), read);
  await admin('PUT', `${branch}/nodes/${list._doc}`, { ...read, support_multiple_locales: true, locales: ['de'] });
  assert.deepEqual((await admin('GET', `${branch}/lists/colours`)).locales, ['de']);
  assert.equal((await send('POST', `${branch}/lists/colours?type=custom:colour`)).status, 409);
  assert.equal((await send('POST', `${branch}/lists/other`)).status, 400);
  assert.equal((await send('GET', `${branch}/lists/none`)).status, 404);
});

test('items have the list\'s type, are listed, queried and removed (25)', async () => {
  await admin('POST', `${branch}/lists/things?type=d:type`);
  const path = `${branch}/lists/things/items`;
  const items = [];
  for (const size of ['small', 'large', 'large']) items.push(await admin('POST', path, { size }));
  assert.deepEqual((await admin('GET', path)).rows.map((row) => [row._type, row.size]), [['d:type', 'small'], ['d:type', 'large'], ['d:type', 'large']]);
  const large = async () => (await admin('POST', `${path}/query`, { size: 'large' })).total_rows;
  assert.equal(await large(), 2);
  await admin('DELETE', `${branch}/nodes/${items[1]._doc}`);
  assert.equal(await large(), 1);
  const page = await admin('GET', `${path}?skip=1&limit=1`);
  assert.deepEqual([page.total_rows, page.offset, page.size, page.rows[0]._doc], [2, 1, 1, items[2]._doc]);
  await admin('DELETE', `${path}/${items[0]._doc}`);
  assert.equal((await admin('GET', path)).total_rows, 1);
  assert.equal((await send('DELETE', `${path}/${items[0]._doc}`)).status, 404);
  const stranger = await admin('POST', `${branch}/nodes`, {});
  assert.equal((await send('DELETE', `${path}/${stranger._doc}`)).status, 404, 'a node that is no item stays');
  await admin('GET', `${branch}/nodes/${stranger._doc}`);
  await admin('DELETE', path);
  assert.equal((await admin('GET', path)).total_rows, 0);
  assert.equal((await admin('GET', `${branch}/lists/things`)).listKey, 'things');
});

test('a list goes with its items (25, 7.6)', async () => {
  await admin('POST', `${branch}/lists/short?type=custom:item`);
  const item = await admin('POST', `${branch}/lists/short/items`, {});
  await admin('DELETE', `${branch}/lists/short`);
  assert.equal((await send('GET', `${branch}/lists/short`)).status, 404);
  assert.equal((await send('GET', `${branch}/nodes/${item._doc}`)).status, 404);
});

test('items are read in the wanted language (24, 25)', async () => {
  await admin('POST', `${branch}/lists/words?type=custom:word`);
  for (const word of ['house', 'tree']) {
    const item = await admin('POST', `${branch}/lists/words/items`, { title: word });
    await admin('POST', `${branch}/nodes/${item._doc}/i18n?locale=de_DE&edition=1.0`, { title: `${word} auf deutsch` });
  }
  const titles = async (headers) => (await server.request('GET', `${branch}/lists/words/items`, { token: server.adminToken, headers }))
    .json.rows.map((row) => row.title);
  assert.deepEqual(await titles({ 'Accept-Language': 'de_DE' }), ['house auf deutsch', 'tree auf deutsch']);
  assert.deepEqual(await titles({}), ['house', 'tree']);
});

test('a node has lists by association type (25)', async () => {
  const owner = `${branch}/nodes/${(await admin('POST', `${branch}/nodes`, {}))._doc}`;
  const path = `${owner}/list/a:owned/items`;
  const item = await admin('POST', path, { title: 'one', _type: 'custom:line' });
  await admin('POST', path, { title: 'two' });
  const list = await admin('GET', path);
  assert.deepEqual(list.rows.map((row) => [row.title, row._type]), [['one', 'custom:line'], ['two', 'n:node']]);
  assert.equal((await admin('GET', `${owner}/list/a:child/items`)).total_rows, 0);
  assert.equal((await admin('POST', `${path}/query`, { title: 'two' })).total_rows, 1);
  await admin('DELETE', `${path}/${item._doc}`);
  assert.equal((await admin('GET', path)).total_rows, 1);
  assert.equal((await send('GET', `${owner}/list/owned/items`)).status, 400);
});

test('blogs and their posts (interface: Queries)', async () => {
  const blog = await admin('POST', `${branch}/nodes`, { _type: 'blog:blog', title: 'B' });
  for (const title of ['one', 'two']) {
    const post = await admin('POST', `${branch}/nodes`, { _type: 'blog:post', title });
    await admin('POST', `${branch}/nodes/${blog._doc}/associate?node=${post._doc}&type=a:child`);
  }
  assert.deepEqual((await admin('GET', `${branch}/blogs`)).rows.map((row) => row._doc), [blog._doc]);
  assert.equal((await admin('POST', `${branch}/blogs/query`, { title: 'other' })).total_rows, 0);
  assert.equal((await admin('GET', `${branch}/blogs/${blog._doc}/posts`)).total_rows, 2);
  assert.deepEqual((await admin('POST', `${branch}/blogs/${blog._doc}/posts/query`, { title: 'two' })).rows.map((row) => row.title), ['two']);
  assert.equal((await send('GET', `${branch}/blogs/root/posts`)).status, 404);
});
