#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <shared_mutex>
#include <string>

#include <stele/sdk/blob_store.hpp>
#include <stele/sdk/engine.hpp>
#include <stele/sdk/result.hpp>

namespace stele::kernel::storage {

/// Blobs that nothing in the store refers to.
struct UnusedBlobs {
    std::uint64_t blobs = 0;
    std::uint64_t bytes = 0;
    /// Not everything was looked at: somebody keeps the blobs, or there was no time.
    bool is_cut_short = false;
};

struct CollectionOptions {
    /// Blobs that were written since are left alone: whoever wrote them may be about to commit.
    std::int64_t before_ms = 0;
    /// Held by whoever needs the blobs of a past moment (a backup): nothing is removed meanwhile.
    /// Null: unused blobs are only counted.
    std::shared_mutex* keeping = nullptr;
    /// Whether an unused blob may go already; asked once for each.
    std::function<bool(const std::string& name)> is_due = [](const std::string&) { return true; };
    /// Asked now and then, also as an opportunity to rest.
    std::function<bool()> must_stop = [] { return false; };
    /// Blobs that are looked for in one pass over the store; bounds the memory.
    std::size_t blobs_at_once = 1'000'000;
};

/// Removes or counts unused blobs. Looks for the names of old ones in all keys and values of the
/// store, whoever wrote them, so that what a plugin that is not enabled refers to stays, too
/// (decision 0036). Waits for the disk.
sdk::Result<UnusedBlobs> collect_blobs(sdk::Engine& engine, sdk::BlobStore& blobs,
                                       const CollectionOptions& options);

}  // namespace stele::kernel::storage
