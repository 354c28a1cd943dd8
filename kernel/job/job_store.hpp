#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <stele/sdk/engine.hpp>
#include <stele/sdk/services/jobs.hpp>

#include "kernel/job/job_queue.hpp"

namespace stele::kernel::job {

struct JobRecord;

/// The right to run a job, as given by `claim`. It ends when the job is killed or taken over.
struct JobClaim {
    std::uint64_t platform = 0;
    std::string id;
    std::string token;
    std::string lane = {};
    /// The key of whoever started it.
    std::string starter = {};
};

/// Whether jobs of a platform may run, as the reader sees it.
using MayRun = std::function<sdk::Result<bool>(const sdk::Reader&, std::uint64_t platform)>;
/// Whether what a principal started may go on, as the reader sees it.
using MayAct = std::function<sdk::Result<bool>(const sdk::Reader&, const sdk::RecordKey& starter)>;

/// Jobs in the store and the ways from one state to the next. Everything happens in the given
/// transaction; `now` is epoch milliseconds. Any thread.
class JobStore {
public:
    /// Without `may_run` jobs of every platform do.
    explicit JobStore(MayRun may_run = {}) : may_run_(std::move(may_run)) {}

    sdk::Result<bool> may_run(const sdk::Reader& reader, std::uint64_t platform) const;

    /// Stores a new job, NONE or WAITING by its due time.
    sdk::Result<void> insert(sdk::Transaction& transaction, JobRecord& record, std::int64_t now);

    /// `not_found` (`job.unknown`).
    sdk::Result<JobRecord> read(const sdk::Reader& reader, std::uint64_t platform,
                                std::string_view id) const;
    /// Jobs in these states, all when empty, oldest first, until `visit` answers false.
    sdk::Result<void> for_each(const sdk::Reader& reader, std::uint64_t platform,
                               const std::vector<sdk::JobState>& states,
                               const std::function<bool(const JobRecord&)>& visit) const;

    sdk::Result<void> kill(sdk::Transaction& transaction, std::uint64_t platform,
                           std::string_view id, std::string_view by, std::int64_t now);

    /// Takes the job that is next (`next_job`) of those that may run for `server`, until
    /// `lease_end`. Those on the way that may not are put to rest, so that nobody meets them again
    /// before `wake`. Many of them take several calls; the commit of each tells the observers.
    sdk::Result<std::optional<JobClaim>> claim(sdk::Transaction& transaction,
                                               const std::string& server, const JobWishes& wishes,
                                               std::int64_t now, std::int64_t lease_end);
    /// Queues resting jobs whose platform is open again, at most a hundred. Answers how many.
    sdk::Result<int> wake(sdk::Transaction& transaction, std::int64_t now);
    /// `conflict` (`job.lost`) when the claim has ended or jobs of the platform may not run. Part
    /// of what the transaction has read.
    sdk::Result<void> confirm(const sdk::Reader& reader, const JobClaim& claim) const;
    /// The heartbeat.
    sdk::Result<void> renew(sdk::Transaction& transaction, const JobClaim& claim,
                            std::int64_t lease_end);
    /// Edits a job that is held.
    sdk::Result<void> edit(sdk::Transaction& transaction, const JobClaim& claim,
                           const std::function<void(JobRecord&)>& change, std::int64_t now);

    /// How far it is, of a job that is held; no conflict for a transaction that will end it.
    sdk::Result<void> save_progress(sdk::Transaction& transaction, const JobClaim& claim,
                                    const sdk::JobProgress& progress, std::uint64_t remaining_ms);
    /// With lines that are added to its log.
    sdk::Result<void> finish(sdk::Transaction& transaction, const JobClaim& claim,
                             const sdk::Json& result, const std::vector<std::string>& log,
                             std::int64_t now);
    sdk::Result<void> fail(sdk::Transaction& transaction, const JobClaim& claim,
                           std::string_view message, std::int64_t now);
    /// Lets the job run again at `due`, AWAITING until then; fails it when no attempt is left.
    sdk::Result<void> repeat(sdk::Transaction& transaction, const JobClaim& claim,
                             std::string_view message, std::int64_t due, std::int64_t now);
    /// Gives the job back unfinished, because of what `message` tells; the attempt does not count.
    /// A job that must not be repeated fails.
    sdk::Result<void> give_back(sdk::Transaction& transaction, const JobClaim& claim,
                                std::string_view message, std::int64_t now);

    /// Jobs whose lease has run out wait again, or fail when no attempt is left. Answers how many.
    sdk::Result<int> recover(sdk::Transaction& transaction, std::int64_t now);
    /// Forgets at most `most` jobs that ended before `ms`. Answers how many.
    sdk::Result<int> forget_ended(sdk::Transaction& transaction, std::int64_t ms, int most);
    /// Forgets at most `most` jobs of a platform that was removed, whatever their state; who runs
    /// one has lost it. Answers how many.
    sdk::Result<int> forget_platform(sdk::Transaction& transaction, std::uint64_t platform,
                                     int most);

private:
    static sdk::Result<void> read_progress(const sdk::Reader& reader, JobRecord& record);
    /// `conflict` (`job.lost`) when the claim has ended.
    sdk::Result<void> check_owner(const sdk::Reader& reader, const JobClaim& claim) const;
    /// Edits a job to which an entry of the queue, or of those that rest, leads. A record that is
    /// gone takes the entry along; answers nothing then.
    sdk::Result<std::optional<JobRecord>> edit_queued(sdk::Transaction& transaction,
                                                      std::string_view key, std::uint64_t platform,
                                                      const std::function<void(JobRecord&)>& change,
                                                      std::int64_t now);
    sdk::Result<void> rest(sdk::Transaction& transaction,
                           const std::vector<std::pair<std::string, std::uint64_t>>& entries,
                           std::int64_t now);
    sdk::Result<JobRecord> read_held(const sdk::Reader& reader, const JobClaim& claim) const;
    void write(sdk::Transaction& transaction, const JobRecord* before, JobRecord& after,
               std::int64_t now);

    MayRun may_run_;
};

}  // namespace stele::kernel::job
