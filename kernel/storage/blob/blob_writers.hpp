#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <set>

namespace stele::kernel::storage {

/// The transactions under way that may have written binaries to which only their commits refer,
/// however long that takes. Any thread.
class BlobWriters {
public:
    /// One of them, until it is destroyed, on any thread. The list outlives it.
    class Entry {
    public:
        Entry(BlobWriters& writers, std::int64_t begun_ms);
        ~Entry();
        Entry(const Entry&) = delete;
        Entry& operator=(const Entry&) = delete;

    private:
        BlobWriters& writers_;
        const std::multiset<std::int64_t>::iterator place_;
    };

    /// What is written from now on stays until it ends.
    std::unique_ptr<Entry> enter();
    /// Binaries as old as that, or younger, may be waited for: milliseconds since 1970; the
    /// greatest number where nobody writes.
    std::int64_t oldest_ms() const;

private:
    mutable std::mutex mutex_;
    std::multiset<std::int64_t> begun_ms_;
};

}  // namespace stele::kernel::storage
