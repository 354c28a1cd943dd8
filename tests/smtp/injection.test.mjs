// Nothing that a caller writes can add a header, a recipient or a command.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { MailServer } from './mail_server.mjs';
import { startStele } from './mail_fixture.mjs';

let stele;
let server;
let provider;
before(async () => {
  stele = await startStele();
  server = await MailServer.start();
  provider = await stele.provider(server.port);
});
after(async () => {
  await server.end();
  await stele.end();
});

const breaks = ['\r\n', '\n', '\r', '\0', '\x0b', '\x1b'];

test('control characters in addresses and subjects are refused when an email is stored, naming the member', async () => {
  const emails = `${stele.application}/emails`;
  const kept = await stele.email();
  const { total_rows: before } = await stele.stele.admin('GET', emails);
  for (const end of breaks) {
    const attack = `victim@example.org${end}Bcc: other@example.org`;
    const bodies = [
      ['to', attack], ['to', ['fine@example.org', attack]], ['cc', attack], ['bcc', attack], ['from', attack],
      ['replyTo', attack], ['to', `Name${end}Bcc: x <a@example.org>`], ['subject', `Hello${end}Bcc: other@example.org`],
    ];
    for (const [member, value] of bodies) {
      for (const [method, path] of [['POST', emails], ['PUT', `${emails}/${kept}`]]) {
        const reply = await stele.ask(method, path, { [member]: value });
        assert.equal(reply.status, 400, `${method} ${member} ${JSON.stringify(value)}: ${reply.text}`);
        assert.ok(reply.json.violations[0].path.startsWith(member), reply.text);
      }
    }
  }
  assert.equal((await stele.stele.admin('GET', emails)).total_rows, before);
  assert.equal((await stele.readEmail(kept)).subject, 'Hello');
});

test('addresses that are none are refused', async () => {
  for (const to of ['plain', 'a b@example.org', '<a@example.org', 'a@example.org>', 'a@example.org SIZE=1', 'a@exa mple.org', '@example.org', 'a@']) {
    const reply = await stele.ask('POST', `${stele.application}/emails`, { to });
    assert.equal(reply.status, 400, to);
    assert.equal(reply.json.violations[0].path, 'to');
  }
});

test('control characters in placeholder values cannot reach the subject', async () => {
  const email = await stele.email({ subject: 'For ${name}', body: 'Dear ${name}' });
  for (const end of breaks) {
    const reply = await stele.send(provider, email, { model: { name: `Ann${end}Bcc: other@example.org` } });
    assert.equal(reply.status, 400, reply.text);
    assert.equal(reply.json.violations[0].path, 'subject');
  }
  assert.equal(server.mails.length, 0);
});

test('what looks like commands or headers in a body stays in the body', async () => {
  const body = 'Hi\r\n.\r\nMAIL FROM:<evil@example.org>\r\nRCPT TO:<victim@example.org>\r\nDATA\r\n\nSubject: x\r\n.\r\nQUIT';
  assert.equal((await stele.send(provider, await stele.email({ body }))).status, 200);
  const mail = server.take();
  assert.equal(mail.parsed.text.trimEnd(), body.replaceAll('\r\n', '\n'));
  assert.deepEqual(mail.to, ['to@example.org']);
  assert.equal(mail.parsed.subject, 'Hello');
  const nul = await stele.ask('POST', `${stele.application}/emails`, { to: 'a@example.org', body: 'a\0b' });
  assert.equal(nul.status, 400);
  assert.equal(nul.json.violations[0].path, 'body');
});

test('from and to of a test are checked, and required', async () => {
  for (const end of [...breaks, ' ', ',b@example.org,']) {
    const attack = `a@example.org${end}b@example.org`;
    for (const member of ['from', 'to']) {
      const body = { from: 'from@example.org', to: 'to@example.org', [member]: attack };
      const inBody = await stele.ask('PUT', `${provider}/test`, body);
      assert.equal(inBody.status, 400, inBody.text);
      assert.equal(inBody.json.violations[0].path, member);
      assert.equal((await stele.test(provider, body.from, body.to)).status, 400);
    }
  }
  assert.equal((await stele.ask('PUT', `${provider}/test?from=a@example.org`)).status, 400);
  assert.equal((await stele.ask('PUT', `${provider}/test?to=a@example.org`)).status, 400);
  assert.equal((await stele.ask('POST', `${provider}/send`)).status, 400);
  assert.equal(server.mails.length, 0);
});

test('members of a provider that could bend a connection are refused, naming the member', async () => {
  const providers = `${stele.application}/emailproviders`;
  const cases = [
    ['host', 'mail.example.org:25'], ['host', 'a b'], ['host', 'mail\r\nQUIT'], ['host', 'user@mail'], ['host', 'mail/x'],
    ['host', 'mail?x'], ['host', 'mail#x'], ['host', '../x'], ['host', 7], ['port', 0], ['port', 65536], ['port', 'x'], ['port', 1.5],
    ['username', 'a\r\nb'], ['username', 'a\0b'], ['password', 'a\r\nb'], ['password', 'a\0b'], ['smtp_enabled', 'yes'],
    ['smtp_is_secure', 1],
  ];
  for (const [member, value] of cases) {
    const flat = await stele.ask('POST', providers, { [member]: value });
    assert.equal(flat.status, 400, `${member} ${value}`);
    assert.equal(flat.json.violations[0].path, member);
    const nested = await stele.ask('POST', providers, { config: { [member]: value } });
    assert.equal(nested.status, 400, `config.${member} ${value}`);
    assert.ok([member, `config.${member}`].includes(nested.json.violations[0].path), nested.text);
  }
});
