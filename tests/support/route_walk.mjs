// All routes of /openapi.json, with paths of records that exist.
import assert from 'node:assert/strict';
import { exportDocument, idNameOf, isAlias, makeContent } from './content_records.mjs';
import { makeArchive } from './zip_archive.mjs';

const methods = ['get', 'post', 'put', 'patch', 'delete'];

/// Placeholders that stand for no record.
export const generalNames = {
  permissionId: 'READ', authorityId: 'consumer', typeId: 'platform', type: 'webhost', meterType: 'STORAGE',
  templateKey: 'folder-consumer', key: 'project-user', teamKey: 'walkers', roleKeyOrId: 'walker',
  actionId: 'syncNode', conditionId: 'propertyEquals', index: '0',
};

/// What the server says of itself.
export const described = async (server) => (await server.request('GET', '/openapi.json')).json;

/// Its operations by path and method, an operation with several paths under each of them.
export function everyPath({ paths }) {
  const all = {};
  for (const [path, item] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(item)) {
      for (const one of [path, ...(operation['x-stele-aliases'] ?? [])]) (all[one] ??= {})[method] = operation;
    }
  }
  return all;
}

/// The plugins that offer operations with these methods.
export async function describedPlugins(server, wanted = methods) {
  const plugins = new Set();
  for (const item of Object.values((await described(server)).paths)) {
    for (const method of wanted.filter((one) => one in item)) plugins.add(item[method]['x-stele-plugin']);
  }
  return [...plugins].sort();
}

/// The declared fields of an operation's body, where it has some.
function schemaOf({ components }, operation) {
  const schema = operation?.requestBody?.content['application/json']?.schema;
  // Where a create takes an array of records, too, the record comes first.
  const name = (schema?.$ref ?? schema?.anyOf?.[0].$ref)?.split('/').at(-1);
  return name?.endsWith('Body') ? components.schemas[name] : undefined;
}

/// The families of a description: the collection's template, the placeholder of a record in it, its plugin and
/// the declared fields.
export function families(description) {
  const found = [];
  const paths = everyPath(description);
  for (const template of Object.keys(paths)) {
    const [, collection, name] = template.match(/^(.*)\/\{(\w+)\}$/) ?? [];
    const creation = collection && paths[collection]?.post;
    const schema = schemaOf(description, creation);
    if (schema) found.push({ collection, name, plugin: creation['x-stele-plugin'], schema });
  }
  return found;
}

const plainValues = { string: 'walked', integer: 1, number: 1, boolean: true, array: [], object: {} };
/// A document that a family takes, as far as the declaration of its fields tells.
export function plainDocument({ properties, required = [] }, title = 'walk') {
  const document = 'title' in properties ? { title } : {};
  for (const name of required) document[name] ??= properties[name].enum?.[0] ?? plainValues[[properties[name].type].flat()[0]] ?? 'walked';
  return document;
}

/// A record of every family that `ids` knows none of, by `ask(method, path, body)`, which answers the JSON of a call that
/// must succeed: so a new plugin is walked without being named anywhere. `isWanted` may leave placeholders out.
export async function makeOthers(ask, description, ids, title, isWanted = () => true) {
  const left = families(description)
    .filter(({ name, collection }) => isWanted(name) && !(idNameOf(collection, name) in ids) && !isAlias(collection));
  for (let last = -1; left.length !== last;) {
    last = left.length;
    for (const family of [...left]) {
      const names = [...family.collection.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      if (names.some((name) => !(idNameOf(family.collection, name) in ids))) continue;
      const path = family.collection.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(ids[idNameOf(family.collection, name)]));
      ids[family.name] ??= (await ask('POST', path, plainDocument(family.schema, title)))._doc;
      left.splice(left.indexOf(family), 1);
    }
  }
  return ids;
}

/// What every family of a plugin does, whatever it is for.
export const workAsDescribed = (plugin) => async (server) => {
  const description = await described(server);
  const admin = (...request) => server.admin(...request);
  const all = families(description);
  const needed = new Set(all.filter((family) => family.plugin === plugin).map(({ name }) => name));
  for (const name of needed) {
    // What its records lie in, and so on.
    for (const { collection } of all.filter((family) => family.name === name))
      for (const [, outer] of collection.matchAll(/\{(\w+)\}/g)) needed.add(outer);
  }
  const ids = await makeOthers(admin, description, {}, 'walk', (name) => needed.has(name));
  const own = all.filter((family) => family.plugin === plugin && family.name in ids);
  assert.ok(own.length > 0, `${plugin} has no families that can be made from their description`);
  for (const { collection, name } of own.reverse()) {
    const place = collection.replace(/\{(\w+)\}/g, (_, outer) => ids[outer]);
    assert.equal((await admin('GET', `${place}/${ids[name]}`))._doc, ids[name]);
    const { rows } = await admin('POST', `${place}/query`, { _doc: ids[name] });
    assert.deepEqual(rows.map(({ _doc }) => _doc), [ids[name]]);
    await admin('DELETE', `${place}/${ids[name]}`);
    assert.equal((await server.request('GET', `${place}/${ids[name]}`, { token: server.adminToken })).status, 404);
  }
};

/// A record of every family that nothing else uses, so that a walk may change and remove it; answers
/// their ids by placeholder.
export async function makeRecords(server) {
  const make = async (path, body = {}) => (await server.admin('POST', path, { title: 'walk', ...body }))._doc;
  const ids = { ...generalNames };
  const into = async (container, members) => {
    for (const [name, [path, body]] of Object.entries(members)) ids[name] = await make(`${container}${path}`, body);
  };
  await into('', {
    domainId: ['/domains'], directoryId: ['/directories'], applicationId: ['/applications'],
    registrarId: ['/registrars'], webhostId: ['/webhosts'], stackId: ['/stacks'], projectId: ['/projects'],
    vaultId: ['/vaults'], uiConfigId: ['/uiconfigs'], accessPolicyId: ['/access/policies'],
    clientId: ['/clients'], jobId: ['/projects/start?schedule=synchronous'],
    billingProviderConfigurationId: ['/billing/configurations'], deploymentPackageId: ['/deployment/packages'],
    deploymentReceiverId: ['/deployment/receivers'], deploymentStrategyId: ['/deployment/strategies'],
    deploymentTargetId: ['/deployment/targets'], serviceDescriptorId: ['/descriptors'], reportId: ['/reports'],
    sidekickId: ['/sidekicks'], viewId: ['/views'], logId: ['/logs', { level: 'INFO', message: 'walk' }],
  });
  await into(`/domains/${ids.domainId}`, {
    principalId: ['/principals', { type: 'USER', name: 'walked-user', password: 'secret of walked' }],
    groupId: ['/principals', { type: 'GROUP', name: 'walked-group' }],
  });
  await into(`/directories/${ids.directoryId}`, { identityId: ['/identities'], connectionId: ['/connections'] });
  await into(`/applications/${ids.applicationId}`, { emailProviderId: ['/emailproviders'], emailId: ['/emails'],
    settingsId: ['/settings'], messageId: ['/messages'], apiKeyId: ['/apikeys'],
    registrationId: ['/registrations', { userEmail: 'walk@example.org' }] });
  await into(`/webhosts/${ids.webhostId}`, {
    autoClientMappingId: ['/autoclientmappings'], trustedDomainMappingId: ['/trusteddomainmappings'],
  });
  ids.deploymentKey = 'walked';
  await server.admin('PUT', `/applications/${ids.applicationId}`, { title: 'walk', deployments: { walked: { webhost: ids.webhostId } } });
  ids.deployedApplicationId = await make(`/applications/${ids.applicationId}/deploy/walked`);
  ids.pageRenditionId = await make(`/applications/${ids.applicationId}/deployments/walked/pagerenditions`);
  const registrar = `/registrars/${ids.registrarId}`;
  await into(registrar, { planId: ['/plans', { planKey: 'walked' }] });
  const owner = await server.makeUser('tenant-of-the-walk');
  await into(registrar, { tenantId: ['/tenants', { planKey: 'walked', principalId: owner._doc, domainId: 'default' }] });
  ids.meterId = (await server.admin('GET', `${registrar}/meters`)).rows[0]._doc;
  ids.authenticationGrantId = await make('/auth/grants', { principalDomainId: ids.domainId, principalId: ids.principalId });
  ids.activityId = (await server.admin('GET', '/activities?limit=1')).rows[0]._doc;
  ids.archiveId = await makeArchive((...request) => server.admin(...request), `/vaults/${ids.vaultId}`);
  ids.id = ids.webhostId;
  Object.assign(ids, await makeContent((...request) => server.admin(...request)));
  ids.exportId = await exportDocument((...request) => server.admin(...request), ids);
  await server.admin('POST', `/stacks/${ids.stackId}/datastores/assign?type=webhost&id=${ids.webhostId}&key=project-user`);
  return makeOthers((...request) => server.admin(...request), await described(server), ids);
}

/// A team and a role of the walk wherever a route names one.
export async function makeTeams(server, routes) {
  const places = (part) => new Set(routes.filter(({ path }) => path.includes(part)).map(({ path }) => path.split(part)[0]));
  for (const place of places(`/teams/${generalNames.teamKey}`)) await server.admin('POST', `${place}/teams?key=${generalNames.teamKey}`);
  for (const place of places(`/roles/${generalNames.roleKeyOrId}`)) {
    await server.admin('POST', `${place}/roles`, { roleKey: generalNames.roleKeyOrId, permissions: ['READ'] });
  }
}

/// What required parameters name besides records.
const parameters = { ref: 'user://p/default/x', locale: 'de', qname: 'custom:other', type: 'n:node', text: 'walk' };

/// Every operation (under those of its paths that are no other words for one another): method, path with `ids` in the place of placeholders (`target`: with its required
/// parameters, too; `pathTo`: with another last placeholder, where it has one), plugin, the fields of its
/// body, if it declares one. With `chosen`, of these paths of the document only.
export async function allRoutes(server, ids, chosen) {
  const json = await described(server);
  const routes = [];
  for (const [template, item] of Object.entries(chosen ?? everyPath(json))) {
    if (isAlias(template)) continue;
    const fill = (text) => text.replace(/\{(\w+)\}/g, (whole, name) => {
      const id = ids[idNameOf(template, name)];
      assert.ok(id, `the walk knows a value for ${whole} of ${template}`);
      return encodeURIComponent(id);
    });
    const [, outer, inner] = template.match(/^(.*)\{\w+\}(.*)$/) ?? [];
    for (const method of methods.filter((one) => one in item)) {
      const operation = item[method];
      const query = new URLSearchParams();
      for (const parameter of operation.parameters) {
        if (parameter.in !== 'query' || !parameter.required) continue;
        const isNode = /node(Id)?$/i.test(parameter.name);
        query.set(parameter.name, isNode ? ids.itemId : parameters[parameter.name] ?? 'default/guest');
      }
      routes.push({
        name: `${method} ${template}`, method: method.toUpperCase(), template, path: fill(template),
        target: query.size ? `${fill(template)}?${query}` : fill(template),
        pathTo: outer === undefined ? undefined : (id) => `${fill(outer)}${id}${inner}`,
        parameters: [...query.keys()],
        plugin: operation['x-stele-plugin'],
        isOpen: Array.isArray(operation.security) && operation.security.length === 0,
        properties: schemaOf(json, operation)?.properties,
      });
    }
  }
  return routes;
}
