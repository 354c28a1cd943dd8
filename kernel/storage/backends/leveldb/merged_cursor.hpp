#pragma once

#include <memory>

#include <stele/sdk/engine.hpp>

#include "kernel/storage/backends/leveldb/read_set.hpp"
#include "kernel/storage/backends/leveldb/write_set.hpp"

namespace stele::kernel::storage {

/// Walks what a transaction sees: the entries of `stored`, a cursor over the same range and in the
/// same direction, changed by `writes`. Notes in `reads` how far it has looked. The two sets must
/// outlive the cursor; writes that come while it walks are seen from the next step on.
std::unique_ptr<sdk::Cursor> merge_writes(std::unique_ptr<sdk::Cursor> stored,
                                          const WriteSet& writes, ReadSet& reads,
                                          sdk::KeyRange range, sdk::ScanDirection direction);

}  // namespace stele::kernel::storage
