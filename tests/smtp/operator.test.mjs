// What an operator can set: capturing instead of sending, and where mails may go.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { MailServer } from './mail_server.mjs';
import { startStele } from './mail_fixture.mjs';

const bin = process.env.STELE_BIN ?? new URL('../../build/release/bin/stele', import.meta.url).pathname;

test('captured mails are files, and the replies say so', async (t) => {
  const folder = join(mkdtempSync(join(tmpdir(), 'stele-captured-')), 'made', 'by', 'stele');
  const stele = await startStele({ capture_folder: folder });
  t.after(() => stele.end());
  const server = await MailServer.start();
  const provider = await stele.provider(server.port);
  const email = await stele.email({ subject: 'Grüße', bcc: 'hidden@example.org' });
  const reply = await stele.send(provider, email);
  assert.equal(reply.status, 200, reply.text);
  assert.equal(reply.json.delivered, false);
  assert.deepEqual(readdirSync(folder), [reply.json.captured]);
  const file = readFileSync(join(folder, reply.json.captured), 'latin1');
  assert.match(file, /^X-Stele-Envelope-From: from@example.org\r\nX-Stele-Envelope-To: to@example.org\r\nX-Stele-Envelope-To: hidden@example.org\r\n/);
  assert.match(file, /^Subject: =\?UTF-8\?/m);
  assert.equal((await stele.readEmail(email)).sent, true);
  const tested = await stele.test(await stele.provider(undefined, { host: undefined }));
  assert.equal(tested.status, 200, tested.text);
  assert.equal(readdirSync(folder).length, 2);
  assert.equal(server.mails.length, 0);
  await server.end();
  rmSync(folder, { recursive: true });
});

test('only allowed hosts and ports are used', async (t) => {
  const server = await MailServer.start();
  const stele = await startStele({ allowed_hosts: `mail.example.org, localhost:${server.port}` });
  t.after(() => stele.end());
  const forbidden = [{ host: '127.0.0.1' }, { host: 'localhost', port: server.port + 1 }, { host: 'x.mail.example.org' }];
  for (const fields of forbidden) {
    const reply = await stele.test(await stele.provider(server.port, fields));
    assert.equal(reply.status, 409, reply.text);
    assert.equal(reply.json.code, 'email_providers.host_forbidden');
  }
  assert.equal((await stele.test(await stele.provider(server.port, { host: 'localhost' }))).status, 200);
  await server.end();
});

test('blocked networks are not reached, by address or by name', async (t) => {
  const server = await MailServer.start();
  const stele = await startStele({ blocked_networks: 'private' });
  t.after(() => stele.end());
  for (const host of ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]', '0.0.0.0']) {
    const reply = await stele.test(await stele.provider(server.port, { host }));
    assert.equal(reply.status, 409, reply.text);
    assert.equal(reply.json.code, 'email_providers.host_forbidden', reply.text);
  }
  assert.equal(server.mails.length, 0);
  await server.end();
});

test('private networks are blocked unless a setting allows them', async (t) => {
  const server = await MailServer.start();
  const stele = await startStele({ blocked_networks: undefined });
  t.after(() => stele.end());
  for (const host of ['127.0.0.1', 'localhost', '10.0.0.1', '169.254.169.254']) {
    const reply = await stele.test(await stele.provider(server.port, { host }));
    assert.equal(reply.json.code, 'email_providers.host_forbidden', reply.text);
  }
  assert.equal(server.mails.length, 0);
  await server.end();
});

test('a setting that makes no sense stops start-up and is named', () => {
  const folder = mkdtempSync(join(tmpdir(), 'stele-settings-'));
  const file = join(folder, 'test.conf');
  const cases = [['connect_seconds', '0'], ['send_seconds', 'soon'], ['concurrent_sends', '-1'], ['allowed_hosts', 'a:b'],
                 ['blocked_networks', '10.0.0.0/99'], ['ca_file', '/no/such/file'], ['client_name', 'a b'],
                 ['capture_folder', '/proc/no-folder']];
  for (const [name, value] of cases) {
    writeFileSync(file, `email_providers.${name} = ${value}\n`);
    const done = spawnSync(bin, ['init', '--data', join(folder, 'data'), '--config', file], { encoding: 'utf8' });
    assert.notEqual(done.status, 0, name);
    assert.match(done.stderr, name === 'capture_folder' ? /captures mails/ : new RegExp(`email_providers.${name}`));
  }
  rmSync(folder, { recursive: true });
});
