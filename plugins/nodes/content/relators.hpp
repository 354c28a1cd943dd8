#pragma once

#include <string>
#include <vector>

#include "content/branch_content.hpp"

namespace stele::nodes {

/// Member of the feature `f:relator` of an association: the property that it stands for.
inline constexpr char kRelatorPath[] = "propertyPath";

/// A property of which a definition says `_relator`.
struct Relator {
    /// Names of the members on the way to it, with slashes between.
    std::string path;
    std::vector<std::string> steps;
    /// Of its associations.
    std::string type;
    /// What it may name; empty: everything.
    std::string node_type;
    bool is_array = false;

    friend bool operator==(const Relator& one, const Relator& other) {
        return one.path == other.path && one.type == other.type;
    }

    /// Null where the node has no such member.
    const sdk::Json* value_in(const sdk::Json& node) const;
    sdk::Json* value_in(sdk::Json& node) const;
    void erase_from(sdk::Json& node) const;
    /// Makes the members on the way.
    void put_into(sdk::Json& node, sdk::Json value) const;
};

/// Those of a node's type and of what it extends.
sdk::Result<std::vector<Relator>> relators_of(const BranchContent& content, const sdk::Json& node);
/// The same, without a look at the definitions where none of the node's members could be one.
sdk::Result<std::vector<Relator>> used_relators(const BranchContent& content,
                                                const sdk::Json& node);

}  // namespace stele::nodes
