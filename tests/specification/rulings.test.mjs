// docs/specification/rulings.md and interface.md 6, and what semantics.md adds to single calls.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { readSpecification } from '../support/specification.mjs';
import { ids, statement, Subject, titles } from '../support/statements.mjs';

const it = Subject.serve();
const kUnknown = '0123456789abcdef0123';
const raw = (method, path, options = {}) => it.server.request(method, path, { token: it.server.adminToken, ...options });
const json = (value) => encodeURIComponent(JSON.stringify(value));
let lists = 0;
/// Records with these values of `v`, and how they come out in an order.
async function sorted(values) {
  const kind = `list${++lists}`;
  for (const v of values) await it.make('/sidekicks', v === undefined ? { kind } : { kind, v });
  return async (options, direction = 1) => (await it.post(`/sidekicks/query?sort=${json({ v: direction })}${options ? `&options=${json(options)}` : ''}`, { kind })).rows.map((row) => row.v);
}

statement('interface 1.1', async () => {
  await it.get('/');
  const made = await raw('POST', '/uiconfigs', { body: '{"title":"json"}' });
  assert.deepEqual([made.json.title, /json/.test(made.headers['content-type'])], ['json', true]);
});
statement('rulings 1, interface 6.3', async () => {
  const order = await sorted(['b', 'B', 'ä', 'a', 'A', 'z']);
  assert.deepEqual(await order(), ['A', 'B', 'a', 'b', 'z', 'ä']);
  assert.deepEqual(await order(undefined, -1), ['ä', 'z', 'b', 'a', 'B', 'A']);
  assert.deepEqual(await (await sorted([9, 10, '1', 2]))(), ['1', 10, 2, 9]);
});
statement('interface 6.4, interface 6.7, interface 6.9', async () => {
  const order = await sorted(['10 X', '2 X', '1 X']);
  assert.deepEqual(await order(), ['1 X', '10 X', '2 X']);
  for (const name of ['locale', 'locales']) {
    assert.deepEqual(await order({ [name]: 'en', numericOrdering: true }), ['1 X', '2 X', '10 X']);
    assert.deepEqual(await order({ [name]: 'en', numericOrdering: false }), ['1 X', '10 X', '2 X']);
  }
});
statement('interface 6.5', async () => {
  const order = await sorted(['b', 'A', 'B', 'a', 'ä']);
  const found = await order({ locale: 'de' });
  assert.deepEqual(found.map((one) => one.toLowerCase()), ['a', 'a', 'ä', 'b', 'b']);
  const swedish = await sorted(['z', 'ä', 'a']);
  assert.deepEqual([await swedish({ locale: 'sv' }), await swedish({ locale: 'de' })], [['a', 'z', 'ä'], ['a', 'ä', 'z']]);
});
statement('interface 6.8', async () => {
  const order = await sorted(['b', 'a', 'B', 'A']);
  assert.deepEqual(await order({ locale: 'en', caseFirst: 'upper' }), ['A', 'a', 'B', 'b']);
  assert.deepEqual(await order({ locale: 'en', caseFirst: 'lower' }), ['a', 'A', 'b', 'B']);
});
statement('interface 6.6, semantics 1.2.7, semantics 1.2.8', async () => {
  const order = await sorted(['Ad', 'Äc', 'Af']);
  assert.deepEqual(await order({ locale: 'de' }), ['Äc', 'Ad', 'Af']);
  assert.deepEqual(await order({ locale: 'de@collation=phonebook' }), ['Ad', 'Äc', 'Af']);
  for (const locale of ['de_XX', 'xx_YY', 'fr_CA']) assert.equal((await order({ locale })).length, 3, locale);
});
statement('semantics 1.2.2, semantics 1.2.5', async () => {
  for (const title of ['x', 'y']) await it.make('/views', { title });
  assert.deepEqual(titles(await it.get(`/views?sorting=${json({ title: -1 })}`)), ['y', 'x']);
  assert.equal((await it.get('/views?from=17')).size, 2);
});
statement('semantics 1.2.3', async () => {
  for (const query of ['skip=-1', 'limit=-2', 'skip=x', 'limit=1.5', 'limit=x']) await it.refused(400, 'GET', `/uiconfigs?${query}`);
});
statement('semantics 1.2.6', async () => {
  const order = await sorted(['a', undefined, '']);
  assert.deepEqual([(await order())[0], (await order(undefined, -1)).at(-1)], [undefined, undefined]);
});

statement('rulings 20, semantics 2.7.5, semantics 14.7', async () => {
  const { branch, node } = await it.repository();
  for (const path of [`/uiconfigs/${await it.make('/uiconfigs')}`, `${branch}/nodes/${await node()}`, `/registrars/${await it.make('/registrars')}`, branch]) {
    const { headers: { etag } } = await it.reply('GET', path);
    assert.ok(etag, path);
    const stale = await raw('PUT', path, { body: '{"title":"x"}', headers: { 'If-Match': '"other"' } });
    assert.deepEqual([stale.status, stale.headers.etag], [412, etag], path);
    assert.equal((await raw('PUT', path, { body: '{"title":"x"}', headers: { 'If-Match': etag } })).status, 200, path);
    assert.equal((await raw('PUT', path, { body: '{"title":"y"}', headers: { 'If-Match': etag } })).status, 412, path);
  }
  assert.equal((await it.reply('PATCH', '/uiconfigs')).status, 405);
});
statement('rulings 23', async () => {
  const { path, branch, node } = await it.repository();
  const [a, target] = [await node({ title: 'a' }, '?parentFolderPath=/'), await node()];
  const before = (await it.get(`${path}/changesets`)).total_rows;
  const reply = await it.reply('POST', `${branch}/movenodes`, { sourceNodeIds: [a, kUnknown], targetNodeId: target });
  assert.ok(reply.status >= 400 && reply.status < 500);
  assert.match(JSON.stringify(reply.json), /1/);
  assert.equal((await it.get(`${path}/changesets`)).total_rows, before);
  assert.equal((await it.get(`${branch}/nodes/${a}/path`)).path, '/a');
});
statement('rulings 39', async () => {
  for (const path of ['/', '/uiconfigs', '/repositories', '/domains', '/access/policies/templates']) assert.equal((await raw('GET', path, { token: undefined })).status, 401, path);
  for (const path of ['/ping', '/healthz', '/readyz']) assert.equal((await raw('GET', path, { token: undefined })).status, 200, path);
});
statement('semantics 0.2.1', async () => {
  const { branch, node } = await it.repository();
  const one = await it.person('author');
  await it.grant(branch.replace('/branches/master', ''), 'collaborator', one);
  const path = `${branch}/nodes/${await node()}`;
  await it.allowed('PUT', path, { title: 'by another' }, one);
  const { _system } = await it.get(path);
  assert.deepEqual([_system.created_by, _system.modified_by, typeof _system.modified_on.ms, typeof _system.changeset], ['admin', 'author', 'number', 'string']);
});
statement('semantics 2.1.2', async () => {
  const { path, branch } = await it.repository();
  const before = (await it.get(`${path}/changesets`)).total_rows;
  const { _doc: taken } = await it.post(`${branch}/nodes`, { _qname: 'my:taken' });
  const reply = await raw('POST', `${branch}/nodes?parentFolderPath=/a/b`, { body: '{"_qname":"my:taken"}' });
  assert.equal(reply.status, 409);
  await it.refused(404, 'GET', `${branch}/nodes/root?path=/a`);
  assert.equal((await it.get(`${path}/changesets`)).total_rows, before + 1);
  assert.equal((await it.get(`${branch}/nodes/my:taken`))._doc, taken);
});
statement('semantics 2.1.3', async () => {
  const { path, branch, node } = await it.repository();
  const fork = `${path}/branches/${await it.make(`${path}/branches?branch=master`)}`;
  await Promise.all([...Array.from({ length: 8 }, () => node({ kind: 'r' })), ...Array.from({ length: 8 }, () => it.make(`${fork}/nodes`, { kind: 'r' }))]);
  for (const one of [branch, fork]) assert.equal((await it.post(`${one}/nodes/query`, { kind: 'r' })).total_rows, 8);
  const revisions = (await it.get(`${path}/changesets?limit=-1`)).rows.map((row) => row.revision);
  assert.equal(new Set(revisions).size, revisions.length);
});
statement('semantics 3.2.2, semantics 3.2.3, semantics 3.2.4, semantics 3.2.5, semantics 3.2.6, semantics 3.1.3', async () => {
  const { path, branch, node } = await it.repository();
  await it.put(branch, { validateContent: true });
  const properties = { title: { type: 'string', required: true }, price: { type: 'number', minimum: 0 } };
  const type = await node({ _type: 'd:type', _qname: 'my:t', type: 'object', properties, required: ['price'] });
  const good = await node({ _type: 'my:t', title: 't', price: 1 });
  const before = (await it.get(`${path}/changesets`)).total_rows;
  for (const bad of [{ title: 't' }, { price: 1 }, { title: 't', price: -1 }, { title: 5, price: 1 }]) {
    const error = await it.refused(400, 'POST', `${branch}/nodes`, { _type: 'my:t', ...bad });
    assert.ok(error.violations.length > 0 && error.violations.every((one) => typeof one.path === 'string'));
  }
  await it.refused(400, 'POST', `${branch}/nodes`, { _type: 'd:type', _qname: 'my:broken', properties: { a: { type: 'no such type' } } });
  assert.equal((await it.get(`${path}/changesets`)).total_rows, before);
  await it.put(`${branch}/nodes/${type}`, { type: 'object', properties: { ...properties, must: { type: 'string', required: true } } });
  assert.equal((await it.get(`${branch}/nodes/${good}`)).title, 't');
  await it.refused(400, 'PUT', `${branch}/nodes/${good}`, { title: 't', price: 1 });
  const plain = await node({ title: 'no price' });
  await it.refused(400, 'POST', `${branch}/nodes/${plain}/change_type?type=my:t`);
});
statement('semantics 3.2.7', async () => {
  const { branch, node } = await it.repository();
  for (const [type, qname, instance] of [['d:type', 'my:type', { _type: 'my:type' }], ['d:association', 'my:tie', null], ['d:feature', 'my:feature', { _features: { 'my:feature': {} } }]]) {
    const definition = await node({ _type: type, _qname: qname });
    const [a, b] = [await node(), await node()];
    const used = instance ? await node(instance) : await it.make(`${branch}/nodes/${a}/associate?node=${b}&type=${qname}`);
    for (const [method, way, body] of [['DELETE', `${branch}/nodes/${definition}`], ['POST', `${branch}/nodes/delete`, { _docs: [definition] }]]) {
      await it.refused(409, method, way, body);
    }
    assert.equal((await it.get(`${branch}/nodes/${qname}`))._doc, definition);
    await it.ok('DELETE', `${branch}/nodes/${used}`);
    await it.ok('DELETE', `${branch}/nodes/${definition}`);
    await it.refused(404, 'GET', `${branch}/nodes/${qname}`);
  }
});
statement('semantics 5.2.2', async () => {
  const { id } = await it.person('no-bare-permission');
  const reply = await it.reply('POST', `/uiconfigs/${await it.make('/uiconfigs')}/authorities/UPDATE/grant?id=default/${id}`);
  assert.ok([400, 404].includes(reply.status));
});
statement('semantics 6.1', async () => {
  for (const [path, type] of [['/applications', 'application'], ['/directories', 'directory'], ['/domains', 'domain'], ['/registrars', 'registrar'], ['/repositories', 'repository'], ['/webhosts', 'webhost']]) {
    assert.equal((await it.get(`${path}/${await it.make(path)}`)).datastoreTypeId, type);
  }
});
statement('semantics 12.3', async () => {
  const [one, other] = [await it.person('submitter'), await it.person('onlooker')];
  const { path } = await it.repository();
  await it.grant(path, 'collaborator', one);
  const { _doc } = await it.allowed('POST', `${path}/branches/create/start?branch=master`, {}, one);
  assert.equal((await it.allowed('GET', `/jobs/${_doc}`, undefined, one))._doc, _doc);
  assert.equal((await it.get(`/jobs/${_doc}`))._doc, _doc);
  await it.refused(404, 'GET', `/jobs/${_doc}`, undefined, other);
  assert.ok(!ids(await it.allowed('POST', '/jobs/query', {}, other)).includes(_doc));
});
statement('semantics 12.4', async () => {
  const { branch } = await it.repository();
  const job = await it.post(`${branch}/validate/start?schedule=synchronous`);
  assert.deepEqual([typeof job.progress.done, typeof job.progress.total], ['number', 'number']);
});
statement('semantics 14.2', async () => {
  for (const [method, path, body] of [['GET', '/nowhere'], ['POST', '/uiconfigs', '{x'], ['GET', `/uiconfigs/${kUnknown}`]]) {
    const { text } = await it.reply(method, path, body);
    assert.ok(!/stacktrace|\.cpp|0x[0-9a-f]{6}/.test(text), text);
  }
});
statement('semantics 14.4', async () => {
  const nested = (depth) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
  assert.equal((await it.reply('POST', '/uiconfigs', `{"config":${nested(50)}}`)).status, 200);
  await it.refused(400, 'POST', '/uiconfigs', nested(120));
  await it.refused(400, 'POST', '/uiconfigs', '{"title":"a","title":"b"}');
});
statement('semantics 14.5', async () => {
  const { branch, node } = await it.repository();
  for (const path of [`/uiconfigs/${await it.make('/uiconfigs')}`, `${branch}/nodes/${await node()}`]) {
    await it.ok('DELETE', path);
    await it.refused(404, 'DELETE', path);
  }
});
statement('semantics 14.6', async () => {
  const path = `/uiconfigs/${await it.make('/uiconfigs')}`;
  const reply = await it.reply('PUT', path, { _doc: kUnknown, title: 'x' });
  assert.ok([200, 400].includes(reply.status));
  assert.equal((await it.get(path))._doc, path.split('/')[2]);
});
statement('nodes 6.1', async () => {
  const { branch, node } = await it.repository();
  const id = await node({ _doc: 'fedcba98765432100123' });
  assert.equal((await it.get(`${branch}/nodes/${id}`))._doc, id);
  const second = await it.reply('POST', `${branch}/nodes`, { _doc: id });
  assert.ok(second.status === 409 || second.json._doc !== id, second.text);
});
statement('nodes 4.1.3', async () => {
  const { path } = await it.repository();
  const job = await it.post(`${path}/branches/create/start?branch=master&schedule=synchronous`, { title: 'started' });
  assert.equal((await it.get(`${path}/branches/${job.createdBranchId}`)).title, 'started');
});
statement('nodes 34.6, nodes 34.7', async () => {
  for (const byPath of [false, true]) {
    const { branch, node } = await it.repository();
    const files = { file1: '/', file2: '/folder1', file4: '/folder1', file3: '/folder1/folder2', file5: '/folder1/folder2' };
    const made = {};
    if (byPath) {
      for (const [title, place] of Object.entries(files)) made[title] = await node({ title }, `?parentFolderPath=${place}`);
      for (const place of ['/folder1', '/folder1/folder2']) made[place] = (await it.get(`${branch}/nodes/root?path=${place}`))._doc;
    } else {
      const folder = (title) => node({ title, _features: { 'f:filename': { filename: title }, 'f:container': { active: 'true' } } });
      made['/'] = 'root';
      made['/folder1'] = await folder('folder1');
      made['/folder1/folder2'] = await folder('folder2');
      for (const title of Object.keys(files)) made[title] = await node({ title, _features: { 'f:filename': { filename: title } } });
      for (const [from, to] of [['/', '/folder1'], ['/folder1', '/folder1/folder2'], ...Object.entries(files).map(([title, place]) => [place, title])]) {
        await it.post(`${branch}/nodes/${made[from]}/associate?node=${made[to]}&type=a:child`);
      }
    }
    const tree = await it.post(`${branch}/nodes/root/tree`);
    assert.equal(tree.children.length, 2);
    for (const child of tree.children) for (const name of ['filename', 'label', 'path', 'typeQName', 'qname']) assert.ok(child[name], name);
    const inner = `${branch}/nodes/${made['/folder1/folder2']}`;
    assert.deepEqual(titles(await it.get(`${inner}/children`)).sort(), ['file3', 'file5']);
    assert.equal((await it.get(`${inner}/relatives?type=a:child&direction=ANY`)).total_rows, 3);
    assert.equal((await it.post(`${inner}/relatives/query?type=a:child&direction=ANY`, { title: 'file5' })).total_rows, 1);
    const walk = await it.post(`${branch}/nodes/root/traverse`, { traverse: { associations: { 'a:child': 'ANY' }, depth: 1, filter: 'ALL_BUT_START_NODE' } });
    assert.deepEqual([Object.keys(walk.nodes).length, Object.keys(walk.associations).length], [2, 2]);
    assert.equal((await it.get(`${branch}/nodes/${made.file5}/path`)).path, '/folder1/folder2/file5');
  }
});
statement('semantics 1.4.3', async () => {
  const { branch, node } = await it.repository();
  await node({ title: 'one rare word among many others that fill it up', kind: 'f' });
  await node({ title: 'rare rare rare', kind: 'f' });
  const { rows } = await it.post(`${branch}/nodes/find`, { query: { kind: 'f' }, search: 'rare' });
  const scores = rows.map((row) => row._search.score);
  assert.deepEqual(scores, [...scores].sort((a, b) => b - a));
});
statement('interface 5.2.12, interface 2.1.2', async () => {
  const path = `/registrars/${await it.make('/registrars', { title: 't', size: 99, datastoreId: 'x' })}`;
  const record = await it.get(path);
  assert.deepEqual([record.size === 99, record.datastoreId === 'x', record.title], [false, false, 't']);
  const grants = Object.values(await it.post(`${path}/authorities`)).flatMap((one) => Object.values(one));
  assert.ok(grants.some((grant) => grant['role-key'] === 'owner'));
});
statement('rulings 34', async () => {
  const application = await it.make('/applications');
  for (const [collection, fields] of [
    ['/registrars', { maxsize: '5000', objectcount: '3' }],
    ['/clients', { accessTokenValiditySeconds: '60', refreshTokenValiditySeconds: '0090' }],
    [`/applications/${application}/emailproviders`, { host: 'mail.example.org', port: '587' }],
    [`/applications/${application}/emailproviders`, { config: { host: 'mail.example.org', port: '587' } }],
  ]) {
    const asNumbers = (value) => (typeof value === 'object' ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, asNumbers(one)]))
      : /^\d+$/.test(value) ? Number(value) : value);
    const record = `${collection}/${await it.make(collection, fields)}`;
    for (let round = 0; round < 2; round += 1) {
      const read = await it.get(record);
      for (const [name, value] of Object.entries(asNumbers(fields))) assert.deepEqual(read[name], value, `${collection} ${name}`);
      await it.put(record, fields);
    }
    const [[name, value]] = Object.entries(fields);
    if (typeof value === 'string' && /^\d+$/.test(value)) {
      assert.equal((await it.post(`${collection}/query`, { [name]: Number(value) })).total_rows, 1, name);
      await it.refused(400, 'POST', collection, { [name]: 'many' });
    }
  }
  // The interface says that the order of a policy is a text, so whoever writes one reads it back.
  const policy = await it.make('/access/policies', { order: '1000' });
  assert.equal((await it.get(`/access/policies/${policy}`)).order, '1000');
});
statement('rulings 38', async () => {
  const [, shown] = readSpecification('nodes.md').match(/^## 32\..*?\n(.*?)^## /ms);
  const tails = [...shown.matchAll(/`(?:\w+ \{N\})?(\/[\w/]+)`/g)].map(([, tail]) => tail);
  assert.ok(tails.length >= 10, tails.join());
  const folder = new URL('../../docs/reference/', import.meta.url);
  const pages = readdirSync(folder).filter((name) => name.startsWith('nodes_')).map((name) => readFileSync(new URL(name, folder), 'utf8')).join('\n');
  const { paths } = (await it.reply('GET', '/openapi.json')).json;
  for (const tail of tails) {
    assert.ok(pages.includes(`{N}${tail}`), `docs/reference tells of {N}${tail}`);
    assert.ok(Object.keys(paths).some((path) => path.endsWith(`/nodes/{nodeId}${tail}`)), `the server has {N}${tail}`);
  }
});
