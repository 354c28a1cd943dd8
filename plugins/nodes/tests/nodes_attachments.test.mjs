// Attachments of nodes (docs/specification/nodes.md 7.3, 21; docs/reference/nodes_attachments.md).
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdirSync, rmSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { SteleServer } from '../../../tests/support/stele_server.mjs';

let server;
let master;
before(async () => {
  server = await SteleServer.start();
  const { _doc } = await server.admin('POST', '/repositories', {});
  master = `/repositories/${_doc}/branches/master`;
});
after(() => server.end());

const admin = (...args) => server.admin(...args);

async function makeNode(fields = {}) {
  const { _doc } = await admin('POST', `${master}/nodes`, fields);
  return `${master}/nodes/${_doc}`;
}

const download = (path, headers = {}) => server.request('GET', path, { token: server.adminToken, headers });

const send = (path, body, type) => server.request('POST', path,
  { body, token: server.adminToken, headers: type ? { 'Content-Type': type } : {} });

async function upload(path, body, type) {
  const reply = await send(path, body, type);
  assert.equal(reply.status, 200, reply.text);
  return reply.json;
}

/// Parts: { name, filename, type, body }.
function form(parts) {
  const boundary = `limit${randomBytes(8).toString('hex')}`;
  const pieces = [];
  for (const { name, filename, type, body } of parts) {
    const file = filename === undefined ? '' : `; filename="${filename}"`;
    pieces.push(Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n` +
                            `${type ? `Content-Type: ${type}\r\n` : ''}\r\n`));
    pieces.push(Buffer.from(body), Buffer.from('\r\n'));
  }
  pieces.push(Buffer.from(`--${boundary}--\r\n`));
  return { body: Buffer.concat(pieces), type: `multipart/form-data; boundary=${boundary}` };
}

const sendForm = (path, parts) => {
  const { body, type } = form(parts);
  return send(path, body, type);
};
const rowsOf = async (node) => (await admin('GET', `${node}/attachments`)).rows;

test('21: a raw body is kept byte by byte under the id of the path', async () => {
  const node = await makeNode();
  const before = await admin('GET', node);
  const image = randomBytes(300_000);
  await upload(`${node}/attachments/picture`, image, 'image/png');
  const list = await admin('GET', `${node}/attachments`);
  assert.deepEqual([list.total_rows, list.size, list.offset], [1, 1, 0]);
  const [row] = list.rows;
  assert.equal(row.attachmentId, 'picture');
  assert.equal(row._doc, 'picture');
  assert.equal(row.filename, 'picture');
  assert.equal(row.contentType, 'image/png');
  assert.equal(row.length, image.length);
  assert.equal(typeof row.objectId, 'string');
  const reply = await download(`${node}/attachments/picture`);
  assert.equal(reply.status, 200);
  assert.ok(reply.bytes.equals(image));
  assert.equal(reply.headers['content-type'], 'image/png');
  assert.equal(Number(reply.headers['content-length']), image.length);
  const now = await admin('GET', node);
  assert.notEqual(now._system.changeset, before._system.changeset);
  assert.equal(now._system.attachments.picture.length, image.length);
  await admin('PUT', node, { title: 'stays', _system: {} });
  assert.ok((await download(`${node}/attachments/picture`)).bytes.equals(image));
});

test('21: file names come from the query, the part or the id', async () => {
  const node = await makeNode();
  await upload(`${node}/attachments/a?filename=photo.png`, 'raw', 'image/png');
  const one = await sendForm(`${node}/attachments/b`,
    [{ name: 'upload_file', filename: 'scan.pdf', type: 'application/pdf', body: 'pdf' }]);
  assert.equal(one.status, 200, one.text);
  const many = await sendForm(`${node}/attachments`, [
    { name: 'note', body: 'a parameter' },
    { name: 'c', filename: 'c.txt', type: 'text/plain', body: 'text' },
    { name: 'd', filename: '', type: 'text/plain', body: 'text' },
    { name: 'x', filename: 'e.txt', type: 'text/plain', body: 'text' },
    { name: 'attachmentId_2', body: 'e' },
  ]);
  assert.equal(many.status, 200, many.text);
  const rows = await rowsOf(node);
  assert.deepEqual(rows.map((row) => [row.attachmentId, row.filename, row.contentType]), [
    ['a', 'photo.png', 'image/png'], ['b', 'scan.pdf', 'application/pdf'],
    ['c', 'c.txt', 'text/plain'], ['d', 'd', 'text/plain'], ['e', 'e.txt', 'text/plain'],
  ]);
});

test('21: what is uploaded again is replaced, what is deleted is gone, a copy stays', async () => {
  const node = await makeNode();
  await upload(`${node}/attachments/default`, 'one', 'text/plain');
  const { _system: { changeset } } = await admin('GET', node);
  await upload(`${node}/attachments/default`, 'three', 'text/plain');
  assert.equal((await rowsOf(node)).length, 1);
  assert.equal((await download(`${node}/attachments/default`)).bytes.toString(), 'three');
  const old = `${node}/versions/${changeset}/attachments`;
  assert.equal((await admin('GET', old)).rows[0].length, 3);
  assert.equal((await download(`${old}/default`)).bytes.toString(), 'one');
  await admin('POST', `${node}/attachments/default/copy?id=other`, {});
  await admin('DELETE', `${node}/attachments/default`);
  assert.deepEqual((await rowsOf(node)).map((row) => row.attachmentId), ['other']);
  assert.equal((await download(`${node}/attachments/default`)).status, 404);
  assert.equal((await download(`${node}/attachments/other`)).bytes.toString(), 'three');
  await admin('DELETE', node);
  const deletion = node.replace('/nodes/', '/deletions/');
  assert.equal((await admin('GET', `${deletion}/attachments`)).rows[0].attachmentId, 'other');
  await admin('POST', `${deletion}/restore`, {});
  assert.equal((await download(`${node}/attachments/other`)).bytes.toString(), 'three');
});

test('21: text of another charset is served as UTF-8, other bytes stay', async () => {
  const node = await makeNode();
  const latin = Buffer.from([0x47, 0x72, 0xfc, 0xdf, 0x65]);
  await upload(`${node}/attachments/text`, latin, 'text/plain; charset=ISO-8859-1');
  const text = await download(`${node}/attachments/text`);
  assert.equal(text.bytes.toString('utf8'), 'Grüße');
  assert.equal((await rowsOf(node))[0].length, 7);
  assert.match(text.headers['content-type'], /^text\/plain; ?charset=utf-8$/i);
  await upload(`${node}/attachments/bytes`, latin, 'application/x; charset=ISO-8859-1');
  assert.ok((await download(`${node}/attachments/bytes`)).bytes.equals(latin));
  assert.equal((await send(`${node}/attachments/no`, 'x', 'text/plain; charset=none-such')).status, 415);
});

test('downloads cannot be run by a browser, and can be resumed', async () => {
  const node = await makeNode();
  const active = ['text/html', 'image/svg+xml', 'application/xhtml+xml', 'text/xml', 'text/javascript'];
  for (const type of active) {
    await upload(`${node}/attachments/x`, '<script>alert(1)</script>', type);
    const reply = await download(`${node}/attachments/x`);
    assert.match(reply.headers['content-disposition'], /^attachment;/, type);
    assert.match(reply.headers['content-security-policy'], /sandbox/);
    assert.equal(reply.headers['x-content-type-options'], 'nosniff');
  }
  await upload(`${node}/attachments/y?filename=a.png`, '0123456789', 'image/png');
  const shown = await download(`${node}/attachments/y`);
  assert.match(shown.headers['content-disposition'], /^inline; filename="a.png"/);
  const saved = await download(`${node}/attachments/y?a=true&filename=${encodeURIComponent('ü"\r\nX: y')}`);
  assert.match(saved.headers['content-disposition'], /^attachment;/);
  assert.ok(!('x' in saved.headers));
  const part = await download(`${node}/attachments/y`, { Range: 'bytes=3-5' });
  assert.equal(part.status, 206);
  assert.equal(part.bytes.toString(), '345');
  const same = await download(`${node}/attachments/y`, { 'If-None-Match': shown.headers.etag });
  assert.equal(same.status, 304);
});

test('hostile ids, names and types are refused or made safe', async () => {
  const node = await makeNode();
  for (const id of ['..', '.', 'a%2Fb', 'a%5Cb', 'a%0Ab', 'x'.repeat(256)])
    assert.ok([400, 404].includes((await send(`${node}/attachments/${id}`, 'x', 'text/plain')).status), id);
  await upload(`${node}/attachments/safe?filename=${encodeURIComponent('../../etc/passwd')}`, 'x', 'text/plain');
  assert.equal((await rowsOf(node))[0].filename, 'passwd');
  assert.equal((await send(`${node}/attachments/t`, 'x', 'no type')).status, 400);
  const two = [1, 2].map((i) => ({ name: `n${i}`, filename: `f${i}`, type: 'text/plain', body: 'x' }));
  assert.equal((await sendForm(`${node}/attachments/one`, two)).status, 400);
  assert.equal((await sendForm(`${node}/attachments`, [{ name: 'n', body: 'x' }])).status, 400);
  assert.equal((await rowsOf(node)).length, 1);
});

test('21: five uploads to different nodes at a time all succeed', async () => {
  const nodes = [];
  for (let i = 0; i < 5; ++i) nodes.push(await makeNode({ i }));
  const bodies = nodes.map(() => randomBytes(100_000));
  await Promise.all(nodes.map((node, i) => upload(`${node}/attachments/default`, bodies[i], 'image/png')));
  for (const [i, node] of nodes.entries())
    assert.ok((await download(`${node}/attachments/default`)).bytes.equals(bodies[i]));
});

test('7.3: a form makes a node of each file, with its members and its attachment', async () => {
  const reply = await sendForm(`${master}/nodes?property1__title=from%20query`, [
    { name: 'full', body: 'true' },
    { name: 'p', filename: 'a.png', type: 'image/png', body: 'png' },
    { name: 'q', filename: 'b.png', type: 'image/png', body: 'second' },
    { name: 'r', filename: 'c.json', type: 'application/json', body: '{"title":"json"}' },
    { name: 'property0__title', body: 'from part' },
  ]);
  assert.equal(reply.status, 200, reply.text);
  const { rows, total_rows: total } = reply.json;
  assert.equal(total, 3);
  assert.deepEqual(rows.map((row) => row.title), ['from part', 'from query', 'json']);
  assert.equal(new Set(rows.map((row) => row._system.changeset)).size, 1);
  const list = await rowsOf(`${master}/nodes/${rows[0]._doc}`);
  assert.deepEqual(list.map((row) => [row.attachmentId, row.filename, row.length]), [['default', 'a.png', 3]]);
  assert.equal((await admin('GET', `${master}/nodes/${rows[1]._doc}`))._system.attachments.default.length, 6);
});

test('equal bytes count once in the size of a repository, as long as any version has them', async () => {
  const repository = `/repositories/${(await admin('POST', '/repositories', {}))._doc}`;
  const make = async () => `${repository}/branches/master/nodes/${(await admin('POST', `${repository}/branches/master/nodes`, {}))._doc}`;
  const bytes = randomBytes(1_000_000);
  const nodes = [await make(), await make()];
  const sizes = async () => admin('POST', `${repository}/stats`, {});
  const { objectcount: before } = await sizes();
  await upload(`${nodes[0]}/attachments/one`, bytes, 'image/png');
  const first = await sizes();
  assert.equal(first.objectcount, before + 1);
  assert.ok(first.size >= 1_000_000 && first.size < 1_100_000, String(first.size));
  await upload(`${nodes[0]}/attachments/one`, bytes, 'image/png');
  await upload(`${nodes[1]}/attachments/other`, bytes, 'image/gif');
  await admin('POST', `${nodes[0]}/attachments/one/copy?id=two`, {});
  await admin('DELETE', `${nodes[0]}/attachments/one`);
  const later = await sizes();
  assert.equal(later.objectcount, before + 1);
  assert.ok(later.size < 1_100_000, String(later.size));
  await upload(`${nodes[0]}/attachments/one`, randomBytes(1_000_000), 'image/png');
  assert.equal((await sizes()).objectcount, before + 2);
});

test('other bytes under the same id count, and what stays beside them does not count again', async () => {
  const repository = `/repositories/${(await admin('POST', '/repositories', {}))._doc}`;
  const node = `${repository}/branches/master/nodes/${(await admin('POST', `${repository}/branches/master/nodes`, {}))._doc}`;
  const count = async () => (await admin('POST', `${repository}/stats`, {})).objectcount;
  const before = await count();
  for (const id of ['stays', 'one']) await upload(`${node}/attachments/${id}`, randomBytes(1000), 'image/png');
  assert.equal(await count(), before + 2);
  await upload(`${node}/attachments/one`, randomBytes(1000), 'image/png');
  assert.equal(await count(), before + 3);
  await admin('DELETE', `${node}/attachments/one`);
  await admin('PATCH', node, { title: 'changed' });
  assert.equal(await count(), before + 3);
});

test('stele check tells of bytes that are missing or fewer than a node says', async () => {
  const sizes = [54_321, 65_432, 76_543];
  const nodes = [];
  for (const size of sizes) {
    nodes.push(await makeNode());
    await upload(`${nodes.at(-1)}/attachments/kept`, randomBytes(size), 'image/png');
  }
  // An attachment that only the past shows counts, too.
  await admin('DELETE', `${nodes[0]}/attachments/kept`);
  await server.stop();
  const whole = server.check();
  assert.equal(whole.status, 0, whole.text);
  const files = readdirSync(server.data, { recursive: true }).map((name) => join(server.data, name));
  const [lost, cut] = sizes.map((size) => files.find((file) => statSync(file).isFile() && statSync(file).size === size));
  rmSync(lost);
  truncateSync(cut, 1000);
  const { status, text } = server.check();
  assert.equal(status, 2, text);
  const idOf = (node) => node.split('/').at(-1);
  assert.match(text, new RegExp(`node ${idOf(nodes[0])}: attachment kept cannot be read: .*blob.unknown`));
  assert.match(text, new RegExp(`node ${idOf(nodes[1])}: attachment kept has 1000 bytes instead of 65432`));
  assert.doesNotMatch(text, new RegExp(idOf(nodes[2])));
});
