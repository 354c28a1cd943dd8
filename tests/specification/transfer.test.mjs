// docs/specification/merge_and_transfer.md 1.1 to 1.4 and 4.2 to 4.4: copies within and between branches, and their jobs.
import assert from 'node:assert/strict';
import { statement, Subject } from '../support/statements.mjs';

const it = Subject.serve();

const fork = (path) => it.make(`${path}/branches?branch=master&changeset=0:root`);
const children = async (branch, id, direction) => (await it.get(`${branch}/nodes/${id}/associations?type=a:child&direction=${direction}`)).total_rows;
const chainOf = (platform, repository, branch, node, ref) => [{ typeId: 'platform', id: platform }, { typeId: 'repository', id: repository },
  { typeId: 'branch', id: branch }, ...(node ? [{ typeId: 'node', id: node, ...(ref ? { ref } : {}) }] : [])];

/// The job of a copy by `/tools/copy` when it has ended well.
async function copied(query, sources, targets, configuration = {}) {
  const job = await it.finished((await it.post(`/tools/copy?schedule=ASYNCHRONOUS${query}`, { sources, targets, configuration }))._doc);
  assert.equal(job.state, 'FINISHED', JSON.stringify(job.log_entries));
  return job;
}

statement('merge_and_transfer 1.1.4, merge_and_transfer 7.9', async () => {
  const { id: repository, path, branch, node } = await it.repository({ title: 'around' });
  const target = `${path}/branches/${await fork(path)}`;
  const id = await node({ title: 'copied' });
  const reply = await it.post(`${target}/copyfrom?id=master`, { nodeIds: [id] });
  assert.deepEqual([reply._doc, reply.title, reply._docs], [repository, 'around', [id]]);
  assert.equal((await it.get(`${target}/nodes/${id}`)).title, 'copied');
  const job = await it.post(`${target}/copyfrom/start?id=${(await it.get(branch))._doc}`, { nodeIds: [id] });
  assert.equal((await it.finished(job._doc)).state, 'FINISHED');
  // Who may write on the branch alone learns no more of what is around it.
  const writer = await it.person('copy-writer');
  await it.grant(path, 'connector', writer);
  for (const one of [branch, target]) await it.grant(one, 'collaborator', writer);
  for (const one of [branch, target]) await it.grant(`${one}/nodes/${id}`, 'collaborator', writer);
  const { ok, ...told } = await it.allowed('POST', `${target}/copyfrom?id=master`, { nodeIds: [id] }, writer);
  assert.deepEqual([ok, told], [true, { _doc: repository, _docs: [id] }]);
});
statement('merge_and_transfer 1.2.2', async () => {
  const { branch, node } = await it.repository();
  const [id, target] = [await node(), await node()];
  for (const start of ['/validate/start', `/nodes/${id}/copy/start?targetNodeId=${target}`]) {
    const job = await it.finished((await it.post(branch + start, {}))._doc);
    const brought = Object.entries(job._result);
    assert.ok(brought.length > 0, start);
    for (const [name, value] of brought) assert.deepEqual(job[name], value, `${start} ${name}`);
  }
});
statement('merge_and_transfer 1.4.1', async () => {
  const [one, two] = [await it.repository(), await it.repository()];
  const [wanted, left] = [await one.node({ title: 'wanted' }), await one.node({ title: 'left' })];
  await it.post(`${two.branch}/copyfrom?id=${(await it.get(one.branch))._doc}`, { nodeIds: [wanted], sourceRepositoryId: one.id });
  assert.equal((await it.get(`${two.branch}/nodes/${wanted}`)).title, 'wanted');
  await it.refused(404, 'GET', `${two.branch}/nodes/${left}`);
});
statement('merge_and_transfer 4.2.1, merge_and_transfer 4.2.4', async () => {
  const { id: repository, path, branch, node } = await it.repository();
  const [platform, other, { _doc: master }] = [await it.platformId(), await fork(path), await it.get(branch)];
  const [source, target] = [await node({ title: 'on master' }), await node()];
  const elsewhere = await it.repository();
  const ref = `node://${platform}/${repository}/${master}/${source}`;
  for (const sources of [chainOf(platform, repository, master, source), chainOf(platform, repository, other, source, ref), chainOf(platform, elsewhere.id, other, target, ref)]) {
    const job = await copied('', sources, chainOf(platform, repository, master, target));
    assert.equal((await it.get(`${branch}/nodes/${job.imports[0].targets.at(-1).id}`)).title, 'on master');
  }
  for (const wrong of ['node://', ref.replace('node:', 'branch:'), `${ref}/more`, ref.replace(`/${source}`, '')]) {
    const { violations } = await it.refused(400, 'POST', '/tools/copy', { sources: chainOf(platform, repository, master, source, wrong), targets: chainOf(platform, repository, master, target) });
    assert.equal(violations[0].code, 'nodes.copy_chain_unfit', wrong);
  }
});
statement('merge_and_transfer 4.2.6, merge_and_transfer 4.4.9', async () => {
  const { id: repository, branch, node } = await it.repository();
  const [platform, { _doc: master }] = [await it.platformId(), await it.get(branch)];
  const [one, two] = [await node({ title: 'one' }), await node({ title: 'two' })];
  const source = await node({ title: 'report', value: 1 });
  for (const value of [1, 2, 3]) {
    await it.put(`${branch}/nodes/${source}`, { title: 'report', value });
    for (const folder of [one, two]) {
      await copied('&strategy=COPY_EVERYTHING', chainOf(platform, repository, master, source), chainOf(platform, repository, master, folder), { copyOnExisting: false });
      const { rows } = await it.get(`${branch}/nodes/${folder}/children`);
      assert.deepEqual(rows.map((row) => [row.title, row.value]), [['report', value]]);
    }
  }
});
statement('merge_and_transfer 4.3.2, merge_and_transfer 4.3.5', async () => {
  const { path, node } = await it.repository();
  const target = `${path}/branches/${await fork(path)}`;
  await it.put(target, { blockDirectCommits: true });
  const job = await it.finished((await it.post(`${target}/copyfrom/start?id=master`, { nodeIds: [await node()] }))._doc);
  assert.equal(job.state, 'ERROR');
  const entry = job.log_entries.at(-1);
  assert.deepEqual([entry.type, entry.stacktrace], ['ERROR', []]);
  assert.ok(entry.message.length > 0 && entry.timestamp.ms > 0);
  assert.deepEqual([job.runAsPrincipal, job.runAsPrincipalDomain], [job.runAsPrincipalId, job.runAsPrincipalDomainId]);
  assert.equal(job.runAsPrincipal, (await it.get('/domains/default/principals/admin'))._doc);
  assert.ok(job.current_server_timestmap.ms > 0);
});
statement('merge_and_transfer 4.4.5', async () => {
  const { id: repository, path, branch, node } = await it.repository();
  const [platform, other, { _doc: master }] = [await it.platformId(), await fork(path), await it.get(branch)];
  const id = await node({ title: 'first' });
  const attach = (body) => it.server.request('POST', `${branch}/nodes/${id}/attachments/default`, { token: it.server.adminToken, body, headers: { 'Content-Type': 'text/plain' } });
  for (const title of ['first', 'second']) {
    await it.put(`${branch}/nodes/${id}`, { title });
    assert.equal((await attach(title)).status, 200);
    await copied('&strategy=CLONE', chainOf(platform, repository, master, id), chainOf(platform, repository, other));
    const there = `${path}/branches/${other}/nodes/${id}`;
    assert.equal((await it.get(there)).title, title);
    assert.equal((await it.server.request('GET', `${there}/attachments/default`, { token: it.server.adminToken })).text, title);
  }
  const { rows } = await it.post(`${path}/branches/${other}/nodes/query`, { title: { $in: ['first', 'second'] } });
  assert.deepEqual(rows.map((row) => row._doc), [id]);
});
statement('merge_and_transfer 4.4.8', async () => {
  const { id: repository, branch, node } = await it.repository();
  const [platform, { _doc: master }] = [await it.platformId(), await it.get(branch)];
  for (const title of ['a', 'b']) await node({ title }, '?parentFolderPath=/deep/folder');
  const folder = (await it.get(`${branch}/nodes/root?path=/deep/folder`))._doc;
  const { _doc: root } = await it.get(`${branch}/nodes/root`);
  const job = await copied('', chainOf(platform, repository, master, folder), chainOf(platform, repository, master, root));
  const copy = job.imports[0].targets.at(-1).id;
  assert.notEqual(copy, folder);
  assert.deepEqual([await children(branch, copy, 'INCOMING'), await children(branch, copy, 'OUTGOING')], [1, 2]);
});
