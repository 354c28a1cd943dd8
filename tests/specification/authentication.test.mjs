// docs/specification/platform.md 2: tokens, tickets, who can log in, and what a fresh server holds.
import assert from 'node:assert/strict';
import { statement, Subject } from '../support/statements.mjs';

const it = Subject.serve();
const client = () => it.server.seed.client;
const basic = (key, secret) => ({ Authorization: 'Basic ' + Buffer.from(`${key}:${secret}`).toString('base64') });
const kForm = { 'Content-Type': 'application/x-www-form-urlencoded' };

/// Asks the token endpoint; `fields` in the body unless `inQuery`.
function token(fields, { as = client(), inQuery = false, method = 'POST', headers = {} } = {}) {
  const form = new URLSearchParams(fields).toString();
  const path = `/oauth/token${inQuery ? `?${form}` : ''}`;
  return it.server.request(method, path, {
    body: inQuery ? undefined : form, headers: { ...(inQuery ? {} : kForm), ...(as ? basic(as.key, as.secret) : {}), ...headers } });
}
const password = (username, secret = `secret-of-${username}`, options) => token({ grant_type: 'password', username, password: secret }, options);
const refresh = (refreshToken, options) => token({ grant_type: 'refresh_token', refresh_token: refreshToken }, options);
const info = (headers) => it.server.request('GET', '/auth/info', { headers });
const works = async (accessToken) => (await it.server.request('GET', '/', { token: accessToken })).status === 200;
/// With its secret (docs/reference/identity.md).
const makeClient = async (fields = {}) => it.get(`/clients/${await it.make('/clients', fields)}?full=true`);
const cookieOf = (reply) => [].concat(reply.headers['set-cookie'] ?? []).find((one) => one.startsWith('GITANA_TICKET='));
const ticketOf = (reply) => cookieOf(reply).split(';')[0].slice('GITANA_TICKET='.length);

statement('platform 2.1.1', async () => {
  const { name } = await it.person('asker');
  const fields = { grant_type: 'password', username: name, password: `secret-of-${name}` };
  assert.equal((await token(fields)).status, 200);
  assert.equal((await token(fields, { inQuery: true })).status, 200);
  assert.equal((await token(fields, { inQuery: true, method: 'GET' })).status, 200);
  const both = await it.server.request('POST', `/oauth/token?grant_type=password&username=${name}`, {
    body: `password=secret-of-${name}`, headers: { ...kForm, ...basic(client().key, client().secret) } });
  assert.equal(both.status, 200, both.text);
});
statement('platform 2.1.2', async () => {
  assert.equal((await token({ grant_type: 'implicit' })).status, 400);
  assert.equal((await token({})).status, 400);
});
statement('platform 2.1.3', async () => {
  const { name } = await it.person('clients-form');
  const { key, secret } = client();
  const fields = { grant_type: 'password', username: name, password: `secret-of-${name}` };
  assert.equal((await token({ ...fields, client_id: key, client_secret: secret }, { as: null })).status, 200);
  assert.equal((await token({ ...fields, client_id: key, client_secret: secret }, { as: null, inQuery: true })).status, 200);
  assert.equal((await token({ ...fields, client_id: key, client_secret: secret })).status, 200);
});
statement('platform 2.1.4', async () => {
  assert.match(client().secret, /[+/=]/);
  assert.equal((await password('admin', 'admin')).status, 200);
  assert.equal((await password('admin', 'admin', { as: { key: client().key, secret: encodeURIComponent(client().secret) } })).status, 401);
});
statement('platform 2.1.5, platform 2.2.7, platform 12.2', async () => {
  const open = await makeClient({ allowOpenDriverAuthentication: true });
  const closed = await makeClient();
  assert.deepEqual([closed.scope, closed.enabled, closed.allowOpenDriverAuthentication], [['api'], true, false]);
  for (const type of ['password', 'authorization_code', 'refresh_token']) {
    assert.ok((await it.post('/clients/query', { authorizedGrantTypes: type })).rows.some((row) => row._doc === closed._doc), type);
  }
  const { name } = await it.person('opener');
  assert.equal((await password(name, undefined, { as: { key: open.key, secret: '' } })).status, 200);
  for (const as of [{ key: closed.key, secret: '' }, { key: closed.key, secret: 'wrong' }, { key: 'nobody', secret: 'x' }]) {
    const reply = await password(name, undefined, { as });
    assert.deepEqual([reply.status, reply.json.error], [401, 'invalid_client']);
    assert.ok(reply.json.error_description);
  }
  await it.put(`/clients/${open._doc}`, { ...open, enabled: false });
  assert.deepEqual((({ status, json }) => [status, json.error])(await password(name, undefined, { as: { key: open.key, secret: open.secret } })), [401, 'invalid_client']);
});
statement('platform 2.1.6, platform 2.4.1, platform 2.4.2', async () => {
  const { name } = await it.person('ticketed');
  const fields = { grant_type: 'password', username: name, password: `secret-of-${name}` };
  const plain = cookieOf(await token(fields));
  assert.match(plain, /^GITANA_TICKET=[^;]+;.*Path=\//);
  assert.ok(!/Max-Age|Expires/i.test(plain));
  assert.match(cookieOf(await token({ ...fields, ticketMaxAge: 5 }, { inQuery: true })), /Max-Age=5(;|$)/i);
});
statement('platform 2.1.7', async () => {
  const { name } = await it.person('second-factor');
  const reply = await token({ grant_type: 'password', username: name, password: `secret-of-${name}`, params: '', zzz: 1, redirect_uri: 'x' },
                            { headers: { authenticator_code: '123456' } });
  assert.equal(reply.status, 200);
});
statement('platform 2.1.8, platform 2.1.9, platform 2.3.4', async () => {
  const { name } = await it.person('refreshing');
  const first = await password(name);
  const ticket = ticketOf(first);
  const { access_token: access, refresh_token: kept, token_type: type, expires_in: seconds, scope } = first.json;
  assert.deepEqual([type, scope, typeof seconds], ['bearer', 'api', 'number']);
  const seen = [access];
  for (let i = 0; i < 3; ++i) {
    const { json } = await refresh(kept);
    assert.equal(json.refresh_token, kept);
    assert.ok(!seen.includes(json.access_token));
    seen.push(json.access_token);
    assert.ok(await works(json.access_token));
    assert.equal((await info({ GITANA_TICKET: ticket })).status, 200);
  }
  assert.notEqual((await password(name)).json.access_token, access);
});

statement('platform 2.2.1, platform 2.2.2', async () => {
  const { id, name } = await it.person('named');
  const domain = await it.make('/domains');
  const other = await it.make(`/domains/${domain}/principals`, { type: 'USER', name: 'elsewhere', password: 'secret-of-elsewhere' });
  for (const [username, secret, principal] of [[name, `secret-of-${name}`, id], [`default/${name}`, `secret-of-${name}`, id], [`default/${id}`, `secret-of-${name}`, id],
                                               [`${domain}/elsewhere`, 'secret-of-elsewhere', other], [`${domain}/${other}`, 'secret-of-elsewhere', other]]) {
    const reply = await password(username, secret);
    assert.equal(reply.status, 200, username);
    assert.equal((await info({ Authorization: `Bearer ${reply.json.access_token}` })).json.principalId, principal);
  }
  assert.notEqual((await password('elsewhere')).status, 200);
});
statement('platform 2.2.3, platform 2.2.4, platform 12.5', async () => {
  const { id, name } = await it.person('granted');
  const make = async (fields) => {
    const made = await it.make('/auth/grants', { principalDomainId: 'default', principalId: name, clientId: client().key, ...fields });
    return it.get(`/auth/grants/${made}?full=true`);
  };
  const closed = await make({});
  const open = await make({ allowOpenDriverAuthentication: true });
  assert.ok(closed.key && closed.secret && closed.key !== open.key);
  const reply = await password(closed.key, closed.secret);
  assert.equal((await info({ Authorization: `Bearer ${reply.json.access_token}` })).json.principalId, id);
  assert.equal((await token({ grant_type: 'password', username: open.key })).status, 200);
  assert.equal((await token({ grant_type: 'password', username: closed.key })).json.error, 'invalid_grant');
  assert.equal((await password(closed.key, 'wrong')).json.error, 'invalid_grant');
  await it.put(`/auth/grants/${closed._doc}`, { ...closed, key: 'mine', secret: 'mine', enabled: false });
  assert.equal((await it.get(`/auth/grants/${closed._doc}`)).key, closed.key);
  assert.equal((await password(closed.key, closed.secret)).json.error, 'invalid_grant');
});
statement('platform 2.2.5', async () => {
  assert.equal((await password('guest', 'guest')).status, 200);
  const { key, secret } = await makeClient({ allowGuestLogin: false });
  assert.equal((await password('guest', 'guest', { as: { key, secret } })).json.error, 'invalid_grant');
});
statement('platform 2.2.6', async () => {
  const { json } = await password('admin', 'admin');
  assert.equal((await it.server.request('GET', '/', { token: json.access_token })).json._doc, await it.platformId());
});
statement('platform 2.2.8', async () => {
  const { key, secret } = await makeClient({ authorizedGrantTypes: ['refresh_token'] });
  const { name } = await it.person('other-grant');
  const reply = await password(name, undefined, { as: { key, secret } });
  assert.deepEqual([reply.status, reply.json.error], [400, 'unauthorized_client']);
});
statement('platform 2.2.9, platform 7.2.4, platform 7.2.7', async () => {
  const { path, name } = await it.person('disabled');
  const record = await it.get(path);
  assert.ok(!('password' in record));
  assert.ok(!JSON.stringify(await it.get('/domains/default/principals?limit=-1')).includes(`secret-of-${name}`));
  for (const [username, secret] of [[name, 'wrong'], ['nobody', 'x'], [await it.make('/domains/default/principals', { type: 'USER', name: 'passwordless' }) && 'passwordless', '']]) {
    assert.equal((await password(username, secret)).json.error, 'invalid_grant', username);
  }
  await it.put(path, { ...record, enabled: false });
  assert.equal((await password(name)).json.error, 'invalid_grant');
});
statement('platform 2.2.10', async () => {
  const reply = await refresh('nonsense');
  assert.ok([400, 401].includes(reply.status));
  assert.equal(reply.json.error, 'invalid_grant');
});
statement('platform 2.2.11, platform 7.3.3', async () => {
  const { path, name } = await it.person('changing');
  const { directoryId, identityId } = await it.get(path);
  const identity = `/directories/${directoryId}/identities/${identityId}`;
  const own = { token: (await password(name)).json.access_token };
  const words = { password: 'another-secret', verifyPassword: 'another-secret' };
  const bad = await it.reply('POST', `${identity}/changepassword`, { ...words, verifyPassword: 'other' });
  assert.ok(bad.status >= 400 && bad.status < 500);
  const wrong = await it.reply('POST', `${identity}/changepassword`, { ...words, validateCurrentPassword: true, currentPassword: 'wrong' }, own);
  assert.ok(wrong.status >= 400 && wrong.status < 500);
  assert.equal((await password(name)).status, 200);
  await it.allowed('POST', `${identity}/changepassword`, { ...words, validateCurrentPassword: true, currentPassword: `secret-of-${name}` }, own);
  assert.equal((await password(name)).json.error, 'invalid_grant');
  assert.equal((await password(name, 'another-secret')).status, 200);
});

statement('platform 2.3.1, platform 2.3.2', async () => {
  const { json: { access_token: access } } = await password('admin', 'admin');
  for (const scheme of ['Bearer', 'bearer', 'BEARER']) assert.equal((await info({ Authorization: `${scheme} ${access}` })).status, 200, scheme);
  assert.equal((await it.server.request('GET', `/?access_token=${access}`)).status, 200);
});
statement('platform 2.3.5', async () => {
  const { key, secret } = await makeClient({ accessTokenValiditySeconds: 30, refreshTokenValiditySeconds: 60 });
  const { name } = await it.person('short-lived');
  const { json } = await password(name, undefined, { as: { key, secret } });
  assert.ok(json.expires_in <= 30 && json.expires_in > 0);
});
statement('platform 2.3.6, platform 2.3.7', async () => {
  const { name } = await it.person('expiring');
  const one = (await password(name)).json;
  assert.equal((await it.server.request('POST', '/auth/expire', { token: one.access_token })).json.ok, true);
  assert.equal(await works(one.access_token), false);
  const two = (await password(name)).json;
  assert.equal((await it.server.request('POST', '/auth/expire?all=true', { token: two.access_token })).json.ok, true);
  assert.equal(await works(two.access_token), false);
  assert.equal((await refresh(two.refresh_token)).json.error, 'invalid_grant');
});
statement('platform 2.3.8', async () => {
  const reply = await it.server.request('GET', '/ping');
  assert.deepEqual([reply.status, reply.json.ok], [200, true]);
});
statement('platform 2.3.9', async () => {
  const someone = await it.person('taken-for');
  const { access_token: access } = await it.post(`/auth/impersonate/default/${someone.id}`);
  assert.equal((await info({ Authorization: `Bearer ${access}` })).json.principalId, someone.id);
  await it.refused(403, 'POST', '/auth/impersonate/default/admin', undefined, someone);
});
statement('platform 2.3.10', async () => {
  const users = [await it.person('side-1'), await it.person('side-2'), await it.person('side-3')];
  const held = await Promise.all(users.map(({ name }) => password(name)));
  for (const [i, { id }] of users.entries()) {
    assert.equal((await info({ Authorization: `Bearer ${held[i].json.access_token}` })).json.principalId, id);
    assert.equal((await info({ Cookie: `GITANA_TICKET=${ticketOf(held[i])}` })).json.principalId, id);
  }
});

statement('platform 2.4.3, platform 2.4.4, platform 2.4.5, platform 2.4.6, platform 2.4.7', async () => {
  const someone = await it.person('ticket-holder');
  const reply = await password(someone.name);
  const ticket = ticketOf(reply);
  for (const headers of [{ Cookie: `GITANA_TICKET=${ticket}` }, { Cookie: `JSESSIONID=zzz; GITANA_TICKET=${ticket}` }, { GITANA_TICKET: ticket },
                         { GITANA_TICKET: encodeURIComponent(ticket) }]) {
    const { status, json } = await info(headers);
    assert.equal(status, 200, JSON.stringify(headers));
    assert.equal(json.principalId, someone.id);
    assert.ok(json.accessToken && json.refreshToken);
    assert.ok(await works(json.accessToken));
  }
  const admin = (await password('admin', 'admin')).json.access_token;
  assert.equal((await info({ Authorization: `Bearer ${admin}`, Cookie: `GITANA_TICKET=${ticket}` })).json.principalName, 'admin');
});
statement('platform 2.5.1, platform 2.5.2, platform 2.5.3, platform 2.5.4, platform 2.5.5', async () => {
  const { json } = await info({ Authorization: `Bearer ${(await password('admin', 'admin')).json.access_token}` });
  assert.deepEqual([json.principalDomainId, json.principalName, json.clientId], ['default', 'admin', client().key]);
  for (const name of ['principalId', 'tenantId', 'tenantTitle', 'tenantDescription', 'tenantRegistrarId', 'ticket', 'directoryId', 'identityId']) {
    assert.equal(typeof json[name], 'string', name);
  }
  assert.ok(json.tenantId.length > 0);
  for (const name of ['_doc', 'title', 'platformId']) assert.equal(typeof json.tenant[name], 'string', name);
  assert.equal(json.tenant.platformId, await it.platformId());
});

statement('platform 2.6.1, platform 2.6.2, platform 2.6.3, platform 2.6.4, platform 2.6.6, platform 8.1.6', async () => {
  const alone = await it.make('/applications', { key: 'alone' });
  await it.refused(404, 'GET', `/stacks/find/application/${alone}`);
  assert.equal((await it.get('/applications/alone'))._doc, alone);
  const projectId = await it.make('/projects', { title: 'connected' });
  const app = await it.make('/applications', { key: 'inside', projectId });
  const { stackId } = await it.get(`/projects/${projectId}`);
  for (const id of [app, 'inside']) assert.equal((await it.get(`/stacks/find/application/${id}`))._doc, stackId);
  const { rows } = await it.get(`/stacks/${stackId}/datastores`);
  const content = rows.find((row) => row._doc === 'content');
  assert.equal(content.datastoreTypeId, 'repository');
  const branches = (await it.get(`/repositories/${content.datastoreId}/branches`)).rows;
  assert.deepEqual(branches.map((row) => row.type), ['MASTER']);
  assert.equal((await it.get(`/repositories/${content.datastoreId}/branches/master`))._doc, branches[0]._doc);
});
statement('platform 2.6.5', async () => {
  for (const reply of [await password('admin', 'wrong'), await password('admin', 'admin', { as: { key: 'no', secret: 'no' } })]) assert.ok(reply.status >= 400);
});
statement('platform 2.7.1', async () => assert.equal((await it.get('/')).title, 'Root Platform'));
statement('platform 2.7.2, platform 7.1.1', async () => {
  assert.equal((await it.get('/domains/primary'))._doc, 'default');
  assert.deepEqual(await it.get('/domains/primary'), await it.get('/domains/default'));
});
statement('platform 2.7.3, platform 7.1.3', async () => {
  for (const name of ['admin', 'guest']) {
    const record = await it.get(`/domains/default/principals/${name}`);
    assert.equal(record.type, 'USER');
    assert.deepEqual(await it.get(`/domains/default/principals/${record._doc}`), record);
  }
});
statement('platform 2.7.4', async () => {
  const { path } = await it.person('one-of-all');
  assert.ok(!(await it.get(`${path}/memberships`)).rows.some((row) => row.name === 'everyone'));
  const record = await it.make('/uiconfigs');
  await it.refused(404, 'GET', `/uiconfigs/${record}`, undefined, { token: await it.server.login('one-of-all', 'secret-of-one-of-all') });
  await it.grant(`/uiconfigs/${record}`, 'consumer', 'everyone');
  await it.allowed('GET', `/uiconfigs/${record}`, undefined, { token: await it.server.login('one-of-all', 'secret-of-one-of-all') });
});
statement('platform 2.7.5', async () => {
  const row = (await it.get('/acl/list')).rows.find((one) => one.name === 'everyone');
  assert.deepEqual([row.type, row.domainQualifiedName, row.authorities], ['GROUP', 'default/everyone', ['connector']]);
});
statement('platform 2.7.6', async () => {
  assert.equal((await password('admin', 'admin', { as: { key: client().key, secret: '' } })).status, 200);
  const { key } = it.server.seed.grant;
  assert.equal((await token({ grant_type: 'password', username: key })).status, 200);
});
statement('platform 2.7.7, platform 10.1', async () => {
  assert.equal((await it.get('/registrars/default/plans/unlimited')).planKey, 'unlimited');
});
statement('platform 2.7.10', async () => {
  const domain = await it.make('/domains');
  const id = await it.make(`/domains/${domain}/principals`, { type: 'USER', name: 'groupless' });
  assert.equal((await it.get(`/domains/${domain}/principals/${id}/memberships?indirect=true`)).total_rows, 0);
});
