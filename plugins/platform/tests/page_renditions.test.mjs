// Page renditions of applications (docs/reference/platform.md; docs/specification/platform.md 9.1): each deployment
// has its own.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { SteleServer } from '../../../tests/support/stele_server.mjs';

let server;
let application;
before(async () => {
  server = await SteleServer.start();
  application = `/applications/${(await server.admin('POST', '/applications', {}))._doc}`;
});
after(() => server.end());

const admin = (...args) => server.admin(...args);
const ask = (method, path, body, token = server.adminToken) => server.request(method, path, { body, token });
const pages = (deployment) => `${application}/deployments/${deployment}/pagerenditions`;
const docs = (page) => page.rows.map((row) => row._doc);

test('a rendition lies in its deployment, and is found by id and key there only', async () => {
  const [one, other] = [pages('one'), pages('other')];
  const first = await admin('POST', one, { key: 'start', deploymentKey: 'other', page: { url: '/' } });
  const second = await admin('POST', other, { key: 'start' });
  assert.deepEqual([first.deploymentKey, second.deploymentKey, first.active], ['one', 'other', true]);
  assert.equal((await admin('GET', `${one}/start`))._doc, first._doc);
  assert.equal((await admin('GET', `${other}/start`))._doc, second._doc);
  const hidden = `${one}/${second._doc}`;
  for (const [method, path, body] of [['GET', hidden], ['PUT', hidden, { title: 'taken' }], ['POST', `${hidden}/update`, {}], ['DELETE', hidden], ['POST', `${hidden}/invalidate`],
    ['GET', `${hidden}/acl/list`], ['POST', `${hidden}/authorities/consumer/grant?id=default/guest`], ['GET', `${hidden}/attachments`]])
    assert.equal((await ask(method, path, body)).status, 404, `${method} ${path}`);
  assert.deepEqual(docs(await admin('GET', one)), [first._doc]);
  for (const condition of [{ deploymentKey: 'other' }, { _doc: second._doc }, { deploymentKey: 'other', $and: [{ key: 'start' }] }])
    assert.deepEqual(docs(await admin('POST', `${one}/query`, condition)), [], JSON.stringify(condition));
  for (const condition of [{ $or: [{ deploymentKey: 'other' }, { key: 'start' }] }, { deploymentKey: { $in: ['one', 'other'] } }])
    assert.deepEqual(docs(await admin('POST', `${one}/query`, condition)), [first._doc], JSON.stringify(condition));
  assert.deepEqual((await admin('POST', `${one}/query`, { 'page.url': '/', _fields: { key: 1 } })).rows.map(({ key }) => key), ['start']);
  const asked = [first._doc, second._doc].map((id) => ({ permissionedId: id, principalId: 'default/admin', permissionId: 'READ' }));
  assert.deepEqual((await admin('POST', `${one}/permissions/check`, { checks: asked })).results.map(({ result }) => result), [true, false]);
  assert.equal((await admin('GET', pages('unheard-of'))).total_rows, 0);
  assert.equal((await ask('POST', pages('a%2Fb'), {})).status, 400);
});

test('an update stays in the deployment, and by its new key', async () => {
  const made = await admin('POST', pages('moved'), {});
  assert.equal(made.key, made._doc);
  const updated = await admin('PUT', `${pages('moved')}/${made._doc}`, { key: 'news', deploymentKey: 'elsewhere' });
  assert.equal(updated.deploymentKey, 'moved');
  assert.equal((await admin('GET', `${pages('moved')}/news`))._doc, made._doc);
  assert.equal((await ask('GET', `${pages('elsewhere')}/${made._doc}`)).status, 404);
});

test('a rendition that is told again replaces the former one, by those who could remove that', async () => {
  const again = pages('again');
  const first = await admin('POST', again, { key: 'start', page: { url: '/a' } });
  await admin('POST', `${again}/start/invalidate`);
  assert.equal((await admin('GET', `${again}/start`)).active, false);
  const second = await admin('POST', again, { key: 'start', page: { url: '/b' } });
  assert.equal((await ask('GET', `${again}/${first._doc}`)).status, 404);
  const now = await admin('GET', `${again}/start`);
  assert.deepEqual([now._doc, now.page.url, now.active], [second._doc, '/b', true]);
  const user = await server.makeUser('teller');
  await admin('POST', `${application}/authorities/contributor/grant?id=default/${user._doc}`);
  const token = await server.login('teller', 'secret-of-teller');
  assert.equal((await ask('POST', again, { key: 'start' }, token)).status, 409);
  assert.equal((await ask('POST', again, { key: 'own' }, token)).status, 200);
  assert.equal((await admin('GET', `${again}/start`))._doc, second._doc);
  assert.equal((await ask('POST', `${again}/invalidateall`, undefined, token)).status, 403);
  assert.equal((await admin('GET', `${again}/own`)).active, true);
});

test('all renditions of a deployment become inactive, however many, and no others', async () => {
  const many = pages('many');
  await Promise.all(Array.from({ length: 620 }, (_, at) => admin('POST', many, { key: `page-${at}` })));
  await admin('POST', pages('few'), { key: 'kept' });
  const reply = await admin('POST', `${many}/invalidateall`);
  assert.equal(reply.ok, true);
  const left = async () => (await admin('POST', `${many}/query?limit=0`, { active: true })).total_rows;
  for (let i = 0; i < 400 && (await left()) > 0; ++i) await sleep(50);
  assert.equal(await left(), 0);
  assert.equal((await admin('POST', `${many}/query?limit=0`, { active: false })).total_rows, 620);
  assert.equal((await admin('GET', `${pages('few')}/kept`)).active, true);
  assert.equal((await admin('POST', `${pages('nobody')}/invalidateall`)).ok, true);
});

test('no other deployment and no chosen id stands for the key of a rendition', async () => {
  const made = await admin('POST', pages('split'), { key: 'a/b' });
  const beside = `${pages('split%2Fa')}/b`;
  for (const [method, path, body] of [['GET', beside], ['PUT', beside, {}], ['POST', `${beside}/invalidate`], ['DELETE', beside]])
    assert.equal((await ask(method, path, body)).status, 404, method);
  assert.equal((await admin('GET', `${pages('split')}/a%2Fb`))._doc, made._doc);
  const [first, second] = [pages('chosen'), pages('free')];
  const real = await admin('POST', first, { key: 'start' });
  assert.equal((await ask('POST', first, { _doc: 'start', key: 'other' })).status, 409);
  await admin('POST', first, { _doc: 'end', key: 'last' });
  assert.equal((await ask('POST', first, { key: 'end' })).status, 409);
  assert.equal((await admin('GET', `${first}/start`))._doc, real._doc);
  // Each deployment has its own names.
  await admin('POST', second, { _doc: 'begin', key: 'start' });
  await admin('POST', first, { key: 'begin' });
});
