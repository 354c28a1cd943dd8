// Whoever may read one branch learns nothing of another one, nor of what a policy hides on the same one,
// whatever ids it names (docs/specification/nodes.md 26).
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { makeContent } from '../../../tests/support/content_records.mjs';
import { endedJob } from '../../../tests/support/ended_job.mjs';
import { SteleServer } from '../../../tests/support/stele_server.mjs';

const kMark = 'nothing for the reader';
let server;
let token;
let user;
/// The repository of which the reader may change the master branch.
let repository;
let master;
let own;
/// A fork that it may not read, and a repository that it may not.
let fork;
let foreign;
const admin = (...request) => server.admin(...request);
const make = async (branch, fields = {}) => (await admin('POST', `${branch}/nodes`, fields))._doc;
const ask = (method, path, body) => server.request(method, path, { token, body });

before(async () => {
  server = await SteleServer.start();
  user = await server.makeUser('reader');
  token = await server.login('reader', 'secret-of-reader');
  repository = `/repositories/${(await admin('POST', '/repositories', {}))._doc}`;
  master = `${repository}/branches/master`;
  own = await make(master, { title: 'own', _parentFolderPath: '/own folder' });
  const branchId = (await admin('POST', `${repository}/branches?branch=master`, { title: kMark }))._doc;
  const branch = `${repository}/branches/${branchId}`;
  fork = { branchId, branch, nodeId: await make(branch, { title: kMark }), deletedId: await make(branch, { title: kMark }) };
  await admin('DELETE', `${branch}/nodes/${fork.deletedId}`);
  await admin('PUT', `${branch}/nodes/${own}`, { title: kMark });
  await admin('POST', `${branch}/nodes/${own}/attachments/default`, { title: kMark });
  fork.changesetId = (await admin('GET', `${branch}/nodes/${own}`))._system.changeset;
  foreign = await makeContent(admin, kMark);
  foreign.branch = `/repositories/${foreign.repositoryId}/branches/${foreign.branchId}`;
  await admin('POST', `${repository}/authorities/connector/grant?id=default/reader`);
  for (const path of [master, `${master}/nodes/${own}`]) {
    await admin('POST', `${path}/authorities/editor/grant?id=default/reader`);
  }
});
after(() => server.end());

/// What must be as before, whatever the reader asks for.
const secrets = async () => Promise.all([
  admin('POST', `${fork.branch}/nodes/query?limit=-1`, {}), admin('GET', fork.branch),
  admin('POST', `${foreign.branch}/nodes/query?limit=-1`, {}), admin('GET', foreign.branch),
  admin('GET', `${fork.branch}/deletions`),
]);

/// Asks everything; answers what told more than it may.
async function tell(requests) {
  const told = [];
  for (const [method, path, body] of requests) {
    const reply = await ask(method, path, body);
    const said = `${method} ${path} ${JSON.stringify(body)}: ${reply.status} ${reply.text.slice(0, 300)}`;
    assert.ok(reply.status < 500 || reply.status === 503, said);
    if (reply.text.includes(kMark)) told.push(said);
  }
  return told;
}

test('the reader reads and changes its branch, and neither of the others', async () => {
  assert.equal((await ask('GET', `${master}/nodes/${own}`)).json.title, 'own');
  assert.equal((await ask('POST', `${master}/nodes/${own}/touch`, {})).status, 200);
  for (const { branch, nodeId } of [fork, foreign]) {
    for (const path of [branch, `${branch}/nodes/${nodeId}`, `${branch}/nodes/${own}`]) {
      assert.ok([403, 404].includes((await ask('GET', path)).status), path);
    }
  }
});

test('a changeset of another branch is none of this one', async () => {
  const changeset = encodeURIComponent(fork.changesetId);
  const version = `${master}/nodes/${own}/versions/${changeset}`;
  const requests = [
    ['GET', version], ['GET', `${version}/diff`], ['GET', `${version}/attachments`], ['GET', `${version}/attachments/default`],
    ['POST', `${version}/restore`, {}], ['POST', `${master}/reset/start?id=${changeset}`, {}],
    ['POST', `${repository}/branches?branch=master&changeset=${changeset}`, {}],
    ['POST', `${repository}/branches?branch=${fork.branchId}`, {}],
    ['GET', `${repository}/changesets/${changeset}`], ['GET', `${repository}/changesets/${changeset}/nodes`],
    ['GET', `${master}/history/changesets?root=${changeset}`], ['GET', `${master}/history/nodediffs?root=${changeset}`],
    ['GET', `${master}/history/nodediffs?tip=${changeset}`],
  ];
  for (const [method, path, body] of requests) {
    const reply = await ask(method, path, body);
    assert.ok(reply.status >= 400 && reply.status < 500, `${method} ${path}: ${reply.status} ${reply.text.slice(0, 300)}`);
    assert.ok(!reply.text.includes(kMark), path);
  }
  assert.equal((await ask('GET', `${master}/nodes/${own}`)).json.title, 'own');
  const ids = `${(await admin('GET', '/'))._doc}/${repository.split('/').at(-1)}/${fork.changesetId}`;
  const entries = [`changeset://${ids}`, `node://${ids}/${own}`, `node://${ids}/${fork.nodeId}`].map((ref) => ({ ref }));
  const toReader = (await ask('POST', '/ref/read', { entries })).json.entries.map(({ entry }) => entry);
  assert.deepEqual(toReader, [null, null, null]);
  const toAdmin = (await admin('POST', '/ref/read', { entries })).entries.map(({ entry }) => entry?.title ?? entry?._doc);
  assert.deepEqual(toAdmin, [fork.changesetId, kMark, kMark]);
});

test('changesets that cannot be are none', async () => {
  for (const id of ['0:root', '1:', ':', '99999999999999999999:00000000000000000000', '1:zzzzzzzzzzzzzzzzzzzz', '-1:00000000000000000000',
                    '1', 'x'.repeat(3000), '../master', '1:0000000000000000000\u00e9']) {
    const changeset = encodeURIComponent(id);
    for (const [method, path] of [['GET', `${master}/nodes/${own}/versions/${changeset}`], ['GET', `${master}/nodes/${own}/versions/${changeset}/diff`],
                                  ['POST', `${master}/nodes/${own}/versions/${changeset}/restore`], ['POST', `${master}/reset/start?id=${changeset}`],
                                  ['POST', `${repository}/branches?branch=master&changeset=${changeset}`], ['GET', `${repository}/changesets/${changeset}`]]) {
      if (id === '0:root' && !path.includes('/versions/')) continue;
      const reply = await server.request(method, path, { token: server.adminToken, body: method === 'GET' ? undefined : {} });
      assert.ok([400, 404].includes(reply.status), `${method} ${path}: ${reply.status} ${reply.text.slice(0, 200)}`);
    }
  }
});

test('ids of another branch or repository in bodies and parameters lead nowhere', async () => {
  const present = await secrets();
  const jobs = [];
  for (const { nodeId, branchId, branch, repositoryId = repository.split('/').at(-1) } of [fork, foreign]) {
    const reference = `node://${(await admin('GET', '/'))._doc}/${repositoryId}/${branchId}/${nodeId}`;
    const chain = (node) => [{ typeId: 'repository', id: repositoryId }, { typeId: 'branch', id: branchId }, { typeId: 'node', id: node }];
    const from = { nodeIds: [nodeId], sourceRepositoryId: repositoryId };
    const node = `${master}/nodes/${own}`;
    const checks = ['READ', 'CONNECT'].map((permissionId) => ({ permissionedId: nodeId, principalId: 'default/admin', permissionId }));
    const told = await tell([
      ['POST', `${node}/associate?node=${nodeId}`, {}], ['POST', `${node}/unassociate?node=${nodeId}`, {}],
      ['POST', `${master}/lookup`, { _doc: nodeId }], ['POST', `${master}/lookup`, { nodes: [nodeId, reference] }],
      ['POST', `${master}/nodes/delete`, { _docs: [nodeId, reference] }], ['POST', `${master}/nodes/predelete`, { _docs: [nodeId] }],
      ['PUT', `${master}/nodes`, { nodes: { [reference]: { title: 'by the reader' } } }],
      ['POST', `${master}/movenodes`, { sourceNodeIds: [nodeId], targetNodeId: 'root' }],
      ['POST', `${master}/movenodes`, { sourceNodeIds: [own], targetNodeId: nodeId }],
      ['POST', `${node}/move?targetNodeId=${nodeId}`, {}], ['POST', `${node}/copy?targetNodeId=${nodeId}`, {}],
      ['POST', `${master}/nodes/${own}/copy?targetNodeId=root&targetBranchId=${branchId}`, {}], ['POST', `${master}/nodes/${own}/copy?targetNodeId=${nodeId}&targetBranchId=${branchId}`, {}],
      ['POST', `${master}/i18n/add?masterNodeId=${nodeId}&translationNodeId=${own}&locale=de`, {}],
      ['POST', `${master}/i18n/add?masterNodeId=${own}&translationNodeId=${nodeId}&locale=de`, {}],
      ['POST', `${master}/copyfrom?id=${branchId}`, from], ['POST', `${master}/copyfrom`, { ...from, branchId }],
      ['POST', '/tools/copy', { sources: chain(nodeId), targets: chain(nodeId) }],
      ['POST', `${master}/nodes?rootNodeId=${nodeId}&parentFolderPath=/x`, {}],
      ['POST', `${master}/nodes/query`, { _doc: nodeId }], ['POST', `${master}/nodes/find`, { query: { title: kMark } }],
      ['POST', `${node}/traverse`, { traverse: { depth: -1 } }], ['GET', `${node}/path?rootNodeId=${nodeId}`],
      ['POST', `${master}/deletions/delete`, { _docs: [fork.deletedId, foreign.deletedNodeId] }],
      ['POST', `${master}/deletions/${fork.deletedId}/restore`, {}], ['GET', `${master}/deletions?limit=-1`],
      ['POST', `${master}/nodes/permissions/check`, { checks }], ['GET', `${branch}/nodes/${own}`],
      ['GET', `${master}/pull/sources`], ['GET', `${repository}/snapshots/${branchId}`], ['POST', `${master}/nodes/${fork.deletedId}/undelete`, {}],
      ...[`branch=${branchId}`, `changeset=${fork.changesetId}`].map((what) => ['POST', `${repository}/snapshots?${what}`, {}]),
    ]);
    // What is asked for and comes back as it was asked is no secret.
    assert.deepEqual(told.filter((said) => !said.includes('nodes/find')), []);
    const started = await ask('POST', `${master}/copyfrom/start?id=${branchId}`, from);
    if (started.status === 200) jobs.push(started.json._doc);
    // Bulk checks answer for whom they name (docs/decisions/0052), and that of records of the place alone.
    for (const [place, permissionedId, isOfPlace] of [[`${master}/nodes`, nodeId, false], [master, nodeId, false],
                                                      [repository, branchId, branchId === fork.branchId]]) {
      for (const [principalId, expected] of [['default/admin', isOfPlace], ['default/reader', false]]) {
        const questions = checks.map((check) => ({ ...check, permissionedId, principalId }));
        const checked = await ask('POST', `${place}/permissions/check`, { checks: questions });
        assert.equal(checked.json.checks.length, 2);
        for (const { result } of checked.json.checks) assert.equal(result, expected, `${place} ${permissionedId} ${principalId}`);
      }
    }
  }
  for (const id of jobs) {
    const job = await endedJob(admin, id);
    assert.equal(job.state, 'ERROR', JSON.stringify(job));
  }
  assert.deepEqual(await secrets(), present);
  for (const id of [fork.nodeId, foreign.nodeId]) {
    const reply = await server.request('GET', `${master}/nodes/${id}`, { token: server.adminToken });
    assert.equal(reply.status, 404, 'nothing came to the branch of the reader');
  }
});

test('what a policy hides on a branch is hidden on every way to it', async () => {
  const { _doc: platform } = await admin('GET', '/');
  const isNode = { type: 'type', config: { type: '^node.*' } };
  const isRed = { type: 'property', config: { property: 'colour', value: 'red' } };
  const policy = await admin('POST', '/access/policies', { order: 5, statements: [
    { action: 'grant', roles: ['editor'], conditions: [isNode] }, { action: 'revoke', roles: ['all'], conditions: [isRed] },
    { action: 'revoke', roles: ['editor'], conditions: [isRed] }] });
  await admin('POST', `/access/policies/${policy._doc}/assign?ref=user://${platform}/default/${user._doc}`);
  const tie = (from, to, type) => admin('POST', `${master}/nodes/${from}/associate?node=${to}&type=${type}`, {});
  const red = await make(master, { title: kMark, colour: 'red', _type: 'custom:undefined', _features: { 'f:rendition': {} } });
  assert.equal((await ask('GET', `${master}/nodes/${red}`)).status, 404);
  const top = await make(master, { title: 'top', _parentFolderPath: '/' });
  const open = await make(master, { title: 'open' });
  assert.equal((await ask('GET', `${master}/nodes/${open}`)).status, 200);
  for (const type of ['a:child', 'a:owned', 'a:has_comment']) await tie(top, red, type);
  await tie(red, open, 'a:child');
  await admin('POST', `${master}/lists/reds?type=n:node`);
  const item = await admin('POST', `${master}/lists/reds/items`, { title: kMark, colour: 'red' });
  const blog = await make(master, { _type: 'blog:blog' });
  await tie(blog, await make(master, { _type: 'blog:post', title: kMark, colour: 'red' }), 'a:child');
  await admin('POST', `${master}/nodes/${open}/i18n?locale=de`, { title: kMark, colour: 'red' });
  await admin('POST', `${master}/nodes/${red}/mount/reds`);
  const gone = await make(master, { title: kMark, colour: 'red' });
  await admin('DELETE', `${master}/nodes/${gone}`);
  const node = `${master}/nodes/${top}`;
  const told = await tell([
    ...['children', 'relatives', 'renditions', 'associations', 'outgoing', 'tree?depth=5&leaf=%2Ftop', 'list/a:owned/items'].map((one) => ['GET', `${node}/${one}`]),
    ['POST', `${master}/nodes/root/tree?depth=-1`, {}], ['POST', `${node}/traverse`, { traverse: { depth: -1 } }],
    ['POST', `${master}/nodes/query?limit=-1`, {}], ['POST', `${master}/nodes/query/deep`, {}], ['POST', `${master}/nodes/find`, { traverse: { depth: 9 } }],
    ['POST', `${node}/relatives/query`, {}], ['POST', `${node}/relatives/find`, {}], ['POST', `${master}/lookup`, { nodes: [red, `/top/${kMark}`] }],
    ['GET', `${master}/nodes/${open}/path`], ['GET', `${master}/nodes/${open}/paths`], ['GET', `${master}/nodes/${open}?paths=true`],
    ['GET', `${master}/nodes/${open}?locale=de`], ['GET', `${master}/nodes/${open}/i18n?locale=de`], ['GET', `${master}/nodes/${open}/i18n/translations`],
    ['GET', `${master}/nodes?limit=-1`], ['GET', `${master}/lists/reds/items`], ['POST', `${master}/lists/reds/items/query`, {}],
    ['GET', `${master}/blogs/${blog}/posts`], ['POST', `${master}/blogs/${blog}/posts/query`, {}],
    ['GET', `${master}/deletions?limit=-1`], ['GET', `${master}/deletions/${gone}`], ['POST', `${master}/nodes/${gone}/undelete`, {}], ['POST', `${master}/nodes/predelete`, { _docs: [red] }],
    ['POST', `${master}/nodes/delete`, { _docs: [red, item._doc] }], ['PUT', `${master}/nodes`, { nodes: { [red]: { title: 'taken' } } }],
    ['DELETE', `${master}/lists/reds/items/${item._doc}`], ['GET', `${master}/history/nodediffs`],
    ['POST', `${node}/copy?targetNodeId=root`, {}], ['GET', `${master}/nodes/root?path=/top/${encodeURIComponent(kMark)}`],
  ]);
  assert.deepEqual(told, []);
  for (const id of [red, item._doc]) assert.equal((await admin('GET', `${master}/nodes/${id}`)).title, kMark);
  const copies = await admin('POST', `${master}/nodes/query?limit=-1`, { title: kMark, colour: 'red', _is_association: false });
  assert.deepEqual(copies.rows.length, 4, 'a copy takes nothing along that its maker may not read');
  await admin('PUT', master, { ...(await admin('GET', master)), validateContent: true });
  const checked = await ask('POST', `${master}/validate/start?schedule=synchronous`, {});
  const { faults, rows, nodes } = checked.json._result;
  assert.ok(faults >= 1, checked.text);
  assert.deepEqual(rows.filter((row) => row._doc === red), [], 'a fault of what is hidden is counted only');
  await admin('POST', `${master}/nodes`, { title: kMark, colour: 'red' });
  assert.equal((await ask('POST', `${master}/validate/start?schedule=synchronous`, {})).json._result.nodes, nodes, 'what is hidden is not counted');
  const whole = await admin('POST', `${master}/validate/start?schedule=synchronous`);
  assert.equal(whole._result.rows.filter((row) => row._doc === red).length, 1);
});
