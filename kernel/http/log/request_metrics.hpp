#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace stele::kernel::http {

/// Counts of answered requests, for `/metrics` (Prometheus text). Any thread.
class RequestMetrics {
public:
    void count(int status, std::int64_t nanoseconds);
    /// Before serving begins.
    void add_source(std::function<std::string()> lines) { sources_.push_back(std::move(lines)); }
    std::string text() const;

private:
    std::array<std::atomic<std::uint64_t>, 600> by_status_{};
    std::atomic<std::uint64_t> nanoseconds_{0};
    std::atomic<std::uint64_t> requests_{0};
    std::vector<std::function<std::string()>> sources_;
};

/// Nanoseconds of a clock that never goes back.
std::int64_t steady_now_ns();

}  // namespace stele::kernel::http
