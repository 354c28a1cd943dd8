#pragma once

namespace stele::releases {

inline constexpr char kReleaseType[] = "release";
inline constexpr char kRepositoryType[] = "repository";
inline constexpr char kBranchType[] = "branch";
inline constexpr char kMasterAlias[] = "master";

/// Members of releases (docs/reference/releases.md).
namespace member {
inline constexpr char kTitle[] = "title";
inline constexpr char kBranch[] = "branchId";
inline constexpr char kIsFinalized[] = "finalized";
inline constexpr char kFinalizedBy[] = "finalizedBy";
inline constexpr char kFinalizedOn[] = "finalizedDate";
inline constexpr char kHasConflicts[] = "finalizeHasConflicts";
/// Other finalized releases that change the same nodes.
inline constexpr char kConflictsWith[] = "conflictsWith";
inline constexpr char kIsScheduled[] = "scheduled";
inline constexpr char kScheduledBy[] = "scheduledBy";
inline constexpr char kScheduledOn[] = "scheduledDate";
inline constexpr char kWork[] = "scheduledWorkId";
inline constexpr char kReleaseDate[] = "releaseDate";
inline constexpr char kIsReleased[] = "released";
inline constexpr char kSnapshot[] = "snapshotId";
inline constexpr char kIsArchived[] = "archived";
/// What the server goes by until it knows the changeset's id.
inline constexpr char kChangesetWord[] = "changesetWord";
}  // namespace member

/// Of jobs and branches.
inline constexpr char kRepositoryId[] = "repositoryId";
inline constexpr char kReleaseId[] = "releaseId";

}  // namespace stele::releases
