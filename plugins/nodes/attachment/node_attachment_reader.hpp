#pragma once

#include <stele/sdk/services/attachment_reader.hpp>

namespace stele::nodes {

/// Reads attachments of nodes for other plugins.
class NodeAttachmentReader final : public sdk::AttachmentReader {
public:
    sdk::Result<sdk::AttachmentContent> read(sdk::Context& context, std::string_view reference,
                                             std::string_view attachment_id,
                                             std::uint64_t limit) override;
};

}  // namespace stele::nodes
