#include "kernel/job/worker_pool.hpp"

#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <stele/sdk/log.hpp>

namespace stele::kernel::job {

namespace {

void run_guarded(const std::function<void()>& task) {
    try {
        task();
    } catch (const std::exception& thrown) {
        sdk::log(sdk::LogLevel::error, "job", std::string("a task threw: ") + thrown.what());
    } catch (...) {
        sdk::log(sdk::LogLevel::error, "job", "a task threw something that is no exception");
    }
}

}  // namespace

struct WorkerPool::State {
    explicit State(const WorkerPoolOptions& options)
        : capacity(options.queue_capacity),
          width(options.width == 0 ? options.threads : options.width),
          patience(options.patience) {}

    void work() {
        std::unique_lock lock(mutex);
        while (wait_for_task(lock)) {
            std::function<void()> task = std::move(tasks.front());
            tasks.pop_front();
            ++running;
            ++begun;
            if (tasks.empty()) {
                if (is_stopping) changed.notify_all();
            } else if (wants_thread()) {
                changed.notify_one();  // somebody must see to the rest
            }
            lock.unlock();
            run_guarded(task);
            task = nullptr;  // what it holds ends outside of the lock
            lock.lock();
            --running;
        }
    }

    /// Whether a task that waits needs one more: to run it, or to watch.
    bool wants_thread() const { return running < width || !is_watched; }

    /// False when there will be none.
    bool wait_for_task(std::unique_lock<std::mutex>& lock) {
        while (true) {
            if (tasks.empty() && is_stopping) return false;
            if (!tasks.empty() && running < width) return true;
            if (tasks.empty() || is_watched) {
                changed.wait(lock);
            } else if (watch(lock)) {
                return true;
            }
        }
    }

    /// Whether the queue stands still.
    bool watch(std::unique_lock<std::mutex>& lock) {
        const std::size_t before = begun;
        is_watched = true;
        const bool is_called = changed.wait_for(lock, patience) == std::cv_status::no_timeout;
        is_watched = false;
        return !is_called && !tasks.empty() && begun == before;
    }

    const std::size_t capacity;
    const std::size_t width;
    const std::chrono::milliseconds patience;
    mutable std::mutex mutex;
    std::condition_variable changed;
    std::deque<std::function<void()>> tasks;
    std::size_t running = 0;
    std::size_t begun = 0;
    /// A thread looks whether the queue moves.
    bool is_watched = false;
    bool is_stopping = false;
    std::vector<std::thread> threads;
};

WorkerPool::WorkerPool(const WorkerPoolOptions& options)
    : state_(std::make_unique<State>(options)) {
    for (std::size_t i = 0; i < options.threads; ++i) {
        state_->threads.emplace_back([state = state_.get()] { state->work(); });
    }
}

WorkerPool::~WorkerPool() {
    stop();
}

bool WorkerPool::post(std::function<void()> task) {
    bool is_wanted = false;
    {
        const std::lock_guard lock(state_->mutex);
        if (state_->is_stopping || state_->tasks.size() >= state_->capacity) return false;
        state_->tasks.push_back(std::move(task));
        is_wanted = state_->wants_thread();
    }
    if (is_wanted) state_->changed.notify_one();
    return true;
}

void WorkerPool::stop() {
    std::vector<std::thread> threads;
    {
        const std::lock_guard lock(state_->mutex);
        state_->is_stopping = true;
        threads.swap(state_->threads);
    }
    state_->changed.notify_all();
    for (std::thread& thread : threads)
        thread.join();
}

std::size_t WorkerPool::queued() const {
    const std::lock_guard lock(state_->mutex);
    return state_->tasks.size();
}

}  // namespace stele::kernel::job
