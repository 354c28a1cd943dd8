// Every row of docs/specification/operations.json for nodes answers as interface.md beside it says and does what its name says, in
// every form of its path.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isAlias, pathForms } from './content_records.mjs';
import { nodeCases } from './node_cases.mjs';
import { isResultMap, shapes } from './operation_shapes.mjs';
import { readSpecification } from './specification.mjs';
import { fill } from './stele_server.mjs';

const kBranch = '/repositories/{repositoryId}/branches/{branchId}';
const rows = JSON.parse(readSpecification('operations.json')).filter((row) => row.family === 'nodes');
const canonical = rows.filter((row) => !isAlias(row.path));
const keyOf = (row) => `${row.method} ${row.path.slice(kBranch.length)}`;

let server;
let place;
let user;
let made = 0;

/// A node to walk a row with, and a word that nothing else is called by.
class Subject {
  static async make() {
    const subject = new Subject();
    subject.word = `walked${++made}`;
    subject.title = `subject ${made}`;
    subject.user = `default/${user._doc}`;
    subject.id = await subject.make({ title: subject.title });
    return subject;
  }

  ask(method, tail, body) {
    return server.admin(method, fill(kBranch, place) + tail, body);
  }

  async upload(attachmentId, body, type) {
    const path = `${fill(kBranch, place)}/nodes/${this.id}/attachments/${attachmentId}`;
    const reply = await server.request('POST', path, { body, headers: { 'Content-Type': type }, token: server.adminToken });
    assert.equal(reply.status, 200, reply.text);
  }

  async make(fields = {}) {
    return (await this.ask('POST', '/nodes', fields))._doc;
  }

  tie(from, to, type, fields = {}) {
    return this.ask('POST', `/nodes/${from}/associate?node=${to}&type=${type}`, fields);
  }

  read(id = this.id) {
    return this.ask('GET', `/nodes/${id}`);
  }

  async isMissing(tail) {
    const reply = await server.request('GET', fill(kBranch, place) + tail, { token: server.adminToken });
    assert.equal(reply.status, 404, reply.text);
  }

  /// What the placeholders of a path stand for.
  values() {
    return {
      ...place, nodeId: this.id, changesetId: this.changeset, mountKey: this.word, listKey: this.word, itemId: this.item,
      qname: `custom:${this.word}`, formKey: 'walked', blogId: this.blog, attachmentId: 'kept', featureId: 'f:taggable',
      associationTypeId: 'a:owned', permissionId: 'READ', authorityId: 'consumer', name: 'icon',
    };
  }
}

async function checkParameters(row, optional, path, query, options) {
  for (const { name } of row.params.filter((one) => one.required && !optional.includes(one.name))) {
    const others = new URLSearchParams(query);
    others.delete(name);
    const missing = await server.request(row.method, `${path}?${others}`, options);
    assert.equal(missing.status, 400, `${name} is required: ${missing.text}`);
    assert.match(missing.json.message, new RegExp(name));
  }
  if (!row.paged) return;
  for (const [name, value] of Object.entries({ skip: 0, limit: 1, sort: '{"title":1}' })) query.set(name, value);
  const page = await server.request(row.method, `${path}?${query}`, options);
  assert.equal(page.status, 200, page.text);
  isResultMap(page.json);
  assert.equal(page.json.rows.length, 1);
  query.set('skip', 'minus');
  const bad = await server.request(row.method, `${path}?${query}`, options);
  assert.equal(bad.status, 400);
  assert.match(bad.json.message, /skip/);
}

async function walk(row, form) {
  const { before: prepare, query = () => ({}), body, headers, check, bytes, optional = [] } = nodeCases[keyOf(row)];
  const subject = await Subject.make();
  await prepare?.(subject);
  const path = fill(form, subject.values());
  const asked = new URLSearchParams(query(subject));
  const options = { body: body?.(subject), headers, token: server.adminToken };
  const reply = await server.request(row.method, `${path}?${asked}`, options);
  assert.equal(reply.status, 200, reply.text);
  if (bytes) {
    assert.match(reply.headers['content-type'], bytes);
    assert.ok(reply.text.length > 0);
    return;
  }
  assert.match(reply.headers['content-type'], /^application\/json/);
  assert.ok(row.returns in shapes, `the walk knows the shape ${row.returns}`);
  shapes[row.returns](reply.json);
  await check(reply.json, subject);
  await checkParameters(row, optional, path, asked, options);
}

/// What the walk needs of a server.
export async function prepareNodeOperations(started) {
  server = started;
  user = await server.makeUser('node-walker');
  const repositoryId = (await server.admin('POST', '/repositories', { title: 'walked' }))._doc;
  const branches = `/repositories/${repositoryId}/branches`;
  place = { repositoryId, branchId: (await server.admin('POST', `${branches}?branch=master`, {}))._doc };
}

/// In every form of each path, or only in those that the file shows.
export function walkNodeOperations({ inEveryForm }) {
  const shown = new Set(rows.map((row) => `${row.method} ${row.path}`));
  const formsOf = ({ method, path }) => pathForms(path).filter((form) => inEveryForm || shown.has(`${method} ${form}`));
  test('nodes: the file has all rows, and each is a form of one that is walked', () => {
    assert.equal(rows.length, 115);
    assert.deepEqual([...new Set(canonical.map(keyOf))].sort(), Object.keys(nodeCases).sort());
    const walked = new Set(canonical.flatMap((row) => pathForms(row.path).map((form) => `${row.method} ${form}`)));
    for (const row of rows) assert.ok(walked.has(`${row.method} ${row.path}`), `${row.method} ${row.path}`);
  });
  for (const row of canonical) {
    test(`nodes: ${row.operation}: ${row.method} ${row.path}`, async () => {
      for (const form of formsOf(row)) await walk(row, form);
    });
  }
}
