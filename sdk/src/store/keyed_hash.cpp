#include "store/keyed_hash.hpp"

#include <tuple>

#include <sodium.h>

#include "sodium.hpp"

namespace stele::sdk::detail {

KeyedHash::KeyedHash() {
    static_assert(crypto_shorthash_KEYBYTES == std::tuple_size_v<decltype(key_)>);
    static_assert(crypto_shorthash_BYTES == sizeof(std::uint64_t));
    require_sodium();
    randombytes_buf(key_.data(), key_.size());
}

std::uint64_t KeyedHash::of(std::string_view text) const {
    std::uint64_t hash = 0;
    crypto_shorthash(reinterpret_cast<unsigned char*>(&hash),
                     reinterpret_cast<const unsigned char*>(text.data()), text.size(), key_.data());
    return hash;
}

}  // namespace stele::sdk::detail
