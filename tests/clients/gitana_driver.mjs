// The driver gitana as promises: its own calls, one chain each, and what they ended with.
import { createRequire } from 'node:module';
import { after } from 'node:test';
import { SteleServer } from '../support/stele_server.mjs';

// The driver would send loopback requests through a proxy of the environment.
for (const name of ['http_proxy', 'HTTP_PROXY', 'https_proxy', 'HTTPS_PROXY']) delete process.env[name];

const require = createRequire(import.meta.url);
export const Gitana = require('gitana');
const { Chain } = globalThis;
// The driver's second transport, an optional dependency of its own; unlike the first it tells reason phrases.
const NodeHttpXhr = createRequire(require.resolve('gitana'))('node-http-xhr');

let connections = 0;

export function settingsFor(server, settings = {}) {
  connections += 1;
  return { baseURL: server.baseUrl.replace(/\/$/, ''), clientKey: server.seed.client.key,
           clientSecret: server.seed.client.secret, key: `connection-${connections}`, ...settings };
}

/// A connected platform; rejects with the driver's error.
export function connect(server, settings = { username: 'admin', password: server.seed.admin.password }) {
  return new Promise((resolve, reject) => {
    Gitana.connect(settingsFor(server, settings), function (error) {
      if (error) reject(Object.assign(new Error(error.message), error));
      else resolve(this.clone());
    });
  });
}

/// A server for the tests of a file, the driver connected as its administrator, and the domain of both.
export async function startPlatform(options = {}) {
  const server = await SteleServer.start(options);
  after(() => server.end());
  const admin = await connect(server);
  const primary = await call(admin, (platform) => platform.readPrimaryDomain());
  return { server, admin, primary };
}

/// What a chain of the driver's calls on `object` ends with: an object of the driver outside any chain.
export function call(object, work) {
  return new Promise((resolve, reject) => {
    const chain = Chain(object).trap((error) => { reject(error); return false; });
    work(chain).then(function () { resolve(this.clone()); });
  });
}

/// What the driver hands to the callback that `work` passes on.
export function ask(object, work) {
  return new Promise((resolve, reject) => {
    const chain = Chain(object).trap((error) => { reject(error); return false; });
    work(chain, (answer) => resolve(answer));
  });
}

/// The job of that id, once it has ended.
export async function endedJob(platform, id) {
  for (let tries = 0; tries < 400; ++tries) {
    const job = await send(platform, 'GET', `/jobs/${id}`);
    if (job.state === 'FINISHED' || job.state === 'ERROR') return job;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`job ${id} does not end`);
}

/// A request by the driver's transport, tokens and error handling, for paths that it has no method for.
export function send(platform, method, path, body) {
  return new Promise((resolve, reject) => {
    platform.getDriver().gitanaRequest(method, path, {}, 'application/json', body, {}, resolve,
      (error) => reject(Object.assign(new Error(error.message), error)));
  });
}

export function refresh(platform) {
  return new Promise((resolve, reject) => {
    platform.getDriver().refreshAuthentication((error) => (error ? reject(new Error(error.message)) : resolve()));
  });
}

/// Runs `work` while the driver uses its second transport; `watch` sees each request before it opens.
export async function withSecondTransport(work, watch = () => {}) {
  const first = Gitana.HTTP_XHR_FACTORY;
  Gitana.HTTP_XHR_FACTORY = () => {
    const xhr = new NodeHttpXhr();
    watch(xhr);
    return xhr;
  };
  try {
    return await work();
  } finally {
    Gitana.HTTP_XHR_FACTORY = first;
  }
}
