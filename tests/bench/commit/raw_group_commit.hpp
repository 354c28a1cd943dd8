#pragma once

#include <condition_variable>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace leveldb {
class DB;
}

namespace stele::bench {

using Entries = std::vector<std::pair<std::string, std::string>>;

/// The ceiling: LevelDB and a thread that writes whatever waits as one synced batch. No conflicts,
/// no snapshots, no observers, no care for the disk.
class RawGroupCommit {
public:
    explicit RawGroupCommit(const std::filesystem::path& folder);
    ~RawGroupCommit();

    /// Waits until the entries are on disk.
    void commit(const Entries& entries);

private:
    struct Waiting {
        const Entries* entries = nullptr;
        bool is_done = false;
        std::mutex mutex;
        std::condition_variable done;
    };

    void run();

    std::unique_ptr<leveldb::DB> database_;
    std::mutex mutex_;
    std::condition_variable arrived_;
    std::vector<Waiting*> queue_;
    bool is_stopping_ = false;
    std::thread thread_;
};

}  // namespace stele::bench
