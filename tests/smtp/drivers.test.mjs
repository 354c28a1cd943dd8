// The driver gitana, unpatched, with providers and emails: counts as its own published tests have them.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Gitana, ask, call, connect } from '../clients/gitana_driver.mjs';
import { SteleServer } from '../support/stele_server.mjs';
import { MailServer, account } from './mail_server.mjs';

let stele;
let server;
let application;
before(async () => {
  stele = await SteleServer.start({ config: 'email_providers.blocked_networks =\n' });
  server = await MailServer.start({ allowInsecureAuth: true });
  const platform = await connect(stele);
  application = await call(platform, (chain) => chain.createApplication({ title: 'Mailing' }));
});
after(async () => {
  await server.end();
  await stele.end();
});

const provider = (fields) => call(application, (chain) => chain.createEmailProvider(fields));
const email = (fields) => call(application, (chain) => chain.createEmail(fields));

test('three providers are listed, two found by host, two left after a delete', async () => {
  const made = [await provider({ host: 'smtp.example.org' }), await provider({ host: 'mail.example.org', smtp_enabled: true,
    smtp_is_secure: true, smtp_requires_auth: true, smtp_starttls_enabled: true, ...account }),
                await provider({ host: 'mail.example.org' })];
  const total = async () => (await call(application, (chain) => chain.listEmailProviders())).size();
  assert.equal(await total(), 3);
  const found = await call(application, (chain) => chain.queryEmailProviders({ host: 'mail.example.org' }));
  assert.equal(found.size(), 2);
  const read = await call(application, (chain) => chain.readEmailProvider(made[1].getId()));
  assert.equal(read.smtp_starttls_enabled, true);
  assert.ok(!('password' in read));
  read.host = 'other.example.org';
  assert.equal((await call(read, (chain) => chain.update())).host, 'other.example.org');
  await call(made[0], (chain) => chain.del());
  assert.equal(await total(), 2);
});

test('emails are found by their properties and deleted', async () => {
  const made = [await email({ kind: 'red' }), await email({ kind: 'red' }), await email({ kind: 'blue' })];
  const found = async (query) => (await call(application, (chain) => chain.queryEmails(query))).size();
  assert.equal(await found({ kind: 'red' }), 2);
  assert.equal(await found({ kind: 'blue' }), 1);
  await call(made[2], (chain) => chain.del());
  assert.equal((await call(application, (chain) => chain.listEmails())).size(), 2);
});

test('an email is sent by its provider, with a model, by itself, and a provider is tested', async () => {
  const sender = await provider({ host: '127.0.0.1', port: server.port, ...account });
  const first = await email({ from: account.username, to: 'to@example.org', subject: 'One', body: 'Dear ${name}' });
  await call(sender, (chain) => chain.send(first, { name: 'Ann' }));
  assert.equal(server.take().parsed.text.trim(), 'Dear Ann');
  const again = await call(first, (chain) => chain.reload());
  assert.equal(again.sent, true);
  assert.ok(again.sentOn.ms > 0);
  const second = await email({ from: account.username, to: 'to@example.org', subject: 'Two', body: 'no placeholder' });
  await call(second, (chain) => chain.send(sender));
  assert.equal(server.take().parsed.subject, 'Two');
  await call(sender, (chain) => chain.test('from@example.org', 'to@example.org'));
  assert.equal(server.take().from, 'from@example.org');
  const broken = await provider({ host: '127.0.0.1', port: server.port, ...account, password: 'wrong' });
  await assert.rejects(call(broken, (chain) => chain.test('from@example.org', 'to@example.org')),
                       (error) => error.status === 409 && /535/.test(error.message));
});

test('bulk checks of both families and references', async () => {
  const made = await provider({ host: 'smtp.example.org' });
  const mail = await email({});
  const check = (record) => [{ permissionedId: record.getId(), principalId: 'default/admin', permissionId: 'UPDATE' }];
  const providers = await ask(application, (chain, answer) => chain.checkEmailProviderPermissions(check(made), answer));
  assert.deepEqual(providers.map((row) => row.result), [true]);
  const emails = await ask(application, (chain, answer) => chain.checkEmailPermissions(check(mail), answer));
  assert.deepEqual(emails.map((row) => row.result), [true]);
  assert.equal(Gitana.TypedIDConstants.TYPE_EMAIL_PROVIDER, 'emailprovider');
  const { entries } = await stele.admin('POST', '/ref/read', { entries: [{ ref: made.ref() }, { ref: mail.ref() },
    { ref: made.ref().replace('emailprovider', 'emailProvider') }] });
  assert.deepEqual(entries.map(({ entry }) => entry?._doc), [made.getId(), mail.getId(), made.getId()]);
});
