#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace stele::sdk {

/// The JSON text of a record by an LZ4 block, which may refer to a text that is the same for ever
/// and has what the server writes into every record. Four bytes of the text's length stand before
/// it. Empty when that is no shorter than the text.
std::string pack_text(std::string_view text);

/// Nothing when the bytes are no such block.
std::optional<std::string> unpack_text(std::string_view packed);

}  // namespace stele::sdk
