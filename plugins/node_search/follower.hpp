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
    /// Between commits and the pass that takes them up, so that it takes up many at once.
    std::chrono::milliseconds gathering{100};
    /// After a pass the thread rests so many times as long as it has worked, so that writers have
    /// the processors, but no longer than this.
    int rests_per_work = 3;
    std::chrono::milliseconds longest_rest{1000};
    /// When it has not been in step for so long it does not rest until it is: what a search may
    /// find left to do stays a matter of seconds.
    std::chrono::milliseconds longest_behind{5000};
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
    using Clock = std::chrono::steady_clock;

    void rest_after(std::chrono::nanoseconds work);
    void pause(std::chrono::nanoseconds time);
    sdk::Result<void> commit_when_due();
    bool rest(bool has_failed);

    IndexFeed& feed_;
    sdk::ContentLog& log_;
    sdk::Engine& engine_;
    const FollowerPace pace_;
    // These belong to the thread.
    Clock::time_point committed_at_ = Clock::now();
    Clock::time_point in_step_at_ = Clock::now();
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
