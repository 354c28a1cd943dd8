#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>

namespace stele::kernel::http {

/// Counts the transactions that were handed to the engine and are not answered yet. Their answers
/// use the pipeline, so it must outlive them, also where draining ran out of patience.
class CommitsUnderWay {
public:
    void add() {
        const std::lock_guard lock(mutex_);
        ++count_;
    }
    /// The last use of the pipeline by a commit. Notifies under the lock: whoever waits may destroy
    /// this object as soon as it holds the lock.
    void remove() {
        const std::lock_guard lock(mutex_);
        if (--count_ == 0) none_.notify_all();
    }
    void wait_for_none() {
        std::unique_lock lock(mutex_);
        none_.wait(lock, [this] { return count_ == 0; });
    }

private:
    std::mutex mutex_;
    std::condition_variable none_;
    std::size_t count_ = 0;
};

}  // namespace stele::kernel::http
