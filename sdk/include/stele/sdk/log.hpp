#pragma once

#include <string_view>

namespace stele::sdk {

enum class LogLevel { debug, info, warning, error };

/// Writes one line to the server's log. `source` is a plugin id or a kernel room; no secrets, no
/// line breaks (they are escaped). Any thread; never fails.
void log(LogLevel level, std::string_view source, std::string_view message);

/// Whether lines of the level are written at all.
bool is_logged(LogLevel level);

}  // namespace stele::sdk
