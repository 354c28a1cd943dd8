// Archives in a vault come with it: their zips, and what clients say of them (docs/reference/transfer.md, "Strategies").
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { endedJob } from '../../../tests/support/ended_job.mjs';
import { SteleServer } from '../../../tests/support/stele_server.mjs';
import { zip } from '../../../tests/support/zip_archive.mjs';

let source;
let target;
before(async () => {
  [source, target] = await Promise.all([SteleServer.start(), SteleServer.start()]);
  for (const server of [source, target]) server.adminToken = await server.login();
});
after(() => Promise.all([source.end(), target.end()]));

const zipOf = (text) => zip([{ name: 'note.txt', data: text }]);
const kType = { 'Content-Type': 'application/zip' };
const upload = async (server, vault, place, body) => {
  const reply = await server.request('POST', `/vaults/${vault}/archives?${place}`, { token: server.adminToken, body, headers: kType });
  assert.equal(reply.status, 200, reply.text);
  return reply.json._doc;
};
const zipIn = async (server, vault, id) => (await server.request('GET', `/vaults/${vault}/archives/${id}/download`, { token: server.adminToken })).bytes;
let versions = 0;

/// Exports a vault, and clones it on the other server; answers the job there.
async function cloned(vault) {
  const place = `group=of&artifact=vaults&version=${++versions}`;
  const platform = (await source.admin('GET', '/'))._doc;
  const out = await endedJob((...ask) => source.admin(...ask), (await source.admin('POST', `/transfer/export?${place}`, { sources: [`vault://${platform}/${vault}`] }))._doc);
  assert.equal(out.state, 'FINISHED', JSON.stringify(out.log_entries));
  await upload(target, 'primary', place, await zipIn(source, out.vaultId, out.archiveId));
  const job = await endedJob((...ask) => target.admin(...ask), (await target.admin('POST', `/import?${place}`, { strategy: 'CLONE' }))._doc);
  assert.equal(job.state, 'FINISHED', JSON.stringify(job.log_entries));
  return job;
}
const counts = ({ created, updated }) => ({ created, updated });

test('a vault is cloned with the zips and members of its archives, and a second time nothing is written', async () => {
  const vault = (await source.admin('POST', '/vaults', { title: 'kept' }))._doc;
  const place = 'group=acme&artifact=site&version=7';
  const id = await upload(source, vault, place, zipOf('first'));
  const archive = `/vaults/${vault}/archives/${id}`;
  const say = async (members) => source.admin('PUT', archive, { ...await source.admin('GET', archive), ...members });
  await say({ title: 'the site', color: 'red', template: { templateType: 'project', templateKey: 'blog' } });
  assert.deepEqual(counts(await cloned(vault)), { created: 2, updated: 0 });
  const [there] = (await target.admin('POST', `/vaults/${vault}/archives/query`, {})).rows;
  assert.deepEqual([there.title, there.color, there.templateKey, there.version], ['the site', 'red', 'blog', '7']);
  assert.deepEqual(await zipIn(target, vault, there._doc), zipOf('first'));
  assert.deepEqual(counts(await cloned(vault)), { created: 0, updated: 0 });

  // Another zip in its place, other members.
  await upload(source, vault, place, zipOf('second one'));
  await say({ color: 'blue' });
  assert.deepEqual(counts(await cloned(vault)), { created: 0, updated: 1 });
  const now = await target.admin('GET', `/vaults/${vault}/archives/${there._doc}`);
  assert.equal(now.color, 'blue');
  assert.deepEqual(await zipIn(target, vault, there._doc), zipOf('second one'));
  // The zip alone.
  await upload(source, vault, place, zipOf('third'));
  await say({ color: 'blue' });
  assert.deepEqual(counts(await cloned(vault)), { created: 0, updated: 1 });
  assert.deepEqual(await zipIn(target, vault, there._doc), zipOf('third'));
  assert.deepEqual(counts(await cloned(vault)), { created: 0, updated: 0 });
});
