#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "branch/branch_content.hpp"

namespace stele::nodes {

/// A folder that an operation names: a node, and a path below it; both may be empty, then it is the
/// root.
struct FolderAddress {
    std::string node;
    std::string path;
};

/// What an address names, which whoever acts may READ: a node, or an association where it has no
/// path. `not_found` (`nodes.path_unknown`).
sdk::Result<sdk::Document> find_place(const BranchContent& content, const FolderAddress& address);

/// The folder of an address, which whoever acts may READ and make nodes in. `not_found`
/// (`nodes.path_unknown`), `forbidden`.
sdk::Result<sdk::Document> find_folder(const BranchContent& content, const FolderAddress& address);

/// Makes the node a member of the folder, which becomes a container if it is none.
sdk::Result<void> put_into_folder(const BranchContent& content, const sdk::Document& node,
                                  const sdk::Document& folder);

/// Takes the nodes out of the folders that they lie in and puts them into this one. Needs UPDATE on
/// each. `invalid` for the root and for associations. Answers the nodes' ids.
sdk::Result<std::vector<std::string>> move_nodes(const BranchContent& content,
                                                 const std::vector<std::string>& nodes,
                                                 const sdk::Document& folder);

/// Folders and members that are nodes other than the root; `invalid` naming the parameter.
sdk::Result<void> check_movable(const sdk::Document& node, const char* parameter);

}  // namespace stele::nodes
