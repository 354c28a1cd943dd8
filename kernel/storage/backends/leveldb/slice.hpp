#pragma once

#include <string_view>

#include <leveldb/slice.h>

namespace stele::kernel::storage {

/// The same bytes for LevelDB; they stay the caller's.
inline leveldb::Slice slice(std::string_view bytes) {
    return {bytes.data(), bytes.size()};
}

}  // namespace stele::kernel::storage
