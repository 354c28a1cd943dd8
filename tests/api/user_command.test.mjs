// `stele user`: the users of a store that nobody serves.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { SteleServer } from '../support/stele_server.mjs';

let server;
const user = (words, input) => server.run(['user', ...words], { input });
const login = async (name, password) => (await server.login(name, password, { isWhole: true })).status;

/// What holds once the store is served again.
async function served(check) {
  await server.launch();
  try {
    return await check();
  } finally {
    await server.stop();
  }
}

before(async () => {
  server = await SteleServer.start();
  await server.stop();
});
after(() => server.end());

test('the only owner of the platform cannot be disabled', async () => {
  const done = user(['disable', 'admin']);
  assert.equal(done.status, 1);
  assert.match(done.err, /identity.principal_last_owner/);
  assert.ok(!user(['list']).out.includes('disabled'));
});

test('a user that was added can log in, and is listed', async () => {
  const added = user(['add', 'lea', '--email', 'lea@example.com'], 'first password\n');
  assert.equal(added.status, 0, added.text);
  const listed = user(['list']).out.split('\n');
  assert.ok(listed.some((line) => line.startsWith('default/lea ') && line.includes('lea@example.com')), listed.join('\n'));
  assert.ok(listed.some((line) => line.startsWith('default/admin ')));
  assert.ok(!listed.some((line) => line.includes('everyone')), 'groups are no users');
  await served(async () => {
    assert.equal(await login('lea', 'first password'), 200);
    assert.notEqual(await login('lea', 'first password '), 200);
    const token = await server.login('lea', 'first password');
    assert.equal((await server.request('POST', '/uiconfigs', { token, body: {} })).status, 403);
  });
});

test('an administrator owns the platform', async () => {
  assert.equal(user(['add', 'boss', '--administrator'], 'boss password\n').status, 0);
  await served(async () => {
    const token = await server.login('boss', 'boss password');
    assert.equal((await server.request('POST', '/uiconfigs', { token, body: {} })).status, 200);
  });
});

test('a password is changed by name, id and qualified name', async () => {
  const id = user(['list']).out.match(/default\/lea {2}(\S+)/)[1];
  for (const form of ['lea', id, 'default/lea']) {
    const changed = user(['set-password', form], `password for ${form}\n`);
    assert.equal(changed.status, 0, changed.text);
    await served(async () => {
      assert.equal(await login('lea', `password for ${form}`), 200, form);
      assert.notEqual(await login('lea', 'first password'), 200);
    });
  }
});

test('a disabled user is kept out, also with the tokens that it has, until it is enabled', async () => {
  assert.equal(user(['set-password', 'lea'], 'password\n').status, 0);
  const token = await served(() => server.login('lea', 'password'));
  assert.equal(user(['disable', 'lea']).status, 0);
  assert.match(user(['list']).out, /default\/lea .*disabled/);
  await served(async () => {
    assert.notEqual(await login('lea', 'password'), 200);
    assert.equal((await server.request('GET', '/ping', { token })).status, 200);
    assert.equal((await server.request('GET', '/auth/info', { token })).status, 401);
  });
  assert.equal(user(['enable', 'lea']).status, 0);
  await served(async () => assert.equal(await login('lea', 'password'), 200));
});

test('mistakes end with a sentence and change nothing', async () => {
  for (const [words, input, wanted] of [
    [['add', 'lea'], 'xxxxxxxx\n', /document.value_taken/], [['add', 'a/b'], 'xxxxxxxx\n', /name must not be empty, nor hold a slash/],
    [['add', 'empty'], '\n', /command.password_missing/], [['add', 'nothing'], '', /command.password_missing/],
    [['set-password', 'nobody'], 'xxxxxxxx\n', /principal.unknown/], [['set-password', 'everyone'], 'xxxxxxxx\n', /identity.principal_user_expected/],
    [['disable', 'nobody'], '', /principal.unknown/], [['add', 'x', '--domain', 'nowhere'], 'xxxxxxxx\n', /document.unknown/],
    [['list', '--domain', 'nowhere'], '', /document.unknown/],
  ]) {
    const done = user(words, input);
    assert.equal(done.status, 1, words.join(' '));
    assert.match(done.err, wanted, words.join(' '));
  }
  const listed = user(['list']).out;
  for (const name of ['empty', 'nothing', 'a/b']) assert.ok(!listed.includes(`default/${name} `), name);
});

test('no password is taken from the command line', () => {
  for (const words of [['add', 'y', '--password', 'z'], ['set-password', 'lea', 'z']]) {
    assert.notEqual(user(words, '').status, 0);
  }
  assert.ok(!user(['list']).out.includes('default/y '));
});

test('users of a store that is being served are managed by its server', async () => {
  await served(async () => {
    const added = user(['add', 'late', '--email', 'late@example.com'], 'late password\n');
    assert.equal(added.status, 0, added.text);
    assert.match(added.out, /^default\/late .* late@example\.com/);
    assert.ok(user(['list']).out.includes('default/late '));
    const token = await server.login('late', 'late password');
    assert.equal((await server.request('GET', '/auth/info', { token })).status, 200);
    assert.equal(user(['disable', 'late']).status, 0);
    assert.equal((await server.request('GET', '/auth/info', { token })).status, 401, 'at once');
    assert.notEqual(await login('late', 'late password'), 200);
    assert.equal(user(['enable', 'late']).status, 0);
    assert.equal(user(['set-password', 'late'], 'another password\n').status, 0);
    assert.equal(await login('late', 'another password'), 200);
    const again = user(['add', 'late'], 'x12345678\n');
    assert.equal(again.status, 1);
    assert.match(again.err, /document.value_taken/);
  });
});

test('without a plugin that keeps users the command says what is missing', async () => {
  const other = await SteleServer.start({ enable: 'storage_postgres', seedWith: {} });
  await other.stop();
  const done = other.run(['user', 'list']);
  assert.equal(done.status, 1);
  assert.match(done.err, /no enabled plugin keeps users/);
  await other.end();
});

test('there must be a store', () => {
  const done = server.run(['user', 'list'], { options: ['--data', '/tmp/no/such/folder'] });
  assert.notEqual(done.status, 0);
});
