#pragma once

#include <stele/sdk/descriptor.hpp>

namespace stele::nodes {

/// Search and find; part of `node_traversal_actions`.
sdk::Actions node_find_actions();

}  // namespace stele::nodes
