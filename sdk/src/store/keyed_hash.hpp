#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace stele::sdk::detail {

/// SipHash under a key of its own, so that nobody outside can make texts whose hashes meet. Any
/// thread.
class KeyedHash {
public:
    KeyedHash();

    std::uint64_t of(std::string_view text) const;

private:
    std::array<unsigned char, 16> key_{};
};

}  // namespace stele::sdk::detail
