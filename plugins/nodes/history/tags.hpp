#pragma once

#include "branch/branch_content.hpp"

namespace stele::nodes {

/// Tags of one node.
inline constexpr std::size_t kMaxTags = 100;

/// Keeps the nodes of type `n:tag` in step with what a node with `f:taggable` says: an association
/// `a:has_tag` to the node of each of its tags, which is made where there is none yet. `before` is
/// the node before the write, null for a new one. Associations that clients made stay.
/// `invalid` (`nodes.tags_exceeded`).
sdk::Result<void> sync_tags(const BranchContent& content, const sdk::Json* before,
                            const sdk::Document& node);

/// Whether an association is there because of the tags that its node names.
bool is_tagging(const sdk::Json& association);

}  // namespace stele::nodes
