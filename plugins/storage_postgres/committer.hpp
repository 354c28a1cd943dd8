#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <stele/sdk/engine.hpp>
#include <stele/sdk/optimistic/read_set.hpp>
#include <stele/sdk/optimistic/write_set.hpp>

#include "batch.hpp"
#include "change_feed.hpp"
#include "entry_cache.hpp"
#include "pool.hpp"

namespace stele::storage_postgres {

/// A transaction that waits for its commit; it belongs to the transaction.
struct PendingCommit {
    const sdk::optimistic::WriteSet* writes = nullptr;
    const sdk::optimistic::ReadSet* reads = nullptr;
    View view;
    sdk::Transaction::Done done;
    sdk::Result<void> outcome;
    sdk::optimistic::Stamps stamps;
};

/// The thread that commits: takes all waiting transactions, refuses those that read what has
/// changed since, and writes the others as the next version (docs/decisions tells why so). While no
/// other server commits and the counters are in the cache, that is one round trip, which stores
/// nothing when the store has gone on; otherwise the first of two takes the store's lock and reads.
class Committer {
public:
    Committer(Pool& pool, ChangeFeed& feed, EntryCache& cache);
    /// Commits what waits, then ends.
    ~Committer();

    void submit(PendingCommit& commit);

private:
    using Commits = std::vector<PendingCommit*>;

    static constexpr std::size_t kMaxBatchBytes = 8 * 1024 * 1024;

    /// What became of an attempt to write a batch.
    enum class Attempt {
        settled,  ///< every outcome is known
        again,    ///< nothing was stored; the database may be back
        refused,  ///< nothing was stored; one of the transactions may be to blame
        unknown,  ///< sent, but not answered
    };

    void run();
    void commit_batch(const Commits& commits);
    /// Writes or refuses all of them.
    void settle(const Commits& commits);
    Attempt attempt(Connection& connection, const Commits& commits, Deadline deadline);
    /// In one round trip; nothing when it took more, and nothing is stored.
    std::optional<Attempt> attempt_at_once(Connection& connection, const Commits& commits,
                                           Deadline deadline);
    /// Forgets what was tried before.
    void begin_batch(const Commits& commits);
    /// Whether the cache has all the counters.
    bool find_counters(const Commits& commits, std::uint64_t version);
    Attempt attempt_under_lock(Connection& connection, const Commits& commits, Deadline deadline);
    /// What became of it when the connection did not break.
    Attempt refused(const sdk::Error& error);
    sdk::Result<void> take_lock(Connection& connection, const Commits& commits, Deadline deadline);
    std::size_t admit(const Commits& commits);
    /// A new id for what is written next.
    void announce(std::uint64_t version);
    sdk::Result<void> write(Connection& connection, std::uint64_t version, Deadline deadline);
    /// Whether the batch that was sent last is stored; keeps asking until that is known.
    sdk::Result<bool> find_out(Deadline deadline);

    Pool& pool_;
    ChangeFeed& feed_;
    EntryCache& cache_;

    std::mutex mutex_;
    std::condition_variable arrived_;
    Commits queue_;
    bool is_stopping_ = false;

    // The rest belongs to the thread.
    Pool::Lease connection_;
    sdk::Error last_failure_;
    Batch batch_;
    /// So many batches are not tried in one round trip: another server is committing.
    int rivalled_ = 0;
    std::uint64_t sent_version_ = 0;
    std::string sent_batch_;
    std::thread thread_;
};

}  // namespace stele::storage_postgres
