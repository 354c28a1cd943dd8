// Two servers over one PostgreSQL under load, while one of them is killed, the database is restarted,
// or the primary dies and its synchronous standby takes over. After each round every acknowledged
// write is there whole, and at the end records, indexes and counts agree.
//
// Three rounds each, one under a sanitizer; with STELE_LONG=1, thirty.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { PostgresServer } from '../support/postgres_server.mjs';
import { repetitions } from '../support/repetitions.mjs';
import { SteleServer } from '../support/stele_server.mjs';

const rounds = repetitions(3);
/// Longer than a database needs to come back on a machine that is busy with other things.
const patience = 'storage_postgres.wait_seconds = 120';
let random = Number(process.env.STELE_SEED ?? Date.now() % 1_000_000);
console.log(`seed ${random}`);
const next = (limit) => {
  random = (random * 1103515245 + 12345) % 2147483648;
  return Math.floor(random / 65536) % limit;
};

/// What the servers have acknowledged, by id: the body, or null for removed. A write that failed may
/// or may not have happened: then several states are possible.
class Ledger {
  possible = new Map();
  busy = new Set();
  failures = new Map();
  acknowledged = 0;
  number = 0;

  body(round) {
    return { number: ++this.number, text: `round ${round} `.repeat(1 + next(60)), tags: [round, `t${next(9)}`] };
  }

  noteFailure(error) {
    this.failures.set(error, (this.failures.get(error) ?? 0) + 1);
  }

  /// One random write through a server. Failures that the fault explains are noted, others thrown.
  async write(server, token, round) {
    const idle = [...this.possible.keys()].filter((id) => !this.busy.has(id) && this.possible.get(id).some(Boolean));
    const id = idle.length > 0 && next(3) > 0 ? idle[next(idle.length)] : undefined;
    const isRemoval = id && next(6) === 0;
    const body = this.body(round);
    if (id) this.busy.add(id);
    try {
      const reply = id
        ? await server.request(isRemoval ? 'DELETE' : 'PUT', `/uiconfigs/${id}`, { token, body: isRemoval ? undefined : body })
        : await server.request('POST', '/uiconfigs', { token, body });
      if (reply.status === 200) {
        ++this.acknowledged;
        this.possible.set(id ?? reply.json._doc, [isRemoval ? null : body]);
      } else if (reply.status === 404 && id && this.possible.get(id).includes(null)) {
        this.possible.set(id, [null]);
      } else if (reply.status === 503) {
        this.noteFailure(reply.json.code);
        if (id) this.possible.get(id).push(isRemoval ? null : body);
      } else {
        throw new Error(`${reply.status} ${reply.text}`);
      }
    } catch (error) {
      if (!['ECONNRESET', 'ECONNREFUSED', 'EPIPE'].includes(error.code)) throw error;
      this.noteFailure(error.code);
      if (id) this.possible.get(id).push(isRemoval ? null : body);
      await sleep(5);
    } finally {
      this.busy.delete(id);
    }
  }

  /// Compares with what a server shows; from then on that is what must be there.
  async compare(server, token, round) {
    const reply = await server.request('GET', '/uiconfigs?limit=-1', { token });
    assert.equal(reply.status, 200, reply.text);
    const whole = ({ number, text, tags }) => JSON.stringify({ number, text, tags });
    const stored = new Map(reply.json.rows.map((row) => [row._doc, row]));
    for (const [id, bodies] of this.possible) {
      const row = stored.get(id);
      const shown = row ? whole(row) : null;
      const found = bodies.find((body) => (body ? whole(body) : null) === shown);
      assert.notEqual(found, undefined, `round ${round}: ${id} is ${shown}, possible: ${JSON.stringify(bodies)}`);
      this.possible.set(id, [found]);
    }
    // Creations whose answer was lost.
    for (const [id, { number, text, tags }] of stored) {
      if (this.possible.has(id)) continue;
      assert.ok(number && text && tags, `round ${round}: ${id} is there in half`);
      this.possible.set(id, [{ number, text, tags }]);
    }
  }
}

async function runRounds({ withStandby = false, fault }) {
  const postgres = await PostgresServer.start({ withStandby });
  const servers = [await SteleServer.start({ config: postgres.config(patience) })];
  servers.push(await SteleServer.start({ config: postgres.config(patience), isPrepared: true }));
  const ledger = new Ledger();
  try {
    const token = await servers[0].login();
    for (let round = 0; round < rounds; ++round) {
      let isOver = false;
      const writers = Array.from({ length: 12 }, async (_, i) => {
        while (!isOver) await ledger.write(servers[i % 2], token, round);
      });
      await sleep(200 + next(400));
      await fault({ postgres, servers });
      const before = ledger.acknowledged;
      // The load must get through again by itself.
      for (let i = 0; ledger.acknowledged < before + 20; ++i) {
        assert.ok(i < 1200, `round ${round}: nothing is acknowledged any more`);
        await sleep(100);
      }
      isOver = true;
      await Promise.all(writers);
      for (const server of servers) await ledger.compare(server, token, round);
    }
    const checked = servers[0].check();
    assert.equal(checked.status, 0, checked.text);
    console.log(`acknowledged ${ledger.acknowledged}, not: ${JSON.stringify([...ledger.failures])}`);
    return { ledger, servers };
  } finally {
    for (const server of servers) await server.end();
    await postgres.end();
  }
}

test(`${rounds} rounds of kill -9 of one of two servers`, async () => {
  const { ledger } = await runRounds({
    async fault({ servers }) {
      const victim = servers[next(2)];
      await victim.stop('SIGKILL');
      await sleep(next(200));
      await victim.launch();
    },
  });
  // The other server and the database were there all the time.
  assert.deepEqual([...ledger.failures.keys()].filter((code) => !code.startsWith('E')), []);
});

test(`${rounds} restarts of PostgreSQL`, async () => {
  const { ledger } = await runRounds({ fault: ({ postgres }) => postgres.restart() });
  // The servers wait until it is back.
  assert.deepEqual([...ledger.failures.keys()], []);
});

test(`${rounds} times a killed PostgreSQL that recovers`, async () => {
  const { ledger } = await runRounds({
    async fault({ postgres }) {
      await postgres.kill();
      await sleep(next(300));
      await postgres.startPrimary();
    },
  });
  assert.deepEqual([...ledger.failures.keys()], []);
});

test(`${rounds} times a primary that is killed and a synchronous standby that takes over`, async () => {
  const { ledger } = await runRounds({ withStandby: true, fault: ({ postgres }) => postgres.failOver() });
  assert.deepEqual([...ledger.failures.keys()], []);
});

test('while PostgreSQL is away the servers say so, in bounded time, and recover by themselves', async () => {
  const postgres = await PostgresServer.start();
  const server = await SteleServer.start({ config: postgres.config('storage_postgres.wait_seconds = 2') });
  try {
    const token = await server.login();
    assert.equal((await server.request('GET', '/readyz')).status, 200);
    await postgres.stopPrimary();
    const begin = Date.now();
    const reply = await server.request('GET', '/uiconfigs', { token });
    assert.equal(reply.status, 503, reply.text);
    assert.equal(reply.json.code, 'storage_postgres.unreachable');
    assert.ok(Date.now() - begin < 6000);
    const ready = await server.request('GET', '/readyz');
    assert.equal(ready.status, 503);
    assert.equal(ready.json.code, 'storage_postgres.unreachable');
    assert.equal((await server.request('GET', '/healthz')).status, 200);
    await postgres.startPrimary();
    for (let i = 0; (await server.request('GET', '/readyz')).status !== 200; ++i) {
      assert.ok(i < 100, 'it never got ready again');
      await sleep(100);
    }
    assert.equal((await server.request('GET', '/uiconfigs', { token })).status, 200);
  } finally {
    await server.end();
    await postgres.end();
  }
});
