// Definitions, forms, translations, lists and rights of nodes by the driver gitana, against the real program. Each
// test names the number of the checklist in docs/specification/nodes.md 34, or the section, that it is from.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ask, call, connect, send, startPlatform } from './gitana_driver.mjs';
import { associate, freshContent, isMissing, makeNode, queryNodes, readNode, titlesOf, total }
  from './gitana_repository.mjs';

const { server, admin, primary } = await startPlatform();
const fresh = (fields) => freshContent(admin, fields);
let names = 0;
const everything = { limit: -1 };
const makeUser = () => call(primary, (domain) => domain.createUser({ name: `user-${++names}`, password: 'of the user' }));
const connectAs = (user) => connect(server, { username: user.getDomainQualifiedName(), password: 'of the user' });

test('section 22: built-in definitions are listed by kind, and a custom type is one more', async () => {
  const { master } = await fresh();
  const kinds = { type: 'd:type', association: 'd:association', feature: 'd:feature' };
  for (const [filter, type] of Object.entries(kinds)) {
    const listed = await call(master, (chain) => chain.listDefinitions(filter, everything));
    assert.ok(listed.size() > 0, filter);
    assert.ok(listed.asArray().every((one) => one.getTypeQName() === type), filter);
  }
  const ofNodes = async () => (await call(master, (chain) => chain.listDefinitions('type', everything))).asArray()
    .filter((one) => one.get('_parent') === 'n:node' && !one.getQName().startsWith('n:'))
    .map((one) => one.getQName()).sort();
  const builtIn = ['blog:blog', 'blog:post', 'wcm:page', 'wcm:template', 'workflow:package'];
  assert.deepEqual(await ofNodes(), builtIn);
  await makeNode(master, { _qname: 'custom:minimal', _type: 'd:type' });
  assert.deepEqual(await ofNodes(), [...builtIn, 'custom:minimal'].sort());
  const definition = await call(master, (chain) => chain.readDefinition('custom:minimal'));
  assert.equal(definition.getQName(), 'custom:minimal');
  await makeNode(master, { _type: 'custom:minimal', title: 'Instance' });
  assert.equal(await total(master, { _type: 'custom:minimal' }), 1);
  await assert.rejects(call(master, (chain) => chain.readDefinition('custom:none')), isMissing);
});

test('section 22: definitions are queried, schemas loaded, and a custom feature is used', async () => {
  const { master } = await fresh();
  await makeNode(master, { _qname: 'custom:book', _type: 'd:type', _parent: 'n:node', type: 'object',
                           properties: { pages: { type: 'number' } }, marked: true });
  const found = await call(master, (chain) => chain.queryDefinitions({ marked: true }));
  assert.deepEqual(found.asArray().map((one) => one.getQName()), ['custom:book']);
  const schemas = await ask(master, (chain, answer) => chain.loadSchemas('type', answer));
  assert.deepEqual(schemas['custom:book'].properties.pages, { type: 'number' });
  const schema = await ask(master, (chain, answer) => chain.loadSchema('custom:book', answer));
  assert.deepEqual(schema.properties.pages, { type: 'number' });
  await makeNode(master, { _qname: 'custom:authorable', _type: 'd:feature' });
  const node = await makeNode(master, { title: 'Written' });
  await call(node, (chain) => chain.addFeature('custom:authorable', { author: 'Joe' }));
  assert.deepEqual(titlesOf(await queryNodes(master, { '_features.custom:authorable': { $exists: true } })), ['Written']);
});

test('section 22: forms are added to a definition, changed and removed', async () => {
  const { master } = await fresh();
  await makeNode(master, { _qname: 'custom:book', _type: 'd:type' });
  const definition = await call(master, (chain) => chain.readDefinition('custom:book'));
  const forms = async () => call(definition, (chain) => chain.listFormAssociations());
  for (const key of ['one', 'two', 'three']) await call(definition, (chain) => chain.createForm(key, { title: key, extra: 1 }));
  const rows = await forms();
  assert.equal(rows.size(), 3);
  assert.ok(rows.asArray().every((row) => row.getTypeQName() === 'a:has_form'));
  assert.deepEqual(rows.asArray().map((row) => row.get('form-key')).sort(), ['one', 'three', 'two']);
  const form = await call(definition, (chain) => chain.readForm('two'));
  assert.equal(form.getTypeQName(), 'n:form');
  delete form.extra;
  const updated = await call(form, (chain) => chain.update());
  assert.equal('extra' in updated, false);
  await call(definition, (chain) => chain.removeFormAssociation('one'));
  assert.equal((await forms()).size(), 2);
  await call(form, (chain) => chain.del());
  assert.equal((await forms()).size(), 1);
  await assert.rejects(call(definition, (chain) => chain.readForm('two')), isMissing);
});

test('10: translations, editions, locales and what is read for want of one', async () => {
  const { master } = await fresh();
  const node = await makeNode(master, { title: 'Theory of Mathematics' });
  const translate = (edition, locale, title) =>
    call(node, (chain) => chain.createTranslation(edition, locale, { title }));
  const german = await translate('1.0', 'de_DE', 'Theorie der Mathematik');
  assert.equal(german.title, 'Theorie der Mathematik');
  await translate('1.0', 'es_ES', 'Teoría de la Matemática');
  await translate('2.0', 'es_ES', 'Teoría de las Matemáticas');
  assert.deepEqual(await ask(node, (chain, answer) => chain.editions(answer)), ['1.0', '2.0']);
  const read = async (edition, locale) => (await call(node, (chain) => chain.readTranslation(edition, locale))).title;
  assert.equal(await read('2.0', 'es_MX'), 'Teoría de las Matemáticas');
  assert.equal(await read('1.0', 'es_ES'), 'Teoría de la Matemática');
  assert.equal(await read('2.0', 'de_DE'), 'Theory of Mathematics');
  assert.equal(await read('1.0', 'xx_YY'), 'Theory of Mathematics');
  assert.equal((await call(node, (chain) => chain.readTranslation('de-DE'))).title, 'Theorie der Mathematik');
  assert.equal((await call(node, (chain) => chain.listTranslations('1.0'))).size(), 2);
  assert.ok((await readNode(master, node.getId())).getFeature('f:multilingual'));
});

test('section 1.1: locales of an edition, which the driver asks for without a question mark', async () => {
  const { master } = await fresh();
  const node = await makeNode(master, { title: 'Master' });
  for (const [edition, locale] of [['1.0', 'de_DE'], ['1.0', 'es_ES'], ['2.0', 'pl_PL']]) {
    await call(node, (chain) => chain.createTranslation(edition, locale, { title: locale }));
  }
  const locales = (edition) => ask(node, (chain, answer) => chain.locales(edition, answer));
  assert.deepEqual(await locales('1.0'), ['de_DE', 'es_ES']);
  assert.deepEqual(await locales('2.0'), ['pl_PL']);
});

test('section 24: plain reads follow the driver\'s locale and the edition of the master', async () => {
  const { master } = await fresh();
  const node = await makeNode(master, { title: 'Master' });
  await call(node, (chain) => chain.createTranslation('1.0', 'de_DE', { title: 'Erste' }));
  await call(node, (chain) => chain.createTranslation('2.0', 'de_DE', { title: 'Zweite' }));
  const german = await connect(server, { username: 'admin', password: server.seed.admin.password, locale: 'de_DE' });
  const read = async (platform) => {
    const branch = await call(await call(platform, (chain) => chain.readRepository(master.getRepositoryId())),
                              (chain) => chain.readBranch('master'));
    return (await readNode(branch, node.getId())).title;
  };
  assert.equal(await read(admin), 'Master');
  assert.equal(await read(german), 'Erste');
  await call(node, (chain) => chain.addFeature('f:multilingual', { edition: '2.0' }));
  assert.equal(await read(german), 'Zweite');
  german.getDriver().setLocale('default');
  assert.equal(await read(german), 'Master');
});

test('17: a list, its items, a query of them, and an item deleted as a node', async () => {
  const { master } = await fresh();
  await send(admin, 'POST', `${master.getUri()}/lists/countries?type=d:type`, {});
  const list = await send(admin, 'GET', `${master.getUri()}/lists/countries`);
  assert.equal(list._type, 'n:list');
  assert.equal(list.listKey, 'countries');
  assert.equal(list.listItemType, 'd:type');
  const node = await readNode(master, list._doc);
  node.support_multiple_locales = true;
  assert.equal((await call(node, (chain) => chain.update())).support_multiple_locales, true);
  for (const [name, size] of [['France', 1], ['Spain', 1], ['Malta', 2]]) {
    await send(admin, 'POST', `${master.getUri()}/lists/countries/items`, { name, size });
  }
  const items = await call(master, (chain) => chain.listItems('countries'));
  assert.equal(items.size(), 3);
  assert.ok(items.asArray().every((item) => item.getTypeQName() === 'd:type'));
  const small = await call(master, (chain) => chain.queryItems('countries', { size: 1 }));
  assert.deepEqual(small.asArray().map((item) => item.name).sort(), ['France', 'Spain']);
  await call(small.asArray()[0], (chain) => chain.del());
  assert.equal((await call(master, (chain) => chain.queryItems('countries', { size: 1 }))).size(), 1);
  assert.equal((await call(master, (chain) => chain.queryItems('countries', {}, { full: false, limit: 1 }))).totalRows(), 2);
  await assert.rejects(call(master, (chain) => chain.listItems('none')), isMissing);
});

test('section 12.3: ratings of comments and custom associations are counted', async () => {
  const { master } = await fresh();
  const node = await makeNode(master);
  for (const rating of [3, 5]) await associate(node, await makeNode(master, { _type: 'n:comment', rating }), 'a:has_comment');
  const stats = (await readNode(master, node.getId())).stats();
  assert.equal(stats.ratingTotalCount, 2);
  assert.equal(stats.ratingTotalValue, 8);
  assert.equal(stats.ratingAverageValue, 4);
  assert.equal(stats['a:has_comment'], 2);
  assert.equal(stats['a:has_comment_OUTGOING'], 2);
});

test('section 26: roles on a repository decide what may be done with it and made in it', async () => {
  const { repository, master } = await fresh();
  const allowed = (user, permission) => ask(repository, (chain, answer) => chain.checkPermission(user, permission, answer));
  const expected = { manager: [true, true, true], editor: [true, true, true], consumer: [true, false, false], none: [false, false, false] };
  const users = {};
  for (const [role, rights] of Object.entries(expected)) {
    users[role] = await makeUser();
    if (role !== 'none') await call(repository, (chain) => chain.grantAuthority(users[role], role));
    const held = [];
    for (const permission of ['READ', 'update', 'delete']) held.push(await allowed(users[role], permission));
    assert.deepEqual(held, rights, role);
  }
  const consumer = await connectAs(users.consumer);
  const read = await call(consumer, (chain) => chain.readRepository(repository.getId()));
  const isRefused = (error) => [403, 404].includes(error.status) && error.message.length > 0;
  await assert.rejects(call(read, (chain) => chain.createBranch('master', '0:root', {})), isRefused);
  await assert.rejects(send(consumer, 'POST', `${master.getUri()}/nodes`, {}), isRefused);
  const none = await connectAs(users.none);
  await assert.rejects(send(none, 'GET', master.getUri()), isRefused);
  // A plain grant on a store stays on it (docs/specification/platform.md 4.3), so what is forked takes one of its own.
  await call(master, (chain) => chain.grantAuthority(users.consumer, 'consumer'));
  await assert.rejects(call(read, (chain) => chain.createBranch('master', '0:root', {})), { status: 403 });
  await call(repository, (chain) => chain.grantAuthority(users.consumer, 'collaborator'));
  const made = await call(read, (chain) => chain.createBranch('master', '0:root', { title: 'Fork' }));
  assert.equal(made.title, 'Fork');
});

test('section 26: a team of the repository reads its nodes and may not make any; checks come in their order', async () => {
  const { repository, master } = await fresh();
  const node = await makeNode(master, { title: 'Guarded' });
  const [member, stranger] = [await makeUser(), await makeUser()];
  const team = await call(repository, (chain) => chain.createTeam('readers'));
  await call(team, (chain) => chain.grant('consumer'));
  await call(team, (chain) => chain.addMember(member));
  const checks = [[stranger, 'READ'], [member, 'read'], [member, 'update']].map(([user, permissionId]) =>
    ({ permissionedId: node.getId(), principalId: user.getDomainQualifiedId(), permissionId }));
  const results = await ask(master, (chain, answer) => chain.checkNodePermissions(checks, answer));
  assert.deepEqual(results.map((one) => one.result), [false, true, false]);
  const platform = await connectAs(member);
  const branch = await call(await call(platform, (chain) => chain.readRepository(repository.getId())), (chain) => chain.readBranch('master'));
  assert.equal((await readNode(branch, node.getId())).title, 'Guarded');
  await assert.rejects(makeNode(branch, { title: 'No' }), (error) => error.status === 403 && error.message.length > 0);
  assert.equal(await total(master, { title: 'No' }), 0);
});

test('section 26: a custom role of the repository is an authority on its nodes', async () => {
  const { repository, master } = await fresh();
  const user = await makeUser();
  await call(repository, (chain) => chain.createRole('proofreader', { permissions: ['read', 'update'] }));
  const node = await makeNode(master);
  const has = () => ask(node, (chain, answer) => chain.checkAuthority(user, 'proofreader', answer));
  assert.equal(await has(), false);
  await call(node, (chain) => chain.grantAuthority(user, 'proofreader'));
  assert.equal(await has(), true);
  assert.equal(await ask(node, (chain, answer) => chain.checkPermission(user, 'update', answer)), true);
  assert.equal(await ask(node, (chain, answer) => chain.checkPermission(user, 'delete', answer)), false);
  await call(node, (chain) => chain.revokeAllAuthorities(user));
  assert.equal(await has(), false);
});
