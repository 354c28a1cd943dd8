#pragma once

#include "content/branch_content.hpp"

namespace stele::nodes {

/// Makes one node as the call's parameters and the fields say (contract/nodes.md 7.2): with its
/// folders, its name and its place.
sdk::Result<sdk::Document> create_node(const BranchContent& content, const sdk::Call& call,
                                       sdk::Json fields);

/// `POST {BR}/nodes`: a node, an array of nodes, or a multipart body.
sdk::Action create_action();

}  // namespace stele::nodes
