#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace stele::storage_postgres {

/// Keys are at most so long: an index of PostgreSQL takes no more.
inline constexpr std::size_t kMaxKeyLength = 2600;

/// The end of a range as a bound: what stands for no end lies above every key that can be stored.
inline std::string upper_bound(const std::string& end) {
    return end.empty() ? std::string(kMaxKeyLength + 1, '\xff') : end;
}

/// The lowest key above `key`.
inline std::string just_above(std::string_view key) {
    std::string above(key);
    above.push_back('\0');
    return above;
}

}  // namespace stele::storage_postgres
