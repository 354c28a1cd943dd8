// The operations of the specification, row by row, over PostgreSQL.
import assert from 'node:assert/strict';
import { walkOperations } from '../support/operations_walk.mjs';
import { PostgresServer } from '../support/postgres_server.mjs';
import { SteleServer } from '../support/stele_server.mjs';

let postgres;

walkOperations({
  async start(config) {
    postgres = await PostgresServer.start();
    return SteleServer.start({ config: postgres.config(config) });
  },
  async end(server) {
    await server.end();
    // What was walked lies there and nowhere else.
    assert.ok(Number(postgres.query('select version from stele.stele_state')) > 100);
    await postgres.end();
  },
});
