// A record of every family leaves alone, goes, and comes back by itself: what leaves then is what left before
// (docs/reference/archive-format.md, "What may differ").
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertSameArchives, ComparedArchive } from '../../../tests/support/archive_comparison.mjs';
import { RandomPlatform } from '../../../tests/support/random_platform.mjs';
import { RoundTrips } from '../../../tests/support/round_trips.mjs';
import { seeds, SeededRandom } from '../../../tests/support/seeded_random.mjs';
import { SteleServer } from '../../../tests/support/stele_server.mjs';

/// Branches as they are, whose histories do not come, and also the archived ones.
const kState = { tipChangesetOnly: true, branchIncludeArchives: true };
/// Ids of principals come once (decision 0094), so they come back as somebody else.
const kOnce = ['/domains/{domainId}', '/domains/{domainId}/principals/{principalId}'];
/// An upload gives it an id.
const kArchive = '/vaults/{vaultId}/archives/{archiveId}';

/// The path of what a record lies in.
function containerOf({ template, path }) {
  const outer = template.replace(/\/[^{]*\{\w+\}$/, '').replace(/\/deployments\/\{deploymentKey\}$/, '');
  return path.split('/').slice(0, outer.split('/').length).join('/');
}

class Returns {
  constructor(server, platform) {
    Object.assign(this, { server, platform, trips: new RoundTrips(server) });
  }

  async state(path) {
    return new ComparedArchive(await this.trips.exported(path, kState));
  }

  /// Goes, or stays, and comes back; answers where it is then.
  async #move(record, place) {
    const container = containerOf(record);
    const isCopied = kOnce.includes(record.template);
    if (!isCopied) await this.server.admin('DELETE', record.path);
    const target = !isCopied || container === '' ? container : `/domains/${(await this.server.admin('POST', '/domains', {}))._doc}`;
    const { notes, targets } = await this.trips.import(target, place, { strategy: isCopied ? 'COPY_EVERYTHING' : 'CLONE' });
    assert.deepEqual(notes, [], record.path);
    const keepsId = !isCopied && record.template !== kArchive;
    if (keepsId) assert.equal(targets[0].id, record.id);
    return `${target}${record.path.slice(container.length).replace(/[^/]+$/, '')}${encodeURIComponent(targets[0].id)}`;
  }

  async ofRecord(record) {
    const before = await this.state(record.path);
    const there = await this.#move(record, await this.trips.export(record.path, kState));
    assertSameArchives(before, await this.state(there), record.path);
  }

  /// Of a branch, with what lies below it.
  async ofNode(branch, id) {
    const path = `${branch}/nodes/${id}`;
    const before = await this.state(path);
    const place = await this.trips.export(path);
    await this.server.admin('DELETE', path);
    const { notes } = await this.trips.import(branch, place, { strategy: 'CLONE' });
    assert.deepEqual(notes, [], path);
    const here = assertSameArchives(before, await this.state(path), path);
    for (const content of before.content) assert.equal(here.get(content), content);
  }
}

/// Those of what lies in others come before these.
const byDepth = (one, other) => other.split('/').length - one.split('/').length;

for (const seed of seeds(2)) {
  test(`a record of every family, and nodes, come back as they were (STELE_SEED=${seed})`, async () => {
    const server = await SteleServer.start();
    try {
      const platform = await RandomPlatform.make(server, new SeededRandom(seed), { size: 1, steps: 25 });
      const returns = new Returns(server, platform);
      for (const branch of platform.branches.filter(({ isClosed }) => !isClosed)) for (const id of await branch.present()) await returns.ofNode(branch.path, id);
      const made = platform.records.filter(({ isMade, path }) => isMade && !path.startsWith('/domains/default/'));
      const templates = [...new Set(made.map(({ template }) => template))].sort(byDepth);
      assert.ok(templates.length > 30, String(templates));
      // The first principal is alone in its domain: nobody beside it has rights on it, who would stay behind.
      for (const template of templates) await returns.ofRecord(made.find((record) => record.template === template));
    } finally {
      await server.end();
    }
  });
}

test('a project is exported after a store of its stack was removed, and a list with its items', async () => {
  const server = await SteleServer.start();
  try {
    const ask = (...request) => server.admin(...request);
    const project = (await ask('POST', '/projects', { title: 'kept' }))._doc;
    const application = (await ask('POST', '/applications', { projectId: project }))._doc;
    const trips = new RoundTrips(server);
    const told = async () => Object.keys(new ComparedArchive(await trips.exported(`/projects/${project}`)).manifest.contents);
    const reference = `application://${(await ask('GET', '/'))._doc}/${application}`;
    assert.ok((await told()).includes(reference));
    await ask('DELETE', `/applications/${application}`);
    assert.ok(!(await told()).includes(reference));

    const branch = `/repositories/${(await ask('POST', '/repositories', {}))._doc}/branches/master`;
    const list = (await ask('POST', `${branch}/lists/fruits?type=n:node`))._doc;
    const item = (await ask('POST', `${branch}/lists/fruits/items`, { title: 'plum' }))._doc;
    assert.ok(new ComparedArchive(await trips.exported(`${branch}/nodes/${list}`)).content.has(item));
  } finally {
    await server.end();
  }
});

test('records that name each other in their depths are not written again when nothing changed', async () => {
  const server = await SteleServer.start();
  try {
    const ask = (...request) => server.admin(...request);
    const platform = (await ask('GET', '/'))._doc;
    const made = [];
    for (const title of ['one', 'other']) made.push((await ask('POST', '/applications', { title }))._doc);
    const paths = made.map((id) => `/applications/${id}`);
    const name = async (i, id) => ask('PUT', paths[i], { ...(await ask('GET', paths[i])), near: { named: [{ by: `application://${platform}/${id}` }] } });
    for (const i of [0, 1]) await name(i, made[1 - i]);
    // An import marks the statistics of all stores that it may reach, so that others' writes are none of its conflicts.
    const all = async () => (await Promise.all(paths.map((path) => ask('GET', path)))).map(({ statisticsDirty, statisticsDate, ...fields }) => fields);
    const before = await all();
    const trips = new RoundTrips(server);
    const place = await trips.export('');
    const clone = async () => {
      const { created, updated } = await trips.import('', place, { strategy: 'CLONE' });
      return [created, updated];
    };
    assert.deepEqual(await clone(), [0, 0]);
    assert.deepEqual(await all(), before);
    await name(0, 'nobody');
    assert.deepEqual(await clone(), [0, 1]);
    assert.deepEqual((await all()).map(({ near }) => near), before.map(({ near }) => near));
  } finally {
    await server.end();
  }
});
