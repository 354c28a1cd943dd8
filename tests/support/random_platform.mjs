// A platform made at random by what clients may ask for: records of every family that the server's description tells, some
// in each other, with rights, teams, roles and attachments, and repositories with branches.
import { RandomBranch } from './random_branch.mjs';
import { described, everyPath, families, plainDocument } from './route_walk.mjs';
import { archiveOf } from './zip_archive.mjs';

/// What every server has.
const kSystemPolicies = ['project-user', 'project-collaborator'];
const kRoles = ['consumer', 'contributor', 'editor', 'manager', 'connector'];
/// Tenants are platforms of their own; identities and the records of the server itself are not imported, nor are jobs and
/// logs; content is made by `RandomBranch`.
const kElsewhere = ['tenantId', 'identityId', 'jobId', 'logId', 'nodeId', 'branchId', 'principalId', 'projectId', 'repositoryId', 'archiveId', 'deployedApplicationId', 'meterId'];

export class RandomPlatform {
  /// `size` is about how many records each family gets.
  static async make(server, random, { size = 2, steps = 25 } = {}) {
    const made = new RandomPlatform();
    Object.assign(made, { server, random, size, steps, records: [], principals: [], teams: [], branches: [], counter: 0 });
    made.description = await described(server);
    made.paths = everyPath(made.description);
    made.platform = (await made.ask('GET', '/'))._doc;
    await made.#makePrincipals();
    await made.#makeRepositories();
    await made.#makeProjects();
    await made.#makeOthers();
    await made.#makeDeployments();
    for (const record of made.records) await made.#surround(record);
    await made.#surround({ template: '', path: '' });
    await made.#assignPolicies();
    return made;
  }

  ask(method, path, body) {
    return this.server.admin(method, path, body);
  }

  /// The records that clients made, and not the server beside them; archives leave with their vault only.
  get made() {
    return this.records.filter(({ isMade, template }) => isMade && !template.startsWith('/vaults/{vaultId}/'));
  }

  /// A record at a path of the description (`/domains/{domainId}`).
  #note(template, path, reply, isMade = true) {
    this.records.push({ template, path, id: reply._doc, isMade });
    return reply._doc;
  }

  async #make(collection, name, path, body) {
    return this.#note(`${collection}/{${name}}`, `${path}/${encodeURIComponent((this.last = await this.ask('POST', path, body))._doc)}`, this.last);
  }

  of(template) {
    return this.records.filter((record) => record.template === template);
  }

  #said(word = 'own') {
    const { random } = this;
    return { ...(random.chance(0.8) ? { title: `${random.text()} ${++this.counter}` } : {}), ...(random.chance(0.5) ? { description: random.text() } : {}), ...random.members(word) };
  }

  async #makePrincipals() {
    const { random } = this;
    for (let i = 0; i < 3; ++i) await this.#make('/domains', 'domainId', '/domains', this.#said());
    const [alone, ...others] = this.of('/domains/{domainId}').map(({ id }) => id);
    await this.#makePrincipal(alone, 'USER');
    for (const domain of ['default', ...others]) for (const type of ['USER', 'USER', 'GROUP', 'GROUP']) await this.#makePrincipal(domain, type);
    const groups = this.principals.filter(({ type }) => type === 'GROUP');
    for (const [i, { id }] of groups.entries()) {
      // Into earlier ones, so that no group is in itself.
      const members = random.some([...this.principals.filter(({ type }) => type === 'USER'), ...groups.slice(0, i)], 0.3);
      const [domain, group] = id.split('/');
      for (const member of members) await this.ask('POST', `/domains/${domain}/principals/${group}/members/add?id=${member.id}`, {});
    }
  }

  async #makePrincipal(domain, type) {
    const { random } = this;
    const name = `${type.toLowerCase()} ${random.pick(['a', 'ä.b', 'c@d'])}${++this.counter}`;
    const id = await this.#make('/domains/{domainId}/principals', 'principalId', `/domains/${domain}/principals`,
      { ...this.#said(), type, name, ...(type === 'USER' ? { email: `p${this.counter}@example.com`, firstName: random.word() } : {}) });
    this.principals.push({ id: `${domain}/${id}`, type });
  }

  async #makeRepositories() {
    const { random } = this;
    const principals = this.principals.map(({ id }) => id);
    for (let i = 0; i < this.size; ++i) {
      const id = await this.#make('/repositories', 'repositoryId', '/repositories', this.#said());
      const path = `/repositories/${id}`;
      const master = new RandomBranch(this.server, `${path}/branches/master`, random, principals);
      await master.fill(this.steps);
      const branches = [master];
      for (let fork = random.below(4); fork > 0; --fork) {
        const from = random.pick(branches);
        const around = from.path.split('/').at(-1);
        const changeset = random.chance(0.3) ? '&changeset=0:root' : '';
        const made = await this.ask('POST', `${path}/branches?branch=${around}${changeset}`, this.#said());
        const forked = changeset ? new RandomBranch(this.server, `${path}/branches/${made._doc}`, random, principals) : from.forkedAt(`${path}/branches/${made._doc}`);
        this.#note('/repositories/{repositoryId}/branches/{branchId}', forked.path, made);
        if (random.chance(0.7)) await forked.fill(random.below(this.steps));
        branches.push(forked);
      }
      this.branches.push(...branches);
      if (random.chance(0.5)) {
        const snapshot = await this.ask('POST', `${path}/snapshots?branch=${random.pick(branches).path.split('/').at(-1)}`, this.#said());
        this.#note('/repositories/{repositoryId}/branches/{branchId}', `${path}/branches/${snapshot._doc}`, snapshot);
      }
      for (const forked of branches.slice(1)) await this.#close(forked);
    }
  }

  /// Nobody writes to it any more.
  async #close(branch) {
    const { random } = this;
    const protection = random.chance(0.5) ? random.pick(['archived', 'blockDirectCommits', 'frozen', 'readonly']) : undefined;
    if (protection) await this.ask('PUT', branch.path, { ...(await this.ask('GET', branch.path)), [protection]: true });
    branch.isClosed = Boolean(protection);
  }

  async #makeProjects() {
    const { random } = this;
    for (let i = 0; i < this.size; ++i) {
      const project = await this.#make('/projects', 'projectId', '/projects', this.#said());
      const { stackId } = await this.ask('GET', `/projects/${project}`);
      this.#note('/stacks/{stackId}', `/stacks/${stackId}`, { _doc: stackId }, false);
      await this.#make('/uiconfigs', 'uiConfigId', '/uiconfigs', { ...this.#said(), projectId: project, config: random.members('config') });
      await this.#make('/applications', 'applicationId', '/applications', { ...this.#said(), projectId: project, key: `application${++this.counter}` });
      const { rows } = await this.ask('GET', `/stacks/${stackId}/datastores`);
      const content = rows.find((row) => row.datastoreTypeId === 'repository');
      if (content) await new RandomBranch(this.server, `/repositories/${content.datastoreId}/branches/master`, random, this.principals.map(({ id }) => id)).fill(5);
      if (random.chance(0.5)) await this.ask('POST', `/stacks/${stackId}/datastores/assign?type=repository&id=${random.pick(this.of('/repositories/{repositoryId}')).id}&key=more${++this.counter}`);
    }
  }

  /// What no line here knows of, too.
  async #makeOthers() {
    const { random } = this;
    const own = {
      principalId: () => random.pick(this.principals.filter(({ type, id }) => type === 'USER' && !id.startsWith('default/'))).id,
      planKey: () => `plan${++this.counter}`, key: () => `key${++this.counter}`, userEmail: () => 'someone@example.com',
    };
    const isTransferred = ({ name, collection }) => this.#offers(`${collection}/{${name}}`, '/export');
    const left = families(this.description).filter((family) => isTransferred(family) && !kElsewhere.includes(family.name) && !family.collection.includes('{deploymentKey}'));
    for (let last = -1; left.length !== last;) {
      last = left.length;
      for (const family of [...left]) {
        const outer = family.collection.slice(0, family.collection.lastIndexOf('/'));
        const around = outer.includes('{') ? this.of(outer).map(({ path }) => path) : [outer];
        if (around.length === 0) continue;
        left.splice(left.indexOf(family), 1);
        for (let i = 0; i < this.size; ++i) {
          const body = { ...plainDocument(family.schema, random.text()), ...this.#said() };
          if (!('title' in family.schema.properties)) delete body.title;
          for (const [name, value] of Object.entries(own)) if (name in family.schema.properties && (name in body || name === 'key')) body[name] = value();
          if ('principalDomainId' in family.schema.properties) [body.principalDomainId, body.principalId] = body.principalId.split('/');
          if (family.name === 'accessPolicyId') Object.assign(body, { order: random.below(9), statements: [{ action: random.pick(['grant', 'revoke']), roles: [random.pick(kRoles)], conditions: [{ type: 'path', config: { path: '^/folder' } }] }] });
          for (const [name, { writeOnly, type }] of Object.entries(family.schema.properties)) if (writeOnly && [type].flat().includes('string')) body[name] = `${random.text().replace(/\p{C}/gu, '')} secret`;
          if (family.name === 'settingsId') body.settings = { reference: `repository://${this.platform}/${random.pick(this.of('/repositories/{repositoryId}')).id}`, ...random.members('s') };
          await this.#make(family.collection, family.name, random.pick(around) + family.collection.slice(outer.length), body);
        }
      }
    }
    if (left.length > 0) throw new Error(`no records of ${left.map(({ collection }) => collection)}`);
    const vault = random.pick(this.of('/vaults/{vaultId}')).path;
    await this.#make('/vaults/{vaultId}/archives', 'archiveId', `${vault}/archives`, archiveOf({ group: 'made', artifact: `a${++this.counter}`, version: '1', title: random.text() }));
  }

  /// Renditions lie below a deployment of their application.
  async #makeDeployments() {
    const [application] = this.of('/applications/{applicationId}');
    const webhost = this.random.pick(this.of('/webhosts/{webhostId}')).id;
    await this.ask('PUT', application.path, { ...(await this.ask('GET', application.path)), deployments: { live: { webhost, ...this.random.members('d') } } });
    const deployed = await this.ask('POST', `${application.path}/deploy/live`, {});
    this.#note('/webhosts/{webhostId}/applications/{deployedApplicationId}', `/webhosts/${webhost}/applications/${deployed._doc}`, deployed, false);
    const collection = '/applications/{applicationId}/deployments/{deploymentKey}/pagerenditions';
    await this.#make(collection, 'pageRenditionId', `${application.path}/deployments/live/pagerenditions`, { key: 'page', page: this.random.members('p') });
  }

  /// Of this platform, and of the server, to principals and teams.
  async #assignPolicies() {
    const { random } = this;
    const word = ({ type }) => type.toLowerCase();
    const holders = this.principals.map((principal) => `${word(principal)}://${this.platform}/${principal.id}`).concat(this.teams);
    const own = this.of('/access/policies/{accessPolicyId}').map(({ id }) => id);
    for (const policy of [...own, ...kSystemPolicies.map((key) => `system/${key}`)])
      for (const ref of new Set([random.pick(holders.slice(0, this.principals.length)), ...random.some(holders, 0.2)])) await this.ask('POST', `/access/policies/${policy}/assign?ref=${encodeURIComponent(ref)}`);
  }

  #offers(template, path) {
    return this.paths[template + path]?.post !== undefined;
  }

  /// What lies beside a record.
  async #surround({ template, path }) {
    const { random } = this;
    const someone = () => random.pick(this.principals).id;
    if (this.#offers(template, '/roles') && random.chance(0.3)) await this.ask('POST', `${path}/roles`, { roleKey: `role${++this.counter}`, permissions: ['READ', 'UPDATE'], ...this.#said() });
    if (this.#offers(template, '/authorities/{authorityId}/grant') && random.chance(0.4)) {
      for (let i = random.below(3); i >= 0; --i) await this.ask('POST', `${path}/authorities/${random.pick(kRoles)}/grant?id=${someone()}`, {});
    }
    if (this.#offers(template, '/teams') && random.chance(0.4)) {
      const team = `${path}/teams/team${++this.counter}`;
      const [, collection, id] = path.match(/^\/(stacks|applications|webhosts)\/([^/]+)$/) ?? [];
      if (id) this.teams.push(`team://${collection.slice(0, -1)}/${this.platform}/${id}/team${this.counter}`);
      await this.ask('POST', `${path}/teams?key=team${this.counter}`, this.#said());
      for (let i = random.below(3); i > 0; --i) await this.ask('POST', `${team}/members/add?id=${someone()}`, {});
      for (let i = random.below(2); i >= 0; --i) await this.ask('POST', `${team}/authorities/${random.pick(kRoles)}/grant`, {});
    }
    if (this.#offers(template, '/attachments/{attachmentId}') && random.chance(0.3)) {
      const reply = await this.server.request('POST', `${path}/attachments/${random.pick(['default', 'icon.png', 'x'])}?filename=f.bin`,
        { body: random.bytes(random.below(500)), token: this.server.adminToken, headers: { 'Content-Type': 'application/octet-stream' } });
      if (reply.status !== 200) throw new Error(`${path}: ${reply.text}`);
    }
  }
}
