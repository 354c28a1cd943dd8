#include "terms.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "node_text.hpp"

namespace stele::node_search {

namespace {

// Xapian takes terms of up to 245 bytes.
constexpr std::size_t kPathBytes = 16;
constexpr std::size_t kWordBytes = 100;
constexpr std::size_t kNodeBytes = 100;
constexpr char kEnd = '\x01';
constexpr char kOther = '#';

/// Short, as nearly every term begins so; no part of a term holds the byte that ends a path.
std::string path_name(std::string_view path) {
    if (const auto place = place_of_common(path))
        return {kOther, static_cast<char>('A' + static_cast<int>(*place))};
    const bool is_plain = path.size() <= kPathBytes && !path.starts_with(kOther) &&
                          path.find(kEnd) == std::string_view::npos;
    if (is_plain) return std::string(path);
    return fmt::format("{}{:016x}", kOther, digest(path));
}

std::optional<std::uint64_t> read_number(std::string_view& text) {
    std::uint64_t number = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (problem != std::errc()) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return number;
}

}  // namespace

std::uint64_t digest(std::string_view bytes, std::uint64_t seed) {
    for (const char byte : bytes)
        seed = (seed ^ static_cast<unsigned char>(byte)) * 0x100000001b3U;
    return seed;
}

std::string shortened(std::string_view text, std::size_t most) {
    if (text.size() <= most) return std::string(text);
    return fmt::format("{}{:016x}", text.substr(0, most - 16), digest(text));
}

std::string space_name(const sdk::ContentSpace& space) {
    return fmt::format("{}.{}", space.platform, space.repository);
}

std::optional<sdk::ContentSpace> read_space_name(std::string_view name) {
    const auto platform = read_number(name);
    if (!platform || !name.starts_with('.')) return std::nullopt;
    name.remove_prefix(1);
    const auto repository = read_number(name);
    if (!repository || !name.empty()) return std::nullopt;
    return sdk::ContentSpace{*platform, *repository};
}

Terms::Terms(const sdk::ContentSpace& space) : space_(space_name(space) + " ") {}

std::string Terms::line(std::uint64_t line) const {
    return fmt::format("{}L{}", space_, line);
}

std::string Terms::version(std::uint64_t line, std::string_view node,
                           std::uint64_t revision) const {
    return fmt::format("{}V{}.{}.{}", space_, line, revision, shortened(node, kNodeBytes));
}

std::string Terms::present(std::string_view path) const {
    return (space_ + 'P').append(path_name(path));
}

std::string Terms::words(std::string_view path) const {
    if (path.empty()) return space_ + 'W';
    std::string beginning = (space_ + 'F').append(path_name(path));
    beginning += kEnd;
    return beginning;
}

std::string Terms::values(std::string_view path) const {
    std::string beginning = (space_ + 'R').append(path_name(path));
    beginning += kEnd;
    return beginning;
}

std::string Terms::word(std::string_view path, std::string_view word) const {
    return joined(words(path), word);
}

std::string Terms::joined(const std::string& beginning, std::string_view word) {
    std::string term;
    term.reserve(beginning.size() + std::min(word.size(), kWordBytes));
    term = beginning;
    return word.size() <= kWordBytes ? term.append(word) : term.append(shortened(word, kWordBytes));
}

}  // namespace stele::node_search
