// Nobody gets the id of a principal or a domain that is gone, and with it what it had
// (docs/decisions/0094-ids-of-principals-come-once.md).
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { SteleServer } from '../../../tests/support/stele_server.mjs';

let server;
const admin = (...request) => server.admin(...request);
const grant = (base, role, id) => admin('POST', `${base}/authorities/${role}/grant?id=${id}`);
const askAs = (token) => (method, path, body) => server.request(method, path, { token, body: body ?? (method === 'GET' ? undefined : {}) });
const raw = (method, path, body = {}) => server.request(method, path, { token: server.adminToken, body });
const conflict = (reply, member, code) => {
  assert.equal(reply.status, 409, reply.text);
  assert.deepEqual(reply.json.violations.map((one) => [one.path, one.code]), [[member, code]], reply.text);
};
before(async () => {
  server = await SteleServer.start();
  await admin('GET', '/');
});
after(() => server.end());

test('the id of a removed user or group stays taken in its domain, as an id and as a name', async () => {
  const users = '/domains/default/principals';
  for (const type of ['USER', 'GROUP']) {
    const make = (fields) => raw('POST', users, { type, password: type === 'USER' ? 'password' : undefined, ...fields });
    const chosen = `chosen-${type.toLowerCase()}`;
    assert.equal((await make({ _doc: chosen, name: `first ${type}` })).status, 200);
    const other = (await make({ name: `other ${type}` })).json._doc;
    await admin('DELETE', `${users}/${chosen}`);
    await admin('DELETE', `${users}/${other}`);
    for (const id of [chosen, other]) {
      for (const again of ['USER', 'GROUP'])
        conflict(await raw('POST', users, { type: again, _doc: id, name: `second ${id}` }), '_doc', 'document.id_taken');
      conflict(await make({ name: id }), 'name', 'document.value_taken');
    }
    // Names are free again: nothing is noted under them.
    const third = await make({ name: `first ${type}` });
    assert.equal(third.status, 200, third.text);
    conflict(await raw('PUT', `${users}/${third.json._doc}`, { ...third.json, name: chosen }), 'name', 'document.value_taken');
    assert.equal((await make({ _doc: third.json._doc, name: 'in use' })).status, 409);
  }
});

test('the same holds for domains, and so for all who were in them', async () => {
  await admin('POST', '/domains', { _doc: 'guild' });
  await admin('POST', '/domains/guild/principals', { _doc: 'member', type: 'USER', name: 'member', password: 'password' });
  // In another domain it is another principal.
  await admin('POST', '/domains', { _doc: 'other-guild' });
  await admin('DELETE', '/domains/guild');
  conflict(await raw('POST', '/domains', { _doc: 'guild' }), '_doc', 'document.id_taken');
  assert.equal((await raw('POST', '/domains/other-guild/principals', { _doc: 'member', type: 'USER', name: 'member', password: 'password' })).status, 200);
});

test('nobody gets the nodes of a removed user by its id', async () => {
  const repository = `/repositories/${(await admin('POST', '/repositories', {}))._doc}`;
  const branch = `${repository}/branches/master`;
  const users = '/domains/default/principals';
  await admin('POST', users, { _doc: 'x-fixed', type: 'USER', name: 'xena', password: 'password' });
  await grant(repository, 'connector', 'default/xena');
  await grant(branch, 'contributor', 'default/xena');
  const xena = askAs(await server.login('xena', 'password'));
  const node = (await xena('POST', `${branch}/nodes`, { title: 'hers' })).json._doc;
  const person = await admin('GET', `${branch}/person/acquire?id=x-fixed`);
  await admin('DELETE', `${users}/xena`);
  await admin('DELETE', `${branch}/nodes/${person._doc}`);
  await raw('POST', users, { _doc: 'x-fixed', type: 'USER', name: 'xenb', password: 'password' });
  await raw('POST', users, { type: 'USER', name: 'xenb', password: 'password' });
  await grant(repository, 'connector', 'default/xenb');
  await grant(branch, 'contributor', 'default/xenb');
  const xenb = askAs(await server.login('xenb', 'password'));
  assert.equal((await xenb('POST', `${branch}/nodes`, { title: 'another' })).status, 200);
  assert.equal((await xenb('GET', `${branch}/nodes/${node}`)).status, 404);
});
