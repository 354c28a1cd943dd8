// Cases of the specification: each is named after the statement that it holds the server to.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { endedJob } from './ended_job.mjs';
import { readSpecification } from './specification.mjs';
import { SteleServer } from './stele_server.mjs';

const kHeading = /^#{2,3} (\d+(?:\.\d+)?)\.? /;
const kItem = /^(\d+)\. (.*)/;
const files = new Map();

/// By number, the statements of a file of docs/specification.
function statementsOf(file) {
  if (files.has(file)) return files.get(file);
  const found = new Map();
  let section = '';
  for (const line of readSpecification(`${file}.md`).split('\n')) {
    const heading = line.match(kHeading);
    if (heading) section = `${heading[1]}.`;
    const item = line.match(kItem);
    if (item) found.set(section + item[1], item[2]);
  }
  files.set(file, found);
  return found;
}

/// Tests that hold the server to statements such as 'platform 4.4.2', one for each of several with commas
/// between; they share one run.
export function statement(numbers, run) {
  let shared;
  const once = () => (shared ??= run());
  for (const name of numbers.split(', ')) {
    const [file, number] = name.split(' ');
    const text = statementsOf(file).get(number);
    assert.ok(text, `docs/specification has no statement ${name}`);
    test(`${name}: ${text}`, once);
  }
}

/// What cases ask: a server of their own, as the administrator unless somebody else is named.
export class Subject {
  /// Serves for the whole file.
  static serve(options) {
    const subject = new Subject();
    before(async () => { subject.server = await SteleServer.start(options); });
    after(() => subject.server.end());
    return subject;
  }

  /// A call that must succeed; its JSON.
  ok(method, path, body) {
    return this.server.admin(method, path, body);
  }

  get(path) {
    return this.ok('GET', path);
  }

  post(path, body) {
    return this.ok('POST', path, body);
  }

  put(path, body) {
    return this.ok('PUT', path, body);
  }

  /// A new record's id.
  async make(path, fields = {}) {
    return (await this.post(path, fields))._doc;
  }

  /// The whole reply; `who` is a user of `person`, or null for nobody.
  async reply(method, path, body, who) {
    this.server.adminToken ??= await this.server.login();
    const token = who === undefined ? this.server.adminToken : who?.token;
    return this.server.request(method, path, { body, token });
  }

  /// A call that must be refused with this status; the error.
  async refused(status, method, path, body, who) {
    const reply = await this.reply(method, path, body, who);
    assert.equal(reply.status, status, `${method} ${path}: ${reply.text.slice(0, 400)}`);
    assert.equal(reply.json.ok, false);
    assert.ok(reply.json.error);
    assert.ok(reply.json.message.length > 0);
    return reply.json;
  }

  /// A call that somebody may do; its JSON.
  async allowed(method, path, body, who) {
    const reply = await this.reply(method, path, body, who);
    assert.equal(reply.status, 200, `${method} ${path}: ${reply.text.slice(0, 400)}`);
    return reply.json;
  }

  /// A user of the primary domain who has logged in: `id`, `name` and `token`.
  async person(name) {
    const { _doc } = await this.server.makeUser(name);
    return { id: _doc, name, path: `/domains/default/principals/${_doc}`, token: await this.server.login(name, `secret-of-${name}`) };
  }

  /// A job when it has ended; it may take long on a busy machine.
  finished(id) {
    return endedJob((_method, path) => this.get(path), id);
  }

  grant(path, role, who) {
    return this.post(`${path}/authorities/${role}/grant?id=default/${who.id ?? who}`);
  }

  revoke(path, role, who) {
    return this.post(`${path}/authorities/${role}/revoke?id=default/${who.id ?? who}`);
  }

  async platformId() {
    this.platform ??= (await this.get('/'))._doc;
    return this.platform;
  }

  /// A fresh repository with the path of its master branch and ways to fill it.
  async repository(fields = {}) {
    const id = await this.make('/repositories', fields);
    const path = `/repositories/${id}`;
    const branch = `${path}/branches/master`;
    return { id, path, branch, node: (body = {}, tail = '') => this.make(`${branch}/nodes${tail}`, body) };
  }
}

export const ids = (page) => page.rows.map((row) => row._doc);
export const titles = (page) => page.rows.map((row) => row.title);
