// What docs/specification promises of parameters, pages and bodies, on every operation that has them.
import assert from 'node:assert/strict';
import { statement, Subject } from '../support/statements.mjs';

const it = Subject.serve();

/// A list obeys skip and limit, and refuses what is none.
async function hasPages(method, path, body) {
  const join = path.includes('?') ? '&' : '?';
  const all = await it.ok(method, `${path}${join}limit=-1`, body);
  assert.ok(all.rows.length > 1, `${path} has rows to page through`);
  const key = (row) => JSON.stringify(row._doc ?? row._changesetId ?? row.key ?? row);
  const second = await it.ok(method, `${path}${join}skip=1&limit=1`, body);
  assert.deepEqual([second.rows.map(key), second.size, second.offset, second.total_rows], [[key(all.rows[1])], 1, 1, all.total_rows], path);
  for (const bad of ['skip=minus', 'limit=many', 'limit=-2', 'sort=%7Bbroken']) await it.refused(400, method, `${path}${join}${bad}`, body);
}

statement('interface 1.7', async () => {
  const { path, branch, node } = await it.repository();
  const [a, b] = [await node({ title: 'a' }, '?parentFolderPath=/'), await node({ title: 'b' }, '?parentFolderPath=/')];
  for (let i = 0; i < 2; ++i) {
    await it.make('/sidekicks', { title: `s${i}` });
    await it.make('/logs', { level: 'INFO', message: `m${i}` });
    await it.post(`${branch}/nodes/${a}/associate?node=${b}&type=my:t${i}`);
    await it.make(`${path}/branches?branch=master`);
  }
  for (const [method, way, body] of [['GET', '/sidekicks'], ['POST', '/sidekicks/query', {}], ['GET', '/domains/default/principals'], ['GET', `${path}/branches`], ['POST', `${path}/branches/query`, {}],
    ['GET', `${path}/changesets`], ['GET', `${branch}/definitions`], ['POST', `${branch}/nodes/query`, {}], ['GET', `${branch}/nodes/root/children`], ['GET', `${branch}/nodes/${a}/associations`],
    ['GET', '/activities'], ['GET', '/logs']]) await hasPages(method, way, body);
});
statement('nodes 19.9', async () => {
  const { branch, node } = await it.repository();
  const one = `${branch}/nodes/${await node({ title: 'a' })}`;
  await it.put(one, { title: 'b' });
  await hasPages('GET', `${one}/versions`);
});
