// What each operation on nodes is asked for, and what it must bring about. Keys are the method and the path
// below a branch as docs/specification/interface.md 5.8 names them, in the form with `branches` and `nodes`.
// `optional` are parameters that the file calls required and that the server does without.
import assert from 'node:assert/strict';

const hasRow = (json, id) => assert.ok(json.rows.some((row) => row._doc === id), JSON.stringify(json).slice(0, 500));
const hasNoRow = (json, id) => assert.ok(!json.rows.some((row) => row._doc === id), JSON.stringify(json).slice(0, 500));
const isSubject = (json, s) => assert.equal(json._doc, s.id);
const kChanged = 'changed by the row walk';
const isChanged = async (json, s) => assert.equal((await s.read()).title, kChanged);
const isGone = (json, s) => s.isMissing(`/nodes/${s.id}`);
const boundary = 'the-boundary';
const form = [`--${boundary}`, 'Content-Disposition: form-data; name="sent"; filename="sent.txt"',
  'Content-Type: text/plain', '', 'some text', `--${boundary}--`, ''].join('\r\n');

/// Nodes that a subject is asked about together with another.
const withChild = async (s) => { s.child = await s.make({ title: 'child' }); await s.tie(s.id, s.child, 'a:child'); };
const inFolder = async (s) => { s.folder = await s.make({ title: s.word, _type: 'custom:walkedfolder', _parentFolderPath: '/' }); await s.tie(s.folder, s.id, 'a:child'); };
const withFolder = async (s) => { s.folder = await s.make({ title: s.word, _parentFolderPath: '/' }); };
const withFeature = (s) => s.ask('POST', `/nodes/${s.id}/features/f:taggable`, { tags: ['walked'] });
const withAttachment = (s) => s.ask('POST', `/nodes/${s.id}/attachments/kept`, { kept: true });
const image = Buffer.from('GIF89a\x01\0\x01\0\x80\0\0\xff\0\0\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;', 'latin1');
const withImage = (s) => s.upload('default', image, 'image/gif');
const withTranslation = (s) => s.ask('POST', `/nodes/${s.id}/i18n?locale=de&edition=walked`, { title: 'übersetzt' });
const withForm = async (s) => {
  const definition = await s.make({ _type: 'd:type', _qname: `custom:${s.word}` });
  s.form = await s.make({ _type: 'n:form' });
  await s.tie(definition, s.form, 'a:has_form', { 'form-key': 'walked' });
  await s.ask('POST', `/nodes/${s.id}/change_type?type=custom:${s.word}`);
};
const withBlog = async (s) => {
  s.blog = await s.make({ _type: 'blog:blog' });
  s.post = await s.make({ _type: 'blog:post', title: 'post' });
  await s.tie(s.blog, s.post, 'a:child');
};
const withList = async (s) => {
  await s.ask('POST', `/lists/${s.word}?type=n:node`);
  s.item = (await s.ask('POST', `/lists/${s.word}/items`, { title: 'item' }))._doc;
};
const withItem = async (s) => { s.item = (await s.ask('POST', `/nodes/${s.id}/list/a:owned/items`, { title: 'item' }))._doc; };
const withVersions = async (s) => {
  await s.ask('PUT', `/nodes/${s.id}`, { title: kChanged });
  s.changeset = (await s.read())._system.changeset;
};
const changesFeature = {
  body: () => ({ tags: ['row'] }),
  check: async (json, s) => assert.deepEqual((await s.read())._features['f:taggable'], { tags: ['row'] }),
};
const readsQuery = { query: (s) => ({ query: JSON.stringify({ _doc: s.id }) }), check: (json, s) => { hasRow(json, s.id); assert.equal(json.total_rows, 1); } };
const sendsQuery = { body: (s) => ({ _doc: s.id }), check: readsQuery.check };
const changesQName = { query: (s) => ({ qname: `custom:${s.word}` }), check: async (json, s) => assert.equal((await s.read())._qname, `custom:${s.word}`) };
const changesType = { query: (s) => ({ type: `custom:${s.word}` }), check: async (json, s) => assert.equal((await s.read())._type, `custom:${s.word}`) };
const itemGone = (list) => async (json, s) => hasNoRow(await s.ask('GET', list(s)), s.item);
const nodeList = (s) => `/nodes/${s.id}/list/a:owned/items`;
const branchList = (s) => `/lists/${s.word}/items`;
const areEnds = (type) => ({ before: withChild, check: (json, s) => assert.ok(json.rows.some((row) => row._type === type && [row.source, row.target].includes(s.id))) });
const checked = (s, third, value) => ({ checks: [
  { permissionedId: s.id, principalId: s.user, [third]: value }, { permissionedId: s.id, principalId: 'default/nobody', [third]: value }] });
const checksOfMany = (json) => assert.deepEqual(json.checks.map((one) => one.result), [true, false]);
const withGrant = (s) => s.ask('POST', `/nodes/${s.id}/authorities/consumer/grant?id=${s.user}`);
const byUser = (s) => ({ id: s.user });

export const nodeCases = {
  'GET /nodes': { before: (s) => s.ask('POST', `/nodes/${s.id}/mount/${s.word}`), check: (json, s) => { hasRow(json, s.id); hasRow(json, s.word); } },
  'POST /nodes': { body: () => ({ title: kChanged }), check: async (json, s) => assert.equal((await s.read(json._doc)).title, kChanged) },
  'PUT /nodes': { body: (s) => ({ nodes: { [s.id]: { title: kChanged } } }), check: isChanged },
  'GET /nodes/{nodeId}': { check: async (json, s) => { isSubject(json, s); assert.equal(json.title, s.title); } },
  'PUT /nodes/{nodeId}': { body: () => ({ title: kChanged }), check: isChanged },
  'PATCH /nodes/{nodeId}': { body: () => [{ op: 'replace', path: '/title', value: kChanged }], check: isChanged },
  'DELETE /nodes/{nodeId}': { check: isGone },
  'POST /nodes/delete': { body: (s) => ({ _docs: [s.id] }), check: async (json, s) => { assert.deepEqual(json._docs, [s.id]); await isGone(json, s); } },
  'POST /nodes/{nodeId}/delete': { check: isGone },
  'POST /nodes/predelete': { body: (s) => ({ _docs: [s.id] }), check: async (json, s) => { assert.ok(JSON.stringify(json).includes(s.id)); await s.read(); } },
  'POST /nodes/{nodeId}/predelete': { check: async (json, s) => { assert.ok(JSON.stringify(json).includes(s.id)); await s.read(); } },
  'POST /lookup': { body: (s) => ({ _doc: s.id }), check: isSubject },
  'POST /nodes/find': { body: (s) => ({ query: { _doc: s.id } }), check: (json, s) => hasRow(json, s.id) },
  'POST /nodes/{nodeId}/find': {
    before: withChild, body: () => ({ traverse: { associations: { 'a:child': 'OUTGOING' }, depth: 1 } }),
    check: (json, s) => assert.deepEqual(json.rows.map((row) => row._doc), [s.child]) },
  'POST /nodes/{nodeId}/relatives/find': { before: withChild, body: () => ({ query: { title: 'child' } }), check: (json, s) => hasRow(json, s.child) },
  'POST /nodes/{nodeId}/copy': {
    before: withFolder, query: (s) => ({ targetNodeId: s.folder }),
    check: async (json, s) => assert.equal((await s.ask('GET', `/nodes/${s.folder}/children`)).rows[0].title, s.title) },
  'POST /nodes/{nodeId}/move': {
    // Clients leave it out and mean the root (docs/specification/nodes.md 18.1).
    optional: ['targetNodeId'], before: withFolder, query: (s) => ({ targetNodeId: s.folder }),
    check: async (json, s) => hasRow(await s.ask('GET', `/nodes/${s.folder}/children`), s.id) },
  'POST /movenodes': {
    before: withFolder, body: (s) => ({ sourceNodeIds: [s.id], targetNodeId: s.folder }),
    check: async (json, s) => hasRow(await s.ask('GET', `/nodes/${s.folder}/children`), s.id) },
  'POST /nodes/{nodeId}/ancestorbytype': { before: inFolder, query: () => ({ type: 'custom:walkedfolder' }), check: (json, s) => assert.equal(json._doc, s.folder) },
  'GET /nodes/{nodeId}/children': { before: withChild, check: (json, s) => assert.deepEqual(json.rows.map((row) => row._doc), [s.child]) },
  'GET /nodes/{nodeId}/incoming': areEnds('a:has_role'),
  'GET /nodes/{nodeId}/outgoing': areEnds('a:child'),
  'GET /nodes/{nodeId}/mutual': {
    before: async (s) => { s.other = await s.make(); await s.ask('POST', `/nodes/${s.id}/associate?node=${s.other}&directionality=UNDIRECTED`, {}); },
    check: (json, s) => assert.deepEqual(json.rows.map((row) => row.target), [s.other]) },
  'GET /nodes/{nodeId}/path': { before: inFolder, check: (json, s) => assert.equal(json.path, `/${s.word}/${s.title}`) },
  'GET /nodes/{nodeId}/paths': { before: inFolder, check: (json, s) => assert.equal(json.paths['r:root'], `/${s.word}/${s.title}`) },
  'GET /nodes/{nodeId}/lock': { check: (json) => assert.equal(json.locked, false) },
  'POST /nodes/{nodeId}/lock': { check: async (json, s) => assert.equal((await s.ask('GET', `/nodes/${s.id}/lock`)).locked, true) },
  'POST /nodes/{nodeId}/mount/{mountKey}': { check: async (json, s) => hasRow(await s.ask('GET', '/nodes?limit=-1'), s.word) },
  'GET /nodes/{nodeId}/preview/{name}': { before: withImage, bytes: /^image\// },
  'GET /nodes/{nodeId}/versions/{changesetId}/diff': {
    before: withVersions, check: (json) => assert.deepEqual(json.diff.filter(({ path }) => path === '/title'), [{ op: 'replace', path: '/title', value: kChanged }]) },
  'POST /nodes/{nodeId}/associate': {
    before: async (s) => { s.other = await s.make(); }, query: (s) => ({ node: s.other }), body: () => ({ walked: true }),
    check: (json, s) => assert.deepEqual([json.source, json.target, json._type, json.walked], [s.id, s.other, 'a:linked', true]) },
  'GET /nodes/{nodeId}/associations': areEnds('a:child'),
  'PUT /nodes/{nodeId}/change_qname': changesQName, 'POST /nodes/{nodeId}/change_qname': changesQName,
  'PUT /nodes/{nodeId}/change_type': changesType, 'POST /nodes/{nodeId}/change_type': changesType,
  'GET /nodes/{nodeId}/features': { before: withFeature, check: (json) => assert.deepEqual(json['f:taggable'], { tags: ['walked'] }) },
  'GET /nodes/{nodeId}/features/{featureId}': { before: withFeature, check: (json) => assert.deepEqual(json, { tags: ['walked'] }) },
  'POST /nodes/{nodeId}/features/{featureId}': changesFeature, 'PUT /nodes/{nodeId}/features/{featureId}': changesFeature,
  'DELETE /nodes/{nodeId}/features/{featureId}': { before: withFeature, check: async (json, s) => assert.ok(!('f:taggable' in (await s.read())._features)) },
  'GET /nodes/query': readsQuery, 'POST /nodes/query': sendsQuery, 'GET /nodes/query/deep': readsQuery, 'POST /nodes/query/deep': sendsQuery,
  'POST /nodes/{nodeId}/relatives/query': { before: withChild, body: () => ({ title: 'child' }), check: (json, s) => hasRow(json, s.child) },
  'POST /blogs/query': { before: withBlog, body: (s) => ({ _doc: s.blog }), check: (json, s) => assert.deepEqual(json.rows.map((row) => row._doc), [s.blog]) },
  'POST /blogs/{blogId}/posts/query': { before: withBlog, body: () => ({ title: 'post' }), check: (json, s) => hasRow(json, s.post) },
  'GET /blogs': { before: withBlog, query: () => ({ limit: -1 }), check: (json, s) => hasRow(json, s.blog) },
  'GET /blogs/{blogId}/posts': { before: withBlog, check: (json, s) => hasRow(json, s.post) },
  'GET /nodes/{nodeId}/attachments': { before: withAttachment, check: (json) => assert.deepEqual(json.rows.map((row) => row.attachmentId), ['kept']) },
  'POST /nodes/{nodeId}/attachments': {
    body: () => form, headers: { 'Content-Type': `multipart/form-data; boundary=${boundary}` },
    check: async (json, s) => assert.equal((await s.read())._system.attachments.sent.length, 'some text'.length) },
  'GET /nodes/{nodeId}/versions/{changesetId}/attachments': {
    before: async (s) => { await withAttachment(s); await withVersions(s); }, check: (json) => assert.equal(json.rows[0].attachmentId, 'kept') },
  'GET /deletions/{nodeId}/attachments': {
    before: async (s) => { await withAttachment(s); await s.ask('DELETE', `/nodes/${s.id}`); }, check: (json) => assert.equal(json.rows[0].attachmentId, 'kept') },
  'POST /nodes/{nodeId}/attachments/{attachmentId}/copy': {
    before: withAttachment, query: () => ({ id: 'second' }), check: async (json, s) => assert.deepEqual(await s.ask('GET', `/nodes/${s.id}/attachments/second`), { kept: true }) },
  'POST /i18n/add': {
    before: async (s) => { s.other = await s.make({ title: 'übersetzt' }); },
    query: (s) => ({ masterNodeId: s.id, translationNodeId: s.other, locale: 'de' }),
    check: async (json, s) => assert.equal((await s.ask('GET', `/nodes/${s.id}?locale=de`)).title, 'übersetzt') },
  'POST /nodes/{nodeId}/i18n': {
    query: () => ({ locale: 'de' }), body: () => ({ title: 'übersetzt' }),
    check: async (json, s) => assert.equal((await s.ask('GET', `/nodes/${s.id}?locale=de`)).title, 'übersetzt') },
  'GET /nodes/{nodeId}/i18n': { before: withTranslation, query: () => ({ locale: 'de' }), check: (json) => assert.equal(json.title, 'übersetzt') },
  'GET /nodes/{nodeId}/i18n/editions': { before: withTranslation, check: (json) => assert.deepEqual(json, { editions: ['walked'] }) },
  'GET /nodes/{nodeId}/i18n/locales': { before: withTranslation, check: (json) => assert.deepEqual(json, { locales: ['de'] }) },
  'GET /group/acquire': { query: () => ({ id: 'everyone', createIfNotFound: true }), check: (json) => assert.deepEqual([json._type, json['principal-name']], ['n:group', 'everyone']) },
  'GET /person/acquire': { query: () => ({ id: 'admin', createIfNotFound: true }), check: (json) => assert.deepEqual([json._type, json['principal-name']], ['n:person', 'admin']) },
  'GET /nodes/{nodeId}/forms': { before: withForm, check: (json, s) => assert.deepEqual(json.rows.map((row) => row.target), [s.form]) },
  'GET /nodes/{nodeId}/forms/{formKey}': { before: withForm, check: (json, s) => assert.equal(json._doc, s.form) },
  'GET /definitions/{qname}/forms': { before: withForm, check: (json, s) => assert.deepEqual(json.rows.map((row) => row.target), [s.form]) },
  'GET /definitions/{qname}/forms/{formKey}': { before: withForm, check: (json, s) => assert.equal(json._doc, s.form) },
  'GET /nodes/{nodeId}/list/{associationTypeId}/items': { before: withItem, check: (json, s) => hasRow(json, s.item) },
  'POST /nodes/{nodeId}/list/{associationTypeId}/items': { body: () => ({ title: 'item' }), check: async (json, s) => hasRow(await s.ask('GET', nodeList(s)), json._doc) },
  'DELETE /nodes/{nodeId}/list/{associationTypeId}/items/{itemId}': { before: withItem, check: itemGone(nodeList) },
  'GET /lists/{listKey}': { before: withList, check: (json, s) => assert.equal(json.listKey, s.word) },
  'DELETE /lists/{listKey}': { before: withList, check: (json, s) => s.isMissing(`/lists/${s.word}`) },
  'POST /lists/{listKey}': { query: () => ({ type: 'n:node' }), check: async (json, s) => assert.equal((await s.ask('GET', `/lists/${s.word}`))._doc, json._doc) },
  'GET /lists/{listKey}/items': { before: withList, check: (json, s) => hasRow(json, s.item) },
  'POST /lists/{listKey}/items': { before: withList, body: () => ({ title: 'another' }), check: async (json, s) => hasRow(await s.ask('GET', branchList(s)), json._doc) },
  'DELETE /lists/{listKey}/items': { before: withList, check: itemGone(branchList) },
  'DELETE /lists/{listKey}/items/{itemId}': { before: withList, check: itemGone(branchList) },
  'POST /nodes/{nodeId}/permissions/{permissionId}/check': { before: withGrant, query: byUser, check: (json) => assert.equal(json.check, true) },
  'POST /nodes/{nodeId}/authorities/{authorityId}/check': { before: withGrant, query: byUser, check: (json) => assert.equal(json.check, true) },
  'POST /nodes/{nodeId}/authorities/{authorityId}/grant': { query: byUser, check: async (json, s) => assert.deepEqual((await s.ask('GET', `/nodes/${s.id}/acl?id=${s.user}`)).rows, ['consumer']) },
  'POST /nodes/authorities/check': { before: withGrant, body: (s) => checked(s, 'authorityId', 'consumer'), check: checksOfMany },
  'POST /nodes/permissions/check': { before: withGrant, body: (s) => checked(s, 'permissionId', 'READ'), check: checksOfMany },
};
