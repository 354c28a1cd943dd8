// Exports of documents that leave by mail: docs/reference/document_exports.md.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { endedAt } from '../support/ended_job.mjs';
import { unzip } from '../support/zip_archive.mjs';
import { startStele } from './mail_fixture.mjs';
import { MailServer } from './mail_server.mjs';

let mail;
let fixture;
let stele;
let platform;
let repository;
before(async () => {
  [mail, fixture] = await Promise.all([MailServer.start(), startStele()]);
  stele = fixture.stele;
  platform = (await stele.admin('GET', '/'))._doc;
  repository = (await stele.admin('POST', '/repositories', { title: 'documents' }))._doc;
});
after(() => Promise.all([mail.end(), stele.end()]));

const ended = (path) => endedAt((...request) => stele.admin(...request), path);
/// An export of one document with a text; its id.
async function exported(text) {
  const branch = `/repositories/${repository}/branches/master`;
  const node = (await stele.admin('POST', `${branch}/nodes`, { title: 'letter' }))._doc;
  const attached = await stele.request('POST', `${branch}/nodes/${node}/attachments/default?filename=letter.txt`, { token: stele.adminToken, body: Buffer.from(text), headers: { 'Content-Type': 'text/plain' } });
  assert.equal(attached.status, 200, attached.text);
  const master = (await stele.admin('GET', branch))._doc;
  const { _doc } = await stele.admin('POST', '/ref/exports/start', { references: [`node://${platform}/${repository}/${master}/${node}`] });
  assert.equal((await ended(`/ref/exports/${_doc}/status`)).state, 'FINISHED');
  return _doc;
}
const told = { from: 'from@example.org', to: 'to@example.org', subject: 'Your documents', body: 'Here they are.' };
const idIn = (path) => path.split('/').at(-1);

test('an export of documents is started, polled and sent by mail as an attachment', async () => {
  const provider = await fixture.provider(mail.port);
  const id = await exported('dear reader');
  const reply = await stele.admin('POST', `/ref/exports/${id}/email`, { applicationId: idIn(fixture.application), emailProviderId: idIn(provider), email: told });
  const job = await ended(`/jobs/${reply.emailJobId}`);
  assert.equal(job.state, 'FINISHED', JSON.stringify(job.log_entries));
  const { parsed } = mail.take();
  assert.deepEqual([parsed.subject, parsed.attachments.length, parsed.attachments[0].filename], ['Your documents', 1, 'Documents.zip']);
  assert.equal(unzip(parsed.attachments[0].content).get('letter.txt').toString(), 'dear reader');
  assert.equal((await stele.admin('GET', `${fixture.application}/emails/${reply.emailId}`)).sent, true);
});

test('a mail that cannot be sent is refused, or ends its job, and says why', async () => {
  const provider = await fixture.provider(mail.port);
  const id = await exported('nobody reads this');
  const complete = { applicationId: idIn(fixture.application), emailProviderId: idIn(provider), email: told };
  const emails = async () => (await stele.admin('GET', `${fixture.application}/emails`)).total_rows;
  const before = await emails();
  for (const [name, value, status] of [['applicationId', 'nowhere', 404], ['emailProviderId', 'nowhere', 404], ['email', 'to@example.org', 400], ['email', undefined, 400], ['applicationId', undefined, 400]]) {
    const reply = await stele.request('POST', `/ref/exports/${id}/email`, { token: stele.adminToken, body: { ...complete, [name]: value } });
    assert.equal(reply.status, status, reply.text);
    assert.match(reply.text, new RegExp(name));
  }
  assert.equal(await emails(), before);
  // Who gets a mail is asked when it is sent.
  const { emailJobId } = await stele.admin('POST', `/ref/exports/${id}/email`, { ...complete, email: { ...told, to: undefined } });
  const job = await ended(`/jobs/${emailJobId}`);
  assert.equal(job.state, 'ERROR');
  assert.deepEqual(mail.mails, []);
});

test('an attachment of the email itself goes along with it', async () => {
  const provider = await fixture.provider(mail.port);
  const email = await fixture.email();
  const attached = await stele.request('POST', `${fixture.application}/emails/${email}/attachments/notes?filename=notes.txt`, { token: stele.adminToken, body: Buffer.from('kept with the email'), headers: { 'Content-Type': 'text/plain' } });
  assert.equal(attached.status, 200, attached.text);
  const ref = `email://${platform}/${idIn(fixture.application)}/${email}`;
  const send = (attachmentId) => stele.request('POST', `${provider}/send?email=${email}`, { token: stele.adminToken, body: { _attachments: [{ ref, attachmentId }] } });
  const missing = await send('other');
  assert.equal(missing.status, 400, missing.text);
  assert.match(missing.text, /email_providers\.attachment_unknown/);
  assert.equal((await send('notes')).status, 200);
  assert.equal(mail.take().parsed.attachments[0].content.toString(), 'kept with the email');
});
