#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>

#include <stele/sdk/engine.hpp>

namespace stele::kernel::job {

/// Tells those who wait in this process that something happened to some job. It learns it from the
/// engine's commits, so nobody has to ask the store again and again. Any thread.
class JobSignals {
public:
    /// Observes the engine. Shared, because an engine keeps its observers until it ends.
    static std::shared_ptr<JobSignals> observe(sdk::Engine& engine);

    /// Grows with every change that may start, end or take away a job.
    std::uint64_t generation() const;
    /// Waits until the generation is another one, or for `patience`.
    void wait_for_change(std::uint64_t generation, std::chrono::milliseconds patience);
    /// Counts as a change.
    void wake();

private:
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::uint64_t generation_ = 0;
};

}  // namespace stele::kernel::job
