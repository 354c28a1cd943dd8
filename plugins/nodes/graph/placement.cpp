#include "graph/placement.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "branch/protection.hpp"
#include "branch/vocabulary.hpp"

namespace stele::nodes {

namespace {

/// The associations by which a node lies in folders.
sdk::Result<std::vector<Edge>> memberships_of(const BranchContent& content,
                                              const std::string& node) {
    auto edges = content.edges(node, Direction::incoming, association::kChild);
    if (!edges) return edges;
    std::erase_if(*edges, [](const Edge& edge) { return edge.end != Direction::incoming; });
    return edges;
}

sdk::Result<void> move_node(const BranchContent& content, const sdk::Document& node,
                            const sdk::Document& folder) {
    if (auto movable = check_movable(node, "node"); !movable) return movable;
    if (auto may = content.require(node, sdk::Permission::update); !may) return may;
    if (auto free = check_unlocked(content, node); !free) return free;
    auto present = memberships_of(content, node.id);
    if (!present) return present.error();
    if (present->size() == 1 && present->front().other == folder.id) return {};
    // First into the new folder: rights that reach the mover from the old one still count then.
    const bool is_member = std::any_of(present->begin(), present->end(),
                                       [&](const Edge& edge) { return edge.other == folder.id; });
    if (!is_member) {
        if (auto joined = put_into_folder(content, node, folder); !joined) return joined;
    }
    for (const Edge& edge : *present) {
        if (edge.other == folder.id) continue;
        auto gone = content.context().documents().remove(content.nodes(), edge.association);
        if (!gone) return gone;
    }
    return {};
}

}  // namespace

sdk::Result<void> check_movable(const sdk::Document& node, const char* parameter) {
    if (is_association(node.fields)) {
        return sdk::make_error(
            {{parameter, "nodes.association_unfit", "an association lies in no folder"}});
    }
    if (sdk::text_member(node.fields, member::kQName) == kRootQName) {
        return sdk::make_error({{parameter, "nodes.root_unfit", "the root stays where it is"}});
    }
    return {};
}

sdk::Result<sdk::Document> find_place(const BranchContent& content, const FolderAddress& address) {
    auto folder = content.readable_node(address.node.empty() ? kRootAlias : address.node);
    if (!folder) return folder;
    const auto segments = split_path(address.path);
    if (!segments.empty()) {
        auto found = content.find_path(folder->id, segments);
        if (!found) return found.error();
        folder = *found ? content.readable_node(**found) : folder;
        if (!*found || (!folder && sdk::is_missing(folder.error()))) {
            return sdk::make_error(
                sdk::ErrorKind::not_found, "nodes.path_unknown",
                fmt::format("there is no folder {} below the target", address.path));
        }
    }
    return folder;
}

sdk::Result<sdk::Document> find_folder(const BranchContent& content, const FolderAddress& address) {
    auto folder = find_place(content, address);
    if (!folder) return folder;
    if (is_association(folder->fields)) {
        return sdk::make_error(
            {{"targetNodeId", "nodes.association_unfit", "an association is no folder"}});
    }
    if (auto may = content.require(*folder, sdk::Permission::create_subobjects); !may)
        return may.error();
    return folder;
}

sdk::Result<void> put_into_folder(const BranchContent& content, const sdk::Document& node,
                                  const sdk::Document& folder) {
    auto container = content.make_folders(folder, {});
    if (!container) return container.error();
    auto joined = content.associate({.source = folder.id,
                                     .target = node.id,
                                     .type = association::kChild,
                                     .fields = sdk::Json::object()});
    if (!joined) return joined.error();
    return {};
}

sdk::Result<std::vector<std::string>> move_nodes(const BranchContent& content,
                                                 const std::vector<std::string>& nodes,
                                                 const sdk::Document& folder) {
    std::vector<std::string> moved;
    for (const std::string& id : nodes) {
        auto node = content.readable_node(id);
        if (!node) return node.error();
        if (auto done = move_node(content, *node, folder); !done) return done.error();
        moved.push_back(node->id);
    }
    return moved;
}

}  // namespace stele::nodes
