// docs/specification/nodes.md 18.3, 32 and semantics.md 2, 3 and 18: what nodes and branches refuse, what leads to them, and what counts.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { statement, Subject } from '../support/statements.mjs';

const it = Subject.serve();

statement('nodes 18.3.3', async () => {
  const { branch, node } = await it.repository();
  const id = await node({ title: 'mounted' });
  await it.post(`${branch}/nodes/${id}/mount/home`);
  for (const row of (await it.get(`${branch}/nodes`)).rows) assert.equal((await it.get(`${branch}/nodes/${row._doc}`)).title, 'mounted');
});
statement('nodes 32.5', async () => {
  const { branch, node } = await it.repository();
  const one = `${branch}/nodes/${await node()}`;
  const gif = Buffer.from('R0lGODlhAQABAIAAAP8AAP///yH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==', 'base64');
  await it.server.request('POST', `${one}/attachments/default`, { token: it.server.adminToken, body: gif, headers: { 'Content-Type': 'image/gif' } });
  const made = await it.post(`${one}/transform?mimetype=image/png&target=converted`);
  assert.equal(made._system.attachments.converted.contentType, 'image/png');
  assert.equal((await it.refused(501, 'POST', `${one}/transform?mimetype=application/pdf`)).code, 'node_previews.type_unsupported');
});
statement('semantics 3.3.5', async () => {
  const { branch, node } = await it.repository();
  await node({ _type: 'd:association', _qname: 'custom:before', _features: { 'f:non-cyclic': {} } });
  for (const type of ['a:child', 'a:owned', 'custom:before']) {
    const [one, two] = [await node(), await node()];
    await it.post(`${branch}/nodes/${one}/associate?node=${two}&type=${type}`);
    await it.refused(409, 'POST', `${branch}/nodes/${two}/associate?node=${one}&type=${type}`, {});
  }
});
statement('semantics 18.1', async () => {
  const page = readFileSync(new URL('../../docs/reference/meters.md', import.meta.url), 'utf8').replaceAll('\n', ' ');
  assert.match(page, /older versions count nothing, but for the bytes of their attachments/);
  const { path, branch, node } = await it.repository();
  const one = `${branch}/nodes/${await node({ text: 'a'.repeat(5000) })}`;
  const size = async () => (await it.get(`${path}/info`)).size;
  const attach = (letter) => it.server.request('POST', `${one}/attachments/default`, { token: it.server.adminToken, body: letter.repeat(7000), headers: { 'Content-Type': 'text/plain' } });
  const first = await size();
  await it.put(one, { text: 'b'.repeat(5000) });
  assert.ok(Math.abs(await size() - first) < 500, 'the first version counts no more');
  for (const letter of 'cd') assert.equal((await attach(letter)).status, 200);
  assert.ok(await size() - first > 14_000, 'the bytes of both versions count');
});
