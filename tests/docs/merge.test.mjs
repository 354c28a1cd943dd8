// Runs the examples of docs/reference/merge.md: each kind of conflict, as the page says.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { SteleServer } from '../support/stele_server.mjs';

const page = readFileSync(new URL('../../docs/reference/merge.md', import.meta.url), 'utf8');
const examples = [...page.matchAll(/```merge\n([\s\S]*?)```/g)].map(([, body]) =>
  body.trim().split('\n').map((line) => /^(\w+): (.*)$/.exec(line).slice(1)));

let server;
before(async () => { server = await SteleServer.start(); });
after(() => server.end());

/// `METHOD path [JSON]` on a branch.
async function act(branch, told) {
  const [, method, path, body] = /^(\w+) (\S+)(?: (.*))?$/.exec(told);
  await server.admin(method, `${branch}/${path}`, method === 'DELETE' ? undefined : JSON.parse(body ?? '{}'));
}

/// The ids of what the branches have under a QName, those of the source first.
async function idOf(qname, branches) {
  for (const branch of branches) {
    const found = await server.request('GET', `${branch}/nodes/${qname}`, { token: server.adminToken });
    if (found.status === 200) return found.json._doc;
  }
  throw new Error(`no node ${qname}`);
}

for (const lines of examples) {
  const [kind, qname, path = ''] = lines.find(([name]) => name === 'conflict')[1].split(' ');
  test(`${kind}: ${qname} is told as the page says`, async () => {
    const branches = `/repositories/${(await server.admin('POST', '/repositories', {}))._doc}/branches`;
    const of = async (who) => { for (const [name, told] of lines) if (name === who[0]) await act(`${branches}/${who[1]}`, told); };
    await of(['master', 'master']);
    const fork = async () => (await server.admin('POST', `${branches}?branch=master`, {}))._doc;
    const [source, target] = [await fork(), await fork()];
    await of(['source', source]);
    await of(['target', target]);
    const report = await server.admin('POST', `${branches}/${target}/merge?id=${source}`, {});
    const places = [source, target, 'master'].map((branch) => `${branches}/${branch}`);
    let message = lines.find(([name]) => name === 'message')[1];
    for (const [whole, name] of message.matchAll(/\{([^}]*)\}/g)) message = message.replace(whole, await idOf(name, places));
    assert.deepEqual(report.conflicts.map((row) => [row.kind, row.nodeId, row.path, row.message]),
                     [[kind, await idOf(qname, places), path, message]]);
  });
}

test('the page has an example of every kind', () => {
  const kinds = [...page.matchAll(/^### (\S+)$/gm)].map(([, kind]) => kind);
  assert.deepEqual([...new Set(examples.map((lines) => lines.find(([name]) => name === 'conflict')[1].split(' ')[0]))], kinds);
});
