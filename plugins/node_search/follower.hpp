#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
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

/// How much of the machine following takes: what is left over, searches make up for.
struct FollowerPace {
    /// The thread rests so many times as long as it has worked, so that writers have the
    /// processors.
    int rests_per_work = 3;
    /// At least so long, so that it feeds many changesets at once.
    std::chrono::milliseconds least_rest{100};
    std::chrono::milliseconds longest_rest{1000};
    /// With more changesets of a repository than this to catch up on it does not rest: what a
    /// search may find left to do stays a matter of seconds.
    std::uint64_t most_behind = 20'000;
};

/// A thread that feeds the index with what the engine says was committed, so that searches find
/// little left to do, and writes it to disk now and then. It begins with the first commit or
/// search and first looks at every repository. Any thread.
class Follower {
public:
    /// All must outlive it.
    Follower(IndexFeed& feed, sdk::ContentLog& log, sdk::Engine& engine, FollowerPace pace = {})
        : feed_(feed), log_(log), engine_(engine), pace_(pace) {}
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
    sdk::Result<void> rest_from(const sdk::ContentSpace& space, std::chrono::nanoseconds work);
    bool rest(bool has_failed);

    IndexFeed& feed_;
    sdk::ContentLog& log_;
    sdk::Engine& engine_;
    const FollowerPace pace_;
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
