#pragma once

#include <stele/sdk/services/record_updates.hpp>

namespace stele::kernel::resource {

/// Runs the family's own operations inside the one that asks, which commits.
class RecordUpdates final : public sdk::RecordUpdates {
public:
    sdk::Result<sdk::Reply> update(const sdk::Call& call, std::string_view parameter,
                                   std::string_view reference, sdk::Json fields) override;
};

}  // namespace stele::kernel::resource
