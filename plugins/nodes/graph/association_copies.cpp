#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "branch/folder_names.hpp"
#include "branch/relation_elements.hpp"
#include "branch/vocabulary.hpp"
#include "graph/association_rules.hpp"
#include "graph/node_copy.hpp"
#include "history/deletion.hpp"
#include "history/node_relations.hpp"
#include "history/tags.hpp"
#include "relation/named_targets.hpp"
#include "relation/relators.hpp"

namespace stele::nodes {

/// Others are what a node is to its branch, or follow from what it says.
static bool is_made_by_clients(std::string_view type) {
    return is_copied_type(type) && type != association::kHasTag;
}

sdk::Result<void> check_copied_alone(const sdk::Document& association) {
    const auto unfit = [](const char* problem) {
        return sdk::make_error({{kNodeId, "nodes.association_unfit", problem}});
    };
    const bool is_implicit = find_implicit(association.id).has_value();
    if (is_implicit || !is_copied_type(sdk::text_member(association.fields, member::kType)))
        return unfit("what a node is to its branch is not copied");
    if (is_relation(association.fields) || is_tagging(association.fields))
        return unfit("what stands for what a node says comes with the node");
    return {};
}

sdk::Result<std::string> NodeCopy::other_end(const Edge& edge, bool may_be_relation) const {
    const std::string said = substituted(edge.other);
    const auto copied = copies_.find(said);
    if (copied != copies_.end()) return copied->second;
    const bool reaches_out = rules_.strategy == CopyStrategy::clone || may_be_relation ||
                             rules_.has_relating_associations;
    if (!reaches_out) return std::string();
    auto present = to_.readable_node(said);
    if (!present && !sdk::is_missing(present.error())) return present.error();
    return present ? present->id : std::string();
}

sdk::Result<std::set<std::string>> NodeCopy::relation_types(const sdk::Document& node) const {
    std::set<std::string> types;
    if (!may_have_elements(node.fields)) return types;
    auto relators = relators_of(rules_.excludes_associations ? to_ : from_, node.fields);
    if (!relators) return relators.error();
    for (Relator& relator : *relators)
        types.insert(std::move(relator.type));
    return types;
}

sdk::Result<void> NodeCopy::require_named(const sdk::Document& node) const {
    if (!may_have_elements(node.fields)) return {};
    auto relators = relators_of(from_, node.fields);
    if (!relators) return relators.error();
    for (const Relator& relator : *relators) {
        for (const sdk::Json* element : elements_of(property_at(node.fields, relator.path))) {
            const std::string named = substituted(named_node(*element));
            if (named.empty() || copies_.contains(named)) continue;
            auto present = to_.readable_node(named);
            if (present) continue;
            if (!sdk::is_missing(present.error())) return present.error();
            return sdk::make_error(
                sdk::ErrorKind::conflict, "nodes.copy_link_missing",
                fmt::format("the property \"{}\" of node {} names {}, which neither comes nor is "
                            "there",
                            sdk::shown_path(relator.path), node.id, sdk::shown_path(named)));
        }
    }
    return {};
}

sdk::Result<void> NodeCopy::copy_associations(const sdk::Document& node) {
    auto edges = from_.edges(node.id, Direction::any);
    if (!edges) return edges.error();
    if (rules_.requires_all) {
        if (auto named = require_named(node); !named) return named;
    }
    auto relation_types = this->relation_types(node);
    if (!relation_types) return relation_types.error();
    std::vector<sdk::Document> relations;
    for (const Edge& edge : *edges) {
        if (!is_copied_type(edge.type)) continue;
        // Between two that are copied it comes with the one that it starts from.
        const bool is_inner = copies_.contains(edge.other);
        if (is_inner && edge.end == Direction::incoming) continue;
        // What a copy names it names like the original, copied or not.
        const bool may_be_relation =
            edge.end == Direction::outgoing && relation_types->contains(edge.type);
        const bool is_excluded =
            rules_.excludes_associations || rules_.excluded_types.contains(edge.type);
        if (is_excluded && !may_be_relation) continue;
        auto other = other_end(edge, may_be_relation);
        if (!other) return other.error();
        if (other->empty()) continue;
        if (auto copied = copy_association(edge, node.id, relations); !copied) return copied;
    }
    return copy_relations(node.id, relations);
}

sdk::Result<void> NodeCopy::copy_relations(const std::string& node,
                                           const std::vector<sdk::Document>& relations) {
    if (relations.empty()) return {};
    auto address = node_address(to_);
    if (!address) return address.error();
    auto copy = to_.node(copies_.at(node));
    if (!copy) return copy.error();
    // Those that the copy has no element for stand for nothing.
    NamedNodes named(copy->fields);
    std::map<std::string, std::map<std::string, std::string>> pointed;
    std::vector<const sdk::Document*> wanted;
    for (const sdk::Document& relation : relations) {
        const auto [type, path, former] = relation_of(relation);
        // Its text was substituted already.
        const std::string said = substituted(former);
        if (!named.contains(path, said)) continue;
        pointed[path][said] = id_in_copies(former);
        wanted.push_back(&relation);
    }
    bool has_pointed = false;
    for (const auto& [path, others] : pointed)
        has_pointed = point_elements(copy->fields, path, others, *address) || has_pointed;
    if (has_pointed) {
        auto written =
            to_.context().documents().update(to_.nodes(), copy->id, std::move(copy->fields));
        if (!written) return written.error();
        copy = std::move(written);
    }
    return join_relations(*copy, wanted);
}

sdk::Result<void> NodeCopy::join_relations(const sdk::Document& copy,
                                           const std::vector<const sdk::Document*>& relations) {
    std::set<std::string> types;
    for (const sdk::Document* relation : relations)
        types.insert(ends_of(*relation).type);
    auto present = relations_of(to_, copy.id, types);
    if (!present) return present.error();
    const Raised in_step(to_.changes().relations().are_in_step);
    for (const sdk::Document* original : relations) {
        Relation relation = relation_of(*original);
        relation.target = id_in_copies(relation.target);
        if (!present->insert(relation).second) {
            auto same = find_clone(*original);
            if (!same) return same.error();
            if (!*same) continue;
        }
        if (auto counted = count_relation(to_.changes()); !counted) return counted;
        auto target = to_.node(relation.target);
        if (!target) return target.error();
        if (auto joined = make_association(*original, copy, *target); !joined)
            return joined.error();
    }
    return {};
}

sdk::Result<std::optional<sdk::Document>> NodeCopy::find_clone(
    const sdk::Document& original) const {
    if (rules_.strategy != CopyStrategy::clone) return std::optional<sdk::Document>();
    auto present = to_.node(original.id);
    if (!present && sdk::is_missing(present.error())) return std::optional<sdk::Document>();
    if (!present) return present.error();
    if (is_association(present->fields)) return std::optional<sdk::Document>(std::move(*present));
    return sdk::make_error(sdk::ErrorKind::conflict, "nodes.copy_kind_differs",
                           "the target branch has a node of the id of an association");
}

sdk::Result<void> NodeCopy::copy_association(const Edge& edge, const std::string& node,
                                             std::vector<sdk::Document>& relations) {
    auto original = from_.readable_node(edge.association);
    if (!original && sdk::is_missing(original.error())) return {};
    if (!original) return original.error();
    // A copy has its tags by what it says.
    if (is_tagging(original->fields)) return {};
    const bool is_copied = copies_.contains(edge.other);
    const bool is_from_node = ends_of(*original).source == node;
    if (is_relation(original->fields)) {
        // Those to a node come with what names it.
        if (is_from_node) relations.push_back(std::move(*original));
        return {};
    }
    if (rules_.excludes_associations || rules_.excluded_types.contains(edge.type)) return {};
    const std::string type = type_in_copies(*original);
    const bool is_place = type == association::kChild || type == association::kOwned;
    const bool reaches_out =
        rules_.strategy == CopyStrategy::clone || (rules_.has_relating_associations && !is_place);
    if (!is_copied && !reaches_out) return {};
    const bool is_second_look = edge.end == Direction::mutual && is_copied && !is_from_node;
    if (is_second_look) return {};
    return join_copies(*original);
}

sdk::Result<void> NodeCopy::join_copies(const sdk::Document& original) {
    AssociationEnds ends = ends_of(original);
    ends.type = type_in_copies(original);
    if (!is_made_by_clients(ends.type)) return {};
    const bool is_target_copied = copies_.contains(substituted(ends.target));
    const bool is_source_copied = copies_.contains(substituted(ends.source));
    const bool is_own_target = is_target_copied;
    // Of two that are each other's either is where it starts.
    const bool is_own_source = is_source_copied || (ends.is_undirected && is_own_target);
    for (std::string* end : {&ends.source, &ends.target})
        *end = id_in_copies(*end);
    auto source = end_there(ends.source, is_source_copied);
    if (!source) return source.error();
    auto target = end_there(ends.target, is_target_copied);
    if (!target) return target.error();
    if (!*source || !*target) return {};
    if (rules_.strategy != CopyStrategy::clone) {
        auto is_present = is_joined(ends, is_target_copied);
        if (!is_present) return is_present.error();
        if (*is_present) return {};
    }
    auto present = find_clone(original);
    if (!present) return present.error();
    if (!*present) {
        // Whoever makes what lies at one end may not change what was at the other.
        auto may = require_ends(to_, ends.type, is_own_source ? nullptr : &**source,
                                is_own_target ? nullptr : &**target);
        if (!may) return may;
    }
    if (ends.type == association::kChild && !ends.is_undirected) {
        if (auto fits = fit_name((*source)->id, (*target)->id); !fits) return fits;
    }
    auto joined = make_association(original, **source, **target);
    return joined ? sdk::Result<void>() : joined.error();
}

/// A node of the target branch that is named by its id: a copy, or one that whoever acts may READ.
sdk::Result<std::optional<sdk::Document>> NodeCopy::end_there(const std::string& id,
                                                              bool is_copied) const {
    auto node = is_copied ? to_.node(id) : to_.readable_node(id);
    const bool is_there = node && node->id == id;
    if (is_there) return std::optional<sdk::Document>(*std::move(node));
    if (!node && !sdk::is_missing(node.error())) return node.error();
    return std::optional<sdk::Document>();
}

std::string NodeCopy::type_in_copies(const sdk::Document& association) const {
    const std::string type = ends_of(association).type;
    // What stands for a property is of the type that its definition names.
    return is_relation(association.fields) ? type : substituted(type);
}

sdk::Result<sdk::Document> NodeCopy::make_association(const sdk::Document& original,
                                                      const sdk::Document& source,
                                                      const sdk::Document& target) {
    const bool is_clone = rules_.strategy == CopyStrategy::clone;
    auto present = find_clone(original);
    if (!present) return present.error();
    if (*present) return replace(**present, original, {});
    if (is_clone) {
        if (auto forgotten = forget_deletion(to_, original.id); !forgotten)
            return forgotten.error();
    }
    if (auto may = to_.require_create(); !may) return may.error();
    const AssociationEnds ends = ends_of(original);
    auto joined = to_.associate(source, target,
                                {.source = source.id,
                                 .target = target.id,
                                 .type = type_in_copies(original),
                                 .is_undirected = ends.is_undirected,
                                 .fields = fields_of(original.fields, is_clone)});
    if (!joined) return joined;
    return finish_new(original, std::move(*joined));
}

sdk::Result<bool> NodeCopy::is_joined(const AssociationEnds& ends, bool from_target) const {
    const Direction onwards = from_target ? Direction::incoming : Direction::outgoing;
    const Direction direction = ends.is_undirected ? Direction::mutual : onwards;
    const std::string& other = from_target ? ends.source : ends.target;
    bool is_found = false;
    auto walked = to_.graph().for_each_edge(
        from_target ? ends.target : ends.source, direction, ends.type, [&](const Edge& edge) {
            is_found = edge.other == other && edge.end == direction;
            return !is_found;
        });
    return walked ? sdk::Result<bool>(is_found) : walked.error();
}

sdk::Result<sdk::Document> NodeCopy::find_end(const std::string& id, const char* end) const {
    auto node = end_there(id, false);
    if (!node) return node.error();
    if (*node) return std::move(**node);
    return sdk::make_error(
        sdk::ErrorKind::conflict, "nodes.copy_end_missing",
        fmt::format("the target branch has no node {}, which is the {} of the association", id,
                    end));
}

sdk::Result<sdk::Document> NodeCopy::copy_lone_association(const sdk::Document& original,
                                                           const sdk::Document* source) {
    if (auto may = check_copied_alone(original); !may) return may.error();
    auto present = find_clone(original);
    if (!present) return present.error();
    if (*present) return replace(**present, original, {});
    AssociationEnds ends = ends_of(original);
    ends.type = substituted(ends.type);
    if (!is_made_by_clients(ends.type)) {
        return sdk::make_error({{"substitutions", "nodes.association_unfit",
                                 "associations of the type " + sdk::shown_path(ends.type) +
                                     " are made by the server only"}});
    }
    auto begin = source ? sdk::Result<sdk::Document>(*source)
                        : find_end(substituted(ends.source), member::kSource);
    if (!begin) return begin;
    auto end = find_end(substituted(ends.target), member::kTarget);
    if (!end) return end;
    auto row = origin_row(original.id, begin->id);
    if (!row) return row.error();
    auto earlier = find_earlier(*row);
    if (!earlier) return earlier.error();
    if (*earlier) return replace(**earlier, original, {});
    ends.source = begin->id;
    ends.target = end->id;
    if (ends.type == association::kChild && !ends.is_undirected) {
        auto is_member = is_joined(ends, true);
        if (!is_member) return is_member.error();
        if (*is_member) return name_taken(name_of(end->fields));
    }
    if (auto may = require_ends(to_, ends.type, &*begin, &*end); !may) return may.error();
    auto made = make_association(original, *begin, *end);
    if (!made) return made;
    if (rules_.strategy == CopyStrategy::clone) return made;
    if (auto noted = note_origin(*row, made->id); !noted) return noted.error();
    return made;
}

}  // namespace stele::nodes
