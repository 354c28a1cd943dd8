#include "kernel/job/remaining_time.hpp"

namespace stele::kernel::job {

void RemainingTime::note(const sdk::JobProgress& progress, std::int64_t now_ms) {
    const bool is_by_bytes = progress.total == 0;
    const std::uint64_t done = is_by_bytes ? progress.bytes : progress.done;
    const std::uint64_t total = is_by_bytes ? progress.total_bytes : progress.total;
    // Before the first one, work of another kind is done; a job may also begin again.
    if (done == 0 || done < last_done_ || is_by_bytes != is_by_bytes_ || first_ms_ == 0) {
        first_ms_ = now_ms;
        first_done_ = done;
    }
    is_by_bytes_ = is_by_bytes;
    last_done_ = done;
    milliseconds_ = 0;
    if (done >= total || done == first_done_ || now_ms <= first_ms_) return;
    milliseconds_ = static_cast<std::uint64_t>(static_cast<double>(now_ms - first_ms_) *
                                               static_cast<double>(total - done) /
                                               static_cast<double>(done - first_done_));
}

}  // namespace stele::kernel::job
