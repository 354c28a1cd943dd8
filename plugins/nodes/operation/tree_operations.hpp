#pragma once

#include <stele/sdk/call.hpp>
#include <stele/sdk/reply.hpp>
#include <stele/sdk/shape.hpp>

#include "branch/services.hpp"

namespace stele::nodes {

/// `{N}/tree` (docs/specification/nodes.md 17): the members of folders below a node, as nested
/// objects.
sdk::Result<sdk::Reply> read_tree(Services& services, const sdk::Call& call);
/// What it answers, and what its body may hold.
sdk::Shape tree_shape();
sdk::Shape tree_body();

/// Most nodes that a tree looks at; beyond, it says `truncated`.
inline constexpr std::size_t kMaxInTree = 5000;

}  // namespace stele::nodes
