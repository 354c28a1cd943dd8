// What is asked before a transfer, a template or a package of documents begins: who may not READ what a call names is told
// what somebody is told who names nothing.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { endedAt, endedJob, errorOf } from '../../../tests/support/ended_job.mjs';
import { SteleServer } from '../../../tests/support/stele_server.mjs';
import { archiveOf } from '../../../tests/support/zip_archive.mjs';

const kNowhere = 'abcdefabcdefabcdefab';
let server;
let platform;
let numbers = 0;
before(async () => {
  server = await SteleServer.start();
  platform = (await admin('GET', '/'))._doc;
  await admin('POST', '/roles', { roleKey: 'maker', permissions: ['CONNECT', 'CREATE_SUBOBJECTS'] });
});
after(() => server.end());

const admin = (...request) => server.admin(...request);
const make = async (path, fields = {}) => (await admin('POST', path, fields))._doc;
const link = (typeId, id) => ({ typeId, id, key: `${typeId}:${id}` });
const chain = (...links) => [[link('platform', platform), ...links.map(([type, id]) => link(type, id))]];
const place = () => `group=starts&artifact=a${++numbers}&version=1`;

/// Somebody who may keep archives.
async function person() {
  const name = `s${++numbers}`;
  await server.makeUser(name);
  const token = await server.login(name, `secret-of-${name}`);
  const grant = (path, role) => admin('POST', `${path}/authorities/${role}/grant?id=default/${name}`);
  await grant('/vaults/primary', 'contributor');
  return { name, grant, ask: (method, path, body, headers) => server.request(method, path, { token, body, headers }) };
}
async function uploaded(who, manifest, files = {}) {
  const whole = { model: '3.0.0', group: 'starts', artifact: `a${++numbers}`, version: '1', tipChangesetOnly: true, ...manifest };
  const reply = await who.ask('POST', '/vaults/primary/archives', archiveOf(whole, files), { 'Content-Type': 'application/zip' });
  assert.equal(reply.status, 200, reply.text);
  return { ...whole, id: reply.json._doc, query: `group=starts&artifact=${whole.artifact}&version=1` };
}
const configFiles = (id) => ({ [`platforms/${platform}/uiconfigs/${id}/uiconfig.json`]: '{"title":"brought"}' });

/// What a reply tells, whatever ids it has been asked for.
const told = ({ status, json: { code, message } }, ...ids) => ({ status, code, message: ids.reduce((text, id) => text.replaceAll(id, 'ID'), message) });
/// The same refusal for what is hidden as for what is not there.
async function isRefusedAlike(status, hidden, ask, naming) {
  const [one, other] = [told(await ask(hidden), hidden), told(await ask(kNowhere), kNowhere)];
  assert.equal(one.status, status, JSON.stringify(one));
  assert.match(`${one.code} ${one.message}`, naming);
  assert.deepEqual(one, other);
}
async function begins(reply) {
  assert.equal(reply.status, 200, reply.text);
  return endedJob(admin, reply.json._doc);
}

test('/transfer/export begins for those only who may READ every source', async () => {
  const who = await person();
  const [shown, hidden] = [await make('/uiconfigs', { title: 'shown' }), await make('/uiconfigs', { title: 'hidden' })];
  await who.grant(`/uiconfigs/${shown}`, 'consumer');
  const reference = (id) => `uiconfig://${platform}/${id}`;
  const start = (...ids) => who.ask('POST', `/transfer/export?${place()}`, { sources: ids.map(reference) });
  await isRefusedAlike(400, hidden, (id) => start(id), /sources/);
  await isRefusedAlike(400, hidden, (id) => start(shown, id), /sources/);
  await who.grant(`/uiconfigs/${hidden}`, 'consumer');
  const job = await begins(await start(shown, hidden));
  assert.deepEqual([job.state, job.sources.map((one) => one.at(-1).id)], ['FINISHED', [shown, hidden]], errorOf(job));
});

test('/transfer/import begins for those only who may READ and UPDATE the target', async () => {
  const who = await person();
  const hidden = await make('/uiconfigs', { title: 'as it was' });
  const { query } = await uploaded(who, { sources: chain(['uiconfig', hidden]) }, configFiles(hidden));
  const start = (id) => who.ask('POST', `/transfer/import?${query}&target=uiconfig://${platform}/${id}`, { strategy: 'CLONE' });
  await isRefusedAlike(400, hidden, start, /target/);
  await who.grant(`/uiconfigs/${hidden}`, 'consumer');
  const refused = await start(hidden);
  assert.deepEqual([refused.status, refused.json.code], [403, 'authority.permission_missing'], refused.text);
  assert.match(refused.json.message, /UPDATE/);
  assert.equal((await admin('GET', `/uiconfigs/${hidden}`)).title, 'as it was');
  await who.grant(`/uiconfigs/${hidden}`, 'editor');
  const job = await begins(await start(hidden));
  assert.deepEqual([job.state, (await admin('GET', `/uiconfigs/${hidden}`)).title], ['FINISHED', 'brought'], errorOf(job));
});

test('an import begins for those only who may READ the archive', async () => {
  const [owner, who] = [await person(), await person()];
  const config = await make('/uiconfigs', { title: 'as it was' });
  await who.grant(`/uiconfigs/${config}`, 'editor');
  const { artifact, id } = await uploaded(owner, { sources: chain(['uiconfig', config]) }, configFiles(config));
  const start = (name) => who.ask('POST', `/uiconfigs/${config}/import?group=starts&artifact=${name}&version=1`, { strategy: 'CLONE' });
  await isRefusedAlike(404, artifact, start, /archives\.unknown/);
  await who.grant(`/vaults/primary/archives/${id}`, 'consumer');
  const job = await begins(await start(artifact));
  assert.equal(job.state, 'FINISHED', errorOf(job));
});

test('a package brings the parts only that its importer may READ', async () => {
  const [owner, who] = [await person(), await person()];
  const config = await make('/uiconfigs', { title: 'as it was' });
  await who.grant(`/uiconfigs/${config}`, 'editor');
  const sources = chain(['uiconfig', config]);
  const part = await uploaded(owner, { sources }, configFiles(config));
  const index = ({ artifact }) => uploaded(who, { type: 'package', includes: [], sources, parts: [{ group: 'starts', artifact, version: '1' }] });
  const errors = [];
  for (const named of [part, { artifact: kNowhere }]) {
    const { query } = await index(named);
    const job = await begins(await who.ask('POST', `/uiconfigs/${config}/import?${query}`, { strategy: 'CLONE' }));
    assert.equal(job.state, 'ERROR');
    errors.push(errorOf(job).replaceAll(named.artifact, 'NAME'));
  }
  assert.match(errors[0], /the vault has no part starts-NAME-1 of the package/);
  assert.equal(errors[0], errors[1]);
  assert.equal((await admin('GET', `/uiconfigs/${config}`)).title, 'as it was');
  await who.grant(`/vaults/primary/archives/${part.id}`, 'consumer');
  const { query } = await index(part);
  const job = await begins(await who.ask('POST', `/uiconfigs/${config}/import?${query}`, { strategy: 'CLONE' }));
  assert.deepEqual([job.state, (await admin('GET', `/uiconfigs/${config}`)).title], ['FINISHED', 'brought'], errorOf(job));
});

test('/tools/copy begins for those only who may READ source and target', async () => {
  const who = await person();
  const [shown, hidden] = [await make('/applications', { title: 'shown' }), await make('/applications', { title: 'hidden' })];
  const email = await make(`/applications/${shown}/emails`, { subject: 'copied' });
  for (const path of [`/applications/${shown}`, `/applications/${shown}/emails/${email}`]) await who.grant(path, 'consumer');
  const application = (id) => [{ typeId: 'platform', id: platform }, { typeId: 'application', id }];
  const ofEmail = [...application(shown), { typeId: 'email', id: email }];
  const start = (sources, targets) => who.ask('POST', '/tools/copy', { sources, targets });
  await isRefusedAlike(400, hidden, (id) => start(application(id), application(shown)), /sources/);
  await isRefusedAlike(400, hidden, (id) => start(ofEmail, application(id)), /targets/);
  await who.grant(`/applications/${hidden}`, 'consumer');
  await who.grant(`/applications/${hidden}`, 'contributor');
  const job = await begins(await start(ofEmail, application(hidden)));
  assert.equal(job.state, 'FINISHED', errorOf(job));
  assert.deepEqual((await admin('GET', `/applications/${hidden}/emails`)).rows.map(({ subject }) => subject), ['copied']);
});

test('a template is listed and taken by those only who may READ its archive', async () => {
  const [owner, who] = [await person(), await person()];
  await who.grant('', 'maker');
  const project = 'of-a-template';
  const archive = await uploaded(owner, { type: 'project', sources: chain(['project', project]) },
    { [`platforms/${platform}/projects/${project}/project.json`]: '{"title":"template"}' });
  assert.equal((await owner.ask('POST', `/vaults/primary/archives/${archive.id}/publish`, {})).status, 200);
  const isListed = async ({ ask }) => (await ask('GET', '/projecttypes')).json.rows.some(({ reference }) => reference?.endsWith(archive.id));
  const start = (id) => who.ask('POST', '/projects', { title: 'taken', projectType: `archive://${platform}/default/${id}` });
  assert.deepEqual([await isListed(owner), await isListed(who)], [true, false]);
  await isRefusedAlike(400, archive.id, start, /projectType/);
  assert.equal((await admin('POST', '/projects/query', { title: 'taken' })).total_rows, 0);
  await who.grant(`/vaults/primary/archives/${archive.id}`, 'consumer');
  assert.equal(await isListed(who), true);
  const made = await start(archive.id);
  assert.equal(made.status, 200, made.text);
});

/// A package of one document that somebody has exported, and may read.
async function packageOf(who) {
  const repository = await make('/repositories');
  const branch = `/repositories/${repository}/branches/master`;
  const [node, { _doc: master }] = [await make(`${branch}/nodes`, { title: 'document' }), await admin('GET', branch)];
  for (const path of [`/repositories/${repository}`, branch]) await who.grant(path, 'connector');
  await who.grant(`${branch}/nodes/${node}`, 'consumer');
  const reply = await who.ask('POST', '/ref/exports/start', { references: [`node://${platform}/${repository}/${master}/${node}`] });
  assert.equal(reply.status, 200, reply.text);
  const path = `/ref/exports/${reply.json._doc}`;
  const job = await endedAt(async (method, at) => (await who.ask(method, at)).json, `${path}/status`);
  assert.equal(job.state, 'FINISHED', job.message);
  return path;
}

test('a package of documents becomes a node in branches and repositories only that its starter may READ', async () => {
  const who = await person();
  const path = await packageOf(who);
  const repository = await make('/repositories');
  const branches = `/repositories/${repository}/branches`;
  const { _doc: master } = await admin('GET', `${branches}/master`);
  // Making nodes is not seeing branches.
  await who.grant(`${branches}/${master}`, 'maker');
  const start = (repositoryId, branchId) => who.ask('POST', `${path}/generate`, { repositoryId, branchId, properties: { title: 'made of documents' } });
  const count = async () => (await admin('POST', `${branches}/${master}/nodes/query`, { title: 'made of documents' })).total_rows;
  await isRefusedAlike(404, repository, (id) => start(id, master), /document\.unknown repositoryId/);
  await who.grant(`/repositories/${repository}`, 'connector');
  await admin('POST', '/roles', { roleKey: 'reader-here', permissions: ['CONNECT', 'READ'] });
  const policy = await make('/access/policies', { statements: [{ action: 'grant', roles: ['reader-here'], conditions: [{ type: 'type', config: { type: 'repository' } }] }] });
  const { _doc: user } = await admin('GET', `/domains/default/principals/${who.name}`);
  await admin('POST', `/access/policies/${policy}/assign?ref=user://${platform}/default/${user}`);
  await isRefusedAlike(404, master, (id) => start(repository, id), /document\.unknown branchId/);
  assert.equal(await count(), 0);
  await who.grant(`${branches}/${master}`, 'consumer');
  const made = await start(repository, master);
  assert.deepEqual([made.status, await count()], [200, 1], made.text);
});

test('a package of documents is sent by applications and providers only that its starter may READ', async () => {
  const who = await person();
  const path = await packageOf(who);
  const application = await make('/applications', { title: 'hidden' });
  const at = `/applications/${application}`;
  const provider = await make(`${at}/emailproviders`, { title: 'hidden', host: 'localhost', port: 9 });
  await who.grant(at, 'maker');
  const start = (applicationId, emailProviderId) => who.ask('POST', `${path}/email`, { applicationId, emailProviderId, email: { to: 'a@example.com', subject: 'documents' } });
  const count = async () => (await admin('POST', `${at}/emails/query`, { subject: 'documents' })).total_rows;
  await isRefusedAlike(404, application, (id) => start(id, provider), /document\.unknown applicationId/);
  await who.grant(at, 'consumer');
  await isRefusedAlike(404, provider, (id) => start(application, id), /document\.unknown emailProviderId/);
  assert.equal(await count(), 0);
  await who.grant(`${at}/emailproviders/${provider}`, 'consumer');
  const sent = await start(application, provider);
  assert.deepEqual([sent.status, await count()], [200, 1], sent.text);
});
