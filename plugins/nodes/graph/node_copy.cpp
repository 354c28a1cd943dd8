#include "graph/node_copy.hpp"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <stele/sdk/attachments.hpp>
#include <stele/sdk/blob_store.hpp>
#include <stele/sdk/data_store.hpp>
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
constexpr std::size_t kCopiedPiece = std::size_t{256} * 1024;
constexpr std::array kOwnOfOriginal{member::kSystem, member::kStatistics, member::kPaths, "_search",
                                    "ok"};
constexpr std::array kNodeNames{"_doc", member::kQName};

using Substitutions = std::map<std::string, std::string>;

void substitute(const Substitutions& substitutions, sdk::Json& value) {
    if (value.is_string()) {
        const auto found = substitutions.find(value.get_ref<const std::string&>());
        if (found != substitutions.end()) value = found->second;
        return;
    }
    if (!value.is_structured()) return;
    for (auto& [name, inner] : value.items()) {
        const bool is_id = value.is_object() && name == "_doc";
        if (!is_id) substitute(substitutions, inner);
    }
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
    if (rules_.has_relators) {
        if (auto added = add_relators(found, known); !added) return added.error();
    }
    return found;
}

sdk::Result<void> NodeCopy::add_relators(std::vector<Member>& members,
                                         std::set<std::string>& known) const {
    const std::size_t below = members.size();
    for (std::size_t next = 0; next < below; ++next) {
        auto types = relation_types(members[next].node);
        if (!types) return types.error();
        if (types->empty()) continue;
        auto edges = from_.edges(members[next].node.id, Direction::outgoing);
        if (!edges) return edges.error();
        for (const Edge& edge : *edges) {
            if (!types->contains(edge.type) || known.contains(edge.other)) continue;
            auto association = from_.readable_node(edge.association);
            auto named = association ? from_.readable_node(edge.other) : association;
            if (!named && sdk::is_missing(named.error())) continue;
            if (!named) return named.error();
            if (!is_relation(association->fields)) continue;
            known.insert(named->id);
            members.push_back({std::move(*named), {}});
            if (auto fits = check_size(members.size()); !fits) return fits;
        }
    }
    return {};
}

sdk::Result<sdk::Document> NodeCopy::copy_tree(const sdk::Document& top,
                                               const sdk::Document* folder) {
    auto members = gather(top);
    if (!members) return members.error();
    const Raised comes_back(to_.changes().relations().come_back);
    std::optional<sdk::Document> copied;
    for (const Member& member : *members) {
        const bool is_top = !copied;
        const bool is_below = !is_top && !member.folder.empty();
        const std::string above = is_below           ? copies_[member.folder]
                                  : is_top && folder ? folder->id
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
                                .target = copied->id},
                               true);
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

std::string NodeCopy::substituted(const std::string& text) const {
    const auto found = rules_.substitutions.find(text);
    return found == rules_.substitutions.end() ? text : found->second;
}

std::string NodeCopy::id_in_copies(const std::string& id) const {
    const std::string said = substituted(id);
    const auto copied = copies_.find(said);
    return copied == copies_.end() ? said : copied->second;
}

sdk::Json NodeCopy::fields_of(const sdk::Json& original, bool keeps_names) const {
    sdk::Json fields = original;
    for (const char* name : kOwnOfOriginal)
        fields.erase(name);
    if (!keeps_names) {
        for (const char* name : kNodeNames)
            fields.erase(name);
    }
    if (rules_.substitutions.empty()) return fields;
    substitute(rules_.substitutions, fields);
    // Names of associations mean something to the server.
    if (is_association(original) && keeps_names && original.contains(member::kQName))
        fields[member::kQName] = original.at(member::kQName);
    // Which property it stands for is the server's to say.
    if (is_relation(original)) fields[member::kFeatures] = original.at(member::kFeatures);
    return fields;
}

sdk::Result<std::optional<sdk::Document>> NodeCopy::find_earlier(const std::string& row) const {
    if (rules_.copies_on_existing) return std::optional<sdk::Document>();
    auto earlier = to_.view().get(row);
    if (!earlier) return earlier.error();
    if (!*earlier) return std::optional<sdk::Document>();
    auto present = to_.readable_node(id_text(**earlier));
    if (!present && sdk::is_missing(present.error())) return std::optional<sdk::Document>();
    if (!present) return present.error();
    return std::optional<sdk::Document>(std::move(*present));
}

sdk::Result<void> NodeCopy::note_origin(const std::string& row, const std::string& copy) {
    auto writer = to_.changes().writer(to_.context(), to_.branch());
    if (!writer) return writer.error();
    (*writer)->put(row, id_bytes(copy));
    return {};
}

sdk::Result<sdk::Document> NodeCopy::copy_node(const sdk::Document& node,
                                               const std::string& folder) {
    auto row = origin_row(node.id, folder);
    if (!row) return row.error();
    auto earlier = find_earlier(*row);
    if (!earlier) return earlier.error();
    if (*earlier) return replace(**earlier, node, folder);
    if (auto may = to_.require_create(); !may) return may.error();
    auto made = to_.create(fields_of(node.fields, false));
    if (!made) return made;
    if (auto noted = note_origin(*row, made->id); !noted) return noted.error();
    return finish_new(node, std::move(*made));
}

sdk::Result<sdk::Document> NodeCopy::finish_new(const sdk::Document& original, sdk::Document copy) {
    const bool has_attachments = rules_.has_attachments && attachments_of(original.fields);
    if (!has_attachments) return finish(original, std::move(copy));
    if (auto brought = bring_attachments(original, copy.id); !brought) return brought.error();
    auto written = to_.context().documents().patch(
        to_.nodes(), copy.id,
        {{member::kFeatures, copy.fields.value(member::kFeatures, sdk::Json::object())}});
    if (!written) return written;
    return finish(original, std::move(*written));
}

sdk::Result<sdk::Document> NodeCopy::finish(const sdk::Document& original, sdk::Document copy) {
    if (rules_.has_grants) {
        if (auto brought = bring_grants(original, copy); !brought) return brought.error();
    }
    const bool is_said = sdk::text_member(copy.fields, member::kSourceDoc) == original.id;
    if (!rules_.keeps_source_ids || is_said) return copy;
    return to_.context().documents().patch(to_.nodes(), copy.id,
                                           {{member::kSourceDoc, original.id}});
}

sdk::Result<sdk::Document> NodeCopy::clone_node(const sdk::Document& node) {
    auto present = to_.node(node.id);
    if (!present && !sdk::is_missing(present.error())) return present;
    if (present) return replace(*present, node, {});
    if (auto may = to_.require_create(); !may) return may.error();
    if (auto forgotten = forget_deletion(to_, node.id); !forgotten) return forgotten.error();
    if (auto kept = keep_system(to_, node.id); !kept) return kept.error();
    if (auto brought = bring_attachments(node, node.id); !brought) return brought.error();
    auto made = to_.create(fields_of(node.fields, true));
    if (!made) return made;
    return finish(node, std::move(*made));
}

sdk::Result<sdk::Document> NodeCopy::replace(const sdk::Document& present,
                                             const sdk::Document& node, const std::string& folder) {
    if (auto may = to_.require(present, sdk::Permission::update); !may) return may.error();
    if (auto brought = bring_attachments(node, present.id); !brought) return brought.error();
    sdk::Json fields = fields_of(node.fields, false);
    if (!folder.empty()) {
        if (auto fits = number_name(to_, folder, present.id, fields); !fits) return fits.error();
    }
    const std::string type = substituted(sdk::text_member(node.fields, member::kType));
    // An association keeps its type, by which the graph lists it.
    const bool is_retyped =
        !is_association(present.fields) && sdk::text_member(present.fields, member::kType) != type;
    if (is_retyped) {
        if (auto fits = check_new_type(to_, fields, type); !fits) return fits.error();
    }
    auto replaced = to_.context().documents().update(to_.nodes(), present.id, std::move(fields));
    if (replaced && is_retyped)
        replaced =
            to_.context().documents().patch(to_.nodes(), present.id, {{member::kType, type}});
    if (!replaced) return replaced;
    return finish(node, std::move(*replaced));
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

sdk::Result<void> NodeCopy::bring_attachments(const sdk::Document& node, const std::string& copy) {
    if (!rules_.has_attachments) return {};
    const sdk::Json* const attachments = attachments_of(node.fields);
    if (attachments) {
        if (auto brought = bring_bytes(*attachments); !brought) return brought;
    }
    to_.changes().set_system(
        copy, {{member::kAttachments, attachments ? *attachments : sdk::Json(nullptr)}});
    return {};
}

sdk::Result<void> NodeCopy::bring_bytes(const sdk::Json& attachments) const {
    auto source = from_.context().data_stores().binaries(from_.branch());
    if (!source) return source.error();
    auto target = to_.context().data_stores().binaries(to_.branch());
    if (!target) return target.error();
    // Names are made of content, so they are the same in every place.
    if (*source == *target) return {};
    for (const auto& [id, kept] : attachments.items()) {
        const std::string name = sdk::Attachment::from_json(id, kept).object_id;
        auto reader = (*source)->open(name);
        if (!reader) return reader.error();
        std::uint64_t at = 0;
        auto stored = sdk::store_bytes(**target, [&](std::string& piece) -> sdk::Result<void> {
            if (auto may = to_.context().go_on(); !may) return may;
            auto read = (*reader)->read(at, kCopiedPiece, piece);
            if (read) at += piece.size();
            return read;
        });
        if (!stored) return stored.error();
        if (stored->name != name) {
            return sdk::make_error(sdk::ErrorKind::internal, "attachment.bytes_missing",
                                   "the bytes that were copied are not what they were", name);
        }
    }
    return {};
}

sdk::Result<void> NodeCopy::bring_grants(const sdk::Document& original,
                                         const sdk::Document& copy) const {
    auto may_know = from_.may(original.key, sdk::Permission::connect);
    if (!may_know) return may_know.error();
    if (!*may_know) return {};
    sdk::Authorities& authorities = to_.context().authorities();
    auto granted = authorities.acl(original.key);
    if (!granted) return granted.error();
    if (granted->empty()) return {};
    if (auto may = to_.require(copy, sdk::Permission::modify_permissions); !may) return may;
    for (const sdk::AclEntry& entry : *granted) {
        auto held = authorities.direct_roles(copy.key, entry.principal);
        if (!held) return held.error();
        for (const std::string& role : entry.roles) {
            if (std::find(held->begin(), held->end(), role) != held->end()) continue;
            auto covered =
                authorities.covers_grant(to_.principal().key, copy.key, role, /*is_deep=*/false);
            if (!covered) return covered.error();
            if (!*covered) {
                return sdk::make_error(
                    sdk::ErrorKind::forbidden, "authority.role_above_own",
                    fmt::format("the role {} on node {} is more than you have there", role,
                                copy.id));
            }
            auto given = authorities.grant(copy.key, entry.principal, role);
            if (!given) return given;
        }
    }
    return {};
}

}  // namespace stele::nodes
