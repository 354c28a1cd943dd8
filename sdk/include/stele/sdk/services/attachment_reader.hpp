#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <stele/sdk/context.hpp>
#include <stele/sdk/result.hpp>

namespace stele::sdk {

/// One attachment, whole. For what has to be small anyway, like a part of a mail.
struct AttachmentContent {
    std::string file_name;
    std::string content_type;
    std::string bytes;
};

/// Reads attachments of records by reference. Published by whoever keeps attachments.
class AttachmentReader {
public:
    virtual ~AttachmentReader();

    /// The attachment `attachment_id` (by convention `default`) of the record that `reference`
    /// names (docs/specification/platform.md 17), if the context's principal may read it.
    /// `not_found` when it does not exist or may not be known of; `too_large` beyond `limit` bytes.
    /// Any thread.
    virtual Result<AttachmentContent> read(Context& context, std::string_view reference,
                                           std::string_view attachment_id, std::uint64_t limit) = 0;
};

}  // namespace stele::sdk
