// Whether two archives say the same, but for what their manifest says may differ and for a renaming of ids
// (docs/reference/archive-format.md, "What may differ").
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { unzip } from './zip_archive.mjs';

/// An id that a server has made; the number before that of a changeset is no part of what it is.
const kId = /(?:\d+[:_])?(?<![0-9a-f])([0-9a-f]{20})(?![0-9a-f])/g;
/// What an import writes anew of a reference to a node: the branch.
const kReference = /(node:\/\/[^/"]+\/[^/"]+\/)[^/"]+(?=\/)/g;
const kNothing = /(?!)/g;
const kContentFile = /\/(node|association)\.json$/;
const kMadeInBranches = ['n:person', 'n:group', 'a:has_tag'];
const kBeginnings = ['r:root', 'r:users'];
/// Lists that have no order of their own.
const kSets = ['acl', 'roles', 'teams', 'members', 'targets', 'policies'];
const kShown = 20;

const digest = (text) => createHash('sha1').update(text).digest('hex').slice(0, 16);
const isPlain = (value) => value !== null && typeof value === 'object' && !Array.isArray(value);
/// JSON text whose members are in the order of their names, ids aside.
function steadyText(value) {
  if (Array.isArray(value)) return `[${value.map(steadyText).join(',')}]`;
  if (!isPlain(value)) return JSON.stringify(value);
  const names = Object.keys(value).sort((one, other) => {
    const [a, b] = [one.replace(kId, '@'), other.replace(kId, '@')];
    return a < b ? -1 : a > b ? 1 : 0;
  });
  return `{${names.map((name) => `${JSON.stringify(name)}:${steadyText(value[name])}`).join(',')}}`;
}

/// A thing that an archive says, taken apart into ids and what is between them.
class Statement {
  constructor(path, content) {
    this.text = `${path} ${typeof content === 'string' ? content : steadyText(content)}`;
    this.pieces = this.text.split(kId).filter((_, i) => i % 2 === 0);
    this.ids = [...this.text.matchAll(kId)].map(([, id]) => id);
    this.distinct = [...new Set(this.ids)];
  }

  told(labels) {
    return this.pieces.map((piece, i) => piece + (i < this.ids.length ? `@${labels.get(this.ids[i])}` : '')).join('');
  }
}

export class ComparedArchive {
  /// Of a zip, or of its files. `leavesOut(path)` tells which files are not looked at.
  constructor(archive, leavesOut = () => false) {
    this.files = archive instanceof Map ? archive : unzip(archive);
    this.manifest = JSON.parse(this.files.get('manifest.json'));
    this.mayDiffer = new Set(this.manifest.mayDiffer);
    this.statements = [];
    /// Ids of nodes and associations, but for those that the server makes in each branch itself.
    this.content = new Set();
    this.leavesOut = leavesOut;
    this.#take();
    this.ids = new Set(this.statements.flatMap(({ ids }) => ids));
  }

  #json(path) {
    return JSON.parse(this.files.get(path));
  }

  #say(path, content) {
    this.statements.push(new Statement(path, content));
  }

  /// A record without what its manifest says may differ.
  #steady(word, record) {
    return Object.fromEntries(Object.entries(record).filter(([name]) => !(name === '_system' && this.mayDiffer.has(name)) && !this.mayDiffer.has(`${word}/${name}`)));
  }

  #take() {
    const { contents, sources, ...rest } = this.manifest;
    for (const [name, value] of Object.entries(rest)) if (!this.mayDiffer.has(name)) this.#say(`manifest ${name}`, value);
    for (const chain of sources) this.#say('manifest source', chain);
    const isContent = ({ typeId, location }) => location.includes('/changesets/') || typeId === 'changesets';
    const unsteady = [];
    for (const [key, { files, ...told }] of Object.entries(contents)) {
      // The records of some families as a whole.
      if (this.mayDiffer.has(`${told.typeId}/*`)) unsteady.push(`${told.location}/`);
      else if (!isContent(told) && !this.leavesOut(`${told.location}/${told.typeId}.json`)) this.#say(`entry ${key}`, { ...told, names: Object.keys(files).sort() });
    }
    const states = new Map();
    for (const path of this.files.keys()) {
      if (path === 'manifest.json' || path.includes('/changesets/') || unsteady.some((location) => path.startsWith(location))) continue;
      if (path.endsWith('/grants.json')) continue;
      if (path.endsWith('/changesets.json')) states.set(path.slice(0, -'/changesets.json'.length), this.#json(path));
      else this.#takeFile(path, path);
    }
    this.#takeContent(states);
  }

  /// History is not imported as history: a branch is the state to which its changesets lead.
  #takeContent(states) {
    // Of each folder of a changeset the folders of its nodes, and of these the files.
    const changesets = new Map();
    for (const path of this.files.keys()) {
      const [, changeset, id] = path.match(/^(.*\/changesets\/[^/]+)\/nodes\/([^/]+)\//) ?? [];
      if (!id) continue;
      if (!changesets.has(changeset)) changesets.set(changeset, new Map());
      const nodes = changesets.get(changeset);
      nodes.set(id, [...(nodes.get(id) ?? []), path]);
    }
    // Nodes alone have no branch around them.
    const branches = states.size > 0 ? states : new Map([...changesets.keys()].map((folder) => [`${folder.split('/changesets/')[0]}/branches/none`, [folder.split('/').at(-1)]]));
    for (const [branch, ids] of branches) {
      const repository = branch.slice(0, branch.lastIndexOf('/branches/'));
      const latest = new Map();
      for (const id of ids) for (const [node, files] of changesets.get(`${repository}/changesets/${id.replace(':', '_')}`) ?? []) latest.set(node, files);
      this.#takeState(branch, latest);
    }
  }

  /// What the server makes in a branch itself is one and the same thing in forks, until they come from an archive.
  #takeState(branch, latest) {
    const own = new Map();
    const told = [...latest].map(([id, files]) => [id, files, this.#json(files.find((path) => kContentFile.test(path)))]).filter(([, , { _system }]) => !_system?.deleted);
    for (const [id, , { _type, _qname }] of told) {
      if (kMadeInBranches.includes(_type)) own.set(id, createHash('sha1').update(branch + id).digest('hex').slice(0, 20));
      else if (!kBeginnings.includes(_qname)) this.content.add(id);
    }
    const scoped = (text) => text.replace(kId, (whole, id) => own.get(id) ?? whole);
    const grants = this.files.has(`${branch}/grants.json`) ? this.#json(`${branch}/grants.json`) : undefined;
    for (const [id, files] of told) {
      const place = `${branch}/nodes/${id}`;
      const isAcl = (path) => path.endsWith(`/nodes/${id}/acl.json`);
      for (const element of grants?.[id] ?? []) this.#takeElement('acl', scoped(`${place}/acl.json`), element);
      for (const path of files) if (!grants || !isAcl(path)) this.#takeFile(path, place + path.slice(path.indexOf(`/nodes/${id}/`) + `/nodes/${id}`.length), scoped);
    }
  }

  #takeFile(path, name, scoped = (text) => text) {
    if (this.leavesOut(path)) return undefined;
    const isAttachment = name.includes('/attachments/');
    name = scoped(name);
    const word = name.match(/([^/]+)\.json$/)?.[1];
    if (isAttachment || !word) {
      const bytes = this.files.get(path);
      return this.#say(name, isAttachment && word ? JSON.parse(bytes) : { size: bytes.length, sha1: digest(bytes) });
    }
    const content = this.#json(path);
    if (kSets.includes(word)) for (const element of content) this.#takeElement(word, name, element);
    else if (word === 'companions') for (const pair of Object.entries(content)) this.#say(name, pair);
    else if (word === 'node' || word === 'association') this.#say(name, scoped(steadyText(this.#steady(word, content)).replace(this.mayDiffer.has('node/ref') ? kReference : kNothing, '$1')));
    else this.#say(name, this.#steady(word, content));
  }

  #takeElement(word, name, element) {
    if (typeof element === 'string') return this.#say(name, element);
    const { members, ...rest } = word === 'roles' ? { ...element, _doc: undefined, _system: undefined } : element;
    for (const keys of ['authorities', 'roleKeys', 'permissions', 'policies']) rest[keys]?.sort();
    this.#say(name, rest);
    for (const member of members ?? []) this.#say(`${name} ${element.key}`, member);
    return undefined;
  }

  /// Names the ids by what is said of them: those of the same name cannot be told apart.
  refine(labels) {
    const said = new Map([...this.ids].map((id) => [id, []]));
    for (const statement of this.statements) {
      const text = digest(statement.told(labels));
      for (const id of statement.distinct) said.get(id).push(text + statement.ids.flatMap((one, i) => one === id ? [i] : []).join('.'));
    }
    return new Map([...this.ids].map((id) => [id, digest(labels.get(id) + said.get(id).sort().join())]));
  }
}

const byLabel = (labels) => {
  const classes = new Map();
  for (const [id, label] of labels) classes.set(label, [...(classes.get(label) ?? []), id].sort());
  return classes;
};

/// What only one of two archives says, as it looks under their labels.
function difference(sides) {
  const left = new Map();
  for (const [sign, { archive, labels }] of [[1, sides[0]], [-1, sides[1]]]) {
    for (const statement of archive.statements) {
      const told = statement.told(labels);
      const entry = left.get(told) ?? { count: 0, text: statement.text };
      left.set(told, { ...entry, count: entry.count + sign });
    }
  }
  const lines = [...left.values()].filter(({ count }) => count !== 0).map(({ count, text }) => `${count > 0 ? '-' : '+'} ${text}`);
  return lines.sort((one, other) => (one.slice(2) < other.slice(2) ? -1 : 1));
}

/// Where ids lead to different things, all that names them differs, too: only what is said of those that differ least.
function leastDifference(sides, before) {
  const said = sides.map(({ archive }) => {
    const all = new Map([...archive.ids].map((id) => [id, []]));
    for (const statement of archive.statements) for (const id of statement.distinct) all.get(id).push([statement.told(before.get(archive)), statement.text]);
    return all;
  });
  const labels = sides.map((side) => new Set(side.labels.values()));
  const alone = sides.map((side, i) => [...side.labels].filter(([, label]) => !labels[1 - i].has(label)).map(([id]) => id));
  let least;
  for (const one of alone[0]) {
    for (const other of alone[1]) {
      const [here, there] = [said[0].get(one), said[1].get(other)];
      const without = (list, rest) => list.filter(([told]) => !rest.some(([same]) => same === told)).map(([, text]) => text);
      const lines = [...without(here, there).map((text) => `- ${text}`), ...without(there, here).map((text) => `+ ${text}`)];
      if (lines.length > 0 && lines.length < here.length + there.length && (!least || lines.length < least.length)) least = lines;
    }
  }
  return least ?? [];
}

/// Answers which ids of the second archive stand for those of the first. Both say the same, or it fails and tells what differs.
export function assertSameArchives(first, second, about = '') {
  const sides = [first, second].map((archive) => ({ archive, labels: new Map([...archive.ids].map((id) => [id, ''])) }));
  let before;
  for (let classes = 0;;) {
    const lines = difference(sides);
    const shown = (before && lines.length > 0 ? leastDifference(sides, before) : []).concat(lines).slice(0, kShown);
    assert.ok(lines.length === 0, `${about}: ${lines.length} things differ\n${shown.map((line) => line.slice(0, 1500)).join('\n')}`);
    const [now, others] = sides.map(({ labels }) => byLabel(labels));
    if (now.size === classes) return new Map([...now].flatMap(([label, ids]) => ids.map((id, i) => [id, others.get(label)[i]])));
    classes = now.size;
    before = new Map(sides.map(({ archive, labels }) => [archive, labels]));
    for (const side of sides) side.labels = side.archive.refine(side.labels);
  }
}
