#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "branch/branch_content.hpp"
#include "merge/merge_conflict.hpp"

namespace stele::nodes {

/// Most nodes and associations that one merge brings.
inline constexpr std::size_t kMostMerged = 100'000;

/// What came of a merge, or would.
struct MergeReport {
    bool is_merged = false;
    bool is_dry_run = false;
    /// Nodes and associations that it writes.
    std::size_t written = 0;
    /// With any nothing was written.
    std::vector<MergeConflict> conflicts = {};
    /// The random part of the id of the changeset, which the commit completes; empty for none.
    std::string changeset = {};

    sdk::Json json() const;
};

/// Merges what the source has done since both had the same into the target, for whoever acts, in
/// the operation's transaction and its one changeset there (docs/reference/merge.md). `invalid`
/// where both are one branch, or lie in two repositories; `forbidden` where the target takes no
/// writes, the source is archived, or rights are missing; `too_large` beyond `kMostMerged`.
[[nodiscard]] sdk::Result<MergeReport> merge_branches(const BranchContent& source,
                                                      const BranchContent& target, bool is_dry_run);

}  // namespace stele::nodes
