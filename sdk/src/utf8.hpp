#pragma once

#include <cstddef>
#include <string_view>

namespace stele::sdk {

/// Bytes of the well-formed UTF-8 sequence (Unicode 15, table 3-7) that `text` begins with, whose
/// first byte is not ASCII; 0 when there is none.
std::size_t utf8_sequence(std::string_view text);

}  // namespace stele::sdk
