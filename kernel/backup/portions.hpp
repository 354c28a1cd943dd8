#pragma once

#include <cstddef>

namespace stele::kernel::backup {

/// Bytes of keys and values that one transaction writes.
inline constexpr std::size_t kBatchSize = 1024 * 1024;
/// Bytes of a blob or of an archive that are read at a time.
inline constexpr std::size_t kPieceSize = 256 * 1024;

}  // namespace stele::kernel::backup
