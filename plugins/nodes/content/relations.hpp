#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "content/branch_content.hpp"

namespace stele::nodes {

/// Properties that stand for associations (docs/specification/semantics.md 3.4): a definition says
/// `_relator` of a property, and its value, an object or an array of objects, names the nodes that
/// associations of that type lead to. These bear `f:relator`, which says for which property.

/// `invalid` (`node.relator_malformed`) where a definition's `_relator` cannot be used.
sdk::Result<void> check_relators(const sdk::Json& definition);

/// Before a node is written: fills in what its properties tell of the nodes that they name. Adds a
/// violation for one that is not there for whoever acts, or of another type than the definition
/// wants. One that the property named before stays as it was where they may not READ it.
sdk::Result<void> resolve_relations(const BranchContent& content, const sdk::Document* before,
                                    sdk::Document& after, sdk::Violations& violations);
/// After it: makes and removes associations, so that they are what the properties say.
sdk::Result<void> sync_relations(const BranchContent& content, const sdk::Json* before,
                                 const sdk::Document& after);

/// Whether an association stands for a property of its source.
bool is_relation(const sdk::Json& association);
/// One of these has come, not by `sync_relations`: the property names its target, too. `conflict`
/// (`node.relation_taken`) where it names another node and takes one only.
sdk::Result<void> add_to_property(const BranchContent& content, const sdk::Document& association);
/// One of these goes: the property does not name its target any more. The server's own write, as
/// whoever deletes the target need not have the right to change the source.
sdk::Result<void> drop_from_property(const BranchContent& content,
                                     const sdk::Document& association);
/// Whether the property has room for the target.
sdk::Result<bool> has_room(const BranchContent& content, const sdk::Document& association);

/// Makes the properties of a copy name the copies of what those of the original name.
sdk::Result<void> point_to_copies(const BranchContent& content, const std::string& copy,
                                  const sdk::Json& original,
                                  const std::map<std::string, std::string>& copies);

}  // namespace stele::nodes
