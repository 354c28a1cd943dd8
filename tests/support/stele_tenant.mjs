// Tenants of a real server: made by its administrator, entered by their owners.

/// A tenant of a new user of the first platform; answers its record, its client and how to act in it.
export async function makeTenant(server, name, fields = {}) {
  const user = await server.makeUser(name);
  const { _doc } = await server.admin('POST', '/registrars/default/tenants',
    { title: `Tenant ${name}`, planKey: 'unlimited', principalId: user._doc, domainId: 'default', ...fields });
  return openTenant(server, _doc, name);
}

export async function openTenant(server, id, name) {
  const path = `/registrars/default/tenants/${id}`;
  const record = await server.admin('GET', path);
  const client = await server.admin('GET', `${path}/defaultclient`);
  const tenant = { id, path, record, client, name };
  tenant.login = (username = name, password = `secret-of-${name}`) => loginWith(server, client, username, password);
  tenant.ask = async (method, way, body) => {
    tenant.token ??= (await tenant.login()).json.access_token;
    return server.request(method, way, { body, token: tenant.token });
  };
  /// The same, where it must succeed.
  tenant.do = async (method, way, body) => {
    const reply = await tenant.ask(method, way, body);
    if (reply.status !== 200) throw new Error(`${method} ${way}: ${reply.status} ${reply.text}`);
    return reply.json;
  };
  return tenant;
}

/// The whole reply of the token endpoint to a client.
export function loginWith(server, { key, secret }, username, password) {
  const form = new URLSearchParams({ grant_type: 'password', username, password });
  return server.request('POST', '/oauth/token', {
    body: form.toString(),
    headers: { Authorization: 'Basic ' + Buffer.from(`${key}:${secret}`).toString('base64'),
               'Content-Type': 'application/x-www-form-urlencoded' },
  });
}
