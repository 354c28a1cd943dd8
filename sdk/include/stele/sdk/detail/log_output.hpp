#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <stele/sdk/log.hpp>

namespace stele::sdk::detail {

/// Lines below `level` are no longer written. For the kernel's start-up only.
void set_log_level(LogLevel level);

/// How many lines `kept_log_lines` answers at most; none until this was called.
void keep_log_lines(std::size_t most);

/// The level of a configuration text (`debug`, `info`, `warning`, `error`).
std::optional<LogLevel> find_log_level(std::string_view name);

/// One log line's text: control characters are escaped, so that no message can forge a line.
std::string log_text(std::string_view source, std::string_view message);

}  // namespace stele::sdk::detail
