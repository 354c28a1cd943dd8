#pragma once

#include <cstdint>
#include <string_view>

namespace stele::kernel::storage {

/// The checksum (CRC-32C) that LevelDB's files hold, in the disguise in which they hold it.
std::uint32_t masked_crc32c(std::string_view bytes);

/// Four bytes as LevelDB's files have numbers.
std::uint32_t read_fixed32(const char* bytes);

}  // namespace stele::kernel::storage
