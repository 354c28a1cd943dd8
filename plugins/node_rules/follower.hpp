#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>

#include <stele/sdk/engine.hpp>

#include "rule_book.hpp"
#include "rule_starts.hpp"
#include "services.hpp"

namespace stele::node_rules {

/// A thread that reads what was committed and starts the jobs of rules, so that writers pay nothing
/// for them. It looks at every repository first, for what a server that died has left. Any thread.
class Follower {
public:
    explicit Follower(const RuleServices& services);
    ~Follower() { stop(); }
    Follower(const Follower&) = delete;
    Follower& operator=(const Follower&) = delete;

    void notice(const sdk::CommitNotice& notice);
    void start();
    /// Waits until the thread has ended; how far it has come is in the store then.
    void stop();

private:
    using Clock = std::chrono::steady_clock;

    /// How far a repository has been followed, and what the store says of that.
    struct Position {
        std::uint64_t revision = 0;
        std::uint64_t marked = 0;
    };

    void begin_locked();
    std::optional<sdk::ContentSpace> space_of(std::string_view key);
    void run();
    sdk::Result<void> follow_wanted();
    sdk::Result<void> find_spaces(std::set<sdk::ContentSpace>& wanted);
    /// One turn. True when nothing is left.
    sdk::Result<bool> follow(const sdk::ContentSpace& space);
    /// What changesets have written, as far as this goes at once; the last whole changeset.
    sdk::Result<std::uint64_t> gather(const sdk::Reader& reader, const sdk::PlatformScope& platform,
                                      const sdk::ContentSpace& space, std::uint64_t newest,
                                      AllTouches& touches);
    sdk::Result<Position*> position(const sdk::Reader& reader, const sdk::ContentSpace& space);
    /// Of repositories that are so many changesets beyond what the store says.
    sdk::Result<void> mark(std::uint64_t least);
    bool rest();

    const RuleServices& services_;
    RuleBook book_;
    RuleStarts starts_;
    std::map<sdk::ContentSpace, Position> positions_;
    /// What waits until `again_at_`, whatever is written there meanwhile. Of the thread.
    std::set<sdk::ContentSpace> failed_;
    bool is_all_failed_ = false;
    Clock::time_point again_at_ = {};

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

}  // namespace stele::node_rules
