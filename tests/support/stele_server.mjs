// Starts a real `stele` on a free port over a data folder of its own, and talks to it.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DescribedReplies } from './described_replies.mjs';
import { prepareStore } from './prepared_stores.mjs';

export const bin = process.env.STELE_BIN ?? new URL('../../build/release/bin/stele', import.meta.url).pathname;

export const seed = {
  admin: { password: 'admin' },
  client: { key: 'test-client', secret: 'test+secret/with=signs' },
  grant: { key: 'test-grant', secret: 'grant+secret/=' },
  platform: { title: 'Root Platform' },
};

const sharedAgent = new http.Agent({ keepAlive: true, maxSockets: 128 });
const running = new Set();
/// What servers say of their replies, by what decides it.
const descriptions = new Map();
process.on('exit', () => running.forEach((child) => child.kill('SIGKILL')));

export class SteleServer {
  /// Options: data (folder to keep), enable, config (text), plugins (folders), seedWith, limits (for ulimit).
  static async start(options = {}) {
    const server = new SteleServer();
    server.options = options;
    server.data = options.data ?? mkdtempSync(join(tmpdir(), 'stele-test-'));
    server.ownsData = !options.data;
    server.seed = options.seedWith ?? seed;
    if (!options.isPrepared) server.init();
    await server.launch();
    // `request` talks to servers without a certificate.
    if (server.baseUrl.startsWith('http:')) server.replies = await server.#described();
    return server;
  }

  /// The same for all servers with the same plugins. Replies are the same in a sanitized build, where
  /// making the description takes longer than most starts: there nothing is compared.
  async #described() {
    if (process.env.STELE_SANITIZED) return undefined;
    const key = JSON.stringify([this.options.enable, this.options.plugins]);
    if (!descriptions.has(key)) {
      const { json } = await this.#exchange('GET', '/openapi.json');
      descriptions.set(key, new DescribedReplies(json));
    }
    return descriptions.get(key);
  }

  common(data = this.data) {
    const args = ['--data', data];
    if (this.options.enable) args.push('--enable', this.options.enable);
    for (const folder of this.options.plugins ?? []) args.push('--plugins', folder);
    if (this.options.config) {
      const file = join(data, 'test.conf');
      writeFileSync(file, this.options.config);
      args.push('--config', file);
    }
    return args;
  }

  init() {
    const { config, enable, plugins } = this.options;
    // Settings may lead out of the folder, and a test's own folder may have something in it.
    if (config || !this.ownsData) this.#prepare(this.data);
    else prepareStore(this.data, { bin, seed: this.seed, enable, plugins }, (folder) => this.#prepare(folder));
  }

  #prepare(data) {
    const file = join(data, 'seed.json');
    writeFileSync(file, JSON.stringify(this.seed));
    const done = spawnSync(bin, ['init', ...this.common(data), '--seed', file], { encoding: 'utf8' });
    if (done.status !== 0) throw new Error(`stele init failed: ${done.stderr}${done.stdout}`);
  }

  launch() {
    return new Promise((resolve, reject) => {
      const args = ['serve', ...this.common(), '--listen', '127.0.0.1:0'];
      const { limits } = this.options;
      const [program, all] = limits ? ['bash', ['-c', `ulimit ${limits}; exec "$0" "$@"`, bin, ...args]] : [bin, args];
      const child = spawn(program, all, { stdio: ['ignore', 'pipe', 'pipe'] });
      this.child = child;
      this.log = '';
      running.add(child);
      this.exited = new Promise((done) => {
        child.on('exit', () => running.delete(child));
        // Not before the last of its log was read.
        child.on('close', (code, signal) => {
          done({ code, signal });
          reject(new Error(`stele ended at start: ${code ?? signal}\n${this.log}`));
        });
      });
      child.stderr.on('data', (text) => { this.log = (this.log + text).slice(-100_000); });
      this.out = '';
      child.stdout.on('data', (text) => {
        this.out += text;
        const found = this.out.match(/serves on (\S+)/);
        if (!found) return;
        this.baseUrl = found[1];
        this.port = Number(new URL(this.baseUrl).port);
        resolve();
      });
    });
  }

  /// Waits until the log, from an offset of it on, has what fits; the log comes by a pipe, so what was
  /// written before a reply may be read after it. Answers every such place.
  async logged(pattern, { from = 0 } = {}) {
    const found = () => this.log.slice(from).match(new RegExp(pattern, 'g'));
    for (const end = Date.now() + 60_000; !found() && Date.now() < end;) await new Promise((done) => { setTimeout(done, 10); });
    assert.ok(found(), `the log has nothing that fits ${pattern}:\n${this.log}`);
    return found();
  }

  async stop(signal = 'SIGTERM') {
    if (!running.has(this.child)) return this.exited;
    this.child.kill(signal);
    return this.exited;
  }

  async end() {
    const ended = await this.stop();
    if (this.ownsData) rmSync(this.data, { recursive: true, force: true });
    if (ended.code !== 0) throw new Error(`stele ended with ${JSON.stringify(ended)}\n${this.log}`);
  }

  check() {
    return this.run(['check']);
  }

  /// Another command of the program over the same store: its words, then what it reads. Everything else stands still.
  /// Servers may close idle connections meanwhile, which is seen only after the next request has been sent on one; so
  /// none is kept.
  run(words, { input, options = [] } = {}) {
    const done = spawnSync(bin, [...words, ...this.common(), ...options], { input, encoding: 'utf8' });
    for (const idle of Object.values(sharedAgent.freeSockets)) for (const socket of [...idle]) socket.destroy();
    return { status: done.status, out: done.stdout, err: done.stderr, text: done.stdout + done.stderr };
  }

  /// The same, while everything else goes on.
  runAside(words, { options = [] } = {}) {
    const child = spawn(bin, [...words, ...this.common(), ...options], { stdio: ['pipe', 'pipe', 'pipe'] });
    running.add(child);
    let text = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => { text += piece; });
    const ended = new Promise((resolve) => child.on('close', (status, signal) => {
      running.delete(child);
      resolve({ status, signal, text });
    }));
    return { child, ended };
  }

  /// One request; answers { status, headers, bytes, text, json }, which must be as the server describes it. With an
  /// `agent` of its own, a crowd does not stand in the way of the others.
  async request(method, path, options) {
    const reply = await this.#exchange(method, path, options);
    this.replies?.check(method, path, reply);
    return reply;
  }

  #exchange(method, path, { body, token, headers = {}, agent = sharedAgent } = {}) {
    const isRaw = typeof body === 'string' || Buffer.isBuffer(body);
    const payload = body === undefined ? undefined : isRaw ? body : JSON.stringify(body);
    const all = { ...headers };
    if (token) all.Authorization = `Bearer ${token}`;
    if (payload !== undefined) {
      all['Content-Type'] ??= 'application/json';
      all['Content-Length'] = Buffer.byteLength(payload);
    }
    return new Promise((resolve, reject) => {
      const request = http.request(
        { host: '127.0.0.1', port: this.port, method, path, headers: all, agent },
        (response) => {
          const pieces = [];
          response.on('data', (piece) => pieces.push(piece));
          response.on('error', reject);
          response.on('end', () => {
            const bytes = Buffer.concat(pieces);
            const text = bytes.toString('utf8');
            let json;
            try { json = JSON.parse(text); } catch { json = undefined; }
            resolve({ status: response.statusCode, statusText: response.statusMessage,
                      headers: response.headers, bytes, text, json });
          });
        });
      request.on('error', reject);
      request.end(payload);
    });
  }

  /// The access token of a user; the whole reply with `isWhole`.
  async login(username = 'admin', password = this.seed.admin.password, { isWhole = false } = {}) {
    const { key, secret } = this.seed.client;
    const form = new URLSearchParams({ grant_type: 'password', username, password, scope: 'api' });
    const reply = await this.request('POST', '/oauth/token', {
      body: form.toString(),
      headers: {
        Authorization: 'Basic ' + Buffer.from(`${key}:${secret}`).toString('base64'),
        'Content-Type': 'application/x-www-form-urlencoded',
      },
    });
    if (isWhole) return reply;
    if (reply.status !== 200) throw new Error(`login of ${username}: ${reply.status} ${reply.text}`);
    return reply.json.access_token;
  }

  /// A request as the administrator that must succeed; answers its JSON.
  async admin(method, path, body) {
    this.adminToken ??= await this.login();
    const reply = await this.request(method, path, { body, token: this.adminToken });
    if (reply.status !== 200) throw new Error(`${method} ${path}: ${reply.status} ${reply.text}`);
    return reply.json;
  }

  /// Makes a user of the primary domain with a password; answers its record.
  async makeUser(name, password = 'secret-of-' + name) {
    return this.admin('POST', '/domains/default/principals', { type: 'USER', name, password });
  }
}

/// Paths with every placeholder filled in.
export function fill(path, values) {
  return path.replace(/\{(\w+)\}/g, (whole, name) => {
    if (!(name in values)) throw new Error(`no value for ${whole} in ${path}`);
    return encodeURIComponent(values[name]);
  });
}
