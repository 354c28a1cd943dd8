#include "archive/readable_text.hpp"

#include <cstdint>

#include <nlohmann/json.hpp>

namespace stele::archives {

namespace {

constexpr int kIndent = 2;
constexpr std::uint64_t kMostSpace = std::uint64_t{1} << 20;

/// What lines of their own take for the values in one that lies so deep.
std::uint64_t space_in(const sdk::Json& value, std::uint64_t depth) {
    if (!value.is_structured() || value.empty()) return 0;
    const std::uint64_t line = 1 + kIndent * (depth + 1);
    std::uint64_t space = value.size() * line + line;
    for (const sdk::Json& inner : value)
        space += space_in(inner, depth + 1);
    return space;
}

}  // namespace

std::string readable_text(const sdk::Json& content) {
    const bool is_wide = space_in(content, 0) > kMostSpace;
    return (is_wide ? sdk::dump_json(content) : content.dump(kIndent)) + '\n';
}

}  // namespace stele::archives
