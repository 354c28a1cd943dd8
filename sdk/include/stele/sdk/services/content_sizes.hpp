#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include <stele/sdk/blob_store.hpp>
#include <stele/sdk/data_store.hpp>
#include <stele/sdk/engine.hpp>
#include <stele/sdk/principal.hpp>
#include <stele/sdk/result.hpp>

namespace stele::sdk {

/// What lies in data stores beside the records that the kernel knows, for `stele check` and
/// backups: records in spaces, and what a plugin counts by `DataStores::count`. Published by nodes.
/// Any thread.
class ContentSizes {
public:
    virtual ~ContentSizes();

    /// What all of it should have come to, by looking at everything; nothing for a store of another
    /// family.
    virtual Result<std::optional<DataStoreSize>> content_size(const Reader& reader,
                                                              const RecordKey& store) = 0;

    using VisitBinary = std::function<Result<void>(BlobStore& store, std::string_view name)>;
    /// Every binary that something in it names; the same one perhaps several times. A failure of
    /// `visit` ends the walk.
    virtual Result<void> for_each_binary(const Reader& reader, const VisitBinary& visit) = 0;
};

}  // namespace stele::sdk
