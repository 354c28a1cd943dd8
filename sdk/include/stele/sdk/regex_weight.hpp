#pragma once

#include <cstddef>
#include <string_view>

namespace stele::sdk {

/// What compiling a pattern for RE2 costs at most, in units of one character: classes of Unicode
/// and counted repetitions cost far more than they are long. A thousand take less than ten
/// milliseconds. Any thread.
[[nodiscard]] std::size_t regex_weight(std::string_view pattern);

/// Most that the patterns of one query or one schema weigh together.
inline constexpr std::size_t kMaxRegexWeight = 8192;

}  // namespace stele::sdk
