#include "history/node_relations.hpp"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include "branch/pace.hpp"
#include "branch/relation_elements.hpp"
#include "branch/vocabulary.hpp"

namespace stele::nodes {

namespace {

/// What the branch showed then.
View view_at(View view, Revision revision) {
    for (Link& link : view.links)
        link.bound = std::min(link.bound, revision);
    return view;
}

/// Members of folders, of which there are many, are none.
bool may_be_relation(const Edge& edge) {
    return edge.end == Direction::outgoing && edge.type != association::kChild;
}

sdk::Result<std::optional<sdk::Json>> read_record(const ViewReader& reader,
                                                  const std::string& node) {
    std::string bytes;
    auto is_there = reader.get_into(node_record_key(node), bytes);
    if (!is_there) return is_there.error();
    if (!*is_there) return std::optional<sdk::Json>();
    auto record = version_record(bytes, "node " + node);
    if (!record) return record.error();
    return std::optional<sdk::Json>(std::move(*record));
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

sdk::Result<std::set<Relation>> relations_at(const BranchContent& content, const std::string& node,
                                             const VersionPlace& version,
                                             const std::set<std::string>& types) {
    const View view = view_at(content.view().view(), version.revision);
    const VersionSpace space = content.services().branches.space(content.place());
    const ViewReader reader(content.context().transaction(), space, view);
    std::vector<std::string> associations;
    Pace pace(content.context());
    sdk::Result<void> may_go_on;
    for (const std::string& type : types) {
        auto walked = Graph(reader).for_each_edge(node, Direction::outgoing, type,
                                                  paced(pace, may_go_on, [&](const Edge& edge) {
                                                      if (may_be_relation(edge))
                                                          associations.push_back(edge.association);
                                                      return true;
                                                  }));
        if (!walked) return walked.error();
        if (!may_go_on) return may_go_on.error();
    }
    std::set<Relation> found;
    for (const std::string& association : associations) {
        auto fields = read_record(reader, association);
        if (!fields) return fields.error();
        if (!*fields || !is_relation(**fields)) continue;
        sdk::Document document;
        document.id = association;
        document.fields = std::move(**fields);
        found.insert(relation_of(document));
    }
    return found;
}

sdk::Result<std::set<Relation>> newest_relations(const BranchContent& content,
                                                 const std::string& node) {
    return newest_relations(content, node, {});
}

sdk::Result<std::set<Relation>> newest_relations(const BranchContent& content,
                                                 const std::string& node, const std::string& type) {
    auto version = History(content).newest(node);
    if (!version) return version.error();
    if (!*version) return std::set<Relation>();
    return relations_at(content, node, **version, {type});
}

}  // namespace stele::nodes
