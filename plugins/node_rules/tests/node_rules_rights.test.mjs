// Whose rights rules have (docs/reference/rules.md, decision 0160): nobody gets content moved to where neither author
// of a rule could put it, nor out of where they could not read it.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { SteleServer } from '../../../tests/support/stele_server.mjs';
import { RuleWorld } from './rule_world.mjs';

let server;
let world;
let people = 0;
before(async () => {
  server = await SteleServer.start();
  world = new RuleWorld(server);
});
after(() => server.end());
const admin = (...request) => server.admin(...request);
const grant = (path, role, person) => admin('POST', `${path}/authorities/${role}/grant?id=default/${person.name}`);
const revoke = (path, role, person) => admin('POST', `${path}/authorities/${role}/revoke?id=default/${person.name}`);

async function person() {
  const name = `person-${++people}`;
  const record = await server.makeUser(name);
  const token = await server.login(name, `secret-of-${name}`);
  const raw = (method, path, body) => server.request(method, path, { token, body });
  const ask = async (method, path, body) => {
    const reply = await raw(method, path, body);
    assert.equal(reply.status, 200, `${name}: ${method} ${path}: ${reply.text}`);
    return reply.json;
  };
  return { name, id: record._doc, raw, admin: ask };
}

/// Two repositories with a type on the first, and an editor of that one.
async function drafts() {
  const [draft, live] = [(await world.repository()).master, (await world.repository()).master];
  const editor = await person();
  await grant(`/repositories/${draft.repository}`, 'editor', editor);
  await grant(`/repositories/${draft.repository}`, 'collaborator', editor);
  return { draft, live, editor, type: await world.define(draft) };
}
const of = async (rule) => (await world.jobs()).filter(({ _data }) => _data.ruleId === rule.id);
const messages = (jobs) => jobs.flatMap((job) => job.log_entries.map(({ message }) => message)).join('\n');
const nothingOn = async (branch, ...nodes) => { for (const node of nodes) assert.equal(await world.shown(branch, node), undefined); };

test('who touches a node needs no rights on the target: whoever answers for the rule has them', async () => {
  const { draft, live, editor, type } = await drafts();
  const rule = await world.bind(draft, type.id, world.rule(live, []));
  const { _doc: node } = await editor.admin('POST', draft.nodes, { _type: type.qname, title: 'written' });
  await world.arrives(live, node, { title: 'written' });
  assert.equal((await world.shown(live, node))._system.created_by, 'admin');
  assert.equal((await editor.raw('GET', `${live.nodes}/${node}`)).status, 404);
  await world.settle(draft);
  assert.deepEqual((await of(rule)).map(({ state, submitted_by }) => [state, submitted_by]), [['FINISHED', 'admin']]);
  assert.deepEqual(await world.jobs(editor), []);
});

test('an editor who may not write to the target makes a rule: nothing arrives, and the job says so', async () => {
  const { draft, live, editor, type } = await drafts();
  for (const role of [undefined, 'consumer']) {
    if (role) await grant(`/repositories/${live.repository}`, role, editor);
    const rule = await world.bind(draft, type.id, world.rule(live, []), { as: editor });
    const node = await world.make(draft, { _type: type.qname, title: 'by the administrator' });
    await world.settle(draft);
    await nothingOn(live, node);
    const [job, ...others] = await of(rule);
    assert.deepEqual([job.state, job.runAsPrincipalId, others], ['ERROR', editor.id, []]);
    assert.match(messages([job]), role ? /CREATE_SUBOBJECTS|permission|needed/i : /there is no branch/);
    // The editor sees it, too.
    assert.ok((await world.jobs(editor)).some(({ _doc }) => _doc === job._doc));
    await admin('DELETE', `${draft.nodes}/${rule.association}`);
  }
  await grant(`/repositories/${live.repository}`, 'collaborator', editor);
  const rule = await world.bind(draft, type.id, world.rule(live, []), { as: editor });
  const node = await world.make(draft, { _type: type.qname });
  await world.arrives(live, node);
  assert.equal((await world.shown(live, node))._system.created_by, editor.name);
  await revoke(`/repositories/${live.repository}`, 'collaborator', editor);
  await world.update(draft, node, { title: 'later' });
  await world.settle(draft);
  assert.equal((await world.shown(live, node)).title, undefined);
  assert.equal((await of(rule)).length, 2);
});

test('an editor binds the rule of an administrator to another type: nothing arrives with the administrator\'s rights', async () => {
  const { draft, live, editor, type } = await drafts();
  const secret = await world.define(draft);
  const rule = await world.bind(draft, type.id, world.rule(live, []));
  await editor.admin('POST', `${draft.nodes}/${secret.id}/associate?node=${rule.id}&type=a:has_behavior`, { policy: 'p:afterTouchNode', scope: 1 });
  const [allowed, refused] = [await world.make(draft, { _type: type.qname }), await world.make(draft, { _type: secret.qname })];
  await world.arrives(live, allowed);
  await world.settle(draft);
  await nothingOn(live, refused);
  const failed = (await of(rule)).filter(({ state }) => state === 'ERROR');
  assert.equal(failed.length, 1);
  assert.match(messages(failed), /whoever bound the rule may not do by themselves what it says/);
  // Nor is what arrived deleted by a binding of theirs: their own is the second one.
  await grant(`/repositories/${live.repository}`, 'collaborator', editor);
  await world.update(draft, refused, { title: 'again' });
  await world.arrives(live, refused, { title: 'again' });
});

test('an editor changes the rule of an administrator, or its binding: from then on they answer for it, too', async () => {
  const { draft, live, editor, type } = await drafts();
  const secret = (await world.repository()).master;
  const rule = await world.bind(draft, type.id, world.rule(live, []));
  const first = await world.make(draft, { _type: type.qname });
  await world.arrives(live, first);
  const before = await editor.admin('GET', `${draft.nodes}/${rule.id}`);
  await editor.admin('PUT', `${draft.nodes}/${rule.id}`, { ...before, ...world.rule(secret, []) });
  const second = await world.make(draft, { _type: type.qname });
  await world.settle(draft);
  await nothingOn(secret, first, second);
  await nothingOn(live, second);
  assert.deepEqual((await of(rule)).filter(({ state }) => state === 'ERROR').map(({ runAsPrincipalId }) => runAsPrincipalId), [editor.id]);

  await admin('PUT', `${draft.nodes}/${rule.id}`, { ...before, ...world.rule(live, []) });
  const third = await world.make(draft, { _type: type.qname });
  await world.arrives(live, third);
  const association = await editor.admin('GET', `${draft.nodes}/${rule.association}`);
  await editor.admin('PUT', `${draft.nodes}/${rule.association}`, { ...association, note: 'theirs now' });
  const fourth = await world.make(draft, { _type: type.qname });
  await world.settle(draft);
  await nothingOn(live, fourth);
});

test('copies of a rule, and what a fork inherits, are not the administrator\'s', async () => {
  const { draft, live, editor, type } = await drafts();
  const rule = await world.bind(draft, type.id, world.rule(live, []));
  const made = await editor.admin('POST', `/repositories/${draft.repository}/branches?branch=${draft.id}`, {});
  const fork = await world.branch(draft.repository, made._doc);
  const { _doc: node } = await editor.admin('POST', fork.nodes, { _type: type.qname, title: 'of the fork' });
  // On a branch of the same repository the rule and its binding come as the editor's own.
  await editor.admin('POST', `${fork.path}/copyfrom?id=${draft.id}`, { nodeIds: [rule.id, type.id] });
  await editor.admin('PUT', `${fork.nodes}/${node}`, { _type: type.qname, title: 'touched' });
  const theirs = await editor.admin('POST', `${fork.nodes}/${type.id}/associate?node=${rule.id}&type=a:has_behavior`, { policy: 'p:afterTouchNode', scope: 1, note: 'mine' });
  assert.ok(theirs._doc);
  await editor.admin('PUT', `${fork.nodes}/${node}`, { _type: type.qname, title: 'touched again' });
  await world.settle(draft);
  await nothingOn(live, node);
});

test('a rule of somebody who is disabled or gone does nothing, nor does one that they have bound', async () => {
  for (const end of ['disabled', 'gone']) {
    const { draft, live, editor, type } = await drafts();
    const other = await world.define(draft);
    await grant(`/repositories/${live.repository}`, 'collaborator', editor);
    const theirs = await world.bind(draft, type.id, world.rule(live, []), { as: editor });
    const bound = await world.bind(draft, other.id, world.rule(live, []));
    await admin('DELETE', `${draft.nodes}/${bound.association}`);
    await editor.admin('POST', `${draft.nodes}/${other.id}/associate?node=${bound.id}&type=a:has_behavior`, { policy: 'p:afterTouchNode', scope: 1 });
    const nodes = [await world.make(draft, { _type: type.qname }), await world.make(draft, { _type: other.qname })];
    for (const node of nodes) await world.arrives(live, node);
    const path = `/domains/default/principals/${editor.id}`;
    if (end === 'gone') await admin('DELETE', path);
    else await admin('PUT', path, { ...(await admin('GET', path)), enabled: false });
    const later = [await world.make(draft, { _type: type.qname }), await world.make(draft, { _type: other.qname })];
    for (const node of nodes) await admin('DELETE', `${draft.nodes}/${node}`);
    await world.settle(draft);
    await nothingOn(live, ...later);
    for (const node of nodes) assert.ok(await world.shown(live, node), end);
    await server.logged(`rule ${theirs.id} does nothing: default/${editor.id} is ${end}`);
    assert.match(messages((await of(bound)).filter(({ state }) => state === 'ERROR')), /whoever bound the rule may act no more/);
  }
});

/// Somebody who may make nodes on a draft branch, bind rules to a type and write to the live one, and reads nothing
/// of the draft's.
async function guestOf({ draft, live, type }) {
  const guest = await person();
  await admin('POST', `/repositories/${draft.repository}/roles`, { roleKey: 'writer', permissions: ['CONNECT', 'CREATE_SUBOBJECTS'] });
  for (const path of [`/repositories/${draft.repository}`, draft.path]) {
    for (const role of ['connector', 'writer']) await grant(path, role, guest);
  }
  await grant(`${draft.nodes}/${type.id}`, 'editor', guest);
  await grant(`/repositories/${live.repository}`, 'collaborator', guest);
  return guest;
}

test('who may not read the nodes of a type cannot have them brought to where they read by binding the rule of somebody who may', async () => {
  const { draft, live, type } = await drafts();
  const secret = await world.define(draft);
  const guest = await guestOf({ draft, live, type: secret });
  const rule = await world.bind(draft, type.id, world.rule(live, []));
  await grant(`${draft.nodes}/${rule.id}`, 'consumer', guest);
  await guest.admin('POST', `${draft.nodes}/${secret.id}/associate?node=${rule.id}&type=a:has_behavior`, { policy: 'p:afterTouchNode', scope: 1 });
  const hidden = await world.make(draft, { _type: secret.qname, title: 'hidden' });
  await world.settle(draft);
  await nothingOn(live, hidden);
  assert.match(messages((await of(rule)).filter(({ state }) => state === 'ERROR')), /whoever bound the rule may not do by themselves/);
  assert.deepEqual(await world.jobs(guest), []);
});

test('a rule tells its author nothing of nodes that they may not read, whoever else has one for them', async () => {
  const { draft, live, type } = await drafts();
  const elsewhere = (await world.repository()).master;
  await world.bind(draft, type.id, world.rule(elsewhere, []));
  const guest = await guestOf({ draft, live, type });
  const guess = (value) => [{ type: 'propertyEquals', config: { property: 'secret', value } }];
  for (const value of ['right', 'wrong']) await world.bind(draft, type.id, world.rule(live, guess(value)), { as: guest });
  await world.bind(draft, type.id, world.rule(live, []), { as: guest });
  await world.bind(draft, type.id, { ...world.rule(live), conditions: [{ type: 'moonIs' }] }, { as: guest });
  const hidden = await world.make(draft, { _type: type.qname, secret: 'right' });
  assert.equal((await guest.raw('GET', `${draft.nodes}/${hidden}`)).status, 404);
  await world.arrives(elsewhere, hidden);
  await world.update(draft, hidden, { title: 'touched' });
  await admin('DELETE', `${draft.nodes}/${hidden}`);
  await world.settle(draft);
  await nothingOn(live, hidden);
  assert.deepEqual(await world.jobs(guest), []);
});

test('a copy goes only by somebody who may delete it', async () => {
  const { draft, live, editor, type } = await drafts();
  await grant(`/repositories/${live.repository}`, 'consumer', editor);
  const rule = await world.bind(draft, type.id, world.rule(live, []));
  const [node, other] = [await world.make(draft, { _type: type.qname }), await world.make(draft, { _type: type.qname })];
  for (const one of [node, other]) await world.arrives(live, one);
  await admin('DELETE', `${draft.nodes}/${other}`);
  await world.goes(live, other);
  await editor.admin('PUT', `${draft.nodes}/${rule.id}`, await editor.admin('GET', `${draft.nodes}/${rule.id}`));
  await admin('DELETE', `${draft.nodes}/${node}`);
  await world.settle(draft);
  assert.ok(await world.shown(live, node));
  assert.deepEqual((await of(rule)).filter(({ state }) => state === 'ERROR').map(({ runAsPrincipalId }) => runAsPrincipalId), [editor.id]);
});
