#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <stele/sdk/engine.hpp>
#include <stele/sdk/optimistic/commit_history.hpp>

namespace stele::kernel::storage {

struct LevelDbOptions {
    std::size_t cache_bytes = 64 * 1024 * 1024;
    /// For what point reads found, beside LevelDB's cache of blocks; 0 for none.
    std::size_t row_cache_bytes = 32 * 1024 * 1024;
    std::size_t write_buffer_bytes = 4 * 1024 * 1024;
    /// Commits are refused with `storage_full` while the disk has less room than this left, so that
    /// LevelDB itself never meets a full disk in the middle of a write.
    std::uint64_t reserve_bytes = 24 * 1024 * 1024;
    /// Held back for the next opening, which writes up to two write buffers as tables. On a disk
    /// with little room the buffers are smaller, and so is what is held back.
    std::uint64_t recovery_bytes = 12 * 1024 * 1024;
    /// Held back for removals and urgent commits: two write buffers.
    std::uint64_t urgent_bytes = 8 * 1024 * 1024;
    /// Of the keys that were written lately: a transaction that is older than these conflicts when
    /// it has read anything.
    std::size_t history_bytes = sdk::optimistic::CommitHistory::kMaxBytes;
    /// Every acknowledged commit is on disk. False only for tests that measure something else.
    bool is_durable = true;
};

/// The embedded engine (docs/specification/architecture.md 4): LevelDB, conflict detection in this
/// process, and one committer thread that validates all waiting transactions and writes them as one
/// synced batch. One process at a time may open a folder; a second gets `unavailable`
/// (`engine.in_use`).
sdk::Result<std::unique_ptr<sdk::Engine>> open_leveldb(const std::filesystem::path& folder,
                                                       const LevelDbOptions& options = {});

/// Whether a folder holds a store, sound or not.
bool has_leveldb(const std::filesystem::path& folder);

/// Looks at every byte of the files in a folder that nobody has open: a line for each file that is
/// not what was written. `unavailable` (`engine.in_use`).
sdk::Result<std::vector<std::string>> check_leveldb(const std::filesystem::path& folder);

}  // namespace stele::kernel::storage
