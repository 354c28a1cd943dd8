#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <stele/sdk/blob_store.hpp>
#include <stele/sdk/call.hpp>
#include <stele/sdk/result.hpp>
#include <stele/sdk/services/node_paths.hpp>

#include "descriptor.hpp"

namespace stele::node_previews {

/// The node that the path names, or what lies at the parameter `path` below it, if the caller may
/// READ it; fails like any operation on a node.
sdk::Result<sdk::Document> find_node(const sdk::Call& call, sdk::NodePaths& paths);

/// The bytes of an attachment, and what they are called wherever they lie.
struct PreviewSource {
    std::string object_id;
    std::uint64_t length = 0;

    /// `not_found` (`attachment.unknown`).
    static sdk::Result<PreviewSource> find(const sdk::Document& node, std::string_view attachment);

    sdk::Result<std::unique_ptr<sdk::BlobStore::Reader>> open(sdk::Context& context,
                                                              const sdk::Document& node) const;
};

sdk::Result<void> copy_bytes(sdk::BlobStore::Reader& source, const Descriptor& target);

}  // namespace stele::node_previews
