// All routes of /openapi.json, with paths of records that exist.
import assert from 'node:assert/strict';
import { idNameOf, isAlias, makeContent } from './content_records.mjs';

const methods = ['get', 'post', 'put', 'patch', 'delete'];

/// Placeholders that stand for no record.
export const generalNames = {
  permissionId: 'READ', authorityId: 'consumer', typeId: 'platform', type: 'webhost', meterType: 'STORAGE',
  templateKey: 'folder-consumer', key: 'project-user', teamKey: 'walkers', roleKeyOrId: 'walker',
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
    uiConfigId: ['/uiconfigs'], accessPolicyId: ['/access/policies'],
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
  ids.id = ids.webhostId;
  Object.assign(ids, await makeContent((...request) => server.admin(...request)));
  await server.admin('POST', `/stacks/${ids.stackId}/datastores/assign?type=webhost&id=${ids.webhostId}&key=project-user`);
  return ids;
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

/// Every operation (under one of its paths, where it has several): method, path with `ids` in the place of placeholders (`target`: with its required
/// parameters, too; `pathTo`: with another last placeholder, where it has one), plugin, the fields of its
/// body, if it declares one. With `chosen`, of these paths of the document only.
export async function allRoutes(server, ids, chosen) {
  const { json } = await server.request('GET', '/openapi.json');
  const routes = [];
  for (const [template, item] of Object.entries(chosen ?? json.paths)) {
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
      const schema = operation.requestBody?.content['application/json'].schema.$ref?.split('/').at(-1);
      routes.push({
        name: `${method} ${template}`, method: method.toUpperCase(), template, path: fill(template),
        target: query.size ? `${fill(template)}?${query}` : fill(template),
        pathTo: outer === undefined ? undefined : (id) => `${fill(outer)}${id}${inner}`,
        parameters: [...query.keys()],
        plugin: operation['x-stele-plugin'],
        isOpen: Array.isArray(operation.security) && operation.security.length === 0,
        properties: schema ? json.components.schemas[schema].properties : undefined,
      });
    }
  }
  return routes;
}
