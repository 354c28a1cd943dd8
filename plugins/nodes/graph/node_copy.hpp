#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "branch/branch_content.hpp"

namespace stele::nodes {

enum class CopyStrategy {
    copy_everything,  ///< copies are nodes of their own, with new ids
    clone,  ///< copies have the ids of what they were copied from; an older one is replaced
};

struct CopyRules {
    CopyStrategy strategy = CopyStrategy::copy_everything;
    /// Otherwise what was copied to the same place before is brought up to date. Means nothing to
    /// `clone`.
    bool copies_on_existing = true;
    /// Associations that stay where they stand for no property: of these types, or all. With all,
    /// the target branch says which properties associations stand for.
    std::set<std::string> excluded_types = {};
    bool excludes_associations = false;
    /// Most nodes of one copy; beyond, it fails with `too_large` (`nodes.copy_too_large`).
    std::size_t most = 1000;
};

/// Whether associations of the type go where their nodes go; others are what a node is to its
/// branch.
bool is_copied_type(std::string_view type);

/// Copies nodes with what they hold, their attachments, and the associations between them, inside a
/// branch or to another. Rights are checked: READ on what is copied (what is not readable is left
/// out), CREATE_SUBOBJECTS on the branch for new nodes, UPDATE on those that are replaced. One
/// copy, one thread; both contents and their context outlive it.
///
/// Row of the graph of the target branch, by which an earlier copy is found:
///
///   C repository source folder -> copy
class NodeCopy {
public:
    NodeCopy(const BranchContent& from, const BranchContent& to, const CopyRules& rules)
        : from_(from), to_(to), rules_(rules) {}

    /// The node with everything below it, as a member of the folder; without one as nobody's.
    sdk::Result<sdk::Document> copy_tree(const sdk::Document& top, const sdk::Document* folder);
    /// These nodes alone. Associations to nodes that the target branch has already come with them
    /// when the strategy is `clone`.
    sdk::Result<void> copy_nodes(const std::vector<sdk::Document>& nodes);

    /// From the ids of what was copied to those of the copies.
    const std::map<std::string, std::string>& copies() const { return copies_; }

private:
    struct Member {
        sdk::Document node;
        /// Id of the folder that it was reached from.
        std::string folder;
    };

    sdk::Result<std::vector<Member>> gather(const sdk::Document& top) const;
    sdk::Result<void> check_size(std::size_t size) const;
    sdk::Result<sdk::Document> copy_node(const sdk::Document& node, const std::string& folder);
    sdk::Result<sdk::Document> clone_node(const sdk::Document& node);
    /// `folder` is where the present one lies for this copy; empty for a clone.
    sdk::Result<sdk::Document> replace(const sdk::Document& present, const sdk::Document& node,
                                       const std::string& folder);
    /// Before a copy is put into a folder: where its name is taken it gets a numbered one.
    sdk::Result<void> fit_name(const std::string& folder, const std::string& copy) const;
    void bring_attachments(const sdk::Document& node, const std::string& copy);
    /// Of associations that may stand for what the node says.
    sdk::Result<std::set<std::string>> relation_types(const sdk::Document& node) const;
    sdk::Result<void> copy_associations(const sdk::Document& node);
    /// Leaves those that stand for properties of the node to `copy_relations`.
    sdk::Result<void> copy_association(const Edge& edge, const std::string& node,
                                       std::vector<sdk::Document>& relations);
    /// Makes the copy of a node name the copies of what the node names, and makes the associations
    /// that stand for that.
    sdk::Result<void> copy_relations(const std::string& node,
                                     const std::vector<sdk::Document>& relations);
    sdk::Result<void> join_relations(const sdk::Document& copy,
                                     const std::vector<const sdk::Document*>& relations);
    /// Whether a clone of the association is there.
    sdk::Result<bool> is_there(const sdk::Document& original) const;
    sdk::Result<void> join_copies(const sdk::Document& original);
    /// The copy of an association; where a clone of it is there, that one is replaced.
    sdk::Result<void> make_association(const sdk::Document& original, const sdk::Document& source,
                                       const sdk::Document& target);
    sdk::Result<std::string> other_end(const Edge& edge, bool may_be_relation) const;
    sdk::Result<bool> is_joined(const AssociationEnds& ends) const;
    sdk::Result<std::string> origin_row(const std::string& node, const std::string& folder) const;

    const BranchContent& from_;
    const BranchContent& to_;
    CopyRules rules_;
    std::map<std::string, std::string> copies_;
};

}  // namespace stele::nodes
