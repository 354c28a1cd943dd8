// Runs the commands of a guide, in order and in one shell, and compares what they print with what it says.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { bin, SteleServer } from '../support/stele_server.mjs';

const kEnd = '--- end of a block ---';

/// What lines for cron have in the place of what the commands before them have made.
const examples = {
  '/srv/stele': '$PWD', 'https://stele.example.com': '$laptop', '--client-key site ': '--client-key $client_key ',
  '0a1b2c3d4e5f6a7b8c9d': '$platform', '01a2b3c4d5e6f7a8b9c0': '$project',
};
/// As cron runs it, with the little that it sets.
function commandOf(line) {
  const command = line.trim().replace(/^(\S+\s+){5}/, '').replaceAll('\\%', '%');
  const filled = Object.entries(examples).reduce((text, [example, here]) => text.replaceAll(example, `'"${here}"'`), command);
  return `env -i HOME="$PWD" PATH="$PATH" SHELL=/bin/sh /bin/sh -c '${filled}'\n`;
}

/// Blocks of commands with what they are said to print.
function blocksOf(text) {
  const blocks = [];
  for (const [, kind, body] of text.matchAll(/```(sh|text|crontab)\n([\s\S]*?)```/g)) {
    if (kind === 'sh') blocks.push({ commands: body, output: '' });
    else if (kind === 'crontab') blocks.push({ commands: body.trim().split('\n').map(commandOf).join(''), output: '' });
    else blocks.at(-1).output = body;
  }
  return blocks;
}

/// How many servers a guide takes, and the variables that lead to them; NAME_data is the folder of a server's store.
const guides = {
  'content.md': ['base'],
  'moving-content.md': ['laptop', 'production'],
};

for (const [guide, places] of Object.entries(guides)) {
  test(`the guide ${guide} does what it says`, async () => {
    const servers = await Promise.all(places.map(() => SteleServer.start()));
    try {
      const folder = mkdtempSync(join(tmpdir(), 'stele-guide-'));
      const { seed } = servers[0];
      const blocks = blocksOf(readFileSync(new URL(`../../docs/guides/${guide}`, import.meta.url), 'utf8'));
      assert.ok(blocks.length > 5);
      const script = blocks.map(({ commands }) => `${commands}\necho '${kEnd}'`).join('\n');
      const done = spawnSync('bash', ['-euo', 'pipefail', '-c', script], {
        encoding: 'utf8',
        cwd: folder,
        // bash takes a socket for a login from afar, and reads what is for those.
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { PATH: `${dirname(bin)}:${process.env.PATH}`, password: seed.admin.password, client_key: seed.client.key, client_secret: seed.client.secret,
               ...Object.fromEntries(places.flatMap((name, i) => [[name, servers[i].baseUrl.replace(/\/$/, '')], [`${name}_data`, servers[i].data]])) },
      });
      rmSync(folder, { recursive: true });
      assert.deepEqual([done.status, done.stderr], [0, ''], done.stdout);
      const printed = done.stdout.split(`${kEnd}\n`);
      blocks.forEach(({ commands, output }, i) => assert.equal(printed[i], output, commands));
    } finally {
      await Promise.all(servers.map((server) => server.end()));
    }
  });
}
