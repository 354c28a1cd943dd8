// What a server holds that nobody has touched (docs/specification/platform.md 2.7), and how it is set up.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
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
