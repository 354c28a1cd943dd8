// What a writer of nodes has brought about, kept by the writer itself and never by what a server shows.
//
// A world has branches; a branch has nodes by their key (a member that stays) and ties, the
// associations between them. What only an answer could tell (ids, changesets) is undefined while the
// answer is missing; one object stands for one changeset, wherever it was used.

export const kLink = 'a:linked';
export const kChild = 'a:child';

export const makeBranch = (title, id) => ({ title, id, nodes: new Map(), ties: [] });

export function addNode(branch, fields, record, version) {
  branch.nodes.set(fields.key, {
    ...fields, id: record?._doc, versions: [version], attachments: {}, folder: undefined, isDeleted: false, isUprooted: false });
}

/// New members of a node; what they replace is remembered, since nobody may find it any more.
export function changeNode(node, { mark, text }, version) {
  node.past = { mark: node.mark, text: node.text };
  Object.assign(node, { mark, text });
  node.versions.push(version);
}

export function removeNode(branch, key) {
  branch.nodes.get(key).isDeleted = true;
  for (const tie of branch.ties) {
    if (tie.source === key || tie.target === key) tie.isLive = false;
  }
}

/// With a node come its associations whose other end is there.
export function restoreNode(branch, key, version) {
  const node = branch.nodes.get(key);
  node.isDeleted = false;
  node.versions.push(version);
  for (const tie of branch.ties) {
    if (![tie.source, tie.target].includes(key)) continue;
    tie.isLive = [tie.source, tie.target].every((end) => !branch.nodes.get(end).isDeleted);
  }
}

/// Associations that were taken away by themselves are not followed through deletions: their nodes
/// are not restored.
export function untie(branch, tie) {
  branch.ties.splice(branch.ties.indexOf(tie), 1);
  for (const end of [tie.source, tie.target]) branch.nodes.get(end).isUprooted = true;
}

export function moveNode(node, folder) {
  if (node.folder) node.isUprooted = true;
  node.folder = folder;
}

export function forkBranch(world, from, title, id) {
  world.branches.push({ ...structuredClone(from), title, id });
}

export const liveNodes = (branch) => [...branch.nodes.values()].filter((node) => !node.isDeleted);
export const liveTies = (branch) => branch.ties.filter((tie) => tie.isLive);

/// How many associations of a type lead out of a node and into it.
export function countTies(branch, node, type) {
  if (type === kChild) {
    return { outgoing: liveNodes(branch).filter((one) => one.folder === node.key).length, incoming: node.folder ? 1 : 0 };
  }
  const ties = liveTies(branch);
  return { outgoing: ties.filter((tie) => tie.source === node.key).length,
           incoming: ties.filter((tie) => tie.target === node.key).length };
}
