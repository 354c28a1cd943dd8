// A request that is acknowledged has sent its mail exactly once, whoever else sends or writes.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { MailServer, ScriptedServer, politeTalk } from './mail_server.mjs';
import { startStele } from './mail_fixture.mjs';

let stele;
before(async () => { stele = await startStele({ concurrent_sends: 12, send_seconds: 5 }); });
after(() => stele.end());

test('of many that send one email at once, one succeeds', async () => {
  const server = await MailServer.start();
  const provider = await stele.provider(server.port);
  for (let round = 0; round < 5; ++round) {
    server.mails.length = 0;
    const email = await stele.email({ subject: `Round ${round}` });
    const replies = await Promise.all(Array.from({ length: 10 }, () => stele.send(provider, email)));
    assert.equal(replies.filter((reply) => reply.status === 200).length, 1);
    for (const reply of replies.filter(({ status }) => status !== 200)) {
      assert.equal(reply.status, 409, reply.text);
      assert.ok(['email_providers.sending', 'email_providers.sent_already'].includes(reply.json.code));
    }
    assert.equal(server.mails.length, 1);
    assert.equal(replies.find((reply) => reply.status === 200).json.messageId, (await stele.readEmail(email)).messageId);
  }
  await server.end();
});

test('writers of the same email and provider cause no second mail', async () => {
  const server = await MailServer.start();
  const provider = await stele.provider(server.port);
  const emails = [];
  for (let i = 0; i < 20; ++i) emails.push(await stele.email({ subject: `Mail ${i}` }));
  let isOver = false;
  let writes = 0;
  const write = async (path, body) => {
    while (!isOver) {
      const reply = await stele.ask('PUT', path, { ...body, mark: ++writes });
      assert.ok([200, 503].includes(reply.status), reply.text);
    }
  };
  const body = { from: 'from@example.org', to: 'to@example.org', body: 'changed' };
  const writers = [write(provider, { host: '127.0.0.1', port: server.port })];
  for (const email of emails) {
    const before = server.mails.length;
    const path = `${stele.application}/emails/${email}`;
    let isSent = false;
    const writer = (async () => {
      while (!isSent) await stele.ask('PUT', path, { ...body, subject: `Mail ${email}`, mark: ++writes });
    })();
    const reply = await stele.send(provider, email);
    isSent = true;
    await writer;
    assert.equal(reply.status, 200, reply.text);
    assert.equal(server.mails.length, before + 1);
    assert.equal((await stele.readEmail(email)).sent, true);
  }
  isOver = true;
  await Promise.all(writers);
  assert.equal(server.mails.length, emails.length);
  assert.ok(writes > 100);
  await server.end();
});

test('a server that is killed while it sends does not send again by itself', async (t) => {
  const own = await startStele();
  t.after(() => own.end());
  const reached = Promise.withResolvers?.() ?? {};
  reached.promise ??= new Promise((resolve) => { reached.resolve = resolve; });
  const silent = await ScriptedServer.start(politeTalk({ END: () => { reached.resolve(); } }));
  const email = await own.email();
  const provider = await own.provider(silent.port);
  const lost = own.send(provider, email).catch((error) => error);
  await reached.promise;
  await own.stele.stop('SIGKILL');
  await lost;
  await own.stele.launch();
  const stored = await own.readEmail(email);
  assert.equal(stored.sent, false);
  assert.equal(typeof stored.sending, 'object');
  const healthy = await MailServer.start();
  const next = await own.provider(healthy.port);
  const again = await own.send(next, email, { resend: true });
  // The claim of the dead server still holds: it might as well be another, living one.
  assert.equal(again.status, 409);
  assert.equal(again.json.code, 'email_providers.sending');
  assert.equal(healthy.mails.length, 0);
  await silent.end();
  await healthy.end();
});

test('an email that is removed while it is on its way is sent once and leaves nothing', async () => {
  const waiting = Promise.withResolvers?.() ?? {};
  waiting.promise ??= new Promise((resolve) => { waiting.resolve = resolve; });
  let answer;
  const slow = await ScriptedServer.start(politeTalk({ END: (line, socket) => {
    answer = () => socket.write('250 ok\r\n');
    waiting.resolve();
  } }));
  const email = await stele.email();
  const sending = stele.send(await stele.provider(slow.port), email);
  await waiting.promise;
  await stele.stele.admin('DELETE', `${stele.application}/emails/${email}`);
  answer();
  assert.equal((await sending).status, 200);
  assert.equal((await stele.ask('GET', `${stele.application}/emails/${email}`)).status, 404);
  assert.equal(slow.connections, 1);
  await slow.end();
});

test('a lock of the application keeps others from sending, and no outcome from being stored', async (t) => {
  const own = await startStele({}, { config: 'stores.lock_wait = 300ms\n' });
  t.after(() => own.end());
  const server = await MailServer.start();
  const provider = await own.provider(server.port);
  const email = await own.email();
  await own.stele.makeUser('other');
  const token = await own.stele.login('other', 'secret-of-other');
  for (const path of [provider, `${own.application}/emails/${email}`]) {
    await own.stele.admin('POST', `${path}/authorities/consumer/grant?id=default/other`);
  }
  await own.stele.admin('POST', `${own.application}/lock`);
  const kept = await own.send(provider, email, { token });
  assert.equal(kept.status, 423, kept.text);
  assert.equal(server.mails.length, 0);
  assert.equal((await own.send(provider, email)).status, 200);
  await own.stele.admin('POST', `${own.application}/unlock`);
  assert.equal((await own.send(provider, email, { token, resend: true })).status, 200);
  assert.equal(server.mails.length, 2);

  let answer;
  const slow = await ScriptedServer.start(politeTalk({ END: (line, socket) => { answer = () => socket.write('250 ok\r\n'); } }));
  const patient = await own.provider(slow.port);
  await own.stele.admin('POST', `${patient}/authorities/consumer/grant?id=default/other`);
  const sending = own.send(patient, email, { token, resend: true });
  while (!answer) await new Promise((resolve) => { setTimeout(resolve, 20); });
  await own.stele.admin('POST', `${own.application}/lock`);
  answer();
  const sent = await sending;
  assert.equal(sent.status, 200, sent.text);
  assert.equal((await own.readEmail(email)).messageId, sent.json.messageId);
  await slow.end();
  await server.end();
});

test('in an application that is almost full a mail is refused before it is sent, or sent and marked', async () => {
  const server = await MailServer.start();
  const refusing = await ScriptedServer.start(politeTalk({ RCPT: () => '550 ' + 'no '.repeat(150) }));
  const provider = await stele.provider(server.port);
  const failing = await stele.provider(refusing.port);
  const seen = new Set();
  for (let room = 0; room <= 1500; room += 60) {
    const email = await stele.email();
    const record = await stele.stele.admin('GET', stele.application);
    const { size } = await stele.stele.admin('GET', `${stele.application}/info`);
    await stele.stele.admin('PUT', stele.application, { ...record, maxsize: size + room });
    const failed = await stele.send(failing, email);
    assert.ok([409, 507].includes(failed.status), failed.text);
    assert.ok(!(await stele.readEmail(email)).sending, 'a failure leaves no claim');
    const before = server.mails.length;
    const reply = await stele.send(provider, email);
    seen.add(reply.status);
    assert.ok([200, 507].includes(reply.status), reply.text);
    assert.equal(server.mails.length, before + (reply.status === 200 ? 1 : 0));
    assert.equal((await stele.readEmail(email)).sent, reply.status === 200);
    await stele.stele.admin('PUT', stele.application, { ...record, maxsize: -1 });
  }
  assert.deepEqual([...seen].sort(), [200, 507]);
  await refusing.end();
  await server.end();
});
