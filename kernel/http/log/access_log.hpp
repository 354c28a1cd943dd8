#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <ctime>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <stele/sdk/principal.hpp>
#include <stele/sdk/result.hpp>

#include "kernel/http/log/access_log_output.hpp"

namespace stele::kernel::http {

/// One answered request, or one whose caller left before the end.
struct AccessEntry {
    std::string_view request_id;
    std::string_view remote_address;
    std::string_view method;
    /// As sent, without the query string, in which tokens may be.
    std::string_view path;
    /// The pattern that the path fitted; empty when none did.
    std::string_view route;
    /// Who asked; null before that was known.
    const sdk::Session* session = nullptr;
    int status = 0;
    std::uint64_t bytes = 0;
    std::int64_t duration_us = 0;
    bool is_aborted = false;
};

/// Takes the lines of one thread; others only take them away. No line waits for the disk: one that
/// finds the buffer full is dropped and counted.
class AccessLane {
public:
    /// `wake` is called when there is much to write.
    AccessLane(std::size_t limit, std::function<void()> wake)
        : limit_(limit), wake_(std::move(wake)) {}

    void add(const AccessEntry& entry);

    /// Swaps the collected lines with `empty`. Any thread.
    void take(std::string& empty);
    std::uint64_t dropped() const { return dropped_.load(std::memory_order_relaxed); }

private:
    void append_time(std::string& out, std::int64_t duration_us);

    const std::size_t limit_;
    const std::function<void()> wake_;
    std::mutex mutex_;
    std::string lines_;
    bool is_woken_ = false;
    std::atomic<std::uint64_t> dropped_{0};
    std::time_t second_ = -1;
    std::string second_text_;
};

/// The structured access log: one JSON object a line (docs/guides/operation.md). Lines are
/// collected by the threads that serve connections and written by a thread of its own.
class AccessLog {
public:
    struct Options {
        std::string target;  ///< a file, or `-` for standard output
        std::size_t lane_bytes = 1024 * 1024;
    };

    static sdk::Result<std::unique_ptr<AccessLog>> open(const Options& options);
    /// Writes what is left, unless that takes too long.
    ~AccessLog();

    /// Opens the file under its name anew and writes what has been collected, soon. Any thread.
    void reopen() { wake(); }

    /// For one thread; lives as long as the log. Any thread.
    AccessLane& add_lane();
    /// Lines that were lost, because the buffer was full or they could not be written.
    std::uint64_t dropped() const;

private:
    AccessLog(AccessLogOutput output, std::size_t lane_bytes);

    void run();
    void write_lanes();
    void note_dropped();
    void wake();

    AccessLogOutput output_;
    const std::size_t lane_bytes_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<std::unique_ptr<AccessLane>> lanes_;
    std::string spare_;
    std::atomic<std::uint64_t> unwritten_{0};
    std::uint64_t noted_ = 0;
    bool is_urgent_ = false;
    bool is_stopping_ = false;
    std::thread thread_;
};

}  // namespace stele::kernel::http
