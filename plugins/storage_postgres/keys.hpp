#pragma once

#include <cstddef>
#include <string>

namespace stele::storage_postgres {

/// Keys are at most so long: an index of PostgreSQL takes no more.
inline constexpr std::size_t kMaxKeyLength = 2600;

/// The end of a range as a bound: what stands for no end lies above every key that can be stored.
inline std::string upper_bound(const std::string& end) {
    return end.empty() ? std::string(kMaxKeyLength + 1, '\xff') : end;
}

}  // namespace stele::storage_postgres
