#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "branch/branch_content.hpp"
#include "merge/merge_sides.hpp"

namespace stele::nodes {

/// What comes along with nodes that are brought from one branch to another.
struct ClosureRules {
    /// Associations of these types stay, or all of them, and with them what they lead to; those
    /// that stand for properties come all the same.
    std::set<std::string> excluded_types = {};
    bool excludes_associations = false;
    /// Nodes that properties name come along.
    bool has_relators = false;
    /// So many steps along other associations, their ends come along.
    std::size_t depth = 0;
    /// Beyond these nodes it fails with `too_large` (`nodes.copy_too_large`).
    std::size_t most = 1000;
};

struct NodeClosure {
    /// Ids of nodes of the source, the named ones first.
    std::vector<std::string> nodes;
    /// Those of them that the target does not have and that come whatever it did to them: named
    /// ones, and what these need.
    std::set<std::string> fresh;
    /// Of associations of either branch with these that may have to be brought, and of persons that
    /// they lead to.
    std::set<std::string> associations;
};

/// What the named nodes need on the target (docs/reference/nodes_folders.md): folders that are not
/// there, translations, what they own, and by the rules more. Only what whoever acts may READ;
/// `forbidden` (`nodes.merge_unreadable`) where that leaves out what a node lies in. Places that a
/// node had in what both branches have in common, or what one has taken over from the other, are
/// among the associations.
sdk::Result<NodeClosure> close_over(const BranchContent& source, const BranchContent& target,
                                    const MergeSides& sides, const std::vector<std::string>& named,
                                    const ClosureRules& rules);

}  // namespace stele::nodes
