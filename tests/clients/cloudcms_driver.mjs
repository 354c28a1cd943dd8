// The driver cloudcms with each of its engines, and one look at the errors that they make.
import { createRequire } from 'node:module';

// The driver would send loopback requests through a proxy of the environment.
for (const name of ['http_proxy', 'HTTP_PROXY', 'https_proxy', 'HTTPS_PROXY', 'all_proxy', 'ALL_PROXY']) {
  delete process.env[name];
}

export const CloudCMS = createRequire(import.meta.url)('cloudcms');

/// A session of ours, as the driver invites: what it has no methods for, by its own requests.
export class SteleSession extends CloudCMS.UtilitySession {
  readRecord(path, id) { return this.get(`${path}/${id}`); }

  async createRecord(path, body) {
    const { _doc: id } = await this.post(path, {}, body);
    return this.readRecord(path, id);
  }

  queryRecords(path, query, pagination) { return this.post(`${path}/query`, { ...pagination }, query); }

  deleteRecord(path, id) { return this.del(`${path}/${id}`); }

  /// The fetch engine of 0.2.38 ends each PUT with a ReferenceError before anything is sent;
  /// the interface's other way to update is left to it.
  updateRecord(path, record) {
    const whole = `${path}/${record._doc}`;
    return this.engine instanceof CloudCMS.FetchEngine
      ? this.post(`${whole}/update`, {}, record)
      : this.put(whole, {}, record);
  }

  grant(path, role, id) { return this.post(`${path}/authorities/${role}/grant`, { id }); }

  revoke(path, role, id) { return this.post(`${path}/authorities/${role}/revoke`, { id }); }

  async holds(path, permission, id) { return (await this.post(`${path}/permissions/${permission}/check`, { id })).check; }

  async members(domainId, groupId, more) {
    return (await this.get(`/domains/${domainId}/principals/${groupId}/members`, { ...more })).rows;
  }
}

export const engines = [
  ['axios', undefined],
  ['fetch', undefined],
  ["fetch with Node's own fetch", { fetch: globalThis.fetch }],
];

export function configFor(server, more = {}) {
  const { key, secret } = server.seed.client;
  return { baseURL: server.baseUrl.replace(/\/$/, ''), clientKey: key, clientSecret: secret,
           username: 'admin', password: server.seed.admin.password, ...more };
}

/// Connects with one of the engines; `callback` as the driver takes it, or a promise.
export function connectWith([engine, options], config, callback) {
  CloudCMS.engine(engine.split(' ')[0], options);
  CloudCMS.session(SteleSession);
  return CloudCMS.connect(config, callback);
}

/// What an error of either engine tells: the status and the reply's body.
export function told(error) {
  const { response } = error;
  return response?.data === undefined
    ? { status: error.status, body: response }
    : { status: response.status, body: response.data };
}
