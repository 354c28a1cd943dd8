// node tests/bench/statements.mjs [--trace]
//
// What one request asks of PostgreSQL: statements, and the round trips in which they travel. Each request is
// made several times; the median is told, with what the server asks by itself meanwhile in it. `--trace` tells
// the statements of one more request of each kind. Nothing here passes or fails.
import { setTimeout as sleep } from 'node:timers/promises';
import { PostgresServer } from '../support/postgres_server.mjs';
import { StatementCounter } from '../support/statement_counter.mjs';
import { median, SteleServer } from './bench.mjs';

const isTracing = process.argv.includes('--trace');
const readable = (bytes) => bytes.subarray(0, 120).toString('latin1').replace(/[^\x20-\x7e]/g, (c) => `\\x${c.charCodeAt(0).toString(16).padStart(2, '0')}`);
const settled = () => sleep(1500);

const postgres = await PostgresServer.start();
const counter = await StatementCounter.start(postgres);
const start = () => SteleServer.start({ config: postgres.config().replace(postgres.connection, counter.connection), isPrepared: true });

async function measure(what, call, times = 9) {
  const counts = [];
  for (let i = 0; i < times; ++i) counts.push(await counter.count(() => call(i)));
  const [statements, roundTrips] = ['statements', 'roundTrips'].map((name) => median(counts.map((one) => one[name])));
  console.log(`${what}: ${statements} statements in ${roundTrips} round trips (first ${counts[0].statements} in ${counts[0].roundTrips})`);
  if (!isTracing) return;
  counter.watch = ({ name, parameters }) => console.log(`    ${name} ${parameters.map(readable).join(' | ')}`);
  await call(times);
  counter.watch = undefined;
}

/// Of a second server nothing is in memory.
async function measureReads(what, server, branch, nodes) {
  console.log(what);
  await measure('  read a node', (i) => server.admin('GET', `${branch}/nodes/${nodes[i]}`));
  await measure('  list 25 nodes', (i) => server.admin('GET', `${branch}/nodes?limit=25&skip=${3 * i}`));
  await measure('  query 25 nodes', (i) => server.admin('POST', `${branch}/nodes/query?limit=25&skip=${3 * i}`, { kind: 'x' }));
}

// Prepared past the counter, which works in this process and cannot answer while it waits for a program.
await (await SteleServer.start({ config: postgres.config() })).end();
const server = await start();
await server.login();
const repository = (await server.admin('POST', '/repositories', {}))._doc;
const branch = `/repositories/${repository}/branches/master`;
const nodes = [];
for (let i = 0; i < 60; ++i) nodes.push((await server.admin('POST', `${branch}/nodes`, { title: `Node ${i}`, kind: i % 2 ? 'x' : 'y' }))._doc);
const { _doc: config } = await server.admin('POST', '/uiconfigs', { title: 'Count me' });
await settled();
await measure('read a record', () => server.admin('GET', `/uiconfigs/${config}`));
await measure('list 25 records', () => server.admin('GET', '/uiconfigs?limit=25'));
await measure('create a record', (i) => server.admin('POST', '/uiconfigs', { title: `Made ${i}` }));
await measure('update a record', (i) => server.admin('PUT', `/uiconfigs/${config}`, { title: `Count ${i}` }));
await measureReads('nodes that this server wrote', server, branch, nodes);
await measure('create a node', (i) => server.admin('POST', `${branch}/nodes`, { title: `New ${i}`, kind: 'x' }));
await measure('update a node', (i) => server.admin('PUT', `${branch}/nodes/${nodes[i]}`, { title: `Changed ${i}`, kind: 'x' }));
await measure('delete a node', (i) => server.admin('DELETE', `${branch}/nodes/${nodes[20 + i]}`));
await measure('create a repository', () => server.admin('POST', '/repositories', {}), 3);
await server.admin('POST', `${branch}/nodes`, { _type: 'd:type', _qname: 'bench:article', type: 'object', properties: { title: { type: 'string' } } });
await measure('GraphQL schema', () => server.request('GET', `${branch}/graphql/schema`, { token: server.adminToken }), 3);
const other = await start();
other.adminToken = server.adminToken;
await settled();
await measureReads('nodes that another server wrote', other, branch, nodes);
await other.end();
await sleep(8000);
const idle = await counter.count(() => sleep(10_000));
console.log(`idle: ${idle.statements / 10} statements a second in ${idle.roundTrips / 10} round trips`);
await server.end();
await counter.end();
await postgres.end();
process.exit(0);
