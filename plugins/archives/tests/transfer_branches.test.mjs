// Branches of a repository that comes as a whole: each has its own content, in a changeset of its own (decision 0146).
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { endedJob } from '../../../tests/support/ended_job.mjs';
import { SteleServer } from '../../../tests/support/stele_server.mjs';

let server;
before(async () => { server = await SteleServer.start(); });
after(() => server.end());

const ask = (...request) => server.admin(...request);
async function ended(path, body = {}) {
  const { _doc } = await ask('POST', path, body);
  const job = await endedJob(ask, _doc);
  assert.equal(job.state, 'FINISHED', JSON.stringify(job.log_entries));
  return job;
}
const query = async (path) => (await ask('POST', `${path}/query?limit=-1`, {})).rows;

/// By the title of each branch: its nodes, and the changesets that they are from.
async function contentOf(repository) {
  const found = {};
  for (const branch of await query(`${repository}/branches`)) {
    const path = `${repository}/branches/${branch._doc}`;
    const nodes = (await query(`${path}/nodes`)).filter(({ number }) => number !== undefined);
    found[branch.title] = { id: branch._doc, root: branch.root, tip: branch.tip, size: (await ask('POST', `${path}/nodes/query?limit=1`, {})).total_rows,
                            nodes: nodes.map(({ _doc, number }) => [_doc, number]).sort(),
                            changesets: [...new Set(nodes.map(({ _system }) => _system.changeset))] };
  }
  return found;
}
const titlesAndNodes = (content) => Object.entries(content).map(([title, { nodes }]) => [title, nodes]).sort();
const numbersOf = (content) => Object.fromEntries(Object.entries(content).map(([title, { nodes }]) => [title, nodes.map(([, number]) => number).sort()]));

async function makeRepository() {
  const repository = `/repositories/${(await ask('POST', '/repositories', { title: 'Branches' }))._doc}`;
  const branches = { Master: 'master' };
  for (const title of ['one', 'two', 'three'])
    branches[title] = (await ask('POST', `${repository}/branches?branch=master&changeset=0:root`, { title }))._doc;
  const expected = {};
  for (const [at, [title, id]] of Object.entries(branches).entries()) {
    expected[title] = [10 * at, 10 * at + 1];
    for (const number of expected[title]) await ask('POST', `${repository}/branches/${id}/nodes`, { title: `n${number}`, number });
  }
  return { repository, expected };
}

async function check(repository, before_) {
  const content = await contentOf(repository);
  assert.deepEqual(titlesAndNodes(content), titlesAndNodes(before_));
  const changesets = await query(`${repository}/changesets`);
  for (const [title, { id, root, tip, size, changesets: own }] of Object.entries(content)) {
    assert.deepEqual([root, own, size], ['0:root', [tip], before_[title].size], title);
    // The first branch has the changeset that the repository begins with, too.
    const of = changesets.filter((changeset) => changeset.branch === id).map(({ _doc }) => _doc).sort();
    assert.deepEqual(of, title === 'Master' ? ['0:root', tip] : [tip]);
    const { nodes } = content[title];
    const versions = (await ask('GET', `${repository}/branches/${id}/nodes/${nodes[0][0]}/versions`)).rows;
    assert.deepEqual(versions.map(({ _system }) => _system.changeset), [tip]);
  }
  assert.equal(changesets.length, 5);
  // What forks the first changeset of all has what the server made, and nothing else.
  const fork = (await ask('POST', `${repository}/branches?branch=master&changeset=0:root`, { title: 'empty' }))._doc;
  assert.deepEqual((await contentOf(repository)).empty.nodes, []);
  await ask('DELETE', `${repository}/branches/${fork}`);
}

test('all branches come with one import, each with a changeset of its own', async () => {
  const { repository, expected } = await makeRepository();
  const before_ = await contentOf(repository);
  assert.deepEqual(numbersOf(before_), expected);
  await ended(`${repository}/export?group=g&artifact=branches&version=1`);
  await ask('DELETE', repository);
  const { imports } = await ended('/import?group=g&artifact=branches&version=1', { strategy: 'CLONE' });
  assert.equal(`/repositories/${imports[0].targets.at(-1).id}`, repository);
  await check(repository, before_);
  const tips = async () => (await query(`${repository}/branches`)).map(({ tip }) => tip);
  const earlier = await tips();
  await ended('/import?group=g&artifact=branches&version=1', { strategy: 'CLONE' });
  assert.deepEqual(await tips(), earlier);
});

test('new branches of a repository that is there come with one import', async () => {
  const { repository } = await makeRepository();
  await ended(`${repository}/export?group=g&artifact=more&version=1`);
  const target = `/repositories/${(await ask('POST', '/repositories', { title: 'Target' }))._doc}`;
  await ask('POST', `${target}/branches/master/nodes`, { title: 'own', number: 99 });
  await ended(`${target}/import?group=g&artifact=more&version=1`);
  const { Master: master, ...forks } = numbersOf(await contentOf(target));
  assert.deepEqual(master, [0, 1, 99]);
  assert.deepEqual(forks, { one: [10, 11], two: [20, 21], three: [30, 31] });
});

test('closed branches and snapshots come with their content, and forks of forks as such', async () => {
  const repository = `/repositories/${(await ask('POST', '/repositories', { title: 'Closed' }))._doc}`;
  const fork = async (from, fields) => (await ask('POST', `${repository}/branches?branch=${from}`, fields))._doc;
  const number = async (branch, value) => ask('POST', `${repository}/branches/${branch}/nodes`, { number: value });
  await number('master', 1);
  const closed = {};
  for (const [at, name] of ['archived', 'blockDirectCommits', 'frozen', 'readonly'].entries()) {
    closed[name] = await fork('master', { title: name });
    await number(closed[name], 10 + at);
  }
  const inner = await fork(closed.readonly, { title: 'inner' });
  await number(inner, 20);
  const snapshot = (await ask('POST', `${repository}/snapshots?branch=${inner}`, { title: 'snapshot' }))._doc;
  for (const [name, id] of Object.entries(closed)) await ask('PUT', `${repository}/branches/${id}`, { ...(await ask('GET', `${repository}/branches/${id}`)), [name]: true });
  await ended(`${repository}/export?group=g&artifact=closed&version=1`, { branchIncludeArchives: true });
  await ask('DELETE', repository);
  const back = () => ended('/import?group=g&artifact=closed&version=1', { strategy: 'CLONE' });
  await back();
  const read = (id, what = '') => ask('GET', `${repository}/branches/${id}${what}`);
  const numbers = async (id) => (await ask('POST', `${repository}/branches/${id}/nodes/query`, { number: { $exists: true } })).rows.map((row) => row.number).sort((one, other) => one - other);
  for (const [at, [name, id]] of Object.entries(closed).entries()) {
    assert.deepEqual([(await read(id))[name], await numbers(id)], [true, [1, 10 + at]], name);
    const reply = await server.request('POST', `${repository}/branches/${id}/nodes`, { body: {}, token: server.adminToken });
    assert.equal(reply.status, 403, name);
  }
  assert.deepEqual([(await read(inner))['root-branch'], await numbers(inner)], [closed.readonly, [1, 13, 20]]);
  assert.deepEqual([(await read(snapshot)).snapshot, (await read(snapshot))['root-branch'], await numbers(snapshot)], [true, inner, [1, 13, 20]]);
  const again = await back();
  assert.deepEqual([again.created, again.updated], [0, 0]);
  await ask('DELETE', repository);
});

test('each branch brings the grants that it has itself on the nodes that it shares', async () => {
  for (const name of ['early', 'late', 'forked']) await server.makeUser(name);
  const repository = `/repositories/${(await ask('POST', '/repositories', { title: 'Shared' }))._doc}`;
  const node = (await ask('POST', `${repository}/branches/master/nodes`, { number: 1 }))._doc;
  const grant = (branch, name) => ask('POST', `${repository}/branches/${branch}/nodes/${node}/authorities/editor/grant?id=default/${name}`);
  const holders = async (branch) => {
    const { rows } = await ask('GET', `${repository}/branches/${branch}/nodes/${node}/acl/list?limit=-1`);
    return rows.filter(({ authorities }) => authorities.includes('editor')).map(({ name }) => name).sort();
  };
  const fork = (await ask('POST', `${repository}/branches?branch=master`, { title: 'fork' }))._doc;
  await grant('master', 'early');
  await grant(fork, 'forked');
  const other = (await ask('POST', `${repository}/branches?branch=${fork}`, { title: 'other' }))._doc;
  await grant('master', 'late');
  const before_ = await Promise.all(['master', fork, other].map(holders));
  assert.deepEqual(before_.slice(0, 2), [['early', 'late'], ['forked']]);
  for (const tipChangesetOnly of [false, true]) {
    await ended(`${repository}/export?group=g&artifact=shared&version=1`, { tipChangesetOnly });
    await ask('DELETE', repository);
    await ended('/import?group=g&artifact=shared&version=1', { strategy: 'CLONE' });
    assert.deepEqual(await Promise.all(['master', fork, other].map(holders)), before_);
  }
});

test('writes to the branches go on beside what came, and the store is consistent', async () => {
  for (const repository of await query('/repositories')) {
    const path = `/repositories/${repository._doc}`;
    for (const [title, { id, tip, nodes }] of Object.entries(await contentOf(path))) {
      if (nodes.length === 0) continue;
      const node = `${path}/branches/${id}/nodes/${nodes[0][0]}`;
      await ask('PUT', node, { ...(await ask('GET', node)), changed: title });
      assert.notEqual((await ask('GET', `${path}/branches/${id}`)).tip, tip);
      const former = await ask('GET', `${path}/branches/${id}/nodes?changeset=${tip}&limit=1`).catch(() => null);
      assert.ok(former);
    }
  }
  await server.stop();
  const checked = server.check();
  assert.match(checked.text, /The store is consistent/);
});
