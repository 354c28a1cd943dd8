#pragma once

#include "content/branch_content.hpp"

namespace stele::nodes {

/// How many associations of a node are counted; beyond that the statistics say `truncated: true`.
inline constexpr std::size_t kCountedAssociations = 10'000;

/// `_statistics` of a node (contract/nodes.md 12.3), computed from its associations: for each type
/// `T`, `T_OUTGOING` and `T_INCOMING`, where undirected ones count as both, and the sums of the
/// ratings in its comments. Associations to what whoever acts may not READ are counted, their
/// ratings are not. What a person made is not counted as the person's.
sdk::Result<sdk::Json> statistics_of(const BranchContent& content, const sdk::Document& node);

}  // namespace stele::nodes
