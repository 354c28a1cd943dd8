// docs/reference/transfer.md as it is written: its table of the configuration, the names of parameters, what never leaves.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { SteleServer } from '../support/stele_server.mjs';
import { unzip } from '../support/zip_archive.mjs';

const page = readFileSync(new URL('../../docs/reference/transfer.md', import.meta.url), 'utf8');
const codes = (text) => [...text.matchAll(/`([^`]+)`/g)].map(([, code]) => code);

let server;
let domain;
before(async () => {
  server = await SteleServer.start();
  domain = (await admin('POST', '/domains', { title: 'Fruit' }))._doc;
});
after(() => server.end());

const admin = (...request) => server.admin(...request);
const post = (path, body = {}) => server.request('POST', path, { body, token: server.adminToken });

async function run(path, body) {
  const job = await admin('POST', `${path}${path.includes('?') ? '&' : '?'}schedule=SYNCHRONOUS`, body ?? {});
  assert.equal(job.state, 'FINISHED', JSON.stringify(job.log_entries));
  return job;
}

async function filesOf(job) {
  const { bytes } = await server.request('GET', `/vaults/primary/archives/${job.archiveId}/download`, { token: server.adminToken });
  return unzip(bytes);
}

/// The rows of the configuration's table: names and default.
function settings() {
  const section = page.slice(page.indexOf('## Configuration'), page.indexOf('**Accepted, and without effect:**'));
  const rows = [...section.matchAll(/^\| (`.*?) \| (.*?) \|/gm)];
  return rows.flatMap(([, names, value]) => codes(names).map((name) => [name, codes(value)[0] ?? value]));
}

test('the defaults of the table are those of the answer', async () => {
  const { configuration } = await run(`/domains/${domain}/export`);
  const told = Object.fromEntries(settings());
  let compared = 0;
  for (const [name, value] of Object.entries(configuration)) {
    if (!(name in told)) continue;
    compared += 1;
    const shown = Array.isArray(value) ? value[0] : typeof value === 'string' && value !== '{}' ? JSON.stringify(value) : value;
    assert.equal(typeof shown === 'object' ? JSON.stringify(shown) : String(shown), told[name], name);
  }
  assert.ok(compared >= 14, String(compared));
});

test('each member of the table is taken, and refused where it is of the wrong kind', async () => {
  const names = settings().map(([name]) => name);
  assert.ok(names.length > 20);
  const wrong = Object.fromEntries(names.map((name) => [name, name === 'substitutions' ? [7] : { ms: 'no' }]));
  const { status, json } = await post(`/domains/${domain}/export`, wrong);
  assert.equal(status, 400);
  assert.deepEqual(json.violations.map(({ path }) => path).sort(), [...names].sort());
  assert.ok(json.violations.every(({ code }) => code === 'archives.transfer_setting_malformed'));
  await run(`/domains/${domain}/export`, Object.fromEntries(names.map((name) => [name, null])));
});

test('what is without effect is taken whatever it is', async () => {
  const [, list] = page.match(/\*\*Accepted, and without effect:\*\*([\s\S]*?)Answers tell/);
  const names = codes(list);
  assert.ok(names.includes('payload') && names.length > 10);
  const archive = async (body) => {
    const files = await filesOf(await run(`/domains/${domain}/export?group=test&artifact=effect&version=1`, body));
    const { contents, configuration: { includeActivities, ...configuration } } = JSON.parse(files.get('manifest.json'));
    assert.equal(includeActivities, body.includeActivities ?? true);
    files.delete('manifest.json');
    return { files: [...files], contents, configuration };
  };
  const odd = Object.fromEntries(names.map((name) => [name, name === 'includeActivities' ? false : { any: ['thing'] }]));
  assert.deepEqual(await archive(odd), await archive({}));
});

test('parameters have two names, of which the longer wins', async () => {
  const told = ({ archiveGroup, archiveArtifact, archiveVersion, vaultId }) => [archiveGroup, archiveArtifact, archiveVersion, vaultId];
  const vault = (await admin('POST', '/vaults', {}))._doc;
  assert.deepEqual(told(await run(`/domains/${domain}/export?group=g&artifact=a&version=v`)), ['g', 'a', 'v', 'default']);
  assert.deepEqual(told(await run(`/domains/${domain}/export?groupId=g2&group=g&artifactId=a2&artifact=a&versionId=v2&version=v&vaultId=${vault}&vault=primary`)),
    ['g2', 'a2', 'v2', vault]);
  const [group, artifact, version] = told(await run(`/domains/${domain}/export`));
  assert.deepEqual([group, artifact], ['export', `domain-${domain}`]);
  assert.match(version, /^\d{8}T\d{6}\.\d{3}Z$/);
  const { status, json } = await post('/import?group=g');
  assert.deepEqual([status, ...json.violations.map(({ path, code }) => `${path} ${code}`)],
    [400, 'artifact archives.coordinate_missing', 'version archives.coordinate_missing']);
});

test('members of results are those of the page', async () => {
  const [, table] = page.match(/## Answers([\s\S]*?)Results are at/);
  const rows = [...table.matchAll(/^\| (`.*?) \| (.*?) \|/gm)];
  const of = (kind) => rows.filter(([, , kinds]) => kinds === 'all' || kinds.includes(kind)).flatMap(([, names]) => codes(names)).sort();
  const exported = await run(`/domains/${domain}/export?group=g&artifact=results&version=1`);
  const imported = await run('/import?group=g&artifact=results&version=1', { dryRun: true });
  const { platformId } = await admin('GET', `/domains/${domain}`);
  const chain = [{ typeId: 'platform', id: platformId }];
  const copied = await run('/tools/copy', { sources: [...chain, { typeId: 'domain', id: domain }], targets: chain });
  for (const [kind, job] of [['export', exported], ['import', imported], ['copy', copied]]) {
    assert.equal(job.type, kind);
    assert.deepEqual(Object.keys(job._result).sort(), of(kind), kind);
    for (const name of of(kind)) assert.deepEqual(job[name], job._result[name], name);
  }
  assert.deepEqual([imported.dryRun, copied.dryRun, copied.imports[0].targets.at(-1)], [true, false, copied.targets[0]]);
});

test('secrets never leave in clear', async () => {
  const { key, secret } = server.seed.client;
  const application = (await admin('POST', '/applications', { title: 'App' }))._doc;
  await admin('POST', `/applications/${application}/emailproviders`, { host: 'mail.example.com', username: 'post', password: 'a-secret-of-mail' });
  await server.makeUser('keeper');
  const files = await filesOf(await run('/export?group=test&artifact=all&version=1'));
  const holding = (text) => [...files].filter(([, bytes]) => bytes.includes(text)).map(([path]) => path);
  assert.equal(holding(key).length, 1);
  assert.equal(holding('mail.example.com').length, 1);
  assert.ok(holding('"keeper"').length > 0);
  for (const text of [secret, 'a-secret-of-mail', 'secret-of-keeper', server.seed.grant.secret]) assert.deepEqual(holding(text), [], text);
});

test('what may not be read is left out, and told only as what rights do not reach', async () => {
  await server.makeUser('reader');
  const token = await server.login('reader', 'secret-of-reader');
  const repository = (await admin('POST', '/repositories', {}))._doc;
  const grant = (path, role) => admin('POST', `${path}/authorities/${role}/grant?id=default/reader`);
  await grant('/vaults/primary', 'contributor');
  const stack = (await admin('POST', '/stacks', { title: 'Stack' }))._doc;
  await admin('POST', `/stacks/${stack}/datastores/assign?type=repository&id=${repository}&key=content`);
  await grant(`/stacks/${stack}`, 'consumer');
  const exported = async () => (await server.request('POST', `/stacks/${stack}/export?schedule=SYNCHRONOUS`, { token, body: {} })).json;
  const without = await exported();
  assert.deepEqual([without.state, without.entries, without.complete], ['FINISHED', 1, false]);
  assert.deepEqual(without.log_entries.map(({ message }) => message), ['reader may not read everything that there may be; what is hidden was left out']);
  await grant(`/repositories/${repository}`, 'consumer');
  assert.ok((await exported()).entries > 3);
});
