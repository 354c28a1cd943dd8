#pragma once

#include <cstdint>

#include <stele/sdk/services/upkeep.hpp>

#include "branch/services.hpp"
#include "graph/branch_check.hpp"

namespace stele::nodes {

// Parts of jobs that maintain a branch, which members as `address_of` makes them name. They act for
// the job's starter, whose rights are looked at again and again.

/// Checks every node and association, and mends what the plan says; counts, and the first faults in
/// `rows`. `done_before` is added to the progress that the job shows.
sdk::Result<sdk::Json> validate_branch(Services& services, sdk::Job& job, const sdk::Json& address,
                                       const CheckPlan& plan, std::uint64_t done_before);
/// Builds the search index of the branch's repository anew, on this server.
sdk::Result<sdk::Json> rebuild_search_of(Services& services, sdk::Job& job,
                                         const sdk::Json& address);

/// Adds the upkeep of repositories. Once, while the plugin is opened.
void add_upkeep(Services& services, sdk::Upkeep& upkeep);

}  // namespace stele::nodes
