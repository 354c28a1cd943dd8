// Exports of documents that are meant to cost the server more than whoever asks for them: docs/reference/document_exports.md.
import assert from 'node:assert/strict';
import http from 'node:http';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { endedAt } from '../../../tests/support/ended_job.mjs';
import { SteleServer } from '../../../tests/support/stele_server.mjs';
import { until } from '../../../tests/support/until.mjs';
import { unzip } from '../../../tests/support/zip_archive.mjs';

const packageBytes = 32 << 20;
let server;
let platform;
let repository;
let branch;
let master;
before(async () => {
  server = await SteleServer.start({ config: `archives.package_bytes = ${packageBytes}\n` });
  platform = (await server.admin('GET', '/'))._doc;
  repository = (await server.admin('POST', '/repositories', { title: 'documents' }))._doc;
  branch = `/repositories/${repository}/branches/master`;
  master = (await server.admin('GET', branch))._doc;
});
after(() => server.end());

const ask = (method, path, body, { token = server.adminToken, headers } = {}) => server.request(method, path, { token, body, headers });
async function attach(node, bytes, id = 'default', name = 'a.txt') {
  const reply = await ask('POST', `${branch}/nodes/${node}/attachments/${id}?filename=${name}`, bytes, { headers: { 'Content-Type': 'application/octet-stream' } });
  assert.equal(reply.status, 200, reply.text);
}
const makeNode = async (fields) => (await server.admin('POST', `${branch}/nodes`, fields))._doc;
const referenceOf = (node) => `node://${platform}/${repository}/${master}/${node}`;
async function exported(references, settings = {}, token = server.adminToken) {
  const started = await ask('POST', '/ref/exports/start', { references, ...settings }, { token });
  assert.equal(started.status, 200, started.text);
  const id = started.json._doc;
  return { id, ...await endedAt(async (method, path) => (await ask(method, path, undefined, { token })).json, `/ref/exports/${id}/status`) };
}
const download = (id, rest = '', { token, headers } = {}) => ask('GET', `/ref/exports/${id}/download${rest}`, undefined, { token, headers });

test('thousands of files of one name are packed, and more than 10,000 are refused', async () => {
  const node = await makeNode({ title: 'many' });
  for (let i = 0; i < 10; ++i) await attach(node, Buffer.from('x'), i === 0 ? 'default' : `a${i}`);
  const settings = { includeAttachments: true };
  const { id, state, fileCount, message } = await exported(Array(1000).fill(referenceOf(node)), settings);
  assert.deepEqual([state, fileCount], ['FINISHED', 10_000], message);
  const names = [...unzip((await download(id)).bytes).keys()];
  assert.deepEqual([names[0], names.at(-1), new Set(names).size], ['a.txt', 'a (10000).txt', 10_000]);
  await attach(node, Buffer.from('x'), 'one-more');
  const refused = await exported(Array(1000).fill(referenceOf(node)), settings);
  assert.deepEqual([refused.state, /at most 10,000 files/.test(refused.message)], ['ERROR', true], refused.message);
  // What has become too large since it was looked at is refused when it is asked for.
  const late = await download(id);
  assert.deepEqual([late.status, late.json.code], [413, 'archives.package_too_large']);
});

test('a package has at most so many bytes, whatever it is asked for as', async () => {
  const node = await makeNode({ title: 'long' });
  await attach(node, randomBytes(8 << 20));
  const fits = await exported(Array(3).fill(referenceOf(node)));
  assert.equal((await download(fits.id)).status, 200);
  const { id, state } = await exported(Array(5).fill(referenceOf(node)));
  assert.equal(state, 'FINISHED', 'nobody knows before how long a zip becomes');
  const reply = await download(id);
  assert.deepEqual([reply.status, reply.json.code], [413, 'archives.package_too_large']);
  assert.equal((await download(id, '/4')).bytes.length, 8 << 20);
  const before = (await server.admin('GET', `${branch}/nodes?limit=1`)).total_rows;
  const generated = await ask('POST', `/ref/exports/${id}/generate`, { repositoryId: repository, branchId: master });
  assert.deepEqual([generated.status, generated.json.code], [413, 'archives.package_too_large']);
  assert.equal((await server.admin('GET', `${branch}/nodes?limit=1`)).total_rows, before, 'there is no node without its package');
});

test('what is being downloaded leaves room for others, and gives it back when it has gone', async () => {
  const node = await makeNode({ title: 'slow' });
  await attach(node, randomBytes(20 << 20));
  const { id } = await exported([referenceOf(node)]);
  /// A caller that reads nothing but the head.
  const slow = await new Promise((resolve, reject) => {
    http.get(`${server.baseUrl}/ref/exports/${id}/download`, { headers: { Authorization: `Bearer ${server.adminToken}` } }, resolve).on('error', reject);
  });
  assert.equal(slow.statusCode, 200);
  const second = await download(id);
  assert.deepEqual([second.status, second.json.code], [429, 'archives.packages_busy']);
  assert.ok(Number(second.headers['retry-after']) > 0);
  await server.makeUser('eve');
  const token = await server.login('eve', 'secret-of-eve');
  for (const [path, role] of [[`/repositories/${repository}`, 'connector'], [branch, 'consumer'], [`${branch}/nodes/${node}`, 'consumer']]) await server.admin('POST', `${path}/authorities/${role}/grant?id=default/eve`);
  const others = await exported([referenceOf(node)], {}, token);
  assert.equal((await download(others.id, '', { token })).status, 200, 'others have room of their own');
  slow.destroy();
  await until(async () => (await download(id)).status === 200);
});

test('what a document says of itself takes little more room than it needs, however deep it lies', async () => {
  let deep = Array(60_000).fill(1).map((_, i) => i % 10);
  for (let i = 0; i < 60; ++i) deep = { of: deep };
  const node = await makeNode({ title: 'deep', deep });
  const { id, state } = await exported([referenceOf(node)], { includeMetadata: true });
  assert.equal(state, 'FINISHED');
  const [[name, bytes]] = [...unzip((await download(id)).bytes)];
  assert.deepEqual([name, JSON.parse(bytes).deep], ['deep.json', deep]);
  assert.ok(bytes.length < 1_500_000, `${bytes.length} bytes`);
});

test('a download that is gone on with is of the same package', async () => {
  const node = await makeNode({ title: 'changing' });
  await attach(node, Buffer.from('one'));
  const { id } = await exported([referenceOf(node)]);
  const first = await download(id);
  const { etag } = first.headers;
  assert.match(etag, /^"[0-9a-f]{64}"$/);
  assert.equal((await download(id)).headers.etag, etag);
  const part = await download(id, '', { headers: { Range: 'bytes=2-', 'If-Range': etag } });
  assert.deepEqual([part.status, part.bytes], [206, first.bytes.subarray(2)]);
  await attach(node, Buffer.from('two'));
  const whole = await download(id, '', { headers: { Range: 'bytes=2-', 'If-Range': etag } });
  assert.deepEqual([whole.status, unzip(whole.bytes).get('a.txt').toString()], [200, 'two']);
});
