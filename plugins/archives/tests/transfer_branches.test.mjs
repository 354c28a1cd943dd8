// Branches of a repository that comes as a whole: each has its own content, in a changeset of its own (decision 0146).
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { SteleServer } from '../../../tests/support/stele_server.mjs';
import { until } from '../../../tests/support/until.mjs';

let server;
before(async () => { server = await SteleServer.start(); });
after(() => server.end());

const ask = (...request) => server.admin(...request);
async function ended(path, body = {}) {
  const { _doc } = await ask('POST', path, body);
  let job;
  await until(async () => {
    job = await ask('GET', `/jobs/${_doc}`);
    return ['FINISHED', 'ERROR'].includes(job.state);
  });
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
