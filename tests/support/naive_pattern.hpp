#pragma once

#include <string>
#include <string_view>

namespace stele::testing {

/// Whether a small regular expression is found in a text: plain characters, `.`, `*` behind a
/// character, `^` at the beginning and `$` at the end. `options` holds letters of `imsx`; i knows
/// the letters of ASCII and the German umlauts.
bool naive_search(std::string_view pattern, std::string_view options, std::string_view text);

}  // namespace stele::testing
