// node tests/bench/merges.mjs [--nodes 1000000] [--changes 100] [--many 10000] [--rounds 5]
//
// What a merge costs, which is to be what changed and not what is there: as many changes merged into a branch of many nodes
// against one of a thousand, from a fork ten branches deep against one, the same of a preview, as ratios of medians (target: at
// most 2 each); then many changes at once, as a rate, while one writer and one reader work on the target: how long the longest
// of their requests took, beside the merge and without it. What a merge has brought is read again. Needs the release build.
import { readFileSync } from 'node:fs';
import { median, option, rounds, SteleServer } from './bench.mjs';
import { loadNodes } from './load_nodes.mjs';

const nodes = Number(option('nodes', 1_000_000));
const changes = Number(option('changes', 100));
const many = Number(option('many', 10_000));
const kFew = 1000;
const kDepth = 10;

const server = await SteleServer.start();
server.adminToken ??= await server.login();
const admin = (...args) => server.admin(...args);
const makeRepository = async () => `/repositories/${(await admin('POST', '/repositories', {}))._doc}/branches`;
const fork = async (branches, from) => (await admin('POST', `${branches}?branch=${from}`, {}))._doc;
const milliseconds = async (work) => {
  const began = process.hrtime.bigint();
  await work();
  return Number(process.hrtime.bigint() - began) / 1e6;
};

/// Changes the nodes, named by their ids, on a branch.
async function change(branches, branch, ids, round) {
  for (const id of ids) await admin('PUT', `${branches}/${branch}/nodes/${id}`, { kind: 'changed', round });
}

/// Medians of merges and previews of as many changes, each of a new fork at the end of a chain.
async function measure(branches, depth, ids) {
  const times = { merge: [], preview: [] };
  for (let round = 0; round < rounds; ++round) {
    let at = 'master';
    for (let i = 0; i < depth; ++i) at = await fork(branches, at);
    await change(branches, at, ids, round);
    times.preview.push(await milliseconds(() => admin('POST', `${branches}/master/changes/start?id=${at}&schedule=synchronous`, {})));
    times.merge.push(await milliseconds(async () => {
      const report = await admin('POST', `${branches}/master/merge?id=${at}`, {});
      if (!report.merged || report.nodeCount !== ids.length) throw new Error(JSON.stringify(report));
    }));
    const { round: brought } = await admin('GET', `${branches}/master/nodes/${ids.at(-1)}`);
    if (brought !== round) throw new Error(`round ${round} has brought ${brought}`);
  }
  return { merge: median(times.merge), preview: median(times.preview) };
}

/// Nodes by groups of fifty, which an index finds among any number.
const some = async (branches, count) => {
  const groups = Array.from({ length: Math.ceil(count / 50) }, (_, i) => `group${i}`);
  return (await admin('POST', `${branches}/master/nodes/query?limit=${count}`, { group: { $in: groups } })).rows.map((row) => row._doc);
};
const told = ({ merge, preview }) => `merge ${merge.toFixed(1)} ms, preview ${preview.toFixed(1)} ms`;
const ratios = (one, other) => `merge ${(one.merge / other.merge).toFixed(2)}, preview ${(one.preview / other.preview).toFixed(2)} (target 2)`;

/// The search index and the store's tables follow a load later: seconds until the server has done that, half an hour at most.
async function idleAfter(pid) {
  const ticks = () => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ').slice(11, 13).reduce((sum, part) => sum + Number(part), 0);
  const kTicksInSecond = 100;
  let idle = 0;
  for (let seconds = 0; seconds < 1800; ++seconds) {
    const before = ticks();
    await new Promise((resolve) => { setTimeout(resolve, 1000); });
    idle = ticks() - before < 0.05 * kTicksInSecond ? idle + 1 : 0;
    if (idle === 3) return seconds - 2;
  }
  throw new Error('the server has not come to rest');
}

const few = await makeRepository();
await loadNodes(server, `${few}/master`, kFew);
const fewIds = await some(few, changes);
const ofFew = await measure(few, 1, fewIds);
console.log(`  ${changes} changes among ${kFew} nodes: ${told(ofFew)}`);
const deep = await measure(few, kDepth, fewIds);
console.log(`  from ${kDepth} branches deep: ${told(deep)}; against one: ${ratios(deep, ofFew)}`);

const large = await makeRepository();
const { rate } = await loadNodes(server, `${large}/master`, nodes);
console.log(`  ${nodes} nodes loaded, ${rate.toFixed(0)}/s; what that left to do took ${await idleAfter(server.child.pid)} s more`);
const ofMany = await measure(large, 1, await some(large, changes));
console.log(`  ${changes} changes among ${nodes} nodes: ${told(ofMany)}; against ${kFew}: ${ratios(ofMany, ofFew)}`);

/// Requests one after the other until it is ended; the longest of them.
function traffic(work) {
  const state = { longest: 0, goesOn: true };
  const running = (async () => {
    while (state.goesOn) state.longest = Math.max(state.longest, await milliseconds(work));
  })();
  return { take: () => { const { longest } = state; state.longest = 0; return longest; }, end: () => { state.goesOn = false; return running; } };
}

const source = await fork(large, 'master');
await loadNodes(server, `${large}/${source}`, many);
const own = (await admin('POST', `${large}/master/nodes`, { title: 'own' }))._doc;
const users = [traffic(() => admin('PUT', `${large}/master/nodes/${own}`, { title: 'own' })), traffic(() => admin('GET', `${large}/master/nodes/${own}`))];
await new Promise((resolve) => { setTimeout(resolve, 3000); });
const quiet = users.map((user) => user.take());
const job = { state: '' };
const took = await milliseconds(async () => {
  Object.assign(job, await admin('POST', `${large}/master/merge/start?id=${source}&schedule=synchronous`, {}));
});
const busy = users.map((user) => user.take());
await Promise.all(users.map((user) => user.end()));
if (job.state !== 'FINISHED' || job._result.nodeCount !== many) throw new Error(JSON.stringify(job.log_entries ?? job));
console.log(`  ${many} new nodes merged beside a writer and a reader: ${(many / took * 1000).toFixed(0)}/s; their longest request ${busy.map((ms) => ms.toFixed(0)).join(' and ')} ms, without it ${quiet.map((ms) => ms.toFixed(0)).join(' and ')} ms`);
await server.end();
