#include "content/relations.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "content/relation_elements.hpp"
#include "content/relators.hpp"
#include "content/vocabulary.hpp"

namespace stele::nodes {

namespace {

/// Ids that a property names, in their order.
std::vector<std::string> named_nodes(const sdk::Json& node, const Relator& relator) {
    std::vector<std::string> found;
    const sdk::Json* const value = relator.value_in(node);
    if (value == nullptr) return found;
    const auto add = [&found](const sdk::Json& element) {
        std::string id = element_id(element);
        if (!id.empty()) found.push_back(std::move(id));
    };
    if (value->is_object()) add(*value);
    if (value->is_array()) std::for_each(value->begin(), value->end(), add);
    return found;
}

std::string relation_path(const sdk::Json& association) {
    const auto features = association.find(member::kFeatures);
    if (features == association.end() || !features->is_object()) return {};
    const auto config = features->find(feature::kRelator);
    return config == features->end() ? std::string() : sdk::text_member(*config, kRelatorPath);
}

/// Associations that stand for the property, by the node that they lead to.
sdk::Result<std::map<std::string, std::string>> relations_of(const BranchContent& content,
                                                             const std::string& node,
                                                             const Relator& relator) {
    std::map<std::string, std::string> found;
    auto edges = content.edges(node, Direction::outgoing, relator.type);
    if (!edges) return edges.error();
    for (const Edge& edge : *edges) {
        if (edge.end != Direction::outgoing) continue;
        auto association = content.association(edge);
        if (!association) return association.error();
        if (relation_path(association->fields) == relator.path)
            found.emplace(edge.other, edge.association);
    }
    return found;
}

sdk::Result<void> sync_property(const BranchContent& content, const std::string& node,
                                const Relator& relator, const std::vector<std::string>& wanted) {
    auto present = relations_of(content, node, relator);
    if (!present) return present.error();
    const RelationsInStep in_step(content.changes());
    for (const auto& [target, association] : *present) {
        if (std::find(wanted.begin(), wanted.end(), target) != wanted.end()) continue;
        auto gone = content.context().documents().remove(content.nodes(), association);
        if (!gone) return gone;
    }
    for (const std::string& target : wanted) {
        if (!present->emplace(target, std::string()).second) continue;
        // A change of the type brings values that nobody has resolved.
        if (auto readable = content.readable_node(target); !readable) return readable.error();
        auto joined = content.associate(
            {.source = node,
             .target = target,
             .type = relator.type,
             .fields = {{member::kFeatures,
                         {{feature::kRelator,
                           {{"propertyHolder", "source"}, {kRelatorPath, relator.path}}}}}}});
        if (!joined) return joined.error();
    }
    return {};
}

/// The property of an association's source that it stands for; nothing where there is none such.
struct RelationPlace {
    sdk::Document source;
    Relator relator;
};

sdk::Result<std::optional<RelationPlace>> place_of_relation(const BranchContent& content,
                                                            const sdk::Document& association) {
    const AssociationEnds ends = ends_of(association);
    auto source = content.node(ends.source);
    if (!source && sdk::is_missing(source.error())) return std::optional<RelationPlace>();
    if (!source) return source.error();
    auto relators = relators_of(content, source->fields);
    if (!relators) return relators.error();
    const std::string path = relation_path(association.fields);
    const auto found = std::find_if(
        relators->begin(), relators->end(),
        [&](const Relator& relator) { return relator.path == path && relator.type == ends.type; });
    if (found == relators->end()) return std::optional<RelationPlace>();
    return std::optional(RelationPlace{std::move(*source), std::move(*found)});
}

/// The server's own write of a node, which nothing is derived from.
sdk::Result<void> write_as_server(const BranchContent& content, const sdk::Document& node) {
    const ServersOwn own(content.changes());
    const RelationsInStep in_step(content.changes());
    sdk::Documents& documents = content.context().as_system().documents();
    auto written = documents.update(content.nodes(), node.id, node.fields);
    return written ? sdk::Result<void>() : written.error();
}

/// An object stands for one node, so one that names another is full.
bool takes_another(const RelationPlace& place, const std::string& target) {
    const sdk::Json* const value = place.relator.value_in(place.source.fields);
    const bool is_full = value != nullptr && value->is_object() && !element_id(*value).empty() &&
                         element_id(*value) != target;
    return !is_full;
}

}  // namespace

sdk::Result<void> resolve_relations(const BranchContent& content, const sdk::Document* before,
                                    sdk::Document& after, sdk::Violations& violations) {
    if (content.changes().are_relations_in_step()) return {};
    auto relators = relators_of(content, after.fields);
    if (!relators) return relators.error();
    for (const Relator& relator : *relators) {
        sdk::Json* const value = relator.value_in(after.fields);
        if (value == nullptr) continue;
        const sdk::Json* former = nullptr;
        if (before != nullptr) former = relator.value_in(std::as_const(before->fields));
        auto resolved = resolve_elements(content, relator, former, *value, violations);
        if (!resolved) return resolved;
        if (value->is_null()) relator.erase_from(after.fields);
    }
    return {};
}

sdk::Result<void> sync_relations(const BranchContent& content, const sdk::Json* before,
                                 const sdk::Document& after) {
    if (content.changes().are_relations_in_step()) return {};
    auto relators = used_relators(content, after.fields);
    if (!relators) return relators.error();
    auto former = before ? used_relators(content, *before)
                         : sdk::Result<std::vector<Relator>>(std::vector<Relator>());
    if (!former) return former.error();
    for (const Relator& relator : *relators) {
        const auto wanted = named_nodes(after.fields, relator);
        const bool was_there = std::find(former->begin(), former->end(), relator) != former->end();
        const auto had = was_there ? named_nodes(*before, relator) : std::vector<std::string>();
        if (wanted == had) continue;
        if (auto synced = sync_property(content, after.id, relator, wanted); !synced) return synced;
    }
    for (const Relator& relator : *former) {
        if (std::find(relators->begin(), relators->end(), relator) != relators->end()) continue;
        if (named_nodes(*before, relator).empty()) continue;
        if (auto synced = sync_property(content, after.id, relator, {}); !synced) return synced;
    }
    return {};
}

bool is_relation(const sdk::Json& association) {
    return is_association(association) && !relation_path(association).empty();
}

sdk::Result<bool> has_room(const BranchContent& content, const sdk::Document& association) {
    auto place = place_of_relation(content, association);
    if (!place) return place.error();
    return *place && takes_another(**place, ends_of(association).target);
}

sdk::Result<void> add_to_property(const BranchContent& content, const sdk::Document& association) {
    if (content.changes().are_relations_in_step() || !is_relation(association.fields)) return {};
    auto place = place_of_relation(content, association);
    if (!place) return place.error();
    if (!*place) return {};
    auto& [source, relator] = **place;
    auto target = content.node(ends_of(association).target);
    if (!target) return target.error();
    sdk::Json* value = relator.value_in(source.fields);
    if (element_of(value, target->id) != nullptr) return {};
    auto fits = is_of_type(content, *target, relator.node_type);
    if (!fits) return fits.error();
    if (!*fits || !takes_another(**place, target->id)) {
        return sdk::make_error(
            sdk::ErrorKind::conflict, "node.relation_taken",
            fmt::format("property {} of node {} takes no other node", relator.path, source.id));
    }
    sdk::Json element = sdk::Json::object();
    if (auto filled = fill_element(content, *target, element); !filled) return filled;
    if (value != nullptr && value->is_array()) {
        value->push_back(std::move(element));
    } else if (relator.is_array) {
        relator.put_into(source.fields, sdk::Json::array({std::move(element)}));
    } else {
        relator.put_into(source.fields, std::move(element));
    }
    return write_as_server(content, source);
}

sdk::Result<void> drop_from_property(const BranchContent& content,
                                     const sdk::Document& association) {
    const AssociationEnds ends = ends_of(association);
    const Changes& changes = content.changes();
    if (changes.are_relations_in_step() || changes.is_going(ends.source)) return {};
    auto place = place_of_relation(content, association);
    if (!place) return place.error();
    if (!*place) return {};
    auto& [source, relator] = **place;
    sdk::Json* const value = relator.value_in(source.fields);
    if (element_of(value, ends.target) == nullptr) return {};
    if (value->is_object()) {
        relator.erase_from(source.fields);
    } else {
        sdk::Json kept = sdk::Json::array();
        for (const sdk::Json& element : *value) {
            if (element_id(element) != ends.target) kept.push_back(element);
        }
        *value = std::move(kept);
    }
    return write_as_server(content, source);
}

sdk::Result<void> point_to_copies(const BranchContent& content, const std::string& copy,
                                  const sdk::Json& original,
                                  const std::map<std::string, std::string>& copies) {
    auto node = content.node(copy);
    if (!node) return node.error();
    auto relators = relators_of(content, node->fields);
    if (!relators) return relators.error();
    bool has_changed = false;
    for (const Relator& relator : *relators) {
        const auto named = named_nodes(original, relator);
        const bool names_copied = std::any_of(
            named.begin(), named.end(), [&](const std::string& id) { return copies.contains(id); });
        if (!names_copied) continue;
        sdk::Json value = *relator.value_in(original);
        const auto point = [&copies](sdk::Json& element) {
            const auto found = copies.find(element_id(element));
            if (found == copies.end()) return;
            element.erase("ref");
            element["id"] = found->second;
        };
        if (value.is_object()) point(value);
        if (value.is_array()) std::for_each(value.begin(), value.end(), point);
        relator.put_into(node->fields, std::move(value));
        has_changed = true;
    }
    if (!has_changed) return {};
    auto written = content.context().documents().update(content.nodes(), copy, node->fields);
    return written ? sdk::Result<void>() : written.error();
}

}  // namespace stele::nodes
