#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include <stele/sdk/engine.hpp>
#include <stele/sdk/principal.hpp>

namespace stele::kernel::http {

/// Requests that wait until a data store is unlocked. They hold no thread and no transaction: one
/// thread looks at each of the stores that are waited for, a few times a second, however many wait
/// for it. That serves every engine, also where another server unlocks.
class LockWaits {
public:
    enum class End { unlocked, too_late };
    /// Called once, on the thread of the waits: short.
    using Resume = std::function<void(End)>;
    using Clock = std::chrono::steady_clock;

    /// No store: who names it waits for the next look only.
    inline static const sdk::RecordKey kMoment{};

    /// At most `most` requests wait at the same time.
    LockWaits(sdk::Engine& engine, std::size_t most) : engine_(engine), most_(most) {}
    ~LockWaits();

    /// False when too many wait already, or nobody may wait any more.
    bool add(const sdk::RecordKey& store, Clock::time_point deadline, Resume resume);
    /// It is too late for everybody who waits. Nobody may wait from now on.
    void stop();
    std::size_t size() const;

private:
    struct Waiter {
        sdk::RecordKey store;
        Clock::time_point deadline;
        Resume resume;
    };
    using Waiters = std::vector<Waiter>;

    void run();
    /// Takes those out whose store is free, or whose time has come.
    void look();
    bool is_locked(const sdk::RecordKey& store) const;

    static constexpr std::chrono::milliseconds kPause{50};

    sdk::Engine& engine_;
    const std::size_t most_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    Waiters waiters_;
    bool is_stopping_ = false;
    std::thread thread_;
};

}  // namespace stele::kernel::http
