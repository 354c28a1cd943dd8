#pragma once

#include <string>
#include <vector>

#include <stele/sdk/descriptor.hpp>

namespace stele::nodes {

/// What operations of nodes are told and answer, for the server's description. With `full=false`
/// rows and what writes answer have no more than `_doc`, whatever else they have otherwise.

/// A node or an association as it is read, written and sent.
sdk::Shape node_shape();
sdk::Shape written_node();
sdk::Shape node_body();

/// With its ends.
sdk::Shape association_shape();
sdk::Shape written_association();

/// A JSON Patch (RFC 6902).
sdk::Shape patch_shape();

/// What `traverse` of a body asks for.
sdk::Shape walk_shape();

sdk::Shape ids_shape();
/// `_docs`: the ids of what an operation was about.
sdk::ShapeMember ids_member();
/// One id, or an array of them.
sdk::Shape id_or_ids();

/// `truncated` and `bound`, where a bound cut the reply.
sdk::Shape cut(const sdk::Shape& reply);
/// A page that a bound may have cut.
sdk::Shape cut_page(const sdk::Shape& row);
sdk::Shape page_of_nodes();

/// `ANY`, `INCOMING`, `OUTGOING`, `MUTUAL`.
const std::vector<std::string>& direction_names();
/// An operation's own, and what says how much rows show: `full`, `metadata`. Read from the query
/// string only.
std::vector<sdk::Parameter> with_projection(std::vector<sdk::Parameter> own = {});
/// The same and `paths`, for rows that are nodes.
std::vector<sdk::Parameter> with_row_parameters(std::vector<sdk::Parameter> own = {});

}  // namespace stele::nodes
