#pragma once

#include <stele/sdk/services/content_transfer.hpp>

#include "branch/services.hpp"

namespace stele::nodes {

/// `sdk::ContentTransfer::import`: walks the source once to see what comes, then brings
/// definitions, nodes, what nodes say of one another, and associations.
sdk::Result<sdk::ContentReport> import_content(Services& services, sdk::Context& context,
                                               sdk::ContentSource& source,
                                               const sdk::ContentTarget& target);

}  // namespace stele::nodes
