// Calls of all families by a client that is generated from the server's description. Members are read by their
// described types only: what is described otherwise than it is used does not compile.
import createClient from 'openapi-fetch';
import type { components, paths } from './described';

type Schemas = components['schemas'];
type Answer<Data> = { data?: Data; error?: unknown; response: Response };
type Call = [method: string, path: string];

const onePixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=';

function check(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Error(what);
}

export async function makeCalls(baseUrl: string, token: string): Promise<Call[]> {
  const client = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${token}` } });
  const calls: Call[] = [];
  client.use({
    onRequest({ request, schemaPath }) {
      calls.push([request.method, schemaPath]);
    },
  });
  /// What was answered, which must be no error.
  async function done<Data>(answer: Promise<Answer<Data>>): Promise<Data> {
    const { data, error, response } = await answer;
    check(data !== undefined, `${response.status} ${response.url}: ${JSON.stringify(error)}`);
    return data;
  }

  // The platform, its applications, stacks and projects.
  const platform: Schemas['platform'] = await done(client.GET('/'));
  const application = await done(client.POST('/applications', { body: { title: 'generated' } }));
  const applicationId: string = application._doc;
  const inApplication = { params: { path: { applicationId } } };
  check(application.ok, 'an application was made');
  const read: Schemas['application'] = await done(client.GET('/applications/{applicationId}', inApplication));
  check(read._doc === applicationId && read.title === 'generated', 'the application is read');
  await done(client.PUT('/applications/{applicationId}', { ...inApplication, body: { ...read, description: 'by a generated client' } }));
  const listed = await done(client.GET('/applications', { params: { query: { skip: 0, limit: 2 } } }));
  check(listed.rows.length <= 2 && listed.total_rows >= listed.size, 'a page has its size');
  const queried = await done(client.POST('/applications/query', { body: { title: 'generated' } }));
  check(queried.rows.every((row) => row._doc === applicationId), 'a query finds by title');
  const stack = await done(client.POST('/stacks', { body: { title: 'generated' } }));
  await done(client.GET('/stacks/{stackId}', { params: { path: { stackId: stack._doc } } }));
  const projects = await done(client.GET('/projects'));
  check(projects.offset === 0, 'a list begins at its beginning');

  // Domains, principals, groups, teams, roles, rights.
  const domain = await done(client.POST('/domains', { body: { title: 'generated' } }));
  const inDomain = { params: { path: { domainId: domain._doc } } };
  const user = await done(client.POST('/domains/{domainId}/principals', { ...inDomain, body: { type: 'USER', name: 'generated', password: 'a long password' } }));
  const group = await done(client.POST('/domains/{domainId}/principals', { ...inDomain, body: { type: 'GROUP', name: 'generated-group' } }));
  check(user._doc !== group._doc, 'two principals were made');
  const principals = await done(client.GET('/domains/{domainId}/principals', inDomain));
  const names: (string | undefined)[] = principals.rows.map((row) => row.name);
  check(names.includes('generated'), 'principals have names');
  await done(client.POST('/applications/{applicationId}/authorities/{authorityId}/grant',
                         { params: { path: { applicationId, authorityId: 'consumer' }, query: { id: `${domain._doc}/${user._doc}` } } }));
  const holds = await done(client.POST('/applications/{applicationId}/permissions/{permissionId}/check',
                                       { params: { path: { applicationId, permissionId: 'READ' }, query: { id: `${domain._doc}/${user._doc}` } } }));
  check(holds.check === true, 'who was given consumer may read');
  const bulk = await done(client.POST('/applications/permissions/check',
                                      { body: { checks: [{ permissionedId: applicationId, principalId: `${domain._doc}/${user._doc}`, permissionId: 'DELETE' }] } }));
  check(bulk.checks[0]?.result === false, 'a consumer may not delete');
  const access = await done(client.GET('/applications/{applicationId}/acl/list', inApplication));
  check(access.rows.some((row) => row.name === 'generated' && row.authorities?.includes('consumer')), 'the access list names who has what');
  const team = await done(client.POST('/domains/{domainId}/teams', { params: { path: { domainId: domain._doc }, query: { key: 'generated' } } }));
  check(team._doc.length > 0, 'a team was made');
  const teams = await done(client.GET('/domains/{domainId}/teams', inDomain));
  check(teams.rows.some(({ key, roleKeys }) => key === 'generated' && Array.isArray(roleKeys)), 'teams have keys and roles');
  const role = await done(client.POST('/domains/{domainId}/roles', { ...inDomain, body: { roleKey: 'generated', permissions: ['READ'] } }));
  check(role.ok, 'a role was made');
  await done(client.GET('/domains/{domainId}/roles', { params: { path: { domainId: domain._doc }, query: { inherited: true } } }));
  const directory = await done(client.POST('/directories', { body: { title: 'generated' } }));
  await done(client.GET('/directories/{directoryId}/identities', { params: { path: { directoryId: directory._doc } } }));
  await done(client.POST('/clients', { body: { title: 'generated' } }));
  await done(client.GET('/auth/grants'));

  // Policies, pages of the interface, hosts, registrars, meters, mail, vaults.
  await done(client.GET('/access/policies'));
  const config = await done(client.POST('/uiconfigs', { body: { title: 'generated' } }));
  await done(client.DELETE('/uiconfigs/{uiConfigId}', { params: { path: { uiConfigId: config._doc } } }));
  await done(client.POST('/webhosts', { body: { urlPattern: 'generated.example.org' } }));
  const registrars = await done(client.GET('/registrars'));
  const registrarId = registrars.rows[0]!._doc;
  await done(client.GET('/registrars/{registrarId}/plans', { params: { path: { registrarId } } }));
  await done(client.GET('/registrars/{registrarId}/meters', { params: { path: { registrarId } } }));
  await done(client.POST('/applications/{applicationId}/emailproviders', { ...inApplication, body: { title: 'generated', host: 'mail.example.org' } }));
  const vault = await done(client.POST('/vaults', { body: { title: 'generated', maxsize: 1_000_000 } }));
  await done(client.GET('/vaults/{vaultId}/archives', { params: { path: { vaultId: vault._doc } } }));
  await done(client.GET('/rule/actions'));
  await done(client.GET('/activities', { params: { query: { limit: 1 } } }));

  // Content: a repository, its master, nodes, an association, attachments, pictures, search, GraphQL.
  const repository = await done(client.POST('/repositories', { body: { title: 'generated' } }));
  const repositoryId = repository._doc;
  const branches = await done(client.GET('/repositories/{repositoryId}/branches', { params: { path: { repositoryId } } }));
  const branchId = branches.rows[0]!._doc;
  const onBranch = { params: { path: { repositoryId, branchId } } };
  const make = async (body: Schemas['nodeBody']): Promise<{ _doc: string }> => {
    const made = await done(client.POST('/repositories/{repositoryId}/branches/{branchId}/nodes', { ...onBranch, body }));
    // An array of them would have made a page.
    check(typeof made._doc === 'string', 'a node was made');
    return { _doc: made._doc };
  };
  const [book, author] = [await make({ title: 'a generated book' }), await make({ title: 'its author' })];
  const onNode = { params: { path: { repositoryId, branchId, nodeId: book._doc } } };
  const node: Schemas['node'] = await done(client.GET('/repositories/{repositoryId}/branches/{branchId}/nodes/{nodeId}', onNode));
  check(node.title === 'a generated book', 'the node is read');
  await done(client.POST('/repositories/{repositoryId}/branches/{branchId}/nodes/{nodeId}/associate',
                         { params: { path: onNode.params.path, query: { node: author._doc, type: 'a:linked' } } }));
  const associations = await done(client.GET('/repositories/{repositoryId}/branches/{branchId}/nodes/{nodeId}/associations', onNode));
  check(associations.rows.some((row) => row.target === author._doc), 'the association leads to the author');
  const found = await done(client.POST('/repositories/{repositoryId}/branches/{branchId}/nodes/query', { ...onBranch, body: { title: 'its author' } }));
  check(found.rows[0]?._doc === author._doc, 'a query finds the author');
  await done(client.GET('/repositories/{repositoryId}/branches/{branchId}/nodes/{nodeId}/attachments', onNode));
  await done(client.GET('/repositories/{repositoryId}/branches/{branchId}/nodes/{nodeId}/versions', onNode));
  const searched = await done(client.GET('/repositories/{repositoryId}/branches/{branchId}/nodes/search',
                                         { params: { path: onBranch.params.path, query: { text: 'generated' } } }));
  check(searched.rows.some((row) => row._doc === book._doc), 'a search finds the book');
  const png = Uint8Array.from(atob(onePixel), (letter) => letter.charCodeAt(0));
  await done(client.POST('/repositories/{repositoryId}/branches/{branchId}/nodes/{nodeId}/attachments/{attachmentId}',
                         { params: { path: { ...onNode.params.path, attachmentId: 'default' } }, body: png,
                           bodySerializer: (body) => body as BodyInit, headers: { 'Content-Type': 'image/png' } }));
  const picture = await done(client.GET('/repositories/{repositoryId}/branches/{branchId}/nodes/{nodeId}/preview/{name}',
                                        { params: { path: { ...onNode.params.path, name: 'small' }, query: { size: 16, mimetype: 'image/png' } },
                                          parseAs: 'arrayBuffer' }));
  check(picture instanceof ArrayBuffer && picture.byteLength > 0, 'a picture has bytes');
  const graph = await done(client.POST('/repositories/{repositoryId}/branches/{branchId}/graphql', { ...onBranch, body: { query: '{ __typename }' } }));
  check(graph.errors === undefined && graph.data !== undefined, 'GraphQL answers');
  const request = await done(client.POST('/repositories/{repositoryId}/pullrequests', { params: { path: { repositoryId } }, body: { title: 'generated' } }));
  const onRequest = { params: { path: { repositoryId, pullRequestId: request._doc } } };
  const closed = await done(client.POST('/repositories/{repositoryId}/pullrequests/{pullRequestId}/close', onRequest));
  check(closed._doc === request._doc, 'the pull request was closed');
  const release = await done(client.POST('/repositories/{repositoryId}/releases', { params: { path: { repositoryId } }, body: { title: 'generated' } }));
  const { info } = await done(client.GET('/repositories/{repositoryId}/releases/{releaseId}/info', { params: { path: { repositoryId, releaseId: release._doc } } }));
  check(typeof info === 'object', 'a release tells of itself');
  const flow = await done(client.POST('/editorial/flows/start', { params: { query: { repositoryId } } }));
  const task = await done(client.GET('/editorial/flows/{flowId}/task', { params: { path: { flowId: flow.workflowId } } }));
  check(task.state === 'active' && task.branchId === flow.branchId, 'a flow has a task on its branch');
  const touched = await done(client.POST('/repositories/{repositoryId}/branches/{branchId}/nodes/{nodeId}/touch', onNode));
  check(touched._doc === book._doc, 'the node was touched');
  const job = await done(client.POST('/repositories/{repositoryId}/branches/{branchId}/nodes/{nodeId}/delete/start',
                                     { params: { path: onNode.params.path, query: { schedule: 'SYNCHRONOUS' } } }));
  check(job.state === 'FINISHED', 'the job of the deletion ended');
  check(platform._doc.length > 0, 'the platform has an id');
  return calls;
}
