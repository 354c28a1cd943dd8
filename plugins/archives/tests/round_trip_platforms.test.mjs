// A platform leaves a server, goes into an empty one, and leaves that: the second archive says what the first one says
// (docs/reference/archive-format.md, "What may differ"). Histories are not imported as such, so branches are compared by
// their states.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertSameArchives, ComparedArchive } from '../../../tests/support/archive_comparison.mjs';
import { RandomPlatform } from '../../../tests/support/random_platform.mjs';
import { RoundTrips } from '../../../tests/support/round_trips.mjs';
import { openedFiles } from '../../../tests/support/sealed_archive.mjs';
import { seeds, SeededRandom } from '../../../tests/support/seeded_random.mjs';
import { seed as everything, SteleServer } from '../../../tests/support/stele_server.mjs';

/// No authentication grant: one that was not made by the server keeps its own secrets.
const kSeed = { ...everything, grant: undefined };
const kSealed = { branchIncludeArchives: true, passphrase: 'opened by the test itself' };
/// Of `server`, its state, secrets included.
const stateOf = async (server) => new ComparedArchive(await openedFiles(await new RoundTrips(server).exported('', { ...kSealed, tipChangesetOnly: true }), kSealed.passphrase));

async function roundTrip(seed, first, second) {
  const random = new SeededRandom(seed);
  await first.login();
  const platform = await RandomPlatform.make(first, random);
  const before = await stateOf(first);
  for (const kind of ['secrets', 'targets', 'policies']) assert.ok([...before.files.keys()].some((file) => file.endsWith(`/${kind}.json`)), kind);
  const there = new RoundTrips(second);
  const place = await new RoundTrips(first).export('', { ...kSealed, tipChangesetOnly: random.chance(0.5) });
  await there.upload(await new RoundTrips(first).bytes(place));
  const job = await there.import('', place, { strategy: 'CLONE', passphrase: kSealed.passphrase });
  assert.deepEqual(job.notes, []);
  const after = await stateOf(second);
  const here = assertSameArchives(before, after, 'the platform');
  // What clients made keeps its id.
  for (const { id, path } of platform.made) assert.equal(here.get(id), id, path);
  for (const id of before.content) assert.equal(here.get(id), id);
  const again = await there.import('', place, { strategy: 'CLONE', passphrase: kSealed.passphrase });
  assert.deepEqual([again.created, again.updated, again.notes], [0, 0, []]);
}

for (const seed of seeds(3)) {
  test(`a random platform is the same on an empty server (STELE_SEED=${seed})`, async () => {
    const servers = [await SteleServer.start({ seedWith: kSeed }), await SteleServer.start({ seedWith: kSeed })];
    try {
      await roundTrip(seed, ...servers);
    } finally {
      for (const server of servers) await server.end();
    }
  });
}
