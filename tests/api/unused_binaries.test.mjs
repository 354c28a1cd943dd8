// What becomes of bytes that nothing refers to any more (docs/specification/architecture.md 4, decision 0036).
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdirSync, utimesSync } from 'node:fs';
import { basename, join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { SteleServer } from '../support/stele_server.mjs';
import { until } from '../support/until.mjs';

const kPeriodMs = 400;
let server;
before(async () => { server = await SteleServer.start({ config: `storage.collection_period = ${kPeriodMs}ms` }); });
after(() => server.end());

const admin = (...request) => server.admin(...request);
const blobs = () => readdirSync(join(server.data, 'blobs'), { recursive: true }).filter((name) => /\/[0-9a-f]{64}$/.test(name));
const names = () => new Set(blobs().map((name) => basename(name)));
/// As if the bytes had been there for so long.
function ageBy(hours, ...ids) {
  const then = new Date(Date.now() - hours * 3600 * 1000);
  for (const name of blobs().filter((one) => ids.includes(basename(one)))) {
    try {
      utimesSync(join(server.data, 'blobs', name), then, then);
    } catch (error) {
      if (error.code !== 'ENOENT') throw error;  // collected by now
    }
  }
}

const age = (...ids) => ageBy(48, ...ids);

async function send(path, bytes = randomBytes(5000)) {
  const reply = await server.request('POST', path, { body: bytes, token: server.adminToken, headers: { 'Content-Type': 'image/png' } });
  return { status: reply.status, json: reply.json, bytes };
}
async function upload(path, bytes) {
  const { status, json } = await send(path, bytes);
  assert.equal(status, 200);
  return json.objectId ?? json._system.attachments.default.objectId;
}
const makeRepository = async (fields = {}) => `/repositories/${(await admin('POST', '/repositories', fields))._doc}`;
const makeNode = async (repository) => {
  const branch = `${repository}/branches/master`;
  return `${branch}/nodes/${(await admin('POST', `${branch}/nodes`, {}))._doc}`;
};

test('old bytes without a reference go, all others stay', async () => {
  await server.login();
  const repository = await makeRepository();
  const removed = await makeRepository();
  const node = await makeNode(repository);
  const kept = {
    past: await upload(`${node}/attachments/default`),
    present: await upload(`${node}/attachments/default`),
    file: await upload(`${repository}/files/kept`),
    twice: await upload(`${repository}/files/one`, Buffer.from('shared')),
  };
  assert.equal(await upload(`${removed}/files/other`, Buffer.from('shared')), kept.twice);
  const deleted = await makeNode(repository);
  kept.ofDeleted = await upload(`${deleted}/attachments/default`);
  await admin('DELETE', deleted);
  const purged = await makeNode(repository);
  kept.ofPurged = await upload(`${purged}/attachments/default`);
  await admin('DELETE', purged);
  await admin('DELETE', purged.replace('/nodes/', '/deletions/'));

  const gone = { replaced: await upload(`${repository}/files/x`) };
  gone.deleted = await upload(`${repository}/files/x`);
  await admin('DELETE', `${repository}/files/x`);
  gone.ofRemoved = await upload(`${await makeNode(removed)}/attachments/default`);
  gone.fileOfRemoved = await upload(`${removed}/files/y`);
  await admin('DELETE', removed);
  const before = names();
  assert.equal((await send(`${await makeRepository({ maxsize: 100_000 })}/files/z`, randomBytes(100_001))).status, 507);
  [gone.refused] = [...names()].filter((name) => !before.has(name));
  const lately = await upload(`${repository}/files/lately`);
  await admin('DELETE', `${repository}/files/lately`);
  const yesterday = await upload(`${repository}/files/yesterday`);
  await admin('DELETE', `${repository}/files/yesterday`);

  const all = [...Object.values(kept), ...Object.values(gone)];
  for (const id of all) assert.ok(names().has(id), id);
  age(...all);
  ageBy(23, yesterday);
  await until(() => Object.values(gone).every((id) => !names().has(id)), 'unused bytes stay');
  await sleep(10 * kPeriodMs);
  for (const [what, id] of Object.entries({ ...kept, lately, yesterday })) assert.ok(names().has(id), what);
  const read = await server.request('GET', `${repository}/files/one`, { token: server.adminToken });
  assert.equal(read.text, 'shared');
  await server.stop();
  const { status, text } = server.check();
  assert.equal(status, 0, text);
  assert.match(text, /\b2 binaries of 10000 bytes that nothing refers to/);
  await server.launch();
});

test('equal bytes that come again while the old ones are collected are never lost', async () => {
  const repository = await makeRepository();
  const bytes = randomBytes(2000);
  const end = Date.now() + 20 * kPeriodMs;
  for (let round = 0; Date.now() < end; ++round) {
    const id = await upload(`${repository}/files/again`, bytes);
    const reply = await server.request('GET', `${repository}/files/again`, { token: server.adminToken });
    assert.equal(reply.status, 200, `round ${round}`);
    assert.equal(Number(reply.headers['content-length']), bytes.length);
    await admin('DELETE', `${repository}/files/again`);
    age(id);
  }
  await upload(`${repository}/files/again`, bytes);
  await server.stop();
  const { status, text } = server.check();
  assert.equal(status, 0, text);
  await server.launch();
});
