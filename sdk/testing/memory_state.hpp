#pragma once

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "sdk/testing/memory_engine.hpp"

namespace stele::sdk::testing {

/// What a transaction wants to change. Removed ranges come first, then the writes and additions:
/// what was written before a range was removed is no longer among them.
struct PendingWrites {
    std::vector<KeyRange> removed_ranges;
    std::map<std::string, std::optional<std::string>, std::less<>> writes;
    std::map<std::string, std::int64_t, std::less<>> additions;

    bool is_empty() const { return removed_ranges.empty() && writes.empty() && additions.empty(); }
};

/// What must not have changed since the snapshot.
struct ReadSet {
    std::set<std::string, std::less<>> keys;
    std::vector<KeyRange> ranges;
};

struct PendingCommit {
    std::uint64_t snapshot;
    const PendingWrites* writes;
    const ReadSet* reads;
    Transaction::Done done;
};

bool is_inside(const KeyRange& range, std::string_view key);

struct MemoryEngine::State {
    struct Version {
        std::uint64_t number;
        std::optional<std::string> value;
    };
    using Versions = std::vector<Version>;  // oldest first, never empty

    State();
    ~State();

    /// Registers a snapshot of the latest state.
    std::uint64_t open_snapshot();
    void close_snapshot(std::uint64_t number);

    std::optional<std::string> get(std::string_view key, std::uint64_t snapshot) const;
    /// The first key of the range in scan direction that has a value in the snapshot or ever had.
    std::optional<std::string> first_key(const KeyRange& range, ScanDirection direction) const;
    std::uint64_t size_of(const KeyRange& range) const;
    void enqueue(PendingCommit commit);

    mutable std::mutex mutex;
    std::vector<std::pair<std::string, CommitObserver>> observers;
    int refusals = 0;
    Error refusal;
    std::uint64_t begun = 0;

private:
    void run();
    Result<void> apply(const PendingCommit& commit);
    bool is_still_valid(const PendingCommit& commit) const;
    std::vector<std::string> store(const PendingWrites& writes);
    void set(const std::string& key, std::optional<std::string> value);
    /// Forgets keys that no snapshot shows any more.
    void forget_removed();
    /// The oldest state that somebody may still look at.
    std::uint64_t oldest() const { return snapshots_.empty() ? version_ : *snapshots_.begin(); }
    std::optional<std::string> latest(std::string_view key) const;
    void notify(const std::vector<std::string>& changed) const;

    std::map<std::string, Versions, std::less<>> entries_;
    /// Keys that were removed, in this order, and with which version.
    std::deque<std::pair<std::uint64_t, std::string>> removed_;
    std::multiset<std::uint64_t> snapshots_;
    std::uint64_t version_ = 0;

    std::condition_variable changed_;
    std::deque<PendingCommit> queue_;
    bool is_ending_ = false;
    std::thread committer_;
};

}  // namespace stele::sdk::testing
