// Runs the commands of a guide, in order and in one shell, and compares what they print with what it says.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { SteleServer } from '../support/stele_server.mjs';

const kEnd = '--- end of a block ---';

/// Blocks of commands with what they are said to print.
function blocksOf(text) {
  const blocks = [];
  for (const [, kind, body] of text.matchAll(/```(sh|text)\n([\s\S]*?)```/g)) {
    if (kind === 'sh') blocks.push({ commands: body, output: '' });
    else blocks.at(-1).output = body;
  }
  return blocks;
}

for (const guide of ['content.md']) {
  test(`the guide ${guide} does what it says`, async () => {
    const server = await SteleServer.start();
    const blocks = blocksOf(readFileSync(new URL(`../../docs/guides/${guide}`, import.meta.url), 'utf8'));
    assert.ok(blocks.length > 5);
    const script = blocks.map(({ commands }) => `${commands}\necho '${kEnd}'`).join('\n');
    const done = spawnSync('bash', ['-euo', 'pipefail', '-c', script], {
      encoding: 'utf8',
      env: { PATH: process.env.PATH, base: server.baseUrl.replace(/\/$/, ''), password: server.seed.admin.password,
             client_key: server.seed.client.key, client_secret: server.seed.client.secret },
    });
    assert.equal(done.status, 0, done.stdout + done.stderr);
    const printed = done.stdout.split(`${kEnd}\n`);
    blocks.forEach(({ commands, output }, i) => assert.equal(printed[i], output, commands));
    await server.end();
  });
}
