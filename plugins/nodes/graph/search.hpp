#pragma once

#include <stele/sdk/services/node_search.hpp>

#include "branch/branch_content.hpp"

namespace stele::nodes {

/// What fits a search expression and whoever acts may READ: the best `limit` hits, all counted.
/// Nodes that `is_wanted` refuses are none. `unavailable` (`nodes.search_missing`) while no enabled
/// plugin searches, `invalid` for a wrong expression.
sdk::Result<sdk::NodeHits> search_nodes(
    const BranchContent& content, const sdk::Json& expression, std::size_t limit,
    const std::function<bool(std::string_view id)>& is_wanted = {});

}  // namespace stele::nodes
