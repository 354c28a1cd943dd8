// Features, QNames and types of nodes; persons and groups (docs/specification/nodes.md 9, 10, 23).
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { SteleServer } from '../../../tests/support/stele_server.mjs';

let server;
let branch;
before(async () => {
  server = await SteleServer.start();
  branch = `/repositories/${(await server.admin('POST', '/repositories', {}))._doc}/branches/master`;
});
after(() => server.end());

const admin = (...args) => server.admin(...args);
const status = async (method, path, body) => (await server.request(method, path, { token: server.adminToken, body })).status;
const make = async (body = {}) => `${branch}/nodes/${(await admin('POST', `${branch}/nodes`, body))._doc}`;
const count = async (query) => (await admin('POST', `${branch}/nodes/query`, query)).total_rows;

test('a feature is set, replaced and taken away (9)', async () => {
  const node = await make({ title: 'T' });
  const written = await admin('POST', `${node}/features/f:filename`, { filename: 'a.txt', extra: 1 });
  assert.equal(written._doc, node.split('/').at(-1));
  assert.equal(written.title, 'T');
  assert.deepEqual((await admin('GET', node))._features['f:filename'], { filename: 'a.txt', extra: 1 });
  assert.deepEqual(await admin('GET', `${node}/features/f:filename`), { filename: 'a.txt', extra: 1 });
  await admin('PUT', `${node}/features/f%3Afilename`, { filename: 'b.txt' });
  assert.deepEqual((await admin('GET', `${node}/features`))['f:filename'], { filename: 'b.txt' });
  await admin('DELETE', `${node}/features/f:filename`);
  assert.equal('f:filename' in (await admin('GET', node))._features, false);
  await admin('PUT', node, { ...(await admin('GET', node)), title: 'U' });
  assert.equal('f:filename' in (await admin('GET', node))._features, false, 'nothing adds it again');
  assert.equal(await status('GET', `${node}/features/f:filename`), 404);
});

test('a feature without configuration is an empty object (1.1, 9)', async () => {
  const node = await make();
  for (const body of [undefined, {}]) {
    await admin('POST', `${node}/features/f:container`, body);
    assert.deepEqual((await admin('GET', node))._features['f:container'], {});
  }
  for (const body of [[], [1], 'null', '1']) {
    assert.equal(await status('POST', `${node}/features/f:taggable`, body), 400, JSON.stringify(body));
  }
  assert.equal('f:taggable' in (await admin('GET', node))._features, false);
  assert.equal(await status('POST', `${node}/features/nocolon`, {}), 400);
});

test('a feature of one\'s own is found by its presence (9)', async () => {
  await admin('POST', `${branch}/nodes`, { _type: 'd:feature', _qname: 'custom:authorable' });
  const node = await make();
  await admin('POST', `${node}/features/custom:authorable`, { author: 'x' });
  assert.equal(await count({ '_features.custom:authorable': { $exists: true } }), 1);
});

test('a feature makes a new version (9)', async () => {
  const node = await make();
  const before = (await admin('GET', node))._system.changeset;
  await admin('POST', `${node}/features/f:taggable`, {});
  assert.notEqual((await admin('GET', node))._system.changeset, before);
});

test('a QName changes, by PUT and POST and on every form of the path (10)', async () => {
  const node = await make({ _qname: 'custom:first' });
  const path = (b, n) => branch.replace('/branches/', `/${b}/`) + `/${n}/${node.split('/').at(-1)}`;
  let number = 0;
  let last = 'custom:first';
  for (const b of ['branches', 'b']) for (const n of ['nodes', 'n']) for (const method of ['PUT', 'POST']) {
    const qname = `my:name${number++}`;
    const changed = await admin(method, `${path(b, n)}/change_qname?qname=${qname}`);
    assert.equal(changed._doc, node.split('/').at(-1));
    assert.equal(changed._qname, qname);
    assert.equal(await count({ _qname: last }), 0);
    assert.equal(await count({ _qname: qname }), 1);
    last = qname;
  }
  assert.equal(await status('POST', `${node}/change_qname`), 400);
  assert.equal(await status('POST', `${node}/change_qname?qname=bad`), 400);
  await make({ _qname: 'custom:taken' });
  assert.equal(await status('POST', `${node}/change_qname?qname=custom:taken`), 409);
  assert.equal(await status('POST', `${branch}/nodes/root/change_qname?qname=custom:r`), 409);
});

test('a type changes, again and again (10)', async () => {
  const node = await make();
  for (const type of ['custom:one', 'custom:two', 'n:node']) {
    assert.equal((await admin('POST', `${node}/change_type?type=${type}`))._type, type);
    assert.equal((await admin('GET', node))._type, type);
    if (type !== 'n:node') assert.equal(await count({ _type: type }), 1);
  }
  assert.equal(await status('PUT', `${node}/change_type`), 400);
});

test('a QName is made of a title (10)', async () => {
  const generate = async (title) => (await admin('POST', `${branch}/qnames/generate`, { title }))._qname;
  assert.equal(await generate('My First Title'), 'custom:myfirsttitle0');
  await make({ _qname: 'custom:myfirsttitle0' });
  assert.equal(await generate('My first-title!'), 'custom:myfirsttitle1');
  assert.match((await admin('POST', `${branch}/qnames/generate`, {}))._qname, /^custom:[a-z]+0$/);
});

test('a person stands for a user, and is the one of the implicit associations (23, 11.4)', async () => {
  const user = await server.makeUser('hanna');
  const acquire = `${branch}/person/acquire?id=default/${user._doc}`;
  assert.equal(await status('GET', acquire), 404);
  const person = await admin('GET', `${acquire}&createIfNotFound=True`);
  assert.equal('ok' in person, false);
  assert.equal(person._type, 'n:person');
  assert.equal(person['principal-id'], user._doc);
  assert.equal(person['principal-name'], 'hanna');
  assert.equal(person['principal-type'], 'USER');
  assert.equal(person['principal-domain'], user.domainId);
  assert.equal((await admin('GET', `${branch}/person/acquire?id=default/hanna`))._doc, person._doc);
  assert.equal((await admin('GET', `${branch}/person/acquire?id=hanna`))._doc, person._doc);
  const node = await make();
  const mine = await admin('GET', `${branch}/person/acquire?id=admin&createIfNotFound=true`);
  const { rows } = await admin('GET', `${node}/associations?direction=INCOMING`);
  assert.deepEqual(rows.map((row) => row.source), [mine._doc]);
  assert.equal(await status('GET', `${branch}/person/acquire`), 400);
  assert.equal(await status('GET', `${branch}/group/acquire?id=hanna&createIfNotFound=true`), 404, 'a user is no group');
});

test('what stands for a user is made again after it was deleted, but not for a user who is gone (23, 11.4)', async () => {
  const user = await server.makeUser('ida');
  const acquire = `${branch}/person/acquire?id=default/${user._doc}`;
  const first = await admin('GET', `${acquire}&createIfNotFound=true`);
  await admin('DELETE', `${branch}/nodes/${first._doc}`);
  assert.equal(await status('GET', acquire), 404);
  const second = await admin('GET', `${acquire}&createIfNotFound=true`);
  assert.notEqual(second._doc, first._doc);
  assert.equal(second['principal-id'], user._doc);
  assert.equal((await admin('GET', acquire))._doc, second._doc);
  // What comes back is a node of the past, not the one that stands for the user.
  await admin('POST', `${branch}/deletions/${first._doc}/restore`, {});
  assert.equal((await admin('GET', acquire))._doc, second._doc);
  const mine = await admin('GET', `${branch}/person/acquire?id=admin&createIfNotFound=true`);
  await admin('DELETE', `${branch}/nodes/${mine._doc}`);
  const node = await make();
  const again = await admin('GET', `${branch}/person/acquire?id=admin`);
  assert.notEqual(again._doc, mine._doc);
  const { rows } = await admin('GET', `${node}/associations?direction=INCOMING`);
  assert.deepEqual(rows.map((row) => row.source), [again._doc]);
  await admin('DELETE', `/domains/default/principals/${user._doc}`);
  assert.equal(await status('GET', acquire), 404);
  assert.equal(await status('GET', `${acquire}&createIfNotFound=true`), 404);
  assert.equal(await status('GET', `${branch}/nodes/${second._doc}`), 200);
});

test('a group has its node, too (23)', async () => {
  const group = await admin('POST', '/domains/default/principals', { type: 'GROUP', name: 'readers' });
  const node = await admin('GET', `${branch}/group/acquire?id=readers&createIfNotFound=true`);
  assert.equal(node._type, 'n:group');
  assert.equal(node['principal-id'], group._doc);
  assert.equal(node['principal-type'], 'GROUP');
});

const tagsOf = async (node) => {
  const { rows } = await admin('GET', `${node}/relatives?type=a:has_tag&direction=OUTGOING`);
  for (const row of rows) assert.equal(row._type, 'n:tag');
  return rows.map((row) => row.tag).sort();
};

test('a taggable node is associated with a node of each of its tags, which nodes share (9.8)', async () => {
  const one = await make({ _features: { 'f:taggable': { tags: ['red', 'green', 'red', '', 1] } } });
  assert.deepEqual(await tagsOf(one), ['green', 'red']);
  const two = await make({ tags: ['red'], _features: { 'f:taggable': {} } });
  assert.deepEqual(await tagsOf(two), ['red']);
  assert.equal(await count({ _type: 'n:tag', tag: 'red' }), 1);
  const untagged = await make({ tags: ['red'] });
  assert.deepEqual(await tagsOf(untagged), []);

  await admin('POST', `${one}/features/f:taggable`, { tags: ['blue', 'red'] });
  assert.deepEqual(await tagsOf(one), ['blue', 'red']);
  await admin('PUT', two, { tags: ['red', 'new'] });
  assert.deepEqual(await tagsOf(two), ['new', 'red']);
  await admin('PATCH', two, [{ op: 'replace', path: '/tags', value: ['new'] }]);
  assert.deepEqual(await tagsOf(two), ['new']);
  // What a client ties itself stays, and what is the feature's goes with it.
  const own = (await admin('POST', `${branch}/nodes`, { _type: 'n:tag', tag: 'own' }))._doc;
  await admin('POST', `${one}/associate?node=${own}&type=a:has_tag`, {});
  await admin('DELETE', `${one}/features/f:taggable`);
  assert.deepEqual(await tagsOf(one), ['own']);
  await admin('DELETE', two);
  await admin('POST', `${branch}/deletions/${two.split('/').at(-1)}/restore`, {});
  assert.deepEqual(await tagsOf(two), ['new']);
  const copy = await admin('POST', `${two}/copy?targetNodeId=root`, {});
  assert.deepEqual(await tagsOf(`${branch}/nodes/${copy._doc}`), ['new']);
  const many = Array.from({ length: 101 }, (_, i) => `tag ${i}`);
  const refused = await server.request('POST', `${branch}/nodes`, { token: server.adminToken, body: { _features: { 'f:taggable': { tags: many } } } });
  assert.deepEqual([refused.status, refused.json.violations[0].code], [400, 'nodes.tags_exceeded']);
});

test('whoever may change a node may tag it, and gains nothing by it', async () => {
  const { _doc: user } = await server.makeUser('tagger');
  const token = await server.login('tagger', 'secret-of-tagger');
  const node = await make();
  await admin('POST', `${node}/authorities/editor/grant?id=default/${user}`);
  const tagged = await server.request('POST', `${node}/features/f:taggable`, { token, body: { tags: ['of the tagger'] } });
  assert.equal(tagged.status, 200, tagged.text);
  assert.deepEqual(await tagsOf(node), ['of the tagger']);
  const [tag] = (await admin('POST', `${branch}/nodes/query`, { _type: 'n:tag', tag: 'of the tagger' })).rows;
  const changed = await server.request('PUT', `${branch}/nodes/${tag._doc}`, { token, body: { tag: 'mine' } });
  assert.ok([403, 404].includes(changed.status), changed.text);
});

test('a repair takes in every association of a node (32)', async () => {
  const hub = await make();
  const id = hub.split('/').at(-1);
  await admin('POST', `${branch}/nodes?rootNodeId=${id}&parentFolderPath=/`, Array.from({ length: 1001 }, () => ({})));
  assert.equal((await admin('GET', hub))._statistics['a:child_OUTGOING'], 1001);
  const { _repair: repair } = await admin('POST', `${hub}/repair`, {});
  assert.deepEqual([repair.associations, repair.faults, 'truncated' in repair], [1001, 0, false]);
});

test('refresh, recreate and repair mend what a node lacks, and tell that nothing was wrong (32)', async () => {
  const definition = await make({ _type: 'd:type', _qname: 'custom:demanding' });
  for (const action of ['refresh', 'recreate', 'repair', '_repair']) {
    await admin('PUT', definition, {});
    const node = await make({ _type: 'custom:demanding', title: action });
    const other = await make();
    await admin('POST', `${node}/associate?node=${other.split('/').at(-1)}&type=a:linked`, {});
    const read = await admin('GET', node);
    const sound = await admin('POST', `${node}/${action}`, {});
    assert.deepEqual([sound.ok, sound._doc, sound.title], [true, read._doc, action]);
    assert.deepEqual(sound._repair, { associations: 1, faults: 0, repaired: 0, rows: [], message: 'nothing was wrong' });
    assert.deepEqual(sound._statistics, read._statistics);
    assert.equal(sound._statistics['a:linked_OUTGOING'], 1);
    assert.deepEqual(await admin('GET', node), read, 'nothing was written');

    await admin('PUT', definition, { mandatoryFeatures: { 'f:container': {} } });
    const { _repair: repair, ...mended } = await admin('POST', `${node}/${action}`, sound);
    assert.deepEqual([repair.faults, repair.repaired, repair.rows.map((row) => row.code)], [1, 1, ['nodes.feature_missing']]);
    assert.deepEqual(mended._features['f:container'], {});
    assert.deepEqual((await admin('GET', node))._features['f:container'], {});
    // A client that sends the reply back stores no report.
    await admin('PUT', node, { ...mended, _repair: repair });
    assert.ok(!('_repair' in await admin('GET', node)));
  }
});
