#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace stele::nodes {

/// How much merges of texts may cost. A text of more bytes or lines, those of the three together,
/// is merged with none. Steps are those of all texts: when they are used up, lines that repeat and
/// would have to be searched count as changed.
struct TextMergeBounds {
    std::size_t bytes = 32u << 20;
    std::size_t lines = 500'000;
    std::size_t steps = 20'000'000;
};

/// What both sides made of a text, merged by lines (diff3). Nothing where they changed the same
/// lines, or lines beside one another, to different ones, or beyond the bounds. Takes about as long
/// as the texts are large, and takes its steps off those that are left. Any thread.
std::optional<std::string> merge_texts(std::string_view base, std::string_view source,
                                       std::string_view target, TextMergeBounds& left);

}  // namespace stele::nodes
