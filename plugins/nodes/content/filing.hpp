#pragma once

#include <string_view>

#include "content/branch_content.hpp"

namespace stele::nodes {

/// Whether members of such an association share the fate of its source: they go with it and, in
/// folders, its rights reach them.
bool is_containment(std::string_view type);

/// Before whoever acts puts a node into a folder or lets another one own it. `forbidden`
/// (`authority.permission_missing`) unless they may UPDATE and DELETE the node and hold everything
/// on it that they hold on the folder: rights on folders reach what lies in them, so nobody gains
/// rights by filing. `conflict` (`node.association_cyclic`) where the folder lies in the node.
sdk::Result<void> require_filing(const BranchContent& content, const sdk::Document& folder,
                                 const sdk::Document& node, std::string_view type);

}  // namespace stele::nodes
