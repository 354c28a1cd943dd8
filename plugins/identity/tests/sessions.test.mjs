// What ends the sessions of a user, and that nothing brings them back.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { SteleServer } from '../../../tests/support/stele_server.mjs';

const users = '/domains/default/principals';
const back = 'https://app.example.org/back';

let server;
let app;
before(async () => {
  server = await SteleServer.start();
  const { _doc } = await server.admin('POST', '/clients', { registeredRedirectUri: back });
  app = await server.admin('GET', `/clients/${_doc}?full=true`);
});
after(() => server.end());

const form = (path, fields) => server.request('POST', path, {
  body: new URLSearchParams(fields).toString(), headers: { 'Content-Type': 'application/x-www-form-urlencoded' } });
const ours = { client_id: 'test-client', client_secret: 'test+secret/with=signs' };
const refresh = (token) => form('/oauth/token', { ...ours, grant_type: 'refresh_token', refresh_token: token });
const asksWith = async (options) => (await server.request('GET', '/auth/info', options)).status;

async function codeOf(username, password) {
  const sent = await form('/oauth/authorize', { client_id: app.key, response_type: 'code', redirect_uri: back, username, password });
  assert.equal(sent.status, 303, sent.text);
  return new URL(sent.headers.location).searchParams.get('code');
}
const redeem = (code) => form('/oauth/token', {
  grant_type: 'authorization_code', code, redirect_uri: back, client_id: app.key, client_secret: app.secret });

/// Everything by which somebody may be known, of two logins.
async function sessionsOf(username, password) {
  const logins = [];
  for (let i = 0; i < 2; ++i) logins.push((await server.login(username, password, { isWhole: true })).json);
  const refreshed = (await refresh(logins[0].refresh_token)).json.access_token;
  return { tokens: [...logins.map((login) => login.access_token), refreshed],
           refreshTokens: logins.map((login) => login.refresh_token), code: await codeOf(username, password) };
}

async function isAlive({ tokens, refreshTokens }) {
  const statuses = [];
  for (const token of tokens) {
    statuses.push(await asksWith({ token }), await asksWith({ headers: { GITANA_TICKET: token } }),
      await asksWith({ headers: { Cookie: `GITANA_TICKET=${token}` } }));
  }
  for (const token of refreshTokens) statuses.push((await refresh(token)).status);
  return statuses;
}

async function assertEnded(sessions, what) {
  for (const status of await isAlive(sessions)) assert.ok(status === 401 || status === 400, `${what}: ${status}`);
  const redeemed = await redeem(sessions.code);
  assert.equal(redeemed.json.error, 'invalid_grant', what);
}

const ways = {
  'a password set by an administrator': (user) => server.admin('PUT', `${users}/${user._doc}`, { ...user, password: 'another password' }),
  'a password changed with the identity': (user) => server.admin('POST', `/directories/default/identities/${user.identityId}/changepassword`,
    { password: 'another password', verifyPassword: 'another password' }),
  'a password that the user sets': async (user, token) => {
    const reply = await server.request('PUT', `${users}/${user._doc}`, { token, body: { ...user, password: 'another password' } });
    assert.equal(reply.status, 200, reply.text);
  },
  'being disabled': (user) => server.admin('PUT', `${users}/${user._doc}`, { ...user, enabled: false }),
  'being disabled and enabled again': async (user) => {
    await server.admin('PUT', `${users}/${user._doc}`, { ...user, enabled: false });
    await server.admin('PUT', `${users}/${user._doc}`, { ...user, enabled: true });
  },
  'being removed and made again': async (user) => {
    await server.admin('DELETE', `${users}/${user._doc}`);
    await server.makeUser(user.name);
  },
  'an end of all that the user asks for': async (user, token) => {
    assert.equal((await server.request('POST', '/auth/expire?all=true', { token })).status, 200);
  },
  'an end of all that an administrator asks for': (user) => server.admin('POST', `${users}/${user._doc}/sessions/expire`),
};

let count = 0;
for (const [what, end] of Object.entries(ways)) {
  test(`${what} ends all tokens, tickets, cookies and codes of that user, and nobody else's`, async () => {
    const user = await server.makeUser(`user${++count}`);
    const other = await server.makeUser(`other${count}`);
    const sessions = await sessionsOf(user.name, `secret-of-${user.name}`);
    const others = await sessionsOf(other.name, `secret-of-${other.name}`);
    // Twice, as what is remembered must end as well.
    for (let i = 0; i < 2; ++i) assert.deepEqual([...new Set(await isAlive(sessions))], [200]);
    await end(user, sessions.tokens[0]);
    await assertEnded(sessions, what);
    assert.deepEqual([...new Set(await isAlive(others))], [200]);
    assert.equal((await redeem(others.code)).status, 200);
  });
}

test('the plain end of a token leaves the refresh token and the other sessions', async () => {
  const user = await server.makeUser('plain');
  const { tokens, refreshTokens } = await sessionsOf(user.name, 'secret-of-plain');
  assert.equal((await server.request('POST', '/auth/expire', { token: tokens[0] })).status, 200);
  assert.equal(await asksWith({ token: tokens[0] }), 401);
  assert.equal(await asksWith({ token: tokens[1] }), 200);
  assert.equal((await refresh(refreshTokens[0])).status, 200);
});

test('a password ends the sessions of all users of the person, in other domains too', async () => {
  const user = await server.makeUser('person');
  const domain = await server.admin('POST', '/domains', { title: 'second' });
  await server.admin('POST', `/domains/${domain._doc}/principals`,
    { type: 'USER', name: 'twin', directoryId: user.directoryId, identityId: user.identityId });
  const token = await server.login(`${domain._doc}/twin`, 'secret-of-person');
  assert.equal(await asksWith({ token }), 200);
  await server.admin('PUT', `${users}/${user._doc}`, { ...user, password: 'another password' });
  assert.equal(await asksWith({ token }), 401);
});

test('who acts as another user does so no longer than the own sessions last', async () => {
  const boss = await server.makeUser('boss');
  const clerk = await server.makeUser('clerk');
  await server.admin('POST', `${users}/${clerk._doc}/authorities/owner/grant?id=default/boss`);
  await server.admin('POST', `/directories/default/identities/${clerk.identityId}/authorities/manager/grant?id=default/boss`);
  const token = await server.login('boss', 'secret-of-boss');
  const taken = await server.request('POST', `/auth/impersonate/default/${clerk._doc}`, { token });
  assert.equal(taken.status, 200, taken.text);
  assert.equal(await asksWith({ token: taken.json.access_token }), 200);
  await server.admin('PUT', `${users}/${boss._doc}`, { ...boss, enabled: false });
  assert.equal(await asksWith({ token: taken.json.access_token }), 401);
  assert.equal((await refresh(taken.json.refresh_token)).status, 400);
});

test('guests do not end the sessions of one another', async () => {
  const [one, other] = [await server.login('guest', 'guest'), await server.login('guest', 'guest')];
  assert.equal((await server.request('POST', '/auth/expire?all=true', { token: one })).status, 200);
  assert.equal(await asksWith({ token: one }), 401);
  assert.equal(await asksWith({ token: other }), 200);
  assert.equal((await server.request('POST', `${users}/guest/sessions/expire`, { token: other })).status, 403);
  assert.equal(await asksWith({ token: other }), 200);
});

test('only whoever may set the password of a user ends its sessions', async () => {
  const user = await server.makeUser('target');
  const token = await server.login('target', 'secret-of-target');
  await server.makeUser('stranger');
  const path = `${users}/${user._doc}/sessions/expire`;
  const stranger = await server.login('stranger', 'secret-of-stranger');
  assert.equal((await server.request('POST', path, { token: stranger })).status, 403);
  assert.equal(await asksWith({ token }), 200);
  await server.admin('POST', `/directories/default/identities/${user.identityId}/authorities/manager/grant?id=default/stranger`);
  // Nor whoever has less than the user, which has rights on its own record.
  assert.equal((await server.request('POST', path, { token: stranger })).status, 403);
  assert.equal(await asksWith({ token }), 200);
  await server.admin('POST', `${users}/${user._doc}/authorities/manager/grant?id=default/stranger`);
  assert.equal((await server.request('POST', path, { token: stranger })).status, 200);
  assert.equal(await asksWith({ token }), 401);
  const again = await server.login('target', 'secret-of-target');
  assert.equal((await server.request('POST', path, { token: again })).status, 200);
  assert.equal(await asksWith({ token: again }), 401);
  const refused = await server.request('POST', `${users}/everyone/sessions/expire`, { token: server.adminToken });
  assert.equal(refused.json.code, 'identity.principal_user_expected');
});

test('scripts and plain connections get the ticket cookie unless a setting keeps it from them', async (t) => {
  const attributesOf = async (config) => {
    const one = await SteleServer.start({ config });
    t.after(() => one.end());
    const [cookie] = (await one.login('admin', 'admin', { isWhole: true })).headers['set-cookie'];
    return cookie.split('; ').slice(1).filter((part) => ['HttpOnly', 'Secure'].includes(part));
  };
  assert.deepEqual(await attributesOf(''), []);
  assert.deepEqual(await attributesOf('identity.ticket_http_only = true\n'), ['HttpOnly']);
  assert.deepEqual(await attributesOf('identity.ticket_secure = true\n'), ['Secure']);
});
