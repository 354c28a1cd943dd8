#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <list>
#include <memory>
#include <mutex>

#include <stele/sdk/engine.hpp>

namespace stele::kernel::storage {

/// The transactions under way that may have written binaries to which only their commits refer,
/// however long that takes. Any thread.
class BlobWriters {
public:
    using Clock = std::chrono::steady_clock;

    /// When one began, by the clock that files are dated with and by one that nobody sets.
    struct Begin {
        std::int64_t epoch_ms = 0;
        Clock::time_point at = Clock::now();
    };

    /// One of them, until it is destroyed, on any thread. The list outlives it.
    class Entry {
    public:
        Entry(BlobWriters& writers, Begin begin);
        ~Entry();
        Entry(const Entry&) = delete;
        Entry& operator=(const Entry&) = delete;

        /// Its commit failed, which may show as stored once the store can be written again: what it
        /// has written stays until `settle`, although it ends.
        void leave_open();

    private:
        BlobWriters& writers_;
        const std::list<Begin>::iterator place_;
    };

    /// What is written from now on stays until it ends.
    std::unique_ptr<Entry> enter();
    /// Binaries as old as that, or younger, may be waited for: milliseconds since 1970; the
    /// greatest number where nobody writes.
    std::int64_t oldest_ms() const;
    /// Where the store can be written, what has become of the failed commits before shows to
    /// whoever reads from now on, and nothing more is waited for.
    void settle(const sdk::Engine& store);

private:
    static constexpr std::int64_t kNobody = std::numeric_limits<std::int64_t>::max();

    /// The earliest time that a file may bear which was written since.
    static std::int64_t first_date(const Begin& begin);

    mutable std::mutex mutex_;
    std::list<Begin> begun_;
    std::int64_t left_open_ms_ = kNobody;
};

}  // namespace stele::kernel::storage
