// docs/specification/nodes.md 11 to 18: associations, queries, search, traversals, trees, folders.
import assert from 'node:assert/strict';
import { ids, statement, Subject, titles } from '../support/statements.mjs';

const it = Subject.serve();
const kUnknown = '0123456789abcdef0123';
const json = (value) => encodeURIComponent(JSON.stringify(value));
const raw = (method, path, options = {}) => it.server.request(method, path, { token: it.server.adminToken, ...options });
const query = (branch, body, tail = '') => it.post(`${branch}/nodes/query${tail}`, body);
const tie = (branch, from, to, type = 'a:linked', more = '', body = {}) => it.post(`${branch}/nodes/${from}/associate?node=${to}&type=${type}${more}`, body);
const count = async (branch, id, tail = '') => (await it.get(`${branch}/nodes/${id}/associations${tail}`)).total_rows;
const traverse = (branch, id, config) => it.post(`${branch}/nodes/${id}/traverse`, { traverse: config });

statement('nodes 11.1.1, nodes 11.2.1, nodes 11.2.2, nodes 11.2.3, interface 5.8.3', async () => {
  const { branch, node } = await it.repository();
  const [a, b] = [await node({ _type: 'my:a' }), await node({ _type: 'my:b' })];
  const made = await it.post(`${branch}/nodes/${a}/associate?node=${b}&directionality=UNDIRECTED`, { _type: 'my:link', test: 'field', tags: ['x'] });
  const record = await it.get(`${branch}/nodes/${made._doc}`);
  for (const one of [made, record]) {
    assert.deepEqual([one.source, one.source_type, one.target, one.target_type, one.directionality, one._is_association, one._type, one.test, one.tags],
                     [a, 'my:a', b, 'my:b', 'UNDIRECTED', true, 'my:link', 'field', ['x']]);
    for (const name of ['source_changeset', 'target_changeset', '_qname']) assert.equal(typeof one[name], 'string', name);
  }
  const plain = await it.post(`${branch}/nodes/${a}/associate?node=${b}`);
  assert.deepEqual([plain._type, plain.directionality], ['a:linked', 'DIRECTED']);
  assert.equal((await it.post(`${branch}/nodes/${a}/associate?node=${b}&type=my:other`, { _type: 'my:ignored' }))._type, 'my:other');
  await it.refused(400, 'POST', `${branch}/nodes/${a}/associate`, {});
});
statement('semantics 3.3.1, semantics 3.3.2', async () => {
  const { branch, node } = await it.repository();
  const [a, b] = [await node(), await node()];
  const one = await tie(branch, a, b, 'my:t', '&directionality=undirected');
  assert.equal(one.directionality, 'UNDIRECTED');
  assert.equal((await tie(branch, a, b, 'my:t', '&directionality=Undirected'))._doc, one._doc);
  assert.equal(await count(branch, a, '?type=my:t'), 1);
});
statement('nodes 11.1.2, nodes 11.5.3', async () => {
  const { branch, node } = await it.repository();
  const [a, b] = [await node(), await node()];
  await tie(branch, a, b, 'my:t');
  await tie(branch, a, b, 'my:u', '&directionality=UNDIRECTED');
  await it.post(`${branch}/nodes/${a}/unassociate?node=${b}&type=my:t`);
  assert.equal(await count(branch, a, '?type=my:t'), 0);
  await it.post(`${branch}/nodes/${b}/unassociate?node=${a}&type=my:u&directionality=UNDIRECTED`);
  assert.equal(await count(branch, a, '?type=my:u'), 0);
  assert.equal((await it.post(`${branch}/nodes/${a}/unassociate?node=${b}&type=my:t`)).ok, true);
});
statement('nodes 11.1.3, nodes 11.1.4, nodes 11.3.1, nodes 11.3.2, nodes 11.3.3', async () => {
  const { branch, node } = await it.repository();
  const [x, to, from, both] = [await node(), await node(), await node(), await node()];
  await tie(branch, x, to, 'my:t');
  await tie(branch, from, x, 'my:t');
  await tie(branch, x, both, 'my:t', '&directionality=UNDIRECTED');
  for (const [direction, expected] of [['OUTGOING', 2], ['INCOMING', 2], ['MUTUAL', 1], ['ANY', 3], ['outgoing', 2], ['Any', 3]]) {
    assert.equal(await count(branch, x, `?type=my:t&direction=${direction}`), expected, direction);
    if (direction === direction.toUpperCase() && direction !== 'ANY') {
      assert.equal((await it.get(`${branch}/nodes/${x}/${direction.toLowerCase()}?type=my:t`)).total_rows, expected);
    }
  }
  assert.equal(await count(branch, x, '?type=my:t'), 3);
  assert.equal((await it.get(`${branch}/nodes/${x}/associations?type=my:t&limit=1&skip=1`)).size, 1);
});
statement('nodes 11.3.4, nodes 16.10', async () => {
  const { branch, node } = await it.repository();
  const [x, to, from, both] = [await node({ title: 'x' }), await node({ title: 'to' }), await node({ title: 'from' }), await node({ title: 'both' })];
  await tie(branch, x, to, 'my:t');
  await tie(branch, from, x, 'my:t');
  await tie(branch, both, x, 'my:t', '&directionality=UNDIRECTED');
  for (const [direction, expected] of [['OUTGOING', ['both', 'to']], ['INCOMING', ['both', 'from']], ['MUTUAL', ['both']], ['ANY', ['both', 'from', 'to']]]) {
    assert.deepEqual(titles(await it.get(`${branch}/nodes/${x}/relatives?type=my:t&direction=${direction}`)).sort(), expected, direction);
    const walked = await traverse(branch, x, { associations: { 'my:t': direction }, depth: 1, filter: 'ALL_BUT_START_NODE' });
    assert.deepEqual(Object.values(walked.nodes).map((one) => one.title).sort(), expected, direction);
  }
});
statement('nodes 11.1.5, nodes 11.4.4', async () => {
  const { branch, node } = await it.repository();
  const { _doc } = await tie(branch, await node(), await node());
  assert.equal(await count(branch, _doc), 0);
});
statement('nodes 11.4.1, nodes 11.4.2, nodes 34.5', async () => {
  const { branch, node } = await it.repository();
  const [one, child, linked] = [await node(), await node(), await node()];
  const counts = async () => [await count(branch, one), await count(branch, one, '?direction=OUTGOING'), await count(branch, one, '?direction=INCOMING')];
  const [first] = (await it.get(`${branch}/nodes/${one}/associations`)).rows;
  const person = await it.get(`${branch}/person/acquire?id=default/admin`);
  assert.deepEqual([first._type, first.source], ['a:has_role', person._doc]);
  assert.deepEqual(await counts(), [1, 0, 1]);
  await tie(branch, one, child, 'a:child');
  await tie(branch, one, linked, 'a:linked', '&directionality=UNDIRECTED');
  assert.deepEqual(await counts(), [3, 2, 2]);
  assert.equal(await count(branch, one, '?type=a:child'), 1);
  await it.post(`${branch}/nodes/${one}/unassociate?node=${child}&type=a:child`);
  await it.post(`${branch}/nodes/${one}/unassociate?node=${linked}&type=a:linked&directionality=UNDIRECTED`);
  assert.deepEqual(await counts(), [1, 0, 1]);
});
statement('nodes 11.4.3', async () => {
  const { branch, node } = await it.repository({ enableSocialAssembly: true });
  const [one, other] = [await node(), await node()];
  assert.equal(await count(branch, one), 2);
  const rows = (await it.get(`${branch}/nodes/${one}/associations?type=a:created&direction=INCOMING`)).rows;
  assert.equal(rows.length, 1);
  assert.equal(rows[0].source, (await it.get(`${branch}/person/acquire?id=default/admin`))._doc);
  await tie(branch, other, one);
  assert.equal(await count(branch, one), 3);
});
statement('nodes 11.4.5, nodes 15.12', async () => {
  const { branch, node } = await it.repository();
  const [one, other] = [await node({ kind: 'hop' }), await node({ kind: 'hop' })];
  assert.ok(other in (await traverse(branch, one, { depth: 2 })).nodes);
  assert.deepEqual(ids(await it.post(`${branch}/nodes/${one}/find`, { query: { kind: 'hop' }, traverse: { depth: 2 } })), [other]);
});
statement('nodes 11.5.1', async () => {
  const { branch, node } = await it.repository();
  const [a, b] = [await node(), await node()];
  const { _doc: association } = await tie(branch, a, b);
  await it.refused(404, 'POST', `${branch}/nodes/${a}/associate?node=${kUnknown}`, {});
  await it.refused(400, 'POST', `${branch}/nodes/${a}/associate?node=${association}`, {});
  await it.refused(400, 'POST', `${branch}/nodes/${association}/associate?node=${a}`, {});
});
statement('nodes 11.5.2, nodes 11.5.4, nodes 11.5.5', async () => {
  const { path, branch, node } = await it.repository();
  await node({ _type: 'd:association', _qname: 'my:friend', _parent: 'a:linked' });
  const [a, b] = [await node(), await node()];
  for (const type of ['a:linked', 'a:child', 'my:friend']) {
    const before = (await it.get(`${path}/changesets`)).total_rows;
    await tie(branch, a, b, type);
    assert.equal((await it.get(`${path}/changesets`)).total_rows, before + 1);
  }
  assert.equal(await count(branch, a, '?direction=OUTGOING'), 3);
  for (const id of [a, b]) assert.equal((await it.get(`${branch}/nodes/${id}/versions`)).total_rows, 1);
});
statement('nodes 11.5.6', async () => {
  const { branch } = await it.repository();
  const names = (await it.get(`${branch}/definitions?filter=association&limit=-1`)).rows.map((row) => row._qname);
  for (const name of ['child', 'linked', 'owned', 'copied_from', 'created', 'updated', 'deleted', 'has_role', 'has_form', 'has_lock', 'has_mount', 'has_translation', 'has_behavior', 'has_comment', 'has_tag']) {
    assert.ok(names.includes(`a:${name}`), name);
  }
});

statement('nodes 12.1.1, nodes 12.2.1, nodes 12.2.4', async () => {
  const { branch, node } = await it.repository();
  const [parent, folder, a, b] = [await node({ title: 'p' }), await node({ title: 'f' }), await node({ title: 'a' }), await node({ title: 'b' })];
  await tie(branch, parent, folder, 'a:child');
  for (const id of [b, a]) await tie(branch, folder, id, 'a:child');
  assert.deepEqual(titles(await it.get(`${branch}/nodes/${folder}/children`)), ['b', 'a']);
  assert.deepEqual(titles(await it.get(`${branch}/nodes/${folder}/children?sort=${json({ title: 1 })}`)), ['a', 'b']);
  assert.deepEqual(titles(await it.get(`${branch}/nodes/${folder}/relatives?type=a:child&direction=ANY`)).sort(), ['a', 'b', 'p']);
});
statement('nodes 12.1.2, nodes 12.2.2, nodes 12.2.3, semantics 1.4.2', async () => {
  const { branch, node } = await it.repository();
  const [x, a, b] = [await node(), await node({ title: 'a', k: 1 }), await node({ title: 'b', k: 1 })];
  for (const type of ['my:t', 'my:u']) await tie(branch, x, a, type);
  await tie(branch, b, x, 'my:t');
  const all = await it.get(`${branch}/nodes/${x}/relatives?limit=-1`);
  assert.equal(ids(all).filter((id) => id === a).length, 1);
  assert.ok(ids(all).includes(b));
  assert.ok(all.rows.every((row) => row._is_association === false));
  assert.deepEqual(titles(await it.post(`${branch}/nodes/${x}/relatives/query?type=my:t&direction=OUTGOING`, { k: 1 })), ['a']);
  assert.deepEqual(titles(await it.post(`${branch}/nodes/${x}/relatives/find?type=my:t&direction=INCOMING`, { query: { k: 1 } })), ['b']);
});
statement('nodes 12.1.3', async () => {
  const { branch, node } = await it.repository();
  const [top, middle, leaf] = [await node({ _type: 'my:top' }), await node({ _type: 'my:top' }), await node()];
  await tie(branch, top, middle, 'a:child');
  await tie(branch, middle, leaf, 'a:child');
  assert.equal((await it.post(`${branch}/nodes/${leaf}/ancestorbytype?type=my:top`))._doc, middle);
  await it.refused(404, 'POST', `${branch}/nodes/${leaf}/ancestorbytype?type=my:none`);
  await it.refused(400, 'POST', `${branch}/nodes/${leaf}/ancestorbytype`);
});
statement('nodes 12.3.1, nodes 12.3.2, nodes 12.3.3, nodes 33.2', async () => {
  const { branch, node } = await it.repository();
  const [x, a] = [await node(), await node()];
  await tie(branch, x, a, 'my:t');
  const statistics = async (id) => (await it.get(`${branch}/nodes/${id}`))._statistics;
  assert.deepEqual(((s) => [s['my:t'], s['my:t_OUTGOING']])(await statistics(x)), [1, 1]);
  assert.deepEqual(((s) => [s['my:t'], s['my:t_INCOMING']])(await statistics(a)), [1, 1]);
  for (const rating of [2, 4]) await tie(branch, x, await node({ _type: 'n:comment', rating }), 'a:has_comment');
  const s = await statistics(x);
  assert.deepEqual([s.ratingTotalCount, s.ratingTotalValue, s.ratingAverageValue], [2, 6, 3]);
  assert.equal((await it.get(`${branch}/nodes/${x}/versions`)).total_rows, 1);
});

statement('nodes 13.1, semantics 1.1.13', async () => {
  const { branch, node } = await it.repository();
  for (let i = 0; i < 3; ++i) await node({ kind: 'q', i });
  const asked = await query(branch, { kind: 'q', i: { $gt: 0 } });
  const way = `query=${json({ kind: 'q', i: { $gt: 0 } })}`;
  assert.deepEqual(ids(await it.get(`${branch}/nodes/query?${way}`)), ids(asked));
  assert.deepEqual(ids(await it.get(`${branch}/nodes/query/deep?${way}`)), ids(asked));
  assert.deepEqual(ids(await it.post(`${branch}/nodes/query/deep`, { kind: 'q', i: { $gt: 0 } })), ids(asked));
});
statement('nodes 13.2, semantics 1.1.4, semantics 1.1.5', async () => {
  const { branch, node } = await it.repository();
  const fields = [{ k: 'n', v: 1 }, { k: 's', v: '1' }, { k: 'a', v: [1, 2], deep: { list: [{ x: 5 }] } }, { k: 'f', _features: { 'f:geolocation': {} } }];
  for (const one of fields) await node(one);
  for (const [body, expected] of [[{ v: 1 }, 'na'], [{ v: '1' }, 's'], [{ v: { $gt: 0, $lt: 2 } }, 'na'], [{ $or: [{ v: '1' }, { 'deep.list.x': 5 }] }, 'sa'], [{ k: 'n', v: 1 }, 'n'], [{ k: 's', v: 1 }, ''],
                                  [{ '_features.f:geolocation': { $exists: true }, k: { $exists: true } }, 'f']]) {
    assert.equal((await query(branch, body)).rows.map((row) => row.k).join(''), expected, JSON.stringify(body));
  }
});
statement('nodes 13.4, semantics 1.1.11, semantics 1.1.12, nodes 34.16', async () => {
  const { branch, node } = await it.repository();
  for (const n of [3, 1, 2]) await node({ kind: 'f', n, deep: { a: 1, b: 2 }, other: 1 });
  const page = await query(branch, { kind: 'f', _fields: { n: 1, 'deep.a': 1 } }, `?limit=1&skip=1&sort=${json({ n: 1 })}`);
  assert.equal(page.total_rows, 3);
  assert.deepEqual(Object.keys(page.rows[0]).sort(), ['_doc', 'deep', 'n']);
  assert.deepEqual([page.rows[0].n, page.rows[0].deep], [2, { a: 1 }]);
  const [without] = (await query(branch, { kind: 'f', _fields: { other: 0 } })).rows;
  assert.deepEqual(['other' in without, without.kind], [false, 'f']);
  await it.refused(400, 'POST', `${branch}/nodes/query`, { _fields: { n: 1, other: 0 } });
});
statement('nodes 13.5, nodes 13.7', async () => {
  const { branch, node } = await it.repository();
  const [a, b] = [await node(), await node()];
  const { _doc: association } = await tie(branch, a, b);
  const all = await query(branch, {}, '?limit=-1');
  for (const id of [a, b, association]) assert.ok(ids(all).includes(id));
  assert.equal(all.rows.find((row) => row._doc === association)._is_association, true);
  for (let i = 0; i < 10; ++i) {
    const id = await node({ kind: `at once ${i}` });
    assert.deepEqual(ids(await query(branch, { kind: `at once ${i}` })), [id]);
  }
});
statement('nodes 13.6, nodes 13.8', async () => {
  const { branch, node } = await it.repository();
  const id = await node({ _qname: 'my:exact', _type: 'my:exactly', text: '$gt' });
  for (const body of [{ _qname: 'my:exact' }, { _type: 'my:exactly' }, { text: '$gt' }]) assert.deepEqual(ids(await query(branch, body)), [id]);
  for (const body of [{ _qname: 'my:exac' }, { _type: 'my:exact' }]) assert.equal((await query(branch, body)).total_rows, 0);
});
statement('semantics 1.1.1, semantics 1.1.2, semantics 1.1.3', async () => {
  const { branch, node } = await it.repository();
  await node({ n: 7 });
  assert.equal((await query(branch, { n: { $mod: [4, 3] } })).total_rows, 1);
  for (const operator of ['$where', '$function', '$notAnOperator']) {
    for (const body of [{ [operator]: 'x' }, { n: { [operator]: 1 } }]) {
      const error = await it.refused(400, 'POST', `${branch}/nodes/query`, body);
      assert.ok(error.message.includes(operator), error.message);
    }
  }
});
statement('semantics 1.1.8', async () => {
  const { path, branch, node } = await it.repository();
  const fork = `${path}/branches/${await it.make(`${path}/branches?branch=master`)}`;
  const [here, there] = [await node({ kind: 'b' }), await it.make(`${fork}/nodes`, { kind: 'b' })];
  assert.deepEqual([ids(await query(branch, { kind: 'b' })), ids(await query(fork, { kind: 'b' }))], [[here], [there]]);
});

statement('nodes 14.1, nodes 14.2, nodes 14.5', async () => {
  const { branch, node } = await it.repository();
  const id = await node({ title: 'c' }, '?parentFolderPath=/a/b');
  assert.equal((await it.get(`${branch}/nodes/${id}/path`)).path, '/a/b/c');
  assert.equal((await it.get(`${branch}/nodes/${id}/path?rootNodeId=root`)).path, '/a/b/c');
  assert.deepEqual((await it.get(`${branch}/nodes/${id}/paths`)).paths, { 'r:root': '/a/b/c' });
  assert.equal((await it.get(`${branch}/nodes/root/path`)).path, '/');
  assert.equal((await it.get(`${branch}/nodes/${await node()}/path`)).path, null);
});
statement('nodes 14.6', async () => {
  const { branch, node } = await it.repository();
  const id = await node({ title: 'moving' }, '?parentFolderPath=/a');
  const to = await node({ title: 'b' }, '?parentFolderPath=/');
  await it.post(`${branch}/nodes/${id}/move?targetNodeId=${to}`);
  assert.equal((await it.get(`${branch}/nodes/${id}/path`)).path, '/b/moving');
});
statement('semantics 1.6.4', async () => {
  const { branch, node } = await it.repository();
  await node({ title: 'Exact' }, '?parentFolderPath=/');
  await it.refused(404, 'GET', `${branch}/nodes/root?path=/exact`);
});
statement('semantics 1.6.1', async () => {
  const { branch, node } = await it.repository();
  for (const at of ['a/b', 'c/d', 'e/f']) await node({ title: 'leaf' }, `?parentFolderPath=/${at}`);
  const flat = (one) => [one, ...(one.children ?? []).flatMap(flat)];
  const shown = async (query) => flat(await it.get(`${branch}/nodes/root/tree${query}`)).map((one) => one.path).filter((path) => path.endsWith('/leaf')).sort();
  assert.deepEqual(await shown('?leaf=/a/b&leaf=/e/f'), ['/a/b/leaf', '/e/f/leaf']);
  assert.deepEqual(await shown('?leaf=/c/d&leaf=/a/b,/e/f'), ['/a/b/leaf', '/c/d/leaf', '/e/f/leaf']);
  assert.deepEqual(await shown('?leaf=/c/d'), ['/c/d/leaf']);
});
statement('semantics 1.6.3', async () => {
  const { branch, node } = await it.repository();
  await node({ title: 'x' }, '?parentFolderPath=/f');
  await it.refused(409, 'POST', `${branch}/nodes?parentFolderPath=/f`, { title: 'x' });
  const other = await node({ title: 'x' }, '?parentFolderPath=/g');
  const { _doc: folder } = await it.get(`${branch}/nodes/root?path=/f`);
  await it.refused(409, 'POST', `${branch}/nodes/${other}/move?targetNodeId=${folder}`, {});
  assert.equal((await it.get(`${branch}/nodes/${other}/path`)).path, '/g/x');
});
statement('semantics 1.6.2', async () => {
  const { branch, node } = await it.repository();
  const id = await node({ title: 'x' });
  assert.deepEqual((await it.get(`${branch}/nodes/${id}/paths`)).paths, {});
  await tie(branch, 'root', id, 'a:child');
  assert.deepEqual((await it.get(`${branch}/nodes/${id}/paths`)).paths, { 'r:root': '/x' });
});
const kTexts = [['War and Peace', 'a long novel'], ['Peace', 'short'], ['Cooking', 'with WAR on salt']];
async function library() {
  const { branch, node, path } = await it.repository();
  const made = [];
  for (const [title, text] of kTexts) made.push(await node({ title, deep: { text }, kind: 'book' }));
  return { branch, node, path, made, find: async (text) => titles(await it.post(`${branch}/nodes/search`, { search: text })).sort() };
}
statement('nodes 15.1, nodes 15.3, nodes 15.4, rulings 24, semantics 1.3.1', async () => {
  const { branch, find } = await library();
  assert.deepEqual(await find('war'), ['Cooking', 'War and Peace']);
  assert.deepEqual(titles(await it.get(`${branch}/nodes/search?text=salt`)), ['Cooking']);
  assert.deepEqual(await find('and'), ['War and Peace']);
  assert.deepEqual(await find('pea'), []);
  assert.deepEqual(await find('title:"War and Peace"'), ['War and Peace']);
  assert.ok((await find('title:War and Peace')).length > 1);
  assert.deepEqual(await find('"War and Peace and more"'), []);
  assert.deepEqual(await find('novel short'), ['Peace', 'War and Peace']);
});
statement('nodes 15.5', async () => {
  const { find } = await library();
  for (const [search, expected] of [[{ query_string: { query: 'salt' } }, ['Cooking']], [{ match: { title: 'peace' } }, ['Peace', 'War and Peace']], [{ match_phrase: { title: 'and peace' } }, ['War and Peace']],
    [{ term: { title: 'cooking' } }, ['Cooking']], [{ prefix: { title: 'coo' } }, ['Cooking']], [{ wildcard: { title: 'c*king' } }, ['Cooking']],
    [{ bool: { must: [{ match: { title: 'peace' } }], must_not: [{ match: { title: 'war' } }] } }, ['Peace']]]) assert.deepEqual(await find(search), expected, JSON.stringify(search));
  assert.ok((await find({ match_all: {} })).length >= 3);
});
statement('semantics 1.3.2', async () => {
  const { find } = await library();
  for (const [text, expected] of [['+war +salt', ['Cooking']], ['war AND salt', ['Cooking']], ['war -salt', ['War and Peace']], ['war NOT salt', ['War and Peace']], ['c?oking', ['Cooking']], ['pea*', ['Peace', 'War and Peace']], ['cookung~', ['Cooking']]]) {
    assert.deepEqual(await find(text), expected, text);
  }
});
statement('nodes 15.6', async () => {
  const { branch, made, find } = await library();
  await tie(branch, made[0], made[1], 'my:t', '', { title: 'associated uniquely' });
  assert.deepEqual(await find('uniquely'), []);
});
statement('nodes 15.7', async () => {
  const { branch, made } = await library();
  await raw('POST', `${branch}/nodes/${made[0]}/attachments/default`, { body: Buffer.concat([Buffer.from('attached wording '), Buffer.from([0xff, 0xfe]), Buffer.from(' follows')]), headers: { 'Content-Type': 'text/plain' } });
  const end = Date.now() + 20_000;
  for (;;) {
    const found = ids(await it.post(`${branch}/nodes/search`, { search: 'wording' }));
    if (found.length) { assert.deepEqual(found, [made[0]]); break; }
    assert.ok(Date.now() < end, 'the text is found');
  }
});
statement('semantics 1.3.3', async () => {
  const { branch, node } = await it.repository();
  const ids_ = {};
  for (const [name, fields] of Object.entries({
    war: { title: 'War and Peace', pages: 1225, since: '1869-01-01', kind: 'long' },
    hobbit: { title: 'The Hobbit', pages: 310, since: '1937-09-21', kind: 'short' },
    art: { title: 'Art of War', pages: -5, kind: 'short' } })) ids_[name] = await node(fields);
  const found = async (search) => {
    const { rows } = await it.post(`${branch}/nodes/search`, { search });
    return rows.map((row) => Object.keys(ids_).find((name) => ids_[name] === row._doc)).filter(Boolean).sort();
  };
  for (const [search, wanted] of [
    [{ match: { title: 'war hobbit' } }, ['art', 'hobbit', 'war']], [{ match_phrase: { title: 'art of' } }, ['art']],
    [{ match_phrase_prefix: { title: 'the ho' } }, ['hobbit']], [{ multi_match: { query: 'long', fields: ['title', 'kind'] } }, ['war']],
    [{ query_string: { query: 'title:peace' } }, ['war']], [{ simple_query_string: { query: 'peace' } }, ['war']],
    [{ term: { kind: 'short' } }, ['art', 'hobbit']], [{ terms: { kind: ['long', 'none'] } }, ['war']],
    [{ range: { pages: { gte: 310, lt: 1225 } } }, ['hobbit']], [{ range: { pages: { lt: 0 } } }, ['art']],
    [{ range: { since: { gt: '1900-01-01' } } }, ['hobbit']], [{ prefix: { title: 'hob' } }, ['hobbit']],
    [{ wildcard: { title: 'p*ce' } }, ['war']], [{ exists: { field: 'since' } }, ['hobbit', 'war']],
    [{ ids: { values: [ids_.art] } }, ['art']], [{ match_all: {} }, ['art', 'hobbit', 'war']],
    [{ bool: { must: [{ term: { kind: 'short' } }], must_not: [{ range: { pages: { lt: 0 } } }] } }, ['hobbit']],
  ]) assert.deepEqual(await found(search), wanted, JSON.stringify(search));
  for (const search of [{ fuzzy: { title: 'x' } }, { range: { pages: {} } }, { script: {} }]) await it.refused(400, 'POST', `${branch}/nodes/search`, { search });
});
statement('nodes 15.8, nodes 15.9, nodes 6.8, semantics 1.3.4', async () => {
  const { branch } = await library();
  const page = await it.post(`${branch}/nodes/search?limit=1`, { search: 'war', _fields: { title: 1 } });
  assert.deepEqual([page.total_rows, page.size, page.rows[0].title.length > 0], [2, 1, true]);
  const { rows } = await it.post(`${branch}/nodes/search`, { search: 'war peace' });
  const scores = rows.map((row) => row._search.score);
  assert.ok(scores.every((score) => score > 0));
  assert.deepEqual(scores, [...scores].sort((a, b) => b - a));
  const up = (await it.post(`${branch}/nodes/search?sort=${json({ _score: 1 })}`, { search: 'war peace' })).rows.map((row) => row._search.score);
  assert.deepEqual(up, [...up].sort((a, b) => a - b));
});
statement('semantics 1.3.5', async () => {
  const { branch, path } = await library();
  const one = await it.person('searcher');
  await it.grant(path, 'connector', one);
  await it.grant(branch, 'connector', one);
  assert.equal((await it.allowed('POST', `${branch}/nodes/search`, { search: 'war' }, one)).total_rows, 0);
});
statement('nodes 15.2, nodes 15.10, semantics 17.3, nodes 34.8', async () => {
  const { branch, node } = await it.repository();
  for (const [title, meal] of [['toast with cheese', 'breakfast'], ['cheese soup', 'dinner'], ['eggs', 'breakfast'], ['water', undefined]]) await node({ title, meal });
  const find = async (body) => (await it.post(`${branch}/nodes/find`, body)).total_rows;
  assert.equal((await query(branch, { meal: { $exists: true } })).total_rows, 3);
  assert.deepEqual([await find({ search: 'cheese' }), await find({ query: { meal: 'breakfast' } }), await find({ query: { meal: 'breakfast' }, search: 'cheese' })], [2, 2, 1]);
  assert.equal((await it.post(`${branch}/nodes/search`, { search: 'cheese' })).total_rows, 2);
  assert.equal(await find({ search: { query_string: { query: 'cheese' } } }), 2);
});
statement('semantics 1.4.1', async () => {
  const { branch, node } = await it.repository();
  await node();
  assert.equal((await it.post(`${branch}/nodes/find`, {})).total_rows, (await query(branch, {})).total_rows);
});
statement('nodes 15.11, nodes 33.4', async () => {
  const { branch, node } = await it.repository();
  const [a, b, c] = [await node({ k: 1 }), await node({ k: 1 }), await node({ k: 1 })];
  await tie(branch, a, b, 'my:t');
  await tie(branch, b, c, 'my:t');
  const find = async (config) => ids(await it.post(`${branch}/nodes/${a}/find`, { query: { k: 1 }, traverse: config })).sort();
  assert.deepEqual(await find({ associations: { 'my:t': 'ANY' } }), [b]);
  assert.deepEqual(await find({ associations: { 'my:t': 'ANY' }, depth: 2, filter: 'ALL' }), [a, b, c].sort());
  assert.deepEqual(Object.keys((await traverse(branch, a, { associations: { 'my:t': 'ANY' } })).nodes).sort(), [a, b].sort());
});

statement('nodes 16.1, nodes 16.2, nodes 16.3, nodes 16.4, nodes 16.5, nodes 16.6', async () => {
  const { branch, node } = await it.repository();
  const [a, b, c] = [await node({ _type: 'my:a' }), await node({ _type: 'my:b' }), await node({ _type: 'my:c' })];
  const { _doc: ab } = await tie(branch, a, b, 'my:t');
  await tie(branch, b, c, 'my:t');
  const one = await traverse(branch, a, { associations: { 'my:t': 'OUTGOING' } });
  assert.deepEqual([one.node, one.node_count, Object.keys(one.nodes).sort(), Object.keys(one.associations)], [a, 2, [a, b].sort(), [ab]]);
  assert.equal(typeof one.config, 'object');
  assert.ok(Object.values(one.nodes).every((record) => record._is_association === false) && Object.values(one.associations).every((record) => record._is_association));
  assert.ok(b in (await traverse(branch, a, {})).nodes);
  assert.equal(Object.keys((await traverse(branch, a, { associations: { 'my:t': 'OUTGOING' }, depth: -1, filter: 'ALL_BUT_START_NODE' })).nodes).length, 2);
  assert.deepEqual(Object.keys((await traverse(branch, a, { associations: { 'my:t': 'OUTGOING' }, depth: 2, types: ['my:c'] })).nodes), [c]);
  assert.deepEqual(Object.keys((await traverse(branch, c, { associations: { 'my:t': 'INCOMING' }, filter: 'ALL_BUT_START_NODE' })).nodes), [b]);
});
statement('nodes 16.7, nodes 16.8, semantics 1.5.2', async () => {
  const { branch, node } = await it.repository();
  await node({ _type: 'd:association', _qname: 'my:sub', _parent: 'my:friend' });
  const [a, b, c, d] = [await node(), await node(), await node(), await node()];
  for (const [x, y] of [[a, b], [a, c], [a, d], [b, c], [c, d], [d, b]]) await tie(branch, x, y, 'my:friend', '&directionality=UNDIRECTED');
  const near = await traverse(branch, a, { associations: { 'my:friend': 'ANY' }, depth: 1, filter: 'ALL_BUT_START_NODE' });
  assert.deepEqual([Object.keys(near.nodes).length, Object.keys(near.associations).length], [3, 3]);
  assert.equal(Object.keys((await traverse(branch, a, { associations: { 'my:friend': 'ANY' }, depth: -1, filter: 'ALL_BUT_START_NODE' })).nodes).length, 3);
  assert.equal(Object.keys((await traverse(branch, a, { associations: { 'my:sub': 'ANY' }, filter: 'ALL_BUT_START_NODE' })).nodes).length, 0);
});
statement('nodes 16.9', async () => {
  const { branch, node } = await it.repository();
  const tree = async (depth) => {
    const id = await node();
    if (depth === 1) for (let i = 0; i < 3; ++i) await tie(branch, id, await tree(0), 'a:child');
    if (depth > 1) for (let i = 0; i < 3; ++i) await tie(branch, id, await tree(1), 'a:child');
    return id;
  };
  const top = await tree(2);
  let last = (await it.get(`${branch}/nodes/${top}/children`)).rows[0]._doc;
  for (const depth of [3, 4, 5]) {
    const next = await node();
    last = depth === 3 ? (await it.get(`${branch}/nodes/${last}/children`)).rows[0]._doc : last;
    await tie(branch, last, next, 'a:child');
    last = next;
  }
  const walk = await traverse(branch, top, { associations: { 'a:child': 'OUTGOING' }, depth: 3, filter: 'ALL_BUT_START_NODE' });
  assert.deepEqual([Object.keys(walk.nodes).length, Object.keys(walk.associations).length], [13, 13]);
});
statement('semantics 1.5.1, semantics 1.5.3', async () => {
  const one = await it.person('walker');
  const { path, branch, node } = await it.repository();
  const [a, hidden, c] = [await node(), await node(), await node()];
  for (const [x, y] of [[a, hidden], [hidden, c]]) await tie(branch, x, y, 'my:t');
  for (const where of [path, branch]) await it.grant(where, 'connector', one);
  for (const id of [a, c]) await it.grant(`${branch}/nodes/${id}`, 'consumer', one);
  const seen = await it.allowed('POST', `${branch}/nodes/${a}/traverse`, { traverse: { associations: { 'my:t': 'BOTH' }, depth: 5 } }, one);
  assert.deepEqual(Object.keys(seen.nodes), [a]);
});

statement('nodes 17.1, nodes 17.2, nodes 17.3, nodes 17.4, nodes 17.7, nodes 17.8', async () => {
  const { branch, node } = await it.repository();
  await node({ title: 'deep', description: 'd' }, '?parentFolderPath=/a/b/c');
  await node({ title: 'x' }, '?parentFolderPath=/a');
  const tree = (tail, body) => it.post(`${branch}/nodes/root/tree${tail}`, body);
  const top = await tree('');
  assert.deepEqual(top.children.map((one) => one.label), ['a']);
  assert.ok(!top.children[0].children?.length);
  const [a] = top.children;
  for (const name of ['_doc', 'id', 'repositoryId', 'branchId', 'rootNodeId', 'filename', 'label', 'path', 'typeQName', 'qname']) assert.equal(typeof a[name], 'string', name);
  assert.deepEqual([a.container, a.childCount, a.childContainerCount, a.path], [true, 2, 1, '/a']);
  const flat = (one) => [one, ...(one.children ?? []).flatMap(flat)];
  assert.deepEqual(flat(await tree('?depth=-1')).map((one) => one.path).sort(), ['/', '/a', '/a/b', '/a/b/c', '/a/b/c/deep', '/a/x']);
  assert.deepEqual(flat(await it.get(`${branch}/nodes/root/tree?depth=-1`)).length, 6);
  assert.equal((await tree('?base=/a/b&depth=1')).path, '/a/b');
  assert.equal((await tree('?path=/a/b&depth=1')).path, '/a/b');
  assert.ok(flat(await tree('?leaf=/a/b,')).some((one) => one.path === '/a/b/c'));
  assert.ok(flat(await tree('?leaf=/a,/a/b')).some((one) => one.path === '/a/b/c'));
  assert.ok(!flat(await tree('?depth=-1&containers=true')).some((one) => one.path === '/a/x'));
  const rich = flat(await tree('?depth=-1&properties=true&object=true')).find((one) => one.path === '/a/b/c/deep');
  assert.deepEqual([rich.properties.title, rich._object.description], ['deep', 'd']);
});
statement('nodes 17.5, nodes 17.6', async () => {
  const { branch, node } = await it.repository();
  const outer = await node({ title: 'outer', _type: 'my:folder' }, '?parentFolderPath=/');
  const inner = await node({ title: 'inner', _type: 'my:folder' });
  await tie(branch, outer, inner, 'a:child');
  for (let i = 0; i < 6; ++i) await tie(branch, inner, await node({ title: `leaf${i}`, _type: 'my:leaf', even: i % 3 === 0, text: i === 0 ? 'searched' : 'other' }), 'a:child');
  const leaves = async (body) => {
    const flat = (one) => [one, ...(one.children ?? []).flatMap(flat)];
    return flat(await it.post(`${branch}/nodes/root/tree?depth=-1`, body)).filter((one) => one.typeQName === 'my:leaf').length;
  };
  assert.deepEqual([await leaves({ query: { _type: 'my:leaf' } }), await leaves({ query: { _type: 'my:leaf', even: true } }),
                    await leaves({ query: { _type: 'my:leaf', even: true }, search: { query_string: { query: 'searched' } } })], [6, 2, 1]);
});

statement('nodes 18.1.1, nodes 18.1.2, nodes 18.1.3, nodes 34.18, interface 5.8.2', async () => {
  const { path, branch, node } = await it.repository();
  const to = await node({ title: 'to' }, '?parentFolderPath=/');
  const deep = await node({ title: 'deep' }, '?parentFolderPath=/to');
  const [a, b, c] = [await node({ title: 'a' }, '?parentFolderPath=/from'), await node({ title: 'b' }, '?parentFolderPath=/from'), await node({ title: 'c' }, '?parentFolderPath=/from')];
  const leaf = await node({ title: 'leaf' }, '?parentFolderPath=/from/a');
  const before = (await it.get(`${path}/changesets`)).total_rows;
  await it.post(`${branch}/movenodes`, { sourceNodeIds: [a, b], targetNodeId: to });
  assert.equal((await it.get(`${path}/changesets`)).total_rows, before + 1);
  await it.post(`${branch}/nodes/${c}/move?targetNodeId=${to}&targetPath=/deep`);
  const pathOf = async (id) => (await it.get(`${branch}/nodes/${id}?paths=true`))._paths['r:root'];
  assert.deepEqual([await pathOf(a), await pathOf(b), await pathOf(c), await pathOf(leaf)], ['/to/a', '/to/b', '/to/deep/c', '/to/a/leaf']);
  assert.deepEqual(ids(await it.get(`${branch}/nodes/${deep}/children`)), [c]);
  assert.equal(await count(branch, a, '?type=a:child&direction=INCOMING'), 1);
});
statement('nodes 18.2.1', async () => {
  const { branch, node } = await it.repository();
  const folder = await node({ title: 'f', _features: { 'f:container': {} } }, '?parentFolderPath=/');
  const child = await node({ title: 'c' }, '?parentFolderPath=/f');
  for (const name of ['1', '2', '3']) await raw('POST', `${branch}/nodes/${child}/attachments/${name}`, { body: name, headers: { 'Content-Type': 'text/plain' } });
  const target = await node({ title: 't' }, '?parentFolderPath=/');
  await it.post(`${branch}/nodes/${folder}/copy?targetNodeId=${target}&schedule=synchronous`);
  const [copy] = (await it.get(`${branch}/nodes/${target}/children`)).rows;
  assert.notEqual(copy._doc, folder);
  const [inside] = (await it.get(`${branch}/nodes/${copy._doc}/children`)).rows;
  assert.notEqual(inside._doc, child);
  assert.equal((await it.get(`${branch}/nodes/${inside._doc}/attachments`)).total_rows, 3);
  await it.refused(400, 'POST', `${branch}/nodes/${folder}/copy`);
});
statement('nodes 18.2.2, nodes 18.2.3, nodes 18.2.4, platform 14.3.1, merge_and_transfer 4.2.2, merge_and_transfer 4.3.1', async () => {
  const { id: repositoryId, path, branch, node } = await it.repository();
  const platform = await it.platformId();
  const source = await node({ title: 'v1' });
  const target = await node({ title: 'target' });
  const fork = await it.make(`${path}/branches?branch=master&changeset=0:root`);
  const { _doc: master } = await it.get(branch);
  const chain = (branchId, nodeId) => [{ typeId: 'platform', id: platform }, { typeId: 'repository', id: repositoryId }, { typeId: 'branch', id: branchId },
    ...(nodeId ? [{ typeId: 'node', id: nodeId, ref: `node://${platform}/${repositoryId}/${branchId}/${nodeId}` }] : [])];
  const copy = async (targets, tail, configuration) => {
    const job = await it.finished((await it.post(`/tools/copy?schedule=ASYNCHRONOUS${tail}`, { sources: chain(master, source), targets, configuration }))._doc);
    assert.equal(job.state, 'FINISHED', JSON.stringify(job.log_entries));
    assert.deepEqual(job.imports, job._result.imports);
    return job.imports[0].targets.at(-1).id;
  };
  const first = await copy(chain(master, target), '', { copyOnExisting: false });
  assert.notEqual(first, source);
  await it.put(`${branch}/nodes/${source}`, { title: 'v2' });
  assert.equal(await copy(chain(master, target), '', { copyOnExisting: false }), first);
  assert.equal((await it.get(`${branch}/nodes/${first}`)).title, 'v2');
  assert.equal((await it.get(`${branch}/nodes/${target}/children`)).total_rows, 1);
  assert.equal(await copy(chain(fork), '&strategy=CLONE'), source);
  await it.put(`${branch}/nodes/${source}`, { title: 'v3' });
  await copy(chain(fork), '&strategy=CLONE');
  assert.equal((await it.get(`${path}/branches/${fork}/nodes/${source}`)).title, 'v3');
});
statement('nodes 18.3.1, nodes 18.3.2, nodes 34.19, semantics 10.5', async () => {
  const { branch, node } = await it.repository();
  const [id, other] = [await node({ title: 'm' }), await node()];
  const list = () => it.get(`${branch}/nodes`);
  assert.equal((await list()).total_rows, 0);
  await it.post(`${branch}/nodes/${id}/mount/site`);
  const page = await list();
  assert.deepEqual([page.total_rows, new Set(ids(page)).size, ids(page).includes(id), page.rows.every((row) => row._is_association === false)], [2, 2, true, true]);
  await it.post(`${branch}/nodes/${other}/mount/site`);
  assert.ok(ids(await list()).includes(other) && !ids(await list()).includes(id));
  await it.post(`${branch}/nodes/${other}/unmount`);
  assert.equal((await list()).total_rows, 0);
});
statement('nodes 18.4.1, nodes 34.20', async () => {
  const { branch, node } = await it.repository();
  const one = `${branch}/nodes/${await node()}`;
  for (let i = 0; i < 2; ++i) {
    await it.post(`${one}/touch`);
    assert.equal((await it.get(`${one}/lock`)).locked, false);
    await it.post(`${one}/lock`);
    const lock = await it.get(`${one}/lock`);
    assert.equal(lock.locked, true);
    assert.match(JSON.stringify(lock.lockedBy), /admin/);
    await it.post(`${one}/unlock`);
  }
});
statement('nodes 18.4.2, semantics 2.7.2', async () => {
  const [holder, other] = [await it.person('lock-holder'), await it.person('lock-other')];
  const { path, branch, node } = await it.repository();
  const one = `${branch}/nodes/${await node()}`;
  for (const who of [holder, other]) await it.grant(path, 'collaborator', who);
  await it.allowed('POST', `${one}/lock`, undefined, holder);
  await it.allowed('PUT', one, { title: 'mine' }, holder);
  for (const [method, way] of [['PUT', one], ['POST', `${one}/unlock`]]) {
    const reply = await it.reply(method, way, method === 'PUT' ? {} : undefined, other);
    assert.ok(reply.status >= 400 && reply.status < 500, way);
  }
  await it.put(one, { title: 'owner' });
  await it.post(`${one}/unlock`);
  await it.allowed('PUT', one, { title: 'free' }, other);
});
statement('semantics 2.7.4', async () => {
  const [holder, blind] = [await it.person('lock-shower'), await it.person('lock-blind')];
  const { path, branch, node } = await it.repository();
  const id = await node({ title: 'held' });
  const one = `${branch}/nodes/${id}`;
  await it.grant(path, 'collaborator', holder);
  for (const where of [path, branch]) await it.grant(where, 'connector', blind);
  await it.grant(one, 'consumer', blind);
  await it.allowed('POST', `${one}/lock`, undefined, holder);
  const locks = async (at = one, query = '') => (await it.get(`${at}/associations?type=a:has_lock${query}`)).rows;
  const [lock, ...others] = await locks(one, '&direction=INCOMING');
  assert.deepEqual(others, []);
  const person = await it.get(`${branch}/nodes/${lock.source}`);
  assert.deepEqual([lock._type, lock.target, lock._is_association, person._type, person['principal-name']],
    ['a:has_lock', id, true, 'n:person', 'lock-shower']);
  assert.equal(lock._system.created_by, 'lock-shower');
  assert.deepEqual((await locks(`${branch}/nodes/${lock.source}`, '&direction=OUTGOING')).map((row) => row._doc), [lock._doc]);
  assert.deepEqual((await it.get(`${one}/relatives?type=a:has_lock`)).rows.map((row) => row._doc), [lock.source]);
  assert.deepEqual(Object.keys((await it.get(one))._features['f:locked']), ['lockedBy']);
  assert.deepEqual(ids(await it.post(`${branch}/nodes/query`, { '_features.f:locked': { $exists: true } })), [id]);
  assert.equal((await it.allowed('GET', `${one}/associations?type=a:has_lock`, undefined, blind)).total_rows, 0);
  await it.allowed('POST', `${one}/unlock`, undefined, holder);
  assert.deepEqual(await locks(), []);
  assert.equal('f:locked' in (await it.get(one))._features, false);
});
statement('semantics 3.3.3', async () => {
  const one = await it.person('sees-one-end');
  const { path, branch, node } = await it.repository();
  const [a, b] = [await node(), await node()];
  const { _doc: association } = await tie(branch, a, b, 'my:t');
  for (const where of [path, branch]) await it.grant(where, 'connector', one);
  await it.grant(`${branch}/nodes/${a}`, 'consumer', one);
  assert.equal((await it.allowed('GET', `${branch}/nodes/${a}/associations?type=my:t`, undefined, one)).total_rows, 0);
  await it.refused(404, 'GET', `${branch}/nodes/${association}`, undefined, one);
  await it.grant(`${branch}/nodes/${b}`, 'consumer', one);
  assert.equal((await it.allowed('GET', `${branch}/nodes/${a}/associations?type=my:t`, undefined, one)).total_rows, 1);
});
