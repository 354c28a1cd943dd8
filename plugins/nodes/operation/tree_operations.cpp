#include "operation/tree_operations.hpp"

#include <algorithm>
#include <charconv>

#include <nlohmann/json.hpp>

#include "graph/node_tree.hpp"
#include "graph/search.hpp"
#include "job/node_jobs.hpp"
#include "operation/node_shapes.hpp"

namespace stele::nodes {

namespace {

constexpr char kLevels[] = "depth";

std::string whole_path(std::string_view path) {
    std::string text;
    for (const std::string& segment : split_path(path))
        text.append("/").append(segment);
    return text.empty() ? "/" : text;
}

sdk::Result<std::size_t> levels_of(const sdk::Call& call, std::size_t fallback) {
    const std::string text = call.parameter(kLevels).value_or("");
    if (text.empty()) return fallback;
    long long levels = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, problem] = std::from_chars(text.data(), end, levels);
    if (problem != std::errc() || stop != end || levels < -1)
        return sdk::invalid_parameter(kLevels, "must be a number from -1 on");
    return levels < 0 ? TreeWish::kUnlimited : static_cast<std::size_t>(levels);
}

/// Each is compared with every node of the tree.
constexpr std::size_t kMaxLeaves = 100;

sdk::Result<std::vector<std::string>> leaves_of(const sdk::Call& call) {
    std::vector<std::string> leaves;
    for (const std::string& text : call.parameters("leaf")) {
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t comma = std::min(text.find(',', at), text.size());
            std::string leaf = whole_path(std::string_view(text).substr(at, comma - at));
            if (leaf != "/") leaves.push_back(std::move(leaf));
            if (leaves.size() > kMaxLeaves) {
                return sdk::invalid_parameter(
                    "leaf", "may name at most " + std::to_string(kMaxLeaves) + " paths");
            }
            at = comma + 1;
        }
    }
    return leaves;
}

/// A member of the body that is an object; null when it is missing or empty.
sdk::Result<const sdk::Json*> condition_of(const sdk::Call& call, const char* name) {
    const auto found = call.body().find(name);
    if (found == call.body().end() || found->is_null()) return nullptr;
    const bool is_text = found->is_string() && std::string_view(name) == "search";
    if (!found->is_object() && !is_text) return sdk::invalid_parameter(name, "must be an object");
    return found->empty() ? nullptr : &*found;
}

/// Which of the tree's nodes a text search finds.
sdk::Result<std::set<std::string>> find_by_search(const BranchContent& content,
                                                  const sdk::Json& expression,
                                                  const std::set<std::string>& fitting) {
    auto hits = search_nodes(content, expression, fitting.size(), [&fitting](std::string_view id) {
        return fitting.contains(std::string(id));
    });
    if (!hits) return hits.error();
    std::set<std::string> found;
    for (const sdk::NodeHit& hit : hits->best)
        found.insert(hit.id);
    return found;
}

sdk::Result<std::set<std::string>> fitting_nodes(Services& services, const NodeTree& tree,
                                                 const sdk::Json& query) {
    std::vector<sdk::Json> rows;
    std::set<std::string> known;
    for (const TreePlace& place : tree.places()) {
        if (known.insert(place.node.id).second) rows.push_back(place.node.fields);
    }
    sdk::Json condition = query;
    condition["_fields"] = {{"_doc", 1}};
    sdk::PageRequest everything;
    everything.limit = -1;
    auto found = services.rows.page(rows, condition, everything);
    if (!found) return found.error();
    auto page = sdk::parse_json(found->body());
    if (!page) return page.error();
    std::set<std::string> fitting;
    for (const sdk::Json& row : page->at("rows"))
        fitting.insert(row.at("_doc").get<std::string>());
    return fitting;
}

/// The node at the path that the tree is to begin with, and that path.
sdk::Result<std::pair<sdk::Document, std::string>> top_of(const BranchContent& content,
                                                          const sdk::Call& call) {
    std::string path = call.parameter("base").value_or("");
    if (path.empty()) path = call.parameter("path").value_or("");
    path = whole_path(path);
    if (path == "/") return std::pair(call.record(), path);
    auto found = content.find_path(call.record().id, split_path(path));
    if (!found) return found.error();
    if (*found) {
        auto node = content.readable_node(**found);
        if (node) return std::pair(std::move(*node), path);
        if (!sdk::is_missing(node.error())) return node.error();
    }
    return sdk::make_error(sdk::ErrorKind::not_found, "nodes.path_unknown",
                           "there is nothing at " + path);
}

sdk::Result<TreeWish> wish_of(const sdk::Call& call, bool is_filtered) {
    TreeWish wish;
    auto depth = levels_of(call, is_filtered ? TreeWish::kUnlimited : 1);
    if (!depth) return depth.error();
    wish.depth = *depth;
    auto leaves = leaves_of(call);
    if (!leaves) return leaves.error();
    wish.leaves = std::move(*leaves);
    const std::pair<const char*, bool*> flags[] = {{"containers", &wish.containers_only},
                                                   {"properties", &wish.with_properties},
                                                   {"object", &wish.with_object}};
    for (const auto& [name, flag] : flags) {
        auto asked = is_asked(call, name, false);
        if (!asked) return asked.error();
        *flag = *asked;
    }
    return wish;
}

/// An element, and what those in it look like.
sdk::Shape element_shape(const sdk::Shape& child) {
    using sdk::shape::integer;
    using sdk::shape::object;
    using sdk::shape::optional;
    using sdk::shape::text;
    return object({{"_doc", text()},
                   {"id", text()},
                   {"repositoryId", text()},
                   {"branchId", text()},
                   {"rootNodeId", text()},
                   {"filename", text()},
                   {"label", text()},
                   {"path", text()},
                   {"typeQName", text()},
                   {"qname", text()},
                   {"description", text()},
                   {"container", sdk::shape::boolean()},
                   {"childCount", integer()},
                   {"childContainerCount", integer()},
                   optional("children", sdk::shape::array(child)),
                   optional("properties", object()),
                   optional("_object", node_shape())});
}

}  // namespace

sdk::Shape tree_shape() {
    return cut(element_shape(element_shape(sdk::shape::object())));
}

sdk::Shape tree_body() {
    using sdk::shape::boolean;
    using sdk::shape::optional;
    using sdk::shape::text;
    return sdk::shape::object(
        {optional("query", sdk::shape::record("Condition")),
         optional("search", sdk::shape::either({text(), sdk::shape::object()})),
         optional(kLevels, sdk::shape::integer()), optional("base", text()),
         optional("path", text()), optional("leaf", text()), optional("containers", boolean()),
         optional("properties", boolean()), optional("object", boolean())});
}

sdk::Result<sdk::Reply> read_tree(Services& services, const sdk::Call& call) {
    auto query = condition_of(call, "query");
    if (!query) return query.error();
    auto search = condition_of(call, "search");
    if (!search) return search.error();
    const bool is_filtered = *query || *search;
    auto wish = wish_of(call, is_filtered);
    if (!wish) return wish.error();
    auto content = content_of(services, call);
    if (!content) return content.error();
    auto top = top_of(*content, call);
    if (!top) return top.error();
    auto address = address_of(*content);
    if (!address) return address.error();
    NodeTree tree(*content, std::move(*wish), std::move(*address), call.record().id);
    auto gathered =
        tree.gather(std::move(top->first), std::move(top->second), is_filtered, kMaxInTree);
    if (!gathered) return gathered.error();
    if (is_filtered) {
        auto fitting = fitting_nodes(services, tree, *query ? **query : sdk::Json::object());
        if (fitting && *search) fitting = find_by_search(*content, **search, *fitting);
        if (!fitting) return fitting.error();
        tree.keep_leading_to(*fitting);
    }
    sdk::Json element = tree.element();
    if (!tree.bound().empty()) {
        element["truncated"] = true;
        element["bound"] = tree.bound();
    }
    return sdk::Reply::json(element);
}

}  // namespace stele::nodes
