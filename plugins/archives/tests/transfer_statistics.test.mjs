// The server takes the statistics of data stores now and then, and writes meters. A large import, which has read the store's
// state, must not be begun anew for them; what it brings is counted when it is there.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { endedJob } from '../../../tests/support/ended_job.mjs';
import { SteleServer } from '../../../tests/support/stele_server.mjs';
import { until } from '../../../tests/support/until.mjs';

const kNodes = process.env.STELE_SANITIZED ? 1200 : 3000;

let server;
before(async () => { server = await SteleServer.start({ config: 'stores.statistics_period = 100ms\nusage.write_interval = 100ms\nusage.look_interval = 100ms\n' }); });
after(() => server.end());

const ask = (...request) => server.admin(...request);
const makeRepository = async () => `/repositories/${(await ask('POST', '/repositories', {}))._doc}`;
async function transfer(path) {
  const { _doc } = await ask('POST', path, { tipChangesetOnly: true });
  const job = await endedJob(ask, _doc);
  assert.equal(job.state, 'FINISHED', JSON.stringify(job.log_entries));
  return job;
}

test('an import is not begun anew because statistics are taken meanwhile, and is counted afterwards', { timeout: 300_000 }, async () => {
  const [source, target] = [await makeRepository(), await makeRepository()];
  await ask('POST', `${source}/branches/master/nodes?full=false`, Array.from({ length: kNodes }, (_, number) => ({ number })));
  await transfer(`${source}/branches/master/export?group=g&artifact=a&version=1`);

  let isOver = false;
  let taken = 0;
  // Others write to the store meanwhile, so that its statistics are due again and again.
  const other = (await ask('POST', `${target}/branches?branch=master&changeset=0:root`, {}))._doc;
  const asking = (async () => {
    for (; !isOver; ++taken) {
      await ask('POST', `${target}/branches/${other}/nodes`, {});
      await ask('POST', `${target}/stats`, {});
      await sleep(10);
    }
  })();
  const job = await transfer(`${target}/branches/master/import?group=g&artifact=a&version=1`);
  isOver = true;
  await asking;
  assert.ok(taken > 3, `${taken} times`);
  assert.equal(job.created, kNodes);
  assert.deepEqual(job.log_entries, []);

  await until(async () => (await ask('GET', target)).statisticsDirty === false, 'the statistics are taken');
  const { objectcount } = await ask('GET', target);
  assert.ok(objectcount >= kNodes + taken, `${objectcount} for ${kNodes} + ${taken}`);
});

test('an import of many stores is not begun anew because statistics of any are taken meanwhile', { timeout: 300_000 }, async () => {
  const domains = [];
  for (let i = 0; i < 3; ++i) {
    const { _doc } = await ask('POST', '/domains', { title: `Domain ${i}` });
    for (let group = 0; group < 60; ++group) await ask('POST', `/domains/${_doc}/principals`, { type: 'GROUP', name: `group-${group}` });
    domains.push(`/domains/${_doc}`);
  }
  const { _doc: exporting } = await ask('POST', '/export?group=g&artifact=platform&version=1', { tipChangesetOnly: true });
  assert.equal((await endedJob(ask, exporting)).state, 'FINISHED');

  let isOver = false;
  let taken = 0;
  const asking = (async () => {
    for (; !isOver; ++taken) {
      const domain = domains[taken % domains.length];
      await ask('POST', `${domain}/stats`, {});
      await sleep(10);
    }
  })();
  // What is the same already is read, and not written.
  const { _doc: importing } = await ask('POST', '/import?group=g&artifact=platform&version=1', { strategy: 'CLONE' });
  const job = await endedJob(ask, importing);
  isOver = true;
  await asking;
  assert.equal(job.state, 'FINISHED', JSON.stringify(job.log_entries));
  assert.ok(taken > 3, `${taken} times`);
  assert.deepEqual(job.log_entries, []);
});
