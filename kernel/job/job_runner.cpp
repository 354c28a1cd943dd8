#include "kernel/job/job_runner.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <stdexcept>
#include <vector>

#include <unistd.h>

#include <nlohmann/json.hpp>

#include <stele/sdk/encoding.hpp>
#include <stele/sdk/log.hpp>
#include <stele/sdk/seal.hpp>
#include <stele/sdk/time.hpp>

#include "kernel/job/budget.hpp"
#include "kernel/job/job_record.hpp"
#include "kernel/job/running_job.hpp"

namespace stele::kernel::job {

namespace {

using sdk::Result;

constexpr std::int64_t kForgettingPeriodMs = 3'600'000;
constexpr int kForgottenAtOnce = 200;

std::string server_name() {
    std::array<char, 256> host{};
    if (gethostname(host.data(), host.size() - 1) != 0) host[0] = '\0';
    return std::string(host.data()) + ":" + std::to_string(getpid()) + ":" + sdk::random_hex(4);
}

JobRunnerOptions completed(JobRunnerOptions options) {
    if (options.server.empty()) options.server = server_name();
    if (!options.clock) options.clock = &sdk::now_ms;
    return options;
}

bool may_pass(const sdk::Error& error) {
    using enum sdk::ErrorKind;
    return error.kind == unavailable || error.kind == timed_out || error.kind == limited;
}

// 1 s, then four times as long each time, at most 5 min.
std::int64_t pause_after(int attempts) {
    constexpr std::int64_t kMax = 300'000;
    std::int64_t pause = 1000;
    for (int i = 1; i < attempts && pause < kMax; ++i)
        pause *= 4;
    return std::min(pause, kMax);
}

void log_failure(std::string_view what, const sdk::Error& error) {
    sdk::log(sdk::LogLevel::error, "job",
             std::string(what) + ": " + error.code + ": " + error.message + " " + error.detail);
}

}  // namespace

JobRunner::JobRunner(sdk::Engine& engine, JobRunnerOptions options)
    : engine_(engine),
      options_(completed(std::move(options))),
      own_sealer_(*sdk::hex_bytes(sdk::random_hex(sdk::Sealer::kKeySize))),
      store_(options_.may_run),
      signals_(JobSignals::observe(engine)),
      pool_({.threads = options_.threads,
             .queue_capacity = options_.threads,
             .nice = options_.nice}) {}

JobRunner::~JobRunner() {
    stop();
}

void JobRunner::define(sdk::JobType type) {
    const std::string name = type.name;
    const auto [lane, is_new] = widths_.emplace(type.lane, type.lane_width);
    if (lane->second != type.lane_width) {
        throw std::logic_error("job type '" + name + "' gives its lane another width");
    }
    if (!types_.emplace(name, std::move(type)).second) {
        throw std::logic_error("job type '" + name + "' is defined twice");
    }
}

const sdk::JobType* JobRunner::find_type(std::string_view name) const {
    const auto found = types_.find(name);
    return found == types_.end() ? nullptr : &found->second;
}

void JobRunner::start() {
    thread_ = std::thread([this] { run_until_stopped(); });
}

void JobRunner::stop() {
    is_stopping_ = true;
    signals_->wake();
    if (thread_.joinable()) thread_.join();
    pool_.stop();
}

void JobRunner::run_until_stopped() {
    while (!is_stopping_) {
        const std::uint64_t generation = signals_->generation();
        if (const auto done = step(); !done) {
            log_failure("looking for jobs failed", done.error());
            // A store in trouble must not be asked in a tight loop.
            signals_->wait_for_change(signals_->generation(), options_.period);
            continue;
        }
        signals_->wait_for_change(generation, patience());
    }
}

std::chrono::milliseconds JobRunner::patience() const {
    using std::chrono::milliseconds;
    if (!next_due_ms_) return options_.period;
    return std::clamp(milliseconds(*next_due_ms_ - now()), milliseconds(0), options_.period);
}

Result<int> JobRunner::step() {
    for (auto task : {&JobRunner::renew_leases, &JobRunner::recover, &JobRunner::forget_ended}) {
        if (auto done = (this->*task)(); !done) return done.error();
    }
    int begun = 0;
    next_due_ms_.reset();
    while (!is_stopping_ && has_free_thread()) {
        const auto is_begun = begin_one();
        if (!is_begun) return is_begun.error();
        if (!*is_begun) break;
        ++begun;
    }
    return begun;
}

Result<void> JobRunner::renew_leases() {
    if (now() < next_renewal_ms_) return {};
    std::vector<JobClaim> claims;
    {
        const std::lock_guard lock(mutex_);
        for (const auto& [id, claim] : active_)
            claims.push_back(claim);
    }
    for (const JobClaim& claim : claims) {
        const auto renewed = sdk::write_with_retry(engine_, [&](sdk::Transaction& transaction) {
            return store_.renew(transaction, claim, now() + options_.lease.count());
        });
        // A lost job ends by itself: its runner asks whether it must stop.
        if (!renewed && renewed.error().code != "job.lost") return renewed;
    }
    // Not before: where the store has taken none, as with a full disk, the next round tries again,
    // before it looks for jobs of dead servers and finds those of this one.
    next_renewal_ms_ = now() + options_.lease.count() / 3;
    return {};
}

Result<void> JobRunner::recover() {
    if (now() < next_recovery_ms_) return {};
    next_recovery_ms_ = now() + options_.period.count();
    return sdk::write_with_retry(engine_, [this](sdk::Transaction& transaction) -> Result<void> {
        const auto recovered = store_.recover(transaction, now());
        if (!recovered) return recovered.error();
        const auto woken = store_.wake(transaction, now());
        if (!woken) return woken.error();
        // There may be more, which no timer should keep waiting.
        if (*woken > 0) next_recovery_ms_ = now();
        return {};
    });
}

Result<void> JobRunner::forget_ended() {
    if (now() < next_forgetting_ms_) return {};
    next_forgetting_ms_ = now() + kForgettingPeriodMs;
    const std::int64_t oldest = now() - options_.retention.count();
    int forgotten = kForgottenAtOnce;
    while (forgotten == kForgottenAtOnce && !is_stopping_) {
        const auto done =
            sdk::write_with_retry(engine_, [&](sdk::Transaction& transaction) -> Result<void> {
                const auto count = store_.forget_ended(transaction, oldest, kForgottenAtOnce);
                if (!count) return count.error();
                forgotten = *count;
                return {};
            });
        if (!done) return done;
    }
    return {};
}

bool JobRunner::has_free_thread() const {
    const std::lock_guard lock(mutex_);
    return active_.size() < options_.threads;
}

std::size_t JobRunner::width_of(std::string_view lane) const {
    const auto found = widths_.find(lane);
    const std::size_t width = found == widths_.end() ? 0 : found->second;
    // One thread is left for jobs of other lanes, where there are several.
    return width == 0 ? 0 : std::min(width, std::max<std::size_t>(options_.threads, 2) - 1);
}

bool JobRunner::has_room(std::string_view lane) const {
    const std::size_t width = width_of(lane);
    if (width == 0) return true;
    const std::lock_guard lock(mutex_);
    const auto running = std::count_if(active_.begin(), active_.end(), [lane](const auto& active) {
        return active.second.lane == lane;
    });
    return static_cast<std::size_t>(running) < width;
}

Result<bool> JobRunner::begin_one() {
    const JobWishes wishes{
        .is_wanted = [this](std::string_view type) { return find_type(type) != nullptr; },
        .has_room = [this](std::string_view lane) { return has_room(lane); },
        .last_starters = last_starters_,
        .last_lane = last_lane_,
        .on_later =
            [this](std::int64_t due_ms) {
                next_due_ms_ = std::min(next_due_ms_.value_or(due_ms), due_ms);
            }};
    std::optional<JobClaim> claim;
    const auto done =
        sdk::write_with_retry(engine_, [&](sdk::Transaction& transaction) -> Result<void> {
            auto claimed = store_.claim(transaction, options_.server, wishes, now(),
                                        now() + options_.lease.count());
            if (!claimed) return claimed.error();
            claim = *std::move(claimed);
            return {};
        });
    if (!done) return done.error();
    if (!claim) return false;
    last_starters_[claim->lane] = claim->starter;
    last_lane_ = claim->lane;
    {
        const std::lock_guard lock(mutex_);
        active_.emplace(claim->id, *claim);
    }
    // A pool that has been stopped meanwhile takes nothing; the job is found again by its lease.
    return pool_.post([this, held = *claim] { run(held); });
}

void JobRunner::run(const JobClaim& claim) {
    auto record = store_.read(*engine_.snapshot(), claim.platform, claim.id);
    if (record) {
        const sdk::JobType* type = find_type(record->type);
        const MayAct* may_act =
            options_.may_act && type && type->is_of_starter ? &options_.may_act : nullptr;
        const std::string sealed = record->sealed_secret;
        auto secret = sealed.empty() ? Result<std::string>(std::string()) : sealer().open(sealed);
        RunningJob job({engine_, store_, *signals_, is_stopping_, options_.clock, may_act}, claim,
                       *std::move(record), secret ? *secret : std::string());
        // Without what it was started with it would do something else.
        settle(job, secret ? call(job, job.type()) : Result<sdk::Json>(secret.error()));
    } else {
        log_failure("job " + claim.id + " cannot be read", record.error());
    }
    {
        const std::lock_guard lock(mutex_);
        active_.erase(claim.id);
    }
    signals_->wake();  // a thread is free
}

Result<sdk::Json> JobRunner::call(RunningJob& job, const std::string& type) {
    // Whatever it calls hears that it must stop, however long it goes on by itself.
    const Budget budget(job);
    const Budget::Scope scope(&budget);
    try {
        return find_type(type)->run(job);
    } catch (const std::exception& thrown) {
        return sdk::make_error(sdk::ErrorKind::internal, "job.threw",
                               "The job failed by a fault of the server.", thrown.what());
    } catch (...) {
        return sdk::make_error(sdk::ErrorKind::internal, "job.threw",
                               "The job failed by a fault of the server.",
                               "something that is no exception");
    }
}

void JobRunner::settle(RunningJob& job, const Result<sdk::Json>& result) {
    bool is_given_back = false;
    const auto settled =
        sdk::write_with_retry(engine_, [&](sdk::Transaction& transaction) -> Result<void> {
            const JobClaim& claim = job.claim();
            if (auto saved = job.save_progress(transaction); !saved) return saved;
            if (result) return store_.finish(transaction, claim, *result, {}, now());
            const auto runs = store_.may_run(transaction, claim.platform);
            if (!runs) return runs.error();
            // Still this server's, hence not killed; the platform may be open again by now.
            const bool was_closed = !*runs || job.was_lost();
            is_given_back = is_stopping_ || was_closed;
            if (is_given_back) {
                return store_.give_back(
                    transaction, claim,
                    was_closed ? "the platform was closed" : "the server stopped", now());
            }
            const sdk::Error& error = result.error();
            if (job.was_refused())
                return store_.fail(transaction, claim, RunningJob::kRefused, now());
            if (may_pass(error)) {
                return store_.repeat(transaction, claim, error.message,
                                     now() + pause_after(job.used_attempts()), now());
            }
            return store_.fail(transaction, claim, error.message, now());
        });
    if (!settled && settled.error().code == "job.lost") return;
    if (!settled) log_failure("the end of job " + job.id() + " is lost", settled.error());
    if (!result && !is_given_back) {
        log_failure("job " + job.id() + " (" + job.type() + ") failed", result.error());
    }
}

}  // namespace stele::kernel::job
