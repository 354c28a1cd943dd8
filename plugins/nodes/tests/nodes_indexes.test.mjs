// Indexes that clients make on a branch (docs/specification/nodes.md 4.1; docs/reference/nodes_indexes.md).
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { SteleServer } from '../../../tests/support/stele_server.mjs';

let server;
let repository;
before(async () => { server = await SteleServer.start(); });
after(async () => {
  await server.stop();
  const checked = server.check();
  assert.equal(checked.status, 0, checked.text);
  await server.end();
});
const newRepository = async () => `/repositories/${(await admin('POST', '/repositories', {}))._doc}`;
beforeEach(async () => { repository = await newRepository(); });

const admin = (...args) => server.admin(...args);
const path = (branch, rest = '', of = repository) => `${of}/branches/${branch}${rest}`;
const make = async (branch, fields, of) => (await admin('POST', path(branch, '/nodes', of), fields))._doc;
const put = async (branch, node, fields, of) =>
  admin('PUT', path(branch, `/nodes/${node}`, of), { ...(await admin('GET', path(branch, `/nodes/${node}`, of))), ...fields });
const remove = (branch, node, of) => admin('DELETE', path(branch, `/nodes/${node}`, of));
const fork = async (branch = 'master', changeset = '', of) =>
  (await admin('POST', path('', `?branch=${branch}${changeset && `&changeset=${changeset}`}`, of), {}))._doc;
const tip = async (branch, of) => (await admin('GET', path(branch, '', of))).tip;
const reset = (branch, changeset, of) =>
  admin('POST', path(branch, `/reset/start?id=${changeset}&schedule=synchronous`, of), {});
const query = (branch, body, sort = {}, rest = '', of) =>
  admin('POST', path(branch, `/nodes/query?explain=true&sort=${encodeURIComponent(JSON.stringify(sort))}${rest}`, of), body);
const index = (branch, name, members, of) => admin('POST', path(branch, '/indexes', of), { name, index: members });
const indexes = async (branch, of) =>
  Object.fromEntries((await admin('GET', path(branch, '/indexes', of))).rows.map((row) => [row.name, row.state]));
const titles = ({ rows }) => rows.map((row) => row.title);

async function untilReady(branch, of) {
  for (let i = 0; i < 600; ++i) {
    if (!Object.values(await indexes(branch, of)).includes('building')) return;
    await sleep(100);
  }
  assert.fail('an index is not ready');
}

const goods = [['pear', 'fruit', 30], ['plum', 'fruit', 10], ['leek', 'vegetable', 20], ['fig', 'fruit', 20],
               ['date', 'fruit', undefined], ['kale', 'vegetable', 5]];
const makeGoods = async (branch = 'master') => {
  for (const [title, kind, price] of goods) await make(branch, { title, kind, price });
};

test('4.1: an index answers equality on its first members with a sort or a range on the next', async () => {
  await makeGoods();
  const made = await index('master', 'kind_price', { kind: 1, price: -1 });
  assert.deepEqual(made, { ok: true, _doc: 'kind_price', name: 'kind_price', index: { kind: 1, price: -1 }, state: 'ready' });
  const list = await admin('GET', path('master', '/indexes'));
  const { ok, ...row } = made;
  assert.deepEqual(list, { rows: [row], total_rows: 1, offset: 0, size: 1 });

  const up = await query('master', { kind: 'fruit' }, { price: 1 });
  assert.deepEqual(titles(up), ['date', 'plum', 'fig', 'pear']);
  assert.deepEqual([up.explain.access, up.explain.index, up.explain.fields, up.explain.order, up.explain.records],
                   ['composite', 'kind_price', ['kind', 'price'], 'as found', 4]);
  const down = await query('master', { kind: 'fruit' }, { price: -1 }, '&limit=2');
  assert.deepEqual([titles(down), down.total_rows, down.explain.records], [['pear', 'fig'], 4, 2]);
  const range = await query('master', { kind: 'fruit', price: { $gte: 15 } });
  assert.deepEqual([titles(range), range.explain.index, range.explain.records], [['pear', 'fig'], 'kind_price', 2]);
  const both = await query('master', { kind: 'vegetable', price: 5 });
  assert.deepEqual([titles(both), both.explain.index], [['kale'], 'kind_price']);
  const other = await query('master', { title: 'fig', price: 20 });
  assert.deepEqual([titles(other), other.explain.index], [['fig'], undefined]);
});

test('4.1: an index follows what is written, values in arrays and of other types included', async () => {
  await index('master', 'kind_price', { kind: 1, price: 1 });
  await makeGoods();
  const odd = await make('master', { title: 'mix', kind: ['fruit', 'vegetable'], price: '7' });
  const many = await make('master', { title: 'many', kind: 'fruit', price: [1, 99] });
  const found = async (body) => {
    const page = await query('master', body);
    assert.equal(page.explain.index, 'kind_price');
    return titles(page);
  };
  assert.deepEqual(await found({ kind: 'vegetable', price: '7' }), ['mix']);
  assert.deepEqual(await found({ kind: 'fruit', price: { $gt: 25 } }), ['pear', 'many']);
  // An array has its place in the order by its text, which is in no index.
  const sorted = await query('master', { kind: 'fruit' }, { price: 1 });
  assert.deepEqual([titles(sorted), sorted.explain.index], [['date', 'plum', 'fig', 'pear', 'mix', 'many'], undefined]);
  await put('master', many, { price: 11 });
  await remove('master', odd);
  const again = await query('master', { kind: 'fruit' }, { price: 1 });
  assert.deepEqual([titles(again), again.explain.index], [['date', 'plum', 'many', 'fig', 'pear'], 'kind_price']);
});

test('4.1: a node with too many values keeps an index from being used, and nothing is missed', async () => {
  await makeGoods();
  await index('master', 'kind_price', { kind: 1, price: 1 });
  const kinds = Array.from({ length: 65 }, (_, i) => `kind ${i}`);
  const wide = await make('master', { title: 'wide', kind: ['fruit', ...kinds], price: 15 });
  const found = async () => {
    const page = await query('master', { kind: 'fruit' }, { price: 1 });
    return [await indexes('master'), page.explain.index, titles(page)];
  };
  assert.deepEqual(await found(), [{ kind_price: 'overflowing' }, undefined, ['date', 'plum', 'wide', 'fig', 'pear']]);
  await put('master', wide, { kind: ['fruit', ...kinds.slice(0, 63)] });
  assert.deepEqual(await found(), [{ kind_price: 'ready' }, 'kind_price', ['date', 'plum', 'wide', 'fig', 'pear']]);
});

test('4.1: wrong forms are refused, naming the member', async () => {
  const refused = async (status, code, field, body) => {
    const reply = await server.request('POST', path('master', '/indexes'), { token: server.adminToken, body });
    assert.equal(reply.status, status, reply.text);
    assert.ok(reply.text.includes(code) && reply.text.includes(field), reply.text);
  };
  const good = { price: 1 };
  for (const name of [undefined, '', 'a/b', 7, 'x'.repeat(121)]) await refused(400, 'nodes.branch_index_malformed', 'name', { name, index: good });
  for (const wrong of [undefined, 'price', [], ['price'], null]) await refused(400, 'nodes.branch_index_malformed', 'index', { name: 'a', index: wrong });
  for (const wrong of [0, 2, '1', true, null, {}])
    await refused(400, 'nodes.branch_index_malformed', 'index.price', { name: 'a', index: { price: wrong } });
  for (const wrong of ['_doc', '', 'a..b', 'a.0', '_system.changeset', 'x'.repeat(300)])
    await refused(400, 'document.index_malformed', `index.${wrong}`, { name: 'a', index: { ...good, [wrong]: 1 } });
  await refused(400, 'document.index_malformed', 'index', { name: 'a', index: {} });
  const nine = Object.fromEntries([...'abcdefghi'].map((name) => [name, 1]));
  await refused(400, 'document.index_malformed', 'index', { name: 'a', index: nine });
  assert.deepEqual(await indexes('master'), {});

  await index('master', 'a', good);
  await refused(409, 'document.index_exists', 'a', { name: 'a', index: { title: 1 } });
  for (let i = 1; i < 16; ++i) await index('master', `a${i}`, { [`m${i}`]: 1 });
  await refused(409, 'document.indexes_exceeded', '16', { name: 'b', index: good });
  const gone = await server.request('DELETE', path('master', '/indexes/none'), { token: server.adminToken });
  assert.equal(gone.status, 404, gone.text);
});

test('4.1: UPDATE on the branch is needed to make and to delete, READ to list', async () => {
  await server.makeUser('index_reader');
  await admin('POST', `${repository}/authorities/connector/grant?id=default/index_reader`);
  await admin('POST', path('master', '/authorities/consumer/grant?id=default/index_reader'));
  const token = await server.login('index_reader', 'secret-of-index_reader');
  const status = async (method, rest, body) =>
    (await server.request(method, path('master', `/indexes${rest}`), { token, body })).status;
  await index('master', 'a', { price: 1 });
  assert.equal(await status('GET', ''), 200);
  assert.equal(await status('POST', '', { name: 'b', index: { price: 1 } }), 403);
  assert.equal(await status('DELETE', '/a'), 403);
  await server.makeUser('index_stranger');
  const stranger = await server.login('index_stranger', 'secret-of-index_stranger');
  const reply = await server.request('GET', path('master', '/indexes'), { token: stranger });
  assert.ok([403, 404].includes(reply.status), reply.text);
  await admin('PUT', path('master'), { ...(await admin('GET', path('master'))), readonly: true });
  const frozen = await server.request('POST', path('master', '/indexes'), { token: server.adminToken, body: { name: 'b', index: { price: 1 } } });
  assert.equal(frozen.status, 403, frozen.text);
});

test('4.1: an index shows nobody a node that they may not read', async () => {
  await makeGoods();
  await index('master', 'kind_price', { kind: 1, price: 1 });
  const { rows } = await query('master', { kind: 'fruit' });
  const own = rows.filter((row) => ['fig', 'date', 'pear'].includes(row.title));
  const found = async (user, body, sort, rest = '') => {
    await server.makeUser(user);
    await admin('POST', `${repository}/authorities/connector/grant?id=default/${user}`);
    await admin('POST', path('master', `/authorities/connector/grant?id=default/${user}`));
    for (const { _doc } of user === 'index_all' ? rows : own)
      await admin('POST', path('master', `/nodes/${_doc}/authorities/consumer/grant?id=default/${user}`));
    const token = await server.login(user, `secret-of-${user}`);
    const reply = await server.request('POST', path('master', `/nodes/query?sort=${encodeURIComponent(JSON.stringify(sort))}${rest}`), { token, body });
    assert.equal(reply.status, 200, reply.text);
    return [titles(reply.json), reply.json.total_rows];
  };
  assert.deepEqual(await found('index_some', { kind: 'fruit' }, { price: -1 }, '&limit=2'), [['pear', 'fig'], 3]);
  assert.deepEqual(await found('index_few', { kind: 'fruit', price: { $gt: 5 } }, {}), [['pear', 'fig'], 2]);
  assert.deepEqual(await found('index_all', { kind: 'fruit' }, { price: -1 }, '&limit=1&skip=1'), [['fig'], 4]);
});

test('4.1: forks have the indexes of the changeset that they begin with, resets those of theirs', async () => {
  await makeGoods();
  const before = await tip('master');
  const early = await fork();
  await index('master', 'kind_price', { kind: 1, price: 1 });
  const late = await fork();
  assert.deepEqual([await indexes(early), await indexes(late)], [{}, { kind_price: 'ready' }]);
  await make(late, { title: 'lime', kind: 'fruit', price: 15 });
  await make('master', { title: 'kiwi', kind: 'fruit', price: 16 });
  const found = async (branch) => {
    const page = await query(branch, { kind: 'fruit' }, { price: -1 });
    return [page.explain.index, titles(page)];
  };
  assert.deepEqual(await found(late), ['kind_price', ['pear', 'fig', 'lime', 'plum', 'date']]);
  assert.deepEqual(await found('master'), ['kind_price', ['pear', 'fig', 'kiwi', 'plum', 'date']]);
  assert.deepEqual(await found(early), [undefined, ['pear', 'fig', 'plum', 'date']]);

  const indexed = await tip('master');
  await admin('DELETE', path('master', '/indexes/kind_price'));
  await make('master', { title: 'lychee', kind: 'fruit', price: 17 });
  assert.deepEqual(await indexes('master'), {});
  assert.deepEqual(await found('master'), [undefined, ['pear', 'fig', 'lychee', 'kiwi', 'plum', 'date']]);
  assert.deepEqual(await found(late), ['kind_price', ['pear', 'fig', 'lime', 'plum', 'date']]);
  // The name and its number begin anew: nothing is left of the first one.
  await index('master', 'kind_price', { kind: 1, title: 1 });
  assert.deepEqual((await found('master'))[1], ['pear', 'fig', 'lychee', 'kiwi', 'plum', 'date']);
  const past = await fork('master', indexed);
  assert.deepEqual(await found(past), ['kind_price', ['pear', 'fig', 'kiwi', 'plum', 'date']]);

  await reset('master', before);
  assert.deepEqual(await indexes('master'), {});
  assert.deepEqual(await found('master'), [undefined, ['pear', 'fig', 'plum', 'date']]);
  await assert.rejects(reset(late, indexed), 'not of its past');
  assert.deepEqual(await found(late), ['kind_price', ['pear', 'fig', 'lime', 'plum', 'date']]);
});

test('4.1: the index of a large branch is built step by step, while it is written and forked', async () => {
  const kNodes = 2600;
  for (let i = 0; i < kNodes; i += 100) {
    const batch = Array.from({ length: 100 }, (_, j) => ({ title: `n${i + j}`, kind: `k${(i + j) % 7}`, price: (i + j) * 37 % 1000 }));
    await admin('POST', path('master', '/nodes'), batch);
  }
  const expected = (kind, changed = {}) => Array.from({ length: kNodes }, (_, i) => ({ title: `n${i}`, kind: `k${i % 7}`, price: i * 37 % 1000 }))
    .map((node) => ({ ...node, ...changed[node.title] }))
    .filter((node) => node.kind === kind)
    // As text, ties in order of creation.
    .sort((a, b) => (`${a.price}` < `${b.price}` ? -1 : `${a.price}` > `${b.price}` ? 1 : 0)).map((node) => node.title);
  const id = async (title) => (await query('master', { title })).rows[0]._doc;
  const [first, last] = [await id('n0'), await id(`n${kNodes - 1}`)];
  assert.equal((await index('master', 'kind_price', { kind: 1, price: 1 })).state, 'building');
  const meanwhile = await query('master', { kind: 'k3' }, { price: 1 }, '&limit=-1');
  assert.deepEqual(titles(meanwhile), expected('k3'));
  const branch = await fork();
  await put('master', first, { kind: 'k1' });
  await put('master', last, { kind: 'k1' });
  await untilReady('master');
  await untilReady(branch);
  const changed = { n0: { kind: 'k1' }, [`n${kNodes - 1}`]: { kind: 'k1' } };
  for (const kind of ['k0', 'k1', 'k2']) {
    for (const [line, changes] of [['master', changed], [branch, {}]]) {
      const page = await query(line, { kind }, { price: 1 }, '&limit=-1');
      assert.equal(page.explain.index, 'kind_price', JSON.stringify(page.explain));
      assert.deepEqual(titles(page), expected(kind, changes));
    }
  }
});

test('4.1: indexes that are added during a build are built by the job that is under way', async () => {
  for (let i = 0; i < 2600; i += 100) {
    await admin('POST', path('master', '/nodes'), Array.from({ length: 100 }, (_, j) => ({ title: `n${i + j}`, kind: `k${j % 7}`, price: j })));
  }
  const builds = async () => (await admin('POST', '/jobs/query?limit=-1', { type: 'build-indexes' })).rows;
  const former = new Set((await builds()).map(({ _doc }) => _doc));
  const own = async () => (await builds()).filter(({ _doc }) => !former.has(_doc));
  const live = (jobs) => jobs.filter(({ state }) => !['FINISHED', 'ERROR'].includes(state)).length;
  await Promise.all(['a', 'b', 'c', 'd'].map((name) => index('master', name, { kind: 1, price: 1, [name]: 1 })));
  for (;;) {
    const seen = await own();
    assert.ok(live(seen) <= 1, `${live(seen)} jobs build at once`);
    if (!Object.values(await indexes('master')).includes('building')) break;
    await sleep(20);
  }
  assert.equal(Object.keys(await indexes('master')).length, 4);
  while (live(await own())) await sleep(20);
  // The mark of a build that has ended keeps no other from being built.
  await admin('DELETE', path('master', '/indexes/a'));
  await index('master', 'e', { price: 1, kind: -1 });
  await untilReady('master');
});

test('indexed and unindexed branches answer alike through random histories', async () => {
  let state = 20260;
  const below = (end) => { state = (state * 1103515245 + 12345) % 2147483648; return Math.floor(state / 65536) % end; };
  const any = (list) => list[below(list.length)];
  const plain = await newRepository();
  const values = ['a', 'b', 'ab', 1, 2, 10, true, null, ['a', 1], ['b', 'b'], [], { x: 'a' }, undefined];
  const names = ['p', 'q', 'r'];
  const fields = () => Object.fromEntries(names.map((name) => [name, any(values)]));
  /// The same branch, nodes and changesets in both repositories.
  const lines = [{ ids: ['master', 'master'], nodes: [], tips: [[await tip('master'), await tip('master', plain)]] }];
  const both = async (line, act) => [await act(line.ids[0], 0, repository), await act(line.ids[1], 1, plain)];
  let made = 0;
  const step = async () => {
    const line = any(lines);
    const what = below(12);
    if (what === 0 && lines.length < 6) {
      const at = any(line.tips);
      const ids = await both(line, (branch, side, of) => fork(branch, at[side], of));
      lines.push({ ids, nodes: at.nodes ?? [], tips: [at] });
      return;
    }
    if (what === 1) return void await index(line.ids[0], `i${++made}`, Object.fromEntries(
      [any(names), any(names), any(names)].map((name) => [name, any([1, -1])]))).catch((error) => assert.match(error.message, /exceeded/));
    if (what === 2) {
      const present = Object.keys(await indexes(line.ids[0]));
      if (present.length > 2) await admin('DELETE', path(line.ids[0], `/indexes/${any(present)}`));
      return;
    }
    if (what === 3 && line.tips.length > 3) {
      const at = any(line.tips);
      await both(line, (branch, side, of) => reset(branch, at[side], of));
      line.nodes = at.nodes ?? [];
      line.tips = line.tips.slice(0, line.tips.indexOf(at) + 1);
      return;
    }
    const nodes = [...line.nodes];
    const values = fields();
    const place = below(nodes.length + 1);
    if (place === nodes.length || nodes.length < 8) {
      const title = `t${++made}`;
      nodes.push(await both(line, (branch, side, of) => make(branch, { title, ...values }, of)));
    } else if (what < 6) {
      const [node] = nodes.splice(place, 1);
      await both(line, (branch, side, of) => remove(branch, node[side], of));
    } else {
      await both(line, (branch, side, of) => put(branch, nodes[place][side], values, of));
    }
    line.nodes = nodes;
    const at = await both(line, (branch, side, of) => tip(branch, of));
    at.nodes = nodes;
    line.tips.push(at);
  };
  let uses = 0;
  const compare = async () => {
    const line = any(lines);
    const scalars = ['a', 'b', 1, 10, true];
    const body = { [any(names)]: any(scalars), [any(names)]: any([any(scalars), { $gte: any(scalars) }, { $lt: any(scalars) }]), title: { $exists: true } };
    if (below(2)) delete body.title;
    const sort = below(4) ? { [any(names)]: any([1, -1]) } : {};
    // Nodes that the server makes beside them differ in nothing that is asked for.
    body._type = 'n:node';
    if (below(2)) delete body._type;
    const rest = below(2) ? `&skip=${below(3)}&limit=${below(6)}` : '&limit=-1';
    const [one, other] = await both(line, (branch, side, of) => query(branch, body, sort, rest, of));
    if (one.explain.index) ++uses;
    assert.deepEqual([titles(one), one.total_rows], [titles(other), other.total_rows],
                     `${JSON.stringify(body)} ${JSON.stringify(sort)} ${rest} ${JSON.stringify(one.explain)}`);
  };
  for (let i = 0; i < 250; ++i) {
    await step();
    await compare();
    await compare();
  }
  assert.ok(uses > 20, `indexes were used ${uses} times only`);
});
