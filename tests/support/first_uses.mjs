// The first record of every family of the platform at the same moment: of any two families one comes first.
import assert from 'node:assert/strict';

const paths = [
  '/domains', '/directories', '/applications', '/registrars', '/webhosts', '/stacks',
  '/repositories', '/uiconfigs', '/access/policies', '/clients',
  '/billing/configurations', '/deployment/packages', '/deployment/receivers', '/deployment/strategies',
  '/deployment/targets', '/descriptors', '/reports', '/sidekicks', '/views',
];

/// Through all of the servers in turn; every record is there afterwards, once.
export async function firstUses(servers) {
  servers[0].adminToken ??= await servers[0].login();
  const token = servers[0].adminToken;
  const replies = await Promise.all(paths.flatMap((path, index) => [0, 1].map(async (twice) => {
    const server = servers[(index + twice) % servers.length];
    const reply = await server.request('POST', path, { token, body: { title: `first ${twice}` } });
    return { path, reply };
  })));
  for (const { path, reply } of replies) {
    assert.notEqual(reply.status, 404, `there are ${path}`);
    assert.equal(reply.status, 200, `${path}: ${reply.text}`);
    for (const server of servers) {
      const read = await server.request('GET', `${path}/${reply.json._doc}`, { token });
      assert.equal(read.status, 200, `${path}: ${read.text}`);
      assert.equal(read.json.title, reply.json.title, path);
    }
  }
}
