#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include <stele/sdk/engine.hpp>
#include <stele/sdk/sealer.hpp>
#include <stele/sdk/services/jobs.hpp>

#include "kernel/job/job_signals.hpp"
#include "kernel/job/job_store.hpp"
#include "kernel/job/worker_pool.hpp"

namespace stele::kernel::job {

class RunningJob;

struct JobRunnerOptions {
    /// Names this process among the servers of the store; empty: host, process and a random part.
    std::string server;
    std::size_t threads = 3;
    /// What the system adds to the nice value of its threads (WorkerPoolOptions::nice). Nobody
    /// waits for a job as somebody waits for a reply: with five more, a thread of jobs has a third
    /// of what another one has, while both want a processor (docs/decisions/0168-jobs-give-way.md).
    int nice = 5;
    /// A server that has not been heard of for so long counts as dead.
    std::chrono::milliseconds lease{30'000};
    /// How often an idle server looks for work of dead servers.
    std::chrono::milliseconds period{5'000};
    /// How long jobs that have ended can be read.
    std::chrono::milliseconds retention{std::chrono::hours(24 * 30)};
    std::function<std::int64_t()> clock;  ///< epoch milliseconds; empty: the system's
    MayRun may_run;                       ///< empty: jobs of every platform do
    MayAct may_act;                       ///< empty: jobs of every principal go on
    /// Seals what jobs are started with; outlives the runner. Null: by a key that this runner alone
    /// has.
    const sdk::Sealer* sealer = nullptr;
};

/// Runs jobs on threads of its own, so that a worker may wait for one. Between two jobs it sleeps
/// until a commit brings a new one, or the time of one comes; the timer only serves what neither
/// announces.
class JobRunner {
public:
    JobRunner(sdk::Engine& engine, JobRunnerOptions options);
    ~JobRunner();

    /// Only before `start`. A duplicate name is a logic error, and so are two widths of a lane.
    void define(sdk::JobType type);
    /// Null when nobody defined it.
    const sdk::JobType* find_type(std::string_view name) const;

    void start();
    /// Asks running jobs to stop and waits for them; they go back to where another server finds
    /// them. May be repeated.
    void stop();

    /// One round, as the runner's thread does it: heartbeats, take-overs, then claims while there
    /// are free threads. Answers the number of jobs that were begun.
    sdk::Result<int> step();

    /// After a round that has begun all it could: how long nothing happens that no commit
    /// announces.
    std::chrono::milliseconds patience() const;

    std::int64_t now() const { return options_.clock(); }
    /// Of what jobs are started with.
    const sdk::Sealer& sealer() const { return options_.sealer ? *options_.sealer : own_sealer_; }
    JobSignals& signals() { return *signals_; }

private:
    void run_until_stopped();
    sdk::Result<void> renew_leases();
    sdk::Result<void> recover();
    sdk::Result<void> forget_ended();
    sdk::Result<bool> begin_one();
    bool has_free_thread() const;
    /// How many jobs of a lane may run at the same time; 0: as many as there are threads.
    std::size_t width_of(std::string_view lane) const;
    bool has_room(std::string_view lane) const;
    void run(const JobClaim& claim);
    sdk::Result<sdk::Json> call(RunningJob& job, const std::string& type);
    void settle(RunningJob& job, const sdk::Result<sdk::Json>& result);

    sdk::Engine& engine_;
    JobRunnerOptions options_;
    sdk::Sealer own_sealer_;
    JobStore store_;
    std::map<std::string, sdk::JobType, std::less<>> types_;
    std::map<std::string, std::size_t, std::less<>> widths_;  // of lanes
    /// Whose turn was last, by lane. Of the thread that takes jobs.
    std::map<std::string, std::string, std::less<>> last_starters_;
    std::optional<std::string> last_lane_;
    // Shared with the engine, whose observers outlive this object.
    std::shared_ptr<JobSignals> signals_;
    std::atomic<bool> is_stopping_ = false;
    std::int64_t next_renewal_ms_ = 0;
    std::int64_t next_recovery_ms_ = 0;
    std::int64_t next_forgetting_ms_ = 0;
    /// When the first of the jobs is due that were not in the last round.
    std::optional<std::int64_t> next_due_ms_;

    mutable std::mutex mutex_;
    std::map<std::string, JobClaim> active_;  // by id

    WorkerPool pool_;
    std::thread thread_;
};

}  // namespace stele::kernel::job
