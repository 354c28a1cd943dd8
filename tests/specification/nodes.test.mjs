// docs/specification/nodes.md 1 to 10: repositories, branches, changesets and single nodes.
import assert from 'node:assert/strict';
import { ids, statement, Subject, titles } from '../support/statements.mjs';

const it = Subject.serve();
const kUnknown = '0123456789abcdef0123';
const kHex = /^[0-9a-f]{20}$/;
const raw = (method, path, options = {}) => it.server.request(method, path, { token: it.server.adminToken, ...options });
const json = (value) => encodeURIComponent(JSON.stringify(value));
const query = (branch, body, tail = '') => it.post(`${branch}/nodes/query${tail}`, body);
const versions = (branch, id) => it.get(`${branch}/nodes/${id}/versions`);
const fork = (path, tail = '?branch=master', body = {}) => it.make(`${path}/branches${tail}`, body);

statement('nodes 0.1, interface 5.8.1', async () => {
  const { path, branch, node } = await it.repository();
  const id = await node();
  const record = await it.get(`${branch}/nodes/${id}`);
  for (const way of [`${path}/b/master/nodes/${id}`, `${path}/branches/master/n/${id}`, `${path}/b/master/n/${id}`]) assert.deepEqual(await it.get(way), record);
  assert.deepEqual(ids(await it.get(`${path}/b`)), ids(await it.get(`${path}/branches`)));
});
statement('nodes 1.1.5', async () => {
  const { branch, node } = await it.repository();
  const id = await node({}, '?parentFolderPath=/');
  assert.equal((await it.get(`${branch}/nodes/${id}/associations?direction="INCOMING"&type="a:child"`)).total_rows, 1);
});
statement('nodes 1.1.6', async () => {
  const { branch, node } = await it.repository();
  for (const [title, kind] of [['b', 1], ['c', 1], ['a', 2]]) await node({ title, kind, sorted: true });
  const sorted = async (tail) => titles(await query(branch, { sorted: true }, `?${tail}`));
  assert.deepEqual(await sorted('sort[title]=-1'), ['c', 'b', 'a']);
  assert.deepEqual(await sorted('sort%5Bkind%5D=-1&sort%5Btitle%5D=1'), ['a', 'b', 'c']);
  await it.refused(400, 'POST', `${branch}/nodes/query?sort[title]=up`, {});
  assert.equal((await query(branch, { sorted: true }, `?sort=${encodeURIComponent('[object Object]')}`)).total_rows, 3);
});
statement('nodes 1.1.8', async () => {
  const { path } = await it.repository();
  for (let i = 0; i < 2; ++i) await fork(path);
  assert.deepEqual(await it.get(`${path}/branches?a=1&offset=1&cb=17`), await it.get(`${path}/branches`));
});
statement('nodes 1.1.10', async () => {
  const { branch, node } = await it.repository();
  const id = await node({ title: 'master' });
  await it.post(`${branch}/nodes/${id}/i18n?locale=de_DE`, { title: 'deutsch' });
  const read = async (tail, headers = {}) => (await raw('GET', `${branch}/nodes/${id}${tail}`, { headers })).json.title;
  assert.deepEqual([await read('?locale=de_DE'), await read('?locale=de-DE'), await read('', { 'Accept-Language': 'de-DE' }), await read('?locale=default'), await read('')],
                   ['deutsch', 'deutsch', 'deutsch', 'master', 'master']);
});
statement('nodes 1.1.11', async () => {
  const { branch } = await it.repository();
  await it.refused(404, 'GET', `${branch}/nodes/I%20don%27t%20exist`);
  await it.refused(404, 'GET', '/repositories/it%27s%20gone');
});
statement('nodes 1.1.12', async () => {
  const { branch, node } = await it.repository();
  const id = await node();
  await it.post(`${branch}/nodes/${id}/i18n?locale=de_DE&edition=one`, {});
  await it.post(`${branch}/nodes/${id}/i18n?locale=pl&edition=two`, {});
  assert.deepEqual((await it.get(`${branch}/nodes/${id}/i18n/locales&edition=two`)).locales, ['pl']);
});
statement('nodes 1.1.13', async () => {
  const { branch, node } = await it.repository();
  const id = await node({ _features: { 'f:geolocation': [] } });
  assert.deepEqual((await it.get(`${branch}/nodes/${id}`))._features['f:geolocation'], {});
  await it.put(`${branch}/nodes/${id}`, { title: 't', _statistics: [], _system: [] });
});

statement('nodes 1.2.1', async () => {
  const { branch, node } = await it.repository();
  const [id, other] = [await node(), await node()];
  for (const [method, tail] of [['POST', `/nodes/${id}/associate?node=${other}`], ['POST', `/nodes/${id}/unassociate?node=${other}&type=a:linked`], ['POST', `/nodes/${id}/touch`],
                                ['POST', `/nodes/${id}/lock`], ['POST', `/nodes/${id}/unlock`], ['DELETE', `/nodes/${id}`]]) {
    const reply = await it.reply(method, branch + tail);
    assert.equal(reply.status, 200, reply.text);
    assert.ok(reply.json && !Array.isArray(reply.json));
  }
});
statement('nodes 1.2.2, nodes 1.2.3', async () => {
  const { path, branch, node } = await it.repository();
  const id = await node();
  for (const one of [path, branch, `${branch}/nodes/${id}`, `${path}/changesets/0:root`, `${branch}/definitions/n:node`]) {
    const record = await it.get(one);
    for (const name of ['ok', 'error', 'total_rows', 'rows']) assert.ok(!(name in record), `${one} ${name}`);
  }
  assert.ok(!('error' in (await it.get(`${path}/branches`))));
});
statement('nodes 1.2.5', async () => {
  const { path, branch, node } = await it.repository();
  const [id, other] = [await node({ title: 'one' }), await node()];
  const first = (await it.get(`${branch}/nodes/${id}`))._system.changeset;
  const answers = [[await it.post('/repositories?full=true', { title: 'r' }), 'r'], [await it.post(`${branch}/nodes?full=true`, { title: 'n' }), 'n'],
    [await it.put(`${branch}/nodes/${id}?full=true`, { title: 'u' }), 'u'], [await it.post(`${path}/branches?branch=master&full=true`, { title: 'b' }), 'b'],
    [await it.post(`${branch}/nodes/${id}/associate?node=${other}&full=true`, { title: 'a' }), 'a'],
    [await it.post(`${branch}/nodes/${id}/versions/${first}/restore?full=true`), 'one'], [await it.post(`${branch}/nodes/${id}/change_qname?qname=my:q&full=true`), 'one']];
  for (const [answer, title] of answers) assert.deepEqual([answer.title, answer.ok, typeof answer._doc, typeof answer._system], [title, true, 'string', 'object'], title);
});
statement('nodes 1.2.6, nodes 7.1.7', async () => {
  const { branch, node } = await it.repository();
  const id = await node({ title: 'kept' });
  for (const verb of ['touch', 'refresh']) for (const body of [undefined, {}]) {
    const answer = await it.post(`${branch}/nodes/${id}/${verb}`, body);
    assert.deepEqual([answer._doc, answer.title], [id, 'kept'], verb);
  }
});
statement('nodes 1.2.7', async () => {
  const { branch, node } = await it.repository();
  const id = await node({ title: 'a', ok: true });
  await it.put(`${branch}/nodes/${id}`, { title: 'b', ok: false });
  assert.ok(!('ok' in (await it.get(`${branch}/nodes/${id}`))));
});
statement('nodes 1.3.1, nodes 1.3.2', async () => {
  const { branch, node } = await it.repository();
  for (let i = 0; i < 5; ++i) await node({ kind: 'counted', i });
  for (const [tail, body] of [['', {}], ['?limit=2', {}], ['?skip=4', {}], ['', { _fields: { i: 1 } }]]) {
    const page = await query(branch, { kind: 'counted', ...body }, tail);
    assert.equal(page.total_rows, 5);
    assert.equal(new Set(ids(page)).size, page.size);
    assert.ok(ids(page).every((id) => kHex.test(id)));
  }
});
statement('nodes 1.3.3', async () => {
  const { path } = await it.repository();
  for (let i = 0; i < 10; ++i) await fork(path);
  assert.equal((await it.get(`${path}/branches`)).size, 11);
});
statement('nodes 1.3.6, interface 6.10, semantics 1.2.1', async () => {
  const { branch, node } = await it.repository();
  for (const [a, b] of [[1, 2], [1, 1], [2, 1]]) await node({ kind: 's', deep: { a }, b });
  const order = async (sort) => (await query(branch, { kind: 's' }, `?sort=${json(sort)}`)).rows.map((row) => `${row.deep.a}${row.b}`);
  assert.deepEqual(await order({ 'deep.a': 1, b: 1 }), ['11', '12', '21']);
  assert.deepEqual(await order({ b: 1, 'deep.a': -1 }), ['21', '11', '12']);
});
statement('nodes 1.3.7, nodes 1.3.8, nodes 1.3.9', async () => {
  const { branch, node } = await it.repository();
  const id = await node({ kind: 'm', own: 1 });
  const [short] = (await query(branch, { kind: 'm' }, '?full=false')).rows;
  assert.deepEqual([short._doc, 'own' in short], [id, false]);
  const [whole] = (await query(branch, { kind: 'm' })).rows;
  assert.deepEqual([whole.own, typeof whole._system], [1, 'object']);
  assert.ok(!('_system' in (await query(branch, { kind: 'm' }, '?metadata=false')).rows[0]));
});
statement('nodes 1.3.10, nodes 14.4, nodes 6.7', async () => {
  const { branch, node } = await it.repository();
  const id = await node({ title: 'leaf', kind: 'p' }, '?parentFolderPath=/folder');
  const paths = { 'r:root': '/folder/leaf' };
  assert.deepEqual((await it.get(`${branch}/nodes/${id}?paths=true`))._paths, paths);
  assert.deepEqual((await query(branch, { kind: 'p' }, '?paths=true')).rows[0]._paths, paths);
  assert.deepEqual((await it.get(`${branch}/nodes/${id}/paths`)).paths, paths);
  assert.ok(!('_paths' in (await it.get(`${branch}/nodes/${id}`))));
});
statement('nodes 1.4.1, nodes 1.4.2', async () => {
  const { path, branch, node } = await it.repository();
  const id = await node();
  for (const one of [`/repositories/${kUnknown}`, `${path}/branches/${kUnknown}`, `${branch}/nodes/${kUnknown}`, `${branch}/deletions/${kUnknown}`, `${branch}/lists/none`,
                     `${branch}/definitions/no:such`, `${branch}/definitions/n:node/forms/none`, `${branch}/nodes/${id}/attachments/none`, `${path}/changesets/99:${kUnknown}`]) {
    const error = await it.refused(404, 'GET', one);
    assert.deepEqual([error.error, error.status], [true, 404]);
  }
});
statement('nodes 1.4.4', async () => {
  const one = await it.person('without-rights');
  const { path, branch, node } = await it.repository();
  const id = await node();
  await it.grant(path, 'consumer', one);
  await it.refused(403, 'PUT', `${branch}/nodes/${id}`, {}, one);
  assert.deepEqual((({ status, json: body }) => [status, body.error])(await raw('GET', branch, { token: 'x' })), [401, 'invalid_token']);
});
statement('nodes 1.4.5, semantics 3.1.1', async () => {
  const { branch, node } = await it.repository();
  const id = await node();
  for (const [method, tail, body] of [['POST', '/nodes', '{broken'], ['POST', '/nodes', { _qname: 'no colon' }], ['POST', '/nodes', { _type: 'nocolon' }], ['POST', `/nodes/${id}/change_qname?qname=nocolon`]]) {
    const reply = await it.reply(method, branch + tail, body);
    assert.ok(reply.status >= 400 && reply.status < 500, `${tail} ${reply.status}`);
    assert.ok(reply.json.error && reply.json.message);
  }
});
statement('nodes 1.5.1, nodes 1.5.2, nodes 1.5.3, rulings 8', async () => {
  const { path, branch } = await it.repository();
  const started = await it.post(`${path}/branches/create/start?branch=master`, { title: 'by a job' });
  const job = await it.finished(started._doc);
  assert.equal(job.state, 'FINISHED');
  assert.equal(job.createdBranchId, job._result.createdBranchId);
  assert.equal((await it.get(`${path}/branches/${job.createdBranchId}`)).title, 'by a job');
  const waited = await it.post(`${branch}/validate/start?schedule=synchronous`);
  assert.deepEqual([waited.state, (await it.get(`/jobs/${waited._doc}/poll`)).state], ['FINISHED', 'FINISHED']);
});
statement('nodes 1.5.4', async () => {
  const { branch, node } = await it.repository();
  const before = (await it.post('/jobs/query', {})).total_rows;
  await raw('POST', `${branch}/nodes/${await node()}/attachments/default`, { body: 'text', headers: { 'Content-Type': 'text/plain' } });
  const page = await it.post('/jobs/query?limit=-1', {});
  assert.equal(page.total_rows, before + 1);
  assert.equal((await it.finished(page.rows.at(-1)._doc)).state, 'FINISHED');
});

statement('nodes 2.1, nodes 2.2, nodes 2.3, nodes 2.4, semantics 2.1.4', async () => {
  const { path, branch, node } = await it.repository();
  const id = await node();
  const record = await it.get(`${branch}/nodes/${id}`);
  assert.match(id, kHex);
  assert.match(record._qname, /^o:[0-9a-f]{20}$/);
  const { rows } = await it.get(`${path}/changesets`);
  assert.equal(rows[0]._doc, '0:root');
  assert.match(rows[1]._doc, /^1:[0-9a-f]{20}$/);
  assert.deepEqual(rows.map((row) => row.revision), [0, 1]);
  await node();
  assert.deepEqual((await it.get(`${path}/changesets`)).rows.map((row) => row.revision), [0, 1, 2]);
});
statement('nodes 2.5', async () => {
  const { path, branch, node } = await it.repository();
  const { _doc: master } = await it.get(`${path}/branches/master`);
  assert.match(master, kHex);
  const id = await node({ _qname: 'my:named' });
  assert.equal((await it.get(`${branch}/nodes/my:named`))._doc, id);
  assert.equal((await it.get(`${path}/branches/${master}/nodes/root`))._qname, 'r:root');
});
statement('nodes 2.6, nodes 2.7, nodes 7.4.7, nodes 5.6', async () => {
  const { branch, node } = await it.repository();
  const [id, other] = [await node({ title: 'a' }), await node()];
  const first = await it.get(`${branch}/nodes/${id}`);
  assert.ok(!first._system.previousChangeset);
  assert.notEqual(first._system.changeset, (await it.get(`${branch}/nodes/${other}`))._system.changeset);
  await it.put(`${branch}/nodes/${id}`, { title: 'b' });
  const second = await it.get(`${branch}/nodes/${id}`);
  assert.deepEqual([second._system.previousChangeset, second._system.created_on], [first._system.changeset, first._system.created_on]);
  assert.notEqual(second._system.changeset, first._system.changeset);
  assert.ok(second._system.modified_on.ms >= first._system.modified_on.ms);
});
statement('nodes 2.8, nodes 2.10, semantics 3.6.1', async () => {
  const { branch, node } = await it.repository();
  const { _system } = await it.get(`${branch}/nodes/${await node()}`);
  for (const who of ['created_by', 'modified_by', 'edited_by']) {
    assert.equal(_system[who], 'admin');
    for (const tail of ['_principal_id', '_principal_domain_id']) assert.equal(typeof _system[who + tail], 'string', who + tail);
  }
  for (const name of ['created_on', 'modified_on', 'edited_on']) {
    const time = _system[name];
    const date = new Date(time.ms);
    assert.match(time.timestamp, /^\d\d-[A-Z][a-z]{2}-\d{4} \d\d:\d\d:\d\d$/);
    assert.deepEqual([time.year, time.month, time.day_of_month, time.hour, time.minute, time.second, time.millisecond],
                     [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate(), date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds(), date.getUTCMilliseconds()]);
    assert.equal(time.iso_8601, `${date.toISOString().slice(0, 19)}Z`);
  }
});
statement('nodes 2.9, nodes 21.10', async () => {
  const { branch, node } = await it.repository();
  const id = await node();
  const before = (await it.get(`${branch}/nodes/${id}`))._system.changeset;
  await raw('POST', `${branch}/nodes/${id}/attachments/default?filename=a.txt`, { body: 'text', headers: { 'Content-Type': 'text/plain' } });
  const { _system } = await it.get(`${branch}/nodes/${id}`);
  assert.notEqual(_system.changeset, before);
  const { length, contentType, filename, objectId } = _system.attachments.default;
  assert.deepEqual([length, contentType, filename, typeof objectId], [4, 'text/plain', 'a.txt', 'string']);
  await it.put(`${branch}/nodes/${id}`, { title: 't' });
  assert.equal((await it.get(`${branch}/nodes/${id}/attachments`)).total_rows, 1);
});
statement('nodes 2.11', async () => {
  const { id, path, branch } = await it.repository();
  for (const one of [branch, `${path}/changesets/0:root`]) {
    const record = await it.get(one);
    assert.deepEqual([record.platformId, record.repositoryId], [await it.platformId(), id], one);
  }
});

statement('nodes 3.1, nodes 3.8', async () => {
  const id = await it.make('/repositories/', { title: 'a', free: { x: 1 } });
  assert.ok(ids(await it.get('/repositories?limit=-1')).includes(id));
  assert.deepEqual(ids(await it.post('/repositories/query', { _doc: id })), [id]);
  await it.put(`/repositories/${id}`, { title: 'b', other: [1] });
  const record = await it.get(`/repositories/${id}`);
  assert.deepEqual([record.title, record.other], ['b', [1]]);
  await it.ok('DELETE', `/repositories/${id}`);
  await it.refused(404, 'GET', `/repositories/${id}`);
});
statement('nodes 3.2', async () => {
  const { path, branch } = await it.repository();
  const { _doc } = await it.get(branch);
  assert.equal((await it.post(`${path}/permissions/check`, { checks: [{ permissionedId: _doc, principalId: 'default/admin', permissionId: 'READ' }] })).results[0].result, true);
});
statement('nodes 3.4', async () => {
  const { path } = await it.repository();
  const bytes = Buffer.from([1, 0, 255, 128]);
  await raw('POST', `${path}/files/one.bin`, { body: bytes, headers: { 'Content-Type': 'application/octet-stream' } });
  assert.deepEqual((await it.reply('GET', `${path}/files/one.bin`)).bytes, bytes);
  await it.ok('DELETE', `${path}/files/one.bin`);
  await it.refused(404, 'GET', `${path}/files/one.bin`);
});
statement('semantics 6.8', async () => {
  const [reader, worker] = [await it.person('file-reader'), await it.person('file-worker')];
  const { path } = await it.repository();
  await it.grant(path, 'consumer', reader);
  await it.grant(path, 'contributor', worker);
  await it.refused(403, 'POST', `${path}/files/x`, 'y', reader);
  assert.equal((await it.reply('POST', `${path}/files/x`, 'y', worker)).status, 200);
  await it.refused(403, 'DELETE', `${path}/files/x`, undefined, reader);
});
statement('nodes 3.5', async () => {
  const id = await it.make('/repositories', { tag: ['test1', 'test2'], rank: 7 });
  for (const body of [{ tag: 'test1' }, { rank: { $gt: 6 } }]) assert.deepEqual(ids(await it.post('/repositories/query', body)), [id]);
  assert.deepEqual(ids(await it.post('/repositories/query', { tag: 'test3' })), []);
});
statement('nodes 3.6, nodes 34.1', async () => {
  const { path } = await it.repository();
  assert.deepEqual((await it.get(`${path}/branches`)).rows.map((row) => row.type), ['MASTER']);
  assert.deepEqual(ids(await it.get(`${path}/changesets`)), ['0:root']);
  assert.equal((await it.get(`${path}/branches/master`)).type, 'MASTER');
});

statement('nodes 4.1.1, nodes 4.2.5, nodes 4.4.8', async () => {
  const { path } = await it.repository();
  const id = await fork(path, '?branch=master', { tags: ['x', 'y'], rank: 3 });
  for (const body of [{ tags: 'x' }, { rank: { $gte: 3 } }, { type: 'CUSTOM' }]) assert.deepEqual(ids(await it.post(`${path}/branches/query`, body)), [id]);
  assert.equal((await it.get(`${path}/branches`)).total_rows, 2);
});
statement('nodes 4.1.2, nodes 4.4.1, nodes 4.4.2, nodes 34.12, semantics 2.1.1', async () => {
  const { path, branch, node } = await it.repository();
  const one = await node({ title: 'one', kind: 'k' });
  const { _system: { changeset } } = await it.get(`${branch}/nodes/${one}`);
  const two = await node({ title: 'two', kind: 'k' });
  const [atTip, earlier, empty] = [await fork(path), await fork(path, `?branch=master&changeset=${changeset}`), await fork(path, '?branch=master&changeset=0:root&title=by%20query')];
  const kinds = async (id) => ids(await query(`${path}/branches/${id}`, { kind: 'k' }));
  assert.deepEqual([await kinds(atTip), await kinds(earlier), await kinds(empty)], [[one, two], [one], []]);
  await it.put(`${path}/branches/${atTip}/nodes/${one}`, { title: 'changed', kind: 'k' });
  const late = await node({ kind: 'k' });
  assert.equal((await it.get(`${branch}/nodes/${one}`)).title, 'one');
  await it.refused(404, 'GET', `${path}/branches/${atTip}/nodes/${late}`);
  assert.equal((await it.get(`${path}/branches/${empty}`)).title, 'by query');
  assert.ok(await fork(path, '?branch=master&changeset=0:root'));
});
statement('nodes 4.1.4, semantics 2.3.3', async () => {
  const { path, branch, node } = await it.repository();
  const id = await node();
  const { tip } = await it.get(branch);
  const snapshot = await it.make(`${path}/snapshots?changeset=${tip}`);
  const record = await it.get(`${path}/snapshots/${snapshot}`);
  assert.equal(record.snapshot, true);
  await it.get(`${path}/branches/${snapshot}/nodes/${id}`);
  const reply = await it.reply('PUT', `${path}/branches/${snapshot}/nodes/${id}`, { title: 'no' });
  assert.ok(reply.status >= 400 && reply.status < 500);
});
statement('nodes 4.1.5, nodes 4.2.6', async () => {
  const { path } = await it.repository();
  const id = await fork(path, '?branch=master', { title: 'a' });
  const one = `${path}/branches/${id}`;
  const record = await it.get(one);
  await it.put(one, { title: 'b', root: '7:x', tip: '7:x', type: 'MASTER', snapshot: true, 'root-branch': 'x', 'join-branch': 'y' });
  const again = await it.get(one);
  assert.equal(again.title, 'b');
  for (const name of ['root', 'tip', 'type', 'snapshot', 'root-branch', 'join-branch']) assert.deepEqual(again[name], record[name], name);
  await it.ok('DELETE', one);
  await it.refused(404, 'GET', one);
});
statement('nodes 4.1.6, nodes 4.4.5, merge_and_transfer 1.3.1', async () => {
  const { path, branch, node } = await it.repository();
  const old = await node({ title: 'old' });
  const { tip } = await it.get(branch);
  const late = await node();
  const { _system: { changeset } } = await it.get(`${branch}/nodes/${late}`);
  await it.put(`${branch}/nodes/${old}`, { title: 'new' });
  const job = await it.finished((await it.post(`${branch}/reset/start?id=${tip}`))._doc);
  assert.equal(job.state, 'FINISHED');
  assert.equal((await it.get(branch)).tip, tip);
  await it.refused(404, 'GET', `${branch}/nodes/${late}`);
  assert.equal((await it.get(`${branch}/nodes/${old}`)).title, 'old');
  assert.equal((await it.get(`${path}/changesets/${changeset}`))._doc, changeset);
});
statement('nodes 4.1.7', async () => {
  const { path } = await it.repository();
  const one = `${path}/branches/${await fork(path)}`;
  await it.post(`${one}/archive`);
  assert.equal((await it.get(one)).archived, true);
  await it.post(`${one}/unarchive`);
  assert.ok(!(await it.get(one)).archived);
});
statement('nodes 4.1.8, nodes 4.1.9', async () => {
  const { path, branch } = await it.repository();
  assert.ok(Object.keys(await it.get(`${branch}/info`)).length > 0);
  assert.equal((await it.finished((await it.post(`${branch}/validate/start?repair=true`))._doc)).state, 'FINISHED');
  assert.ok(Array.isArray((await it.get(`${path}/branches/${await fork(path)}/pull/sources`)).rows));
});
statement('nodes 4.1.10', async () => {
  const { branch } = await it.repository();
  await it.post(`${branch}/indexes`, { name: 'mine', index: { title: 1 } });
  assert.ok(JSON.stringify(await it.get(`${branch}/indexes`)).includes('mine'));
  await it.ok('DELETE', `${branch}/indexes/mine`);
  assert.ok(!JSON.stringify(await it.get(`${branch}/indexes`)).includes('"mine"'));
});
statement('nodes 4.1.11', async () => {
  const { branch } = await it.repository();
  for (const tail of ['paths/index', 'search/index', 'content', 'upgradeschema']) assert.ok(Object.keys(await it.post(`${branch}/admin/${tail}`)).length > 0, tail);
});
statement('nodes 4.1.12', async () => {
  const { path, branch } = await it.repository();
  const { _doc } = await it.get(branch);
  for (const [kind, member, value] of [['permissions', 'permissionId', 'READ'], ['authorities', 'authorityId', 'owner']]) {
    assert.equal((await it.post(`${path}/branches/${kind}/check`, { checks: [{ permissionedId: _doc, principalId: 'default/admin', [member]: value }] })).results[0].result, true);
  }
});
statement('nodes 4.2.1, nodes 4.2.2, nodes 4.2.3, nodes 4.2.4, nodes 4.4.4, semantics 2.3.1', async () => {
  const { path, branch, node } = await it.repository();
  const master = await it.get(branch);
  assert.deepEqual([master.type, master.root, master.tip, master['root-branch']], ['MASTER', '0:root', '0:root', undefined]);
  const id = await fork(path);
  const before = await it.get(`${path}/branches/${id}`);
  assert.deepEqual([before.type, before.root, before['root-branch']], ['CUSTOM', '0:root', master._doc]);
  const { _system: { changeset } } = await it.get(`${branch}/nodes/${await node()}`);
  assert.equal((await it.get(branch)).tip, changeset);
  assert.equal((await it.get(`${path}/branches/${id}`)).tip, before.tip);
  for (const name of ['readonly', 'snapshot', 'frozen', 'archived', 'blockDirectCommits']) if (name in master) assert.equal(typeof master[name], 'boolean', name);
  assert.equal((await it.get(`${path}/branches`)).rows.filter((row) => row.type === 'MASTER').length, 1);
});
statement('nodes 4.3.1, nodes 4.3.2, nodes 4.3.3, nodes 4.3.4, semantics 3.1.2', async () => {
  const { branch } = await it.repository();
  const { rows, total_rows: total } = await query(branch, { '_features.f:container': { $exists: true } });
  assert.equal(total, 2);
  assert.deepEqual(rows.map((row) => row._qname).sort(), ['r:root', 'r:users']);
  assert.equal((await it.get(`${branch}/nodes/root`))._qname, 'r:root');
  assert.equal((await it.get(`${branch}/nodes/root/children`)).total_rows, 0);
});
statement('nodes 4.3.5, nodes 4.3.6, nodes 5.5', async () => {
  const { path, branch, node } = await it.repository();
  for (let i = 0; i < 8; ++i) await node();
  assert.equal((await it.get(`${path}/changesets`)).size, 9);
  const person = (await query(branch, { _type: 'n:person' })).rows[0];
  assert.equal(person['principal-name'], 'admin');
  const users = (await query(branch, { _qname: 'r:users' })).rows[0];
  assert.ok((await it.get(`${branch}/nodes/${users._doc}/relatives`)).rows.some((row) => row._doc === person._doc));
  assert.ok(!ids(await it.get(`${branch}/nodes/root/children`)).includes(person._doc));
});
statement('nodes 4.4.3', async () => {
  const { path } = await it.repository();
  const { branch } = await it.get(`${path}/changesets/0:root`);
  assert.equal((await it.get(`${path}/branches/${branch}`)).type, 'MASTER');
  assert.ok(await fork(path, `?branch=${branch}&changeset=0:root`));
});
statement('nodes 4.4.6, nodes 18.2.5, merge_and_transfer 1.4.2', async () => {
  const { path, branch, node } = await it.repository();
  const { _doc: master } = await it.get(branch);
  const target = `${path}/branches/${await fork(path)}`;
  const id = await node({ title: 'copied' });
  await it.put(target, { blockDirectCommits: true });
  const direct = await it.reply('POST', `${target}/nodes`, {});
  assert.ok(direct.status >= 400 && direct.status < 500);
  const copy = async (more) => it.finished((await it.post(`${target}/copyfrom/start?id=${master}`, { nodeIds: [id], ...more }))._doc);
  assert.equal((await copy({})).state, 'ERROR');
  assert.equal((await copy({ allowWriteToFrozenBranches: true })).state, 'FINISHED');
  assert.equal((await it.get(`${target}/nodes/${id}`)).title, 'copied');
});
statement('nodes 4.4.7', async () => {
  const { path } = await it.repository();
  for (const [state, forks] of [['readonly', true], ['frozen', false]]) {
    const id = await fork(path);
    const one = `${path}/branches/${id}`;
    const nodeId = await it.make(`${one}/nodes`);
    await it.put(one, { [state]: true });
    for (const [method, tail, body] of [['POST', '/nodes', {}], ['PUT', `/nodes/${nodeId}`, {}], ['DELETE', `/nodes/${nodeId}`]]) {
      const reply = await it.reply(method, one + tail, body);
      assert.ok(reply.status >= 400 && reply.status < 500, `${state} ${tail}`);
    }
    assert.equal((await it.reply('POST', `${path}/branches?branch=${id}`, {})).status === 200, forks, state);
  }
});
statement('semantics 2.3.2', async () => {
  const { branch } = await it.repository();
  const reply = await it.reply('DELETE', branch);
  assert.ok(reply.status >= 400 && reply.status < 500);
  await it.get(branch);
});

statement('nodes 5.1, nodes 5.2, nodes 5.4, nodes 5.7', async () => {
  const { id: repositoryId, path, branch, node } = await it.repository();
  const nodeId = await node();
  const { _system: { changeset } } = await it.get(`${branch}/nodes/${nodeId}`);
  const record = await it.get(`${path}/changesets/${encodeURIComponent(changeset)}`);
  assert.deepEqual(await it.get(`${path}/changesets/${changeset}`), record);
  assert.deepEqual([record.revision, record.branch, record.active, record.parents, record.repositoryId], [1, (await it.get(branch))._doc, true, ['0:root'], repositoryId]);
  assert.ok(Array.isArray(record.tags));
  assert.deepEqual(ids(await it.post(`${path}/changesets/query`, { revision: 1 })), [changeset]);
  assert.equal((await it.post(`${path}/changesets/query`)).total_rows, 2);
  assert.deepEqual(ids(await it.get(`${path}/changesets/${changeset}/parents`)), ['0:root']);
  assert.deepEqual(ids(await it.get(`${path}/changesets/0:root/children`)), [changeset]);
  assert.ok(ids(await it.get(`${path}/changesets/${changeset}/nodes?limit=-1`)).includes(nodeId));
  assert.deepEqual((await it.get(`${path}/changesets/0:root`)).parents, []);
});
statement('nodes 5.3', async () => {
  const { branch, node } = await it.repository();
  await node();
  for (const tail of ['changesets', 'nodediffs']) assert.ok(Array.isArray((await it.get(`${branch}/history/${tail}?root=0:root&include_root=true`)).rows), tail);
  assert.equal((await it.finished((await it.post(`${branch}/history/start?root=0:root`))._doc)).state, 'FINISHED');
});

statement('nodes 6.2, nodes 6.3, nodes 6.5, nodes 6.10, nodes 6.11, nodes 34.2, interface 1.4', async () => {
  const { branch, node } = await it.repository();
  const id = await node({});
  const record = await it.get(`${branch}/nodes/${id}`);
  assert.deepEqual([record._type, record._is_association], ['n:node', false]);
  assert.match(record._qname, /^[\w-]+:.+$/);
  for (const feature of ['f:audit', 'f:titled', 'f:indexable']) assert.deepEqual(record._features[feature], {}, feature);
  assert.ok(record._system.changeset);
  const named = await it.get(`${branch}/nodes/${await node({ _qname: 'my:own', _type: 'my:type' })}`);
  assert.deepEqual([named._qname, named._type], ['my:own', 'my:type']);
  for (const row of (await query(branch, {}, '?limit=-1')).rows) assert.ok(row._type && row._qname && typeof row._is_association === 'boolean');
});
statement('nodes 6.4, nodes 6.6, nodes 6.9, rulings 33, semantics 0.2.3', async () => {
  const { branch, node } = await it.repository();
  const own = { deep: { a: [1, 'two', null, { b: true }] }, empty: {}, none: [], text: 'ü\u2028"', big: 9007199254740991 };
  const id = await node({ ...own, _features: { 'f:geolocation': { loc: { lat: 1 } } }, _system: { created_by: 'me', changeset: 'x' }, _statistics: { 'a:child': 9 }, _paths: { 'r:root': '/x' }, _is_association: true });
  const record = await it.get(`${branch}/nodes/${id}`);
  for (const [name, value] of Object.entries(own)) assert.deepEqual(record[name], value, name);
  assert.deepEqual(record._features['f:geolocation'], { loc: { lat: 1 } });
  assert.deepEqual([record._system.created_by, record._is_association], ['admin', false]);
  assert.ok(record._statistics?.['a:child'] !== 9 && !('_paths' in record));
});
statement('nodes 6.12, interface 1.3', async () => {
  const { branch, node } = await it.repository();
  const [a, b] = [await node(), await node()];
  const id = await it.make(`${branch}/nodes/${a}/associate?node=${b}`);
  const one = `${branch}/nodes/${id}`;
  assert.equal((await it.get(one))._is_association, true);
  await it.put(one, { title: 'titled' });
  assert.deepEqual((({ title, source, target }) => [title, source, target])(await it.get(one)), ['titled', a, b]);
  await it.ok('DELETE', one);
  await it.refused(404, 'GET', one);
  await it.get(`${branch}/nodes/${a}`);
});
statement('nodes 6.13, nodes 6.14', async () => {
  const { branch, node } = await it.repository();
  await node({ _type: 'd:association', _qname: 'my:link', _parent: 'a:linked' });
  const [a, b] = [await node({ _type: 'my:link' }), await node({ _type: 'never:defined' })];
  assert.equal((await it.get(`${branch}/nodes/${a}`))._is_association, false);
  await it.post(`${branch}/nodes/${a}/associate?node=${b}&type=my:link`);
});

statement('nodes 7.1.1', async () => {
  const { branch, node, path } = await it.repository();
  const [a, b] = [await node({ title: 'a' }), await node({ title: 'b' })];
  const before = (await it.get(`${path}/changesets`)).total_rows;
  const ref = async (id) => `node://${await it.platformId()}/${path.split('/')[2]}/${(await it.get(branch))._doc}/${id}`;
  await it.put(`${branch}/nodes`, { nodes: { [await ref(a)]: { title: 'a2' }, [await ref(b)]: { title: 'b2' } } });
  assert.deepEqual([(await it.get(`${branch}/nodes/${a}`)).title, (await it.get(`${branch}/nodes/${b}`)).title], ['a2', 'b2']);
  assert.equal((await it.get(`${path}/changesets`)).total_rows, before + 1);
  assert.equal((await it.get(`${branch}/nodes`)).total_rows, 0);
});
statement('nodes 7.1.2, nodes 14.3', async () => {
  const { branch, node } = await it.repository();
  const id = await node({ title: 'leaf' }, '?parentFolderPath=/a/b');
  assert.equal((await it.get(`${branch}/nodes/root?path=/a/b/leaf`))._doc, id);
  await it.refused(404, 'GET', `${branch}/nodes/root?path=/a/none`);
});
statement('nodes 7.1.3, nodes 7.1.4, nodes 34.4', async () => {
  const { branch, node } = await it.repository();
  const [a, b] = [await node({ title: 'a' }), await node()];
  await it.post(`${branch}/nodes/${a}/update`, { title: 'b' });
  assert.equal((await it.get(`${branch}/nodes/${a}`)).title, 'b');
  await it.ok('PATCH', `${branch}/nodes/${a}`, [{ op: 'add', path: '/own', value: 1 }]);
  assert.equal((await it.get(`${branch}/nodes/${a}`)).own, 1);
  await it.ok('DELETE', `${branch}/nodes/${a}`);
  await it.post(`${branch}/nodes/${b}/delete`);
  for (const id of [a, b]) {
    const error = await it.refused(404, 'GET', `${branch}/nodes/${id}`);
    assert.ok(error.error && error.message);
  }
});
statement('nodes 7.1.5, nodes 7.6.4', async () => {
  const { branch, node } = await it.repository();
  const make = async () => [await node(), await node()];
  const [first, second, third] = [await make(), await make(), await make()];
  assert.deepEqual((await it.post(`${branch}/nodes/delete`, { _docs: [...first, kUnknown] }))._docs.sort(), [...first].sort());
  assert.deepEqual((await it.post(`${branch}/nodes/delete`, second))._docs.sort(), [...second].sort());
  assert.deepEqual((await it.post(`${branch}/nodes/delete?0=${third[0]}&1=${third[1]}`))._docs.sort(), [...third].sort());
  for (const id of [...first, ...second, ...third]) await it.refused(404, 'GET', `${branch}/nodes/${id}`);
});
statement('nodes 7.1.6, rulings 22, semantics 1.6.6', async () => {
  const { path, branch, node } = await it.repository();
  const folder = await node({ title: 'folder', _features: { 'f:container': {} } }, '?parentFolderPath=/');
  const child = await node({ title: 'child' }, '?parentFolderPath=/folder');
  const before = (await it.get(`${path}/changesets`)).total_rows;
  for (const told of [await it.post(`${branch}/nodes/${folder}/predelete`), await it.post(`${branch}/nodes/predelete`, { _docs: [folder] })]) {
    const text = JSON.stringify(told);
    assert.ok(text.includes(folder) && text.includes(child));
  }
  assert.equal((await it.get(`${path}/changesets`)).total_rows, before);
  await it.get(`${branch}/nodes/${child}`);
});
statement('nodes 7.1.8, semantics 1.6.5', async () => {
  const { branch, node } = await it.repository();
  const id = await node({ title: 'found', _qname: 'my:found' }, '?parentFolderPath=/f');
  for (const body of [{ _doc: id }, { _qname: 'my:found' }, { path: '/f/found' }]) {
    assert.ok(JSON.stringify(await it.post(`${branch}/lookup`, body)).includes(`"_doc":"${id}"`), JSON.stringify(body));
  }
});

statement('nodes 7.2.1', async () => {
  const { branch } = await it.repository();
  const id = await it.make(`${branch}/nodes?rootNodeId=root&associationType=a:child`, { title: 'alone' });
  assert.equal((await it.get(`${branch}/nodes/${id}/associations?type=a:child`)).total_rows, 0);
  assert.equal((await it.get(`${branch}/nodes/${id}/associations`)).total_rows, 1);
});
statement('nodes 7.2.2, nodes 7.2.9', async () => {
  const { branch, node } = await it.repository();
  const a = await node({ title: 'a' }, '?parentFolderPath=/');
  const b = await node({ title: 'b', _parentFolderPath: '/' });
  assert.deepEqual(ids(await it.get(`${branch}/nodes/root/children`)), [a, b]);
  assert.ok(!('_parentFolderPath' in (await it.get(`${branch}/nodes/${b}`))));
});
statement('nodes 7.2.3, nodes 7.2.8', async () => {
  const { path, branch, node } = await it.repository();
  await node();
  const before = (await it.get(`${path}/changesets`)).total_rows;
  await node({ title: 'leaf' }, '?parentFolderPath=/one/two');
  assert.equal((await it.get(`${path}/changesets`)).total_rows, before + 1);
  for (const [way, name] of [['/one', 'one'], ['/one/two', 'two']]) {
    const folder = await it.get(`${branch}/nodes/root?path=${way}`);
    assert.deepEqual([folder.title, folder._features['f:filename'].filename, 'f:container' in folder._features], [name, name, true]);
  }
});
statement('nodes 7.2.4, nodes 7.2.5', async () => {
  const { branch, node } = await it.repository();
  const plain = await node({ title: 'plain' }, '?parentFolderPath=/');
  const leaf = await node({ title: 'leaf' }, '?parentFolderPath=/plain');
  assert.equal((await it.get(`${branch}/nodes/root?path=/plain`))._doc, plain);
  assert.deepEqual(ids(await it.get(`${branch}/nodes/${plain}/children`)), [leaf]);
  assert.ok('f:container' in (await it.get(`${branch}/nodes/${plain}`))._features);
});
statement('nodes 7.2.6, nodes 7.2.7, nodes 7.2.10, nodes 7.2.11', async () => {
  const { branch, node } = await it.repository();
  const templated = await node({}, `?parentFolderPath=/${encodeURIComponent('{document.id}')}&fileName=${encodeURIComponent('x-{document.id}')}`);
  assert.equal((await it.get(`${branch}/nodes/${templated}/path`)).path, `/${templated}/x-${templated}`);
  for (const way of ['pages/file.txt', '/pages/other.txt']) {
    const id = await node({}, `?filePath=${way}`);
    const record = await it.get(`${branch}/nodes/${id}`);
    assert.equal(record.title, way.split('/').pop());
    assert.equal((await it.get(`${branch}/nodes/${id}/path`)).path, `/${way.replace(/^\//, '')}`);
  }
  for (const name of ['associationType', 'associationTypeString']) {
    const id = await node({}, `?parentFolderPath=/&${name}=a:owned`);
    assert.equal((await it.get(`${branch}/nodes/${id}/associations?type=a:owned&direction=INCOMING`)).total_rows, 1, name);
  }
});
statement('nodes 7.3.1, nodes 7.3.2, nodes 7.3.3, nodes 7.3.4', async () => {
  const { branch } = await it.repository();
  const part = (head, text) => `--sep\r\n${head}\r\n\r\n${text}\r\n`;
  const body = part('Content-Disposition: form-data; name="full"', 'true') +
    part('Content-Disposition: form-data; name="property1__title"', 'second') +
    part('Content-Disposition: form-data; name="a"; filename="a.json"\r\nContent-Type: application/json', '{"title":"first"}') +
    part('Content-Disposition: form-data; name="b"; filename="b.txt"\r\nContent-Type: text/plain', 'bytes') + '--sep--\r\n';
  const reply = await raw('POST', `${branch}/nodes`, { body, headers: { 'Content-Type': 'multipart/form-data; boundary=sep' } });
  assert.equal(reply.status, 200, reply.text);
  assert.deepEqual(titles(reply.json), ['first', 'second']);
  assert.equal((await it.reply('GET', `${branch}/nodes/${reply.json.rows[1]._doc}/attachments/default`)).text, 'bytes');
});
statement('nodes 7.4.1, nodes 7.4.2, nodes 7.4.3, nodes 7.4.5, semantics 0.1.5', async () => {
  const { branch, node } = await it.repository();
  const id = await node({ title: 'a', gone: 1, _type: 'my:type', _qname: 'my:name', _features: { 'f:geolocation': { x: 1 } } });
  await it.put(`${branch}/nodes/${id}`, { title: 'b', _system: { created_by: 'me' }, _statistics: { x: 1 }, _is_association: true, _paths: {}, _search: {}, ok: 1 });
  const record = await it.get(`${branch}/nodes/${id}`);
  assert.deepEqual([record._doc, record.title, 'gone' in record, record._type, record._qname, record._features['f:geolocation'], record._is_association, record._system.created_by],
                   [id, 'b', false, 'my:type', 'my:name', { x: 1 }, false, 'admin']);
  for (const name of ['_paths', '_search', 'ok']) assert.ok(!(name in record), name);
  await it.put(`${branch}/nodes/${id}`, { title: 'c', _type: 'other:type', _qname: 'other:name' });
  assert.deepEqual((({ _type, _qname }) => [_type, _qname])(await it.get(`${branch}/nodes/${id}`)), ['my:type', 'my:name']);
});
statement('nodes 7.4.4, nodes 7.4.6', async () => {
  const { branch, node } = await it.repository();
  const id = await node({ _features: { 'f:geolocation': { x: 1 } } });
  await raw('POST', `${branch}/nodes/${id}/attachments/default`, { body: 'x', headers: { 'Content-Type': 'text/plain' } });
  await it.put(`${branch}/nodes/${id}`, { _features: { 'f:taggable': { tags: ['t'] } }, _system: { attachments: {} } });
  const record = await it.get(`${branch}/nodes/${id}`);
  assert.deepEqual([record._features['f:taggable'], 'f:geolocation' in record._features], [{ tags: ['t'] }, false]);
  assert.equal((await it.get(`${branch}/nodes/${id}/attachments`)).total_rows, 1);
});
statement('nodes 7.4.8', async () => {
  const { branch, node } = await it.repository();
  const [a, b, c] = [await node(), await node(), await node()];
  const id = await it.make(`${branch}/nodes/${a}/associate?node=${b}&directionality=UNDIRECTED`);
  await it.put(`${branch}/nodes/${id}`, { source: c, target: c, directionality: 'DIRECTED', title: 't' });
  const record = await it.get(`${branch}/nodes/${id}`);
  assert.deepEqual([record.source, record.target, record.directionality], [a, b, 'UNDIRECTED']);
});
statement('nodes 7.5.1, nodes 7.5.2, nodes 7.5.3, nodes 7.5.4, semantics 2.7.6', async () => {
  const { branch, node } = await it.repository();
  const one = `${branch}/nodes/${await node({ title: 'a', list: [1] })}`;
  const patch = (body, tail = '') => it.ok('PATCH', one + tail, body);
  assert.deepEqual((await patch([{ op: 'replace', path: '/title', value: 'b' }, { op: 'add', path: '/list/-', value: 2 }])).title, 'b');
  for (const name of ['patches', 'operations', 'ops']) await patch({ [name]: [{ op: 'add', path: `/${name}`, value: 1 }] });
  await patch({ title: 'merged', list: null });
  await patch([{ op: 'add', path: 'slashless', value: 1 }]);
  await patch([{ op: 'add', path: '/viaPath', value: 1 }], '/patch');
  const record = await it.get(one);
  assert.deepEqual([record.title, 'list' in record, record.patches, record.operations, record.ops, record.slashless, record.viaPath], ['merged', false, 1, 1, 1, 1, 1]);
  const system = await it.reply('PATCH', one, [{ op: 'replace', path: '/_system/created_by', value: 'me' }]);
  assert.equal((await it.get(one))._system.created_by, 'admin', system.text);
});
statement('semantics 2.7.7', async () => {
  const { branch, node } = await it.repository();
  const one = `${branch}/nodes/${await node({ title: 'a' })}`;
  const before = await it.get(one);
  const operations = [{ op: 'replace', path: '/title', value: 'b' }, { op: 'test', path: '/title', value: 'a' }];
  for (const way of [one, `${one}/patch`]) await it.refused(409, 'PATCH', way, operations);
  assert.deepEqual(await it.get(one), before);
  assert.equal((await it.ok('PATCH', one, operations.reverse())).title, 'b');
});
statement('semantics 0.1.2', async () => {
  const { branch, node } = await it.repository();
  const mine = { _deletion: { nodeId: 'x' }, _repair: {}, _search: {}, _score: 1, _paths: { 'r:root': '/x' }, _statistics: { x: 1 }, _mine: 1, mine: 1 };
  const ofServer = Object.keys(mine).filter((name) => name.startsWith('_') && name !== '_statistics');
  const [id, other] = [await node(mine), await node()];
  const association = await it.make(`${branch}/nodes/${id}/associate?node=${other}`, mine);
  const isClean = (record, what) => {
    for (const name of ofServer) assert.ok(!(name in record), `${name} ${what}`);
    assert.equal(record.mine, 1, what);
    assert.ok(!record._statistics || !('x' in record._statistics), what);
  };
  for (const one of [id, association].map((doc) => `${branch}/nodes/${doc}`)) {
    isClean(await it.get(one), 'created');
    await it.put(one, mine);
    isClean(await it.get(one), 'put');
    await it.ok('PATCH', one, ofServer.map((name) => ({ op: 'add', path: `/${name}`, value: { x: 1 } })));
    isClean(await it.get(one), 'patched');
  }
  await it.ok('PUT', `${branch}/nodes`, { nodes: { [id]: mine } });
  isClean(await it.get(`${branch}/nodes/${id}`), 'put with others');
  await it.ok('DELETE', `${branch}/nodes/${id}`);
  await it.put(`${branch}/deletions/${id}`, mine);
  const deletion = await it.get(`${branch}/deletions/${id}`);
  assert.equal(deletion._deletion.nodeId, id);
  assert.deepEqual(ofServer.filter((name) => name !== '_deletion' && name in deletion), []);
  const host = `/webhosts/${await it.make('/webhosts', mine)}`;
  await it.put(host, mine);
  isClean(await it.get(host), 'record of the platform');
});
statement('nodes 7.6.1, nodes 7.6.2', async () => {
  const { branch, node } = await it.repository();
  const [id, other] = [await node({ title: 'gone', kind: 'd' }, '?parentFolderPath=/f'), await node()];
  await it.post(`${branch}/nodes/${id}/associate?node=${other}`);
  const { _system: { changeset } } = await it.get(`${branch}/nodes/${id}`);
  await it.ok('DELETE', `${branch}/nodes/${id}`);
  await it.refused(404, 'GET', `${branch}/nodes/${id}`);
  const folder = (await it.get(`${branch}/nodes/root?path=/f`))._doc;
  for (const page of [await query(branch, { kind: 'd' }), await it.get(`${branch}/nodes/${folder}/children`), await it.get(`${branch}/nodes/search?text=gone`)]) assert.equal(page.total_rows, 0);
  assert.ok(!JSON.stringify(await it.post(`${branch}/nodes/${folder}/traverse`, { traverse: { depth: 1 } })).includes(id));
  assert.ok(!JSON.stringify(await it.post(`${branch}/nodes/root/tree?depth=-1`)).includes(id));
  assert.equal((await it.get(`${branch}/nodes/${other}/associations?type=a:linked`)).total_rows, 0);
  assert.equal((await it.get(`${branch}/deletions/${id}`)).title, 'gone');
  assert.equal((await it.get(`${branch.replace('/branches/master', '')}/changesets/${changeset}/nodes?limit=-1`)).rows.find((row) => row._doc === id).title, 'gone');
});
statement('nodes 7.6.3, semantics 3.3.4', async () => {
  const { branch, node } = await it.repository();
  const folder = await node({ title: 'f', _features: { 'f:container': {} } }, '?parentFolderPath=/');
  const inside = await node({ title: 'i' }, '?parentFolderPath=/f');
  const [owned, linked] = [await node(), await node()];
  await it.post(`${branch}/nodes/${folder}/associate?node=${owned}&type=a:owned`);
  await it.post(`${branch}/nodes/${folder}/associate?node=${linked}&type=a:linked`);
  await it.ok('DELETE', `${branch}/nodes/${folder}`);
  for (const id of [inside, owned]) await it.refused(404, 'GET', `${branch}/nodes/${id}`);
  await it.get(`${branch}/nodes/${linked}`);
});
statement('nodes 7.6.6', async () => {
  const { branch, node } = await it.repository();
  await node({ _type: 'd:type', _qname: 'my:t' });
  const form = await node({ _type: 'n:form' });
  const definition = (await it.get(`${branch}/definitions/my:t`))._doc;
  await it.post(`${branch}/nodes/${definition}/associate?node=${form}&type=a:has_form`, { 'form-key': 'main' });
  assert.equal((await it.get(`${branch}/definitions/my:t/forms`)).total_rows, 1);
  await it.ok('DELETE', `${branch}/nodes/${form}`);
  assert.equal((await it.get(`${branch}/definitions/my:t/forms`)).total_rows, 0);
});

statement('nodes 8.1, nodes 8.2', async () => {
  const { branch, node } = await it.repository();
  const pathOf = async (id) => (await it.get(`${branch}/nodes/${id}/path`)).path;
  const [named, titled, bare] = [await node({ title: 't', _features: { 'f:filename': { filename: 'n' } } }, '?parentFolderPath=/'), await node({ title: 'tt' }, '?parentFolderPath=/'), await node({}, '?parentFolderPath=/')];
  assert.deepEqual([await pathOf(named), await pathOf(titled), await pathOf(bare)], ['/n', '/tt', `/${bare}`]);
  await it.post(`${branch}/nodes/${bare}/features/f:filename`, {});
  await it.put(`${branch}/nodes/${bare}`, { title: 'later' });
  assert.equal(await pathOf(bare), '/later');
});
statement('nodes 8.3, nodes 8.4', async () => {
  const { branch, node } = await it.repository();
  const [a, b] = [await node({ title: 'a' }, '?parentFolderPath=/'), await node({ title: 'same' })];
  await it.post(`${branch}/nodes/${a}/associate?node=${b}&type=a:child`);
  assert.equal((await it.get(`${branch}/nodes/${b}/path`)).path, '/a/same');
  await node({ title: 'x' }, '?parentFolderPath=/same');
  assert.equal((await it.get(`${branch}/nodes/root?path=/same/x`)).title, 'x');
});
statement('nodes 9.1, nodes 9.2, nodes 9.3, nodes 9.4, nodes 9.6, nodes 34.9', async () => {
  const { branch, node } = await it.repository();
  const one = `${branch}/nodes/${await node({ title: 't' })}`;
  const count = async () => (await it.get(`${one}/versions`)).total_rows;
  const config = { filename: 'file.txt', own: { a: [1] } };
  for (const [method, value] of [['POST', config], ['PUT', { ...config, more: 1 }], ['POST', config]]) {
    const before = await count();
    const answer = await it.ok(method, `${one}/features/f:filename`, value);
    assert.deepEqual([answer.title, answer._features['f:filename']], ['t', value]);
    assert.equal(await count(), before + 1);
  }
  assert.deepEqual(await it.get(`${one}/features/f%3Afilename`), await it.get(`${one}/features/f:filename`));
  assert.equal((await it.get(`${one}/features/f:filename`)).filename, 'file.txt');
  assert.ok(JSON.stringify(await it.get(`${one}/features`)).includes('f:filename'));
  await it.ok('DELETE', `${one}/features/f:filename`);
  await it.put(one, { title: 'again' });
  assert.ok(!('f:filename' in (await it.get(one))._features));
  await it.refused(404, 'GET', `${one}/features/f:filename`);
});
statement('nodes 9.5, semantics 3.5.1', async () => {
  const { branch, node } = await it.repository();
  await node({ _type: 'd:feature', _qname: 'custom:authorable' });
  const id = await node();
  await it.post(`${branch}/nodes/${id}/features/custom:authorable`, {});
  assert.deepEqual(ids(await query(branch, { '_features.custom:authorable': { $exists: true } })), [id]);
});
statement('semantics 3.5.2, semantics 17.4', async () => {
  const { branch, node } = await it.repository();
  for (const [second, kept] of [['f:auditable', 'f:audit'], ['f:propagates-authority', 'f:propagates-authorities']]) {
    const [made, set, plain] = [await node({ _features: { [second]: { by: 'create' } }, pair: second }), await node({ _features: {}, pair: second }), await node({ _features: {}, pair: second })];
    await it.post(`${branch}/nodes/${set}/features/${second}`, { by: 'feature' });
    for (const [id, by] of [[made, 'create'], [set, 'feature']]) {
      assert.deepEqual((await it.get(`${branch}/nodes/${id}`))._features, { [kept]: { by } });
      for (const name of [second, kept]) assert.deepEqual(await it.get(`${branch}/nodes/${id}/features/${name}`), { by });
    }
    for (const name of [second, kept]) {
      assert.deepEqual(ids(await query(branch, { pair: second, [`_features.${name}`]: { $exists: true } })).sort(), [made, set].sort());
      assert.deepEqual(ids(await query(branch, { $and: [{ pair: second }, { [`_features.${name}.by`]: 'feature' }] })), [set]);
    }
    await it.ok('DELETE', `${branch}/nodes/${set}/features/${second}`);
    await it.refused(404, 'GET', `${branch}/nodes/${set}/features/${kept}`);
    assert.deepEqual((await it.get(`${branch}/nodes/${plain}`))._features, {});
  }
});
statement('nodes 9.7', async () => {
  const { branch } = await it.repository();
  const names = (await it.get(`${branch}/definitions?filter=feature&limit=-1`)).rows.map((row) => row._qname);
  for (const name of ['audit', 'titled', 'indexable', 'filename', 'container', 'multilingual', 'translation', 'geolocation', 'taggable', 'previewable', 'thumbnailable', 'renditionable', 'rendition',
                      'renditioned', 'behavior', 'behavior-binding', 'non-cyclic', 'propagates-authorities', 'rates', 'stats-sum-counter', 'extractable', 'watermarkable', 'statistics']) {
    assert.ok(names.includes(`f:${name}`), name);
  }
});
statement('nodes 9.8', async () => {
  const { branch, node } = await it.repository();
  const one = `${branch}/nodes/${await node({ _features: { 'f:taggable': { tags: ['blue'] } } })}`;
  const tags = (await it.get(`${one}/relatives?type=a:has_tag`)).rows;
  assert.deepEqual(tags.map((tag) => [tag._type, tag.tag]), [['n:tag', 'blue']]);
});
statement('nodes 9.9', async () => {
  const { branch, node } = await it.repository();
  const one = `${branch}/nodes/${await node()}`;
  const gif = Buffer.from('R0lGODlhAQABAIAAAP8AAP///yH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==', 'base64');
  const send = (id) => it.server.request('POST', `${one}/attachments/${id}`, { token: it.server.adminToken, body: gif, headers: { 'Content-Type': 'image/gif' } });
  await it.post(`${one}/features/f:previewable`, { previews: { small: { mimetype: 'image/png', width: 10 } } });
  assert.equal((await send('default')).status, 200);
  await it.post(`${one}/features/f:thumbnailable`, { mimetype: 'image/png' });
  const rows = (await it.get(`${one}/attachments`)).rows.map((row) => [row.attachmentId, row.contentType]);
  assert.deepEqual(rows, [['default', 'image/gif'], ['small', 'image/png'], ['thumbnail', 'image/png']]);
});
statement('nodes 10.1, nodes 10.5, interface 5.8.4', async () => {
  const { path, branch, node } = await it.repository();
  const id = await node({ title: 't', _qname: 'my:old' });
  let last = 'my:old';
  const ways = [`${path}/branches/master/nodes`, `${path}/branches/master/n`, `${path}/b/master/nodes`, `${path}/b/master/n`];
  for (const [i, [way, method]] of ways.flatMap((way) => [[way, 'PUT'], [way, 'POST']]).entries()) {
    const qname = ['o:blah', 'custom:x', 'my:specialNode'][i % 3] + i;
    const answer = await it.ok(method, `${way}/${id}/change_qname?qname=${qname}`);
    assert.deepEqual([answer._doc, answer.title, answer._qname], [id, 't', qname]);
    assert.equal((await query(branch, { _qname: last })).total_rows, 0);
    assert.deepEqual(ids(await query(branch, { _qname: qname })), [id]);
    last = qname;
    assert.equal((await it.ok(method, `${way}/${id}/change_type?type=my:type${i}`))._type, `my:type${i}`);
  }
  for (const verb of ['change_qname', 'change_type']) await it.refused(400, 'POST', `${branch}/nodes/${id}/${verb}`);
});
statement('nodes 10.2', async () => {
  const { branch, node } = await it.repository();
  const id = await node();
  for (const type of ['my:a', 'my:b', 'my:a']) {
    await it.put(`${branch}/nodes/${id}/change_type?type=${type}`);
    assert.equal((await it.get(`${branch}/nodes/${id}`))._type, type);
    assert.deepEqual(ids(await query(branch, { _type: type })), [id]);
  }
});
statement('nodes 10.3', async () => {
  const { branch, node } = await it.repository();
  const generate = async () => (await it.post(`${branch}/qnames/generate`, { title: 'My First Title' }))._qname;
  assert.equal(await generate(), 'custom:myfirsttitle0');
  await node({ _qname: 'custom:myfirsttitle0' });
  assert.equal(await generate(), 'custom:myfirsttitle1');
});
statement('nodes 10.4', async () => {
  const { branch, node } = await it.repository();
  await node({ _qname: 'my:taken' });
  await it.refused(409, 'POST', `${branch}/nodes`, { _qname: 'my:taken' });
  await it.refused(409, 'POST', `${branch}/nodes/${await node()}/change_qname?qname=my:taken`);
});
statement('nodes 19.2, nodes 34.3, nodes 19.4', async () => {
  const { branch, node } = await it.repository();
  const [id, other] = [await node({ title: 'first' }), await node()];
  await it.put(`${branch}/nodes/${id}`, { title: 'second' });
  await it.get(`${branch}/nodes/${id}`);
  await it.post(`${branch}/nodes/${id}/associate?node=${other}`);
  const page = await versions(branch, id);
  assert.equal(page.total_rows, 2);
  const oldest = page.rows.at(-1)._changesetId;
  assert.equal((await it.get(`${branch}/nodes/${id}/versions/${oldest}`)).title, 'first');
  assert.equal((await it.post(`${branch}/nodes/${id}/versions/${oldest}/restore`)).title, 'first');
  assert.equal((await versions(branch, id)).total_rows, 3);
});
