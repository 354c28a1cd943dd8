#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace stele::kernel::resource {

/// Tells a thread that waits that there is something to do. Any thread.
class WakeUp {
public:
    void wake() {
        {
            const std::lock_guard lock(mutex_);
            is_called_ = true;
        }
        called_.notify_all();
    }
    /// Waits for a call since the last wait, at most for `patience`.
    void wait(std::chrono::milliseconds patience) {
        std::unique_lock lock(mutex_);
        called_.wait_for(lock, patience, [this] { return is_called_; });
        is_called_ = false;
    }

private:
    std::mutex mutex_;
    std::condition_variable called_;
    bool is_called_ = false;
};

}  // namespace stele::kernel::resource
