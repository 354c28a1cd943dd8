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

}  // namespace stele::nodes
