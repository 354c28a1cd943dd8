// A commit whose connection breaks before the database has it, and which arrives nevertheless.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import net from 'node:net';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { PostgresServer } from '../support/postgres_server.mjs';
import { SteleServer } from '../support/stele_server.mjs';

/// Names of prepared statements count up in the order of the enumeration.
const statements = /enum class Statement[^{]*{([^}]*)}/s
  .exec(readFileSync(new URL('../../plugins/storage_postgres/statements.hpp', import.meta.url), 'utf8'))[1]
  .replace(/\/\/[^\n]*/g, '').split(',').map((name) => name.trim()).filter(Boolean);

/// Whether a message binds the statement: `B`, four bytes of length, no portal, its name.
function binds(bytes, name) {
  const number = statements.indexOf(name);
  assert.ok(number >= 0, name);
  const mark = Buffer.from(`\0s${number}\0`);
  for (let at = bytes.indexOf(mark); at >= 0; at = bytes.indexOf(mark, at + 1)) {
    if (at >= 5 && bytes[at - 5] === 'B'.charCodeAt(0)) return true;
  }
  return false;
}

/// Between the server and its database. Holds the first commit back, breaks its connection, and lets it go when the
/// server has been told whether it is stored.
class HoldingProxy {
  static async start(postgres) {
    const proxy = new HoldingProxy();
    proxy.path = `${postgres.primary}/.s.PGSQL.5432`;
    proxy.server = net.createServer((client) => proxy.#accept(client));
    await new Promise((done) => { proxy.server.listen(0, '127.0.0.1', done); });
    proxy.connection = `host=127.0.0.1 port=${proxy.server.address().port} user=postgres dbname=postgres`;
    return proxy;
  }

  #accept(client) {
    const database = net.connect(this.path);
    let isCut = false;
    let isAsked = false;
    client.on('error', () => {});
    database.on('error', () => {});
    client.on('data', (bytes) => {
      if (isCut) return;
      if (this.isArmed && binds(bytes, 'write_at_once')) {
        this.isArmed = false;
        isCut = true;
        this.held = { database, bytes };
        client.resetAndDestroy();
        return;
      }
      isAsked ||= this.held !== undefined && binds(bytes, 'find_batch');
      database.write(bytes);
    });
    database.on('data', (bytes) => {
      if (isCut) return;
      if (!isAsked || this.held === undefined) {
        client.write(bytes);
        return;
      }
      const { held } = this;
      this.held = undefined;
      this.hasLetGo = true;
      held.database.write(held.bytes);
      setTimeout(() => client.write(bytes), 200);
    });
    client.on('close', () => { if (!isCut) database.end(); });
    database.on('close', () => client.destroy());
  }

  end() {
    this.server.close();
  }
}

test('a commit that comes after the server was told that it is not stored is stored once', async () => {
  const postgres = await PostgresServer.start();
  let proxy;
  let server;
  try {
    proxy = await HoldingProxy.start(postgres);
    // The proxy works in this process, which waits for a program that prepares a store.
    await (await SteleServer.start({ config: postgres.config() })).end();
    server = await SteleServer.start({ config: postgres.config().replace(postgres.connection, proxy.connection), isPrepared: true });
    await server.login();
    for (let i = 0; i < 3; ++i) {
      const title = `Once ${i}`;
      // So that the next commit goes in one piece.
      for (let k = 0; k < 40; ++k) await server.admin('POST', '/uiconfigs', { title: `Before ${i}` });
      proxy.isArmed = true;
      await server.admin('POST', '/uiconfigs', { title });
      assert.equal(proxy.isArmed, false, 'no commit went in one piece');
      assert.equal(proxy.hasLetGo, true, 'the server has not asked');
      await sleep(300);
      const { rows } = await server.admin('POST', '/uiconfigs/query', { title });
      assert.equal(rows.length, 1);
      proxy.hasLetGo = false;
    }
  } finally {
    await server?.end();
    proxy?.end();
    await postgres.end();
  }
});
