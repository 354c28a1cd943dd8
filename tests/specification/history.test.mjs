// docs/specification/nodes.md 19 to 27 and 32: versions, trash, attachments, definitions, translations, lists, GraphQL.
import assert from 'node:assert/strict';
import { ids, statement, Subject, titles } from '../support/statements.mjs';

const it = Subject.serve();
const kUnknown = '0123456789abcdef0123';
const json = (value) => encodeURIComponent(JSON.stringify(value));
const raw = (method, path, options = {}) => it.server.request(method, path, { token: it.server.adminToken, ...options });
const upload = (path, body, type = 'text/plain', tail = '') => raw('POST', path + tail, { body, headers: { 'Content-Type': type } });
const query = (branch, body, tail = '') => it.post(`${branch}/nodes/query${tail}`, body);
const part = (head, text) => `--sep\r\n${head}\r\n\r\n${text}\r\n`;
const kMultipart = 'multipart/form-data; boundary=sep';

statement('nodes 19.1, nodes 19.3, nodes 19.5, nodes 19.7', async () => {
  const { branch, node } = await it.repository();
  const one = `${branch}/nodes/${await node({ title: 'first' })}`;
  await it.put(one, { title: 'second' });
  const { rows } = await it.get(`${one}/versions`);
  assert.deepEqual(titles({ rows }), ['second', 'first']);
  for (const row of rows) assert.deepEqual([row._changesetId, row._doc], [row._system.changeset, one.split('/').pop()]);
  assert.equal((await it.get(`${one}/versions/${rows[1]._changesetId}`)).title, 'first');
  await it.refused(404, 'GET', `${one}/versions/77:${kUnknown}`);
  assert.deepEqual((await it.get(`${one}/versions/${rows[0]._changesetId}/diff`)).diff.filter((step) => step.path === '/title').map((step) => [step.op, step.value]), [['replace', 'second']]);
  assert.ok((await it.get(`${one}/versions?excludeSystem=true`)).total_rows <= 2);
});
statement('nodes 19.6, semantics 2.2.3', async () => {
  const { branch, node } = await it.repository();
  const one = `${branch}/nodes/${await node()}`;
  await upload(`${one}/attachments/default`, 'old');
  const { _system: { changeset } } = await it.get(one);
  await upload(`${one}/attachments/default`, 'newer');
  await upload(`${one}/attachments/second`, 'x');
  assert.deepEqual((await it.get(`${one}/versions/${changeset}/attachments`)).rows.map((row) => [row.attachmentId, row.length]), [['default', 3]]);
  assert.equal((await it.reply('GET', `${one}/versions/${changeset}/attachments/default`)).text, 'old');
});
statement('semantics 2.2.1', async () => {
  const { path, branch, node } = await it.repository();
  const one = `${branch}/nodes/${await node({ title: 'a' })}`;
  const { _system: { changeset } } = await it.get(one);
  await it.put(one, { title: 'b' });
  const before = ids(await it.get(`${path}/changesets`));
  await it.post(`${one}/versions/${changeset}/restore`);
  const after = ids(await it.get(`${path}/changesets`));
  assert.deepEqual([after.slice(0, before.length), after.length], [before, before.length + 1]);
});
statement('semantics 2.2.2, semantics 3.2.1', async () => {
  const { path, branch, node } = await it.repository();
  const type = await node({ _type: 'd:type', _qname: 'my:t', title: 'one' });
  await it.put(`${branch}/nodes/${type}`, { title: 'two' });
  assert.equal((await it.get(`${branch}/nodes/${type}/versions`)).total_rows, 2);
  const fork = `${path}/branches/${await it.make(`${path}/branches?branch=master`)}`;
  await it.put(`${fork}/nodes/${type}`, { title: 'forked' });
  assert.deepEqual([(await it.get(`${branch}/definitions/my:t`)).title, (await it.get(`${fork}/definitions/my:t`)).title], ['two', 'forked']);
  assert.deepEqual(ids(await query(branch, { _qname: 'my:t' })), [type]);
});

statement('nodes 20.1, nodes 20.3, nodes 20.5, nodes 20.6, nodes 20.7, nodes 34.13', async () => {
  const { branch, node } = await it.repository();
  const made = [];
  for (let i = 0; i < 5; ++i) made.push(await node({ category: 'test1', i }));
  await it.post(`${branch}/nodes/${made[0]}/associate?node=${made[2]}`, { category: 'test1' });
  assert.equal((await it.post(`${branch}/deletions/query`, {})).total_rows, 0);
  for (const id of made.slice(0, 2)) await it.ok('DELETE', `${branch}/nodes/${id}`);
  const found = await it.post(`${branch}/deletions/query`, { category: 'test1' });
  assert.deepEqual([found.total_rows, ids(found).sort()], [2, made.slice(0, 2).sort()]);
  assert.equal((await it.get(`${branch}/deletions/query?query=${json({ category: 'test1' })}`)).total_rows, 2);
  const [{ _deletion: deletion }] = found.rows.filter((row) => row._doc === made[0]);
  assert.deepEqual([deletion.nodeId, typeof deletion.deletedOn.ms, deletion.deletedBy, typeof deletion.changesetId, typeof deletion.transaction, deletion.association], [made[0], 'number', 'admin', 'string', 'boolean', false]);
  await it.post(`${branch}/deletions/${made[0]}/restore`, {});
  assert.equal((await it.get(`${branch}/nodes/${made[0]}`)).i, 0);
  assert.equal((await it.get(`${branch}/nodes/${made[0]}/associations?type=a:linked`)).total_rows, 1);
  assert.equal((await it.get(`${branch}/nodes/${made[0]}/associations?type=a:has_role`)).total_rows, 1);
  assert.deepEqual([(await it.post(`${branch}/deletions/query`, { category: 'test1' })).total_rows, (await query(branch, { category: 'test1', _is_association: false })).total_rows], [1, 4]);
});
statement('nodes 20.2, nodes 20.4, nodes 20.9', async () => {
  const { branch, node } = await it.repository();
  const made = [];
  for (let i = 0; i < 5; ++i) made.push(await node({ i }));
  await upload(`${branch}/nodes/${made[0]}/attachments/default`, 'kept');
  for (const id of made) await it.ok('DELETE', `${branch}/nodes/${id}`);
  const one = `${branch}/deletions/${made[0]}`;
  assert.equal((await it.get(one)).i, 0);
  assert.equal((await it.get(`${one}/attachments`)).total_rows, 1);
  await it.put(one, { i: 0, note: 'noted' });
  assert.equal((await it.get(one)).note, 'noted');
  await it.ok('DELETE', one);
  await it.refused(404, 'GET', one);
  await it.post(`${branch}/deletions/delete`, { _docs: [made[1]] });
  await it.refused(404, 'GET', `${branch}/deletions/${made[1]}`);
  await it.post(`${branch}/deletions/purgeall`);
  assert.equal((await it.post(`${branch}/deletions/query`, {})).total_rows, 0);
  assert.equal((await it.finished((await it.post(`${branch}/deletions/purgeall/start`))._doc)).state, 'FINISHED');
});
statement('nodes 20.8', async () => {
  const { path, branch, node } = await it.repository();
  const id = await node({ title: 'purged' });
  const { _system: { changeset } } = await it.get(`${branch}/nodes/${id}`);
  const written = async () => (await it.get(`${path}/changesets/${changeset}/nodes?limit=-1`)).rows;
  const before = await written();
  assert.equal(before.find((row) => row._doc === id).title, 'purged');
  await it.ok('DELETE', `${branch}/nodes/${id}`);
  await it.ok('DELETE', `${branch}/deletions/${id}`);
  assert.deepEqual(await written(), before);
  // Who does not read everything may have been kept from it.
  const one = await it.person('reads-some');
  for (const where of [path, branch]) await it.grant(where, 'connector', one);
  const reply = await it.reply('GET', `${path}/changesets/${changeset}/nodes?limit=-1`, undefined, one);
  assert.ok(!reply.text.includes('purged'), reply.text);
});
statement('semantics 11.2', async () => {
  const { branch, node } = await it.repository();
  const restore = (id, body = {}) => it.post(`${branch}/deletions/${id}/restore`, body);
  const place = async (id) => (await it.get(`${branch}/nodes/${id}/path`)).path;
  const id = await node({ title: 'child', _qname: 'my:child' }, '?parentFolderPath=/gone');
  const folder = (await it.get(`${branch}/nodes/root?path=/gone`))._doc;
  await it.ok('DELETE', `${branch}/nodes/${folder}`);
  await restore(id);
  assert.equal(await place(id), '/child');
  await restore(folder);
  assert.equal(await place(id), '/child', 'it moved');
  // What somebody took away alone comes back to where it was.
  const other = await node({ title: 'other' }, '?parentFolderPath=/gone');
  await it.ok('DELETE', `${branch}/nodes/${other}`);
  await restore(other);
  assert.equal(await place(other), '/gone/other');
  await it.ok('DELETE', `${branch}/nodes/${other}`);
  await node({ title: 'other' }, '?parentFolderPath=/gone');
  await it.refused(409, 'POST', `${branch}/deletions/${other}/restore`, {});
  assert.equal((await it.get(`${branch}/deletions/${other}`))._doc, other);
  await restore(other, { title: 'another' });
  assert.equal(await place(other), '/gone/another');
  await it.ok('DELETE', `${branch}/nodes/${id}`);
  await node({ _qname: 'my:child' });
  await it.refused(409, 'POST', `${branch}/deletions/${id}/restore`, {});
  await restore(id, { _qname: 'my:own' });
  assert.deepEqual([(await it.get(`${branch}/nodes/${id}`))._qname, await place(id)], ['my:own', '/child']);
});
statement('semantics 11.1', async () => {
  const { path, branch, node } = await it.repository();
  const id = await node();
  const fork = `${path}/branches/${await it.make(`${path}/branches?branch=master`)}`;
  await it.ok('DELETE', `${fork}/nodes/${id}`);
  await it.get(`${branch}/nodes/${id}`);
  assert.equal((await it.post(`${branch}/deletions/query`, {})).total_rows, 0);
});
statement('nodes 21.1, nodes 21.2, nodes 21.7, nodes 34.11, semantics 10.1', async () => {
  const { branch, node } = await it.repository();
  const files = `${branch}/nodes/${await node()}/attachments`;
  await upload(`${files}/default`, Buffer.from([1, 2, 3]), 'image/png');
  await upload(`${files}/named`, 'text', 'text/plain', '?filename=file.txt');
  const { rows } = await it.get(files);
  for (const row of rows) assert.deepEqual([row._doc, typeof row.objectId], [row.attachmentId, 'string']);
  assert.deepEqual(rows.map((row) => [row.attachmentId, row.length, row.contentType, row.filename]), [['default', 3, 'image/png', 'default'], ['named', 4, 'text/plain', 'file.txt']]);
  assert.deepEqual((await it.reply('GET', `${files}/default`)).bytes, Buffer.from([1, 2, 3]));
  await it.ok('DELETE', `${files}/default`);
  await it.refused(404, 'GET', `${files}/default`);
  assert.deepEqual(ids(await it.get(files)), ['named']);
});
statement('nodes 21.3, nodes 21.4, nodes 21.5', async () => {
  const { branch, node } = await it.repository();
  const files = `${branch}/nodes/${await node()}/attachments`;
  const one = `${part('Content-Disposition: form-data; name="upload_file"; filename="up.txt"\r\nContent-Type: text/plain', 'bytes')}--sep--\r\n`;
  await upload(`${files}/mine`, one, kMultipart);
  await upload(`${files}/mine`, one.replace('bytes', 'other'), kMultipart);
  assert.deepEqual((await it.get(files)).rows.map((row) => [row.attachmentId, row.filename]), [['mine', 'up.txt']]);
  assert.equal((await it.reply('GET', `${files}/mine`)).text, 'other');
  const many = part('Content-Disposition: form-data; name="attachmentId_1"', 'second') + part('Content-Disposition: form-data; name="first"; filename="1.txt"\r\nContent-Type: text/plain', '1') +
    `${part('Content-Disposition: form-data; name="x"; filename="2.txt"\r\nContent-Type: text/plain', '2')}--sep--\r\n`;
  const reply = await upload(files, many, kMultipart);
  assert.ok(reply.json, reply.text);
  assert.deepEqual(ids(await it.get(files)), ['mine', 'first', 'second']);
});
statement('nodes 21.6, rulings 25, semantics 10.3', async () => {
  const { branch, node } = await it.repository();
  const files = `${branch}/nodes/${await node()}/attachments`;
  await upload(`${files}/default`, Buffer.from([0, 1, 2, 255]), 'application/octet-stream');
  const { bytes, headers } = await it.reply('GET', `${files}/default`);
  assert.deepEqual([bytes, headers['content-type'], headers['content-length']], [Buffer.from([0, 1, 2, 255]), 'application/octet-stream', '4']);
  assert.ok(headers.etag);
  assert.equal((await raw('GET', `${files}/default`, { headers: { 'If-None-Match': headers.etag } })).status, 304);
  await upload(`${files}/latin`, Buffer.from([0xe9]), 'text/plain; charset=ISO-8859-1');
  assert.equal((await it.reply('GET', `${files}/latin`)).text, 'é');
  for (const type of ['text/html', 'image/svg+xml']) {
    await upload(`${files}/active`, '<svg/>', type);
    const { headers: inert } = await it.reply('GET', `${files}/active`);
    assert.deepEqual([inert['x-content-type-options'], /^attachment/.test(inert['content-disposition']), /sandbox/.test(inert['content-security-policy'])], ['nosniff', true, true], type);
  }
});
statement('semantics 10.2', async () => {
  const { path, branch, node } = await it.repository();
  const one = `${branch}/nodes/${await node()}`;
  // The date of a change is told when no other change can have it any more.
  const settled = async (file) => {
    for (;;) {
      const { headers } = await raw('GET', file);
      if (headers['last-modified']) return headers;
      await new Promise((done) => { setTimeout(done, 100); });
    }
  };
  await upload(`${one}/attachments/default`, 'letters');
  await upload(`${path}/attachments/default`, 'letters');
  await upload(`${path}/files/letters`, 'letters');
  for (const file of [`${one}/attachments/default`, `${path}/attachments/default`, `${path}/files/letters`]) {
    const headers = await settled(file);
    const date = headers['last-modified'];
    assert.ok(headers.etag, file);
    assert.equal(new Date(date).toUTCString(), date, file);
    assert.ok(Math.abs(Date.now() - Date.parse(date)) < 60_000, file);
    const before = new Date(Date.parse(date) - 1000).toUTCString();
    const later = new Date(Date.parse(date) + 1000).toUTCString();
    const status = async (more) => (await raw('GET', file, { headers: more })).status;
    for (const [more, wanted] of [
      [{ 'If-Modified-Since': date }, 304], [{ 'If-Modified-Since': later }, 200], [{ 'If-Modified-Since': before }, 200],
      [{ 'If-Modified-Since': 'yesterday' }, 200], [{ 'If-Modified-Since': date, 'If-None-Match': '"other"' }, 200],
      [{ 'If-Modified-Since': before, 'If-None-Match': headers.etag }, 304],
      [{ Range: 'bytes=1-2' }, 206], [{ Range: 'bytes=7-' }, 416],
      [{ Range: 'bytes=1-2', 'If-Range': date }, 206], [{ Range: 'bytes=1-2', 'If-Range': headers.etag }, 206],
      [{ Range: 'bytes=1-2', 'If-Range': before }, 200], [{ Range: 'bytes=1-2', 'If-Range': later }, 200],
    ]) assert.equal(await status(more), wanted, `${file} ${JSON.stringify(more)}`);
    assert.equal((await raw('GET', file, { headers: { Range: 'bytes=1-2' } })).text, 'et');
  }
  // The version that brings older bytes back is newer than the bytes.
  const { _system: { changeset } } = await it.get(one);
  await upload(`${one}/attachments/default`, 'others');
  const dated = async () => Date.parse((await settled(`${one}/attachments/default`))['last-modified']);
  const second = await dated();
  await it.post(`${one}/versions/${changeset}/restore`);
  assert.equal((await raw('GET', `${one}/attachments/default`)).text, 'letters');
  assert.ok(await dated() >= second);
  const { _system: { modified_on: { ms } } } = await it.get(one);
  assert.equal(await dated(), ms - ms % 1000);
});
statement('nodes 21.8, nodes 21.9, nodes 21.11, interface 5.8.5', async () => {
  const { branch, node } = await it.repository();
  const made = [];
  for (let i = 0; i < 5; ++i) made.push(await node());
  for (const reply of await Promise.all(made.map((id) => upload(`${branch}/nodes/${id}/attachments/b`, 'x')))) assert.equal(reply.status, 200);
  const files = `${branch}/nodes/${made[0]}/attachments`;
  await upload(`${files}/a`, 'y');
  assert.deepEqual(ids(await it.get(files)), ['b', 'a']);
  await it.post(`${files}/b/copy?id=c`);
  assert.equal((await it.reply('GET', `${files}/c`)).text, 'x');
  await it.refused(400, 'POST', `${files}/b/copy`);
});

statement('nodes 22.1, nodes 22.5, nodes 22.6, nodes 22.4', async () => {
  const { branch, node } = await it.repository();
  const definitions = async (tail) => (await it.get(`${branch}/definitions?limit=-1&${tail}`)).rows;
  for (const filter of ['type', 'association', 'feature', 'TYPE', 'Feature']) {
    const rows = await definitions(`filter=${filter}`);
    assert.ok(rows.length > 0 && rows.every((row) => row._type === `d:${filter.toLowerCase()}`), filter);
  }
  const types = await definitions('filter=type');
  const below = (rows) => rows.filter((row) => row._parent === 'n:node' && !row._qname.startsWith('n:')).map((row) => row._qname).sort();
  assert.deepEqual(below(types), ['blog:blog', 'blog:post', 'wcm:page', 'wcm:template', 'workflow:package']);
  for (const name of ['node', 'person', 'group', 'form', 'list', 'rule', 'comment', 'tag', 'root']) assert.ok(types.some((row) => row._qname === `n:${name}`), name);
  await node({ _type: 'd:type', _qname: 'my:t' });
  await node({ _type: 'd:association', _qname: 'my:a' });
  assert.equal(below(await definitions('filter=type')).length, 6);
  assert.equal((await it.get(`${branch}/definitions/my:a`))._parent, 'a:linked');
  assert.deepEqual((await definitions('custom=true')).map((row) => row._qname).sort(), ['my:a', 'my:t']);
  assert.ok(!(await definitions('system=true')).some((row) => row._qname.startsWith('my:')));
});
statement('nodes 22.2, nodes 22.3, nodes 22.7', async () => {
  const { branch, node } = await it.repository();
  const id = await node({ _type: 'd:type', _qname: 'my:t' });
  assert.equal((await it.get(`${branch}/definitions/my:t`))._doc, id);
  await node({ _type: 'd:type', _qname: 'my:sub', _parent: 'my:t' });
  assert.deepEqual((await it.get(`${branch}/definitions/my:t/children`)).rows.map((row) => row._qname), ['my:sub']);
  assert.equal((await it.get(`${branch}/nodes/${await node({ _type: 'my:t' })}`))._type, 'my:t');
});
statement('nodes 22.8, nodes 22.9, semantics 3.7.1', async () => {
  const { branch, node } = await it.repository();
  const type = await node({ _type: 'd:type', _qname: 'my:t' });
  const [main, other, third] = [await node({ _type: 'n:form', title: 'main' }), await node({ _type: 'n:form' }), await node({ _type: 'n:form' })];
  for (const [id, key] of [[main, 'main'], [other, 'other'], [third, 'third']]) await it.post(`${branch}/nodes/${type}/associate?node=${id}&type=a:has_form`, { 'form-key': key });
  const forms = await it.get(`${branch}/definitions/my:t/forms`);
  assert.deepEqual(forms.rows.map((row) => [row._type, row['form-key']]), [['a:has_form', 'main'], ['a:has_form', 'other'], ['a:has_form', 'third']]);
  for (const key of ['main', main]) assert.equal((await it.get(`${branch}/definitions/my:t/forms/${key}`))._doc, main);
  const one = await node({ _type: 'my:t' });
  assert.equal((await it.get(`${branch}/nodes/${one}/forms`)).total_rows, 3);
  assert.equal((await it.get(`${branch}/nodes/${one}/forms/main`))._doc, main);
  await it.post(`${branch}/nodes/${type}/unassociate?node=${third}&type=a:has_form`);
  assert.equal((await it.get(`${branch}/definitions/my:t/forms`)).total_rows, 2);
});
statement('nodes 22.10, nodes 22.11', async () => {
  const { branch, node } = await it.repository();
  await node({ _type: 'd:type', _qname: 'my:t', properties: { a: { type: 'string' } }, mandatoryFeatures: { 'f:geolocation': { x: 1 } } });
  const schemas = await it.get(`${branch}/schemas`);
  assert.ok('my:t' in schemas && 'n:node' in schemas);
  assert.equal((await it.get(`${branch}/schemas/my:t`)).properties.a.type, 'string');
  assert.equal(typeof (await it.get(`${branch}/forms`)), 'object');
  assert.deepEqual((await it.get(`${branch}/nodes/${await node({ _type: 'my:t' })}`))._features['f:geolocation'], { x: 1 });
});
statement('nodes 23.1, nodes 23.2, interface 5.8.7, semantics 3.7.2', async () => {
  const { branch } = await it.repository();
  const one = await it.person('acquired');
  const group = await it.make('/domains/default/principals', { type: 'GROUP', name: 'acquired-group' });
  await it.refused(404, 'GET', `${branch}/person/acquire?id=default/${one.id}`);
  await it.refused(400, 'GET', `${branch}/person/acquire`);
  for (const id of [`default/${one.id}`, `default/${one.name}`, one.id, one.name]) {
    const person = await it.get(`${branch}/person/acquire?id=${id}&createIfNotFound=true`);
    assert.ok(!('ok' in person));
    assert.deepEqual([person._type, person['principal-id'], person['principal-domain'], person['principal-name'], person['principal-type']], ['n:person', one.id, 'default', one.name, 'USER']);
  }
  assert.deepEqual((({ _type, 'principal-type': type }) => [_type, type])(await it.get(`${branch}/group/acquire?id=default/${group}&createIfNotFound=true`)), ['n:group', 'GROUP']);
});
statement('nodes 23.3', async () => {
  const { branch, node } = await it.repository();
  const id = await node();
  const person = await it.get(`${branch}/person/acquire?id=default/admin`);
  assert.equal((await it.get(`${branch}/nodes/${id}/associations?type=a:has_role`)).rows[0].source, person._doc);
  await it.post(`${branch}/nodes/${person._doc}/associate?node=${id}&type=my:likes`);
  assert.ok(id in (await it.post(`${branch}/nodes/${person._doc}/traverse`, { traverse: { associations: { 'my:likes': 'OUTGOING' } } })).nodes);
});

/// A master with translations de_DE and es_ES of edition 1.0 and es_ES of 2.0.
async function translated() {
  const { branch, node } = await it.repository();
  const id = await node({ title: 'master' });
  const one = `${branch}/nodes/${id}`;
  const made = [];
  for (const [locale, edition] of [['de_DE', '1.0'], ['es_ES', '1.0'], ['es_ES', '2.0']]) made.push(await it.make(`${one}/i18n?locale=${locale}&edition=${edition}`, { title: `${locale} ${edition}` }));
  return { branch, node, id, one, made, read: async (tail) => (await it.get(`${one}/i18n?${tail}`)).title };
}
statement('nodes 24.1, nodes 24.2, interface 5.8.6', async () => {
  const { branch, one, made } = await translated();
  assert.ok('f:translation' in (await it.get(`${branch}/nodes/${made[0]}`))._features);
  const { rows } = await it.get(`${one}/associations?type=a:has_translation&direction=OUTGOING`);
  assert.deepEqual(rows.map((row) => [row.target, row.locale, row.edition]), [[made[0], 'de_DE', '1.0'], [made[1], 'es_ES', '1.0'], [made[2], 'es_ES', '2.0']]);
  assert.equal((await it.get(one))._features['f:multilingual'].edition, '1.0');
  for (const method of ['GET', 'POST']) await it.refused(400, method, `${one}/i18n`, method === 'POST' ? {} : undefined);
  await it.refused(400, 'POST', `${branch}/i18n/add?masterNodeId=${made[0]}`);
});
statement('nodes 24.3, nodes 24.4, nodes 24.5, nodes 34.10, semantics 4.1', async () => {
  const { one, read } = await translated();
  assert.deepEqual((await it.get(`${one}/i18n/editions`)).editions, ['1.0', '2.0']);
  assert.deepEqual((await it.get(`${one}/i18n/locales?edition=1.0`)).locales, ['de_DE', 'es_ES']);
  assert.deepEqual((await it.get(`${one}/i18n/locales?edition=2.0`)).locales, ['es_ES']);
  assert.deepEqual([await read('locale=de_DE'), await read('locale=es_ES&edition=2.0'), await read('locale=es_MX&edition=2.0'), await read('locale=de_DE&edition=2.0'), await read('locale=fr')],
                   ['de_DE 1.0', 'es_ES 2.0', 'es_ES 2.0', 'master', 'master']);
});
statement('nodes 24.6, nodes 24.7, nodes 24.9, semantics 4.2, semantics 0.1.3', async () => {
  const { one } = await translated();
  const title = async (tail, headers) => (await raw('GET', one + tail, { headers })).json.title;
  assert.deepEqual([await title('?locale=es_ES'), await title('?locale=es-ES'), await title('', { 'Accept-Language': 'es-ES' }), await title('?locale=default'), await title('', { 'Accept-Language': 'en-US,en;q=0.9' })],
                   ['es_ES 1.0', 'es_ES 1.0', 'es_ES 1.0', 'master', 'master']);
  await it.post(`${one}/features/f:multilingual`, { edition: '2.0' });
  assert.equal(await title('?locale=es_ES'), 'es_ES 2.0');
});
statement('nodes 24.10, semantics 4.4', async () => {
  const { branch, node } = await it.repository();
  const [master, translation] = [await node({ title: 'm' }), await node({ title: 't' })];
  await it.post(`${branch}/i18n/add?masterNodeId=${master}&translationNodeId=${translation}&locale=fr_CA&edition=1`);
  assert.ok('f:multilingual' in (await it.get(`${branch}/nodes/${master}`))._features);
  assert.equal((await it.get(`${branch}/nodes/${master}?locale=fr-CA`)).title, 't');
});
statement('semantics 4.3', async () => {
  const { branch, node, one, id } = await translated();
  await it.refused(409, 'POST', `${branch}/i18n/add?masterNodeId=${id}&translationNodeId=${await node()}&locale=de_DE&edition=1.0`);
  await it.refused(409, 'POST', `${one}/i18n?locale=de_DE&edition=1.0`, {});
});

statement('nodes 25.1, nodes 25.2, nodes 25.3, nodes 25.4, nodes 24.8, nodes 34.17', async () => {
  const { branch } = await it.repository();
  const list = `${branch}/lists/my-list`;
  const id = await it.make(`${list}?type=d:type`, { title: 'list' });
  assert.deepEqual((({ _doc, _type, listKey, listItemType }) => [_doc, _type, listKey, listItemType])(await it.get(list)), [id, 'n:list', 'my-list', 'd:type']);
  const made = [];
  for (const color of ['red', 'red', 'blue']) made.push(await it.make(`${list}/items`, { title: 'item', color }));
  assert.deepEqual(ids(await it.get(`${list}/items`)), made);
  assert.equal((await it.get(`${branch}/nodes/${made[0]}`))._type, 'd:type');
  assert.equal((await it.post(`${list}/items/query`, { color: 'red' })).total_rows, 2);
  await it.ok('DELETE', `${branch}/nodes/${made[0]}`);
  assert.equal((await it.post(`${list}/items/query`, { color: 'red' })).total_rows, 1);
  await it.post(`${branch}/nodes/${made[1]}/i18n?locale=de`, { title: 'deutsch' });
  assert.ok(titles(await it.get(`${list}/items?locale=de`)).includes('deutsch'));
  await it.ok('DELETE', `${list}/items/${made[1]}`);
  assert.deepEqual(ids(await it.get(`${list}/items`)), [made[2]]);
  await it.ok('DELETE', `${list}/items`);
  assert.equal((await it.get(`${list}/items`)).total_rows, 0);
  await it.refused(400, 'POST', `${branch}/lists/other`, {});
  await it.ok('DELETE', list);
  await it.refused(404, 'GET', list);
});
statement('nodes 25.5', async () => {
  const { branch, node } = await it.repository();
  const items = `${branch}/nodes/${await node()}/list/a:owned/items`;
  const id = await it.make(items, { title: 'i' });
  assert.deepEqual(ids(await it.get(items)), [id]);
  await it.ok('DELETE', `${items}/${id}`);
  assert.equal((await it.get(items)).total_rows, 0);
});
statement('nodes 25.6', async () => {
  const { branch, node } = await it.repository();
  const [blog, post] = [await node({ _type: 'blog:blog', title: 'b' }), await node({ _type: 'blog:post', title: 'p' })];
  await it.post(`${branch}/nodes/${blog}/associate?node=${post}&type=a:child`);
  assert.deepEqual(ids(await it.get(`${branch}/blogs`)), [blog]);
  assert.deepEqual(ids(await it.get(`${branch}/blogs/${blog}/posts`)), [post]);
  assert.deepEqual(ids(await it.post(`${branch}/blogs/query`, { title: 'b' })), [blog]);
  assert.deepEqual(ids(await it.post(`${branch}/blogs/${blog}/posts/query`, { title: 'none' })), []);
});

statement('nodes 27.1, nodes 27.2, nodes 27.3, nodes 27.4, nodes 27.5, nodes 34.15', async () => {
  const { branch, node } = await it.repository();
  await node({ _type: 'd:type', _qname: 'custom:book', properties: { title: { type: 'string' }, price: { type: 'number' } } });
  for (const [title, price] of [['a', 1], ['b', 2]]) await node({ _type: 'custom:book', title, price, other: 1 });
  const asked = '{ custom_books { title price } }';
  const expected = [{ title: 'a', price: 1 }, { title: 'b', price: 2 }];
  assert.deepEqual((await it.post(`${branch}/graphql`, { query: asked })).data.custom_books, expected);
  assert.deepEqual((await it.get(`${branch}/graphql?query=${encodeURIComponent(asked)}`)).data.custom_books, expected);
  const named = 'query One { custom_books(limit: 1) { title } } query Two($n: Int) { custom_books(limit: $n, skip: 1) { title } }';
  for (const name of ['operationName', 'operation_name']) {
    assert.deepEqual((await it.get(`${branch}/graphql?query=${encodeURIComponent(named)}&${name}=Two&variables=${json({ n: 1 })}`)).data.custom_books, [{ title: 'b' }]);
  }
  const wrong = await it.post(`${branch}/graphql`, { query: '{ nothing_such }' });
  assert.ok(wrong.errors.length > 0 && !('error' in wrong));
  const schema = await it.reply('GET', `${branch}/graphql/schema`);
  assert.match(schema.headers['content-type'], /^text\/plain/);
  assert.ok(schema.text.includes('custom_books'));
});

statement('nodes 32.1', async () => {
  const { branch, node } = await it.repository();
  const one = `${branch}/nodes/${await node({ title: 't' })}`;
  await it.post(`${one}/remove`);
  await it.refused(404, 'GET', one);
  await it.post(`${one}/undelete`);
  assert.equal((await it.get(one)).title, 't');
});
statement('nodes 32.2, nodes 32.3, nodes 32.7', async () => {
  const { branch, node } = await it.repository();
  await node({ _type: 'd:type', _qname: 'my:t' });
  const id = await node({ title: 't', _type: 'my:t' });
  for (const verb of ['recreate', 'repair', '_repair']) assert.equal((await it.post(`${branch}/nodes/${id}/${verb}`))._doc, id, verb);
  assert.ok(Array.isArray((await it.get(`${branch}/nodes/${id}/renditions`)).rows));
  assert.equal((await it.get(`${branch}/nodes/${id}/type`))._qname, 'my:t');
});
statement('nodes 32.4, nodes 33.3', async () => {
  const { branch, node } = await it.repository();
  const [id, target] = [await node({ title: 't' }), await node()];
  for (const schedule of ['SYNCHRONOUS', 'synchronous', 'Asynchronous']) {
    const job = await it.finished((await it.post(`${branch}/nodes/${id}/copy/start?targetNodeId=${target}&schedule=${schedule}`))._doc);
    assert.equal(job.state, 'FINISHED');
  }
  assert.equal((await it.get(`${branch}/nodes/${target}/children`)).total_rows, 3);
  const other = await node();
  await it.finished((await it.post(`${branch}/nodes/${id}/move/start?targetNodeId=${other}`))._doc);
  assert.deepEqual(ids(await it.get(`${branch}/nodes/${other}/children`)), [id]);
  await it.finished((await it.post(`${branch}/nodes/${id}/delete/start`))._doc);
  await it.refused(404, 'GET', `${branch}/nodes/${id}`);
});
statement('nodes 33.1', async () => {
  const { branch, node } = await it.repository();
  const record = await it.get(`${branch}/nodes/${await node()}`);
  assert.ok('_is_association' in record && !('is_association' in record));
});
