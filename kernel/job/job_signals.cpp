#include "kernel/job/job_signals.hpp"

#include <algorithm>

#include "kernel/job/job_keys.hpp"

namespace stele::kernel::job {

std::shared_ptr<JobSignals> JobSignals::observe(sdk::Engine& engine) {
    auto signals = std::make_shared<JobSignals>();
    engine.observe(shared_prefix(), [signals](const sdk::CommitNotice& commit) {
        // A heartbeat alone starts, ends and takes away nothing.
        const bool is_heartbeat =
            !commit.is_everything &&
            std::all_of(commit.keys.begin(), commit.keys.end(), is_lease_path);
        if (!is_heartbeat) signals->wake();
    });
    return signals;
}

std::uint64_t JobSignals::generation() const {
    const std::lock_guard lock(mutex_);
    return generation_;
}

void JobSignals::wait_for_change(std::uint64_t generation, std::chrono::milliseconds patience) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, patience, [&] { return generation_ != generation; });
}

void JobSignals::wake() {
    {
        const std::lock_guard lock(mutex_);
        ++generation_;
    }
    changed_.notify_all();
}

}  // namespace stele::kernel::job
