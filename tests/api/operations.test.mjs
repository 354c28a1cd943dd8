// Every row of operations.json for access policies, ui configs, registrars, web hosts and email
// providers (EX and IM excepted, which arrive with archives) answers as interface.md says. The rows come from the file, not from a list of ours.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { SteleServer, fill } from '../support/stele_server.mjs';

const shared = process.env.STELE_SHARED ?? new URL('../../../shared', import.meta.url).pathname;
const rows = JSON.parse(readFileSync(`${shared}/interface/operations.json`, 'utf8'));
const families = {
  'access policies': { placeholder: 'accessPolicyId', collection: '/access/policies' },
  'ui configs': { placeholder: 'uiConfigId', collection: '/uiconfigs' },
  'registrars': { placeholder: 'registrarId', collection: '/registrars' },
  'web hosts': { placeholder: 'webhostId', collection: '/webhosts' },
  'email providers': { placeholder: 'emailProviderId', collection: '/applications/{applicationId}/emailproviders' },
};
/// Placeholders of collections, filled in by `before`.
const containers = {};
const mails = mkdtempSync(join(tmpdir(), 'stele-mails-'));
const tested = rows.filter((row) => row.family in families && !['export', 'import'].includes(row.operation));
const isOfTeams = (row) => row.path.includes('/teams') || row.path.includes('/roles');

let server;
let user;
before(async () => {
  server = await SteleServer.start({ config: `email_providers.capture_folder = ${mails}\n` });
  user = await server.makeUser('row-walker');
  containers.applicationId = (await server.admin('POST', '/applications', { title: 'walked' }))._doc;
});
after(async () => {
  await server.end();
  rmSync(mails, { recursive: true });
});

/// A stored email that no walk has sent yet.
async function makeEmail() {
  const body = { from: 'a@example.org', to: 'b@example.org', subject: 'walked' };
  return (await server.admin('POST', `/applications/${containers.applicationId}/emails`, body))._doc;
}

test('the file has rows for the families', () => {
  assert.equal(tested.filter((row) => row.family === 'access policies').length, 26);
  assert.equal(tested.filter((row) => row.family === 'ui configs').length, 17);
  assert.equal(tested.filter((row) => row.family === 'registrars').length, 41);
  assert.equal(tested.filter((row) => row.family === 'web hosts').length, 34);
  assert.equal(tested.filter((row) => row.family === 'email providers').length, 19);
});

const isStatus = (json) => assert.equal(json.ok, true);
const isResultMap = (json) => {
  assert.ok(Array.isArray(json.rows));
  for (const member of ['total_rows', 'offset', 'size']) assert.equal(typeof json[member], 'number');
  assert.equal(json.size, json.rows.length);
};
const isCheck = (json) => {
  assert.equal(json.ok, true);
  assert.equal(typeof json.check, 'boolean');
};
const shapes = {
  'Status': isStatus,
  'Result map': isResultMap,
  'Check single authority response': isCheck,
  'check permission response': isCheck,
  'ACL list response': (json) => {
    isResultMap(json);
    assert.ok(json.rows.length >= 1);
    for (const name of ['_doc', 'name', 'type', 'domainId', 'domainQualifiedId',
                        'domainQualifiedName', 'principalId', 'userEmail', 'userFirstName',
                        'userLastName']) {
      assert.equal(typeof json.rows[0][name], 'string', name);
    }
    assert.ok(Array.isArray(json.rows[0].authorities));
  },
  'ACL-for-principal response': (json) => {
    isResultMap(json);
    for (const key of json.rows) assert.equal(typeof key, 'string');
  },
  'Team': (json) => {
    for (const name of ['_doc', 'key', 'groupId', 'groupDomainId', 'teamableObjectTypeId', 'teamableObjectId']) {
      assert.equal(typeof json[name], 'string', name);
    }
    assert.ok(Array.isArray(json.roleKeys));
  },
  'membership check response': (json) => {
    assert.equal(json.ok, true);
    assert.equal(typeof json.belongs, 'boolean');
  },
  'authority list for a team': (json) => {
    assert.ok(Array.isArray(json.authorities));
    for (const key of json.authorities) assert.equal(typeof key, 'string');
  },
  'a role record': (json) => {
    for (const name of ['_doc', 'roleKey']) assert.equal(typeof json[name], 'string', name);
    assert.ok(Array.isArray(json.permissions));
  },
  'empty object': (json) => {
    assert.equal(typeof json, 'object');
    assert.ok(!('error' in json));
    assert.ok(Object.keys(json).length > 0);
  },
};

const checkBody = (record, third, value) => ({
  checks: [
    { permissionedId: record, principalId: `default/${user._doc}`, [third]: value },
    { permissionedId: record, principalId: 'default/nobody', [third]: value },
    { permissionedId: 'no-such-record', principalId: `default/${user._doc}`, [third]: value },
  ],
});

function bodyOf(row, record) {
  switch (row.operation) {
    case 'create role': return { roleKey: 'walked', permissions: ['READ'] };
    case 'update role': return { roleKey: 'walker', permissions: ['CONNECT', 'READ'] };
    case 'create': return { title: 'made by the row walk' };
    case 'update': return { title: 'changed by the row walk' };
    case 'query': return { title: { $exists: true } };
    case 'check multiple authorities': return checkBody(record, 'authorityId', 'consumer');
    case 'check multiple permissions': return checkBody(record, 'permissionId', 'READ');
    default: return row.method === 'GET' || row.method === 'DELETE' ? undefined : {};
  }
}

function checkSpecial(row, json, record) {
  if (row.returns.startsWith('Check multiple')) {
    assert.deepEqual(json.checks, json.results);
    assert.deepEqual(json.checks.map((check) => check.result), [true, false, false]);
    assert.equal(json.checks[0].principalId, `default/${user._doc}`);
    return true;
  }
  if (row.returns === 'Authorities report response') {
    const grants = Object.values(Object.values(json)[0]);
    for (const name of ['role-key', 'principal', 'permissioned']) {
      assert.equal(typeof grants[0][name], 'string');
    }
    return true;
  }
  if (row.returns === 'the resource') {
    assert.equal(json._doc, record);
    assert.equal(typeof json._system, 'object');
    assert.ok(!('ok' in json) && !('error' in json));
    return true;
  }
  return false;
}

for (const row of tested) {
  test(`${row.family}: ${row.operation}: ${row.method} ${row.path}`, async () => {
    const { placeholder } = families[row.family];
    const collection = fill(families[row.family].collection, containers);
    const record = (await server.admin('POST', collection, { title: 'subject' }))._doc;
    await server.admin('POST', `${collection}/${record}/authorities/consumer/grant?id=default/${user._doc}`);
    const values = { ...containers, [placeholder]: record, permissionId: 'READ', authorityId: 'consumer',
                     templateKey: 'folder-consumer', key: 'project-user', teamKey: 'walkers', roleKeyOrId: 'walker' };
    if (isOfTeams(row)) {
      await server.admin('POST', `${collection}/${record}/teams?key=walkers`);
      await server.admin('POST', `${collection}/${record}/roles`, { roleKey: 'walker', permissions: ['READ'] });
    }
    const query = new URLSearchParams(row.operation === 'create team' ? { key: 'walked' } : {});
    for (const { name, required } of row.params) {
      if (name === 'id') query.set('id', `default/${user._doc}`);
      if (name === 'ref') query.set('ref', `user://platform/default/${user._doc}`);
      if (name === 'email') query.set('email', await makeEmail());
      if (name === 'from' || name === 'to') query.set(name, `${name}@example.org`);
      if (required) assert.ok(query.has(name), `the walk must know a value for ${name}`);
    }
    const path = fill(row.path, values);
    const token = server.adminToken;
    const body = bodyOf(row, record);
    const reply = await server.request(row.method, `${path}?${query}`, { body, token });
    assert.equal(reply.status, 200, reply.text);
    assert.match(reply.headers['content-type'], /^application\/json/);
    if (['send', 'test'].includes(row.operation)) assert.ok(readdirSync(mails).includes(reply.json.captured));
    if (!checkSpecial(row, reply.json, record)) {
      assert.ok(row.returns in shapes, `the walk knows the shape ${row.returns}`);
      shapes[row.returns](reply.json);
    }
    for (const { name, required } of row.params) {
      if (!required) continue;
      const others = new URLSearchParams(query);
      others.delete(name);
      const missing = await server.request(row.method, `${path}?${others}`, { body, token });
      assert.equal(missing.status, 400, `${name} is required`);
      assert.match(missing.json.message, new RegExp(name));
    }
    if (row.paged) {
      const page = await server.request(row.method, `${path}?skip=0&limit=1&sort={"title":1}`, { body, token });
      assert.equal(page.status, 200, page.text);
      assert.ok(page.json.rows.length <= 1);
      const bad = await server.request(row.method, `${path}?skip=minus`, { body, token });
      assert.equal(bad.status, 400);
      assert.match(bad.json.message, /skip/);
    }
    const slashed = await server.request(row.method, `${path}/?${query}`, { body, token });
    assert.notEqual(slashed.status, 405);
  });
}

test('a written record comes back as it went in and a removed one is gone', async () => {
  for (const family of Object.values(families)) {
    const collection = fill(family.collection, containers);
    const sent = { title: 'T', own: { nested: [1, 'two', null, true] }, z: 1, a: 2 };
    const created = await server.admin('POST', collection, sent);
    assert.equal(created.ok, true);
    const read = await server.admin('GET', `${collection}/${created._doc}`);
    for (const [name, value] of Object.entries(sent)) assert.deepEqual(read[name], value);
    assert.deepEqual(read, await server.admin('GET', `${collection}/${created._doc}`));
    const updated = await server.admin('PUT', `${collection}/${created._doc}`, { title: 'U' });
    assert.equal(updated._doc, created._doc);
    const again = await server.admin('GET', `${collection}/${created._doc}`);
    assert.equal(again.title, 'U');
    assert.ok(!('own' in again));
    assert.equal(again._system.created_on.ms, read._system.created_on.ms);
    await server.admin('POST', `${collection}/${created._doc}/delete`);
    const gone = await server.request('GET', `${collection}/${created._doc}`, { token: server.adminToken });
    assert.equal(gone.status, 404);
    assert.equal(gone.json.error, true);
    assert.equal(gone.json.ok, false);
    assert.equal(gone.json.status, 404);
    assert.equal(gone.statusText, 'Not Found');
    assert.ok(gone.json.message.length > 0);
  }
});
