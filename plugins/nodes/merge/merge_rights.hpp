#pragma once

#include <vector>

#include "branch/branch_content.hpp"
#include "merge/merge_draft.hpp"
#include "merge/merge_sides.hpp"

namespace stele::nodes {

/// `forbidden` (`nodes.merge_unreadable`) where whoever acts may not READ something that the source
/// has changed, on the source or, where the target has it, on the target: says how many, and never
/// which.
[[nodiscard]] sdk::Result<void> require_readable(const BranchContent& source,
                                                 const BranchContent& target,
                                                 const std::vector<ChangedRecord>& changed);

/// The same for who only looks: takes such records away.
[[nodiscard]] sdk::Result<void> leave_unreadable_out(const BranchContent& source,
                                                     const BranchContent& target,
                                                     std::vector<ChangedRecord>& changed);

/// `forbidden` (`authority.permission_missing`) where whoever acts lacks what single writes of the
/// steps need: CREATE_SUBOBJECTS on the branch for what is new, and on the folder that it is put
/// into; UPDATE on what changes, and on nodes that get or lose associations; DELETE on what goes.
[[nodiscard]] sdk::Result<void> require_writable(const BranchContent& target,
                                                 const MergeDraft& draft);

}  // namespace stele::nodes
