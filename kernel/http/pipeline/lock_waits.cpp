#include "kernel/http/pipeline/lock_waits.hpp"

#include <algorithm>
#include <map>

#include "kernel/resource/data_store/data_store_rows.hpp"

namespace stele::kernel::http {

LockWaits::~LockWaits() {
    stop();
}

bool LockWaits::add(const sdk::RecordKey& store, Clock::time_point deadline, Resume resume) {
    {
        const std::lock_guard lock(mutex_);
        if (is_stopping_ || waiters_.size() >= most_) return false;
        waiters_.push_back({store, deadline, std::move(resume)});
        if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
    }
    changed_.notify_all();
    return true;
}

void LockWaits::stop() {
    Waiters left;
    std::thread thread;
    {
        const std::lock_guard lock(mutex_);
        is_stopping_ = true;
        left.swap(waiters_);
        thread.swap(thread_);
    }
    changed_.notify_all();
    if (thread.joinable()) thread.join();
    for (const Waiter& waiter : left)
        waiter.resume(End::too_late);
}

std::size_t LockWaits::size() const {
    const std::lock_guard lock(mutex_);
    return waiters_.size();
}

void LockWaits::run() {
    std::unique_lock lock(mutex_);
    while (!is_stopping_) {
        if (waiters_.empty()) {
            changed_.wait(lock, [this] { return is_stopping_ || !waiters_.empty(); });
        } else {
            changed_.wait_for(lock, kPause, [this] { return is_stopping_; });
        }
        if (is_stopping_) return;
        lock.unlock();
        look();
        lock.lock();
    }
}

void LockWaits::look() {
    std::map<sdk::RecordKey, bool> locked;
    {
        const std::lock_guard lock(mutex_);
        for (const Waiter& waiter : waiters_)
            locked[waiter.store] = true;
    }
    for (auto& [store, is_so] : locked)
        is_so = is_locked(store);
    const Clock::time_point now = Clock::now();
    Waiters ready;
    {
        const std::lock_guard lock(mutex_);
        const auto stays = [&](const Waiter& waiter) {
            const auto known = locked.find(waiter.store);
            return waiter.deadline > now && (known == locked.end() || known->second);
        };
        const auto gone = std::stable_partition(waiters_.begin(), waiters_.end(), stays);
        std::move(gone, waiters_.end(), std::back_inserter(ready));
        waiters_.erase(gone, waiters_.end());
    }
    for (const Waiter& waiter : ready) {
        const auto known = locked.find(waiter.store);
        const bool is_free = known != locked.end() && !known->second;
        waiter.resume(is_free ? End::unlocked : End::too_late);
    }
}

/// A store that cannot be asked counts as locked: time decides then.
bool LockWaits::is_locked(const sdk::RecordKey& store) const {
    if (store == kMoment) return false;
    const auto reader = engine_.snapshot();
    const auto state = resource::read_store_state(*reader, store);
    return !state || (*state && (*state)->lock);
}

}  // namespace stele::kernel::http
