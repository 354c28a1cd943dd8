// A repository with something of everything that a branch can hold.
import { until } from './until.mjs';

/// Names in paths that stand for no record of their own.
export const contentNames = {
  listKey: 'walked', formKey: 'walked', mountKey: 'walked', qname: 'custom:walked', attachmentId: 'default',
  featureId: 'f:taggable', associationTypeId: 'a:linked', name: 'icon', filename: 'walked',
  indexName: 'walked', index: '0',
};

/// Makes it by `ask(method, path, body)`, which answers the JSON of a call that must succeed; answers
/// the ids by placeholder (`idNameOf`). What is on the branch came there partly by the fork, partly by
/// later changes.
export async function makeContent(ask, title = 'walk') {
  const ids = { ...contentNames };
  ids.repositoryId = (await ask('POST', '/repositories', { title }))._doc;
  const repository = `/repositories/${ids.repositoryId}`;
  const on = (branch) => ({
    make: async (fields) => (await ask('POST', `${branch}/nodes`, { title, ...fields }))._doc,
    tie: (from, to, type, fields = {}) => ask('POST', `${branch}/nodes/${from}/associate?node=${to}&type=${type}`, fields),
  });
  const master = on(`${repository}/branches/master`);
  ids.nodeId = await master.make({ _type: contentNames.qname, _qname: 'custom:instance', _parentFolderPath: '/folder' });
  const definition = await master.make({ _type: 'd:type', _qname: contentNames.qname });
  const form = await master.make({ _type: 'n:form' });
  await master.tie(definition, form, 'a:has_form', { 'form-key': contentNames.formKey });
  ids.branchId = (await ask('POST', `${repository}/branches?branch=master`, { title }))._doc;
  ids.snapshotId = (await ask('POST', `${repository}/snapshots`, { title }))._doc;

  const branch = `${repository}/branches/${ids.branchId}`;
  const node = `${branch}/nodes/${ids.nodeId}`;
  const { make, tie } = on(branch);
  await ask('POST', `${node}/attachments/${contentNames.attachmentId}`, { title });
  await ask('POST', `${repository}/files/${contentNames.filename}`, { title });
  await ask('POST', `${node}/features/${contentNames.featureId}`, { tags: ['walked'] });
  await ask('POST', `${node}/i18n?locale=de&edition=1`, { title });
  await ask('POST', `${node}/mount/${contentNames.mountKey}`);
  await ask('POST', `${branch}/lists/${contentNames.listKey}?type=n:node`);
  ids.itemId = (await ask('POST', `${branch}/lists/${contentNames.listKey}/items`, { title }))._doc;
  await tie(ids.nodeId, ids.itemId, contentNames.associationTypeId);
  ids.blogId = await make({ _type: 'blog:blog' });
  await tie(ids.blogId, await make({ _type: 'blog:post' }), 'a:child');
  await ask('POST', `${branch}/nodes/${await make({})}/lock`);
  await ask('POST', `${branch}/indexes`, { name: contentNames.indexName, index: { _type: 1, title: 1 } });
  ids.deletedNodeId = await make({});
  await ask('DELETE', `${branch}/nodes/${ids.deletedNodeId}`);
  ids.changesetId = (await ask('GET', node))._system.changeset;
  ids.conflictId = await makeConflict(ask, repository);
  ids.releaseId = (await ask('POST', `${repository}/releases`, { title }))._doc;
  ids.scheduledWorkId = await makeWork(ask, ids.repositoryId, title);
  ids.flowId = (await ask('POST', '/editorial/flows/start', { repositoryId: ids.repositoryId, properties: { title } })).workflowId;
  return ids;
}

/// The id of the work that brings a release in another century.
async function makeWork(ask, repositoryId, title) {
  const { _doc: platform } = await ask('GET', '/');
  const { _doc: release } = await ask('POST', `/repositories/${repositoryId}/releases`, { title });
  return (await ask('POST', '/work/scheduled', { title, reference: `release://${platform}/${repositoryId}/${release}`, startDate: 4_102_444_800_000 }))._doc;
}

/// The id of what two branches of a repository have made that does not go together.
async function makeConflict(ask, repository) {
  const { _doc } = await ask('POST', `${repository}/branches/master/nodes`, { title: 'as both have it' });
  const { _doc: fork } = await ask('POST', `${repository}/branches?branch=master`, { title: 'of a conflict' });
  for (const branch of ['master', fork]) await ask('PUT', `${repository}/branches/${branch}/nodes/${_doc}`, { title: `as ${branch} has it` });
  return (await ask('POST', `${repository}/branches/master/merge?id=${fork}`, {})).conflictIds[0];
}

/// The id of an export of a node of that content, once it has ended.
export async function exportDocument(ask, { repositoryId, branchId, itemId }) {
  const { _doc: platform } = await ask('GET', '/');
  const { _doc } = await ask('POST', '/ref/exports/start', { references: [`node://${platform}/${repositoryId}/${branchId}/${itemId}`] });
  await until(async () => (await ask('GET', `/ref/exports/${_doc}/status`)).state === 'FINISHED');
  return _doc;
}

/// The id that a placeholder of a path stands for.
export function idNameOf(template, name) {
  if (name === 'aclPrincipalId') return 'principalId';
  return name === 'nodeId' && template.includes('/deletions') ? 'deletedNodeId' : name;
}

/// Whether a path is another form of one that has `branches` and `nodes` in it.
export const isAlias = (template) => /^\/repositories\/\{\w+\}\/(b(\/|$)|branches\/\{\w+\}\/n(\/|$))/.test(template);

const kBranches = /^(\/repositories\/[^/]+)\/branches(?=\/|$)/;
const kNodes = /^(\/repositories\/[^/]+\/b(?:ranches)?\/[^/]+)\/nodes(?=\/|$)/;
/// A path with `branches` and `nodes` in it, then its other forms.
export function pathForms(path) {
  const either = [path, path.replace(kBranches, '$1/b')];
  return [...new Set(either.flatMap((one) => [one, one.replace(kNodes, '$1/n')]))];
}
