#include "follower.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <stele/sdk/key_tuple.hpp>
#include <stele/sdk/log.hpp>

#include "copy_rows.hpp"
#include "rule_marks.hpp"

namespace stele::node_rules {

namespace {

/// After a failure.
constexpr std::chrono::seconds kPause(5);
/// Versions that are looked at before jobs are started; whole changesets only.
constexpr std::size_t kVersionsAtOnce = 2000;
/// How long changesets of one repository are looked at while others wait.
constexpr std::chrono::milliseconds kTurn(200);
/// Changesets that are looked at a second time, at most, when a server has died. Each mark is a
/// write.
constexpr std::uint64_t kUnmarked = 1000;
/// Repositories in one transaction.
constexpr std::size_t kMarksAtOnce = 200;

}  // namespace

Follower::Follower(const RuleServices& services)
    : services_(services),
      book_(services),
      starts_(services, [this](const std::string& line) { book_.tell_once(line); }) {}

std::optional<sdk::ContentSpace> Follower::space_of(std::string_view key) {
    const auto platform = sdk::KeyReader(key).integer();
    if (!platform) return std::nullopt;
    // Most keys of a commit lie on one platform.
    if (platform != noticed_platform_) {
        noticed_prefix_ = services_.log.watched_prefix(*platform);
        noticed_platform_ = platform;
    }
    if (!key.starts_with(noticed_prefix_)) return std::nullopt;
    const auto repository = sdk::KeyReader(key.substr(noticed_prefix_.size())).integer();
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
    begin_locked();
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

sdk::Result<Follower::Position*> Follower::position(const sdk::Reader& reader,
                                                    const sdk::ContentSpace& space) {
    const auto known = positions_.find(space);
    if (known != positions_.end()) return &known->second;
    auto mark = marks::read(reader, space);
    if (!mark) return mark.error();
    return &(positions_[space] = {*mark, *mark});
}

sdk::Result<std::uint64_t> Follower::gather(const sdk::Reader& reader,
                                            const sdk::PlatformScope& platform,
                                            const sdk::ContentSpace& space, std::uint64_t newest,
                                            AllTouches& touches) {
    const std::uint64_t begin = positions_[space].revision;
    book_.begin(space, begin);
    RuleBook::Changeset changeset{.platform = platform, .space = space};
    const Clock::time_point end = Clock::now() + kTurn;
    std::uint64_t through = begin;
    std::size_t versions = 0;
    bool is_cut_short = false;
    sdk::Result<void> looked;
    const auto end_changeset = [&]() -> sdk::Result<void> {
        if (changeset.revision == 0) return {};
        auto added = book_.add_touches(reader, changeset, touches);
        if (added) through = changeset.revision;
        return added;
    };
    const auto visit = [&](const sdk::ContentVersion& version) {
        if (version.revision != changeset.revision) {
            looked = end_changeset();
            is_cut_short = is_stopping_ || versions >= kVersionsAtOnce ||
                           (changeset.revision != 0 && Clock::now() >= end);
            if (!looked || is_cut_short) return false;
            changeset.begin(version);
        }
        ++versions;
        changeset.add(version);
        return true;
    };
    auto read = services_.log.for_each_after(reader, space, begin, visit);
    if (!read) return read.error();
    if (!looked) return looked.error();
    if (is_cut_short) return through;
    if (auto ended = end_changeset(); !ended) return ended.error();
    return newest;
}

sdk::Result<bool> Follower::follow(const sdk::ContentSpace& space) {
    const auto reader = services_.registrar.engine().snapshot();
    auto newest = services_.log.newest(*reader, space);
    if (!newest) return newest.error();
    auto position = this->position(*reader, space);
    if (!position) return position.error();
    if ((*position)->revision >= *newest) return true;
    auto platform = services_.registrar.find_platform(space.platform);
    // What is closed waits until something is written there again.
    if (!platform && sdk::is_missing(platform.error())) return true;
    if (!platform) return platform.error();
    AllTouches touches;
    auto through = gather(*reader, *platform, space, *newest, touches);
    if (!through) return through.error();
    starts_.begin();
    for (const auto& [rule, touched] : touches) {
        auto started = starts_.start(*platform, space, rule, touched);
        if (!started) return started.error();
    }
    (*position)->revision = *through;
    if ((*position)->revision - (*position)->marked >= kUnmarked) {
        if (auto marked = mark(kUnmarked); !marked) return marked.error();
    }
    return *through == *newest;
}

sdk::Result<void> Follower::mark(std::uint64_t least) {
    std::vector<std::pair<sdk::ContentSpace, Position*>> behind;
    for (auto& [space, position] : positions_) {
        if (position.revision - position.marked >= least) behind.emplace_back(space, &position);
    }
    for (std::size_t first = 0; first < behind.size(); first += kMarksAtOnce) {
        const std::size_t end = std::min(behind.size(), first + kMarksAtOnce);
        auto marked = sdk::write_with_retry(
            services_.registrar.engine(), [&](sdk::Transaction& transaction) -> sdk::Result<void> {
                for (std::size_t i = first; i < end; ++i) {
                    const auto& [space, position] = behind[i];
                    auto moved = marks::advance(transaction, space, position->revision);
                    if (!moved) return moved;
                }
                return {};
            });
        if (!marked) return marked;
        for (std::size_t i = first; i < end; ++i)
            behind[i].second->marked = behind[i].second->revision;
    }
    return {};
}

/// All repositories; what is kept of others goes.
sdk::Result<void> Follower::find_spaces(std::set<sdk::ContentSpace>& wanted) {
    sdk::Engine& engine = services_.registrar.engine();
    auto spaces = services_.log.spaces(*engine.snapshot());
    if (!spaces) return spaces.error();
    std::set<std::uint64_t> platforms;
    for (const sdk::ContentSpace& space : *spaces) {
        wanted.insert(space);
        platforms.insert(space.platform);
    }
    for (const std::uint64_t platform : platforms) {
        for (const char* const key_space : {kMarkSpace, kCopySpace, kWaveSpace}) {
            auto forgotten = forget_others(engine, platform, key_space, *spaces);
            if (!forgotten) return forgotten;
        }
    }
    return {};
}

sdk::Result<void> Follower::follow_wanted() {
    bool is_all_wanted = false;
    std::set<sdk::ContentSpace> wanted;
    {
        const std::lock_guard lock(mutex_);
        is_all_wanted = std::exchange(is_all_wanted_, false);
        wanted = std::exchange(wanted_, {});
    }
    if (Clock::now() >= again_at_) {
        is_all_wanted = std::exchange(is_all_failed_, false) || is_all_wanted;
        wanted.merge(failed_);
        failed_.clear();
    }
    sdk::Result<void> failure;
    if (is_all_wanted) failure = find_spaces(wanted);
    is_all_failed_ = is_all_failed_ || !failure;
    // One turn for each: neither one in trouble nor one that is written to without an end keeps
    // another one waiting for more.
    std::set<sdk::ContentSpace> unfinished;
    for (const sdk::ContentSpace& space : wanted) {
        if (is_stopping_) break;
        if (failed_.contains(space)) continue;
        auto followed = follow(space);
        if (followed) {
            if (!*followed) unfinished.insert(space);
            continue;
        }
        failed_.insert(space);
        if (failure) failure = followed.error();
    }
    if (!failure) again_at_ = Clock::now() + kPause;
    const std::lock_guard lock(mutex_);
    wanted_.merge(unfinished);
    return failure;
}

/// Until something is wanted, or what has failed is due again.
bool Follower::rest() {
    std::unique_lock lock(mutex_);
    const auto is_called = [this] { return is_stopping_ || is_all_wanted_ || !wanted_.empty(); };
    if (is_all_failed_ || !failed_.empty()) {
        called_.wait_until(lock, again_at_, is_called);
    } else {
        called_.wait(lock, is_called);
    }
    return !is_stopping_;
}

void Follower::run() {
    std::string last_failure;
    do {
        // Nothing escapes from a thread.
        std::string failure;
        try {
            if (auto done = follow_wanted(); !done)
                failure = fmt::format("{}: {}", done.error().message, done.error().detail);
        } catch (const std::exception& exception) {
            failure = exception.what();
            is_all_failed_ = true;
            again_at_ = Clock::now() + kPause;
        }
        // What goes on failing alike is told once.
        if (!failure.empty() && failure != last_failure) {
            sdk::log(sdk::LogLevel::warning, "node_rules",
                     "rules wait, what was written cannot be looked at: " + failure);
        }
        if (failed_.empty() || !failure.empty()) last_failure = failure;
    } while (rest());
    if (auto marked = mark(1); !marked)
        sdk::log(sdk::LogLevel::warning, "node_rules", marked.error().message);
}

}  // namespace stele::node_rules
