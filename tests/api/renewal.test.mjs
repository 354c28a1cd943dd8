// SIGHUP: the certificate is read again and log files are opened anew, while the server goes on.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import https from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { SteleServer } from '../support/stele_server.mjs';

let server;
let folder;
const file = (name) => join(folder, name);

function makeCertificate(name) {
  const made = spawnSync('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes',
    '-keyout', file('key.pem'), '-out', file('certificate.pem'), '-days', '2', '-subj', `/CN=${name}`], { encoding: 'utf8' });
  assert.equal(made.status, 0, made.stderr);
}

/// The name in the certificate that a new connection is shown, and the reply's status.
const visit = (agent = new https.Agent()) => new Promise((resolve, reject) => {
  https.get({ host: '127.0.0.1', port: server.port, path: '/ping', rejectUnauthorized: false, agent }, (response) => {
    const name = response.socket.getPeerCertificate().subject?.CN;
    response.resume();
    response.on('end', () => resolve({ name, status: response.statusCode }));
  }).on('error', reject);
});

/// Sends the signal and waits until the server's log has another line that fits.
async function renew(line) {
  const seen = server.log.length;
  server.child.kill('SIGHUP');
  await server.logged(line, { from: seen });
}

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'stele-renewal-'));
  makeCertificate('first');
  server = await SteleServer.start({ config: `server.tls_certificate_file = ${file('certificate.pem')}
server.tls_key_file = ${file('key.pem')}
log.access = ${file('access.log')}
` });
});
after(async () => {
  await server.end();
  rmSync(folder, { recursive: true, force: true });
});

test('a new certificate is used from the signal on, and open connections stay', async () => {
  const kept = new https.Agent({ keepAlive: true, maxSockets: 1 });
  assert.deepEqual(await visit(kept), { name: 'first', status: 200 });
  makeCertificate('second');
  assert.equal((await visit()).name, 'first', 'nothing is read unasked');
  await renew(/certificate and log files were opened anew/);
  assert.deepEqual(await visit(), { name: 'second', status: 200 });
  assert.deepEqual(await visit(kept), { name: 'first', status: 200 }, 'the connection from before');
  kept.destroy();
});

test('a certificate that cannot be read leaves the old one in use', async () => {
  const good = readFileSync(file('certificate.pem'));
  for (const bad of ['no certificate', '']) {
    writeFileSync(file('certificate.pem'), bad);
    await renew(/the certificate is the old one still/);
    assert.deepEqual(await visit(), { name: 'second', status: 200 });
  }
  writeFileSync(file('certificate.pem'), good);
  await renew(/opened anew/);
});

test('an access log that was moved away is made again', async () => {
  renameSync(file('access.log'), file('access.log.1'));
  await renew(/opened anew/);
  for (let i = 0; i < 2000 && !existsSync(file('access.log')); ++i) await new Promise((done) => { setTimeout(done, 10); });
  assert.ok(existsSync(file('access.log')));
});

test('many signals at once end nothing', async () => {
  for (let i = 0; i < 50; ++i) server.child.kill('SIGHUP');
  assert.equal((await visit()).status, 200);
});
