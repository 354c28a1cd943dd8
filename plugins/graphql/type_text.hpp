#pragma once

#include <string_view>

/// Types as they are written: `Int`, `[ID!]!`. Views of the text given.
namespace stele::graphql {

inline bool is_non_null(std::string_view type) {
    return type.ends_with('!');
}

inline std::string_view nullable(std::string_view type) {
    return is_non_null(type) ? type.substr(0, type.size() - 1) : type;
}

/// Of a nullable one.
inline bool is_list(std::string_view type) {
    return type.starts_with('[');
}

/// Of a list.
inline std::string_view item_type(std::string_view type) {
    return type.substr(1, type.size() - 2);
}

inline std::string_view named_type(std::string_view type) {
    while (!type.empty() && (type.front() == '[' || type.back() == '!'))
        type = is_non_null(type) ? nullable(type) : item_type(type);
    return type;
}

}  // namespace stele::graphql
