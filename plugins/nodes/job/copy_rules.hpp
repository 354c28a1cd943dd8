#pragma once

#include <cstddef>

#include <stele/sdk/json.hpp>
#include <stele/sdk/result.hpp>

#include "graph/node_copy.hpp"

namespace stele::nodes {

inline constexpr char kStrategy[] = "strategy";
inline constexpr char kCopyOnExisting[] = "copyOnExisting";
inline constexpr char kLiftsProtection[] = "allowWriteToFrozenBranches";
/// Of copies from a branch: true, or the types of associations that stay.
inline constexpr char kExcludedAssociations[] = "excludeAssociationTypes";

/// What a configuration says that is a matter of copies of nodes, as members of an order. `invalid`
/// with a violation for each that is of the wrong kind (`nodes.copy_setting_malformed`).
sdk::Result<sdk::Json> copy_settings(const sdk::Json& configuration);

/// What such an order says. `invalid` (`nodes.copy_strategy_unknown`).
sdk::Result<CopyRules> copy_rules(const sdk::Json& order, std::size_t most);
/// Of an order that clones nodes from a branch.
CopyRules clone_rules(const sdk::Json& order, std::size_t most);

}  // namespace stele::nodes
