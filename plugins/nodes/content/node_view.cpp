#include "content/node_view.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "content/translations.hpp"
#include "content/vocabulary.hpp"

namespace stele::nodes {

namespace {

std::string etag_of(const sdk::Document& node) {
    return fmt::format("\"{}-{}\"", node.id, node.version);
}

}  // namespace

sdk::Result<sdk::Json> paths_of(const BranchContent& content, const sdk::Document& node) {
    sdk::Json paths = sdk::Json::object();
    auto root = content.node(kRootAlias);
    if (!root) return root.error();
    auto path = content.path_of(node, root->id);
    if (!path) return path.error();
    if (*path) paths[kRootQName] = **path;
    return paths;
}

sdk::Result<ShownNode> shown_node(const BranchContent& content, const sdk::Call& call,
                                  sdk::Document node) {
    auto locale = wanted_locale(call);
    if (!locale) return locale.error();
    auto shown = localised(content, std::move(node), *locale);
    if (!shown) return shown.error();
    ShownNode view{std::move(shown->fields), etag_of(*shown)};
    auto wants_paths = call.flag("paths");
    if (!wants_paths) return wants_paths.error();
    if (wants_paths->value_or(false)) {
        auto paths = paths_of(content, *shown);
        if (!paths) return paths.error();
        view.fields[member::kPaths] = std::move(*paths);
        // Folders change without the node, and nothing tells their version here.
        view.etag.clear();
    }
    auto wants_metadata = call.flag("metadata");
    if (!wants_metadata) return wants_metadata.error();
    if (!wants_metadata->value_or(true)) view.fields.erase(member::kSystem);
    return view;
}

}  // namespace stele::nodes
