#pragma once

#include <cstdint>
#include <string>

#include <stele/sdk/engine.hpp>

#include "kernel/backup/backup_format.hpp"
#include "kernel/storage/blob/blob_providers.hpp"

namespace stele::kernel::backup {

struct BackupOptions {
    bool has_blobs = true;
    /// The keys that seal secrets, when they shall be part of the backup; empty: they are not.
    std::string secret_keys;
};

/// What was backed up or restored.
struct BackupSummary {
    std::string id;
    std::uint64_t entries = 0;
    std::uint64_t bytes = 0;  ///< of keys and values
    std::uint64_t blobs = 0;
    std::uint64_t blob_bytes = 0;
    bool has_secret_keys = false;
    bool was_resumed = false;
};

/// Writes everything that the store holds at the moment of the call, and the blobs that it refers
/// to; others may write meanwhile. Needs little memory, whatever the size. Waits for the sink: not
/// on a thread that serves connections.
sdk::Result<BackupSummary> write_backup(sdk::Engine& engine, const storage::BlobProviders& binaries,
                                        const BackupOptions& options, const Sink& sink);

/// `invalid` (`backup.damaged`) unless the last frame of a backup counts what was found in it.
sdk::Result<void> check_counts(const std::string& end, const BackupSummary& summary);

/// Where a restore puts what it reads.
struct RestoreTarget {
    sdk::Engine& engine;
    const storage::BlobProviders& binaries;
    /// Called with the keys that seal secrets, when the backup has them.
    std::function<sdk::Result<void>(std::string_view keys)> keep_secret_keys;
};

/// Fills an empty store. One that broke off goes on where it was when the same backup is restored
/// again; until it has ended, nobody can open the store. `conflict` (`backup.target_not_empty`)
/// when there is anything else in the store.
sdk::Result<BackupSummary> restore_backup(const RestoreTarget& target, const Source& source);

/// Reads a whole backup and restores nothing; answers what is in it.
sdk::Result<BackupSummary> verify_backup(const Source& source);

/// `unavailable` (`backup.restore_unfinished`) when a restore into this store has not ended.
sdk::Result<void> check_restored(const sdk::Reader& reader);

}  // namespace stele::kernel::backup
