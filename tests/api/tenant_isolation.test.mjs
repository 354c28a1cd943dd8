// Isolation of tenants: every route with the ids of another tenant's records, by the owner of a tenant and
// by the administrator of the first platform. Each of them may do everything on a platform of its own.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { contentNames, exportDocument, idNameOf, isAlias, makeContent } from '../support/content_records.mjs';
import { described, everyPath, makeOthers } from '../support/route_walk.mjs';
import { SteleServer } from '../support/stele_server.mjs';
import { makeArchive } from '../support/zip_archive.mjs';
import { makeTenant } from '../support/stele_tenant.mjs';

const kMark = 'a secret of the other tenant';
const methods = ['get', 'post', 'put', 'patch', 'delete'];
/// They end the walker's own session.
const kSkipped = new Set(['/auth/expire', '/oauth/token', '/oauth/revoke']);

let server;
let description;
let paths;
let mine;
let other;
before(async () => {
  // No statistics are taken meanwhile: they change the records of stores.
  server = await SteleServer.start({ config: 'stores.statistics_period = 1h' });
  description = await described(server);
  paths = Object.fromEntries(Object.entries(everyPath(description)).filter(([path]) => !isAlias(path)));
  mine = await makeTenant(server, 'walker');
  other = await makeTenant(server, 'victim');
  mine.ids = await populate(mine, 'of the walker');
  other.ids = await populate(other, kMark);
});
after(() => server.end());

const kDeployment = 'walked';

/// A record of every family on the tenant's platform; answers their ids by placeholder.
async function populate(tenant, title) {
  const made = async (path, body = {}) => (await tenant.do('POST', path, { title, ...body }))._doc;
  const ids = {};
  ids.domainId = await made('/domains');
  ids.principalId = await made(`/domains/${ids.domainId}/principals`, { type: 'USER', name: 'u', password: 'password' });
  ids.groupId = await made(`/domains/${ids.domainId}/principals`, { type: 'GROUP', name: 'g' });
  ids.directoryId = await made('/directories');
  ids.identityId = await made(`/directories/${ids.directoryId}/identities`);
  ids.clientId = await made('/clients');
  ids.authenticationGrantId = await made('/auth/grants', { principalDomainId: ids.domainId, principalId: ids.principalId });
  ids.applicationId = await made('/applications');
  ids.emailProviderId = await made(`/applications/${ids.applicationId}/emailproviders`);
  ids.emailId = await made(`/applications/${ids.applicationId}/emails`);
  for (const [name, path] of [['settingsId', 'settings'], ['messageId', 'messages'], ['apiKeyId', 'apikeys'], ['registrationId', 'registrations']])
    ids[name] = await made(`/applications/${ids.applicationId}/${path}`, { userEmail: 'a@example.org' });
  ids.registrarId = await made('/registrars');
  ids.planId = await made(`/registrars/${ids.registrarId}/plans`, { planKey: `plan-of-${tenant.name}` });
  ids.tenantId = tenant.id;
  ids.webhostId = await made('/webhosts');
  ids.autoClientMappingId = await made(`/webhosts/${ids.webhostId}/autoclientmappings`);
  ids.trustedDomainMappingId = await made(`/webhosts/${ids.webhostId}/trusteddomainmappings`);
  await tenant.do('PUT', `/applications/${ids.applicationId}`, { title, deployments: { [kDeployment]: { webhost: ids.webhostId } } });
  ids.deployedApplicationId = await made(`/applications/${ids.applicationId}/deploy/${kDeployment}`);
  ids.pageRenditionId = await made(`/applications/${ids.applicationId}/deployments/${kDeployment}/pagerenditions`);
  ids.vaultId = await made('/vaults');
  ids.archiveId = await makeArchive(tenant.do, `/vaults/${ids.vaultId}`, { title });
  ids.stackId = await made('/stacks');
  ids.projectId = await made('/projects');
  ids.jobId = await made('/projects/start?schedule=synchronous');
  ids.uiConfigId = await made('/uiconfigs');
  ids.accessPolicyId = await made('/access/policies');
  for (const [name, path] of [
    ['billingProviderConfigurationId', '/billing/configurations'], ['deploymentPackageId', '/deployment/packages'],
    ['deploymentReceiverId', '/deployment/receivers'], ['deploymentStrategyId', '/deployment/strategies'],
    ['deploymentTargetId', '/deployment/targets'], ['serviceDescriptorId', '/descriptors'],
    ['connectionId', `/directories/${ids.directoryId}/connections`], ['reportId', '/reports'],
    ['sidekickId', '/sidekicks'], ['viewId', '/views']]) ids[name] = await made(path);
  ids.activityId = (await tenant.do('GET', '/activities?limit=1')).rows[0]._doc;
  ids.logId = 'entry-of-the-server';
  ids.id = ids.webhostId;
  ids.meterId = `meter-of-${tenant.name}`;
  Object.assign(ids, await makeContent(tenant.do, title));
  ids.exportId = await exportDocument(tenant.do, ids);
  return makeOthers(tenant.do, description, { ...general, ...ids }, title);
}

const general = { ...contentNames, permissionId: 'READ', authorityId: 'consumer', typeId: 'platform', teamKey: 'owners',
                  roleKeyOrId: 'consumer', templateKey: 'folder-consumer', key: 'none', type: 'webhost', meterType: 'STORAGE', deploymentKey: kDeployment,
                  actionId: 'syncNode', conditionId: 'propertyEquals' };

/// The path with `value(name, isLast)` for each placeholder that stands for a record.
function filled(path, value) {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).filter((name) => !(name in general));
  return path.replace(/\{(\w+)\}/g, (whole, name) => {
    const text = general[name] ?? value(idNameOf(path, name), name === names.at(-1));
    assert.ok(text, `the walk knows a value for ${whole} of ${path}`);
    return encodeURIComponent(text);
  });
}

const queryOf = (operation) => {
  const query = new URLSearchParams();
  for (const { in: place, required, name } of operation.parameters) {
    if (place !== 'query' || !required) continue;
    const isNode = /node(Id)?$/i.test(name);
    query.set(name, isNode ? other.ids.nodeId : `${other.ids.domainId}/${other.ids.principalId}`);
  }
  return query.toString() && `?${query}`;
};

/// Names the other tenant's records in every way that a body can.
const bodyOf = () => {
  const platform = other.record.platformId;
  const refs = [`webhost://${platform}/${other.ids.webhostId}`, `platform://${platform}`,
                `user://${platform}/${other.ids.domainId}/${other.ids.principalId}`];
  return {
    title: 'by another', name: 'another', planKey: 'another', principalId: other.ids.principalId,
    principalDomainId: other.ids.domainId, domainId: other.ids.domainId, stackId: other.ids.stackId,
    entries: refs.map((ref) => ({ ref, reference: ref, permissioned: ref, principalId: other.ids.principalId })),
    checks: [{ permissionedId: other.ids.webhostId, permissionId: 'READ', authorityId: 'consumer',
               principalId: `${other.ids.domainId}/${other.ids.principalId}` }],
    ids: Object.values(other.ids), _docs: [other.ids.nodeId, other.ids.itemId], nodes: { [other.ids.nodeId]: {} },
    targetNodeId: other.ids.nodeId, sourceRepositoryId: other.ids.repositoryId, sourceBranchId: other.ids.branchId,
  };
};

/// What the other tenant's platform holds, as its owner sees it.
async function everything(tenant) {
  const records = {};
  for (const path of Object.keys(paths)) {
    if (!('get' in paths[path]) || Array.isArray(paths[path].get.security)) continue;
    if (!path.endsWith('Id}') || path.startsWith('/jobs')) continue;
    const way = filled(path, (name) => tenant.ids[name]);
    const reply = await tenant.ask('GET', way);
    if (reply.status === 200) records[way] = reply.json;
  }
  return records;
}

async function walk(ask, valueOf, isRefused) {
  let requests = 0;
  for (const [path, item] of Object.entries(paths)) {
    if (kSkipped.has(path)) continue;
    for (const method of methods.filter((one) => one in item)) {
      if (Array.isArray(item[method].security) && item[method].security.length === 0) continue;
      const way = filled(path, valueOf) + queryOf(item[method]);
      const reply = await ask(method.toUpperCase(), way, method === 'get' ? undefined : bodyOf());
      const said = `${method} ${way}: ${reply.status} ${reply.text.slice(0, 400)}`;
      requests += 1;
      assert.ok(reply.status < 500, said);
      assert.ok(!reply.text.includes(kMark), said);
      if (isRefused(path)) assert.ok(reply.status >= 400, said);
      const rows = [reply.json?.checks, reply.json?.results, reply.json?.rows, reply.json?.entries].flat().filter(Boolean);
      for (const row of rows) {
        assert.notEqual(row.result, true, said);
        assert.ok(!row.entry, said);
      }
    }
  }
  return requests;
}

const namesRecord = (path) => [...path.matchAll(/\{(\w+)\}/g)].some(([, name]) => !(name in general));

test('the walk finds the other tenant’s records where they are', async () => {
  const records = await everything(other);
  const found = Object.keys(records);
  assert.ok(found.length >= 32, found.join('\n'));
  assert.ok(Object.values(records).filter(({ title }) => title === kMark).length >= 25);
  for (const inner of ['/nodes/', '/deletions/', '/versions/', '/changesets/']) {
    assert.ok(found.some((path) => path.startsWith('/repositories/') && path.includes(inner)), inner);
  }
});

for (const [who, ask] of [['another tenant', (...request) => mine.ask(...request)],
  ['the administrator of the first platform',
    async (method, path, body) => server.request(method, path, { body, token: (server.adminToken ??= await server.login()) })]]) {
  test(`no route leads ${who} to a tenant's records`, async () => {
    const present = await everything(other);
    const requests = await walk(ask, (name) => other.ids[name], namesRecord);
    assert.ok(requests > 700, `${requests} requests`);
    assert.deepEqual(await everything(other), present);
  });
}

test('neither do the walker’s own records as containers of the other’s', async () => {
  const present = await everything(other);
  const isInner = (path) => [...path.matchAll(/\{(\w+)\}/g)].filter(([, name]) => !(name in general)).length > 1;
  const kept = Object.entries(paths).filter(([path]) => isInner(path));
  const all = paths;
  paths = Object.fromEntries(kept);
  try {
    await walk((...request) => mine.ask(...request),
      (name, isLast) => (isLast ? other : mine).ids[name], () => true);
  } finally {
    paths = all;
  }
  assert.deepEqual(await everything(other), present);
});

test('a token of one tenant is worth nothing as a ticket or parameter elsewhere', async () => {
  const { json } = await mine.login();
  const root = (await server.admin('GET', '/'))._doc;
  for (const headers of [{ GITANA_TICKET: json.access_token }, { Cookie: `GITANA_TICKET=${json.access_token}` },
                         { Authorization: `Bearer ${json.access_token}` }]) {
    const reply = await server.request('GET', '/', { headers: { ...headers, Host: 'other.example.org' } });
    assert.equal(reply.json._doc, mine.record.platformId);
    assert.notEqual(reply.json._doc, root);
  }
});
