#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include <stele/sdk/engine.hpp>

namespace stele::kernel::job {

/// An entry of the queue of jobs.
struct QueuedJob {
    std::string key;
    std::uint64_t platform = 0;
    std::string lane;
    std::string starter;
    std::int64_t due_ms = 0;
};

/// What a server may take from the queue, and whose turn it is.
struct JobWishes {
    std::function<bool(std::string_view type)> is_wanted;
    /// Empty: every lane has room.
    std::function<bool(std::string_view lane)> has_room = {};
    /// By lane: the starter whose job was taken last.
    std::map<std::string, std::string, std::less<>> last_starters = {};
    /// That of the job that was taken last.
    std::optional<std::string> last_lane = {};
    /// Told when jobs that were passed over because they are not due yet will be; may be empty.
    /// Where nothing is taken it is told the earliest of every starter.
    std::function<void(std::int64_t due_ms)> on_later = {};
};

/// What becomes of a job that is next.
enum class JobChoice : std::uint8_t {
    take,
    skip,
    stop,  ///< nothing is taken
};

/// Finds the job that is next: lanes with room take turns, in each of them those who started one,
/// each of these with the one that has been due for longest. So no backlog, in whatever lane, keeps
/// somebody else's job waiting for all of it. Its costs grow with the number of starters, not with
/// that of jobs. `choose` is asked about what is next. Nothing where nothing is due.
sdk::Result<std::optional<QueuedJob>> next_job(
    const sdk::Reader& reader, const JobWishes& wishes, std::int64_t now,
    const std::function<sdk::Result<JobChoice>(const QueuedJob&)>& choose);

}  // namespace stele::kernel::job
