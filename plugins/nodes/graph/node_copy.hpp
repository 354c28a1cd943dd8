#pragma once

#include <cstddef>
#include <map>
#include <optional>
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
    /// False: copies come without what is attached to them; what is brought up to date keeps its
    /// own.
    bool has_attachments = true;
    /// Grants on what is copied are given on the copies.
    bool has_grants = false;
    /// Copies say the ids of what they were copied from as `_source_doc`.
    bool keeps_source_ids = false;
    /// What properties name that stand for associations is copied, too, one step far.
    bool has_relators = false;
    /// Associations with what is not copied and the target branch has come to copies with new ids,
    /// too; those by which something would lie in a folder do not.
    bool has_relating_associations = false;
    /// Properties that stand for associations must not name what neither comes nor is there:
    /// `conflict` (`nodes.copy_link_missing`).
    bool requires_all = false;
    /// Whole texts, ids of ends among them, and what they become in copies.
    std::map<std::string, std::string> substitutions = {};
    /// Most nodes of one copy; beyond, it fails with `too_large` (`nodes.copy_too_large`).
    std::size_t most = 1000;
};

/// Whether an association can be copied by itself: not what a node is to its branch, nor what
/// stands for what a node says. `invalid` (`nodes.association_unfit`).
sdk::Result<void> check_copied_alone(const sdk::Document& association);

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
    /// An association alone, between the nodes of the target branch that have the ids of its ends;
    /// one with a new id begins in `source` where there is one. `conflict`
    /// (`nodes.copy_end_missing`) where an end is not there for whoever acts.
    sdk::Result<sdk::Document> copy_lone_association(const sdk::Document& original,
                                                     const sdk::Document* source);

    /// From the ids of what was copied to those of the copies.
    const std::map<std::string, std::string>& copies() const { return copies_; }

private:
    struct Member {
        sdk::Document node;
        /// Id of the folder that it was reached from.
        std::string folder;
    };

    sdk::Result<std::vector<Member>> gather(const sdk::Document& top) const;
    sdk::Result<void> add_relators(std::vector<Member>& members,
                                   std::set<std::string>& known) const;
    sdk::Result<void> check_size(std::size_t size) const;
    sdk::Result<sdk::Document> copy_node(const sdk::Document& node, const std::string& folder);
    sdk::Result<sdk::Document> clone_node(const sdk::Document& node);
    /// `folder` is where the present one lies for this copy; empty for a clone.
    sdk::Result<sdk::Document> replace(const sdk::Document& present, const sdk::Document& node,
                                       const std::string& folder);
    /// Before a copy is put into a folder: where its name is taken it gets a numbered one.
    sdk::Result<void> fit_name(const std::string& folder, const std::string& copy) const;
    /// What a copy says, with or without `_doc` and QName.
    sdk::Json fields_of(const sdk::Json& original, bool keeps_names) const;
    std::string substituted(const std::string& text) const;
    /// What is named by an id is named so in copies.
    std::string id_in_copies(const std::string& id) const;
    sdk::Result<void> bring_attachments(const sdk::Document& node, const std::string& copy);
    /// The bytes, where the branches keep theirs in different places.
    sdk::Result<void> bring_bytes(const sdk::Json& attachments) const;
    /// The copy as it is in the end, when what comes with it was written to it.
    sdk::Result<sdk::Document> finish_new(const sdk::Document& original, sdk::Document copy);
    sdk::Result<sdk::Document> finish(const sdk::Document& original, sdk::Document copy);
    sdk::Result<void> bring_grants(const sdk::Document& original, const sdk::Document& copy) const;
    /// What was copied to the same place before, where that is to be brought up to date.
    sdk::Result<std::optional<sdk::Document>> find_earlier(const std::string& row) const;
    sdk::Result<void> note_origin(const std::string& row, const std::string& copy);
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
    sdk::Result<void> require_named(const sdk::Document& node) const;
    sdk::Result<void> join_copies(const sdk::Document& original);
    /// The copy of an association; where a clone of it is there, that one is replaced.
    sdk::Result<sdk::Document> make_association(const sdk::Document& original,
                                                const sdk::Document& source,
                                                const sdk::Document& target);
    sdk::Result<std::optional<sdk::Document>> find_clone(const sdk::Document& original) const;
    sdk::Result<sdk::Document> find_end(const std::string& id, const char* end) const;
    sdk::Result<std::string> other_end(const Edge& edge, bool may_be_relation) const;
    /// Looked at from the target, or from the source: the one with fewer associations.
    sdk::Result<bool> is_joined(const AssociationEnds& ends, bool from_target) const;
    sdk::Result<std::optional<sdk::Document>> end_there(const std::string& id,
                                                        bool is_copied) const;
    std::string type_in_copies(const sdk::Document& association) const;
    sdk::Result<std::string> origin_row(const std::string& node, const std::string& folder) const;

    const BranchContent& from_;
    const BranchContent& to_;
    CopyRules rules_;
    std::map<std::string, std::string> copies_;
};

}  // namespace stele::nodes
