#include "operation/readable_ends.hpp"

#include <set>

#include <nlohmann/json.hpp>

namespace stele::nodes {

sdk::Result<std::vector<sdk::Document>> readable_ends(const BranchContent& content,
                                                      const std::vector<Edge>& edges) {
    std::vector<sdk::Document> found;
    std::set<std::string> known;
    for (const Edge& edge : edges) {
        if (!known.insert(edge.other).second) continue;
        auto node = sdk::if_readable(content.context(), content.node(edge.other));
        if (!node) return node.error();
        if (*node) found.push_back(std::move(**node));
    }
    return found;
}

sdk::Result<sdk::Json> narrowed(const sdk::Json& query, const sdk::Json& condition) {
    if (query.is_null()) return condition;
    if (!query.is_object()) return sdk::invalid_parameter("query", "must be a JSON object");
    if (condition.empty()) return query;
    sdk::Json rest = query;
    const auto projection = rest.find("_fields");
    sdk::Json both = {{"$and", sdk::Json::array({condition})}};
    if (projection != rest.end()) {
        both["_fields"] = *projection;
        rest.erase("_fields");
    }
    if (!rest.empty()) both["$and"].push_back(std::move(rest));
    return both;
}

}  // namespace stele::nodes
