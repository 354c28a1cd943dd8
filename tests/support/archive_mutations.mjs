// Archives that somebody tampered with, by a seed.
import { createHash } from 'node:crypto';
import { zip } from './zip_archive.mjs';

/// Whole numbers below a bound, the same for the same seed.
export function chance(seed) {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

const kNames = ['../x', '/etc/passwd', 'a\\b', 'platforms/../../x', 'x\u0000y', '', '.', '..', 'manifest.json', 'a'.repeat(3000), 'platforms/p/domains/d/domain.json',
                'platforms/platformId/platform.json', 'repository/branch/nodes/x/node.json', 'repository/branch/nodes/../node.json', 'changesets/', 'é\u0301/\u202e'];
const kTexts = ['', '../x', 'r:root', 'r:users', 'n:root', 'd:type', 'n:person', 'a:child', 'a:has_role', 'o:x', 'd:feature', '__proto__', '\u0000', '$where', 'x'.repeat(70_000),
                'node://a/b/c/d', 'platform', 'default', 'admin', 'repository://x/y', 'DIRECTED', 'UNDIRECTED', '0:root'];
const deep = (levels) => JSON.parse('['.repeat(levels) + ']'.repeat(levels));
const values = () => [null, true, false, 0, -1, 1e308, 2 ** 53, [], {}, [[]], deep(80), { $regex: '(a+)+$' }, { id: 'x', typeQName: 'n:node', ref: 'node://a/b/c/d' }, [1, 'a', null], ...kTexts];
const kMembers = ['_system', '_doc', '_type', '_qname', '_features', '_parent', '_key', '_existing', '_is_association', 'source', 'target', 'directionality', 'title', 'password', 'properties',
                  'platformId', 'tip', 'root', 'type', 'name', 'domain', 'authorities', 'sources', 'contents', 'parts', 'model', 'id', 'typeId', '__proto__', '_statistics', '_source', '_target'];

/// Another value somewhere in a JSON value.
function altered(random, value) {
  const any = () => { const all = values(); return all[random(all.length)]; };
  if (value === null || typeof value !== 'object' || random(6) === 0) return any();
  if (Array.isArray(value)) {
    const at = random(value.length + 1);
    return at === value.length ? [...value, any()] : value.with(at, altered(random, value[at]));
  }
  const names = Object.keys(value);
  const name = names.length === 0 || random(4) === 0 ? kMembers[random(kMembers.length)] : names[random(names.length)];
  const changed = { ...value };
  if (random(5) === 0) delete changed[name];
  else Object.defineProperty(changed, name, { value: name in value ? altered(random, value[name]) : any(), enumerable: true, configurable: true, writable: true });
  return changed;
}

const digestOf = (data) => ({ sha256: createHash('sha256').update(data).digest('hex'), size: data.length });

/// Says in the manifest what the files are now, where it says that at all.
export function sealed(files) {
  let manifest;
  try { manifest = JSON.parse(files['manifest.json']); } catch { return files; }
  for (const entry of Object.values(manifest?.contents ?? {})) {
    for (const name of Object.keys(entry?.files ?? {})) {
      const data = files[`${entry.location}/${name}`];
      if (data !== undefined) entry.files[name] = digestOf(Buffer.from(data));
    }
  }
  return { ...files, 'manifest.json': JSON.stringify(manifest) };
}

/// A changed zip of files by path, which `random` decides; answers `{ what, bytes }`.
export function tampered(random, files) {
  const names = Object.keys(files);
  const pick = () => names[random(names.length)];
  const entries = () => names.map((name) => ({ name, data: files[name] }));
  const kinds = {
    flip() {
      const bytes = zip(entries());
      for (let i = 0; i <= random(8); ++i) bytes[random(bytes.length)] ^= 1 << random(8);
      return bytes;
    },
    cut() { const bytes = zip(entries()); return bytes.subarray(0, random(bytes.length)); },
    drop() { const gone = pick(); const { [gone]: _, ...rest } = files; return zip(Object.entries(sealed(rest)).map(([name, data]) => ({ name, data }))); },
    twice() { const name = pick(); return zip([...entries(), { name, data: files[name] }]); },
    rename() {
      const from = pick();
      const to = random(2) ? kNames[random(kNames.length)] : pick().replace(/[^/]+$/, kNames[random(kNames.length)]);
      return zip(entries().map((entry) => (entry.name === from ? { ...entry, name: to } : entry)));
    },
    swap() { const [one, other] = [pick(), pick()]; return zip(Object.entries(sealed({ ...files, [one]: files[other], [other]: files[one] })).map(([name, data]) => ({ name, data }))); },
    json() {
      const jsons = names.filter((name) => name.endsWith('.json'));
      const name = jsons[random(jsons.length)];
      let value;
      try { value = JSON.parse(files[name]); } catch { value = {}; }
      const changed = { ...files, [name]: JSON.stringify(altered(random, value)) };
      return zip(Object.entries(sealed(changed)).map(([path, data]) => ({ name: path, data })));
    },
    text() { const name = pick(); const data = Buffer.from(files[name]); if (data.length > 0) data[random(data.length)] ^= 1 << random(8); return zip(Object.entries(sealed({ ...files, [name]: data })).map(([path, one]) => ({ name: path, data: one }))); },
    digest() { const name = pick(); return zip(entries().map((entry) => (entry.name === name && name !== 'manifest.json' ? { name, data: `${entry.data} ` } : entry))); },
    size() { const name = pick(); return zip(entries().map((entry) => (entry.name === name ? { ...entry, size: random(2) ? random(100) : 2 ** 31 } : entry))); },
    packedSize() { const name = pick(); return zip(entries().map((entry) => (entry.name === name ? { ...entry, packedSize: random(2) ? random(100) : 2 ** 31 } : entry))); },
  };
  // What is inside is the larger part of what can be wrong.
  const order = ['json', 'json', 'json', 'json', ...Object.keys(kinds)];
  const what = order[random(order.length)];
  return { what, bytes: kinds[what]() };
}
