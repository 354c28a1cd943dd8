// Archives that become nodes (docs/specification/nodes.md 32; docs/specification/semantics.md 10), and those that must not.
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { crc32, deflateRawSync } from 'node:zlib';
import { SteleServer } from '../../../tests/support/stele_server.mjs';
import { numbers, zip } from '../../../tests/support/zip_archive.mjs';

let server;
let branch;
let node;
before(async () => { server = await SteleServer.start(); });
after(() => server.end());
beforeEach(async () => {
  branch = `/repositories/${(await server.admin('POST', '/repositories', {}))._doc}/branches/master`;
  node = `${branch}/nodes/${(await server.admin('POST', `${branch}/nodes`, { title: 'archive' }))._doc}`;
});

async function upload(bytes, id = 'default') {
  const reply = await server.request('POST', `${node}/attachments/${id}`,
    { token: server.adminToken, body: bytes, headers: { 'Content-Type': 'application/zip' } });
  assert.equal(reply.status, 200, reply.text);
}
const unzip = (more = '') => server.request('POST', `${node}/unzip${more}`, { token: server.adminToken, body: {} });
const at = (path) => server.admin('GET', `${node}?path=${encodeURIComponent(path)}`);
const counted = async () => (await server.admin('GET', `${branch.split('/branches')[0]}/changesets?limit=-1`)).total_rows;

test('files become nodes with their bytes, in the folders of their paths, as one changeset', async () => {
  const long = 'many words '.repeat(20_000);
  await upload(zip([{ name: 'empty/' }, { name: 'a.txt', data: 'stored', method: 0 }, { name: 'deep/er/b.txt', data: long },
                    { name: 'deep/ü.png', data: 'picture' }, { name: Buffer.from([0x81, 0x2e, 0x78]), data: 'old' }, { name: 'none', data: '' }]), 'packed');
  const before_ = await counted();
  const told = await unzip('?attachmentId=packed');
  assert.equal(told.status, 200, told.text);
  assert.equal(told.json._docs.length, 5);
  assert.equal(await counted(), before_ + 1);
  for (const [path, text, type] of [['/a.txt', 'stored', 'text/plain'], ['/deep/er/b.txt', long, 'text/plain'], ['/deep/ü.png', 'picture', 'image/png'],
                                    ['/ü.x', 'old', 'application/octet-stream'], ['/none', '', 'application/octet-stream']]) {
    const made = await at(path);
    assert.ok(told.json._docs.includes(made._doc), path);
    const reply = await server.request('GET', `${branch}/nodes/${made._doc}/attachments/default`, { token: server.adminToken });
    assert.equal(reply.text, text, path);
    assert.equal(made._system.attachments.default.contentType, type, path);
  }
  assert.ok((await at('/empty'))._features['f:container']);
  assert.equal((await server.admin('POST', `${branch}/nodes/search`, { search: 'words' })).total_rows, 1);
});

test('sizes in ZIP64 are read', async () => {
  const extra = numbers([2, 1], [2, 16], [4, 5], [4, 0], [4, 5], [4, 0]);
  await upload(zip([{ name: 'large', data: 'bytes', method: 0, size: 0xffffffff, packedSize: 0xffffffff, extra }]));
  const told = await unzip();
  assert.equal(told.status, 200, told.text);
  assert.equal((await at('/large'))._system.attachments.default.length, 5);
});

test('what is not there, or no archive, is refused', async () => {
  assert.equal((await unzip()).status, 404);
  for (const bytes of [Buffer.from('no archive'), Buffer.alloc(100_000), zip([{ name: 'a', data: 'b' }]).subarray(0, -30)]) {
    await upload(bytes);
    const { status, json } = await unzip();
    assert.deepEqual([status, json.code], [400, 'zip.malformed']);
  }
});

test('hostile archives are refused as a whole, and nothing is made', async () => {
  const good = { name: 'good.txt', data: 'good' };
  const zeros = Buffer.alloc(1 << 20);
  const cases = {
    'a path upwards': [{ name: '../../etc/passwd', data: 'x' }, 400, 'zip.path_unsafe'],
    'a path upwards inside': [{ name: 'a/../b', data: 'x' }, 400, 'zip.path_unsafe'],
    'an absolute path': [{ name: '/etc/passwd', data: 'x' }, 400, 'zip.path_unsafe'],
    'backslashes': [{ name: '..\\a', data: 'x' }, 400, 'zip.path_unsafe'],
    'a name of nothing': [{ name: '', data: 'x' }, 400, 'zip.path_unsafe'],
    'a NUL': [{ name: 'a\0b', data: 'x' }, 400, 'zip.path_unsafe'],
    'a deep path': [{ name: `${'a/'.repeat(200)}b`, data: 'x' }, 400, 'zip.path_unsafe'],
    'a secret': [{ name: 'a', data: 'x', flags: 1 }, 415, 'zip.entry_unsupported'],
    'another method': [{ name: 'a', data: 'x', method: 12 }, 415, 'zip.entry_unsupported'],
    'a link': [{ name: 'a', data: '/etc/passwd', attributes: 0o120777 * 0x10000 }, 415, 'zip.entry_unsupported'],
    'a size in ZIP64 that is not there': [{ name: 'a', data: 'x', size: 0xffffffff }, 400, 'zip.malformed'],
    'a path that is there': [{ name: 'good.txt', data: 'x' }, 400, 'zip.path_twice'],
    'a path below a file': [{ name: 'good.txt/a', data: 'x' }, 400, 'zip.path_twice'],
    'bytes of another file': [{ name: 'a', data: 'good', offset: 0 }, 400, 'zip.malformed'],
    'a wrong checksum': [{ name: 'a', data: 'x', checksum: 1 }, 400, 'zip.malformed'],
    'more than it says': [{ name: 'a', data: zeros, size: 10 }, 400, 'zip.malformed'],
    'less than it says': [{ name: 'a', data: 'x', size: 10 }, 400, 'zip.malformed'],
    'noise': [{ name: 'a', data: 'x', packed: Buffer.alloc(50, 0xff) }, 400, 'zip.malformed'],
    'an end too early': [{ name: 'a', data: zeros, packedSize: 100 }, 400, 'zip.malformed'],
    'bytes from elsewhere': [{ name: 'a', data: 'x', offset: 3 }, 400, 'zip.malformed'],
    'bytes from outside': [{ name: 'a', data: 'x', offset: 0x7fffffff }, 400, 'zip.malformed'],
    'a bomb': [{ name: 'a', data: zeros, size: 0x7fffffff }, 413, 'zip.too_large'],
  };
  const before_ = await counted();
  for (const [what, [file, status, code]] of Object.entries(cases)) {
    await upload(zip([good, file]));
    const reply = await unzip();
    assert.deepEqual([reply.status, reply.json?.code], [status, code], `${what}: ${reply.text}`);
  }
  await upload(zip(Array.from({ length: 1001 }, (_, i) => ({ name: `${i}`, data: 'x' }))));
  assert.equal((await unzip()).json.code, 'zip.too_large');
  await upload(zip(Array.from({ length: 11 }, (_, i) => ({ name: `${Array.from({ length: 99 }, (_, j) => `${i}.${j}`).join('/')}/` }))));
  assert.equal((await unzip()).json.code, 'zip.too_large');
  assert.equal(await counted(), before_ + Object.keys(cases).length + 2, 'only the uploads wrote');
  assert.equal((await server.admin('GET', `${node}/children`)).total_rows, 0);
});

test('files end anywhere, also where a buffer is full', async () => {
  const sizes = [65_535, 65_536, 65_537, 65_636, 131_172];
  await upload(zip(sizes.map((size) => ({ name: `ends/${size}`, data: Buffer.alloc(size) }))));
  const told = await unzip();
  assert.equal(told.status, 200, told.text);
  for (const size of sizes)
    assert.equal((await at(`/ends/${size}`))._system.attachments.default.length, size);
});

test('files that share their bytes expand no further than they may', async () => {
  const data = Buffer.alloc(8 << 20);
  const packed = deflateRawSync(data);
  const checksum = crc32(data);
  const files = Array.from({ length: 900 }, (_, i) => ({ name: `${i}`, packed: i === 0 ? packed : Buffer.alloc(0), packedSize: packed.length,
                                                         checksum, size: data.length, offset: 0 }));
  await upload(zip(files));
  const { status, json } = await unzip();
  assert.deepEqual([status, json.code], [413, 'zip.too_large']);
});
