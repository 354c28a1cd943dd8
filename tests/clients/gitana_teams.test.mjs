// Teams and roles through the driver gitana; expected values are those of its own published tests.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ask, call, startPlatform } from './gitana_driver.mjs';

const { admin, primary } = await startPlatform();
let names = 0;

const makeUser = () => call(primary, (domain) => domain.createUser({ name: `user-${++names}` }));
const makeStack = () => call(admin, (platform) => platform.createStack({}));
const makeDomain = () => call(admin, (platform) => platform.createDomain({}));

for (const [what, make] of [['stack', makeStack], ['domain', makeDomain], ['platform', async () => admin]]) {
  test(`teams of a ${what}: made, joined, granted, removed`, async () => {
    const owner = await make();
    const teams = async () => (await call(owner, (chain) => chain.listTeams())).size();
    const start = what === 'platform' ? 0 : 1;
    assert.equal(await teams(), start);
    const team = await call(owner, (chain) => chain.createTeam('crew'));
    assert.equal(await teams(), start + 1);
    assert.equal(team.getKey(), 'crew');
    assert.ok(team.getGroupId());
    const members = async () => (await call(team, (chain) => chain.listMembers())).size();
    const belongs = (user) => ask(team, (chain, answer) => chain.hasMember(user, answer));
    const users = [await makeUser(), await makeUser()];
    for (const user of users) await call(team, (chain) => chain.addMember(user));
    assert.equal(await members(), 2);
    assert.equal(await belongs(users[1]), true);
    await call(team, (chain) => chain.removeMember(users[1]));
    assert.equal(await members(), 1);
    assert.equal(await belongs(users[1]), false);
    const authorities = () => ask(team, (chain, answer) => chain.loadAuthorities(answer));
    await call(team, (chain) => chain.grant('collaborator'));
    assert.deepEqual(await authorities(), ['collaborator']);
    assert.deepEqual((await call(owner, (chain) => chain.readTeam('crew'))).getRoleKeys(), ['collaborator']);
    await call(team, (chain) => chain.revoke('collaborator'));
    assert.deepEqual(await authorities(), []);
    await call(team, (chain) => chain.del());
    assert.equal(await teams(), start);
  });

  test(`roles of a ${what}: direct ones from 0 to 1 and back, inherited ones one more and back`, async () => {
    const owner = await make();
    const count = async (inherited) => (await call(owner, (chain) => chain.listRoles(inherited))).size();
    const inherited = await count(true);
    assert.equal(await count(false), 0);
    assert.ok(inherited > 0);
    // The driver cannot clone roles, so they are looked at inside their chains.
    const ended = (work) => ask(owner, (chain, answer) =>
      work(chain).then(function () { answer(this.get('permissions')); }));
    await ended((chain) => chain.createRole('watcher', { permissions: ['READ'] }));
    assert.equal(await count(false), 1);
    assert.equal(await count(true), inherited + 1);
    assert.deepEqual(await ended((chain) => chain.readRole('watcher', true)), ['READ']);
    await ended((chain) => chain.readRole('watcher').del());
    assert.equal(await count(false), 0);
    assert.equal(await count(true), inherited);
  });
}

test('a custom role of a stack, held through a team, comes and goes with the membership', async () => {
  const stack = await makeStack();
  const domain = await makeDomain();
  const user = await makeUser();
  await call(stack, (chain) => chain.assignDataStore(domain, 'principals'));
  await ask(stack, (chain, answer) => chain.createRole('AHA', { permissions: [] }).then(answer));
  const team = await call(stack, (chain) => chain.createTeam('singers'));
  await call(team, (chain) => chain.grant('AHA'));
  const expectHeld = async (isHeld) => {
    for (const record of [stack, domain]) {
      assert.equal(await ask(record, (chain, answer) => chain.checkAuthority(user, 'AHA', answer)), isHeld);
    }
  };
  await expectHeld(false);
  await call(team, (chain) => chain.addMember(user));
  await expectHeld(true);
  await call(team, (chain) => chain.removeMember(user));
  await expectHeld(false);
});
