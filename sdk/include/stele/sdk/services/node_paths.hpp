#pragma once

#include <string_view>

#include <stele/sdk/context.hpp>
#include <stele/sdk/documents.hpp>
#include <stele/sdk/result.hpp>

namespace stele::sdk {

/// Finds nodes by their paths below others. Published by the plugin that keeps nodes.
class NodePaths {
public:
    virtual ~NodePaths();

    /// The node at a path of names below a node of the branch, if whoever acts may READ it;
    /// `not_found` (`nodes.path_unknown`, `document.unknown`) otherwise. Any thread.
    virtual Result<Document> below(Context& context, const RecordKey& branch,
                                   std::string_view node_id, std::string_view path) = 0;
};

}  // namespace stele::sdk
