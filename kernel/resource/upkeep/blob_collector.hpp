#pragma once

#include <atomic>
#include <chrono>
#include <shared_mutex>
#include <string>
#include <unordered_map>

#include <stele/sdk/engine.hpp>

#include "kernel/job/background_thread.hpp"
#include "kernel/storage/blob/blob_collection.hpp"
#include "kernel/storage/blob/blob_providers.hpp"
#include "kernel/storage/blob/blob_writers.hpp"

namespace stele::kernel::resource {

/// Removes binaries that nothing refers to any more, now and then (decision 0036). Every server
/// does it for the places that it has.
class BlobCollector {
public:
    /// Looks in a row that must have found a binary unused before it goes: who refers to it in a
    /// copy of the store (a backup of rows), or notices that this is the wrong store, has that
    /// long.
    static constexpr unsigned kLooks = 7;

    /// `keeping` is held shared by whoever needs the binaries of a moment.
    BlobCollector(sdk::Engine& engine, storage::BlobProviders& binaries, std::shared_mutex& keeping,
                  storage::BlobWriters& writers, std::chrono::milliseconds period)
        : engine_(engine),
          binaries_(binaries),
          keeping_(keeping),
          writers_(writers),
          period_(period) {}
    ~BlobCollector() { stop(); }

    void start();
    /// Ends after the step that is being done. May be repeated.
    void stop() { thread_.stop(); }

    /// While the disk is short a binary goes with the first look that finds it unused, and looks
    /// come soon. Only for a store that the binaries are known to belong to.
    void set_pressed(bool is_pressed);

    /// One look: everything that there is to do now. Not for several threads.
    sdk::Result<storage::UnusedBlobs> collect();

private:
    void run();

    sdk::Engine& engine_;
    storage::BlobProviders& binaries_;
    std::shared_mutex& keeping_;
    storage::BlobWriters& writers_;
    const std::chrono::milliseconds period_;
    std::atomic<bool> is_pressed_ = false;
    /// By place and name: how many looks in a row found it unused. Since the server has started.
    std::unordered_map<std::string, unsigned> unused_;
    job::BackgroundThread thread_;
};

/// What is there to collect, or will be once it is old enough.
sdk::Result<storage::UnusedBlobs> count_unused_blobs(sdk::Engine& engine,
                                                     storage::BlobProviders& binaries);

}  // namespace stele::kernel::resource
