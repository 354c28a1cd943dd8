// How far jobs give way to requests is a setting (docs/decisions/0168-jobs-give-way.md).
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { SteleServer } from '../support/stele_server.mjs';

delete process.env.STELE_JOBS_NICE; // Tests run with one; it would override the file.

/// How many threads of the process have each nice value above that of the test (proc(5), stat, field 19).
function nicer(pid) {
  const niceOf = (path) => Number(readFileSync(path, 'utf8').replace(/^.*\) /s, '').split(' ')[16]);
  const own = niceOf('/proc/self/stat');
  const counts = {};
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const more = niceOf(`/proc/${pid}/task/${thread}/stat`) - own;
    if (more > 0) counts[more] = (counts[more] ?? 0) + 1;
  }
  return counts;
}

for (const [config, expected] of [['jobs.threads = 2\n', { 5: 2 }], ['jobs.threads = 4\njobs.nice = 7\n', { 7: 4 }], ['jobs.nice = 0\n', {}]]) {
  test(`threads of jobs give way as these settings say: ${config.trim().replace('\n', ', ')}`, async () => {
    const server = await SteleServer.start({ config });
    try {
      assert.deepEqual(nicer(server.child.pid), expected);
    } finally {
      await server.end();
    }
  });
}
