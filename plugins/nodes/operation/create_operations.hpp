#pragma once

#include <functional>

#include "branch/branch_content.hpp"

namespace stele::nodes {

/// Parameters by name: those of a call, or of a form.
using Parameters = std::function<std::optional<std::string>(std::string_view name)>;

/// Makes one node as the parameters and the fields say (docs/specification/nodes.md 7.2): with its
/// folders, its name and its place.
sdk::Result<sdk::Document> create_node(const BranchContent& content, const Parameters& parameters,
                                       sdk::Json fields);

/// `POST {BR}/nodes`: a node, an array of nodes, or a multipart body.
sdk::Action create_action();

}  // namespace stele::nodes
