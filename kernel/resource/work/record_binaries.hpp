#pragma once

#include <stele/sdk/services/record_binaries.hpp>

namespace stele::kernel::resource {

/// `sdk::RecordBinaries` over the rows of attachments (`record_attachments.hpp`).
class RecordBinaries final : public sdk::RecordBinaries {
public:
    sdk::Result<std::optional<sdk::Attachment>> content(sdk::Context& context,
                                                        const sdk::RecordKey& record) override;
    sdk::Result<void> set_content(sdk::Context& context, const sdk::RecordKey& record,
                                  const sdk::Attachment& content) override;
    sdk::Result<void> copy(sdk::Context& context, const sdk::RecordKey& from,
                           const sdk::RecordKey& to) override;
};

}  // namespace stele::kernel::resource
