// The password of a provider: used, kept through updates, and found nowhere.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { MailServer, ScriptedServer, account, politeTalk } from './mail_server.mjs';
import { startStele } from './mail_fixture.mjs';

const { password } = account;
const traces = [password, Buffer.from(password).toString('base64'),
                Buffer.from(`\0${account.username}\0${password}`).toString('base64'), Buffer.from(password).toString('hex')];
let stele;
let server;
const replies = [];
before(async () => {
  stele = await startStele({}, { config: 'log.level = debug\n' });
  server = await MailServer.start({ allowInsecureAuth: true });
  const ask = stele.ask.bind(stele);
  stele.ask = async (...sent) => {
    const reply = await ask(...sent);
    replies.push(reply.text + JSON.stringify(reply.headers));
    return reply;
  };
});
after(async () => {
  await server.end();
  await stele.end();
});

/// Those that hold bytes; the server's socket does not.
function files(folder) {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) return files(path);
    return statSync(path).isFile() ? [path] : [];
  });
}

test('a password is used, kept by updates that lack it or send its mask, replaced and forgotten', async () => {
  const providers = `${stele.application}/emailproviders`;
  const base = { host: '127.0.0.1', port: server.port, username: account.username };
  const created = await stele.ask('POST', providers, { ...base, password });
  const path = `${providers}/${created.json._doc}`;
  const works = async (wanted) => assert.equal((await stele.test(path)).status, wanted);
  await works(200);
  await stele.ask('PUT', path, { ...base, title: 'no password' });
  await works(200);
  await stele.ask('PUT', path, { ...base, password: '********' });
  await works(200);
  await stele.ask('POST', `${path}/update`, { config: { ...base, password: '********' } });
  await works(200);
  await stele.ask('PUT', path, { ...base, password: 'another-one' });
  await works(409);
  await stele.ask('PUT', path, { config: { ...base, password } });
  await works(200);
  const forgotten = await stele.ask('PUT', path, { ...base, password: null });
  assert.equal(forgotten.status, 200);
  const reply = await stele.test(path);
  assert.equal(reply.json.code, 'email_providers.account_incomplete');
  await stele.ask('PUT', path, { ...base, password });
  await works(200);
});

test('a new host or port forgets the password, so that nobody gets it at a server of their own', async () => {
  const catcher = await MailServer.start({ allowInsecureAuth: true });
  const providers = `${stele.application}/emailproviders`;
  const base = { host: '127.0.0.1', port: server.port, username: account.username };
  for (const change of [{ port: catcher.port }, { host: 'localhost' }, { config: { port: catcher.port }, port: undefined }]) {
    for (const more of [{}, { password: '********' }]) {
      const { json } = await stele.ask('POST', providers, { ...base, password });
      const path = `${providers}/${json._doc}`;
      assert.equal((await stele.ask('PUT', path, { ...base, ...change, ...more })).status, 200);
      assert.equal((await stele.test(path)).json.code, 'email_providers.account_incomplete');
      // Nor does it come back with the old server.
      assert.equal((await stele.ask('PUT', path, { ...base, ...more })).status, 200);
      assert.equal((await stele.test(path)).json.code, 'email_providers.account_incomplete');
    }
  }
  assert.equal(catcher.mails.length, 0);
  await catcher.end();
});

test('no operation returns it, no query finds it', async () => {
  const providers = `${stele.application}/emailproviders`;
  for (const body of [{ password }, { config: { password } }]) {
    const { json } = await stele.ask('POST', providers, { host: '127.0.0.1', port: server.port, username: account.username, ...body });
    const path = `${providers}/${json._doc}`;
    for (const query of ['', '?full=true&metadata=true']) await stele.ask('GET', path + query);
    await stele.ask('GET', `${providers}?limit=-1`);
    await stele.ask('POST', `${providers}/query`, {});
    for (const condition of [{ password }, { 'config.password': password }, { password: { $exists: true } },
                             { password: { $regex: '^sw0' } }, { 'config.password': { $exists: true } }]) {
      const found = await stele.ask('POST', `${providers}/query`, condition);
      assert.equal(found.json.total_rows, 0, JSON.stringify(condition));
    }
    await stele.ask('GET', `${providers}?sort={"password":1}`);
    await stele.ask('POST', '/ref/read', { entries: [{ ref: `emailprovider://default/${stele.application.split('/')[2]}/${json._doc}` }] });
    await stele.send(path, await stele.email());
    await stele.test(path);
  }
  assert.equal(server.mails.length > 0, true);
});

test('failures do not show it either, whatever the server says', async () => {
  const leaking = await ScriptedServer.start(politeTalk({
    EHLO: () => '250-mail.example\r\n250 AUTH PLAIN LOGIN',
    AUTH: (line) => `535-${line}\r\n535 wrong password ${password}`,
  }));
  const provider = await stele.provider(leaking.port, account);
  const id = await stele.email();
  const failed = await stele.send(provider, id);
  assert.equal(failed.json.code, 'email_providers.authentication_failed', failed.text);
  assert.match(failed.json.message, /wrong password \*\*\*/);
  replies.push(JSON.stringify(await stele.readEmail(id)));
  const bad = await stele.ask('POST', `${stele.application}/emailproviders`, { port: 'x', password: `${password}\n` });
  assert.equal(bad.status, 400);
  const nested = await stele.ask('POST', `${stele.application}/emailproviders`, { config: { password: [password] } });
  assert.equal(nested.status, 400);
  await leaking.end();
});

test('no reply, no log line and no file of the store has a trace of it', async () => {
  assert.ok(replies.length > 30);
  for (const reply of replies) {
    for (const trace of traces) assert.ok(!reply.includes(trace), reply);
  }
  const folder = stele.stele.data;
  const isIn = (bytes) => traces.filter((trace) => bytes.includes(trace));
  const check = () => {
    for (const file of files(folder)) assert.deepEqual(isIn(readFileSync(file)), [], file);
    assert.deepEqual(isIn(stele.stele.log), []);
  };
  // A server that runs rewrites files at any moment.
  await stele.stele.stop();
  check();
  // Once more after the store has rewritten its files.
  await stele.stele.launch();
  await stele.stele.stop();
  check();
  assert.ok(files(folder).some((file) => readFileSync(file).includes(account.username)), 'the search finds what is there');
  await stele.stele.launch();
});
