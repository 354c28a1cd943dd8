// node tests/bench/transfer.mjs [--nodes 40000] [--rounds 3]
//
// Exports of a branch and imports into an empty one, against the bulk form of nodes in the same run, and
// the most memory that the server had during each, above what it had before. Half of the nodes are
// members of folders of a hundred; at last half of them get an attachment each, and then somebody whom they
// are granted to. Nothing here passes or fails. Needs the release build.
import { setTimeout as sleep } from 'node:timers/promises';
import { measuredJob, median, option, rounds, SteleServer } from './bench.mjs';
import { loadNodes } from './load_nodes.mjs';

const nodes = Number(option('nodes', 40_000));
const server = await SteleServer.start();
server.adminToken ??= await server.login();

const makeBranch = async () => `/repositories/${(await server.admin('POST', '/repositories', {}))._doc}/branches/master`;

/// The search index is behind after a bulk load, and would share the processor with what is measured.
async function waitForSearch(branch) {
  for (let tries = 0; tries < 600; ++tries) {
    const found = await server.request('POST', `${branch}/nodes/search?limit=1`, { token: server.adminToken, body: JSON.stringify({ search: 'title' }),
                                                                                  headers: { 'Content-Type': 'application/json' } });
    if (found.status === 200) return;
    await sleep(100);
  }
  throw new Error('the search index does not come');
}

/// Puts every hundred of the first half into a folder of their own.
async function makeFolders(branch) {
  for (let first = 0; first < nodes / 2; first += 100) {
    const { _doc: folder } = await server.admin('POST', `${branch}/nodes?rootNodeId=root&parentFolderPath=/&fileName=folder${first}`, {});
    const { rows } = await server.admin('POST', `${branch}/nodes/query?limit=100`, { number: { $gte: first, $lt: first + 100 } });
    await Promise.all(rows.map(({ _doc }) => server.admin('POST', `${branch}/nodes/${folder}/associate?node=${_doc}&type=a:child`, {})));
  }
}

async function inParallel(items, work) {
  let next = 0;
  await Promise.all(Array.from({ length: 32 }, async () => { while (next < items.length) await work(items[next++]); }));
}

/// Exports the branch and imports it into an empty one, and tells what more it took.
async function tellTransfer(what, source, place) {
  const out = await measuredJob(server, `${source}/export?${place}`, { tipChangesetOnly: true });
  const into = await measuredJob(server, `${await makeBranch()}/import?${place}`, {});
  console.log(`  ${what}: export ${(nodes / out.seconds).toFixed(0)} nodes/s, ${out.memory.toFixed(0)} MiB above idle; import ${(nodes / into.seconds).toFixed(0)} nodes/s, `
    + `${into.memory.toFixed(0)} MiB above idle`);
}

const ratios = [];
for (let round = 1; round <= rounds; ++round) {
  const source = await makeBranch();
  const { rate: bulk } = await loadNodes(server, source, nodes);
  await waitForSearch(source);
  const plain = `group=bench&artifact=plain&version=${round}`;
  const out = await measuredJob(server, `${source}/export?${plain}`, { tipChangesetOnly: true });
  const into = await measuredJob(server, `${await makeBranch()}/import?${plain}`, {});
  if (into.job.created !== nodes) throw new Error(`${into.job.created} nodes came`);
  ratios.push(nodes / into.seconds / bulk);
  console.log(`  round ${round}: ${nodes} nodes: bulk form ${bulk.toFixed(0)}/s; export ${(nodes / out.seconds).toFixed(0)}/s, ${out.memory.toFixed(0)} MiB above idle; `
    + `import ${(nodes / into.seconds).toFixed(0)}/s, ${into.memory.toFixed(0)} MiB above idle`);
  if (round > 1) continue;
  await makeFolders(source);
  await waitForSearch(source);
  const tree = `group=bench&artifact=tree&version=${round}`;
  const treeOut = await measuredJob(server, `${source}/export?${tree}`, { tipChangesetOnly: true });
  const treeInto = await measuredJob(server, `${await makeBranch()}/import?${tree}`, {});
  const items = treeOut.job.entries;
  console.log(`  ${items} nodes and associations of a tree: export ${(items / treeOut.seconds).toFixed(0)}/s, import ${(items / treeInto.seconds).toFixed(0)}/s`);
}
const decorated = await makeBranch();
await loadNodes(server, decorated, nodes);
const ids = [];
for (let skip = 0; ids.length < nodes / 2; skip += 1000) ids.push(...(await server.admin('POST', `${decorated}/nodes/query?limit=1000&skip=${skip}`, {})).rows.map(({ _doc }) => _doc));
ids.length = Math.min(ids.length, nodes / 2);
await inParallel(ids, async (id) => {
  const { status, text } = await server.request('POST', `${decorated}/nodes/${id}/attachments/default`, { token: server.adminToken, body: `text of ${id}`,
                                                                                                          headers: { 'Content-Type': 'text/plain' } });
  if (status !== 200) throw new Error(text);
});
await tellTransfer(`with ${ids.length} attachments`, decorated, 'group=bench&artifact=attachments&version=1');
const person = (await server.admin('POST', '/domains/default/principals', { type: 'USER', name: 'holder', password: 'holder of grants' }))._doc;
await inParallel(ids, (id) => server.admin('POST', `${decorated}/nodes/${id}/authorities/consumer/grant?id=default/${person}`, {}));
await tellTransfer('with as many grants, too', decorated, 'group=bench&artifact=grants&version=1');
console.log(`import of nodes against the bulk form: ${median(ratios).toFixed(2)} (target 0.50)`);
await server.end();
process.exit(0);
