#pragma once

#include <chrono>

#include <stele/sdk/result.hpp>

#include "kernel/job/background_thread.hpp"
#include "kernel/storage/blob_collection.hpp"

namespace stele::kernel::resource {

struct Rooms;

/// Removes binaries that nothing refers to any more, now and then (decision 0036). Every server
/// does it for the places that it has.
class BlobCollector {
public:
    BlobCollector(Rooms& rooms, std::chrono::milliseconds period)
        : rooms_(rooms), period_(period) {}
    ~BlobCollector() { stop(); }

    void start();
    /// Ends after the step that is being done. May be repeated.
    void stop() { thread_.stop(); }

    /// Once, everything that there is to do now.
    sdk::Result<storage::UnusedBlobs> collect();

private:
    void run();

    Rooms& rooms_;
    const std::chrono::milliseconds period_;
    job::BackgroundThread thread_;
};

/// What is there to collect, or will be once it is old enough.
sdk::Result<storage::UnusedBlobs> count_unused_blobs(Rooms& rooms);

}  // namespace stele::kernel::resource
