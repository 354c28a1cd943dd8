#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace stele::node_search {

/// Text without regard to case and to the ways in which Unicode writes the same character.
std::string folded(std::string_view text);

/// The folded words of a text, in their order, by the rules of Unicode (UAX 29). What holds neither
/// a letter nor a digit is no word.
std::vector<std::string> words_of(std::string_view text);
/// The same words, all by the rules of Unicode: for tests.
std::vector<std::string> words_by_rules(std::string_view text);

}  // namespace stele::node_search
