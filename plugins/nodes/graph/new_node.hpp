#pragma once

#include <stele/sdk/operation_hooks.hpp>

#include "branch/branch_content.hpp"

namespace stele::nodes {

/// Parameters of a create that say where the node goes (docs/specification/nodes.md 7.2).
std::vector<sdk::Parameter> placement_parameters();

/// Takes out of a new node's members what a client cannot set, puts in what the file name says, and
/// answers where the node goes: its folders, and its name where that is made of the id. Null where
/// it stays as it is made. `fields` is an object.
sdk::Json locate_node(const sdk::Parameters& parameters, sdk::Json& fields);
/// Puts a node that was just made there, in folders that are made where they are missing. Answers
/// the node where its name was filled in.
sdk::Result<std::optional<sdk::Document>> place_node(const BranchContent& content,
                                                     const sdk::Document& node,
                                                     const sdk::Json& where);

/// Makes one node as parameters and fields say.
sdk::Result<sdk::Document> create_node(const BranchContent& content,
                                       const sdk::Parameters& parameters, sdk::Json fields);

}  // namespace stele::nodes
