#include "kernel/storage/backends/leveldb/merge_room.hpp"

#include <algorithm>
#include <chrono>
#include <sstream>
#include <string>
#include <thread>

namespace stele::kernel::storage {

namespace {

constexpr std::uint64_t kMiB = 1024 * 1024;
/// LevelDB takes no more tables of one level into a merge than come to so many of full size, with
/// those of the next that they overlap.
constexpr std::uint64_t kTablesOfMerge = 25;
/// With so many fresh tables it begins to merge them, with so many writes wait for it.
constexpr std::uint64_t kManyFresh = 4;
constexpr std::uint64_t kMaxFresh = 12;
/// It also begins when the first level has more MiB than this, and each further one ten times more.
constexpr std::uint64_t kLevelGrowth = 10;

constexpr std::chrono::seconds kMaxWait{5};
constexpr std::chrono::milliseconds kBetweenLooks{5};

}  // namespace

/// From LevelDB's own account: a line for each level with its number, its tables, and their size in
/// MiB.
MergeRoom::Levels MergeRoom::levels() const {
    Levels found;
    std::string stats;
    if (!database_.GetProperty("leveldb.stats", &stats)) return found;
    std::uint64_t all = 0;
    std::uint64_t first = 0;
    std::istringstream lines(stats);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::uint64_t level = 0;
        std::uint64_t tables = 0;
        std::uint64_t size = 0;
        if (!(words >> level >> tables >> size)) continue;
        // The size is rounded.
        const std::uint64_t most = tables == 0 ? 0 : (size + 1) * kMiB;
        all += most;
        if (level <= 1) first += most;
        std::uint64_t wanted = 1;
        for (std::uint64_t i = 0; i < level; ++i)
            wanted *= kLevelGrowth;
        if (level == 0 ? tables >= kManyFresh : size > wanted) found.is_behind = true;
    }
    // Fresh tables overlap all others, and are merged with all of the first level.
    found.merge = std::min(all, std::max(first, kTablesOfMerge * sizes_.table));
    return found;
}

bool MergeRoom::must_wait(const DiskGuard& disk, std::uint64_t bytes, bool is_urgent,
                          const RemovedKeys& removed) const {
    const std::uint64_t untouched = disk.untouched();
    if (untouched == 0) return false;
    const std::uint64_t most =
        bytes + untouched + kMaxFresh * sizes_.write_buffer + kTablesOfMerge * sizes_.table;
    const std::uint64_t available = disk.available();
    if (available >= most) return false;
    const Levels now = levels();
    if (!is_urgent) {
        // With less it is refused anyway, and holds nobody up.
        return now.is_behind && available >= bytes + untouched &&
               available < bytes + untouched + now.merge;
    }
    const std::uint64_t merge = now.merge + 2 * sizes_.write_buffer;
    if (available >= bytes + std::max(untouched / 2, merge + 2 * sizes_.write_buffer)) return false;
    return is_merging_ || database_.is_merging() ||
           (!is_held_ && !removed.is_empty() && available >= merge);
}

void MergeRoom::begin_batch() {
    patience_ = std::chrono::steady_clock::now() + kMaxWait;
}

void MergeRoom::wait(DiskGuard& disk, std::uint64_t bytes, bool is_urgent,
                     const RemovedKeys& removed) {
    while (!is_stopping_ && must_wait(disk, bytes, is_urgent, removed)) {
        if (std::chrono::steady_clock::now() >= patience_) break;
        is_wanted_ = true;
        std::this_thread::sleep_for(kBetweenLooks);
        if (!disk.refresh()) break;
    }
    is_wanted_ = false;
}

}  // namespace stele::kernel::storage
