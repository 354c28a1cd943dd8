// TLS from the first byte and after STARTTLS, with certificates that are always verified, and
// authentication.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, test } from 'node:test';
import { Certificates } from './certificates.mjs';
import { MailServer, ScriptedServer, account, politeTalk } from './mail_server.mjs';
import { startStele } from './mail_fixture.mjs';

let certificates;
let right;
let wrongName;
let trusting;
let plain;
before(async () => {
  certificates = new Certificates();
  right = certificates.server('IP:127.0.0.1,DNS:localhost');
  wrongName = certificates.server('DNS:other.example');
  trusting = await startStele({ ca_file: certificates.caFile, send_seconds: 5 });
  plain = await startStele({ send_seconds: 5 });
});
after(async () => {
  await trusting.end();
  await plain.end();
  certificates.remove();
});

const tls = { smtp_is_secure: true };
const starttls = { smtp_starttls_enabled: true };

async function sendThrough(stele, fields, options) {
  const server = await MailServer.start(options);
  const id = await stele.email();
  const reply = await stele.send(await stele.provider(server.port, fields), id);
  await server.end();
  return { reply, mails: server.mails, id };
}

test('TLS from the first byte', async () => {
  const { reply, mails } = await sendThrough(trusting, { ...tls, ...account }, { secure: true, ...right });
  assert.equal(reply.status, 200, reply.text);
  assert.equal(reply.json.security, 'tls');
  assert.equal(mails.length, 1);
  assert.equal(mails[0].secure, true);
  assert.equal(mails[0].user, account.username);
});

test('STARTTLS', async () => {
  for (const fields of [starttls, { ...starttls, ...tls }]) {
    const { reply, mails } = await sendThrough(trusting, { ...fields, ...account }, { hideSTARTTLS: false, ...right });
    assert.equal(reply.status, 200, reply.text);
    assert.equal(reply.json.security, 'starttls');
    assert.equal(mails.length, 1);
    assert.equal(mails[0].secure, true);
    assert.equal(mails[0].user, account.username);
  }
});

test('a host is verified by its name too', async () => {
  const { reply } = await sendThrough(trusting, { ...tls, host: 'localhost' }, { secure: true, ...right });
  assert.equal(reply.status, 200, reply.text);
});

test('an unknown authority and a wrong name end the connection before any credential', async () => {
  const cases = [[plain, right], [trusting, wrongName]];
  for (const [stele, certificate] of cases) {
    for (const [fields, options] of [[tls, { secure: true }], [starttls, { hideSTARTTLS: false }]]) {
      let logins = 0;
      const { reply, mails, id } = await sendThrough(stele, { ...fields, ...account },
        { ...options, ...certificate, onAuth: (auth, session, done) => { ++logins; done(null, { user: 'x' }); } });
      assert.equal(reply.status, 409, reply.text);
      assert.equal(reply.json.code, 'email_providers.tls_failed');
      assert.match(reply.json.message, /certificate/i);
      assert.equal(mails.length, 0);
      assert.equal(logins, 0);
      assert.equal((await stele.readEmail(id)).sent, false);
    }
  }
});

test('STARTTLS that is asked for is never gone without', async () => {
  const missing = await sendThrough(trusting, { ...starttls, ...account }, { hideSTARTTLS: true, allowInsecureAuth: true });
  assert.equal(missing.reply.status, 409, missing.reply.text);
  assert.equal(missing.reply.json.code, 'email_providers.starttls_missing');
  assert.equal(missing.mails.length, 0);
  for (const answer of ['454 TLS not available', '502 unknown command']) {
    const refusing = await ScriptedServer.start(politeTalk({
      EHLO: () => '250-mail.example\r\n250-AUTH PLAIN\r\n250 STARTTLS', STARTTLS: () => answer,
    }));
    const reply = await trusting.send(await trusting.provider(refusing.port, { ...starttls, ...account }), await trusting.email());
    assert.notEqual(reply.status, 200, reply.text);
    assert.ok(refusing.lines.every((line) => !/^(AUTH|MAIL|DATA)/.test(line)), refusing.lines.join('\n'));
    await refusing.end();
  }
});

test('plain text that a stranger slips in before STARTTLS is ignored or ends the connection', async () => {
  const injecting = await ScriptedServer.start(politeTalk({
    EHLO: () => '250-mail.example\r\n250-AUTH PLAIN\r\n250 STARTTLS',
    STARTTLS: () => '220 go\r\n250-mail.example\r\n250 AUTH PLAIN',
  }));
  const reply = await trusting.send(await trusting.provider(injecting.port, { ...starttls, ...account }), await trusting.email());
  assert.notEqual(reply.status, 200);
  assert.ok(injecting.lines.every((line) => !/^(AUTH|MAIL|DATA)/.test(line)), injecting.lines.join('\n'));
  await injecting.end();
});

test('a server without TLS at a port for TLS is told', async () => {
  const { reply, mails } = await sendThrough(trusting, tls, {});
  assert.notEqual(reply.status, 200);
  assert.ok(['server_unreachable'].includes(reply.json.code.split('.')[1]), reply.text);
  assert.equal(mails.length, 0);
});

test('user name and password: right, wrong, by each common way', async () => {
  for (const method of ['PLAIN', 'LOGIN']) {
    const options = { allowInsecureAuth: true, authMethods: [method] };
    const good = await sendThrough(plain, account, options);
    assert.equal(good.reply.status, 200, good.reply.text);
    assert.equal(good.mails[0].user, account.username);
    const bad = await sendThrough(plain, { ...account, password: 'wrong-password' }, options);
    assert.equal(bad.reply.status, 409);
    assert.equal(bad.reply.json.code, 'email_providers.authentication_failed');
    assert.match(bad.reply.json.message, /535/);
    assert.ok(!bad.reply.text.includes('wrong-password'), 'not even when the server repeats it');
    assert.equal(bad.mails.length, 0);
  }
});

test('a password does not travel where a digest of it will do', async () => {
  const challenge = '<12345@mail.example>';
  const digest = createHmac('md5', account.password).update(challenge).digest('hex');
  const wanted = Buffer.from(`${account.username} ${digest}`).toString('base64');
  const polite = politeTalk({
    EHLO: () => '250-mail.example\r\n250 AUTH PLAIN LOGIN CRAM-MD5',
    AUTH: () => `334 ${Buffer.from(challenge).toString('base64')}`,
  });
  const server = await ScriptedServer.start((line, socket) => (line === wanted ? '235 welcome' : polite(line, socket)));
  const reply = await plain.test(await plain.provider(server.port, account));
  assert.equal(reply.status, 200, reply.text);
  assert.ok(server.lines.includes('AUTH CRAM-MD5'));
  assert.ok(server.lines.includes(wanted));
  await server.end();
});

test('a provider that requires authentication sends nothing to a server that offers none', async () => {
  const server = await ScriptedServer.start(politeTalk());
  const id = await plain.email();
  const reply = await plain.send(await plain.provider(server.port, account), id);
  assert.equal(reply.status, 409, reply.text);
  assert.equal(reply.json.code, 'email_providers.authentication_failed');
  assert.equal((await plain.readEmail(id)).sending, null);
  await server.end();
  const exotic = await ScriptedServer.start(politeTalk({ EHLO: () => '250-mail.example\r\n250 AUTH GSSAPI XOAUTH2' }));
  const other = await plain.send(await plain.provider(exotic.port, account), await plain.email());
  assert.equal(other.json.code, 'email_providers.authentication_failed', other.text);
  assert.ok(exotic.lines.every((line) => !line.startsWith('DATA')));
  await exotic.end();
});

test('a provider without authentication does not log in', async () => {
  const { reply, mails } = await sendThrough(plain, { ...account, smtp_requires_auth: false }, { allowInsecureAuth: true });
  assert.equal(reply.status, 200, reply.text);
  assert.equal(mails[0].user, undefined);
});
