#pragma once

#include <string>
#include <string_view>

#include <leveldb/slice.h>

namespace stele::kernel::storage {

/// The same bytes for LevelDB; they stay the caller's.
inline leveldb::Slice slice(std::string_view bytes) {
    return {bytes.data(), bytes.size()};
}

/// Above every key of the layout, none of which begins with so many of these.
inline const std::string kBeyondAll(64, '\xff');

}  // namespace stele::kernel::storage
