// Exports of documents by reference: docs/reference/document_exports.md.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { endedAt } from '../../../tests/support/ended_job.mjs';
import { SteleServer } from '../../../tests/support/stele_server.mjs';
import { statement } from '../../../tests/support/statements.mjs';
import { unzip } from '../../../tests/support/zip_archive.mjs';

let server;
let branch;
let repository;
let platform;
let master;
before(async () => {
  server = await SteleServer.start();
  platform = (await server.admin('GET', '/'))._doc;
  repository = (await server.admin('POST', '/repositories', { title: 'documents' }))._doc;
  branch = `/repositories/${repository}/branches/master`;
  master = (await server.admin('GET', branch))._doc;
});
after(() => server.end());

const ask = (method, path, body, { token = server.adminToken, headers } = {}) => server.request(method, path, { token, body, headers });
/// A node, with an attachment where bytes are given; answers its reference.
async function document(title, bytes, { type = 'text/plain', name = `${title}.txt`, id = 'default' } = {}) {
  const { _doc } = await server.admin('POST', `${branch}/nodes`, { title });
  if (bytes !== undefined) await attach(_doc, bytes, { type, name, id });
  return `node://${platform}/${repository}/${master}/${_doc}`;
}
async function attach(node, bytes, { type, name, id }) {
  const reply = await ask('POST', `${branch}/nodes/${node}/attachments/${id}?filename=${name}`, Buffer.from(bytes), { headers: { 'Content-Type': type } });
  assert.equal(reply.status, 200, reply.text);
}
async function exported(references, settings = {}, token = server.adminToken) {
  const started = await ask('POST', '/ref/exports/start', { references, ...settings }, { token });
  assert.equal(started.status, 200, started.text);
  const id = started.json._doc;
  return { id, ...await endedAt(async (method, path) => (await ask(method, path, undefined, { token })).json, `/ref/exports/${id}/status`) };
}
const download = (id, rest = '') => ask('GET', `/ref/exports/${id}/download${rest}`);

statement('merge_and_transfer 4.6.1', async () => {
  const references = [await document('plum', 'a plum'), await document('plum', 'another plum'), await document('no file')];
  const { id, state, fileCount } = await exported(references, { package: 'ZIP' });
  assert.deepEqual([state, fileCount], ['FINISHED', 3]);
  const reply = await download(id, '?a=true');
  assert.match(reply.headers['content-disposition'], /^attachment.*Documents\.zip/);
  const files = unzip(reply.bytes);
  assert.deepEqual([...files.keys()], ['plum.txt', 'plum (2).txt', 'no file.json']);
  assert.equal(files.get('plum (2).txt').toString(), 'another plum');
  assert.equal(JSON.parse(files.get('no file.json')).title, 'no file');
});

statement('merge_and_transfer 4.6.2', async () => {
  const { id } = await exported([await document('pear', 'a pear')]);
  const made = async (folder, title) => {
    const reply = await ask('POST', `/ref/exports/${id}/generate`, { repositoryId: repository, branchId: master, properties: { title }, parentFolderPath: folder });
    assert.equal(reply.status, 200, reply.text);
    assert.equal(reply.json.rows.length, 1);
    return reply.json.rows[0];
  };
  const loose = await made({}, 'loose');
  assert.equal(loose.title, 'loose');
  const placed = await made('/exports', 'placed');
  assert.deepEqual((await server.admin('GET', `${branch}/nodes/${placed._doc}/path`)).path, '/exports/placed');
  const zip = await ask('GET', `${branch}/nodes/${placed._doc}/attachments/default`);
  assert.deepEqual([...unzip(zip.bytes).keys()], ['pear.txt']);
});

test('all attachments and what a document says come along when they are wanted', async () => {
  const reference = await document('full', 'main');
  await attach(reference.split('/').at(-1), 'beside', { type: 'text/plain', name: 'beside.txt', id: 'beside' });
  const files = async (settings) => {
    const { id, fileCount } = await exported([reference], settings);
    const names = [...unzip((await download(id)).bytes).keys()].sort();
    assert.equal(fileCount, names.length);
    return names;
  };
  assert.deepEqual(await files({}), ['full.txt']);
  assert.deepEqual(await files({ includeAttachments: true, includeMetadata: true }), ['beside.txt', 'full.json', 'full.txt']);
});

test('one file of the package is found by its number', async () => {
  const { id } = await exported([await document('first', 'one'), await document('second', 'two')]);
  const second = await download(id, '/1');
  assert.deepEqual([second.text, second.headers['content-type']], ['two', 'text/plain']);
  for (const wrong of ['2', '-1', '1x', '99999999999999999999999']) assert.equal((await download(id, `/${wrong}`)).status, 404, wrong);
});

test('a package of PDF has documents that are PDF, and says which cannot be', async () => {
  const pdf = { type: 'application/pdf', name: 'plan.pdf' };
  const [plan, text] = [await document('plan', '%PDF-1.4 of a plan', pdf), await document('text', 'no pdf')];
  const { id, fileCount } = await exported([plan], { package: 'pdf' });
  assert.equal(fileCount, 1);
  const reply = await download(id);
  assert.deepEqual([reply.headers['content-type'], reply.text], ['application/pdf', '%PDF-1.4 of a plan']);
  const failed = await exported([plan, text], { package: 'PDF' });
  assert.equal(failed.state, 'ERROR');
  assert.match(failed.message, new RegExp(`${text} is no PDF, and no renderer`));
  assert.equal((await exported([plan, plan], { package: 'PDF', mergePdfs: true })).state, 'ERROR');
  assert.equal((await exported([plan, text], { zipUsePdfEntries: true })).state, 'ERROR');
  const reply409 = await download(failed.id);
  assert.deepEqual([reply409.status, reply409.json.code], [409, 'archives.document_export_unfinished']);
});

test('wrong settings and references that lead nowhere are named, and start nothing', async () => {
  const reference = await document('fine', 'fine');
  for (const [body, named] of [[{}, 'references'], [{ references: ['node://nowhere/x/y/z'] }, 'references'], [{ references: 'x' }, 'references'],
    [{ references: [reference], package: 'RAR' }, 'package'], [{ references: [reference], mergePdfs: 'yes' }, 'mergePdfs']]) {
    const reply = await ask('POST', '/ref/exports/start', body);
    assert.equal(reply.status, 400, JSON.stringify(body));
    assert.match(reply.text, new RegExp(named));
  }
  const other = await exported([`repository://${platform}/${repository}`]);
  assert.deepEqual([other.state, /is no node/.test(other.message)], ['ERROR', true]);
});

test('an export is there for who started it, with the rights of the moment', async () => {
  await server.makeUser('eve');
  const token = await server.login('eve', 'secret-of-eve');
  const reference = await document('secret', 'not for eve');
  const id = (await exported([reference])).id;
  for (const [method, rest] of [['GET', 'status'], ['GET', 'download'], ['POST', 'generate'], ['POST', 'email']]) {
    const reply = await ask(method, `/ref/exports/${id}/${rest}`, method === 'POST' ? {} : undefined, { token });
    assert.deepEqual([reply.status, reply.json.code], [404, 'archives.document_export_unknown'], rest);
  }
  assert.equal((await ask('POST', '/ref/exports/start', { references: [reference] }, { token })).status, 400);
  const node = `${branch}/nodes/${reference.split('/').at(-1)}`;
  for (const path of [`/repositories/${repository}`, branch]) await server.admin('POST', `${path}/authorities/connector/grant?id=default/eve`);
  await server.admin('POST', `${node}/authorities/consumer/grant?id=default/eve`);
  const own = await exported([reference], {}, token);
  assert.equal(own.state, 'FINISHED', own.message);
  assert.equal((await ask('GET', `/ref/exports/${own.id}/download/0`, undefined, { token })).text, 'not for eve');
  await server.admin('POST', `${node}/authorities/consumer/revoke?id=default/eve`);
  assert.equal((await ask('GET', `/ref/exports/${own.id}/download`, undefined, { token })).status, 404);
  // What a job says to whom is the job's matter; an export's number is no other job.
  const { _doc } = await server.admin('POST', `${branch}/export?group=documents&artifact=other&version=1`, {});
  assert.equal((await ask('GET', `/ref/exports/${_doc}/status`)).status, 404);
});
