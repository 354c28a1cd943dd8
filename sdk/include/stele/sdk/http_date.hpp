#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace stele::sdk {

/// Epoch milliseconds as a date of HTTP, `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, 5.6.7): whole
/// seconds, what is left is cut off.
std::string http_date(std::int64_t ms);

/// A date in any of the three forms of RFC 9110; nothing when the text is none.
std::optional<std::int64_t> read_http_date(std::string_view text);

}  // namespace stele::sdk
