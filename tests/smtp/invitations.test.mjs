// What invited users are told by mail (docs/reference/identity.md, Invitations).
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { endedJob } from '../support/ended_job.mjs';
import { MailServer } from './mail_server.mjs';
import { startStele } from './mail_fixture.mjs';

let fixture;
let stele;
let server;
let provider;
let application;
before(async () => {
  fixture = await startStele();
  stele = fixture.stele;
  server = await MailServer.start();
  provider = (await fixture.provider(server.port, { username: 'office@example.org', smtp_requires_auth: false })).split('/').pop();
  application = fixture.application.split('/').pop();
  const admin = await stele.admin('GET', '/domains/default/principals/admin');
  await stele.admin('PUT', '/domains/default/principals/admin', { ...admin, firstName: 'Ada', lastName: 'Min' });
});
beforeEach(() => { server.mails.length = 0; });
after(async () => {
  await server.end();
  await fixture.end();
});

const domainOf = async (title) => (await stele.admin('POST', '/domains', { title }))._doc;
const invite = (where, parameters, body, token) =>
  fixture.ask('POST', `${where}/invite?${new URLSearchParams(parameters)}`, body, token);

const ended = (id) => endedJob((...request) => stele.admin(...request), id);

test('an invited user gets a mail by the provider that is named', async () => {
  const domain = await domainOf('The Domain');
  const reply = await invite(`/domains/${domain}/principals`,
    { email: 'ann@example.org', applicationId: application, emailProviderId: provider }, { firstName: 'Ann', lastName: 'Lee' });
  assert.equal(reply.status, 200, reply.text);
  const job = await ended(reply.json.emailJobId);
  assert.equal(job.state, 'FINISHED', JSON.stringify(job));
  const mail = server.take();
  assert.equal(mail.from, 'office@example.org');
  assert.deepEqual(mail.to, ['ann@example.org']);
  assert.equal(mail.parsed.subject, 'You are invited to The Domain');
  assert.match(mail.parsed.text, /^Hello Ann Lee,\n\nAda Min has invited you to The Domain\.\n/);
  assert.ok(mail.parsed.text.includes(`${domain}/ann@example.org`));
  const stored = await fixture.readEmail(reply.json.emailId);
  assert.equal(stored.sent, true);
  assert.equal(stored.toPrincipalId, reply.json._doc);
});

test('the words of a mail can be given, with placeholders, and values cannot add lines to its head', async () => {
  const domain = await domainOf('Two\r\nBcc: hidden@example.org');
  const mail = { from: 'Me <me@example.org>', subject: 'Come to ${title}, ${name}', body: 'By ${inviter}, $${x}' };
  const reply = await invite(`/domains/${domain}/principals`,
    { email: 'bob@example.org', applicationId: application }, { mail, firstName: 'Bob\r\nX: y' });
  assert.equal(reply.status, 200, reply.text);
  assert.equal((await ended(reply.json.emailJobId)).state, 'FINISHED');
  const { parsed, to, from } = server.take();
  assert.equal(from, 'me@example.org');
  assert.deepEqual(to, ['bob@example.org']);
  assert.equal(parsed.subject, 'Come to Two  Bcc: hidden@example.org, Bob  X: y');
  assert.equal(parsed.text.trimEnd(), 'By Ada Min, ${x}');
});

test('nobody is written to without being asked for, nor where notify is false', async () => {
  const domain = await domainOf('Silent');
  const principals = `/domains/${domain}/principals`;
  const silent = await invite(principals, { email: 'cid@example.org' });
  assert.equal(silent.json.emailId, undefined);
  const muted = await invite(principals, { email: 'dora@example.org', applicationId: application, notify: false });
  assert.equal(muted.status, 200, muted.text);
  assert.equal(muted.json.emailId, undefined);
  assert.equal(server.mails.length, 0);
});

test('a mail that cannot be written refuses the invitation, and nothing is stored', async () => {
  const domain = await domainOf('Refused');
  const principals = `/domains/${domain}/principals`;
  const bad = [
    [{ email: 'dan@example.org', applicationId: 'none' }, undefined, 400, 'identity.invitation_provider_missing'],
    [{ email: 'dan@example.org', applicationId: application, emailProviderId: 'none' }, undefined, 404],
    [{ email: 'dan@example.org', emailProviderId: provider }, undefined, 400],
    [{ email: 'dan@example.org', applicationId: application }, { mail: 'text' }, 400],
    [{ email: 'dan@example.org', applicationId: application }, { mail: { subject: 'a\r\nb' } }, 400],
    [{ email: 'dan@example.org', applicationId: application }, { mail: { body: '${unknown}' } }, 400],
    [{ email: 'dan@example.org', applicationId: application, notify: 'perhaps' }, undefined, 400],
  ];
  const emails = (await stele.admin('GET', `${fixture.application}/emails`)).total_rows;
  for (const [parameters, body, status, code] of bad) {
    const reply = await invite(principals, parameters, body);
    assert.equal(reply.status, status, `${JSON.stringify([parameters, body])}: ${reply.text}`);
    if (code) assert.ok(reply.text.includes(code), reply.text);
  }
  assert.equal((await stele.admin('GET', principals)).total_rows, 0);
  assert.equal((await stele.admin('GET', `${fixture.application}/emails`)).total_rows, emails);
  assert.equal(server.mails.length, 0);
});

test('a project writes by its application, where the caller may use the provider', async () => {
  const project = (await stele.admin('POST', '/projects', { title: 'The Project' }))._doc;
  const { stackId } = await stele.admin('GET', `/projects/${project}`);
  const users = `/projects/${project}/users`;
  const early = await invite(users, { email: 'eve@example.org' });
  assert.equal(early.json.emailId, undefined, 'no application yet');
  const own = (await stele.admin('POST', '/applications', { projectId: project }))._doc;
  await stele.admin('POST', `/applications/${own}/emailproviders`,
    { host: '127.0.0.1', port: server.port, username: 'project@example.org', smtp_requires_auth: false });
  const reply = await invite(users, { id: 'eve@example.org' });
  assert.equal(reply.status, 200, reply.text);
  assert.equal((await ended(reply.json.emailJobId)).state, 'FINISHED');
  const mail = server.take();
  assert.equal(mail.from, 'project@example.org');
  assert.equal(mail.parsed.subject, 'You are invited to The Project');

  // Whoever owns project and stack lets people in, and writes by the project's application, which lies in the project.
  const inviter = await stele.makeUser('inviter');
  for (const place of [`/projects/${project}`, `/stacks/${stackId}`]) {
    await stele.admin('POST', `${place}/authorities/owner/grant?id=default/${inviter._doc}`, {});
  }
  const token = await stele.login('inviter', 'secret-of-inviter');
  const again = await invite(users, { id: 'eve@example.org' }, undefined, token);
  assert.equal(again.status, 200, again.text);
  assert.equal((await ended(again.json.emailJobId)).state, 'FINISHED');
  assert.equal(server.take().from, 'project@example.org');
  // By that of others nobody writes.
  const foreign = (await stele.admin('POST', '/applications', {}))._doc;
  const loud = await invite(users, { id: 'eve@example.org', applicationId: foreign }, undefined, token);
  assert.equal(loud.status, 400, loud.text);
});

test('a mail server that is away for a while gets the mail later, once', async () => {
  const domain = await domainOf('Later');
  let refusals = 1;
  const moody = await MailServer.start({
    onMailFrom(address, session, done) {
      if (refusals-- > 0) return done(Object.assign(new Error('try again'), { responseCode: 451 }));
      return done();
    },
  });
  const { _doc: other } = await stele.admin('POST', `${fixture.application}/emailproviders`,
    { host: '127.0.0.1', port: moody.port, username: 'office@example.org', smtp_requires_auth: false });
  const reply = await invite(`/domains/${domain}/principals`,
    { email: 'fay@example.org', applicationId: application, emailProviderId: other });
  assert.equal(reply.status, 200, reply.text);
  // What was posted is sent, whatever becomes of the record meanwhile.
  const emailPath = `${fixture.application}/emails/${reply.json.emailId}`;
  const email = await stele.admin('GET', emailPath);
  await stele.admin('PUT', emailPath, { ...email, subject: 'Something else', toPrincipalId: 'everyone', toDomainId: 'default' });
  const job = await ended(reply.json.emailJobId);
  assert.equal(job.state, 'FINISHED', JSON.stringify(job));
  assert.equal(moody.mails.length, 1);
  assert.deepEqual(moody.mails[0].to, ['fay@example.org']);
  assert.match(moody.mails[0].parsed.subject, /^You are invited/);
  await moody.end();
});
