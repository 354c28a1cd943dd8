#include "graph/node_paths.hpp"

#include "branch/parameters.hpp"

namespace stele::nodes {

sdk::Result<sdk::Document> node_below(const BranchContent& content, const std::string& node,
                                      std::string_view path) {
    auto id = content.find_path(node, split_path(path));
    if (!id) return id.error();
    if (!*id) {
        return sdk::make_error(sdk::ErrorKind::not_found, "nodes.path_unknown",
                               "there is nothing at this path");
    }
    return content.readable_node(**id);
}

sdk::Result<sdk::Document> addressed_node(const BranchContent& content, const sdk::Call& call) {
    const std::string path = text_parameter(call, "path");
    if (path.empty()) return call.record();
    return node_below(content, call.record().id, path);
}

sdk::Result<sdk::Document> BranchPaths::below(sdk::Context& context, const sdk::RecordKey& branch,
                                              std::string_view node_id, std::string_view path) {
    auto content = BranchContent::open(services_, context, branch);
    if (!content) return content.error();
    return node_below(*content, std::string(node_id), path);
}

}  // namespace stele::nodes
