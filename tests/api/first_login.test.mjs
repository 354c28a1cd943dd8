// Where the password goes that the first start makes: never into what others keep of a service's output.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { SteleServer } from '../support/stele_server.mjs';

const bin = process.env.STELE_BIN ?? new URL('../../build/release/bin/stele', import.meta.url).pathname;
const secretsOf = (text) => [/password: +(\S+)/, /client secret: +(\S+)/].map((one) => text.match(one)?.[1]);

test('a server that starts on an empty folder writes the first login to a file for its owner, and prints none of it', async () => {
  const server = await SteleServer.start({ isPrepared: true });
  const file = join(server.data, 'first-login');
  const text = readFileSync(file, 'utf8');
  const [password, secret] = secretsOf(text);
  assert.ok(password.length >= 12, text);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  for (const printed of [server.out, server.log]) {
    assert.ok(!printed.includes(password) && !printed.includes(secret));
  }
  assert.ok(server.out.includes(file), server.out);
  server.seed = { client: { key: text.match(/client key: +(\S+)/)[1], secret }, admin: { password } };
  assert.equal((await server.admin('GET', '/auth/info')).user.name, 'admin');
  await server.end();
});

test('init does the same, and does not follow what somebody has put in the place of the file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'stele-first-'));
  const elsewhere = join(folder, 'elsewhere');
  writeFileSync(elsewhere, 'of somebody');
  const data = join(folder, 'data');
  spawnSync('mkdir', [data]);
  symlinkSync(elsewhere, join(data, 'first-login'));
  const done = spawnSync(bin, ['init', '--data', data], { encoding: 'utf8' });
  assert.equal(done.status, 0, done.stderr);
  const [password] = secretsOf(readFileSync(join(data, 'first-login'), 'utf8'));
  assert.ok(password && !done.stdout.includes(password) && !done.stderr.includes(password));
  assert.equal(readFileSync(elsewhere, 'utf8'), 'of somebody');
  assert.equal(statSync(join(data, 'first-login')).mode & 0o777, 0o600);
  rmSync(folder, { recursive: true });
});

test('a seed says what the enabled plugins take of it, and nothing else', () => {
  const folder = mkdtempSync(join(tmpdir(), 'stele-first-'));
  const file = join(folder, 'seed.json');
  const init = (seed, ...more) => {
    writeFileSync(file, JSON.stringify(seed));
    return spawnSync(bin, ['init', '--data', join(folder, 'data'), '--seed', file, ...more], { encoding: 'utf8' });
  };
  for (const [seed, told, ...more] of [
    [{ admin: { passwort: 'x' } }, 'admin.passwort is no seed'],
    [{ client: { key: '' }, grant: { secret: 5 } }, 'client.key must be a text that is not empty'],
    [{ platform: 'mine' }, 'platform must be an object'],
    [{ door: { key: 'k' } }, 'door.key is no seed of the enabled plugins'],
    [{ admin: { password: 'x' } }, 'admin.password is no seed of the enabled plugins', '--enable', 'storage_postgres'],
  ]) {
    const done = init(seed, ...more);
    assert.equal(done.status, 1, done.stdout);
    assert.match(done.stderr, /request\.input_invalid/);
    assert.ok(done.stderr.includes(told), done.stderr);
  }
  // Nobody there knows a first login.
  const alone = init({ platform: { title: 'Mine' } }, '--enable', 'storage_postgres');
  assert.equal(alone.status, 0, alone.stderr);
  assert.ok(!existsSync(join(folder, 'data', 'first-login')));
  rmSync(folder, { recursive: true });
});

test('on a terminal it is shown, and no file is left', { skip: !existsSync('/usr/bin/script') }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'stele-first-'));
  const data = join(folder, 'data');
  const done = spawnSync('script', ['-qec', `${bin} init --data ${data}`, '/dev/null'], { encoding: 'utf8', input: '' });
  assert.equal(done.status, 0, done.stdout + done.stderr);
  assert.ok(secretsOf(done.stdout)[0]?.length >= 12, done.stdout);
  assert.ok(!existsSync(join(data, 'first-login')));
  rmSync(folder, { recursive: true });
});
