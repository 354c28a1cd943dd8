// Compares replies with what the server says of them in /openapi.json.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';

const require = createRequire(new URL('../clients/package.json', import.meta.url));
const Ajv = require('ajv/dist/2020').default;

const isPlaceholder = (segment) => segment.startsWith('{');
const segmentsOf = (path) => path.split('/').filter((segment) => segment !== '');
const pointer = (word) => encodeURIComponent(word.replaceAll('~', '~0').replaceAll('/', '~1'));

export class DescribedReplies {
  constructor(description) {
    this.description = description;
    this.ajv = new Ajv({ strict: false, allErrors: false, validateFormats: false });
    this.ajv.addSchema(description, 'description');
    this.validators = new Map();
    this.root = { literal: new Map(), any: null, template: null };
    for (const [template, item] of Object.entries(description.paths)) {
      this.#add(template, template);
      for (const operation of Object.values(item)) {
        for (const alias of operation['x-stele-aliases'] ?? []) this.#add(alias, template);
      }
    }
  }

  #add(path, template) {
    let place = this.root;
    for (const segment of segmentsOf(path)) {
      const made = { literal: new Map(), any: null, template: null };
      if (isPlaceholder(segment)) place = (place.any ??= made);
      else {
        if (!place.literal.has(segment)) place.literal.set(segment, made);
        place = place.literal.get(segment);
      }
    }
    place.template ??= template;
  }

  /// The described path that leads to the same operation; null where there is none. Words come before placeholders.
  template(path) {
    const find = (place, rest) => {
      if (rest.length === 0) return place.template;
      const [segment, ...behind] = rest;
      const next = place.literal.get(segment);
      return (next && find(next, behind)) ?? (place.any ? find(place.any, behind) : null);
    };
    return find(this.root, segmentsOf(path.replace(/[?#].*$/, '').replace(/;[^/]*/g, '')));
  }

  #validator(template, method, status) {
    const key = `${method} ${template} ${status}`;
    if (!this.validators.has(key)) {
      const at = `#/paths/${pointer(template)}/${method}/responses/${status}/content/${pointer('application/json')}/schema`;
      this.validators.set(key, this.ajv.compile({ $ref: `description${at}` }));
    }
    return this.validators.get(key);
  }

  /// What is wrong with a reply; null when nothing is, or when nothing is said of it.
  problem(method, path, { status, headers, json }) {
    const template = this.template(path);
    const operation = template && this.description.paths[template][method.toLowerCase()];
    // What is encoded was asked for by a test that looks at the bytes.
    if (!operation || (status !== 200 && status < 400) || headers['content-encoding']) return null;
    const said = operation.responses[200].content;
    const isJson = headers['content-type']?.startsWith('application/json') ?? false;
    if (status === 200 && !('application/json' in said)) return null;
    if (!isJson) return status === 200 ? `${method} ${template} answers ${headers['content-type']}, which is not described` : null;
    const isFailure = status >= 400;
    const validate = isFailure
      ? this.ajv.getSchema('description#/components/schemas/Error')
      : this.#validator(template, method.toLowerCase(), 200);
    if (validate(json)) return null;
    const [first] = validate.errors;
    return `${method} ${template} (${status}) is described otherwise: ${first.instancePath || 'the body'} ${first.message} ` +
      `${JSON.stringify(first.params)}\n${JSON.stringify(json)?.slice(0, 600)}`;
  }

  check(method, path, reply) {
    assert.equal(this.problem(method, path, reply), null);
  }
}
