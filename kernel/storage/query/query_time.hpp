#pragma once

#include <cstddef>

#include <stele/sdk/result.hpp>

#include "kernel/job/budget.hpp"

namespace stele::kernel::storage {

/// What a query may still work, for the caller that the thread works for: looked at now and then,
/// as work is counted. One thread at a time.
class QueryTime {
public:
    /// One candidate, or one entry. `unavailable` when the time is over (`query.time_spent`), or
    /// the budget of the caller is spent.
    sdk::Result<void> count_work() { return ++work_ < kWorkAtOnce ? sdk::Result<void>() : check(); }
    /// So much was read in one piece.
    void add_bytes(std::size_t bytes) { work_ += bytes / kBytesOfCandidate; }
    /// Work goes on after a pause, for another piece of the answer: its time begins anew.
    void resume();

private:
    sdk::Result<void> check();

    static constexpr std::size_t kWorkAtOnce = 64;
    static constexpr std::size_t kBytesOfCandidate = 4096;
    std::size_t work_ = 0;
    const job::Budget::Clock::duration most_time_ = job::Budget::current_query_time();
    job::Budget::Clock::duration time_{};
    job::Budget::Clock::time_point last_look_ = job::Budget::Clock::now();
};

}  // namespace stele::kernel::storage
