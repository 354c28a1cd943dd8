#pragma once

#include <stele/sdk/services/record_lists.hpp>

#include "kernel/resource/record/services.hpp"

namespace stele::kernel::resource {

/// `sdk::RecordLists` with the standard operations' own pages.
class RecordLists final : public sdk::RecordLists {
public:
    sdk::Result<sdk::Reply> page(const sdk::Call& call, const sdk::CollectionName& collection,
                                 const sdk::Json& query) override;
};

}  // namespace stele::kernel::resource
