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
    explicit State(std::size_t queue_capacity) : capacity(queue_capacity) {}

    void work() {
        std::unique_lock lock(mutex);
        while (true) {
            changed.wait(lock, [this] { return is_stopping || !tasks.empty(); });
            if (tasks.empty()) return;
            std::function<void()> task = std::move(tasks.front());
            tasks.pop_front();
            lock.unlock();
            run_guarded(task);
            task = nullptr;  // what it holds ends outside of the lock
            lock.lock();
        }
    }

    const std::size_t capacity;
    mutable std::mutex mutex;
    std::condition_variable changed;
    std::deque<std::function<void()>> tasks;
    bool is_stopping = false;
    std::vector<std::thread> threads;
};

WorkerPool::WorkerPool(std::size_t threads, std::size_t queue_capacity)
    : state_(std::make_unique<State>(queue_capacity)) {
    for (std::size_t i = 0; i < threads; ++i) {
        state_->threads.emplace_back([state = state_.get()] { state->work(); });
    }
}

WorkerPool::~WorkerPool() {
    stop();
}

bool WorkerPool::post(std::function<void()> task) {
    {
        const std::lock_guard lock(state_->mutex);
        if (state_->is_stopping || state_->tasks.size() >= state_->capacity) return false;
        state_->tasks.push_back(std::move(task));
    }
    state_->changed.notify_one();
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
