// `stele backup` and `stele restore`, of served and of stopped stores.
import assert from 'node:assert/strict';
import { appendFileSync, copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { SteleServer } from '../support/stele_server.mjs';

// Statistics that are taken meanwhile would tell a store from the one that it was restored from.
const config = 'stores.statistics_period = 1h\n';
let server;
let folder;
let count = 0;
const fresh = (name) => join(folder, `${name}-${++count}`);
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'stele-backup-'));
  server = await SteleServer.start({ config });
  for (let i = 0; i < 300; ++i) await server.admin('POST', '/uiconfigs', { title: `Title ${i}`, number: i, text: 'x'.repeat(2000) });
  await server.makeUser('lea', 'lea password');
});
after(async () => {
  await server.end();
  rmSync(folder, { recursive: true, force: true });
});

const restore = (from, data, options = []) => server.run(['restore', '--from', from], { options: [...options, '--data', data] });

/// A server over a folder that holds a restored store already.
const serve = (data) => SteleServer.start({ data, config, isPrepared: true });

async function everything(one) {
  const token = await one.login();
  const all = {};
  for (const path of ['/uiconfigs', '/domains', '/domains/default/principals', '/clients', '/applications']) {
    const { rows } = (await one.request('GET', `${path}?limit=-1`, { token })).json;
    all[path] = rows.map((row) => JSON.stringify(row));
  }
  return all;
}

async function checkRestored(data) {
  const restored = await serve(data);
  try {
    assert.deepEqual(await everything(restored), await everything(server));
    assert.equal((await restored.login('lea', 'lea password', { isWhole: true })).status, 200);
    const made = await restored.request('POST', '/uiconfigs', { token: await restored.login(), body: { title: 'after' } });
    assert.equal(made.status, 200, made.text);
  } finally {
    await restored.stop();
  }
  const checked = restored.check();
  assert.equal(checked.status, 0, checked.text);
}

test('a served store is backed up, and restored it is the same', async () => {
  const file = fresh('online');
  const done = server.run(['backup', '--to', file]);
  assert.equal(done.status, 0, done.text);
  assert.equal(statSync(file).mode & 0o077, 0, 'nobody else reads it');
  const data = fresh('data');
  assert.equal(restore(file, data).status, 0);
  copyFileSync(join(server.data, 'secrets.key'), join(data, 'secrets.key'));
  await checkRestored(data);
});

test('a stopped store is backed up, and restored it is the same', async () => {
  const file = fresh('offline');
  await server.stop();
  const done = server.run(['backup', '--to', file]);
  await server.launch();
  assert.equal(done.status, 0, done.text);
  const data = fresh('data');
  assert.equal(restore(file, data).status, 0);
  copyFileSync(join(server.data, 'secrets.key'), join(data, 'secrets.key'));
  await checkRestored(data);
});

test('a backup goes through pipes, and into a folder under the name of its time', async () => {
  const piped = server.runAside(['backup', '--to', '-']);
  const data = fresh('data');
  const restored = server.runAside(['restore', '--from', '-'], { options: ['--data', data] });
  piped.child.stdout.removeAllListeners('data');
  piped.child.stdout.pipe(restored.child.stdin);
  assert.equal((await piped.ended).status, 0);
  const done = await restored.ended;
  assert.equal(done.status, 0, done.text);
  copyFileSync(join(server.data, 'secrets.key'), join(data, 'secrets.key'));
  await checkRestored(data);
  const into = mkdtempSync(join(folder, 'into-'));
  assert.equal(server.run(['backup', '--to', into]).status, 0);
  const [name, ...others] = readdirSync(into);
  assert.match(name, /^stele-\d{8}-\d{6}\.backup$/);
  assert.deepEqual(others, []);
});

test('keys are part of a backup only when asked for', async () => {
  const key = readFileSync(join(server.data, 'secrets.key'), 'utf8').trim().split(':')[1];
  const without = fresh('without');
  const withKeys = fresh('with');
  assert.equal(server.run(['backup', '--to', without]).status, 0);
  assert.equal(server.run(['backup', '--to', withKeys, '--with-secrets']).status, 0);
  assert.ok(!readFileSync(without, 'latin1').includes(key));
  assert.ok(readFileSync(withKeys, 'latin1').includes(key));
  const bare = fresh('data');
  assert.match(restore(without, bare).out, /put secrets.key/);
  await assert.rejects(serve(bare), /instance.secret_key_missing/);
  const whole = fresh('data');
  assert.equal(restore(withKeys, whole).status, 0);
  assert.equal(statSync(join(whole, 'secrets.key')).mode & 0o077, 0);
  await checkRestored(whole);
});

test('keys that are there already are never written over', async () => {
  const file = fresh('with');
  assert.equal(server.run(['backup', '--to', file, '--with-secrets']).status, 0);
  const data = mkdtempSync(join(folder, 'data-'));
  writeFileSync(join(data, 'secrets.key'), 'ab'.repeat(32) + '\n');
  const done = restore(file, data);
  assert.equal(done.status, 1);
  assert.match(done.err, /backup.keys_differ/);
  assert.equal(readFileSync(join(data, 'secrets.key'), 'utf8'), 'ab'.repeat(32) + '\n');
});

test('a damaged backup is refused and leaves no store behind', async () => {
  const file = fresh('whole');
  assert.equal(server.run(['backup', '--to', file]).status, 0);
  const whole = readFileSync(file);
  assert.equal(restore(file, fresh('data'), ['--verify']).status, 0);
  const places = [0, 20, 100, whole.length >> 1, whole.length - 60, whole.length - 1];
  const broken = places.map((place) => {
    const bytes = Buffer.from(whole);
    bytes[place] ^= 1;
    return [`byte ${place} changed`, bytes];
  });
  for (const length of [0, 10, 200, whole.length >> 1, whole.length - 1]) {
    broken.push([`cut at ${length}`, whole.subarray(0, length)]);
  }
  for (const [what, bytes] of broken) {
    const damaged = fresh('damaged');
    writeFileSync(damaged, bytes);
    const data = fresh('data');
    for (const options of [['--verify'], []]) {
      const done = restore(damaged, data, options);
      assert.equal(done.status, 1, what);
      assert.match(done.err, /backup\.(damaged|format_unknown)/, what);
    }
    assert.ok(!existsSync(join(data, 'store')), what);
  }
  const longer = fresh('longer');
  writeFileSync(longer, whole);
  appendFileSync(longer, 'more');
  // What follows the end is not looked at: a tape may have it.
  assert.equal(restore(longer, fresh('data')).status, 0);
});

test('only an empty store is filled', async () => {
  const file = fresh('file');
  assert.equal(server.run(['backup', '--to', file]).status, 0);
  const other = await SteleServer.start();
  await other.admin('POST', '/uiconfigs', { title: 'mine' });
  assert.match(restore(file, other.data).err, /engine.in_use/);
  await other.stop();
  const done = restore(file, other.data);
  assert.equal(done.status, 1);
  assert.match(done.err, /backup.target_not_empty/);
  await other.launch();
  assert.equal((await other.admin('GET', '/uiconfigs')).rows.filter((row) => row.title === 'mine').length, 1);
  await other.end();
});

test('a file that is there is not written over, and a failure leaves none', async () => {
  const file = fresh('there');
  writeFileSync(file, 'precious');
  const done = server.run(['backup', '--to', file]);
  assert.equal(done.status, 1);
  assert.match(done.err, /command.file_exists/);
  assert.equal(readFileSync(file, 'utf8'), 'precious');
  assert.match(server.run(['backup', '--to', '/no/such/folder/file']).err, /command.file_unwritable/);
  const nothing = fresh('nothing');
  assert.match(server.run(['backup', '--to', nothing], { options: ['--data', fresh('empty')] }).err, /instance.store_missing|instance.secret_key_missing/);
  assert.ok(!existsSync(nothing) && !existsSync(`${nothing}.part`));
});

test('the socket is for the owner alone and goes with the server', async () => {
  const socket = join(server.data, 'admin.sock');
  assert.equal(statSync(socket).mode & 0o777, 0o600);
  await server.stop();
  assert.ok(!existsSync(socket));
  await server.launch();
  assert.ok(existsSync(socket));
});

test('a socket that a killed server left does no harm', async () => {
  await server.stop('SIGKILL');
  assert.ok(existsSync(join(server.data, 'admin.sock')));
  assert.equal(server.run(['backup', '--to', fresh('after-kill')]).status, 0);
  await server.launch();
  assert.equal(server.run(['backup', '--to', fresh('again')]).status, 0);
});

test('a backup that nobody reads does not keep the server from stopping', async () => {
  const other = await SteleServer.start();
  const stuck = other.runAside(['backup', '--to', '-']);
  stuck.child.stdout.removeAllListeners('data');
  stuck.child.stdout.pause();
  const ended = await other.stop();
  assert.equal(ended.code, 0);
  stuck.child.stdout.resume();
  await stuck.ended;
});
