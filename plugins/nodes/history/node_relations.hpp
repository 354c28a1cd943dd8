#pragma once

#include <compare>
#include <set>
#include <string>

#include "branch/branch_content.hpp"
#include "history/history.hpp"

namespace stele::nodes {

/// An association that stands for a property of a node (relation/relations.hpp).
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
/// The same when a version of the node was written. They prove what that version named: who writes
/// into a property where it stands for nothing (a definition comes later, the type is another one
/// for a while, the node lies in the trash) makes none, and the write that takes an element out
/// makes a version without it.
sdk::Result<std::set<Relation>> relations_at(const BranchContent& content, const std::string& node,
                                             const VersionPlace& version,
                                             const std::set<std::string>& types);
/// The same of all types at its newest version; none where the branch never showed the node.
sdk::Result<std::set<Relation>> newest_relations(const BranchContent& content,
                                                 const std::string& node);
/// As far as their associations are of the type.
sdk::Result<std::set<Relation>> newest_relations(const BranchContent& content,
                                                 const std::string& node, const std::string& type);

}  // namespace stele::nodes
