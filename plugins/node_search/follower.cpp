#include "follower.hpp"

#include <algorithm>
#include <ctime>
#include <exception>
#include <utility>

#include <stele/sdk/key_tuple.hpp>
#include <stele/sdk/log.hpp>

namespace stele::node_search {

namespace {

/// How long what was written may be missing on disk.
constexpr std::chrono::seconds kCommitInterval(5);

/// That this thread has had.
std::chrono::nanoseconds processor_time() {
    std::timespec time{};
    // Cannot fail for the calling thread.
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

}  // namespace

std::optional<sdk::ContentSpace> Follower::space_of(std::string_view key) {
    const auto platform = sdk::KeyReader(key).integer();
    if (!platform) return std::nullopt;
    // Most keys of a commit lie on one platform.
    if (platform != noticed_platform_) {
        noticed_prefix_ = log_.watched_prefix(*platform);
        noticed_platform_ = platform;
    }
    const std::string& prefix = noticed_prefix_;
    if (!key.starts_with(prefix)) return std::nullopt;
    const auto repository = sdk::KeyReader(key.substr(prefix.size())).integer();
    if (!repository) return std::nullopt;
    return sdk::ContentSpace{*platform, *repository};
}

void Follower::notice(const sdk::CommitNotice& notice) {
    const std::lock_guard lock(mutex_);
    bool is_called = notice.is_everything;
    is_all_wanted_ = is_all_wanted_ || notice.is_everything;
    std::optional<sdk::ContentSpace> last;
    for (const std::string_view key : notice.keys) {
        const auto space = space_of(key);
        if (!space || space == last) continue;
        wanted_.insert(*space);
        last = space;
        is_called = true;
    }
    if (is_called) begin_locked();
}

void Follower::start() {
    const std::lock_guard lock(mutex_);
    if (!thread_.joinable()) begin_locked();
}

void Follower::begin_locked() {
    if (is_stopping_) return;
    if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
    called_.notify_all();
}

void Follower::stop() {
    {
        const std::lock_guard lock(mutex_);
        is_stopping_ = true;
    }
    called_.notify_all();
    if (thread_.joinable()) thread_.join();
}

void Follower::pause(std::chrono::nanoseconds time) {
    std::unique_lock lock(mutex_);
    called_.wait_for(lock, time, [this] { return is_stopping_.load(); });
}

void Follower::rest_after(std::chrono::nanoseconds work) {
    if (Clock::now() - in_step_at_ > pace_.longest_behind) return;
    pause(std::min<std::chrono::nanoseconds>(work * pace_.rests_per_work, pace_.longest_rest));
}

sdk::Result<void> Follower::commit_when_due() {
    if (Clock::now() - committed_at_ < kCommitInterval) return {};
    auto committed = feed_.commit();
    if (!committed) return committed.error();
    committed_at_ = Clock::now();
    return {};
}

sdk::Result<void> Follower::feed_one(const sdk::ContentSpace& space) {
    while (!is_stopping_) {
        const std::chrono::nanoseconds begun = processor_time();
        auto fed = feed_.feed(space, [this] { return is_stopping_.load(); });
        if (!fed) return fed.error();
        if (auto committed = commit_when_due(); !committed) return committed;
        rest_after(processor_time() - begun);
        if (*fed) return {};
    }
    return {};
}

sdk::Result<void> Follower::feed_all() {
    auto spaces = log_.spaces(*engine_.snapshot());
    if (!spaces) return spaces.error();
    auto kept = feed_.keep_only(*spaces, [this] { return is_stopping_.load(); });
    if (!kept) return kept;
    for (const sdk::ContentSpace& space : *spaces) {
        if (auto fed = feed_one(space); !fed) return fed;
    }
    return {};
}

/// Until something is wanted, or it is time to write to disk; after a failure always a while. What
/// is wanted first waits for more of its kind.
bool Follower::rest(bool has_failed) {
    {
        std::unique_lock lock(mutex_);
        const auto is_over = [&] {
            return is_stopping_ || (!has_failed && (is_all_wanted_ || !wanted_.empty()));
        };
        called_.wait_for(lock, kCommitInterval, is_over);
    }
    pause(pace_.gathering);
    return !is_stopping_;
}

sdk::Result<void> Follower::feed_wanted() {
    bool is_all_wanted = false;
    std::set<sdk::ContentSpace> wanted;
    {
        const std::lock_guard lock(mutex_);
        is_all_wanted = std::exchange(is_all_wanted_, false);
        wanted = std::exchange(wanted_, {});
    }
    // Nothing escapes from a thread.
    try {
        sdk::Result<void> done;
        if (is_all_wanted) done = feed_all();
        for (auto space = wanted.begin(); done && space != wanted.end(); ++space)
            done = feed_one(*space);
        return done;
    } catch (const std::exception& exception) {
        return sdk::make_error(sdk::ErrorKind::internal, "node_search.feed_failed",
                               "the search index cannot be fed", exception.what());
    }
}

void Follower::run() {
    bool has_failed = false;
    std::string last_failure;
    do {
        sdk::Result<void> done = feed_wanted();
        // What came meanwhile is a matter of the next round.
        if (done) in_step_at_ = Clock::now();
        if (done) done = commit_when_due();
        has_failed = !done;
        const std::string failure =
            done ? std::string() : done.error().message + ": " + done.error().detail;
        // What goes on failing alike is told once.
        if (has_failed && failure != last_failure)
            sdk::log(sdk::LogLevel::warning, "node_search", failure);
        last_failure = failure;
        if (has_failed) {
            const std::lock_guard lock(mutex_);
            is_all_wanted_ = true;
        }
    } while (rest(has_failed));
    if (auto committed = feed_.commit(); !committed)
        sdk::log(sdk::LogLevel::warning, "node_search", committed.error().detail);
}

}  // namespace stele::node_search
