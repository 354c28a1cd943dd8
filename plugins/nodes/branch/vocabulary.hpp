#pragma once

/// Names that stand in content, on the wire and in keys (docs/specification/nodes.md).
namespace stele::nodes {

inline constexpr char kRepositoryType[] = "repository";
inline constexpr char kBranchType[] = "branch";
inline constexpr char kChangesetType[] = "changeset";
inline constexpr char kNodeType[] = "node";
inline constexpr char kDeletionType[] = "deletion";

inline constexpr char kRepositoryId[] = "repositoryId";
inline constexpr char kBranchId[] = "branchId";
inline constexpr char kNodeId[] = "nodeId";
inline constexpr char kChangesetId[] = "changesetId";
inline constexpr char kMasterAlias[] = "master";
inline constexpr char kRootAlias[] = "root";

namespace member {
inline constexpr char kType[] = "_type";
inline constexpr char kQName[] = "_qname";
inline constexpr char kFeatures[] = "_features";
inline constexpr char kIsAssociation[] = "_is_association";
inline constexpr char kStatistics[] = "_statistics";
inline constexpr char kPaths[] = "_paths";
inline constexpr char kSystem[] = "_system";
/// Of what was imported: by what a later import finds it, and its id where it came from.
inline constexpr char kImportKey[] = "_key";
inline constexpr char kSourceDoc[] = "_source_doc";
inline constexpr char kChangeset[] = "changeset";
inline constexpr char kAttachments[] = "attachments";
inline constexpr char kSource[] = "source";
inline constexpr char kTarget[] = "target";
inline constexpr char kSourceType[] = "source_type";
inline constexpr char kTargetType[] = "target_type";
inline constexpr char kDirectionality[] = "directionality";
}  // namespace member

inline constexpr char kParent[] = "_parent";

/// Of branches.
inline constexpr char kArchived[] = "archived";
/// Pull requests into it are merged without being asked for, unless this is false (plugin
/// `pull_requests`).
inline constexpr char kAutoPull[] = "autoPull";
/// How conflicts of merges into it are decided.
inline constexpr char kConflictRule[] = "autoConflictResolutionRule";

inline constexpr char kDirected[] = "DIRECTED";
inline constexpr char kUndirected[] = "UNDIRECTED";

namespace type {
inline constexpr char kNode[] = "n:node";
inline constexpr char kRoot[] = "n:root";
inline constexpr char kPerson[] = "n:person";
inline constexpr char kGroup[] = "n:group";
inline constexpr char kForm[] = "n:form";
inline constexpr char kList[] = "n:list";
inline constexpr char kComment[] = "n:comment";
inline constexpr char kTag[] = "n:tag";
inline constexpr char kDefinedType[] = "d:type";
inline constexpr char kDefinedAssociation[] = "d:association";
inline constexpr char kDefinedFeature[] = "d:feature";
}  // namespace type

namespace association {
inline constexpr char kChild[] = "a:child";
inline constexpr char kLinked[] = "a:linked";
inline constexpr char kOwned[] = "a:owned";
inline constexpr char kHasRole[] = "a:has_role";
inline constexpr char kCreated[] = "a:created";
inline constexpr char kHasForm[] = "a:has_form";
inline constexpr char kHasLock[] = "a:has_lock";
inline constexpr char kHasMount[] = "a:has_mount";
inline constexpr char kHasTranslation[] = "a:has_translation";
inline constexpr char kHasComment[] = "a:has_comment";
inline constexpr char kCopiedFrom[] = "a:copied_from";
inline constexpr char kHasTag[] = "a:has_tag";
}  // namespace association

namespace feature {
inline constexpr char kAudit[] = "f:audit";
inline constexpr char kTitled[] = "f:titled";
inline constexpr char kIndexable[] = "f:indexable";
inline constexpr char kFilename[] = "f:filename";
inline constexpr char kContainer[] = "f:container";
inline constexpr char kMultilingual[] = "f:multilingual";
inline constexpr char kTranslation[] = "f:translation";
inline constexpr char kLocale[] = "f:locale";
inline constexpr char kRendition[] = "f:rendition";
inline constexpr char kPropagates[] = "f:propagates-authorities";
inline constexpr char kLocked[] = "f:locked";
inline constexpr char kRelator[] = "f:relator";
inline constexpr char kNonCyclic[] = "f:non-cyclic";
inline constexpr char kTaggable[] = "f:taggable";
inline constexpr char kThumbnailable[] = "f:thumbnailable";
inline constexpr char kPreviewable[] = "f:previewable";
}  // namespace feature

inline constexpr char kRootQName[] = "r:root";
inline constexpr char kUsersQName[] = "r:users";

}  // namespace stele::nodes
