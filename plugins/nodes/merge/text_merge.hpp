#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace stele::nodes {

/// How much a merge of texts may cost. Beyond its lines, and where bytes of the three together are
/// more, there is none; beyond its steps, lines that are looked at count as all changed.
struct TextMergeBounds {
    std::size_t bytes = 32u << 20;
    std::size_t lines = 500'000;
    std::size_t steps = 20'000'000;
};

/// What both sides made of a text, merged by lines (diff3). Nothing where they changed the same
/// lines, or lines beside one another, to different ones, or beyond the bounds. Takes as long as
/// the texts are large, and as many steps as its bounds allow. Any thread.
std::optional<std::string> merge_texts(std::string_view base, std::string_view source,
                                       std::string_view target, const TextMergeBounds& bounds = {});

}  // namespace stele::nodes
