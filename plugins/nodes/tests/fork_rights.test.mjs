// A fork or a snapshot shows nobody what they could not read where its content comes from
// (docs/reference/authorities.md, decision 0055). A model-like walk: people with random rights fork a branch,
// and every operation that reads tells them on the fork of the same nodes as on the origin.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { repetitions } from '../../../tests/support/repetitions.mjs';
import { SteleServer } from '../../../tests/support/stele_server.mjs';

let server;
let seed = 20261123;
let people = 0;
const random = (n) => { seed = (seed * 48271) % 2147483647; return seed % n; };
const pick = (list) => list[random(list.length)];
const admin = (...request) => server.admin(...request);
before(async () => { server = await SteleServer.start(); });
after(() => server.end());

const mark = (number) => `mark${String(number).padStart(4, '0')}x`;
const kMarks = /mark\d{4}x/g;

/// A repository whose nodes each have a mark of their own in all that is told of them.
async function makeWorld() {
  const repository = `/repositories/${(await admin('POST', '/repositories', {}))._doc}`;
  const world = { repository, master: `${repository}/branches/master`, nodes: [], changesets: [] };
  await admin('POST', `${repository}/roles`, { roleKey: 'forker', permissions: ['CONNECT', 'CREATE_SUBOBJECTS'] });
  const add = async (fields, folder) => {
    const number = world.nodes.length;
    const made = await admin('POST', `${world.master}/nodes`, { title: `words ${mark(number)}`, text: mark(number), ...fields });
    const node = { id: made._doc, mark: mark(number), folder };
    node.changeset = (await admin('GET', `${world.master}/nodes/${node.id}`))._system.changeset;
    world.nodes.push(node);
    if (folder) await admin('POST', `${world.master}/nodes/${folder.id}/associate?node=${node.id}&type=a:child`);
    return node;
  };
  const folders = [await add({})];
  for (let i = 0; i < 4; ++i) folders.push(await add({}, pick(folders)));
  for (let i = 0; i < 9; ++i) await add({}, pick([undefined, ...folders]));
  world.type = await add({ _qname: `custom:type${people}`, _type: 'd:type', type: 'object', properties: { text: { type: 'string' } } });
  const { nodes, master } = world;
  for (let i = 0; i < 8; ++i) {
    const [from, to] = [pick(nodes), pick(nodes)];
    if (from !== to) await admin('POST', `${master}/nodes/${from.id}/associate?node=${to.id}&type=a:linked`, { note: `${from.mark} ${to.mark}` });
  }
  for (const node of nodes) {
    if (random(2)) await admin('POST', `${master}/nodes/${node.id}/attachments/default?filename=${node.mark}`, `bytes of ${node.mark}`.padEnd(40));
    if (random(2)) await admin('PUT', `${master}/nodes/${node.id}`, { ...(await admin('GET', `${master}/nodes/${node.id}`)), more: node.mark });
  }
  world.deleted = await add({}, folders[0]);
  world.changesets.push(world.deleted.changeset);
  await admin('DELETE', `${master}/nodes/${world.deleted.id}`);
  world.changesets.push((await admin('GET', master)).tip);
  return world;
}

async function person() {
  const name = `forker-${++people}`;
  await server.makeUser(name);
  const token = await server.login(name, `secret-of-${name}`);
  return { name, token, ask: (method, path, body) => server.request(method, path, { token, body }) };
}
const grant = (path, role, name) => admin('POST', `${path}/authorities/${role}/grant?id=default/${name}`);

const kRoles = ['consumer', 'contributor', 'editor', 'collaborator', 'manager', 'owner', 'connector'];

/// May fork, and has some rights on some nodes besides.
async function someForker(world) {
  const user = await person();
  await grant(world.repository, 'forker', user.name);
  await grant(world.master, pick(['consumer', 'contributor', 'manager']), user.name);
  for (const node of world.nodes) {
    if (node !== world.deleted && !random(4)) await grant(`${world.master}/nodes/${node.id}`, pick(kRoles), user.name);
  }
  return user;
}

/// What tells of nodes, as [method, path, body].
function* readings(branch, world) {
  const nodes = `${branch}/nodes`;
  yield* [['GET', `${nodes}?limit=-1`], ['POST', `${nodes}/query?limit=-1`, {}], ['POST', `${nodes}/query?limit=-1&paths=true`, { text: { $exists: true } }],
    ['POST', `${nodes}/search?limit=-1`, { search: 'words' }], ['GET', `${nodes}/search?text=words&limit=-1`],
    ['POST', `${nodes}/find?limit=-1`, { search: 'words', query: {} }], ['GET', `${branch}/definitions?limit=-1`], ['GET', `${branch}/schemas`],
    ['GET', `${branch}/deletions?limit=-1`], ['POST', `${branch}/deletions/query?limit=-1`, {}],
    ['POST', `${branch}/graphql`, { query: '{ n_nodes { _doc title } }' }],
    ['GET', `${nodes}/root/tree?depth=9&object=true`], ['GET', `${nodes}/root/children?limit=-1`],
    ['GET', `${branch}/history/changesets?limit=-1`], ['GET', `${branch}/history/nodediffs?limit=-1`]];
  for (const { id, mark: text, changeset } of world.nodes) {
    const node = `${nodes}/${id}`;
    yield* [['GET', `${node}?paths=true`], ['GET', `${node}/children?limit=-1`], ['GET', `${node}/relatives?limit=-1`], ['GET', `${node}/associations?limit=-1`],
      ['GET', `${node}/tree?depth=9&object=true`], ['POST', `${node}/traverse`, { traverse: { depth: 4, associations: { 'a:child': 'ANY', 'a:linked': 'ANY' } } }],
      ['GET', `${node}/versions?limit=-1&full=true`], ['GET', `${node}/attachments`], ['GET', `${node}/attachments/default`],
      ['GET', `${node}/features`], ['GET', `${node}/type`], ['GET', `${branch}/deletions/${id}`], ['GET', `${branch}/deletions/${id}/attachments/default`],
      ['POST', `${nodes}/query?limit=-1`, { text }], ['POST', `${node}/predelete`, {}],
      ['GET', `${node}/versions/${encodeURIComponent(changeset)}`], ['GET', `${node}/versions/${encodeURIComponent(changeset)}/diff`]];
  }
}

const readable = (reply) => [...new Set(reply.text.match(kMarks) ?? [])].sort();

/// What somebody is told of on a branch, reading by reading.
async function told(user, branch, world) {
  const found = [];
  for (const [method, path, body] of readings(branch, world)) {
    const reply = await user.ask(method, path, body);
    assert.ok(reply.status < 500, `${method} ${path}: ${reply.text}`);
    const what = `${method} ${path.replace(branch, '')} ${body ? JSON.stringify(body) : ''}`;
    found.push({ what, isShown: reply.status === 200, marks: readable(reply), total: reply.json?.total_rows });
  }
  return found;
}

async function compare(user, from, to, world) {
  const [there, here] = [await told(user, from, world), await told(user, to, world)];
  for (const [at, one] of there.entries()) assert.deepEqual(here[at], one, `${user.name} ${one.what}`);
  return there;
}

async function fork(user, world, from = world.master, fields = {}) {
  const reply = await user.ask('POST', `${world.repository}/branches?branch=${from.split('/').pop()}`, fields);
  assert.equal(reply.status, 200, reply.text);
  return `${world.repository}/branches/${reply.json._doc}`;
}

test('whoever forks sees on the fork what they saw on the origin, by every reading operation', async () => {
  let hidden = 0;
  let seen = 0;
  for (let round = 0; round < repetitions(2); ++round) {
    const world = await makeWorld();
    for (let i = 0; i < 3; ++i) {
      const user = await someForker(world);
      const branch = await fork(user, world);
      const shown = await compare(user, world.master, branch, world);
      const listed = shown.find(({ what }) => what.startsWith('POST /nodes/query')).marks.length;
      seen += listed;
      hidden += world.nodes.length - 1 - listed;
      const snapshot = await user.ask('POST', `${world.repository}/snapshots?branch=master`, {});
      assert.equal(snapshot.status, 200);
      await compare(user, world.master, `${world.repository}/branches/${snapshot.json._doc}`, world);
      await compare(user, branch, await fork(user, world, branch), world);
      // Everybody else sees nothing more by somebody's fork, and the administrator all of it.
      const other = await someForker(world);
      await grant(branch, 'consumer', other.name);
      const onMaster = await told(other, world.master, world);
      for (const [at, one] of (await told(other, branch, world)).entries()) {
        assert.deepEqual(one.marks.filter((text) => !onMaster[at].marks.includes(text)), [], `${other.name} ${one.what}`);
      }
    }
    await compare({ name: 'admin', ask: (method, path, body) => server.request(method, path, { token: server.adminToken, body }) },
      world.master, await fork({ ask: (...request) => server.request(request[0], request[1], { token: server.adminToken, body: request[2] }) }, world), world);
  }
  // Half of the rounds are walked under a sanitizer.
  const enough = process.env.STELE_SANITIZED ? 5 : 10;
  assert.ok(hidden > enough && seen > enough, `${hidden} hidden, ${seen} seen`);
});

test('what is inherited cannot be changed with more rights than on the origin, what is made on the fork is its owner\'s', async () => {
  const world = await makeWorld();
  const user = await person();
  await grant(world.repository, 'forker', user.name);
  await grant(world.master, 'consumer', user.name);
  const [read, hidden, edited] = world.nodes.slice(-5);
  await grant(`${world.master}/nodes/${read.id}`, 'consumer', user.name);
  await grant(`${world.master}/nodes/${edited.id}`, 'editor', user.name);
  const branch = await fork(user, world);
  const status = async (method, path, body) => (await user.ask(method, `${branch}${path}`, body)).status;
  assert.equal(await status('PUT', `/nodes/${read.id}`, { title: 'x' }), 403);
  assert.equal(await status('PUT', `/nodes/${hidden.id}`, { title: 'x' }), 404);
  assert.equal(await status('DELETE', `/nodes/${hidden.id}`), 404);
  assert.equal(await status('PUT', `/nodes/${edited.id}`, { title: 'x' }), 200);
  assert.equal(await status('POST', `/nodes/${hidden.id}/authorities/consumer/grant?id=default/${user.name}`, {}), 404);
  assert.equal(await status('POST', `/nodes/${read.id}/authorities/consumer/grant?id=default/${user.name}`, {}), 403);
  const made = (await user.ask('POST', `${branch}/nodes`, { title: 'made' })).json._doc;
  assert.equal(await status('POST', `/nodes/${made}/associate?node=${hidden.id}&type=a:child`, {}), 404);
  // What others make on the fork is its owner's to read as well.
  const other = (await admin('POST', `${branch}/nodes`, { title: 'of the admin' }))._doc;
  assert.equal(await status('GET', `/nodes/${other}`), 200);
  // Somebody who may changes what is hidden there, or removes it: it stays hidden.
  await admin('PUT', `${branch}/nodes/${hidden.id}`, { title: `still ${hidden.mark}` });
  assert.equal(await status('GET', `/nodes/${hidden.id}`), 404);
  await admin('DELETE', `${branch}/nodes/${hidden.id}`);
  assert.equal(await status('GET', `/deletions/${hidden.id}`), 404);
  assert.equal((await user.ask('POST', `${branch}/deletions/query`, {})).text.includes(hidden.mark), false);
});

test('rights that are given or taken at the origin hold on the fork, too', async () => {
  const world = await makeWorld();
  const user = await person();
  await grant(world.repository, 'forker', user.name);
  await grant(world.master, 'consumer', user.name);
  const branch = await fork(user, world);
  const [node] = world.nodes.slice(-3);
  const sees = async () => (await user.ask('GET', `${branch}/nodes/${node.id}`)).status === 200;
  assert.equal(await sees(), false);
  await grant(`${world.master}/nodes/${node.id}`, 'consumer', user.name);
  assert.equal(await sees(), true);
  await admin('POST', `${world.master}/nodes/${node.id}/authorities/consumer/revoke?id=default/${user.name}`);
  assert.equal(await sees(), false);
  await grant(world.repository, 'consumer', user.name);
  assert.equal(await sees(), true);
  await admin('POST', `${world.repository}/authorities/consumer/revoke?id=default/${user.name}`);
  await grant(world.master, 'owner', user.name);
  assert.equal(await sees(), true);
  await admin('POST', `${world.master}/authorities/owner/revoke?id=default/${user.name}`);
  assert.equal(await sees(), false);
});

test('a role on the fork reaches what is inherited where somebody gives it who has it at the origin', async () => {
  const world = await makeWorld();
  const [forker, guest] = [await person(), await person()];
  await grant(world.repository, 'forker', forker.name);
  await grant(world.master, 'consumer', forker.name);
  const branch = await fork(forker, world);
  const own = (await forker.ask('POST', `${branch}/nodes`, { title: 'own' })).json._doc;
  const sees = async (user) => Promise.all([own, world.nodes[0].id].map(async (id) => (await user.ask('GET', `${branch}/nodes/${id}`)).status === 200));
  const owner = `${branch}/authorities/owner`;
  assert.equal((await forker.ask('POST', `${owner}/grant?id=default/${guest.name}`, {})).status, 200);
  assert.deepEqual(await sees(guest), [true, false]);
  await admin('POST', `${owner}/grant?id=default/${guest.name}`);
  assert.deepEqual(await sees(guest), [true, true]);
  // Who has it so may hand it on, and forks it with all of it.
  assert.equal((await guest.ask('POST', `${owner}/grant?id=default/${forker.name}`, {})).status, 200);
  assert.deepEqual(await sees(forker), [true, true]);
  assert.equal((await guest.ask('POST', `${owner}/revoke?id=default/${forker.name}`, {})).status, 200);
  // What it made is its own still.
  assert.deepEqual(await sees(forker), [true, false]);
});

/** A folder that lost a member, hidden from its manager since: the changeset of before is told, and a person who may fork it. */
async function makeEmptiedFolder() {
  const repository = `/repositories/${(await admin('POST', '/repositories', {}))._doc}`;
  const master = `${repository}/branches/master`;
  await admin('POST', `${repository}/roles`, { roleKey: 'forker', permissions: ['CONNECT', 'CREATE_SUBOBJECTS'] });
  const user = await person();
  await grant(repository, 'forker', user.name);
  await grant(master, 'consumer', user.name);
  const [folder, lost, kept] = await Promise.all(['folder', 'lost', 'kept'].map(async (title) => (await admin('POST', `${master}/nodes`, { title }))._doc));
  for (const node of [lost, kept]) await admin('POST', `${master}/nodes/${folder}/associate?node=${node}&type=a:child`);
  const before = (await admin('GET', master)).tip;
  await admin('POST', `${master}/nodes/${lost}/move?targetNodeId=root`);
  await grant(`${master}/nodes/${folder}`, 'manager', user.name);
  return { repository, master, user, folder, lost, kept, before };
}

for (const [how, make] of [
  ['fork of an old changeset', async ({ user, repository, before }) => user.ask('POST', `${repository}/branches?branch=master&changeset=${encodeURIComponent(before)}`, {})],
  ['snapshot of an old changeset', async ({ user, repository, before }) => user.ask('POST', `${repository}/snapshots?branch=master&changeset=${encodeURIComponent(before)}`, {})],
]) {
  test(`a grant on a folder of a ${how} shows of what came along what its holder may read at the origin`, async () => {
    const world = await makeEmptiedFolder();
    const { repository, master, user, folder, lost, kept } = world;
    const made = await make(world);
    assert.equal(made.status, 200, made.text);
    const branch = `${repository}/branches/${made.json._doc}`;
    const sees = async () => Promise.all([folder, lost, kept].map(async (id) => (await user.ask('GET', `${branch}/nodes/${id}`)).status));
    assert.deepEqual(await sees(), [200, 404, 200]);
    for (const role of ['consumer', 'manager']) {
      await user.ask('POST', `${branch}/nodes/${folder}/authorities/${role}/grant?id=default/${user.name}`, {});
    }
    assert.deepEqual(await sees(), [200, 404, 200]);
    assert.deepEqual((await user.ask('GET', `${branch}/nodes/${folder}/children`)).json.rows.map((row) => row._doc), [kept]);
    // What is given at the origin counts here, too.
    await grant(`${master}/nodes/${lost}`, 'consumer', user.name);
    assert.deepEqual(await sees(), [200, 200, 200]);
  });
}

test('a folder that somebody makes on a fork gives no rights on what is put into it from the origin', async () => {
  const { repository, master, user, folder, lost, before } = await makeEmptiedFolder();
  await grant(`${master}/nodes/${folder}`, 'owner', user.name);
  const made = await user.ask('POST', `${repository}/branches?branch=master&changeset=${encodeURIComponent(before)}`, {});
  const branch = `${repository}/branches/${made.json._doc}`;
  const own = (await user.ask('POST', `${branch}/nodes`, { title: 'own' })).json._doc;
  await user.ask('POST', `${branch}/nodes/${folder}/move?targetNodeId=${own}`, {});
  assert.equal((await user.ask('GET', `${branch}/nodes/${lost}`)).status, 404);
  // What is made in the folder on the fork is the fork's own.
  const inside = (await admin('POST', `${branch}/nodes?rootNodeId=${own}&parentFolderPath=/`, { title: 'inside' }))._doc;
  assert.equal((await user.ask('GET', `${branch}/nodes/${inside}`)).status, 200);
});

test('a grant on a folder of a fork reaches all that came along where somebody gives it who has all of it', async () => {
  const { repository, user, folder, lost } = await makeEmptiedFolder();
  const made = await admin('POST', `${repository}/branches?branch=master`, {});
  const branch = `${repository}/branches/${made._doc}`;
  await admin('POST', `${branch}/nodes/${folder}/associate?node=${lost}&type=a:child`);
  assert.equal((await user.ask('GET', `${branch}/nodes/${lost}`)).status, 404);
  await grant(branch, 'connector', user.name);
  await grant(`${branch}/nodes/${folder}`, 'consumer', user.name);
  assert.equal((await user.ask('GET', `${branch}/nodes/${lost}`)).status, 200);
  assert.equal((await user.ask('PUT', `${branch}/nodes/${lost}`, { title: 'x' })).status, 403);
});

test('a policy counts on inherited content as where that comes from, whatever the fork is called', async () => {
  const world = await makeWorld();
  const platform = (await admin('GET', '/'))._doc;
  const [secret, open] = await Promise.all(['secret', 'open'].map((title) => admin('POST', `${world.repository}/branches?branch=master`, { title })));
  const from = `${world.repository}/branches/${secret._doc}`;
  const node = (await admin('POST', `${from}/nodes`, { title: 'kept' }))._doc;
  const user = await person();
  await grant(world.repository, 'forker', user.name);
  const branchIs = (config) => [{ type: 'branch', config }];
  const assign = async (...statements) => {
    const { _doc } = await admin('POST', '/access/policies', { statements });
    await admin('POST', `/access/policies/${_doc}/assign?ref=user://${platform}/default/${user.name}`);
    return _doc;
  };
  const everything = await assign({ action: 'grant', roles: ['consumer'], conditions: [] },
    { action: 'revoke', roles: ['consumer'], conditions: [...branchIs({ title: 'secret' }), { type: 'type', config: { type: '^node.*' } }] });
  const sees = async (branch) => (await user.ask('GET', `${branch}/nodes/${node}`)).status === 200;
  assert.equal(await sees(from), false);
  const branch = await fork(user, world, from, { title: open.title });
  assert.equal(await sees(branch), false);
  await admin('DELETE', `/access/policies/${everything}`);
  await assign({ action: 'grant', roles: ['consumer'], conditions: branchIs({ title: 'open' }) });
  assert.equal((await user.ask('GET', branch)).status, 200);
  assert.equal(await sees(branch), false);
  await assign({ action: 'grant', roles: ['consumer'], conditions: branchIs({ id: branch.split('/').pop() }) });
  assert.equal(await sees(branch), true);
  assert.equal(await sees(from), false);
});

test('a reset shows nobody more', async () => {
  const world = await makeWorld();
  const user = await person();
  await grant(world.repository, 'forker', user.name);
  await grant(world.master, 'consumer', user.name);
  const branch = await fork(user, world);
  await user.ask('POST', `${branch}/nodes`, { title: 'made' });
  const before = await told(user, branch, world);
  const reset = `${branch}/reset/start?id=${encodeURIComponent(world.changesets[0])}`;
  // Who holds less than everything in the fork, by what it inherits, resets nothing (docs/decisions/0092).
  assert.equal((await user.ask('POST', reset, {})).status, 403);
  await admin('POST', reset);
  for (let i = 0; i < 200 && (await admin('GET', branch)).tip !== world.changesets[0]; ++i) await new Promise((resolve) => { setTimeout(resolve, 20); });
  assert.equal((await admin('GET', branch)).tip, world.changesets[0]);
  for (const [at, one] of (await told(user, branch, world)).entries())
    assert.deepEqual(one.marks.filter((text) => !before[at].marks.includes(text)), [], one.what);
});
