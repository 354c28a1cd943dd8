#pragma once

#include "branch/branch_content.hpp"
#include "merge/merge_changes.hpp"
#include "merge/merge_draft.hpp"
#include "merge/merge_sides.hpp"

namespace stele::nodes {

/// Writes what a draft without conflicts says to its target, in the operation's changeset there.
/// With `faults` it goes on after what the target refuses, until there are `kMostFaults`: such a
/// transaction is not to be committed.
[[nodiscard]] sdk::Result<void> write_draft(const BranchContent& target, const MergeDraft& draft,
                                            std::vector<MergeFault>* faults = nullptr);

/// The same of a merge: the changeset gets the source's tip as its second parent. Says whether
/// there is one: with nothing to write it is noted at the target's last changeset that this has all
/// of the source.
[[nodiscard]] sdk::Result<bool> write_merge(const BranchContent& source,
                                            const BranchContent& target, const MergeSides& sides,
                                            const MergeDraft& draft,
                                            std::vector<MergeFault>* faults = nullptr);

}  // namespace stele::nodes
