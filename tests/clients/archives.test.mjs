// Archives by published drivers, unpatched, against the real program: docs/specification/merge_and_transfer.md 4.4.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { archiveOf } from '../support/zip_archive.mjs';
import { configFor, connectWith, engines, told } from './cloudcms_driver.mjs';
import { ask, call, startPlatform } from './gitana_driver.mjs';
import { idsOf } from './gitana_repository.mjs';

const { server, admin } = await startPlatform();

async function bytesOf(stream) {
  const pieces = [];
  for await (const piece of stream) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces);
}
/// What the driver says of something that is not there: nothing, or an error.
async function isGone(promise) {
  const found = await promise.catch((error) => assert.equal(told(error).status, 404) ?? null);
  assert.equal(found, null);
}

/// The driver's forms are streams, which Node's own fetch does not send.
const senders = engines.filter(([, options]) => options === undefined);

for (const engine of senders) {
  test(`${engine[0]}: a form with hyphens in its file's artifact is found, listed, downloaded and gone (4.4.11)`, async () => {
    const session = await connectWith(engine, configFor(server));
    const group = `org.sample.${engine[0].replaceAll(/\W/g, '')}`;
    const manifest = { model: '3.0.0', type: 'project', group, artifact: 'sample-project', version: '2.3.9', contents: {} };
    const zip = archiveOf(manifest, { 'platforms/p/platform.json': '{}', 'picture.bin': randomBytes(50_000) });
    const { _doc: id } = await session.uploadArchive({}, zip, `${group}-sample-project-2.3.9.zip`);
    assert.ok(id);
    const archive = await session.readArchive(id);
    assert.deepEqual([archive.group, archive.artifact, archive.version], [group, 'sample-project', '2.3.9']);
    assert.equal((await session.lookupArchive(group, 'sample-project', '2.3.9'))._doc, id);
    assert.ok((await session.queryArchives({})).rows.some((row) => row._doc === id));
    assert.ok(zip.equals(await bytesOf(await session.downloadArchiveById(id))));
    assert.ok(zip.equals(await bytesOf(await session.downloadArchive(group, 'sample-project', '2.3.9'))));
    await session.deleteArchive(id);
    await isGone(session.readArchive(id));
    await isGone(session.lookupArchive(group, 'sample-project', '2.3.9'));
    assert.ok(!(await session.queryArchives({})).rows.some((row) => row._doc === id));
  });

  test(`${engine[0]}: a form without a manifest has the coordinates of its file`, async () => {
    const session = await connectWith(engine, configFor(server));
    const { _doc } = await session.uploadArchive({ title: 'Titled' }, archiveOf(null, { a: 'a' }), 'org.named-my-own-site-1.0.zip');
    const archive = await session.lookupArchive('org.named', 'my-own-site', '1.0');
    assert.deepEqual([archive._doc, archive.title], [_doc, 'Titled']);
    await session.deleteArchive(archive);
  });
}

/// As a driver without a method for it does: the body and its type, no parameter.
async function sendRaw(vault, bytes) {
  server.adminToken ??= await server.login();
  const reply = await server.request('POST', `${vault.getUri()}/archives`,
    { body: bytes, token: server.adminToken, headers: { 'Content-Type': 'application/zip' } });
  assert.equal(reply.status, 200, reply.text);
}

test('gitana: raw uploads are queried by what their manifests say (4.4.12)', async () => {
  const vault = await call(admin, (platform) => platform.createVault({ title: 'fresh' }));
  const manifests = [
    { type: 'repository', group: 'org.gitana', artifact: 'one', version: '1.0.0' },
    { type: 'domain', group: 'org.gitana', artifact: 'two', version: '1.0.0' },
    { type: 'node', group: 'org.other', artifact: 'three', version: '2.0.0' },
  ];
  for (const manifest of manifests) await sendRaw(vault, archiveOf(manifest, { 'repository/repository.json': '{}' }));
  const size = async (query) => (await call(vault, (chain) => chain.queryArchives(query))).size();
  const sizes = async () => [await size({ version: '1.0.0' }), await size({ version: '2.0.0' }), await size({ group: 'org.gitana' }),
                             await size({ _containerType: 'platform' }), await size({ _containerType: 'node' }), await size({ _containerType: 'domain' })];
  assert.deepEqual(await sizes(), [2, 1, 2, 2, 1, 0]);
  assert.equal((await call(vault, (chain) => chain.listArchives())).size(), 3);
  const archive = await call(vault, (chain) => chain.lookupArchive('org.gitana', 'one', '1.0.0'));
  assert.equal(archive.getVaultId(), vault.getId());
  const uri = archive.getUri();
  assert.equal((await server.request('GET', `${uri}/download`, { token: server.adminToken })).status, 200);
  await call(archive, (chain) => chain.del());
  assert.deepEqual(await sizes(), [1, 1, 1, 1, 1, 0]);
  assert.equal((await server.request('GET', `${uri}/download`, { token: server.adminToken })).status, 404);
  await assert.rejects(call(vault, (chain) => chain.readArchive(archive.getId())), { status: 404 });
});

test('gitana: an archive keeps its attachments (4.4.13)', async () => {
  const vault = await call(admin, (platform) => platform.readVault('primary'));
  await sendRaw(vault, archiveOf({ group: 'org.gitana', artifact: 'attached', version: '1' }));
  const archive = await call(vault, (chain) => chain.lookupArchive('org.gitana', 'attached', '1'));
  const texts = { default: 'the first', second: 'the second one', third: '{"a":1}' };
  const filenames = { default: 'default', second: 'the notes.txt', third: 'third' };
  // The driver names no file of an archive's; whoever does, finds its name again.
  const attachNamed = (id) => server.request('POST', `${archive.getUri()}/attachments/${id}?filename=${encodeURIComponent(filenames[id])}`,
    { body: texts[id], token: server.adminToken, headers: { 'Content-Type': 'text/plain' } });
  for (const [id, text] of Object.entries(texts)) {
    if (filenames[id] !== id) assert.equal((await attachNamed(id)).status, 200);
    else await call(archive, (chain) => chain.attach(id, id === 'third' ? 'application/json' : 'text/plain', text));
  }
  const list = await call(archive, (chain) => chain.listAttachments());
  assert.deepEqual(idsOf(list), Object.keys(texts));
  for (const attachment of list.asArray()) {
    const id = attachment.getId();
    assert.equal(attachment.getLength(), texts[id].length);
    assert.match(attachment.getContentType(), id === 'third' ? /^application\/json/ : /^text\/plain/);
    assert.equal(attachment.getFilename(), filenames[id]);
  }
  assert.equal(await ask(list.asArray()[1], (chain, answer) => chain.download(answer)), texts.second);
});

test('gitana: publish and unpublish', async () => {
  const vault = await call(admin, (platform) => platform.readVault('default'));
  await sendRaw(vault, archiveOf({ group: 'org.gitana', artifact: 'published', version: '1' }));
  const archive = await call(vault, (chain) => chain.lookupArchive('org.gitana', 'published', '1'));
  const published = async () => (await call(archive, (chain) => chain.reload())).published;
  await call(archive, (chain) => chain.publish());
  assert.equal(await published(), true);
  await call(archive, (chain) => chain.unpublish());
  assert.equal(await published(), false);
});
