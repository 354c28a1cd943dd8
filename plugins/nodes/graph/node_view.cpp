#include "graph/node_view.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include <stele/sdk/key_tuple.hpp>

#include "branch/vocabulary.hpp"
#include "graph/node_paths.hpp"
#include "graph/statistics.hpp"
#include "graph/translations.hpp"

namespace stele::nodes {

namespace {

constexpr char kPathParameter[] = "path";
constexpr char kPathsParameter[] = "paths";
constexpr char kMetadataParameter[] = "metadata";
/// Their name in the text of a node, and what stands around it.
constexpr std::size_t kAroundStatistics = 32;

/// Of the repository's state, so that one read of the newest revision says whether it still holds.
std::string statistics_key(const BranchContent& content, const std::string& node) {
    const BranchPlace& place = content.place();
    return sdk::KeyWriter("")
        .integer(place.platform)
        .integer(place.repository)
        .integer(place.line)
        .integer(place.is_social ? 1 : 0)
        .text(node)
        .key();
}

using SharedText = std::shared_ptr<const std::string>;

/// Of a node, for whoever may not READ all.
sdk::Result<SharedText> readable_statistics_text(const BranchContent& content,
                                                 const sdk::Document& node) {
    if (is_association(node.fields)) return std::make_shared<const std::string>();
    auto statistics = readable_statistics_of(content, node);
    if (!statistics) return statistics.error();
    return std::make_shared<const std::string>(sdk::dump_json(*statistics));
}

/// Of the addressed node; empty for an association, which has none.
sdk::Result<SharedText> statistics_text(const BranchContent& content, const sdk::Call& call,
                                        const std::string& id) {
    auto reads_all = content.reads_all();
    if (!reads_all) return reads_all.error();
    if (!*reads_all) return readable_statistics_text(content, call.record());
    const Revision newest = content.view().view().newest;
    std::string key = statistics_key(content, id);
    auto& cache = content.services().statistics;
    if (auto known = cache.find(key, newest)) return known;
    auto text = std::make_shared<std::string>();
    const sdk::Document& node = call.record();
    if (!is_association(node.fields)) {
        auto statistics = statistics_of(content, node);
        if (!statistics) return statistics.error();
        *text = sdk::dump_json(*statistics);
    }
    cache.keep(std::move(key), newest, text, text->size());
    return SharedText(text);
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
    node.fields[member::kPaths] = std::move(*paths);
    return std::move(node.fields);
}

namespace {

/// Whether a read shows the addressed node itself, with all of it and nothing computed but
/// `_statistics`.
sdk::Result<bool> asks_for_itself(const sdk::Call& call, const Locale& locale) {
    const bool is_bare = call.parameter_names().empty() && call.body().empty();
    if (is_bare) return locale.is_none();
    auto paths = wants_paths(call);
    if (!paths) return paths.error();
    auto wants_metadata = call.flag(kMetadataParameter);
    if (!wants_metadata) return wants_metadata.error();
    return locale.is_none() && !*paths && wants_metadata->value_or(true) &&
           call.parameter(kPathParameter).value_or("").empty();
}

/// The text of the addressed node as it is stored, with its statistics: without decoding it.
sdk::Result<sdk::ShownRecord> stored_node(const BranchContent& content, const sdk::Call& call) {
    const sdk::RecordText stored = call.record_text();
    auto statistics = statistics_text(content, call, stored.id);
    if (!statistics) return statistics.error();
    const std::string& added = **statistics;
    sdk::ShownRecord shown{.json = {}, .id = stored.id, .version = stored.version};
    // Copied once: every read comes by.
    shown.json.reserve(stored.json.size() + added.size() + kAroundStatistics);
    shown.json = stored.json;
    if (added.empty()) return shown;
    shown.json.pop_back();
    shown.json.append(",\"").append(member::kStatistics).append("\":");
    shown.json.append(added).push_back('}');
    return shown;
}

sdk::Result<void> add_statistics(const BranchContent& content, sdk::Document& node) {
    if (is_association(node.fields)) return {};
    auto reads_all = content.reads_all();
    if (!reads_all) return reads_all.error();
    auto statistics =
        *reads_all ? statistics_of(content, node) : readable_statistics_of(content, node);
    if (!statistics) return statistics.error();
    node.fields[member::kStatistics] = *std::move(statistics);
    return {};
}

}  // namespace

std::vector<sdk::Parameter> view_parameters() {
    return {{kPathParameter}, {"locale"}, {kPathsParameter}, {"full"}, {kMetadataParameter}};
}

sdk::Result<sdk::ShownRecord> shown_node(const BranchContent& content, const sdk::Call& call) {
    auto locale = wanted_locale(call);
    if (!locale) return locale.error();
    auto is_itself = asks_for_itself(call, *locale);
    if (!is_itself) return is_itself.error();
    if (*is_itself) return stored_node(content, call);
    auto node = addressed_node(content, call);
    if (!node) return node.error();
    auto shown = localised(content, *std::move(node), *locale);
    if (!shown) return shown.error();
    auto wanted = wants_paths(call);
    if (!wanted) return wanted.error();
    sdk::Json paths;
    if (*wanted) {
        auto found = paths_of(content, *shown);
        if (!found) return found.error();
        paths = *std::move(found);
    }
    if (auto added = add_statistics(content, *shown); !added) return added.error();
    if (*wanted) shown->fields[member::kPaths] = std::move(paths);
    auto wants_metadata = call.flag(kMetadataParameter);
    if (!wants_metadata) return wants_metadata.error();
    if (!wants_metadata->value_or(true)) shown->fields.erase(member::kSystem);
    return sdk::ShownRecord{sdk::dump_json(shown->fields), shown->id, shown->version};
}

}  // namespace stele::nodes
