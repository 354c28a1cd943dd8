#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "branch/branch_content.hpp"
#include "merge/merge_conflict.hpp"
#include "merge/node_closure.hpp"

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
    /// Ids of the records that they have become, in their order; empty where they have not.
    std::vector<std::string> conflict_ids = {};
    /// Keys of the conflicts that were met and are settled by what people have decided.
    std::set<std::string> decided = {};
    /// Where they are asked for, rows (merge/merge_changes.hpp).
    std::vector<sdk::Json> changes = {};
    std::vector<sdk::Json> faults = {};
    /// The random part of the id of the changeset, which the commit completes; empty for none.
    std::string changeset = {};

    sdk::Json json() const;
};

struct MergeOptions {
    bool is_dry_run = false;
    /// What people have decided of conflicts.
    ConflictDecisions decisions = {};
    /// The target may block direct commits.
    bool passes_block = false;
    bool tells_changes = false;
    /// Of a merge of single nodes: the associations that may come. Outlives the merge.
    const std::set<std::string>* associations = nullptr;
    /// Goes on after what the target refuses: the transaction is not to be committed.
    bool finds_faults = false;
};

/// Merges what the source has done since both had the same into the target, for whoever acts, in
/// the operation's transaction and its one changeset there (docs/reference/merge.md). `invalid`
/// where both are one branch, or lie in two repositories; `forbidden` where the target takes no
/// writes, the source is archived, or rights are missing; `too_large` beyond `kMostMerged`.
[[nodiscard]] sdk::Result<MergeReport> merge_branches(const BranchContent& source,
                                                      const BranchContent& target,
                                                      MergeOptions options);

/// What a merge would change, for whoever looks: rows of nodes (merge/merge_changes.hpp), of what
/// they may READ. Neither rights to write nor what keeps the branches from it count.
[[nodiscard]] sdk::Result<std::vector<sdk::Json>> changes_between(const BranchContent& source,
                                                                  const BranchContent& target);

/// The same of single nodes of the source, with what they need (merge/node_closure.hpp): what else
/// the source has changed stays there. A named node that the target does not have comes, also where
/// it was deleted there. The next merge of these nodes begins with what came. `brought` gets the
/// ids of the nodes.
[[nodiscard]] sdk::Result<MergeReport> merge_nodes(const BranchContent& source,
                                                   const BranchContent& target,
                                                   const std::vector<std::string>& named,
                                                   const ClosureRules& rules, MergeOptions options,
                                                   std::vector<std::string>& brought);

/// Says that a target has taken over nodes from the source as they are there: the next merge of
/// them begins here, too.
[[nodiscard]] sdk::Result<void> note_taken_over(const BranchContent& source,
                                                const BranchContent& target,
                                                const std::vector<std::string>& nodes);

/// Takes back what a changeset of the target has done, whoever it came from and whatever was done
/// since: as a merge whose base is that changeset, and whose source is what was there before it.
/// The new changeset has one parent. `invalid` naming the parameter `id` where the changeset has
/// not come into the target, or is the first of the repository; otherwise as above.
[[nodiscard]] sdk::Result<MergeReport> revert_changeset(const BranchContent& target,
                                                        std::string_view id, MergeOptions options);

}  // namespace stele::nodes
