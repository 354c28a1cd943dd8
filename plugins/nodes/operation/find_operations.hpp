#pragma once

#include <stele/sdk/descriptor.hpp>

namespace stele::nodes {

/// Search, find and the query forms that are no standard operations; part of
/// `node_traversal_actions`.
sdk::Actions node_find_actions();
sdk::Actions node_query_actions();

}  // namespace stele::nodes
