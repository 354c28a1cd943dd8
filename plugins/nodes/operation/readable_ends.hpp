#pragma once

#include <vector>

#include <stele/sdk/call.hpp>
#include <stele/sdk/reply.hpp>

#include "branch/branch_content.hpp"

namespace stele::nodes {

/// The nodes at the other ends of edges, in that order, each once, that whoever acts may READ.
sdk::Result<std::vector<sdk::Document>> readable_ends(const BranchContent& content,
                                                      const std::vector<Edge>& edges);

/// A query that demands both, with the projection of `query`; `invalid` when it is no object.
sdk::Result<sdk::Json> narrowed(const sdk::Json& query, const sdk::Json& condition);

}  // namespace stele::nodes
