#pragma once

#include <stele/sdk/descriptor.hpp>

namespace stele::nodes {

/// Children, relatives and ancestors of a node; part of `node_association_actions`.
sdk::Actions node_relative_actions();

}  // namespace stele::nodes
