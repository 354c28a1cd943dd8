#pragma once

#include "branch/branch_content.hpp"
#include "merge/merge_draft.hpp"
#include "merge/merge_sides.hpp"

namespace stele::nodes {

/// Writes what a draft without conflicts says to its target, in the operation's changeset there.
[[nodiscard]] sdk::Result<void> write_draft(const BranchContent& target, const MergeDraft& draft);

/// The same of a merge: the changeset gets the source's tip as its second parent. With nothing to
/// write there is no changeset, and only noted that the target has all of the source.
[[nodiscard]] sdk::Result<void> write_merge(const BranchContent& source,
                                            const BranchContent& target, const MergeSides& sides,
                                            const MergeDraft& draft);

}  // namespace stele::nodes
