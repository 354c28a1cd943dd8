// A server that is told to stop in the middle of writes, and given no time for it, still ends
// cleanly: commits that were under way are answered before what answers them is gone.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { repetitions } from '../support/repetitions.mjs';
import { SteleServer } from '../support/stele_server.mjs';

const rounds = repetitions(20);

test(`${rounds} ends without patience in the middle of writes`, async () => {
  const server = await SteleServer.start({ config: 'server.drain_time = 0s\n' });
  const token = await server.login();
  const acknowledged = new Set();
  try {
    for (let round = 0; round < rounds; ++round) {
      let isStopping = false;
      let writes = 0;
      const writer = async () => {
        while (!isStopping) {
          try {
            const reply = await server.request('POST', '/uiconfigs', { token, body: { round, text: 'x'.repeat(600) } });
            if (reply.status === 200) acknowledged.add(reply.json._doc);
            else assert.ok(isStopping, `${reply.status} ${reply.text}`);
          } catch (error) {
            // Connections are cut by the stop that was asked for, and by nothing else.
            if (!isStopping || error instanceof assert.AssertionError) throw error;
          }
          if (++writes >= 60 + round && !isStopping) {
            isStopping = true;
            server.child.kill('SIGTERM');
          }
        }
      };
      await Promise.all(Array.from({ length: 32 }, writer));
      const ended = await server.exited;
      assert.deepEqual(ended, { code: 0, signal: null }, server.log);
      await server.launch();
    }
    const { rows } = (await server.request('GET', '/uiconfigs?limit=-1', { token })).json;
    const stored = new Set(rows.map((row) => row._doc));
    assert.deepEqual([...acknowledged].filter((id) => !stored.has(id)), []);
    assert.ok(acknowledged.size >= rounds * 60, `${acknowledged.size} were acknowledged`);
  } finally {
    await server.end();
  }
});
