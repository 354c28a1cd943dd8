#include "graph/node_tree.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "branch/vocabulary.hpp"

namespace stele::nodes {

namespace {

std::string below(const std::string& folder, const std::string& name) {
    return folder == "/" ? folder + name : folder + '/' + name;
}

/// What a client put into a node.
sdk::Json properties_of(const sdk::Json& node) {
    sdk::Json properties = sdk::Json::object();
    for (const auto& [name, value] : node.items()) {
        if (!name.starts_with('_')) properties[name] = value;
    }
    return properties;
}

}  // namespace

bool NodeTree::is_on_leaf_path(const std::string& path) const {
    return std::any_of(wish_.leaves.begin(), wish_.leaves.end(), [&](const std::string& leaf) {
        return path == "/" || leaf == path ||
               (leaf.starts_with(path) && leaf.size() > path.size() && leaf[path.size()] == '/');
    });
}

bool NodeTree::is_shown_open(const TreePlace& place) const {
    return place.depth < wish_.depth || is_on_leaf_path(place.path);
}

bool NodeTree::is_above(std::size_t place, const std::string& node) const {
    for (std::size_t at = place;; at = places_[at].parent) {
        if (places_[at].node.id == node) return true;
        if (at == 0) return false;
    }
}

sdk::Result<void> NodeTree::open(std::size_t at, std::size_t most) {
    auto edges = content_.edges(places_[at].node.id, Direction::outgoing, association::kChild);
    if (!edges) return edges.error();
    std::set<std::string> known;
    for (const Edge& edge : *edges) {
        if (edge.end != Direction::outgoing || is_above(at, edge.other)) continue;
        if (!known.insert(edge.other).second) continue;
        auto node = content_.readable_node(edge.other);
        if (!node && sdk::is_missing(node.error())) continue;
        if (!node) return node.error();
        if (places_[at].depth >= TreeWish::kMaxLevels) {
            bound_ = "levels";
            return {};
        }
        if (places_.size() >= most) {
            bound_ = "nodes";
            is_full_ = true;
            return {};
        }
        TreePlace place;
        place.path = below(places_[at].path, name_of(node->fields));
        place.node = std::move(*node);
        place.parent = at;
        place.depth = places_[at].depth + 1;
        places_[at].members.push_back(places_.size());
        places_.push_back(std::move(place));
    }
    places_[at].is_open = true;
    return {};
}

sdk::Result<void> NodeTree::gather(sdk::Document top, std::string path, bool is_whole,
                                   std::size_t most) {
    TreePlace first;
    first.node = std::move(top);
    first.path = std::move(path);
    places_.push_back(std::move(first));
    for (std::size_t next = 0; next < places_.size() && !is_full_; ++next) {
        const TreePlace& place = places_[next];
        // Members of what is shown closed are counted, those of what is not shown are not.
        const bool is_shown = next == 0 || is_shown_open(places_[place.parent]);
        if (!is_whole && !is_shown) continue;
        if (auto opened = open(next, most); !opened) return opened;
    }
    return {};
}

void NodeTree::keep_leading_to(const std::set<std::string>& fitting) {
    for (TreePlace& place : places_)
        place.is_wanted = !place.is_open || fitting.contains(place.node.id);
    for (std::size_t at = places_.size(); at > 1; --at) {
        if (places_[at - 1].is_wanted) places_[places_[at - 1].parent].is_wanted = true;
    }
    places_.front().is_wanted = true;
}

sdk::Json NodeTree::describe(const TreePlace& place) const {
    const sdk::Json& node = place.node.fields;
    const std::string name = name_of(node);
    const std::string title = sdk::text_member(node, "title");
    const auto is_container = [&](std::size_t at) {
        return has_feature(places_[at].node.fields, feature::kContainer);
    };
    sdk::Json element = {{"_doc", place.node.id},
                         {"id", place.node.id},
                         {"repositoryId", address_.value(kRepositoryId, std::string())},
                         {"branchId", address_.value(kBranchId, std::string())},
                         {"rootNodeId", start_},
                         {"filename", name},
                         {"label", title.empty() ? name : title},
                         {"path", place.path},
                         {"typeQName", sdk::text_member(node, member::kType)},
                         {"qname", sdk::text_member(node, member::kQName)},
                         {"description", sdk::text_member(node, "description")},
                         {"container", has_feature(node, feature::kContainer)},
                         {"childCount", place.members.size()},
                         {"childContainerCount",
                          std::count_if(place.members.begin(), place.members.end(), is_container)}};
    if (wish_.with_properties) element["properties"] = properties_of(node);
    if (wish_.with_object) element["_object"] = node;
    return element;
}

sdk::Json NodeTree::element_of(std::size_t at) const {
    const TreePlace& place = places_[at];
    sdk::Json element = describe(place);
    const bool has_looked = place.is_open || !place.members.empty();
    if (!has_looked || !is_shown_open(place)) return element;
    element["children"] = sdk::Json::array();
    for (const std::size_t member : place.members) {
        const TreePlace& child = places_[member];
        if (!child.is_wanted) continue;
        if (wish_.containers_only && !has_feature(child.node.fields, feature::kContainer)) continue;
        element["children"].push_back(element_of(member));
    }
    return element;
}

}  // namespace stele::nodes
