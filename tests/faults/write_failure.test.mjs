// A write that the disk refuses half-way: the store is opened anew while it is served.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { noise } from '../support/noise.mjs';
import { SteleServer } from '../support/stele_server.mjs';
import { until } from '../support/until.mjs';

/// From now on no file of the server may become larger.
function limitFiles(server, bytes) {
  const done = spawnSync('prlimit', ['--pid', String(server.child.pid), `--fsize=${bytes}:`], { encoding: 'utf8' });
  assert.equal(done.status, 0, done.stderr);
}

test('a store whose write failed ends readiness, answers reads, and takes writes and logins again without a restart', async () => {
  const server = await SteleServer.start();
  try {
    const token = await server.login();
    const acknowledged = [];
    const create = () => server.request('POST', '/uiconfigs', { token, body: { text: noise(20_000) } });
    const fill = async () => {
      for (let i = 0; i < 1000; ++i) {
        const reply = await create();
        if (reply.status !== 200) return reply;
        acknowledged.push(reply.json._doc);
      }
      return assert.fail('no write failed');
    };
    for (let round = 0; round < 3; ++round) {
      limitFiles(server, 200_000);
      const failed = await fill();
      assert.deepEqual([failed.status, failed.json.code], [503, 'engine.write_failed'], failed.text);
      const ready = await server.request('GET', '/readyz');
      assert.deepEqual([ready.status, ready.json.code], [503, 'engine.write_failed'], ready.text);
      assert.equal((await server.request('GET', `/uiconfigs/${acknowledged[0]}`, { token })).status, 200);
      limitFiles(server, 'unlimited');
      await until(async () => (await server.request('GET', '/readyz')).status === 200, 'it is ready again');
      const again = await create();
      assert.equal(again.status, 200, again.text);
      acknowledged.push(again.json._doc);
      assert.equal((await server.request('DELETE', `/uiconfigs/${acknowledged.shift()}`, { token })).status, 200);
      await server.login();
    }
    const listed = async () => (await server.admin('GET', '/uiconfigs?limit=-1&full=false')).rows.map((row) => row._doc).sort();
    assert.deepEqual(await listed(), [...acknowledged].sort());
    await server.stop();
    assert.equal(server.check().status, 0, server.check().text);
    await server.launch();
    assert.deepEqual(await listed(), acknowledged.sort());
  } finally {
    await server.end();
  }
});
