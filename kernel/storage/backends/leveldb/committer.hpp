#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <leveldb/write_batch.h>

#include <stele/sdk/engine.hpp>
#include <stele/sdk/optimistic/commit_history.hpp>
#include <stele/sdk/optimistic/read_set.hpp>
#include <stele/sdk/optimistic/write_set.hpp>

#include "kernel/storage/backends/leveldb/counter_cache.hpp"
#include "kernel/storage/backends/leveldb/disk_guard.hpp"
#include "kernel/storage/backends/leveldb/merge_room.hpp"
#include "kernel/storage/backends/leveldb/removed_keys.hpp"
#include "kernel/storage/backends/leveldb/reopenable_database.hpp"
#include "kernel/storage/backends/leveldb/snapshot.hpp"
#include "kernel/storage/backends/leveldb/write_failure.hpp"

namespace stele::kernel::storage {

using sdk::optimistic::CommitHistory;
using sdk::optimistic::ReadSet;
using sdk::optimistic::WriteSet;

/// A transaction that waits for its commit; it belongs to the transaction.
struct PendingCommit {
    const WriteSet* writes = nullptr;
    const ReadSet* reads = nullptr;
    std::uint64_t read_version = 0;
    /// May use what is held back on the disk.
    bool is_urgent = false;
    /// Nobody else reads or writes what it writes (`sdk::UncheckedWrites`).
    bool is_unchecked = false;
    /// No commit: only whether its reads still hold.
    bool is_question = false;
    sdk::Transaction::Done done;
    sdk::Result<void> outcome;
    sdk::optimistic::Stamps stamps;
};

/// The thread that commits: takes all waiting transactions, refuses those that read what has
/// changed since, and writes the others as one synced batch. They become visible together.
class Committer {
public:
    Committer(ReopenableDatabase& database, RowCache& rows, DamageNotes& damage,
              PresentState& present, DiskGuard disk, const MergeSizes& sizes, bool is_durable,
              std::size_t history_bytes);
    /// Commits what waits, then ends.
    ~Committer();

    void submit(PendingCommit& commit);
    PresentState::View present() const { return present_.view(); }
    /// How much was ever added to the history of commits. Any thread.
    std::uint64_t history_grown() const { return history_grown_; }
    /// Whether so much was added since then that a transaction which has begun then may soon be too
    /// old for the history. What older ones keep there is nothing to it. Any thread.
    bool is_history_long(std::uint64_t since) const {
        return history_grown_ - since > most_history_bytes_ / 4;
    }
    void observe(std::string prefix, sdk::CommitObserver observer);
    /// Success while commits can be written. Any thread.
    sdk::Result<void> status() const;
    RemovedKeys& removed_keys() { return removed_; }
    MergeRoom& merge_room() { return merge_room_; }
    const MergeRoom& merge_room() const { return merge_room_; }

private:
    /// Batches are bounded so that a huge transaction does not hold up too many others.
    static constexpr std::size_t kMaxBatchBytes = 8 * 1024 * 1024;
    static constexpr std::size_t kMaxKeptBytes = 2 * kMaxBatchBytes;

    struct Observer {
        std::string prefix;
        sdk::CommitObserver call;
    };

    void run();
    /// Commits transactions from number `first` on; answers the first that is left for the next
    /// batch.
    std::size_t commit_batch(std::size_t first);
    bool needs_new_batch(const WriteSet& writes) const;
    sdk::Result<void> admit(PendingCommit& commit);
    sdk::Result<void> answer(const PendingCommit& question);
    /// Whether the counters stay within the bounds of `add_within`. They must be loaded.
    bool fits_bounds(const WriteSet& writes) const;
    sdk::Result<void> load_counters(const WriteSet& writes);
    sdk::Result<void> remove_ranges(const PendingCommit& commit);
    bool fits_disk(const PendingCommit& commit);
    void append_remove(std::string_view key, std::uint64_t hash);
    void append_unchecked(const WriteSet& writes);
    void give_stamps(PendingCommit& commit) const;
    void append(const PendingCommit& commit);
    void append_put(std::string_view key, std::string_view value, std::uint64_t hash);
    sdk::Result<void> write_batch();
    /// Shows the batch to new readers, once nobody can take a row from before it for present.
    void publish();
    void call_observers(bool is_everything);
    /// After a failed write, when it is time: all that is known of the store is forgotten, because
    /// what failed may be stored or not.
    void reopen();
    void note_failure(const std::string& reason);

    ReopenableDatabase& database_;
    RowCache& rows_;
    DamageNotes& damage_;
    PresentState& present_;
    DiskGuard disk_;
    bool is_durable_;
    RemovedKeys removed_;
    MergeRoom merge_room_;

    std::mutex mutex_;
    std::condition_variable arrived_;
    std::vector<PendingCommit*> queue_;
    bool is_stopping_ = false;

    const std::size_t most_history_bytes_;
    std::atomic<std::uint64_t> history_grown_ = 0;

    std::mutex observers_mutex_;
    std::vector<Observer> observers_;

    // The rest belongs to the thread.
    CommitHistory history_;
    CounterCache counters_;
    leveldb::WriteBatch batch_;
    std::vector<PendingCommit*> waiting_;
    std::string stamped_key_;
    std::string stamped_value_;
    std::vector<std::string_view> written_keys_;
    /// Of the present batch.
    std::vector<const WriteSet*> unchecked_;
    std::vector<std::string_view> observed_keys_;
    std::uint64_t version_ = 0;
    std::size_t accepted_ = 0;  ///< transactions in the present batch
    WriteFailure failure_;
    std::thread thread_;
};

}  // namespace stele::kernel::storage
