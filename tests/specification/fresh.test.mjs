// What a server holds that nobody has touched (docs/specification/platform.md 2.7), and how it is set up.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { statement, Subject } from '../support/statements.mjs';

const it = Subject.serve();

statement('architecture 7.3', async () => {
  for (const path of ['/', '/nowhere']) assert.match((await it.reply('GET', path)).headers['x-request-id'], /^[0-9a-f]+$/);
});
statement('architecture 7.4', async () => {
  for (const path of ['/openapi.json', '/healthz', '/readyz', '/metrics']) assert.equal((await it.server.request('GET', path)).status, 200, path);
  assert.match((await it.server.request('GET', '/metrics')).text, /^# (HELP|TYPE) /m);
  assert.ok('/uiconfigs' in (await it.get('/openapi.json')).paths);
});
statement('architecture 8.2', async () => {
  const printed = it.server.run(['config']).text;
  for (const key of ['pagination.sort_numbers', 'server.body_bytes']) assert.ok(printed.includes(key), key);
});
statement('architecture 8.4', async () => {
  const bin = process.env.STELE_BIN ?? new URL('../../build/release/bin/stele', import.meta.url).pathname;
  for (const command of [['serve'], ['plugins'], ['check'], ['backup'], ['restore'], ['user']]) {
    const done = spawnSync(bin, [...command, '--help'], { encoding: 'utf8' });
    assert.equal(done.status, 0, command.join(' ') + done.stderr);
  }
});
statement('platform 2.7.9', async () => {
  const { rows } = await it.get('/repositories');
  assert.deepEqual(rows.map((row) => [row._doc, row.title]), [['default', 'Primary repository']]);
  const branches = (await it.get('/repositories/default/branches')).rows;
  assert.deepEqual(branches.map((row) => row.type), ['MASTER']);
  const id = await it.make('/repositories/default/branches/master/nodes', { title: 'first' });
  assert.equal((await it.get(`/repositories/default/branches/master/nodes/${id}`)).title, 'first');
  // It is its owners', as any other repository is.
  const other = await it.person('nobodys-owner');
  await it.refused(404, 'GET', '/repositories/default', undefined, other);
  assert.deepEqual((await it.allowed('GET', '/repositories', undefined, other)).rows, []);
});

// That the result builds and works against an installed SDK: tests/sdk_package/package_test.sh.
statement('architecture 8.5', async () => {
  const bin = process.env.STELE_BIN ?? new URL('../../build/release/bin/stele', import.meta.url).pathname;
  const place = mkdtempSync(join(tmpdir(), 'stele-plugin-'));
  try {
    const begin = (...words) => spawnSync(bin, ['plugin', 'new', ...words], { encoding: 'utf8', cwd: place });
    const begun = begin('guest_book');
    assert.equal(begun.status, 0, begun.stderr);
    const folder = join(place, 'guest_book');
    assert.deepEqual(readdirSync(folder, { recursive: true }).sort(),
                     ['CMakeLists.txt', 'README.md', 'guest_book.cpp', 'guest_book.hpp', 'plugin.cpp', 'tests', 'tests/documents.json']);
    const text = (name) => readFileSync(join(folder, name), 'utf8');
    for (const [name, wanted] of [['plugin.cpp', '.id = "guest_book"'], ['guest_book.hpp', 'class GuestBook final'], ['guest_book.cpp', '.placeholder = "guestBookId"'],
                                  ['CMakeLists.txt', 'stele_add_plugin(guest_book SOURCES plugin.cpp guest_book.cpp)'], ['tests/documents.json', '"/guest_books"']]) {
      assert.ok(text(name).includes(wanted), `${name}: ${text(name)}`);
      assert.doesNotMatch(text(name), /\bnotes?\b/i, name);
    }
    // Nothing that is there is written over, and no name is taken that could not be built or served.
    for (const words of [['guest_book'], ['other', '--folder', folder]]) assert.match(begin(...words).stderr, /is there already/);
    assert.match(begin('identity').stderr, /there is a plugin identity already/);
    for (const name of ['Guest', 'guest-book', '1st', 'a__b', 'a_', '../up', '', 'class', 'sdk', 'x'.repeat(41)]) assert.notEqual(begin(name).status, 0, name);
    assert.deepEqual(readdirSync(place), ['guest_book']);
    assert.equal(begin('second', '--folder', join(place, 'deep', 'down')).status, 0);
    assert.ok(readdirSync(join(place, 'deep', 'down')).includes('second.cpp'));
  } finally {
    rmSync(place, { recursive: true });
  }
});
