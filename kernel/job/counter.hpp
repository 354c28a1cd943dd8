#pragma once

#include <atomic>
#include <cstdint>

namespace stele::kernel::job {

/// Counted by one thread only, read by any: plain loads and stores suffice.
class Counter {
public:
    void add(std::uint64_t count) {
        value_.store(value_.load(std::memory_order_relaxed) + count, std::memory_order_relaxed);
    }
    std::uint64_t value() const { return value_.load(std::memory_order_relaxed); }

private:
    std::atomic<std::uint64_t> value_{0};
};

}  // namespace stele::kernel::job
