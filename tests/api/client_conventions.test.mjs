// What clients and a published application server live on (docs/specification/platform.md 4, 11; nodes.md 8).
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { SteleServer } from '../support/stele_server.mjs';

let server;
let branch;
const admin = (...request) => server.admin(...request);
const make = async (fields) => (await admin('POST', `${branch}/nodes`, fields))._doc;

before(async () => {
  server = await SteleServer.start();
  branch = `/repositories/${(await admin('POST', '/repositories', {}))._doc}/branches/master`;
});
after(() => server.end());

test('a bulk check answers for the principal that it names, whoever asks', async () => {
  for (const name of ['asker', 'holder']) await server.makeUser(name);
  const token = await server.login('asker', 'secret-of-asker');
  const host = (await admin('POST', '/webhosts', {}))._doc;
  const node = await make({ title: 'held' });
  await admin('POST', `/webhosts/${host}/authorities/editor/grant?id=default/holder`);
  await admin('POST', `${branch}/nodes/${node}/authorities/editor/grant?id=default/holder`);
  await admin('POST', `${branch}/authorities/connector/grant?id=default/asker`);
  await admin('POST', `${branch.replace(/\/branches.*/, '')}/authorities/connector/grant?id=default/asker`);
  for (const [collection, permissionedId] of [['/webhosts', host], [`${branch}/nodes`, node]]) {
    for (const as of [token, server.adminToken]) {
      const ask = async (kind, third) => (await server.request('POST', `${collection}/${kind}/check`, { token: as, body: {
        checks: ['holder', 'asker', 'nobody'].map((name) => ({ permissionedId, principalId: `default/${name}`, ...third })) } })).json;
      assert.deepEqual((await ask('permissions', { permissionId: 'UPDATE' })).results.map(({ result }) => result), [true, false, false], collection);
      assert.deepEqual((await ask('authorities', { authorityId: 'consumer' })).checks.map(({ result }) => result), [true, false, false], collection);
    }
  }
});

test('an auto client mapping takes a client by id or key and answers by key', async () => {
  const host = `/webhosts/${(await admin('POST', '/webhosts', {}))._doc}/autoclientmappings`;
  const client = await admin('POST', '/clients', { title: 'mapped' });
  assert.notEqual(client._doc, client.key);
  for (const clientKey of [client._doc, client.key]) {
    const made = await admin('POST', host, { host: 'a.example.org', clientKey });
    assert.equal(made.clientKey, client.key);
    assert.equal((await admin('GET', `${host}/${made._doc}`)).clientKey, client.key);
    await admin('PUT', `${host}/${made._doc}`, { ...made, clientKey, host: 'b.example.org' });
  }
  assert.equal((await admin('POST', `${host}/query`, { clientKey: client.key })).total_rows, 2);
  assert.equal((await admin('POST', host, { clientKey: 'of another server' })).clientKey, 'of another server');
  // Whoever may not read the client learns no key by its id.
  await server.makeUser('mapper');
  await admin('POST', `${host.replace('/autoclientmappings', '')}/authorities/collaborator/grant?id=default/mapper`);
  const token = await server.login('mapper', 'secret-of-mapper');
  const { json } = await server.request('POST', host, { token, body: { clientKey: client._doc } });
  assert.equal(json.clientKey, client._doc);
});

test('a path below a node leads to attachments and previews as it leads to nodes', async () => {
  const image = Buffer.from('GIF89a\x01\0\x01\0\x80\0\0\xff\0\0\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;', 'latin1');
  const leaf = await make({ title: 'pixel.gif', _parentFolderPath: '/site/images' });
  const upload = await server.request('POST', `${branch}/nodes/${leaf}/attachments/default`,
    { token: server.adminToken, body: image, headers: { 'Content-Type': 'image/gif' } });
  assert.equal(upload.status, 200, upload.text);
  const path = (await admin('GET', `${branch}/nodes/${leaf}/path`)).path;
  const get = (rest, token = server.adminToken) => server.request('GET', `${branch}/nodes/root${rest}path=${encodeURIComponent(path)}`, { token });
  assert.equal((await get('?')).json._doc, leaf);
  assert.deepEqual((await get('/attachments?')).json.rows.map(({ attachmentId }) => attachmentId), ['default']);
  const bytes = await get('/attachments/default?');
  assert.deepEqual([bytes.status, bytes.headers['content-type'], bytes.bytes.equals(image)], [200, 'image/gif', true]);
  const preview = await get('/preview/icon?mimetype=image/png&');
  assert.deepEqual([preview.status, preview.headers['content-type']], [200, 'image/png']);
  for (const rest of ['/attachments?', '/attachments/default?', '/preview/icon?']) {
    const missing = await server.request('GET', `${branch}/nodes/root${rest}path=/site/nothing`, { token: server.adminToken });
    assert.deepEqual([missing.status, missing.json.code], [404, 'nodes.path_unknown'], rest);
  }
  // READ on the root is not READ on all that lies below.
  const ref = `user://${(await admin('GET', '/'))._doc}/default/${(await server.makeUser('pathfinder'))._doc}`;
  const token = await server.login('pathfinder', 'secret-of-pathfinder');
  const give = async (...statements) => admin('POST', `/access/policies/${(await admin('POST', '/access/policies', { statements }))._doc}/assign?ref=${encodeURIComponent(ref)}`);
  await give({ action: 'grant', roles: ['consumer'], conditions: [] });
  for (const rest of ['?', '/attachments?', '/attachments/default?']) assert.equal((await get(rest, token)).status, 200, rest);
  await give({ action: 'revoke', roles: ['consumer'], conditions: [{ type: 'path', config: { path: '^/site/images/.*' } }] });
  assert.equal((await server.request('GET', `${branch}/nodes/root`, { token })).status, 200);
  for (const rest of ['?', '/attachments?', '/attachments/default?', '/preview/icon?']) assert.equal((await get(rest, token)).status, 404, rest);
});

test('the authorities report of a node tells where each inherited right comes from', async () => {
  for (const name of ['direct', 'above', 'outside', 'member']) await server.makeUser(name);
  const group = await admin('POST', '/domains/default/principals', { type: 'GROUP', name: 'those-above' });
  await admin('POST', `/domains/default/principals/${group._doc}/members/add?id=default/member`);
  const repository = branch.replace(/\/branches.*/, '');
  const folder = await make({ title: 'folder', _features: { 'f:container': {}, 'f:propagates-authorities': {} } });
  const node = await make({ title: 'node' });
  await admin('POST', `${branch}/nodes/${folder}/associate?node=${node}&type=a:child`);
  await admin('POST', `${branch}/nodes/${node}/authorities/editor/grant?id=default/direct`);
  await admin('POST', `${branch}/nodes/${folder}/authorities/consumer/grant?id=default/above`);
  await admin('POST', `${repository}/authorities/consumer/grant?id=default/those-above`);
  const report = await admin('POST', `${branch}/nodes/${node}/authorities`, {});
  const ids = Object.fromEntries(await Promise.all(['direct', 'above', 'member', 'outside', 'those-above'].map(async (name) => [name, (await admin('GET', `/domains/default/principals/${name}`))._doc])));
  const told = (name) => Object.values(report[ids[name]] ?? {}).map((row) => [row['role-key'], row.principal, row.permissioned, row.inheritsFrom?.permissioned]);
  const id = (path) => path.split('/').at(-1);
  assert.deepEqual(told('direct'), [['editor', `default/${ids.direct}`, node, undefined]]);
  assert.deepEqual(told('above'), [['consumer', `default/${ids.above}`, node, folder]]);
  assert.deepEqual(told('those-above'), [['consumer', `default/${ids['those-above']}`, node, id(repository)]]);
  assert.equal(ids.outside in report, false);
  const asked = await admin('POST', `${branch}/nodes/${node}/authorities`, { principals: ['default/member'] });
  assert.deepEqual(Object.values(asked[ids.member]).map((row) => [row.principal, row.inheritsFrom.permissioned]), [[`default/${ids['those-above']}`, id(repository)]]);
});
