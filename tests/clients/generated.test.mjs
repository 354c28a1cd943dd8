// The description of the server makes a client: it is without errors, and what openapi-typescript generates from it
// compiles and makes calls of all families (generated/calls.ts).
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { SteleServer } from '../support/stele_server.mjs';

const here = new URL('.', import.meta.url).pathname;
const tool = (name) => join(here, 'node_modules/.bin', name);
let server;
let description;
let folder;
before(async () => {
  server = await SteleServer.start();
  description = await server.admin('GET', '/openapi.json');
  folder = mkdtempSync(join(tmpdir(), 'stele-generated-'));
  writeFileSync(join(folder, 'openapi.json'), JSON.stringify(description));
});
after(async () => {
  await server?.end();
  rmSync(folder, { recursive: true, force: true });
});

const operations = () => Object.entries(description.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ name: `${method} ${path}`, path, method, operation })));

test('redocly finds no error in the description', () => {
  const done = spawnSync(tool('redocly'), ['lint', '--config', join(here, 'redocly.yaml'), '--format=json', join(folder, 'openapi.json')],
                         { encoding: 'utf8', maxBuffer: 1 << 28, env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' } });
  const { totals, problems } = JSON.parse(done.stdout);
  const errors = problems.filter(({ severity }) => severity === 'error').map(({ ruleId, message, location }) => [ruleId, message, location?.[0]?.pointer]);
  assert.deepEqual(errors.slice(0, 10), []);
  assert.equal(totals.errors, 0);
});

test('each operation stands at one path, with a name of its own', () => {
  const all = operations();
  assert.equal(new Set(all.map(({ operation }) => operation.operationId)).size, all.length);
  const paths = new Set(Object.keys(description.paths));
  for (const { name, operation } of all) {
    for (const alias of operation['x-stele-aliases'] ?? []) assert.ok(!paths.has(alias), `${name} repeats ${alias}`);
  }
});

test('each operation says what it answers, and what it takes where it takes something', () => {
  const open = JSON.stringify({ type: 'object', additionalProperties: true });
  const untold = operations().filter(({ operation }) => JSON.stringify(Object.values(operation.responses[200].content)[0].schema) === open);
  // What really is open: whatever a client or a store of records put there.
  const isOpen = ({ operation }) => openReplies.has(operation.operationId);
  assert.deepEqual(untold.filter((one) => !isOpen(one)).map(({ operation }) => operation.operationId), []);
});
const openReplies = new Set(['kernel.getOpenapiJson']);

test('the generated client compiles and makes calls of all families', async () => {
  cpSync(join(here, 'generated'), folder, { recursive: true });
  symlinkSync(join(here, 'node_modules'), join(folder, 'node_modules'));
  execFileSync(tool('openapi-typescript'), ['openapi.json', '--output', 'described.d.ts'], { cwd: folder, stdio: 'pipe' });
  const compiled = spawnSync(tool('tsc'), ['--project', folder], { encoding: 'utf8', cwd: folder });
  assert.equal(compiled.status, 0, compiled.stdout);
  const { makeCalls } = await import(pathToFileURL(join(folder, 'calls.js')));
  const called = await makeCalls(server.baseUrl, await server.login());
  assert.ok(called.length >= 40, `${called.length} calls`);
  const families = new Set(operations().map(({ operation }) => operation['x-stele-plugin']));
  const reached = new Set(called.map(([method, path]) => description.paths[path][method.toLowerCase()]['x-stele-plugin']));
  assert.deepEqual([...families].filter((plugin) => !reached.has(plugin)), []);
});
