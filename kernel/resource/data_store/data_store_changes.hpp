#pragma once

#include <stele/sdk/resource.hpp>

#include "kernel/resource/data_store/data_store_rows.hpp"
#include "kernel/storage/blob/blob_providers.hpp"

namespace stele::kernel::resource {

/// Fills in what the server sets on a data store that is created or updated, and what an update
/// left out, so that a store always says what holds for it.
void settle_data_store(const sdk::Change& change);

/// Whether the change switches the store's authorities off, which gives everybody rights on what is
/// inside.
bool opens_data_store(const sdk::Change& change);

/// What is wrong with the members of a data store that only the kernel can judge.
void check_data_store(const sdk::Json& fields, const storage::BlobProviders& binaries,
                      sdk::Violations& violations);

/// Makes the rows of a store say what its record says, which is stored already. A lock and the
/// counters stay as they are.
sdk::Result<void> sync_data_store(sdk::Transaction& transaction, const sdk::Change& change);

}  // namespace stele::kernel::resource
