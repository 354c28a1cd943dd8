#pragma once

#include <string>

#include "branch/branch_content.hpp"

namespace stele::nodes {

/// Starts a job that purges the deletions of a branch which are there now and which whoever acts
/// may remove; answers its id.
sdk::Result<std::string> start_purge_job(Services& services, sdk::Context& context,
                                         const sdk::RecordKey& branch);

/// That one, and the one for the associations of purged nodes (history/purge.hpp). Once, while the
/// plugin is opened.
void define_purge_jobs(Services& services);

}  // namespace stele::nodes
