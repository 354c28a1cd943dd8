#include "kernel/job/running_job.hpp"

#include <utility>

namespace stele::kernel::job {

namespace {

// Kills on this server are heard of at once; those on others are looked for once a second.
constexpr std::int64_t kCheckMs = 1000;
constexpr std::int64_t kProgressMs = 1000;

}  // namespace

RunningJob::RunningJob(JobSurroundings surroundings, JobClaim claim, JobRecord record,
                       std::string secret)
    : around_(surroundings),
      claim_(std::move(claim)),
      record_(std::move(record)),
      secret_(std::move(secret)),
      progress_(record_.progress) {}

bool RunningJob::must_stop() const {
    if (is_lost_ || is_refused_ || around_.is_stopping) return true;
    const std::uint64_t generation = around_.signals.generation();
    const std::int64_t now = around_.clock();
    if (generation == checked_generation_ && now - checked_ms_ < kCheckMs) return false;
    checked_generation_ = generation;
    checked_ms_ = now;
    // A store that cannot be read takes nothing away: the commits of the runner will tell.
    const auto store = around_.engine.snapshot();
    (void)note_loss(around_.store.confirm(*store, claim_));
    (void)check_starter(*store);
    return is_lost_ || is_refused_;
}

sdk::Result<void> RunningJob::confirm(sdk::Transaction& transaction) const {
    if (auto held = note_loss(around_.store.confirm(transaction, claim_)); !held) return held;
    return check_starter(transaction);
}

sdk::Result<void> RunningJob::finish(sdk::Transaction& transaction, const sdk::Json& result,
                                     const std::vector<std::string>& log) const {
    if (auto held = confirm(transaction); !held) return held;
    if (auto saved = save_progress(transaction); !saved) return saved;
    return around_.store.finish(transaction, claim_, result, log, around_.clock());
}

sdk::Result<void> RunningJob::check_starter(const sdk::Reader& reader) const {
    if (!around_.may_act) return {};
    std::vector<sdk::RecordKey> asked = record_.run_as.actors;
    asked.push_back(record_.run_as.key);
    for (const sdk::RecordKey& principal : asked) {
        const auto may = (*around_.may_act)(reader, principal);
        if (!may) return may.error();
        if (!*may) is_refused_ = true;
    }
    if (!is_refused_) return {};
    return sdk::make_error(sdk::ErrorKind::forbidden, "job.starter_disabled", kRefused);
}

sdk::Result<void> RunningJob::note_loss(sdk::Result<void> held) const {
    if (!held && held.error().code == "job.lost") is_lost_ = true;
    return held;
}

sdk::Result<void> RunningJob::progress(const sdk::JobProgress& progress) {
    progress_ = progress;
    const std::int64_t now = around_.clock();
    remaining_.note(progress_, now);
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

sdk::Result<void> RunningJob::save_progress(sdk::Transaction& transaction) const {
    return around_.store.save_progress(transaction, claim_, progress_, remaining_.milliseconds());
}

}  // namespace stele::kernel::job
