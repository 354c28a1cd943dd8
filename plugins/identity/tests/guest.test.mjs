// Anybody may be the guest: it learns nothing about others, unless an operator lets it have what everyone has.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { SteleServer } from '../../../tests/support/stele_server.mjs';

const servers = [];
after(() => Promise.all(servers.map((server) => server.end())));

async function start(config) {
  const server = await SteleServer.start({ config });
  servers.push(server);
  const seen = await server.makeUser('seen');
  await server.admin('PUT', `/domains/default/principals/${seen._doc}`, { ...seen, email: 'seen@example.org' });
  const open = await server.admin('POST', '/webhosts', { title: 'for all' });
  await server.admin('POST', `/webhosts/${open._doc}/authorities/consumer/grant?id=default/everyone`);
  await server.admin('POST', `/webhosts/${open._doc}/authorities/editor/grant?id=default/seen`);
  const guest = await server.login('guest', 'guest');
  const ask = (method, path, body) => server.request(method, path, { token: guest, body });
  return { server, seen, host: `/webhosts/${open._doc}`, ask };
}

test('the guest reads no users, no mail addresses and nothing that everyone was granted', async () => {
  const { server, seen, host, ask } = await start();
  assert.equal((await ask('GET', host)).status, 404);
  assert.equal((await ask('GET', `/domains/default/principals/${seen._doc}`)).status, 404);
  for (const [method, path, body] of [['GET', '/domains'], ['POST', '/domains/query', {}], ['GET', '/webhosts'], ['POST', '/webhosts/query', {}]]) {
    assert.deepEqual((await ask(method, path, body)).json.rows, [], path);
  }
  for (const [method, path, body] of [['GET', '/domains/default/principals'], ['POST', '/domains/default/principals/query', { email: { $regex: '^s' } }]]) {
    assert.ok(!(await ask(method, path, body)).text.includes('seen'), path);
  }
  const everyone = await server.admin('GET', '/domains/default/principals/everyone');
  const { json } = await server.request('POST', '/domains/default/principals/membership/check',
    { token: server.adminToken, body: { checks: [{ groupId: everyone._doc, principalId: 'guest' }, { groupId: everyone._doc, principalId: 'seen' }] } });
  assert.deepEqual(json.checks.map(({ result, belongs }) => result ?? belongs), [false, true]);
});

test('the guest logs in, reads the platform and itself, and what it was granted by name', async () => {
  const { server, host, ask } = await start();
  assert.equal((await ask('GET', '/')).status, 200);
  const info = (await ask('GET', '/auth/info')).json;
  assert.equal(info.user.name, 'guest');
  assert.equal((await ask('GET', `/domains/default/principals/${info.user._doc}`)).json.name, 'guest');
  await server.admin('POST', `${host}/authorities/consumer/grant?id=default/guest`);
  assert.equal((await ask('GET', host)).json.title, 'for all');
});

test('the guest is told of its own rights on a record, of nobody else\'s', async () => {
  for (const config of [undefined, 'identity.guest_is_everyone = true']) {
    const { server, host, ask } = await start(config);
    await server.admin('POST', `${host}/authorities/consumer/grant?id=default/guest`);
    for (const path of [host, '']) {
      const { status, json } = await ask('GET', `${path}/acl/list`);
      assert.deepEqual([status, json.rows.map(({ name }) => name)], [200, ['guest']], path);
      assert.ok((await server.admin('GET', `${path}/acl/list`)).rows.length > 1, path);
      assert.deepEqual((await ask('GET', `${path}/acl?id=default/guest`)).status, 200);
      const refused = await ask('GET', `${path}/acl?id=default/seen`);
      assert.deepEqual([refused.status, refused.json.code], [403, 'authority.guest_excluded']);
      assert.equal((await ask('POST', `${path}/authorities`, { principals: ['default/seen'] })).status, 403);
    }
    // Whoever is named, there or not: the answer is the same.
    const { _doc: platform } = await server.admin('GET', '/');
    for (const name of ['default/seen', 'default/admin', 'default/nobody-of-this-name']) {
      const questions = [['GET', `${host}/acl?id=${name}`], ['POST', `${host}/authorities/editor/check?id=${name}`], ['POST', `${host}/permissions/READ/check?id=${name}`],
                         ['POST', `/authorities/owner/check?id=${name}`], ['POST', `${host}/authorities`, { principals: [name] }],
                         ['POST', '/webhosts/permissions/check', { checks: [{ permissionedId: host.split('/').pop(), principalId: name, permissionId: 'READ' }] }]];
      for (const [method, path, body] of questions) {
        const reply = await ask(method, path, body ?? (method === 'POST' ? {} : undefined));
        assert.deepEqual([reply.status, reply.json.code], [403, 'authority.guest_excluded'], `${path} ${reply.text}`);
      }
      const entries = [{ permissioned: `platform://${platform}`, principalId: name }];
      const [looked] = (await ask('POST', '/access/lookup', { entries })).json.entries;
      assert.deepEqual([looked.authorities, looked.permissions], [[], []], name);
      const [checked] = (await ask('POST', '/access/check', { entries: [{ ...entries[0], authorityId: 'owner', permissionId: 'READ' }] })).json.entries;
      assert.deepEqual([checked.hasAuthority, checked.hasPermission], [false, false], name);
    }
    assert.equal((await ask('POST', `${host}/permissions/READ/check?id=default/guest`, {})).json.check, true);
    const report = (await ask('POST', `${host}/authorities`, {})).json;
    const guest = (await ask('GET', '/auth/info')).json.user._doc;
    assert.deepEqual(Object.keys(report), [guest]);
  }
});

test('a setting makes the guest one of everyone', async () => {
  const { seen, host, ask } = await start('identity.guest_is_everyone = true');
  assert.equal((await ask('GET', host)).json.title, 'for all');
  assert.equal((await ask('GET', `/domains/default/principals/${seen._doc}`)).json.email, 'seen@example.org');
});

test('the guest keeps the name by which its rights are told from those of others', async () => {
  const { server } = await start();
  const guest = await server.admin('GET', '/domains/default/principals/guest');
  const renamed = await server.request('PUT', `/domains/default/principals/${guest._doc}`, { token: server.adminToken, body: { ...guest, name: 'other' } });
  assert.deepEqual([renamed.status, renamed.json.code], [409, 'identity.principal_indispensable']);
  assert.equal((await server.admin('PUT', `/domains/default/principals/${guest._doc}`, { ...guest, title: 'Visitor' })).title, 'Visitor');
});
