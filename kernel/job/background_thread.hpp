#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

namespace stele::kernel::job {

/// A thread of the server's own, for what is done now and then behind the callers' backs. The last
/// member of its owner, so that it ends before anything that it uses. Any thread.
class BackgroundThread {
public:
    BackgroundThread() = default;
    ~BackgroundThread() { stop(); }
    BackgroundThread(const BackgroundThread&) = delete;
    BackgroundThread& operator=(const BackgroundThread&) = delete;

    /// Runs `work` until it returns, which it does soon after `is_stopping`.
    void start(std::function<void()> work) {
        {
            const std::lock_guard lock(mutex_);
            is_stopping_ = false;
        }
        thread_ = std::thread(std::move(work));
    }
    /// Waits until the work has returned; false when none was begun. May be repeated.
    bool stop() {
        if (!thread_.joinable()) return false;
        {
            const std::lock_guard lock(mutex_);
            is_stopping_ = true;
        }
        called_.notify_all();
        thread_.join();
        return true;
    }
    bool is_stopping() const {
        const std::lock_guard lock(mutex_);
        return is_stopping_;
    }

    /// There is something to do: the next rest, or the present one, is over.
    void wake() {
        {
            const std::lock_guard lock(mutex_);
            is_called_ = true;
        }
        called_.notify_all();
    }
    /// For the work: rests for `patience`, or until it is called.
    void rest(std::chrono::milliseconds patience) {
        std::unique_lock lock(mutex_);
        called_.wait_for(lock, patience, [this] { return is_called_ || is_stopping_; });
        is_called_ = false;
    }

private:
    mutable std::mutex mutex_;
    std::condition_variable called_;
    bool is_called_ = false;
    bool is_stopping_ = false;
    std::thread thread_;
};

}  // namespace stele::kernel::job
