// What docs/specification promises of parameters, pages and bodies, on every operation that has them.
import assert from 'node:assert/strict';
import { statement, Subject } from '../support/statements.mjs';

const it = Subject.serve();
let holders = 0;

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
statement('rulings 6', async () => {
  const { branch, node } = await it.repository();
  for (const path of ['/uiconfigs', '/registrars', '/domains', `${branch}/nodes`]) {
    const made = await it.post(path, { title: 'made', colour: 'red' });
    assert.deepEqual([made.ok, typeof made._doc, made.title, made.colour, typeof made._system], [true, 'string', 'made', 'red', 'object'], path);
    const changed = await it.put(`${path}/${made._doc}`, { title: 'changed' });
    assert.deepEqual([changed.ok, changed._doc, changed.title, typeof changed._system], [true, made._doc, 'changed', 'object'], path);
    const read = await it.get(`${path}/${made._doc}`);
    assert.deepEqual(['ok' in read, 'error' in read, read.title], [false, false, 'changed'], path);
    const bare = await it.put(`${path}/${made._doc}?full=false`, { title: 'again' });
    assert.deepEqual(bare, { _doc: made._doc, ok: true }, path);
  }
  assert.deepEqual(Object.keys(await it.post(`${branch}/nodes?full=false`, { title: 'bare' })).sort(), ['_doc', 'ok']);
  await it.get(`${branch}/nodes/${await node()}`);
});
statement('semantics 0.1.4', async () => {
  const { path, branch, node } = await it.repository();
  const records = ['/uiconfigs', '/registrars', '/stacks', '/domains/default/principals'];
  const places = [path, branch, `${branch}/nodes/${await node()}`];
  for (const collection of records) places.push(`${collection}/${await it.make(collection, { name: 'with-metadata', type: 'GROUP' })}`);
  for (const place of [...places, '/']) {
    assert.equal(typeof (await it.get(place))._system, 'object', place);
    assert.ok(!('_system' in (await it.get(`${place}?metadata=false`))), place);
  }
  for (const collection of records) {
    for (const row of (await it.get(`${collection}?metadata=false`)).rows) assert.ok(!('_system' in row), collection);
    for (const row of (await it.get(collection)).rows) assert.equal(typeof row._system, 'object', collection);
  }
});
statement('interface 1.5', async () => {
  const store = `/registrars/${await it.make('/registrars')}`;
  const { _doc: byId } = await it.post(`${store}/roles`, { roleKey: 'teller', permissions: ['CONNECT', 'READ'] });
  const plan = `${store}/plans/${await it.make(`${store}/plans`, { planKey: 'some' })}`;
  for (const path of [store, plan]) {
    for (const [given, taken] of [[byId, 'teller'], ['teller', byId]]) {
      const who = await it.person(`holder-${++holders}`);
      const holds = async (role) => (await it.post(`${path}/authorities/${role}/check?id=default/${who.id}`)).check;
      const listed = async () => (await it.get(`${path}/acl?id=default/${who.id}`)).rows;
      await it.grant(path, given, who);
      assert.deepEqual([await holds(byId), await holds('teller'), await listed()], [true, true, ['teller']], path);
      const report = await it.post(`${path}/authorities`, { principals: [`default/${who.id}`] });
      assert.ok(JSON.stringify(report).includes('teller'), path);
      await it.revoke(path, taken, who);
      assert.deepEqual([await holds(byId), await holds('teller'), await listed()], [false, false, []], path);
    }
  }
});
