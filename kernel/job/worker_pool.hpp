#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

namespace stele::kernel::job {

struct WorkerPoolOptions {
    std::size_t threads = 1;
    std::size_t queue_capacity = 1;
    /// Tasks that run at the same time while the queue moves; 0 for as many as there are threads.
    /// More than there are processors only take turns, and each turn costs.
    std::size_t width = 0;
    /// After so long without a task that began, one more runs: those that run wait for something.
    std::chrono::milliseconds patience{1};
    /// What the system adds to the nice value of the threads (setpriority(2)): with more of it,
    /// they get a smaller part of the processors while others want them, too. Not negative.
    int nice = 0;
};

/// Threads for what must not run on an I/O thread. Bounded: `post` answers false when the queue is
/// full, and the caller answers 503.
///
/// Whoever asks for work has a queue of its own, and they take turns: first those for whom nothing
/// runs, and for them a quarter of the threads is kept. One has half of the queue at most. What one
/// asks for, however much it is, delays the others little.
class WorkerPool {
public:
    explicit WorkerPool(const WorkerPoolOptions& options);
    WorkerPool(std::size_t threads, std::size_t queue_capacity)
        : WorkerPool({.threads = threads, .queue_capacity = queue_capacity}) {}
    ~WorkerPool();

    /// Runs `task` soon on a worker. A task must not throw; one that does is logged. Without a
    /// `caller` it is the server's own: then it has no part to keep to.
    bool post(std::function<void()> task, const std::string& caller = {});
    /// Waits for what is queued and running, then ends the threads. Later posts answer false.
    void stop();
    std::size_t queued() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace stele::kernel::job
