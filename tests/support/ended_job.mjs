// Waits for jobs.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';

const kEnds = ['FINISHED', 'ERROR'];

/// What a path tells of a job when that has ended, in whatever way, by `ask(method, path)`, which answers the JSON of a call that
/// must succeed. Machines are busy: it may take minutes.
export async function endedAt(ask, path, seconds = 180) {
  for (const end = Date.now() + seconds * 1000; ; await sleep(20)) {
    const job = await ask('GET', path);
    if (kEnds.includes(job.state)) return job;
    assert.ok(Date.now() < end, `${path} does not end: ${job.state}`);
  }
}

export const endedJob = (ask, id, seconds) => endedAt(ask, `/jobs/${id}`, seconds);

/// What it says went wrong, a line for each.
export const errorOf = (job) => job.log_entries.filter(({ type }) => type === 'ERROR').map(({ message }) => message).join('\n');
