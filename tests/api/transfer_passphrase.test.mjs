// The passphrase of `stele export` and `stele import`: from a file or the environment, in no argument, and in nothing that
// a command leaves behind.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { CuttingProxy } from '../support/cutting_proxy.mjs';
import { bin, seed, SteleServer } from '../support/stele_server.mjs';
import { until } from '../support/until.mjs';
import { unzip } from '../support/zip_archive.mjs';

const passphrase = 'correct horse battery';
let server, other, proxy, folder, application, reference;
const file = (name) => join(folder, name);

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'stele-passphrases-'));
  for (const [name, text] of Object.entries({ password: seed.admin.password, secret: seed.client.secret, passphrase: `${passphrase}\nwhat follows is nothing`, wrong: 'correct horse batteri', short: 'short' }))
    writeFileSync(file(name), text);
  [server, other] = await Promise.all([SteleServer.start(), SteleServer.start()]);
  proxy = await CuttingProxy.start(server.port);
  application = (await server.admin('POST', '/applications', { title: 'mailer', key: 'mailer' }))._doc;
  await server.admin('POST', `/applications/${application}/emailproviders`, { host: 'mail.example.org', username: 'app', password: 'of-the-mail-server' });
  // As large as an export that is stopped on its way has to be.
  const attached = await server.request('POST', `/applications/${application}/attachments/default`, { token: server.adminToken, body: randomBytes(400_000), headers: { 'Content-Type': 'image/png' } });
  assert.equal(attached.status, 200, attached.text);
  reference = `application://${(await server.admin('GET', '/'))._doc}/${application}`;
});
after(async () => {
  await proxy.end();
  await Promise.all([server.end(), other.end()]);
  rmSync(folder, { recursive: true });
});

const at = (url) => ['--server', url, '--user', 'admin', '--password-file', file('password'), '--client-key', seed.client.key, '--client-secret-file', file('secret')];
function start(words, env = {}) {
  const { STELE_PASSPHRASE, ...clean } = process.env;
  const child = spawn(bin, words, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...clean, ...env } });
  const told = { out: '', err: '' };
  child.stdout.on('data', (piece) => { told.out += piece; });
  child.stderr.on('data', (piece) => { told.err += piece; });
  return { child, ended: new Promise((done) => { child.on('close', (status) => done({ status, ...told })); }) };
}
const run = (words, env) => start(words, env).ended;
const exportTo = (output, words = [], url = server.baseUrl) => ['export', ...at(url), '--reference', reference, '--output', output, ...words];
const importOf = (archive, words = []) => ['import', archive, ...at(other.baseUrl), '--target', '.', '--strategy', 'CLONE', ...words];
const sealed = (path) => [...unzip(readFileSync(path)).keys()].filter((name) => name.endsWith('secrets.json')).length;

test('secrets leave and come with the passphrase of a file or of the environment', async () => {
  const [plain, byFile, byVariable] = ['plain', 'by-file', 'by-variable'].map((name) => file(`${name}.zip`));
  for (const [path, words, env, count] of [[plain, [], {}, 0], [byFile, ['--passphrase-file', file('passphrase')], {}, 1], [byVariable, [], { STELE_PASSPHRASE: passphrase }, 1]]) {
    const done = await run(exportTo(path, words), env);
    assert.equal(done.status, 0, done.err);
    assert.equal(sealed(path), count, path);
  }
  const first = await run(importOf(byFile), { STELE_PASSPHRASE: passphrase });
  assert.equal(first.status, 0, first.err);
  assert.match(first.out, /^Imported: 2 created, 0 updated/);
  const again = await run(importOf(byVariable, ['--passphrase-file', file('passphrase')]));
  assert.match(again.out, /^Imported: 0 created, 0 updated/);
});

test('a wrong, a short and a visible passphrase are refused', async () => {
  const path = file('refused.zip');
  assert.equal((await run(exportTo(path, ['--passphrase-file', file('passphrase')]))).status, 0);
  const wrong = await run(importOf(path, ['--passphrase-file', file('wrong')]));
  assert.deepEqual([wrong.status, /another passphrase/.test(wrong.err)], [1, true], wrong.err);
  const output = file('never.zip');
  const short = await run(exportTo(output, ['--passphrase-file', file('short')]));
  assert.deepEqual([short.status, /12 characters/.test(short.err)], [1, true], short.err);
  const visible = await run(exportTo(output, ['--set', `passphrase=${passphrase}`]));
  assert.deepEqual([visible.status, /--passphrase-file or STELE_PASSPHRASE/.test(visible.err)], [1, true], visible.err);
  const missing = await run(exportTo(output, ['--passphrase-file', file('nowhere')]));
  assert.deepEqual([missing.status, /nowhere cannot be read/.test(missing.err)], [1, true], missing.err);
  assert.ok(!existsSync(output));
});

test('what a stopped export leaves does not tell the passphrase, and another one does not go on with it', async () => {
  const output = file('stopped.zip');
  const halfway = async () => {
    proxy.decide = (head) => (/^GET \S+\/download /.test(head) ? { passes: 150_000, isSilent: true } : undefined);
    const { child, ended } = start(exportTo(output, ['--passphrase-file', file('passphrase')], proxy.url));
    await until(() => existsSync(`${output}.part`) && statSync(`${output}.part`).size > 100_000);
    child.kill('SIGTERM');
    assert.equal((await ended).status, 1);
    proxy.decide = () => undefined;
  };
  await halfway();
  for (const name of readdirSync(folder).filter((each) => each.startsWith('stopped.zip'))) assert.ok(!readFileSync(file(name)).includes(passphrase), name);
  const same = await run(exportTo(output, ['--passphrase-file', file('passphrase')], proxy.url));
  assert.deepEqual([same.status, /Going on with/.test(same.err)], [0, true], same.err);
  rmSync(output);
  await halfway();
  const another = await run(exportTo(output, ['--passphrase-file', file('wrong')], proxy.url));
  assert.deepEqual([another.status, /begins anew/.test(another.err)], [0, true], another.err);
  const back = await run(importOf(output, ['--passphrase-file', file('wrong')]));
  assert.equal(back.status, 0, back.err);
});
