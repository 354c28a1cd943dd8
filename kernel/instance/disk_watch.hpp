#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <string>

#include <stele/sdk/engine.hpp>
#include <stele/sdk/result.hpp>

#include "kernel/job/background_thread.hpp"
#include "kernel/resource/upkeep/blob_collector.hpp"

namespace stele::kernel::instance {

/// Looks at the data folder's disk: tells once when it gets full and when there is room again, and
/// while it is short has the room of what was removed given back within minutes. Tells as well when
/// the folder for uploads cannot be used any more.
class DiskWatch {
public:
    /// Null where the engine holds no room itself, or unused binaries must stay for their week.
    DiskWatch(std::filesystem::path folder, std::filesystem::path uploads, std::uint64_t reserve,
              sdk::RoomKeeper* engine, resource::BlobCollector* collector)
        : folder_(std::move(folder)),
          uploads_(std::move(uploads)),
          reserve_(reserve),
          engine_(engine),
          collector_(collector) {}
    ~DiskWatch() { stop(); }

    void start();
    /// May be repeated.
    void stop() { thread_.stop(); }

    /// Success while there is room and uploads find their folder; `unavailable` (`http.disk_full`
    /// with the numbers, `http.upload_folder_unusable`) otherwise.
    sdk::Result<void> status() const;
    /// Lines for `/metrics`.
    std::string metrics() const;

private:
    void run();
    /// True while the disk is short.
    bool look();
    void look_at_uploads();
    sdk::Result<void> room() const;

    const std::filesystem::path folder_;
    const std::filesystem::path uploads_;
    const std::uint64_t reserve_;
    sdk::RoomKeeper* const engine_;
    resource::BlobCollector* const collector_;
    bool was_full_ = false;
    mutable std::mutex mutex_;
    sdk::Result<void> uploads_state_;
    job::BackgroundThread thread_;
};

}  // namespace stele::kernel::instance
