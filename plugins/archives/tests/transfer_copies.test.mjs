// Copies of what holds others, and archives that go from one tenant to another (docs/reference/transfer.md).
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { endedJob, errorOf } from '../../../tests/support/ended_job.mjs';
import { SteleServer } from '../../../tests/support/stele_server.mjs';
import { makeTenant } from '../../../tests/support/stele_tenant.mjs';
import { archiveOf, unzip } from '../../../tests/support/zip_archive.mjs';

let server;
before(async () => { server = await SteleServer.start(); });
after(() => server.end());

/// The administrator of the first platform, as a tenant acts.
const admin = (...request) => server.admin(...request);
async function finished(ask, path, body = {}) {
  const job = await endedJob(ask, (await ask('POST', path, body))._doc);
  assert.equal(job.state, 'FINISHED', errorOf(job));
  return job;
}
const idOf = ({ imports }) => imports[0].targets.at(-1).id;
const make = async (ask, path, fields = {}) => (await ask('POST', path, fields))._doc;
const storesOf = async (ask, stack) => Object.fromEntries((await ask('GET', `/stacks/${stack}/datastores`)).rows.map(({ _doc, datastoreTypeId, datastoreId }) => [_doc, [datastoreTypeId, datastoreId]]));
const titlesOf = async (ask, repository) => (await ask('POST', `/repositories/${repository}/branches/master/nodes/query`, { number: { $exists: true } })).rows.map(({ title }) => title).sort();

/// A stack with a repository of two nodes, and a domain with a user.
async function makeStack(ask) {
  const stack = await make(ask, '/stacks', { title: 'whole' });
  const repository = await make(ask, '/repositories', { title: 'content' });
  const domain = await make(ask, '/domains', { title: 'people' });
  for (const number of [1, 2]) await make(ask, `/repositories/${repository}/branches/master/nodes`, { title: `n${number}`, number });
  await make(ask, `/domains/${domain}/principals`, { type: 'USER', name: 'inhabitant' });
  for (const [type, id, key] of [['repository', repository, 'content'], ['domain', domain, 'people']]) await ask('POST', `/stacks/${stack}/datastores/assign?type=${type}&id=${id}&key=${key}`);
  return { stack, repository, domain };
}

test('a copy of a stack has copies of all that the stack holds, and leaves the stack as it is', async () => {
  const { stack, repository, domain } = await makeStack(admin);
  const before_ = await storesOf(admin, stack);
  assert.deepEqual(before_, { content: ['repository', repository], people: ['domain', domain] });
  const platform = [{ typeId: 'platform', id: (await admin('GET', '/'))._doc }];
  const job = await finished(admin, '/tools/copy', { sources: [...platform, { typeId: 'stack', id: stack }], targets: platform });
  const copy = idOf(job);
  assert.deepEqual([job.type, (await admin('GET', `/stacks/${copy}`)).title, copy === stack], ['copy', 'whole', false]);
  const { content, people, ...more } = await storesOf(admin, copy);
  assert.deepEqual([content[0], people[0], more], ['repository', 'domain', {}]);
  assert.ok(content[1] !== repository && people[1] !== domain);
  assert.deepEqual(await titlesOf(admin, content[1]), ['n1', 'n2']);
  assert.equal((await admin('GET', `/domains/${people[1]}/principals/inhabitant`)).name, 'inhabitant');
  // What is written in the copy is written there only.
  await make(admin, `/repositories/${content[1]}/branches/master/nodes`, { title: 'n3', number: 3 });
  assert.deepEqual(await titlesOf(admin, repository), ['n1', 'n2']);
  assert.deepEqual(await storesOf(admin, stack), before_);
});

const kFamilies = ['domains', 'repositories', 'stacks', 'applications', 'directories', 'vaults', 'clients', 'projects', 'webhosts'];
/// All records of a platform, without what counts and times.
async function recordsOf(ask) {
  const seen = { platform: await ask('GET', '/') };
  for (const family of kFamilies) {
    for (const record of (await ask('GET', `/${family}?limit=-1`)).rows) seen[`${family}/${record._doc}`] = record.title ?? null;
  }
  for (const path of Object.keys(seen).filter((one) => one.startsWith('domains/'))) {
    seen[`${path} people`] = (await ask('GET', `/${path}/principals?limit=-1`)).rows.map(({ _doc, name, email }) => [_doc, name, email]).sort();
    seen[`${path} grants`] = (await ask('GET', `/${path}/acl/list?limit=-1`)).rows.map(({ _doc, authorities }) => [_doc, authorities]).sort();
  }
  for (const path of Object.keys(seen).filter((one) => one.startsWith('stacks/'))) seen[`${path} stores`] = await storesOf(ask, path.slice('stacks/'.length));
  delete seen.platform._system;
  return seen;
}
const upload = async (tenant, bytes, place) => {
  const reply = await server.request('POST', `/vaults/default/archives?${place}`, { token: tenant.token, body: bytes, headers: { 'Content-Type': 'application/zip' } });
  assert.equal(reply.status, 200, reply.text);
};
async function download(tenant, { vaultId, archiveId }) {
  const { bytes, status } = await server.request('GET', `/vaults/${vaultId}/archives/${archiveId}/download`, { token: tenant.token });
  assert.equal(status, 200);
  return bytes;
}

test('a tenant that its owner exports comes into another one, and stays as it was', async () => {
  const [from, to] = [await makeTenant(server, 'fern'), await makeTenant(server, 'toni')];
  const { repository } = await makeStack(from.do);
  const before_ = await recordsOf(from.do);
  const exported = await finished(from.do, '/export?group=g&artifact=tenant&version=1&vault=default');
  const bytes = await download(from, exported);
  const records = [...unzip(bytes).keys()];
  assert.ok(records.every((path) => path === 'manifest.json' || path.startsWith(`platforms/${from.record.platformId}/`)), 'nothing of another platform leaves');
  await to.do('GET', '/');
  await upload(to, bytes, 'group=g&artifact=tenant&version=1');
  const job = await finished(to.do, '/import?group=g&artifact=tenant&version=1&vault=default', { copyOnExisting: false });
  assert.equal(idOf(job), to.record.platformId);
  const [stack] = (await to.do('POST', '/stacks/query', { title: 'whole' })).rows;
  const { content, people } = await storesOf(to.do, stack._doc);
  assert.notEqual(content[1], repository);
  assert.deepEqual(await titlesOf(to.do, content[1]), ['n1', 'n2']);
  assert.equal((await to.do('GET', `/domains/${people[1]}/principals/inhabitant`)).name, 'inhabitant');
  assert.deepEqual(await recordsOf(from.do), before_);
  assert.equal((await from.ask('GET', `/repositories/${content[1]}`)).status, 404);
});

test('an archive that names another tenant\'s ids changes nothing there', async () => {
  const [victim, mallory] = [await makeTenant(server, 'vera'), await makeTenant(server, 'mallory')];
  const { repository, domain, stack } = await makeStack(victim.do);
  const user = (await victim.do('GET', `/domains/${domain}/principals/inhabitant`))._doc;
  const before_ = await recordsOf(victim.do);
  const { platformId } = victim.record;
  await mallory.do('GET', '/');
  const owner = [{ type: 'USER', domain: 'default', name: 'mallory', authorities: ['owner'] }];
  const folder = `platforms/${platformId}`;
  const files = {
    [`${folder}/platform.json`]: { _doc: platformId, title: 'Taken over' }, [`${folder}/acl.json`]: owner,
    [`${folder}/domains/${domain}/domain.json`]: { _doc: domain, platformId, title: 'Taken over' }, [`${folder}/domains/${domain}/acl.json`]: owner,
    [`${folder}/domains/${domain}/principals/${user}/user.json`]: { _doc: user, domainId: domain, type: 'USER', name: 'inhabitant', email: 'mallory@example.com' },
    [`${folder}/repositories/${repository}/repository.json`]: { _doc: repository, title: 'Taken over' },
    [`${folder}/stacks/${stack}/stack.json`]: { _doc: stack, title: 'Taken over' },
    [`${folder}/stacks/${stack}/companions.json`]: { content: `repository://${platformId}/${repository}` },
  };
  const link = (typeId, id) => ({ typeId, id, key: id });
  const subjects = { platform: [], domain: [link('domain', domain)], user: [link('domain', domain), link('user', user)], repository: [link('repository', repository)], stack: [link('stack', stack)] };
  const texts = Object.fromEntries(Object.entries(files).map(([path, value]) => [path, JSON.stringify(value)]));
  let numbers = 0;
  const imported = async (tenant, subject, links, target, strategy) => {
    const artifact = `a${++numbers}`;
    const sources = [[link('platform', platformId), ...links]];
    await upload(tenant, archiveOf({ model: '3.0.0', group: 'g', artifact, version: '1', type: subject, sources }, texts), `group=g&artifact=${artifact}&version=1`);
    return finished(tenant.do, `${target}/import?group=g&artifact=${artifact}&version=1&vault=default`, { strategy });
  };
  for (const [subject, links] of Object.entries(subjects)) {
    for (const strategy of ['COPY_EVERYTHING', 'CLONE']) {
      await imported(mallory, subject, links, subject === 'user' ? '/domains/default' : '', strategy);
      assert.deepEqual(await recordsOf(victim.do), before_, `${subject}, ${strategy}`);
    }
  }
  // Nor is it a target for somebody who belongs elsewhere.
  for (const target of [`platform://${platformId}`, `domain://${platformId}/${domain}`]) {
    const reply = await mallory.ask('POST', `/transfer/import?target=${encodeURIComponent(target)}&group=g&artifact=a1&version=1&vault=default`, {});
    assert.ok([400, 403, 404].includes(reply.status), `${target}: ${reply.status} ${reply.text}`);
  }
  assert.deepEqual(await recordsOf(victim.do), before_);
  // In the tenant itself the same ids are these records.
  await imported(victim, 'domain', subjects.domain, '', 'CLONE');
  assert.equal((await victim.do('GET', `/domains/${domain}`)).title, 'Taken over');
});
