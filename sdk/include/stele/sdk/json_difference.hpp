#pragma once

#include <cstddef>

#include <stele/sdk/json.hpp>
#include <stele/sdk/result.hpp>

namespace stele::sdk {

/// Bytes of text that one patch may have, and those of a page together.
inline constexpr std::size_t kMaxDifference = 16u << 20;
inline constexpr std::size_t kMaxDifferences = 64u << 20;

/// The JSON patch (RFC 6902) that makes `after` of `before`. Takes about as long as both are large,
/// however many members their objects have, and fails with `too_large`
/// (`json.difference_too_large`) where the patch would have more than `most` bytes: each of its
/// operations repeats the whole path, so that it may be a thousand times as long as what it
/// compares. Nothing beyond the bound is made. Any thread.
[[nodiscard]] Result<Json> json_difference(const Json& before, const Json& after,
                                           std::size_t most = kMaxDifference);

/// The same for patches that are answered together: no more than `left` bytes, which it takes off.
[[nodiscard]] Result<Json> take_json_difference(const Json& before, const Json& after,
                                                std::size_t& left);

/// Whether the patch between both has no operation: numbers that are equal are the same, and the
/// order of members is no difference. Any thread.
[[nodiscard]] bool is_same_json(const Json& one, const Json& other);

}  // namespace stele::sdk
