#pragma once

#include "branch/branch_content.hpp"
#include "branch/services.hpp"

namespace stele::nodes {

/// Once, while the plugin is opened.
void define_index_job(Services& services);
/// Starts the job that ends when searches find what the attachments of this operation say
/// (docs/specification/nodes.md 1.5); in the operation's transaction.
sdk::Result<void> start_index_job(const BranchContent& content);

}  // namespace stele::nodes
