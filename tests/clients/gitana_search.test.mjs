// Searches, finds and GraphQL by the driver gitana, against the real program. Each test names the number of the
// checklist in docs/specification/nodes.md 34, or the section, that it is from.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ask, call, startPlatform } from './gitana_driver.mjs';
import { associate, freshContent, makeNode, queryNodes, titlesOf } from './gitana_repository.mjs';

const { admin } = await startPlatform();
const fresh = (fields) => freshContent(admin, fields);
const search = (branch, what, page = undefined) => call(branch, (chain) => chain.searchNodes(what, page));
const find = (object, config, page = undefined) =>
  call(object, (chain) => (chain.findNodes ? chain.findNodes(config, page) : chain.find(config, page)));
const scores = (map) => map.asArray().map((row) => row._search.score);

test('8: four nodes with a meal: a query finds three, a text in finds and searches two', async () => {
  const { master } = await fresh();
  const meals = [['bacon and eggs', 'breakfast'], ['eggs', 'breakfast'], ['toast', 'breakfast'], ['soup', 'lunch']];
  for (const [food, meal] of meals) await makeNode(master, { title: food, food, meal });
  assert.equal((await queryNodes(master, { meal: 'breakfast' })).size(), 3);
  assert.equal((await find(master, { query: { meal: 'breakfast' } })).size(), 3);
  assert.equal((await find(master, { search: 'eggs' })).size(), 2);
  assert.equal((await search(master, 'eggs')).size(), 2);
});

const books = [['War and Peace', 1869], ['The Art of War', 500], ['Peace Talks', 2020], ['Emma', 1815]];

async function makeBooks() {
  const { master } = await fresh();
  const made = {};
  for (const [title, year] of books) made[title] = await makeNode(master, { title, year, kind: 'book', deep: { note: `of ${year}` } });
  return { master, made };
}

test('section 15: words in any letter case, nested ones, numbers and words that others drop', async () => {
  const { master } = await makeBooks();
  const found = async (text) => titlesOf(await search(master, text)).sort();
  assert.deepEqual(await found('WAR'), ['The Art of War', 'War and Peace']);
  assert.deepEqual(await found('and'), ['War and Peace']);
  assert.deepEqual(await found('1869'), ['War and Peace']);
  assert.deepEqual(await found('wa'), []);
  assert.deepEqual(await found('deep.note:2020'), ['Peace Talks']);
});

test('section 15: texts are Lucene query strings', async () => {
  const { master } = await makeBooks();
  const found = async (text) => titlesOf(await search(master, text)).sort();
  assert.deepEqual(await found('emma talks'), ['Emma', 'Peace Talks'], 'terms are alternatives');
  assert.deepEqual(await found('title:"war and peace"'), ['War and Peace']);
  assert.deepEqual(await found('title:emma'), ['Emma']);
  assert.deepEqual(await found('"art of"'), ['The Art of War']);
  assert.deepEqual(await found('title:War and Peace'), ['Peace Talks', 'The Art of War', 'War and Peace']);
  assert.deepEqual(await found('title:"war and peace and more"'), []);
});

test('section 15: objects of the search language, without and inside a find', async () => {
  const { master } = await makeBooks();
  const object = { query_string: { query: 'title:war' } };
  assert.equal((await search(master, { search: object })).totalRows(), 2);
  assert.equal((await find(master, { search: object })).totalRows(), 2);
  assert.deepEqual(titlesOf(await find(master, { search: object, query: { year: { $gt: 1000 } } })), ['War and Peace']);
  assert.deepEqual(titlesOf(await find(master, { search: 'war', query: { year: { $lt: 1000 } } })), ['The Art of War']);
});

test('section 15: rows have scores and are ordered by them; pages and fields are those of queries', async () => {
  const { master } = await makeBooks();
  await makeNode(master, { title: 'war war war', kind: 'noise' });
  for (const list of [(page) => search(master, 'war', page), (page) => find(master, { search: 'war' }, page)]) {
    for (const direction of [-1, 1]) {
      const found = scores(await list({ sort: { _score: direction } }));
      assert.equal(found.length, 3);
      assert.ok(found.every((score) => score > 0));
      assert.deepEqual(found, [...found].sort((a, b) => direction * (a - b)));
      assert.ok(found[0] !== found[2], 'the scores differ');
    }
    const page = await list({ limit: 1, skip: 1 });
    assert.deepEqual([page.size(), page.offset(), page.totalRows()], [1, 1, 3]);
    assert.equal((await list({ limit: -1 })).size(), 3);
  }
  const fields = await search(master, { search: 'emma', _fields: { year: 1 } });
  const row = JSON.parse(JSON.stringify(fields.asArray()[0]));
  assert.equal(row.year, 1815);
  assert.equal('title' in row, false);
  assert.equal(fields.totalRows(), 1);
});

test('section 15: associations are not found by their words', async () => {
  const { master, made } = await makeBooks();
  await associate(made.Emma, made['Peace Talks'], { _type: 'a:linked', title: 'unheard' });
  assert.equal((await queryNodes(master, { title: 'unheard' })).size(), 1);
  assert.equal((await search(master, 'unheard')).totalRows(), 0);
});

test('section 15: a find around a node meets its query, its search and its neighbourhood', async () => {
  const { made } = await makeBooks();
  const center = made.Emma;
  for (const title of ['War and Peace', 'Peace Talks']) await associate(center, made[title], 'a:linked');
  const traverse = { associations: { 'a:linked': 'ANY' }, depth: 1 };
  const found = async (config) => titlesOf(await call(center, (chain) => chain.find(config))).sort();
  assert.deepEqual(await found({ traverse, search: 'peace' }), ['Peace Talks', 'War and Peace']);
  assert.deepEqual(await found({ traverse, search: 'war' }), ['War and Peace']);
  assert.deepEqual(await found({ traverse, search: 'war', query: { year: 500 } }), []);
  assert.deepEqual(await found({ traverse: { ...traverse, filter: 'ALL' }, search: 'emma' }), ['Emma']);
  assert.deepEqual(await found({ traverse, search: 'emma' }), []);
  assert.ok(scores(await call(center, (chain) => chain.find({ traverse, search: 'peace' }))).every((score) => score > 0));
});

test('section 15: the text of an attachment is found, also where it is no UTF-8', async () => {
  const { master } = await fresh();
  const node = await makeNode(master, { title: 'Attached' });
  await call(node, (chain) => chain.attach('default', 'text/plain', Buffer.from('ingenious \xff\xfe gentleman', 'latin1')));
  assert.deepEqual(titlesOf(await search(master, 'gentleman')), ['Attached']);
});

test('section 17: a text filters the leaves of a tree, as an object without a wrapper', async () => {
  const { master } = await fresh();
  for (let i = 0; i < 6; ++i) {
    await makeNode(master, { title: `leaf${i}`, color: i === 4 ? 'crimson' : 'grey', _type: 'custom:leaf' }, { parentFolderPath: `/top${i % 2}/in` });
  }
  const root = await call(master, (chain) => chain.rootNode());
  const under = (one) => (one.children?.length ? one.children.flatMap(under) : [one.filename]);
  const leaves = async (filter) => under(await ask(root, (chain, answer) => chain.loadTree({ depth: -1, ...filter }, answer)));
  assert.equal((await leaves({ query: { _type: 'custom:leaf' } })).length, 6);
  assert.deepEqual(await leaves({ search: { query_string: { query: 'crimson' } } }), ['leaf4']);
  assert.deepEqual(await leaves({ query: { _type: 'custom:leaf', color: 'grey' }, search: { query_string: { query: 'leaf3' } } }), ['leaf3']);
});

test('15: the schema text, and the two selected members of the two instances of a custom type', async () => {
  const { master } = await fresh();
  const text = { type: 'string' };
  await makeNode(master, { _qname: 'custom:book', _type: 'd:type', type: 'object', properties: { title: text, author: text, summary: text } });
  const schema = await ask(master, (chain, answer) => chain.graphqlSchema(answer));
  assert.ok(schema.includes('custom_books'));
  for (const title of ['one', 'two']) await makeNode(master, { _type: 'custom:book', title, author: 'Joe', summary: 'Long' });
  const query = (what, ...more) => ask(master, (chain, answer) => chain.graphqlQuery(what, ...more, answer));
  const { data } = await query('query { custom_books { title author } }', null, null);
  assert.deepEqual(JSON.parse(JSON.stringify(data.custom_books)), [{ title: 'one', author: 'Joe' }, { title: 'two', author: 'Joe' }]);
  const named = await query('query a { n_nodes { title } } query b { custom_books { title } }', 'b', null);
  assert.equal(named.data.custom_books.length, 2);
  assert.equal(named.data.n_nodes, undefined);
});
