// Full-text search of nodes (docs/specification/nodes.md 15), in step with what is written, also after a crash.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { rmSync, truncateSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { endedJob } from '../../../tests/support/ended_job.mjs';
import { SteleServer } from '../../../tests/support/stele_server.mjs';

let server;
before(async () => { server = await SteleServer.start(); });
after(() => server.end());

const admin = (...args) => server.admin(...args);
async function makeRepository() {
  const repository = `/repositories/${(await admin('POST', '/repositories', {}))._doc}`;
  return { repository, master: `${repository}/branches/master` };
}
const create = async (branch, fields) => (await admin('POST', `${branch}/nodes`, fields))._doc;
const search = (branch, expression, parameters = '') =>
  admin('POST', `${branch}/nodes/search${parameters}`, { search: expression });
const found = async (branch, expression) => (await search(branch, expression)).rows.map((row) => row._doc).sort();
const refused = async (branch, expression) => {
  const reply = await server.request('POST', `${branch}/nodes/search`, { token: server.adminToken, body: { search: expression } });
  assert.equal(reply.status, 400, reply.text);
  return reply.json.violations?.[0].path ?? reply.json.code;
};

test('a search finds what was just written, changed and removed', async () => {
  const { master } = await makeRepository();
  const ids = [];
  for (let i = 0; i < 20; ++i) {
    ids.push(await create(master, { title: `War number ${i}` }));
    assert.equal((await search(master, 'war')).total_rows, i + 1);
  }
  const node = await admin('GET', `${master}/nodes/${ids[0]}`);
  await admin('PUT', `${master}/nodes/${ids[0]}`, { ...node, title: 'Peace' });
  assert.deepEqual(await found(master, 'peace'), [ids[0]]);
  assert.equal((await search(master, 'war')).total_rows, 19);
  await admin('DELETE', `${master}/nodes/${ids[0]}`);
  assert.equal((await search(master, 'peace')).total_rows, 0);
});

test('texts and objects, scores, pages and fields', async () => {
  const { master } = await makeRepository();
  const war = await create(master, { title: 'War and Peace', deep: [{ note: 'Tolstoy' }], pages: 1225 });
  const art = await create(master, { title: 'The Art of War' });
  const ends = [war, art];
  await admin('POST', `${master}/nodes/${ends[0]}/associate?node=${ends[1]}&type=a:linked`, { title: 'war war' });
  assert.deepEqual(await found(master, 'WAR'), ends.sort());
  assert.deepEqual(await found(master, 'tolstoy'), [war]);
  assert.deepEqual(await found(master, '1225'), [war]);
  assert.deepEqual(await found(master, 'title:"war and peace"'), [war]);
  assert.deepEqual(await found(master, 'title:"war and peace and more"'), []);
  assert.deepEqual(await found(master, { query_string: { query: 'title:and AND deep.note:*' } }), [war]);
  assert.deepEqual(await found(master, { bool: { must: { match: { title: 'war' } }, must_not: { term: { title: 'art' } } } }), [war]);
  const page = await search(master, 'war', '?limit=1&sort=%7B%22_score%22:-1%7D');
  assert.deepEqual([page.total_rows, page.size], [2, 1]);
  assert.ok(page.rows[0]._search.score > 0);
  const text = await admin('GET', `${master}/nodes/search?text=peace`);
  assert.equal(text.rows[0]._doc, war);
  const both = await admin('POST', `${master}/nodes/find`, { search: 'war', query: { title: 'The Art of War' } });
  assert.deepEqual(both.rows.map((row) => row._doc), [art]);
});

test('wrong input is refused by its part', async () => {
  const { master } = await makeRepository();
  assert.equal(await refused(master, '"open'), 'search');
  assert.equal(await refused(master, { fly: {} }), 'search.fly');
  assert.equal(await refused(master, { bool: { must: [{ match: {} }] } }), 'search.bool.must[0].match');
});

test('a fork shows its own words and those of its line', async () => {
  const { repository, master } = await makeRepository();
  const kept = await create(master, { title: 'apple kept' });
  const changed = await create(master, { title: 'apple changed' });
  const tip = (await admin('GET', master)).tip;
  const made = await admin('POST', `${repository}/branches?branch=master&changeset=${encodeURIComponent(tip)}`, { title: 'fork' });
  const fork = `${repository}/branches/${made._doc}`;
  const node = await admin('GET', `${fork}/nodes/${changed}`);
  await admin('PUT', `${fork}/nodes/${changed}`, { ...node, title: 'pear' });
  const own = await create(fork, { title: 'apple own' });
  await create(master, { title: 'apple later' });
  assert.deepEqual(await found(fork, 'apple'), [kept, own].sort());
  assert.deepEqual(await found(fork, 'pear'), [changed]);
  assert.deepEqual(await found(master, 'pear'), []);
  assert.equal((await search(master, 'apple')).total_rows, 3);
});

async function attach(node, body, type, id = 'default') {
  const reply = await server.request('POST', `${node}/attachments/${id}`, { token: server.adminToken, body, headers: { 'Content-Type': type } });
  assert.equal(reply.status, 200, reply.text);
}

test('section 15: what text attachments say is found, also where it is no UTF-8', async () => {
  const { master } = await makeRepository();
  const make = async (fields) => `${master}/nodes/${await create(master, fields)}`;
  const idOf = (node) => node.split('/').at(-1);
  const [plain, broken, markup, json, image] = await Promise.all([1, 2, 3, 4, 5].map((i) => make({ title: `node ${i}` })));
  await attach(plain, 'The ingenious gentleman of La Mancha', 'text/plain');
  await attach(broken, Buffer.concat([Buffer.from([0xff, 0xfe, 0x80]), Buffer.from(' gentleman \xf0 farmer', 'latin1')]), 'text/plain');
  await attach(markup, '<p class="windmill">Gentle<b>man</b> and squire</p>', 'text/html');
  await attach(json, JSON.stringify({ horse: 'Rocinante' }), 'application/json');
  await attach(image, 'gentleman', 'image/png');
  assert.deepEqual(await found(master, 'gentleman'), [idOf(plain), idOf(broken)].sort());
  assert.deepEqual(await found(master, 'farmer'), [idOf(broken)]);
  assert.deepEqual(await found(master, '"ingenious gentleman"'), [idOf(plain)]);
  assert.deepEqual(await found(master, 'squire'), [idOf(markup)]);
  assert.deepEqual(await found(master, 'windmill'), []);
  assert.deepEqual(await found(master, 'rocinante'), [idOf(json)]);
  assert.deepEqual(await found(master, '_attachments:gentleman'), [idOf(plain), idOf(broken)].sort());
  await attach(plain, 'another text', 'text/plain');
  await admin('DELETE', `${broken}/attachments/default`);
  assert.deepEqual(await found(master, 'gentleman'), []);
});

test('section 1.5: an upload starts an index job, which ends FINISHED; a plain create starts none', async () => {
  const { master } = await makeRepository();
  const jobs = async (condition) => (await admin('POST', '/jobs/query?limit=-1', condition)).rows;
  const before = (await jobs({})).length;
  const node = `${master}/nodes/${await create(master, {})}`;
  assert.equal((await jobs({})).length, before);
  await attach(node, 'some words', 'text/plain');
  const all = await jobs({});
  assert.equal(all.length, before + 1);
  const started = all.find((job) => job.type === 'index' && job._data?.repositoryId === master.split('/')[2]);
  assert.ok(started, JSON.stringify(all.at(-1)));
  const job = await endedJob(admin, started._doc);
  assert.equal(job.state, 'FINISHED', JSON.stringify(job));
  assert.deepEqual(await jobs({ state: 'WAITING' }), []);
});

test('after a kill, a lost index and a damaged one, searches find everything', async () => {
  const { master } = await makeRepository();
  for (let i = 0; i < 30; ++i) await create(master, { title: `durable ${i}` });
  assert.equal((await search(master, 'durable')).total_rows, 30);
  const folder = join(server.data, 'search');
  const damages = [
    () => {},
    () => rmSync(folder, { recursive: true }),
    () => readdirSync(folder).map((name) => join(folder, name)).filter((file) => statSync(file).size > 10).forEach((file) => truncateSync(file, 10)),
  ];
  for (const damage of damages) {
    await server.stop('SIGKILL');
    damage();
    await server.launch();
    await create(master, { title: 'durable still' });
    assert.ok((await search(master, 'durable')).total_rows >= 31);
  }
  assert.equal((await search(master, 'durable')).total_rows, 33);
});
