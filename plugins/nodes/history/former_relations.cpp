#include "history/former_relations.hpp"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "branch/relation_elements.hpp"
#include "branch/vocabulary.hpp"

namespace stele::nodes {

namespace {

/// What associations of the node stand for, of all that is said to be gone: by property.
sdk::Result<GoneElements::mapped_type> standing(const BranchContent& content,
                                                const std::string& node,
                                                const GoneElements::mapped_type& gone) {
    auto edges = content.edges(node, Direction::outgoing);
    if (!edges) return edges.error();
    GoneElements::mapped_type found;
    for (const Edge& edge : *edges) {
        const bool is_target = std::any_of(gone.begin(), gone.end(), [&](const auto& one) {
            return one.second.contains(edge.other);
        });
        if (!is_target) continue;
        auto association = content.node(edge.association);
        if (!association) return association.error();
        if (is_relation(association->fields))
            found[relation_path(association->fields)].insert(edge.other);
    }
    return found;
}

}  // namespace

sdk::Result<void> drop_element(const BranchContent& content, const sdk::Document& association) {
    const std::string path = relation_path(association.fields);
    Changes& changes = content.changes();
    if (path.empty() || changes.relations().are_in_step) return {};
    const AssociationEnds ends = ends_of(association);
    if (changes.is_cascading()) {
        auto& gone = changes.relations().gone[content.branch()];
        gone.elements[ends.source][path].insert(ends.target);
        return {};
    }
    auto source = content.node(ends.source);
    if (!source && sdk::is_missing(source.error())) return {};
    if (!source) return source.error();
    if (!erase_elements(source->fields, path, {ends.target})) return {};
    if (auto may = content.require(*source, sdk::Permission::update); !may) return may;
    auto written = content.context().documents().update(content.nodes(), ends.source,
                                                        std::move(source->fields));
    return written ? sdk::Result<void>() : written.error();
}

sdk::Result<std::size_t> drop_elements(const BranchContent& server, const std::string& node,
                                       const GoneElements::mapped_type& gone) {
    auto present = server.node(node);
    if (!present && sdk::is_missing(present.error())) return std::size_t{0};
    if (!present) return present.error();
    const std::size_t bytes = present->fields.dump().size();
    auto kept = standing(server, node, gone);
    if (!kept) return kept.error();
    bool has_changed = false;
    for (const auto& [path, targets] : gone) {
        std::set<std::string> lost = targets;
        for (const std::string& target : (*kept)[path])
            lost.erase(target);
        has_changed = erase_elements(present->fields, path, lost) || has_changed;
    }
    if (!has_changed) return bytes;
    const ServersOwn own(server.changes());
    auto written =
        server.context().documents().update(server.nodes(), node, std::move(present->fields));
    if (!written) return written.error();
    return bytes;
}

}  // namespace stele::nodes
