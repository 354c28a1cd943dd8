#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "branch/branch_content.hpp"

namespace stele::nodes {

/// Definitions that are looked at upwards from one: every write of a node pays for them.
inline constexpr std::size_t kMaxChain = 20;

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
/// holds. A `_relator` that cannot be used stands for nothing: one that is no object of QNames,
/// names a type of associations that is the server's (but for `a:linked`), or comes after as many
/// as count.
sdk::Result<std::vector<Relator>> relators_of(const BranchContent& content, const sdk::Json& node);

/// Whether associations of the type may stand for properties: those that mean something to the
/// server (folders, owners, locks) may not.
bool is_relator_type(std::string_view type);

}  // namespace stele::nodes
