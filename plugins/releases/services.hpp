#pragma once

#include <stele/sdk/services/branch_merging.hpp>
#include <stele/sdk/services/inner_operations.hpp>
#include <stele/sdk/services/jobs.hpp>

namespace stele::releases {

/// What the parts of the plugin work with. All outlive them.
struct ReleaseServices {
    sdk::BranchMerging& merging;
    sdk::InnerOperations& operations;
    sdk::Jobs& jobs;
};

}  // namespace stele::releases
