#include "kernel/job/worker_pool.hpp"

#include "kernel/job/task_queue.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <condition_variable>
#include <cstring>
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

/// Of the calling thread, and of those that it begins.
void be_nice(int more) {
    if (more == 0) return;
    const auto thread = static_cast<id_t>(gettid());
    errno = 0;
    const int before = getpriority(PRIO_PROCESS, thread);
    if (errno == 0 && setpriority(PRIO_PROCESS, thread, before + more) == 0) return;
    sdk::log(sdk::LogLevel::warning, "job",
             std::string("a thread keeps its priority: ") + std::strerror(errno));
}

}  // namespace

/// Threads sleep each on a condition of their own and are called by name, so that nobody wakes up
/// for nothing. The one that slept last is called first: its memory is still at hand.
struct WorkerPool::State {
    struct Worker {
        std::condition_variable wake;
        bool is_called = false;
        std::thread thread;
    };

    explicit State(const WorkerPoolOptions& options)
        : tasks(options.threads, options.queue_capacity),
          width(options.width == 0 ? options.threads : options.width),
          patience(options.patience),
          workers(options.threads) {}

    void work(Worker& self) {
        std::unique_lock lock(mutex);
        while (rest(self, lock)) {
            while (tasks.has_next()) {
                run_first(lock);
                if (turns > width) break;
            }
            --turns;
        }
    }

    /// Until it has a turn; false when there will be none.
    bool rest(Worker& self, std::unique_lock<std::mutex>& lock) {
        if (tasks.has_next() && turns < width) {
            ++turns;
            return true;
        }
        self.is_called = false;
        idle.push_back(&self);
        if (tasks.has_next() && watcher == nullptr) make_watcher();
        while (!self.is_called) {
            if (tasks.size() == 0 && is_stopping) return false;
            if (watcher == &self) {
                watch(self, lock);
            } else {
                self.wake.wait(lock);
            }
        }
        return true;
    }

    /// Takes a turn beyond the width when the queue stands still.
    void watch(Worker& self, std::unique_lock<std::mutex>& lock) {
        const std::size_t before = begun;
        const bool is_over = self.wake.wait_for(lock, patience) == std::cv_status::timeout;
        if (!is_over || self.is_called) return;
        if (!tasks.has_next()) {
            watcher = nullptr;
        } else if (begun == before) {
            idle.pop_front();
            give_turn(self);
        }
    }

    void run_first(std::unique_lock<std::mutex>& lock) {
        TaskQueue::Taken taken = tasks.take();
        ++begun;
        Worker* const called = call_one();  // somebody must see to the rest
        if (tasks.size() == 0 && is_stopping) wake_all();
        lock.unlock();
        if (called) called->wake.notify_one();
        run_guarded(taken.task);
        taken.task = nullptr;  // what it holds ends outside of the lock
        lock.lock();
        tasks.ended(taken);
    }

    /// Whom to wake up for what waits, to run it or to watch over it; nullptr when nobody is
    /// needed.
    Worker* call_one() {
        if (!tasks.has_next() || idle.empty()) return nullptr;
        if (turns < width) {
            Worker* const called = idle.back();
            idle.pop_back();
            give_turn(*called);
            return called;
        }
        if (watcher != nullptr) return nullptr;
        make_watcher();
        return watcher;
    }

    void give_turn(Worker& worker) {
        if (watcher == &worker) watcher = nullptr;
        worker.is_called = true;
        ++turns;
    }

    /// Of the one that slept last; it is called after all others.
    void make_watcher() {
        watcher = idle.back();
        idle.pop_back();
        idle.push_front(watcher);
    }

    void wake_all() {
        for (Worker& worker : workers)
            worker.wake.notify_one();
    }

    TaskQueue tasks;
    const std::size_t width;
    const std::chrono::milliseconds patience;
    mutable std::mutex mutex;
    /// Threads that run a task or have been called to run one.
    std::size_t turns = 0;
    std::size_t begun = 0;
    /// Those that sleep, the watcher in front.
    std::deque<Worker*> idle;
    /// Looks whether the queue moves.
    Worker* watcher = nullptr;
    bool is_stopping = false;
    std::deque<Worker> workers;
};

WorkerPool::WorkerPool(const WorkerPoolOptions& options)
    : state_(std::make_unique<State>(options)) {
    for (State::Worker& worker : state_->workers) {
        worker.thread = std::thread([state = state_.get(), &worker, nice = options.nice] {
            be_nice(nice);
            state->work(worker);
        });
    }
}

WorkerPool::~WorkerPool() {
    stop();
}

bool WorkerPool::post(std::function<void()> task, const std::string& caller) {
    State::Worker* called = nullptr;
    {
        const std::lock_guard lock(state_->mutex);
        if (state_->is_stopping || !state_->tasks.add(std::move(task), caller)) return false;
        called = state_->call_one();
    }
    if (called) called->wake.notify_one();
    return true;
}

void WorkerPool::stop() {
    std::vector<std::thread> threads;
    {
        const std::lock_guard lock(state_->mutex);
        state_->is_stopping = true;
        for (State::Worker& worker : state_->workers)
            threads.push_back(std::exchange(worker.thread, {}));
        state_->wake_all();
    }
    for (std::thread& thread : threads) {
        if (thread.joinable()) thread.join();
    }
}

std::size_t WorkerPool::queued() const {
    const std::lock_guard lock(state_->mutex);
    return state_->tasks.size();
}

}  // namespace stele::kernel::job
