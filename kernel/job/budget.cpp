#include "kernel/job/budget.hpp"

#include <utility>

namespace stele::kernel::job {

namespace {
thread_local const Budget* current_budget = nullptr;
}  // namespace

sdk::Result<void> Budget::check() const {
    if (job_) {
        if (!job_->must_stop()) return {};
        return sdk::make_error(sdk::ErrorKind::unavailable, "job.stopped",
                               "the job was killed, or the server stops");
    }
    const bool is_abandoned = is_abandoned_->load(std::memory_order_relaxed);
    if (!is_abandoned && Clock::now() < end_) return {};
    return sdk::make_error(sdk::ErrorKind::unavailable, "http.budget_spent",
                           is_abandoned
                               ? "the caller has gone away"
                               : "the request took longer than a request may take; ask for less");
}

sdk::Result<void> Budget::check_current() {
    return current_budget ? current_budget->check() : sdk::Result<void>();
}

Budget::Clock::duration Budget::current_query_time() {
    return current_budget ? current_budget->query_time_ : kUnlimited;
}

Budget::Scope::Scope(const Budget* budget) : before_(std::exchange(current_budget, budget)) {}

Budget::Scope::~Scope() {
    current_budget = before_;
}

}  // namespace stele::kernel::job
