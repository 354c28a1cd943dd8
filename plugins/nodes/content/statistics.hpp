#pragma once

#include "content/branch_content.hpp"

namespace stele::nodes {

/// How many associations of a node are counted; beyond that the statistics say `truncated: true`.
inline constexpr std::size_t kCountedAssociations = 10'000;

struct Statistics {
    sdk::Json counts;
    /// Ratings are those that whoever acts may READ.
    bool depends_on_reader = false;
};

/// `_statistics` of a node (docs/specification/nodes.md 12.3), computed from its associations: for
/// each type `T`, `T_OUTGOING` and `T_INCOMING`, where undirected ones count as both, and the sums
/// of the ratings in its comments. Associations to what whoever acts may not READ are counted,
/// their ratings are not. What a person made is not counted as the person's.
sdk::Result<Statistics> statistics_of(const BranchContent& content, const sdk::Document& node);

}  // namespace stele::nodes
