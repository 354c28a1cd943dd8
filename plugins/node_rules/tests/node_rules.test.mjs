// What rules do (docs/specification/merge_and_transfer.md 1.3, docs/reference/rules.md).
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { SteleServer } from '../../../tests/support/stele_server.mjs';
import { until } from '../../../tests/support/until.mjs';
import { atTouch, published, RuleWorld } from './rule_world.mjs';

let server;
let world;
before(async () => {
  server = await SteleServer.start();
  world = new RuleWorld(server);
});
after(() => server.end());
const admin = (...request) => server.admin(...request);

/// Two repositories, and a type on the master of the first.
async function drafts() {
  const [draft, live] = [(await world.repository()).master, (await world.repository()).master];
  return { draft, live, type: await world.define(draft) };
}
const tip = async (branch) => (await admin('GET', branch.path)).tip;
const states = (jobs) => jobs.map(({ state }) => state);
const messages = (jobs) => jobs.flatMap((job) => job.log_entries.map(({ message }) => message));

test('a node goes to the other branch once its condition holds, with its attachments, follows updates, and is gone with its source (1.3)', async () => {
  const { draft, live, type } = await drafts();
  await world.bind(draft, type.id, world.rule(live));
  const node = await world.make(draft, { _type: type.qname, version: '1' });
  for (const name of ['attach1', 'attach2', 'attach3']) await world.attach(draft, node, name, `bytes of ${name}`);
  await world.settle(draft);
  assert.equal(await world.shown(live, node), undefined);

  await world.update(draft, node, { state: 'published' });
  await world.arrives(live, node, { version: '1', state: 'published' });
  for (const name of ['attach1', 'attach2', 'attach3']) {
    const { text, headers } = await server.request('GET', `${live.nodes}/${node}/attachments/${name}`, { token: server.adminToken });
    assert.equal(text, `bytes of ${name}`);
    assert.equal(headers['content-type'], 'image/jpeg');
  }
  await world.update(draft, node, { version: '2' });
  await world.arrives(live, node, { version: '2' });
  await world.attach(draft, node, 'attach4', 'more bytes');
  await world.settle(draft);
  assert.equal((await server.request('GET', `${live.nodes}/${node}/attachments/attach4`, { token: server.adminToken })).text, 'more bytes');
  const { rows } = await admin('POST', `${live.nodes}/query`, { version: '2' });
  assert.deepEqual(rows.map(({ _doc }) => _doc), [node]);

  await admin('DELETE', `${draft.nodes}/${node}`);
  await world.goes(live, node);
});

test('a rule is for subtypes and not for others, and one with scope 0 for its node alone', async () => {
  const { draft, live, type } = await drafts();
  const sub = await world.define(draft, { _parent: type.qname });
  const below = await world.define(draft, { _parent: sub.qname });
  const other = await world.define(draft);
  await world.bind(draft, type.id, world.rule(live, []));
  const [one, two, three] = [await world.make(draft, { _type: below.qname }), await world.make(draft, { _type: other.qname }), await world.make(draft, { _type: other.qname })];
  await world.arrives(live, one);
  await world.bind(draft, two, world.rule(live, []), { settings: { _features: { 'f:behavior-binding': { policy: 'p:afterTouchNode', scope: 0 } } } });
  await world.update(draft, two, { title: 'two' });
  await world.update(draft, three, { title: 'three' });
  await world.arrives(live, two, { title: 'two' });
  await world.settle(draft);
  assert.equal(await world.shown(live, three), undefined);
});

test('rules are for what is written while they are bound', async () => {
  const { draft, live, type } = await drafts();
  const early = await world.make(draft, { _type: type.qname, title: 'early' });
  const { association } = await world.bind(draft, type.id, world.rule(live, []));
  const between = await world.make(draft, { _type: type.qname, title: 'between' });
  await admin('DELETE', `${draft.nodes}/${association}`);
  const late = await world.make(draft, { _type: type.qname, title: 'late' });
  await world.arrives(live, between);
  await world.settle(draft);
  for (const node of [early, late]) assert.equal(await world.shown(live, node), undefined);
});

test('a rule of which something is not known does nothing, and its job says what', async () => {
  const { draft, live, type } = await drafts();
  const sync = { type: 'syncNode', config: live.address };
  const wrong = [
    [{ conditions: [...published, { type: 'moonIs', config: { phase: 'full' } }] }, /the condition moonIs is not known/],
    [{ actions: [sync, { type: 'sendEmail', config: {} }] }, /the action sendEmail is not known/],
    [{ actions: [{ type: 'syncNode', config: { ...live.address, includeAllAssociations: true } }] }, /syncNode has no includeAllAssociations/],
    [{ actions: [{ type: 'syncNode', config: { targetRepositoryId: live.repository } }] }, /needs a targetBranchId/],
    [{ conditions: { type: 'propertyEquals' } }, /conditions must be an array/],
    [{ conditions: [{ type: 'propertyEquals', config: { property: 'state' } }] }, /needs a property and a value/],
    [{ actions: [] }, /has no action/],
  ];
  for (const [fields, message] of wrong) {
    const bound = await world.bind(draft, type.id, { ...world.rule(live), ...fields });
    const node = await world.make(draft, { _type: type.qname, state: 'published' });
    await world.settle(draft);
    const jobs = (await world.jobs()).filter(({ _data }) => _data.ruleId === bound.id);
    assert.deepEqual(states(jobs), ['ERROR'], String(message));
    assert.match(messages(jobs).join('\n'), message);
    assert.equal(await world.shown(live, node), undefined);
    await admin('DELETE', `${draft.nodes}/${bound.association}`);
  }
});

test('a binding that nothing follows from is told to the operator', async () => {
  const { draft, live, type } = await drafts();
  const before = await world.bind(draft, type.id, world.rule(live), { settings: { policy: 'p:beforeUpdateNode', scope: 1 } });
  const wide = await world.bind(draft, type.id, world.rule(live), { settings: { policy: 'p:afterTouchNode', scope: 2 } });
  const node = await world.make(draft, { _type: type.qname, state: 'published' });
  await world.settle(draft);
  await server.logged(`association ${before.association} binds no rule: its policy is 'p:beforeUpdateNode'`);
  await server.logged(`association ${wide.association} binds no rule: its scope must be 0`);
  assert.equal(await world.shown(live, node), undefined);
});

test('a rule is for the branch that it was bound on: not for forks, and not for the branch of a fork', async () => {
  const { draft, live, type } = await drafts();
  await world.bind(draft, type.id, world.rule(live));
  const node = await world.make(draft, { _type: type.qname, title: 'of master', state: 'draft' });
  const fork = await world.fork(draft);
  await world.update(fork, node, { title: 'of fork', state: 'published' });
  await world.settle(draft);
  assert.equal(await world.shown(live, node), undefined);
  await world.update(draft, node, { state: 'published' });
  await world.arrives(live, node, { title: 'of master' });

  const other = (await world.repository()).master;
  await world.bind(fork, type.id, world.rule(other));
  const own = await world.make(fork, { _type: type.qname, state: 'published' });
  await world.arrives(other, own);
  await world.settle(draft);
  assert.equal(await world.shown(live, own), undefined);
  assert.equal((await world.shown(live, node)).title, 'of master');
});

test('rules go on for a branch that was reset', async () => {
  const { draft, live, type } = await drafts();
  await world.bind(draft, type.id, world.rule(live));
  const back = await tip(draft);
  await world.make(draft, { title: 'undone' });
  const job = await admin('POST', `${draft.path}/reset/start?id=${encodeURIComponent(back)}&schedule=SYNCHRONOUS`);
  assert.equal((await admin('GET', `/jobs/${job._doc}`)).state, 'FINISHED');
  const node = await world.make(draft, { _type: type.qname, state: 'published' });
  await world.arrives(live, node);
});

test('rules that bring nodes to and fro come to an end, and what is equal is not written', async () => {
  const { draft, live, type } = await drafts();
  const other = await world.make(draft, { title: 'named' });
  await admin('POST', `${live.path}/copyfrom?id=${draft.id}`, { nodeIds: [type.id, other], sourceRepositoryId: draft.repository });
  await world.bind(draft, type.id, world.rule(live));
  await world.bind(live, type.id, world.rule(draft));
  const reference = `node://${(await admin('GET', '/'))._doc}/${draft.repository}/${draft.id}/${other}`;
  const node = await world.make(draft, { _type: type.qname, state: 'published', turn: 0, named: { id: other, ref: reference }, _features: { 'f:audit': {} } });
  await world.arrives(live, node, { turn: 0 });
  await world.attach(draft, node, 'default', 'bytes');
  // What both sides say at the same time, one of them loses.
  await world.settle(draft);
  await world.settle(live);
  for (let turn = 1; turn <= 3; ++turn) {
    const [from, to] = turn % 2 ? [live, draft] : [draft, live];
    await world.update(from, node, { turn });
    await world.arrives(to, node, { turn });
    await world.settle(draft);
    await world.settle(live);
    const versions = async (branch) => (await admin('GET', `${branch.nodes}/${node}/versions?limit=-1`)).total_rows;
    // Made and attached to on one side, brought twice to the other; each turn writes one more on each.
    const counted = [await versions(draft), await versions(live)];
    assert.deepEqual(counted, [2 + turn, 2 + turn]);
  }
  await admin('DELETE', `${live.nodes}/${node}`);
  await world.goes(draft, node);
  await world.settle(draft);
  await world.settle(live);
  assert.equal(await world.shown(live, node), undefined);
});

test('what a branch has from another one is not brought back over what was changed there since', async () => {
  const { draft, live, type } = await drafts();
  await admin('POST', `${live.path}/copyfrom?id=${draft.id}`, { nodeIds: [type.id], sourceRepositoryId: draft.repository });
  const { association } = await world.bind(draft, type.id, world.rule(live, []));
  const node = await world.make(draft, { _type: type.qname, text: 'first' });
  await world.arrives(live, node);
  await world.settle(draft);
  await admin('DELETE', `${draft.nodes}/${association}`);
  await world.update(draft, node, { text: 'second' });
  await world.bind(live, type.id, world.rule(draft, []));
  await world.update(live, node, {});
  await world.settle(live);
  assert.equal((await world.shown(draft, node)).text, 'second');
  await world.update(live, node, { text: 'third' });
  await world.arrives(draft, node, { text: 'third' });
  await world.update(live, node, { text: 'first' });
  await world.arrives(draft, node, { text: 'first' });
});

test('rules in a circle of three branches come to rest, and a deletion goes around', async () => {
  const { draft, live, type } = await drafts();
  const third = (await world.repository()).master;
  const circle = [draft, live, third];
  for (const branch of [live, third]) await admin('POST', `${branch.path}/copyfrom?id=${draft.id}`, { nodeIds: [type.id], sourceRepositoryId: draft.repository });
  for (const [place, branch] of circle.entries()) await world.bind(branch, type.id, world.rule(circle[(place + 1) % 3], []));
  const node = await world.make(draft, { _type: type.qname, turn: 0 });
  for (let turn = 1; turn <= 3; ++turn) {
    for (const branch of circle) await world.arrives(branch, node, { turn: turn - 1 });
    for (const branch of [...circle, ...circle]) await world.settle(branch);
    await world.update(circle[turn % 3], node, { turn });
  }
  for (const branch of circle) await world.arrives(branch, node, { turn: 3 });
  for (const branch of [...circle, ...circle]) await world.settle(branch);
  for (const branch of circle) assert.equal((await admin('GET', `${branch.nodes}/${node}/versions`)).total_rows, 4);
  await admin('DELETE', `${live.nodes}/${node}`);
  for (const branch of [third, draft]) await world.goes(branch, node);
  for (const branch of [...circle, ...circle]) await world.settle(branch);
  for (const branch of circle) assert.equal(await world.shown(branch, node), undefined);
});

test('a branch has a bound of rules', async () => {
  const { draft, live, type } = await drafts();
  const rule = await world.bind(draft, type.id, world.rule(live, []));
  for (let i = 0; i < 100; ++i) await admin('POST', `${draft.nodes}/${type.id}/associate?node=${rule.id}&type=a:has_behavior`, { ...atTouch, i });
  const node = await world.make(draft, { _type: type.qname });
  await world.arrives(live, node);
  await server.logged('a branch has more than 100 rules');
  const started = async () => (await world.jobs()).filter(({ _data }) => _data.ruleId === rule.id).length;
  await until(async () => await started() >= 100, 'all jobs have been started');
  assert.equal(await started(), 100);
});

test('a rule that leads to its own branch is refused', async () => {
  const { draft, type } = await drafts();
  const bound = await world.bind(draft, type.id, world.rule(draft));
  const node = await world.make(draft, { _type: type.qname, state: 'published' });
  await world.settle(draft);
  const jobs = (await world.jobs()).filter(({ _data }) => _data.ruleId === bound.id);
  assert.deepEqual(states(jobs), ['ERROR']);
  assert.match(messages(jobs).join(), /to the branch that they are on/);
  assert.equal((await admin('GET', `${draft.nodes}/${node}/versions`)).total_rows, 1);
});

test('what keeps one rule or node from the target keeps no other one, and passes', async () => {
  const { draft, live, type } = await drafts();
  const other = await world.define(draft);
  const [blocked, gone] = [await world.fork(live), await world.fork(live)];
  await admin('PUT', blocked.path, { blockDirectCommits: true });
  await admin('DELETE', gone.path);
  const rules = [await world.bind(draft, type.id, world.rule(blocked)), await world.bind(draft, type.id, world.rule(gone)), await world.bind(draft, type.id, world.rule(live))];
  const node = await world.make(draft, { _type: type.qname, state: 'published', turn: 1 });
  await world.settle(draft);
  const of = async (rule) => (await world.jobs()).filter(({ _data }) => _data.ruleId === rule.id);
  assert.deepEqual([states(await of(rules[0])), states(await of(rules[1])), states(await of(rules[2]))], [['ERROR'], ['ERROR'], ['FINISHED']]);
  assert.match(messages(await of(rules[1])).join(), new RegExp(`there is no branch ${gone.id} in a repository ${gone.repository}`));
  await admin('PUT', blocked.path, { blockDirectCommits: false });
  await world.update(draft, node, { turn: 2 });
  await world.arrives(blocked, node, { turn: 2 });

  // One node that does not fit, and one that does, from one changeset.
  await admin('PUT', live.path, { validateContent: true });
  await admin('POST', live.nodes, { _type: 'd:type', _qname: other.qname, type: 'object', properties: { size: { type: 'number' } } });
  await world.bind(draft, other.id, world.rule(live, []));
  const [unfit, fit] = [await world.make(draft, { _type: other.qname, size: 'large' }), await world.make(draft, { _type: other.qname, size: 3 })];
  await world.arrives(live, fit);
  await world.settle(draft);
  assert.equal(await world.shown(live, unfit), undefined);
});

test('a node that no rule has brought stays when one of its id is deleted', async () => {
  const { draft, type } = await drafts();
  const node = await world.make(draft, { _type: type.qname, title: 'of both' });
  const fork = await world.fork(draft);
  await world.bind(draft, type.id, world.rule(fork));
  await admin('DELETE', `${draft.nodes}/${node}`);
  await world.settle(draft);
  assert.equal((await world.shown(fork, node)).title, 'of both');
});

test('associations and rules are not brought', async () => {
  const { draft, live } = await drafts();
  const all = (await admin('GET', `${draft.path}/definitions/n:node`))._doc;
  const folder = await world.make(draft, { title: 'folder' });
  await world.bind(draft, all, world.rule(live, []));
  const rule = await world.make(draft, world.rule(draft));
  const node = await world.make(draft, { _type: 'n:node', title: 'child' });
  await world.update(draft, folder, { title: 'the folder' });
  await world.arrives(live, node);
  await world.arrives(live, folder);
  await admin('POST', `${draft.nodes}/${folder}/associate?node=${node}&type=a:owned`);
  await admin('POST', `${draft.nodes}/${node}/associate?node=${rule}&type=a:has_behavior`, { ...atTouch, scope: 0 });
  await world.update(draft, node, { title: 'owned' });
  await world.arrives(live, node, { title: 'owned' });
  await world.settle(draft);
  assert.equal(await world.shown(live, rule), undefined);
  const types = (await admin('GET', `${live.nodes}/${node}/associations`)).rows.map(({ _type }) => _type);
  // Those that the live branch makes by itself are there.
  assert.deepEqual(types.filter((of) => !['a:created', 'a:has_role'].includes(of)), []);
  await admin('DELETE', `${draft.nodes}/${folder}`);
  await world.goes(live, folder);
});

test('/rule tells what rules can be made of', async () => {
  assert.deepEqual((await admin('GET', '/rule/actions')).rows.map(({ _doc }) => _doc), ['syncNode']);
  assert.deepEqual((await admin('GET', '/rule/conditions')).rows.map(({ _doc }) => _doc), ['propertyEquals']);
  assert.equal((await admin('GET', '/rule/actions/syncNode'))._doc, 'syncNode');
  assert.equal((await admin('GET', '/rule/conditions/propertyEquals'))._doc, 'propertyEquals');
  const reply = await server.request('GET', '/rule/conditions/moonIs', { token: server.adminToken });
  assert.deepEqual([reply.status, reply.json.code], [404, 'node_rules.part_unknown']);
});
