#pragma once

#include <cstddef>

#include <stele/sdk/json.hpp>
#include <stele/sdk/result.hpp>

#include "graph/node_copy.hpp"
#include "merge/node_closure.hpp"

namespace stele::nodes {

inline constexpr char kStrategy[] = "strategy";
inline constexpr char kCopyOnExisting[] = "copyOnExisting";
inline constexpr char kLiftsProtection[] = "allowWriteToFrozenBranches";
/// Of copies from a branch: true, or the types of associations that stay.
inline constexpr char kExcludedAssociations[] = "excludeAssociationTypes";
/// The same: nodes that properties name come along; the ends of other associations do, so many
/// steps far; named nodes that the source has deleted are deleted; nodes come as the source has
/// them, whatever the target has made of them.
inline constexpr char kBroughtRelators[] = "includeRelators";
inline constexpr char kBringsEnds[] = "includeAllAssociations";
inline constexpr char kBroughtDepth[] = "optionalAssociationsMaxDepth";
inline constexpr char kRemovesGone[] = "forceDelete";
inline constexpr char kOverwrites[] = "overwrite";

/// What a configuration says that is a matter of copies of nodes, as members of an order. `invalid`
/// with a violation for each that is of the wrong kind (`nodes.copy_setting_malformed`).
sdk::Result<sdk::Json> copy_settings(const sdk::Json& configuration);

/// What such an order says. `invalid` (`nodes.copy_strategy_unknown`).
sdk::Result<CopyRules> copy_rules(const sdk::Json& order, std::size_t most);
/// Of an order that clones nodes from a branch.
CopyRules clone_rules(const sdk::Json& order, std::size_t most);
/// Of one that brings nodes by merging.
ClosureRules closure_rules(const sdk::Json& order, std::size_t most);

}  // namespace stele::nodes
