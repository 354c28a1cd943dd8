#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace stele::kernel::job {

/// Threads for what must not run on an I/O thread. Bounded: `post` answers false when the queue is
/// full, and the caller answers 503.
class WorkerPool {
public:
    WorkerPool(std::size_t threads, std::size_t queue_capacity);
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
