#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include <stele/sdk/services/jobs.hpp>

namespace stele::kernel::command {

/// Tells on the standard error what a long command does: on a terminal in one line that changes,
/// elsewhere only `say` writes, a line each.
class Progress {
public:
    Progress();
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    bool is_terminal() const { return is_terminal_; }
    void say(const std::string& line);
    /// `doing` with a number of bytes; `total` is 0 while nobody knows it.
    void show_bytes(const std::string& doing, std::uint64_t done, std::uint64_t total);
    /// `doing` with what a job tells of itself, and how long it will still take, 0 while nobody
    /// knows.
    void show_job(const std::string& doing, const sdk::JobProgress& progress,
                  std::chrono::milliseconds left);
    /// The same when the job has ended, however short the last line was shown.
    void show_end(const std::string& doing, const sdk::JobProgress& progress);
    void show(const std::string& line);

private:
    void clear();

    bool is_terminal_;
    bool is_shown_ = false;
    std::chrono::steady_clock::time_point last_;
};

/// `12.3 MiB`.
std::string shown_bytes(std::uint64_t bytes);
/// `12 s`, `3 min`, `2 h 5 min`; a second at least.
std::string shown_duration(std::chrono::milliseconds duration);
/// What `Progress::show_job` shows.
std::string job_line(const std::string& doing, const sdk::JobProgress& progress,
                     std::chrono::milliseconds left);

}  // namespace stele::kernel::command
