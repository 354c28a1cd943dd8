// The first record of every family of a place at the same moment: of any two families one comes first.
import assert from 'node:assert/strict';

/// By the place of the containers, families with what their records need; '' is the platform.
const families = {
  '': {
    '/domains': {}, '/directories': {}, '/applications': {}, '/registrars': {}, '/webhosts': {}, '/stacks': {}, '/projects': {},
    '/repositories': {}, '/uiconfigs': {}, '/access/policies': {}, '/clients': {},
    '/auth/grants': { principalDomainId: 'default', principalId: 'admin' },
    '/billing/configurations': {}, '/deployment/packages': {}, '/deployment/receivers': {}, '/deployment/strategies': {},
    '/deployment/targets': {}, '/descriptors': {}, '/reports': {}, '/sidekicks': {}, '/views': {},
  },
  '/applications': {
    '/emails': {}, '/emailproviders': {}, '/settings': {}, '/messages': {}, '/apikeys': {}, '/registrations': { userEmail: 'first@example.org' },
  },
  '/webhosts': { '/autoclientmappings': {}, '/trusteddomainmappings': {} },
  '/directories': { '/identities': {}, '/connections': {} },
};

/// Twice each, through all of the servers in turn; every record is there afterwards, once. Answers ids by path.
async function firstOf(servers, token, bodies) {
  const replies = await Promise.all(Object.entries(bodies).flatMap(([path, body], index) => [0, 1].map(async (twice) => {
    const server = servers[(index + twice) % servers.length];
    const reply = await server.request('POST', path, { token, body: { ...body, title: `first ${twice}` } });
    return { path, reply };
  })));
  const made = {};
  for (const { path, reply } of replies) {
    assert.notEqual(reply.status, 404, `there are ${path}`);
    assert.equal(reply.status, 200, `${path}: ${reply.text}`);
    made[path] = reply.json._doc;
    for (const server of servers) {
      const read = await server.request('GET', `${path}/${reply.json._doc}`, { token });
      assert.equal(read.status, 200, `${path}: ${read.text}`);
      assert.equal(read.json.title, reply.json.title, path);
    }
  }
  return made;
}

/// On a fresh store, first on the platform, then in the containers that were made there.
export async function firstUses(servers) {
  servers[0].adminToken ??= await servers[0].login();
  const token = servers[0].adminToken;
  const containers = await firstOf(servers, token, families['']);
  const inner = Object.entries(families).filter(([place]) => place !== '')
    .flatMap(([place, bodies]) => Object.entries(bodies).map(([path, body]) => [`${place}/${containers[place]}${path}`, body]));
  await firstOf(servers, token, Object.fromEntries(inner));
}
