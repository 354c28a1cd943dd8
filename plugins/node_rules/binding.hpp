#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include <stele/sdk/json.hpp>
#include <stele/sdk/result.hpp>

namespace stele::node_rules {

/// An association `a:has_behavior`, read: which nodes a rule is for.
struct Binding {
    /// Id of the definition, or of the one node.
    std::string source;
    std::string rule;
    /// To all nodes of the type that the source defines, and of types that extend it.
    bool is_of_type = false;
};

/// Whether a node's JSON is an association that binds something.
bool is_binding(const sdk::Json& node);

/// `invalid` (`node_rules.binding_unfit`) for one that nothing follows from on this server; the
/// message says why. Policy and scope are members of the association or of its feature
/// `f:behavior-binding`.
sdk::Result<Binding> read_binding(const sdk::Json& association);

/// `domain/id` of whoever wrote the version last; empty where that was the server.
std::string author_of(const sdk::Json& node);

}  // namespace stele::node_rules
