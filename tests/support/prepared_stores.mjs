// Stores that `stele init` prepared, for all tests of a run that want the same one: preparing a store takes longer than
// many a test, above all in a sanitized build.
import { createHash } from 'node:crypto';
import { cpSync, mkdtempSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

/// Makes `data`, a folder that is there, what `prepare(folder)` makes of an empty one. Where the run names a folder for
/// such stores, only the first who wants what `wanted` says prepares it, and the others copy that.
export function prepareStore(data, wanted, prepare) {
  const stores = process.env.STELE_PREPARED_STORES;
  if (!stores) {
    prepare(data);
    return;
  }
  const kept = join(stores, createHash('sha256').update(JSON.stringify(wanted)).digest('hex'));
  if (!statSync(kept, { throwIfNoEntry: false })) keep(kept, prepare);
  cpSync(kept, data, { recursive: true });
}

/// Several may prepare the same store at once; whoever is done first keeps it.
function keep(kept, prepare) {
  const own = mkdtempSync(`${kept}-`);
  try {
    prepare(own);
    renameSync(own, kept);
  } catch (error) {
    rmSync(own, { recursive: true, force: true });
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
  }
}
