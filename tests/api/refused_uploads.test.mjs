// Bytes of an upload that is refused never come into the binaries, where they would stay for days
// (docs/decisions/0036-collection-of-blobs.md).
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { SteleServer } from '../support/stele_server.mjs';
import { archiveOf, formOf } from '../support/zip_archive.mjs';

const kManifest = { group: 'com.example', artifact: 'orchard', version: '1', type: 'repository' };

let server;
let writer;
before(async () => {
  server = await SteleServer.start();
  await server.makeUser('writer');
  writer = await server.login('writer', 'secret-of-writer');
});
after(() => server.end());

const admin = (...request) => server.admin(...request);
const made = async (path, fields) => `${path}/${(await admin('POST', path, fields))._doc}`;
const blobs = () => readdirSync(join(server.data, 'blobs'), { recursive: true }).filter((name) => /\/[0-9a-f]{64}$/.test(name)).length;

async function send(path, bytes, { type = 'application/zip', token = server.adminToken } = {}) {
  const { body, type: formType } = Array.isArray(bytes) ? formOf(bytes) : { body: bytes, type };
  return server.request('POST', path, { body, token, headers: { 'Content-Type': formType } });
}
async function refused(status, code, ...request) {
  const before_ = blobs();
  const reply = await send(...request);
  assert.deepEqual([reply.status, reply.json.violations?.[0].code ?? reply.json.code], [status, code], reply.text);
  assert.equal(blobs(), before_, `${request[0]} left its bytes`);
}
async function taken(...request) {
  const reply = await send(...request);
  assert.equal(reply.status, 200, reply.text);
}
const part = (name, fileName, data) => ({ name, fileName, data });
const zipOf = (size, manifest = kManifest) => archiveOf(manifest, { 'a.bin': randomBytes(size) });

test('an archive that its vault has no room for', async () => {
  const vault = await made('/vaults', { maxsize: 150_000 });
  const archives = `${vault}/archives`;
  await taken(archives, zipOf(100_000));
  await refused(507, 'data_store.full', `${archives}?version=2`, zipOf(100_000));
  await refused(507, 'data_store.full', `${archives}?version=2`, [part('archive', 'a.zip', zipOf(100_000))]);
  await refused(507, 'data_store.full', archives, zipOf(200_000));
  // In the place of the other there is room.
  await taken(archives, zipOf(110_000));
  await taken(archives, [part('archive', 'a.zip', zipOf(120_000))]);
});

test('an archive that is none, or that nobody may put there', async () => {
  const vault = await made('/vaults', {});
  const archives = `${vault}/archives`;
  await refused(400, 'archives.malformed', archives, randomBytes(5000));
  await refused(400, 'archives.malformed', archives, [part('archive', 'a.zip', randomBytes(5000))]);
  await refused(400, 'archives.one_file_expected', archives, [part('a', 'a.zip', zipOf(100)), part('b', 'b.zip', zipOf(100))]);
  await refused(400, 'archives.coordinate_missing', archives, zipOf(100, { ...kManifest, group: undefined }));
  await taken(archives, zipOf(100));
  await admin('POST', `${vault}/authorities/contributor/grant?id=default/writer`);
  const { _doc } = (await admin('POST', `${archives}/query`, {})).rows[0];
  await admin('POST', `${archives}/${_doc}/authorities/consumer/grant?id=default/writer`);
  await refused(403, 'authority.permission_missing', archives, zipOf(100), { token: writer });
  await taken(`${archives}?version=2`, zipOf(100), { token: writer });
});

test('attachments that the data store of their record has no room for', async () => {
  const store = await made('/registrars', {});
  const plan = await made(`${store}/plans`, { planKey: 'one' });
  const attachments = `${plan}/attachments`;
  const png = { type: 'image/png' };
  await taken(`${attachments}/a`, randomBytes(60_000), png);
  await admin('PUT', store, { ...(await admin('GET', store)), maxsize: 100_000 });
  await refused(507, 'data_store.full', `${attachments}/b`, randomBytes(60_000), png);
  await refused(507, 'data_store.full', `${attachments}/b`, [part('b', 'b.png', randomBytes(60_000))]);
  await refused(507, 'data_store.full', attachments, randomBytes(60_000), png);
  await refused(507, 'data_store.full', attachments, [part('b', 'b.png', randomBytes(60_000))]);
  // The id may come behind the file.
  await taken(attachments, [part('b', 'b.png', randomBytes(60_001)), { name: 'attachmentId_0', data: 'a' }]);
  await taken(`${attachments}/a`, randomBytes(70_000), png);
  const both = [part('a', 'a.png', randomBytes(10_000)), part('b', 'b.png', randomBytes(80_000))];
  await taken(attachments, both);
  assert.deepEqual((await admin('GET', attachments)).rows.map(({ attachmentId, length }) => [attachmentId, length]).sort(), [['a', 10_000], ['b', 80_000]]);
});

test('a form of attachments that is refused as a whole', async () => {
  const registrar = await made('/registrars', {});
  const file = part('a', 'a.png', randomBytes(5000));
  await refused(400, 'attachment.one_file_expected', `${registrar}/attachments/a`, [file, part('b', 'b.png', randomBytes(5000))]);
  const { body, type } = formOf([file]);
  await refused(400, 'http.multipart_malformed', `${registrar}/attachments`, body.subarray(0, -10), { type });
});
