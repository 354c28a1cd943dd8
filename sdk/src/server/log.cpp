#include <stele/sdk/log.hpp>

#include <atomic>
#include <cstddef>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>

#include <fmt/format.h>
#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <nlohmann/json.hpp>

#include <stele/sdk/detail/log_output.hpp>
#include <stele/sdk/encoding.hpp>
#include <stele/sdk/kept_log.hpp>
#include <stele/sdk/members.hpp>
#include <stele/sdk/time.hpp>

namespace stele::sdk {

namespace {

spdlog::level::level_enum spdlog_level(LogLevel level) {
    switch (level) {
        case LogLevel::debug:
            return spdlog::level::debug;
        case LogLevel::info:
            return spdlog::level::info;
        case LogLevel::warning:
            return spdlog::level::warn;
        case LogLevel::error:
            return spdlog::level::err;
    }
    return spdlog::level::err;
}

std::unique_ptr<spdlog::logger> make_logger() {
    auto logger = std::make_unique<spdlog::logger>(
        "stele", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    logger->set_formatter(std::make_unique<spdlog::pattern_formatter>(
        "%Y-%m-%dT%H:%M:%S.%eZ %l %v", spdlog::pattern_time_type::utc));
    logger->set_level(spdlog::level::info);
    return logger;
}

// Never destroyed: threads may log until the very end of the process.
spdlog::logger& logger() {
    static spdlog::logger& instance = *make_logger().release();
    return instance;
}

constexpr std::size_t kKeptMessageSize = 4000;

/// The last lines, for those who read the log through the server.
class KeptLines {
public:
    void set_most(std::size_t most) {
        const std::lock_guard lock(mutex_);
        most_ = most;
        while (lines_.size() > most_)
            lines_.pop_front();
    }
    void add(KeptLogLine line) {
        const std::lock_guard lock(mutex_);
        if (most_ == 0) return;
        if (lines_.size() == most_) lines_.pop_front();
        lines_.push_back(std::move(line));
    }
    std::vector<KeptLogLine> all() {
        const std::lock_guard lock(mutex_);
        return {lines_.begin(), lines_.end()};
    }

private:
    std::mutex mutex_;
    std::deque<KeptLogLine> lines_;
    std::size_t most_ = 0;
};

// Never destroyed, like the logger.
KeptLines& kept_lines() {
    static KeptLines& instance = *std::make_unique<KeptLines>().release();
    return instance;
}

void append_escaped(std::string& out, std::string_view text) {
    for (char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte >= 0x20 && byte != 0x7f) {
            out += c;
        } else if (c == '\n') {
            out += "\\n";
        } else {
            out += "\\x";
            append_hex(out, c);
        }
    }
}

}  // namespace

void log(LogLevel level, std::string_view source, std::string_view message) {
    if (is_logged(level)) log_as(next_log_line_id(), level, source, message);
}

void log_as(std::string id, LogLevel level, std::string_view source, std::string_view message) {
    if (!is_logged(level)) return;
    try {
        const std::string text = detail::log_text(source, message);
        logger().log(spdlog_level(level), spdlog::string_view_t(text.data(), text.size()));
        kept_lines().add({std::move(id), now_ms(), level, std::string(source),
                          std::string(message.substr(0, kKeptMessageSize))});
    } catch (const std::exception&) {
        // Out of memory: there is nothing left to say it with, and callers are promised success.
    }
}

bool is_logged(LogLevel level) {
    return logger().should_log(spdlog_level(level));
}

std::vector<KeptLogLine> kept_log_lines() {
    return kept_lines().all();
}

std::string next_log_line_id() {
    static const std::int64_t start = now_ms();
    static std::atomic<std::uint64_t> lines{0};
    return fmt::format("{:x}-{}", start, ++lines);
}

std::string log_file_line(const KeptLogLine& line) {
    const auto level = spdlog::level::to_string_view(spdlog_level(line.level));
    return fmt::format("{} {} {}", text_member(time_value(line.at_ms), "iso_8601"),
                       std::string_view(level.data(), level.size()),
                       detail::log_text(line.source, line.message));
}

namespace detail {

void keep_log_lines(std::size_t most) {
    kept_lines().set_most(most);
}

void set_log_level(LogLevel level) {
    logger().set_level(spdlog_level(level));
}

std::optional<LogLevel> find_log_level(std::string_view name) {
    if (name == "debug") return LogLevel::debug;
    if (name == "info") return LogLevel::info;
    if (name == "warning") return LogLevel::warning;
    if (name == "error") return LogLevel::error;
    return std::nullopt;
}

std::string log_text(std::string_view source, std::string_view message) {
    std::string text;
    text.reserve(source.size() + message.size() + 3);
    text += '[';
    append_escaped(text, source);
    text += "] ";
    append_escaped(text, message);
    return text;
}

}  // namespace detail

}  // namespace stele::sdk
