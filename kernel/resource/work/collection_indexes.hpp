#pragma once

#include <stele/sdk/services/collection_indexes.hpp>

#include "kernel/resource/record/services.hpp"

namespace stele::kernel::resource {

/// `sdk::CollectionIndexes` over the store's documents.
class CollectionIndexes final : public sdk::CollectionIndexes {
public:
    sdk::Result<std::vector<sdk::CollectionIndex>> list(
        sdk::Context& context, const sdk::CollectionName& collection) override;
    sdk::Result<void> add(sdk::Context& context, const sdk::CollectionName& collection,
                          const sdk::CollectionIndex& index) override;
    sdk::Result<void> remove(sdk::Context& context, const sdk::CollectionName& collection,
                             std::string_view name) override;
    sdk::Result<std::size_t> mend(sdk::Context& context, const sdk::CollectionName& collection,
                                  std::string_view id) override;
    sdk::Result<bool> build(sdk::Context& context, const sdk::CollectionName& collection,
                            std::size_t most) override;
};

}  // namespace stele::kernel::resource
