#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "kernel/storage/backends/leveldb/disk_guard.hpp"
#include "kernel/storage/backends/leveldb/removed_keys.hpp"
#include "kernel/storage/backends/leveldb/reopenable_database.hpp"

namespace stele::kernel::storage {

/// How LevelDB was opened, in bytes.
struct MergeSizes {
    std::uint64_t write_buffer = 0;
    std::uint64_t table = 0;
};

/// Keeps room on a short disk for what LevelDB merges. It writes what stays of some tables before
/// it removes these, and is of no more use when the disk gets full meanwhile. So commits wait for
/// it, for a while, when they would otherwise use up the room that it needs to win more.
class MergeRoom {
public:
    MergeRoom(ReopenableDatabase& database, const MergeSizes& sizes)
        : database_(database), sizes_(sizes) {}

    /// How much room the largest merge takes that may come next.
    std::uint64_t largest_merge() const { return levels().merge; }

    /// The waits from now on count anew. On the thread of the commits, like `wait`.
    void begin_batch();
    /// Waits while LevelDB is about to win the room that a commit of `bytes` takes from it.
    void wait(DiskGuard& disk, std::uint64_t bytes, bool is_urgent, const RemovedKeys& removed);
    void stop() { is_stopping_ = true; }

    /// Around merges that give room back, with the time between two of them, when LevelDB itself
    /// rests.
    void set_merging(bool is_merging) { is_merging_ = is_merging; }
    /// Whether what was removed is still read, so that no merge of it wins room.
    void set_held(bool is_held) { is_held_ = is_held; }
    /// Whether a commit waits for room.
    bool is_wanted() const { return is_wanted_; }

private:
    struct Levels {
        std::uint64_t merge = 0;
        /// LevelDB merges without being asked.
        bool is_behind = false;
    };

    Levels levels() const;
    bool must_wait(const DiskGuard& disk, std::uint64_t bytes, bool is_urgent,
                   const RemovedKeys& removed) const;

    ReopenableDatabase& database_;
    const MergeSizes sizes_;
    std::chrono::steady_clock::time_point patience_;
    std::atomic<bool> is_merging_ = false;
    std::atomic<bool> is_held_ = false;
    std::atomic<bool> is_wanted_ = false;
    std::atomic<bool> is_stopping_ = false;
};

}  // namespace stele::kernel::storage
