// An operator may run any subset: each single plugin with what it requires, and only its routes.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { SteleServer } from '../support/stele_server.mjs';

const bin = process.env.STELE_BIN ?? new URL('../../build/release/bin/stele', import.meta.url).pathname;
const listing = spawnSync(bin, ['plugins'], { encoding: 'utf8' }).stdout.trim().split('\n');
// An engine offers a place for the store, and no routes: tests/postgres.
const plugins = new Map(listing.filter((line) => !line.includes(', engine ')).map((line) => {
  const [head, needs = ''] = line.split(', requires ');
  return [head.split(' ')[0], needs.split(' ').filter(Boolean)];
}));

function closure(id, seen = new Set()) {
  if (!seen.has(id)) {
    seen.add(id);
    plugins.get(id).forEach((needed) => closure(needed, seen));
  }
  return seen;
}

test('the plugins of this repository are found', () => {
  for (const id of ['identity', 'platform', 'ui_configs', 'access_policies']) assert.ok(plugins.has(id), id);
});

for (const id of plugins.keys()) {
  test(`${id} with what it requires starts and lists only its routes`, async () => {
    const wanted = closure(id);
    const server = await SteleServer.start({ enable: [...wanted].join(',') });
    try {
      const { json } = await server.request('GET', '/openapi.json');
      const offering = new Set();
      for (const item of Object.values(json.paths)) {
        for (const operation of Object.values(item)) offering.add(operation['x-stele-plugin']);
      }
      offering.delete('kernel');
      assert.deepEqual([...offering].sort(), [...wanted].sort());
      assert.equal((await server.request('GET', '/readyz')).status, 200);
      if (!wanted.has('identity')) return;
      const { rows } = await server.admin('GET', '/domains');
      assert.equal(rows[0]._doc, 'default');
      const absent = wanted.has('ui_configs') ? '/access/policies' : '/uiconfigs';
      const reply = await server.request('GET', absent, { token: server.adminToken });
      if (!wanted.has(absent === '/uiconfigs' ? 'ui_configs' : 'access_policies')) assert.equal(reply.status, 404);
    } finally {
      await server.end();
    }
  });
}

test('a plugin that is enabled without what it requires stops start-up and says so', () => {
  const done = spawnSync(bin, ['init', '--data', '/tmp/stele-never', '--enable', 'ui_configs'], { encoding: 'utf8' });
  assert.notEqual(done.status, 0);
  assert.match(done.stderr, /ui_configs/);
  assert.match(done.stderr, /identity/);
});

test('an unknown plugin name stops start-up and is named', () => {
  const done = spawnSync(bin, ['init', '--data', '/tmp/stele-never', '--enable', 'identity,no_such'], { encoding: 'utf8' });
  assert.notEqual(done.status, 0);
  assert.match(done.stderr, /no_such/);
});
