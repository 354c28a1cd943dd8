#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "branch/branch_content.hpp"

namespace stele::nodes {

/// The definitions that every repository holds from its first changeset on: what
/// `BranchContent::create` takes, in the order in which they are made (docs/specification/nodes.md
/// 22).
const std::vector<sdk::Json>& built_in_definitions();
/// Whether one of them has the QName.
bool is_built_in_definition(std::string_view qname);

/// What a query asks of a definition to find those that are still as a repository began with them.
sdk::Json built_in_condition();
/// Whether a definition is one of those, as the server made it.
bool is_unchanged_built_in(const sdk::Json& definition);
/// Whether one of them has the QName, under a prefix that is not the server's own: a client's
/// definition takes its place.
bool is_replaceable_definition(const std::string& qname);
/// Before a definition is made: takes a built-in one with its QName away, unless the prefix is the
/// server's own (docs/reference/nodes_content.md). A client's definition of that name stays.
sdk::Result<void> make_way_for(const BranchContent& content, const sdk::Json& definition);

/// `conflict` for a definition that nodes, associations or features of the branch are instances of.
/// What the server takes away itself makes room for another one.
sdk::Result<void> check_no_instances(const BranchContent& content, const sdk::Json& definition);

/// Whether a node is a definition of a type, an association or a feature.
bool is_definition(const sdk::Json& node);

inline constexpr std::size_t kWholeChain = static_cast<std::size_t>(-1);

/// None is null.
using DefinitionChain = std::vector<std::shared_ptr<const sdk::Document>>;

/// The definition of a QName and those that it extends, nearest first, each once; as far as there
/// are any, `most` of them. A `_parent` that leads back ends the chain.
sdk::Result<DefinitionChain> definition_chain(const BranchContent& content, std::string_view qname,
                                              std::size_t most = kWholeChain);

/// One schema out of a chain: properties and required members of all, everything else from the
/// nearest that says it. Members that begin with `_` are no part of a schema.
sdk::Json schema_of(const DefinitionChain& chain);

/// Puts the features on a new node or association that its definition demands
/// (`mandatoryFeatures`: names with configurations, or names); those that it has stay as they are.
sdk::Result<void> apply_mandatory_features(const BranchContent& content, sdk::Json& node);

/// Where the branch says `validateContent`: adds what is wrong with a node or association that is
/// about to be written by the JSON Schema of its type and of what that extends, undefined types and
/// features, and faults of a definition's own schema (docs/reference/nodes_content.md). What
/// the server itself writes is right.
sdk::Result<void> validate_content(const BranchContent& content, const sdk::Json& node,
                                   sdk::Violations& violations);
/// Fails with `invalid` where a node with this content cannot become one of the type: it is no
/// QName (`nodes.qname_malformed`), or does not allow the content (`validate_content`).
sdk::Result<void> check_new_type(const BranchContent& content, sdk::Json node,
                                 const std::string& type);
/// Whether the branch says so, and the same for content that is there already.
sdk::Result<bool> is_validated(const BranchContent& content);
sdk::Result<void> find_violations(const BranchContent& content, const sdk::Json& node,
                                  sdk::Violations& violations);

}  // namespace stele::nodes
