// `stele export` and `stele import`: of a server, of a store at rest, and over connections that break
// (docs/guides/operation.md, "Exports and imports").
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import { CuttingProxy } from '../support/cutting_proxy.mjs';
import { bin, seed, SteleServer } from '../support/stele_server.mjs';
import { until } from '../support/until.mjs';
import { zip } from '../support/zip_archive.mjs';

const kAttachment = 400_000;

let server, proxy, folder, platform, repository, reference;
const file = (name) => join(folder, name);
let nth = 0;
const freshFile = () => file(`archive-${++nth}.zip`);

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'stele-transfers-'));
  writeFileSync(file('password'), `${seed.admin.password}\n`);
  writeFileSync(file('secret'), `${seed.client.secret}\r\nwhat follows is nothing\n`);
  writeFileSync(file('wrong'), 'no password\n');
  server = await SteleServer.start();
  proxy = await CuttingProxy.start(server.port);
  platform = (await server.admin('GET', '/'))._doc;
  repository = (await server.admin('POST', '/repositories', { title: 'orchard' }))._doc;
  reference = `repository://${platform}/${repository}`;
  const nodes = `/repositories/${repository}/branches/master/nodes`;
  const plum = (await server.admin('POST', nodes, { title: 'plum' }))._doc;
  const attached = await server.request('POST', `${nodes}/${plum}/attachments/default`,
    { body: randomBytes(kAttachment), token: server.adminToken, headers: { 'Content-Type': 'image/png' } });
  assert.equal(attached.status, 200, attached.text);
});
afterEach(() => {
  proxy.heads = [];
  proxy.decide = () => undefined;
});
after(async () => {
  await proxy.end();
  await server.end();
  rmSync(folder, { recursive: true });
});

const loginBy = (password = 'password') => ['--user', 'admin', '--password-file', file(password),
  '--client-key', seed.client.key, '--client-secret-file', file('secret')];
const at = (url = server.baseUrl) => ['--server', url, ...loginBy()];

/// A command, whose output is bytes; what it reads is `input`, and `limits` are for ulimit.
function start(words, { input, env = {}, limits } = {}) {
  const { STELE_PASSWORD, STELE_CLIENT_SECRET, ...clean } = process.env;
  const [program, all] = limits ? ['bash', ['-c', `ulimit ${limits}; exec "$0" "$@"`, bin, ...words]] : [bin, words];
  const child = spawn(program, all, { stdio: ['pipe', 'pipe', 'pipe'], env: { ...clean, ...env } });
  const pieces = [];
  let err = '';
  child.stdout.on('data', (piece) => pieces.push(piece));
  child.stderr.on('data', (piece) => { err += piece; });
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const ended = new Promise((done) => {
    child.on('close', (status) => {
      const bytes = Buffer.concat(pieces);
      done({ status, bytes, out: bytes.toString(), err });
    });
  });
  return { child, ended };
}
const run = (words, options) => start(words, options).ended;
async function succeeds(words, options) {
  const done = await run(words, options);
  assert.equal(done.status, 0, done.err);
  return done;
}
async function fails(words, pattern, options) {
  const done = await run(words, options);
  assert.equal(done.status, 1, done.err);
  assert.match(done.err, pattern);
  assert.equal(done.out, '');
  return done;
}

const archives = async (of = server) => (await of.admin('POST', '/vaults/primary/archives/query', {})).rows;
const isZip = (bytes) => bytes.subarray(0, 4).toString('latin1') === 'PK\x03\x04';
const orchards = async (of) => (await of.admin('POST', '/repositories/query', { title: 'orchard' })).rows;
const plums = async (of, id) => (await of.admin('POST', `/repositories/${id}/branches/master/nodes/query`, { title: 'plum' })).rows;

/// An export to a file that is stopped while its archive comes; what came stays. Answers the number of bytes.
async function stopHalfway(output, words = []) {
  const bytes = 150_000;
  proxy.decide = (head) => (/^GET \S+\/download /.test(head) ? { passes: bytes, isSilent: true } : undefined);
  const { child, ended } = start(['export', ...at(proxy.url), '--reference', reference, '--output', output, ...words]);
  await until(() => existsSync(`${output}.part`) && statSync(`${output}.part`).size > 100_000, 'half of an archive came');
  child.kill('SIGTERM');
  const done = await ended;
  assert.equal(done.status, 1);
  assert.match(done.err, /interrupted; the same command goes on with it \[client\.interrupted\]/);
  assert.ok(!existsSync(output));
  proxy.decide = () => undefined;
  proxy.heads = [];
  return statSync(`${output}.part`).size;
}
const isGone = (output) => assert.deepEqual(
  readdirSync(folder).filter((name) => join(folder, name).startsWith(output)), [output.slice(folder.length + 1)]);
const exportTo = (output, words = [], url = proxy.url) => ['export', ...at(url), '--reference', reference, '--output', output, ...words];

test('a repository goes by a file from one server to another', async () => {
  const output = freshFile();
  const done = await succeeds(exportTo(output, [], server.baseUrl));
  assert.equal(done.out, '');
  assert.ok(isZip(readFileSync(output)));
  isGone(output);
  assert.deepEqual(await archives(), []);
  const other = await SteleServer.start();
  try {
    const imported = await succeeds(['import', output, ...at(other.baseUrl), '--target', 'platform']);
    const found = await orchards(other);
    assert.equal(found.length, 1);
    assert.equal((await plums(other, found[0]._doc)).length, 1);
    assert.match(imported.out, /^Imported: [1-9]\d* created, 0 updated, \d+ skipped\.$/m);
    assert.ok(imported.out.includes(`/${found[0]._doc}\n`), imported.out);
    assert.deepEqual(await archives(other), []);
  } finally {
    await other.end();
  }
});

test('an archive goes to the standard output alone, and comes from the standard input', async () => {
  const { bytes, err } = await succeeds(['export', ...at(), '--reference', reference]);
  assert.ok(isZip(bytes));
  assert.match(err, /Exported .* to the standard output/);
  assert.deepEqual(await archives(), []);
  const had = (await orchards(server)).length;
  const done = await succeeds(['import', '-', ...at(), '--target', '.'], { input: bytes });
  assert.match(done.out, /^Imported: /);
  assert.equal((await orchards(server)).length, had + 1);
});

test('a dry run tells what would come, and brings nothing', async () => {
  const output = freshFile();
  await succeeds(exportTo(output));
  const had = (await orchards(server)).length;
  const done = await succeeds(['import', output, ...at(), '--target', 'platform', '--dry-run']);
  assert.match(done.out, /^Would be imported: [1-9]\d* created/);
  assert.equal((await orchards(server)).length, had);
  assert.deepEqual(await archives(), []);
});

test('a dry run tells what would be refused, and fails as the import would', async () => {
  const { _doc: application } = await server.admin('POST', '/applications', { title: 'with a key', key: 'taken-by-one' });
  const output = freshFile();
  await succeeds(['export', ...at(), '--reference', `application://${platform}/${application}`, '--output', output]);
  const done = await run(['import', output, ...at(), '--target', 'platform', '--dry-run']);
  assert.equal(done.status, 1, done.err);
  assert.match(done.out, /^Would be imported: 0 created, 0 updated, 0 skipped, 1 refused\.\n/);
  assert.ok(done.out.includes(`Refused: application://${platform}/${application}: `), done.out);
});

test('strategy and settings reach the server', async () => {
  const output = freshFile();
  await succeeds(exportTo(output, ['--set', 'tipChangesetOnly=true', '--keep', '--group', 'g', '--artifact', 'set', '--version', '1']));
  const [kept] = await archives();
  assert.deepEqual([kept.group, kept.artifact, kept.version], ['g', 'set', '1']);
  const download = await server.request('GET', `/vaults/primary/archives/${kept._doc}/download`, { token: server.adminToken });
  assert.ok(download.bytes.equals(readFileSync(output)));
  await server.admin('DELETE', `/vaults/primary/archives/${kept._doc}`);
  writeFileSync(file('settings.json'), JSON.stringify({ dryRun: true, strategy: 'COPY_EVERYTHING' }));
  const had = (await orchards(server)).length;
  const cloned = await succeeds(['import', output, ...at(), '--target', 'platform', '--strategy', 'CLONE', '--configuration', file('settings.json')]);
  assert.match(cloned.out, /^Would be imported: 0 created/, 'a clone of what is there is not made again');
  assert.equal((await orchards(server)).length, had);
  await fails(['import', ...at(), '--target', 'platform', '--set', 'dryRun=7', output], /dryRun must be true or false/);
  await fails(['import', ...at(), '--target', 'platform', '--set', 'dryRun', output], /KEY=VALUE/);
  assert.deepEqual(await archives(), []);
});

test('an archive of the vault is neither replaced nor removed by a command that keeps nothing', async () => {
  const words = ['--group', 'g', '--artifact', 'kept', '--version', '1'];
  const output = freshFile();
  await succeeds(exportTo(output, [...words, '--keep']));
  const [kept] = await archives();
  await fails(exportTo(freshFile(), words), /command\.archive_exists/);
  await succeeds(['import', output, ...at(), '--target', 'platform', '--dry-run']);
  assert.deepEqual((await archives()).map((row) => row._doc), [kept._doc]);
  await succeeds(['import', output, ...at(), '--target', 'platform', '--dry-run', '--keep', '--artifact', 'other']);
  assert.deepEqual((await archives()).map((row) => row.artifact).sort(), ['kept', 'other']);
  for (const row of await archives()) await server.admin('DELETE', `/vaults/primary/archives/${row._doc}`);
});

test('a file that is there is not written', async () => {
  const output = freshFile();
  writeFileSync(output, 'mine');
  await fails(exportTo(output), /command\.file_exists/);
  assert.equal(readFileSync(output, 'utf8'), 'mine');
});

test('a download that breaks off goes on where it was', async () => {
  let cuts = 0;
  proxy.decide = (head) => (/^GET \S+\/download /.test(head) && cuts++ < 2 ? { passes: 100_000 } : undefined);
  const output = freshFile();
  await succeeds(exportTo(output, ['--keep']));
  const [kept] = await archives();
  const whole = await server.request('GET', `/vaults/primary/archives/${kept._doc}/download`, { token: server.adminToken });
  assert.ok(whole.bytes.equals(readFileSync(output)));
  const downloads = proxy.heads.filter((head) => /^GET \S+\/download /.test(head));
  assert.equal(downloads.length, 3);
  assert.ok(!/^Range:/m.test(downloads[0]));
  for (const head of downloads.slice(1)) {
    assert.match(head, /^Range: bytes=[1-9]\d*-\r$/m);
    assert.ok(head.includes(`If-Range: ${whole.headers.etag}`), head);
  }
  await server.admin('DELETE', `/vaults/primary/archives/${kept._doc}`);
});

test('the standard output gets every byte once when the connection breaks', async () => {
  let cuts = 0;
  proxy.decide = (head) => (/^GET \S+\/download /.test(head) && cuts++ < 1 ? { passes: 100_000 } : undefined);
  const { bytes } = await succeeds(['export', ...at(proxy.url), '--reference', reference, '--keep']);
  const [kept] = await archives();
  const whole = await server.request('GET', `/vaults/primary/archives/${kept._doc}/download`, { token: server.adminToken });
  assert.ok(whole.bytes.equals(bytes));
  await server.admin('DELETE', `/vaults/primary/archives/${kept._doc}`);
});

test('a command that was stopped is gone on with by the same one', async () => {
  const output = freshFile();
  const size = await stopHalfway(output, ['--keep']);
  const [kept] = await archives();
  await succeeds(exportTo(output, ['--keep']));
  assert.equal(proxy.asked('POST /transfer/export').length, 0, 'nothing is exported again');
  const [download] = proxy.heads.filter((head) => /^GET \S+\/download /.test(head));
  assert.match(download, new RegExp(`^Range: bytes=${size}-\r$`, 'm'));
  const whole = await server.request('GET', `/vaults/primary/archives/${kept._doc}/download`, { token: server.adminToken });
  assert.ok(whole.bytes.equals(readFileSync(output)));
  isGone(output);
  await server.admin('DELETE', `/vaults/primary/archives/${kept._doc}`);
});

test('a part of an archive that is another one by now is thrown away', async () => {
  const output = freshFile();
  await stopHalfway(output, ['--keep']);
  const [kept] = await archives();
  const body = zip([{ name: 'manifest.json', data: JSON.stringify({ group: kept.group, artifact: kept.artifact, version: kept.version }) }]);
  const replaced = await server.request('POST', '/vaults/primary/archives', { body, token: server.adminToken, headers: { 'Content-Type': 'application/zip' } });
  assert.equal(replaced.json._doc, kept._doc);
  await succeeds(exportTo(output, ['--keep']));
  assert.ok(readFileSync(output).equals(body));
  await server.admin('DELETE', `/vaults/primary/archives/${kept._doc}`);
});

test('a file that cannot be written ends the command at once, and the same one goes on with it', async () => {
  const output = freshFile();
  await fails(exportTo(output), /File too large; the same command goes on with it \[command\.file_unwritable\]/, { limits: '-f 100' });
  assert.equal(proxy.heads.filter((head) => /^GET \S+\/download /.test(head)).length, 1);
  proxy.heads = [];
  await succeeds(exportTo(output));
  assert.equal(proxy.asked('POST /transfer/export').length, 0, 'nothing is exported again');
  assert.ok(isZip(readFileSync(output)));
  isGone(output);
});

test('where the archive or the export is another one, all begins anew', async () => {
  const output = freshFile();
  await stopHalfway(output);
  const [gone] = await archives();
  await server.admin('DELETE', `/vaults/primary/archives/${gone._doc}`);
  await succeeds(exportTo(output));
  assert.equal(proxy.asked('POST /transfer/export').length, 1);
  isGone(output);
  const other = freshFile();
  await stopHalfway(other);
  const done = await succeeds(exportTo(other, ['--set', 'tipChangesetOnly=true']));
  assert.match(done.err, /is a part of another export/);
  assert.equal(proxy.asked('POST /transfer/export').length, 1);
  assert.ok(isZip(readFileSync(other)));
  isGone(other);
  for (const row of await archives()) await server.admin('DELETE', `/vaults/primary/archives/${row._doc}`);
});

test('an export to the standard output that is stopped leaves no archive', async () => {
  let isDownloading = false;
  proxy.decide = (head) => {
    if (!/^GET \S+\/download /.test(head)) return undefined;
    isDownloading = true;
    return { passes: 1000, isSilent: true };
  };
  const { child, ended } = start(['export', ...at(proxy.url), '--reference', reference]);
  await until(() => isDownloading, 'the archive is on its way');
  child.kill('SIGINT');
  const done = await ended;
  assert.equal(done.status, 1);
  assert.match(done.err, /client\.interrupted/);
  assert.deepEqual(await archives(), []);
});

test('polling survives connections that fail', async () => {
  let drops = 0;
  proxy.decide = (head) => (head.startsWith('GET /jobs/') && drops++ < 3 ? { isDropped: true } : undefined);
  const output = freshFile();
  await succeeds(exportTo(output));
  assert.ok(drops > 3);
  assert.equal(proxy.asked('POST /transfer/export').length, 1);
});

test('an import goes on when its command is stopped, and another one waits for it', async () => {
  const output = freshFile();
  await succeeds(exportTo(output));
  let isWaiting = false;
  proxy.decide = (head) => {
    if (!head.startsWith('GET /jobs/')) return undefined;
    isWaiting = true;
    return { passes: 0, isSilent: true };
  };
  const had = (await orchards(server)).length;
  const { child, ended } = start(['import', output, ...at(proxy.url), '--target', 'platform']);
  await until(() => isWaiting, 'the command waits for the job');
  child.kill('SIGTERM');
  const stopped = await ended;
  assert.equal(stopped.status, 1);
  const job = stopped.err.match(/stele import --resume (\w+) waits for it/)?.[1];
  assert.ok(job, stopped.err);
  proxy.decide = () => undefined;
  const done = await succeeds(['import', ...at(proxy.url), '--resume', job]);
  assert.match(done.out, /^Imported: [1-9]\d* created/);
  assert.equal((await orchards(server)).length, had + 1);
  assert.deepEqual(await archives(), []);
  await fails(['import', ...at(), '--resume', 'f'.repeat(20)], /job/);
  const exported = (await server.admin('POST', '/jobs/query', { type: 'export' })).rows[0]._doc;
  await fails(['import', ...at(), '--resume', exported], /is no import/);
  await fails(['import', output, ...at(), '--target', 'platform', '--resume', job], /command\.arguments_invalid/);
});

test('an import that may have been started is looked for, not started again', async () => {
  const output = freshFile();
  await succeeds(exportTo(output));
  const had = (await orchards(server)).length;
  proxy.decide = (head) => (head.startsWith('POST /transfer/import') ? { passes: 0 } : undefined);
  // The proxy cuts the reply off when it comes, so the job is there.
  const done = await succeeds(['import', output, ...at(proxy.url), '--target', 'platform']);
  assert.match(done.out, /^Imported: /);
  assert.equal(proxy.asked('POST /transfer/import').length, 1);
  assert.equal((await orchards(server)).length, had + 1);
  proxy.decide = (head) => (head.startsWith('POST /transfer/import') ? { isDropped: true } : undefined);
  await fails(['import', output, ...at(proxy.url), '--target', 'platform'], /client\.broken_off/);
  assert.equal((await orchards(server)).length, had + 1);
  assert.deepEqual(await archives(), []);
});

test('an upload that is stopped leaves no archive', async () => {
  const output = freshFile();
  await succeeds(exportTo(output));
  let isSent = false;
  proxy.decide = (head) => {
    if (!/^POST \/vaults\/primary\/archives\?/.test(head)) return undefined;
    isSent = true;
    return { passes: 0, isSilent: true };
  };
  const { child, ended } = start(['import', output, ...at(proxy.url), '--target', 'platform']);
  await until(() => isSent, 'the archive is on its way');
  await until(async () => (await archives()).length === 1, 'the server has it');
  child.kill('SIGTERM');
  const done = await ended;
  assert.equal(done.status, 1);
  assert.match(done.err, /client\.interrupted/);
  assert.deepEqual(await archives(), []);
});

test('a token that has ended is replaced', async () => {
  let refusals = 0;
  proxy.decide = (head) => (head.startsWith('GET /jobs/') && refusals++ === 0
    ? { replies: 'HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\nConnection: close\r\n\r\n' } : undefined);
  await succeeds(exportTo(freshFile()));
  assert.equal(proxy.asked('POST /oauth/token').length, 2);
});

test('a server that refuses an upload says so', async () => {
  const small = await SteleServer.start({ config: 'server.upload_bytes = 1MiB\n' });
  try {
    const output = file('large.zip');
    writeFileSync(output, randomBytes(20_000_000));
    await fails(['import', output, ...at(small.baseUrl), '--target', 'platform'], /^stele: [^\n]*\[http\.[a-z_]+\]$/m);
    assert.deepEqual(await archives(small), []);
  } finally {
    await small.end();
  }
});

test('an import that fails says why, and leaves no archive', async () => {
  const output = file('other.zip');
  writeFileSync(output, zip([{ name: 'manifest.json', data: JSON.stringify({ group: 'g', artifact: 'a', version: '1' }) }]));
  await fails(['import', output, ...at(), '--target', 'platform'], /command\.job_failed/);
  assert.deepEqual(await archives(), []);
  writeFileSync(output, 'no zip');
  await fails(['import', output, ...at(), '--target', 'platform'], /archives\.malformed/);
  await fails(['import', file('nowhere.zip'), ...at(), '--target', 'platform'], /nowhere\.zip cannot be read/);
  const exported = freshFile();
  await succeeds(exportTo(exported));
  await fails(['import', exported, ...at(), '--target', `repository://${platform}/nothing`], /leads nowhere/);
  assert.deepEqual(await archives(), []);
});

test('who may not log in gets one sentence, and no file', async () => {
  const output = freshFile();
  const words = ['export', '--server', server.baseUrl, '--reference', reference, '--output', output];
  const done = await fails([...words, ...loginBy('wrong')], /^stele: .+\n$/);
  assert.ok(!done.err.includes('no password'));
  assert.deepEqual(readdirSync(folder).filter((name) => join(folder, name).startsWith(output)), []);
  await fails([...words, ...loginBy('nowhere')], /nowhere cannot be read/);
  await fails([...words, '--user', 'admin', '--password-file', file('password')], /client\.login_incomplete/);
  // Nobody is at a terminal.
  await fails([...words, '--user', 'admin', '--client-key', seed.client.key], /command\.password_missing/);
});

test('secrets may come from the environment', async () => {
  await succeeds(['export', '--server', server.baseUrl, '--user', 'admin', '--reference', reference, '--output', freshFile()],
    { env: { STELE_PASSWORD: seed.admin.password, STELE_CLIENT_KEY: seed.client.key, STELE_CLIENT_SECRET: seed.client.secret } });
});

test('what is no server of this kind is named', async () => {
  const words = ['export', '--reference', reference, '--output', freshFile()];
  await fails([...words, '--server', 'localhost:1', ...loginBy()], /client\.address_invalid/);
  await fails([...words, '--server', 'http://admin:secret@localhost', ...loginBy()], /client\.address_invalid/);
  await fails([...words, ...loginBy()], /either --server/);
  await fails([...words, ...at(), '--data', server.data], /either --server/);
  const answers = (text) => { proxy.decide = () => ({ replies: text }); };
  answers(`HTTP/1.1 302 Found\r\nLocation: ${server.baseUrl}/oauth/token\r\nContent-Length: 0\r\n\r\n`);
  await fails([...words, ...at(proxy.url)], /redirect, which is not followed/);
  answers('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello');
  await fails([...words, ...at(proxy.url)], /is it a Stele server\?/);
  const evil = JSON.stringify({ error: true, code: 'a.b', message: 'no\x1b[2J\nstele: fine' });
  answers(`HTTP/1.1 400 Bad Request\r\nContent-Length: ${evil.length}\r\n\r\n${evil}`);
  await fails([...words, ...at(proxy.url)], /^stele: no \[2J stele: fine \[a\.b\]\n$/);
  answers('SSH-2.0-OpenSSH\r\n');
  await fails([...words, ...at(proxy.url)], /client\.broken_off/);
});

test('a server without the plugin for archives is said to lack it', async () => {
  const bare = await SteleServer.start({ enable: 'identity,platform' });
  try {
    await fails(['export', ...at(bare.baseUrl), '--reference', '.'], /command\.transfers_missing/);
    const archive = file('bare.zip');
    writeFileSync(archive, zip([]));
    await fails(['import', archive, ...at(bare.baseUrl), '--target', '.'], /command\.transfers_missing/);
  } finally {
    await bare.end();
  }
});

test('a store at rest is exported and imported into; one that is served is not', async () => {
  const store = await SteleServer.start();
  try {
    const words = ['--data', store.data, ...loginBy()];
    await store.admin('POST', '/repositories', { title: 'orchard' });
    await fails(['export', ...words, '--reference', 'platform'], /command\.store_served/);
    assert.equal((await store.stop()).code, 0);
    const { bytes } = await succeeds(['export', ...words, '--reference', 'platform']);
    assert.ok(isZip(bytes));
    const output = freshFile();
    await succeeds(exportTo(output));
    await succeeds(['import', output, ...words, '--target', 'platform']);
    await fails(['export', ...words.with(5, file('wrong')), '--reference', 'platform'], /identity\./);
    await fails(['export', '--data', file('no-store'), ...loginBy(), '--reference', 'platform'], /^stele: /m);
    assert.equal(store.check().status, 0);
    store.adminToken = undefined;
    await store.launch();
    assert.equal((await orchards(store)).length, 2);
    assert.deepEqual(await archives(store), []);
  } finally {
    await store.end();
  }
});

test('a server is trusted by its certificate', async () => {
  const made = spawnSync('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', file('key.pem'),
    '-out', file('certificate.pem'), '-days', '2', '-subj', '/CN=orchard', '-addext', 'subjectAltName=IP:127.0.0.1'], { encoding: 'utf8' });
  assert.equal(made.status, 0, made.stderr);
  const store = await SteleServer.start({
    config: `server.tls_certificate_file = ${file('certificate.pem')}\nserver.tls_key_file = ${file('key.pem')}\n` });
  try {
    const words = ['export', '--reference', 'platform', ...at(store.baseUrl)];
    const { bytes } = await succeeds([...words, '--ca-file', file('certificate.pem')]);
    assert.ok(isZip(bytes));
    await fails(words, /client\.certificate_refused/);
    await fails([...words, '--ca-file', file('password')], /client\.ca_file_invalid/);
    await fails([...words.with(words.indexOf(store.baseUrl), store.baseUrl.replace('127.0.0.1', 'localhost')), '--ca-file', file('certificate.pem')],
      /client\.certificate_refused/);
  } finally {
    await store.end();
  }
});
