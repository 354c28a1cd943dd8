#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace stele::nodes {

/// Lines of texts as numbers: equal lines have equal ones, and none is as large as how many there
/// are.
using TextLines = std::vector<std::uint32_t>;

/// Lines of the base that another text has others instead of.
struct ChangedLines {
    std::size_t base_begin = 0;
    std::size_t base_end = 0;
    std::size_t begin = 0;
    std::size_t end = 0;
};

/// What another text has changed, in order, with a line that both have between any two. Lines that
/// either has once are found first (patience), what lies between them by the shortest difference
/// (Myers), as long as that is near and there are steps, which are taken off; else all of it counts
/// as changed. `distinct` is the number of different lines.
std::vector<ChangedLines> changed_lines(const TextLines& base, const TextLines& other,
                                        std::size_t distinct, std::size_t& steps);

}  // namespace stele::nodes
