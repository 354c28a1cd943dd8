// A branch goes into an empty branch of another repository, and says the same there: docs/reference/archive-format.md,
// "What may differ". Histories are not imported as such, so states are compared.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertSameArchives, ComparedArchive } from '../../../tests/support/archive_comparison.mjs';
import { RandomBranch } from '../../../tests/support/random_branch.mjs';
import { seeds, SeededRandom } from '../../../tests/support/seeded_random.mjs';
import { SteleServer } from '../../../tests/support/stele_server.mjs';
import { RoundTrips } from '../../../tests/support/round_trips.mjs';

let server;
let trips;
before(async () => {
  server = await SteleServer.start();
  trips = new RoundTrips(server);
});
after(() => server.end());

/// A branch that content is imported into keeps what it says of itself.
const isOfBranch = (path) => /\/branches\/[^/]+\/branch\.json$/.test(path);
const stateOf = async (branch) => new ComparedArchive(await trips.exported(branch, { tipChangesetOnly: true }), isOfBranch);

async function makeBranch(random) {
  const domain = (await server.admin('POST', '/domains', {}))._doc;
  const principals = [];
  for (const name of ['one', 'two']) principals.push(`${domain}/${(await server.admin('POST', `/domains/${domain}/principals`, { type: 'USER', name }))._doc}`);
  const repository = `/repositories/${(await server.admin('POST', '/repositories', {}))._doc}`;
  const content = new RandomBranch(server, `${repository}/branches/master`, random, principals);
  await content.fill(40);
  if (random.chance(0.5)) return content.path;
  // With content that comes from the branch around it.
  const fork = content.forkedAt(`${repository}/branches/${(await server.admin('POST', `${repository}/branches?branch=master`, {}))._doc}`);
  await fork.fill(20);
  return fork.path;
}

for (const seed of seeds(4)) {
  for (const strategy of ['COPY_EVERYTHING', 'CLONE']) {
    test(`a random branch is the same in an empty branch, by ${strategy} (STELE_SEED=${seed})`, async () => {
      const branch = await makeBranch(new SeededRandom(seed));
      const first = await stateOf(branch);
      const archive = await trips.export(branch, { tipChangesetOnly: seed % 2 === 0 });
      const target = `/repositories/${(await server.admin('POST', '/repositories', {}))._doc}/branches/master`;
      const job = await trips.import(target, archive, { strategy });
      assert.deepEqual(job.notes, []);
      const second = await stateOf(target);
      assertSameArchives(first, second, `${branch} and ${target}`);
    });
  }
}
