// What an import of nodes leaves alone, and tells nobody of: nodes of the branch that its starter may not READ are as if they were
// not there, and what it may not write is written by no detour (docs/reference/nodes_transfer.md).
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { endedJob, errorOf } from '../../../tests/support/ended_job.mjs';
import { SteleServer } from '../../../tests/support/stele_server.mjs';
import { archiveOf } from '../../../tests/support/zip_archive.mjs';

const kNowhere = 'abcdefabcdefabcdefab';
let server;
let platform;
let numbers = 0;
before(async () => {
  server = await SteleServer.start();
  platform = (await admin('GET', '/'))._doc;
  // A role on a branch shows none of its nodes.
  await admin('POST', '/roles', { roleKey: 'bringer', permissions: ['CONNECT', 'READ', 'UPDATE', 'CREATE_SUBOBJECTS'] });
});
after(() => server.end());

const admin = (...request) => server.admin(...request);
const make = async (path, fields = {}) => (await admin('POST', path, fields))._doc;
const child = (filename) => ({ 'f:filename': { filename } });
const container = { 'f:container': {} };

/// A branch, and somebody who may bring nodes into it.
async function place() {
  const repository = await make('/repositories');
  const branch = `/repositories/${repository}/branches/master`;
  const { _doc: master } = await admin('GET', branch);
  const name = `n${++numbers}`;
  const { _doc: user } = await server.makeUser(name);
  const token = await server.login(name, `secret-of-${name}`);
  const grant = (path, role) => admin('POST', `${path}/authorities/${role}/grant?id=default/${name}`);
  await grant('/vaults/primary', 'contributor');
  await grant(`/repositories/${repository}`, 'connector');
  await grant(branch, 'bringer');
  const ask = (method, path, body, headers) => server.request(method, path, { token, body, headers });
  const node = (id) => `${branch}/nodes/${id}`;
  const isHidden = async (id) => assert.equal((await ask('GET', node(id))).status, 404);
  const count = async (query) => (await admin('POST', `${branch}/nodes/query`, query)).total_rows;
  return { repository, branch, master, name, user, ask, grant, node, isHidden, count };
}
const association = (type, source, target, fields = {}) => ({ _type: type, source, target, directionality: 'DIRECTED', ...fields });

/// What comes of an import of records by their ids, each `{fields, acl}` or the fields alone; of the nodes `subjects`, or the branch.
async function imported({ repository, master, branch, ask }, records, settings = {}, { into = branch, subjects = undefined } = {}) {
  const artifact = `nodes-${++numbers}`;
  const folder = `platforms/${platform}/repositories/${repository}`;
  const files = { [`${folder}/branches/${master}/branch.json`]: JSON.stringify({ _doc: master, tip: '0:1' }) };
  for (const [id, { acl, ...fields }] of Object.entries(records)) {
    const at = `${folder}/changesets/0_1/nodes/${id}`;
    files[`${at}/${fields.source ? 'association' : 'node'}.json`] = JSON.stringify({ _doc: id, ...fields });
    if (acl) files[`${at}/acl.json`] = JSON.stringify(acl);
  }
  const link = (typeId, id) => ({ typeId, id, key: `${typeId}:${id}` });
  const around = [link('platform', platform), link('repository', repository), link('branch', master)];
  const sources = subjects ? subjects.map((id) => [...around, link('node', id)]) : [around];
  const bytes = archiveOf({ model: '3.0.0', group: 'nodes', artifact, version: '1', tipChangesetOnly: true, sources }, files);
  const reply = await ask('POST', '/vaults/primary/archives', bytes, { 'Content-Type': 'application/zip' });
  assert.equal(reply.status, 200, reply.text);
  const started = await ask('POST', `${into}/import?group=nodes&artifact=${artifact}&version=1`, settings);
  assert.equal(started.status, 200, started.text);
  return endedJob(admin, started.json._doc);
}
function finished(job, wanted = {}) {
  assert.equal(job.state, 'FINISHED', errorOf(job));
  assert.deepEqual({ created: job.created, updated: job.updated }, { created: job.created, updated: job.updated, ...wanted });
}

test('an association leads to no node that its importer may not READ, and is told as one that leads nowhere', async () => {
  const at = await place();
  const hidden = await make(`${at.branch}/nodes`, { title: 'hidden' });
  await at.isHidden(hidden);
  const told = [];
  for (const target of [hidden, kNowhere]) {
    const job = await imported(at, { one: { _type: 'n:node', title: 'brought' }, way: association('a:linked', 'one', target), back: association('a:linked', target, 'one') });
    finished(job, { updated: 0 });
    told.push([job.created, job.skipped, job.notes.map((note) => note.replaceAll(target, 'ID'))]);
  }
  assert.equal(told[0][2].length, 2);
  assert.match(told[0][2][0], /leads to ID, which neither comes nor is here/);
  assert.deepEqual(told[0], told[1]);
  const links = (await admin('GET', `${at.node(hidden)}/associations?limit=-1`)).rows;
  assert.deepEqual(links.filter(({ _type }) => _type === 'a:linked'), []);
  await at.grant(at.node(hidden), 'consumer');
  finished(await imported(at, { one: { _type: 'n:node', title: 'brought' }, way: association('a:linked', 'one', hidden) }));
  const shown = (await admin('GET', `${at.node(hidden)}/associations?limit=-1`)).rows;
  assert.equal(shown.filter(({ _type }) => _type === 'a:linked').length, 1);
});

test('an association leads to no person that its importer may not READ, though it stands for one of the archive', async () => {
  const at = await place();
  // Whoever writes to a branch has a person there.
  await make(`${at.branch}/nodes`, { title: 'makes a person' });
  const [person] = (await admin('POST', `${at.branch}/nodes/query`, { _type: 'n:person' })).rows;
  await at.isHidden(person._doc);
  const records = { who: { _type: 'n:person', 'principal-domain': person['principal-domain'], 'principal-id': person['principal-id'] },
                    one: { _type: 'n:node', title: 'brought' }, way: association('a:linked', 'one', 'who') };
  const linked = async () => (await admin('GET', `${at.node(person._doc)}/associations?limit=-1`)).rows.filter(({ _type }) => _type === 'a:linked').length;
  const job = await imported(at, records);
  finished(job, { created: 1 });
  assert.ok(job.notes.some((note) => /way leads to who, which neither comes nor is here/.test(note)), job.notes.join('\n'));
  assert.equal(await linked(), 0);
  await at.grant(at.node(person._doc), 'consumer');
  finished(await imported(at, records));
  assert.equal(await linked(), 1);
});

test('an association is made for those only who may write to its ends', async () => {
  for (const [type, end, role] of [['a:linked', 'source', 'editor'], ['a:child', 'source', 'contributor'], ['a:child', 'target', 'owner']]) {
    const at = await place();
    const present = await make(`${at.branch}/nodes`, { title: 'present', _features: container });
    await at.grant(at.node(present), 'consumer');
    const records = { one: { _type: 'n:node', title: 'brought', _features: container },
                      way: end === 'source' ? association(type, present, 'one') : association(type, 'one', present) };
    const refused = await imported(at, records);
    assert.equal(refused.state, 'ERROR', `${type} ${end}`);
    assert.match(errorOf(refused), /is needed for this/);
    assert.equal(await at.count({ title: 'brought' }), 0);
    await at.grant(at.node(present), role);
    finished(await imported(at, records), { created: 1 });
  }
});

test('a key finds no node that its importer may not READ', async () => {
  const at = await place();
  const keyed = { _type: 'n:node', _key: 'salary', _existing: { _key: 'salary' } };
  await imported({ ...at, ask: (method, path, body, headers) => server.request(method, path, { token: server.adminToken, body, headers }) },
    { there: { ...keyed, title: 'hidden' } });
  const [{ _doc: hidden }] = (await admin('POST', `${at.branch}/nodes/query`, { title: 'hidden' })).rows;
  await at.isHidden(hidden);
  finished(await imported(at, { one: { ...keyed, title: 'brought' } }), { created: 1, updated: 0 });
  assert.deepEqual([await at.count({ title: 'hidden' }), await at.count({ title: 'brought' })], [1, 1]);
  // One that it may READ is found, and needs UPDATE.
  await admin('DELETE', at.node((await admin('POST', `${at.branch}/nodes/query`, { title: 'brought' })).rows[0]._doc));
  await at.grant(at.node(hidden), 'editor');
  finished(await imported(at, { one: { ...keyed, title: 'brought' } }), { created: 0, updated: 1 });
  assert.equal((await admin('GET', at.node(hidden))).title, 'brought');
});

test('a name finds no member of a folder that the importer may not READ', async () => {
  const at = await place();
  const { _doc: root } = await admin('GET', at.node('root'));
  const hidden = await make(`${at.branch}/nodes?parentFolderPath=/`, { title: 'hidden', _features: child('report.txt') });
  // With READ the role would reach the members.
  await admin('POST', '/roles', { roleKey: 'placer', permissions: ['UPDATE', 'CREATE_SUBOBJECTS'] });
  await at.grant(at.node(root), 'placer');
  await at.isHidden(hidden);
  const bring = (title) => imported(at, { top: { _type: 'n:root', _qname: 'r:root' }, one: { _type: 'n:node', title, _features: child('report.txt') },
    way: association('a:child', 'top', 'one') }, { strategy: 'COPY_EVERYTHING', copyOnExisting: false });
  finished(await bring('brought'), { created: 1, updated: 0 });
  assert.deepEqual([await at.count({ title: 'hidden' }), await at.count({ title: 'brought' })], [1, 1]);
  // One that it may READ is found.
  await at.grant(at.node(hidden), 'editor');
  finished(await bring('found'), { created: 0, updated: 1 });
  assert.equal((await admin('GET', at.node(hidden))).title, 'found');
});

test('a node comes to lie in a folder for those only who have CREATE_SUBOBJECTS on it', async () => {
  const at = await place();
  const folder = await make(`${at.branch}/nodes`, { title: 'folder', _features: container });
  await at.grant(at.node(folder), 'editor');
  const bring = () => imported(at, { one: { _type: 'n:node', title: 'brought' } }, {}, { into: at.node(folder), subjects: ['one'] });
  const refused = await bring();
  assert.equal(refused.state, 'ERROR');
  assert.match(errorOf(refused), /CREATE_SUBOBJECTS on node/);
  assert.equal(await at.count({ title: 'brought' }), 0);
  await at.grant(at.node(folder), 'contributor');
  finished(await bring(), { created: 1 });
  assert.equal((await admin('GET', `${at.node(folder)}/children`)).total_rows, 1);
});

test('who may not change rights on a node learns by no import who holds them', async () => {
  const at = await place();
  const node = await make(`${at.branch}/nodes`, { title: 'open' });
  await at.grant(at.node(node), 'editor');
  const { _doc: other } = await server.makeUser(`n${++numbers}`);
  await admin('POST', `${at.node(node)}/authorities/consumer/grant?id=default/${other}`);
  const told = [];
  for (const [name, role] of [[`n${numbers}`, 'consumer'], [`n${numbers}`, 'manager'], ['nobody-of-that-name', 'consumer']]) {
    const acl = [{ type: 'USER', domain: 'default', name, authorities: [role] }];
    const { title, _type } = await admin('GET', at.node(node));
    const job = await imported(at, { [node]: { _type, title, acl } }, { strategy: 'CLONE' });
    told.push([job.state, errorOf(job).replace(/[0-9a-f]{20}/g, 'ID')]);
  }
  assert.equal(told[0][0], 'ERROR');
  assert.match(told[0][1], /MODIFY_PERMISSIONS/);
  assert.deepEqual(told.slice(1), [told[0], told[0]]);
});

test('a node that was deleted and comes back by its id is whose it was', async () => {
  const at = await place();
  const { json: made } = await at.ask('POST', `${at.branch}/nodes`, { title: 'made' });
  const before_ = (await admin('GET', at.node(made._doc)))._system;
  assert.equal(before_.created_by_principal_id, at.user);
  await admin('DELETE', at.node(made._doc));
  const boss = { ...at, ask: (method, path, body, headers) => server.request(method, path, { token: server.adminToken, body, headers }) };
  finished(await imported(boss, { [made._doc]: { _type: 'n:node', title: 'back' } }, { strategy: 'CLONE' }), { created: 1 });
  const back = await admin('GET', at.node(made._doc));
  assert.deepEqual([back.title, back._system.created_by_principal_id, back._system.created_on.ms], ['back', at.user, before_.created_on.ms]);
  assert.equal(back._system.modified_by, 'admin');
  // What it was before is one of its versions.
  const versions = (await admin('GET', `${at.node(made._doc)}/versions`)).rows;
  assert.ok(versions.some(({ title }) => title === 'made'), JSON.stringify(versions.map(({ title }) => title)));
});
