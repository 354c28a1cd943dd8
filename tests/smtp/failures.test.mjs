// Mail servers that are absent, slow, rude or die: always a clear error in bounded time, and a
// record that tells the truth.
import assert from 'node:assert/strict';
import net from 'node:net';
import { after, before, test } from 'node:test';
import { MailServer, ScriptedServer, account, politeTalk } from './mail_server.mjs';
import { startStele } from './mail_fixture.mjs';

const totalSeconds = 3;
let stele;
before(async () => { stele = await startStele({ connect_seconds: 2, send_seconds: totalSeconds }); });
after(() => stele.end());

/// Sends through a scripted server; the reply, the email afterwards, and how long it took.
async function sendThrough(talk, fields = {}, email = {}) {
  const server = await ScriptedServer.start(talk);
  try {
    const provider = await stele.provider(server.port, fields);
    const id = await stele.email(email);
    const start = Date.now();
    const reply = await stele.send(provider, id);
    return { reply, stored: await stele.readEmail(id), seconds: (Date.now() - start) / 1000, server, id, provider };
  } finally {
    await server.end();
  }
}

function isFailure({ reply, stored }, status, code) {
  assert.equal(reply.status, status, reply.text);
  assert.match(reply.headers['content-type'], /^application\/json/);
  assert.equal(reply.json.ok, false);
  assert.equal(reply.json.code, `email_providers.${code}`);
  assert.equal(stored.sent, false);
  assert.equal(stored.lastError.code, reply.json.code);
  assert.equal(stored.lastError.message, reply.json.message);
}

test('the polite scripted server takes a mail', async () => {
  const { reply, server } = await sendThrough(politeTalk());
  assert.equal(reply.status, 200, reply.text);
  assert.ok(server.lines.includes('RCPT TO:<to@example.org>'));
});

test('no server at the port, no such host', async () => {
  const free = await new Promise((resolve) => {
    const probe = net.createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
  for (const fields of [{ port: free }, { host: 'no-such-host.invalid', port: 25 }]) {
    const id = await stele.email();
    const reply = await stele.send(await stele.provider(free, fields), id);
    isFailure({ reply, stored: await stele.readEmail(id) }, 503, 'server_unreachable');
    assert.ok(reply.json.message.includes(fields.host ?? '127.0.0.1'));
    const tested = await stele.test(await stele.provider(free, fields));
    assert.equal(tested.json.code, 'email_providers.server_unreachable');
  }
});

test('closed, silent and foreign ports get the same reply after the same time', async () => {
  const closed = await new Promise((resolve) => {
    const probe = net.createServer().listen(0, '127.0.0.1', () => { const { port } = probe.address(); probe.close(() => resolve(port)); });
  });
  const servers = await Promise.all([() => undefined, (line) => (line === null ? 'SSH-2.0-banner' : undefined),
    (line, socket) => { socket.destroy(); }].map((talk) => ScriptedServer.start(talk)));
  const seen = [];
  for (const port of [closed, ...servers.map((server) => server.port)]) {
    for (const fields of [{}, { smtp_is_secure: true }]) {
      const provider = await stele.provider(port, fields);
      const start = Date.now();
      const reply = await stele.test(provider);
      // The time of connect_seconds, which a closed port would not need.
      assert.ok(Date.now() - start >= 1900, `${port}: ${Date.now() - start} ms`);
      seen.push([reply.status, reply.json.code, reply.json.message.replace(String(port), 'PORT')]);
    }
  }
  for (const one of seen) assert.deepEqual(one, seen[0]);
  await Promise.all(servers.map((server) => server.end()));
});

test('each refusal names its step and carries the words of the server', async () => {
  const login = { EHLO: () => '250-mail.example\r\n250 AUTH PLAIN LOGIN' };
  const cases = [
    [{ GREETING: () => '554 5.7.1 we do not like you' }, 409, 'server_refused', '554 5.7.1 we do not like you'],
    [{ GREETING: () => '421 too busy' }, 503, 'server_refused', '421 too busy'],
    [{ MAIL: () => '550 5.1.8 unknown sender' }, 409, 'sender_refused', 'from@example.org: 550 5.1.8 unknown sender'],
    [{ RCPT: () => '550 5.1.1 no such user' }, 409, 'recipient_refused', 'to@example.org: 550 5.1.1 no such user'],
    [{ RCPT: () => '450-come\r\n450 back later' }, 503, 'recipient_refused', '450 come back later'],
    [{ DATA: () => '554 no valid recipients' }, 409, 'message_refused', '554 no valid recipients'],
    [{ END: () => '552 5.3.4 too big' }, 409, 'message_refused', '552 5.3.4 too big'],
    [{ END: () => '452 disk full' }, 503, 'message_refused', '452 disk full'],
    [{ ...login, AUTH: () => '535 5.7.8 bad credentials' }, 409, 'authentication_failed', '535 5.7.8 bad credentials', account],
    [{ ...login, AUTH: () => '454 4.7.0 later' }, 503, 'authentication_failed', '454 4.7.0 later', account],
  ];
  for (const [special, status, code, words, fields] of cases) {
    const sent = await sendThrough(politeTalk(special), fields);
    isFailure(sent, status, code);
    assert.ok(sent.reply.json.message.includes(words), sent.reply.json.message);
    assert.ok(sent.seconds < totalSeconds);
  }
});

test('what does not speak SMTP is told so, and none of its words are passed on', async () => {
  const { reply, stored } = await sendThrough((line) => (line === null ? 'SSH-2.0-secret-banner' : undefined));
  assert.notEqual(reply.status, 200);
  assert.equal(reply.json.code, 'email_providers.server_unreachable');
  assert.ok(!reply.text.includes('secret-banner'));
  assert.equal(stored.sent, false);
});

test('a silent server costs no more than the bounded time, at every step', async () => {
  for (const step of ['GREETING', 'EHLO', 'MAIL', 'RCPT', 'DATA']) {
    const sent = await sendThrough(politeTalk({ [step]: () => undefined }));
    isFailure(sent, 503, step === 'GREETING' ? 'server_unreachable' : 'server_timed_out');
    assert.ok(sent.seconds >= totalSeconds - 1.5 && sent.seconds < totalSeconds + 2, `${step}: ${sent.seconds} s`);
  }
});

test('a server that drips its greeting costs no more either', async () => {
  let timer;
  const server = net.createServer((socket) => {
    socket.on('error', () => {});
    timer = setInterval(() => socket.write('2'), 200);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref();
  const start = Date.now();
  const reply = await stele.test(await stele.provider(server.address().port));
  clearInterval(timer);
  assert.equal(reply.json.code, 'email_providers.server_unreachable');
  assert.ok(Date.now() - start < (totalSeconds + 2) * 1000);
  server.close();
});

test('a server that dies in the middle is told, and the email may be sent again', async () => {
  for (const step of ['EHLO', 'MAIL', 'RCPT', 'DATA']) {
    const sent = await sendThrough(politeTalk({ [step]: (line, socket) => { socket.destroy(); } }));
    isFailure(sent, 503, 'connection_lost');
    assert.equal(sent.stored.sending, null);
    const healthy = await MailServer.start();
    const again = await stele.send(await stele.provider(healthy.port), sent.id);
    assert.equal(again.status, 200, again.text);
    assert.equal(healthy.mails.length, 1);
    assert.equal((await stele.readEmail(sent.id)).lastError, null);
    await healthy.end();
  }
});

test('a server that dies in the middle of a long mail leaves it unsent', async () => {
  let lines = 0;
  const content = (line, socket) => { if (++lines === 20) socket.destroy(); };
  const sent = await sendThrough(politeTalk({ CONTENT: content }), {}, { body: ('x'.repeat(70) + '\n').repeat(200_000) });
  assert.equal(sent.reply.status, 503, sent.reply.text);
  assert.equal(sent.stored.sent, false);
});

test('a mail that was never confirmed is not sent again unless somebody asks for it', async () => {
  for (const END of [(line, socket) => { socket.destroy(); }, () => undefined]) {
    const sent = await sendThrough(politeTalk({ END }));
    isFailure(sent, 503, 'outcome_unknown');
    assert.equal(sent.stored.sending.messageId.length > 0, true);
    const healthy = await MailServer.start();
    const provider = await stele.provider(healthy.port);
    const again = await stele.send(provider, sent.id);
    assert.equal(again.status, 409);
    assert.equal(again.json.code, 'email_providers.outcome_unknown');
    assert.equal(healthy.mails.length, 0);
    const asked = await stele.send(provider, sent.id, { resend: true });
    assert.equal(asked.status, 200, asked.text);
    assert.equal(healthy.mails.length, 1);
    const stored = await stele.readEmail(sent.id);
    assert.equal(stored.sent, true);
    assert.equal(stored.sending, null);
    await healthy.end();
  }
});

test('an incomplete provider says what it lacks', async () => {
  const cases = [[{ host: undefined }, 'host'], [{ smtp_requires_auth: true }, 'username'],
                 [{ smtp_requires_auth: true, username: 'ann' }, 'password']];
  for (const [fields, missing] of cases) {
    const provider = await stele.provider(25, fields);
    for (const reply of [await stele.send(provider, await stele.email()), await stele.test(provider)]) {
      assert.equal(reply.status, 409);
      assert.equal(reply.json.code, 'email_providers.account_incomplete');
      assert.match(reply.json.message, new RegExp(missing));
    }
  }
});

test('a mail that an incomplete provider should send is refused, and nothing of it is kept', async () => {
  const provider = await stele.provider(25, { host: undefined });
  const { json } = await stele.ask('POST', `${stele.application}/registrations`, { userEmail: 'me@example.org',
    emailProviderId: provider.split('/').at(-1), emails: { confirmation: { from: 'from@example.org' } } });
  const registration = `${stele.application}/registrations/${json._doc}`;
  const count = async () => (await stele.ask('GET', `${stele.application}/emails?limit=0`)).json.total_rows;
  const before = await count();
  const reply = await stele.ask('POST', `${registration}/send/confirmation`, {});
  assert.equal(reply.status, 409, reply.text);
  assert.equal(reply.json.code, 'email_providers.account_incomplete');
  assert.equal(await count(), before);
  assert.equal((await stele.ask('GET', registration)).json.confirmationSent, false);
});

test('slow mail servers delay nobody else, and too many mails at once are refused', async () => {
  const silent = await ScriptedServer.start(politeTalk({ MAIL: () => undefined }));
  const provider = await stele.provider(silent.port);
  const emails = [];
  for (let i = 0; i < 12; ++i) emails.push(await stele.email());
  let answered = 0;
  const sends = emails.map((email) => stele.send(provider, email).then((reply) => { ++answered; return reply; }));
  while (silent.connections < 8) await new Promise((resolve) => { setTimeout(resolve, 20); });
  for (let i = 0; i < 20; ++i) {
    assert.equal((await stele.ask('GET', `${stele.application}/emails?limit=5`)).status, 200);
  }
  assert.ok(answered < sends.length, 'lists are answered meanwhile');
  const replies = await Promise.all(sends);
  const busy = replies.filter((reply) => reply.status === 429);
  assert.equal(busy.length, 4);
  assert.equal(busy[0].json.code, 'email_providers.busy');
  assert.ok(Number(busy[0].headers['retry-after']) > 0);
  assert.equal(replies.filter((reply) => reply.json.code === 'email_providers.server_timed_out').length, 8);
  await silent.end();
});
