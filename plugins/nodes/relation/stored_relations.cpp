#include "relation/stored_relations.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "branch/relation_elements.hpp"
#include "branch/vocabulary.hpp"
#include "history/deletion.hpp"
#include "relation/relators.hpp"

namespace stele::nodes {

namespace {

/// In the trash.
sdk::Result<std::vector<sdk::Document>> removed_relations(const BranchContent& content,
                                                          const std::string& node) {
    sdk::PageRequest everything;
    everything.limit = -1;
    const sdk::Json wanted = {
        {std::string(kDeletionMember) + ".association", true},
        {member::kSource, node},
        {std::string(member::kFeatures) + "." + feature::kRelator, {{"$exists", true}}}};
    auto found = content.context().documents().query(deletions_of(content), wanted, everything);
    if (!found) return found.error();
    return std::move(found->rows);
}

bool has_relator(const std::vector<Relator>& relators, const Relation& relation) {
    return std::any_of(relators.begin(), relators.end(), [&](const Relator& relator) {
        return relator.path == relation.property && relator.type == relation.type;
    });
}

}  // namespace

Relation relation_of(const sdk::Document& association) {
    AssociationEnds ends = ends_of(association);
    return {std::move(ends.type), relation_path(association.fields), std::move(ends.target)};
}

sdk::Result<std::set<Relation>> relations_of(const BranchContent& content, const std::string& node,
                                             const std::set<std::string>& types) {
    std::set<Relation> found;
    for (const std::string& type : types) {
        auto edges = content.edges(node, Direction::outgoing, type);
        if (!edges) return edges.error();
        for (const Edge& edge : *edges) {
            if (edge.end != Direction::outgoing) continue;
            auto association = content.node(edge.association);
            if (!association) return association.error();
            if (is_relation(association->fields)) found.insert(relation_of(*association));
        }
    }
    return found;
}

sdk::Result<void> restore_relations(const BranchContent& content, const sdk::Document& node) {
    if (!may_have_elements(node.fields)) return {};
    auto relators = relators_of(content, node.fields);
    if (!relators) return relators.error();
    if (relators->empty()) return {};
    auto removed = removed_relations(content, node.id);
    if (!removed) return removed.error();
    NamedNodes named(node.fields);
    std::set<std::string> types;
    std::erase_if(*removed, [&](const sdk::Document& association) {
        const Relation relation = relation_of(association);
        const bool is_wanted =
            has_relator(*relators, relation) && named.contains(relation.property, relation.target);
        if (is_wanted) types.insert(relation.type);
        return !is_wanted;
    });
    auto present = relations_of(content, node.id, types);
    if (!present) return present.error();
    for (const sdk::Document& association : *removed) {
        const Relation relation = relation_of(association);
        if (present->contains(relation)) continue;
        auto target = content.readable_node(relation.target);
        if (!target && !sdk::is_missing(target.error())) return target.error();
        if (!target) continue;
        auto restored = restore_association(content, association);
        if (!restored) return restored;
        present->insert(relation);
    }
    return {};
}

}  // namespace stele::nodes
