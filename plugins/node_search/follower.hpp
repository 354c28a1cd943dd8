#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>

#include <stele/sdk/engine.hpp>
#include <stele/sdk/services/content_log.hpp>

#include "index_feed.hpp"

namespace stele::node_search {

/// A thread that feeds the index with what the engine says was committed, so that searches find
/// nothing left to do, and writes it to disk now and then. It begins with the first commit or
/// search and first looks at every repository. Any thread.
class Follower {
public:
    /// All must outlive it.
    Follower(IndexFeed& feed, sdk::ContentLog& log, sdk::Engine& engine)
        : feed_(feed), log_(log), engine_(engine) {}
    ~Follower() { stop(); }
    Follower(const Follower&) = delete;
    Follower& operator=(const Follower&) = delete;

    void notice(const sdk::CommitNotice& notice);
    void start();
    /// Waits until the thread has ended, what it had on disk.
    void stop();

private:
    void begin_locked();
    std::optional<sdk::ContentSpace> space_of(std::string_view key);
    void run();
    sdk::Result<void> feed_wanted();
    sdk::Result<void> feed_all();
    sdk::Result<void> feed_one(const sdk::ContentSpace& space);
    bool rest(bool has_failed);

    IndexFeed& feed_;
    sdk::ContentLog& log_;
    sdk::Engine& engine_;
    std::atomic<bool> is_stopping_ = false;
    std::mutex mutex_;
    std::condition_variable called_;
    bool is_all_wanted_ = true;
    std::set<sdk::ContentSpace> wanted_;
    /// The platform of the key that was noticed last, and what the log calls it.
    std::optional<std::uint64_t> noticed_platform_;
    std::string noticed_prefix_;
    std::thread thread_;
};

}  // namespace stele::node_search
