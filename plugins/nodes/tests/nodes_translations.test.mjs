// Translations and localised reads (docs/specification/nodes.md 24).
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { SteleServer } from '../../../tests/support/stele_server.mjs';

let server;
let branch;
before(async () => {
  server = await SteleServer.start();
  const repository = await server.admin('POST', '/repositories', {});
  branch = `/repositories/${repository._doc}/branches/master`;
});
after(() => server.end());

const admin = (...args) => server.admin(...args);
const make = async (body = {}) => `${branch}/nodes/${(await admin('POST', `${branch}/nodes`, body))._doc}`;
const translate = (node, locale, edition, body) =>
  admin('POST', `${node}/i18n?locale=${locale}${edition ? `&edition=${edition}` : ''}`, body);
const get = async (path, headers = {}) => {
  const reply = await server.request('GET', path, { token: server.adminToken, headers });
  assert.equal(reply.status, 200, `${path}: ${reply.text}`);
  return reply.json;
};

async function makeMaster() {
  const master = await make({ title: 'original' });
  await translate(master, 'de_DE', 'edition1', { title: 'deutsch' });
  await translate(master, 'es_ES', 'edition1', { title: 'español' });
  await translate(master, 'pl', 'edition2', { title: 'polski' });
  return master;
}

test('a translation is a node of its own, marked as one (24)', async () => {
  const master = await make({ title: 'original' });
  const made = await translate(master, 'de_DE', '1.0', { title: 'deutsch' });
  assert.equal(made.ok, true);
  const node = await get(`${branch}/nodes/${made._doc}`);
  assert.equal(node.title, 'deutsch');
  const masterId = master.split('/').at(-1);
  assert.deepEqual(node._features['f:translation'], { 'master-node-id': masterId, locale: 'de_DE', edition: '1.0' });
  const { rows } = await get(`${master}/associations?type=a:has_translation&direction=OUTGOING`);
  assert.equal(rows.length, 1);
  assert.equal(rows[0].target, made._doc);
  assert.deepEqual([rows[0].locale, rows[0].edition], ['de_DE', '1.0']);
});

test('the first translation makes its master multilingual (24)', async () => {
  const master = await make({ title: 'original' });
  await translate(master, 'de_DE', '2.0', { title: 'deutsch' });
  assert.deepEqual((await get(master))._features['f:multilingual'], { edition: '2.0' });
  await translate(master, 'de_DE', '3.0', { title: 'deutsch 3' });
  assert.deepEqual((await get(master))._features['f:multilingual'], { edition: '2.0' });
});

test('editions and locales are those used, as spelled, in order of first use (24)', async () => {
  const master = await makeMaster();
  assert.deepEqual(await get(`${master}/i18n/editions`), { editions: ['edition1', 'edition2'] });
  assert.deepEqual(await get(`${master}/i18n/locales?edition=edition1`), { locales: ['de_DE', 'es_ES'] });
  assert.deepEqual(await get(`${master}/i18n/locales?edition=edition2`), { locales: ['pl'] });
  assert.deepEqual(await get(`${master}/i18n/locales`), { locales: ['de_DE', 'es_ES'] });
  const plain = await make();
  assert.deepEqual(await get(`${plain}/i18n/editions`), { editions: [] });
});

test('translations of an edition are a page (24)', async () => {
  const master = await makeMaster();
  const page = await get(`${master}/i18n/translations?edition=edition1&limit=1&skip=1`);
  assert.deepEqual([page.total_rows, page.offset, page.size], [2, 1, 1]);
  assert.equal(page.rows[0].title, 'español');
});

test('a translation is found by locale, then by language, else the master answers (24)', async () => {
  const master = await makeMaster();
  const title = async (query) => (await get(`${master}/i18n?${query}`)).title;
  assert.equal(await title('locale=de_DE'), 'deutsch');
  assert.equal(await title('locale=de-de&edition=edition1'), 'deutsch');
  assert.equal(await title('locale=es_MX'), 'español');
  assert.equal(await title('locale=pl'), 'original', 'a locale of another edition does not count');
  assert.equal(await title('locale=pl_PL&edition=edition2'), 'polski');
  assert.equal(await title('locale=zh_CN'), 'original');
  assert.equal(await title('locale=default'), 'original');
});

test('plain reads are localised by parameter or header (24)', async () => {
  const master = await makeMaster();
  assert.equal((await get(`${master}?locale=es_ES`)).title, 'español');
  assert.equal((await get(master, { 'Accept-Language': 'de_DE' })).title, 'deutsch');
  assert.equal((await get(master, { 'Accept-Language': 'de-DE,de;q=0.9,en;q=0.8' })).title, 'deutsch');
  for (const header of ['en-US,en;q=0.9', '*', 'default', ';;,', '!!!']) {
    assert.equal((await get(master, { 'Accept-Language': header })).title, 'original', header);
  }
  assert.equal((await get(`${master}?locale=default`, { 'Accept-Language': 'de_DE' })).title, 'original');
  assert.equal((await get(master)).title, 'original');
});

// RFC 9110, 12.4.2: the weight 0 refuses, its name in any case, whatever parameters stand beside it.
test('a language with the weight 0 is not shown (24)', async () => {
  const master = await makeMaster();
  const title = async (header) => (await get(master, { 'Accept-Language': header })).title;
  for (const weight of ['q=0', 'Q=0', ' q=0.000 ', 'q=0;level=1', 'level=1;q=0'])
    assert.equal(await title(`de_DE;${weight},es_ES`), 'español', weight);
  for (const weight of ['q=0.001', 'xq=0', 'level=0'])
    assert.equal(await title(`de_DE;${weight},es_ES`), 'deutsch', weight);
});

test('the edition of the master decides what plain reads show (24)', async () => {
  const master = await makeMaster();
  await admin('POST', `${master}/features/f:multilingual`, { edition: 'edition2' });
  assert.equal((await get(`${master}?locale=pl`)).title, 'polski');
  assert.equal((await get(`${master}?locale=de_DE`)).title, 'original');
});

test('a node that is there becomes a translation (interface: i18n/add)', async () => {
  const id = (path) => path.split('/').at(-1);
  const [master, translation] = [await make({ title: 'original' }), await make({ title: 'français' })];
  const query = `masterNodeId=${id(master)}&translationNodeId=${id(translation)}&locale=fr_FR&edition=1.0`;
  await admin('POST', `${branch}/i18n/add?${query}`);
  assert.equal((await get(`${master}?locale=fr_FR`)).title, 'français');
  const again = await server.request('POST', `${branch}/i18n/add?${query}`, { token: server.adminToken });
  assert.equal(again.status, 409);
  for (const missing of ['masterNodeId', 'translationNodeId', 'locale']) {
    const without = query.replace(new RegExp(`${missing}=[^&]*&?`), '');
    const reply = await server.request('POST', `${branch}/i18n/add?${without}`, { token: server.adminToken });
    assert.equal(reply.status, 400, missing);
    assert.equal(reply.json.violations[0].path, missing);
  }
});

test('a locale has one translation in an edition, however spelled', async () => {
  const master = await makeMaster();
  const path = `${master}/i18n?locale=de-DE&edition=edition1`;
  const reply = await server.request('POST', path, { token: server.adminToken, body: { title: 'zweite' } });
  assert.equal(reply.status, 409);
  assert.equal(reply.json.code, 'nodes.translation_exists');
  assert.equal((await get(`${branch}/nodes/query?query=${encodeURIComponent('{"title":"zweite"}')}`)).total_rows, 0);
});
