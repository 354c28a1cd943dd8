#pragma once

#include <stele/sdk/call.hpp>
#include <stele/sdk/services/node_paths.hpp>

#include "branch/branch_content.hpp"

namespace stele::nodes {

/// The node at a path of names below another, if whoever acts may READ it.
sdk::Result<sdk::Document> node_below(const BranchContent& content, const std::string& node,
                                      std::string_view path);
/// The record that a call addresses, or what lies at its parameter `path` below that.
sdk::Result<sdk::Document> addressed_node(const BranchContent& content, const sdk::Call& call);

/// For other plugins.
class BranchPaths final : public sdk::NodePaths {
public:
    explicit BranchPaths(Services& services) : services_(services) {}

    sdk::Result<sdk::Document> below(sdk::Context& context, const sdk::RecordKey& branch,
                                     std::string_view node_id, std::string_view path) override;

private:
    Services& services_;
};

}  // namespace stele::nodes
