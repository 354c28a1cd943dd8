#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include <stele/sdk/engine.hpp>
#include <stele/sdk/services/jobs.hpp>

#include "kernel/job/job_record.hpp"
#include "kernel/job/job_signals.hpp"
#include "kernel/job/job_store.hpp"
#include "kernel/job/remaining_time.hpp"

namespace stele::kernel::job {

/// What the runner shares with the jobs that it runs.
struct JobSurroundings {
    sdk::Engine& engine;
    JobStore& store;
    JobSignals& signals;
    const std::atomic<bool>& is_stopping;
    const std::function<std::int64_t()>& clock;
    const MayAct* may_act = nullptr;  ///< null: whoever started the job
};

/// A claimed job, as its type's function sees it.
class RunningJob final : public sdk::Job {
public:
    static constexpr char kRefused[] = "The user who started the job is disabled.";

    /// `secret` is what the record has sealed.
    RunningJob(JobSurroundings surroundings, JobClaim claim, JobRecord record, std::string secret);

    const std::string& id() const override { return record_.id; }
    const sdk::PlatformScope& platform() const override { return record_.platform; }
    const sdk::Principal& run_as() const override { return record_.run_as; }
    const sdk::Json& input() const override { return record_.input; }
    const sdk::Json& hidden() const override { return record_.hidden; }
    const std::string& secret() const override { return secret_; }
    int attempt() const override { return record_.attempts; }
    bool must_stop() const override;
    sdk::Result<void> confirm(sdk::Transaction& transaction) const override;
    sdk::Result<void> finish(sdk::Transaction& transaction, const sdk::Json& result,
                             const std::vector<std::string>& log) const override;
    sdk::Result<void> progress(const sdk::JobProgress& progress) override;
    sdk::Result<void> log(sdk::JobLogLevel level, std::string_view message) override;

    /// How many attempts are used up, this one included.
    int used_attempts() const { return record_.used_attempts(); }
    /// Its runner has heard that the job is not, or was not for a while, this runner's.
    bool was_lost() const { return is_lost_; }
    /// Its runner has heard that whoever started the job may not act any more.
    bool was_refused() const { return is_refused_; }
    const std::string& type() const { return record_.type; }
    const JobClaim& claim() const { return claim_; }
    /// Writes the latest progress, as part of the job's end.
    sdk::Result<void> save_progress(sdk::Transaction& transaction) const;

private:
    sdk::Result<void> note_loss(sdk::Result<void> held) const;
    /// `forbidden` (`job.starter_disabled`) when whoever started the job may not act any more.
    sdk::Result<void> check_starter(const sdk::Reader& reader) const;

    JobSurroundings around_;
    JobClaim claim_;
    JobRecord record_;  // as claimed
    std::string secret_;
    sdk::JobProgress progress_;
    RemainingTime remaining_;
    std::int64_t progress_saved_ms_ = 0;
    mutable bool is_lost_ = false;
    mutable bool is_refused_ = false;
    mutable std::uint64_t checked_generation_ = 0;
    mutable std::int64_t checked_ms_ = 0;
};

}  // namespace stele::kernel::job
