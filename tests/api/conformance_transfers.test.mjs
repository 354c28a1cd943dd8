// What stele_conformance says where no enabled plugin offers exports and imports (docs/guides/first-plugin.md, 7).
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { bin } from '../support/stele_server.mjs';

const documents = new URL('../../plugins/ui_configs/tests/documents.json', import.meta.url).pathname;
let folder, without;
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'stele-conformance-'));
  without = join(folder, 'without-archives');
  writeFileSync(without, `#!/bin/sh\nexec '${bin}' "$@" --enable identity,platform,ui_configs\n`);
  chmodSync(without, 0o755);
});
after(() => rmSync(folder, { recursive: true }));

function conformance(...words) {
  const { status, stdout, stderr } = spawnSync(join(dirname(bin), 'stele_conformance'), words, { encoding: 'utf8' });
  return { status, lines: stdout.split('\n'), text: stdout + stderr };
}
const about = ({ lines }) => lines.filter((line) => /exports and imports/.test(line));

test('with archives they are checked', () => {
  const done = conformance('--expect-transfers', bin, documents);
  assert.equal(done.status, 0, done.text);
  assert.deepEqual(about(done), []);
  assert.match(done.text, /\/uiconfigs: \d+ of \d+ checks passed/);
});

test('without archives they are skipped, which is said', () => {
  const done = conformance(without, documents);
  assert.equal(done.status, 0, done.text);
  assert.deepEqual(about(done), ['SKIPPED: exports and imports, which no enabled plugin offers (archives does)']);
  assert.match(done.text, /\/uiconfigs: \d+ of \d+ checks passed/);
});

test('without archives whoever expects them fails, and the rest is checked', () => {
  const done = conformance('--expect-transfers', without, documents);
  assert.equal(done.status, 1, done.text);
  assert.deepEqual(about(done), ['FAILED: exports and imports, which no enabled plugin offers (archives does)']);
  assert.match(done.text, /\/uiconfigs: (\d+) of \1 checks passed/);
});
