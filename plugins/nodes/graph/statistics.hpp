#pragma once

#include "branch/branch_content.hpp"

namespace stele::nodes {

/// How many associations of a node are counted; beyond that the statistics say `truncated: true`.
inline constexpr std::size_t kCountedAssociations = 10'000;
/// The same for whoever may not READ all nodes: each association is asked about.
inline constexpr std::size_t kAskedAssociations = 500;

/// `_statistics` of a node (docs/specification/nodes.md 12.3), computed from its associations: for
/// each type `T`, `T_OUTGOING` and `T_INCOMING`, where undirected ones count as both, and the sums
/// of the ratings in its comments. What a person made is not counted as the person's.
sdk::Result<sdk::Json> statistics_of(const BranchContent& content, const sdk::Document& node);
/// The same of the associations whose other ends whoever acts may READ.
sdk::Result<sdk::Json> readable_statistics_of(const BranchContent& content,
                                              const sdk::Document& node);

}  // namespace stele::nodes
