// Versions, changesets and deletions (docs/specification/nodes.md 5, 19, 20; docs/reference/nodes_history.md).
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { endedJob } from '../../../tests/support/ended_job.mjs';
import { SteleServer } from '../../../tests/support/stele_server.mjs';

let server;
let repository;
let master;
before(async () => { server = await SteleServer.start(); });
after(() => server.end());

const admin = (...args) => server.admin(...args);

async function makeRepository() {
  const { _doc } = await admin('POST', '/repositories', {});
  repository = `/repositories/${_doc}`;
  master = `${repository}/branches/master`;
}

async function makeNode(fields = {}) {
  const { _doc } = await admin('POST', `${master}/nodes`, fields);
  return `${master}/nodes/${_doc}`;
}

const read = async (path) => (await server.request('GET', path, { token: server.adminToken }));
const idOf = (path) => path.split('/').at(-1);

const ended = (id) => endedJob(admin, id);

test('19: a create and an update make two versions, the newest first, each with its changeset', async () => {
  await makeRepository();
  const node = await makeNode({ title: 'first', other: 1 });
  const first = await admin('GET', node);
  await admin('PUT', node, { ...first, title: 'second' });
  const second = await admin('GET', node);
  await admin('GET', `${node}/associations`);
  const list = await admin('GET', `${node}/versions`);
  assert.equal(list.total_rows, 2);
  assert.equal(list.size, 2);
  assert.deepEqual(list.rows.map((row) => row.title), ['second', 'first']);
  assert.deepEqual(list.rows.map((row) => row._changesetId),
                   [second._system.changeset, first._system.changeset]);
  for (const row of list.rows) {
    assert.equal(row._doc, first._doc);
    assert.equal(row._changesetId, row._system.changeset);
  }
  const slashed = await admin('GET', `${node}/versions/?skip=1&limit=1`);
  assert.deepEqual([slashed.total_rows, slashed.size, slashed.offset, slashed.rows[0].title],
                   [2, 1, 1, 'first']);
  const old = await admin('GET', `${node}/versions/${first._system.changeset}`);
  assert.equal(old.title, 'first');
  const encoded = await admin('GET', `${node}/versions/${encodeURIComponent(first._system.changeset)}`);
  assert.equal(encoded.title, 'first');
  for (const wrong of ['99:00000000000000000000', 'nothing', first._system.changeset.slice(0, -1)])
    assert.equal((await read(`${node}/versions/${wrong}`)).status, 404, wrong);
});

test('19: a restored version is a new one with the old content, shown at once', async () => {
  await makeRepository();
  const node = await makeNode({ title: 'first', kept: { a: [1] } });
  const first = await admin('GET', node);
  await admin('PUT', node, { title: 'second', more: true });
  const changed = await admin('GET', node);
  const restored = await admin('POST', `${node}/versions/${first._system.changeset}/restore`, {});
  assert.equal(restored.title, 'first');
  assert.deepEqual(restored.kept, { a: [1] });
  assert.ok(!('more' in restored));
  assert.equal(restored._doc, first._doc);
  const now = await admin('GET', node);
  assert.equal(now.title, 'first');
  assert.equal(now._system.changeset, restored._system.changeset);
  assert.equal(now._system.previousChangeset, changed._system.changeset);
  assert.equal((await admin('GET', `${node}/versions`)).total_rows, 3);
  const { diff } = await admin('GET', `${node}/versions/${changed._system.changeset}/diff`);
  const byPath = (list) => [...list].sort((a, b) => (a.path < b.path ? -1 : 1));
  assert.deepEqual(byPath(diff), byPath([{ op: 'replace', path: '/title', value: 'second' },
                                         { op: 'remove', path: '/kept' },
                                         { op: 'add', path: '/more', value: true }]));
});

test('19: a restored version has the type and the QName that it had', async () => {
  await makeRepository();
  for (const name of ['custom:old', 'custom:new']) await admin('POST', `${master}/nodes`, { _type: 'd:type', _qname: name, type: 'object' });
  const node = await makeNode({ _type: 'custom:old', _qname: 'custom:first', title: 'first' });
  const { _system: { changeset } } = await admin('GET', node);
  await admin('POST', `${node}/change_type?type=custom:new`, {});
  await admin('POST', `${node}/change_qname?qname=custom:second`, {});
  const names = async () => { const { _type, _qname } = await admin('GET', node); return [_type, _qname]; };
  assert.deepEqual(await names(), ['custom:new', 'custom:second']);
  await admin('POST', `${node}/versions/${changeset}/restore`, {});
  assert.deepEqual(await names(), ['custom:old', 'custom:first']);
  assert.equal((await read(`${master}/nodes/custom:first`)).status, 200);
  assert.equal((await read(`${master}/nodes/custom:second`)).status, 404);
});

test('19: a restored version has the attachments that it had, and no others', async () => {
  await makeRepository();
  const node = await makeNode({ title: 'with files' });
  const bare = (await admin('GET', node))._system.changeset;
  const attach = async (id, text) => {
    const reply = await server.request('POST', `${node}/attachments/${id}`,
      { body: text, headers: { 'Content-Type': 'text/plain' }, token: server.adminToken });
    assert.equal(reply.status, 200, reply.text);
  };
  await attach('default', 'old');
  await attach('kept', 'always');
  await attach('removed', 'for a while');
  const full = (await admin('GET', node))._system.changeset;
  await attach('default', 'new and longer');
  await attach('late', 'late');
  await admin('DELETE', `${node}/attachments/removed`);
  await admin('PUT', node, { title: 'changed' });
  const attached = async () => {
    const { rows } = await admin('GET', `${node}/attachments`);
    const texts = await Promise.all(rows.map(async ({ attachmentId, length }) => {
      const reply = await read(`${node}/attachments/${attachmentId}`);
      assert.equal(Buffer.byteLength(reply.text), length, attachmentId);
      return [attachmentId, reply.text];
    }));
    return Object.fromEntries(texts.sort());
  };
  const latest = { default: 'new and longer', kept: 'always', late: 'late' };
  assert.deepEqual(await attached(), latest);
  const last = (await admin('GET', node))._system.changeset;
  const restore = (changeset) => admin('POST', `${node}/versions/${changeset}/restore`, {});
  for (const [changeset, expected] of [[full, { default: 'old', kept: 'always', removed: 'for a while' }],
    [bare, {}], [last, latest]]) {
    await restore(changeset);
    assert.deepEqual(await attached(), expected);
  }
  assert.equal((await read(`${node}/attachments/removed`)).status, 404);
});

test('5: a repository and eight creates give nine changesets, all of them without a limit', async () => {
  await makeRepository();
  const nodes = [];
  for (let i = 0; i < 8; ++i) nodes.push(await admin('GET', await makeNode({ i })));
  const list = await admin('GET', `${repository}/changesets`);
  assert.equal(list.total_rows, 9);
  assert.equal(list.rows.length, 9);
  assert.equal(list.rows[0]._doc, '0:root');
  assert.deepEqual(list.rows.map((row) => row.revision), [0, 1, 2, 3, 4, 5, 6, 7, 8]);
  assert.deepEqual(list.rows.slice(1).map((row) => row._doc), nodes.map((node) => node._system.changeset));
  const branch = await admin('GET', master);
  for (const row of list.rows) {
    assert.equal(row.branch, branch._doc);
    assert.equal(row.active, true);
    assert.ok(Array.isArray(row.tags));
    assert.equal(typeof row.platformId, 'string');
    assert.equal(`/repositories/${row.repositoryId}`, repository);
    assert.equal(typeof row._system.created_on.ms, 'number');
  }
  assert.deepEqual(list.rows[0].parents, []);
  assert.deepEqual(list.rows[5].parents, [list.rows[4]._doc]);
  assert.equal((await admin('POST', `${repository}/changesets/query`)).total_rows, 9);
  const late = await admin('POST', `${repository}/changesets/query?sort=${encodeURIComponent('{"revision":-1}')}&limit=2`,
                           { revision: { $gte: 5 } });
  assert.deepEqual([late.total_rows, ...late.rows.map((row) => row.revision)], [4, 8, 7]);
  const page = await admin('GET', `${repository}/changesets?skip=3&limit=2`);
  assert.deepEqual([page.total_rows, page.offset, ...page.rows.map((row) => row.revision)], [9, 3, 3, 4]);
});

test('5: a changeset tells its parents, children and nodes', async () => {
  await makeRepository();
  const one = await admin('GET', await makeNode({ title: 'one' }));
  const two = await admin('GET', await makeNode({ title: 'two' }));
  const path = (id) => `${repository}/changesets/${encodeURIComponent(id)}`;
  assert.equal((await admin('GET', path(one._system.changeset)))._doc, one._system.changeset);
  assert.equal((await admin('GET', `${repository}/changesets/0:root`))._doc, '0:root');
  assert.equal((await read(`${repository}/changesets/9:00000000000000000000`)).status, 404);
  const ids = async (id, what) => (await admin('GET', `${path(id)}/${what}`)).rows.map((row) => row._doc);
  assert.deepEqual(await ids(two._system.changeset, 'parents'), [one._system.changeset]);
  assert.deepEqual(await ids('0:root', 'parents'), []);
  assert.deepEqual(await ids(one._system.changeset, 'children'), [two._system.changeset]);
  assert.ok((await ids(one._system.changeset, 'nodes')).includes(one._doc));
  assert.ok(!(await ids(one._system.changeset, 'nodes')).includes(two._doc));
  assert.notEqual(one._system.changeset, two._system.changeset);
});

test('5: a branch tells its history between two changesets, and what changed in it', async () => {
  await makeRepository();
  const kept = await makeNode({ title: 'kept' });
  const gone = await makeNode({ title: 'gone' });
  const before = await admin('GET', gone);
  await admin('PUT', kept, { title: 'changed' });
  await admin('DELETE', gone);
  const made = await admin('GET', await makeNode({ title: 'made' }));
  const root = before._system.changeset;
  const history = await admin('GET', `${master}/history/changesets`);
  assert.deepEqual(history.rows.map((row) => row.revision), [5, 4, 3, 2, 1, 0]);
  const part = await admin('GET', `${master}/history/changesets?root=${encodeURIComponent(root)}`);
  assert.deepEqual(part.rows.map((row) => row.revision), [5, 4, 3]);
  const whole = await admin('GET', `${master}/history/changesets?include_root=True&root=${encodeURIComponent(root)}`);
  assert.deepEqual(whole.rows.map((row) => row.revision), [5, 4, 3, 2]);
  const diffs = await admin('GET', `${master}/history/nodediffs?root=${encodeURIComponent(root)}`);
  const done = Object.fromEntries(diffs.rows.map((row) => [row._doc, row.operation]));
  assert.deepEqual(done, { [idOf(kept)]: 'update', [idOf(gone)]: 'delete', [made._doc]: 'create' });
  assert.deepEqual(diffs.rows.find((row) => row._doc === idOf(kept)).diff,
                   [{ op: 'replace', path: '/title', value: 'changed' }]);
  const { _doc } = await admin('POST', `${master}/history/start?root=${encodeURIComponent(root)}&view=nodediffs`);
  const job = await ended(_doc);
  assert.equal(job.state, 'FINISHED');
  assert.equal(job._result.total_rows, 3);
  const wrong = await server.request('GET', `${master}/history/changesets?tip=none`, { token: server.adminToken });
  assert.equal(wrong.status, 400);
});

test('20: deleted nodes are found by their members and come back as they were', async () => {
  await makeRepository();
  assert.equal((await admin('POST', `${master}/deletions/query`, {})).total_rows, 0);
  const nodes = [];
  for (let i = 0; i < 5; ++i) nodes.push(await makeNode({ category: 'test1', i }));
  const linked = await admin('POST', `${nodes[0]}/associate?node=${idOf(nodes[4])}&type=a:linked`, {});
  const first = await admin('GET', nodes[0]);
  await admin('DELETE', nodes[0]);
  await admin('DELETE', nodes[1]);
  const query = (body) => admin('POST', `${master}/deletions/query`, body);
  const found = await query({ category: 'test1' });
  assert.equal(found.total_rows, 2);
  const text = encodeURIComponent(JSON.stringify({ category: 'test1' }));
  assert.equal((await admin('GET', `${master}/deletions?query=${text}`)).total_rows, 2);
  const withAssociations = await query({ '_deletion.association': true });
  assert.deepEqual(withAssociations.rows.map((row) => row._doc), [linked._doc]);
  const deletion = await admin('GET', `${master}/deletions/${first._doc}`);
  assert.equal(deletion._doc, first._doc);
  assert.equal(deletion._deletion.nodeId, first._doc);
  assert.equal(deletion._deletion.association, false);
  assert.equal(deletion._deletion.transaction, false);
  assert.equal(deletion._deletion.deletedBy, 'admin');
  assert.equal(typeof deletion._deletion.deletedOn.ms, 'number');
  assert.match(deletion._deletion.changesetId, /^\d+:[0-9a-f]{20}$/);
  assert.equal(deletion.i, 0);
  assert.equal((await read(nodes[0])).status, 404);
  await admin('POST', `${master}/deletions/${first._doc}/restore`, {});
  const back = await admin('GET', nodes[0]);
  assert.deepEqual({ ...back, _system: 0, _statistics: 0 }, { ...first, _system: 0, _statistics: 0 });
  assert.deepEqual(back._system.created_on, first._system.created_on);
  assert.equal((await query({ category: 'test1' })).total_rows, 1);
  assert.equal((await admin('POST', `${master}/nodes/query`, { category: 'test1' })).total_rows, 4);
  const links = await admin('GET', `${nodes[0]}/associations?type=a:linked`);
  assert.deepEqual(links.rows.map((row) => row._doc), [linked._doc]);
  assert.equal((await read(`${master}/deletions/${first._doc}`)).status, 404);
});

test('20: with a node come the associations that went because it did, and no others', async () => {
  await makeRepository();
  const [folder, former, node, friend] = [await makeNode({}), await makeNode({}), await makeNode({}), await makeNode({})];
  const tie = (from, to, type) => admin('POST', `${from}/associate?node=${idOf(to)}&type=${type}`, {});
  await tie(former, node, 'a:child');
  await tie(node, friend, 'a:linked');
  await admin('POST', `${node}/move?targetNodeId=${idOf(folder)}`, {});
  await admin('POST', `${node}/unassociate?node=${idOf(friend)}&type=a:linked`);
  await admin('DELETE', node);
  await admin('POST', `${master}/deletions/${idOf(node)}/restore`, {});
  const { rows } = await admin('GET', `${node}/associations`);
  assert.deepEqual(rows.filter(({ _type }) => _type !== 'a:has_role').map(({ _type, source }) => [_type, source]), [['a:child', idOf(folder)]]);
});

test('20: purged deletions are gone, one, several or all', async () => {
  await makeRepository();
  const nodes = [];
  for (let i = 0; i < 6; ++i) nodes.push(await makeNode({ i }));
  for (const node of nodes) await admin('DELETE', node);
  const count = async () => (await admin('POST', `${master}/deletions/query`, {})).total_rows;
  assert.equal(await count(), 6);
  await admin('DELETE', `${master}/deletions/${idOf(nodes[0])}`);
  assert.equal(await count(), 5);
  assert.equal((await read(`${master}/deletions/${idOf(nodes[0])}`)).status, 404);
  const none = await server.request('POST', `${master}/deletions/delete`,
    { token: server.adminToken, body: { _docs: [idOf(nodes[1]), '00000000000000000000'] } });
  assert.equal(none.status, 404);
  assert.equal(await count(), 5);
  const two = [idOf(nodes[1]), idOf(nodes[2])];
  assert.deepEqual((await admin('POST', `${master}/deletions/delete`, { _docs: two }))._docs, two);
  assert.equal(await count(), 3);
  const { _doc } = await admin('POST', `${master}/deletions/purgeall/start`);
  assert.equal((await ended(_doc)).state, 'FINISHED');
  assert.equal(await count(), 0);
  await admin('DELETE', await makeNode());
  await admin('POST', `${master}/deletions/purgeall`, {});
  assert.equal(await count(), 0);
});

test('20: purges of everything end beside those who go on deleting', async () => {
  for (const purge of ['purgeall', 'purgeall/start']) {
    await makeRepository();
    const folder = await makeNode({ _features: { 'f:container': {} } });
    const { rows } = await admin('POST', `${master}/nodes?rootNodeId=${idOf(folder)}&parentFolderPath=/`,
                                 Array.from({ length: 60 }, (_, i) => ({ title: `${i}` })));
    const ids = rows.map(({ _doc }) => _doc);
    await admin('POST', `${master}/nodes/delete`, { _docs: ids });
    let isOver = false;
    let deleted = 0;
    const others = Array.from({ length: 6 }, async () => {
      while (!isOver) {
        await admin('DELETE', await makeNode());
        deleted += 1;
      }
    });
    while (deleted < 12) await sleep(1);
    // The nodes and what tied them to their folder. One operation may say that it took fewer.
    let left = 120;
    let reply;
    do {
      reply = await server.request('POST', `${master}/deletions/${purge}`, { token: server.adminToken, body: {} });
      const { purged, kept } = purge === 'purgeall' ? reply.json : await ended(reply.json._doc);
      if (kept !== 0 || !(purged > 0)) break;
      left -= purged;
    } while (left > 0 && reply.json.truncated);
    isOver = true;
    await Promise.all(others);
    assert.equal(reply.status, 200, reply.text);
    assert.ok(left <= 0, reply.text);
    assert.equal((await admin('POST', `${master}/deletions/query`, { _doc: { $in: ids } })).total_rows, 0);
  }
});

test('20: the job purges what was in the trash when it was started, and nothing that came later', async () => {
  await makeRepository();
  const folder = await makeNode({ _features: { 'f:container': {} } });
  const inside = `${master}/nodes?rootNodeId=${idOf(folder)}&parentFolderPath=/`;
  // The list of the trash is in the order in which the nodes were made.
  const [older, newer] = [[], []];
  for (const ids of [older, newer]) {
    const { rows } = await admin('POST', inside, Array.from({ length: 300 }, (_, i) => ({ title: `${ids === older} ${i}` })));
    ids.push(...rows.map(({ _doc }) => _doc));
  }
  await admin('POST', `${master}/nodes/delete`, { _docs: newer });
  const { _doc } = await admin('POST', `${master}/deletions/purgeall/start`);
  await admin('POST', `${master}/nodes/delete`, { _docs: older });
  const job = await ended(_doc);
  assert.deepEqual([job.state, job.purged, job.kept], ['FINISHED', 600, 0]);
  assert.equal((await admin('POST', `${master}/deletions/query?limit=0`, {})).total_rows, 300);
  assert.equal((await admin('POST', `${master}/deletions/purgeall`, {})).purged, 600);
});

test('20: a purged node takes its associations along, in whatever order and by whomever it is purged', async () => {
  await makeRepository();
  await server.makeUser('half');
  const token = await server.login('half', 'secret-of-half');
  for (const path of [repository, master]) await admin('POST', `${path}/authorities/connector/grant?id=default/half`);
  const friend = await makeNode();
  const associations = async () => (await admin('POST', `${master}/deletions/query`, { '_deletion.association': true })).rows.map(({ _doc }) => _doc);
  const removed = async () => {
    const node = await makeNode();
    for (const [from, to] of [[node, friend], [friend, node]]) await admin('POST', `${from}/associate?node=${idOf(to)}&type=a:linked`, {});
    await admin('DELETE', node);
    assert.equal((await associations()).length, 2);
    return idOf(node);
  };
  const first = await removed();
  const _docs = [first, ...await associations()];
  assert.deepEqual((await admin('POST', `${master}/deletions/delete`, { _docs }))._docs, _docs);
  assert.deepEqual(await associations(), []);
  const own = await removed();
  await admin('DELETE', await makeNode());
  await admin('POST', `${master}/deletions/${own}/authorities/editor/grant?id=default/half`);
  const { status, json, text } = await server.request('POST', `${master}/deletions/purgeall`, { token, body: {} });
  // Of what they may not READ they are told nothing.
  assert.deepEqual([status, json.purged, json.kept], [200, 3, 0], text);
  assert.deepEqual(await associations(), []);
  assert.equal((await admin('POST', `${master}/deletions/query`, {})).total_rows, 1);
});

test('1.6: a changeset in place of the branch names a node as it was after that', async () => {
  await makeRepository();
  const node = await makeNode({ title: 'first' });
  const other = await makeNode({ title: 'other' });
  const first = (await admin('GET', node))._system.changeset;
  const later = (await admin('GET', other))._system.changeset;
  await admin('PUT', node, { title: 'second' });
  const second = (await admin('GET', node))._system.changeset;
  const { _doc: forkId } = await admin('POST', `${repository}/branches?branch=master`, {});
  await admin('PUT', `${repository}/branches/${forkId}/nodes/${idOf(node)}`, { title: 'forked' });
  const forked = (await admin('GET', `${repository}/branches/${forkId}/nodes/${idOf(node)}`))._system.changeset;
  await admin('DELETE', node);
  const { tip: gone } = await admin('GET', master);
  const ids = `${(await admin('GET', '/'))._doc}/${idOf(repository)}`;
  const titles = async (refs) => (await admin('POST', '/ref/read', { entries: refs.map((ref) => ({ ref })) }))
    .entries.map(({ entry }) => entry && (entry.title ?? entry._doc));
  assert.deepEqual(await titles([first, later, second, forked, gone].map((id) => `node://${ids}/${id}/${idOf(node)}`)),
                   ['first', 'first', 'second', 'forked', null]);
  assert.deepEqual(await titles([`NODE://${ids}/${first}/${idOf(node)}`, `association://${ids}/${first}/${idOf(node)}`,
                                 `changeset://${ids}/${first}`, `node://${ids}/${first}/${idOf(other)}`, `node://${ids}/${first}`,
                                 `node://${ids}/9:none/${idOf(node)}`, `changeset://${ids}/${first}/${idOf(node)}`, `changeset://${ids}`,
                                 'changeset://', 'changeset', `changeset://${ids}/`, `node://${ids}/${first}/`]),
                   ['first', 'first', first, null, null, null, null, null, null, null, null, null]);
});

test('20: a purge by a job is done with the rights and in the name of its starter', async () => {
  await makeRepository();
  const nodes = [];
  for (let i = 0; i < 4; ++i) nodes.push(await makeNode({ i }));
  for (const node of nodes) await admin('DELETE', node);
  await server.makeUser('purger');
  const token = await server.login('purger', 'secret-of-purger');
  for (const path of [repository, master]) await admin('POST', `${path}/authorities/consumer/grant?id=default/purger`);
  const own = idOf(nodes[2]);
  await admin('POST', `${master}/deletions/${own}/authorities/editor/grant?id=default/purger`);
  const started = await server.request('POST', `${master}/deletions/purgeall/start`, { token });
  assert.equal(started.status, 200, started.text);
  const job = await ended(started.json._doc);
  assert.deepEqual([job.state, job.purged, job.kept], ['FINISHED', 1, 3]);
  const left = (await admin('POST', `${master}/deletions/query`, {})).rows.map(({ _doc }) => _doc);
  assert.deepEqual(left.sort(), nodes.map(idOf).filter((id) => id !== own).sort());
  const { tip } = await admin('GET', master);
  assert.equal((await admin('GET', `${repository}/changesets/${tip}`))._system.created_by, 'purger');
});

test('rights on a changeset, and on a node after it, are those of who may read it', async () => {
  const { node, changeset } = await (async () => {
    await makeRepository();
    const made = await makeNode({ title: 'noted' });
    return { node: idOf(made), changeset: (await admin('GET', made))._system.changeset };
  })();
  const ids = `${(await admin('GET', '/'))._doc}/${idOf(repository)}`;
  const refs = [`changeset://${ids}/${changeset}`, `node://${ids}/${changeset}/${node}`];
  for (const name of ['change-reader', 'change-stranger']) await server.makeUser(name);
  await admin('POST', `${repository}/authorities/consumer/grant?id=default/change-reader`);
  const entries = refs.flatMap((permissioned) => ['change-reader', 'change-stranger', 'admin']
    .map((name) => ({ permissioned, principalId: `default/${name}` })));
  const held = (await admin('POST', '/access/lookup', { entries })).entries;
  const reads = [['connector', 'consumer'], ['CONNECT', 'READ']];
  assert.deepEqual(held.map(({ authorities, permissions }) => [authorities, permissions]),
                   [reads, [[], []], reads, reads, [[], []], reads]);
  const checks = ['READ', 'UPDATE'].flatMap((permissionId) => entries.map((entry) => ({ ...entry, permissionId, authorityId: 'consumer' })));
  const checked = (await admin('POST', '/access/check', { entries: checks })).entries;
  assert.deepEqual(checked.map(({ hasPermission }) => hasPermission),
                   [true, false, true, true, false, true, ...Array(6).fill(false)]);
  assert.deepEqual(checked.slice(0, 3).map(({ hasAuthority }) => hasAuthority), [true, false, true]);
  // Whoever may not know of it learns nothing about others.
  const token = await server.login('change-stranger', 'secret-of-change-stranger');
  const asked = await server.request('POST', '/access/lookup', { token, body: { entries } });
  assert.deepEqual(asked.json.entries.map(({ permissions }) => permissions), Array(6).fill([]));
  await admin('POST', `${repository}/authorities/consumer/revoke?id=default/change-reader`);
  assert.deepEqual((await admin('POST', '/access/lookup', { entries: entries.slice(0, 1) })).entries[0].permissions, []);
});

test('the history of a member tells who wrote each value, on which branch, and through which merges it came', async () => {
  const repository = `/repositories/${(await server.admin('POST', '/repositories', {}))._doc}`;
  const B = (branch) => `${repository}/branches/${branch}`;
  const master = (await server.admin('GET', B('master')))._doc;
  const fork = async (from) => (await server.admin('POST', `${B('')}?branch=${from}`, {}))._doc;
  const node = (await server.admin('POST', `${B('master')}/nodes`, { title: 'One', other: 1, deep: { list: [{ id: 'a', text: 'x' }] } }))._doc;
  const put = async (branch, more) => {
    const { _changesetId, ...now } = await server.admin('GET', `${B(branch)}/nodes/${node}`);
    await server.admin('PUT', `${B(branch)}/nodes/${node}`, { ...now, ...more });
    return (await server.admin('GET', `${B(branch)}/nodes/${node}`))._system.changeset;
  };
  const merge = async (from, to) => (await server.admin('POST', `${B(to)}/merge?id=${from}`, {})).changesetId;
  const first = (await server.admin('GET', `${B('master')}/nodes/${node}`))._system.changeset;
  const middle = await fork('master');
  const end = await fork(middle);
  const onEnd = await put(end, { title: 'Two' });
  await put(end, { other: 2 });
  const beside = await put(middle, { beside: true });
  const inner = await merge(end, middle);
  const outer = await merge(middle, 'master');
  const own = await put('master', { title: 'Three' });
  const history = async (path, branch = 'master') => (await server.admin('GET', `${B(branch)}/nodes/${node}/history?path=${encodeURIComponent(path)}`)).rows
    .map(({ value, _changesetId, branchId, by, on, merges }) => { assert.ok(on.ms > 0); assert.equal(by, 'admin'); return [value, _changesetId, branchId, merges]; });
  const titles = [['Three', own, master, []], ['Two', onEnd, end, [outer, inner]], ['One', first, master, []]];
  assert.deepEqual(await history('title'), titles);
  assert.deepEqual(await history('/title'), titles);
  assert.deepEqual(await history('/beside'), [[true, beside, middle, [outer]]]);
  assert.deepEqual((await history('/deep/list/id=a/text')).map(([value]) => value), ['x']);
  assert.deepEqual(await history('/nothing'), []);
  for (const query of ['', '?path=_system']) {
    assert.equal((await server.request('GET', `${B('master')}/nodes/${node}/history${query}`, { token: server.adminToken })).status, 400);
  }
  // Whoever may not READ the branch that a value came from learns the merge alone.
  await server.makeUser('reader-of-history');
  const token = await server.login('reader-of-history', 'secret-of-reader-of-history');
  for (const path of [B('master'), `${B('master')}/nodes/${node}`]) await server.admin('POST', `${path}/authorities/consumer/grant?id=default/reader-of-history`, {});
  const seen = (await server.request('GET', `${B('master')}/nodes/${node}/history?path=title`, { token })).json;
  assert.deepEqual(seen.rows.map(({ value, _changesetId, merges }) => [value, _changesetId, merges]), [['Three', own, []], ['Two', outer, []], ['One', first, []]]);
  assert.ok(!JSON.stringify(seen).includes(end) && !JSON.stringify(seen).includes(onEnd));
});
