#pragma once

#include <string_view>
#include <vector>

#include <stele/sdk/engine.hpp>

#include "version/ancestry.hpp"

namespace stele::nodes {

/// Which state of single records a branch has taken over from others without merging all of them,
/// so that a later merge begins there (docs/decisions/0178-nodes-are-published-by-merging.md). Rows
/// of the branch's graph, and so its forks':
///
///   A record line -> revision
///
/// Whether a branch has any is cheap to ask, for the many that have none.
sdk::Result<bool> has_adopted(const sdk::Reader& content);
/// The changesets whose state of a record a branch has taken over.
sdk::Result<std::vector<AncestryPoint>> adopted_versions(const sdk::Reader& content,
                                                         std::string_view id);
void put_adopted(sdk::Transaction& content, std::string_view id, const AncestryPoint& changeset);

}  // namespace stele::nodes
