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

#include "batch.hpp"
#include "entry_cache.hpp"
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
    /// `cache` is kept as the versions have it.
    ChangeFeed(Pool& pool, EntryCache& cache);

    /// Before anything else: everything up to `version` counts as known.
    void begin_at(std::uint64_t version);
    /// A view that shows everything that was committed before the call, anywhere.
    sdk::Result<View> present();
    /// How often that was asked for.
    std::uint64_t asked();
    /// The version that everything is known of.
    std::uint64_t version() const { return known_version_; }
    /// That version, and the id of its batch, which is empty when not known.
    struct Latest {
        std::uint64_t version;
        std::string batch;
    };
    Latest latest();
    /// Fails when the store has another past.
    sdk::Result<void> status() const;
    void observe(std::string prefix, sdk::CommitObserver observer);

    /// Takes in the answer of `read_log`, which was asked for what came after `known`.
    sdk::Result<void> apply_log(const Rows& rows, std::uint64_t known);
    /// Before a commit of this process may be seen in the log: what it writes. Both stay as they
    /// are until the next one is announced, or nothing.
    void announce(std::string_view batch, const Batch* writes);
    /// Takes in the commit that was announced.
    void apply(std::uint64_t version);
    /// What a reader has found at its view goes into the cache, unless it was written since.
    void remember(sdk::KeyRange range, std::vector<Entry> entries, const View& view);
    void remember(std::string_view key, std::optional<std::string_view> value, const View& view);
    /// Whether something of what was read at `view` has been written since.
    bool has_conflict(const sdk::optimistic::ReadSet& reads, const View& view);

    /// The lowest version that a living view has.
    std::uint64_t oldest_view();

private:
    bool may_remember(const sdk::optimistic::ReadSet& read, std::uint64_t seen_at);
    struct Observer {
        std::string prefix;
        sdk::CommitObserver call;
    };

    sdk::Result<void> catch_up();
    bool has_known_past(const Rows& rows, std::uint64_t known) const;
    void take_in(std::uint64_t version, std::string_view batch,
                 const std::vector<std::string_view>& keys);
    void write_cache(std::uint64_t version, const std::vector<std::string_view>& keys,
                     const Batch* writes);
    void lose_track(std::uint64_t version);
    void tell_everything();
    void publish(std::uint64_t version);
    void call_observers(const std::vector<std::string_view>& keys);

    Pool& pool_;
    EntryCache& cache_;

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
    std::string_view announced_batch_;
    const Batch* announced_writes_ = nullptr;

    std::atomic<std::uint64_t> known_version_ = 0;
    std::atomic<bool> has_other_past_ = false;
    mutable std::mutex presenting_;
    View present_;
    std::deque<std::pair<std::uint64_t, std::weak_ptr<const sdk::optimistic::VersionPin>>> pins_;
};

}  // namespace stele::storage_postgres
