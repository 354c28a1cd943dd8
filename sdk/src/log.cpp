#include <stele/sdk/log.hpp>

#include <exception>
#include <memory>

#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <stele/sdk/detail/log_output.hpp>

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

void append_escaped(std::string& out, std::string_view text) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    for (char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte >= 0x20 && byte != 0x7f) {
            out += c;
        } else if (c == '\n') {
            out += "\\n";
        } else {
            out += "\\x";
            out += kDigits[byte >> 4];
            out += kDigits[byte & 15];
        }
    }
}

}  // namespace

void log(LogLevel level, std::string_view source, std::string_view message) {
    if (!is_logged(level)) return;
    try {
        const std::string text = detail::log_text(source, message);
        logger().log(spdlog_level(level), spdlog::string_view_t(text.data(), text.size()));
    } catch (const std::exception&) {
        // Out of memory: there is nothing left to say it with, and callers are promised success.
    }
}

bool is_logged(LogLevel level) {
    return logger().should_log(spdlog_level(level));
}

namespace detail {

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
