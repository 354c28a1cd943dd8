#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "branch/branch_content.hpp"

namespace stele::nodes {

/// A property of which a definition says `_relator`.
struct Relator {
    /// As `property_at` takes it.
    std::string path;
    /// Of its associations.
    std::string type;
    /// What it may name; empty: everything.
    std::string node_type;
};

/// Those of a node's type and of what it extends; what a nearer definition says of a property
/// holds. Those that `check_relators` would refuse, from before it looked, are left out.
sdk::Result<std::vector<Relator>> relators_of(const BranchContent& content, const sdk::Json& node);

/// Adds a violation for each `_relator` of a definition that cannot be used: no object of QNames
/// (`nodes.relator_malformed`), more than a definition may have (`nodes.relators_exceeded`), or
/// a type of associations that is the server's, but for `a:linked` (`nodes.association_reserved`).
void check_relators(const sdk::Json& definition, sdk::Violations& violations);

/// Whether associations of the type may stand for properties: those that mean something to the
/// server (folders, owners, locks) may not.
bool is_relator_type(std::string_view type);

/// Whether a node of that type may be named where `wanted` is asked for.
sdk::Result<bool> is_of_type(const BranchContent& content, const std::string& type,
                             const std::string& wanted);

}  // namespace stele::nodes
