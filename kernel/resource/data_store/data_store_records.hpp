#pragma once

#include <optional>

#include <stele/sdk/engine.hpp>
#include <stele/sdk/json.hpp>
#include <stele/sdk/principal.hpp>

namespace stele::kernel::resource {

class Records;

/// The data store that the record is or lies in; nothing where there is none. Does not look whether
/// the store still exists.
sdk::Result<std::optional<sdk::RecordKey>> data_store_of(const Records& records,
                                                         const sdk::Reader& reader,
                                                         const sdk::RecordKey& record);

/// Sets members of a data store's record that the kernel itself keeps there; null takes one away.
/// No hooks run, and nobody counts as having modified the record.
sdk::Result<void> set_store_members(Records& records, sdk::Transaction& transaction,
                                    const sdk::RecordKey& store, const sdk::Json& members);

}  // namespace stele::kernel::resource
