#pragma once

#include <memory>

#include <stele/sdk/engine.hpp>

#include <stele/sdk/optimistic/read_set.hpp>
#include <stele/sdk/optimistic/write_set.hpp>

namespace stele::sdk::optimistic {

/// Walks what a transaction sees: the entries of `stored`, a cursor over the same range and in the
/// same direction, changed by `writes`. Notes in `reads` how far it has looked. The two sets must
/// outlive the cursor; writes that come while it walks are seen from the next step on.
std::unique_ptr<Cursor> merge_writes(std::unique_ptr<Cursor> stored, const WriteSet& writes,
                                     ReadSet& reads, KeyRange range, ScanDirection direction);

}  // namespace stele::sdk::optimistic
