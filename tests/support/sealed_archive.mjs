// Opens what a passphrase seals in an archive, as docs/reference/archive-format.md says ("Sealed secrets"), with libraries
// that are not the server's.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { unzip } from './zip_archive.mjs';

const require = createRequire(new URL('../clients/package.json', import.meta.url));
const { argon2id } = require('hash-wasm');
const { xchacha20poly1305 } = require('@noble/ciphers/chacha');

const kNonce = 24;
const bytesOf = (hex) => Uint8Array.from(Buffer.from(hex, 'hex'));

function open(key, sealed, context) {
  const bytes = bytesOf(sealed);
  return Buffer.from(xchacha20poly1305(key, bytes.subarray(0, kNonce), new TextEncoder().encode(context)).decrypt(bytes.subarray(kNonce)));
}

/// JSON without blanks, all members in the order of their names.
function sorted(value) {
  if (Array.isArray(value)) return `[${value.map(sorted).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  return `{${Object.keys(value).sort().map((name) => `${JSON.stringify(name)}:${sorted(value[name])}`).join(',')}}`;
}

function proofOf(manifest) {
  const digest = createHash('sha256');
  for (const { location, files } of Object.values(manifest.contents)) {
    for (const [name, { sha256 }] of Object.entries(files)) {
      const path = `${location}/${name}`;
      digest.update(`${Buffer.byteLength(path)}:${path}${sha256}\n`);
    }
  }
  const own = ['format', 'model', 'type', 'tipChangesetOnly', 'sources'].filter((name) => name in manifest);
  digest.update(sorted(Object.fromEntries(own.map((name) => [name, manifest[name]]))));
  return digest.digest();
}

/// The files of an archive as if nothing were sealed: `secrets.json` says what it holds, and the manifest has no seal. Check and
/// proof have to be right.
export async function openedFiles(bytes, passphrase) {
  const files = unzip(bytes);
  const { seal, ...manifest } = JSON.parse(files.get('manifest.json'));
  assert.deepEqual([seal.key, seal.cipher], ['argon2id', 'xchacha20-poly1305']);
  const derived = await argon2id({ password: passphrase, salt: bytesOf(seal.salt), memorySize: seal.memoryKiB, iterations: seal.passes, parallelism: 1,
                                   hashLength: 64, outputType: 'binary' });
  assert.equal(Buffer.from(derived.subarray(32)).toString('hex'), seal.check);
  const key = derived.subarray(0, 32);
  assert.deepEqual(open(key, seal.proof, 'stele archive 1: archive'), proofOf(manifest));
  files.set('manifest.json', Buffer.from(JSON.stringify(manifest)));
  for (const [path, content] of files) {
    if (!path.endsWith('/secrets.json')) continue;
    const folder = path.slice(0, path.lastIndexOf('/'));
    files.set(path, open(key, JSON.parse(content).sealed, `stele archive 1: secrets of ${folder}`));
  }
  return files;
}
