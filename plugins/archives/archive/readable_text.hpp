#pragma once

#include <string>

#include <stele/sdk/json.hpp>

namespace stele::archives {

/// JSON for people and editors, each value on a line of its own; in one line where that alone would
/// take more than a MiB, as of much that lies deep. Ends with a line break.
std::string readable_text(const sdk::Json& content);

}  // namespace stele::archives
