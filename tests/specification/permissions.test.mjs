// The column `permission` of docs/specification/operations.json: who lacks exactly one of these is refused,
// and who has them and CONNECT alone is not.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeRecords, makeTeams } from '../support/route_walk.mjs';
import { readSpecification } from '../support/specification.mjs';
import { Subject } from '../support/statements.mjs';
import { fill } from '../support/stele_server.mjs';

const it = Subject.serve();
const kAll = ['CONNECT', 'READ', 'CREATE_SUBOBJECTS', 'UPDATE', 'DELETE', 'MODIFY_PERMISSIONS', 'MODIFY_CREDENTIALS', 'GRANTAUTH', 'IMPERSONATE'];
const kInstances = { 'access policies': 'accessPolicyId', 'ui configs': 'uiConfigId', 'registrars': 'registrarId', 'web hosts': 'webhostId',
                     'email providers': 'emailProviderId', 'meters': 'meterId', 'archives': 'archiveId', 'nodes': 'nodeId',
                     'pull requests': 'pullRequestId' };
const rows = JSON.parse(readSpecification('operations.json'))
  .filter((row) => !/\/(b|n)\//.test(row.path));
const isLast = (row) => row.method === 'DELETE' || /delete|unassign all/.test(row.operation);
const needsOf = (row) => (row.permission === 'none' ? [] : row.permission.split(', ').map((need) => need.split(' of ')));

let values;
const prepared = new Map();
/// What `make` answers, made once.
const once = (name, make) => prepared.get(name) ?? prepared.set(name, make()).get(name);

const records = () => once('records', async () => {
  values = await makeRecords(it.server);
  await makeTeams(it.server, rows);
});

/// Somebody who holds these permissions on everything, by a team of the platform.
const holderOf = (permissions) => once(permissions.join(), async () => {
  const name = `holder-${prepared.size}`;
  const who = await it.person(name);
  await it.post('/roles', { roleKey: name, permissions });
  await it.post(`/teams?key=${name}`);
  await it.post(`/teams/${name}/authorities/${name}/grant`);
  await it.post(`/teams/${name}/members/add?id=default/${who.id}`);
  return who;
});

async function ask(row, permissions) {
  await records();
  const known = { ...values, permissionedId: values[kInstances[row.family]], permissionId: 'READ', authorityId: 'connector' };
  const parameter = (name) => (name === 'id' ? 'default/admin' : /^node$|NodeId$/.test(name) ? values.itemId : 'x');
  const query = new URLSearchParams(Object.fromEntries(row.params.filter((one) => one.required).map(({ name }) => [name, parameter(name)])));
  return it.reply(row.method, `${fill(row.path, known)}?${query}`, row.method === 'GET' ? undefined : {}, await holderOf(permissions));
}

test('every row says what it needs', () => {
  assert.ok(rows.length > 200);
  for (const row of rows) for (const [permission] of needsOf(row)) assert.ok(kAll.includes(permission), `${row.path}: ${row.permission}`);
});
for (const row of rows) {
  for (const [permission] of needsOf(row).filter(([, place]) => place !== 'each row')) {
    test(`without ${permission}: ${row.method} ${row.path} is refused`, async () => {
      const reply = await ask(row, kAll.filter((one) => one !== permission));
      assert.equal(reply.status, permission === 'CONNECT' ? 404 : 403, reply.text.slice(0, 300));
    });
  }
}
for (const row of [...rows.filter((one) => !isLast(one)), ...rows.filter(isLast)]) {
  const needs = needsOf(row).map(([permission]) => permission);
  test(`with ${['CONNECT', ...needs].join(', ')}: ${row.method} ${row.path} is not refused`, async () => {
    const reply = await ask(row, kAll.filter((one) => one === 'CONNECT' || needs.includes(one)));
    // Its lock is another's, which is no matter of permissions.
    assert.ok(reply.status !== 403 || reply.json.code === 'data_store.lock_foreign', reply.text.slice(0, 300));
  });
}
