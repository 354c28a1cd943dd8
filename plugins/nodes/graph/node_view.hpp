#pragma once

#include <stele/sdk/operation_hooks.hpp>

#include "branch/branch_content.hpp"

namespace stele::nodes {

/// `_paths`: the way from the root, by the root's QName; empty outside of its tree.
sdk::Result<sdk::Json> paths_of(const BranchContent& content, const sdk::Document& node);

/// Whether the query string asks for `_paths`.
sdk::Result<bool> wants_paths(const sdk::Call& call);
/// A node as a row of a list: with `_paths` where the call wants them.
sdk::Result<sdk::Json> shown_row(const BranchContent& content, const sdk::Call& call,
                                 sdk::Document node);

/// Parameters of a read.
std::vector<sdk::Parameter> view_parameters();
/// What a read of the addressed node answers: the node, or what lies at the parameter `path` below
/// it, in the translation that the call's locale asks for, with `_statistics`, and `_paths` where
/// the call wants them (docs/specification/nodes.md 12.3, 14, 24).
sdk::Result<sdk::ShownRecord> shown_node(const BranchContent& content, const sdk::Call& call);

}  // namespace stele::nodes
