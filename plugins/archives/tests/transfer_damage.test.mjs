// Exports and imports that meet bytes which are no more what was stored: whoever reads the job learns what is damaged, and that it is
// the server's.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { closeSync, openSync, readFileSync, readdirSync, readSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { endedJob, errorOf } from '../../../tests/support/ended_job.mjs';
import { SteleServer } from '../../../tests/support/stele_server.mjs';
import { archiveOf } from '../../../tests/support/zip_archive.mjs';

let server;
// Nothing is verified before it is handed out, as of binaries that are large or were sound a moment ago.
before(async () => { server = await SteleServer.start({ config: 'storage.blob_verify_rate = 0\n' }); });
after(() => server.end());

const admin = (...request) => server.admin(...request);
const ended = ({ _doc }) => endedJob(admin, _doc);
let numbers = 0;
const place = (artifact) => `group=damage&artifact=${artifact}&version=1`;

const binaries = () => readdirSync(join(server.data, 'blobs'), { recursive: true }).filter((name) => /\/[0-9a-f]{64}$/.test(name))
  .map((name) => join(server.data, 'blobs', name));
/// The file of a binary, by what only it holds.
const fileWith = (bytes) => binaries().find((file) => readFileSync(file).includes(bytes));

function flip(file, offset) {
  const descriptor = openSync(file, 'r+');
  const byte = Buffer.alloc(1);
  readSync(descriptor, byte, 0, 1, offset);
  byte[0] ^= 1;
  writeSync(descriptor, byte, 0, 1, offset);
  closeSync(descriptor);
}

async function attach(path, bytes) {
  const reply = await server.request('POST', `${path}/attachments/picture?filename=p.png`, {
    token: server.adminToken, body: bytes, headers: { 'Content-Type': 'image/png' } });
  assert.equal(reply.status, 200, reply.text);
}

/// What has attachments, what is exported, and the reference of the one.
const holders = {
  'a node': async () => {
    const repository = (await admin('POST', '/repositories', {}))._doc;
    const branch = `/repositories/${repository}/branches/master`;
    const { _doc } = await admin('POST', `${branch}/nodes`, { title: 'with a picture' });
    return { path: `${branch}/nodes/${_doc}`, exported: branch, id: _doc };
  },
  'a record': async () => {
    const { _doc } = await admin('POST', '/applications', { title: 'with a picture' });
    return { path: `/applications/${_doc}`, exported: `/applications/${_doc}`, id: _doc };
  },
};

for (const [what, make] of Object.entries(holders)) {
  for (const [how, harm] of [['gone', (file) => rmSync(file)], ['changed', (file) => flip(file, statSync(file).size - 1)]]) {
    test(`an export tells which file is ${how}, and of what: ${what}`, async () => {
      const { path, exported, id } = await make();
      const bytes = randomBytes(50_000);
      await attach(path, bytes);
      harm(fileWith(bytes));
      const job = await ended(await admin('POST', `${exported}/export?${place(`lost-${++numbers}`)}`, {}));
      assert.equal(job.state, 'ERROR');
      assert.match(errorOf(job), /attachments\/picture/);
      assert.ok(errorOf(job).includes(id), errorOf(job));
    });
  }
}

/// An archive in the vault; answers how it is called there.
async function upload(bytes, artifact) {
  const reply = await server.request('POST', '/vaults/primary/archives', { token: server.adminToken, body: bytes, headers: { 'Content-Type': 'application/zip' } });
  assert.equal(reply.status, 200, reply.text);
  return place(artifact);
}
const link = (typeId, id) => ({ typeId, id, key: `${typeId}://p/${id}` });
const manifestOf = (artifact, contents) => ({ model: '3.0.0', group: 'damage', artifact, version: '1', tipChangesetOnly: true,
                                              sources: [[link('platform', 'p'), link('application', 'a')]], ...contents && { contents } });
const kRecord = 'platforms/p/applications/a/application.json';

test('a changed byte of an archive in its vault is told as damage of the server', async () => {
  const { exported } = await holders['a record']();
  const picture = randomBytes(3_000_000);
  await attach(exported, picture);
  const artifact = `changed-${++numbers}`;
  const made = await ended(await admin('POST', `${exported}/export?${place(artifact)}`, {}));
  assert.equal(made.state, 'FINISHED', errorOf(made));
  const zip = binaries().find((file) => readFileSync(file).includes(picture) && statSync(file).size > picture.length);
  flip(zip, readFileSync(zip).indexOf(picture) + 100);
  const job = await ended(await admin('POST', `/import?${place(artifact)}`, {}));
  assert.equal(job.state, 'ERROR');
  assert.match(errorOf(job), new RegExp(`archive damage-${artifact}-1 are damaged on the server`));
  assert.equal((await server.request('GET', '/readyz')).status, 503, 'it is noted as damage');
});

test('an archive that is not what it says, and never was, is at fault itself', async () => {
  const artifact = `wrong-${++numbers}`;
  const told = { [kRecord]: { typeId: 'application', id: 'a', location: 'platforms/p/applications/a',
                              files: { 'application.json': { sha256: '0'.repeat(64), size: 2 } } } };
  const query = await upload(archiveOf(manifestOf(artifact, told), { [kRecord]: '{}' }), artifact);
  const job = await ended(await admin('POST', `/import?${query}`, {}));
  assert.equal(job.state, 'ERROR');
  assert.match(errorOf(job), /application\.json is not what the manifest says/);
});
