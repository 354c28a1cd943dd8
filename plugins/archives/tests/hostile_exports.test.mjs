// Exports that are meant to cost the server more than whoever asks for them may have.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { endedJob, errorOf } from '../../../tests/support/ended_job.mjs';
import { SteleServer } from '../../../tests/support/stele_server.mjs';

let server;
before(async () => { server = await SteleServer.start(); });
after(() => server.end());

const ended = ({ _doc }) => endedJob((...request) => server.admin(...request), _doc);
/// Bytes of all files of the server.
const onDisk = () => readdirSync(server.data, { recursive: true }).map((name) => statSync(join(server.data, name), { throwIfNoEntry: false }))
  .reduce((sum, file) => sum + (file?.isFile() ? file.size : 0), 0);

/// A branch with a node of so many versions, each with a MiB that nothing packs.
async function branchOf(versions) {
  const branch = `/repositories/${(await server.admin('POST', '/repositories'))._doc}/branches/master`;
  const { _doc } = await server.admin('POST', `${branch}/nodes`, { title: 'long' });
  const attached = await server.request('POST', `${branch}/nodes/${_doc}/attachments/default?filename=a.mp4`, {
    token: server.adminToken, body: randomBytes(1 << 20), headers: { 'Content-Type': 'video/mp4' } });
  assert.equal(attached.status, 200, attached.text);
  for (let i = 1; i < versions; ++i) await server.admin('PUT', `${branch}/nodes/${_doc}`, { ...await server.admin('GET', `${branch}/nodes/${_doc}`), title: `long ${i}` });
  return branch;
}

test('an export writes nothing beyond the room that its vault has', async () => {
  const branch = await branchOf(30);
  const vault = (await server.admin('POST', '/vaults', { title: 'small', maxsize: 3 << 20 }))._doc;
  const before = onDisk();
  const all = await ended(await server.admin('POST', `${branch}/export?vault=${vault}&group=a&artifact=all&version=1`, {}));
  assert.deepEqual([all.state, /bytes left, and the archive is longer/.test(errorOf(all))], ['ERROR', true], errorOf(all));
  assert.ok(onDisk() - before < 10 << 20, `${onDisk() - before} bytes more on disk`);
  assert.equal((await server.admin('GET', `/vaults/${vault}/archives`)).total_rows, 0);
});

test('an export has the room of what it replaces', async () => {
  const branch = await branchOf(2);
  const vault = (await server.admin('POST', '/vaults', { title: 'small', maxsize: 4 << 20 }))._doc;
  for (const artifact of ['one', 'one']) {
    const job = await ended(await server.admin('POST', `${branch}/export?vault=${vault}&group=a&artifact=${artifact}&version=1`, {}));
    assert.equal(job.state, 'FINISHED', errorOf(job));
  }
  const other = await ended(await server.admin('POST', `${branch}/export?vault=${vault}&group=a&artifact=other&version=1`, {}));
  assert.equal(other.state, 'ERROR');
});
