#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace stele::kernel::config {

/// A whole number in decimal digits, with an optional minus.
std::optional<std::int64_t> parse_integer(std::string_view text);

/// A number of bytes: `512`, `512B`, `64KiB`, `16MiB`, `2GiB`, `1TiB`, `64kB`, `16MB`, `2GB`,
/// `1TB`.
std::optional<std::int64_t> parse_bytes(std::string_view text);

/// A time: `250ms`, `5s`, `10min`, `2h`, `7d`, or `0`.
std::optional<std::int64_t> parse_milliseconds(std::string_view text);

}  // namespace stele::kernel::config
