#include "graph/mounts.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "branch/vocabulary.hpp"

namespace stele::nodes {

namespace {

constexpr std::size_t kMaxMountKeyLength = 128;

bool is_odd_byte(char byte) {
    const auto code = static_cast<unsigned char>(byte);
    return code <= ' ' || code == 0x7f ||
           std::string_view("/?#&%:").find(byte) != std::string_view::npos;
}

}  // namespace

bool is_mount_key(std::string_view key) {
    return !key.empty() && key.size() <= kMaxMountKeyLength && key != kRootAlias &&
           id_bytes(key).empty() && std::none_of(key.begin(), key.end(), is_odd_byte);
}

sdk::Result<void> name_mount(const BranchContent& content, const sdk::Document& mount,
                             bool is_removed) {
    // What else an association of the type says is a client's own.
    const std::string qname = sdk::text_member(mount.fields, member::kQName);
    if (!qname.starts_with(kMountPrefix)) return {};
    const std::string key = qname.substr(std::string_view(kMountPrefix).size());
    if (!is_mount_key(key)) return {};
    const std::string node = ends_of(mount).target;
    sdk::Documents& documents = content.context().documents();
    auto named = is_removed ? documents.remove_alias(content.nodes(), key, node)
                            : documents.set_alias(content.nodes(), key, node);
    if (!named && is_removed && sdk::is_missing(named.error())) return {};
    return named;
}

sdk::Result<std::vector<Edge>> mounts_of(const BranchContent& content, std::string_view node,
                                         Direction direction) {
    auto edges = content.edges(node, direction, association::kHasMount);
    if (!edges) return edges;
    std::erase_if(*edges, [&](const Edge& edge) { return edge.end != direction; });
    return edges;
}

sdk::Result<std::vector<sdk::Json>> mounted_rows(const BranchContent& content) {
    auto root = content.node(kRootAlias);
    if (!root) return root.error();
    auto mounts = mounts_of(content, root->id, Direction::outgoing);
    if (!mounts) return mounts.error();
    std::vector<sdk::Json> rows;
    std::vector<std::string> listed;
    for (const Edge& mount : *mounts) {
        auto node = content.readable_node(mount.other);
        if (!node && sdk::is_missing(node.error())) continue;
        if (!node) return node.error();
        auto association = content.association(mount);
        if (!association) return association.error();
        const std::string key = sdk::text_member(association->fields, kMountKeyMember);
        if (!key.empty()) {
            rows.push_back(node->fields);
            rows.back()["_doc"] = key;
        }
        if (std::find(listed.begin(), listed.end(), node->id) != listed.end()) continue;
        listed.push_back(node->id);
        rows.push_back(std::move(node->fields));
    }
    return rows;
}

}  // namespace stele::nodes
