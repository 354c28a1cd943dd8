// Previews of attachments (docs/specification/nodes.md 21; docs/reference/node_previews.md).
import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { deflateSync, inflateSync } from 'node:zlib';
import { SteleServer } from '../../../tests/support/stele_server.mjs';

const bin = process.env.STELE_BIN ?? new URL('../../../build/release/bin/stele', import.meta.url).pathname;
const program = join(dirname(bin), '../lib/stele/stele_preview');

const folder = mkdtempSync(join(tmpdir(), 'stele-previews-test-'));
const runs = join(folder, 'runs');
let server;
let master;

/// A stand-in for the program, made of a few words of a shell; each run leaves a line in `runs`.
function standIn(name, words) {
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\necho run >> ${runs}\n${words}\n`);
  chmodSync(path, 0o700);
  return path;
}
const runCount = () => (existsSync(runs) ? readFileSync(runs, 'utf8').split('\n').length - 1 : 0);

const settings = (lines, kept = join(folder, 'kept')) => ({ config: [`node_previews.folder = ${kept}`, ...lines].join('\n') });
const counting = settings([`node_previews.program = ${standIn('counting', `exec ${program} "$@"`)}`]);

before(async () => {
  server = await SteleServer.start(counting);
  const { _doc } = await server.admin('POST', '/repositories', {});
  master = `/repositories/${_doc}/branches/master`;
});
after(async () => {
  await server.end();
  rmSync(folder, { recursive: true, force: true });
});

async function makeNode(on = server, branch = master) {
  const { _doc } = await on.admin('POST', `${branch}/nodes`, {});
  return `${branch}/nodes/${_doc}`;
}

async function upload(node, body, { id = 'default', type = 'image/png', on = server } = {}) {
  await on.admin('GET', node);
  const reply = await on.request('POST', `${node}/attachments/${id}`,
    { body, token: on.adminToken, headers: { 'Content-Type': type } });
  assert.equal(reply.status, 200, reply.text);
}

async function nodeWith(body, options) {
  const node = await makeNode();
  await upload(node, body, options);
  return node;
}

/// A reply with its bytes as they are.
function get(path, { headers = {}, token, on = server } = {}) {
  const all = { Authorization: `Bearer ${token ?? on.adminToken}`, ...headers };
  return new Promise((resolve, reject) => {
    http.get({ host: '127.0.0.1', port: on.port, path, headers: all, agent: false }, (response) => {
      const pieces = [];
      response.on('data', (piece) => pieces.push(piece));
      response.on('error', reject);
      response.on('end', () => {
        const bytes = Buffer.concat(pieces);
        let json;
        try { json = JSON.parse(bytes); } catch { json = undefined; }
        resolve({ status: response.statusCode, headers: response.headers, bytes, json });
      });
    }).on('error', reject);
  });
}

async function refused(path, status, code, options) {
  const reply = await get(path, options);
  assert.equal(reply.status, status, `${path}: ${reply.bytes}`);
  assert.equal(reply.json.code, code, path);
  return reply;
}

// ---- files ----

function crc32(bytes) {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let i = 0; i < 8; ++i) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
}

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}

const kPngMagic = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/// `rows` as PNG has them, filter bytes included.
function pngOf(width, height, depth, colorType, rows) {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([depth, colorType], 8);
  return Buffer.concat([kPngMagic, chunk('IHDR', header), chunk('IDAT', deflateSync(rows)),
                        chunk('IEND', Buffer.alloc(0))]);
}

/// One color all over.
function png(width, height, [red, green, blue]) {
  const row = Buffer.alloc(1 + width * 3);
  for (let x = 0; x < width; ++x) row.set([red, green, blue], 1 + x * 3);
  return pngOf(width, height, 8, 2, Buffer.concat(Array(height).fill(row)));
}

/// Black, in one bit a pixel.
const blackPng = (width, height) =>
  pngOf(width, height, 1, 0, Buffer.alloc(height * (1 + Math.ceil(width / 8))));

/// Pages of one color (as PDF writes it), 200 by 100 points.
function pdf(contents, box = '0 0 200 100') {
  const kids = contents.map((_, i) => `${3 + 2 * i} 0 R`).join(' ');
  const objects = ['<< /Type /Catalog /Pages 2 0 R >>',
                   `<< /Type /Pages /Kids [${kids}] /Count ${contents.length} >>`];
  contents.forEach((content, i) => {
    objects.push(`<< /Type /Page /Parent 2 0 R /MediaBox [${box}] /Contents ${4 + 2 * i} 0 R /Resources << >> >>`);
    objects.push(`<< /Length ${content.length} >>\nstream\n${content}\nendstream`);
  });
  let text = '%PDF-1.4\n';
  const offsets = objects.map((object, i) => {
    const offset = text.length;
    text += `${i + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const lines = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  return `${text}xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${lines}` +
         `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${text.length}\n%%EOF\n`;
}
const filled = (color) => `${color} rg 0 0 200 100 re f`;

/// Width, height and the first pixel of a PNG of 8 bits.
function readPng(bytes) {
  assert.ok(bytes.subarray(0, 8).equals(kPngMagic), 'a PNG');
  const data = [];
  for (let at = 8; at < bytes.length; at += 12 + bytes.readUInt32BE(at)) {
    if (bytes.toString('latin1', at + 4, at + 8) === 'IDAT') data.push(bytes.subarray(at + 8, at + 8 + bytes.readUInt32BE(at)));
  }
  // No filter changes the first pixel of the first row.
  return { size: [bytes.readUInt32BE(16), bytes.readUInt32BE(20)], first: [...inflateSync(Buffer.concat(data)).subarray(1, 4)] };
}

function jpegSize(bytes) {
  assert.equal(bytes.readUInt16BE(0), 0xffd8, 'a JPEG');
  for (let at = 2; at < bytes.length; at += 2 + bytes.readUInt16BE(at + 2)) {
    const marker = bytes[at + 1];
    if (marker >= 0xc0 && marker <= 0xc2) return [bytes.readUInt16BE(at + 7), bytes.readUInt16BE(at + 5)];
  }
  assert.fail('no frame');
}

const red = [200, 10, 30];
async function previewSize(node, query) {
  const reply = await get(`${node}/preview/any?mimetype=image/png&${query}`);
  assert.equal(reply.status, 200, `${query}: ${reply.bytes}`);
  return readPng(reply.bytes).size;
}

// ---- what there is to see ----

test('21: a preview is a small picture of the default attachment', async () => {
  const node = await nodeWith(png(600, 300, red));
  const reply = await get(`${node}/preview/icon64`);
  assert.equal(reply.status, 200, String(reply.bytes));
  assert.equal(reply.headers['content-type'], 'image/jpeg');
  assert.equal(reply.headers['x-content-type-options'], 'nosniff');
  assert.match(reply.headers['content-security-policy'], /sandbox/);
  assert.equal(Number(reply.headers['content-length']), reply.bytes.length);
  assert.deepEqual(jpegSize(reply.bytes), [256, 128]);
  const again = await get(`${node}/preview/icon64`, { headers: { 'If-None-Match': reply.headers.etag } });
  assert.equal(again.status, 304);
});

test('21: size, width and height are a box, and pictures do not grow', async () => {
  const node = await nodeWith(png(600, 300, red));
  assert.deepEqual(await previewSize(node, 'size=100'), [100, 50]);
  assert.deepEqual(await previewSize(node, 'width=60'), [60, 30]);
  assert.deepEqual(await previewSize(node, 'height=60'), [120, 60]);
  assert.deepEqual(await previewSize(node, 'width=300&height=30'), [60, 30]);
  assert.deepEqual(await previewSize(node, 'size=4096'), [600, 300]);
});

test('21: mimetype picks the format, and the colors stay', async () => {
  const node = await nodeWith(png(600, 300, red));
  const asPng = await get(`${node}/preview/a?mimetype=image/png&size=32`);
  assert.equal(asPng.headers['content-type'], 'image/png');
  assert.deepEqual(readPng(asPng.bytes), { size: [32, 16], first: red });
  const asWebp = await get(`${node}/preview/a?mimetype=image/webp&size=32`);
  assert.equal(asWebp.headers['content-type'], 'image/webp');
  assert.equal(asWebp.bytes.toString('latin1', 8, 12), 'WEBP');
  await refused(`${node}/preview/a?mimetype=image/svg%2Bxml`, 415, 'node_previews.type_unsupported');
});

test('21: a PDF shows its first page', async () => {
  const node = await nodeWith(pdf([filled('1 0 0'), filled('0 0 1')]), { type: 'application/pdf' });
  const reply = await get(`${node}/preview/page?mimetype=image/png&size=50`);
  assert.equal(reply.status, 200, String(reply.bytes));
  assert.deepEqual(readPng(reply.bytes), { size: [50, 25], first: [255, 0, 0] });
});

test('21: attachment picks the source; every way to write the path leads to it', async () => {
  const node = await nodeWith(png(60, 30, red));
  await upload(node, png(40, 40, [0, 0, 255]), { id: 'other', type: 'application/octet-stream' });
  assert.deepEqual(await previewSize(node, 'attachment=other'), [40, 40]);
  const [, repositories, repository, , branch, , id] = node.split('/');
  for (const path of [`b/${branch}/nodes`, `b/${branch}/n`, `branches/${branch}/n`]) {
    const reply = await get(`/${repositories}/${repository}/${path}/${id}/preview/any`);
    assert.equal(reply.status, 200, path);
  }
});

test('21: the size of a preview is a number in bounds', async () => {
  const node = await nodeWith(png(6, 3, red));
  for (const name of ['size', 'width', 'height']) {
    for (const wrong of ['0', '4097', 'big', '-2']) {
      const reply = await get(`${node}/preview/any?${name}=${wrong}`);
      assert.equal(reply.status, 400, `${name}=${wrong}`);
      assert.equal(reply.json.violations[0].path, name);
    }
  }
  assert.equal((await get(`${node}/preview/any?force=perhaps`)).status, 400);
});

// ---- what there is not ----

test('21: what has no preview is 404 with its reason', async () => {
  const node = await makeNode();
  await refused(`${node}/preview/any`, 404, 'attachment.unknown');
  await upload(node, png(6, 3, red));
  await refused(`${node}/preview/any?attachment=missing`, 404, 'attachment.unknown');
  await refused(`${master}/nodes/root/preview/any`, 404, 'attachment.unknown');
  await refused(`${master}/nodes/missing/preview/any`, 404, 'document.unknown');
  await refused(`/repositories/missing/branches/master/nodes/root/preview/any`, 404, 'document.unknown');
  for (const text of ['', 'hello', '%!PS-Adobe-3.0', 'push graphic-context\nviewbox 0 0 9 9\n']) {
    const other = await nodeWith(text, { type: 'image/png' });
    await refused(`${other}/preview/any`, 404, 'node_previews.source_unsupported');
  }
});

test('SVG is not rendered, whatever it is called', async () => {
  const svg = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:x="http://www.w3.org/1999/xlink" width="9" height="9">' +
              '<image x:href="file:///etc/passwd" width="9" height="9"/></svg>';
  for (const type of ['image/svg+xml', 'image/png']) {
    await refused(`${await nodeWith(svg, { type })}/preview/any`, 404, 'node_previews.source_unsupported');
  }
});

test('broken pictures have no preview and harm nobody', async () => {
  const whole = png(600, 300, red);
  const broken = [whole.subarray(0, whole.length - 60), whole.subarray(0, 40), kPngMagic,
                  Buffer.concat([kPngMagic, Buffer.alloc(1000, 0xff)]),
                  Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 16]), Buffer.from('GIF89a'),
                  Buffer.concat([Buffer.from('II*\0'), Buffer.alloc(100, 0xfe)]),
                  Buffer.from('%PDF-1.4\n1 0 obj\n<< /Type /Catalog /Pages 1 0 R >>\nendobj\n'),
                  pdf([filled('1 0 0')]).slice(0, 150),
                  Buffer.concat([Buffer.from('RIFF\xff\xff\xff\x7fWEBPVP8 ', 'latin1'), Buffer.alloc(50, 1)])];
  for (const [i, bytes] of broken.entries()) {
    const reply = await get(`${await nodeWith(bytes)}/preview/any`);
    assert.deepEqual([reply.status, reply.json?.code], [404, 'node_previews.source_unreadable'], `case ${i}`);
  }
  assert.equal((await get(`${await nodeWith(whole)}/preview/any`)).status, 200);
});

test('decompression bombs are refused by what their header says', { timeout: 60_000 }, async () => {
  const bomb = blackPng(30_000, 30_000);
  assert.ok(bomb.length < 500_000, 'small to send');
  const begin = Date.now();
  await refused(`${await nodeWith(bomb)}/preview/any`, 404, 'node_previews.source_too_large');
  assert.ok(Date.now() - begin < 10_000);
  const gif = Buffer.from('GIF89a\xff\xff\xff\xff\x80\0\0\xff\0\0\0\0\xff,\0\0\0\0\xff\xff\xff\xff\0\x02\x02D\x0a\0;', 'latin1');
  const reply = await get(`${await nodeWith(gif)}/preview/any`);
  assert.equal(reply.status, 404, String(reply.bytes));
  assert.match(reply.json.code, /^node_previews\./);
  await refused(`${await nodeWith(pdf([filled('1 0 0')], '0 0 9000000 9000000'))}/preview/any`, 404,
                'node_previews.source_too_large');
});

test('21: fallback is where callers go that get no preview', async () => {
  const text = await nodeWith('hello', { type: 'text/plain' });
  const reply = await get(`${text}/preview/any?fallback=${encodeURIComponent('/icons/none.png?a=1')}`);
  assert.equal(reply.status, 303);
  assert.equal(reply.headers.location, '/icons/none.png?a=1');
  assert.equal((await get(`${text}/preview/any?attachment=missing&fallback=/none`)).status, 303);
  for (const elsewhere of ['https://evil.example/', '//evil.example/', '/\\evil.example', 'none.png', '/a\r\nX: y']) {
    const wrong = await get(`${text}/preview/any?fallback=${encodeURIComponent(elsewhere)}`);
    assert.equal(wrong.status, 400, elsewhere);
    assert.equal(wrong.json.violations[0].path, 'fallback');
  }
  const picture = await nodeWith(png(6, 3, red));
  assert.equal((await get(`${picture}/preview/any?fallback=/none`)).status, 200);
  await refused(`${master}/nodes/missing/preview/any?fallback=/none`, 404, 'document.unknown');
});

// ---- who may see it ----

test('a preview is for those who may READ the node, and others learn what GET tells them', async () => {
  const node = await nodeWith(png(60, 30, red));
  const user = await server.makeUser('previewer');
  const token = await server.login('previewer', 'secret-of-previewer');
  const id = `default/${user._doc}`;
  const same = async (status) => {
    const record = await get(node, { token });
    const preview = await get(`${node}/preview/any?fallback=/none`, { token });
    assert.deepEqual([record.status, preview.status], [status, status]);
    if (status !== 200) assert.deepEqual([preview.json.code, preview.json.message], [record.json.code, record.json.message]);
  };
  const grant = (path, role) => server.admin('POST', `${path}/authorities/${role}/grant?id=${id}`);
  const revoke = (path, role) => server.admin('POST', `${path}/authorities/${role}/revoke?id=${id}`);
  const repository = master.split('/branches')[0];
  await same(404);
  for (const path of [repository, master]) {
    await grant(path, 'connector');
    await same(404);
  }
  await grant(node, 'connector');
  await same(403);
  await grant(node, 'consumer');
  await same(200);
  // What somebody else has had made is not shown to those who may not see it.
  await revoke(node, 'consumer');
  await same(403);
  assert.equal((await get(`${node}/preview/any`, { headers: { Authorization: '' }, token: '' })).status, 401);
});

// ---- how often it is made ----

test('a preview is made once for everybody who asks at the same time, and kept', async () => {
  const node = await nodeWith(blackPng(5000, 4000));
  const path = `${node}/preview/any?size=77`;
  const before = runCount();
  const replies = await Promise.all(Array.from({ length: 8 }, () => get(path)));
  replies.forEach((reply) => assert.equal(reply.status, 200, String(reply.bytes)));
  assert.equal(runCount(), before + 1);
  await get(path);
  await get(`${node}/preview/other-name?size=77`);
  assert.equal(runCount(), before + 1);
  await server.stop();
  await server.launch();
  const later = await get(path);
  assert.ok(later.bytes.equals(replies[0].bytes));
  assert.equal(runCount(), before + 1);
  assert.equal((await get(`${path}&force=true`)).status, 200);
  assert.equal(runCount(), before + 2);
  await get(`${node}/preview/any?size=78`);
  assert.equal(runCount(), before + 3);
});

test('another attachment has another preview at once, no preview makes a version of the node', async () => {
  const node = await nodeWith(png(60, 30, red));
  const first = await get(`${node}/preview/any?mimetype=image/png`);
  await upload(node, png(60, 30, [0, 0, 255]));
  const record = await server.admin('GET', node);
  const second = await get(`${node}/preview/any?mimetype=image/png`);
  assert.deepEqual(readPng(second.bytes).first, [0, 0, 255]);
  assert.notEqual(second.headers.etag, first.headers.etag);
  assert.deepEqual(await server.admin('GET', node), record);
});

test('a refusal is remembered, unless the caller insists', async () => {
  const node = await nodeWith(Buffer.concat([kPngMagic, Buffer.from('refused')]));
  const before = runCount();
  for (let i = 0; i < 3; ++i) await refused(`${node}/preview/any`, 404, 'node_previews.source_unreadable');
  assert.equal(runCount(), before + 1);
  await refused(`${node}/preview/any?force=true`, 404, 'node_previews.source_unreadable');
  assert.equal(runCount(), before + 2);
});

// ---- other settings ----

async function withServer(lines, work, kept) {
  const other = await SteleServer.start(settings(lines, kept));
  try {
    const { _doc } = await other.admin('POST', '/repositories', {});
    await work(other, `/repositories/${_doc}/branches/master`);
  } finally {
    await other.end();
  }
}

test('too many at once are told to come again, and others are served meanwhile', { timeout: 60_000 }, async () => {
  const slow = standIn('slow', `sleep 3; exec ${program} "$@"`);
  await withServer([`node_previews.program = ${slow}`, 'node_previews.concurrent = 1', 'node_previews.waiting = 1', 'server.busy_wait = 0s'],
    async (on, branch) => {
      const node = await makeNode(on, branch);
      await upload(node, png(61, 30, red), { on });
      const pending = [11, 12, 13, 14].map((size) => get(`${node}/preview/any?size=${size}`, { on }));
      const begin = Date.now();
      assert.equal((await get(node, { on })).status, 200);
      assert.ok(Date.now() - begin < 2000);
      const replies = await Promise.all(pending);
      assert.deepEqual(replies.map((reply) => reply.status).sort(), [200, 200, 429, 429]);
      const busy = replies.find((reply) => reply.status === 429);
      assert.equal(busy.json.code, 'node_previews.busy');
      assert.ok(Number(busy.headers['retry-after']) >= 1);
    });
});

test('a gallery gets all of its pictures, however few are made at a time', { timeout: 120_000 }, async () => {
  const slow = standIn('slow-gallery', `sleep 0.2; exec ${program} "$@"`);
  await withServer([`node_previews.program = ${slow}`, 'node_previews.concurrent = 2', 'node_previews.waiting = 2', 'server.busy_wait = 90s'],
    async (on, branch) => {
      const node = await makeNode(on, branch);
      await upload(node, png(61, 30, red), { on });
      const replies = await Promise.all(Array.from({ length: 24 }, (_, i) => get(`${node}/preview/any?size=${10 + i}`, { on })));
      assert.deepEqual(replies.map((reply) => reply.status), Array(24).fill(200));
      for (const reply of replies) assert.ok(reply.bytes.length > 0);
    });
});

test('time and memory of a preview are bounded', { timeout: 60_000 }, async () => {
  const heavy = pdf(['0 0 200 100 re f '.repeat(3_000_000)]);
  await withServer(['node_previews.seconds = 1'], async (on, branch) => {
    const node = await makeNode(on, branch);
    await upload(node, heavy, { on });
    const begin = Date.now();
    await refused(`${node}/preview/any`, 404, 'node_previews.limit_exceeded', { on });
    assert.ok(Date.now() - begin < 10_000);
  });
  await withServer(['node_previews.source_bytes = 1000', 'node_previews.pixels = 100'], async (on, branch) => {
    const node = await makeNode(on, branch);
    await upload(node, Buffer.concat([png(6, 3, red), Buffer.alloc(1000)]), { on });
    await refused(`${node}/preview/any`, 404, 'node_previews.source_too_large', { on });
    await upload(node, png(50, 3, red), { on });
    await refused(`${node}/preview/any`, 404, 'node_previews.source_too_large', { on });
  });
});

const rowsOf = async (node, on = server) => (await on.admin('GET', `${node}/attachments`)).rows;
const named = async (node, on) => (await rowsOf(node, on)).map((row) => [row.attachmentId, row.contentType, row.filename]);

test('transform makes another attachment of one, and is 501 where nothing renders it', async () => {
  const node = await nodeWith(png(40, 20, red));
  const sent = await server.request('POST', `${node}/transform?mimetype=image/jpeg`, { token: server.adminToken, body: {} });
  assert.equal(sent.status, 200, sent.text);
  await server.admin('POST', `${node}/transform?mimetype=image/webp&width=10&target=small&attachment=default_jpeg`, {});
  assert.deepEqual(await named(node), [['default', 'image/png', 'default'], ['default_jpeg', 'image/jpeg', 'default_jpeg.jpeg'], ['small', 'image/webp', 'small.webp']]);
  const made = await get(`${node}/attachments/default_jpeg`);
  assert.deepEqual([...made.bytes.subarray(0, 3)], [0xff, 0xd8, 0xff]);
  assert.equal((await get(`${node}/attachments/small`)).bytes.toString('latin1', 8, 12), 'WEBP');
  await upload(node, 'no picture', { id: 'text', type: 'text/plain' });
  const { _system: { changeset } } = await server.admin('GET', node);
  for (const [query, status, code] of [['mimetype=application/pdf', 501, 'node_previews.type_unsupported'], ['mimetype=image/png&attachment=text', 501, 'node_previews.source_unsupported'],
    ['mimetype=image/png&attachment=none', 404, 'attachment.unknown'], ['', 400, 'request.parameter_invalid'], ['mimetype=picture', 400, 'attachment.type_malformed'],
    ['mimetype=image/png&width=0', 400, 'request.parameter_invalid'], ['mimetype=image/png&target=a%2Fb', 400, 'attachment.id_malformed']]) {
    const reply = await server.request('POST', `${node}/transform?${query}`, { token: server.adminToken, body: {} });
    assert.equal(reply.status, status, `${query} ${reply.text}`);
    assert.ok([reply.json.code, ...(reply.json.violations ?? []).map((one) => one.code)].includes(code), `${query} ${reply.text}`);
  }
  assert.equal((await server.admin('GET', node))._system.changeset, changeset, 'nothing was written');
});

test('without a plugin that renders, transform is 501 and uploads need no pictures', async () => {
  const on = await SteleServer.start({ enable: 'identity,nodes' });
  const { _doc } = await on.admin('POST', '/repositories', {});
  const node = await makeNode(on, `/repositories/${_doc}/branches/master`);
  await on.admin('POST', `${node}/features/f:thumbnailable`, { mimetype: 'image/png' });
  await upload(node, png(4, 4, red), { on });
  assert.deepEqual((await rowsOf(node, on)).map((row) => row.attachmentId), ['default']);
  const reply = await on.request('POST', `${node}/transform?mimetype=image/jpeg`, { token: on.adminToken, body: {} });
  assert.deepEqual([reply.status, reply.json.code], [501, 'nodes.transform_missing']);
  await on.end();
});

test('f:thumbnailable and f:previewable keep pictures among the attachments, in step with their source', async () => {
  const node = await nodeWith(png(40, 20, red));
  await server.admin('POST', `${node}/features/f:thumbnailable`, { mimetype: 'image/png', width: 8 });
  await server.admin('POST', `${node}/features/f:previewable`, { previews: { large: { mimetype: 'image/jpeg', width: 30, height: -1, prefix: 'p-' }, none: { source: 'other' } } });
  const shown = [['default', 'image/png', 'default'], ['thumbnail', 'image/png', 'thumbnail.png'], ['p-large', 'image/jpeg', 'p-large.jpeg']];
  assert.deepEqual(await named(node), shown);
  const first = await get(`${node}/attachments/thumbnail`);
  assert.equal(first.bytes.readUInt32BE(16), 8, 'the width of the PNG');
  const before_ = runCount();
  await upload(node, 'a note', { id: 'note', type: 'text/plain' });
  assert.equal(runCount(), before_, 'what is as its source is not made again');
  await upload(node, png(40, 20, [0, 0, 255]));
  assert.ok(!(await get(`${node}/attachments/thumbnail`)).bytes.equals(first.bytes), 'a new source, a new picture');
  await upload(node, 'no picture any more', { type: 'text/plain' });
  assert.deepEqual((await rowsOf(node)).map((row) => row.attachmentId), ['default', 'note']);
  await upload(node, png(40, 20, red));
  // What somebody uploaded themselves under such an id stays theirs.
  await upload(node, png(3, 3, red), { id: 'thumbnail' });
  await upload(node, png(40, 20, [0, 255, 0]));
  assert.equal((await get(`${node}/attachments/thumbnail`)).bytes.readUInt32BE(16), 3);
  await server.admin('DELETE', `${node}/attachments/thumbnail`);
  assert.equal((await get(`${node}/attachments/thumbnail`)).bytes.readUInt32BE(16), 8);
  // A feature that came by an update is followed by a refresh, which tells it.
  const late = await nodeWith(png(40, 20, red));
  await server.admin('PATCH', late, [{ op: 'add', path: '/_features/f:thumbnailable', value: { mimetype: 'image/png' } }]);
  const { _repair: repair } = await server.admin('POST', `${late}/refresh`, {});
  assert.deepEqual(repair.rows.map((row) => row.code), ['nodes.picture_missing']);
  assert.deepEqual((await rowsOf(late)).map((row) => row.attachmentId), ['default', 'thumbnail']);
  assert.equal((await server.admin('POST', `${late}/refresh`, {}))._repair.message, 'nothing was wrong');
});

test('a program that fails is told to the log, not to the caller', async () => {
  const failing = standIn('failing', 'exit 12');
  await withServer([`node_previews.program = ${failing}`], async (on, branch) => {
    const node = await makeNode(on, branch);
    await upload(node, png(62, 30, red), { on });
    const reply = await refused(`${node}/preview/any?fallback=/none`, 500, 'node_previews.program_failed', { on });
    assert.doesNotMatch(reply.json.message, /status 12/);
    assert.match(on.log, /stele_preview ended with status 12/);
  });
});

test('what is kept is for the server alone, and the folder stays within its bytes', async () => {
  const kept = join(folder, 'small');
  await withServer(['node_previews.cache_bytes = 2000'], async (on, branch) => {
    const node = await makeNode(on, branch);
    await upload(node, png(600, 300, red), { on });
    for (let size = 20; size < 40; ++size) {
      assert.equal((await get(`${node}/preview/any?size=${size}`, { on })).status, 200);
    }
    assert.equal(statSync(kept).mode & 0o777, 0o700);
    const bytes = readdirSync(kept).reduce((sum, name) => sum + statSync(join(kept, name)).size, 0);
    assert.ok(bytes > 0 && bytes <= 2000, `${bytes} bytes`);
  }, kept);
});
