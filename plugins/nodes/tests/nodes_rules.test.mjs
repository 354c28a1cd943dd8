// What nodes and branches refuse, whichever way it is asked for: circles and second owners, the locks of others,
// wrong types; archived branches; names of branches and mounts (docs/reference/nodes_associations.md, nodes_folders.md,
// nodes_maintenance.md).
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { endedJob } from '../../../tests/support/ended_job.mjs';
import { SteleServer } from '../../../tests/support/stele_server.mjs';

let server;
let repository;
let branch;
let editor;
before(async () => {
  server = await SteleServer.start();
  await server.makeUser('editor');
  editor = await server.login('editor', 'secret-of-editor');
});
after(() => server.end());

const admin = (...args) => server.admin(...args);
const ask = (method, path, body, token = server.adminToken) =>
  server.request(method, path, { token, body: body ?? (method === 'GET' ? undefined : {}) });

beforeEach(async () => {
  repository = `/repositories/${(await admin('POST', '/repositories', {}))._doc}`;
  branch = `${repository}/branches/master`;
});

const N = (id) => `${branch}/nodes/${id}`;
const create = async (fields = {}, query = '') => (await admin('POST', `${branch}/nodes${query}`, fields))._doc;
const tie = (from, to, type) => ask('POST', `${N(from)}/associate?node=${to}&type=${type}`);
const tied = async (from, to, type) => {
  const reply = await tie(from, to, type);
  assert.equal(reply.status, 200, reply.text);
  return reply.json._doc;
};
const codes = (reply) => [reply.json?.code, ...(reply.json?.violations ?? []).map((one) => one.code)];
function isRefused(reply, status, code, what = '') {
  assert.equal(reply.status, status, `${what} ${reply.text}`);
  assert.ok(codes(reply).includes(code), `${what} ${reply.text}`);
}

const ended = (id) => endedJob(admin, id);

test('folders and owners form no circle, by associate as by move', async () => {
  for (const [first, second] of [['a:child', 'a:child'], ['a:owned', 'a:owned'], ['a:child', 'a:owned'], ['a:owned', 'a:child']]) {
    const [one, two, three] = [await create(), await create(), await create()];
    isRefused(await tie(one, one, first), 409, 'nodes.association_circle');
    await tied(one, two, first);
    await tied(two, three, second);
    isRefused(await tie(three, one, first), 409, 'nodes.association_circle', `${first} ${second}`);
    isRefused(await tie(two, one, second), 409, 'nodes.association_circle', `${first} ${second}`);
    if (first === 'a:child') isRefused(await ask('POST', `${N(one)}/move?targetNodeId=${three}`), 409, 'nodes.association_circle');
    if (first === 'a:child') isRefused(await ask('POST', `${branch}/movenodes`, { sourceNodeIds: [one], targetNodeId: three }), 409, 'nodes.association_circle');
    assert.equal((await admin('GET', `${N(one)}/associations?direction=INCOMING&type=${first}`)).total_rows, 0);
    // Other types may go round in circles, and undirected ones have no direction.
    await tied(three, one, 'a:linked');
    await admin('POST', `${N(three)}/associate?node=${one}&type=${first}&directionality=UNDIRECTED`, {});
  }
});

test('a list of a node, a restored association and a clone close no circle', async () => {
  const [one, two] = [await create(), await create()];
  const association = await tied(one, two, 'a:child');
  await admin('DELETE', N(association));
  await tied(two, one, 'a:child');
  isRefused(await ask('POST', `${branch}/deletions/${association}/restore`), 409, 'nodes.association_circle');
  isRefused(await ask('POST', `${N(association)}/undelete`), 409, 'nodes.association_circle');
  assert.equal((await admin('GET', `${branch}/deletions/${association}`))._doc, association);

  // A fork that has it the other way round takes the nodes with their associations.
  const fork = (await admin('POST', `${repository}/branches?branch=master`, { title: 'fork' }))._doc;
  await admin('POST', `${N(two)}/unassociate?node=${one}&type=a:child`, {});
  await tied(one, two, 'a:child');
  const target = `${repository}/branches/${fork}`;
  isRefused(await ask('POST', `${target}/copyfrom?id=master`, { nodeIds: [one, two], overwrite: true }), 409, 'nodes.association_circle');
  // Merged, it is turned round there, too.
  assert.equal((await ask('POST', `${target}/copyfrom?id=master`, { nodeIds: [one, two] })).status, 200);
  const ends = (await admin('GET', `${target}/nodes/${one}/associations?type=a:child`)).rows.map((row) => [row.source, row.target]);
  assert.deepEqual(ends, [[one, two]]);
});

test('a definition with f:non-cyclic lets associations of its type form no circle', async () => {
  await create({ _type: 'd:association', _qname: 'custom:before', _features: { 'f:non-cyclic': {} } });
  await create({ _type: 'd:association', _qname: 'custom:long-before', _parent: 'custom:before' });
  await create({ _type: 'd:association', _qname: 'custom:near' });
  for (const type of ['custom:before', 'custom:long-before']) {
    const [one, two, three] = [await create(), await create(), await create()];
    await tied(one, two, type);
    await tied(two, three, type);
    await tied(one, three, type);
    isRefused(await tie(three, one, type), 409, 'nodes.association_circle', type);
    isRefused(await tie(one, one, type), 409, 'nodes.association_circle', type);
  }
  const [one, two] = [await create(), await create()];
  await tied(one, two, 'custom:near');
  await tied(two, one, 'custom:near');
});

test('two callers at once close no circle', async () => {
  for (let round = 0; round < 10; round += 1) {
    const [one, two] = [await create(), await create()];
    const replies = await Promise.all([tie(one, two, 'a:child'), tie(two, one, 'a:child')]);
    assert.deepEqual(replies.map((reply) => reply.status).sort(), [200, 409], replies.map((reply) => reply.text).join());
  }
});

test('a node has one owner', async () => {
  const [owner, other, owned] = [await create(), await create(), await create()];
  const association = await tied(owner, owned, 'a:owned');
  await tied(owner, owned, 'a:owned');
  isRefused(await tie(other, owned, 'a:owned'), 409, 'nodes.owner_taken');
  await admin('POST', `${N(owner)}/unassociate?node=${owned}&type=a:owned`, {});
  await tied(other, owned, 'a:owned');
  isRefused(await ask('POST', `${branch}/deletions/${association}/restore`), 409, 'nodes.owner_taken');
  await admin('POST', `${branch}/lists/colours?type=n:node`);
  const item = (await admin('POST', `${branch}/lists/colours/items`, {}))._doc;
  isRefused(await tie(other, item, 'a:owned'), 409, 'nodes.owner_taken');
});

test('an owner may own a node by two associations', async () => {
  const [owner, owned] = [await create(), await create()];
  const association = await tied(owner, owned, 'a:owned');
  await admin('POST', `${N(owner)}/unassociate?node=${owned}&type=a:owned`, {});
  const second = await tied(owner, owned, 'a:owned');
  assert.notEqual(second, association);
  await admin('POST', `${branch}/deletions/${association}/restore`, {});
  assert.equal((await admin('GET', `${N(owned)}/associations?type=a:owned`)).total_rows, 2);
});

test('types that are no QNames are 400 wherever one is named, and reserved ones are not associated', async () => {
  const [one, two] = [await create(), await create()];
  const bad = encodeURIComponent('no type');
  const calls = [
    ['POST', `${N(one)}/associate?node=${two}&type=${bad}`], ['POST', `${N(one)}/unassociate?node=${two}&type=${bad}`],
    ['POST', `${N(one)}/associate?node=${two}&type=child`], ['POST', `${N(one)}/unassociate?node=${two}&type=child`],
    ['GET', `${N(one)}/associations?type=${bad}`], ['GET', `${N(one)}/incoming?type=child`], ['GET', `${N(one)}/outgoing?type=child`],
    ['GET', `${N(one)}/mutual?type=child`], ['GET', `${N(one)}/relatives?type=child`], ['POST', `${N(one)}/relatives/query?type=child`],
    ['POST', `${N(one)}/relatives/find?type=child`], ['POST', `${N(one)}/ancestorbytype?type=child`],
    ['POST', `${N(one)}/change_type?type=child`], ['POST', `${N(one)}/change_qname?qname=child`], ['POST', `${branch}/lists/a?type=child`],
    ['GET', `${N(one)}/list/child/items`], ['POST', `${branch}/nodes?parentFolderPath=/&associationType=child`],
  ];
  for (const [method, path] of calls) isRefused(await ask(method, path), 400, 'nodes.qname_malformed', `${method} ${path}`);
  for (const traverse of [{ associations: { child: 'ANY' } }, { types: ['node'] }])
    isRefused(await ask('POST', `${N(one)}/traverse`, { traverse }), 400, 'request.parameter_invalid');
  for (const type of ['a:has_lock', 'a:has_mount']) {
    for (const path of [`${N(one)}/associate?node=${two}&type=${type}`, `${branch}/nodes?parentFolderPath=/&associationType=${type}`])
      isRefused(await ask('POST', path), 400, 'nodes.association_reserved', path);
    isRefused(await ask('POST', `${N(one)}/list/${type}/items`), 400, 'nodes.association_reserved', type);
  }
  // A member of the body is a property where it names no type.
  const made = await admin('POST', `${N(one)}/associate?node=${two}`, { type: 'field' });
  assert.deepEqual([made._type, made.type], ['a:linked', 'field']);
});

/// Sample calls of every write below a node, by the path in /openapi.json: query, body, headers.
const writes = {
  'PUT ': ['', { title: 'mine' }], 'PATCH ': ['', { title: 'mine' }], 'PATCH /patch': ['', { title: 'mine' }], 'POST /update': ['', { title: 'mine' }],
  'DELETE ': [''], 'POST /delete': [''], 'POST /remove': [''], 'POST /touch': [''],
  'POST /refresh': [''], 'POST /recreate': [''], 'POST /repair': [''], 'POST /_repair': [''],
  'POST /associate': ['?node={other}&type=a:linked'], 'POST /unassociate': ['?node={linked}&type=a:linked'],
  'POST /move': ['?targetNodeId={other}'], 'POST /lock': [''], 'POST /unlock': [''], 'POST /mount/{mountKey}': [''], 'POST /unmount': [''],
  'POST /attachments': [''], 'POST /attachments/{attachmentId}': [''], 'DELETE /attachments/{attachmentId}': [''],
  'POST /attachments/{attachmentId}/copy': ['?id=second'], 'POST /versions/{changesetId}/restore': [''],
  'POST /features/{featureId}': ['', {}], 'PUT /features/{featureId}': ['', {}], 'DELETE /features/{featureId}': [''],
  'POST /change_qname': ['?qname=custom:mine'], 'PUT /change_qname': ['?qname=custom:mine'],
  'POST /change_type': ['?type=custom:mine'], 'PUT /change_type': ['?type=custom:mine'],
  'POST /i18n': ['?locale=fr&edition=1', {}], 'POST /list/{associationTypeId}/items': ['', {}],
  'DELETE /list/{associationTypeId}/items/{itemId}': [''], 'POST /unzip': ['?attachmentId=zip'], 'POST /transform': ['?mimetype=image/png'],
};
/// What writes nothing, or not to the node, or answers a job that fails with the same code.
const others = new Set([
  'POST /relatives/query', 'POST /relatives/find', 'POST /ancestorbytype', 'POST /traverse', 'POST /find', 'POST /tree', 'POST /predelete',
  'POST /list/{associationTypeId}/items/query', 'POST /authorities', 'POST /permissions/{permissionId}/check',
  'POST /authorities/{authorityId}/check', 'POST /copy', 'POST /copy/start', 'POST /undelete',
  'POST /export',
  // Rights on a node are managed by those who pass every lock.
  'POST /authorities/{authorityId}/grant', 'POST /authorities/{authorityId}/revoke',
]);
const jobs = ['POST /move/start?targetNodeId={other}', 'POST /delete/start', 'POST /import?group=g&artifact=locked&version=1'];

/// A ZIP archive of one empty file.
function zip(name = 'a.txt') {
  const local = Buffer.alloc(30 + name.length);
  local.writeUInt32LE(0x04034b50, 0);
  local.writeUInt16LE(20, 4);
  local.writeUInt16LE(name.length, 26);
  local.write(name, 30);
  const entry = Buffer.alloc(46 + name.length);
  entry.writeUInt32LE(0x02014b50, 0);
  entry.writeUInt16LE(20, 4);
  entry.writeUInt16LE(20, 6);
  entry.writeUInt16LE(name.length, 28);
  entry.write(name, 46);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(1, 8);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(entry.length, 12);
  end.writeUInt32LE(local.length, 16);
  return Buffer.concat([local, entry, end]);
}

test('the lock of another is 423 for every write of a node, with its holder and since when', async () => {
  await admin('POST', `${repository}/teams?key=crew`);
  await admin('POST', `${repository}/teams/crew/members/add?id=default/editor`);
  await admin('POST', `${repository}/teams/crew/authorities/editor/grant`);
  await admin('POST', `${repository}/teams/crew/authorities/collaborator/grant`);
  const node = await create({ _features: { 'f:titled': {}, 'f:audit': {} } });
  const [other, linked, item] = [await create(), await create(), await create()];
  await tied(node, linked, 'a:linked');
  await tied(node, item, 'a:owned');
  await admin('POST', `${N(node)}/mount/kept`);
  for (const [id, bytes] of [['default', 'text'], ['zip', zip()]])
    await server.request('POST', `${N(node)}/attachments/${id}`, { token: server.adminToken, body: bytes, headers: { 'Content-Type': 'application/octet-stream' } });
  const { _system: { changeset } } = await admin('GET', N(node));
  const exported = await ended((await admin('POST', `${N(node)}/export?group=g&artifact=locked&version=1`))._doc);
  for (const place of ['', `/archives/${exported.archiveId}`]) await admin('POST', `/vaults/primary${place}/authorities/consumer/grant?id=default/editor`);
  await admin('PUT', N(node), { title: 'newer' });
  await admin('POST', `${N(node)}/lock`);
  const { lockedOn } = await admin('GET', `${N(node)}/lock`);
  const before = await admin('GET', N(node));

  const names = { mountKey: 'mine', attachmentId: 'default', changesetId: changeset, featureId: 'f:titled', associationTypeId: 'a:owned', itemId: item };
  const filled = (path) => path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent({ ...names, other, linked }[name]));
  const { paths } = (await ask('GET', '/openapi.json')).json;
  const prefix = '/repositories/{repositoryId}/branches/{branchId}/nodes/{nodeId}';
  let walked = 0;
  const isLocked = (reply, what) => {
    isRefused(reply, 423, 'nodes.locked', what);
    assert.match(reply.json.message, /admin/, what);
    assert.ok(reply.json.message.includes(lockedOn.iso_8601), `${what} ${reply.text}`);
  };
  for (const [path, methods] of Object.entries(paths)) {
    if (path !== prefix && !path.startsWith(`${prefix}/`)) continue;
    for (const method of Object.keys(methods).map((name) => name.toUpperCase())) {
      const route = `${method} ${path.slice(prefix.length)}`;
      if (!['POST', 'PUT', 'PATCH', 'DELETE'].includes(method) || others.has(route) || /\/(start|import)$/.test(route)) continue;
      assert.ok(writes[route], `the walk knows no call of ${route}`);
      const [query, body] = writes[route];
      isLocked(await ask(method, N(node) + filled(path.slice(prefix.length) + query), body, editor), route);
      walked += 1;
    }
  }
  assert.equal(walked, Object.keys(writes).length, 'every call of the walk has a route');

  // The same from the other end, and by the forms for many.
  isLocked(await ask('POST', `${N(other)}/associate?node=${node}&type=a:linked`, {}, editor), 'associate from the other end');
  isLocked(await ask('POST', `${N(other)}/associate?node=${node}&type=a:child`, {}, editor), 'take into a folder');
  isLocked(await ask('PUT', `${branch}/nodes`, { nodes: { [other]: { title: 'x' }, [node]: { title: 'x' } } }, editor), 'update of many');
  isLocked(await ask('POST', `${branch}/nodes/delete`, { _docs: [other, node] }, editor), 'delete of many');
  isLocked(await ask('POST', `${branch}/movenodes`, { sourceNodeIds: [other, node], targetNodeId: 'root' }, editor), 'move of many');
  isLocked(await ask('POST', `${branch}/i18n/add?masterNodeId=${node}&translationNodeId=${other}&locale=de&edition=1`, {}, editor), 'add a translation');
  isLocked(await ask('POST', `${branch}/nodes?rootNodeId=${node}&parentFolderPath=/`, {}, editor), 'create in it');
  isLocked(await ask('POST', `${N(other)}/copy?targetNodeId=${node}`, {}, editor), 'copy into it');
  isLocked(await ask('POST', `${N(other)}/move?targetNodeId=${node}`, {}, editor), 'move into it');
  for (const route of jobs) {
    const started = await ask('POST', N(node) + filled(route.split(' ')[1]), {}, editor);
    assert.equal(started.status, 200, started.text);
    const job = await ended(started.json._doc);
    assert.equal(job.state, 'ERROR', route);
    assert.match(JSON.stringify(job.log_entries), /locked by admin/, route);
  }
  assert.deepEqual(await admin('GET', N(node)), before);

  // What only leads to it goes; the holder writes, and when the lock is gone so do the others.
  assert.equal((await ask('DELETE', N(linked), undefined, editor)).status, 200);
  await admin('PUT', N(node), { title: 'holder' });
  await admin('POST', `${N(node)}/unlock`);
  assert.equal((await ask('PUT', N(node), { title: 'editor' }, editor)).status, 200);
});

test('archived branches are listed only when asked for, take no writes and are not forked', async () => {
  const make = async (title) => (await admin('POST', `${repository}/branches?branch=master`, { title }))._doc;
  const [kept, gone] = [await make('kept'), await make('gone')];
  const target = `${repository}/branches/${gone}`;
  const node = (await admin('POST', `${target}/nodes`, {}))._doc;
  await admin('POST', `${target}/archive`, {});
  const ids = (reply) => reply.rows.map((row) => row.title).sort();
  const all = { title: { $in: ['kept', 'gone'] } };
  assert.deepEqual(ids(await admin('GET', `${repository}/branches`)), ['Master', 'kept']);
  assert.equal((await admin('GET', `${repository}/branches?limit=0`)).total_rows, 2);
  assert.deepEqual(ids(await admin('GET', `${repository}/branches?archived=true`)), ['gone']);
  assert.deepEqual(ids(await admin('GET', `${repository}/branches?archived=false`)), ['Master', 'kept']);
  assert.deepEqual(ids(await admin('POST', `${repository}/branches/query`, all)), ['kept']);
  assert.deepEqual(ids(await admin('POST', `${repository}/branches/query`, { ...all, archived: true })), ['gone']);
  assert.deepEqual(ids(await admin('POST', `${repository}/branches/query`, { $and: [all, { archived: { $in: [true, null, false] } }] })), ['gone', 'kept']);
  isRefused(await ask('GET', `${repository}/branches?archived=perhaps`), 400, 'request.parameter_invalid');
  assert.equal((await admin('GET', target)).archived, true);
  assert.equal((await admin('GET', `${target}/nodes/${node}`))._doc, node);

  for (const [method, path, body] of [['POST', `${target}/nodes`, {}], ['PUT', `${target}/nodes/${node}`, {}], ['DELETE', `${target}/nodes/${node}`],
    ['POST', `${target}/nodes/${node}/lock`], ['POST', `${target}/nodes/${node}/features/f:titled`], ['POST', `${target}/reset/start?id=0:root`],
    ['POST', `${target}/indexes`, { name: 'one', index: { title: 1 } }], ['POST', `${target}/copyfrom?id=master`, { nodeIds: ['root'] }],
    ['POST', `${repository}/branches?branch=${gone}`, {}], ['POST', `${repository}/branches/create/start?branch=${gone}`, {}],
    ['POST', `${repository}/snapshots?branch=${gone}`, {}]]) {
    isRefused(await ask(method, path, body), 403, 'nodes.branch_archived', `${method} ${path}`);
  }
  await admin('POST', `${target}/unarchive`, {});
  assert.deepEqual(ids(await admin('GET', `${repository}/branches`)), ['Master', 'gone', 'kept']);
  await admin('PUT', `${target}/nodes/${node}`, { title: 'again' });
  await admin('POST', `${repository}/branches?branch=${gone}`, { title: 'fork' });
  assert.ok(kept);
});

test('a branch is found by its alias, which no other has', async () => {
  const { _doc } = await admin('POST', `${repository}/branches?branch=master`, { title: 'aliased', alias: 'blue' });
  const by = async (name) => (await ask('GET', `${repository}/branches/${name}`)).json?._doc;
  assert.equal(await by('blue'), _doc);
  const node = (await admin('POST', `${repository}/b/blue/n`, { title: 'on blue' }))._doc;
  assert.equal((await admin('GET', `${repository}/branches/blue/nodes/${node}`)).title, 'on blue');
  const [, , repositoryId] = repository.split('/');
  const { _doc: platform } = await admin('GET', '/');
  const read = await admin('POST', '/ref/read', { entries: [{ ref: `branch://${platform}/${repositoryId}/blue` }] });
  assert.equal(read.entries[0].entry._doc, _doc);
  isRefused(await ask('POST', `${repository}/branches?branch=master`, { alias: 'blue' }), 409, 'nodes.branch_alias_taken');
  isRefused(await ask('POST', `${repository}/branches?branch=master`, { alias: 'master' }), 409, 'nodes.branch_alias_taken');
  for (const alias of ['a/b', 'a b', _doc, 'x'.repeat(129)])
    isRefused(await ask('PUT', `${repository}/branches/${_doc}`, { alias }), 400, 'nodes.branch_alias_malformed', alias);
  const longest = 'x'.repeat(128);
  await admin('PUT', `${repository}/branches/blue`, { title: 'aliased', alias: longest });
  assert.deepEqual([await by(longest), await by('blue')], [_doc, undefined]);
  await admin('PUT', `${repository}/branches/${longest}`, { title: 'aliased', alias: 'green' });
  assert.deepEqual([await by('green'), await by('blue')], [_doc, undefined]);
  // A name that was given up is free, also the one that the master always has.
  const master = await admin('GET', branch);
  await admin('PUT', branch, { ...master, alias: 'blue' });
  await admin('PUT', branch, { ...master, alias: 'master' });
  await admin('PUT', branch, { ...master, alias: '' });
  assert.deepEqual([await by('blue'), await by('master')], [undefined, master._doc]);
  await admin('DELETE', `${repository}/branches/green`);
  assert.equal(await by('green'), undefined);
});

test('a mounted node is read under the _doc of its row, as long as it is mounted', async () => {
  const [one, two] = [await create({ title: 'one' }), await create({ title: 'two' })];
  const by = async (key, on = branch) => (await ask('GET', `${on}/nodes/${key}`)).json?._doc;
  await admin('POST', `${N(one)}/mount/home`);
  for (const { _doc } of (await admin('GET', `${branch}/nodes`)).rows) assert.equal(await by(_doc), one);
  const fork = `${repository}/branches/${(await admin('POST', `${repository}/branches?branch=master`, {}))._doc}`;
  await admin('POST', `${N(two)}/mount/home`);
  assert.deepEqual([await by('home'), await by('home', fork)], [two, one]);
  await admin('PUT', `${N('home')}`, { title: 'by its key' });
  assert.equal((await admin('GET', N(two))).title, 'by its key');
  await admin('POST', `${N(two)}/unmount`);
  assert.equal(await by('home'), undefined);
  await admin('POST', `${N(one)}/mount/home`);
  await admin('DELETE', N(one));
  assert.equal(await by('home'), undefined);
  await admin('POST', `${branch}/deletions/${one}/restore`, {});
  assert.equal(await by('home'), one);
  isRefused(await ask('POST', `${N(two)}/mount/root`), 400, 'nodes.mount_key_malformed');
  assert.equal((await admin('GET', N('root')))._qname, 'r:root');
});

test('answers that a small bound has cut say so in one word, with the bound', async () => {
  const folder = await create({}, '?parentFolderPath=/');
  await admin('POST', `${branch}/nodes?rootNodeId=${folder}&parentFolderPath=/`, Array.from({ length: 501 }, () => ({})));
  for (const path of [repository, branch]) await admin('POST', `${path}/authorities/connector/grant?id=default/editor`);
  await admin('POST', `${N(folder)}/authorities/consumer/grant?id=default/editor`);
  // Who may not READ every node of the branch is counted 500 associations.
  const cut = (await ask('GET', N(folder), undefined, editor)).json._statistics;
  assert.deepEqual([cut.truncated, cut.bound], [true, 'counted_associations']);
  const whole = (await admin('GET', N(folder)))._statistics;
  assert.deepEqual([whole['a:child_OUTGOING'], 'truncated' in whole, 'bound' in whole], [501, false, false]);

  const levels = (count) => Array.from({ length: count }, (_, i) => `/${i}`).join('');
  const deep = await create({}, `?parentFolderPath=${levels(99)}`);
  const fits = await admin('POST', `${N('root')}/tree?depth=-1&containers=true`, {});
  assert.deepEqual(['truncated' in fits, 'bound' in fits], [false, false]);
  await create({}, `?rootNodeId=${deep}&parentFolderPath=/1/2`);
  const tree = await admin('POST', `${N('root')}/tree?depth=-1&containers=true`, {});
  assert.deepEqual([tree.truncated, tree.bound], [true, 'levels']);
  assert.ok(!JSON.stringify([cut, tree]).includes('truncated_by'));
});

test('answers that a large bound has cut say so in one word, with the bound', { skip: process.env.STELE_SANITIZED ? 'ten thousand nodes take minutes' : false }, async () => {
  const many = Array.from({ length: 5000 }, () => ({}));
  for (let i = 0; i < 2; i += 1) await admin('POST', `${branch}/nodes?parentFolderPath=/`, many);
  await create({}, '?parentFolderPath=/');
  const root = await admin('GET', N('root'));
  assert.deepEqual([root._statistics.truncated, root._statistics.bound], [true, 'counted_associations']);
  const tree = await admin('POST', `${N('root')}/tree`, {});
  assert.deepEqual([tree.truncated, tree.bound], [true, 'nodes']);
  const ids = Array.from({ length: 10_001 }, () => ({}));
  isRefused(await ask('POST', `${branch}/nodes`, ids), 400, 'request.parameter_invalid');
  const purged = await admin('GET', `${branch}/nodes/root/children?limit=1`);
  assert.deepEqual([purged.total_rows, 'truncated' in purged], [10_001, false], 'what was not cut says nothing');
  const found = await admin('POST', `${branch}/nodes/find?limit=1`, { query: { title: 'none' }, traverse: { depth: 1 } });
  for (const reply of [root, tree, purged, found]) assert.ok(!JSON.stringify(reply).includes('truncated_by'));
});
