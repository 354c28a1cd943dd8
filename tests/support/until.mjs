// Waits for what comes about by itself.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';

/// Asks again and again until `holds`; an error that says `what` when that has taken too long.
export async function until(holds, what, seconds = 180) {
  for (const end = Date.now() + seconds * 1000; Date.now() < end; await sleep(100)) if (await holds()) return;
  assert.fail(`not in ${seconds} s: ${what}`);
}
