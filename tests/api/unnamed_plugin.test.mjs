// A new plugin is walked without being named in any test: what the walks need comes from the description that the
// server gives of itself. The plugin here is the template of guides/first-plugin.md, which no walk knows.
import assert from 'node:assert/strict';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { allRoutes, described, describedPlugins, families, makeRecords, makeTeams, plainDocument, workAsDescribed } from '../support/route_walk.mjs';
import { bin, SteleServer } from '../support/stele_server.mjs';

let server;
before(async () => { server = await SteleServer.start({ plugins: [join(dirname(bin), '../lib/stele/template')] }); });
after(() => server.end());

test('its family is found with what its records need', async () => {
  assert.ok((await describedPlugins(server)).includes('note'));
  const [family, ...others] = families(await described(server)).filter(({ plugin }) => plugin === 'note');
  assert.deepEqual([family.collection, family.name, others], ['/notes', 'noteId', []]);
  assert.deepEqual(plainDocument(family.schema), { title: 'walk' });
});

test('the walk has a record of it, and asks all of its operations', async () => {
  const ids = await makeRecords(server);
  assert.match(ids.noteId, /^[0-9a-f]{20}$/);
  const routes = await allRoutes(server, ids);
  await makeTeams(server, routes);
  const own = routes.filter(({ plugin, template }) => plugin === 'note' || template.startsWith('/notes/'));
  const names = own.map(({ name }) => name);
  for (const name of ['post /notes', 'get /notes/{noteId}', 'put /notes/{noteId}', 'delete /notes/{noteId}', 'post /notes/{noteId}/pin'])
    assert.ok(names.includes(name), `${name} is among ${names.join(', ')}`);
  for (const { name, method, target } of own) {
    const body = method === 'GET' ? undefined : {};
    assert.equal((await server.request(method, target, { body })).status, 401, name);
  }
  const pin = own.find(({ name }) => name === 'post /notes/{noteId}/pin');
  assert.equal((await server.admin(pin.method, pin.target, {})).pinned, true);
  assert.equal((await server.admin('GET', `/notes/${ids.noteId}`)).pinned, true);
});

test('it does what every family does', () => workAsDescribed('note')(server));

test('families that are made by their description alone are most of those that there are', async () => {
  await workAsDescribed('ui_configs')(server);
  await workAsDescribed('access_policies')(server);
  await assert.rejects(workAsDescribed('graphql')(server), /has no families/);
});
