// node tests/bench/load_nodes.mjs BASE TOKEN BRANCH_PATH COUNT
//
// Loads so many small nodes by the bulk form of `POST {BR}/nodes`, 500 a request, and prints the rate.
import http from 'node:http';

const kAtOnce = 500;
const agent = new http.Agent({ keepAlive: true, maxSockets: 4 });

export const nodeOf = (number) => ({
  kind: 'loaded', title: `Title ${String((number * 7919) % 100_000_000).padStart(8, '0')}`,
  group: `group${Math.floor(number / 50)}`, category: `category${number % 10}`, number, text: 'x'.repeat(100),
});

const post = (url, token, body) => new Promise((resolve, reject) => {
  const payload = JSON.stringify(body);
  const request = http.request(url, { method: 'POST', agent, headers: {
    Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(payload) } },
  (response) => {
    let text = '';
    response.on('data', (piece) => { if (response.statusCode !== 200) text += piece; });
    response.on('end', () => (response.statusCode === 200 ? resolve() : reject(new Error(`${response.statusCode} ${text}`))));
  });
  request.on('error', reject);
  request.end(payload);
});

async function loadAll(base, token, branch, count) {
  const began = process.hrtime.bigint();
  let next = 0;
  await Promise.all(Array.from({ length: 4 }, async () => {
    while (next < count) {
      const first = next;
      next = Math.min(count, next + kAtOnce);
      await post(`${base}${branch}/nodes?full=false`, token, Array.from({ length: next - first }, (_, i) => nodeOf(first + i)));
    }
  }));
  return { rate: count / (Number(process.hrtime.bigint() - began) / 1e9) };
}

export async function loadNodes(server, branch, count) {
  server.adminToken ??= await server.login();
  return loadAll(server.baseUrl.replace(/\/$/, ''), server.adminToken, branch, count);
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  const [base, token, branch, count] = process.argv.slice(2);
  const { rate } = await loadAll(base, token, branch, Number(count));
  console.log(`${count} nodes, ${rate.toFixed(0)} a second`);
}
