// What a deletion would do, told before (docs/specification/nodes.md 7.6, docs/specification/rulings.md).
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { SteleServer } from '../../../tests/support/stele_server.mjs';

let server;
let token;
let master;
const admin = (...request) => server.admin(...request);
const make = async (fields) => (await admin('POST', `${master}/nodes`, fields))._doc;

before(async () => {
  server = await SteleServer.start();
  const user = await server.makeUser('looker');
  token = await server.login('looker', 'secret-of-looker');
  master = `/repositories/${(await admin('POST', '/repositories', {}))._doc}/branches/master`;
  await admin('POST', `${master}/authorities/consumer/grant?id=default/looker`);
  const condition = { type: 'property', config: { property: 'colour', value: 'open' } };
  const policy = await admin('POST', '/access/policies', { statements: [{ action: 'grant', roles: ['editor'], conditions: [condition] }] });
  const platform = (await admin('GET', '/'))._doc;
  await admin('POST', `/access/policies/${policy._doc}/assign?ref=user://${platform}/default/${user._doc}`);
});
after(() => server.end());

const tie = async (from, to, type, fields = {}) => {
  const { rows } = await admin('GET', `${master}/nodes/${from}/outgoing?limit=-1`);
  await admin('POST', `${master}/nodes/${from}/associate?node=${to}&type=${type}`, fields);
  const now = await admin('GET', `${master}/nodes/${from}/outgoing?limit=-1`);
  return now.rows.find(({ _doc }) => !rows.some((row) => row._doc === _doc))._doc;
};

test('ids of what the caller may not read are counted, not told', async () => {
  const top = await make({ colour: 'open', _features: { 'f:container': {} } });
  const shown = await make({ colour: 'open' });
  const hidden = await make({ title: 'hidden' });
  const friend = await make({ colour: 'open' });
  const stranger = await make({ title: 'hidden' });
  const seen = [await tie(top, shown, 'a:child', { colour: 'open' }), await tie(top, friend, 'a:linked', { colour: 'open' })];
  const unseen = [await tie(top, hidden, 'a:child'), await tie(top, stranger, 'a:linked')];
  await admin('POST', `${master}/nodes/${hidden}/lock`, {});
  const ask = async (path, body, as) => {
    const reply = await server.request('POST', `${master}/nodes${path}`, { token: as, body });
    assert.equal(reply.status, 200, reply.text);
    return reply.json;
  };
  const sorted = ({ nodes, associations, unlinked }) => [nodes, associations, unlinked].map((ids) => [...ids].sort());
  for (const [path, body] of [[`/${top}/predelete`, {}], ['/predelete', { _docs: [top] }]]) {
    const told = await ask(path, body, token);
    assert.deepEqual(sorted(told), [[top, shown].sort(), seen.sort(), [friend]]);
    // The lock of another one stands in the way, whether it is seen or not.
    assert.deepEqual(told.hidden, { nodes: 1, associations: 2, unlinked: 1, blocked: 1 });
    assert.deepEqual([told.blocked, told.deletable], [[], false]);
    assert.ok([hidden, stranger, ...unseen].every((id) => !JSON.stringify(told).includes(id)));
    const whole = await ask(path, body, server.adminToken);
    assert.deepEqual(sorted(whole), [[top, shown, hidden].sort(), [...seen, ...unseen].sort(), [friend, stranger].sort()]);
    assert.deepEqual(whole.hidden, { nodes: 0, associations: 0, unlinked: 0, blocked: 0 });
    // It is the administrator's own.
    assert.deepEqual([whole.blocked, whole.deletable], [[], true]);
  }
  await admin('POST', `${master}/nodes/${hidden}/unlock`, {});
  const free = await ask(`/${top}/predelete`, {}, token);
  assert.deepEqual([free.hidden.blocked, free.blocked], [0, []]);
});
