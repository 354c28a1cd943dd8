#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <stele/sdk/log.hpp>

namespace stele::sdk {

/// A line of this server's log, as it lies in memory.
struct KeptLogLine {
    std::string id;  ///< unique among the lines of all servers and starts
    std::int64_t at_ms = 0;
    LogLevel level = LogLevel::info;
    std::string source;
    std::string message;  ///< its first 4000 bytes
};

/// The last lines that were written (setting `log.kept_lines`), oldest first. Any thread.
std::vector<KeptLogLine> kept_log_lines();

/// An id for a line that will be written. Any thread.
std::string next_log_line_id();
/// Like `log`, for a line whose id was given away before.
void log_as(std::string id, LogLevel level, std::string_view source, std::string_view message);

/// The line as the log has it, without its line break.
std::string log_file_line(const KeptLogLine& line);

}  // namespace stele::sdk
