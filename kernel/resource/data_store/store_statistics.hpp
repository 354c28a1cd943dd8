#pragma once

#include <stele/sdk/engine.hpp>
#include <stele/sdk/principal.hpp>

namespace stele::kernel::resource {

class Records;

/// Writes what a data store holds now into its record: `size`, `objectcount`, `statisticsDate`.
/// `statisticsDirty` becomes false unless somebody writes into the store at the same time; then the
/// numbers are those of a moment during the call. Waits for commits: not on an I/O thread. Nothing
/// happens to a store that is gone.
sdk::Result<void> refresh_statistics(sdk::Engine& engine, Records& records,
                                     const sdk::RecordKey& store);

}  // namespace stele::kernel::resource
