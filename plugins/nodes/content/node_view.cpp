#include "content/node_view.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "content/statistics.hpp"
#include "content/translations.hpp"
#include "content/vocabulary.hpp"

namespace stele::nodes {

namespace {

constexpr char kPathsParameter[] = "paths";

std::string etag_of(const sdk::Document& node) {
    return fmt::format("\"{}-{}\"", node.id, node.version);
}

/// What is computed stands beside what is stored; `_system` stays last.
void insert_before_system(sdk::Json& fields, const char* name, sdk::Json value) {
    sdk::Json system = std::move(fields[member::kSystem]);
    fields.erase(member::kSystem);
    fields[name] = std::move(value);
    fields[member::kSystem] = std::move(system);
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

sdk::Result<bool> wants_paths(const sdk::Call& call) {
    const std::vector<std::string> names = call.parameter_names();
    if (std::find(names.begin(), names.end(), kPathsParameter) == names.end()) return false;
    auto wanted = call.flag(kPathsParameter);
    if (!wanted) return wanted.error();
    return wanted->value_or(false);
}

sdk::Result<sdk::Json> shown_row(const BranchContent& content, const sdk::Call& call,
                                 sdk::Document node) {
    auto wanted = wants_paths(call);
    if (!wanted) return wanted.error();
    if (!*wanted || is_association(node.fields)) return std::move(node.fields);
    auto paths = paths_of(content, node);
    if (!paths) return paths.error();
    insert_before_system(node.fields, member::kPaths, std::move(*paths));
    return std::move(node.fields);
}

sdk::Result<ShownNode> shown_node(const BranchContent& content, const sdk::Call& call,
                                  sdk::Document node) {
    auto locale = wanted_locale(call);
    if (!locale) return locale.error();
    auto shown = localised(content, std::move(node), *locale);
    if (!shown) return shown.error();
    ShownNode view{shown->fields, etag_of(*shown)};
    if (!is_association(view.fields)) {
        auto statistics = statistics_of(content, *shown);
        if (!statistics) return statistics.error();
        insert_before_system(view.fields, member::kStatistics, std::move(*statistics));
    }
    auto wanted = wants_paths(call);
    if (!wanted) return wanted.error();
    if (*wanted) {
        auto paths = paths_of(content, *shown);
        if (!paths) return paths.error();
        insert_before_system(view.fields, member::kPaths, std::move(*paths));
    }
    auto wants_metadata = call.flag("metadata");
    if (!wants_metadata) return wants_metadata.error();
    if (!wants_metadata->value_or(true)) view.fields.erase(member::kSystem);
    return view;
}

}  // namespace stele::nodes
