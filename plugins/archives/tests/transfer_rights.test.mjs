// What exports, imports and templates give nobody, and tell nobody: an import is refused whatever its writes would be
// refused one by one, before it compares anything with what its starter may not know.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { endedJob } from '../../../tests/support/ended_job.mjs';
import { SteleServer } from '../../../tests/support/stele_server.mjs';
import { until } from '../../../tests/support/until.mjs';
import { archiveOf } from '../../../tests/support/zip_archive.mjs';

let server;
let platform;
const tokens = {};
let numbers = 0;
before(async () => {
  server = await SteleServer.start();
  for (const name of ['eve', 'vic']) {
    await server.makeUser(name);
    tokens[name] = await server.login(name, `secret-of-${name}`);
    await admin('POST', `/vaults/primary/authorities/contributor/grant?id=default/${name}`);
  }
  platform = (await admin('GET', '/'))._doc;
});
after(() => server.end());

const admin = (...request) => server.admin(...request);
const as = (name, method, path, body, headers) => server.request(method, path, { token: tokens[name], body, headers });
const grant = (path, role, name) => admin('POST', `${path}/authorities/${role}/grant?id=default/${name}`);
const make = async (path, fields = {}) => (await admin('POST', path, fields))._doc;
const link = (typeId, id) => ({ typeId, id, key: `${typeId}:${id}` });
const chain = (...links) => [[link('platform', platform), ...links.map(([type, id]) => link(type, id))]];

/// Uploads an archive as somebody; answers what finds it.
async function upload(name, sources, files, more = {}) {
  const artifact = `crafted-${++numbers}`;
  const bytes = archiveOf({ model: '3.0.0', group: 'rights', artifact, version: '1', tipChangesetOnly: true, sources, ...more }, files);
  const reply = await as(name, 'POST', '/vaults/primary/archives', bytes, { 'Content-Type': 'application/zip' });
  assert.equal(reply.status, 200, reply.text);
  return { query: `group=rights&artifact=${artifact}&version=1`, id: reply.json._doc };
}
async function ended(name, reply) {
  assert.equal(reply.status, 200, reply.text);
  return endedJob(async (method, path) => (await as(name, method, path)).json, reply.json._doc);
}
const imported = async (name, path, { query }, settings = {}) => ended(name, await as(name, 'POST', `${path}/import?${query}`, settings));
/// What a job tells of its failure or, of a dry run, of what would be refused; ids of records and jobs left out.
const sentence = (job) => [job.state, job.created, job.updated, job.skipped, job.refused, ...job.log_entries.map(({ message }) => message),
  ...(job.refusals ?? []).map(({ key, code, message }) => `${key} ${code} ${message}`)].map((one) => String(one).replace(/[0-9a-f]{20}/g, 'ID'));

test('a companion comes into a stack for those only who may UPDATE it', async () => {
  const [own, other] = [await make('/stacks', { title: 'own' }), await make('/stacks', { title: 'other' })];
  const store = await make('/repositories', { title: 'of eve' });
  await grant(`/stacks/${own}`, 'owner', 'eve');
  await grant(`/repositories/${store}`, 'owner', 'eve');
  await grant(`/stacks/${other}`, 'consumer', 'eve');
  const folder = (stack) => `platforms/${platform}/stacks/${stack}`;
  const archive = await upload('eve', [...chain(['stack', own]), ...chain(['stack', other])], {
    [`${folder(own)}/stack.json`]: JSON.stringify({ title: 'own' }),
    [`${folder(other)}/stack.json`]: '{}',
    [`${folder(other)}/companions.json`]: JSON.stringify({ content: `repository://${platform}/${store}` }),
    [`platforms/${platform}/repositories/${store}/repository.json`]: JSON.stringify({ title: 'of eve' }) });
  await imported('eve', `/stacks/${own}`, archive, { strategy: 'CLONE' });
  assert.equal((await admin('GET', `/stacks/${other}/datastores`)).total_rows, 0);
});

test('a template gives its publisher nothing in what others make of it', async () => {
  const project = 'a-template';
  const folder = `platforms/${platform}/projects/${project}`;
  const owner = JSON.stringify([{ type: 'USER', domain: 'default', name: 'eve', authorities: ['owner'] }]);
  const archive = await upload('eve', chain(['project', project]), {
    [`${folder}/project.json`]: JSON.stringify({ title: 'template' }), [`${folder}/acl.json`]: owner,
    [`platforms/${platform}/domains/beside/domain.json`]: '{"title":"beside the project"}',
    [`platforms/${platform}/domains/beside/acl.json`]: owner }, { type: 'project' });
  assert.equal((await as('eve', 'POST', `/vaults/primary/archives/${archive.id}/publish`, {})).status, 200);
  const domains = (await admin('GET', '/domains?limit=-1')).total_rows;
  const made = (await admin('POST', '/projects', { title: 'of others', projectType: `archive://${platform}/default/${archive.id}` }))._doc;
  assert.equal((await as('eve', 'GET', `/projects/${made}`)).status, 404);
  assert.equal((await admin('GET', '/domains?limit=-1')).total_rows, domains);
});

test('a dry run of a clone tells nothing of what a hidden node says', async () => {
  const repository = await make('/repositories');
  const branch = `/repositories/${repository}/branches/master`;
  const master = (await admin('GET', branch))._doc;
  const hidden = await make(`${branch}/nodes`, { title: 'salary', amount: 4711 });
  // UPDATE on the branch alone lets somebody import into it, and shows no node.
  await admin('POST', '/roles', { roleKey: 'importer', permissions: ['CONNECT', 'READ', 'UPDATE'] });
  for (const path of [`/repositories/${repository}`, branch]) await grant(path, 'connector', 'eve');
  await grant(branch, 'importer', 'eve');
  assert.equal((await as('eve', 'GET', `${branch}/nodes/${hidden}`)).status, 404);
  const folder = `platforms/${platform}/repositories/${repository}`;
  const told = [];
  for (const amount of [4711, 1]) {
    const archive = await upload('eve', chain(['repository', repository], ['branch', master]), {
      [`${folder}/branches/${master}/branch.json`]: JSON.stringify({ _doc: master, tip: '0:1' }),
      [`${folder}/changesets/0_1/nodes/${hidden}/node.json`]: JSON.stringify({ _doc: hidden, _type: 'n:node', title: 'salary', amount }) });
    told.push(sentence(await imported('eve', branch, archive, { strategy: 'CLONE', dryRun: true })));
  }
  assert.deepEqual([told[0][0], told[0][4]], ['FINISHED', '1'], told[0].join('\n'));
  assert.deepEqual(told[0], told[1]);
});

test('who may not change rights learns by no import who holds them', async () => {
  const config = await make('/uiconfigs', { title: 'open' });
  await grant(`/uiconfigs/${config}`, 'editor', 'eve');
  await grant(`/uiconfigs/${config}`, 'consumer', 'vic');
  const folder = `platforms/${platform}/uiconfigs/${config}`;
  const told = [];
  for (const [name, role] of [['vic', 'consumer'], ['vic', 'manager'], ['nobody-of-that-name', 'consumer']]) {
    const archive = await upload('eve', chain(['uiconfig', config]), {
      [`${folder}/uiconfig.json`]: JSON.stringify({ title: 'open' }),
      [`${folder}/acl.json`]: JSON.stringify([{ type: 'USER', domain: 'default', name, authorities: [role] }]) });
    told.push(sentence(await imported('eve', `/uiconfigs/${config}`, archive, { strategy: 'CLONE', dryRun: true })));
  }
  assert.deepEqual([told[0][0], told[0][4]], ['FINISHED', '1'], told[0].join('\n'));
  assert.deepEqual(told[1], told[0]);
  assert.deepEqual(told[2], told[0]);
});

test('who may not change rights learns by no import which roles, teams and members there are', async () => {
  const repository = await make('/repositories');
  const group = await make('/domains/default/principals', { type: 'GROUP', name: 'looked-at' });
  const [store, people] = [`/repositories/${repository}`, `/domains/default/principals/${group}`];
  await admin('POST', `${store}/roles`, { roleKey: 'there', permissions: ['CONNECT'] });
  await admin('POST', `${store}/teams?key=there`, { title: 'as it is' });
  await admin('POST', `${people}/members/add?id=default/vic`);
  for (const path of [store, people]) await grant(path, 'editor', 'eve');
  const member = (name) => [{ type: 'USER', domain: 'default', name }];
  const cases = [
    [store, chain(['repository', repository]), 'repository', 'roles.json', [[{ roleKey: 'there', permissions: ['CONNECT'] }], [{ roleKey: 'there', permissions: ['READ'] }], [{ roleKey: 'not-there', permissions: ['CONNECT'] }]]],
    [store, chain(['repository', repository]), 'repository', 'teams.json', ['as it is', 'not as it is'].map((title) => [{ key: 'there', title, roleKeys: [], members: [] }])],
    [people, chain(['domain', 'default'], ['group', group]), 'group', 'members.json', [member('vic'), member('eve'), member('nobody-of-that-name')]]];
  for (const [path, sources, type, file, says] of cases) {
    const folder = `platforms/${platform}${path}`;
    const told = [];
    for (const content of says) {
      const archive = await upload('eve', sources, { [`${folder}/${type}.json`]: '{}', [`${folder}/${file}`]: JSON.stringify(content) });
      told.push(sentence(await imported('eve', path, archive, { strategy: 'CLONE', dryRun: true })));
    }
    assert.deepEqual([told[0][0], told[0][4]], ['FINISHED', '1'], file);
    assert.match(told[0].at(-1), /MODIFY_PERMISSIONS/);
    for (const one of told) assert.deepEqual(one, told[0], file);
  }
});

test('an export tells of nothing hidden, neither that it is there nor when it changed', async () => {
  const repository = await make('/repositories');
  const branch = `/repositories/${repository}/branches/master`;
  for (const path of [`/repositories/${repository}`, branch]) await grant(path, 'connector', 'vic');
  await admin('POST', '/roles', { roleKey: 'reader-of-one', permissions: ['CONNECT', 'READ'] });
  await grant(branch, 'reader-of-one', 'vic');
  const results = [];
  for (let round = 0; round < 2; ++round) {
    const reply = await as('vic', 'POST', `${branch}/export?group=rights&artifact=told-${round}&version=1`, { tipChangesetOnly: true, startDate: 1 });
    const { state, entries, complete, log_entries } = await ended('vic', reply);
    results.push([state, entries, complete, log_entries.map(({ message }) => message)]);
    await make(`${branch}/nodes`, { title: 'hidden from vic' });
  }
  assert.equal(results[0][0], 'FINISHED');
  assert.equal(results[0][2], false);
  assert.deepEqual(results[1], results[0]);
});

test('ids that are words are replaced as ids only', async () => {
  const domain = await make('/domains', { _doc: 'staff', title: 'staff', description: 'staff' });
  await make(`/domains/${domain}/principals`, { type: 'GROUP', name: 'staff', description: 'staff', mode: { who: 'staff' }, colours: ['staff'],
                                                  principalDomainId: 'staff', subdomainId: 'staff' });
  const reply = await server.request('POST', '/tools/copy', { token: server.adminToken, body: {
    sources: [{ typeId: 'platform', id: platform }, { typeId: 'domain', id: domain }], targets: [{ typeId: 'platform', id: platform }] } });
  tokens.admin = server.adminToken;
  const job = await ended('admin', reply);
  assert.equal(job.state, 'FINISHED', JSON.stringify(job.log_entries));
  const copy = job.imports[0].targets.at(-1).id;
  const [group] = (await admin('GET', `/domains/${copy}/principals`)).rows;
  assert.deepEqual([group.name, group.description, group.mode.who, group.colours, group.subdomainId], ['staff', 'staff', 'staff', ['staff'], 'staff']);
  assert.deepEqual([group.domainId, group.principalDomainId], [copy, copy]);
  assert.deepEqual([(await admin('GET', `/domains/${copy}`)).description], ['staff']);
});

test('a killed import of many definitions ends, whatever their order is', async () => {
  const repository = await make('/repositories');
  const branch = `/repositories/${repository}/branches/master`;
  const master = (await admin('GET', branch))._doc;
  const folder = `platforms/${platform}/repositories/${repository}`;
  const files = { [`${folder}/branches/${master}/branch.json`]: JSON.stringify({ _doc: master, tip: '0:1' }) };
  const count = 20_000;
  for (let i = 0; i < count; ++i) {
    files[`${folder}/changesets/0_1/nodes/d${i}/node.json`] = JSON.stringify({
      _doc: `d${i}`, _type: 'd:type', _qname: `my:t${i}`, _parent: i + 1 < count ? `my:t${i + 1}` : 'n:node', type: 'object' });
  }
  const { query } = await upload('vic', chain(['repository', repository], ['branch', master]), files);
  await grant(`/repositories/${repository}`, 'owner', 'vic');
  const { json } = await as('vic', 'POST', `${branch}/import?${query}`, {});
  await until(async () => (await as('vic', 'GET', `/jobs/${json._doc}`)).json.state !== 'WAITING');
  await as('vic', 'POST', `/jobs/${json._doc}/kill`, {});
  // Its thread is free again: another job runs to its end.
  const config = await make('/uiconfigs', { title: 'next' });
  const next = (await admin('POST', `/uiconfigs/${config}/export?group=rights&artifact=next&version=1`, {}))._doc;
  await until(async () => (await admin('GET', `/jobs/${next}`)).state === 'FINISHED');
  assert.equal((await as('vic', 'GET', `/jobs/${json._doc}`)).json.state, 'ERROR');
  assert.equal((await admin('POST', `${branch}/nodes/query`, { _qname: 'my:t0' })).total_rows, 0);
});

test('an export by who may READ a record, but not its grants, is told to be incomplete', async () => {
  await admin('POST', '/roles', { roleKey: 'reader-alone', permissions: ['READ'] });
  const results = [];
  for (const role of ['consumer', 'reader-alone']) {
    const name = role.replace('-', '');
    await server.makeUser(name);
    const token = await server.login(name, `secret-of-${name}`);
    // Nothing lies in it that could be hidden.
    const record = `/uiconfigs/${await make('/uiconfigs', { title: 'alone' })}`;
    await grant(record, role, name);
    await admin('POST', `/vaults/primary/authorities/contributor/grant?id=default/${name}`);
    const reply = await server.request('POST', `${record}/export?group=alone&artifact=${name}&version=1`, { token, body: {} });
    assert.equal(reply.status, 200, reply.text);
    const job = await endedJob(admin, reply.json._doc);
    results.push([job.state, job.complete]);
  }
  assert.deepEqual(results, [['FINISHED', true], ['FINISHED', false]]);
});
