// What no honest client sends to nodes: an error or a bounded answer, nothing stored where it is refused, and
// downloads that do no harm to who opens them.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { rawExchange } from '../../../tests/support/raw_socket.mjs';
import { SteleServer } from '../../../tests/support/stele_server.mjs';

let server;
let master;
let token;
const admin = (...request) => server.admin(...request);
const ask = (method, path, body, headers) => server.request(method, path, { token, body, headers });
const make = async (fields = {}) => (await admin('POST', `${master}/nodes`, fields))._doc;

before(async () => {
  server = await SteleServer.start({ config: '[server]\nbody_time = 2s\n' });
  master = `/repositories/${(await admin('POST', '/repositories', {}))._doc}/branches/master`;
  token = server.adminToken;
});
after(() => server.end());

function isRefused(reply, what, ...statuses) {
  const said = `${what}: ${reply.status} ${String(reply.text).slice(0, 300)}`;
  assert.ok(statuses.length ? statuses.includes(reply.status) : reply.status >= 400 && reply.status < 500, said);
  assert.equal(reply.json?.ok, false, said);
  assert.equal(typeof reply.json.code, 'string', said);
}

/// Takes at most `seconds`, whoever else loads the machine.
async function within(seconds, what, work) {
  const begin = Date.now();
  const result = await work();
  assert.ok(Date.now() - begin < seconds * 1000 * (process.env.STELE_SANITIZED ? 10 : 1), `${what} took ${Date.now() - begin} ms`);
  return result;
}

const part = (head, body) => `--limit\r\n${head}\r\n\r\n${body}\r\n`;
const file = (name, body = 'x', type = 'text/plain', id = 'upload') =>
  part(`Content-Disposition: form-data; name="${id}"; filename="${name}"\r\nContent-Type: ${type}`, body);
const formOf = (...parts) => `${parts.join('')}--limit--\r\n`;
const formType = { 'Content-Type': 'multipart/form-data; boundary=limit' };
const rowsOf = async (node) => (await admin('GET', `${node}/attachments?limit=-1`)).rows;

test('names of files lead out of no folder and into no header', async () => {
  const node = `${master}/nodes/${await make()}`;
  const names = ['../../etc/passwd', '..\\..\\boot.ini', '/etc/shadow', 'C:\\a.txt', '..', '.', 'a\u0000b', 'a%0d%0aX-Injected: 1', '\u202egnp.exe',
                 'x'.repeat(3000), '"; filename="other', 'a;b', '%2e%2e%2f', ' ', 'CON', '.htaccess', 'ü\u2028y'];
  for (const name of names) {
    for (const [path, body, headers] of [[`${node}/attachments/one`, formOf(file(name)), formType],
                                         [`${node}/attachments/two?filename=${encodeURIComponent(name)}`, 'x', { 'Content-Type': 'text/plain' }]]) {
      const reply = await ask('POST', path, body, headers);
      assert.ok([200, 400].includes(reply.status), `${name}: ${reply.text}`);
      if (reply.status !== 200) continue;
      for (const row of await rowsOf(node)) assert.doesNotMatch(row.filename, /[/\\\u0000-\u001f]|^\.\.?$/, JSON.stringify(name));
      const shown = await ask('GET', `${path.split('?')[0]}?a=true`);
      assert.equal(shown.text, 'x');
      assert.ok(!('x-injected' in shown.headers));
      assert.match(shown.headers['content-disposition'], /^attachment/);
    }
  }
  const folded = formOf(part('Content-Disposition: form-data; name="a"; filename="a\r\nX-Injected: 1\r\n b"\r\nContent-Type: text/plain', 'x'));
  const reply = await ask('POST', `${node}/attachments/three`, folded, formType);
  if (reply.status === 200) assert.ok(!('x-injected' in (await ask('GET', `${node}/attachments/three`)).headers));
  else isRefused(reply, 'a folded header');
  for (const name of ['a\r\nX-Injected: 1', 'a"b\\', 'ü\u202e']) {
    const shown = await ask('GET', `${node}/attachments/two?a=true&filename=${encodeURIComponent(name)}`);
    assert.ok(!('x-injected' in shown.headers), name);
  }
});

test('10,000 attachments with tricks for names are refused together or harmless together', async () => {
  const node = `${master}/nodes/${await make()}`;
  const parts = Array.from({ length: 10_000 }, (_, i) => file(`../${i}/../..\\${i}`, 'x', 'text/plain', `id${i}`));
  const reply = await within(60, 'the upload', () => ask('POST', `${node}/attachments`, formOf(...parts), formType));
  const rows = await rowsOf(node);
  if (reply.status !== 200) {
    isRefused(reply, '10,000 parts');
    assert.equal(rows.length, 0);
    return;
  }
  assert.equal(rows.length, 10_000);
  for (const row of rows) assert.doesNotMatch(row.filename, /[/\\]/);
});

test('uploads that are cut off, or are not what they say, store nothing', async () => {
  const id = await make({ title: 'kept' });
  const node = `${master}/nodes/${id}`;
  const before = await admin('GET', node);
  const head = (...lines) => [`POST ${node}/attachments/a HTTP/1.1`, 'Host: h', `Authorization: Bearer ${token}`, ...lines, '', ''].join('\r\n');
  const type = `Content-Type: ${formType['Content-Type']}`;
  const whole = formOf(file('a.txt', 'some text'));
  const cases = {
    'a length that is too long': [head('Content-Type: text/plain', 'Content-Length: 1000') + 'short', 408],
    'a form that is too short': [head(type, 'Content-Length: 1000') + whole, 408],
    'a chunk that does not end': [head('Content-Type: text/plain', 'Transfer-Encoding: chunked') + '5\r\nshort\r\n', 408],
    'a broken chunk': [head('Content-Type: text/plain', 'Transfer-Encoding: chunked') + 'zz\r\nshort\r\n0\r\n\r\n', 400],
    'two lengths': [head('Content-Type: text/plain', 'Content-Length: 5', 'Content-Length: 6') + 'short.', 400],
    'a negative length': [head('Content-Type: text/plain', 'Content-Length: -5') + 'short', 400],
  };
  await Promise.all(Object.entries(cases).map(async ([what, [bytes, status]]) =>
    isRefused(await rawExchange(server.port, bytes, { keepOpen: status === 408 }), what, status)));
  await rawExchange(server.port, head('Content-Type: text/plain', 'Content-Length: 1000') + 'short', { patience: 50, keepOpen: true });
  const forms = {
    'without an end': whole.slice(0, -12), 'cut off in a part': whole.slice(0, 60), 'without a part': '--limit--\r\n', 'of nothing': '',
    'with another boundary': whole.replaceAll('--limit', '--other'), 'that is JSON': '{"title":"x"}',
  };
  for (const [what, body] of Object.entries(forms)) isRefused(await ask('POST', `${node}/attachments/a`, body, formType), `a form ${what}`, 400);
  for (const [what, mime] of [['no boundary', 'multipart/form-data'], ['an empty boundary', 'multipart/form-data; boundary='],
                              ['a long boundary', `multipart/form-data; boundary=${'x'.repeat(500)}`], ['no type', 'nonsense'], ['two types', 'a/b, c/d']]) {
    isRefused(await ask('POST', `${node}/attachments/a`, whole, { 'Content-Type': mime }), what, 400, 415);
  }
  assert.deepEqual(await admin('GET', node), before);
  assert.equal((await rowsOf(node)).length, 0);
});

test('whatever type is claimed, no download runs in the pages of the server', async () => {
  const node = `${master}/nodes/${await make()}`;
  const script = '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><script>alert(1)</script></svg>';
  for (const type of ['text/html', 'TEXT/HTML', 'text/html; charset=utf-16', 'image/svg+xml', 'image/svg+xml;x=y', 'application/xhtml+xml', 'text/xml',
                      'application/xml', 'image/png', 'text/plain', 'application/x-shockwave-flash', 'message/rfc822', 'text/vnd.x+xml', 'application/pdf']) {
    const sent = await ask('POST', `${node}/attachments/a`, script, { 'Content-Type': type });
    if (sent.status !== 200) { isRefused(sent, type, 400, 415); continue; }
    const { headers } = await ask('GET', `${node}/attachments/a`);
    assert.equal(headers['x-content-type-options'], 'nosniff', type);
    const isShown = /^inline/.test(headers['content-disposition'] ?? 'inline');
    if (isShown) assert.match(headers['content-type'], /^(image\/(?!svg)|text\/plain|application\/pdf)/i, type);
    assert.match(headers['content-security-policy'] ?? '', /sandbox/, type);
  }
});

test('a compressed upload is refused or kept as it came, and never unpacked', async () => {
  const bomb = gzipSync(Buffer.alloc(200 << 20));
  assert.ok(bomb.length < 300_000, 'small to send');
  const node = `${master}/nodes/${await make()}`;
  const path = `${node}/attachments/a`;
  const cases = [['text/plain', 'gzip'], ['application/json', 'gzip'], ['application/zip', undefined], ['text/plain', 'br'], [formType['Content-Type'], 'gzip']];
  for (const [type, encoding] of cases) {
    const what = `${type} as ${encoding}`;
    const headers = { 'Content-Type': type, ...(encoding && { 'Content-Encoding': encoding }) };
    const reply = await within(10, what, () => ask('POST', path, bomb, headers));
    if (reply.status === 200) assert.equal((await rowsOf(node))[0].length, bomb.length, what);
    else isRefused(reply, what, 400, 415);
  }
  const made = await within(10, 'a node', () => ask('POST', `${master}/nodes`, bomb, { 'Content-Encoding': 'gzip' }));
  isRefused(made, 'a compressed node', 400, 415);
  assert.equal((await ask('GET', node)).status, 200);
});

test('a short patch makes nothing long, and nothing deep', async () => {
  const node = `${master}/nodes/${await make({ list: ['x'.repeat(100)], deep: {} })}`;
  const before = await admin('GET', node);
  const doubling = Array.from({ length: 18 }, () => ({ op: 'copy', from: '/list', path: '/list/-' }));
  const wrapping = Array.from({ length: 150 }, () => [
    { op: 'move', from: '/deep', path: '/held' }, { op: 'add', path: '/deep', value: {} }, { op: 'move', from: '/held', path: '/deep/a' }]).flat();
  const cases = {
    'copies that double': doubling, 'wrapping': wrapping,
    'deep values below deep paths': [{ op: 'add', path: '/deep/a', value: JSON.parse('{"a":'.repeat(60) + '1' + '}'.repeat(60)) },
                                     { op: 'copy', from: '/deep/a', path: `/deep/a${'/a'.repeat(59)}` }],
    'many': Array.from({ length: 1001 }, (_, i) => ({ op: 'add', path: '/title', value: i })),
  };
  for (const [what, patch] of Object.entries(cases)) {
    const reply = await within(20, what, () => ask('PATCH', node, patch));
    isRefused(reply, what, 400);
    assert.equal(reply.json.violations[0].code, 'json.patch_too_costly', what);
  }
  for (const patch of [[{ op: 'replace', path: '', value: 1 }], [{ op: 'remove', path: '' }], [{ op: 'add', path: '/list/9', value: 1 }], [1], [[]], [{}], 7, 'x',
                       [{ op: 'move', from: '/deep', path: '/deep/a' }], [{ op: 'add', path: 'list/9', value: 1 }], [{ op: 'add', path: '/~2', value: 1 }],
                       [{ op: 'replace', path: '/_type', value: 'd:type' }], [{ op: 'replace', path: '/_doc', value: 'x' }]]) {
    isRefused(await ask('PATCH', node, JSON.stringify(patch)), JSON.stringify(patch), 400);
  }
  assert.deepEqual(await admin('GET', node), before);
  const small = [{ op: 'copy', from: '/list', path: '/list/-' }, { op: 'move', from: '/deep', path: '/held' }, { op: 'add', path: '/_system/x', value: 1 }];
  const made = await admin('PATCH', node, small.slice(0, 2));
  assert.deepEqual([made.list, made.held, 'deep' in made], [['x'.repeat(100), ['x'.repeat(100)]], {}, false]);
});

test('long lists of ids are refused or answered soon', async () => {
  const ids = Array.from({ length: 100_000 }, (_, i) => `id${i}`);
  const cases = [['POST', '/nodes/delete', { _docs: ids }], ['POST', '/nodes/delete', ids], ['POST', '/nodes/predelete', { _docs: ids }],
                 ['POST', '/deletions/delete', { _docs: ids }], ['PUT', '/nodes', { nodes: Object.fromEntries(ids.map((id) => [id, {}])) }],
                 ['POST', '/lookup', { nodes: ids }], ['POST', '/movenodes', { sourceNodeIds: ids, targetNodeId: 'root' }],
                 ['POST', '/nodes/move/start', { sourceNodeIds: ids, targetNodeId: 'root' }], ['POST', '/copyfrom?id=master', { nodeIds: ids }]];
  for (const [method, path, body] of cases) {
    const reply = await within(20, path, () => ask(method, master + path, body));
    if (reply.status !== 200) isRefused(reply, path, 400, 404);
  }
  for (const bad of [{ _docs: 'x' }, { _docs: [1] }, { _docs: [null] }, [{}]]) isRefused(await ask('POST', `${master}/nodes/delete`, bad), JSON.stringify(bad), 400);
});

test('huge pages and sorts are bounded', async () => {
  const node = `${master}/nodes/${await make()}`;
  const most = '9223372036854775807';
  const sort = encodeURIComponent(JSON.stringify(Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`f${i}.g.h`, 1]))));
  for (const path of ['children', 'relatives', 'associations', 'versions', 'attachments', 'i18n/translations', 'features', 'list/a:owned/items']) {
    for (const query of [`skip=${most}&limit=${most}`, 'skip=1&limit=-1', `sort=${sort}`]) {
      const reply = await ask('GET', `${node}/${path}?${query}`);
      assert.ok([200, 400].includes(reply.status), `${path}?${query}: ${reply.status} ${reply.text.slice(0, 200)}`);
    }
    const bad = await ask('GET', `${node}/${path}?limit=99999999999999999999`);
    if (path !== 'features') isRefused(bad, path, 400);
  }
});

test('circles of associations end every walk', async () => {
  const ids = [];
  for (let i = 0; i < 12; ++i) ids.push(await make({ title: `c${i}` }));
  for (const type of ['a:child', 'a:owned', 'a:linked']) {
    for (const [i, id] of ids.entries()) {
      for (const other of [ids[(i + 1) % ids.length], ids[(i + 5) % ids.length], id]) {
        const reply = await ask('POST', `${master}/nodes/${id}/associate?node=${other}&type=${type}`, {});
        if (reply.status !== 200) isRefused(reply, `${type} from ${i}`, 400, 409);
      }
    }
  }
  const node = `${master}/nodes/${ids[0]}`;
  const traversed = await within(20, 'traverse', () => admin('POST', `${node}/traverse`, { traverse: { depth: -1, associations: { 'a:linked': 'ANY' } } }));
  for (const id of ids) assert.ok(id in traversed.nodes);
  for (const [method, path, body] of [['GET', '/path'], ['GET', '/paths'], ['GET', '?paths=true'], ['GET', '/tree?depth=-1'], ['POST', '/traverse', { traverse: { depth: -1 } }],
                                      ['POST', '/find', { traverse: { depth: -1 } }], ['POST', '/ancestorbytype?type=n:none', {}], ['POST', '/predelete', {}],
                                      ['POST', `/copy?targetNodeId=${ids[3]}`, {}], ['POST', `/move?targetNodeId=${ids[4]}`, {}], ['GET', `?path=${'/c1'.repeat(900)}`]]) {
    const reply = await within(20, path, () => ask(method, node + path, body));
    if (reply.status !== 200) isRefused(reply, path);
  }
  const reply = await within(20, 'delete', () => ask('DELETE', node));
  if (reply.status !== 200) isRefused(reply, 'delete');
});

test('a node is no translation of itself, and circles of them end', async () => {
  const [one, two] = [await make({ title: 'one' }), await make({ title: 'two' })];
  const tie = (from, to) => ask('POST', `${master}/i18n/add?masterNodeId=${from}&translationNodeId=${to}&locale=de`, {});
  isRefused(await tie(one, one), 'itself');
  assert.equal((await tie(one, two)).status, 200);
  const back = await tie(two, one);
  if (back.status !== 200) isRefused(back, 'a circle');
  for (const id of [one, two]) assert.equal((await within(20, 'a read', () => ask('GET', `${master}/nodes/${id}?locale=de`))).status, 200);
  for (const locale of ['', '..', 'x'.repeat(1000), 'de_', '%00', 'de;q=']) {
    const reply = await ask('POST', `${master}/nodes/${one}/i18n?locale=${locale}`, {});
    if (reply.status !== 200) isRefused(reply, locale, 400, 409);
  }
});

test('hostile names of nodes, types, features and folders are refused or mere names', async () => {
  const names = {
    _doc: ['root', 'r:root', '../x', 'a/b', '', 'x'.repeat(5000), 'a\u0000b', 'master'], _qname: ['r:root', 'n:node', 'x', 'a:b:c', '::', `x:${'y'.repeat(5000)}`, 7, {}, '\n:a', '$:a'],
    _type: ['x', '::', `x:${'y'.repeat(5000)}`, 7, {}, 'a:has_lock', '\n:a'], _parentFolderPath: ['/../..', '/a'.repeat(3000), 7, '/a\u0000b', '//', '/.'],
    _features: [7, 'x', ['f:a'], { 'f:a': 1 }, { '': {} }, { 'f:filename': { filename: 7 } }, { 'f:filename': { filename: '../..\n' } }, { __proto__: {}, constructor: {} }],
  };
  for (const [member, values] of Object.entries(names)) {
    for (const value of values) {
      const before = (await admin('GET', `${master}/info`)).nodes;
      const reply = await within(20, member, () => ask('POST', `${master}/nodes`, { [member]: value }));
      const what = `${member} ${JSON.stringify(value).slice(0, 40)}`;
      if (reply.status === 200) {
        assert.equal((await admin('GET', `${master}/nodes/${encodeURIComponent(reply.json._doc)}`))._doc, reply.json._doc, what);
        continue;
      }
      isRefused(reply, what, 400, 409);
      assert.equal((await admin('GET', `${master}/info`)).nodes, before, what);
    }
  }
  assert.equal((await admin('GET', `${master}/nodes/root`))._qname, 'r:root');
});

test('expressions in definitions cannot stop a branch that validates', async () => {
  const definition = await ask('POST', `${master}/nodes`, { _type: 'd:type', _qname: 'custom:slow', properties: {
    title: { type: 'string', pattern: '^(a*)*(a*)*(a*)*b$' }, self: { $ref: '#' } } });
  assert.ok([200, 400].includes(definition.status));
  await admin('PUT', master, { ...(await admin('GET', master)), validateContent: true });
  const self = JSON.parse('{"self":'.repeat(90) + '{}' + '}'.repeat(90));
  for (const fields of [{ title: 'a'.repeat(50_000) }, self]) {
    const reply = await within(20, 'a create', () => ask('POST', `${master}/nodes`, { _type: 'custom:slow', ...fields }));
    if (reply.status !== 200) isRefused(reply, 'a create', 400);
  }
  await admin('PUT', master, { ...(await admin('GET', master)), validateContent: false });
});

test('memory stayed bounded, and the server alive', async () => {
  const limit = process.env.STELE_SANITIZED ? 4000 : 800;
  const resident = Number(readFileSync(`/proc/${server.child.pid}/status`, 'utf8').match(/VmHWM:\s+(\d+)/)[1]) / 1024;
  assert.ok(resident < limit, `${resident} MiB resident at most`);
  assert.equal((await ask('GET', master)).status, 200);
});

test('no plugin threw, and the store is sound', async () => {
  const { text } = await server.request('GET', '/metrics');
  assert.match(text, /^stele_plugin_exceptions_total 0$/m);
  await server.stop();
  const checked = server.check();
  assert.equal(checked.status, 0, checked.text);
});
