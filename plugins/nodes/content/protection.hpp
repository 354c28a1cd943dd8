#pragma once

#include "content/branch_content.hpp"

namespace stele::nodes {

/// Before anything is written to a branch: `forbidden` where the branch is read-only, frozen or
/// takes no direct commits (contract/nodes.md 4.4), unless the operation lifted the protection
/// (`Changes::lift_protection`).
sdk::Result<void> check_branch_writable(const BranchContent& content);

/// `conflict` (`node.locked`) where somebody else holds the node's lock.
sdk::Result<void> check_unlocked(const BranchContent& content, const sdk::Document& node);

}  // namespace stele::nodes
