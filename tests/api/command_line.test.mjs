// What the program makes of its words and settings.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { bin, SteleServer } from '../support/stele_server.mjs';

const stele = (...words) => spawnSync(bin, words, { encoding: 'utf8' });

test('a command that is none is named, with the nearest that is', () => {
  for (const [words, wanted] of [
    [['bakcup'], "stele has no command 'bakcup'; did you mean 'backup'?"],
    [['srve', '--data', '/nowhere'], "stele has no command 'srve'; did you mean 'serve'?"],
    [['user', 'lst'], "stele user has no command 'lst'; did you mean 'list'?"],
  ]) {
    const done = stele(...words);
    assert.notEqual(done.status, 0);
    assert.ok(done.stderr.includes(wanted), done.stderr);
  }
});

test('every command that --help lists is known', () => {
  const listed = stele('--help').stdout.split('Subcommands:')[1].match(/^ {2}[a-z-]+/gm).map((name) => name.trim());
  assert.ok(listed.length >= 10, listed.join());
  for (const name of listed) assert.equal(stele(name, '--help').status, 0, name);
});

test('an environment variable that names no setting of what is enabled stops the start', () => {
  const env = { ...process.env, STELE_IDENTITY_ACCES_TOKEN_SECONDS: '7' };
  const done = spawnSync(bin, ['init', '--data', `/tmp/stele-none-${process.pid}/data`], { encoding: 'utf8', env });
  assert.notEqual(done.status, 0);
  assert.match(done.stderr, /STELE_IDENTITY_ACCES_TOKEN_SECONDS is no setting; did you mean STELE_IDENTITY_ACCESS_TOKEN_SECONDS\?/);
});

test('a mistyped setting in the file stops the start, of a plugin as of the server', () => {
  const folder = mkdtempSync(join(tmpdir(), 'stele-settings-'));
  const file = join(folder, 'stele.conf');
  for (const [key, wanted] of [['identity.acces_token_seconds', 'identity.access_token_seconds'], ['server.prot', 'server.port']]) {
    writeFileSync(file, `# one line before\n${key} = 7\n`);
    const done = stele('init', '--data', join(folder, 'data'), '--config', file);
    assert.notEqual(done.status, 0, key);
    assert.ok(done.stderr.includes(`stele.conf:2: '${key}' is no setting; did you mean '${wanted}'?`), done.stderr);
  }
  rmSync(folder, { recursive: true });
});

test('the plugin of an engine that the store is not in is opened only where its settings are mentioned', async (t) => {
  const isOpened = async (config) => {
    const server = await SteleServer.start({ config });
    t.after(() => server.end());
    return readFileSync(`/proc/${server.child.pid}/maps`, 'utf8').includes('storage_postgres.so');
  };
  assert.equal(await isOpened(undefined), false);
  assert.equal(await isOpened('storage_postgres.schema = other\n'), true);
  const folder = mkdtempSync(join(tmpdir(), 'stele-settings-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'stele.conf');
  writeFileSync(file, 'storage_postgres.shema = other\n');
  const done = stele('init', '--data', join(folder, 'data'), '--config', file);
  assert.notEqual(done.status, 0);
  assert.match(done.stderr, /did you mean 'storage_postgres.schema'/);
  assert.match(stele('config').stdout, /^storage_postgres\.schema = /m);
});
