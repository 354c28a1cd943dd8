#include "history/former_relations.hpp"

#include <utility>

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "branch/relation_elements.hpp"
#include "branch/vocabulary.hpp"

namespace stele::nodes {

namespace {

/// Those of the targets that have not come back meanwhile.
sdk::Result<std::set<std::string>> missing_of(const BranchContent& content,
                                              const std::set<std::string>& targets) {
    std::set<std::string> missing;
    for (const std::string& target : targets) {
        auto present = content.node(target);
        if (!present && !sdk::is_missing(present.error())) return present.error();
        if (!present) missing.insert(target);
    }
    return missing;
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
    bool has_changed = false;
    for (const auto& [path, targets] : gone) {
        auto missing = missing_of(server, targets);
        if (!missing) return missing.error();
        has_changed = erase_elements(present->fields, path, *missing) || has_changed;
    }
    if (!has_changed) return bytes;
    const ServersOwn own(server.changes());
    auto written =
        server.context().documents().update(server.nodes(), node, std::move(present->fields));
    if (!written) return written.error();
    return bytes;
}

}  // namespace stele::nodes
