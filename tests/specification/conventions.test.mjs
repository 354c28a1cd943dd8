// docs/specification/platform.md 0 and 1: what every request and every answer keeps to.
import assert from 'node:assert/strict';
import { ids, statement, Subject, titles } from '../support/statements.mjs';

const it = Subject.serve();
const kUnknown = '0123456789abcdef0123';
const raw = (method, path, options = {}) =>
  it.server.request(method, path, { token: it.server.adminToken, ...options });

statement('platform 0.1.1', async () => {
  const id = await it.make('/uiconfigs');
  const { id: userId } = await it.person('answered');
  const policy = await it.make('/access/policies', {});
  const ref = `user://${await it.platformId()}/default/${userId}`;
  for (const [method, path] of [
    ['POST', `/uiconfigs/${id}/authorities/consumer/grant?id=default/${userId}`],
    ['POST', `/uiconfigs/${id}/authorities/consumer/revoke?id=default/${userId}`],
    ['POST', `/access/policies/${policy}/assign?ref=${ref}`], ['POST', `/access/policies/${policy}/unassign?ref=${ref}`],
    ['DELETE', `/uiconfigs/${id}`],
  ]) {
    const reply = await it.reply(method, path);
    assert.equal(reply.status, 200, path);
    assert.ok(reply.json && !Array.isArray(reply.json) && Object.keys(reply.json).length > 0, path);
  }
});
statement('platform 0.1.2', async () => {
  for (const [status, method, path, body] of [[404, 'GET', `/uiconfigs/${kUnknown}`], [400, 'POST', '/uiconfigs/query', { $no: 1 }],
                                              [405, 'PATCH', '/uiconfigs'], [404, 'GET', '/nowhere']]) {
    const error = await it.refused(status, method, path, body);
    assert.equal(error.status, status);
  }
});
statement('platform 0.1.3', async () => {
  const id = await it.make('/uiconfigs', { title: 'plain' });
  for (const path of ['/', `/uiconfigs/${id}`, '/uiconfigs', '/domains/default']) assert.ok(!('error' in (await it.get(path))), path);
  for (const path of ['/', `/uiconfigs/${id}`, '/domains/default']) assert.ok(!('ok' in (await it.get(path))), path);
  assert.ok(!('error' in (await it.put(`/uiconfigs/${id}`, { title: 'changed', ok: true }))));
});
statement('platform 0.1.4, platform 1.4.3, platform 2.3.3, semantics 5.9.1', async () => {
  for (const token of ['nonsense', `${await it.server.login()}x`, 'a.b.c']) {
    const reply = await raw('GET', '/uiconfigs', { token });
    assert.deepEqual([reply.status, reply.json.error], [401, 'invalid_token']);
    assert.ok(reply.json.error_description.length > 0);
  }
  assert.equal((await raw('GET', '/uiconfigs', { token: undefined })).json.error, 'invalid_token');
  for (const path of [`/uiconfigs/${kUnknown}`, '/nowhere']) assert.notEqual((await it.reply('GET', path)).json.error, 'invalid_token');
});
statement('platform 0.1.5, platform 1.4.4', async () => {
  const someone = await it.person('forbidden');
  const id = await it.make('/uiconfigs');
  await it.grant(`/uiconfigs/${id}`, 'consumer', someone);
  await it.refused(403, 'PUT', `/uiconfigs/${id}`, { title: 'no' }, someone);
});
statement('platform 0.1.6', async () => {
  const reply = await it.server.login('admin', 'admin', { isWhole: true });
  assert.ok(reply.json.expires_in > 3600 && reply.json.expires_in <= 86400 && reply.json.expires_in > 86400 - 60);
});
statement('platform 0.1.7, rulings 11, nodes 26.1', async () => {
  const { branch, node } = await it.repository();
  const id = await it.make('/uiconfigs');
  const nodeId = await node();
  for (const [path, permissionedId] of [['/uiconfigs', id], [`${branch}/nodes`, nodeId], [`${branch}`, nodeId]]) {
    for (const [kind, member, value] of [['permissions', 'permissionId', 'READ'], ['authorities', 'authorityId', 'owner']]) {
      if (path === branch && kind === 'authorities') continue;
      const entry = { permissionedId, principalId: 'default/admin', [member]: value };
      const json = await it.post(`${path}/${kind}/check`, { checks: [entry] });
      assert.deepEqual(json.checks, [{ ...entry, result: true }], path);
      assert.deepEqual(json.results, json.checks);
    }
  }
});
statement('platform 0.1.8, nodes 1.1.1', async () => {
  const { branch } = await it.repository();
  for (const path of ['/uiconfigs', `${branch}/nodes`]) {
    for (const type of ['application/json', 'text/plain; charset=utf-8', 'application/x-www-form-urlencoded', 'application/octet-stream']) {
      const reply = await raw('POST', path, { body: '{"title":"typed"}', headers: { 'Content-Type': type } });
      assert.equal(reply.json.title, 'typed', `${path} ${type}`);
    }
  }
});
statement('platform 0.1.9, rulings 15, rulings 16', async () => {
  const { id } = await it.person('parameters');
  const record = await it.make('/uiconfigs');
  assert.ok(Array.isArray((await it.get('/uiconfigs?a=1&cb=5&zzz=%7B')).rows));
  assert.equal((await it.post(`/uiconfigs/${record}/authorities/consumer/grant`, { id: `default/${id}` })).ok, true);
  assert.deepEqual((await it.get(`/uiconfigs/${record}/acl?id=default/${id}`)).rows, ['consumer']);
  await it.refused(400, 'POST', `/uiconfigs/${record}/authorities/consumer/grant`, {});
});
statement('platform 0.1.10, nodes 1.2.8', async () => {
  const { branch, node } = await it.repository();
  const id = await node({ title: 'twice', z: { b: 1, a: [2, null] } });
  for (const path of ['/', '/domains/default', `${branch}`, `${branch}/nodes/${id}`]) {
    assert.deepEqual(await it.get(path), await it.get(path));
    assert.equal((await it.reply('GET', path)).text, (await it.reply('GET', path)).text);
  }
});

statement('platform 1.1.1, interface 5.2.5, interface 5.2.6', async () => {
  const id = await it.make('/uiconfigs', { title: 'a' });
  assert.equal((await it.post(`/uiconfigs/${id}/update`, { title: 'b' })).ok, true);
  assert.equal((await it.get(`/uiconfigs/${id}`)).title, 'b');
  assert.equal((await it.post(`/uiconfigs/${id}/delete`))._doc, id);
  await it.refused(404, 'GET', `/uiconfigs/${id}`);
});
statement('platform 1.1.2', async () => {
  const { branch } = await it.repository();
  for (const path of ['/', '/uiconfigs', '/domains/default/principals', '/projects', branch, `${branch}/nodes/root`]) {
    await it.get(`${path}?full=true&metadata=true&paths=true&locale=default&cb=123`);
  }
});
statement('platform 1.1.3', async () => {
  const headers = { 'X-Requested-With': 'XMLHttpRequest', 'X-CLOUDCMS-ORIGIN': 'here', 'X-CSRF-TOKEN': 'x', 'x-cloudcms-band-id': 'b',
                    'Accept-Language': 'en-US,en;q=0.9', Accept: '*/*, application/json' };
  await it.get('/');
  assert.equal((await raw('GET', '/uiconfigs', { headers })).status, 200);
});
statement('platform 1.1.4, platform 3.1.3, nodes 1.1.2', async () => {
  const { branch } = await it.repository();
  for (const path of ['/uiconfigs', '/repositories', `${branch}/nodes`, '/access/policies']) {
    for (const body of [undefined, '', '{}']) {
      const reply = await raw('POST', path, { body, headers: { 'Content-Type': 'application/json' } });
      assert.equal(reply.status, 200, `${path}: ${reply.text}`);
      assert.ok(reply.json._doc);
    }
  }
});
statement('platform 1.1.5', async () => {
  assert.ok((await it.post('/repositories?title=in%20the%20query', {}))._doc);
});
statement('platform 1.1.6', async () => {
  await it.get('/');
  for (const path of ['', '?full=true', '/?full=true']) {
    const { json } = await raw('GET', path || '/');
    assert.equal(json._doc, await it.platformId());
  }
});
statement('platform 1.1.7, interface 5.1.3, nodes 1.1.3', async () => {
  const { path, branch, node } = await it.repository();
  const id = await node();
  for (const one of ['/uiconfigs', '/registrars', '/webhosts', '/repositories', `${path}/branches`, `${branch}/nodes/${id}`, `${branch}/nodes/${id}/versions`]) {
    assert.deepEqual(await it.get(`${one}/`), await it.get(one));
  }
  assert.equal((await it.post('/registrars/', { title: 'slashed' })).ok, true);
  assert.equal((await it.post('/webhosts/', { title: 'slashed' })).ok, true);
});
statement('platform 1.1.8, semantics 16.7', async () => {
  const { id } = await it.person('decoded');
  const record = await it.make('/uiconfigs');
  await it.grant(`/uiconfigs/${record}`, 'consumer', id);
  assert.deepEqual((await it.get(`/uiconfigs/${record}/acl/default%2F${id}`)).rows, ['consumer']);
  const odd = await it.make('/uiconfigs', { _doc: 'a%2Fb' }).catch(() => undefined);
  if (odd) assert.equal((await it.get(`/uiconfigs/${encodeURIComponent(odd)}`))._doc, odd);
});
statement('platform 1.1.9', async () => {
  for (const title of ['b', 'a', 'c']) await it.make('/sidekicks', { title });
  for (const query of ['skip=1&limit=1&sort={"title":1}', 'skip="1"&limit="1"&sort={"title":1}']) {
    const page = await it.get(`/sidekicks?${encodeURI(query)}`);
    assert.deepEqual([titles(page), page.offset], [['b'], 1]);
  }
  assert.equal((await it.get('/sidekicks?limit=-1')).size, 3);
});
statement('platform 1.1.10, nodes 1.1.4', async () => {
  const { branch, node } = await it.repository();
  const id = await node({}, '?parentFolderPath=/');
  for (const value of ['true', 'True', 'TRUE', '1']) assert.ok((await it.get(`${branch}/nodes/${id}?paths=${value}`))._paths, value);
  for (const value of ['false', 'False']) assert.ok(!('_paths' in (await it.get(`${branch}/nodes/${id}?paths=${value}`))), value);
  assert.ok(!('_system' in (await it.get(`${branch}/nodes/${id}?metadata=false`))));
});
statement('platform 1.1.11', async () => {
  const all = await Promise.all(Array.from({ length: 20 }, () => it.get('/')));
  for (const one of all) assert.deepEqual(one, all[0]);
});

statement('platform 1.2.1, interface 3.9.1, interface 5.2.1, nodes 1.2.4', async () => {
  const { branch } = await it.repository();
  for (const path of ['/uiconfigs', '/registrars', '/repositories', '/domains', '/access/policies', `${branch}/nodes`, `${branch.replace('/master', '')}?branch=master`]) {
    const made = await it.post(path, { title: 'made' });
    assert.equal(made.ok, true);
    const base = path.split('?')[0];
    assert.equal((await it.get(`${base}/${made._doc}`)).title, 'made', path);
  }
});
statement('platform 1.2.2, interface 1.2, interface 2.1.1, interface 5.2.4', async () => {
  const id = await it.make('/uiconfigs', { title: 't', own: { a: [1, { b: null }] } });
  const record = await it.get(`/uiconfigs/${id}`);
  assert.deepEqual([record._doc, record.title, record.own], [id, 't', { a: [1, { b: null }] }]);
  assert.equal(typeof record._system, 'object');
  assert.ok(!('ok' in record));
});
statement('platform 1.2.3', async () => {
  const id = await it.make('/uiconfigs', { title: 't', gone: 1, kept: 2 });
  await it.put(`/uiconfigs/${id}`, { title: 't', kept: 3 });
  const record = await it.get(`/uiconfigs/${id}`);
  assert.ok(!('gone' in record));
  assert.equal(record.kept, 3);
});
statement('platform 1.2.4', async () => {
  const id = await it.make('/uiconfigs');
  const json = await it.ok('DELETE', `/uiconfigs/${id}`);
  assert.deepEqual([json.ok, json._doc], [true, id]);
});
statement('platform 1.2.5, interface 3.9.2, interface 6.1, semantics 1.1.6', async () => {
  for (const [method, path] of [['GET', '/reports'], ['POST', '/reports/query'], ['GET', '/domains'], ['POST', '/repositories/query']]) {
    const page = await it.ok(method, path, method === 'POST' ? { title: 'nothing has it' } : undefined);
    for (const member of ['total_rows', 'offset', 'size']) assert.equal(typeof page[member], 'number', `${path} ${member}`);
    assert.ok(Array.isArray(page.rows));
    assert.equal(page.size, page.rows.length);
  }
});
statement('platform 1.2.6', async () => {
  const { branch, node } = await it.repository();
  const id = await node();
  assert.equal((await it.reply('POST', '/uiconfigs', {})).status, 200);
  const file = `${branch}/nodes/${id}/attachments/default`;
  assert.equal((await raw('POST', file, { body: 'some text', headers: { 'Content-Type': 'text/plain' } })).status, 200);
  assert.equal((await raw('GET', file, { headers: { Range: 'bytes=0-3' } })).status, 206);
  // A record that is answered as it is stored; a node has computed parts.
  const config = `/uiconfigs/${(await it.reply('POST', '/uiconfigs', {})).json._doc}`;
  const { headers } = await raw('GET', config);
  assert.equal((await raw('GET', config, { headers: { 'If-None-Match': headers.etag } })).status, 304);
});
statement('platform 1.2.7', async () => {
  const { headers } = await it.reply('GET', '/uiconfigs');
  assert.match(headers['content-type'], /^application\/json; ?charset=utf-8$/i);
  assert.ok(headers['content-length'] || headers['transfer-encoding'] === 'chunked');
});
statement('platform 1.2.9, platform 17.9, semantics 16.4, semantics 3.6.2', async () => {
  const id = await it.make('/registrars', { title: 't' });
  await it.put(`/registrars/${id}`, { title: 'u', _system: { created_by: 'me' }, _ref: 'x', ok: false, datastoreId: 'x', locked: true, size: 7, _groups: {} });
  const record = await it.get(`/registrars/${id}`);
  assert.deepEqual([record._doc, record.title, record._system.created_by, record.datastoreId, record.locked, record.size],
                   [id, 'u', 'admin', id, false, 0]);
  for (const name of ['_ref', 'ok', '_groups']) assert.ok(!(name in record), name);
});

statement('platform 1.3.1, platform 1.3.2', async () => {
  const { _system } = await it.get(`/uiconfigs/${await it.make('/uiconfigs')}`);
  for (const name of ['created_by', 'created_by_principal_id', 'created_by_principal_domain_id', 'modified_by', 'modified_by_principal_id', 'modified_by_principal_domain_id']) {
    assert.equal(typeof _system[name], 'string', name);
  }
  for (const time of [_system.created_on, _system.modified_on]) {
    assert.equal(typeof time.timestamp, 'string');
    for (const part of ['year', 'month', 'day_of_month', 'hour', 'minute', 'second', 'millisecond', 'ms']) assert.equal(typeof time[part], 'number', part);
  }
  assert.deepEqual([_system.created_by, _system.created_by_principal_domain_id], ['admin', 'default']);
});
statement('platform 1.3.3, semantics 1.1.10', async () => {
  for (let i = 0; i < 3; ++i) await it.make('/views', { title: `v${i}` });
  const down = await it.get(`/views?sort=${encodeURIComponent('{"_system.created_on.ms":-1,"title":-1}')}`);
  assert.deepEqual(titles(down), ['v2', 'v1', 'v0']);
  const { ms } = down.rows[0]._system.created_on;
  assert.equal((await it.post('/views/query', { '_system.created_on.ms': { $lte: ms } })).total_rows, 3);
  assert.equal((await it.post('/views/query', { '_system.modified_on.ms': { $gt: ms + 1e9 } })).total_rows, 0);
});
statement('platform 1.3.4', async () => {
  const app = await it.make('/applications');
  const parents = [['/uiconfigs', 'platformId', await it.platformId()], ['/domains/default/principals', 'domainId', 'default'],
                   [`/applications/${app}/emailproviders`, 'applicationId', app], ['/registrars/default/plans', 'registrarId'],
                   ['/directories/default/identities', 'directoryId']];
  for (const [path, member, value] of parents) {
    const fields = { type: 'USER', name: 'parented', planKey: 'parented' };
    const record = await it.get(`${path}/${await it.make(path, path.includes('plans') || path.includes('principals') ? fields : {})}`);
    assert.equal(typeof record[member], 'string', path);
    if (value) assert.equal(record[member], value, path);
  }
  const host = await it.make('/webhosts');
  assert.equal((await it.get(`/webhosts/${host}/autoclientmappings/${await it.make(`/webhosts/${host}/autoclientmappings`)}`)).webhostId, host);
});
statement('platform 1.3.5, semantics 0.1.1', async () => {
  for (const path of ['/uiconfigs', '/repositories', '/domains']) assert.match(await it.make(path), /^[0-9a-f]+$/);
});

statement('platform 1.4.1, rulings 12', async () => {
  for (const [status, method, path, body] of [[404, 'GET', `/uiconfigs/${kUnknown}`], [405, 'PATCH', '/uiconfigs'], [400, 'GET', '/uiconfigs?skip=x'],
                                              [400, 'POST', '/uiconfigs', '{broken']]) {
    const reply = await it.reply(method, path, body);
    const { json } = reply;
    assert.deepEqual([reply.status, json.ok, json.error, json.status], [status, false, true, status]);
    for (const name of ['message', 'code', 'requestId']) assert.equal(typeof json[name], 'string', name);
    assert.equal(json.requestId, reply.headers['x-request-id']);
  }
  const { violations } = (await it.reply('POST', '/uiconfigs', { title: 5, enabled: 'x', config: [] })).json;
  assert.ok(violations.length >= 2);
});
statement('platform 1.4.2', async () => {
  const reply = await it.server.login('admin', 'wrong', { isWhole: true });
  assert.equal(typeof reply.json.error_description, 'string');
});
statement('platform 1.4.5', async () => {
  const someone = await it.person('outside');
  const hidden = await it.make('/uiconfigs');
  await it.refused(404, 'GET', `/uiconfigs/${hidden}`, undefined, someone);
  await it.refused(404, 'GET', `/uiconfigs/${kUnknown}`, undefined, someone);
});
statement('platform 1.4.6, rulings 5', async () => {
  for (const [method, path, body, named] of [
    ['POST', '/uiconfigs', '{"a":', /JSON/i], ['GET', '/uiconfigs?skip=minus', undefined, /skip/], ['GET', '/uiconfigs?limit=x', undefined, /limit/],
    ['GET', '/uiconfigs?sort=%7Bbroken', undefined, /sort/], ['POST', '/uiconfigs/query', { a: { $never: 1 } }, /\$never/],
    ['POST', '/access/policies/find', {}, /ref/]]) {
    const error = await it.refused(400, method, path, body);
    assert.match(JSON.stringify([error.message, error.violations]), named, path);
  }
});
statement('platform 1.4.7', async () => {
  await it.make('/registrars/default/plans', { planKey: 'taken' });
  await it.refused(409, 'POST', '/registrars/default/plans', { planKey: 'taken' });
  await it.make('/domains/default/principals', { type: 'USER', name: 'taken' });
  await it.refused(409, 'POST', '/domains/default/principals', { type: 'GROUP', name: 'taken' });
});
statement('platform 1.4.8, nodes 1.4.3', async () => {
  const { branch } = await it.repository();
  for (const path of [`/repositories/${kUnknown}`, `${branch}/nodes/${kUnknown}`]) assert.equal((await it.reply('GET', path)).statusText, 'Not Found');
});
statement('platform 1.4.9, rulings 10', async () => {
  const unknown = await it.refused(404, 'GET', '/no/such/route');
  assert.equal(unknown.code, 'http.route_unknown');
  const method = await it.reply('PATCH', '/uiconfigs');
  assert.deepEqual([method.status, method.json.code], [405, 'http.method_unknown']);
  assert.match(method.headers.allow, /GET/);
});

statement('platform 1.5.1', async () => {
  const { path, branch } = await it.repository();
  for (const [method, one] of [['GET', '/descriptors'], ['POST', '/descriptors/query'], ['GET', '/domains/default/principals'], ['GET', `${path}/branches`],
                               ['POST', `${branch}/nodes/query`], ['GET', `${path}/changesets`], ['GET', '/jobs']].filter(([, one]) => one !== '/jobs')) {
    const query = 'skip=0&limit=1&sort=%7B%22title%22%3A1%7D&options=%7B%22locale%22%3A%22en%22%7D';
    const page = await it.ok(method, `${one}?${query}`, method === 'POST' ? {} : undefined);
    assert.ok(page.rows.length <= 1, one);
    await it.refused(400, method, `${one}?skip=minus`, method === 'POST' ? {} : undefined);
  }
});
statement('platform 1.5.2, platform 1.5.3, rulings 4, nodes 1.1.9', async () => {
  await Promise.all(Array.from({ length: 30 }, (_, i) => it.make('/deployment/packages', { title: `p${i}` })));
  assert.equal((await it.get('/deployment/packages')).size, 30);
  assert.equal((await it.get('/deployment/packages?limit=-1')).size, 30);
  assert.equal((await it.get('/deployment/packages?limit=7')).size, 7);
});
statement('platform 1.5.4, rulings 2, nodes 1.1.7', async () => {
  const options = (value) => `/domains?sort=%7B%22title%22%3A1%7D&options=${encodeURIComponent(JSON.stringify(value))}`;
  await it.get(options({ countTotal: true }));
  await it.get(options({ locales: 'de', numericOrdering: true }));
  await it.refused(400, 'GET', options({ numericOrdering: true }));
  await it.refused(400, 'GET', options({ caseFirst: 'upper' }));
});
statement('platform 1.5.5, semantics 1.2.4', async () => {
  for (let i = 0; i < 3; ++i) await it.make('/deployment/targets', {});
  const page = await it.get('/deployment/targets?skip=10');
  assert.deepEqual([page.rows, page.size, page.total_rows, page.offset], [[], 0, 3, 10]);
});
statement('platform 1.5.6, rulings 3, interface 6.2, nodes 1.3.4', async () => {
  const made = [];
  for (let i = 0; i < 7; ++i) made.push(await it.make('/deployment/receivers', { same: 1 }));
  const pages = [await it.get('/deployment/receivers?limit=3'), await it.get('/deployment/receivers?skip=3&limit=3'), await it.get('/deployment/receivers?skip=6&limit=3')];
  assert.deepEqual(pages.flatMap(ids), made);
  assert.deepEqual(ids(await it.get('/deployment/receivers?sort=%7B%22same%22%3A1%7D')), made);
  const late = await it.make('/deployment/receivers', {});
  assert.equal(ids(await it.get('/deployment/receivers?sort=%7B%22same%22%3A1%7D'))[0], late);
});
statement('platform 1.5.7, nodes 13.3', async () => {
  const { branch, node } = await it.repository();
  const fields = [{ k: 'a', n: 1, tags: ['x', 'y'], deep: { v: 1 } }, { k: 'b', n: 2, tags: ['y'], list: [{ p: 1, q: 2 }] }, { k: 'c', n: 3 }];
  for (const one of fields) await it.make('/billing/configurations', one);
  for (const one of fields) await node(one);
  const queries = [[{ k: 'a' }, 'a'], [{ tags: 'y' }, 'ab'], [{ 'deep.v': 1 }, 'a'], [{ n: { $eq: 2 } }, 'b'], [{ n: { $gt: 1 } }, 'bc'], [{ n: { $gte: 2 } }, 'bc'],
    [{ n: { $lt: 2 } }, 'a'], [{ n: { $lte: 2 } }, 'ab'], [{ k: { $in: ['a', 'c'] } }, 'ac'], [{ k: { $exists: true, $ne: 'a' } }, 'bc'],
    [{ n: { $exists: true, $nin: [1, 2] } }, 'c'], [{ tags: { $exists: true } }, 'ab'], [{ k: { $regex: '^[AB]$', $options: 'i' } }, 'ab'],
    [{ n: { $exists: true, $not: { $gt: 1 } } }, 'a'], [{ $and: [{ n: { $gt: 1 } }, { n: { $lt: 3 } }] }, 'b'], [{ $or: [{ k: 'a' }, { n: 3 }] }, 'ac'],
    [{ n: { $gt: 0 }, $nor: [{ k: 'a' }, { k: 'b' }] }, 'c'], [{ tags: { $all: ['x', 'y'] } }, 'a'], [{ tags: { $size: 1 } }, 'b'],
    [{ list: { $elemMatch: { p: 1, q: 2 } } }, 'b'], [{ n: { $type: 'number' }, tags: null }, 'c']];
  for (const [query, expected] of queries) {
    for (const path of ['/billing/configurations/query', `${branch}/nodes/query`]) {
      const page = await it.post(path, query);
      assert.equal(page.rows.map((row) => row.k).join(''), expected, `${path} ${JSON.stringify(query)}`);
      assert.equal(page.total_rows, expected.length);
    }
  }
});
statement('platform 1.5.8, semantics 1.1.7', async () => {
  const made = [await it.make('/deployment/strategies', {}), await it.make('/deployment/strategies', {})];
  for (const body of [{}, undefined]) assert.deepEqual(ids(await it.post('/deployment/strategies/query', body)), made);
});
statement('platform 1.5.9, semantics 1.1.9, semantics 0.2.2, architecture 5.3', async () => {
  const someone = await it.person('counting');
  const shown = await it.make('/uiconfigs', { counted: 1 });
  for (let i = 0; i < 4; ++i) await it.make('/uiconfigs', { counted: 1 });
  await it.grant(`/uiconfigs/${shown}`, 'consumer', someone);
  for (const [method, path, body] of [['GET', '/uiconfigs'], ['POST', '/uiconfigs/query', { counted: 1 }], ['POST', '/uiconfigs/query?limit=1', {}]]) {
    const page = await it.allowed(method, path, body, someone);
    assert.deepEqual([ids(page), page.total_rows], [[shown], 1]);
  }
  assert.equal((await it.post('/uiconfigs/query?skip=1&limit=2', { counted: 1 })).total_rows, 5);
});
statement('platform 1.2.8', async () => {
  const { branch, node } = await it.repository();
  const file = `${branch}/nodes/${await node()}/attachments/default`;
  const bytes = Buffer.from([0, 255, 1, 254, 13, 10]);
  await raw('POST', file, { body: bytes, headers: { 'Content-Type': 'image/png' } });
  const down = await raw('GET', file);
  assert.deepEqual([down.bytes, down.headers['content-type'], down.headers['content-length']], [bytes, 'image/png', '6']);
});
