#pragma once

#include <compare>
#include <set>
#include <string>

#include "branch/branch_content.hpp"

namespace stele::nodes {

/// An association that stands for a property of a node.
struct Relation {
    std::string type;
    std::string property;
    std::string target;

    auto operator<=>(const Relation&) const = default;
};

/// What an association's record says; `property` is empty where it stands for none.
Relation relation_of(const sdk::Document& association);

/// Those of a node, as far as their associations are of the types.
sdk::Result<std::set<Relation>> relations_of(const BranchContent& content, const std::string& node,
                                             const std::set<std::string>& types);

/// After a former version of a node has come back: brings those associations back that somebody
/// took away and that stood for what it names again, where nothing stands for it now and whoever
/// acts may READ the target. What has none is what it would be had somebody written the value
/// before its definition: only text.
sdk::Result<void> restore_relations(const BranchContent& content, const sdk::Document& node);

}  // namespace stele::nodes
