// What others may know of a user, and who may set its password.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { SteleServer } from '../../../tests/support/stele_server.mjs';

let server;
before(async () => { server = await SteleServer.start(); });
after(() => server.end());

const users = '/domains/default/principals';
const hide = (principal) => server.admin('POST', `${users}/${principal}/authorities/all/revoke?id=default/everyone`);

test('the creator of a user gives the first password and none later', async () => {
  await server.makeUser('clerk');
  await server.admin('POST', '/domains/default/authorities/contributor/grant?id=default/clerk');
  const clerk = await server.login('clerk', 'secret-of-clerk');
  const made = await server.request('POST', users, { token: clerk, body: { type: 'USER', name: 'person', password: 'first password' } });
  assert.equal(made.status, 200, made.text);
  const path = `${users}/${made.json._doc}`;
  const person = await server.login('person', 'first password');
  const put = async (token, body) => (await server.request('PUT', path, { token, body: { type: 'USER', name: 'person', ...body } })).status;
  assert.equal(await put(clerk, { password: 'taken over' }), 403);
  assert.equal(await put(clerk, { title: 'still mine to describe' }), 200);
  await server.login('person', 'first password');
  assert.equal(await put(person, { password: 'second password' }), 200);
  await server.login('person', 'second password');
  assert.equal(await put(server.adminToken, { password: 'third password' }), 200);
  await server.login('person', 'third password');
  await server.admin('POST', `/directories/default/identities/${made.json.identityId}/authorities/manager/grant?id=default/clerk`);
  assert.equal(await put(clerk, { password: 'fourth password' }), 200);
  await server.login('person', 'fourth password');
});

test('who has invited a user is not for the user, or for its maker, to say', async () => {
  const said = { inviterId: 'x', inviterDomainId: 'default', inviterName: 'admin' };
  const { _doc } = await server.admin('POST', users, { type: 'USER', name: 'uninvited', password: 'secret-of-uninvited', ...said });
  const path = `${users}/${_doc}`;
  const told = async () => Object.keys(await server.admin('GET', path)).filter((name) => name in said);
  assert.deepEqual(await told(), []);
  const token = await server.login('uninvited', 'secret-of-uninvited');
  assert.equal((await server.request('PUT', path, { token, body: { type: 'USER', name: 'uninvited', ...said } })).status, 200);
  assert.deepEqual(await told(), []);
});

test('an identity keeps and shows no password that is sent with its record', async () => {
  const { directoryId, identityId } = await server.makeUser('identified');
  const path = `/directories/${directoryId}/identities/${identityId}`;
  const before = await server.admin('GET', path);
  await server.admin('PUT', path, { ...before, title: 'sent', password: 'in the clear' });
  const after = await server.admin('GET', path);
  assert.deepEqual([after.title, 'password' in after], ['sent', false]);
  assert.equal((await server.login('identified', 'in the clear', { isWhole: true })).status, 400);
  await server.login('identified', 'secret-of-identified');
});

test('a user that is hidden is impersonated like one that is unknown', async () => {
  const hidden = await server.makeUser('unseen');
  await hide(hidden._doc);
  await server.makeUser('guesser');
  const token = await server.login('guesser', 'secret-of-guesser');
  const asked = async (name) => {
    const { status, json } = await server.request('POST', `/auth/impersonate/default/${name}`, { token, body: {} });
    return [status, json.code, json.message.replaceAll(name, '*')];
  };
  assert.deepEqual(await asked('unseen'), await asked('nobody-at-all'));
  assert.equal((await asked('identified'))[0], 403);
});

test('principals that the caller may not read show ids only, in access lists and beside users', async () => {
  const hidden = await server.makeUser('hidden-name');
  await server.admin('PUT', `${users}/${hidden._doc}`, { type: 'USER', name: 'hidden-name', email: 'hidden@example.org', firstName: 'Hid' });
  const group = await server.admin('POST', users, { type: 'GROUP', name: 'hidden-group' });
  const member = await server.makeUser('member');
  await server.admin('POST', `${users}/${group._doc}/members/add?id=default/member`);
  await server.makeUser('onlooker');
  const token = await server.login('onlooker', 'secret-of-onlooker');
  const record = (await server.admin('POST', '/uiconfigs', { title: 'shared' }))._doc;
  for (const name of ['hidden-name', 'onlooker']) {
    await server.admin('POST', `/uiconfigs/${record}/authorities/consumer/grant?id=default/${name}`);
  }
  const list = async () => (await server.request('GET', `/uiconfigs/${record}/acl/list`, { token })).json.rows;
  const groups = async (query) => (await server.request('GET', `${users}${query}groups=direct`, { token })).json;
  assert.equal((await list()).find((row) => row._doc === hidden._doc).userEmail, 'hidden@example.org');
  assert.equal((await groups(`/${member._doc}?`))._groups[group._doc].name, 'hidden-group');
  await hide(hidden._doc);
  await hide(group._doc);
  const row = (await list()).find((one) => one._doc === hidden._doc);
  assert.deepEqual(row, {
    _doc: hidden._doc, name: hidden._doc, type: 'USER', domainId: hidden.domainId,
    domainQualifiedId: `${hidden.domainId}/${hidden._doc}`, domainQualifiedName: `${hidden.domainId}/${hidden._doc}`,
    principalId: hidden._doc, userEmail: '', userFirstName: '', userLastName: '', authorities: ['consumer'],
  });
  const one = (await groups(`/${member._doc}?`))._groups[group._doc];
  const listed = (await groups('?limit=-1&')).rows.find((user) => user._doc === member._doc)._groups[group._doc];
  for (const summary of [one, listed]) {
    assert.equal(summary._doc, group._doc);
    assert.ok(!JSON.stringify(summary).includes('hidden-group'), JSON.stringify(summary));
  }
  const seen = (await server.admin('GET', `/uiconfigs/${record}/acl/list`)).rows.find((other) => other._doc === hidden._doc);
  assert.equal(seen.name, 'hidden-name');
});

test('no file of the store and no line of the log has a password or a token', async (t) => {
  const own = await SteleServer.start();
  t.after(() => own.end());
  await own.makeUser('kept-by-name', 'a password to look for');
  const { access_token: token, refresh_token: refresh } = (await own.login('kept-by-name', 'a password to look for', { isWhole: true })).json;
  assert.equal((await own.request('GET', '/auth/info', { token })).status, 200);
  const { secret } = await own.admin('GET', `/clients/${(await own.admin('POST', '/clients', {}))._doc}?full=true`);
  const secrets = { token, refresh, secret, password: 'a password to look for' };
  const files = () => readdirSync(own.data, { recursive: true }).map((name) => join(own.data, name)).filter((name) => statSync(name).isFile());
  // As it was written first, and once the store has rewritten its files.
  for (let i = 0; i < 2; ++i) {
    await own.stop();
    for (const [what, trace] of Object.entries(secrets)) {
      assert.ok(trace.length > 15, what);
      for (const file of files()) assert.ok(!readFileSync(file).includes(trace), `${what} in ${file}`);
      assert.ok(!own.log.includes(trace), what);
    }
    await own.launch();
  }
  // A server that runs removes files of its store meanwhile.
  await own.stop();
  assert.ok(files().some((file) => readFileSync(file).includes('kept-by-name')), 'the search finds what is there');
});
