// kill -9 in the middle of concurrent writes: after each restart every acknowledged write is there
// whole, and `stele check` finds records, indexes and counts in agreement.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { repetitions } from '../support/repetitions.mjs';
import { SteleServer } from '../support/stele_server.mjs';

const rounds = Number(process.env.STELE_CRASH_ROUNDS ?? (process.env.STELE_SHORT === 'ci' ? 15 : repetitions(50)));
let random = Number(process.env.STELE_SEED ?? Date.now() % 1_000_000);
console.log(`seed ${random}`);
const next = (limit) => {
  random = (random * 1103515245 + 12345) % 2147483648;
  return random % limit;
};

test(`${rounds} rounds of kill -9 lose nothing that was acknowledged`, async () => {
  const server = await SteleServer.start();
  let token = await server.login();
  /// What the server has acknowledged, by id; `undefined` stands for removed.
  const acknowledged = new Map();
  let number = 0;
  try {
    for (let round = 0; round < rounds; ++round) {
      const busy = new Set();
      let isKilled = false;
      let writes = 0;
      const wanted = 40 + next(400);
      const writer = async () => {
        while (!isKilled) {
          const mine = [...acknowledged.keys()];
          const id = mine.length > 0 && next(3) > 0 ? mine[next(mine.length)] : undefined;
          if (id && busy.has(id)) continue;
          const isRemoval = id && acknowledged.get(id) && next(6) === 0;
          const body = { number: ++number, text: `round ${round} `.repeat(1 + next(60)), tags: [round, `t${next(9)}`] };
          try {
            if (id && acknowledged.get(id)) {
              busy.add(id);
              const reply = await server.request(isRemoval ? 'DELETE' : 'PUT', `/uiconfigs/${id}`, { token, body: isRemoval ? undefined : body });
              if (reply.status === 200) acknowledged.set(id, isRemoval ? undefined : body);
              else throw new Error(`${reply.status} ${reply.text}`);
              busy.delete(id);
            } else {
              const reply = await server.request('POST', '/uiconfigs', { token, body });
              if (reply.status !== 200) throw new Error(`${reply.status} ${reply.text}`);
              acknowledged.set(reply.json._doc, body);
            }
          } catch (error) {
            if (!isKilled) throw error;
            return;
          }
          if (++writes >= wanted && !isKilled) {
            isKilled = true;
            server.child.kill('SIGKILL');
          }
        }
      };
      await Promise.all(Array.from({ length: 16 }, writer));
      await server.exited;
      const checked = server.check();
      assert.equal(checked.status, 0, `round ${round}: ${checked.text}`);
      await server.launch();
      // Writes that were under way when the process died may or may not have happened, but whole.
      const { rows } = (await server.request('GET', '/uiconfigs?limit=-1', { token })).json;
      const stored = new Map(rows.map((row) => [row._doc, row]));
      for (const [id, body] of acknowledged) {
        const row = stored.get(id);
        if (busy.has(id)) {
          if (row) acknowledged.set(id, { number: row.number, text: row.text, tags: row.tags });
          else acknowledged.set(id, undefined);
          continue;
        }
        if (!body) {
          assert.equal(row, undefined, `round ${round}: ${id} was removed`);
          continue;
        }
        assert.ok(row, `round ${round}: ${id} was acknowledged`);
        assert.deepEqual({ number: row.number, text: row.text, tags: row.tags }, body);
      }
      for (const [id, row] of stored) {
        if (!acknowledged.has(id)) acknowledged.set(id, { number: row.number, text: row.text, tags: row.tags });
      }
    }
  } finally {
    await server.end();
  }
});
