#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace stele::sdk::optimistic {

namespace detail {

inline std::uint64_t multiply_and_fold(std::uint64_t a, std::uint64_t b) {
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

inline std::uint64_t load(const char* bytes, std::size_t size) {
    std::uint64_t value = 0;
    std::memcpy(&value, bytes, size);
    return value;
}

}  // namespace detail

/// 64 well mixed bits of a key. Two keys with the same hash only cost a conflict that is none.
inline std::uint64_t hash_key(std::string_view key) {
    constexpr std::uint64_t kFirst = 0x9e3779b97f4a7c15;
    constexpr std::uint64_t kSecond = 0xe7037ed1a0b428db;
    constexpr std::size_t kWord = sizeof(std::uint64_t);
    std::uint64_t hash = detail::multiply_and_fold(key.size() ^ kFirst, kSecond);
    const char* at = key.data();
    std::size_t left = key.size();
    for (; left >= kWord; at += kWord, left -= kWord)
        hash = detail::multiply_and_fold(hash ^ detail::load(at, kWord), kFirst);
    hash ^= left > 0 ? detail::load(at, left) : 0;
    return detail::multiply_and_fold(hash ^ kSecond, kFirst) ^ hash;
}

/// For maps whose keys are hashes already.
struct HashIsKey {
    using is_avalanching = void;
    std::size_t operator()(std::uint64_t hash) const { return hash; }
};

}  // namespace stele::sdk::optimistic
