// `stele rotate-secrets`: the keys that seal stored secrets, replaced step by step as the operator's guide says.
import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { SteleServer } from '../support/stele_server.mjs';

let server;
before(async () => { server = await SteleServer.start(); });
after(async () => { await server.end(); });

const keyFile = () => join(server.data, 'secrets.key');
const keys = () => readFileSync(keyFile(), 'utf8').trim().split('\n').map((line) => line.split(':')[0]);
const rotate = (...options) => server.run(['rotate-secrets'], { options });

/// How many records have secrets, and how many of them were sealed anew; the command has to succeed.
function sealed({ status, out, text }) {
  assert.equal(status, 0, text);
  const [, all, anew, key] = out.match(/^Of (\d+) records with secrets, (\d+) were sealed anew with key (\d+)\.$/m);
  return { all: Number(all), anew: Number(anew), key };
}

test('a new key is made for a stopped store only, and everything is sealed with it', async () => {
  const old = readFileSync(keyFile(), 'utf8');
  const refused = rotate('--new-key');
  assert.equal(refused.status, 1, refused.text);
  assert.match(refused.err, /command\.store_served/);
  assert.equal(readFileSync(keyFile(), 'utf8'), old, 'the server goes on with its keys');
  const before = sealed(rotate());
  assert.ok(before.all > 0);
  assert.deepEqual([before.anew, before.key], [0, '1']);

  await server.stop();
  const added = rotate('--new-key');
  assert.deepEqual(sealed(added), { all: before.all, anew: before.all, key: '2' });
  assert.match(added.out, /^Key 2 was added to secrets\.key\.$/m);
  assert.deepEqual(keys(), ['2', '1']);
  assert.equal(statSync(keyFile()).mode & 0o777, 0o600);
  await server.launch();
  assert.ok(await server.login(), 'secrets of clients can be opened');
});

test('older keys go when they are asked to, and nothing needs them any more', async () => {
  const dropped = rotate('--drop-old');
  assert.equal(sealed(dropped).anew, 0);
  assert.match(dropped.out, /The older keys were removed/);
  assert.deepEqual(keys(), ['2']);
  await server.stop();
  await server.launch();
  assert.ok(await server.login());
});

test('keys in the setting are for the operator to change', async () => {
  const [key] = readFileSync(keyFile(), 'utf8').trim().split('\n');
  process.env.STELE_SECRETS_KEY = key;
  try {
    for (const option of ['--new-key', '--drop-old']) {
      const refused = rotate(option);
      assert.equal(refused.status, 1, refused.text);
      assert.match(refused.err, /command\.keys_elsewhere/);
    }
  } finally {
    delete process.env.STELE_SECRETS_KEY;
  }
  assert.deepEqual(keys(), ['2']);
});
