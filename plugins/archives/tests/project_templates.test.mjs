// What new projects can be made from: published archives of projects, by reference, by identifier and by templateKey
// (docs/reference/archives.md, "Templates of projects").
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { endedJob, errorOf } from '../../../tests/support/ended_job.mjs';
import { SteleServer } from '../../../tests/support/stele_server.mjs';
import { archiveOf } from '../../../tests/support/zip_archive.mjs';

let server;
let platform;
const tokens = {};
before(async () => {
  server = await SteleServer.start();
  platform = (await server.admin('GET', '/'))._doc;
  tokens.admin = await server.login();
  // May make projects, and reads what is shown to her.
  await server.makeUser('ann');
  await admin('POST', '/roles', { roleKey: 'maker', permissions: ['CONNECT', 'CREATE_SUBOBJECTS'] });
  await grant('', 'maker', 'ann');
  tokens.ann = await server.login('ann', 'secret-of-ann');
});
after(() => server.end());

const admin = (...request) => server.admin(...request);
const as = (name, method, path, body) => server.request(method, path, { token: tokens[name], body });
const makeVault = async () => (await admin('POST', '/vaults', {}))._doc;
let numbers = 0;

/// An archive of a project with one UI config, which is called `title`; answers its record.
async function publish(vault, title, { say = {}, group = 'templates', artifact = `a${++numbers}`, version = '1', published = true } = {}) {
  const link = (typeId, id) => ({ typeId, id, key: `${typeId}://${typeId === 'platform' ? id : `${platform}/${id}`}` });
  const project = `of-${artifact}-${version}`;
  const config = `config-of-${artifact}-${version}`;
  const folder = `platforms/${platform}`;
  const bytes = archiveOf({ model: '3.0.0', type: 'project', group, artifact, version, sources: [[link('platform', platform), link('project', project)]], ...say }, {
    [`${folder}/projects/${project}/project.json`]: JSON.stringify({ title: 'a template' }),
    [`${folder}/projects/${project}/companions.json`]: JSON.stringify({ [`uiconfig/${config}`]: `uiconfig://${platform}/${config}` }),
    [`${folder}/uiconfigs/${config}/uiconfig.json`]: JSON.stringify({ title, projectId: project }) });
  const reply = await server.request('POST', `/vaults/${vault}/archives?published=${published}`, { token: tokens.admin, body: bytes, headers: { 'Content-Type': 'application/zip' } });
  assert.equal(reply.status, 200, reply.text);
  // The next one is made later, by the clock.
  await sleep(2);
  return { ...reply.json, reference: `archive://${platform}/${reply.json.vaultId}/${reply.json._doc}`, path: `/vaults/${vault}/archives/${reply.json._doc}` };
}
const grant = (record, role, user) => admin('POST', `${record}/authorities/${role}/grant?id=default/${user}`, {});
const types = async (name = 'admin') => (await as(name, 'GET', '/projecttypes?limit=-1')).json.rows;
const typeOf = async (archive, name) => (await types(name)).find(({ _doc }) => _doc === archive._doc);
/// Titles of the UI configs of a new project.
async function madeFrom(projectType, name = 'admin') {
  const made = await as(name, 'POST', '/projects', { title: 'made', projectType });
  assert.equal(made.status, 200, made.text);
  return configsOf(made.json._doc);
}
const configsOf = async (projectId) => (await admin('POST', '/uiconfigs/query', { projectId })).rows.map(({ title }) => title);

test('an archive whose templateType says something else than project is no project type', async () => {
  const vault = await makeVault();
  const [silent, upper, site] = [await publish(vault, 'silent'), await publish(vault, 'upper', { say: { templateType: 'PROJECT' } }),
    await publish(vault, 'site', { say: { template: { templateType: 'site' } } })];
  assert.ok(await typeOf(silent));
  assert.ok(await typeOf(upper));
  assert.equal(await typeOf(site), undefined);
  const refused = await as('admin', 'POST', '/projects', { projectType: site.reference });
  assert.deepEqual([refused.status, refused.json.violations[0].code], [400, 'archives.template_unknown']);
  assert.ok(refused.json.violations[0].message.includes(site.reference), refused.text);
  assert.deepEqual(await madeFrom(upper.reference), ['upper']);
  await admin('PUT', site.path, { ...await admin('GET', site.path), templateType: 'Project' });
  assert.deepEqual(await madeFrom(site.reference), ['site']);
});

test('rows of project types tell the templateKey where there is one', async () => {
  const vault = await makeVault();
  const [keyed, plain] = [await publish(vault, 'keyed', { say: { templateKey: 'told' } }), await publish(vault, 'plain')];
  assert.equal((await typeOf(keyed)).templateKey, 'told');
  assert.ok(!Object.hasOwn(await typeOf(plain), 'templateKey'));
});

test('a project is made by templateKey, of the archive that was made last, in whatever vault', async () => {
  const [one, other] = [await makeVault(), await makeVault()];
  await publish(one, 'first', { say: { templateKey: 'blog' } });
  assert.deepEqual(await madeFrom('blog'), ['first']);
  await publish(other, 'second', { say: { templateKey: 'blog' } });
  assert.deepEqual(await madeFrom('blog'), ['second']);
  const third = await publish(one, 'third', { say: { templateKey: 'blog' } });
  assert.deepEqual(await madeFrom('blog'), ['third']);
  const job = await endedJob((...request) => admin(...request), (await admin('POST', '/projects/start', { projectType: 'blog' }))._doc);
  assert.equal(job.state, 'FINISHED', errorOf(job));
  assert.deepEqual(await configsOf(job['created-project-id']), ['third']);
  await admin('POST', `${third.path}/unpublish`);
  assert.deepEqual(await madeFrom('blog'), ['second']);
});

test('a project is made by identifier, whatever hyphens are in it, before any templateKey', async () => {
  const vault = await makeVault();
  const archive = await publish(vault, 'by identifier', { group: 'com.acme', artifact: 'my-web-site', version: '2-beta' });
  const { identifier } = await typeOf(archive);
  assert.equal(identifier, 'com.acme-my-web-site-2-beta');
  await publish(vault, 'by key', { say: { templateKey: identifier } });
  assert.deepEqual(await madeFrom(identifier), ['by identifier']);
  await admin('POST', `${archive.path}/unpublish`);
  assert.deepEqual(await madeFrom(identifier), ['by key']);
  assert.deepEqual(await madeFrom('com.acme-my-web-site-2'), []);
});

test('a reference is none of a templateKey, and the empty project stays empty', async () => {
  const vault = await makeVault();
  const real = await publish(vault, 'by reference');
  for (const templateKey of [real.reference, 'empty']) await publish(vault, 'an impostor', { say: { templateKey } });
  assert.deepEqual(await madeFrom(real.reference), ['by reference']);
  assert.deepEqual(await madeFrom('empty'), []);
  const gone = `archive://${platform}/${vault}/gone`;
  await publish(vault, 'of the gone', { say: { templateKey: gone } });
  assert.equal((await as('admin', 'POST', '/projects', { projectType: gone })).status, 400);
  assert.deepEqual(await madeFrom('a word of clients'), []);
});

test('archives that the caller may not READ count for nothing', async () => {
  const vault = await makeVault();
  const shown = await publish(vault, 'shown', { say: { templateKey: 'shared' }, group: 'shared', artifact: 'of-ann' });
  const hidden = await publish(vault, 'hidden', { say: { templateKey: 'shared' }, group: 'shared-of', artifact: 'ann' });
  assert.equal((await typeOf(shown)).identifier, (await typeOf(hidden)).identifier);
  for (const name of ['shared', 'shared-of-ann-1']) {
    assert.deepEqual(await madeFrom(name, 'ann'), []);
    assert.deepEqual(await madeFrom(name), ['hidden']);
  }
  assert.deepEqual(await typeOf(shown, 'ann'), undefined);
  await grant(shown.path, 'consumer', 'ann');
  for (const name of ['shared', 'shared-of-ann-1']) assert.deepEqual(await madeFrom(name, 'ann'), ['shown']);
  assert.ok(await typeOf(shown, 'ann'));
  assert.equal(await typeOf(hidden, 'ann'), undefined);
  const refused = await as('ann', 'POST', '/projects', { projectType: hidden.reference });
  assert.equal(refused.json.violations[0].code, 'archives.template_unknown');
});

test('all of more archives than one look takes are listed once, beside others of their vault', async () => {
  const vault = await makeVault();
  const artifacts = Array.from({ length: 230 }, (_, n) => `many${n}`);
  await Promise.all(artifacts.map((artifact, n) => publish(vault, artifact, { artifact, published: n % 23 !== 0, say: { templateKey: 'crowd' } })));
  const found = (await types()).filter(({ templateKey }) => templateKey === 'crowd').map(({ identifier }) => identifier);
  assert.deepEqual(found.sort(), artifacts.filter((_, n) => n % 23 !== 0).map((artifact) => `templates-${artifact}-1`).sort());
  await publish(vault, 'the last', { artifact: 'last', say: { templateKey: 'crowd' } });
  assert.deepEqual(await madeFrom('crowd'), ['the last']);
});

test('an export says which template it makes, in its record and in its zip', async () => {
  const model = (await admin('POST', '/projects', { title: 'model' }))._doc;
  await admin('POST', '/uiconfigs', { title: 'of the model', projectId: model });
  const { _doc } = await admin('POST', `/projects/${model}/export?group=out&artifact=model&version=1&published=true&templateType=project&templateKey=exported`, {});
  const job = await endedJob((...request) => admin(...request), _doc);
  assert.equal(job.state, 'FINISHED', errorOf(job));
  const path = `/vaults/primary/archives/${job.archiveId}`;
  const archive = await admin('GET', path);
  assert.deepEqual([archive.templateType, archive.templateKey, archive.template], ['project', 'exported', { templateType: 'project', templateKey: 'exported' }]);
  assert.deepEqual(await madeFrom('exported'), ['of the model']);
  const { bytes } = await server.request('GET', `${path}/download`, { token: tokens.admin });
  await admin('DELETE', path);
  assert.deepEqual(await madeFrom('exported'), []);
  const uploaded = await server.request('POST', '/vaults/primary/archives?published=true', { token: tokens.admin, body: bytes, headers: { 'Content-Type': 'application/zip' } });
  assert.equal(uploaded.json.templateKey, 'exported', uploaded.text);
  assert.deepEqual(await madeFrom('exported'), ['of the model']);
});
