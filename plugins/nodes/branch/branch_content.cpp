#include "branch/branch_content.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <stele/sdk/key_tuple.hpp>
#include <stele/sdk/members.hpp>

#include "branch/branch_space.hpp"
#include "branch/pace.hpp"
#include "branch/vocabulary.hpp"

namespace stele::nodes {

namespace {

sdk::Error unknown_node(std::string_view id) {
    return sdk::make_error(sdk::ErrorKind::not_found, "document.unknown",
                           fmt::format("there is no node {}", id));
}

/// The version of an end that an association was made for; one of the same changeset has no id yet.
void note_changeset(sdk::Json& association, const char* name, const sdk::Document& end) {
    const auto system = end.fields.find(member::kSystem);
    if (system == end.fields.end()) return;
    std::string changeset = sdk::text_member(*system, member::kChangeset);
    if (revision_of(changeset)) association[name] = std::move(changeset);
}

bool is_same_pair(const AssociationEnds& wanted, const std::string& from, const std::string& to) {
    return (wanted.source == from && wanted.target == to) ||
           (wanted.is_undirected && wanted.source == to && wanted.target == from);
}

}  // namespace

BranchContent::BranchContent(Services& services, sdk::Context& context, sdk::RecordKey branch,
                             BranchPlace place, View view)
    : services_(services),
      context_(context),
      branch_(std::move(branch)),
      place_(place),
      nodes_{kNodeType, {}, branch_},
      space_(std::make_unique<VersionSpace>(services.branches.space(place))),
      view_(std::make_unique<ViewReader>(context.transaction(), *space_, std::move(view))) {}

sdk::Result<BranchContent> BranchContent::open(Services& services, sdk::Context& context,
                                               const sdk::RecordKey& branch) {
    auto present = services.branches.present(context.transaction(), branch);
    if (!present) return present.error();
    return BranchContent(services, context, branch, (*present)->place, (*present)->view);
}

sdk::Result<BranchContent> BranchContent::open_for(Services& services, sdk::Context& context,
                                                   const sdk::Principal& principal,
                                                   std::string_view branch) {
    Changes::of(context, services.branches).act_for(principal);
    auto key = context.find_reference(branch);
    if (!key) return key.error();
    return open(services, context, *key);
}

sdk::Result<BranchContent> content_of(Services& services, const sdk::Call& call) {
    const sdk::CollectionName& collection = call.collection();
    const bool is_below_branch = collection.type != kBranchType;
    // Families below a branch have no other spaces.
    if (const auto* space = static_cast<const BranchSpace*>(call.record_space());
        space && is_below_branch) {
        return BranchContent(services, call.context(), collection.container_key, space->place(),
                             space->view());
    }
    return BranchContent::open(services, call.context(),
                               is_below_branch ? collection.container_key : call.record().key);
}

sdk::Result<GraphWriter> BranchContent::graph_writer() const {
    auto writer = changes().writer(context_, branch_);
    if (!writer) return writer.error();
    return GraphWriter(**writer);
}

const sdk::Principal& BranchContent::principal() const {
    const auto& actor = changes().actor();
    return actor ? *actor : context_.principal();
}

sdk::Result<bool> BranchContent::may(const sdk::RecordKey& record,
                                     sdk::Permission permission) const {
    const auto& actor = changes().actor();
    if (!actor) return sdk::holds(context_, record, permission);
    auto held = context_.authorities().permissions(actor->key, record);
    if (!held) return held.error();
    return held->has(permission);
}

sdk::Result<bool> BranchContent::reads_all() const {
    return context_.documents().reads_all(nodes_);
}

sdk::Result<sdk::Document> BranchContent::node(std::string_view id) const {
    auto found = context_.documents().read(nodes_, id);
    if (found || !sdk::is_missing(found.error())) return found;
    const auto implicit = find_implicit(id);
    if (!implicit) return unknown_node(id);
    auto target = context_.documents().read(nodes_, implicit->node);
    if (!target) return sdk::is_missing(target.error()) ? unknown_node(id) : target.error();
    auto edges = implicit_edges(*target, Direction::incoming, implicit->type, kEveryEdge);
    if (!edges) return edges.error();
    for (const Edge& edge : *edges) {
        if (edge.association == id) return association(edge);
    }
    return unknown_node(id);
}

sdk::Result<sdk::Document> BranchContent::readable_node(std::string_view id) const {
    auto found = node(id);
    if (!found) return found;
    auto is_readable = may(found->key, sdk::Permission::read);
    if (!is_readable) return is_readable.error();
    if (!*is_readable) return unknown_node(id);
    return found;
}

sdk::Result<void> BranchContent::require(const sdk::Document& node,
                                         sdk::Permission permission) const {
    auto is_allowed = may(node.key, permission);
    if (!is_allowed) return is_allowed.error();
    if (*is_allowed) return {};
    return sdk::make_error(
        sdk::ErrorKind::forbidden, "authority.permission_missing",
        fmt::format("{} on node {} is needed for this", sdk::permission_name(permission), node.id));
}

sdk::Result<void> BranchContent::require_create() const {
    return require_on_branch(sdk::Permission::create_subobjects);
}

sdk::Result<void> BranchContent::require_on_branch(sdk::Permission permission) const {
    auto is_allowed = may(branch_, permission);
    if (!is_allowed) return is_allowed.error();
    if (*is_allowed) return {};
    return sdk::make_error(
        sdk::ErrorKind::forbidden, "authority.permission_missing",
        fmt::format("{} on the branch is needed for this", sdk::permission_name(permission)));
}

sdk::Result<sdk::Document> BranchContent::create(sdk::Json fields) const {
    return context_.documents().create(nodes_, std::move(fields));
}

sdk::Result<sdk::Document> BranchContent::associate(const NewAssociation& association) const {
    auto source = node(association.source);
    if (!source) return source;
    auto target = node(association.target);
    if (!target) return target;
    return associate(*source, *target, association);
}

sdk::Result<sdk::Document> BranchContent::associate(const sdk::Document& source,
                                                    const sdk::Document& target,
                                                    const NewAssociation& association) const {
    if (is_association(source.fields) || is_association(target.fields)) {
        return sdk::make_error(
            {{"node", "nodes.end_is_association", "an association leads from node to node"}});
    }
    sdk::Json fields = association.fields;
    fields[member::kType] = association.type;
    fields[member::kIsAssociation] = true;
    fields[member::kDirectionality] = association.is_undirected ? kUndirected : kDirected;
    fields[member::kSource] = source.id;
    fields[member::kSourceType] = sdk::text_member(source.fields, member::kType);
    fields[member::kTarget] = target.id;
    fields[member::kTargetType] = sdk::text_member(target.fields, member::kType);
    note_changeset(fields, "source_changeset", source);
    note_changeset(fields, "target_changeset", target);
    return create(std::move(fields));
}

sdk::Result<std::size_t> BranchContent::unassociate(const AssociationEnds& ends) const {
    auto found =
        edges(ends.source, ends.is_undirected ? Direction::mutual : Direction::outgoing, ends.type);
    if (!found) return found.error();
    std::size_t removed = 0;
    for (const Edge& edge : *found) {
        const bool is_wanted_kind = (edge.end == Direction::mutual) == ends.is_undirected;
        if (!is_wanted_kind || !is_same_pair(ends, ends.source, edge.other)) continue;
        auto gone = context_.documents().remove(nodes_, edge.association);
        if (!gone) return gone.error();
        ++removed;
    }
    return removed;
}

sdk::Result<std::vector<Edge>> BranchContent::edges(std::string_view node, Direction direction,
                                                    std::string_view type,
                                                    std::size_t limit) const {
    std::vector<Edge> found;
    if (limit == 0) return found;
    Pace pace(context_);
    sdk::Result<void> may_go_on;
    auto walked =
        graph().for_each_edge(node, direction, type, paced(pace, may_go_on, [&](const Edge& edge) {
                                  found.push_back(edge);
                                  return found.size() < limit;
                              }));
    if (!walked) return walked.error();
    if (!may_go_on) return may_go_on.error();
    std::stable_sort(found.begin(), found.end(), [](const Edge& one, const Edge& other) {
        return one.association < other.association;
    });
    return found;
}

sdk::Result<std::optional<std::string>> BranchContent::find_path(
    std::string_view from, const std::vector<std::string>& path) const {
    std::string at(from);
    for (const std::string& name : path) {
        auto child = graph().find_child(at, name);
        if (!child) return child.error();
        if (!*child) return std::optional<std::string>();
        at = (*child)->other;
    }
    return std::optional<std::string>(std::move(at));
}

namespace {

sdk::Result<sdk::Document> make_folder_in(const BranchContent& content, const sdk::Document& folder,
                                          const std::string& name) {
    auto made = content.create({{"title", name},
                                {member::kFeatures,
                                 {{feature::kContainer, sdk::Json::object()},
                                  {feature::kFilename, {{"filename", name}}}}}});
    if (!made) return made;
    auto joined = content.associate({.source = folder.id,
                                     .target = made->id,
                                     .type = association::kChild,
                                     .fields = sdk::Json::object()});
    if (!joined) return joined;
    return made;
}

}  // namespace

sdk::Result<sdk::Document> BranchContent::make_folders(const sdk::Document& from,
                                                       const std::vector<std::string>& path) const {
    sdk::Document folder = from;
    bool is_new = false;
    for (const std::string& name : path) {
        auto child = graph().find_child(folder.id, name);
        if (!child) return child.error();
        if (*child) {
            auto found = node((*child)->other);
            if (!found) return found;
            auto is_readable = may(found->key, sdk::Permission::read);
            if (!is_readable) return is_readable.error();
            if (!*is_readable) {
                return sdk::make_error(sdk::ErrorKind::forbidden, "authority.permission_missing",
                                       fmt::format("READ on the folder {} is needed", name));
            }
            folder = std::move(*found);
            continue;
        }
        if (!is_new) {
            if (auto may = require(folder, sdk::Permission::create_subobjects); !may)
                return may.error();
        }
        auto made = make_folder_in(*this, folder, name);
        if (!made) return made;
        folder = std::move(*made);
        is_new = true;
    }
    if (is_new) return folder;
    if (auto may = require(folder, sdk::Permission::create_subobjects); !may) return may.error();
    if (has_feature(folder.fields, feature::kContainer)) return folder;
    sdk::Json features = folder.fields.value(member::kFeatures, sdk::Json::object());
    features[feature::kContainer] = sdk::Json::object();
    return context_.documents().patch(nodes_, folder.id, {{member::kFeatures, features}});
}

sdk::Result<std::vector<std::string>> BranchContent::ancestors(std::string_view node) const {
    return ancestors_of(graph(), node);
}

sdk::Result<std::optional<std::string>> BranchContent::path_of(const sdk::Document& node,
                                                               std::string_view root) const {
    if (node.id == root) return std::optional<std::string>("/");
    // Upwards, each folder once; `below` tells by which child a folder was reached.
    std::vector<std::pair<std::string, std::size_t>> reached{{node.id, 0}};
    for (std::size_t next = 0; next < reached.size(); ++next) {
        auto parents = edges(reached[next].first, Direction::incoming, association::kChild);
        if (!parents) return parents.error();
        for (const Edge& parent : *parents) {
            if (parent.end != Direction::incoming) continue;
            auto folder = readable_node(parent.other);
            if (!folder && sdk::is_missing(folder.error())) continue;
            if (!folder) return folder.error();
            if (parent.other == root) {
                std::string path;
                for (std::size_t at = next;; at = reached[at].second) {
                    auto step = this->node(reached[at].first);
                    if (!step) return step.error();
                    path.append("/").append(name_of(step->fields));
                    if (at == 0) return std::optional<std::string>(std::move(path));
                }
            }
            const bool is_known =
                std::any_of(reached.begin(), reached.end(),
                            [&](const auto& known) { return known.first == parent.other; });
            if (!is_known) reached.emplace_back(parent.other, next);
        }
    }
    return std::optional<std::string>();
}

}  // namespace stele::nodes
