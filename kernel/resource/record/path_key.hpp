#pragma once

#include <string_view>

#include <stele/sdk/result.hpp>

namespace stele::kernel::resource {

/// Whether a key that clients choose can stand in a path: 1 to 128 bytes, no control characters,
/// none of `/ \ ? #`. Fails with `code`, naming the `member` that the key came in.
sdk::Result<void> check_path_key(std::string_view key, std::string_view member,
                                 std::string_view code);

}  // namespace stele::kernel::resource
