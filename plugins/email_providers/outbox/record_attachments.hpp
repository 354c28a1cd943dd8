#pragma once

#include <stele/sdk/services/attachment_reader.hpp>
#include <stele/sdk/services/families.hpp>
#include <stele/sdk/services/inner_operations.hpp>

namespace stele::email_providers {

/// Attachments of records of every family whose attachments the kernel keeps, read as by their
/// download. Both services outlive it. Any thread.
class RecordAttachments final : public sdk::AttachmentReader {
public:
    RecordAttachments(sdk::Families& families, sdk::InnerOperations& operations)
        : families_(families), operations_(operations) {}

    /// Whether the reference names such a record.
    sdk::Result<bool> keeps(sdk::Context& context, std::string_view reference) const;
    sdk::Result<sdk::AttachmentContent> read(sdk::Context& context, std::string_view reference,
                                             std::string_view attachment_id,
                                             std::uint64_t limit) override;

private:
    sdk::Families& families_;
    sdk::InnerOperations& operations_;
};

}  // namespace stele::email_providers
