// Reads exports by docs/reference/archive-format.md alone: its example is one, its rules and its schema hold for others.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';
import { SteleServer } from '../support/stele_server.mjs';
import { archiveOf, unzip } from '../support/zip_archive.mjs';

// ajv comes with the suite of the published drivers.
const require = createRequire(new URL('../clients/', import.meta.url));
const Ajv = require('ajv/dist/2020').default;

const read = (name) => readFileSync(new URL(`../../docs/reference/${name}`, import.meta.url), 'utf8');
const page = read('archive-format.md');
const schema = JSON.parse(read('archive-manifest.schema.json'));
const validate = new Ajv({ allErrors: true }).compile(schema);

let server;
let everyKind;
before(async () => {
  server = await SteleServer.start();
  await server.makeUser('gardener');
  everyKind = await makeEveryKind();
});
after(() => server.end());

const admin = (...request) => server.admin(...request);

/// A job as it has ended, which must be well.
async function run(path, body = {}) {
  const job = await admin('POST', `${path}${path.includes('?') ? '&' : '?'}schedule=SYNCHRONOUS`, body);
  assert.equal(job.state, 'FINISHED', JSON.stringify(job.log_entries));
  return job;
}

/// The bytes of an export.
async function exportOf(path, body, { artifact = 'archive', more = '' } = {}) {
  const job = await run(`${path}/export?group=test&artifact=${artifact}&version=1${more}`, body);
  const { bytes } = await server.request('GET', `/vaults/primary/archives/${job.archiveId}/download`, { token: server.adminToken });
  return bytes;
}

const jsonOf = (files, path) => JSON.parse(files.get(path).toString('utf8'));

async function makeOrchard() {
  const repository = (await admin('POST', '/repositories', { title: 'Orchard' }))._doc;
  const path = `/repositories/${repository}`;
  const master = `${path}/branches/master`;
  await admin('POST', `${path}/roles`, { roleKey: 'reviewer', title: 'Reviewer', permissions: ['READ'] });
  await admin('POST', `${path}/teams?key=gardeners`, { title: 'Gardeners' });
  await admin('POST', `${path}/teams/gardeners/members/add?id=default/gardener`);
  const plum = (await admin('POST', `${master}/nodes`, { title: 'Plum' }))._doc;
  await admin('POST', `${master}/nodes/${plum}/authorities/consumer/grant?id=default/gardener`);
  const sent = await server.request('POST', `${master}/nodes/${plum}/attachments/default?filename=plum.txt`,
    { body: 'hello', token: server.adminToken, headers: { 'Content-Type': 'text/plain' } });
  assert.equal(sent.status, 200, sent.text);
  const pear = (await admin('POST', `${master}/nodes?parentFolderPath=/`, { title: 'Pear' }))._doc;
  await admin('DELETE', `${master}/nodes/${pear}`);
  return { path, master, repository, plum, pear };
}

async function makeDomain() {
  const domain = (await admin('POST', '/domains', { title: 'Fruit' }))._doc;
  const principals = `/domains/${domain}/principals`;
  const user = (await admin('POST', principals, { type: 'USER', name: 'plum', password: 'secret-of-plum' }))._doc;
  const group = (await admin('POST', principals, { type: 'GROUP', name: 'fruits' }))._doc;
  await admin('POST', `${principals}/${group}/members/add?id=${encodeURIComponent(`${domain}/${user}`)}`);
  return domain;
}

/// The files of exports of several kinds: what the schema and the rules of the page are held to.
async function makeEveryKind() {
  const orchard = await makeOrchard();
  const domain = await makeDomain();
  const { _doc: project, platformId } = await admin('POST', '/projects', { title: 'Site', description: 'x' });
  const sources = [`domain://${platformId}/${domain}`, `project://${platformId}/${project}`];
  const made = {
    repository: await exportOf(orchard.path),
    titled: await exportOf(orchard.master, { tipChangesetOnly: true, substitutions: { one: 'two' } }, { more: '&title=Orchard&description=Plums' }),
    range: await exportOf(orchard.master, { startDate: 1, endDate: { ms: 2 ** 42 } }),
    node: await exportOf(`${orchard.master}/nodes/${orchard.plum}`, { strategy: 'CLONE' }),
    domain: await exportOf(`/domains/${domain}`),
    project: await exportOf(`/projects/${project}`),
    platform: await exportOf(''),
    two: await exportOf('/transfer', { sources }),
    vault: await exportOf('/vaults/primary'),
  };
  return Object.fromEntries(Object.entries(made).map(([name, bytes]) => [name, unzip(bytes)]));
}

/// What the page writes for the ids of an archive.
function namesOf(files, orchard) {
  const location = [...files.keys()][0].split('/').slice(0, -1).join('/');
  const [branch] = [...files.keys()].filter((path) => path.endsWith('/changesets.json'));
  const order = jsonOf(files, branch);
  const names = new Map([[location.split('/')[1], '{platform}'], [orchard.repository, '{repository}'],
    [branch.split('/').at(-2), '{master}'], [orchard.plum, '{plum}'], [orchard.pear, '{pear}']]);
  for (const path of files.keys()) {
    if (!/\/(node|association)\.json$/.test(path)) continue;
    const { _doc, _qname, _type } = jsonOf(files, path);
    const name = { 'r:root': '{root}', 'r:users': '{users}' }[_qname] ?? { 'n:person': '{person}', 'a:child': '{link}' }[_type];
    if (name) names.set(_doc, name);
  }
  order.slice(1).forEach((id, i) => names.set(id.split(':')[1], `c${i + 1}`));
  return { location, told: (text) => [...names].reduce((known, [id, name]) => known.replaceAll(id, name), text) };
}

/// An entry of the manifest without the digests of files that tell when they were written.
function steadyEntry(entry) {
  const files = Object.entries(entry.files).map(([name, told]) => (
    [name, /^(node|acl)\.json$/.test(name) ? { sha256: '…', size: '…' } : told]));
  return { ...entry, files: Object.fromEntries(files) };
}

test('the example of the page is an export', async () => {
  const orchard = await makeOrchard();
  const files = unzip(await exportOf(orchard.path));
  const { location, told } = namesOf(files, orchard);
  const blocks = [...page.matchAll(/<!-- archive: (.*) -->\n```\w+\n([\s\S]*?)```/g)];
  assert.ok(blocks.length >= 5);
  const contents = jsonOf(files, 'manifest.json').contents;
  for (const [, what, block] of blocks) {
    if (what === 'listing') {
      assert.equal(told([...files.keys()].join('\n')) + '\n', block);
      continue;
    }
    const [, key] = what.match(/^entry (.*)$/) ?? [];
    const found = key
      ? Object.entries(contents).filter(([name]) => told(name) === key).map(([, entry]) => steadyEntry(entry))
      : [...files.keys()].filter((path) => told(path) === `${told(location)}/${what}`).map((path) => jsonOf(files, path));
    assert.equal(found.length, 1, what);
    assert.deepEqual(JSON.parse(told(JSON.stringify(found[0]))), JSON.parse(block), what);
  }
});

/// Every member of a value that the schema at hand does not describe.
function undescribed(value, at, place = '') {
  const all = at.$ref ? schema.$defs[at.$ref.split('/').pop()] : at;
  const parts = [all, ...(all.allOf ?? []).map((part) => (part.$ref ? schema.$defs[part.$ref.split('/').pop()] : part))];
  if (Array.isArray(value)) {
    return value.flatMap((one, i) => undescribed(one, all.items ?? {}, `${place}/${i}`));
  }
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const described = parts.map((part) => part.properties?.[name]).find(Boolean) ?? parts.map((part) => part.additionalProperties).find(Boolean);
    return described ? undescribed(member, described, `${place}/${name}`) : [`${place}/${name}`];
  });
}

test('exports fit the schema, and hold nothing that it does not describe', () => {
  for (const [name, files] of Object.entries(everyKind)) {
    const manifest = jsonOf(files, 'manifest.json');
    assert.ok(validate(manifest), `${name}: ${JSON.stringify(validate.errors)}`);
    assert.deepEqual(undescribed(manifest, schema), [], name);
  }
});

test('every file has its digest in one entry, and the manifest is the last', () => {
  for (const [name, files] of Object.entries(everyKind)) {
    const left = new Set(files.keys());
    assert.equal([...left].at(-1), 'manifest.json', name);
    left.delete('manifest.json');
    for (const { location, files: told } of Object.values(jsonOf(files, 'manifest.json').contents)) {
      for (const [file, { sha256, size }] of Object.entries(told)) {
        const path = `${location}/${file}`;
        assert.ok(left.delete(path), `${name}: ${path}`);
        assert.deepEqual([sha256, size], [createHash('sha256').update(files.get(path)).digest('hex'), files.get(path).length], path);
      }
    }
    assert.deepEqual([...left], [], name);
  }
});

test('records come before what lies in them', () => {
  let compared = 0;
  for (const files of Object.values(everyKind)) {
    const { contents } = jsonOf(files, 'manifest.json');
    const keys = Object.keys(contents);
    for (const { key, requiredBy } of Object.values(contents)) {
      for (const { key: around } of requiredBy.filter((link) => link.key in contents)) {
        compared += 1;
        assert.ok(keys.indexOf(around) < keys.indexOf(key), key);
      }
    }
  }
  assert.ok(compared > 10);
});

test('the schema refuses what is none', async () => {
  const manifest = jsonOf(unzip(await exportOf('/domains/primary')), 'manifest.json');
  const differs = (change) => {
    const other = structuredClone(manifest);
    change(other, Object.values(other.contents)[0]);
    return validate(other);
  };
  assert.ok(differs(() => {}));
  for (const name of schema.required) assert.equal(differs((other) => delete other[name]), false, name);
  for (const name of ['typeId', 'id', 'key', ...schema.$defs.entry.required])
    assert.equal(differs((_, entry) => delete entry[name]), false, name);
  for (const name of schema.$defs.configuration.required)
    assert.equal(differs((other) => delete other.configuration[name]), false, name);
  const wrong = [
    (other) => { other.model = '2.0.0'; }, (other) => { other.format = 2; }, (other) => { other.group = 'a/b'; },
    (other) => { other.sources = []; }, (other) => { other.sources[0] = []; }, (other) => { other.sources[0].shift(); },
    (other) => { delete other.sources[0][1].key; }, (_, entry) => { entry.location += '/'; }, (_, entry) => { entry.files = {}; },
    (_, entry) => { Object.values(entry.files)[0].sha256 = 'ABC'; }, (_, entry) => { Object.values(entry.files)[0].size = -1; },
    (_, entry) => { entry.files['../x.json'] = Object.values(entry.files)[0]; }, (other) => { other.contents.word = Object.values(other.contents)[0]; },
    (other) => { other.configuration.strategy = 'CLONE'; }, (other) => { other.configuration.startDate = 7; },
  ];
  wrong.forEach((change) => assert.equal(differs(change), false, String(change)));
});

test('as long as nothing is written exports are equal, but for what mayDiffer names', async () => {
  // Not a repository, whose statistics the server takes anew when it likes.
  const { master } = await makeOrchard();
  const one = await exportOf(master);
  assert.ok(one.equals(await exportOf(master)));
  const [manifest, other] = [one, await exportOf(master, {}, { artifact: 'other', more: '&title=Other' })]
    .map((bytes) => jsonOf(unzip(bytes), 'manifest.json'));
  const differing = Object.keys(other).filter((name) => JSON.stringify(manifest[name]) !== JSON.stringify(other[name]));
  assert.deepEqual(differing, ['artifact', 'title']);
  const [, told] = page.split('### What may differ');
  const [, ...names] = [...told.split('## Order')[0].matchAll(/^\| (`.*`) \|/gm)].flatMap(([, row]) => row.split(', ').map((name) => name.slice(1, -1)));
  assert.deepEqual([...manifest.mayDiffer].sort(), names.sort());
});

test('an archive of a newer format is refused', async () => {
  for (const [format, state] of [[1, 'FINISHED'], [2, 'ERROR']]) {
    const chain = [{ typeId: 'platform', id: 'p' }, { typeId: 'domain', id: 'd' }];
    const manifest = { format, model: '3.0.0', group: 'test', artifact: `format-${format}`, version: '1', type: 'domain', sources: [chain] };
    const bytes = archiveOf(manifest, { 'platforms/p/domains/d/domain.json': '{"_doc": "d", "title": "Later"}' });
    await admin('POST', '/vaults/primary/archives', bytes);
    const job = await admin('POST', `/import?group=test&artifact=format-${format}&version=1&schedule=SYNCHRONOUS`, {});
    assert.equal(job.state, state, JSON.stringify(job.log_entries));
  }
});

test('principals are told by domain and name', () => {
  const files = everyKind.domain;
  const at = (ending) => [...files.keys()].find((path) => path.endsWith(ending));
  const { _doc: domain } = jsonOf(files, at('/domain.json'));
  assert.deepEqual(jsonOf(files, at('/members.json')), [{ type: 'USER', domain, name: 'plum' }]);
  assert.deepEqual(jsonOf(files, at(`/${domain}/acl.json`)),
    [{ type: 'USER', domain: 'default', name: 'admin', domainAlias: 'primary', authorities: ['owner'] }]);
  assert.ok(at('/group.json') && at('/user.json'));
});
