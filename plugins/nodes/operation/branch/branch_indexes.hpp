#pragma once

#include "branch/branch_content.hpp"
#include "branch/services.hpp"

namespace stele::nodes {

/// Defines the job that completes indexes of a branch, some nodes at a time.
void define_index_builds(Services& services);

/// Starts that job where the branch shows an index that is not complete: it was forked from, or
/// reset to, a changeset in the midst of a build.
sdk::Result<void> resume_index_builds(const BranchContent& content);

}  // namespace stele::nodes
