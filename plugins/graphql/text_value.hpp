#pragma once

#include <string>
#include <string_view>

namespace stele::graphql {

/// The characters of a string literal, given without its quotes. False when an escape names no
/// character.
bool unescape(std::string_view literal, std::string& text);

/// The characters of a block string, given without its quotes: common indentation and blank lines
/// at both ends go (GraphQL, edition October 2021, 2.9.4).
std::string block_characters(std::string_view literal);

}  // namespace stele::graphql
