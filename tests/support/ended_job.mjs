// Waits for jobs.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';

const kEnds = ['FINISHED', 'ERROR'];

/// A job when it has ended, in whatever way, by `ask(method, path)`, which answers the JSON of a call that must succeed.
/// Machines are busy: it may take minutes.
export async function endedJob(ask, id, seconds = 180) {
  for (const end = Date.now() + seconds * 1000; ; await sleep(20)) {
    const job = await ask('GET', `/jobs/${id}`);
    if (kEnds.includes(job.state)) return job;
    assert.ok(Date.now() < end, `job ${id} does not end: ${job.state}`);
  }
}
