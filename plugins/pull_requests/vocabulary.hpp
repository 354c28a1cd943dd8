#pragma once

#include <cstddef>

namespace stele::pull_requests {

inline constexpr char kPullRequestType[] = "pullRequest";
inline constexpr char kRepositoryType[] = "repository";
inline constexpr char kBranchType[] = "branch";
inline constexpr char kMasterAlias[] = "master";
/// Of target branches: whether requests are merged when they are opened.
inline constexpr char kAutoPull[] = "autoPull";

/// States (docs/reference/pull_requests.md).
inline constexpr char kOpen[] = "OPEN";
inline constexpr char kMerging[] = "MERGING";
inline constexpr char kMerged[] = "MERGED";
inline constexpr char kClosed[] = "CLOSED";

/// Members of requests.
namespace member {
inline constexpr char kSource[] = "sourceBranchId";
inline constexpr char kTarget[] = "targetBranchId";
inline constexpr char kState[] = "state";
inline constexpr char kSourceTip[] = "sourceChangesetId";
inline constexpr char kTargetTip[] = "targetChangesetId";
inline constexpr char kConflictCount[] = "conflictCount";
inline constexpr char kConflicts[] = "conflictIds";
inline constexpr char kFaultCount[] = "faultCount";
inline constexpr char kFaults[] = "faults";
inline constexpr char kProblem[] = "problem";
inline constexpr char kMergeJob[] = "mergeJobId";
inline constexpr char kValidateJob[] = "validateJobId";
inline constexpr char kMergedChangeset[] = "mergedChangesetId";
inline constexpr char kMergedOn[] = "mergedOn";
inline constexpr char kMergedBy[] = "mergedBy";
inline constexpr char kClosedOn[] = "closedOn";
inline constexpr char kClosedBy[] = "closedBy";
/// Computed when it is shown.
inline constexpr char kIsStale[] = "stale";
/// What the server goes by until it knows the changeset's id.
inline constexpr char kChangesetWord[] = "changesetWord";
}  // namespace member

/// Of jobs.
inline constexpr char kRepositoryId[] = "repositoryId";
inline constexpr char kPullRequestId[] = "pullRequestId";
inline constexpr char kIsAutomatic[] = "automatic";

/// What a record holds at most of each.
inline constexpr std::size_t kMostFaults = 100;
inline constexpr std::size_t kMostConflicts = 1000;

}  // namespace stele::pull_requests
