#include "history/tags.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "branch/vocabulary.hpp"

namespace stele::nodes {

namespace {

constexpr char kTags[] = "tags";
/// Of nodes of type `n:tag`, and of the associations that lead to them.
constexpr char kTagMember[] = "tag";

const sdk::Json* listed_tags(const sdk::Json& holder) {
    const auto tags = holder.find(kTags);
    return tags != holder.end() && tags->is_array() ? &*tags : nullptr;
}

/// What the feature says, else what the node says; each once.
std::vector<std::string> tags_of(const sdk::Json& node) {
    std::vector<std::string> found;
    if (!has_feature(node, feature::kTaggable)) return found;
    const sdk::Json& config = node[member::kFeatures][feature::kTaggable];
    const sdk::Json* tags = config.is_object() ? listed_tags(config) : nullptr;
    if (tags == nullptr) tags = listed_tags(node);
    if (tags == nullptr) return found;
    for (const sdk::Json& tag : *tags) {
        if (!tag.is_string() || tag.get_ref<const std::string&>().empty()) continue;
        const auto& text = tag.get_ref<const std::string&>();
        if (std::find(found.begin(), found.end(), text) != found.end()) continue;
        found.push_back(text);
        if (found.size() > kMaxTags) break;
    }
    return found;
}

sdk::Result<std::string> ensure_tag(const BranchContent& server, const std::string& tag) {
    sdk::PageRequest first;
    first.limit = 1;
    auto known = server.context().documents().query(
        server.nodes(), {{member::kType, type::kTag}, {kTagMember, tag}}, first);
    if (!known) return known.error();
    if (!known->rows.empty()) return known->rows.front().id;
    auto made = server.create({{member::kType, type::kTag}, {"title", tag}, {kTagMember, tag}});
    if (!made) return made.error();
    return made->id;
}

/// Takes those away that are not wanted any more; what is there already is taken out of `wanted`.
sdk::Result<void> drop_others(const BranchContent& server, const std::string& node,
                              std::vector<std::string>& wanted) {
    auto edges = server.edges(node, Direction::outgoing, association::kHasTag);
    if (!edges) return edges.error();
    for (const Edge& edge : *edges) {
        auto association = server.association(edge);
        if (!association) return association.error();
        if (!is_tagging(association->fields)) continue;
        const auto place = std::find(wanted.begin(), wanted.end(),
                                     sdk::text_member(association->fields, kTagMember));
        if (place != wanted.end()) {
            wanted.erase(place);
            continue;
        }
        auto gone = server.context().documents().remove(server.nodes(), association->id);
        if (!gone) return gone;
    }
    return {};
}

}  // namespace

bool is_tagging(const sdk::Json& association) {
    return sdk::text_member(association, member::kType) == association::kHasTag &&
           !sdk::text_member(association, kTagMember).empty();
}

sdk::Result<void> sync_tags(const BranchContent& content, const sdk::Json* before,
                            const sdk::Document& node) {
    std::vector<std::string> wanted = tags_of(node.fields);
    if (wanted == (before ? tags_of(*before) : std::vector<std::string>())) return {};
    if (wanted.size() > kMaxTags) {
        return sdk::make_error(
            {{kTags, "nodes.tags_exceeded", fmt::format("a node has at most {} tags", kMaxTags)}});
    }
    // Whoever tags a node need not have the right to make others.
    const ServersOwn own(content.changes());
    auto server =
        BranchContent::open(content.services(), content.context().as_system(), content.branch());
    if (!server) return server.error();
    if (auto dropped = drop_others(*server, node.id, wanted); !dropped) return dropped;
    for (const std::string& tag : wanted) {
        auto target = ensure_tag(*server, tag);
        if (!target) return target.error();
        auto joined = server->associate({.source = node.id,
                                         .target = *target,
                                         .type = association::kHasTag,
                                         .fields = {{kTagMember, tag}}});
        if (!joined) return joined.error();
    }
    return {};
}

}  // namespace stele::nodes
