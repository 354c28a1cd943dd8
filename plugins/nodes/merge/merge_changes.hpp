#pragma once

#include <vector>

#include <stele/sdk/error.hpp>

#include "branch/branch_content.hpp"
#include "merge/merge_draft.hpp"

namespace stele::nodes {

/// What the target has refused of a merge.
struct MergeFault {
    std::string node;
    sdk::Error error;
};
/// Beyond these a merge that looks for more ends.
inline constexpr std::size_t kMostFaults = 1000;

/// A row for each node that a draft makes, changes, moves or removes, as
/// `sdk::BranchMergeOutcome::changes` says. Before the draft is written.
[[nodiscard]] sdk::Result<std::vector<sdk::Json>> told_changes(const BranchContent& source,
                                                               const BranchContent& target,
                                                               const MergeDraft& draft);
/// A row for each of what was wrong with it.
std::vector<sdk::Json> told_faults(const MergeDraft& draft, const std::vector<MergeFault>& faults);

}  // namespace stele::nodes
