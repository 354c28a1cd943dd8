#include "kernel/command/progress.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <iostream>

#include <fmt/format.h>

namespace stele::kernel::command {

namespace {

constexpr std::chrono::milliseconds kBetweenLines{100};
constexpr std::uint64_t kBarWidth = 30;

std::string bar(std::uint64_t done, std::uint64_t total) {
    const auto filled = static_cast<std::size_t>(static_cast<double>(done) /
                                                 static_cast<double>(total) * kBarWidth);
    std::string bar(std::min<std::size_t>(filled, kBarWidth), '#');
    bar.resize(kBarWidth, '.');
    return bar;
}

}  // namespace

std::string shown_duration(std::chrono::milliseconds duration) {
    const std::int64_t seconds = std::max<std::int64_t>((duration.count() + 999) / 1000, 1);
    if (seconds < 60) return fmt::format("{} s", seconds);
    const std::int64_t minutes = (seconds + 59) / 60;
    if (minutes < 60) return fmt::format("{} min", minutes);
    return fmt::format("{} h {} min", minutes / 60, minutes % 60);
}

std::string job_line(const std::string& doing, const sdk::JobProgress& progress,
                     std::chrono::milliseconds left) {
    std::string line = doing;
    if (progress.total > 0) {
        line += fmt::format(" [{}] {} of {} records", bar(progress.done, progress.total),
                            progress.done, progress.total);
    } else if (progress.total_bytes > 0) {
        line += fmt::format(" [{}] {} of {}", bar(progress.bytes, progress.total_bytes),
                            shown_bytes(progress.bytes), shown_bytes(progress.total_bytes));
    } else if (progress.done > 0) {
        line += fmt::format(" {} records", progress.done);
    }
    if (progress.bytes > 0 && progress.total_bytes == 0) line += ", " + shown_bytes(progress.bytes);
    if (left.count() > 0) line += ", " + shown_duration(left) + " left";
    return line;
}

std::string shown_bytes(std::uint64_t bytes) {
    constexpr std::array kUnits{"KiB", "MiB", "GiB", "TiB"};
    if (bytes < 1024) return fmt::format("{} bytes", bytes);
    double value = static_cast<double>(bytes) / 1024;
    std::size_t unit = 0;
    for (; value >= 1024 && unit + 1 < kUnits.size(); ++unit)
        value /= 1024;
    return fmt::format("{:.1f} {}", value, kUnits[unit]);
}

Progress::Progress() : is_terminal_(::isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() {
    clear();
}

void Progress::say(const std::string& line) {
    clear();
    std::cerr << line << std::endl;
}

void Progress::show_bytes(const std::string& doing, std::uint64_t done, std::uint64_t total) {
    if (total == 0) return show(doing + " " + shown_bytes(done));
    show(fmt::format("{} [{}] {} of {}", doing, bar(done, total), shown_bytes(done),
                     shown_bytes(total)));
}

void Progress::show_job(const std::string& doing, const sdk::JobProgress& progress,
                        std::chrono::milliseconds left) {
    show(job_line(doing, progress, left));
}

void Progress::show_end(const std::string& doing, const sdk::JobProgress& progress) {
    is_shown_ = false;
    show(job_line(doing, progress, {}));
}

void Progress::show(const std::string& line) {
    const auto now = std::chrono::steady_clock::now();
    if (!is_terminal_ || (is_shown_ && now - last_ < kBetweenLines)) return;
    std::cerr << "\r\x1b[K" << line << std::flush;
    is_shown_ = true;
    last_ = now;
}

void Progress::clear() {
    if (is_shown_) std::cerr << "\r\x1b[K" << std::flush;
    is_shown_ = false;
}

}  // namespace stele::kernel::command
