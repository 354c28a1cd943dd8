// README's first command: what it shows of a build, how it ends, and what it says before it serves. The
// compiler's part is a script here, which puts the program of this build where a build puts it.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { bin } from '../support/stele_server.mjs';

const repository = new URL('../../', import.meta.url).pathname;
const root = mkdtempSync(join(tmpdir(), 'stele-start-'));
const log = join(root, 'build/logs/start.log');
let port;
before(async () => {
  mkdirSync(join(root, 'packaging'));
  for (const name of ['start.sh', 'install-packages.sh']) cpSync(join(repository, 'packaging', name), join(root, 'packaging', name));
  // Whoever builds has the packages; this is not about them.
  writeFileSync(join(root, 'packaging/debian-packages.txt'), '# none\n');
  const probe = net.createServer();
  await new Promise((done) => { probe.listen(0, '127.0.0.1', done); });
  ({ port } = probe.address());
  await new Promise((done) => { probe.close(done); });
});
after(() => rmSync(root, { recursive: true, force: true }));

/// What a build says: its progress, and what compilers warn of.
const says = `echo '[1/2] Building CXX object one.cpp.o'
echo 'one.cpp:7: warning: something that nobody asked for' >&2`;

/// The script in the compiler's place ends with these lines.
function compiler(lines) {
  mkdirSync(join(root, 'bin'), { recursive: true });
  writeFileSync(join(root, 'bin/cmake'), `#!/bin/sh
mkdir -p '${root}/build/release/bin'
case "$1" in
--preset) echo 'configured'; touch '${root}/build/release/build.ninja'; exit 0 ;;
esac
${says}
${lines}
`, { mode: 0o755 });
}
/// Without what tests are told by the environment, as the server takes STELE_… for settings of its own.
const env = () => ({ ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('STELE_'))),
                     PATH: `${join(root, 'bin')}:${process.env.PATH}`, STELE_PORT: `${port}`, STELE_DATA: join(root, 'data') });

/// Starts it, ends it once it has said how to go on, and answers what it printed and its status.
async function started(meanwhile) {
  const child = spawn(join(root, 'packaging/start.sh'), { env: env(), stdio: ['ignore', 'pipe', 'pipe'] });
  let out = '';
  let err = '';
  child.stderr.on('data', (text) => { err += text; });
  const ended = new Promise((done) => { child.on('close', done); });
  const ready = new Promise((done) => {
    child.stdout.on('data', (text) => { if (/Go on with: .*\n/.test(out += text)) done(); });
  });
  await Promise.race([ready, ended]);
  if (child.exitCode === null && meanwhile) await meanwhile(out);
  child.kill('SIGTERM');
  return { status: await ended, out, err };
}

test('what the compiler says goes to a log, and the last lines name the login and the guide', async () => {
  compiler(`echo '[2/2] Linking CXX executable bin/stele'\nln -sf '${bin}' '${root}/build/release/bin/stele'`);
  const { status, out, err } = await started((said) => {
    const line = said.match(/^ {2}curl .*$/m)?.[0];
    assert.ok(line, said);
    const login = JSON.parse(spawnSync('sh', ['-c', line], { encoding: 'utf8' }).stdout);
    assert.equal(typeof login.access_token, 'string', JSON.stringify(login));
  });
  assert.equal(status, 0, out + err);
  assert.match(readFileSync(log, 'utf8'), /warning: something/);
  assert.doesNotMatch(out + err, /warning|Building CXX|^configured/m);
  assert.equal(out.match(/\[\d+\/\d+\]/g).join(), '[2/2]', 'one line of progress remains');
  assert.ok(existsSync(join(repository, out.match(/Go on with: (docs\S+\.md)/)[1])), out);
  assert.ok(!existsSync(join(root, 'data/first-login')), 'the login is shown once');
  const again = await started();
  assert.equal(again.status, 0, again.out + again.err);
  assert.match(again.out, /user set-password admin --data/);
  assert.doesNotMatch(again.out, /secret/);
});

test('a build that fails ends with its status and shows the end of its log', async () => {
  compiler("echo 'FAILED: one.cpp.o'\nexit 3");
  const { status, out, err } = await started();
  assert.equal(status, 3, out + err);
  assert.match(err, /FAILED: one\.cpp\.o/);
  assert.ok(err.includes(log), err);
  assert.doesNotMatch(out, /Built|Stele:/);
});
