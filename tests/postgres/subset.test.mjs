// The engine beside the least that can be served: no plugin brings it, and it brings no routes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PostgresServer } from '../support/postgres_server.mjs';
import { SteleServer } from '../support/stele_server.mjs';

test('identity and the engine alone start, work, and are found again', async () => {
  const postgres = await PostgresServer.start();
  const options = { config: postgres.config(), enable: 'identity,storage_postgres' };
  try {
    const server = await SteleServer.start(options);
    await server.makeUser('stored');
    const { paths } = (await server.request('GET', '/openapi.json')).json;
    const plugins = new Set(Object.values(paths).flatMap((item) => Object.values(item)).map((one) => one['x-stele-plugin']));
    assert.deepEqual([...plugins].sort(), ['identity', 'kernel']);
    await server.end();
    const again = await SteleServer.start({ ...options, isPrepared: true });
    const token = await again.login('stored', 'secret-of-stored');
    assert.equal((await again.request('GET', '/domains/default', { token })).status, 200);
    await again.end();
  } finally {
    await postgres.end();
  }
});

test('the engine is not there unless it is enabled, and start-up says so', async () => {
  const postgres = await PostgresServer.start();
  try {
    await assert.rejects(SteleServer.start({ config: postgres.config(), enable: 'identity' }), /no enabled plugin offers the engine 'postgres'/);
  } finally {
    await postgres.end();
  }
});
