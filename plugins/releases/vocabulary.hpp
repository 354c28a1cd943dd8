#pragma once

namespace stele::releases {

inline constexpr char kReleaseType[] = "release";
inline constexpr char kWorkType[] = "scheduled-work";
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
/// What its branch was when it was finalized last.
inline constexpr char kFinalizedTip[] = "finalizedTip";
inline constexpr char kReleaseDate[] = "releaseDate";
inline constexpr char kIsReleased[] = "released";
inline constexpr char kSnapshot[] = "snapshotId";
inline constexpr char kIsArchived[] = "archived";
/// What the server goes by until it knows the changeset's id.
inline constexpr char kChangesetWord[] = "changesetWord";
/// The job that brings it to the master, or takes the snapshot.
inline constexpr char kJob[] = "releaseJobId";
}  // namespace member

/// Members of scheduled work.
namespace work {
inline constexpr char kType[] = "type";
inline constexpr char kReference[] = "reference";
inline constexpr char kStartDate[] = "startDate";
inline constexpr char kJob[] = "jobId";
inline constexpr char kScheduledBy[] = "scheduledBy";
inline constexpr char kState[] = "state";
}  // namespace work

/// Of jobs, branches and scheduled work.
inline constexpr char kRepositoryId[] = "repositoryId";
inline constexpr char kReleaseId[] = "releaseId";
/// What finalizing is told.
inline constexpr char kSchedule[] = "schedule";

}  // namespace stele::releases
