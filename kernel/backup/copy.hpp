#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include <stele/sdk/blob_store.hpp>
#include <stele/sdk/engine.hpp>

namespace stele::kernel::backup {

/// A store that is copied from or to.
struct CopySide {
    sdk::Engine& engine;
    sdk::BlobStore& blobs;
};

/// What was copied and compared.
struct CopySummary {
    std::uint64_t entries = 0;  ///< of this run; all of them once they were compared
    std::uint64_t blobs = 0;
    std::uint64_t ranges = 0;  ///< of keys that were compared
    bool was_resumed = false;
};

/// Told after each step that is on the target's disk.
using CopyProgress = std::function<void(const CopySummary&)>;

struct CopyOptions {
    /// Tells sources apart.
    std::string source_id;
    /// Called once the target is found to be empty or a broken copy, before anything is copied.
    std::function<sdk::Result<void>()> prepare_target;
    CopyProgress progress;
};

/// Copies everything between two stores that nobody serves, whatever their engines, then compares
/// both, range by range. One that broke off goes on where it was when the same source is copied to
/// the same target again; until it has ended, nobody can open the target. Waits.
///
/// `conflict` (`copy.target_not_empty`) when there is anything else in the target,
/// `unavailable` (`copy.store_served`) when a server has one of them open, `internal`
/// (`copy.differs`) when the target is not what the source is.
sdk::Result<CopySummary> copy_store(const CopySide& source, const CopySide& target,
                                    const CopyOptions& options);

/// `unavailable` (`copy.unfinished`) when a copy into this store has not ended.
sdk::Result<void> check_copied(const sdk::Reader& reader);

}  // namespace stele::kernel::backup
