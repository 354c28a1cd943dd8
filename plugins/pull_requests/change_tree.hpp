#pragma once

#include <vector>

#include <stele/sdk/json.hpp>

namespace stele::pull_requests {

/// Sorts rows of changed nodes (`sdk::BranchMerging::changes`) by their paths, those without one
/// last.
void sort_by_path(std::vector<sdk::Json>& rows);

/// The rows by the folders that their paths lead through: `{name, path, children}` each, and of a
/// changed node what its row says. `rows` are sorted; those without a path are in `unplaced` of the
/// root.
sdk::Json change_tree(const std::vector<sdk::Json>& rows);

}  // namespace stele::pull_requests
