#pragma once

#include <string>

#include "content/relators.hpp"

namespace stele::nodes {

/// What the value of a property with `_relator` says: an object, or each of an array, names a node.

/// The id of the node that an element names; empty where it says none.
std::string element_id(const sdk::Json& element);
/// The one that names the node; null where none does.
const sdk::Json* element_of(const sdk::Json* value, const std::string& id);
/// What an element says of its node, beside what a client has put there.
sdk::Result<void> fill_element(const BranchContent& content, const sdk::Document& target,
                               sdk::Json& element);
/// Whether a property of that type may name the node.
sdk::Result<bool> is_of_type(const BranchContent& content, const sdk::Document& node,
                             const std::string& wanted);

/// Finds the nodes that the elements of a value name, and fills these in; null stands for an object
/// that names nothing any more. `before` is what the property said; null: nothing.
sdk::Result<void> resolve_elements(const BranchContent& content, const Relator& relator,
                                   const sdk::Json* before, sdk::Json& value,
                                   sdk::Violations& violations);

}  // namespace stele::nodes
