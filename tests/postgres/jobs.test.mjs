// A job whose server is killed is taken over by another one over the same PostgreSQL, and what it does
// happens once (docs/specification/architecture.md 6).
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { endedJob } from '../support/ended_job.mjs';
import { PostgresServer } from '../support/postgres_server.mjs';
import { repetitions } from '../support/repetitions.mjs';
import { SteleServer } from '../support/stele_server.mjs';

const rounds = repetitions(3);
let postgres;
let witness;
let token;
const config = () => postgres.config('jobs.lease = 3s\njobs.threads = 1\n');
before(async () => {
  postgres = await PostgresServer.start();
  witness = await SteleServer.start({ config: config() });
  token = await witness.login();
});
after(async () => {
  await witness.end();
  await postgres.end();
});

async function call(server, method, path, body) {
  const reply = await server.request(method, path, { token, body });
  assert.equal(reply.status, 200, `${method} ${path}: ${reply.text}`);
  return reply.json;
}
const running = async () => (await call(witness, 'GET', '/jobs/running?limit=-1')).rows;

/// Keeps everybody from committing until it is let go.
async function stopCommits() {
  const session = spawn('psql', ['-h', postgres.primary, '-U', 'postgres', '-qAt'], { stdio: ['pipe', 'pipe', 'inherit'] });
  session.stdin.write('begin; select version from stele.stele_state for update;\n');
  await new Promise((resolve) => session.stdout.once('data', resolve));
  return () => new Promise((resolve) => {
    session.once('close', resolve);
    session.stdin.end('rollback;\n');
  });
}

/// Starts jobs through a server until it is caught with one that cannot end, and kills it then.
async function killInTheMiddle(victim, title, others) {
  const jobs = [];
  for (let i = 0; i < 40; ++i) {
    // One after the other, they take longer than to stop the commits.
    const begun = Array.from({ length: 20 }, () => call(victim, 'POST', '/projects/start', { title }));
    jobs.push(...(await Promise.all(begun)).map((job) => job._doc));
    const letGo = await stopCommits();
    const caught = (await running()).find((job) => !others.has(job.current_server));
    if (caught) {
      await victim.stop('SIGKILL');
      // The database finds out within two seconds that nobody waits for the commit that it has at hand. Otherwise it
      // would store it, and the job would have ended.
      await sleep(2500);
    }
    await letGo();
    if (caught) return { jobs, caught };
  }
  throw new Error('the server was never in the middle of a job');
}

const ended = (id) => endedJob((...request) => call(witness, ...request), id);

/// How many stacks no project uses.
async function spareStacks() {
  const count = async (path) => (await call(witness, 'GET', `${path}?limit=0`)).total_rows;
  return await count('/stacks') - await count('/projects');
}

test('a job whose server is killed runs to its end on another one, and once', async () => {
  const first = await ended((await call(witness, 'POST', '/projects/start', { title: 'witness' }))._doc);
  const others = new Set([first.current_server]);
  assert.ok(first.current_server);
  const spare = await spareStacks();
  let taken = 0;
  for (let round = 0; taken < rounds; ++round) {
    assert.ok(round < 20 * rounds, 'every job had ended when its server died');
    const title = `round ${round}`;
    const victim = await SteleServer.start({ config: config(), isPrepared: true });
    const { jobs, caught } = await killInTheMiddle(victim, title, others);
    assert.equal((await victim.exited).signal, 'SIGKILL');
    const results = await Promise.all(jobs.map(ended));
    for (const job of results) assert.equal(job.state, 'FINISHED', JSON.stringify(job));

    const last = results.find((job) => job._doc === caught._doc);
    // Its end may have been on its way to the database when its server died.
    const isTaken = last.current_server === first.current_server;
    assert.equal(last.attempts, isTaken ? 2 : 1, JSON.stringify(last));
    if (isTaken) ++taken;

    const made = (await call(witness, 'POST', '/projects/query?limit=-1', { title })).rows.map((row) => row._doc);
    assert.deepEqual(made.sort(), results.map((job) => job['created-project-id']).sort());
    assert.equal(new Set(made).size, jobs.length);
    assert.equal(await spareStacks(), spare, 'a stack for each project, and no other');
  }
});
