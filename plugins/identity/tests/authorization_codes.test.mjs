// Authorization codes: /oauth/authorize and grant_type=authorization_code (docs/reference/authentication.md).
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { SteleServer } from '../../../tests/support/stele_server.mjs';
import { makeTenant } from '../../../tests/support/stele_tenant.mjs';

const kBack = 'https://app.example.org/back';
const kOther = 'https://app.example.org/other?x=1';
let server;
let client;
before(async () => {
  server = await SteleServer.start();
  await server.makeUser('ann');
  client = await makeClient({ registeredRedirectUri: [kBack, kOther], title: 'The <App>' });
});
after(() => server.end());

const base64url = (bytes) => Buffer.from(bytes).toString('base64url');
const form = (fields) => new URLSearchParams(fields).toString();
const kForm = { 'Content-Type': 'application/x-www-form-urlencoded' };

async function makeClient(fields = {}) {
  const { _doc } = await server.admin('POST', '/clients', fields);
  return server.admin('GET', `/clients/${_doc}?full=true`);
}

const request = (one, fields = {}) => ({
  client_id: one.key, response_type: 'code', redirect_uri: kBack, state: 'a state&=', ...fields });

/// Logs in and answers the whole reply of the server.
const authorize = (one, fields = {}, user = { username: 'ann', password: 'secret-of-ann' }) =>
  server.request('POST', '/oauth/authorize', { body: form(request(one, { ...fields, ...user })), headers: kForm });

/// The parameters that come back with the browser.
function sentBack(reply, address = kBack) {
  assert.equal(reply.status, 303, reply.text);
  const location = reply.headers.location;
  assert.ok(location.startsWith(address), location);
  return Object.fromEntries(new URL(location).searchParams);
}

const codeFor = async (one, fields = {}) => sentBack(await authorize(one, fields), fields.redirect_uri ?? kBack).code;

const redeem = ({ key, secret }, code, fields = {}) => server.request('POST', '/oauth/token', {
  body: form({ grant_type: 'authorization_code', code, redirect_uri: kBack, ...fields }),
  headers: { ...kForm, Authorization: 'Basic ' + Buffer.from(`${key}:${secret}`).toString('base64') } });

function refused(reply, error = 'invalid_grant', status = 400) {
  assert.equal(reply.status, status, reply.text);
  assert.equal(reply.json.error, error);
  assert.ok(reply.json.error_description);
}

const accepts = async (token) => (await server.request('GET', '/auth/info', { token })).status === 200;

test('a code leads to tokens of the user who logged in', async () => {
  const back = sentBack(await authorize(client, { scope: 'api' }));
  assert.equal(back.state, 'a state&=');
  assert.match(back.code, /^[A-Za-z0-9_-]{43}$/);
  const reply = await redeem(client, back.code);
  assert.equal(reply.status, 200, reply.text);
  assert.equal(reply.json.token_type, 'bearer');
  assert.equal(reply.json.scope, 'api');
  assert.match(reply.headers['set-cookie'][0], /^GITANA_TICKET=/);
  const info = await server.request('GET', '/auth/info', { token: reply.json.access_token });
  assert.equal(info.json.principalName, 'ann');
  assert.equal(info.json.clientId, client.key);
  const { key, secret } = client;
  const refreshed = await server.request('POST', '/oauth/token', {
    body: form({ grant_type: 'refresh_token', refresh_token: reply.json.refresh_token, client_id: key, client_secret: secret }),
    headers: kForm });
  assert.equal(refreshed.status, 200, refreshed.text);
});

test('the page asks for name and password, runs nothing, and keeps what was asked', async () => {
  const state = '"><script>alert(1)</script>';
  const page = await server.request('GET', `/oauth/authorize?${form(request(client, { state, code_challenge: 'x'.repeat(43) }))}`);
  assert.equal(page.status, 200, page.text);
  assert.match(page.headers['content-type'], /^text\/html/);
  assert.match(page.headers['content-security-policy'], /default-src 'none'.*frame-ancestors 'none'/);
  assert.equal(page.headers['cache-control'], 'no-store');
  assert.ok(page.text.includes('The &lt;App&gt;'), page.text);
  assert.ok(!page.text.includes('<script'), page.text);
  const unescaped = (text) => text.replace(/&quot;/g, '"').replace(/&lt;/g, '<').replace(/&gt;/g, '>').replace(/&#39;/g, "'").replace(/&amp;/g, '&');
  const hidden = Object.fromEntries([...page.text.matchAll(/type="hidden" name="([^"]*)" value="([^"]*)"/g)]
    .map(([, name, value]) => [name, unescaped(value)]));
  assert.deepEqual(hidden, { ...request(client, { state }), code_challenge: 'x'.repeat(43) });
});

test('a code is good once, and its second use ends the tokens of the first', async () => {
  const code = await codeFor(client);
  const first = (await redeem(client, code)).json;
  assert.ok(await accepts(first.access_token));
  const second = await redeem(client, code);
  refused(second);
  assert.equal(second.json.code, 'identity.authentication_code_reused');
  assert.ok(!await accepts(first.access_token));
  const { key, secret } = client;
  refused(await server.request('POST', '/oauth/token', {
    body: form({ grant_type: 'refresh_token', refresh_token: first.refresh_token, client_id: key, client_secret: secret }), headers: kForm }));
});

test('of many who use a code at once at most one gets tokens', async () => {
  const code = await codeFor(client);
  const replies = await Promise.all(Array.from({ length: 8 }, () => redeem(client, code)));
  assert.ok(replies.filter(({ status }) => status === 200).length <= 1);
  for (const reply of replies.filter(({ status }) => status !== 200)) refused(reply);
});

test('a code is of no use to another client, with another address, or made up', async () => {
  const other = await makeClient({ registeredRedirectUri: kBack });
  const code = await codeFor(client);
  refused(await redeem(other, code));
  refused(await redeem(client, code, { redirect_uri: kOther }));
  refused(await redeem(client, code, { redirect_uri: '' }));
  refused(await redeem(client, code + 'x'));
  refused(await redeem(client, ''));
  refused(await redeem({ ...client, secret: 'wrong' }, code), 'invalid_client', 401);
  // None of which used it up.
  assert.equal((await redeem(client, code)).status, 200);
});

test('PKCE: only who has the verifier gets the tokens', async () => {
  const verifier = base64url(randomBytes(32));
  const hashed = { code_challenge: base64url(createHash('sha256').update(verifier).digest()), code_challenge_method: 'S256' };
  for (const challenge of [hashed, { code_challenge: verifier }, { code_challenge: verifier, code_challenge_method: 'plain' }]) {
    const code = await codeFor(client, challenge);
    refused(await redeem(client, code));
    refused(await redeem(client, code, { code_verifier: base64url(randomBytes(32)) }));
    if (challenge === hashed) refused(await redeem(client, code, { code_verifier: hashed.code_challenge }));
    assert.equal((await redeem(client, code, { code_verifier: verifier })).status, 200);
  }
  refused(await redeem(client, await codeFor(client), { code_verifier: verifier }));
  // The example of RFC 7636, appendix B.
  const code = await codeFor(client, { code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM', code_challenge_method: 'S256' });
  const reply = await redeem(client, code, { code_verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk' });
  assert.equal(reply.status, 200, reply.text);
});

test('nobody is sent to an address that is not the client’s', async () => {
  const bare = await makeClient();
  const active = await makeClient({ registeredRedirectUri: ['javascript:alert(1)', 'data:text/html,x', '/back', `${kBack}#f`, 'https://a\r\nX: y'] });
  const cases = [
    [client, 'https://evil.example.org/back'], [client, `${kBack}/deeper`], [client, `${kBack}?x=1`], [client, ''],
    [bare, kBack], [bare, ''], ...['javascript:alert(1)', 'data:text/html,x', '/back', `${kBack}#f`, 'https://a\r\nX: y'].map((uri) => [active, uri]),
  ];
  for (const [one, redirect_uri] of cases) {
    for (const reply of [await authorize(one, { redirect_uri }), await authorize(one, { redirect_uri, response_type: 'token' }),
      await server.request('GET', `/oauth/authorize?${form(request(one, { redirect_uri }))}`)]) {
      refused(reply, 'invalid_request');
      assert.equal(reply.headers.location, undefined);
    }
  }
  refused(await authorize({ key: 'nobody' }), 'invalid_client', 401);
  refused(await authorize({ key: '' }), 'invalid_request');
});

test('an address that is the only one need not be named', async () => {
  const one = await makeClient({ registeredRedirectUri: kBack });
  const { code } = sentBack(await authorize(one, { redirect_uri: '' }));
  assert.equal((await redeem(one, code, { redirect_uri: '' })).status, 200);
  const again = sentBack(await authorize(one, { redirect_uri: '' })).code;
  refused(await redeem(one, again, { redirect_uri: kOther }));
  assert.equal((await redeem(one, again)).status, 200);
});

test('what the client may not ask for is told to the client', async () => {
  const narrow = await makeClient({ registeredRedirectUri: kOther, authorizedGrantTypes: ['password', 'refresh_token'] });
  for (const [one, fields, error] of [
    [client, { response_type: 'token' }, 'unsupported_response_type'],
    [client, { response_type: '' }, 'unsupported_response_type'],
    [client, { scope: 'api everything' }, 'invalid_scope'],
    [client, { code_challenge: 'short' }, 'invalid_request'],
    [client, { code_challenge: 'x'.repeat(43), code_challenge_method: 'S512' }, 'invalid_request'],
    [client, { code_challenge: 'x'.repeat(128), code_challenge_method: 'S256' }, 'invalid_request'],
    [client, { code_challenge_method: 'S256' }, 'invalid_request'],
    [narrow, { redirect_uri: kOther }, 'unauthorized_client'],
  ]) {
    const back = sentBack(await authorize(one, fields), fields.redirect_uri ?? kBack);
    assert.equal(back.error, error, JSON.stringify(fields));
    assert.equal(back.state, 'a state&=');
    assert.equal(back.code, undefined);
  }
  const back = sentBack(await authorize(narrow, { redirect_uri: kOther }), kOther);
  assert.equal(back.x, '1', 'the address keeps its own parameters');
  refused(await redeem(narrow, 'any'), 'unauthorized_client');
  const disabled = await makeClient({ registeredRedirectUri: kBack, enabled: false });
  refused(await authorize(disabled), 'invalid_client', 401);
});

test('a wrong password gives no code, and a disabled user no tokens', async () => {
  refused(await authorize(client, {}, { username: 'ann', password: 'wrong' }));
  refused(await authorize(client, {}, { username: 'nobody', password: 'wrong' }));
  refused(await authorize(client, {}, {}));
  refused(await server.request('POST', '/oauth/authorize', { body: `${form(request(client))}&username=%ff&password=%ff`, headers: kForm }));
  refused(await server.request('POST', '/oauth/authorize', { body: 'client_id=%f', headers: kForm }), 'invalid_request');
  refused(await authorize(client, {}, { username: 'guest', password: 'guest' }));
  const bob = await server.makeUser('bob');
  const { code } = sentBack(await authorize(client, {}, { username: 'bob', password: 'secret-of-bob' }));
  await server.admin('PUT', `/domains/default/principals/${bob._doc}`, { ...bob, enabled: false });
  refused(await redeem(client, code));
});

test('no token stands for a login', async () => {
  const token = await server.login('ann', 'secret-of-ann');
  const ask = (headers, query = '') => server.request('POST', `/oauth/authorize${query}`, { body: form(request(client)), headers: { ...kForm, ...headers } });
  refused(await ask({ Authorization: `Bearer ${token}` }));
  refused(await ask({ Cookie: `GITANA_TICKET=${token}` }));
  refused(await ask({ GITANA_TICKET: token }));
  refused(await ask({}, `?access_token=${token}`));
});

test('a grant that is open to drivers needs its secret, and a client without one a challenge', async () => {
  const user = await server.makeUser('open');
  const grant = await server.admin('POST', '/auth/grants', { principalDomainId: user.domainId, principalId: user._doc,
    key: 'open-grant', secret: 'of the grant', allowOpenDriverAuthentication: true });
  assert.ok(grant._doc);
  refused(await authorize(client, {}, { username: 'open-grant' }));
  refused(await authorize(client, {}, { username: 'open-grant', password: '' }));
  const open = await makeClient({ registeredRedirectUri: kBack, allowOpenDriverAuthentication: true });
  const { error } = sentBack(await authorize(open, {}, { username: 'open', password: 'secret-of-open' }));
  assert.equal(error, 'invalid_request');
  const challenge = 'x'.repeat(43);
  assert.ok(sentBack(await authorize(open, { code_challenge: challenge }, { username: 'open', password: 'secret-of-open' })).code);
});

test('a client of a tenant logs in users of the tenant', async () => {
  const tenant = await makeTenant(server, 'theo');
  const { _doc } = await tenant.do('POST', '/clients', { registeredRedirectUri: kBack });
  const own = await tenant.do('GET', `/clients/${_doc}?full=true`);
  const { code } = sentBack(await authorize(own, {}, { username: 'theo', password: 'secret-of-theo' }));
  refused(await redeem(client, code));
  const tokens = await redeem(own, code);
  assert.equal(tokens.status, 200, tokens.text);
  const info = await server.request('GET', '/auth/info', { token: tokens.json.access_token });
  assert.equal(info.json.tenantId, tenant.id);
  refused(await redeem(own, code));
  assert.ok(!await accepts(tokens.json.access_token));
  refused(await authorize(own, {}, { username: 'ann', password: 'secret-of-ann' }));
});

test('a code survives a restart, and ends in time', async () => {
  const one = await SteleServer.start();
  const previous = server;
  server = one;
  try {
    await server.makeUser('ann');
    const own = await makeClient({ registeredRedirectUri: kBack });
    const code = await codeFor(own);
    await server.stop();
    server.options.config = 'identity.authorization_code_seconds = 1\n';
    await server.launch();
    assert.equal((await redeem(own, code)).status, 200);
    const late = await codeFor(own);
    await sleep(1500);
    refused(await redeem(own, late));
  } finally {
    server = previous;
    await one.end();
  }
});
