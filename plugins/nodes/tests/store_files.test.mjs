// Files of repositories (docs/specification/nodes.md 3, docs/specification/semantics.md 6 "Store files";
// docs/reference/nodes_attachments.md).
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { SteleServer } from '../../../tests/support/stele_server.mjs';

let server;
let repository;
before(async () => {
  server = await SteleServer.start();
  repository = await makeRepository();
});
after(() => server.end());

async function makeRepository(fields = {}) {
  const { _doc } = await server.admin('POST', '/repositories', fields);
  return `/repositories/${_doc}`;
}

const send = (path, body, type, token = server.adminToken) =>
  server.request('POST', path, { body, token, headers: type ? { 'Content-Type': type } : {} });

async function upload(path, body, type) {
  const reply = await send(path, body, type);
  assert.equal(reply.status, 200, reply.text);
  return reply.json;
}

const download = (path, headers = {}, method = 'GET') => server.request(method, path, { token: server.adminToken, headers });

const sizes = async (path) => {
  const { size, objectcount } = await server.admin('POST', `${path}/stats`, {});
  return { size, objectcount };
};

test('3: a file comes back byte by byte with its content type, also after a restart', async () => {
  const bytes = randomBytes(700_000);
  const kept = await upload(`${repository}/files/data.bin`, bytes, 'application/x-data; v=2');
  assert.equal(kept.ok, true);
  assert.equal(kept._doc, 'data.bin');
  assert.equal(kept.length, bytes.length);
  // Text stays as it is, too, whatever its charset.
  const latin = Buffer.from([0x47, 0x72, 0xfc, 0xdf, 0x65]);
  await upload(`${repository}/files/a%20b%20%C3%BC.txt`, latin, 'text/plain; charset=ISO-8859-1');
  await upload(`${repository}/files/empty`, '', 'text/css');
  const compare = async () => {
    const reply = await download(`${repository}/files/data.bin`);
    assert.equal(reply.status, 200);
    assert.ok(reply.bytes.equals(bytes));
    assert.equal(reply.headers['content-type'], 'application/x-data; v=2');
    assert.equal(Number(reply.headers['content-length']), bytes.length);
    const text = await download(`${repository}/files/a%20b%20%C3%BC.txt`);
    assert.ok(text.bytes.equals(latin));
    assert.equal(text.headers['content-type'], 'text/plain; charset=ISO-8859-1');
    const empty = await download(`${repository}/files/empty`);
    assert.deepEqual([empty.status, empty.bytes.length], [200, 0]);
  };
  await compare();
  await server.stop();
  await server.launch();
  await compare();
});

test('3: an upload replaces, a deletion removes, sizes follow', async () => {
  const other = await makeRepository();
  const before = await sizes(other);
  await upload(`${other}/files/x`, 'one', 'text/plain');
  assert.deepEqual(await sizes(other), { size: before.size + 3, objectcount: before.objectcount + 1 });
  await upload(`${other}/files/x`, '{"second":2}', 'application/json');
  const second = await download(`${other}/files/x`);
  assert.equal(second.bytes.toString(), '{"second":2}');
  assert.equal(second.headers['content-type'], 'application/json');
  assert.deepEqual(await sizes(other), { size: before.size + 12, objectcount: before.objectcount + 1 });
  await upload(`${other}/files/y`, '{"second":2}', 'application/json');
  const gone = await server.admin('DELETE', `${other}/files/x`);
  assert.deepEqual([gone.ok, gone._doc], [true, 'x']);
  assert.equal((await download(`${other}/files/x`)).status, 404);
  assert.equal((await download(`${other}/files/x`, {}, 'DELETE')).status, 404);
  assert.equal((await download(`${other}/files/y`)).bytes.toString(), '{"second":2}');
  assert.equal((await download(`${repository}/files/y`)).status, 404);
  await server.admin('DELETE', `${other}/files/y`);
  assert.deepEqual(await sizes(other), before);
});

test('downloads have an ETag and take ranges, and no browser runs them', async () => {
  await upload(`${repository}/files/digits.png`, '0123456789', 'image/png');
  const whole = await download(`${repository}/files/digits.png`);
  assert.match(whole.headers['content-disposition'], /^inline; filename="digits.png"/);
  const part = await download(`${repository}/files/digits.png`, { Range: 'bytes=3-5' });
  assert.deepEqual([part.status, part.bytes.toString()], [206, '345']);
  const same = await download(`${repository}/files/digits.png`, { 'If-None-Match': whole.headers.etag });
  assert.equal(same.status, 304);
  const head = await download(`${repository}/files/digits.png`, {}, 'HEAD');
  assert.deepEqual([head.status, head.headers['content-length'], head.bytes.length], [200, '10', 0]);
  assert.match((await download(`${repository}/files/digits.png?a=true`)).headers['content-disposition'], /^attachment;/);
  for (const type of ['text/html', 'image/svg+xml', 'application/xhtml+xml', 'text/xml', 'text/javascript']) {
    await upload(`${repository}/files/active`, '<script>alert(1)</script>', type);
    const { headers } = await download(`${repository}/files/active`);
    assert.match(headers['content-disposition'], /^attachment;/, type);
    assert.match(headers['content-security-policy'], /sandbox/);
    assert.equal(headers['x-content-type-options'], 'nosniff');
  }
});

test('names that would be paths, and what is no type, are refused by name', async () => {
  const names = ['..%2F..%2Fetc%2Fpasswd', 'a%2Fb', 'a%5Cb', '%2E%2E%2F', 'a%00b', 'a%0Ab', 'x'.repeat(256)];
  for (const name of names) {
    for (const method of ['POST', 'GET', 'DELETE']) {
      const reply = await server.request(method, `${repository}/files/${name}`,
        { body: method === 'POST' ? 'x' : undefined, token: server.adminToken });
      assert.equal(reply.status, 400, `${method} ${name}: ${reply.text}`);
      assert.match(reply.text, /filename|path/, reply.text);
    }
  }
  for (const name of ['..', '.', '%2E%2E'])
    assert.ok([400, 404, 405].includes((await send(`${repository}/files/${name}`, 'x', 'text/plain')).status), name);
  const reply = await send(`${repository}/files/t`, 'x', 'no type');
  assert.equal(reply.status, 400);
  assert.match(reply.text, /Content-Type/);
  assert.equal((await download(`${repository}/files/t`)).status, 404);
});

test('semantics 6: CREATE_SUBOBJECTS on the repository is needed for each of them', async () => {
  await upload(`${repository}/files/guarded`, 'secret', 'text/plain');
  await server.makeUser('filer');
  const token = await server.login('filer', 'secret-of-filer');
  const statuses = async () => {
    const found = [];
    for (const method of ['POST', 'GET', 'DELETE'])
      found.push((await server.request(method, `${repository}/files/guarded`,
        { body: method === 'POST' ? 'x' : undefined, token })).status);
    return found;
  };
  for (const status of await statuses()) assert.ok([403, 404].includes(status), status);
  await server.admin('POST', `${repository}/authorities/editor/grant?id=default/filer`);
  assert.deepEqual(await statuses(), [403, 403, 403]);
  assert.equal((await download(`${repository}/files/guarded`)).bytes.toString(), 'secret');
  await server.admin('POST', `${repository}/authorities/contributor/grant?id=default/filer`);
  assert.deepEqual(await statuses(), [200, 200, 200]);
});

test('a full repository takes no file', async () => {
  const full = await makeRepository({ maxsize: 1_000_000 });
  assert.equal((await send(`${full}/files/x`, randomBytes(1_000_001), 'image/png')).status, 507);
  assert.equal((await download(`${full}/files/x`)).status, 404);
  await upload(`${full}/files/x`, randomBytes(400_000), 'image/png');
  // What is replaced makes room.
  await upload(`${full}/files/x`, randomBytes(600_000), 'image/png');
});

test('stele check tells of files that have lost their bytes; removed repositories leave none', async () => {
  const removed = await makeRepository();
  await upload(`${removed}/files/gone`, randomBytes(43_211), 'image/png');
  await server.admin('DELETE', removed);
  await upload(`${repository}/files/lost`, randomBytes(43_210), 'image/png');
  await server.stop();
  const whole = server.check();
  assert.equal(whole.status, 0, whole.text);
  const files = readdirSync(server.data, { recursive: true }).map((name) => join(server.data, name));
  rmSync(files.find((file) => statSync(file).isFile() && statSync(file).size === 43_210));
  const { status, text } = server.check();
  assert.equal(status, 2, text);
  assert.match(text, /repository \d+, file lost: cannot be read: .*blob.unknown/);
  assert.doesNotMatch(text, /file gone/);
});
