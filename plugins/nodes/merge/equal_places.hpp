#pragma once

#include <string>
#include <vector>

#include "merge/merge_sides.hpp"

namespace stele::nodes {

/// What lies in which folder, or belongs to which owner, is told by the ends of an association, not
/// by its id: where both branches have made one, each keeps its own. Makes one change of all that
/// the source has changed at the same ends, under the id that the target has there, if any: what
/// the source has ended ends under that id, what it has put on its own comes to that one, and what
/// it has replaced by the same it has not changed. `written` are the keys of all that the source
/// has written.
sdk::Result<void> match_equal_places(const BranchContent& target, const MergeSides& sides,
                                     const std::vector<std::string>& written,
                                     std::vector<ChangedRecord>& changed);

/// Whether the base has an association of that kind at its ends, under whatever id; false of one
/// that is no place.
sdk::Result<bool> is_place_in_base(const MergeSides& sides, const sdk::Document& association);

}  // namespace stele::nodes
