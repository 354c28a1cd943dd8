#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "kernel/storage/backends/leveldb/removed_keys.hpp"

namespace stele::kernel::storage {

/// Parts of a range that hold about `most` bytes each, as far as `size_of` tells. LevelDB takes all
/// small tables of a level that lie in a range into one merge, and every table of the next that
/// they overlap: of a whole range that can be everything there is.
std::vector<RemovedKeys::Range> merge_steps(
    const RemovedKeys::Range& range, std::uint64_t most,
    const std::function<std::uint64_t(const RemovedKeys::Range&)>& size_of);

}  // namespace stele::kernel::storage
