#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace stele::sdk {

/// How the value of a setting is written.
enum class SettingKind {
    text,
    number,  ///< a whole number
    flag,    ///< `true` or `false`
    bytes,   ///< a number of bytes, or a size such as `16MiB`
};

/// What a plugin may read of the server's configuration; declared so that `stele config` documents
/// it. The full key is `<plugin id>.<name>`.
struct Setting {
    std::string name;
    std::string default_value;  ///< of numbers and sizes: digits
    std::string description;
    // What follows is set by the function of the registrar that reads it.
    SettingKind kind = SettingKind::text;
    std::int64_t least = 0;
    std::int64_t most = std::numeric_limits<std::int64_t>::max();
    std::vector<std::string> one_of = {};  ///< allowed texts; empty: any
};

}  // namespace stele::sdk
