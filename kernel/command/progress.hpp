#pragma once

#include <chrono>
#include <cstdint>
#include <string>

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
    void show_records(const std::string& doing, std::uint64_t done);

private:
    void show(const std::string& line);
    void clear();

    bool is_terminal_;
    bool is_shown_ = false;
    std::chrono::steady_clock::time_point last_;
};

/// `12.3 MiB`.
std::string shown_bytes(std::uint64_t bytes);

}  // namespace stele::kernel::command
