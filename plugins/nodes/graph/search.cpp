#include "graph/search.hpp"

#include <nlohmann/json.hpp>

namespace stele::nodes {

sdk::Result<sdk::NodeHits> search_nodes(const BranchContent& content, const sdk::Json& expression,
                                        std::size_t limit,
                                        const std::function<bool(std::string_view id)>& is_wanted) {
    if (!expression.is_string() && !expression.is_object())
        return sdk::invalid_parameter("search", "must be text or an object");
    auto* search = content.services().registrar.find<sdk::NodeSearch>();
    if (search == nullptr) {
        return sdk::make_error(sdk::ErrorKind::unavailable, "nodes.search_missing",
                               "no enabled plugin searches nodes; queries work without one");
    }
    auto reads_all = content.reads_all();
    if (!reads_all) return reads_all.error();
    std::function<sdk::Result<bool>(std::string_view)> accepts;
    if (*reads_all && is_wanted)
        accepts = [&](std::string_view id) -> sdk::Result<bool> { return is_wanted(id); };
    const auto is_read = [&](std::string_view id) -> sdk::Result<bool> {
        if (is_wanted && !is_wanted(id)) return false;
        auto node = sdk::if_readable(content.context(), content.node(id));
        if (!node) return node.error();
        return node->has_value() && !is_association((*node)->fields);
    };
    if (!*reads_all) accepts = is_read;
    return search->search(content.context(), content.branch(), expression,
                          {.hits = limit, .accepts = accepts});
}

}  // namespace stele::nodes
