#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include <stele/sdk/engine.hpp>
#include <stele/sdk/optimistic/commit_history.hpp>
#include <stele/sdk/optimistic/read_set.hpp>

#include "pool.hpp"

namespace stele::storage_postgres {

/// A state of the store: everything up to a version. Former values that it needs are kept while the
/// pin lives.
using View = std::shared_ptr<const sdk::optimistic::VersionPin>;

/// The keys of a commit as the log has them.
std::string encode_keys(const std::vector<std::string_view>& keys);
/// Valid as long as the bytes.
std::vector<std::string_view> decode_keys(std::string_view bytes);

/// What this process knows of the commits of all servers, in their order: for each version the
/// observers are told, then readers may begin at it. Any thread.
///
/// When the store turns out to have another past than the one that this process saw, because a
/// database took over that lacks the last commits, nothing that this process remembers is worth
/// anything: from then on everything fails, until the process starts anew.
class ChangeFeed {
public:
    explicit ChangeFeed(Pool& pool);

    /// Before anything else: everything up to `version` counts as known.
    void begin_at(std::uint64_t version);
    /// A view that shows everything that was committed before the call, anywhere.
    sdk::Result<View> present();
    /// The version that everything is known of.
    std::uint64_t version() const { return known_version_; }
    /// Fails when the store has another past.
    sdk::Result<void> status() const;
    void observe(std::string prefix, sdk::CommitObserver observer);

    /// Takes in the answer of `read_log`, which was asked for what came after `known`.
    sdk::Result<void> apply_log(const Rows& rows, std::uint64_t known);
    /// Takes in a commit of this process.
    void apply(std::uint64_t version, std::string_view batch,
               const std::vector<std::string_view>& keys);
    /// Whether something of what was read at `view` has been written since.
    bool has_conflict(const sdk::optimistic::ReadSet& reads, const View& view);

    /// The lowest version that a living view has.
    std::uint64_t oldest_view();

private:
    struct Observer {
        std::string prefix;
        sdk::CommitObserver call;
    };

    sdk::Result<void> catch_up();
    bool has_known_past(const Rows& rows, std::uint64_t known) const;
    void take_in(std::uint64_t version, std::string_view batch,
                 const std::vector<std::string_view>& keys);
    void lose_track(std::uint64_t version);
    void tell_everything();
    void publish(std::uint64_t version);
    void call_observers(const std::vector<std::string_view>& keys);

    Pool& pool_;

    /// A few ask the database, for all who wait.
    std::mutex turn_;
    std::condition_variable turned_;
    std::uint64_t asked_ = 0;
    std::uint64_t served_ = 0;
    int asking_ = 0;

    /// Held while commits are taken in, observers included.
    std::mutex applying_;
    std::vector<Observer> observers_;
    sdk::optimistic::CommitHistory history_;
    /// Batches of the latest versions, by which their past is known again.
    std::deque<std::pair<std::uint64_t, std::string>> batches_;
    std::vector<std::string_view> observed_keys_;

    std::atomic<std::uint64_t> known_version_ = 0;
    std::atomic<bool> has_other_past_ = false;
    mutable std::mutex presenting_;
    View present_;
    std::deque<std::pair<std::uint64_t, std::weak_ptr<const sdk::optimistic::VersionPin>>> pins_;
};

}  // namespace stele::storage_postgres
