// kill -9 while many write nodes and read what they wrote: after each restart every acknowledged write is
// there, however one asks for it, a write in doubt is there wholly or not at all, and `stele check` finds
// the store consistent. In some rounds the index of searches is damaged while the server is down.
//
// Three rounds, thirty with STELE_LONG=1; STELE_CRASH_ROUNDS names another number.
import assert from 'node:assert/strict';
import { readdirSync, rmSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { NodeTraffic } from '../support/node_traffic.mjs';
import { repetitions } from '../support/repetitions.mjs';
import { SteleServer } from '../support/stele_server.mjs';

const rounds = Number(process.env.STELE_CRASH_ROUNDS ?? repetitions(3));

const halve = (file) => truncateSync(file, Math.floor(statSync(file).size / 2));
const filesOf = (folder) => readdirSync(folder).map((name) => join(folder, name)).filter((file) => statSync(file).size > 0);
const damages = [
  () => {},
  (folder, next) => { const files = filesOf(folder); halve(files[next(files.length)]); },
  (folder) => rmSync(folder, { recursive: true }),
];

test(`${rounds} rounds of kill -9 lose nothing of nodes that was acknowledged`, async () => {
  const server = await SteleServer.start();
  try {
    const traffic = await NodeTraffic.start([server], 8);
    let inDoubt = 0;
    let happened = 0;
    for (let round = 0; round < rounds; ++round) {
      const wanted = traffic.acknowledged + 50 + traffic.next(200);
      await traffic.run({ until: () => traffic.acknowledged >= wanted, atEnd: () => server.child.kill('SIGKILL') });
      await server.exited;
      const checked = server.check();
      assert.equal(checked.status, 0, `round ${round}: ${checked.text}`);
      damages[round % damages.length](join(server.data, 'search'), traffic.next);
      await server.launch();
      inDoubt += traffic.writers.filter((writer) => writer.doubt).length;
      happened += await traffic.compare(server, round, { isLast: round === rounds - 1 });
    }
    console.log(`acknowledged ${traffic.acknowledged}; in doubt ${inDoubt}, of which ${happened} have happened`);
    if (rounds > 2) assert.ok(inDoubt > 0);
    await server.end();
  } finally {
    await server.stop('SIGKILL');
  }
});
