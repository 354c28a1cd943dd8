// What arrives at a mail server, and what the email and the caller learn of it.
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { MailServer, account } from './mail_server.mjs';
import { startStele } from './mail_fixture.mjs';

let stele;
let server;
let provider;
before(async () => {
  stele = await startStele({ recipients: 20 });
  server = await MailServer.start({ allowInsecureAuth: true });
  provider = await stele.provider(server.port);
});
beforeEach(() => { server.mails.length = 0; });
after(async () => {
  await server.end();
  await stele.end();
});

test('an email arrives as it was stored, and is marked as sent', async () => {
  const email = await stele.email({ subject: 'Hello', body: 'First line\nSecond line' });
  assert.equal((await stele.readEmail(email)).sent, false);
  const start = Date.now();
  const reply = await stele.send(provider, email);
  assert.equal(reply.status, 200, reply.text);
  const mail = server.take();
  assert.equal(mail.from, 'from@example.org');
  assert.deepEqual(mail.to, ['to@example.org']);
  assert.equal(mail.parsed.subject, 'Hello');
  assert.equal(mail.parsed.from.text, 'from@example.org');
  assert.equal(mail.parsed.to.text, 'to@example.org');
  assert.equal(mail.parsed.text.trimEnd(), 'First line\nSecond line');
  assert.ok(mail.parsed.date.getTime() > start - 2000 && mail.parsed.date.getTime() < start + 60_000);
  assert.equal(mail.parsed.messageId, `<${reply.json.messageId}>`);
  assert.match(reply.json.messageId, /^[0-9a-f]{32}@example\.org$/);

  assert.equal(reply.json.ok, true);
  assert.equal(reply.json._doc, email);
  assert.equal(reply.json.delivered, true);
  assert.equal(reply.json.recipients, 1);
  assert.equal(reply.json.security, 'none');
  assert.match(reply.json.reply, /^250 .*queued as 4711/);
  const stored = await stele.readEmail(email);
  assert.equal(stored.sent, true);
  assert.ok(stored.sentOn.ms >= start);
  assert.equal(stored.messageId, reply.json.messageId);
  assert.equal(stored.sending, null);
  const me = await stele.stele.admin('GET', '/domains/default/principals/admin');
  assert.equal(stored.sentBy, me.domainQualifiedId);
  assert.equal(stored.body, 'First line\nSecond line');
});

test('names, subjects and bodies of any script arrive unchanged', async () => {
  const subject = 'Grüße aus Köln, 日本語とても長い件名'.repeat(6) + ' ' + 'x'.repeat(300);
  const body = 'Ünïcödé 日本語 😀\n.\n..\nFrom here\n' + 'lang '.repeat(1000) + '\n' + 'z'.repeat(5000) + '\n   \t\n=3D\n';
  const email = await stele.email({
    from: 'Jürgen Müller <from@example.org>', to: ['"Ōe, Kenzaburō" <oe@example.org>', 'x@example.org'],
    cc: 'Ann <ann@example.org>, bob@example.org', bcc: ['hidden@example.org'], replyTo: 'Ré <re@example.org>',
    subject, body,
  });
  assert.equal((await stele.send(provider, email)).status, 200);
  const { parsed, raw, to } = server.take();
  assert.equal(parsed.subject, subject);
  assert.equal(parsed.text, body);
  assert.deepEqual(parsed.from.value, [{ address: 'from@example.org', name: 'Jürgen Müller' }]);
  assert.deepEqual(parsed.to.value.map(({ name }) => name), ['Ōe, Kenzaburō', '']);
  assert.equal(parsed.replyTo.value[0].name, 'Ré');
  assert.deepEqual(to, ['oe@example.org', 'x@example.org', 'ann@example.org', 'bob@example.org', 'hidden@example.org']);
  assert.ok(!raw.includes('hidden@example.org'), 'a blind copy is in no header');
  for (const line of raw.split('\r\n')) {
    assert.ok(line.length <= 998);
    assert.match(line, /^[\t\x20-\x7e]*$/);
  }
  assert.match(raw, /Content-Type: text\/plain; charset=utf-8/);
});

test('text and HTML travel as alternatives, and an HTML document alone as HTML', async () => {
  const both = await stele.email({ body: 'plain text', html: '<p>rich text</p>' });
  await stele.send(provider, both);
  const first = server.take();
  assert.match(first.raw, /^Content-Type: multipart\/alternative/m);
  assert.equal(first.parsed.text.trim(), 'plain text');
  assert.equal(first.parsed.html.trim(), '<p>rich text</p>');
  const document = await stele.email({ body: '<!DOCTYPE html><html><body>x</body></html>' });
  await stele.send(provider, document);
  assert.match(server.take().raw, /^Content-Type: text\/html/m);
  const fragment = await stele.email({ body: '<p>no document</p>' });
  await stele.send(provider, fragment);
  assert.match(server.take().raw, /^Content-Type: text\/plain/m);
});

test('each address gets the mail once', async () => {
  const email = await stele.email({ to: 'a@example.org, A@example.org', cc: ['a@example.org', 'b@example.org'], bcc: 'b@example.org' });
  const reply = await stele.send(provider, email);
  assert.deepEqual(server.take().to, ['a@example.org', 'b@example.org']);
  assert.equal(reply.json.recipients, 2);
});

test('placeholders are filled in from the body of the request', async () => {
  const email = await stele.email({
    subject: 'For ${user.name}', body: 'Dear ${user.name}, ${count} times ${price}, $${literal}',
    html: '<b>${user.name}</b>',
  });
  const reply = await stele.send(provider, email, { model: { user: { name: 'Zoë & Co' }, count: 3, price: 1.5 } });
  assert.equal(reply.status, 200, reply.text);
  const { parsed } = server.take();
  assert.equal(parsed.subject, 'For Zoë & Co');
  assert.equal(parsed.text.trim(), 'Dear Zoë & Co, 3 times 1.5, ${literal}');
  assert.equal(parsed.html.trim(), '<b>Zoë &amp; Co</b>');
  // The stored email keeps its placeholders.
  assert.equal((await stele.readEmail(email)).subject, 'For ${user.name}');
});

test('a placeholder without a value is refused and nothing is sent', async () => {
  const email = await stele.email({ body: 'Dear ${nmae}' });
  for (const model of [undefined, {}, { name: 'Ann' }, { nmae: {} }]) {
    const reply = await stele.send(provider, email, { model });
    assert.equal(reply.status, 400, reply.text);
    assert.equal(reply.json.violations[0].path, 'body');
    assert.match(reply.json.message, /nmae/);
  }
  assert.equal(server.mails.length, 0);
  const stored = await stele.readEmail(email);
  assert.equal(stored.sent, false);
  assert.ok(!('sending' in stored));
});

test('a user of a domain can be the addressee', async () => {
  const user = await stele.stele.makeUser('addressed');
  const path = `/domains/default/principals/${user._doc}`;
  const email = await stele.email({ to: undefined, toDomainId: 'default', toPrincipalId: user._doc });
  const none = await stele.send(provider, email);
  assert.equal(none.status, 400);
  assert.equal(none.json.violations[0].path, 'toPrincipalId');
  assert.equal(none.json.violations[0].code, 'email_providers.address_missing');
  await stele.stele.admin('PUT', path, { ...user, email: 'addressed@example.org', firstName: 'Ad', lastName: 'Dressed' });
  const reply = await stele.send(provider, email);
  assert.equal(reply.status, 200, reply.text);
  const mail = server.take();
  assert.deepEqual(mail.to, ['addressed@example.org']);
  assert.equal(mail.parsed.to.text, '"Ad Dressed" <addressed@example.org>');
});

test('a group stands for its direct members, each once; who has no address is reported', async () => {
  const { stele: plain } = stele;
  const user = async (name, email) => plain.admin('POST', '/domains/default/principals', { type: 'USER', name, email });
  const group = await plain.admin('POST', '/domains/default/principals', { type: 'GROUP', name: 'readers' });
  const inner = await plain.admin('POST', '/domains/default/principals', { type: 'GROUP', name: 'inner-readers' });
  const members = [
    await user('reader1', 'reader1@example.org'), await user('reader2', 'reader2@example.org'),
    await user('twin', 'Reader1@example.org'), await user('mute', undefined), await user('broken', 'x@y\r\nBcc: z@example.org'),
    inner,
  ];
  const deep = await user('deep', 'deep@example.org');
  const join = (to, who) => plain.admin('POST', `/domains/default/principals/${to._doc}/members/add?id=default/${who._doc}`);
  for (const member of members) await join(group, member);
  await join(inner, deep);
  const email = await stele.email({ to: 'to@example.org', toDomainId: 'default', toPrincipalId: group._doc });
  const reply = await stele.send(provider, email);
  assert.equal(reply.status, 200, reply.text);
  const mail = server.take();
  assert.deepEqual([...mail.to].sort(), ['reader1@example.org', 'reader2@example.org', 'to@example.org']);
  assert.equal(reply.json.recipients, 3);
  assert.deepEqual([...reply.json.missing].sort(), ['default/broken', 'default/mute']);
  assert.match(mail.raw, /^To: to@example.org, readers: ;\r$/m);
  assert.ok(!mail.raw.includes('reader2@'), 'members are not shown to one another');

  const empty = await plain.admin('POST', '/domains/default/principals', { type: 'GROUP', name: 'nobody-there' });
  const lost = await stele.email({ to: undefined, toDomainId: 'default', toPrincipalId: empty._doc });
  const refused = await stele.send(provider, lost);
  assert.equal(refused.status, 400);
  assert.equal(refused.json.violations[0].code, 'email_providers.recipients_missing');
});

test('members whom the server refuses do not keep a mail from the others, named addresses do', async () => {
  const picky = await MailServer.start({
    onRcptTo: ({ address }, session, done) => done(address.startsWith('bad') ? Object.assign(new Error('no such user'), { responseCode: 550 }) : null),
  });
  const through = await stele.provider(picky.port);
  const group = await stele.stele.admin('POST', '/domains/default/principals', { type: 'GROUP', name: 'mixed' });
  for (const name of ['good1', 'bad1', 'good2']) {
    const user = await stele.stele.admin('POST', '/domains/default/principals', { type: 'USER', name, email: `${name}@example.org` });
    await stele.stele.admin('POST', `/domains/default/principals/${group._doc}/members/add?id=default/${user._doc}`);
  }
  const toGroup = await stele.send(through, await stele.email({ to: undefined, toDomainId: 'default', toPrincipalId: group._doc }));
  assert.equal(toGroup.status, 200, toGroup.text);
  assert.deepEqual(picky.take().to, ['good1@example.org', 'good2@example.org']);
  assert.equal(toGroup.json.recipients, 2);
  assert.deepEqual(toGroup.json.refused, [{ address: 'bad1@example.org', reply: '550 no such user' }]);

  const email = await stele.email({ to: 'good@example.org', cc: 'bad@example.org' });
  const named = await stele.send(through, email);
  assert.equal(named.status, 409);
  assert.equal(named.json.code, 'email_providers.recipient_refused');
  assert.match(named.json.message, /bad@example\.org: 550 no such user/);
  assert.equal(picky.mails.length, 0);
  const stored = await stele.readEmail(email);
  assert.equal(stored.sent, false);
  assert.equal(stored.lastError.code, 'email_providers.recipient_refused');
  await picky.end();
});

test('an email is sent again only on request', async () => {
  const email = await stele.email();
  assert.equal((await stele.send(provider, email)).status, 200);
  const first = (await stele.readEmail(email)).messageId;
  for (const resend of [undefined, 'false']) {
    const again = await stele.send(provider, email, { resend });
    assert.equal(again.status, 409);
    assert.equal(again.json.code, 'email_providers.sent_already');
  }
  assert.equal((await stele.send(provider, email, { resend: 'maybe' })).status, 400);
  assert.equal(server.mails.length, 1);
  assert.equal((await stele.send(provider, email, { resend: 'true' })).status, 200);
  assert.equal(server.mails.length, 2);
  assert.notEqual((await stele.readEmail(email)).messageId, first);
});

test('a disabled provider takes an email as sent and has nothing to test', async () => {
  const disabled = await stele.provider(server.port, { smtp_enabled: false });
  const email = await stele.email();
  const reply = await stele.send(disabled, email);
  assert.equal(reply.status, 200, reply.text);
  assert.equal(reply.json.delivered, false);
  assert.equal((await stele.readEmail(email)).sent, true);
  const tested = await stele.test(disabled);
  assert.equal(tested.status, 409);
  assert.equal(tested.json.code, 'email_providers.disabled');
  assert.equal(server.mails.length, 0);
});

test('test sends a mail by either method and stores nothing', async () => {
  for (const method of ['PUT', 'POST']) {
    const reply = await stele.test(provider, 'Probe <probe@example.org>', 'to@example.org', method);
    assert.equal(reply.status, 200, reply.text);
    assert.equal(reply.json.ok, true);
    assert.equal(reply.json.server, `127.0.0.1:${server.port}`);
    const mail = server.take();
    assert.equal(mail.from, 'probe@example.org');
    assert.deepEqual(mail.to, ['to@example.org']);
  }
  const emails = await stele.stele.admin('GET', `${stele.application}/emails`);
  assert.ok(emails.rows.every((row) => row.from !== 'probe@example.org'));
});

test('settings of the provider may lie in config, and its user name stand for the sender', async () => {
  const nested = await stele.stele.admin('POST', `${stele.application}/emailproviders`, {
    config: { host: '127.0.0.1', port: server.port, ...account },
  });
  const email = await stele.email({ from: undefined });
  const reply = await stele.send(`${stele.application}/emailproviders/${nested._doc}`, email);
  assert.equal(reply.status, 200, reply.text);
  const mail = server.take();
  assert.equal(mail.from, account.username);
  assert.equal(mail.user, account.username);
  const other = await stele.send(provider, await stele.email({ from: undefined }));
  assert.equal(other.status, 400);
  assert.equal(other.json.violations[0].path, 'from');
});

test('who may not read an email, a provider or a principal cannot use it', async () => {
  await stele.stele.makeUser('outsider');
  const token = await stele.stele.login('outsider', 'secret-of-outsider');
  const email = await stele.email();
  const grant = (path, role) => stele.stele.admin('POST', `${path}/authorities/${role}/grant?id=default/outsider`);
  assert.ok([403, 404].includes((await stele.send(provider, email, { token })).status));
  await grant(provider, 'consumer');
  const hidden = await stele.send(provider, email, { token });
  assert.equal(hidden.status, 404);
  assert.equal(hidden.json.code, 'email_providers.email_unknown');
  const unknown = await stele.send(provider, 'no-such-email', { token });
  assert.equal(unknown.text.replaceAll(/"requestId":"[^"]*"/g, '').replaceAll('no-such-email', email),
               hidden.text.replaceAll(/"requestId":"[^"]*"/g, ''));
  await grant(`${stele.application}/emails/${email}`, 'consumer');
  assert.equal((await stele.send(provider, email, { token })).status, 200);
  const group = await stele.stele.admin('POST', '/domains/default/principals', { type: 'GROUP', name: 'secret-circle' });
  await stele.stele.admin('POST', `/domains/default/principals/${group._doc}/authorities/consumer/revoke?id=everyone`);
  const toGroup = await stele.email({ toDomainId: 'default', toPrincipalId: group._doc });
  await grant(`${stele.application}/emails/${toGroup}`, 'consumer');
  const refused = await stele.send(provider, toGroup, { token });
  assert.equal(refused.status, 400, refused.text);
  assert.equal(refused.json.violations[0].code, 'email_providers.principal_unknown');
});

test('an email without recipients, or with too many, is refused', async () => {
  const none = await stele.send(provider, await stele.email({ to: undefined }));
  assert.equal(none.status, 400);
  assert.equal(none.json.violations[0].path, 'to');
  const to = Array.from({ length: 21 }, (_, i) => `to${i}@example.org`);
  const many = await stele.send(provider, await stele.email({ to }));
  assert.equal(many.status, 400);
  assert.equal(many.json.violations[0].code, 'email_providers.recipients_too_many');
  assert.equal((await stele.send(provider, await stele.email({ to: to.slice(1) }))).status, 200);
});

test('attachments that nobody keeps are a clear error', async () => {
  const email = await stele.email();
  for (const [entries, path] of [[['node://p/r/b/n'], '_attachments.0'], [[{ ref: 'node://p/r/b/n' }], '_attachments.0'],
                                 [[7], '_attachments.0'], ['x', '_attachments']]) {
    const reply = await stele.send(provider, email, { model: { _attachments: entries } });
    assert.equal(reply.status, 400, reply.text);
    assert.equal(reply.json.violations[0].path, path);
  }
  const node = await stele.email({ body: undefined, bodyRepositoryId: 'r', bodyBranchId: 'b', bodyNodeId: 'n' });
  const reply = await stele.send(provider, node);
  assert.equal(reply.status, 400);
  assert.equal(reply.json.violations[0].path, 'bodyNodeId');
  assert.equal(server.mails.length, 0);
});

test('emails are found by their members and go with their application', async () => {
  const { stele: plain } = stele;
  const application = await plain.admin('POST', '/applications', { title: 'Short-lived' });
  const emails = `/applications/${application._doc}/emails`;
  for (const kind of ['a', 'b', 'b']) await plain.admin('POST', emails, { kind, to: 'x@example.org' });
  assert.equal((await plain.admin('POST', `${emails}/query`, { kind: 'b' })).total_rows, 2);
  assert.equal((await plain.admin('POST', `${emails}/query`, { sent: false })).total_rows, 3);
  const { _doc } = (await plain.admin('GET', emails)).rows[0];
  const updated = await plain.admin('PUT', `${emails}/${_doc}`, { sent: true, sentBy: 'me', subject: 'new' });
  assert.equal(updated.sent, false);
  assert.ok(!('sentBy' in updated));
  await plain.admin('DELETE', `/applications/${application._doc}`);
  assert.equal((await plain.request('GET', emails, { token: plain.adminToken })).status, 404);
});
