#include "graph/node_copy.hpp"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <stele/sdk/key_tuple.hpp>
#include <stele/sdk/members.hpp>

#include "branch/folder_names.hpp"
#include "branch/relation_elements.hpp"
#include "branch/vocabulary.hpp"
#include "definition/definitions.hpp"
#include "graph/association_rules.hpp"
#include "history/deletion.hpp"
#include "history/node_relations.hpp"
#include "history/tags.hpp"
#include "relation/named_targets.hpp"
#include "relation/relators.hpp"

namespace stele::nodes {

namespace {

constexpr char kOriginTag = 'C';
constexpr std::array kOwnOfOriginal{member::kSystem, member::kStatistics, member::kPaths, "_search",
                                    "ok"};
constexpr std::array kNodeNames{"_doc", member::kQName};
sdk::Json fields_to_copy(const sdk::Json& original, bool keeps_names) {
    sdk::Json fields = original;
    for (const char* name : kOwnOfOriginal)
        fields.erase(name);
    if (!keeps_names) {
        for (const char* name : kNodeNames)
            fields.erase(name);
    }
    return fields;
}

const sdk::Json* attachments_of(const sdk::Json& node) {
    const auto system = node.find(member::kSystem);
    if (system == node.end() || !system->is_object()) return nullptr;
    const auto found = system->find(member::kAttachments);
    return found == system->end() || !found->is_object() || found->empty() ? nullptr : &*found;
}

}  // namespace

bool is_copied_type(std::string_view type) {
    // What a node is to the branch, not what it says.
    static constexpr std::array<std::string_view, 5> kNotCopied{
        association::kHasLock, association::kHasMount, association::kHasRole, association::kCreated,
        association::kCopiedFrom};
    return std::find(kNotCopied.begin(), kNotCopied.end(), type) == kNotCopied.end();
}

sdk::Result<void> NodeCopy::check_size(std::size_t size) const {
    if (size <= rules_.most) return {};
    return sdk::make_error(sdk::ErrorKind::too_large, "nodes.copy_too_large",
                           fmt::format("more than {} nodes would be copied at once", rules_.most));
}

sdk::Result<std::vector<NodeCopy::Member>> NodeCopy::gather(const sdk::Document& top) const {
    std::vector<Member> found;
    found.push_back({top, {}});
    std::set<std::string> known{top.id};
    for (std::size_t next = 0; next < found.size(); ++next) {
        const std::string folder = found[next].node.id;
        auto children = from_.edges(folder, Direction::outgoing, association::kChild);
        if (!children) return children.error();
        for (const Edge& edge : *children) {
            if (edge.end != Direction::outgoing || known.contains(edge.other)) continue;
            auto child = from_.readable_node(edge.other);
            if (!child && sdk::is_missing(child.error())) continue;
            if (!child) return child.error();
            known.insert(child->id);
            found.push_back({std::move(*child), folder});
            if (auto fits = check_size(found.size()); !fits) return fits.error();
        }
    }
    return found;
}

sdk::Result<sdk::Document> NodeCopy::copy_tree(const sdk::Document& top,
                                               const sdk::Document* folder) {
    auto members = gather(top);
    if (!members) return members.error();
    const Raised comes_back(to_.changes().relations().come_back);
    std::optional<sdk::Document> copied;
    for (const Member& member : *members) {
        const bool is_top = !copied;
        const std::string above = !is_top  ? copies_[member.folder]
                                  : folder ? folder->id
                                           : std::string();
        auto copy = rules_.strategy == CopyStrategy::clone ? clone_node(member.node)
                                                           : copy_node(member.node, above);
        if (!copy) return copy;
        copies_[member.node.id] = copy->id;
        if (is_top) copied = std::move(*copy);
    }
    for (const Member& member : *members) {
        if (auto joined = copy_associations(member.node); !joined) return joined.error();
    }
    if (!folder) return std::move(*copied);
    auto is_member = is_joined({.association = {},
                                .type = association::kChild,
                                .source = folder->id,
                                .target = copied->id});
    if (!is_member) return is_member.error();
    if (!*is_member) {
        auto container = to_.make_folders(*folder, {});
        if (!container) return container;
        if (auto fits = fit_name(folder->id, copied->id); !fits) return fits.error();
        auto joined = to_.associate({.source = folder->id,
                                     .target = copied->id,
                                     .type = association::kChild,
                                     .fields = sdk::Json::object()});
        if (!joined) return joined;
    }
    return to_.node(copied->id);
}

sdk::Result<void> NodeCopy::copy_nodes(const std::vector<sdk::Document>& nodes) {
    if (auto fits = check_size(nodes.size()); !fits) return fits;
    const Raised comes_back(to_.changes().relations().come_back);
    for (const sdk::Document& node : nodes) {
        auto copy = rules_.strategy == CopyStrategy::clone ? clone_node(node) : copy_node(node, {});
        if (!copy) return copy.error();
        copies_[node.id] = copy->id;
    }
    for (const sdk::Document& node : nodes) {
        if (is_association(node.fields)) continue;
        if (auto joined = copy_associations(node); !joined) return joined;
    }
    return {};
}

sdk::Result<std::string> NodeCopy::origin_row(const std::string& node,
                                              const std::string& folder) const {
    auto branch = from_.context().documents().read(from_.branch());
    if (!branch) return branch.error();
    std::string above = id_bytes(folder);
    above.resize(kIdBytes);
    const std::string prefix{kGraphSlot, kOriginTag};
    return sdk::KeyWriter(prefix)
        .text(sdk::text_member(branch->fields, kRepositoryId))
        .raw(id_bytes(node))
        .raw(above)
        .key();
}

sdk::Result<sdk::Document> NodeCopy::copy_node(const sdk::Document& node,
                                               const std::string& folder) {
    auto row = origin_row(node.id, folder);
    if (!row) return row.error();
    if (!rules_.copies_on_existing) {
        auto earlier = to_.view().get(*row);
        if (!earlier) return earlier.error();
        auto present = *earlier ? to_.readable_node(id_text(**earlier))
                                : sdk::Result<sdk::Document>(sdk::Document());
        if (!present && !sdk::is_missing(present.error())) return present;
        if (*earlier && present) return replace(*present, node, folder);
    }
    if (auto may = to_.require_create(); !may) return may.error();
    auto made = to_.create(fields_to_copy(node.fields, false));
    if (!made) return made;
    auto writer = to_.changes().writer(to_.context(), to_.branch());
    if (!writer) return writer.error();
    (*writer)->put(*row, id_bytes(made->id));
    if (!attachments_of(node.fields)) return made;
    bring_attachments(node, made->id);
    return to_.context().documents().patch(
        to_.nodes(), made->id,
        {{member::kFeatures, made->fields.value(member::kFeatures, sdk::Json::object())}});
}

sdk::Result<sdk::Document> NodeCopy::clone_node(const sdk::Document& node) {
    auto present = to_.node(node.id);
    if (!present && !sdk::is_missing(present.error())) return present;
    if (present) return replace(*present, node, {});
    if (auto may = to_.require_create(); !may) return may.error();
    if (auto forgotten = forget_deletion(to_, node.id); !forgotten) return forgotten.error();
    if (auto kept = keep_system(to_, node.id); !kept) return kept.error();
    bring_attachments(node, node.id);
    return to_.create(fields_to_copy(node.fields, true));
}

sdk::Result<sdk::Document> NodeCopy::replace(const sdk::Document& present,
                                             const sdk::Document& node, const std::string& folder) {
    if (auto may = to_.require(present, sdk::Permission::update); !may) return may.error();
    bring_attachments(node, present.id);
    sdk::Json fields = fields_to_copy(node.fields, false);
    if (!folder.empty()) {
        if (auto fits = number_name(to_, folder, present.id, fields); !fits) return fits.error();
    }
    const std::string type = sdk::text_member(node.fields, member::kType);
    // An association keeps its type, by which the graph lists it.
    const bool is_retyped =
        !is_association(present.fields) && sdk::text_member(present.fields, member::kType) != type;
    if (is_retyped) {
        if (auto fits = check_new_type(to_, fields, type); !fits) return fits.error();
    }
    auto replaced = to_.context().documents().update(to_.nodes(), present.id, std::move(fields));
    if (!replaced || !is_retyped) return replaced;
    return to_.context().documents().patch(to_.nodes(), present.id, {{member::kType, type}});
}

sdk::Result<void> NodeCopy::fit_name(const std::string& folder, const std::string& copy) const {
    // Clones are what they were: one whose name is taken is refused.
    if (rules_.strategy == CopyStrategy::clone) return {};
    auto node = to_.node(copy);
    if (!node) return node.error();
    auto is_numbered = number_name(to_, folder, copy, node->fields);
    if (!is_numbered) return is_numbered.error();
    if (!*is_numbered) return {};
    auto renamed = to_.context().documents().patch(
        to_.nodes(), copy, {{member::kFeatures, node->fields[member::kFeatures]}});
    return renamed ? sdk::Result<void>() : renamed.error();
}

void NodeCopy::bring_attachments(const sdk::Document& node, const std::string& copy) {
    const sdk::Json* const attachments = attachments_of(node.fields);
    to_.changes().set_system(
        copy, {{member::kAttachments, attachments ? *attachments : sdk::Json(nullptr)}});
}

sdk::Result<std::string> NodeCopy::other_end(const Edge& edge, bool may_be_relation) const {
    const auto copied = copies_.find(edge.other);
    if (copied != copies_.end()) return copied->second;
    if (rules_.strategy != CopyStrategy::clone && !may_be_relation) return std::string();
    auto present = to_.readable_node(edge.other);
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

sdk::Result<void> NodeCopy::copy_associations(const sdk::Document& node) {
    auto edges = from_.edges(node.id, Direction::any);
    if (!edges) return edges.error();
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
        if (!named.contains(path, former)) continue;
        const auto copied = copies_.find(former);
        pointed[path][former] = copied == copies_.end() ? former : copied->second;
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
        if (const auto copied = copies_.find(relation.target); copied != copies_.end())
            relation.target = copied->second;
        if (!present->insert(relation).second) {
            auto is_same = is_there(*original);
            if (!is_same) return is_same.error();
            if (!*is_same) continue;
        }
        if (auto counted = count_relation(to_.changes()); !counted) return counted;
        auto target = to_.node(relation.target);
        if (!target) return target.error();
        if (auto joined = make_association(*original, copy, *target); !joined) return joined;
    }
    return {};
}

sdk::Result<bool> NodeCopy::is_there(const sdk::Document& original) const {
    if (rules_.strategy != CopyStrategy::clone) return false;
    auto present = to_.node(original.id);
    if (!present && !sdk::is_missing(present.error())) return present.error();
    return present.has_value();
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
    if (rules_.strategy != CopyStrategy::clone && !is_copied) return {};
    const bool is_second_look = edge.end == Direction::mutual && is_copied && !is_from_node;
    if (is_second_look) return {};
    return join_copies(*original);
}

sdk::Result<void> NodeCopy::join_copies(const sdk::Document& original) {
    AssociationEnds ends = ends_of(original);
    const bool is_own_target = copies_.contains(ends.target);
    // Of two that are each other's either is where it starts.
    const bool is_own_source =
        copies_.contains(ends.source) || (ends.is_undirected && is_own_target);
    for (std::string* end : {&ends.source, &ends.target}) {
        const auto copied = copies_.find(*end);
        if (copied != copies_.end()) *end = copied->second;
    }
    if (rules_.strategy != CopyStrategy::clone) {
        auto is_present = is_joined(ends);
        if (!is_present) return is_present.error();
        if (*is_present) return {};
    }
    auto source = to_.node(ends.source);
    if (!source) return source.error();
    auto target = to_.node(ends.target);
    if (!target) return target.error();
    auto is_present = is_there(original);
    if (!is_present) return is_present.error();
    if (!*is_present) {
        // Whoever makes what lies at one end may not change what was at the other.
        auto may = require_ends(to_, ends.type, is_own_source ? nullptr : &*source,
                                is_own_target ? nullptr : &*target);
        if (!may) return may;
    }
    return make_association(original, *source, *target);
}

sdk::Result<void> NodeCopy::make_association(const sdk::Document& original,
                                             const sdk::Document& source,
                                             const sdk::Document& target) {
    const bool is_clone = rules_.strategy == CopyStrategy::clone;
    if (is_clone) {
        auto present = to_.node(original.id);
        if (!present && !sdk::is_missing(present.error())) return present.error();
        if (present) {
            auto replaced = replace(*present, original, {});
            return replaced ? sdk::Result<void>() : replaced.error();
        }
        if (auto forgotten = forget_deletion(to_, original.id); !forgotten) return forgotten;
    }
    if (auto may = to_.require_create(); !may) return may;
    const AssociationEnds ends = ends_of(original);
    if (ends.type == association::kChild && !ends.is_undirected) {
        if (auto fits = fit_name(source.id, target.id); !fits) return fits;
    }
    auto joined = to_.associate(source, target,
                                {.source = source.id,
                                 .target = target.id,
                                 .type = ends.type,
                                 .is_undirected = ends.is_undirected,
                                 .fields = fields_to_copy(original.fields, is_clone)});
    return joined ? sdk::Result<void>() : joined.error();
}

sdk::Result<bool> NodeCopy::is_joined(const AssociationEnds& ends) const {
    auto edges = to_.edges(ends.source,
                           ends.is_undirected ? Direction::mutual : Direction::outgoing, ends.type);
    if (!edges) return edges.error();
    return std::any_of(edges->begin(), edges->end(), [&ends](const Edge& edge) {
        return edge.other == ends.target && (edge.end == Direction::mutual) == ends.is_undirected;
    });
}

}  // namespace stele::nodes
