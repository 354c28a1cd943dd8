// Two servers over one PostgreSQL share uploads: each reads, searches and checks what the other took.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { PostgresServer } from '../support/postgres_server.mjs';
import { SteleServer } from '../support/stele_server.mjs';

let postgres;
let one;
let other;
let master;
before(async () => {
  postgres = await PostgresServer.start();
  one = await SteleServer.start({ config: postgres.config() });
  other = await SteleServer.start({ config: postgres.config(), isPrepared: true });
  other.adminToken = await one.login();
  const { _doc } = await one.admin('POST', '/repositories', {});
  master = `/repositories/${_doc}/branches/master`;
});
after(async () => {
  await one.end();
  await other.end();
  await postgres.end();
});

const send = async (server, path, body, type) => {
  const reply = await server.request('POST', path, { body, token: other.adminToken, headers: { 'Content-Type': type } });
  assert.equal(reply.status, 200, reply.text);
  return reply.json;
};
const get = (server, path, headers = {}) => server.request('GET', path, { token: other.adminToken, headers });
const blobsIn = (data) => readdirSync(join(data, 'blobs'), { recursive: true }).filter((name) => /[0-9a-f]{64}$/.test(name));
const makeNode = async (fields) => `${master}/nodes/${(await one.admin('POST', `${master}/nodes`, fields))._doc}`;

test('an upload through one server is read by the other, as a whole and in parts', async () => {
  const node = await makeNode({});
  const bytes = randomBytes(2_000_000);
  await send(one, `${node}/attachments/large`, bytes, 'image/png');
  assert.deepEqual((await get(other, `${node}/attachments/large`)).bytes, bytes);
  const part = await get(other, `${node}/attachments/large`, { Range: 'bytes=1000000-1000099' });
  assert.equal(part.status, 206);
  assert.deepEqual(part.bytes, bytes.subarray(1_000_000, 1_000_100));
  assert.deepEqual(blobsIn(one.data), []);
});

test('what was uploaded before the database kept binaries stays readable where it lies', async () => {
  const node = await makeNode({});
  const bytes = randomBytes(50_000);
  const config = postgres.config();
  await one.stop();
  one.options.config = `${config}storage.binaries = fs\n`;
  await one.launch();
  await send(one, `${node}/attachments/former`, bytes, 'image/png');
  assert.equal(blobsIn(one.data).length, 1);
  await one.stop();
  one.options.config = config;
  await one.launch();
  assert.deepEqual((await get(one, `${node}/attachments/former`)).bytes, bytes);
  // Only that server has it, and the other one says so.
  assert.match(other.check().text, /attachment former cannot be read: .*blob\.unknown/);
  assert.equal(one.check().status, 0);
  await one.admin('DELETE', node.replace(/\/branches.*/, ''));
  const { _doc } = await one.admin('POST', '/repositories', {});
  master = `/repositories/${_doc}/branches/master`;
});

test('the other server searches the words of an upload', async () => {
  const node = await makeNode({ title: 'with words' });
  await send(one, `${node}/attachments/default`, 'zanzibar and other words', 'text/plain');
  const found = async (server) => (await server.request('POST', `${master}/nodes/search`, { token: other.adminToken, body: { search: 'zanzibar' } })).json.total_rows;
  for (const server of [one, other]) {
    for (const end = Date.now() + 30_000; await found(server) !== 1; await sleep(100)) assert.ok(Date.now() < end, 'it is found');
  }
});

test('a command beside a server that is written to does nothing with the plugins of its own accord', async () => {
  const beside = Object.assign(new SteleServer(), { options: { config: postgres.config() }, data: mkdtempSync(join(tmpdir(), 'stele-beside-')), seed: one.seed });
  try {
    const { ended } = beside.runAside(['check']);
    let isRunning = true;
    const checked = ended.finally(() => { isRunning = false; });
    while (isRunning) await makeNode({ title: 'meanwhile' });
    const { status, text } = await checked;
    assert.equal(status, 0, text);
    // The search index of a server follows what the others write.
    assert.ok(!existsSync(join(beside.data, 'search')));
  } finally {
    rmSync(beside.data, { recursive: true, force: true });
  }
});

test('stele check beside serving servers finds all bytes, and tells of those that are missing or changed', async () => {
  const node = await makeNode({});
  const { objectId } = await send(one, `${node}/attachments/checked`, randomBytes(5000), 'image/png');
  for (const server of [one, other]) {
    const sound = server.check();
    assert.equal(sound.status, 0, sound.text);
  }
  const name = objectId ?? postgres.query("select encode(name, 'escape') from stele.stele_blob where size = 5000");
  postgres.query(`update stele.stele_blob_piece set bytes = set_byte(bytes, 7, get_byte(bytes, 7) # 1) where pieces = (select pieces from stele.stele_blob where name = '${name}')`);
  const changed = other.check();
  assert.equal(changed.status, 2);
  assert.match(changed.text, new RegExp(`the binary postgres/${name}.*store\\.damaged`));
  const read = await get(other, `${node}/attachments/checked`);
  assert.deepEqual([read.status, read.json.code], [500, 'store.damaged']);
  postgres.query(`delete from stele.stele_blob where name = '${name}'`);
  for (const server of [one, other]) {
    const missing = server.check();
    assert.equal(missing.status, 2);
    assert.match(missing.text, /attachment checked cannot be read: .*blob\.unknown/);
  }
  await one.admin('DELETE', node);
});

test('a backup of a shared store is restored into a folder with its binaries', async () => {
  const node = await makeNode({});
  const bytes = randomBytes(700_000);
  await send(other, `${node}/attachments/saved`, bytes, 'image/png');
  // Bytes that the test before has taken away are missing in any copy.
  const folder = mkdtempSync(join(tmpdir(), 'stele-saved-'));
  try {
    const saved = one.run(['backup'], { options: ['--to', join(folder, 'all.backup'), '--with-secrets'] });
    assert.equal(saved.status, 0, saved.text);
    const target = Object.assign(new SteleServer(), { options: {}, data: join(folder, 'restored'), seed: one.seed });
    const restored = target.run(['restore'], { options: ['--from', join(folder, 'all.backup')] });
    assert.equal(restored.status, 0, restored.text);
    await target.launch();
    const token = await target.login();
    assert.deepEqual((await target.request('GET', `${node}/attachments/saved`, { token })).bytes, bytes);
    await target.stop();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('a copy of a node has its attachments in the place of the repository that it goes to', async () => {
  const repository = async (fields) => (await one.admin('POST', '/repositories', fields))._doc;
  const [from, to] = [await repository({ binaryStorageProviderType: 'fs' }), await repository({ binaryStorageProviderType: 'postgres' })];
  const nodes = (id) => `/repositories/${id}/branches/master/nodes`;
  const node = (await one.admin('POST', nodes(from), { title: 'with a picture' }))._doc;
  const bytes = randomBytes(600_000);
  await send(one, `${nodes(from)}/${node}/attachments/picture`, bytes, 'image/png');
  for (const strategy of ['COPY_EVERYTHING', 'CLONE']) {
    const copy = (await one.admin('POST', `${nodes(from)}/${node}/copy?targetNodeId=root&targetRepositoryId=${to}&strategy=${strategy}`))._doc;
    // Files lie beside one server, where the other has none.
    const got = await get(other, `${nodes(to)}/${copy}/attachments/picture`);
    assert.deepEqual([got.status, got.bytes.equals(bytes)], [200, true], strategy);
    await one.admin('DELETE', `${nodes(to)}/${copy}`);
  }
});
