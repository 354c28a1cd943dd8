// An operator may run any subset: each single plugin with what it requires does its work, and only its
// routes are there.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { RuleWorld } from '../../plugins/node_rules/tests/rule_world.mjs';
import { RequestWorld } from '../../plugins/pull_requests/tests/request_world.mjs';
import { described, describedPlugins, everyPath, workAsDescribed } from '../support/route_walk.mjs';
import { SteleServer } from '../support/stele_server.mjs';
import { makeTenant } from '../support/stele_tenant.mjs';

const bin = process.env.STELE_BIN ?? new URL('../../build/release/bin/stele', import.meta.url).pathname;
const listing = spawnSync(bin, ['plugins'], { encoding: 'utf8' }).stdout.trim().split('\n');
// An engine offers a place for the store, and no routes: tests/postgres.
const plugins = new Map(listing.filter((line) => !line.includes(', engine ')).map((line) => {
  const [head, needs = ''] = line.split(', requires ');
  return [head.split(' ')[0], needs.split(' ').filter(Boolean)];
}));

function closure(id, seen = new Set()) {
  if (!seen.has(id)) {
    seen.add(id);
    plugins.get(id).forEach((needed) => closure(needed, seen));
  }
  return seen;
}

const mails = mkdtempSync(join(tmpdir(), 'stele-mails-'));
after(() => rmSync(mails, { recursive: true }));
const settings = {
  email_providers: `email_providers.capture_folder = ${mails}\n`,
  meters: 'usage.write_interval = 200ms\n',
};

/// What plugins are there for, done with nothing but them and what they require. One that is not here does what its
/// description says (`workAsDescribed`).
const works = {
  async identity(server) {
    const { rows } = await server.admin('GET', '/domains');
    assert.equal(rows[0]._doc, 'default');
    const user = await server.makeUser('somebody');
    const group = await server.admin('POST', '/domains/default/principals', { type: 'GROUP', name: 'those' });
    const domain = await server.admin('POST', '/domains', { title: 'theirs' });
    const path = `/domains/${domain._doc}`;
    await server.admin('POST', `${path}/authorities/consumer/grant?id=default/those`);
    const token = await server.login('somebody', 'secret-of-somebody');
    assert.equal((await server.request('GET', path, { token })).status, 404);
    await server.admin('POST', `/domains/default/principals/${group._doc}/members/add?id=default/${user._doc}`);
    assert.equal((await server.request('GET', path, { token })).json.title, 'theirs');
  },
  async platform(server) {
    const { total_rows: stacks } = await server.admin('GET', '/stacks');
    const { _doc } = await server.admin('POST', '/projects/start?schedule=synchronous', { title: 'begun' });
    const job = await server.admin('GET', `/jobs/${_doc}`);
    assert.equal(job.state, 'FINISHED', JSON.stringify(job));
    const project = await server.admin('GET', `/projects/${job['created-project-id']}`);
    assert.equal(project.title, 'begun');
    assert.equal((await server.admin('GET', '/stacks')).total_rows, stacks + 1);
    assert.equal(typeof (await server.admin('GET', '/'))._doc, 'string');
  },
  async ui_configs(server) {
    const { _doc } = await server.admin('POST', '/uiconfigs', { title: 'kept', own: [1, { two: 2 }] });
    const found = await server.admin('POST', '/uiconfigs/query', { title: 'kept' });
    assert.deepEqual(found.rows.map(({ own }) => own), [[1, { two: 2 }]]);
    await server.admin('DELETE', `/uiconfigs/${_doc}`);
    assert.equal((await server.admin('GET', '/uiconfigs')).total_rows, 0);
  },
  async access_policies(server) {
    const user = await server.makeUser('policed');
    const token = await server.login('policed', 'secret-of-policed');
    const { _doc } = await server.admin('POST', '/domains', { title: 'policed' });
    const status = async () => (await server.request('GET', `/domains/${_doc}`, { token })).status;
    assert.equal(await status(), 404);
    const policy = await server.admin('POST', '/access/policies', { statements: [{ action: 'grant', roles: ['consumer'] }] });
    const { platformId } = (await server.admin('GET', '/activities?limit=1')).rows[0];
    await server.admin('POST', `/access/policies/${policy._doc}/assign?ref=user://${platformId}/default/${user._doc}`);
    assert.equal(await status(), 200);
    await server.admin('DELETE', `/access/policies/${policy._doc}`);
    assert.equal(await status(), 404);
  },
  async data_stores(server) {
    const { _doc } = await server.admin('POST', '/webhosts', { title: 'host', maxsize: 2000 });
    await server.admin('POST', `/webhosts/${_doc}/autoclientmappings`, { host: 'a.example.org' });
    const full = await server.request('POST', `/webhosts/${_doc}/autoclientmappings`,
      { token: server.adminToken, body: { host: 'h'.repeat(3000) } });
    assert.equal(full.status, 507, full.text);
    const tenant = await makeTenant(server, 'tess');
    assert.equal((await tenant.do('GET', '/domains')).rows.length, 1);
    assert.equal((await tenant.ask('GET', `/webhosts/${_doc}`)).status, 404);
  },
  async nodes(server) {
    const branch = `/repositories/${(await server.admin('POST', '/repositories', {}))._doc}/branches/master`;
    const { _doc } = await server.admin('POST', `${branch}/nodes`, { title: 'first', _parentFolderPath: '/a/b' });
    const node = `${branch}/nodes/${_doc}`;
    await server.admin('POST', `${node}/attachments/kept`, { in: 'an attachment' });
    await server.admin('PUT', node, { title: 'second' });
    const found = await server.admin('POST', `${branch}/nodes/query`, { title: 'second' });
    assert.deepEqual(found.rows.map((row) => row._doc), [_doc]);
    assert.equal((await server.admin('GET', `${node}/path`)).path, '/a/b/second');
    assert.equal((await server.admin('GET', `${node}/versions`)).rows.at(-1).title, 'first');
    await server.admin('DELETE', node);
    await server.admin('POST', `${node.replace('/nodes/', '/deletions/')}/restore`);
    assert.deepEqual(await server.admin('GET', `${node}/attachments/kept`), { in: 'an attachment' });
  },
  async archives(server) {
    const { _doc } = await server.admin('POST', '/domains', { title: 'moved' });
    await server.admin('POST', `/domains/${_doc}/principals`, { type: 'GROUP', name: 'those who move' });
    const place = 'group=a&artifact=b&version=1&schedule=SYNCHRONOUS';
    const ended = async (path) => {
      const job = await server.admin('POST', path, {});
      assert.equal(job.state, 'FINISHED', JSON.stringify(job.log_entries));
      return job;
    };
    await ended(`/domains/${_doc}/export?${place}`);
    const { imports } = await ended(`/import?${place}`);
    const copy = `/domains/${imports[0].targets.at(-1).id}`;
    assert.equal((await server.admin('GET', copy)).title, 'moved');
    assert.deepEqual((await server.admin('GET', `${copy}/principals`)).rows.map(({ name }) => name), ['those who move']);
    await workAsDescribed('archives')(server);
  },
  async email_providers(server) {
    const application = `/applications/${(await server.admin('POST', '/applications', {}))._doc}`;
    const provider = await server.admin('POST', `${application}/emailproviders`, { host: 'localhost' });
    const email = await server.admin('POST', `${application}/emails`,
      { from: 'a@example.org', to: 'b@example.org', subject: 'out of a subset', body: 'text' });
    const { captured } = await server.admin('POST', `${application}/emailproviders/${provider._doc}/send?email=${email._doc}`);
    assert.match(readFileSync(join(mails, captured), 'utf8'), /^Subject: out of a subset\r$/m);
  },
  async graphql(server) {
    const { _doc } = await server.admin('POST', '/repositories', {});
    const path = `/repositories/${_doc}/branches/master/graphql`;
    const { data } = await server.admin('POST', path, { query: '{ n_root(id: "root") { _qname } }' });
    assert.deepEqual(data, { n_root: { _qname: 'r:root' } });
  },
  async node_previews(server) {
    const { _doc } = await server.admin('POST', '/repositories', {});
    const nodes = `/repositories/${_doc}/branches/master/nodes`;
    const node = `${nodes}/${(await server.admin('POST', nodes, {}))._doc}`;
    const image = 'GIF89a\x01\0\x01\0\x80\0\0\xff\0\0\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;';
    const token = server.adminToken;
    const sent = await server.request('POST', `${node}/attachments/default`, { body: Buffer.from(image, 'latin1'), headers: { 'Content-Type': 'image/gif' }, token });
    assert.equal(sent.status, 200, sent.text);
    const { status, headers } = await server.request('GET', `${node}/preview/icon?mimetype=image/png`, { token });
    assert.deepEqual([status, headers['content-type']], [200, 'image/png']);
  },
  async node_search(server) {
    const { _doc } = await server.admin('POST', '/repositories', {});
    const nodes = `/repositories/${_doc}/branches/master/nodes`;
    const node = await server.admin('POST', nodes, { title: 'sought by a subset' });
    const { rows } = await server.admin('POST', `${nodes}/search`, { search: 'sought' });
    assert.deepEqual(rows.map((row) => row._doc), [node._doc]);
  },
  async node_rules(server) {
    const world = new RuleWorld(server);
    const [draft, live] = [(await world.repository()).master, (await world.repository()).master];
    const type = await world.define(draft);
    await world.bind(draft, type.id, world.rule(live));
    await world.arrives(live, await world.make(draft, { _type: type.qname, state: 'published' }));
  },
  async pull_requests(server) {
    const world = await RequestWorld.make(server);
    const source = await world.fork();
    const node = await world.make(source, { title: 'proposed' });
    assert.equal((await world.settled(await world.open({ sourceBranchId: source }))).state, 'MERGED');
    assert.equal(await world.title('master', node), 'proposed');
  },
  async releases(server) {
    const repository = `/repositories/${(await server.admin('POST', '/repositories', {}))._doc}`;
    const { _doc, branchId } = await server.admin('GET', `${repository}/releases/${(await server.admin('POST', `${repository}/releases`, {}))._doc}`);
    const node = await server.admin('POST', `${repository}/branches/${branchId}/nodes`, { title: 'released' });
    await server.admin('POST', `${repository}/releases/${_doc}/releaseimmediately`);
    assert.equal((await server.admin('GET', `${repository}/branches/master/nodes/${node._doc}`)).title, 'released');
  },
  async editorial_flows(server) {
    const { _doc } = await server.admin('POST', '/repositories', {});
    const { workflowId, branchId } = await server.admin('POST', '/editorial/flows/start', { repositoryId: _doc });
    const node = await server.admin('POST', `/repositories/${_doc}/branches/${branchId}/nodes`, { title: 'flown' });
    await server.admin('POST', `/editorial/flows/${workflowId}/transition?route=finish`);
    for (let i = 0; (await server.admin('GET', `/editorial/flows/${workflowId}/task`)).state !== 'finished'; ++i) {
      assert.ok(i < 200, 'the flow does not end');
      await sleep(100);
    }
    assert.equal((await server.admin('GET', `/repositories/${_doc}/branches/master/nodes/${node._doc}`)).title, 'flown');
  },
  async meters(server) {
    const tenant = await makeTenant(server, 'mina');
    const { text } = await tenant.ask('GET', '/domains');
    const sent = async () => (await server.admin('GET', `${tenant.path}/meters/current/TRANSFER_OUT`)).rawByteCount;
    for (let i = 0; await sent() === 0; ++i) {
      assert.ok(i < 200, 'nothing is metered');
      await sleep(100);
    }
    assert.equal(await sent(), Buffer.byteLength(text));
  },
};

const kTransfers = ['/export', '/import', '/transfer/export', '/transfer/import', '/tools/copy'];

/// Exports, imports and copies are the matter of one plugin, and their routes are on every family where that is enabled.
async function checkTransfers(server, wanted) {
  const paths = everyPath(await described(server));
  const offered = Object.keys(paths).filter((path) => kTransfers.includes(path) || /(?<!\/changes)\/(ex|im)port$/.test(path));
  if (wanted.has('archives')) {
    for (const path of [...kTransfers, '/domains/{domainId}/export', '/domains/{domainId}/import']) assert.ok(offered.includes(path), path);
    return;
  }
  assert.deepEqual(offered, []);
  for (const path of [...kTransfers, '/domains/default/export', '/domains/default/import']) {
    const reply = await server.request('POST', path, { token: server.adminToken, body: {} });
    assert.deepEqual([reply.status, reply.json.code], [404, 'http.route_unknown'], path);
  }
}

let everything;
/// Routes of a server with all plugins.
async function allRoutes() {
  if (everything) return everything;
  const server = await SteleServer.start();
  everything = [];
  for (const [path, item] of Object.entries(everyPath(await described(server)))) {
    for (const [method, operation] of Object.entries(item)) {
      everything.push({ method: method.toUpperCase(), path, plugin: operation['x-stele-plugin'] });
    }
  }
  await server.end();
  return everything;
}

async function refusesOthers(server, wanted) {
  const others = (await allRoutes()).filter(({ path, plugin }) => plugin !== 'kernel' && !path.includes('{') && !wanted.has(plugin));
  assert.ok(others.length > 0);
  for (const { method, path } of others) {
    const reply = await server.request(method, path, { token: server.adminToken, body: method === 'GET' ? undefined : {} });
    // 405 where one of the enabled plugins, or the kernel, has another method of the path.
    assert.ok([404, 405].includes(reply.status), `${method} ${path}: ${reply.text}`);
    assert.ok(['http.route_unknown', 'http.method_unknown'].includes(reply.json.code), reply.text);
  }
}

test('the works here are of plugins that there are, and a plugin without any has families', async () => {
  const known = Object.keys(works);
  assert.deepEqual(known.filter((id) => !plugins.has(id)), []);
  const routes = await allRoutes();
  for (const id of plugins.keys()) {
    if (known.includes(id)) continue;
    assert.ok(routes.some(({ method, plugin }) => plugin === id && method === 'POST'), `${id} serves others: say here what for`);
  }
});

for (const id of plugins.keys()) {
  test(`${id} with what it requires starts, works, and lists only its routes`, async () => {
    const wanted = closure(id);
    const server = await SteleServer.start({
      enable: [...wanted].join(','), config: [...wanted].map((one) => settings[one] ?? '').join('') });
    try {
      const withRoutes = new Set((await allRoutes()).map(({ plugin }) => plugin));
      const offering = (await describedPlugins(server)).filter((one) => one !== 'kernel');
      assert.deepEqual(offering, [...wanted].filter((one) => withRoutes.has(one)).sort());
      assert.equal((await server.request('GET', '/readyz')).status, 200);
      await server.admin('GET', '/domains');
      await refusesOthers(server, wanted);
      await checkTransfers(server, wanted);
      // What it requires works beside it as it does alone.
      for (const one of wanted) await (works[one] ?? workAsDescribed(one))(server);
    } finally {
      await server.end();
    }
  });
}

test('a plugin that is enabled without what it requires stops start-up and says so', () => {
  const done = spawnSync(bin, ['init', '--data', '/tmp/stele-never', '--enable', 'ui_configs'], { encoding: 'utf8' });
  assert.notEqual(done.status, 0);
  assert.match(done.stderr, /ui_configs/);
  assert.match(done.stderr, /identity/);
});

test('an unknown plugin name stops start-up and is named', () => {
  const done = spawnSync(bin, ['init', '--data', '/tmp/stele-never', '--enable', 'identity,no_such'], { encoding: 'utf8' });
  assert.notEqual(done.status, 0);
  assert.match(done.stderr, /no_such/);
});
