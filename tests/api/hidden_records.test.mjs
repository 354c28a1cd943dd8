// What a caller may not read changes nothing that it is told: replies to everything that can be asked are the
// same in a store with hidden records and without. What cannot be kept (names that are taken) is told in
// docs/reference/authorities.md.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { allRoutes, makeRecords, makeTeams } from '../support/route_walk.mjs';
import { SteleServer } from '../support/stele_server.mjs';

let server;
let ids;
let routes;
const callers = {};
const admin = (...request) => server.admin(...request);

/// Reads nothing but what everybody may, but may enter stores, repository and branch, and read one node.
async function makeVisitor() {
  await server.makeUser('visitor');
  const enter = [`/repositories/${ids.repositoryId}`, `/repositories/${ids.repositoryId}/branches/${ids.branchId}`];
  const read = [`/registrars/${ids.registrarId}`, `/webhosts/${ids.webhostId}`, `/domains/${ids.domainId}`, `/directories/${ids.directoryId}`,
                `/applications/${ids.applicationId}`, `/stacks/${ids.stackId}`, `/projects/${ids.projectId}`,
                `/repositories/${ids.repositoryId}/branches/${ids.branchId}/nodes/${ids.nodeId}`];
  for (const path of enter) await admin('POST', `${path}/authorities/connector/grant?id=default/visitor`);
  for (const path of read) await admin('POST', `${path}/authorities/consumer/grant?id=default/visitor`);
}

const reading = /\/(query|find|search|traverse|tree|lookup|check|deep|read|exists|authorities|predelete|targets|changes|diff|start)$/;
const questions = {
  query: { title: { $regex: '^hid' } }, find: { query: { title: { $exists: true } }, search: 'walk' }, search: { search: 'walk' },
  traverse: { traverse: { depth: 2 } },
};

/// Every operation that only tells something, as a caller asks it, with its figures where it has some.
function* requests() {
  for (const { method, target, template, isOpen } of routes) {
    if (isOpen || template.startsWith('/oauth') || template.startsWith('/auth/')) continue;
    const isReading = method === 'GET' ? !/\/(start|poll|acquire)$/.test(template) : method === 'POST' && reading.test(template) && !template.endsWith('/start');
    if (!isReading) continue;
    const more = `${target.includes('?') ? '&' : '?'}explain=true`;
    yield [method, target];
    if (method === 'GET') yield [method, `${target}${more}&limit=2&skip=1`];
    if (method === 'GET') continue;
    yield [method, target + more, questions[template.split('/').at(-1)] ?? {}];
    yield [method, target + more, {}];
    if (!template.endsWith('/query')) continue;
    for (const member of ['size', 'objectcount', 'email', 'password', 'secret', 'key']) {
      yield [method, target + more, { [member]: { $gte: 0 } }];
      yield [method, target + more, { $or: [{ [member]: { $regex: '^.' } }, { [member]: { $ne: 7 } }] }];
      yield [method, `${target + more}&sort=${encodeURIComponent(JSON.stringify({ [member]: -1 }))}`, {}];
    }
  }
}

/// What of a reply differs from one request to the next.
function settled({ status, json, text, headers }) {
  if (json === undefined) return { status, text };
  const { requestId, ...rest } = json;
  return { status, etag: headers.etag, ...rest };
}

async function everythingTold(token) {
  const told = new Map();
  for (const [method, path, body] of requests()) {
    const reply = await server.request(method, path, { token, body: method === 'GET' ? undefined : body ?? {} });
    told.set(`${method} ${path} ${JSON.stringify(body)}`, settled(reply));
  }
  return told;
}

/// Records of every family that only the administrator may read, some beside and some below those of the walk.
async function hideRecords() {
  const hide = async (path, body) => {
    const { _doc } = await admin('POST', path, { title: 'hidden walk', ...body });
    return `${path}/${_doc}`;
  };
  const hidden = {};
  for (const path of ['/domains', '/directories', '/applications', '/registrars', '/webhosts', '/stacks', '/projects', '/uiconfigs', '/access/policies',
                      '/clients', '/billing/configurations', '/deployment/packages', '/deployment/targets', '/descriptors', '/reports',
                      '/sidekicks', '/views', '/repositories']) hidden[path] = await hide(path, {});
  for (const domain of ['default', ids.domainId]) {
    for (const name of ['hidden-user', 'hidden-other']) {
      const user = await hide(`/domains/${domain}/principals`, { type: 'USER', name, password: 'secret-of-hidden', email: 'hidden@example.org' });
      await admin('POST', `${user}/authorities/all/revoke?id=default/everyone`);
      await admin('POST', '/auth/grants', { principalDomainId: domain, principalId: user.split('/').at(-1) });
    }
  }
  await hide(`/directories/${ids.directoryId}/identities`, {});
  await hide(`/applications/${ids.applicationId}/emailproviders`, { host: 'hidden.example.org' });
  await hide(`/webhosts/${ids.webhostId}/autoclientmappings`, { host: 'hidden.example.org' });
  const branch = `/repositories/${ids.repositoryId}/branches/${ids.branchId}`;
  const nodes = [];
  for (let i = 0; i < 30; ++i) nodes.push((await admin('POST', `${branch}/nodes`, { title: 'hidden walk walk walk', size: i }))._doc);
  for (const node of nodes) await admin('POST', `${branch}/nodes/${ids.nodeId}/associate?node=${node}&type=a:linked`);
  const comment = (await admin('POST', `${branch}/nodes`, { _type: 'n:comment', rating: 5 }))._doc;
  await admin('POST', `${branch}/nodes/${ids.nodeId}/associate?node=${comment}&type=a:has_comment`);
  await admin('POST', `${branch}/nodes`, { title: 'hidden child', _parentFolderPath: '/hidden folder' });
  await admin('DELETE', `${branch}/nodes/${nodes.pop()}`);
  await admin('POST', `/repositories/${ids.repositoryId}/branches?branch=${ids.branchId}`, { title: 'hidden branch' });
  for (const store of [`/registrars/${ids.registrarId}`, `/webhosts/${ids.webhostId}`, `/domains/${ids.domainId}`, '/domains/default', '/directories/default',
                       `/directories/${ids.directoryId}`, `/applications/${ids.applicationId}`, `/repositories/${ids.repositoryId}`]) {
    await admin('POST', `${store}/stats`);
  }
}

before(async () => {
  server = await SteleServer.start({ config: 'stores.statistics_period = 1h\nusage.look_interval = 1h' });
  ids = await makeRecords(server);
  routes = await allRoutes(server, ids);
  await makeTeams(server, routes);
  await server.makeUser('nobody');
  await makeVisitor();
  for (const name of ['nobody', 'visitor']) callers[name] = await server.login(name, `secret-of-${name}`);
});
after(() => server.end());

test('a caller is told the same of a store with hidden records as without them', async () => {
  const before = {};
  for (const [name, token] of Object.entries(callers)) before[name] = await everythingTold(token);
  await hideRecords();
  const different = [];
  for (const [name, token] of Object.entries(callers)) {
    const now = await everythingTold(token);
    assert.ok(now.size > 300, `${now.size} questions`);
    const answered = [...before[name].values()].filter(({ status }) => status === 200).length;
    assert.ok(answered > 300, `${answered} answers for ${name}`);
    for (const [question, reply] of before[name]) {
      const [one, other] = [JSON.stringify(reply), JSON.stringify(now.get(question))];
      if (one === other) continue;
      const at = [...one].findIndex((letter, place) => letter !== other[place]);
      different.push(`${name}: ${question}: ${one.slice(Math.max(0, at - 40), at + 80)} | ${other.slice(Math.max(0, at - 40), at + 80)}`);
    }
  }
  assert.equal(different.length, 0, different.join('\n'));
});

const ask = async (name, method, path, body) => server.request(method, path, { token: callers[name], body });

test('what a query cost is told to whoever may read all that it walks', async () => {
  const domain = `/domains/${ids.domainId}/principals/query?explain=true`;
  const { json } = await ask('visitor', 'POST', domain, { name: 'walked-user' });
  assert.deepEqual([json.total_rows, json.explain], [1, { withheld: true }]);
  const { explain } = await admin('POST', domain, { name: 'walked-user' });
  assert.ok(explain.collection_rows >= 2 && explain.records >= 0 && explain.access, JSON.stringify(explain));
});

test('the members of a store that tell how much it holds are for those who may read all of it', async () => {
  const numbers = ['size', 'objectcount', 'statisticsDate', 'statisticsDirty'];
  const told = (record) => numbers.filter((name) => name in record);
  const store = `/domains/${ids.domainId}`;
  const platform = (await admin('GET', '/'))._doc;
  const hidden = async (name) => {
    const { json: read, headers } = await ask(name, 'GET', store);
    const { json: { rows } } = await ask(name, 'POST', '/domains/query', { _doc: ids.domainId });
    const { json: info } = await ask(name, 'GET', `${store}/info`);
    const { json: referenced } = await ask(name, 'POST', '/ref/read', { entries: [{ ref: `domain://${platform}/${ids.domainId}` }] });
    assert.deepEqual([read._doc, rows[0]._doc, info.datastoreId, referenced.entries[0].entry._doc], Array(4).fill(ids.domainId));
    assert.equal('etag' in headers, told(read).length > 0);
    return [read, rows[0], info, referenced.entries[0].entry].flatMap(told);
  };
  assert.deepEqual(await hidden('visitor'), []);
  const inStack = (await ask('visitor', 'GET', `/stacks/${ids.stackId}/datastores`)).json.rows;
  assert.deepEqual([inStack.length, ...inStack.flatMap(told)], [1]);
  for (const query of [{ size: { $gt: 0 } }, { $or: [{ title: 'x' }, { 'statisticsDate.ms': 1 }] }]) {
    const refused = await ask('visitor', 'POST', '/domains/query', query);
    assert.deepEqual([refused.status, refused.json.code], [403, 'query.member_withheld'], refused.text);
    assert.equal((await server.request('POST', '/domains/query', { token: server.adminToken, body: query })).status, 200);
  }
  assert.equal((await ask('visitor', 'GET', `/domains?sort=${encodeURIComponent('{"objectcount":1}')}`)).status, 403);
  await server.makeUser('keeper');
  callers.keeper = await server.login('keeper', 'secret-of-keeper');
  await admin('POST', `${store}/authorities/owner/grant?id=default/keeper`);
  assert.deepEqual(await hidden('keeper'), [...numbers, ...numbers, 'size', 'objectcount', ...numbers]);
});

test('the statistics of a node count what the caller may read', async () => {
  const node = `/repositories/${ids.repositoryId}/branches/${ids.branchId}/nodes/${ids.nodeId}`;
  const linked = await admin('GET', node);
  const links = (await admin('GET', `${node}/associations?limit=-1`)).rows.filter((row) => row._type === 'a:linked');
  assert.ok(links.length > 1);
  assert.equal(linked._statistics['a:linked'], links.length);
  assert.equal(linked._statistics.ratingTotalValue, 5);
  const { _statistics } = (await ask('visitor', 'GET', node)).json;
  assert.deepEqual(['a:linked' in _statistics, 'ratingTotalValue' in _statistics], [false, false]);
  const friend = (await admin('GET', `${node}/outgoing?limit=-1`)).rows.find((row) => row._type === 'a:linked').target;
  await admin('POST', `${node.replace(ids.nodeId, friend)}/authorities/consumer/grant?id=default/visitor`);
  assert.equal((await ask('visitor', 'GET', node)).json._statistics['a:linked'], 1);
});

test('a QName is proposed without a word about those that are taken', async () => {
  const branch = `/repositories/${ids.repositoryId}/branches/${ids.branchId}`;
  await server.makeUser('proposer');
  callers.proposer = await server.login('proposer', 'secret-of-proposer');
  await admin('POST', `${branch}/authorities/consumer/grant?id=default/proposer`);
  const propose = async () => (await ask('proposer', 'POST', `${branch}/qnames/generate`, { title: 'Proposed' })).json._qname;
  const before = await propose();
  await admin('POST', `${branch}/nodes`, { _qname: 'custom:proposed0' });
  for (const qname of [before, await propose()]) assert.match(qname, /^custom:proposed[0-9a-f]{15}$/);
});

test('an id and a name that are in use are refused alike, whichever of the two a hidden record has', async () => {
  const path = `/domains/${ids.domainId}/principals`;
  const hidden = await admin('POST', path, { _doc: 'taken-as-id', type: 'GROUP', name: 'taken-as-name' });
  await admin('POST', `${path}/${hidden._doc}/authorities/all/revoke?id=default/everyone`);
  await server.makeUser('maker');
  callers.maker = await server.login('maker', 'secret-of-maker');
  await admin('POST', `/domains/${ids.domainId}/authorities/contributor/grant?id=default/maker`);
  const told = async (body, name) => {
    const { status, json } = await ask('maker', 'POST', path, { type: 'GROUP', ...body });
    return [status, json.code, json.message.replace(name, 'x'), JSON.stringify(json.violations).replaceAll(name, 'x')];
  };
  const free = await told({ name: 'free' }, 'free').catch(() => undefined);
  assert.ok(!free || free[0] === 200);
  assert.deepEqual(await told({ name: 'taken-as-id' }, 'taken-as-id'), await told({ name: 'taken-as-name' }, 'taken-as-name'));
  assert.deepEqual(await told({ _doc: 'taken-as-id', name: 'one' }, 'taken-as-id'), await told({ _doc: 'taken-as-name', name: 'two' }, 'taken-as-name'));
});

test('whoever may read an open authentication grant, and no more, learns its key by nothing', async () => {
  const secret = (await admin('POST', '/auth/grants', { principalDomainId: 'default', principalId: 'admin', allowOpenDriverAuthentication: true }));
  const other = await admin('POST', '/auth/grants', { principalDomainId: 'default', principalId: 'admin', allowOpenDriverAuthentication: true });
  await server.makeUser('onlooker');
  for (const { _doc } of [secret, other]) await admin('POST', `/auth/grants/${_doc}/authorities/consumer/grant?id=default/onlooker`);
  const token = await server.login('onlooker', 'secret-of-onlooker');
  const ask = (method, path, body) => server.request(method, path, { token, body });
  const { _doc: platform } = await admin('GET', '/');
  const path = `/auth/grants/${secret._doc}`;
  const references = { entries: [{ ref: `authenticationGrant://${platform}/${secret._doc}` }] };
  const told = [await ask('GET', path), await ask('GET', `${path}?full=true`), await ask('GET', '/auth/grants'), await ask('POST', '/auth/grants/query', { _fields: { key: 1 } }),
                await ask('GET', '/auth/grants?full=true&metadata=true'), await ask('POST', '/ref/read', references)];
  for (const reply of told) {
    assert.equal(reply.status, 200, reply.text);
    assert.equal(reply.text.includes(secret.key), false, reply.text);
  }
  assert.equal(told.at(-1).json.entries[0].entry._doc, secret._doc);
  // Which records come back, and in which order, must not tell it either.
  const starts = { $regex: `^${secret.key.slice(0, 1)}` };
  for (const condition of [{ key: starts }, { key: secret.key }, { $or: [{ title: 'x' }, { key: starts }] }, { $and: [{ $nor: [{ key: starts }] }] }, { 'key.length': 32 }]) {
    const reply = await ask('POST', '/auth/grants/query', condition);
    assert.deepEqual([reply.status, reply.json.code], [403, 'query.member_withheld'], JSON.stringify(condition));
  }
  for (const [method, sorted] of [['GET', '/auth/grants?sort=%7B%22key%22:1%7D'], ['POST', '/auth/grants/query?sort=%7B%22key%22:-1%7D']]) {
    const reply = await ask(method, sorted, method === 'POST' ? {} : undefined);
    assert.deepEqual([reply.status, reply.json.code], [403, 'query.member_withheld'], sorted);
  }
  // Those who may log in as the user have it from the grant itself.
  assert.equal((await admin('GET', path)).key, secret.key);
  assert.equal((await admin('GET', `/auth/grants/${secret.key}`))._doc, secret._doc);
});

test('who is in which group is told of groups and members that the caller may know, and of itself', async () => {
  const group = await admin('POST', '/domains/default/principals', { type: 'GROUP', name: 'closed-circle' });
  const known = await admin('POST', '/domains/default/principals', { type: 'GROUP', name: 'open-circle' });
  const members = await Promise.all(['insider', 'curious'].map((name) => server.makeUser(name)));
  for (const { _doc } of members) {
    for (const one of [group, known]) await admin('POST', `/domains/default/principals/${one._doc}/members/add?id=default/${_doc}`);
  }
  const token = await server.login('curious', 'secret-of-curious');
  const pairs = [['closed-circle', 'insider'], ['closed-circle', 'curious'], ['open-circle', 'insider'], ['open-circle', 'curious'], ['open-circle', 'nobody-at-all']];
  const ask = async () => {
    const checks = pairs.map(([groupId, principalId]) => ({ groupId, principalId }));
    const reply = await server.request('POST', '/domains/default/principals/membership/check', { token, body: { checks } });
    assert.equal(reply.status, 200, reply.text);
    return reply.json.checks.map(({ result, belongs }) => result ?? belongs);
  };
  for (const name of ['closed-circle', 'insider']) await admin('POST', `/domains/default/principals/${name}/authorities/all/revoke?id=default/everyone`);
  assert.equal((await server.request('GET', '/domains/default/principals/insider', { token })).status, 404);
  assert.deepEqual(await ask(), [false, true, false, true, false]);
  await admin('POST', '/domains/default/principals/insider/authorities/connector/grant?id=default/curious');
  await admin('POST', '/domains/default/principals/open-circle/authorities/connector/grant?id=default/curious');
  assert.equal((await ask())[2], true);
});

test('a reference to what is hidden is answered like one that leads nowhere, whichever part is missing', async () => {
  const platform = (await admin('GET', '/'))._doc;
  await admin('POST', '/domains/default/principals', { type: 'USER', name: 'refers', password: 'secret-of-refers' });
  await admin('POST', '/authorities/contributor/grant?id=default/refers');
  const token = await server.login('refers', 'secret-of-refers');
  const stack = (await admin('POST', '/stacks', {}))._doc;
  const config = (await admin('POST', '/uiconfigs', { title: 'unseen' }))._doc;
  const repository = (await admin('POST', '/repositories', {}))._doc;
  const branch = (await admin('GET', `/repositories/${repository}/branches/master`))._doc;
  const none = '0'.repeat(repository.length);
  const answers = async (reference) => {
    const at = encodeURIComponent(reference);
    const report = await server.request('POST', '/reports', { token, body: { source: { typeId: 'node', container: reference } } });
    assert.equal(report.status, 200, report.text);
    const asked = [await server.request('GET', `/ref/diff?source=${at}&target=${at}`, { token }), await server.request('POST', `/ref/merge?source=${at}`, { token, body: [] }),
                   await server.request('POST', `/reports/${report.json._doc}/execute`, { token, body: {} })];
    return asked.map(({ status, json }) => [status, json.code, json.message.replaceAll(reference, 'REFERENCE')]);
  };
  for (const [hidden, ...missing] of [
    [`uiconfig://${platform}/${config}`, `uiconfig://${platform}/${none}`],
    [`branch://${platform}/${repository}/${branch}`, `branch://${platform}/${repository}/none`, `branch://${platform}/${none}/${branch}`],
    [`node://${platform}/${repository}/${branch}/root`, `node://${platform}/${repository}/${branch}/none`, `node://${platform}/${repository}/none/root`, `node://${platform}/${none}/${branch}/root`],
    [`team://stack/${platform}/${stack}/owners`, `team://stack/${platform}/${stack}/none`, `team://stack/${platform}/${none}/owners`],
  ]) {
    const wanted = await answers(hidden);
    assert.deepEqual(wanted.map(([status]) => status), [404, 404, 404], hidden);
    for (const reference of missing) assert.deepEqual(await answers(reference), wanted, reference);
  }
});
