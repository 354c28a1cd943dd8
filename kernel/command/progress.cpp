#include "kernel/command/progress.hpp"

#include <unistd.h>

#include <array>
#include <iostream>

#include <fmt/format.h>

namespace stele::kernel::command {

namespace {

constexpr std::chrono::milliseconds kBetweenLines{100};
constexpr std::uint64_t kBarWidth = 30;

}  // namespace

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
    const auto filled = static_cast<std::size_t>(static_cast<double>(done) /
                                                 static_cast<double>(total) * kBarWidth);
    std::string bar(std::min<std::size_t>(filled, kBarWidth), '#');
    bar.resize(kBarWidth, '.');
    show(fmt::format("{} [{}] {} of {}", doing, bar, shown_bytes(done), shown_bytes(total)));
}

void Progress::show_records(const std::string& doing, std::uint64_t done) {
    show(done == 0 ? doing : fmt::format("{} {} records", doing, done));
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
