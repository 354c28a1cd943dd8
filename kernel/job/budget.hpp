#pragma once

#include <atomic>
#include <chrono>

#include <stele/sdk/result.hpp>
#include <stele/sdk/services/jobs.hpp>

namespace stele::kernel::job {

/// How long the work for one caller may go on: until the caller has gone away, or a time is over;
/// that of a job until it must stop. Loops that may be long ask now and then, wherever they are,
/// without a budget being passed to them. Nobody's work has none.
class Budget {
public:
    using Clock = std::chrono::steady_clock;

    static constexpr Clock::duration kUnlimited = Clock::duration::max();

    /// `is_abandoned` is set by whoever sees the caller leave, and must outlive the budget.
    Budget(Clock::time_point end, const std::atomic<bool>& is_abandoned,
           Clock::duration query_time = kUnlimited)
        : end_(end), is_abandoned_(&is_abandoned), query_time_(query_time) {}
    /// The job must outlive the budget.
    explicit Budget(const sdk::Job& job) : job_(&job) {}

    /// `unavailable` when it is spent (`http.budget_spent`; of a job `job.stopped`).
    sdk::Result<void> check() const;
    /// The same of the budget that the calling thread works for.
    static sdk::Result<void> check_current();
    /// How long one query may be worked on for whom the calling thread works.
    static Clock::duration current_query_time();

    /// The thread works for the budget meanwhile; null: for nobody.
    class Scope {
    public:
        explicit Scope(const Budget* budget);
        ~Scope();
        Scope(const Scope&) = delete;
        Scope& operator=(const Scope&) = delete;

    private:
        const Budget* before_;
    };

private:
    Clock::time_point end_;
    const std::atomic<bool>* is_abandoned_ = nullptr;
    Clock::duration query_time_ = kUnlimited;
    const sdk::Job* job_ = nullptr;
};

}  // namespace stele::kernel::job
