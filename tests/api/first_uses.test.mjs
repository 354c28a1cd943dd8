// The first records of every pair of families at once, on a fresh store: first uses of collections
// (docs/specification/platform.md 1).
import { test } from 'node:test';
import { firstUses } from '../support/first_uses.mjs';
import { repetitions } from '../support/repetitions.mjs';
import { SteleServer } from '../support/stele_server.mjs';

test('first records of all families at once are stored, whichever takes a number first', async () => {
  for (let round = 0; round < repetitions(4); ++round) {
    const server = await SteleServer.start();
    try {
      await firstUses([server]);
    } finally {
      await server.end();
    }
  }
});
