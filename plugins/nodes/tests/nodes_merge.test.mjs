// Merges of branches (docs/reference/merge.md; docs/specification/nodes.md 29, merge_and_transfer.md 1).
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { endedJob } from '../../../tests/support/ended_job.mjs';
import { SteleServer } from '../../../tests/support/stele_server.mjs';

let server;
let repository;
before(async () => { server = await SteleServer.start(); });
after(() => server.end());
beforeEach(async () => { repository = `/repositories/${(await admin('POST', '/repositories', {}))._doc}`; });

const admin = (...args) => server.admin(...args);
const branchPath = (branch) => `${repository}/branches/${branch}`;
const nodePath = (branch, node) => `${branchPath(branch)}/nodes/${node}`;
const make = async (branch, fields = {}) => (await admin('POST', `${branchPath(branch)}/nodes`, fields))._doc;
const makeIn = async (branch, folder, fields = {}) =>
  (await admin('POST', `${branchPath(branch)}/nodes?rootNodeId=${folder}&parentFolderPath=/`, fields))._doc;
const get = (branch, node) => admin('GET', nodePath(branch, node));
const put = async (branch, node, fields) => admin('PUT', nodePath(branch, node), { ...(await get(branch, node)), ...fields });
const remove = (branch, node) => admin('DELETE', nodePath(branch, node));
const status = async (branch, node) => (await server.request('GET', nodePath(branch, node), { token: server.adminToken })).status;
const fork = async (branch = 'master', fields = {}) => (await admin('POST', `${branchPath('')}?branch=${branch}`, fields))._doc;
const tip = async (branch) => (await admin('GET', branchPath(branch))).tip;
const changesets = async () => (await admin('GET', `${repository}/changesets?limit=1`)).total_rows;
const merge = (source, target) => admin('POST', `${branchPath(target)}/merge?id=${source}`, {});
const move = (branch, node, folder) => admin('POST', `${nodePath(branch, node)}/move?targetNodeId=${folder}`, {});
const folder = (branch, title) => makeIn(branch, 'root', { title, _features: { 'f:container': {} } });
const foldersOf = async (branch, node) =>
  (await admin('GET', `${nodePath(branch, node)}/associations?type=a:child&direction=INCOMING`)).rows.map((row) => row.source).sort();
const associate = async (branch, source, target, type = 'a:linked') =>
  (await admin('POST', `${nodePath(branch, source)}/associate?node=${target}&type=${type}`, {}))._doc;

/// A merge that takes place without conflicts; answers how many records it wrote.
async function merged(source, target) {
  const report = await merge(source, target);
  assert.deepEqual([report.merged, report.dryRun, report.conflicts], [true, false, []]);
  return report.nodeCount;
}
/// The kinds of the conflicts of a merge that does not take place, by node.
async function conflictsOf(source, target) {
  const before = [await tip(target), await changesets()];
  const report = await merge(source, target);
  assert.deepEqual([report.merged, report.conflictCount, report.conflictIds.length], [false, report.conflicts.length, report.conflicts.length]);
  assert.deepEqual([await tip(target), await changesets()], before);
  return report.conflicts;
}

test('1.5: what a fork has made, changed and deleted comes to its parent in one changeset with two parents', async () => {
  const changed = await make('master', { title: 'before' });
  const deleted = await make('master', { title: 'deleted' });
  const source = await fork();
  await put(source, changed, { title: 'after' });
  await remove(source, deleted);
  const created = await make(source, { title: 'created' });
  const own = await make('master', { title: 'own' });
  const [before, from, count] = [await tip('master'), await tip(source), await changesets()];

  const report = await merge(source, 'master');
  assert.equal(report.nodeCount, 3);
  assert.equal(await changesets(), count + 1);
  assert.equal(report.changesetId, await tip('master'));
  const changeset = await admin('GET', `${repository}/changesets/${report.changesetId}`);
  assert.deepEqual(changeset.parents, [before, from]);
  assert.deepEqual([(await get('master', changed)).title, (await get('master', created)).title, (await get('master', own)).title],
                   ['after', 'created', 'own']);
  assert.equal(await status('master', deleted), 404);
  assert.equal((await admin('GET', `${branchPath('master')}/deletions/${deleted}`))._doc, deleted);
  assert.deepEqual([await tip(source), await status(source, own)], [from, 404]);
});

test('1.5: merging again without changes, or a branch without changes, makes nothing', async () => {
  const node = await make('master', { title: 'before' });
  const source = await fork();
  assert.deepEqual([await merged(source, 'master'), await merged('master', source)], [0, 0]);
  await put(source, node, { title: 'after' });
  assert.equal(await merged(source, 'master'), 1);
  const count = await changesets();
  for (const [from, to] of [[source, 'master'], ['master', source], [source, 'master']]) {
    const report = await merge(from, to);
    assert.deepEqual([report.merged, report.nodeCount, 'changesetId' in report], [true, 0, false]);
  }
  assert.equal(await changesets(), count);
});

test('1.5: after a merge the base is what was taken in, in either direction', async () => {
  const node = await make('master', { title: 'a', text: 'a' });
  const source = await fork();
  await put(source, node, { title: 'b' });
  await merged(source, 'master');
  await put('master', node, { title: 'c' });
  await put(source, node, { text: 'b' });
  assert.equal(await merged(source, 'master'), 1);
  assert.deepEqual([(await get('master', node)).title, (await get('master', node)).text], ['c', 'b']);
  assert.equal(await merged('master', source), 1);
  assert.equal((await get(source, node)).title, 'c');
  await put(source, node, { title: 'd' });
  assert.equal(await merged(source, 'master'), 1);
  assert.equal((await get('master', node)).title, 'd');
});

test('1.5: what both have made the same is no conflict, nor is it one later', async () => {
  const node = await make('master', { title: 'a' });
  const source = await fork();
  await put(source, node, { title: 'b' });
  await put('master', node, { title: 'b' });
  assert.equal(await merged(source, 'master'), 0);
  await put('master', node, { title: 'c' });
  assert.equal(await merged(source, 'master'), 0);
  assert.equal((await get('master', node)).title, 'c');
});

test('1.5: siblings and distant relatives merge, and what came by another way is not asked again', async () => {
  const node = await make('master', { title: 'a', text: 'a' });
  const one = await fork();
  const deep = await fork(await fork(one));
  const other = await fork();
  await put(deep, node, { title: 'b' });
  assert.equal(await merged(deep, other), 1);
  assert.equal(await merged(deep, one), 1);
  await put(one, node, { title: 'c' });
  assert.equal(await merged(one, other), 1);
  assert.equal((await get(other, node)).title, 'c');
});

test('1.5: a revert after merges on crossing ways is not lost', async () => {
  const [x, y] = [await make('master', { title: 'a' }), await make('master', { title: 'a' })];
  const source = await fork();
  const middle = await fork();
  await put(source, x, { title: 'b' });
  await put('master', y, { title: 'b' });
  // Both take in what the other one had before.
  const [ofSource, ofMaster] = [await fork(source), await fork('master')];
  await merged(ofSource, 'master');
  await merged(ofMaster, source);
  await put(source, x, { title: 'a' });
  await put(source, y, { title: 'a' });
  assert.equal(await merged(source, 'master'), 2);
  assert.deepEqual([(await get('master', x)).title, (await get('master', y)).title], ['a', 'a']);
  assert.equal(await merged(middle, 'master'), 0);
});

test('1.5: members and elements that differ are merged, one member with two values is a conflict', async () => {
  const node = await make('master', { title: 'a', text: 'a', list: [{ _key: '1', v: 1 }, { _key: '2', v: 2 }] });
  const source = await fork();
  await put(source, node, { title: 'b', list: [{ _key: '1', v: 10 }, { _key: '2', v: 2 }] });
  await put('master', node, { text: 'c', list: [{ _key: '1', v: 1 }, { _key: '2', v: 20 }] });
  assert.equal(await merged(source, 'master'), 1);
  const { title, text, list } = await get('master', node);
  assert.deepEqual([title, text, list], ['b', 'c', [{ _key: '1', v: 10 }, { _key: '2', v: 20 }]]);
  await put(source, node, { title: 'source' });
  await put('master', node, { title: 'target' });
  const [conflict, ...others] = await conflictsOf(source, 'master');
  assert.deepEqual(others, []);
  assert.deepEqual({ ...conflict, message: '' }, { nodeId: node, kind: 'value', path: '/title', message: '', base: 'b',
                                                   source: 'source', target: 'target' });
});

test('1.5: a deletion against an edit is a conflict, either way', async () => {
  const [here, there] = [await make('master', { title: 'here' }), await make('master', { title: 'there' })];
  const source = await fork();
  await remove(source, here);
  await put('master', here, { title: 'edited' });
  await put(source, there, { title: 'edited' });
  await remove('master', there);
  const found = await conflictsOf(source, 'master');
  assert.deepEqual(Object.fromEntries(found.map((row) => [row.nodeId, row.kind])),
                   { [here]: 'delete-edit', [there]: 'edit-delete' });
});

test('1.5: a move here and an edit there both hold, two moves are a conflict', async () => {
  const [a, b, c] = [await folder('master', 'a'), await folder('master', 'b'), await folder('master', 'c')];
  const node = await makeIn('master', a, { title: 'node' });
  const source = await fork();
  await move(source, node, b);
  await put('master', node, { text: 'edited' });
  await merged(source, 'master');
  assert.deepEqual([await foldersOf('master', node), (await get('master', node)).text], [[b], 'edited']);
  await move(source, node, a);
  await move('master', node, a);
  await merged(source, 'master');
  assert.deepEqual(await foldersOf('master', node), [a]);
  await move(source, node, b);
  await move('master', node, c);
  const found = await conflictsOf(source, 'master');
  assert.deepEqual(found.map((row) => [row.nodeId, row.kind, row.source.folders, row.target.folders]), [[node, 'move', [b], [c]]]);
});

test('1.5: two nodes of one name in a folder are a conflict', async () => {
  const a = await folder('master', 'a');
  const source = await fork();
  const theirs = await makeIn(source, a, { title: 'same' });
  const ours = await makeIn('master', a, { title: 'same' });
  const found = await conflictsOf(source, 'master');
  assert.deepEqual(found.map((row) => [row.nodeId, row.kind, row.target]),
                   [[theirs, 'name', { nodeId: ours, name: 'same' }]]);
  await put('master', ours, { title: 'other' });
  await merged(source, 'master');
  assert.deepEqual(await foldersOf('master', theirs), [a]);
});

test('1.5: an association with a node that the other side has deleted is a conflict', async () => {
  const [one, two, three] = [await make('master', { title: '1' }), await make('master', { title: '2' }), await make('master', { title: '3' })];
  const source = await fork();
  const association = await associate(source, one, two);
  await remove('master', two);
  await remove(source, three);
  await associate('master', three, one);
  const found = await conflictsOf(source, 'master');
  assert.deepEqual(found.map((row) => [row.nodeId, row.kind]).sort(), [[association, 'end-gone'], [three, 'end-gone']].sort());
});

test('1.5: a folder that the target has filled since is not deleted with what lies in it', async () => {
  const a = await folder('master', 'a');
  const [old, kept] = [await makeIn('master', a, { title: 'old' }), await makeIn('master', a, { title: 'kept' })];
  const b = await folder('master', 'b');
  const source = await fork();
  await move(source, kept, b);
  await remove(source, a);
  assert.ok(await merged(source, 'master') > 0);
  assert.deepEqual([await status('master', a), await status('master', old), await foldersOf('master', kept)], [404, 404, [b]]);
});

test('1.5: associations come, and go with their nodes', async () => {
  const [one, two] = [await make('master', { title: '1' }), await make('master', { title: '2' })];
  const gone = await associate('master', one, two);
  const source = await fork();
  await admin('POST', `${nodePath(source, one)}/unassociate?node=${two}&type=a:linked`, {});
  const three = await make(source, { title: '3' });
  const association = await associate(source, two, three);
  await merged(source, 'master');
  assert.deepEqual([await status('master', gone), (await get('master', association)).target], [404, three]);
  await remove(source, three);
  await merged(source, 'master');
  assert.deepEqual([await status('master', three), await status('master', association)], [404, 404]);
});

test('1.5: definitions of one QName that both branches have made are merged as one', async () => {
  const definition = (fields) => ({ _qname: 'my:fruit', _type: 'd:type', type: 'object', ...fields });
  const source = await fork();
  await make(source, definition({ title: 'Fruit', properties: { weight: { type: 'number' } } }));
  const plum = await make(source, { _type: 'my:fruit', title: 'plum' });
  const ours = await make('master', definition({ title: 'Fruit', properties: { colour: { type: 'string' } } }));
  await merged(source, 'master');
  assert.deepEqual(Object.keys((await get('master', ours)).properties).sort(), ['colour', 'weight']);
  assert.equal((await get('master', plum))._type, 'my:fruit');
});

test('1.1.7: autoConflictResolutionRule of the target decides', async () => {
  for (const [rule, title, exists] of [['source', 'source', 404], ['target', 'target', 200], ['newest', 'source', 200]]) {
    const [node, edited] = [await make('master', { title: 'a' }), await make('master', { title: 'b' })];
    const [source, target] = [await fork(), await fork('master', { autoConflictResolutionRule: rule })];
    await put(target, node, { title: 'target' });
    await put(source, node, { title: 'source' });
    await put(target, edited, { title: 'edited' });
    await remove(source, edited);
    await merged(source, target);
    assert.deepEqual([(await get(target, node)).title, await status(target, edited)], [title, exists], rule);
  }
  const reply = await server.request('PUT', branchPath('master'), { token: server.adminToken, body: { autoConflictResolutionRule: 'best' } });
  assert.equal(reply.status, 400);
});

test('1.5: what a branch changes of a definition that was merged as one with another comes, too', async () => {
  const definition = (title) => ({ _qname: 'my:fruit', _type: 'd:type', type: 'object', title });
  const source = await fork();
  await make(source, definition('Fruit'));
  const ours = await make('master', definition('Fruit'));
  await merged(source, 'master');
  await put(source, 'my:fruit', { properties: { weight: { type: 'number' } } });
  await put('master', 'my:fruit', { description: 'of ours' });
  assert.equal(await merged(source, 'master'), 1);
  const { _doc, properties, description } = await get('master', 'my:fruit');
  assert.deepEqual([_doc, properties, description], [ours, { weight: { type: 'number' } }, 'of ours']);
});

test('1.5: a definition or a tag that a branch has deleted and made again stays', async () => {
  const definition = (fields) => ({ _qname: 'my:fruit', _type: 'd:type', type: 'object', title: 'Fruit', ...fields });
  const former = await make('master', definition({}));
  const tagged = await make('master', { title: 'tagged', tags: ['ripe'], _features: { 'f:taggable': {} } });
  const tags = async (branch) => (await admin('GET', `${nodePath(branch, tagged)}/associations?type=a:has_tag&direction=OUTGOING`)).rows.map((row) => row.target);
  const [tag] = await tags('master');
  const source = await fork();
  await remove(source, 'my:fruit');
  await make(source, definition({ title: 'Fruits' }));
  const plum = await make(source, { _type: 'my:fruit', title: 'plum' });
  await remove(source, tag);
  await make(source, { title: 'other', tags: ['ripe'], _features: { 'f:taggable': {} } });
  await merged(source, 'master');
  const { _doc, title } = await get('master', 'my:fruit');
  assert.deepEqual([_doc, title, (await get('master', plum))._type], [former, 'Fruits', 'my:fruit']);
  assert.deepEqual([await tags('master'), (await get('master', tagged)).tags], [[tag], ['ripe']]);
});

test('1.5: two owners of a node are a conflict, and two translations for one locale', async () => {
  const [master, owned, one, two] = [await make('master'), await make('master'), await make('master'), await make('master')];
  const source = await fork();
  await associate(source, one, owned, 'a:owned');
  await associate('master', two, owned, 'a:owned');
  const translate = (branch, locale) => admin('POST', `${nodePath(branch, master)}/i18n?locale=${locale}`, { title: locale });
  for (const [branch, locales] of [[source, ['de', 'fr']], ['master', ['de', 'it']]]) for (const locale of locales) await translate(branch, locale);
  const told = (await conflictsOf(source, 'master')).map(({ kind, nodeId }) => [kind, nodeId]).sort();
  assert.deepEqual(told, [['owner', owned], ['translation', master]]);
  // With a rule, too: nobody can say which one is to go.
  await admin('PUT', branchPath('master'), { ...(await admin('GET', branchPath('master'))), autoConflictResolutionRule: 'source' });
  assert.equal((await conflictsOf(source, 'master')).length, 2);
});

test('1.1.7: what a rule keeps stays where it lies, and with all that is associated with it', async () => {
  const [place, other, linked] = [await folder('master', 'place'), await folder('master', 'other'), await make('master')];
  const [node, deep] = [await makeIn('master', place, { title: 'a' }), await makeIn('master', other, { title: 'b' })];
  const association = await associate('master', node, linked);
  const source = await fork();
  for (const rule of ['target', 'newest']) {
    const target = await fork('master', { autoConflictResolutionRule: rule });
    if (rule === 'target') {
      await remove(source, node);
      // With what lies in it.
      await remove(source, other);
    }
    for (const id of [node, deep]) await put(target, id, { title: 'edited' });
    await merged(source, target);
    assert.deepEqual([await foldersOf(target, node), await foldersOf(target, deep)], [[place], [other]], rule);
    assert.deepEqual([(await get(target, association)).target, await foldersOf(target, other)], [linked, [(await get('master', 'root'))._doc]]);
  }
});

test('1.1.7: a rule takes away no folder with what the target has put into it since', async () => {
  const place = await folder('master', 'place');
  const [source, target] = [await fork(), await fork('master', { autoConflictResolutionRule: 'source' })];
  await remove(source, place);
  const node = await makeIn(target, place, { title: 'new' });
  assert.deepEqual((await conflictsOf(source, target)).map(({ kind, nodeId }) => [kind, nodeId]), [['end-gone', place]]);
  await move(target, node, (await get('master', 'root'))._doc);
  await merged(source, target);
  assert.deepEqual([await status(target, place), await status(target, node)], [404, 200]);
});

test('1.1.7: what a rule has decided on a branch is decided anew on one that was forked from it before', async () => {
  const node = await make('master', { title: 'a' });
  const [source, target] = [await fork(), await fork('master', { autoConflictResolutionRule: 'target' })];
  await put(source, node, { title: 'source' });
  await put(target, node, { title: 'target' });
  const earlier = await fork(target, { autoConflictResolutionRule: 'source' });
  const report = await merge(source, target);
  assert.deepEqual([report.merged, report.nodeCount, report.changesetId], [true, 0, await tip(target)]);
  assert.equal((await merge(source, target)).changesetId, undefined);
  await merged(source, earlier);
  assert.deepEqual([(await get(target, node)).title, (await get(earlier, node)).title], ['target', 'source']);
});

test('1.5: an association with a person leads to the person of the same principal on the target', async () => {
  await server.makeUser('friend');
  const token = await server.login('friend', 'secret-of-friend');
  const node = await make('master');
  const source = await fork();
  for (const branch of ['master', source]) await admin('POST', `${branchPath(branch)}/authorities/contributor/grant?id=default/friend`, {});
  const write = (branch) => server.request('POST', `${branchPath(branch)}/nodes`, { token, body: { title: 'of a friend' } });
  const person = async (branch) => (await admin('POST', `${branchPath(branch)}/nodes/query`, { _type: 'n:person', 'principal-name': 'friend' })).rows[0]?._doc;
  await write(source);
  const association = await associate(source, node, await person(source));
  // Nobody makes a person for them.
  assert.deepEqual((await conflictsOf(source, 'master')).map(({ kind, nodeId }) => [kind, nodeId]), [['end-gone', association]]);
  await write('master');
  await merged(source, 'master');
  assert.equal((await get('master', association)).target, await person('master'));
  assert.notEqual(await person('master'), await person(source));
});

test('1.2: a dry run tells what would be, and writes nothing; the job merges', async () => {
  const source = await fork();
  const node = await make(source, { title: 'new' });
  const run = (query) => admin('POST', `${branchPath('master')}/merge/start?id=${source}&schedule=synchronous${query}`, {});
  const [before, count] = [await tip('master'), await changesets()];
  const preview = await run('&dryRun=true');
  assert.deepEqual([preview.state, preview._result.merged, preview._result.dryRun, preview._result.nodeCount, preview.nodeCount],
                   ['FINISHED', false, true, 1, 1]);
  assert.deepEqual([await tip('master'), await changesets(), await status('master', node)], [before, count, 404]);
  const { _result: result } = await run('&dryRun=false');
  assert.deepEqual([result.merged, result.dryRun, result.conflictCount, result.changesetId], [true, false, 0, await tip('master')]);
  assert.equal(await status('master', node), 200);
});

test('1.5.2: nothing is merged into or out of branches that do not take part', async () => {
  const source = await fork();
  await make(source, { title: 'new' });
  const ask = (from, to) => server.request('POST', `${branchPath(to)}/merge?id=${from}`, { token: server.adminToken, body: {} });
  for (const [setting, code] of [['readonly', 'nodes.branch_readonly'], ['frozen', 'nodes.branch_frozen'], ['archived', 'nodes.branch_archived'],
    ['blockDirectCommits', 'nodes.branch_direct_commits_blocked']]) {
    const target = await fork('master', { [setting]: true });
    const reply = await ask(source, target);
    assert.deepEqual([reply.status, reply.json.code], [403, code]);
    const job = await admin('POST', `${branchPath(target)}/merge/start?id=${source}&schedule=synchronous`, {});
    assert.equal(job.state, 'ERROR');
  }
  await admin('POST', `${branchPath(source)}/archive`, {});
  assert.deepEqual([(await ask(source, 'master')).status, (await ask('master', 'master')).status, (await ask('nowhere', 'master')).status],
                   [403, 400, 400]);
});

test('1.1.3: merges are listed from both sides', async () => {
  const [one, two] = [await fork(), await fork()];
  await make(one, { title: 'new' });
  await merged(one, 'master');
  await make('master', { title: 'newer' });
  await merged('master', two);
  const { _doc: master } = await admin('GET', branchPath('master'));
  const rows = async (branch, query = '') =>
    (await admin('GET', `${branchPath(branch)}/merges${query}`)).rows.map((row) => row._doc).sort();
  assert.deepEqual(await rows('master', '?mergeType=incoming'), [one]);
  assert.deepEqual(await rows('master', '?mergeType=outgoing'), [two]);
  assert.deepEqual(await rows('master'), [one, two].sort());
  assert.deepEqual([await rows(one), await rows(two, '?mergeType=incoming'), await rows(two, '?mergeType=outgoing')], [[master], [master], []]);
});

test('whoever merges may read all that the source has changed, and learns nothing of what they may not', async () => {
  const [open, hidden] = [await make('master', { title: 'open' }), await make('master', { title: 'hidden' })];
  const source = await fork();
  await put(source, open, { title: 'opened' });
  await put(source, hidden, { title: 'secret' });
  await put('master', hidden, { title: 'secret, too' });
  await server.makeUser('merger');
  const token = await server.login('merger', 'secret-of-merger');
  const grant = (path, role) => admin('POST', `${path}/authorities/${role}/grant?id=default/merger`, {});
  const both = ['master', source];
  for (const branch of both) await grant(branchPath(branch), 'consumer');
  for (const branch of both) await grant(nodePath(branch, open), 'consumer');
  const ask = () => server.request('POST', `${branchPath('master')}/merge?id=${source}`, { token, body: {} });
  const refused = await ask();
  assert.deepEqual([refused.status, refused.json.code], [403, 'nodes.merge_unreadable']);
  assert.match(refused.json.message, /^1 of the 2 /);
  for (const dryRun of [true, false]) {
    const job = await server.request('POST', `${branchPath('master')}/merge/start?id=${source}&dryRun=${dryRun}&schedule=synchronous`, { token, body: {} });
    assert.equal(job.json.state, 'ERROR', job.text);
    for (const told of [refused.text, job.text]) assert.ok(!told.includes(hidden) && !told.includes('secret'), told);
  }
  // Conflicts are shown to whoever reads both sides.
  for (const branch of both) await grant(nodePath(branch, hidden), 'consumer');
  assert.deepEqual((await ask()).json.conflicts.map((row) => [row.nodeId, row.kind]), [[hidden, 'value']]);
  // To write takes what single writes take.
  await put('master', hidden, { title: 'secret' });
  const forbidden = await ask();
  assert.deepEqual([forbidden.status, forbidden.json.code], [403, 'authority.permission_missing']);
  assert.equal((await get('master', open)).title, 'open');
  await grant(nodePath('master', open), 'editor');
  assert.equal((await ask()).json.merged, true);
  assert.equal((await get('master', open)).title, 'opened');
  assert.equal((await get('master', open))._system.modified_by, 'merger');
});

test('who may not make, place or delete nodes on the target does not do so by a merge', async () => {
  const [closed, kept] = [await folder('master', 'closed'), await make('master', { title: 'kept' })];
  await server.makeUser('writer');
  const token = await server.login('writer', 'secret-of-writer');
  const grant = (path, role) => admin('POST', `${path}/authorities/${role}/grant?id=default/writer`, {});
  await grant(branchPath('master'), 'consumer');
  for (const node of [closed, kept]) await grant(nodePath('master', node), 'consumer');
  const refuses = async (change) => {
    const source = await fork();
    await grant(branchPath(source), 'owner');
    await change(source);
    const reply = await server.request('POST', `${branchPath('master')}/merge?id=${source}`, { token, body: {} });
    assert.deepEqual([reply.status, reply.json.code], [403, 'authority.permission_missing'], reply.text);
  };
  const own = (method, path, body = {}) => server.request(method, path, { token, body });
  await refuses(async (source) => { assert.equal((await own('POST', `${branchPath(source)}/nodes`, { title: 'new' })).status, 200); });
  await refuses(async (source) => {
    const made = await makeIn(source, closed, { title: 'new' });
    await grant(nodePath(source, made), 'consumer');
    const [membership] = (await admin('GET', `${nodePath(source, made)}/associations?type=a:child`)).rows;
    await grant(nodePath(source, membership._doc), 'consumer');
  });
  const deleting = await fork();
  await grant(branchPath(deleting), 'consumer');
  await remove(deleting, kept);
  const reply = await server.request('POST', `${branchPath('master')}/merge?id=${deleting}`, { token, body: {} });
  assert.equal(reply.status, 403, reply.text);
  assert.equal(await status('master', kept), 200);
});

test('nobody gives others, by the folder that a merge puts a node into, what they do not hold on the node', async () => {
  const [shelf, node] = [await folder('master', 'shelf'), await make('master', { title: 'node' })];
  for (const name of ['mover', 'holder']) await server.makeUser(name);
  const tokens = { mover: await server.login('mover', 'secret-of-mover'), holder: await server.login('holder', 'secret-of-holder') };
  const grant = (path, role, name) => admin('POST', `${path}/authorities/${role}/grant?id=default/${name}`, {});
  const source = await fork();
  await associate(source, shelf, node, 'a:child');
  const [membership] = (await admin('GET', `${nodePath(source, node)}/associations?type=a:child&direction=INCOMING`)).rows;
  for (const path of [branchPath('master'), branchPath(source), nodePath(source, shelf), nodePath(source, node), nodePath(source, membership._doc)])
    await grant(path, 'consumer', 'mover');
  await grant(branchPath('master'), 'consumer', 'holder');
  for (const [path, role] of [[nodePath('master', shelf), 'contributor'], [nodePath('master', node), 'collaborator'], [branchPath('master'), 'contributor']])
    await grant(path, role, 'mover');
  await grant(nodePath('master', shelf), 'manager', 'holder');
  const shown = async () => (await server.request('GET', nodePath('master', node), { token: tokens.holder })).status;
  const byMover = () => server.request('POST', `${branchPath('master')}/merge?id=${source}`, { token: tokens.mover, body: {} });
  const before = await shown();
  const refused = await byMover();
  assert.deepEqual([refused.status, refused.json.code], [403, 'nodes.membership_gives_rights'], refused.text);
  assert.equal(await shown(), before);
  // What the holder of the folder has already is no gift.
  await grant(nodePath('master', node), 'manager', 'holder');
  assert.equal((await byMover()).status, 200);
});

test('a conflict of names does not tell which node the other one is to who may not read it', async () => {
  const a = await folder('master', 'a');
  const source = await fork();
  const theirs = await makeIn(source, a, { title: 'same' });
  const ours = await makeIn('master', a, { title: 'same' });
  await server.makeUser('outsider');
  const token = await server.login('outsider', 'secret-of-outsider');
  const grant = (path) => admin('POST', `${path}/authorities/consumer/grant?id=default/outsider`, {});
  const [membership] = (await admin('GET', `${nodePath(source, theirs)}/associations?type=a:child`)).rows;
  for (const path of [branchPath('master'), branchPath(source), nodePath(source, theirs), nodePath(source, membership._doc)]) await grant(path);
  const reply = await server.request('POST', `${branchPath('master')}/merge?id=${source}`, { token, body: {} });
  assert.deepEqual(reply.json.conflicts.map((row) => [row.nodeId, row.kind, 'target' in row]), [[theirs, 'name', false]], reply.text);
  assert.ok(!reply.text.includes(ours));
});

const revert = (branch, changeset) => admin('POST', `${branchPath(branch)}/revert?id=${changeset}`, {});
const refusal = async (path) => { const { status, json } = await server.request('POST', path, { token: server.adminToken, body: {} }); return [status, json.code, json.message]; };

test('a conflict of moves tells no folders that whoever merges may not read', async () => {
  const [here, there, hidden] = [await folder('master', 'here'), await folder('master', 'there'), await folder('master', 'hidden')];
  const node = await makeIn('master', here, { title: 'moved' });
  const source = await fork();
  await server.makeUser('places-reader');
  const token = await server.login('places-reader', 'secret-of-places-reader');
  const grant = (path) => admin('POST', `${path}/authorities/consumer/grant?id=default/places-reader`, {});
  const membership = async (branch) => (await admin('GET', `${nodePath(branch, node)}/associations?type=a:child`)).rows[0]._doc;
  const former = await membership('master');
  for (const branch of ['master', source]) {
    for (const path of [branchPath(branch), nodePath(branch, there), nodePath(branch, node)]) await grant(path);
  }
  await move(source, node, there);
  await grant(nodePath(source, await membership(source)));
  await move('master', node, hidden);
  for (const branch of ['master', source]) await grant(`${branchPath(branch)}/deletions/${former}`);
  const reply = await server.request('POST', `${branchPath('master')}/merge?id=${source}`, { token, body: {} });
  assert.deepEqual(reply.json.conflicts?.map((row) => [row.nodeId, row.kind, row.source, 'target' in row]), [[node, 'move', { folders: [there] }, false]], reply.text);
  assert.ok(!reply.text.includes(hidden));
});

test('a reverted changeset is undone by a new one, and what was done since stays', async () => {
  const trees = await folder('master', 'trees');
  const [changed, deleted] = [await make('master', { title: 'before', colour: 'red' }), await makeIn('master', trees, { title: 'deleted' })];
  const made = (await admin('POST', `${branchPath('master')}/nodes`, { title: 'made' }))._doc;
  const creation = await tip('master');
  await put('master', changed, { title: 'after' });
  const change = await tip('master');
  await remove('master', deleted);
  const deletion = await tip('master');
  await put('master', changed, { colour: 'blue' });

  const before = await tip('master');
  const report = await revert('master', change);
  assert.deepEqual([report.merged, report.nodeCount, report.conflicts], [true, 1, []]);
  const { title, colour } = await get('master', changed);
  assert.deepEqual([title, colour], ['before', 'blue']);
  assert.deepEqual((await admin('GET', `${repository}/changesets/${report.changesetId}`)).parents, [before]);

  // With its place in the folder.
  assert.equal((await revert('master', deletion)).nodeCount, 2);
  assert.equal((await get('master', deleted)).title, 'deleted');
  assert.deepEqual(await foldersOf('master', deleted), [trees]);
  assert.equal((await admin('GET', `${branchPath('master')}/deletions`)).total_rows, 0);

  await revert('master', creation);
  assert.equal(await status('master', made), 404);
  // What is undone already is nothing.
  const count = await changesets();
  const again = await revert('master', creation);
  assert.deepEqual([again.merged, again.nodeCount, 'changesetId' in again, await changesets()], [true, 0, false, count]);
});

test('to revert a merge gives back what the target had, and the revert of that revert what was merged', async () => {
  const a = await folder('master', 'a');
  const [moved, edited, gone] = [await makeIn('master', a, { title: 'moved' }), await make('master', { title: 'edited' }), await make('master', { title: 'gone' })];
  const source = await fork();
  const b = await folder(source, 'b');
  await move(source, moved, b);
  await put(source, edited, { title: 'edited there' });
  await remove(source, gone);
  const content = async () => (await admin('POST', `${branchPath('master')}/nodes/query?limit=200&sort=${encodeURIComponent('{"_doc":1}')}`, {})).rows
    .map(({ _doc, title, _type }) => [_doc, title, _type]);
  const before = [await content(), await foldersOf('master', moved)];
  await merged(source, 'master');
  const merging = await tip('master');
  const after = [await content(), await foldersOf('master', moved)];
  assert.notDeepEqual(after, before);
  const undone = await revert('master', merging);
  assert.deepEqual([await content(), await foldersOf('master', moved)], before);
  // The target still has all of the source: what was decided against does not come back by itself.
  assert.equal(await merged(source, 'master'), 0);
  assert.deepEqual([await content(), await foldersOf('master', moved)], before);
  await revert('master', undone.changesetId);
  assert.deepEqual([await content(), await foldersOf('master', moved)], after);
});

test('a changeset that was merged into a branch can be reverted there, and stays on its own branch', async () => {
  const node = await make('master', { title: 'before' });
  const source = await fork();
  await put(source, node, { title: 'after' });
  const change = await tip(source);
  assert.deepEqual(await refusal(`${branchPath('master')}/revert?id=${change}`),
                   [400, 'request.parameter_invalid', "'id' must name a changeset that has come into the branch"]);
  await merged(source, 'master');
  await revert('master', change);
  assert.deepEqual([(await get('master', node)).title, (await get(source, node)).title], ['before', 'after']);
});

test('what was changed again since is a conflict, and the branch says who decides', async () => {
  const node = await make('master', { title: 'first' });
  await put('master', node, { title: 'second' });
  const change = await tip('master');
  await put('master', node, { title: 'third' });
  const before = await tip('master');
  const report = await revert('master', change);
  assert.deepEqual([report.merged, report.conflicts.map(({ kind, path, base, source, target }) => [kind, path, base, source, target])],
                   [false, [['value', '/title', 'second', 'first', 'third']]]);
  assert.equal(await tip('master'), before);
  await admin('PUT', branchPath('master'), { autoConflictResolutionRule: 'source' });
  assert.equal((await revert('master', change)).merged, true);
  assert.equal((await get('master', node)).title, 'first');
});

test('changesets that cannot be reverted are refused with a sentence', async () => {
  await make('master');
  for (const id of ['1:nothing', 'nothing', '99999:12345678901234567890', '18446744073709551615:root'])
    assert.deepEqual((await refusal(`${branchPath('master')}/revert?id=${id}`)).slice(0, 2), [400, 'request.parameter_invalid'], id);
  const [, code, message] = await refusal(`${branchPath('master')}/revert?id=0:root`);
  assert.deepEqual([code, message], ['request.parameter_invalid', "'id' must not be the first changeset of the repository, which nothing comes before"]);
  assert.equal((await refusal(`${branchPath('master')}/revert`))[0], 400);
  await admin('PUT', branchPath('master'), { readonly: true });
  assert.equal((await refusal(`${branchPath('master')}/revert?id=${await tip('master')}`))[0], 403);
});

test('a job reverts, too, and a dry run writes nothing', async () => {
  const node = await make('master', { title: 'before' });
  await put('master', node, { title: 'after' });
  const change = await tip('master');
  const run = async (more) => (await admin('POST', `${branchPath('master')}/revert/start?id=${change}&schedule=synchronous${more}`, {}))._result;
  const dry = await run('&dryRun=true');
  assert.deepEqual([dry.merged, dry.dryRun, dry.nodeCount, await tip('master')], [false, true, 1, change]);
  const done = await run('');
  assert.deepEqual([done.merged, done.changesetId, done.targetBranchId], [true, await tip('master'), (await admin('GET', branchPath('master')))._doc]);
  assert.equal((await get('master', node)).title, 'before');
});

test('whoever reverts needs READ on what was changed and the rights of single writes', async () => {
  const [hidden, shown] = [await make('master', { title: 'before' }), await make('master', { title: 'before' })];
  await put('master', hidden, { title: 'after' });
  const ofHidden = await tip('master');
  await put('master', shown, { title: 'after' });
  const ofShown = await tip('master');
  await server.makeUser('undoer');
  const token = await server.login('undoer', 'secret-of-undoer');
  const grant = (path, role) => admin('POST', `${path}/authorities/${role}/grant?id=default/undoer`, {});
  await grant(branchPath('master'), 'consumer');
  await grant(nodePath('master', shown), 'consumer');
  const own = async (id) => {
    const { status, json } = await server.request('POST', `${branchPath('master')}/revert?id=${id}`, { token, body: {} });
    return [status, json.code];
  };
  assert.deepEqual(await own(ofHidden), [403, 'nodes.merge_unreadable']);
  assert.deepEqual(await own(ofShown), [403, 'authority.permission_missing']);
  await grant(nodePath('master', shown), 'editor');
  assert.equal((await own(ofShown))[0], 200);
  assert.deepEqual([(await get('master', shown)).title, (await get('master', hidden)).title], ['before', 'after']);
});

test('to revert the changeset with which somebody came to a branch leaves them there', async () => {
  await server.makeUser('newcomer');
  await admin('POST', `${branchPath('master')}/authorities/contributor/grant?id=default/newcomer`, {});
  const token = await server.login('newcomer', 'secret-of-newcomer');
  const made = (await server.request('POST', `${branchPath('master')}/nodes`, { token, body: { title: 'first' } })).json._doc;
  const change = await tip('master');
  const persons = async () => (await admin('POST', `${branchPath('master')}/nodes/query`, { _type: 'n:person' })).total_rows;
  const before = await persons();
  assert.ok(before > 0);
  assert.equal((await revert('master', change)).nodeCount, 1);
  assert.deepEqual([await status('master', made), await persons()], [404, before]);
});

test('what a merged branch had changed back comes to one that was forked from it in between', async () => {
  const node = await make('master', { title: 'before' });
  const [other, source] = [await fork(), await fork()];
  await put(other, node, { title: 'in between' });
  const target = await fork(other);
  await put(other, node, { title: 'before' });
  // Nothing to write: it has that already.
  assert.equal(await merged(other, source), 0);
  assert.equal(await merged(source, target), 1);
  assert.equal((await get(target, node)).title, 'before');
});

test('nobody gives others, by a revert that puts a node back into a folder, what they do not hold on the node', async () => {
  const [shelf, node] = [await folder('master', 'shelf'), await make('master', { title: 'node' })];
  for (const name of ['returner', 'keeper']) await server.makeUser(name);
  const tokens = { returner: await server.login('returner', 'secret-of-returner'), keeper: await server.login('keeper', 'secret-of-keeper') };
  const grant = (path, role, name) => admin('POST', `${path}/authorities/${role}/grant?id=default/${name}`, {});
  const membership = await associate('master', shelf, node, 'a:child');
  for (const path of [branchPath('master'), nodePath('master', shelf), nodePath('master', node), nodePath('master', membership)]) await grant(path, 'consumer', 'returner');
  await remove('master', membership);
  const removal = await tip('master');
  await grant(branchPath('master'), 'consumer', 'keeper');
  for (const [path, role] of [[nodePath('master', shelf), 'contributor'], [nodePath('master', node), 'collaborator'], [branchPath('master'), 'contributor']])
    await grant(path, role, 'returner');
  await grant(nodePath('master', shelf), 'manager', 'keeper');
  const shown = async () => (await server.request('GET', nodePath('master', node), { token: tokens.keeper })).status;
  const byReturner = () => server.request('POST', `${branchPath('master')}/revert?id=${removal}`, { token: tokens.returner, body: {} });
  const before = await shown();
  // An association that is gone can be read by nobody but who reads everything, and these hold it all.
  const refused = await byReturner();
  assert.deepEqual([refused.status, refused.json.code], [403, 'nodes.merge_unreadable'], refused.text);
  assert.equal(await shown(), before);
  await grant(nodePath('master', node), 'manager', 'keeper');
  await admin('POST', `${branchPath('master')}/revert?id=${removal}`, {});
  assert.deepEqual(await foldersOf('master', node), [shelf]);
});

test('an import that was loaded on a line of its own is reverted and comes back like any changeset', async () => {
  const kNodes = 1100; // More than are held in memory.
  const target = `/repositories/${(await admin('POST', '/repositories', {}))._doc}/branches/master`;
  await admin('POST', `${branchPath('master')}/nodes?full=false`, Array.from({ length: kNodes }, (_, number) => ({ number })));
  const transfer = async (path) => {
    const job = await endedJob(admin, (await admin('POST', `${path}?group=reverts&artifact=loaded&version=1`, { tipChangesetOnly: true }))._doc);
    assert.equal(job.state, 'FINISHED', JSON.stringify(job.log_entries));
  };
  await transfer(`${branchPath('master')}/export`);
  const own = (await admin('POST', `${target}/nodes`, { title: 'own' }))._doc;
  await transfer(`${target}/import`);
  const loaded = (await admin('GET', target)).tip;
  const later = (await admin('POST', `${target}/nodes`, { title: 'later' }))._doc;
  const count = async () => (await admin('POST', `${target}/nodes/query`, { number: { $exists: true } })).total_rows;
  const undone = await admin('POST', `${target}/revert?id=${loaded}`, {});
  assert.deepEqual([undone.merged, undone.nodeCount, await count()], [true, kNodes, 0]);
  for (const [id, title] of [[own, 'own'], [later, 'later']]) assert.equal((await admin('GET', `${target}/nodes/${id}`)).title, title);
  await admin('POST', `${target}/revert?id=${undone.changesetId}`, {});
  assert.equal(await count(), kNodes);
});

test('what a property names on the source it names on the target, and nobody has changed it by that', async () => {
  await make('master', { _type: 'd:type', _qname: 'custom:naming', properties: { named: { type: 'object', _relator: { associationType: 'my:by' } } } });
  const [source, beside] = [await fork(), await fork()];
  const master = (await admin('GET', branchPath('master')))._doc;
  const [one, two] = [await make(source, { title: 'One' }), await make(source, { title: 'Two' })];
  const node = await make(source, { _type: 'custom:naming', title: 'Naming', named: { id: one } });
  const end = (branch, target) => new RegExp(`/${branch}/${target}$`);
  assert.match((await get(source, node)).named.ref, end(source, one));
  await merged(source, 'master');
  assert.match((await get('master', node)).named.ref, end(master, one));
  assert.equal(await merged('master', source), 0);
  // Named anew on the one side, and changed otherwise on the other.
  await put(source, node, { named: { id: two } });
  await put('master', node, { colour: 'red' });
  await merged(source, 'master');
  const now = await get('master', node);
  assert.deepEqual([now.colour, now.named.id], ['red', two]);
  assert.match(now.named.ref, end(master, two));
  await merged('master', beside);
  assert.match((await get(beside, node)).named.ref, end(beside, two));
  assert.deepEqual((await admin('GET', `${nodePath(beside, node)}/outgoing`)).rows.map((row) => row.target), [two]);
});

test('a text that its definition merges by lines takes both branches\' lines, and others are one value', async () => {
  await make('master', { _type: 'd:type', _qname: 'custom:page', properties: {
    body: { type: 'string', _merge: 'lines' }, note: { type: 'string' },
    parts: { type: 'array', items: { type: 'object', properties: { text: { type: 'string', _merge: 'lines' } } } } } });
  await make('master', { _type: 'd:type', _qname: 'custom:long-page', _parent: 'custom:page' });
  const text = (...lines) => lines.map((line) => `${line}\n`).join('');
  const before = { _type: 'custom:long-page', title: 'Page', body: text('one', 'two', 'three', 'four'), note: text('one', 'two', 'three'), parts: [{ id: 'a', text: text('1', '2', '3') }] };
  const [both, noted] = [await make('master', before), await make('master', before)];
  const source = await fork();
  await put(source, both, { body: text('ONE', 'two', 'three', 'four'), parts: [{ id: 'a', text: text('1', '2', '3', 'source') }] });
  await put('master', both, { body: text('one', 'two', 'three', 'FOUR'), parts: [{ id: 'a', text: text('target', '1', '2', '3') }] });
  await merged(source, 'master');
  const now = await get('master', both);
  assert.deepEqual([now.body, now.parts[0].text], [text('ONE', 'two', 'three', 'FOUR'), text('target', '1', '2', '3', 'source')]);
  await put(source, noted, { note: text('ONE', 'two', 'three') });
  await put('master', noted, { note: text('one', 'two', 'THREE') });
  await put(source, both, { body: text('ONE', 'source', 'three', 'FOUR') });
  await put('master', both, { body: text('ONE', 'target', 'three', 'FOUR') });
  const conflicts = await conflictsOf(source, 'master');
  assert.deepEqual(conflicts.map(({ nodeId, path }) => [nodeId, path]).sort(), [[both, '/body'], [noted, '/note']].sort());
  assert.match(conflicts.find(({ nodeId }) => nodeId === both).message, /same lines of \/body/);
});
