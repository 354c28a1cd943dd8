// Archives that nobody meant well: each is refused with a sentence and leaves nothing behind, or becomes what its importer
// could have made by single requests (docs/reference/archives.md, docs/reference/archives_older.md).
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { after, before, beforeEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { chance, sealed, tampered } from '../../../tests/support/archive_mutations.mjs';
import { firstGeneration, packed, packedBranch } from '../../../tests/support/archive_samples.mjs';
import { repetitions } from '../../../tests/support/repetitions.mjs';
import { SteleServer } from '../../../tests/support/stele_server.mjs';
import { numbers, unzip, zip } from '../../../tests/support/zip_archive.mjs';

const kMostMiB = 200;
/// Of each kind, of which there are four; a sanitized reader has a fuzzer of its own.
const kMutations = process.env.STELE_SANITIZED ? 30 : repetitions(250);

let server;
const tokens = {};
const world = {};
before(async () => {
  server = await SteleServer.start();
  for (const name of ['importer', 'maker', 'other']) {
    world[name] = await server.makeUser(name);
    tokens[name] = await server.login(name, `secret-of-${name}`);
  }
  world.platform = (await ask('GET', '/'))._doc;
  world.vault = (await ask('POST', '/vaults', { title: 'For imports' }))._doc;
  for (const who of ['importer', 'maker']) await grant(`/vaults/${world.vault}`, 'manager', who);
  // Imports records of its own into the platform and has nothing else there.
  await ask('POST', '/roles', { roleKey: 'importing', permissions: ['CONNECT', 'UPDATE', 'CREATE_SUBOBJECTS'] });
  await grant('', 'importing', 'maker');
  world.foreign = (await ask('POST', '/domains', { title: 'Of others' }))._doc;
  world.foreignUser = (await ask('POST', `/domains/${world.foreign}/principals`, { type: 'USER', name: 'plum', password: 'plum-plum-1' }))._doc;
  world.foreignRepository = (await ask('POST', '/repositories', { title: 'Of others' }))._doc;
  world.foreignStack = (await ask('POST', '/stacks', { title: 'Of others' }))._doc;
});
beforeEach(() => renew());
after(() => server.end());

const ask = (...request) => server.admin(...request);
const as = (name, method, path, body, headers) => server.request(method, path, { token: tokens[name], body, headers });
const grant = (path, role, who) => ask('POST', `${path}/authorities/${role}/grant?id=default/${who}`);
/// A repository of the importer's with some content, in the place of the one that has served.
async function renew() {
  if (world.repository) await ask('DELETE', `/repositories/${world.repository}`);
  world.repository = (await ask('POST', '/repositories', { title: 'Target' }))._doc;
  await grant(`/repositories/${world.repository}`, 'manager', 'importer');
  world.branch = `/repositories/${world.repository}/branches/master`;
  await ask('POST', `${world.branch}/nodes`, { title: 'Kept', _qname: 'my:kept' });
  world.snapshot = undefined;
}

const total = async (path) => (await ask('POST', path, {})).total_rows;
/// All that an import could have touched.
async function snapshot() {
  const seen = {};
  for (const family of ['repositories', 'domains', 'projects', 'stacks', 'applications', 'vaults']) seen[family] = await total(`/${family}/query`);
  for (const domain of ['default', world.foreign]) seen[domain] = await total(`/domains/${domain}/principals/query`);
  for (const path of ['', `/domains/${world.foreign}`, `/repositories/${world.repository}`, `/repositories/${world.foreignRepository}`, `/stacks/${world.foreignStack}`]) {
    seen[`${path} grants`] = JSON.stringify((await ask('GET', `${path}/acl/list`)).rows.map(({ _doc, authorities }) => [_doc, authorities]).sort());
  }
  for (const repository of [world.repository, world.foreignRepository]) {
    seen[repository] = (await ask('GET', `/repositories/${repository}/branches`)).rows.map(({ _doc, tip }) => [_doc, tip]);
  }
  seen.nodes = await total(`${world.branch}/nodes/query`);
  seen.stores = (await ask('GET', `/stacks/${world.foreignStack}/datastores`)).total_rows;
  const { _system, ...platform } = await ask('GET', '/');
  seen.platform = platform;
  return seen;
}
const unchanged = async (what) => assert.deepEqual(await snapshot(), world.snapshot, what);

/// Uploads and imports as somebody: `{ status, code }` of the refused request, or the job as it ended.
async function tryImport(bytes, { who = 'importer', at = world.branch, body = {}, what = '' } = {}) {
  world.snapshot ??= await snapshot();
  // Nobody takes the coordinates of somebody else's archive.
  const coordinates = `group=g&artifact=${who}&version=1`;
  const sent = await as(who, 'POST', `/vaults/${world.vault}/archives?${coordinates}`, bytes, { 'Content-Type': 'application/zip' });
  if (sent.status !== 200) {
    assert.ok(sent.status >= 400 && sent.status < 500, `${what}: ${sent.status} ${sent.text}`);
    assert.ok(sent.json.message.length > 10);
    return { status: sent.status, code: sent.json.violations?.[0].code ?? sent.json.code };
  }
  const started = await as(who, 'POST', `${at}/import?${coordinates}&vault=${world.vault}`, body);
  if (started.status !== 200) {
    assert.ok(started.status >= 400 && started.status < 500, `${what}: ${started.status} ${started.text}`);
    return { status: started.status, code: started.json.code };
  }
  for (;;) {
    const job = await ask('GET', `/jobs/${started.json._doc}`);
    if (job.state === 'ERROR') {
      const { message } = job.log_entries.at(-1);
      assert.ok(message.length > 10 && message.length < 20_000, `${what}: ${message.slice(0, 500)}`);
      assert.doesNotMatch(message, /the server failed|exception|json\.exception|std::/, what);
      assert.deepEqual(job.imports, []);
      return { state: job.state, message };
    }
    if (job.state === 'FINISHED') return job;
    await sleep(10);
  }
}
async function refused(bytes, options, sentence) {
  const outcome = await tryImport(bytes, options);
  assert.notEqual(outcome.state, 'FINISHED', JSON.stringify(outcome).slice(0, 2000));
  if (sentence) assert.match(outcome.message ?? outcome.code, sentence);
  await unchanged(options?.what);
  return outcome;
}

/// What an import into the branch left is a branch like others, and everything new is its importer's.
async function sound(what) {
  const now = await snapshot();
  for (const name of Object.keys(now)) {
    if (name === 'nodes' || name === world.repository) continue;
    assert.deepEqual(now[name], world.snapshot[name], `${what}: ${name}`);
  }
  const nodes = (await ask('POST', `${world.branch}/nodes/query?limit=2000`, {})).rows;
  assert.equal(nodes.filter(({ _qname }) => _qname === 'r:root').length, 1, what);
  assert.equal(nodes.filter(({ _qname }) => _qname === 'my:kept').length, 1, what);
  for (const { _system, _qname } of nodes) assert.ok(['admin', 'importer', 'system', undefined].includes(_system.created_by), `${what}: ${_qname} of ${_system.created_by}`);
}

const status = (name) => Number(readFileSync(`/proc/${server.child.pid}/status`, 'utf8').match(new RegExp(`${name}:\\s+(\\d+)`))[1]) / 1024;
/// Runs it and holds the most memory that the server had meanwhile against what it had before.
async function inBounds(run) {
  writeFileSync(`/proc/${server.child.pid}/clear_refs`, '5');
  const earlier = status('VmRSS');
  const outcome = await run();
  const grown = status('VmHWM') - earlier;
  if (!process.env.STELE_SANITIZED) assert.ok(grown < kMostMiB, `grew by ${grown} MiB`);
  return outcome;
}

const kText = JSON.stringify;
/// An archive with records of ours, whose manifest tells the digests.
function ours(records, { sources, more = {} }) {
  const files = {};
  const contents = {};
  for (const [location, beside] of Object.entries(records)) {
    for (const [name, value] of Object.entries(beside)) {
      files[`${location}/${name}`] = Buffer.isBuffer(value) ? value : kText(value);
      (contents[location] ??= { typeId: 'any', location, files: {} }).files[name] = {};
    }
  }
  const manifest = { model: '3.0.0', group: 'g', artifact: 'a', version: '1', type: 'any', sources, contents, ...more };
  return sealed({ 'manifest.json': kText(manifest), ...files });
}
const chain = (...links) => links.map(([typeId, id]) => ({ typeId, id, key: id }));
const domainRecords = () => ({
  'platforms/p/domains/d': { 'domain.json': { _doc: 'd', title: 'Fruit' }, 'acl.json': [], 'teams.json': [] },
  'platforms/p/domains/d/principals/u': { 'user.json': { _doc: 'u', type: 'USER', name: 'pear', email: 'pear@example.com', color: 'green' } },
  'platforms/p/domains/d/principals/g': { 'group.json': { _doc: 'g', type: 'GROUP', name: 'fruits' }, 'members.json': [{ domain: 'd', name: 'pear' }] },
});
const domainSources = [chain(['platform', 'p'], ['domain', 'd'])];

const goods = {
  'generation 1': () => firstGeneration().files,
  'generation 2': () => packedBranch({ model: '2.0.0' }).files,
  'generation 3': () => packedBranch({ model: '3.0.0' }).files,
};
for (const [name, files] of Object.entries(goods)) {
  test(`tampered archives of ${name} are refused whole or come whole`, async () => {
    const good = await tryImport(packed(files()));
    assert.equal(good.state, 'FINISHED', kText(good).slice(0, 500));
    await sound(name);
    await renew();
    const counts = { refused: 0, imported: 0 };
    await inBounds(async () => {
      for (let seed = 1; seed <= kMutations; ++seed) {
        const { what, bytes } = tampered(chance(seed), files());
        const message = `${name}, seed ${seed}, ${what}`;
        const body = seed % 3 === 0 ? { strategy: 'CLONE' } : seed % 3 === 1 ? { copyOnExisting: false } : {};
        const outcome = await tryImport(bytes, { what: message, body });
        if (outcome.state === 'FINISHED') {
          await sound(message);
          await renew();
          counts.imported += 1;
        } else {
          await unchanged(message);
          counts.refused += 1;
        }
      }
    });
    assert.ok(counts.refused > 0 && counts.imported > 0, kText(counts));
  });
}

test('tampered archives of records are refused whole or come whole', async () => {
  const files = ours(domainRecords(), { sources: domainSources });
  const made = async () => (await ask('POST', '/domains/query?limit=1000', {})).rows.filter(({ _system }) => _system.created_by === 'maker');
  const counts = { refused: 0, imported: 0, compared: 0 };
  for (let seed = 1; seed <= kMutations; ++seed) {
    const { what, bytes } = tampered(chance(seed), files);
    const message = `records, seed ${seed}, ${what}`;
    const outcome = await tryImport(bytes, { who: 'maker', at: '', what: message, body: seed % 3 === 0 ? { strategy: 'CLONE' } : {} });
    if (outcome.state === 'FINISHED') {
      ++counts.imported;
      for (const { _doc } of await made()) {
        counts.compared += await sameWhereUntouched(_doc, files, unzip(bytes), message);
        await ask('DELETE', `/domains/${_doc}`);
      }
    } else {
      ++counts.refused;
    }
    await unchanged(message);
  }
  assert.ok(counts.refused > 0 && counts.imported > 0 && counts.compared > 0, kText(counts));
});

/// Of a domain that came from changed files what these say as they did before; answers how many records it compared.
async function sameWhereUntouched(domain, files, changed, message) {
  const folder = 'platforms/p/domains/d';
  const isUntouched = (path) => changed.get(path)?.equals(Buffer.from(files[path]));
  const isAbout = kText(JSON.parse(changed.get('manifest.json')).sources) === kText(domainSources);
  if (!isAbout || !isUntouched(`${folder}/domain.json`)) return 0;
  assert.equal((await ask('GET', `/domains/${domain}`)).title, 'Fruit', message);
  const { rows } = await ask('GET', `/domains/${domain}/principals?limit=100`);
  let compared = 1;
  if (isUntouched(`${folder}/principals/u/user.json`)) {
    const pear = rows.find(({ name }) => name === 'pear');
    assert.deepEqual([pear.type, pear.email, pear.color], ['USER', 'pear@example.com', 'green'], message);
    ++compared;
  }
  if (isUntouched(`${folder}/principals/g/group.json`)) {
    assert.equal(rows.find(({ name }) => name === 'fruits').type, 'GROUP', message);
    ++compared;
  }
  return compared;
}

// `archives.digest_differs` and `archives.file_unlisted`: jobs tell their sentences.
test('an archive whose files are not those that its manifest tells of is refused, and nothing of it is stored', async () => {
  const files = ours(domainRecords(), { sources: domainSources });
  const user = 'platforms/p/domains/d/principals/u/user.json';
  const { [user]: told, ...without } = files;
  const differs = (how) => new RegExp(`principals/u/user\\.json is not what the manifest says: ${how}$`);
  const hasMore = /^the archive has files that its manifest does not tell of$/;
  for (const [what, wrong, sentence] of [
    ['a record that was changed', { ...files, [user]: told.replace('green', 'brown') }, differs('its SHA-256 differs')],
    ['a record that is longer', { ...files, [user]: told.replace('green', 'orange') }, differs('its size differs')],
    ['a record that is missing', without, differs('it is missing')],
    ['a record more', { ...files, 'platforms/p/domains/d/principals/x/user.json': kText({ name: 'plum', type: 'USER' }) }, hasMore],
    ['a file more that is no record', { ...files, 'platforms/p/domains/d/notes.txt': 'x' }, hasMore],
  ]) {
    for (const strategy of ['COPY_EVERYTHING', 'CLONE']) await refused(packed(wrong), { who: 'maker', at: '', what, body: { strategy } }, sentence);
  }
  const good = await tryImport(packed(files), { who: 'maker', at: '' });
  assert.equal(good.state, 'FINISHED', good.message);
  await ask('DELETE', `/domains/${good.imports[0].targets.at(-1).id}`);
  await unchanged('as it was before');
});

test('lists beside a record whose entries are no objects are refused with a sentence, or left out', async () => {
  for (const name of ['acl.json', 'roles.json', 'teams.json']) {
    for (const entry of ['x', 1, [], null]) {
      const what = `${name} ${kText(entry)}`;
      const records = { 'platforms/p/domains/d': { 'domain.json': { title: 'Fruit' }, [name]: [entry] } };
      const outcome = await tryImport(packed(ours(records, { sources: domainSources })), { who: 'maker', at: '', what });
      if (outcome.state === 'FINISHED') await ask('DELETE', `/domains/${outcome.imports[0].targets.at(-1).id}`);
      else assert.doesNotMatch(outcome.message, /fault of the server/, what);
      await unchanged(what);
    }
  }
});

test('zips that lie are refused at their upload', async () => {
  const manifest = { name: 'manifest.json', data: kText({ group: 'g', artifact: 'a', version: '1' }) };
  const link = { name: 'a', data: '/etc/passwd', attributes: 0xa1ff0000 };
  const bomb = { name: 'bomb', data: Buffer.alloc(1100 << 20) };
  const packedBomb = zip([manifest, { name: bomb.name, data: bomb.data }]);
  const first = zip([manifest, { name: 'one', data: 'x'.repeat(100), method: 0 }]);
  const cases = [
    ...['../x', '/x', 'a/../../x', 'a\\..\\x', 'a//../b', './../x', 'a\u0000b', 'a\nb'].map((name) => [name, zip([manifest, { name, data: 'x' }])]),
    ['a link', zip([manifest, link])],
    ['a bomb', packedBomb],
    ['twice', zip([manifest, manifest])],
    ['overlapping', zip([manifest, { name: 'one', data: 'x'.repeat(100) }, { name: 'two', data: 'x'.repeat(100), offset: 40 }])],
    ['an entry in the directory', zip([manifest, { name: 'two', data: 'x', offset: first.length }])],
    ['encrypted', zip([{ ...manifest, flags: 1 }])],
  ];
  await inBounds(async () => {
    for (const [what, bytes] of cases) {
      const outcome = await refused(bytes, { what });
      assert.ok(outcome.status >= 400, what);
    }
  });
});

test('ten million entries that are announced are no ten million', async () => {
  const bytes = zip([{ name: 'manifest.json', data: '{}' }]);
  const end = bytes.length - 22;
  const record = Buffer.concat([Buffer.from('PK\x06\x06'), numbers([6, 44], [2, 0], [2, 45], [2, 45], [4, 0], [4, 0], [6, 10_000_000], [2, 0], [6, 10_000_000], [2, 0],
                                                                   [6, bytes.readUInt32LE(end + 12)], [2, 0], [6, bytes.readUInt32LE(end + 16)], [2, 0])]);
  const locator = Buffer.concat([Buffer.from('PK\x06\x07'), numbers([4, 0], [6, end], [2, 0], [4, 1])]);
  const last = Buffer.from(bytes.subarray(end));
  last.writeUInt16LE(0xffff, 8);
  last.writeUInt16LE(0xffff, 10);
  await inBounds(() => refused(Buffer.concat([bytes.subarray(0, end), record, locator, last]), { what: 'announced' }));
});

test('what a manifest is about must be there and be fit for the target', async () => {
  const { files, manifest } = packedBranch();
  const about = (sources) => packed({ ...files, 'manifest.json': kText({ ...manifest, sources }) });
  const last = manifest.sources[0];
  for (const [what, sources] of Object.entries({
    'another branch': [last.with(2, { typeId: 'branch', id: 'x' })],
    'the branch itself, which is not in it': [chain(['platform', world.platform], ['repository', world.repository], ['branch', 'master'])],
    'records of others': [chain(['platform', world.platform], ['domain', world.foreign])],
    'a node that is not in it': [chain(['platform', 'platformId'], ['repository', 'repositoryId'], ['branch', '1700000000'], ['node', 'x'])],
    'a family that nobody has': [chain(['platform', 'p'], ['spaceship', 'x'])],
    'an endless chain': [Array.from({ length: 50_000 }, () => ({ typeId: 'platform', id: 'p' }))],
    'endlessly many': Array.from({ length: 50_000 }, (_, i) => chain(['platform', 'p'], ['domain', `d${i}`])),
    'a chain of many objects': [[{ typeId: 'platform', id: 'p', requires: Array.from({ length: 300_000 }, () => ({})) }]],
    'no array': { typeId: 'branch' },
    'an array of numbers': [1, 2, 3],
    nothing: [],
  })) await inBounds(() => refused(about(sources), { what }));
});

test('what lies beside the subject stays away', async () => {
  const { files, manifest } = packedBranch();
  const more = {
    [`platforms/${world.platform}/domains/default/principals/${world.other._doc}/user.json`]: kText({ _doc: world.other._doc, name: 'other', type: 'USER', password: 'taken-over-1' }),
    [`platforms/${world.platform}/domains/${world.foreign}/domain.json`]: kText({ _doc: world.foreign, title: 'Taken over' }),
    [`platforms/${world.platform}/platform.json`]: kText({ title: 'Taken over' }),
    [`platforms/${world.platform}/acl.json`]: kText([{ domain: 'default', name: 'importer', authorities: ['owner'] }]),
    'platforms/p/domains/new/domain.json': kText({ title: 'New' }),
    'platforms/p/domains/new/principals/x/user.json': kText({ name: 'x', type: 'USER' }),
    'platforms/p/activities/a/activity.json': kText({ type: 'forged' }),
    'platforms/p/jobs/j/job.json': kText({ type: 'import' }),
    'platforms/p/unknown/things/thing.json': '{}',
  };
  for (const strategy of ['COPY_EVERYTHING', 'CLONE']) {
    // Also as whoever may do all of it.
    for (const who of ['importer', 'admin']) {
      tokens.admin ??= server.adminToken;
      const outcome = await tryImport(packed({ ...files, ...more, 'manifest.json': kText(manifest) }), { at: world.branch, who, body: { strategy } });
      if (outcome.state === 'FINISHED') assert.ok(outcome.notes.some((note) => /was left out/.test(note)), kText(outcome.notes));
      else assert.match(outcome.message, /is no id that a server gives/);
      const now = await snapshot();
      for (const name of Object.keys(now)) if (name !== 'nodes' && name !== world.repository) assert.deepEqual(now[name], world.snapshot[name], name);
      await renew();
    }
  }
  assert.equal((await server.login('other', 'secret-of-other', { isWhole: true })).status, 200);
});

/// What clients are told of rights on a record.
async function rightsOn(path) {
  const [grants, teams, roles] = await Promise.all(['acl/list', 'teams', 'roles'].map(async (what) => (await ask('GET', `${path}/${what}?limit=-1`)).rows));
  return { grants: grants.map(({ name, authorities }) => [name, authorities]).sort(), teams: teams.map(({ key, roleKeys }) => [key, roleKeys]).sort(),
           roles: roles.map(({ roleKey, permissions }) => [roleKey, permissions]).sort() };
}
const kEverything = ['CONNECT', 'READ', 'UPDATE', 'DELETE', 'CREATE_SUBOBJECTS', 'MODIFY_PERMISSIONS', 'MODIFY_CREDENTIALS', 'IMPERSONATE'];
const owner = (name) => [{ type: 'USER', domain: 'default', name, authorities: ['owner'] }];
const kings = (permissions) => [{ roleKey: 'king', title: 'King', permissions }];
/// What an archive may have beside its subject, and whether the rights on this are then what it says.
const kGifts = {
  'a grant of owner to the importer': [{ 'acl.json': owner('importer') }, ({ grants }) => grants.some(([name, keys]) => name === 'importer' && keys.includes('owner'))],
  'a grant of owner to another': [{ 'acl.json': owner('other') }, ({ grants }) => grants.some(([name, keys]) => name === 'other' && keys.includes('owner'))],
  'a team with the role owner': [{ 'teams.json': [{ key: 'pirates', title: 'Pirates', roleKeys: ['owner'], members: [{ type: 'USER', domain: 'default', name: 'importer' }] }] },
                                 ({ teams }) => teams.some(([key, keys]) => key === 'pirates' && keys.includes('owner'))],
  'a role with everything': [{ 'roles.json': kings(kEverything) }, ({ roles }) => roles.some(([key, all]) => key === 'king' && all.length === kEverything.length)],
  'a role with everything, and a grant of it': [{ 'roles.json': kings(kEverything), 'acl.json': [{ type: 'USER', domain: 'default', name: 'importer', authorities: ['king'] }] },
                                                ({ grants }) => grants.some(([name, keys]) => name === 'importer' && keys.includes('king'))],
};

const kSubjects = { domains: 'domain', applications: 'application', repositories: 'repository' };
const givingArchive = (family, id, beside) => packed(ours({ [`platforms/p/${family}/${id}`]: { [`${kSubjects[family]}.json`]: { _doc: id, title: 'Lent' }, ...beside } },
                                                         { sources: [chain(['platform', 'p'], [kSubjects[family], id])] }));

test('an import gives no right that its importer does not have', async () => {
  tokens.admin ??= server.adminToken;
  for (const family of Object.keys(kSubjects)) {
    for (const [gift, [beside, isGiven]] of Object.entries(kGifts)) {
      const what = `${gift}, on one of the ${family}`;
      const id = (await ask('POST', `/${family}`, { title: 'Lent' }))._doc;
      const path = `/${family}/${id}`;
      await grant(path, 'manager', 'importer');
      world.snapshot = undefined;
      const before_ = await rightsOn(path);
      const bytes = givingArchive(family, id, beside);
      await refused(bytes, { at: path, body: { strategy: 'CLONE' }, what }, /the role (owner|king) has permissions that the caller does not have/);
      assert.deepEqual(await rightsOn(path), before_, what);
      // It is for the right alone: whoever has it gives it with the same bytes.
      const job = await tryImport(bytes, { who: 'admin', at: path, body: { strategy: 'CLONE' }, what });
      assert.deepEqual([job.state, isGiven(await rightsOn(path))], ['FINISHED', true], `${what}: ${job.message}`);
      await ask('DELETE', path);
    }
  }
});

test('what an import makes is its importer\'s, who gives rights there and nowhere else', async () => {
  for (const family of Object.keys(kSubjects)) {
    for (const [gift, [beside, isGiven]] of Object.entries(kGifts)) {
      const what = `${gift}, on one of the ${family}`;
      const elsewhere = await rightsOn('');
      const job = await tryImport(givingArchive(family, 'lent', beside), { who: 'maker', at: '', what });
      assert.equal(job.state, 'FINISHED', `${what}: ${job.message}`);
      const path = `/${family}/${job.imports[0].targets.at(-1).id}`;
      const { grants } = await rightsOn(path);
      assert.deepEqual([isGiven(await rightsOn(path)), grants.find(([name]) => name === 'maker')], [true, ['maker', ['owner']]], what);
      assert.deepEqual(await rightsOn(''), elsewhere, what);
      await ask('DELETE', path);
      await unchanged(what);
    }
  }
});

test('what comes onto the platform takes nothing of others with it', async () => {
  const others = { domain: `platforms/p/domains/${world.foreign}`, stack: `platforms/p/stacks/${world.foreignStack}` };
  const mine = 'platforms/p/stacks/s';
  const stackSources = [chain(['platform', 'p'], ['stack', 's'])];
  const foreignStackSources = [chain(['platform', 'p'], ['stack', world.foreignStack])];
  const cases = [
    ['a clone of what others have', ours({ [others.domain]: { 'domain.json': { title: 'Taken over' } } }, { sources: [chain(['platform', 'p'], ['domain', world.foreign])] }), 'CLONE'],
    ['a user put into a domain of others', ours({ [others.domain]: { 'domain.json': {} }, [`${others.domain}/principals/u`]: { 'user.json': { type: 'USER', name: 'mole' } } },
                                               { sources: [chain(['platform', 'p'], ['domain', world.foreign])] }), 'CLONE'],
    ['a store of others as a companion', ours({ [mine]: { 'stack.json': { title: 'Mine' }, 'companions.json': { content: `domain://p/${world.foreign}` } }, [others.domain]: { 'domain.json': {} } },
                                             { sources: stackSources }), 'CLONE'],
    ['a stack of others as a companion of a domain', ours({ 'platforms/p/domains/d': { 'domain.json': {}, 'companions.json': { any: `stack://p/${world.foreignStack}` } }, [others.stack]: { 'stack.json': {} } },
                                                         { sources: domainSources }), 'CLONE'],
    ['a store of mine for a stack of others', ours({ [others.stack]: { 'stack.json': {}, 'companions.json': { mine: 'domain://p/d' } }, 'platforms/p/domains/d': { 'domain.json': { _doc: 'd' } } },
                                                  { sources: foreignStackSources }), 'CLONE'],
    ['records that are no stores in a stack', ours({ [mine]: { 'stack.json': {}, 'companions.json': { x: 'project://p/j' } }, 'platforms/p/projects/j': { 'project.json': { title: 'No store' } } },
                                                  { sources: stackSources }), 'COPY_EVERYTHING'],
    ['a content store that is none', ours({ 'platforms/p/repositories/r': { 'repository.json': {}, 'companions.json': { master: 'domain://p/d' } }, 'platforms/p/domains/d': { 'domain.json': { title: 'No branch' } } },
                                         { sources: [chain(['platform', 'p'], ['repository', 'r'])] }), 'COPY_EVERYTHING'],
  ];
  for (const [what, files, strategy] of cases) {
    const outcome = await tryImport(packed(files), { who: 'maker', at: '', body: { strategy }, what });
    if (outcome.state === 'FINISHED') {
      for (const family of ['stacks', 'projects', 'domains', 'repositories']) {
        for (const { _doc, _system } of (await ask('POST', `/${family}/query?limit=1000`, {})).rows) {
          if (_system.created_by === 'maker') await ask('DELETE', `/${family}/${_doc}`);
        }
      }
    }
    await unchanged(`${what}: ${kText(outcome).slice(0, 300)}`);
  }
});

test('ids and members of every kind', async () => {
  const { manifest } = packedBranch();
  const folder = 'platforms/platformId/repositories/repositoryId/changesets/0_77/nodes';
  const node = (id, fields = {}) => ({ [`${folder}/${id}/node.json`]: kText({ _doc: id, _type: 'n:node', title: `Odd ${id}`, ...fields }) });
  const child = (id, source, target) => ({ [`${folder}/${id}/association.json`]: kText({ _doc: id, _type: 'a:child', source, target, directionality: 'DIRECTED' }) });
  const deep = (levels) => '['.repeat(levels) + ']'.repeat(levels);
  for (const [what, more, isRefused] of [
    ['an attachment ../x', { ...node('a'), [`${folder}/a/attachments/${encodeURIComponent('../x')}.txt`]: 'x' }, true],
    ['an attachment that its metadata calls ../x', { ...node('a'), [`${folder}/a/attachments/x.txt`]: 'x', [`${folder}/a/attachments/x.metadata.json`]: kText({ attachmentId: '../x', filename: 'x.txt' }) }, undefined],
    ['an attachment with a control character', { ...node('a'), [`${folder}/a/attachments/a%0Ab.txt`]: 'x' }, true],
    ['an attachment whose type is none', { ...node('a'), [`${folder}/a/attachments/a.txt`]: 'x', [`${folder}/a/attachments/a.metadata.json`]: kText({ contentType: 'text/html\r\nX: y' }) }, true],
    ['an id with slashes', node('a%2F..%2Fb', { _doc: 'a/../b' }), false],
    ['an id with control characters', node('a%0Ab', { _doc: 'a\nb' }), false],
    ['members of the server', node('a', { _system: { created_by: 'admin', deleted: 'no' }, _statistics: { x: 1 }, _paths: ['/'], _source_doc: 'x', _created: 1, _acl: [], password: 'x', ok: true }), false],
    ['features of the server', node('a', { _features: { 'f:locked': { owner: 'admin' }, 'f:relator': {} } }), false],
    ['features that are none', node('a', { _features: 'x' }), undefined],
    ['a node in itself', { ...node('a'), ...child('c', 'a', 'a') }, true],
    ['a circle of containers', { ...node('a'), ...node('b'), ...child('c', 'a', 'b'), ...child('d', 'b', 'a') }, true],
    ['definitions that extend each other', { ...node('a', { _type: 'd:type', _qname: 'my:a', _parent: 'my:b' }), ...node('b', { _type: 'd:type', _qname: 'my:b', _parent: 'my:a' }) }, false],
    ['a second root', { ...node('a', { _type: 'n:root', _qname: 'my:root' }), ...node('b', { _type: 'n:root' }) }, false],
    ['a person of somebody', node('a', { _type: 'n:person', 'principal-id': world.other._doc, 'principal-domain': 'default' }), undefined],
    ['a built-in definition', node('a', { _type: 'd:type', _qname: 'n:node', properties: { x: { type: 'string' } } }), false],
    ['deep JSON', { [`${folder}/a/node.json`]: `{"_doc":"a","_type":"n:node","x":${deep(5000)}}` }, true],
    ['JSON with a member twice', { [`${folder}/a/node.json`]: '{"_doc":"a","_doc":"b"}' }, true],
    ['no JSON', { [`${folder}/a/node.json`]: '\u0000' }, true],
    ['a query that is none', node('a', { _key: 'x', _existing: { $where: '1' } }), undefined],
    ['a costly query', node('a', { _key: 'x', _existing: { title: { $regex: '(a+)+$' } } }), undefined],
    ['the root as what exists', node('a', { _key: 'x', _existing: { _qname: 'r:root' }, title: 'Root taken over' }), undefined],
  ]) {
    for (const strategy of ['COPY_EVERYTHING', 'CLONE']) {
      const { files } = packedBranch();
      const outcome = await tryImport(packed({ ...files, 'manifest.json': kText(manifest), ...more }), { what, body: { strategy } });
      const isFinished = outcome.state === 'FINISHED';
      if (isRefused === true || strategy === 'CLONE' && !isFinished) assert.ok(!isFinished, what);
      else if (isRefused === false) assert.ok(isFinished, `${what}: ${kText(outcome).slice(0, 500)}`);
      if (!isFinished) {
        await unchanged(what);
        continue;
      }
      await sound(what);
      for (const found of (await ask('POST', `${world.branch}/nodes/query?limit=1000`, { title: { $regex: '^Odd' } })).rows) {
        assert.ok(!('_source_doc' in found) && !('_created' in found) && !('f:locked' in found._features) && found._system.created_by === 'importer', what);
        for (const { attachmentId } of (await ask('GET', `${world.branch}/nodes/${found._doc}/attachments`)).rows) assert.doesNotMatch(attachmentId, /[/\\\n]/, what);
      }
      await renew();
    }
  }
});

test('many files in one record, and many records, cost bounded memory', async () => {
  // Attachments are held until the import ends, some 2 KB each.
  const count = 40_000;
  const many = ours({ 'platforms/p/domains/d': { 'domain.json': { title: 'Crowded' } } }, { sources: domainSources, more: { contents: {} } });
  for (let i = 0; i < count; ++i) many[`platforms/p/domains/d/attachments/f${i}.txt`] = '';
  const crowd = ours({ 'platforms/p/domains/d': { 'domain.json': { title: 'Crowded' } } }, { sources: domainSources, more: { contents: {} } });
  for (let i = 0; i < 150_000; ++i) crowd[`platforms/p/domains/d${i}/domain.json`] = '{}';
  for (const [what, files] of Object.entries({ files: many, records: crowd })) {
    await inBounds(async () => {
      const outcome = await tryImport(stored(files), { who: 'maker', at: '', what });
      assert.ok(outcome.state, `${what}: ${JSON.stringify(outcome)}`);
      if (outcome.state === 'FINISHED') await ask('DELETE', `/domains/${outcome.imports[0].targets.at(-1).id}`);
      await unchanged(what);
    });
  }
});

test('what is told of attachments costs bounded memory', async () => {
  const files = ours({ 'platforms/p/domains/d': { 'domain.json': { title: 'Told' } } }, { sources: domainSources, more: { contents: {} } });
  const told = `{"a":[${'[],'.repeat(5_000_000)}[]]}`;
  for (let i = 0; i < 8; ++i) files[`platforms/p/domains/d/attachments/${i}.metadata.json`] = told;
  await inBounds(() => refused(packed(files), { who: 'maker', at: '', what: 'metadata' }));
});

/// A zip of more than 65,535 files, not deflated.
function stored(files) {
  const entries = Object.entries(files).map(([name, data]) => ({ name, data, method: 0 }));
  const locals = [];
  const heads = [];
  let offset = 0;
  for (let at = 0; at < entries.length; at += 60_000) {
    const bytes = zip(entries.slice(at, at + 60_000));
    const end = bytes.length - 22;
    const begin = bytes.readUInt32LE(end + 16);
    locals.push(bytes.subarray(0, begin));
    const directory = Buffer.from(bytes.subarray(begin, end));
    for (let head = 0; head < directory.length;) {
      directory.writeUInt32LE(directory.readUInt32LE(head + 42) + offset, head + 42);
      head += 46 + directory.readUInt16LE(head + 28) + directory.readUInt16LE(head + 30) + directory.readUInt16LE(head + 32);
    }
    heads.push(directory);
    offset += begin;
  }
  const directory = Buffer.concat(heads);
  const record = Buffer.concat([Buffer.from('PK\x06\x06'), numbers([6, 44], [2, 0], [2, 45], [2, 45], [4, 0], [4, 0], [6, entries.length], [2, 0], [6, entries.length], [2, 0],
                                                                   [6, directory.length], [2, 0], [6, offset], [2, 0])]);
  const locator = Buffer.concat([Buffer.from('PK\x06\x07'), numbers([4, 0], [6, offset + directory.length], [2, 0], [4, 1])]);
  const last = Buffer.concat([Buffer.from('PK\x05\x06'), numbers([4, 0], [2, 0xffff], [2, 0xffff], [4, 0xffffffff], [4, 0xffffffff], [2, 0])]);
  return Buffer.concat([...locals, directory, record, locator, last]);
}
