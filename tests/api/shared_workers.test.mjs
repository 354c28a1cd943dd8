// Work of one caller does not keep the others waiting (docs/reference/http.md, What a request may cost).
import assert from 'node:assert/strict';
import http from 'node:http';
import { test } from 'node:test';
import { SteleServer } from '../support/stele_server.mjs';

const entries = (count, make) => Array.from({ length: count }, (_, i) => make(i));

test('a list is answered while another caller has much more work than there are workers', async () => {
  // The times are far beyond what a slow machine takes: the order of the answers is what is compared.
  const config = 'workers.threads = 4\nserver.query_time = 600s\nserver.request_time = 600s\n';
  const server = await SteleServer.start({ config });
  const agent = new http.Agent({ maxSockets: 64 });
  try {
    const repository = (await server.admin('POST', '/repositories', {}))._doc;
    const nodes = `/repositories/${repository}/branches/master/nodes`;
    await server.admin('POST', nodes, entries(500, (i) => ({ title: `t${i}`, list: entries(50, (k) => `v${k}`) })));
    await server.makeUser('other');
    const token = await server.login('other', 'secret-of-other');
    const body = { $and: entries(60, (i) => ({ list: { $nin: entries(10, (k) => `x${k}-${i}`) } })) };
    const kQueries = 24;
    let answered = 0;
    let tellFirst;
    const first = new Promise((resolve) => { tellFirst = resolve; });
    const queries = entries(kQueries, async () => {
      const reply = await server.request('POST', `${nodes}/query?limit=1`, { token: server.adminToken, body, agent });
      ++answered;
      tellFirst();
      assert.equal(reply.status, 200, reply.text.slice(0, 300));
    });
    await first;
    const reply = await server.request('GET', '/uiconfigs?limit=1', { token, agent });
    const before = answered;
    assert.equal(reply.status, 200);
    await Promise.all(queries);
    assert.ok(before < kQueries / 2, `${before} of ${kQueries} queries were answered before the list`);
  } finally {
    agent.destroy();
    await server.end();
  }
});
