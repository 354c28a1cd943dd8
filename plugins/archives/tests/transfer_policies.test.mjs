// Assignments of access policies in exports and imports: with the policy, to principals by domain and name and to teams by
// their records; those of system policies with whom they are for.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { endedJob } from '../../../tests/support/ended_job.mjs';
import { SteleServer } from '../../../tests/support/stele_server.mjs';
import { archiveOf, unzip } from '../../../tests/support/zip_archive.mjs';

let source;
let target;
before(async () => { [source, target] = await Promise.all([SteleServer.start(), SteleServer.start()]); });
after(() => Promise.all([source.end(), target.end()]));

const statements = [{ action: 'grant', roles: ['consumer'], conditions: [{ type: 'type', config: { type: 'repository' } }] }];
let numbers = 0;
const coordinates = () => `group=policies&artifact=a${++numbers}&version=1`;
const platformOf = async (server) => (await server.admin('GET', '/'))._doc;
const make = async (server, path, fields = {}) => (await server.admin('POST', path, fields))._doc;
const assign = (server, policy, ref) => server.admin('POST', `/access/policies/${policy}/assign?ref=${encodeURIComponent(ref)}`);
const targetsOf = async (server, policy) => (await server.admin('GET', `/access/policies/${policy}/targets`)).rows.sort();
const found = async (server, ref) => (await server.admin('POST', `/access/policies/find?ref=${encodeURIComponent(ref)}`)).rows.map(({ _doc }) => _doc).sort();

const ended = (server, started, token = server.adminToken) =>
  endedJob(async (method, path) => (await server.request(method, path, { token })).json, started._doc);
async function exported(server, sources, settings = {}) {
  const place = coordinates();
  const job = await ended(server, await server.admin('POST', `/transfer/export?${place}`, { sources, ...settings }));
  assert.equal(job.state, 'FINISHED', JSON.stringify(job.log_entries));
  const { bytes } = await server.request('GET', `/vaults/${job.vaultId}/archives/${job.archiveId}/download`, { token: server.adminToken });
  return { bytes, files: unzip(bytes), place };
}
async function imported(server, bytes, settings = {}, to = '') {
  const place = coordinates();
  const reply = await server.request('POST', `/vaults/primary/archives?${place}`, { token: server.adminToken, body: bytes, headers: { 'Content-Type': 'application/zip' } });
  assert.equal(reply.status, 200, reply.text);
  return ended(server, await server.admin('POST', `${to}/import?${place}`, settings));
}
const idOf = (job, word) => job.imports.map(({ targets }) => targets.at(-1)).find(({ typeId }) => typeId === word).id;
const textAt = (files, name) => JSON.parse([...files].find(([path]) => path.endsWith(name))[1]);

test('a policy goes along with whom it is assigned to, found by domain and name and by team', async () => {
  const from = await platformOf(source);
  const to = await platformOf(target);
  const [ann, otherAnn] = [(await source.makeUser('ann'))._doc, (await target.makeUser('ann'))._doc];
  const domain = await make(source, '/domains', { title: 'moved' });
  const group = await make(source, `/domains/${domain}/principals`, { type: 'GROUP', name: 'editors' });
  const stack = await make(source, '/stacks', { title: 'moved' });
  await source.admin('POST', `/stacks/${stack}/teams?key=writers`, {});
  const policy = await make(source, '/access/policies', { title: 'moved', statements });
  for (const ref of [`user://${from}/default/${ann}`, `group://${from}/${domain}/${group}`, `team://stack/${from}/${stack}/writers`, `user://${from}/default/nobody`])
    await assign(source, policy, ref);

  const { bytes, files } = await exported(source, [`accessPolicy://${from}/${policy}`, `domain://${from}/${domain}`, `stack://${from}/${stack}`]);
  const told = textAt(files, '/targets.json').sort((one, other) => one.type.localeCompare(other.type));
  assert.deepEqual(told, [
    { type: 'GROUP', domain, name: 'editors' },
    { type: 'TEAM', record: `stack://${from}/${stack}`, key: 'writers' },
    { type: 'USER', domain: 'default', domainAlias: 'primary', name: 'ann' }]);

  const job = await imported(target, bytes);
  assert.equal(job.state, 'FINISHED', JSON.stringify(job.log_entries));
  const there = { policy: idOf(job, 'accessPolicy'), domain: idOf(job, 'domain'), stack: idOf(job, 'stack') };
  const [{ _doc: editors }] = (await target.admin('GET', `/domains/${there.domain}/principals`)).rows.filter(({ name }) => name === 'editors');
  assert.deepEqual(await targetsOf(target, there.policy), [
    `group://${to}/${there.domain}/${editors}`, `team://stack/${to}/${there.stack}/writers`, `user://${to}/default/${otherAnn}`]);
});

test('a second import by CLONE assigns nothing anew, and without ACLs nothing is assigned', async () => {
  const from = await platformOf(source);
  const user = (await source.makeUser('twice'))._doc;
  const ref = `user://${from}/default/${user}`;
  const policy = await make(source, '/access/policies', { title: 'twice', statements });
  await assign(source, policy, ref);
  const { bytes } = await exported(source, [`accessPolicy://${from}/${policy}`]);
  await source.admin('DELETE', `/access/policies/${policy}`);
  const without = await imported(source, bytes, { strategy: 'CLONE', includeACLs: false });
  assert.deepEqual([without.state, await targetsOf(source, policy)], ['FINISHED', []]);
  for (const round of [1, 2]) {
    const job = await imported(source, bytes, { strategy: 'CLONE' });
    assert.deepEqual([job.state, job.created, job.updated], ['FINISHED', 0, 0], `round ${round}`);
    assert.deepEqual(await targetsOf(source, policy), [ref]);
  }
  const { files } = await exported(source, [`accessPolicy://${from}/${policy}`], { includeACLs: false });
  assert.ok(![...files.keys()].some((path) => path.endsWith('targets.json')));
});

test('a target that is not here is left out, and told', async () => {
  const from = await platformOf(source);
  const policy = await make(source, '/access/policies', { title: 'of a stranger', statements });
  await assign(source, policy, `user://${from}/default/${(await source.makeUser('stranger'))._doc}`);
  const { bytes } = await exported(source, [`accessPolicy://${from}/${policy}`]);
  const job = await imported(target, bytes);
  assert.equal(job.state, 'FINISHED');
  assert.match(job.notes.join('\n'), /no principal \S*stranger/);
  assert.deepEqual(await targetsOf(target, idOf(job, 'accessPolicy')), []);
});

test('a name that means somebody else by now gives nobody the policy', async () => {
  const from = await platformOf(source);
  const policy = await make(source, '/access/policies', { title: 'by name', statements });
  const path = `/domains/default/principals/${(await source.makeUser('renamed'))._doc}`;
  await assign(source, policy, `user://${from}/default/renamed`);
  await source.admin('PUT', path, { ...await source.admin('GET', path), name: 'was-renamed' });
  await source.makeUser('renamed');
  const { files } = await exported(source, [`accessPolicy://${from}/${policy}`]);
  assert.ok(![...files.keys()].some((name) => name.endsWith('targets.json')), 'the second of the name was never meant');
});

test('system policies go along with the principals and teams that have them', async () => {
  const [from, to] = [await platformOf(source), await platformOf(target)];
  const system = (server, key, ref) => server.admin('POST', `/access/policies/system/${key}/assign?ref=${encodeURIComponent(ref)}`);
  const domain = await make(source, '/domains', { title: 'with policies' });
  const user = await make(source, `/domains/${domain}/principals`, { type: 'USER', name: 'reader' });
  await system(source, 'project-user', `user://${from}/${domain}/${user}`);
  const stack = await make(source, '/stacks', { title: 'with policies' });
  await source.admin('POST', `/stacks/${stack}/teams?key=staff`, {});
  await system(source, 'project-collaborator', `team://stack/${from}/${stack}/staff`);
  const { bytes, files } = await exported(source, [`domain://${from}/${domain}`, `stack://${from}/${stack}`]);
  assert.deepEqual(textAt(files, '/policies.json'), ['project-user']);
  const job = await imported(target, bytes);
  assert.equal(job.state, 'FINISHED', JSON.stringify(job.log_entries));
  const there = { domain: idOf(job, 'domain'), stack: idOf(job, 'stack') };
  const [{ _doc: reader }] = (await target.admin('GET', `/domains/${there.domain}/principals`)).rows;
  assert.deepEqual(await found(target, `user://${to}/${there.domain}/${reader}`), ['project-user']);
  assert.deepEqual(await found(target, `team://stack/${to}/${there.stack}/staff`), ['project-collaborator']);
});

test('who may not assign a policy assigns none by an import, and learns nothing of who is there', async () => {
  const platform = await platformOf(target);
  await target.makeUser('eve');
  const token = await target.login('eve', 'secret-of-eve');
  const policy = await make(target, '/access/policies', { title: 'shown to eve', statements });
  await target.admin('POST', `/access/policies/${policy}/authorities/manager/grant?id=default/eve`);
  await target.admin('POST', '/vaults/primary/authorities/contributor/grant?id=default/eve');
  const folder = `platforms/${platform}/access/policies/${policy}`;
  const link = (typeId, id) => ({ typeId, id, key: `${typeId}:${id}` });
  const told = [];
  for (const name of ['eve', 'nobody-of-that-name']) {
    const place = coordinates();
    const [artifact] = /a\d+/.exec(place);
    const bytes = archiveOf({ model: '3.0.0', group: 'policies', artifact, version: '1', sources: [[link('platform', platform), link('accessPolicy', policy)]] }, {
      [`${folder}/accessPolicy.json`]: '{}', [`${folder}/targets.json`]: JSON.stringify([{ type: 'USER', domain: 'default', name }]) });
    const uploaded = await target.request('POST', `/vaults/primary/archives?${place}`, { token, body: bytes, headers: { 'Content-Type': 'application/zip' } });
    assert.equal(uploaded.status, 200, uploaded.text);
    const reply = await target.request('POST', `/access/policies/${policy}/import?${place}`, { token, body: { strategy: 'CLONE' } });
    assert.equal(reply.status, 200, reply.text);
    const job = await ended(target, reply.json, token);
    told.push([job.state, ...job.log_entries.map(({ message }) => message)]);
  }
  assert.equal(told[0][0], 'ERROR');
  assert.match(told[0].join(), /MODIFY_PERMISSIONS/);
  assert.deepEqual(told[1], told[0]);
  assert.deepEqual(await targetsOf(target, policy), []);
});
