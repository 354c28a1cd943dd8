#include "relation/stored_relations.hpp"

#include <map>
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
    auto removed = deleted_associations(content, node, {member::kSource});
    if (!removed) return removed;
    std::erase_if(*removed, [](const sdk::Document& association) {
        return !has_feature(association.fields, feature::kRelator);
    });
    return removed;
}

/// Where nothing is left of the association.
sdk::Result<void> relate_again(const BranchContent& content, const sdk::Document& node,
                               const sdk::Document& target, const Relation& relation) {
    const Raised comes_back(content.changes().relations().come_back);
    auto joined = relate(content, node, target, relation.type, relation.property);
    return joined ? sdk::Result<void>() : joined.error();
}

}  // namespace

sdk::Result<void> restore_relations(const BranchContent& content, const sdk::Document& node,
                                    const VersionPlace& version) {
    if (!may_have_elements(node.fields)) return {};
    auto relators = relators_of(content, node.fields);
    if (!relators) return relators.error();
    std::set<std::string> types;
    for (const Relator& relator : *relators)
        types.insert(relator.type);
    auto proven = relations_at(content, node.id, version, types);
    if (!proven) return proven.error();
    if (proven->empty()) return {};
    auto removed = removed_relations(content, node.id);
    if (!removed) return removed.error();
    NamedNodes named(node.fields);
    auto present = relations_of(content, node.id, types);
    if (!present) return present.error();
    std::map<Relation, const sdk::Document*> kept;
    for (const sdk::Document& association : *removed)
        kept.emplace(relation_of(association), &association);
    for (const Relation& relation : *proven) {
        const bool is_wanted = named.contains(relation.property, relation.target);
        if (!is_wanted || present->contains(relation)) continue;
        auto target = content.readable_node(relation.target);
        if (!target && !sdk::is_missing(target.error())) return target.error();
        if (!target) continue;
        if (auto counted = count_relation(content.changes()); !counted) return counted;
        const auto found = kept.find(relation);
        auto restored = found != kept.end() ? restore_association(content, *found->second)
                                            : relate_again(content, node, *target, relation);
        if (!restored) return of_property(relation.property, restored.error());
    }
    return {};
}

}  // namespace stele::nodes
