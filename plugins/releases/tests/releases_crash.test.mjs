// A server that is killed about the date of a release: it is released once, by whoever is there then.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { repetitions } from '../../../tests/support/repetitions.mjs';
import { SteleServer } from '../../../tests/support/stele_server.mjs';
import { until } from '../../../tests/support/until.mjs';

const rounds = repetitions(30);
const kNew = 40;
/// From before the date until after all that is done at it.
const kEarliest = -60;
const kLatest = 150;

let server;
before(async () => { server = await SteleServer.start({ config: 'jobs.lease = 3s\n' }); });
after(() => server.end());

const admin = (...args) => server.admin(...args);

test(`${rounds} rounds of kill -9 about the date of a release: it is on the master once, with its snapshot`, async () => {
  let wereThere = 0;
  for (let round = 0; round < rounds; ++round) {
    const repository = `/repositories/${(await admin('POST', '/repositories', {}))._doc}`;
    const master = `${repository}/branches/master`;
    const made = await admin('POST', `${repository}/releases`, { title: `${round}` });
    const path = `${repository}/releases/${made._doc}`;
    const { branchId } = await admin('GET', path);
    await admin('POST', `${repository}/branches/${branchId}/nodes`, Array.from({ length: kNew }, () => ({ round })));
    const { tip } = await admin('GET', master);
    const date = Date.now() + 250;
    await admin('PUT', path, { title: `${round}`, releaseDate: date });
    await admin('POST', `${path}/finalize`, { schedule: true });
    const changesets = async () => (await admin('GET', `${repository}/changesets?limit=0`)).total_rows;
    const before = await changesets();
    await sleep(Math.max(0, date - Date.now() + kEarliest + (kLatest - kEarliest) * (round / rounds)));
    await server.stop('SIGKILL');
    await server.launch();
    const present = async () => (await admin('POST', `${master}/nodes/query?limit=0`, { round })).total_rows;
    const seen = await present();
    assert.ok([0, kNew].includes(seen), `round ${round}: ${seen} of ${kNew}`);
    wereThere += seen === kNew ? 1 : 0;
    await until(async () => (await admin('GET', path)).snapshotId, `round ${round} is released`);
    const last = await admin('GET', path);
    assert.deepEqual([last.released, last.scheduled, last.title], [true, false, `${round}`]);
    assert.ok(last.releaseDate.ms === date);
    assert.deepEqual([await present(), await changesets(), (await admin('GET', `${master}/merges?mergeType=incoming`)).total_rows], [kNew, before + 1, 1]);
    assert.notEqual((await admin('GET', master)).tip, tip);
    const snapshots = (await admin('GET', `${repository}/branches`)).rows.filter(({ snapshot }) => snapshot);
    assert.deepEqual(snapshots.map(({ _doc }) => _doc), [last.snapshotId]);
    const work = (await admin('POST', '/work/scheduled/query', {})).rows.filter(({ releaseId }) => releaseId === made._doc);
    assert.ok(work.every(({ state }) => state !== 'SCHEDULED'), JSON.stringify(work));
  }
  console.log(`releases that were on the master when the server came back: ${wereThere} of ${rounds}`);
  await server.stop();
  const { status, text } = server.check();
  assert.equal(status, 0, text);
  await server.launch();
});
