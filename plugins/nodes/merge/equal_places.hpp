#pragma once

#include <string>
#include <vector>

#include "merge/merge_sides.hpp"

namespace stele::nodes {

/// What lies in which folder, or belongs to which owner, is told by the ends of an association, not
/// by its id: where both branches have made one, a merge leaves the source's out, and each keeps
/// its own. Completes what the source has changed by that: what it has ended since ends on the
/// target under the id that it has there; and what it has replaced by the same it has not changed.
/// `written` are the keys of all that the source has written; `has_taken_over` says that the base
/// of what is changed may be later than what both have in common.
sdk::Result<void> match_equal_places(const BranchContent& target, const MergeSides& sides,
                                     const std::vector<std::string>& written, bool has_taken_over,
                                     std::vector<ChangedRecord>& changed);

}  // namespace stele::nodes
