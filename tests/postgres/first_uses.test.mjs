// The first records of every pair of families at once, through two servers over one fresh PostgreSQL
// (docs/specification/platform.md 1).
import { test } from 'node:test';
import { firstUses } from '../support/first_uses.mjs';
import { PostgresServer } from '../support/postgres_server.mjs';
import { repetitions } from '../support/repetitions.mjs';
import { SteleServer } from '../support/stele_server.mjs';

test('first records of all families at once are stored, whichever server and family takes a number first', async () => {
  for (let round = 0; round < repetitions(2); ++round) {
    const postgres = await PostgresServer.start();
    const servers = [await SteleServer.start({ config: postgres.config() })];
    try {
      servers.push(await SteleServer.start({ config: postgres.config(), isPrepared: true }));
      await firstUses(servers);
    } finally {
      for (const server of servers) await server.end();
      await postgres.end();
    }
  }
});
