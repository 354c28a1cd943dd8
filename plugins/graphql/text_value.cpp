#include "text_value.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <vector>

namespace stele::graphql {

namespace {

void append_utf8(std::uint32_t point, std::string& text) {
    const auto tail = [&](int shift) {
        text += static_cast<char>(0x80 | ((point >> shift) & 0x3f));
    };
    if (point < 0x80) {
        text += static_cast<char>(point);
    } else if (point < 0x800) {
        text += static_cast<char>(0xc0 | (point >> 6));
        tail(0);
    } else if (point < 0x10000) {
        text += static_cast<char>(0xe0 | (point >> 12));
        tail(6);
        tail(0);
    } else {
        text += static_cast<char>(0xf0 | (point >> 18));
        tail(12);
        tail(6);
        tail(0);
    }
}

std::optional<std::uint32_t> hexadecimal(std::string_view digits) {
    std::uint32_t number = 0;
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), number, 16);
    if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
    return number;
}

/// Reads what follows `\u`, the second half of a surrogate pair included.
std::optional<std::uint32_t> read_point(std::string_view& rest) {
    if (rest.starts_with('{')) {
        const std::size_t end = rest.find('}');
        if (end == std::string_view::npos) return std::nullopt;
        const auto point = hexadecimal(rest.substr(1, end - 1));
        rest.remove_prefix(end + 1);
        return point;
    }
    const auto first = hexadecimal(rest.substr(0, 4));
    rest.remove_prefix(std::min<std::size_t>(4, rest.size()));
    if (!first || *first < 0xd800 || *first > 0xdbff) return first;
    if (!rest.starts_with("\\u")) return std::nullopt;
    const auto second = hexadecimal(rest.substr(2, 4));
    if (!second || *second < 0xdc00 || *second > 0xdfff) return std::nullopt;
    rest.remove_prefix(6);
    return 0x10000 + ((*first - 0xd800) << 10) + (*second - 0xdc00);
}

constexpr std::string_view kBlank = " \t";

std::vector<std::string_view> split_lines(std::string_view text) {
    std::vector<std::string_view> lines;
    while (true) {
        const std::size_t end = text.find_first_of("\r\n");
        lines.push_back(text.substr(0, end));
        if (end == std::string_view::npos) return lines;
        text.remove_prefix(end + (text.substr(end, 2) == "\r\n" ? 2 : 1));
    }
}

bool is_blank(std::string_view line) {
    return line.find_first_not_of(kBlank) == std::string_view::npos;
}

}  // namespace

bool unescape(std::string_view literal, std::string& text) {
    while (!literal.empty()) {
        const std::size_t plain = std::min(literal.find('\\'), literal.size());
        text += literal.substr(0, plain);
        literal.remove_prefix(plain);
        if (literal.empty()) break;
        const char kind = literal[1];
        literal.remove_prefix(2);
        if (kind == 'u') {
            const auto point = read_point(literal);
            if (!point || *point > 0x10ffff || (*point >= 0xd800 && *point <= 0xdfff)) return false;
            append_utf8(*point, text);
            continue;
        }
        constexpr std::string_view kKinds = "bfnrt";
        const std::size_t control = kKinds.find(kind);
        text += control == std::string_view::npos ? kind : "\b\f\n\r\t"[control];
    }
    return true;
}

std::string block_characters(std::string_view literal) {
    std::vector<std::string_view> lines = split_lines(literal);
    std::size_t indentation = std::string_view::npos;
    for (std::size_t i = 1; i < lines.size(); ++i) {
        if (!is_blank(lines[i]))
            indentation = std::min(indentation, lines[i].find_first_not_of(kBlank));
    }
    for (std::size_t i = 1; i < lines.size(); ++i)
        lines[i].remove_prefix(std::min(indentation, lines[i].size()));
    const auto first = std::find_if_not(lines.begin(), lines.end(), is_blank);
    const auto last = std::find_if_not(lines.rbegin(), lines.rend(), is_blank).base();
    std::string text;
    for (auto line = first; line < last; ++line) {
        if (line != first) text += '\n';
        text += *line;
    }
    constexpr std::string_view kEscaped = "\\\"\"\"";
    for (std::size_t at = text.find(kEscaped); at != std::string::npos;
         at = text.find(kEscaped, at + 3))
        text.erase(at, 1);
    return text;
}

}  // namespace stele::graphql
