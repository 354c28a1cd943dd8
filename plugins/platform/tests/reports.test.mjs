// Reports run the query of another family for their caller (docs/reference/platform.md, Reports).
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { SteleServer } from '../../../tests/support/stele_server.mjs';

let server;
let platform;
let caller;
before(async () => {
  server = await SteleServer.start();
  platform = (await server.admin('GET', '/'))._doc;
  await server.makeUser('writer');
  caller = await server.login('writer', 'secret-of-writer');
  await server.admin('POST', '/authorities/contributor/grant?id=default/writer');
});
after(() => server.end());

const ask = (method, path, body) => server.request(method, path, { body, token: caller });
async function execute(source) {
  const made = await ask('POST', '/reports', { source });
  assert.equal(made.status, 200, made.text);
  return ask('POST', `/reports/${made.json._doc}/execute`, {});
}

test('a report over a family whose path says more than its container is refused', async () => {
  const application = (await server.admin('POST', '/applications', {}))._doc;
  const container = `application://${platform}/${application}`;
  assert.equal((await execute({ typeId: 'pageRendition', container })).status, 400);
  assert.equal((await server.request('GET', '/readyz')).status, 200);
});

test('a report does not tell whether a record that its caller may not know of is there', async () => {
  const application = (await server.admin('POST', '/applications', { key: 'hidden-one' }))._doc;
  const told = async (container) => {
    const { status, json: { requestId, message, ...rest } } = await execute({ typeId: 'node', container: container.replace('P', platform) });
    return { status, ...rest, message: message.replace(container.replace('P', platform), 'it') };
  };
  for (const [there, missing] of [['application://P/hidden-one', 'application://P/hidden-two'], [`application://P/${application}`, 'application://P/01a20b8b9e1d08d565b6'],
    ['client://P/test-client', 'client://P/test-clients'], ['authenticationGrant://P/test-grant', 'authenticationGrant://P/test-grants']]) {
    const answer = await told(missing);
    assert.equal(answer.status, 404);
    assert.deepEqual(await told(there), answer, there);
  }
});
