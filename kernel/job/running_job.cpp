#include "kernel/job/running_job.hpp"

#include <utility>

namespace stele::kernel::job {

namespace {

// Kills on this server are heard of at once; those on others are looked for once a second.
constexpr std::int64_t kCheckMs = 1000;
constexpr std::int64_t kProgressMs = 1000;

}  // namespace

RunningJob::RunningJob(JobSurroundings surroundings, JobClaim claim, JobRecord record)
    : around_(surroundings),
      claim_(std::move(claim)),
      record_(std::move(record)),
      done_(record_.done),
      total_(record_.total) {}

bool RunningJob::must_stop() const {
    if (is_lost_ || around_.is_stopping) return true;
    const std::uint64_t generation = around_.signals.generation();
    const std::int64_t now = around_.clock();
    if (generation == checked_generation_ && now - checked_ms_ < kCheckMs) return false;
    checked_generation_ = generation;
    checked_ms_ = now;
    // A store that cannot be read takes nothing away: the commits of the runner will tell.
    (void)note_loss(around_.store.confirm(*around_.engine.snapshot(), claim_));
    return is_lost_;
}

sdk::Result<void> RunningJob::confirm(sdk::Transaction& transaction) const {
    return note_loss(around_.store.confirm(transaction, claim_));
}

sdk::Result<void> RunningJob::note_loss(sdk::Result<void> held) const {
    if (!held && held.error().code == "job.lost") is_lost_ = true;
    return held;
}

sdk::Result<void> RunningJob::progress(std::uint64_t done, std::uint64_t total) {
    done_ = done;
    total_ = total;
    const std::int64_t now = around_.clock();
    if (now - progress_saved_ms_ < kProgressMs) return {};
    progress_saved_ms_ = now;
    return sdk::write_with_retry(around_.engine, [this](sdk::Transaction& transaction) {
        return save_progress(transaction);
    });
}

sdk::Result<void> RunningJob::log(sdk::JobLogLevel level, std::string_view message) {
    return sdk::write_with_retry(around_.engine, [&](sdk::Transaction& transaction) {
        const std::int64_t now = around_.clock();
        return around_.store.edit(
            transaction, claim_, [&](JobRecord& record) { record.add_log(now, level, message); },
            now);
    });
}

sdk::Result<void> RunningJob::save_progress(sdk::Transaction& transaction) {
    return around_.store.edit(
        transaction, claim_,
        [this](JobRecord& record) {
            record.done = done_;
            record.total = total_;
        },
        around_.clock());
}

}  // namespace stele::kernel::job
