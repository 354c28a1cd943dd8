#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "kernel/storage/query/query_run.hpp"

namespace stele::kernel::resource {

/// Lists that an index would have made ten times cheaper, where clients make the indexes. All are
/// counted; which index would serve a list is told in the log, once an hour each, and of so many
/// within an hour that callers cannot fill it. Any thread.
class IndexWishes {
public:
    using Clock = std::chrono::steady_clock;

    /// `list` is the request without its parameters, as people know it. The line for the log;
    /// nothing where it was told within the hour, or enough others were.
    std::optional<std::string> note(const std::string& list, const storage::WantedIndex& wanted,
                                    Clock::time_point now = Clock::now());
    /// For `/metrics`.
    std::string metrics() const;

private:
    static constexpr std::chrono::hours kBetween{1};
    static constexpr std::size_t kMostTold = 20;

    std::atomic<std::uint64_t> lists_ = 0;
    std::mutex mutex_;
    std::map<std::string, Clock::time_point> told_;
};

}  // namespace stele::kernel::resource
