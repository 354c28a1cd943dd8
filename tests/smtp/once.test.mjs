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
