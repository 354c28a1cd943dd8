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

test('each operation of a branch names all other forms of its path', () => {
  const canonical = Object.keys(paths).filter(isOfBranch);
  assert.ok(canonical.length > 80, `${canonical.length} paths`);
  assert.deepEqual(Object.keys(paths).filter(isAlias), []);
  let forms = 0;
  for (const path of canonical) {
    for (const [method, operation] of Object.entries(paths[path])) {
      const named = new Set(operation['x-stele-aliases']);
      for (const form of otherForms(path)) assert.ok(named.has(form), `${method} ${path} names ${form}`);
      forms += otherForms(path).length;
    }
  }
  assert.ok(forms > 250, `${forms} forms`);
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
