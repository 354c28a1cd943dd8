// What an import of records cannot find: a note, and with requireAllIncludes an error, by which nothing is stored
// (docs/reference/transfer.md#configuration).
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { endedJob, errorOf } from '../../../tests/support/ended_job.mjs';
import { SteleServer } from '../../../tests/support/stele_server.mjs';
import { archiveOf } from '../../../tests/support/zip_archive.mjs';

let server;
let platform;
let token;
before(async () => {
  server = await SteleServer.start();
  platform = (await admin('GET', '/'))._doc;
  token = await server.login();
});
after(() => server.end());

const admin = (...request) => server.admin(...request);
const make = async (path, fields = {}) => (await admin('POST', path, fields))._doc;
let numbers = 0;
const link = (typeId, id) => ({ typeId, id, key: `${typeId}:${id}` });
const nobody = { type: 'USER', domain: 'default', name: 'nobody-here' };
const grantsOf = (...acl) => JSON.stringify(acl.map((named) => ({ ...named, authorities: ['consumer'] })));

/// Uploads an archive of a subject, `word` and id, whose folder and what lies in it is below the platform's.
async function upload(who, [word, id], files) {
  const artifact = `crafted-${++numbers}`;
  const bytes = archiveOf({ model: '3.0.0', group: 'required', artifact, version: '1', tipChangesetOnly: true, sources: [[link('platform', platform), link(word, id)]] },
    Object.fromEntries(Object.entries(files).map(([name, text]) => [`platforms/${platform}/${name}`, typeof text === 'string' ? text : JSON.stringify(text)])));
  const reply = await server.request('POST', '/vaults/primary/archives', { token: who, body: bytes, headers: { 'Content-Type': 'application/zip' } });
  assert.equal(reply.status, 200, reply.text);
  return `group=required&artifact=${artifact}&version=1`;
}
async function imported(who, place, settings, onto = '') {
  const reply = await server.request('POST', `${onto}/import?${place}`, { token: who, body: settings });
  assert.equal(reply.status, 200, reply.text);
  return endedJob(admin, reply.json._doc);
}
const idOf = (job) => job.imports[0].targets.at(-1).id;

/// Imports once as it is, which notes what is left out, and once with everything required, which stores nothing. Answers the
/// first of the jobs.
async function losing(subject, files, sentence, collection) {
  const count = async () => (await admin('POST', `${collection}/query`, {})).total_rows;
  const place = await upload(token, subject, files);
  const noted = await imported(token, place, {});
  assert.equal(noted.state, 'FINISHED', errorOf(noted));
  assert.match(noted.notes.join('\n'), sentence);
  const before = await count();
  const required = await imported(token, place, { requireAllIncludes: true });
  assert.equal(required.state, 'ERROR');
  assert.match(errorOf(required), sentence);
  assert.match(errorOf(required), /^\w+:\/\/\S+: /, 'what it is about is named');
  assert.equal(await count(), before);
  return noted;
}
/// The same is all there, and is required.
async function whole(subject, files) {
  const job = await imported(token, await upload(token, subject, files), { requireAllIncludes: true });
  assert.equal(job.state, 'FINISHED', errorOf(job));
  assert.deepEqual(job.notes, []);
  return job;
}

test('a grant to nobody', async () => {
  await server.makeUser('known');
  const files = (...acl) => ({ 'uiconfigs/granted/uiconfig.json': { title: 'granted' }, 'uiconfigs/granted/acl.json': grantsOf(...acl) });
  const known = { ...nobody, name: 'known' };
  const job = await losing(['uiconfig', 'granted'], files(nobody, known), /no principal default\/nobody-here/, '/uiconfigs');
  const { json } = await server.request('POST', `/uiconfigs/${idOf(job)}/authorities/consumer/check?id=default/known`, { token, body: {} });
  assert.equal(json.check, true, JSON.stringify(json));
  await whole(['uiconfig', 'granted'], files(known));
});

test('a grant on a node to nobody', async () => {
  const [repository, changeset, node] = ['repositories/granted', '5:0123456789abcdef01234567', '0123456789abcdef0123'];
  const folder = `${repository}/changesets/${changeset.replace(':', '_')}`;
  const files = (...acl) => ({ [`${repository}/repository.json`]: { title: 'granted' }, [`${repository}/branches/master/branch.json`]: { type: 'MASTER', tip: changeset },
    [`${folder}/changeset.json`]: { _doc: changeset, revision: '5', parents: [] },
    [`${folder}/nodes/${node}/node.json`]: { _doc: node, _type: 'n:node', title: 'granted' }, [`${folder}/nodes/${node}/acl.json`]: grantsOf(...acl) });
  await losing(['repository', 'granted'], files(nobody), /node:\/\/\S+: there is no principal default\/nobody-here/, '/repositories');
  await whole(['repository', 'granted'], files({ ...nobody, name: 'admin' }));
});

test('a member of a team that is nobody', async () => {
  const files = (...members) => ({ 'stacks/joined/stack.json': { title: 'joined' }, 'stacks/joined/teams.json': [{ key: 'writers', members }] });
  await losing(['stack', 'joined'], files(nobody), /no principal default\/nobody-here/, '/stacks');
  await whole(['stack', 'joined'], files({ ...nobody, name: 'admin' }));
});

test('a member of a group that is nobody', async () => {
  const files = (...members) => ({ 'domains/of-group/domain.json': { title: 'of a group' },
    'domains/of-group/principals/friends/group.json': { type: 'GROUP', name: 'friends' }, 'domains/of-group/principals/friends/members.json': members });
  await losing(['domain', 'of-group'], files(nobody), /no principal default\/nobody-here/, '/domains');
  await whole(['domain', 'of-group'], files({ ...nobody, name: 'admin' }));
});

const policy = { title: 'assigned', statements: [{ action: 'grant', roles: ['consumer'], conditions: [{ type: 'type', config: { type: 'repository' } }] }] };

test('an assignment of a policy to nobody, and to a team that is not here', async () => {
  const stack = await make('/stacks', { title: 'with a team' });
  await admin('POST', `/stacks/${stack}/teams?key=writers`, {});
  const team = (key) => ({ type: 'TEAM', record: `stack://${platform}/${stack}`, key });
  const files = (...targets) => ({ 'access/policies/assigned/accessPolicy.json': policy, 'access/policies/assigned/targets.json': targets });
  await losing(['accessPolicy', 'assigned'], files(nobody), /no principal default\/nobody-here/, '/access/policies');
  await losing(['accessPolicy', 'assigned'], files(team('readers')), /has no team readers/, '/access/policies');
  await whole(['accessPolicy', 'assigned'], files(team('writers')));
});

test('a member that names a record which neither comes along nor is here', async () => {
  const files = (members) => ({ 'uiconfigs/naming/uiconfig.json': { title: 'naming', ...members } });
  const gone = `stack://${platform}/gone`;
  const lost = /names stack:\/\/\S+gone, which neither comes along nor is here/;
  await losing(['uiconfig', 'naming'], files({ about: gone }), lost, '/uiconfigs');
  await losing(['uiconfig', 'naming'], files({ deep: { list: [{ about: gone }] } }), lost, '/uiconfigs');
  const stack = await make('/stacks', { title: 'here' });
  const job = await whole(['uiconfig', 'naming'], files({ about: `stack://${platform}/${stack}`, itself: `uiconfig://${platform}/naming`, page: 'https://example.org/a/b', word: 'stack://', _system: { about: gone } }));
  const made = await admin('GET', `/uiconfigs/${idOf(job)}`);
  assert.equal(made.itself, `uiconfig://${platform}/${made._doc}`);
});

test('what names content of a branch may come before it', async () => {
  const files = { 'uiconfigs/page/uiconfig.json': { title: 'page', node: `node://${platform}/r/b/n`, changeset: `changeset://${platform}/r/1:2` } };
  await whole(['uiconfig', 'page'], files);
});

test('who may not read a record does not learn by an import whether it is here', async () => {
  await server.makeUser('eve');
  await admin('POST', '/vaults/primary/authorities/contributor/grant?id=default/eve', {});
  await admin('POST', '/roles', { roleKey: 'maker', permissions: ['CONNECT', 'CREATE_SUBOBJECTS'] });
  await admin('POST', '/authorities/maker/grant?id=default/eve', {});
  const eve = await server.login('eve', 'secret-of-eve');
  const { json: { _doc: config } } = await server.request('POST', '/uiconfigs', { token: eve, body: { title: 'of eve' } });
  const hidden = await make('/stacks', { title: 'hidden' });
  const told = [];
  for (const stack of [hidden, '0'.repeat(20)]) {
    const place = await upload(eve, ['uiconfig', 'curious'], { 'uiconfigs/curious/uiconfig.json': { title: 'curious', about: `stack://${platform}/${stack}` } });
    const noted = await imported(eve, place, {}, `/uiconfigs/${config}`);
    const required = await imported(eve, place, { requireAllIncludes: true }, `/uiconfigs/${config}`);
    told.push([noted.state, ...noted.notes, required.state, errorOf(required)].map((text) => text.replaceAll(stack, 'ID')));
  }
  assert.deepEqual(told[0], told[1]);
  assert.deepEqual([told[0][0], told[0].at(-2)], ['FINISHED', 'ERROR']);
});
