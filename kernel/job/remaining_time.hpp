#pragma once

#include <cstdint>

#include <stele/sdk/services/jobs.hpp>

namespace stele::kernel::job {

/// How long a job still takes, by its rate so far. It goes by what people count where the total of
/// that is known, else by bytes. One thread.
class RemainingTime {
public:
    void note(const sdk::JobProgress& progress, std::int64_t now_ms);
    /// Milliseconds; 0: nobody knows, or nothing is left.
    std::uint64_t milliseconds() const { return milliseconds_; }

private:
    bool is_by_bytes_ = false;
    /// What was done at the time from which the rate is measured.
    std::uint64_t first_done_ = 0;
    std::uint64_t last_done_ = 0;
    std::int64_t first_ms_ = 0;
    std::uint64_t milliseconds_ = 0;
};

}  // namespace stele::kernel::job
