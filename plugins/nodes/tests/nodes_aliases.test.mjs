// `b` stands for `branches` and `n` for `nodes` (docs/specification/nodes.md 1; docs/specification/interface.md 5.8).
// Other tests that walk over all routes walk over one form of each: these show that the forms are the same.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { isAlias, makeContent, pathForms } from '../../../tests/support/content_records.mjs';
import { allRoutes, generalNames } from '../../../tests/support/route_walk.mjs';
import { SteleServer } from '../../../tests/support/stele_server.mjs';

let server;
let paths;
before(async () => {
  server = await SteleServer.start();
  paths = (await server.request('GET', '/openapi.json')).json.paths;
});
after(() => server.end());

const isOfBranch = (path) => /^\/repositories\/[^/]+\/branches(\/|$)/.test(path) && !isAlias(path);
const otherForms = (path) => pathForms(path).slice(1);

test('each path of a branch has all its forms, each with the same operations', () => {
  const canonical = Object.keys(paths).filter(isOfBranch);
  assert.ok(canonical.length > 80, `${canonical.length} paths`);
  const forms = canonical.flatMap((path) => otherForms(path).map((form) => [form, path]));
  assert.ok(forms.length > 250, `${forms.length} forms`);
  for (const [form, path] of forms) assert.deepEqual(paths[form], paths[path], form);
  assert.deepEqual(Object.keys(paths).filter(isAlias).sort(), forms.map(([form]) => form).sort());
});

test('each form of a path reads the same', async () => {
  const ids = { ...generalNames, principalId: 'guest', ...await makeContent((...request) => server.admin(...request)) };
  const inside = Object.fromEntries(Object.entries(paths).filter(([path]) => isOfBranch(path)));
  const routes = await allRoutes(server, ids, inside);
  const token = await server.login();
  let compared = 0;
  for (const { method, target, name } of routes.filter((one) => one.method === 'GET')) {
    const shown = async (path) => {
      const { status, text } = await server.request(method, path, { token });
      return [status, text.replace(/"requestId":"[^"]*"/, '')];
    };
    const expected = await shown(target);
    if (expected[0] === 200) compared += 1;
    for (const form of otherForms(target)) assert.deepEqual(await shown(form), expected, `${name} as ${form}`);
  }
  assert.ok(compared > 40, `${compared} answers`);
});

test('a change that is made by one form is seen by every other', async () => {
  const ids = await makeContent((...request) => server.admin(...request));
  const node = `/repositories/${ids.repositoryId}/branches/${ids.branchId}/nodes/${ids.nodeId}`;
  const forms = [node, ...otherForms(node)];
  assert.equal(forms.length, 4);
  for (const form of forms) {
    await server.admin('PUT', form, { title: form });
    for (const other of forms) assert.equal((await server.admin('GET', other)).title, form);
  }
});
