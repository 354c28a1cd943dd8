#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace stele::sdk {

// The case of ASCII letters, which is all that wire names, ids and header fields compare without;
// whatever the process's locale says. Any thread.

constexpr char lower_case(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// The text in lower case; what is no ASCII letter stays as it is.
std::string lower_case(std::string_view text);

constexpr bool equals_ignoring_case(std::string_view left, std::string_view right) {
    return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                      [](char a, char b) { return lower_case(a) == lower_case(b); });
}

}  // namespace stele::sdk
