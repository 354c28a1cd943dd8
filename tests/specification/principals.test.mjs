// docs/specification/platform.md 7: domains, principals, memberships, identities.
import assert from 'node:assert/strict';
import { ids, statement, Subject, titles } from '../support/statements.mjs';

const it = Subject.serve();
const kPrincipals = '/domains/default/principals';
const user = (name, fields = {}, domain = 'default') => it.make(`/domains/${domain}/principals`, { type: 'USER', name, password: `secret-of-${name}`, ...fields });
const group = (name, domain = 'default') => it.make(`/domains/${domain}/principals`, { type: 'GROUP', name });
const add = (groupId, id, domain = 'default') => it.post(`/domains/${domain}/principals/${groupId}/members/add?id=${id.includes('/') ? id : `${domain}/${id}`}`);
const domain = (title) => it.make('/domains', { title });
const identityOf = async (id) => {
  const { directoryId, identityId } = await it.get(`${kPrincipals}/${id}`);
  return `/directories/${directoryId}/identities/${identityId}`;
};

statement('platform 7.1.2', async () => {
  const d = await domain('listed');
  const made = [await user('a', {}, d), await user('b', {}, d), await group('c', d)];
  assert.deepEqual(ids(await it.get(`/domains/${d}/principals`)), made);
  assert.deepEqual(ids(await it.post(`/domains/${d}/principals/query`, { type: 'GROUP' })), [made[2]]);
  for (const kind of ['direct', 'indirect']) {
    assert.deepEqual((await it.get(`/domains/${d}/principals?groups=${kind}`)).rows[0]._groups, {});
    assert.deepEqual((await it.post(`/domains/${d}/principals/query?groups=${kind}`, {})).rows[0]._groups, {});
  }
});
statement('platform 7.1.4', async () => {
  const d = await domain('checked');
  const [u, g, outer] = [await user('u', {}, d), await group('g', d), await group('outer', d)];
  await add(g, u, d);
  await add(outer, g, d);
  const checks = [[g, u, false], [outer, u, false], [outer, u, true], [outer, g, false]].map(([groupId, principalId, indirect]) => ({ groupId, principalId, indirect }));
  const json = await it.post(`/domains/${d}/principals/membership/check`, { checks });
  assert.deepEqual(json.results.map((one) => one.result), [true, false, true, true]);
  assert.deepEqual(json.checks, json.results);
});
statement('platform 7.1.5, platform 7.2.10', async () => {
  const d = await domain('members');
  const [u1, u2, inner, outer] = [await user('u1', {}, d), await user('u2', {}, d), await group('inner', d), await group('outer', d)];
  await add(inner, u2, d);
  for (const one of [u1, inner]) await add(outer, one, d);
  const members = async (query = '') => ids(await it.get(`/domains/${d}/principals/${outer}/members${query}`));
  assert.deepEqual(await members(), [u1, inner]);
  assert.deepEqual(await members('?filter=user'), [u1]);
  assert.deepEqual(await members('?filter=group'), [inner]);
  assert.deepEqual((await members('?indirect=true')).sort(), [u1, u2, inner].sort());
  assert.deepEqual((await members('?indirect=true&filter=user')).sort(), [u1, u2].sort());
  assert.deepEqual(await members('?skip=1&limit=1'), [inner]);
});
statement('platform 7.1.6, platform 18.10', async () => {
  const [d1, d2] = [await domain('one'), await domain('two')];
  const [a, b, c] = [await user('a', {}, d1), await user('b', {}, d2), await user('c', {}, d2)];
  const g = await group('cross', d1);
  for (const one of [`${d1}/${a}`, `${d2}/${b}`, `${d2}/${c}`]) await add(g, one, d1);
  assert.equal((await it.get(`/domains/${d1}/principals/${g}/members`)).total_rows, 3);
  await it.post(`/domains/${d1}/principals/${g}/members/remove?id=${d2}/${b}`);
  assert.deepEqual(ids(await it.get(`/domains/${d1}/principals/${g}/members`)), [a, c]);
});
statement('platform 7.1.7, platform 18.8, semantics 5.1.2', async () => {
  const d = await domain('memberships');
  const [u, g3, g2, g1] = [await user('u', {}, d), await group('g3', d), await group('g2', d), await group('g1', d)];
  await add(g3, u, d);
  await add(g2, g3, d);
  const of = async (query = '') => ids(await it.get(`/domains/${d}/principals/${u}/memberships${query}`));
  assert.deepEqual([await of(), (await of('?indirect=true')).sort()], [[g3], [g2, g3].sort()]);
  await add(g1, g2, d);
  assert.equal((await of('?indirect=true&limit=1')).length, 1);
  assert.equal((await of('?indirect=true&limit=4')).length, 3);
  assert.equal((await of('?indirect=true&skip=2&limit=2')).length, 1);
});
statement('platform 7.1.8', async () => {
  const id = await user('with-identity');
  assert.equal((await it.get(`${kPrincipals}/${id}/identity`))._doc, (await it.get(`${kPrincipals}/${id}`)).identityId);
});

statement('platform 7.2.1, platform 7.2.2', async () => {
  const [u, g] = [await user('shown'), await group('shown-group')];
  for (const [id, name, type] of [[u, 'shown', 'USER'], [g, 'shown-group', 'GROUP']]) {
    const record = await it.get(`${kPrincipals}/${id}`);
    assert.deepEqual([record._doc, record.domainId, record.domainQualifiedId, record.domainQualifiedName, record.type],
                     [id, 'default', `default/${id}`, `default/${name}`, type]);
    assert.ok(ids(await it.post(`${kPrincipals}/query?limit=-1`, { type })).includes(id));
  }
});
statement('platform 7.2.5, platform 7.3.1', async () => {
  const record = await it.get(`${kPrincipals}/${await user('identified')}`);
  assert.equal((await it.get(`/directories/primary`))._doc, record.directoryId);
  await it.get(`/directories/${record.directoryId}/identities/${record.identityId}`);
  const twin = await it.get(`${kPrincipals}/${await user('twin', { identityId: record.identityId, directoryId: record.directoryId, password: undefined })}`);
  assert.equal(twin.identityId, record.identityId);
});
statement('platform 7.2.6', async () => {
  const d = await domain('groups on create');
  const [a, b, c] = [await group('a', d), await group('b', d), await group('c', d)];
  const u = await user('u', { groups: ['a', b, `${d}/${c}`] }, d);
  for (const g of [a, b, c]) assert.deepEqual(ids(await it.get(`/domains/${d}/principals/${g}/members`)), [u]);
  assert.ok(!('groups' in (await it.get(`/domains/${d}/principals/${u}`))));
});
statement('platform 7.2.8, platform 7.2.9', async () => {
  const d = await domain('nested');
  const u = await user('u', {}, d);
  const [g1, g2, g3, g4] = [await group('g1', d), await group('g2', d), await group('g3', d), await group('g4', d)];
  for (const g of [g1, g2, g3]) await add(g, u, d);
  await add(g4, g3, d);
  const path = `/domains/${d}/principals`;
  for (const [kind, count] of [['direct', 3], ['indirect', 4]]) {
    const rows = [await it.get(`${path}/${u}?groups=${kind}`), (await it.get(`${path}?groups=${kind}`)).rows.find((row) => row._doc === u),
                  (await it.post(`${path}/query?groups=${kind}`, { name: 'u' })).rows[0]];
    for (const row of rows) assert.equal(Object.keys(row._groups).length, count);
  }
  assert.ok(!('_groups' in (await it.get(`${path}/${u}`))));
});
statement('platform 7.2.11', async () => {
  const d = await domain('circle');
  const [u, a, b] = [await user('u', {}, d), await group('a', d), await group('b', d)];
  await add(a, b, d);
  await it.reply('POST', `/domains/${d}/principals/${b}/members/add?id=${d}/${a}`);
  await add(b, u, d);
  assert.deepEqual((await it.get(`/domains/${d}/principals/${u}/memberships?indirect=true`)).rows.map((row) => row.name).sort(), ['a', 'b']);
  assert.ok((await it.get(`/domains/${d}/principals/${a}/members?indirect=true`)).total_rows >= 2);
});
statement('platform 7.2.12', async () => {
  const manager = await it.person('manages-by-group');
  const one = await user('managed');
  const g = await group('managers-of-one');
  await add(g, manager.id);
  await it.grant(`${kPrincipals}/${one}`, 'manager', g);
  const record = await it.allowed('GET', `${kPrincipals}/${one}`, undefined, manager);
  await it.allowed('PUT', `${kPrincipals}/${one}`, { ...record, title: 'managed' }, manager);
});
statement('platform 7.2.13', async () => {
  const one = await it.person('leaving');
  const g = await group('left');
  await add(g, one.id);
  const config = await it.make('/uiconfigs');
  await it.grant(`/uiconfigs/${config}`, 'editor', one);
  await it.ok('DELETE', one.path);
  assert.equal((await it.get(`${kPrincipals}/${g}/members`)).total_rows, 0);
  assert.ok(!ids(await it.get(`/uiconfigs/${config}/acl/list`)).includes(one.id));
  assert.equal((await it.reply('GET', '/', undefined, one)).status, 401);
});

statement('platform 7.3.2', async () => {
  const d = await domain('inviting');
  const one = await user('invited', { email: 'invited@example.org' });
  const { _doc, ok } = await it.post(`/domains/${d}/principals/invite?id=default/${one}`);
  assert.equal(ok, true);
  const [there, here] = [await it.get(`/domains/${d}/principals/${_doc}`), await it.get(`${kPrincipals}/${one}`)];
  assert.deepEqual([there.name, there.email, there.identityId], [here.name, here.email, here.identityId]);
});
statement('platform 7.3.4, platform 7.3.7', async () => {
  const d = await domain('second home');
  const one = await user('in-two-domains');
  const other = await it.make(`/domains/${d}/principals/invite?id=default/${one}`);
  const identity = await identityOf(one);
  assert.deepEqual(ids(await it.get(`${identity}/users`)).sort(), [one, other].sort());
  assert.deepEqual(ids(await it.get(`${identity}/policy/users`)).sort(), [one, other].sort());
});
statement('platform 7.3.5, platform 7.3.6', async () => {
  const one = await user('of-a-tenant');
  const identity = await identityOf(one);
  const tenant = await it.make('/registrars/default/tenants', { title: 't', planKey: 'unlimited', principalId: one, domainId: 'default' });
  assert.equal((await it.get(`${identity}/policy/users`)).total_rows, 2);
  assert.equal((await it.get(`${identity}/policy/user?tenantId=${tenant}`)).name, 'of-a-tenant');
  await it.refused(404, 'GET', `${identity}/policy/user?tenantId=0123456789abcdef0123`);
  assert.deepEqual(ids(await it.get(`${identity}/policy/tenants`)), [tenant]);
  assert.equal((await it.get(`${identity}/policy/tenants?registrarId=default`)).total_rows, 2);
});
statement('platform 7.3.8', async () => {
  const path = '/directories/default/connections';
  const before = (await it.get(path)).total_rows;
  const made = await it.make(path, { 'identity-id': 'x', providerId: 'one', providerUserId: 'u', free: { a: 1 } });
  await it.make(path, { providerId: 'two' });
  assert.equal((await it.get(path)).total_rows, before + 2);
  assert.deepEqual(ids(await it.post(`${path}/query`, { providerId: 'one' })), [made]);
  await it.put(`${path}/${made}`, { providerId: 'changed' });
  assert.equal((await it.get(`${path}/${made}`)).providerId, 'changed');
  await it.ok('DELETE', `${path}/${made}`);
  await it.refused(404, 'GET', `${path}/${made}`);
});
statement('platform 18.9', async () => {
  const d = await domain('sorted');
  for (const title of ['c', 'a', 'e', 'b', 'd']) await user(`of-${title}`, { title }, d);
  assert.deepEqual(titles(await it.get(`/domains/${d}/principals?sort=${encodeURIComponent('{"title":1}')}`)), ['a', 'b', 'c', 'd', 'e']);
});
statement('platform 18.16', async () => assert.equal((await it.post('/domains/query', {})).rows[0]._doc, 'default'));
