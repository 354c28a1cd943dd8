#pragma once

#include <cstdint>
#include <set>

#include "branch/branch_content.hpp"

namespace stele::nodes {

enum class MergeDirection : std::uint8_t {
    any,
    incoming,  ///< what the branch has taken in
    outgoing,  ///< what has taken in the branch
};

/// Keys of the branches with which a branch has been merged, also those that are gone since.
sdk::Result<std::set<sdk::RecordKey>> merged_branches(const BranchContent& content,
                                                      MergeDirection direction);

}  // namespace stele::nodes
