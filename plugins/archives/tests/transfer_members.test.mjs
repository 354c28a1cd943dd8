// Groups and teams with many members, who say much of themselves.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { endedJob, errorOf } from '../../../tests/support/ended_job.mjs';
import { SteleServer } from '../../../tests/support/stele_server.mjs';
import { unzip } from '../../../tests/support/zip_archive.mjs';

const kMembers = 300;
let server;
let domain;
let names;
before(async () => {
  server = await SteleServer.start({ config: 'storage.row_cache = 0\nstorage.cache = 1MiB\nstorage.write_buffer = 64KiB\n' });
  domain = (await admin('GET', '/domains/default'))._doc;
  names = [];
  for (let i = 0; i < kMembers; ++i) {
    const name = `member${String((i * 7) % kMembers).padStart(4, '0')}`;
    await admin('POST', '/domains/default/principals', { type: 'USER', name, email: `${name}@example.org`, about: `${i} ` + 'spoken '.repeat(25_000) });
    names.push(name);
  }
});
after(() => server.end());

const admin = (...request) => server.admin(...request);
const expected = (all) => `${JSON.stringify(all.map((name) => ({ type: 'USER', domain, name, domainAlias: 'primary' })), null, 2)}\n`;

const resident = (what) => Number(readFileSync(`/proc/${server.child.pid}/status`, 'utf8').match(new RegExp(`${what}:\\s+(\\d+)`))[1]) / 1024;

async function exported(path, artifact) {
  const started = await admin('POST', `${path}/export?group=members&artifact=${artifact}&version=1`, {});
  const job = await endedJob(admin, started._doc);
  assert.equal(job.state, 'FINISHED', errorOf(job));
  const reply = await server.request('GET', `/vaults/${job.vaultId}/archives/${job.archiveId}/download`, { token: server.adminToken });
  return unzip(reply.bytes);
}
const fileOf = (files, name) => files.get([...files.keys()].find((path) => path.endsWith(`/${name}`)))?.toString();

test('an export of a group tells its members in the order of joining, and holds none of their records', async () => {
  const group = (await admin('POST', '/domains/default/principals', { type: 'GROUP', name: 'large' }))._doc;
  for (const name of names) await admin('POST', `/domains/default/principals/${group}/members/add?id=default/${name}`);
  // What the server has once needed it keeps.
  await exported(`/domains/default/principals/${group}`, 'first');
  writeFileSync(`/proc/${server.child.pid}/clear_refs`, '5');
  const before = resident('VmRSS');
  const files = await exported(`/domains/default/principals/${group}`, 'second');
  const most = resident('VmHWM');
  assert.equal(fileOf(files, 'members.json'), expected(names));
  if (!process.env.STELE_SANITIZED) assert.ok(most - before < 20, `${most - before} MiB more`);
});

test('an export of a team tells its members in the order of joining', async () => {
  const { _doc } = await admin('POST', '/stacks', { title: 'together' });
  await admin('POST', `/stacks/${_doc}/teams?key=writers`, {});
  const few = names.slice(0, 20);
  for (const name of few) await admin('POST', `/stacks/${_doc}/teams/writers/members/add?id=default/${name}`);
  const teams = JSON.parse(fileOf(await exported(`/stacks/${_doc}`, 'team'), 'teams.json'));
  assert.deepEqual(teams.find(({ key }) => key === 'writers').members.filter(({ name }) => few.includes(name)).map(({ name }) => name), few);
});

test('members whom the starter may not READ are left out', async () => {
  const { _doc } = await server.makeUser('keeper');
  assert.ok(_doc);
  const token = await server.login('keeper', 'secret-of-keeper');
  const group = (await admin('POST', '/domains/default/principals', { type: 'GROUP', name: 'partly' }))._doc;
  for (const name of names.slice(0, 5)) await admin('POST', `/domains/default/principals/${group}/members/add?id=default/${name}`);
  const ids = (await admin('GET', `/domains/default/principals/${group}/members`)).rows.map((row) => row._doc);
  for (const record of [group, ids[1], ids[3]]) await admin('POST', `/domains/default/principals/${record}/authorities/consumer/grant?id=default/keeper`);
  await admin('POST', '/vaults/primary/authorities/contributor/grant?id=default/keeper');
  const started = await server.request('POST', `/domains/default/principals/${group}/export?group=members&artifact=partly&version=1`, { token, body: {} });
  assert.equal(started.status, 200, started.text);
  const job = await endedJob(admin, started.json._doc);
  assert.equal(job.state, 'FINISHED', errorOf(job));
  const reply = await server.request('GET', `/vaults/${job.vaultId}/archives/${job.archiveId}/download`, { token: server.adminToken });
  const told = JSON.parse(fileOf(unzip(reply.bytes), 'members.json'));
  const readable = (await server.request('GET', `/domains/default/principals/${group}/members`, { token })).json.rows.map(({ name }) => name);
  assert.deepEqual(told.map(({ name }) => name), readable);
});
