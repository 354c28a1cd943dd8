// Copies of nodes and associations across branches and repositories, and what they take along
// (docs/specification/nodes.md 18.2, docs/specification/merge_and_transfer.md 4.2, docs/reference/nodes_folders.md).
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { endedJob, errorOf } from '../../../tests/support/ended_job.mjs';
import { SteleServer } from '../../../tests/support/stele_server.mjs';

let server;
const tokens = {};
before(async () => {
  server = await SteleServer.start();
  await server.makeUser('editor');
  await server.makeUser('reader');
  for (const name of ['editor', 'reader']) tokens[name] = await server.login(name, `secret-of-${name}`);
});
after(() => server.end());

const admin = (...args) => server.admin(...args);
const as = (name, method, path, body) =>
  server.request(method, path, { token: tokens[name] ?? server.adminToken, body: body ?? (method === 'GET' ? undefined : {}) });

/// A repository with its master and a fork that shows nothing of it.
class Place {
  static async make() {
    const place = new Place();
    place.id = (await admin('POST', '/repositories', {}))._doc;
    place.master = `/repositories/${place.id}/branches/master`;
    place.forkId = (await admin('POST', `/repositories/${place.id}/branches?branch=master&changeset=0:root`, {}))._doc;
    place.fork = `/repositories/${place.id}/branches/${place.forkId}`;
    return place;
  }
  chain(branch, id, typeId = 'node') {
    return [{ typeId: 'repository', id: this.id }, { typeId: 'branch', id: branch }, ...(id ? [{ typeId, id }] : [])];
  }
}
let here;
let there;
beforeEach(async () => { [here, there] = [await Place.make(), await Place.make()]; });

const make = async (branch, fields = {}, query = '') => (await admin('POST', `${branch}/nodes${query}`, fields))._doc;
const read = (branch, id) => admin('GET', `${branch}/nodes/${id}`);
const statusOf = async (branch, id) => (await as('admin', 'GET', `${branch}/nodes/${id}`)).status;
const associate = async (branch, from, to, type = 'a:linked', fields = {}) =>
  (await admin('POST', `${branch}/nodes/${from}/associate?node=${to}&type=${type}`, fields))._doc;
const between = async (branch, from, type) =>
  (await admin('GET', `${branch}/nodes/${from}/outgoing?type=${type}`)).rows.map(({ _doc, target }) => [_doc, target]);
async function attach(branch, id, text) {
  const reply = await server.request('POST', `${branch}/nodes/${id}/attachments/default`, { token: server.adminToken, body: text, headers: { 'Content-Type': 'text/plain' } });
  assert.equal(reply.status, 200, reply.text);
}
const attached = async (branch, id) => {
  const { status, text } = await server.request('GET', `${branch}/nodes/${id}/attachments/default`, { token: server.adminToken });
  return status === 200 ? text : status;
};

/// The ended job of a copy by chains.
async function copied(sources, targets, configuration = {}, name = 'admin') {
  const started = await as(name, 'POST', '/tools/copy', { sources, targets, configuration });
  assert.equal(started.status, 200, started.text);
  return endedJob(admin, started.json._doc);
}
async function copyOf(...request) {
  const job = await copied(...request);
  assert.equal(job.state, 'FINISHED', errorOf(job));
  assert.equal(job.imports[0].targets.at(-1).id, job._result.copied);
  return job._result.copied;
}
async function failure(...request) {
  const job = await copied(...request);
  assert.equal(job.state, 'ERROR');
  return errorOf(job);
}
/// Lets a user make nodes on a branch, and read what it is given or has made.
async function letMake(name, place, branch = place.master) {
  await admin('POST', `/repositories/${place.id}/authorities/connector/grant?id=default/${name}`);
  await admin('POST', `${branch}/authorities/contributor/grant?id=default/${name}`);
}
const grant = (branch, id, role, name) => admin('POST', `${branch}/nodes/${id}/authorities/${role}/grant?id=default/${name}`);

test('a copy of a folder goes to another branch and to another repository, with what lies in it', async () => {
  const folder = await make(here.master, { title: 'folder', _features: { 'f:container': {} } });
  const file = await make(here.master, { title: 'file' });
  await associate(here.master, folder, file, 'a:child');
  await attach(here.master, file, 'its text');
  const copy = (parameters) => admin('POST', `${here.master}/nodes/${folder}/copy?targetNodeId=root&${parameters}`);
  for (const [parameters, branch] of [[`targetBranchId=${here.forkId}`, here.fork], [`targetRepositoryId=${there.id}`, there.master],
                                      [`targetRepositoryId=${there.id}&targetBranchId=${there.forkId}`, there.fork]]) {
    const { _doc, title, ok } = await copy(parameters);
    assert.deepEqual([title, ok], ['folder', true]);
    assert.equal((await admin('GET', `${branch}/nodes/${_doc}/path`)).path, '/folder');
    const [[, inner]] = await between(branch, _doc, 'a:child');
    assert.ok(inner !== file && _doc !== folder);
    assert.equal(await attached(branch, inner), 'its text');
    assert.equal(await statusOf(here.master, _doc), 404);
  }
  assert.deepEqual((await between(here.master, 'root', 'a:child')).length, 0);
});

test('a copy to another branch may be a clone, or a job', async () => {
  const node = await make(here.master, { title: 'one', value: 1 });
  const to = `targetNodeId=root&targetBranchId=${here.forkId}&strategy=CLONE`;
  assert.equal((await admin('POST', `${here.master}/nodes/${node}/copy?${to}`))._doc, node);
  await admin('PUT', `${here.master}/nodes/${node}`, { title: 'one', value: 2 });
  const job = await endedJob(admin, (await admin('POST', `${here.master}/nodes/${node}/copy/start?${to}`))._doc);
  assert.deepEqual([job.state, job._result.copied, (await read(here.fork, node)).value], ['FINISHED', node, 2], errorOf(job));
  assert.equal((await as('admin', 'POST', `${here.master}/nodes/${node}/copy?targetNodeId=root&strategy=OTHER`)).status, 400);
});

test('who copies to a branch has to read it, and to be allowed to make nodes there', async () => {
  const node = await make(here.master, { title: 'one' });
  await letMake('editor', here);
  await grant(here.master, node, 'consumer', 'editor');
  const copy = (target, action = 'copy') => as('editor', 'POST', `${here.master}/nodes/${node}/${action}?targetNodeId=root&${target}`);
  // A branch that they may not know looks like one that is not there.
  const said = async (target, id) => {
    const { status, json } = await copy(target);
    return [status, json.code, json.message.replaceAll(id, 'ID')];
  };
  const none = '0123456789abcdef0123';
  const unknown = await said(`targetBranchId=${none}`, none);
  assert.deepEqual(unknown, [404, 'nodes.branch_unknown', 'there is no branch ID']);
  assert.deepEqual(await said(`targetBranchId=${here.forkId}`, here.forkId), unknown);
  assert.deepEqual(await said(`targetRepositoryId=${there.id}`, there.id), await said(`targetRepositoryId=${none}`, none));
  await admin('POST', `${here.fork}/authorities/consumer/grant?id=default/editor`);
  await admin('POST', `${here.fork}/nodes/root/authorities/contributor/grant?id=default/editor`);
  const refused = await copy(`targetBranchId=${here.forkId}`);
  assert.deepEqual([refused.status, refused.json.message], [403, 'CREATE_SUBOBJECTS on the branch is needed for this'], refused.text);
  await letMake('editor', here, here.fork);
  const target = (await as('editor', 'POST', `${here.fork}/nodes`, { title: 'target' })).json._doc;
  const own = await as('editor', 'POST', `${here.master}/nodes/${node}/copy?targetNodeId=${target}&targetBranchId=${here.forkId}`);
  assert.equal(own.status, 200, own.text);
  assert.equal((await read(here.fork, own.json._doc))._system.created_by, 'editor');
  // What they may not read of the source is not copied to where they may read everything.
  const hidden = await make(here.master, { title: 'hidden' });
  assert.equal((await as('editor', 'POST', `${here.master}/nodes/${hidden}/copy?targetNodeId=${target}&targetBranchId=${here.forkId}`)).status, 404);
});

/// Two nodes of a branch that another one has, too, and an association between them with an attachment.
async function joined() {
  const [one, two] = [await make(here.master, { title: 'one' }), await make(here.master, { title: 'two' })];
  for (const node of [one, two]) await admin('POST', `${here.fork}/copyfrom?id=master`, { nodeIds: [node], excludeAssociationTypes: true });
  const link = await associate(here.master, one, two, 'a:linked', { note: 'first' });
  await attach(here.master, link, 'of the link');
  return { one, two, link };
}

test('an association is copied alone to another branch, between the same ends', async () => {
  const { one, two, link } = await joined();
  const to = (strategy) => copyOf(here.chain('master', link, 'association'), here.chain(here.forkId), { strategy });
  const copy = await to('COPY_EVERYTHING');
  assert.notEqual(copy, link);
  assert.equal(await to('CLONE'), link);
  assert.deepEqual((await between(here.fork, one, 'a:linked')).sort(), [[copy, two], [link, two]].sort());
  for (const id of [copy, link]) {
    const { source, target, note, directionality } = await read(here.fork, id);
    assert.deepEqual([source, target, note, directionality], [one, two, 'first', 'DIRECTED']);
    assert.equal(await attached(here.fork, id), 'of the link');
  }
  // A clone is brought up to date, and nothing else.
  await admin('PUT', `${here.master}/nodes/${link}`, { note: 'second' });
  await attach(here.master, link, 'of the link, later');
  assert.equal(await to('CLONE'), link);
  assert.deepEqual([(await read(here.fork, link)).note, await attached(here.fork, link)], ['second', 'of the link, later']);
  assert.deepEqual([(await read(here.fork, copy)).note, await attached(here.fork, copy)], ['first', 'of the link']);
  assert.equal((await between(here.fork, one, 'a:linked')).length, 2);
});

test('the job of a copied association names it by its own type and reference', async () => {
  const { link } = await joined();
  const started = await admin('POST', '/tools/copy', { sources: here.chain('master', link, 'association'), targets: here.chain(here.forkId) });
  const { imports } = await endedJob(admin, started._doc);
  const [source, target] = [imports[0].sources.at(-1), imports[0].targets.at(-1)];
  assert.deepEqual([source.typeId, source.id, target.typeId], ['association', link, 'association']);
  // What it answers is a chain that it takes.
  const again = await copyOf([...here.chain('master'), source], here.chain(here.forkId), { copyOnExisting: false });
  assert.equal(again, target.id);
});

test('an association whose end is not there is refused, and the end is named', async () => {
  const { one, two, link } = await joined();
  const toOther = () => failure(here.chain('master', link, 'association'), there.chain('master'));
  assert.match(await toOther(), new RegExp(`no node ${one}, which is the source`));
  await admin('POST', `${there.master}/copyfrom`, { id: 'master', sourceRepositoryId: here.id, nodeIds: [one] });
  assert.match(await toOther(), new RegExp(`no node ${two}, which is the target`));
  // Substitutions name other ends.
  const other = await make(there.master, { title: 'stands for two' });
  const copy = await copyOf(here.chain('master', link, 'association'), there.chain('master'), { substitutions: { [two]: other } });
  assert.deepEqual(await between(there.master, one, 'a:linked'), [[copy, other]]);
});

test('an association is copied within its branch as often as it is asked for, or brought up to date', async () => {
  const { one, two, link } = await joined();
  const again = (configuration) => copyOf(here.chain('master', link, 'association'), here.chain('master'), configuration);
  const copies = [await again({}), await again({})];
  assert.equal(new Set([link, ...copies]).size, 3);
  assert.equal((await between(here.master, one, 'a:linked')).length, 3);
  await admin('PUT', `${here.master}/nodes/${link}`, { note: 'second' });
  assert.equal(await again({ copyOnExisting: false }), copies[1]);
  assert.deepEqual([(await read(here.master, copies[1])).note, (await read(here.master, copies[0])).note], ['second', 'first']);
  const child = await associate(here.master, one, two, 'a:child');
  assert.match(await failure(here.chain('master', child, 'association'), here.chain('master')), /two/);
  assert.equal((await between(here.master, one, 'a:child')).length, 1);
});

test('an association with a node as the target begins there', async () => {
  const { two, link } = await joined();
  const other = await make(here.master, { title: 'other' });
  const copy = await copyOf(here.chain('master', link, 'association'), here.chain('master', other));
  assert.deepEqual(await between(here.master, other, 'a:linked'), [[copy, two]]);
  const called = await admin('POST', `${here.master}/nodes/${link}/copy?targetNodeId=${other}`);
  assert.deepEqual([called.source, called.target, called.note], [other, two, 'first']);
  assert.match(await failure(here.chain('master', link, 'association'), here.chain('master', other), { strategy: 'CLONE' }), /clone of an association/);
  assert.match(await failure(here.chain('master', link, 'association'), here.chain('master', copy)), /from node to node/);
  const child = await associate(here.master, other, two, 'a:child');
  const folder = await make(here.master, { title: 'folder' });
  await copyOf(here.chain('master', child, 'association'), here.chain('master', folder));
  assert.deepEqual((await between(here.master, folder, 'a:child')).map(([, target]) => target), [two]);
});

test('what the server keeps of a node is no association to copy', async () => {
  const node = await make(here.master, { title: 'one' });
  await admin('POST', `${here.master}/nodes/${node}/lock`);
  await admin('POST', `${here.master}/nodes/${node}/mount/key`);
  const rows = (await admin('GET', `${here.master}/nodes/${node}/incoming`)).rows.filter(({ _type }) => ['a:has_lock', 'a:has_mount'].includes(_type));
  assert.deepEqual(rows.map(({ _type }) => _type).sort(), ['a:has_lock', 'a:has_mount']);
  for (const { _doc, _type } of rows) {
    assert.match(await failure(here.chain('master', _doc, 'association'), here.chain('master', node)), /is not copied/, _type);
  }
});

test('what stands for what a node says is no association to copy', async () => {
  await make(here.master, { _type: 'd:type', _qname: 'custom:naming', properties: { named: { type: 'object', _relator: { associationType: 'my:by' } } } });
  const other = await make(here.master, { title: 'other' });
  const node = await make(here.master, { _type: 'custom:naming', named: { id: other }, tags: ['word'], _features: { 'f:taggable': {} } });
  for (const type of ['my:by', 'a:has_tag']) {
    const [[link]] = await between(here.master, node, type);
    assert.match(await failure(here.chain('master', link, 'association'), here.chain('master')), /comes with the node/, type);
    assert.equal((await between(here.master, node, type)).length, 1);
  }
});

test('who copies an association needs what making it needs', async () => {
  const { one, two, link } = await joined();
  await letMake('editor', here);
  await letMake('editor', here, here.fork);
  for (const node of [one, two]) await grant(here.master, node, 'consumer', 'editor');
  await grant(here.master, link, 'consumer', 'editor');
  const copy = async () => {
    const job = await copied(here.chain('master', link, 'association'), here.chain(here.forkId), {}, 'editor');
    return job.state === 'FINISHED' ? job._result.copied : errorOf(job);
  };
  // An end that they may not read is not there.
  assert.match(await copy(), new RegExp(`no node ${one}`));
  await grant(here.fork, one, 'consumer', 'editor');
  assert.match(await copy(), new RegExp(`no node ${two}`));
  await grant(here.fork, two, 'consumer', 'editor');
  assert.match(await copy(), new RegExp(`UPDATE on node ${one} is needed`));
  await grant(here.fork, one, 'editor', 'editor');
  const made = await copy();
  assert.deepEqual(await between(here.fork, one, 'a:linked'), [[made, two]]);
  assert.equal((await read(here.fork, made))._system.created_by, 'editor');
  // Nor may others copy what they may not read.
  assert.match(await failure(here.chain('master', link, 'association'), here.chain(here.forkId), {}, 'reader'), /there is no branch/);
});

test('copies come without attachments where they are told so, and keep those that they have', async () => {
  const node = await make(here.master, { title: 'one' });
  await attach(here.master, node, 'first');
  const copy = (configuration) => copyOf(here.chain('master', node), there.chain('master'), { copyOnExisting: false, ...configuration });
  const id = await copy({ includeAttachments: false });
  assert.equal(await attached(there.master, id), 404);
  assert.equal(await copy({}), id);
  assert.equal(await attached(there.master, id), 'first');
  await attach(here.master, node, 'second');
  for (const flag of ['includeBinaries', 'includeAttachments', 'copyBinaries', 'copyAttachments']) {
    assert.equal(await copy({ [flag]: 'false' }), id);
    assert.equal(await attached(there.master, id), 'first', flag);
  }
});

test('copies say where they come from where that is asked for', async () => {
  const { link } = await joined();
  const node = await make(here.master, { title: 'one' });
  const sourceOf = async (id) => (await read(here.fork, id))._source_doc;
  for (const [type, id] of [['node', node], ['association', link]]) {
    const copy = (configuration) => copyOf(here.chain('master', id, type), here.chain(here.forkId), configuration);
    assert.equal(await sourceOf(await copy({})), undefined);
    assert.equal(await sourceOf(await copy({ includeSourceIds: true })), id);
    const clone = await copy({ strategy: 'CLONE', includeSourceIds: true });
    assert.equal(await sourceOf(clone), id);
  }
});

test('substitutions replace whole texts of what is copied', async () => {
  const node = await make(here.master, { title: 'old', parts: ['old', 'older', { name: 'old' }] });
  const { title, parts } = await read(there.master, await copyOf(here.chain('master', node), there.chain('master'), { substitutions: { old: 'new' } }));
  assert.deepEqual([title, parts], ['new', ['new', 'older', { name: 'new' }]]);
  const asText = await copyOf(here.chain('master', node), there.chain('master'), { substitutions: '{"older":"young"}' });
  assert.deepEqual((await read(there.master, asText)).parts, ['old', 'young', { name: 'old' }]);
  const refused = await as('admin', 'POST', '/tools/copy', { sources: here.chain('master', node), targets: there.chain('master'),
    configuration: { substitutions: { old: 1 }, includeACLs: 'perhaps', copyOnExisting: 3 } });
  assert.equal(refused.status, 400, refused.text);
  assert.deepEqual(refused.json.violations.map(({ code, path, field }) => [code, path ?? field]).sort(),
    ['copyOnExisting', 'includeACLs', 'substitutions'].map((name) => ['nodes.copy_setting_malformed', name]));
});

test('a substitution gives nobody an association on what they may not change', async () => {
  const [one, two] = [await make(here.master, { title: 'one' }), await make(here.master, { title: 'two' })];
  const theirs = await make(here.master, { title: 'theirs' });
  await associate(here.master, one, two, 'a:child');
  const link = await associate(here.master, one, two);
  await letMake('editor', here);
  for (const node of [one, two, theirs, link]) await grant(here.master, node, 'consumer', 'editor');
  for (const [type, id] of [['node', one], ['association', link]]) {
    const said = await failure(here.chain('master', id, type), here.chain('master'), { substitutions: { [one]: theirs } }, 'editor');
    assert.match(said, new RegExp(`on node ${theirs} is needed`), type);
  }
  assert.deepEqual(await between(here.master, theirs, 'a:linked'), []);
});

test('what properties name comes along where that is asked for, and is required where that is', async () => {
  const define = (branch) => make(branch, { _type: 'd:type', _qname: 'custom:naming', properties: { named: { type: 'object', _relator: { associationType: 'my:by' } } } });
  await define(here.master);
  await define(there.master);
  const other = await make(here.master, { title: 'other' });
  const node = await make(here.master, { _type: 'custom:naming', named: { id: other } });
  const to = [here.chain('master', node), there.chain('master')];
  assert.match(await failure(...to, { requireAllIncludes: true }), new RegExp(`"named" of node ${node} names ${other}`));
  const copy = await copyOf(...to, { requireAllIncludes: true, contentIncludeRelators: true });
  const [[, target]] = await between(there.master, copy, 'my:by');
  assert.deepEqual([(await read(there.master, target)).title, (await read(there.master, copy)).named.id], ['other', target]);
  assert.notEqual(target, other);
  // By a substitution it is there.
  const stand = await make(there.master, { title: 'stand-in' });
  const pointed = await copyOf(...to, { requireAllIncludes: true, substitutions: { [other]: stand } });
  assert.deepEqual((await between(there.master, pointed, 'my:by')).map(([, id]) => id), [stand]);
  // What an association stands for is no text of a client.
  const renamed = await copyOf(...to, { contentIncludeRelators: true, substitutions: { named: 'other', title: 'other' } });
  const [[link]] = await between(there.master, renamed, 'my:by');
  assert.match(await failure(there.chain('master', link, 'association'), there.chain('master')), /comes with the node/);
  assert.equal((await admin('PUT', `${there.master}/nodes/${renamed}`, { title: 'names nobody', named: null })).ok, true);
  assert.deepEqual(await between(there.master, renamed, 'my:by'), []);
});

test('associations with others come along where that is asked for, but no place in a folder', async () => {
  const [node, other, folder] = await Promise.all(['node', 'other', 'folder'].map((title) => make(here.master, { title })));
  await associate(here.master, node, other, 'my:out');
  await associate(here.master, other, node, 'my:in');
  await associate(here.master, folder, node, 'a:child');
  const counts = async (id) => (await admin('GET', `${here.master}/nodes/${id}/associations`)).rows.map(({ _type }) => _type).filter((type) => !type.startsWith('a:created')).sort();
  const alone = await copyOf(here.chain('master', node), here.chain('master'));
  const related = await copyOf(here.chain('master', node), here.chain('master'), { contentIncludeRelatingAssociations: true });
  assert.deepEqual((await counts(alone)).filter((type) => type.startsWith('my:') || type === 'a:child'), []);
  assert.deepEqual((await counts(related)).filter((type) => type.startsWith('my:') || type === 'a:child'), ['my:in', 'my:out']);
});

test('copies go past the protection of a branch to whoever may update it, where that is asked for', async () => {
  const node = await make(here.master, { title: 'one' });
  const target = (await make(here.fork, { title: 'target' }));
  await admin('PUT', here.fork, { blockDirectCommits: true });
  await admin('POST', `/repositories/${here.id}/authorities/connector/grant?id=default/editor`);
  await grant(here.master, node, 'consumer', 'editor');
  await letMake('editor', here, here.fork);
  await grant(here.fork, target, 'collaborator', 'editor');
  await admin('POST', `${here.master}/authorities/consumer/grant?id=default/editor`);
  const to = [here.chain('master', node), here.chain(here.forkId, target)];
  await failure(...to, {});
  assert.match(await failure(...to, { allowWriteToFrozenBranches: true }, 'editor'), /UPDATE on the branch/);
  const copy = await copyOf(...to, { allowWriteToFrozenBranches: true });
  assert.equal((await read(here.fork, copy)).title, 'one');
});

test('grants are given on copies where that is asked for, and never more than whoever copies has there', async () => {
  const [node, target] = [await make(here.master, { title: 'one' }), await make(here.master, { title: 'target' })];
  await letMake('editor', here);
  await letMake('reader', here);
  await grant(here.master, node, 'consumer', 'reader');
  const to = [here.chain('master', node), here.chain('master')];
  const readerReads = async (id) => (await as('reader', 'GET', `${here.master}/nodes/${id}`)).status;
  assert.equal(await readerReads(await copyOf(...to, {})), 404);
  assert.equal(await readerReads(await copyOf(...to, { includeACLs: true })), 200);
  // The grants of a node are known to those who may CONNECT to it.
  await grant(here.master, node, 'consumer', 'editor');
  const own = await copyOf(...to, { includeACLs: true, copyOnExisting: false }, 'editor');
  assert.equal(await readerReads(own), 200);
  const silent = await make(here.master, { title: 'silent' });
  await grant(here.master, silent, 'consumer', 'reader');
  await admin('POST', `/repositories/${here.id}/roles`, { roleKey: 'looks', permissions: ['READ'] });
  await grant(here.master, silent, 'looks', 'editor');
  assert.equal(await readerReads(await copyOf(here.chain('master', silent), here.chain('master'), { includeACLs: true }, 'editor')), 404);
  // What they may not give, on a copy that is another's, ends the copy.
  const theirs = await copyOf(here.chain('master', node), here.chain('master', target));
  await grant(here.master, target, 'contributor', 'editor');
  await grant(here.master, theirs, 'editor', 'editor');
  const again = (configuration) => copied(here.chain('master', node), here.chain('master', target), { copyOnExisting: false, ...configuration }, 'editor');
  assert.equal((await again({})).state, 'FINISHED');
  assert.match(errorOf(await again({ includeACLs: true })), new RegExp(`MODIFY_PERMISSIONS on node ${theirs} is needed`));
  assert.equal(await readerReads(theirs), 404);
  await grant(here.master, theirs, 'manager', 'editor');
  await grant(here.master, node, 'owner', 'reader');
  assert.match(errorOf(await again({ includeACLs: true })), new RegExp(`the role owner on node ${theirs} is more than you have`));
  await admin('POST', `${here.master}/nodes/${node}/authorities/owner/revoke?id=default/reader`);
  assert.equal((await again({ includeACLs: true })).state, 'FINISHED');
  assert.equal(await readerReads(theirs), 200);
});

test('a substitution joins copies with nothing that whoever copies may not read', async () => {
  const [one, two, hidden] = [await make(here.master, { title: 'one' }), await make(here.master, { title: 'two' }), await make(here.master, { title: 'hidden' })];
  const link = await associate(here.master, one, two);
  await letMake('editor', here);
  for (const node of [one, two, link]) await grant(here.master, node, 'collaborator', 'editor');
  assert.equal((await as('editor', 'GET', `${here.master}/nodes/${hidden}`)).status, 404);
  for (const end of [one, two]) {
    for (const stand of [hidden, '0123456789abcdef0123']) {
      const job = await copied(here.chain('master', end), here.chain('master'), { contentIncludeRelatingAssociations: true, substitutions: { [end]: stand } }, 'editor');
      assert.equal(job.state, 'FINISHED', errorOf(job));
    }
  }
  assert.equal((await admin('GET', `${here.master}/nodes/${hidden}/associations?type=a:linked&direction=ANY`)).total_rows, 0);
});

test('a substitution makes no association that the server alone makes, and gives none another name', async () => {
  const [folder, inner, other] = [await make(here.master, { title: 'folder' }), await make(here.master, { title: 'inner' }), await make(here.master, { title: 'other' })];
  await associate(here.master, folder, inner, 'a:child');
  const link = await associate(here.master, inner, other);
  for (const type of ['a:has_lock', 'a:has_mount', 'a:has_tag']) {
    assert.match(await failure(here.chain('master', link, 'association'), here.chain('master'), { substitutions: { 'a:linked': type } }), /made by the server only/);
    const copy = await copyOf(here.chain('master', folder), here.chain('master'), { contentIncludeRelatingAssociations: true, substitutions: { 'a:linked': type } });
    const [[, child]] = await between(here.master, copy, 'a:child');
    assert.deepEqual(await between(here.master, child, type), []);
  }
  await admin('POST', '/tools/copy', { sources: here.chain('master', folder), targets: here.chain(here.forkId), configuration: { strategy: 'CLONE' } }).then(({ _doc }) => endedJob(admin, _doc));
  await admin('POST', '/tools/copy', { sources: here.chain('master', other), targets: here.chain(here.forkId), configuration: { strategy: 'CLONE' } }).then(({ _doc }) => endedJob(admin, _doc));
  const job = await copied(here.chain('master', link, 'association'), here.chain(here.forkId), { strategy: 'CLONE', substitutions: { [`o:${link}`]: 'mount:key' } });
  assert.equal(job.state, 'FINISHED', errorOf(job));
  assert.equal((await read(here.fork, link))._qname, `o:${link}`);
});

test('an unknown strategy is refused before anything is started', async () => {
  const node = await make(here.master, { title: 'one' });
  const { status, json } = await as('admin', 'POST', '/tools/copy', { sources: here.chain('master', node), targets: here.chain('master'), configuration: { strategy: 'MOVE' } });
  assert.deepEqual([status, json.violations?.[0].code], [400, 'nodes.copy_strategy_unknown']);
});
