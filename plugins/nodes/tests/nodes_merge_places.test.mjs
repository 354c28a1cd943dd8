// What lies in which folder is told by the folder and the node when branches are merged (docs/reference/merge.md).
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { SteleServer } from '../../../tests/support/stele_server.mjs';

let server;
let repository;
let folders;
let node;
before(async () => { server = await SteleServer.start(); });
after(() => server.end());

const admin = (...args) => server.admin(...args);
const branchPath = (branch) => `${repository}/branches/${branch}`;
const nodePath = (branch, id) => `${branchPath(branch)}/nodes/${id}`;
const makeIn = async (folder, fields) => (await admin('POST', `${branchPath('master')}/nodes?rootNodeId=${folder}&parentFolderPath=/`, fields))._doc;
const fork = async () => (await admin('POST', `${branchPath('')}?branch=master`, {}))._doc;
const move = (branch, id, folder) => admin('POST', `${nodePath(branch, id)}/move?targetNodeId=${folder}`, {});
const foldersOf = async (branch) =>
  (await admin('GET', `${nodePath(branch, node)}/associations?type=a:child&direction=INCOMING`)).rows.map(({ source }) => source).sort();
const placesOf = async (branch) => (await admin('GET', `${nodePath(branch, node)}/associations?type=a:child&direction=INCOMING`)).rows;
/// Puts members on the association by which the node lies in its only folder.
async function mark(branch, members) {
  const [{ _doc }] = await placesOf(branch);
  await admin('PUT', nodePath(branch, _doc), members);
}
const changesets = async () => (await admin('GET', `${repository}/changesets?limit=0`)).total_rows;
/// How many records a merge without conflicts has written.
async function merged(source, target) {
  const report = await admin('POST', `${branchPath(target)}/merge?id=${source}`, {});
  assert.deepEqual([report.merged, report.conflicts], [true, []]);
  return report.nodeCount;
}

/// Two branches that have both moved a node to the same folder, of which the second has merged the first.
async function movedAlike() {
  const branches = [await fork(), await fork()];
  for (const branch of branches) await move(branch, node, folders.same);
  assert.equal(await merged(...branches), 0);
  return branches;
}

beforeEach(async () => {
  repository = `/repositories/${(await admin('POST', '/repositories', {}))._doc}`;
  folders = {};
  for (const title of ['first', 'same', 'other']) folders[title] = await makeIn('root', { title, _features: { 'f:container': {} } });
  node = await makeIn(folders.first, { title: 'Moved' });
});

test('both have moved a node alike: whoever moves it on moves it on the other branch, too', async () => {
  for (const movesOn of [0, 1]) {
    const branches = await movedAlike();
    const [from, to] = movesOn ? [...branches].reverse() : branches;
    await move(from, node, folders.other);
    assert.equal(await merged(from, to), 2);
    for (const branch of branches) assert.deepEqual(await foldersOf(branch), [folders.other]);
    assert.deepEqual([await merged(to, from), await foldersOf(from)], [0, [folders.other]]);
  }
});

test('both have moved a node alike: what one has moved on does not come back with the other branch', async () => {
  for (const movesOn of [0, 1]) {
    const branches = await movedAlike();
    const [moved, other] = movesOn ? [...branches].reverse() : branches;
    await move(moved, node, folders.other);
    await merged(other, moved);
    assert.deepEqual(await foldersOf(moved), [folders.other]);
  }
});

test('both have moved a node alike: a branch that deletes it deletes it on the other, and asks nobody', async () => {
  for (const deletes of [0, 1]) {
    const branches = await movedAlike();
    const [from, to] = deletes ? [...branches].reverse() : branches;
    await admin('DELETE', nodePath(from, node));
    await merged(from, to);
    const gone = await server.request('GET', nodePath(to, node), { token: server.adminToken });
    assert.equal(gone.status, 404);
  }
});

test('both have moved a node alike: a move that goes on takes what single requests take', async () => {
  const [to, from] = await movedAlike();
  const person = `mover${Date.now()}`;
  await server.makeUser(person);
  const token = await server.login(person, `secret-of-${person}`);
  const grant = (path, role) => admin('POST', `${path}/authorities/${role}/grant?id=default/${person}`, {});
  const ask = async () => { const { status, json } = await server.request('POST', `${branchPath(to)}/merge?id=${from}`, { token, body: {} }); return [status, json.code ?? json.merged]; };
  const memberships = async (branch) => (await admin('GET', `${nodePath(branch, node)}/associations?type=a:child&direction=INCOMING`)).rows.map(({ _doc }) => _doc);
  for (const branch of [from, to]) await grant(branchPath(branch), 'contributor');
  for (const id of [...Object.values(folders), node]) for (const branch of [from, to]) await grant(nodePath(branch, id), 'consumer');
  const [left] = await memberships(from);
  await move(from, node, folders.other);
  for (const id of await memberships(from)) await grant(nodePath(from, id), 'consumer');
  await grant(nodePath(to, folders.other), 'contributor');
  // What ends is the membership of the target, which this person does not see; nor that of the source, which has ended there.
  assert.deepEqual(await ask(), [403, 'nodes.merge_unreadable']);
  await grant(`${branchPath(from)}/deletions/${left}`, 'consumer');
  assert.deepEqual(await ask(), [403, 'nodes.merge_unreadable']);
  for (const id of await memberships(to)) await grant(nodePath(to, id), 'consumer');
  assert.deepEqual(await ask(), [403, 'authority.permission_missing']);
  // The folder it comes into gives what only an owner may give on.
  await grant(nodePath(to, node), 'owner');
  assert.deepEqual(await ask(), [200, true]);
  assert.deepEqual(await foldersOf(to), [folders.other]);
});

test('both have moved a node alike, then apart: a conflict in either direction', async () => {
  for (const isBack of [false, true]) {
    const branches = await movedAlike();
    await move(branches[0], node, folders.other);
    await move(branches[1], node, folders.first);
    const [from, to] = isBack ? [...branches].reverse() : branches;
    const { conflicts } = await admin('POST', `${branchPath(to)}/merge?id=${from}`, {});
    assert.deepEqual(conflicts.map(({ kind, nodeId }) => [kind, nodeId]), [['move', node]]);
  }
});

test('after merges on crossing ways a node that was moved back lies where it was moved to', async () => {
  const [first, second] = [await fork(), await fork()];
  await move(first, node, folders.same);
  for (const folder of [folders.other, folders.first]) await move(second, node, folder);
  await admin('POST', `${branchPath(second)}/nodes`, { title: 'More' });
  const before = (await admin('POST', `${branchPath('')}?branch=${second}`, {}))._doc;
  await merged(first, second);
  await merged(before, first);
  await move(first, node, folders.first);
  await merged(first, second);
  assert.deepEqual(await foldersOf(second), [folders.first]);
});

test('a node that was moved away and back was not moved', async () => {
  const source = await fork();
  await move(source, node, folders.other);
  await move(source, node, folders.first);
  assert.equal(await merged(source, 'master'), 0);
  await move('master', node, folders.same);
  await merged(source, 'master');
  assert.deepEqual(await foldersOf('master'), [folders.same]);
});

test('branches that have all made the same merge one another in turn, and make nothing', async () => {
  const branches = [await fork(), await fork(), await fork()];
  for (const branch of branches) await move(branch, node, folders.same);
  const before = await changesets();
  for (const round of [1, 2]) {
    for (const source of branches) for (const target of branches) if (source !== target) assert.equal(await merged(source, target), 0, `round ${round}`);
  }
  assert.equal(await changesets(), before);
});

test('what a branch deletes goes on one that had it, though a third that this has taken in had nothing to take', async () => {
  const [first, second, third] = [await fork(), await fork(), await fork()];
  await move(third, node, folders.same);
  assert.equal(await merged(third, first), 2);
  const { _doc: made } = await admin('POST', `${branchPath(second)}/nodes`, { title: 'Made' });
  assert.equal(await merged(second, first), 1);
  await admin('DELETE', nodePath(second, made));
  // Noted where the first branch has come by already.
  assert.equal(await merged(second, third), 0);
  assert.equal(await merged(second, first), 1);
  assert.equal((await server.request('GET', nodePath(first, made), { token: server.adminToken })).status, 404);
  assert.equal(await merged(second, first), 0);
});

test('both have moved a node alike: publishing it after the next move moves it, too', async () => {
  const source = await fork();
  for (const branch of [source, 'master']) await move(branch, node, folders.same);
  const publish = () => admin('POST', `${branchPath('master')}/copyfrom?id=${source}`, { nodeIds: [node] });
  await publish();
  assert.deepEqual(await foldersOf('master'), [folders.same]);
  await move(source, node, folders.other);
  await publish();
  assert.deepEqual(await foldersOf('master'), [folders.other]);
});

test('both have moved a node alike: what one says of its place comes to the other, member by member', async () => {
  for (const [first, second] of [[0, 1], [1, 0]]) {
    const branches = await movedAlike();
    await mark(branches[0], { sort: 1 });
    await mark(branches[1], { note: 'kept' });
    await merged(branches[first], branches[second]);
    await merged(branches[second], branches[first]);
    for (const branch of branches) {
      const [place, ...others] = await placesOf(branch);
      assert.deepEqual([place.sort, place.note, place.source, others], [1, 'kept', folders.same, []]);
    }
    await mark(branches[0], { sort: 2, note: 'kept' });
    assert.equal(await merged(...branches), 1);
    assert.equal((await placesOf(branches[1]))[0].sort, 2);
  }
});

test('both have moved a node alike: to leave the folder on one and to say something of its place on the other is a conflict', async () => {
  for (const isBack of [false, true]) {
    const branches = await movedAlike();
    await move(branches[0], node, folders.other);
    await mark(branches[1], { note: 'kept' });
    const [from, to] = isBack ? [...branches].reverse() : branches;
    const { conflicts } = await admin('POST', `${branchPath(to)}/merge?id=${from}`, {});
    assert.deepEqual(conflicts.map(({ kind }) => kind), [isBack ? 'edit-delete' : 'delete-edit']);
  }
});

test('a folder that both have put a node into is nothing that moves it apart', async () => {
  const add = (branch, folder) => admin('POST', `${nodePath(branch, folder)}/associate?node=${node}&type=a:child`, {});
  const branches = [await fork(), await fork()];
  for (const branch of branches) {
    await add(branch, folders.same);
    const [{ _doc: former }] = (await placesOf(branch)).filter(({ source }) => source === folders.first);
    await admin('DELETE', nodePath(branch, former));
  }
  await add(branches[0], folders.other);
  await merged(...branches);
  assert.deepEqual(await foldersOf(branches[1]), [folders.other, folders.same].sort());
});

test('both have moved a node alike: what the source says of its place is published each time', async () => {
  const source = await fork();
  for (const branch of [source, 'master']) await move(branch, node, folders.same);
  for (const note of ['first', 'second']) {
    await mark(source, { note });
    await admin('POST', `${branchPath('master')}/copyfrom?id=${source}`, { nodeIds: [node] });
    assert.equal((await placesOf('master'))[0].note, note);
  }
});

test('both have moved a node alike: what one has published of it goes on from there on the other', async () => {
  const steps = {
    moved: (branch) => move(branch, node, folders.other),
    taken_out: async (branch) => admin('DELETE', nodePath(branch, (await placesOf(branch))[0]._doc)),
    said: (branch) => mark(branch, { sort: 2 }),
  };
  const told = async (branch) => (await placesOf(branch)).map(({ source, sort }) => [source, sort]);
  for (const [name, step] of Object.entries(steps)) {
    const [first, second] = [await fork(), await fork()];
    for (const branch of [first, second]) await move(branch, node, folders.same);
    await mark(first, { sort: 1 });
    await admin('POST', `${branchPath(second)}/copyfrom?id=${first}`, { nodeIds: [node] });
    await step(second);
    await merged(second, first);
    assert.deepEqual(await told(first), await told(second), name);
  }
});

test('after crossing merges what is taken from a place again goes on the other branch', async () => {
  for (const isBack of [false, true]) {
    const [first, second] = [await fork(), await fork()];
    for (const branch of [first, second]) await move(branch, node, folders.same);
    await mark(second, { sort: 5 });
    for (const branch of [first, second]) await admin('POST', `${branchPath(branch)}/nodes`, { title: 'More' });
    const before = [];
    for (const branch of [first, second]) before.push((await admin('POST', `${branchPath('')}?branch=${branch}`, {}))._doc);
    await merged(before[1], first);
    await merged(before[0], second);
    const [from, to] = isBack ? [second, first] : [first, second];
    await mark(from, {});
    await merged(from, to);
    assert.equal((await placesOf(to))[0].sort, undefined);
  }
});

test('what a source has left out for one that was there is found where that has changed since', async () => {
  const [first, second, third] = [await fork(), await fork(), await fork()];
  await move(first, node, folders.other);
  await merged(first, third);
  await move(first, node, folders.first);
  await merged(first, second);
  await merged(second, third);
  assert.deepEqual(await foldersOf(third), [folders.first]);
});

test('both have moved a node alike: nobody takes it out, or learns what is said of its place, by one that they may not read', async () => {
  const [first, second] = await movedAlike();
  const [[own], [other]] = [await placesOf(first), await placesOf(second)];
  await server.makeUser('reader');
  const token = await server.login('reader', 'secret-of-reader');
  const grant = (path, role) => admin('POST', `${path}/authorities/${role}/grant?id=default/reader`, {});
  for (const branch of [first, second]) {
    await grant(branchPath(branch), 'consumer');
    for (const id of [...Object.values(folders), node]) await grant(nodePath(branch, id), 'consumer');
  }
  await grant(nodePath(second, other._doc), 'consumer');
  await grant(nodePath(second, node), 'owner');
  await admin('PUT', nodePath(first, own._doc), { secret: 'of the first' });
  await admin('PUT', nodePath(second, other._doc), { secret: 'of the second' });
  const { conflictIds: [conflict] } = await admin('POST', `${branchPath(second)}/merge?id=${first}`, {});
  await grant(`${repository}/conflicts/${conflict}`, 'consumer');
  const seen = (await server.request('GET', `${repository}/conflicts/${conflict}`, { token })).json;
  assert.deepEqual([seen._doc, seen.source, seen.target, seen.message], [conflict, undefined, undefined, undefined]);
  await admin('DELETE', nodePath(first, own._doc));
  const answer = await server.request('POST', `${branchPath(second)}/merge?id=${first}`, { token, body: {} });
  assert.deepEqual([answer.status, answer.json.code], [403, 'nodes.merge_unreadable']);
  assert.deepEqual(await foldersOf(second), [folders.same]);
});
