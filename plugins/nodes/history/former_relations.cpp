#include "history/former_relations.hpp"

#include <map>
#include <set>
#include <utility>

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "branch/relation_elements.hpp"
#include "branch/vocabulary.hpp"
#include "history/deletion.hpp"

namespace stele::nodes {

namespace {

/// Of nodes that one operation writes because what they name goes.
constexpr std::size_t kMaxBytesWritten = 64u << 20;

sdk::Result<void> write_without(const BranchContent& server, const std::string& source,
                                const std::map<std::string, std::set<std::string>>& gone) {
    auto node = server.node(source);
    // It went, too.
    if (!node && sdk::is_missing(node.error())) return {};
    if (!node) return node.error();
    server.changes().relations().bytes_written += node->fields.dump().size();
    bool has_changed = false;
    for (const auto& [path, targets] : gone)
        has_changed = erase_elements(node->fields, path, targets) || has_changed;
    if (!has_changed) return {};
    auto written =
        server.context().documents().update(server.nodes(), source, std::move(node->fields));
    return written ? sdk::Result<void>() : written.error();
}

/// Associations of the node that properties stood for and that somebody took away.
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

}  // namespace

sdk::Result<void> drop_element(const BranchContent& content, const sdk::Document& association) {
    const std::string path = relation_path(association.fields);
    Changes& changes = content.changes();
    if (path.empty() || changes.relations().are_in_step) return {};
    const AssociationEnds ends = ends_of(association);
    if (changes.is_cascading()) {
        changes.relations().gone[ends.source][path].insert(ends.target);
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

sdk::Result<void> drop_gone_elements(const BranchContent& content, const std::string& going) {
    Changes& changes = content.changes();
    changes.relations().gone.erase(going);
    if (changes.relations().gone.empty()) return {};
    const auto gone = std::exchange(changes.relations().gone, {});
    const ServersOwn own(changes);
    auto server =
        BranchContent::open(content.services(), content.context().as_system(), content.branch());
    if (!server) return server.error();
    for (const auto& [source, properties] : gone) {
        if (changes.relations().bytes_written >= kMaxBytesWritten) break;
        if (auto written = write_without(*server, source, properties); !written) return written;
    }
    return {};
}

sdk::Result<void> restore_relations(const BranchContent& content, const sdk::Json& before,
                                    const sdk::Document& node) {
    if (!may_have_elements(node.fields)) return {};
    auto removed = removed_relations(content, node.id);
    if (!removed) return removed.error();
    std::set<std::pair<std::string, std::string>> done;
    const Raised in_step(content.changes().relations().are_in_step);
    for (const sdk::Document& association : *removed) {
        const std::string path = relation_path(association.fields);
        const std::string target = ends_of(association).target;
        const bool is_named_again =
            names_node(node.fields, path, target) && !names_node(before, path, target);
        if (!is_named_again) continue;
        auto readable = content.readable_node(target);
        if (!readable && !sdk::is_missing(readable.error())) return readable.error();
        if (!readable || !done.emplace(path, target).second) continue;
        auto restored = restore_deletion(content, association.id);
        if (!restored) return restored.error();
    }
    return {};
}

}  // namespace stele::nodes
