#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>

namespace stele::kernel::job {

struct WorkerPoolOptions {
    std::size_t threads = 1;
    std::size_t queue_capacity = 1;
    /// Tasks that run at the same time while the queue moves; 0 for as many as there are threads.
    /// More than there are processors only take turns, and each turn costs.
    std::size_t width = 0;
    /// After so long without a task that began, one more runs: those that run wait for something.
    std::chrono::milliseconds patience{1};
};

/// Threads for what must not run on an I/O thread. Bounded: `post` answers false when the queue is
/// full, and the caller answers 503.
class WorkerPool {
public:
    explicit WorkerPool(const WorkerPoolOptions& options);
    WorkerPool(std::size_t threads, std::size_t queue_capacity)
        : WorkerPool({.threads = threads, .queue_capacity = queue_capacity}) {}
    ~WorkerPool();

    /// Runs `task` soon on a worker. A task must not throw; one that does is logged.
    bool post(std::function<void()> task);
    /// Waits for what is queued and running, then ends the threads. Later posts answer false.
    void stop();
    std::size_t queued() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace stele::kernel::job
