// `stele copy` between a data folder and a PostgreSQL, in both directions, whole and broken off.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { PostgresServer } from '../support/postgres_server.mjs';
import { SteleServer } from '../support/stele_server.mjs';

let postgres;
let folder;
let source;
let wanted;
let count = 0;
const fresh = () => join(folder, `data-${++count}`);
const freshFolder = () => {
  const made = fresh();
  mkdirSync(made);
  return made;
};

/// An address of a database of its own.
function freshDatabase() {
  const name = `copy${++count}`;
  postgres.query(`create database ${name}`);
  return { name, address: `postgresql://postgres@/${name}?host=${encodeURIComponent(postgres.primary)}` };
}
const at = (database) => `host=${postgres.primary} user=postgres dbname=${database.name}`;
const sql = (database, text) => {
  const done = spawnSync('psql', ['-h', postgres.primary, '-U', 'postgres', '-d', database.name, '-qAt', '-c', text], { encoding: 'utf8' });
  assert.equal(done.status, 0, done.stderr);
  return done.stdout.trim();
};

/// A blob in a data folder, named by its content as the server names it.
function putBlob(data, content) {
  const done = spawnSync('python3', ['-c', 'import hashlib,sys;print(hashlib.blake2b(sys.stdin.buffer.read(),digest_size=32).hexdigest())'], { input: content, encoding: 'utf8' });
  const name = done.stdout.trim();
  const place = join(data, 'blobs', name.slice(0, 2));
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, name), content);
  return name;
}
const hasBlob = (data, name) => existsSync(join(data, 'blobs', name.slice(0, 2), name));

async function everything(server) {
  const token = await server.login();
  const all = {};
  for (const path of ['/uiconfigs', '/domains/default/principals', '/clients', '/applications']) {
    const reply = await server.request('GET', `${path}?limit=-1`, { token });
    assert.equal(reply.status, 200, reply.text);
    all[path] = reply.json.rows.map((row) => JSON.stringify(row));
  }
  return all;
}

/// Serves a store, compares it with what the source had, and checks it.
async function checkCopied(options) {
  const copied = await SteleServer.start({ ...options, isPrepared: true });
  try {
    assert.deepEqual(await everything(copied), wanted);
    assert.equal((await copied.login('lea', 'lea password', { isWhole: true })).status, 200);
  } finally {
    await copied.stop();
  }
  const checked = copied.check();
  assert.equal(checked.status, 0, checked.text);
}
const overDatabase = (database) => `storage.engine = postgres\nstorage_postgres.connection = ${at(database)}\n`;

const copyWords = (from, to, options) => ['copy', '--from', from, '--to', to, ...options];
const copy = (from, to, ...options) => source.run(copyWords(from, to, options));

/// Begins a copy and kills it as soon as something is in the target; where it was too fast, once more
/// into another target. Answers the target, as `makeTarget` made it.
async function breakOff(from, makeTarget) {
  let text = '';
  for (let tries = 0; tries < 20; ++tries) {
    const target = makeTarget();
    const aside = source.runAside(copyWords(from, target.to, target.options));
    aside.child.stderr.on('data', (piece) => /\d entries/.test(piece) && aside.child.kill('SIGKILL'));
    const ended = await aside.ended;
    if (ended.signal === 'SIGKILL') return target;
    text = ended.text;
  }
  assert.fail(`the copy was too fast to be broken off: ${text}`);
}

let blob;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'stele-copy-'));
  postgres = await PostgresServer.start();
  source = await SteleServer.start({ data: freshFolder() });
  for (let i = 0; i < 20; ++i) {
    await Promise.all(Array.from({ length: 20 }, (_, j) => source.admin('POST', '/uiconfigs',
      { title: `t${i} ${j}`, number: 20 * i + j, text: `${i} ${j} `.repeat(10_000) })));
  }
  await source.makeUser('lea', 'lea password');
  wanted = await everything(source);
  await source.stop();
  blob = putBlob(source.data, 'what was attached');
});
after(async () => {
  await postgres.end();
  rmSync(folder, { recursive: true, force: true });
});

test('a store goes from a folder into a database, and from there into another folder', async () => {
  const database = freshDatabase();
  const besides = fresh();
  const there = copy(source.data, database.address, '--to-data', besides);
  assert.equal(there.status, 0, there.text);
  assert.match(there.out, /^Copied \d+ entries and 1 blobs; \d+ key ranges and all blobs were compared/);
  assert.ok(!hasBlob(besides, blob), 'it is in the database');
  await checkCopied({ data: besides, config: overDatabase(database) });

  const astray = copy(database.address, fresh(), '--from-data', freshFolder());
  assert.equal(astray.status, 1, astray.text);
  assert.match(astray.err, /copy\.blobs_missing/);

  const back = fresh();
  const again = copy(database.address, back, '--from-data', besides);
  assert.equal(again.status, 0, again.text);
  assert.ok(hasBlob(back, blob));
  await checkCopied({ data: back });
});

for (const [name, target, serve] of [
  ['database', () => { const database = freshDatabase(); const data = fresh(); return { to: database.address, options: ['--to-data', data], data, database }; },
    ({ data, database }) => ({ data, config: overDatabase(database) })],
  ['folder', () => { const data = fresh(); return { to: data, options: [], data }; }, ({ data }) => ({ data })],
]) {
  test(`a copy into a ${name} that was killed goes on where it was; until then nobody opens it`, async () => {
    const place = await breakOff(source.data, target);
    await assert.rejects(SteleServer.start({ ...serve(place), isPrepared: true }), /copy\.unfinished/);
    const done = copy(source.data, place.to, ...place.options);
    assert.equal(done.status, 0, done.text);
    assert.match(done.out, /^Went on and copied/);
    await checkCopied(serve(place));
  });
}

test('a byte that changed in the target is noticed, and the target stays closed', async () => {
  const { database, data } = await breakOff(source.data, () => {
    const made = { database: freshDatabase(), data: fresh() };
    return { ...made, to: made.database.address, options: ['--to-data', made.data] };
  });
  const changed = sql(database, `update stele.stele_entry set value = set_byte(value, 5, get_byte(value, 5) # 1)
    where key = (select key from stele.stele_entry order by octet_length(value) desc, key limit 1) returning 1`);
  assert.equal(changed, '1');
  const done = copy(source.data, database.address, '--to-data', data);
  assert.equal(done.status, 1);
  assert.match(done.err, /copy\.differs/);
  await assert.rejects(SteleServer.start({ data, config: overDatabase(database), isPrepared: true }), /copy\.unfinished/);
});

test('only an empty target or the same broken copy is taken', async () => {
  const other = await SteleServer.start({ data: freshFolder() });
  await other.stop();
  assert.match(copy(source.data, other.data).err, /copy\.target_not_empty/);
  const locked = freshFolder();
  copyFileSync(join(other.data, 'secrets.key'), join(locked, 'secrets.key'));
  assert.match(copy(source.data, locked).err, /copy\.keys_differ/);

  const { to: place } = await breakOff(source.data, () => ({ to: fresh(), options: [] }));
  assert.match(copy(other.data, place).err, /copy\.target_not_empty/);
  assert.match(copy(place, fresh()).err, /copy\.unfinished/, 'a broken copy is no source');
});

test('a store that is served, missing or unknown is not copied', async () => {
  await source.launch();
  assert.match(copy(source.data, fresh()).err, /engine\.in_use/);
  await source.stop();
  assert.match(copy(fresh(), fresh()).err, /instance\.store_missing/);
  assert.match(copy('cassandra://secret@host/x', fresh(), '--from-data', fresh()).err, /config\.engine_unknown/);
  assert.ok(!copy('cassandra://secret@host/x', fresh(), '--from-data', fresh()).err.includes('secret'));
  assert.match(copy(freshDatabase().address, fresh(), '--from-data', source.data).err, /copy\.source_empty/);
  assert.match(copy(source.data, freshDatabase().address).err, /--to-data/);

  const database = freshDatabase();
  const serving = await SteleServer.start({ data: freshFolder(), config: overDatabase(database) });
  assert.match(copy(database.address, fresh(), '--from-data', serving.data).err, /copy\.store_served/);
  await serving.stop();
});
