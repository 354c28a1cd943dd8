#pragma once

#include <functional>

#include <stele/sdk/form_body.hpp>
#include "branch/branch_content.hpp"

namespace stele::nodes {

/// Makes one node of its members; the form's parameters beside those of the call are all there.
using MakeNode =
    std::function<sdk::Result<sdk::Document>(sdk::Json fields, const sdk::FormBody& parameters)>;

/// Makes a node of each file of a form: of a JSON one its members, of another one a node with the
/// file as its default attachment (docs/specification/nodes.md 7.3). Only on operations with
/// `Action::streamed_body`.
sdk::Result<sdk::Reply> create_nodes_of_form(const BranchContent& content, const sdk::Call& call,
                                             const MakeNode& make);

}  // namespace stele::nodes
