// Repositories, branches and nodes by the driver gitana, for the tests of content.
import { call, send } from './gitana_driver.mjs';

/// A repository of its own for a test, and its master branch.
export async function freshContent(admin, fields = {}) {
  const repository = await call(admin, (platform) => platform.createRepository(fields));
  const master = await call(repository, (chain) => chain.readBranch('master'));
  return { repository, master };
}

export const makeNode = (branch, fields = {}, options = undefined) =>
  call(branch, (chain) => chain.createNode(fields, options));
export const readNode = (branch, id, params = undefined) => call(branch, (chain) => chain.readNode(id, null, params));
export const queryNodes = (branch, query, page = undefined) => call(branch, (chain) => chain.queryNodes(query, page));
export const total = async (branch, query) => (await queryNodes(branch, query)).totalRows();
export const titlesOf = (map) => map.asArray().map((object) => object.title);
export const idsOf = (map) => map.asArray().map((object) => object.getId());
export const associate = (source, target, type, undirected = false) =>
  call(source, (chain) => chain.associate(target, type, undirected));

/// What the server says of a node, before the driver takes the members of its own away.
export const plain = (node, more = '') => send(node.getPlatform(), 'GET', node.getUri() + more);

/// A node that is missing ends the chain with 404 (docs/specification/nodes.md 1.4).
export const isMissing = (error) => error.status === 404 && error.message.length > 0;

/// root / folder1, file1; folder1 / folder2, file2, file4; folder2 / file3, file5.
export const tree = [['folder1', 'root', true], ['file1', 'root', false], ['folder2', 'folder1', true],
                     ['file2', 'folder1', false], ['file4', 'folder1', false], ['file3', 'folder2', false],
                     ['file5', 'folder2', false]];
