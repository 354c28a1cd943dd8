#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <stele/sdk/result.hpp>

namespace stele::kernel::config {

struct IniEntry {
    std::string key;  ///< with its section in front: `server.port`
    std::string value;
    int line = 0;
};

/// Reads `key = value` lines. `[section]` puts `section.` in front of the keys that follow, `[]`
/// ends it. Lines that begin with `#` or `;` are comments. Blanks around keys and values do not
/// count; a value in double quotes keeps its own. `file` only appears in messages. Fails with
/// `invalid` (`config.line_malformed`, `config.key_repeated`), naming file and line.
sdk::Result<std::vector<IniEntry>> read_ini(std::string_view text, std::string_view file);

}  // namespace stele::kernel::config
