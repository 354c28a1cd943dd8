// Names of principals: visible as they are, and unlike those of others.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { SteleServer } from '../../../tests/support/stele_server.mjs';

const users = '/domains/default/principals';
let server;
before(async () => { server = await SteleServer.start(); });
after(() => server.end());

const make = (name, type = 'USER', domain = 'default') => server.request('POST', `/domains/${domain}/principals`, { token: server.adminToken, body: { type, name } });
const lookalikes = { admin: ['\u0430dmin', 'adm\u0456n', 'adrnin', '\uff41dmin'], everyone: ['ev\u0435ryone'], system: ['system', 'sy\u0455tem'], guest: ['gu\u0435st'] };

test('users and groups get no name that looks like that of another one or of the server', async () => {
  server.adminToken = await server.login();
  for (const [name, others] of Object.entries(lookalikes)) {
    for (const other of others) {
      for (const type of ['USER', 'GROUP']) {
        const refused = await make(other, type);
        assert.equal(refused.status, 409, `${other} for ${name}: ${refused.text}`);
        assert.equal(refused.json.code, 'identity.principal_name_confusable');
        assert.equal((await server.request('GET', `${users}/${encodeURIComponent(other)}`, { token: server.adminToken })).status, 404);
      }
    }
  }
  assert.equal((await make('Léa Müller')).status, 200);
  assert.equal((await make('Le\u0301a Mu\u0308ller')).status, 409);
});

test('names hold nothing that cannot be seen', async () => {
  for (const name of [' admin', 'admin ', 'ad  min', 'adm\u200bin', 'admin\u202e', '\u2060admin', 'ad\u00admin', 'ad\u00a0min']) {
    const refused = await make(name);
    assert.equal(refused.status, 400, JSON.stringify(name));
    assert.equal(refused.json.violations[0].code, 'identity.principal_name_malformed');
    assert.equal(refused.json.violations[0].path, 'name');
  }
});

test('a user cannot rename itself to what looks like another one, and can to something else', async () => {
  const user = await server.makeUser('renamer');
  const token = await server.login('renamer', 'secret-of-renamer');
  const rename = (name) => server.request('PUT', `${users}/${user._doc}`, { token, body: { type: 'USER', name } });
  for (const name of ['\u0430dmin', 'system', 'sy\u0455tem', 'adrnin']) {
    const refused = await rename(name);
    assert.equal(refused.status, 409, `${name}: ${refused.text}`);
    assert.equal(refused.json.code, 'identity.principal_name_confusable');
  }
  assert.equal((await rename('admin')).status, 409);
  assert.equal((await rename('admin\u200b')).status, 400);
  assert.equal((await rename('renamed')).status, 200);
  assert.equal((await rename('renarned')).status, 200, 'its own name is free for what looks like it');
  const updated = await server.request('POST', `${users}/${user._doc}/update`, { token, body: { type: 'USER', name: '\u0430dmin' } });
  assert.equal(updated.status, 409, updated.text);
});

test('a name is free again when whoever had it has another one, or is gone', async () => {
  const { json: { _doc } } = await make('first-name');
  assert.equal((await make('fir\u0455t-name')).status, 409);
  await server.admin('PUT', `${users}/${_doc}`, { type: 'USER', name: 'second-name' });
  const again = await make('fir\u0455t-name');
  assert.equal(again.status, 200, again.text);
  await server.admin('DELETE', `${users}/${again.json._doc}`);
  assert.equal((await make('first-name')).status, 200);
});

test('another domain has names of its own, also after one is gone', async () => {
  for (const domain of ['first-domain', 'second-domain']) {
    await server.admin('POST', '/domains', { _doc: domain, title: 'again' });
    const made = await make('\u0430dmin', 'USER', domain);
    assert.equal(made.status, 200, made.text);
    assert.equal((await make('admin', 'USER', domain)).status, 409);
    await server.admin('DELETE', `/domains/${domain}`);
  }
});

test('of two that look alike and come at once one is made', async () => {
  for (let i = 0; i < 10; ++i) {
    const replies = await Promise.all([`race-${i}`, `r\u0430ce-${i}`, `rac\u0435-${i}`].map((name) => make(name)));
    assert.deepEqual(replies.map((reply) => reply.status).sort(), [200, 409, 409]);
  }
});
