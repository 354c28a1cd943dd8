// docs/specification/interface.md 3.7 and 5.7, platform.md 13, semantics.md 7.1, merge_and_transfer.md 4.5: vaults and archives.
import assert from 'node:assert/strict';
import { statement, Subject } from '../support/statements.mjs';
import { archiveOf, formOf, zip } from '../support/zip_archive.mjs';

const it = Subject.serve();

let archives = 0;
const coordinates = (more = {}) => ({ group: 'org.sample', artifact: `sample-${++archives}`, version: '1.0', ...more });
const queryOf = (parameters) => `?${new URLSearchParams(parameters)}`;
const vault = async () => `/vaults/${await it.make('/vaults')}/archives`;

/// The reply to an upload, raw or as `{ body, type }`.
async function upload(path, bytes, parameters = {}) {
  it.server.adminToken ??= await it.server.login();
  const { body, type } = Buffer.isBuffer(bytes) ? { body: bytes, type: 'application/zip' } : bytes;
  return it.server.request('POST', path + queryOf(parameters), { body, token: it.server.adminToken, headers: { 'Content-Type': type } });
}
async function uploaded(path, bytes, parameters) {
  const reply = await upload(path, bytes, parameters);
  assert.equal(reply.status, 200, reply.text);
  return reply.json;
}
const bytesAt = async (path) => (await it.reply('GET', path)).bytes;

statement('architecture 8.3', async () => {
  for (const store of ['domains', 'registrars', 'vaults', 'directories', 'applications'])
    assert.equal((await it.get(`/${store}/default`))._doc, 'default', store);
  assert.ok((await it.get('/'))._doc);
  const info = await it.get('/auth/info');
  assert.equal(info.principalName, 'admin');
});
statement('platform 2.7.8', async () => {
  for (const store of ['vaults', 'directories'])
    assert.equal((await it.get(`/${store}/primary`))._doc, (await it.get(`/${store}/default`))._doc);
});
statement('interface 3.7.1, merge_and_transfer 4.5.3', async () => {
  const path = await vault();
  const told = { ...coordinates(), model: '3.0.0', type: 'branch', startChangeset: '0:root', endChangeset: '1:tip', contents: { a: { id: 'a' } },
                 dependencies: { b: {} }, includes: ['c'], parts: [{ group: 'g' }], startDate: { ms: 1 }, endDate: { ms: 2 }, sources: [[{ id: 'p' }]],
                 childrenOnly: true, template: { templateType: 'project', templateKey: 'blog' } };
  const { _doc } = await uploaded(path, archiveOf(told));
  const archive = await it.get(`${path}/${_doc}`);
  for (const [name, value] of Object.entries(told)) assert.deepEqual(archive[name], value, name);
  assert.deepEqual([archive.contentType, archive.published, `/vaults/${archive.vaultId}/archives`], ['application/zip', false, path]);
  for (const [name, value] of Object.entries({ includes: { c: {} }, parts: {}, contents: [] })) {
    await it.put(`${path}/${_doc}`, { ...archive, [name]: value });
    assert.deepEqual((await it.get(`${path}/${_doc}`))[name], value, name);
  }
});
statement('interface 5.7.1, platform 13.2.2', async () => {
  const path = await vault();
  const asked = coordinates({ type: 'node', title: 'T', description: 'D', published: 'true' });
  const { _doc } = await uploaded(path, archiveOf({ ...coordinates(), title: 'other' }), asked);
  const archive = await it.get(`${path}/${_doc}`);
  for (const [name, value] of Object.entries(asked)) assert.equal(String(archive[name]), value, name);
});
statement('interface 5.7.2, platform 13.1.3', async () => {
  const path = await vault();
  const { group, artifact, version } = coordinates();
  const { _doc } = await uploaded(path, archiveOf(null), { group, artifact, version });
  assert.equal((await it.get(`${path}/lookup${queryOf({ group, artifact, version })}`))._doc, _doc);
  await it.refused(404, 'GET', `${path}/lookup${queryOf({ group, artifact, version: '2' })}`);
  const named = { lookup: { group, artifact, version }, download: { groupId: group, artifactId: artifact, versionId: version } };
  for (const [word, parameters] of Object.entries(named)) {
    assert.equal((await it.reply('GET', `${path}/${word}${queryOf(parameters)}`)).status, 200);
    for (const name of Object.keys(parameters)) {
      const { [name]: left, ...others } = parameters;
      assert.ok((await it.refused(400, 'GET', `${path}/${word}${queryOf(others)}`)).message.includes(name), `${name} of ${left}`);
    }
  }
});
statement('interface 5.7.3, platform 13.1.6, platform 13.1.7, platform 13.1.8', async () => {
  const [path, target] = [await vault(), await vault()];
  const bytes = archiveOf(coordinates());
  const { _doc } = await uploaded(path, bytes);
  const one = `${path}/${_doc}`;
  assert.equal((await it.get(`${one}/attachments`)).total_rows, 0);
  await it.post(`${one}/attachments/note`, { noted: true });
  assert.deepEqual((await it.get(`${one}/attachments`)).rows.map((row) => row.attachmentId), ['note']);
  assert.deepEqual(JSON.parse(await bytesAt(`${one}/preview/note`)), { noted: true });
  for (const [word, published] of [['publish', true], ['unpublish', false]]) {
    await it.post(`${one}/${word}`);
    assert.equal((await it.get(one)).published, published);
  }
  await it.refused(400, 'GET', `${one}/copy`);
  const copy = await it.get(`${one}/copy?targetVaultId=${target.split('/')[2]}`);
  assert.equal(copy.ok, true);
  assert.deepEqual(await bytesAt(`${target}/${copy._doc}/download`), bytes);
  assert.deepEqual(JSON.parse(await bytesAt(`${target}/${copy._doc}/attachments/note`)), { noted: true });
});
statement('platform 13.1.1, platform 13.1.2', async () => {
  const path = await vault();
  const told = { ...coordinates(), type: 'node', title: 'Fresh', model: '2.0.0' };
  const made = await uploaded(path, archiveOf(told));
  assert.deepEqual([made.ok, made.title], [true, 'Fresh']);
  assert.deepEqual((await it.get(path)).rows.map((row) => row._doc), [made._doc]);
  for (const [name, value] of Object.entries(told)) assert.equal((await it.post(`${path}/query`, { [name]: value })).total_rows, 1, name);
});
statement('platform 13.1.4, platform 13.1.5, platform 13.2.5', async () => {
  const path = await vault();
  const { group, artifact, version } = coordinates();
  const bytes = zip([{ name: 'whatever/', method: 0 }, { name: 'whatever/it is', data: 'x'.repeat(10_000) }, { name: 'stored', data: 'y', method: 0 }]);
  const { _doc } = await uploaded(path, bytes, { group, artifact, version });
  const both = [`${path}/${_doc}/download`, `${path}/download${queryOf({ groupId: group, artifactId: artifact, versionId: version })}`];
  for (const one of both) assert.deepEqual(await bytesAt(one), bytes);
  await it.ok('DELETE', `${path}/${_doc}`);
  for (const one of [`${path}/${_doc}`, ...both]) await it.refused(404, 'GET', one);
});
statement('platform 13.2.1, platform 13.2.3, semantics 7.1.1', async () => {
  const path = await vault();
  const named = coordinates();
  const made = await uploaded(path, archiveOf(named));
  assert.deepEqual([made.group, made.artifact, made.version], Object.values(named));
  const part = { name: 'archive', fileName: 'org.other-with-hyphens-2.3.zip', type: 'application/zip;charset=utf-8' };
  const formed = await uploaded(path, formOf([{ ...part, data: archiveOf(null) }]));
  assert.deepEqual([formed.group, formed.artifact, formed.version], ['org.other', 'with-hyphens', '2.3']);
  const both = await uploaded(path, formOf([{ ...part, data: archiveOf({ ...named, version: '9' }) }]));
  assert.deepEqual([both.group, both.artifact, both.version], [named.group, named.artifact, '9']);
  assert.equal((await upload(path, archiveOf(null))).status, 400);
});
statement('platform 13.2.4', async () => {
  const path = await vault();
  const named = coordinates();
  const first = await uploaded(path, archiveOf({ ...named, title: 'first' }));
  const second = await uploaded(path, archiveOf({ ...named, title: 'second' }));
  const page = await it.get(path);
  assert.deepEqual([second._doc, page.total_rows, page.rows[0].title], [first._doc, 1, 'second']);
});
statement('semantics 7.1.2', async () => {
  const path = await vault();
  const hostile = [Buffer.from('no zip'), zip([{ name: '../out', data: 'x' }]), zip([{ name: '/out', data: 'x' }]),
                   zip([{ name: 'bomb', data: 'x', size: 0xfffffff0 }])];
  for (const bytes of hostile) assert.equal((await upload(path, bytes, coordinates())).status, 400);
  assert.equal((await it.get(path)).total_rows, 0);
});
statement('semantics 7.1.3', async () => {
  const path = await vault();
  await it.refused(400, 'GET', `${path}/lookup`);
  await it.refused(400, 'GET', `${path}/download`);
  assert.equal((await it.get(`${path}/query`)).total_rows, 0);
});
statement('merge_and_transfer 4.5.1, merge_and_transfer 4.5.2', async () => {
  const path = await vault();
  const places = { repository: 'platform', domain: 'platform', project: 'platform', stack: 'platform', application: 'platform',
                   branch: 'repository', user: 'domain', group: 'domain', node: 'node' };
  for (const [type, place] of Object.entries(places)) {
    const made = await uploaded(path, archiveOf({ ...coordinates(), type }, { 'repository/repository.json': '{}' }));
    assert.equal(made._containerType, place, type);
  }
});
statement('merge_and_transfer 4.5.4', async () => {
  const path = await vault();
  const nested = await uploaded(path, archiveOf({ ...coordinates(), template: { templateType: 'project', templateKey: 'blog' } }));
  assert.deepEqual([nested.templateType, nested.templateKey], ['project', 'blog']);
  const beside = await uploaded(path, archiveOf({ ...coordinates(), templateType: 'project', templateKey: 'blog' }));
  assert.deepEqual(beside.template, { templateType: 'project', templateKey: 'blog' });
});
