#pragma once

#include <string_view>

namespace stele::kernel::pagination {

/// A token of JSON as simdjson gives it, without the white space behind it.
inline std::string_view bare_token(std::string_view token) {
    while (!token.empty() && static_cast<unsigned char>(token.back()) <= ' ')
        token.remove_suffix(1);
    return token;
}

}  // namespace stele::kernel::pagination
