#pragma once

#include "branch/branch_content.hpp"

namespace stele::nodes {

/// A node on its way out.
struct ShownNode {
    sdk::Json fields;
    /// Of the stored version: what is computed beside it may change without.
    std::string etag;
};

/// `_paths`: the way from the root, by the root's QName; empty outside of its tree.
sdk::Result<sdk::Json> paths_of(const BranchContent& content, const sdk::Document& node);

/// Whether the query string asks for `_paths`.
sdk::Result<bool> wants_paths(const sdk::Call& call);
/// A node as a row of a list: with `_paths` where the call wants them.
sdk::Result<sdk::Json> shown_row(const BranchContent& content, const sdk::Call& call,
                                 sdk::Document node);

/// What a plain read shows: the translation that the call's locale asks for, `_statistics`, and
/// `_paths` where the call wants them (docs/specification/nodes.md 12.3, 14, 24).
sdk::Result<ShownNode> shown_node(const BranchContent& content, const sdk::Call& call,
                                  sdk::Document node);

/// A node on its way out as it is stored, but for what is computed.
struct NodeText {
    std::string json;
    std::string etag;
};

/// Whether a plain read shows the addressed node itself, with all of it and nothing computed but
/// `_statistics`.
sdk::Result<bool> asks_for_itself(const sdk::Call& call);
/// The addressed node then: what `shown_node` shows.
sdk::Result<NodeText> node_text(const BranchContent& content, const sdk::Call& call);

}  // namespace stele::nodes
