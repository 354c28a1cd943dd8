#pragma once

#include <optional>

#include <stele/sdk/data_store.hpp>
#include <stele/sdk/engine.hpp>
#include <stele/sdk/principal.hpp>
#include <stele/sdk/result.hpp>

namespace stele::sdk {

/// What lies in data stores beside the records that the kernel can count, for `stele check`:
/// records in spaces, and what a plugin counts by `DataStores::count`. Published by nodes. Any
/// thread.
class ContentSizes {
public:
    virtual ~ContentSizes();

    /// What all of it should have come to, by looking at everything; nothing for a store of another
    /// family.
    virtual Result<std::optional<DataStoreSize>> content_size(const Reader& reader,
                                                              const RecordKey& store) = 0;
};

}  // namespace stele::sdk
