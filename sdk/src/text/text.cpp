#include <stele/sdk/text.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include <stele/sdk/letter_case.hpp>

namespace stele::sdk {

namespace {

/// Bytes of ASCII that `text` begins with, found eight at a time; up to seven may be left out.
std::size_t ascii_size(std::string_view text) {
    constexpr std::uint64_t kHighest = 0x8080808080808080;
    std::size_t size = 0;
    for (std::uint64_t bytes = 0; size + sizeof(bytes) <= text.size(); size += sizeof(bytes)) {
        std::memcpy(&bytes, text.data() + size, sizeof(bytes));
        if ((bytes & kHighest) != 0) break;
    }
    return size;
}

}  // namespace

bool has_zero_weight(std::string_view parameters) {
    while (!parameters.empty()) {
        std::string_view value = take_until(parameters, ';');
        const std::string_view name = trimmed(take_until(value, '='));
        if (!equals_ignoring_case(name, "q")) continue;
        return trimmed(value).find_first_not_of("0.") == std::string_view::npos;
    }
    return false;
}

std::size_t character_count(std::string_view text) {
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](char c) { return !continues_character(c); }));
}

std::size_t utf8_sequence(std::string_view text) {
    const auto at = [&](std::size_t i) {
        return i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
    };
    const auto is_between = [](int byte, int low, int high) { return byte >= low && byte <= high; };
    const auto is_tail = [&](std::size_t i) { return is_between(at(i), 0x80, 0xbf); };

    const int lead = at(0);
    if (is_between(lead, 0xc2, 0xdf)) return is_tail(1) ? 2 : 0;
    if (is_between(lead, 0xe0, 0xef)) {
        const int low = lead == 0xe0 ? 0xa0 : 0x80;
        const int high = lead == 0xed ? 0x9f : 0xbf;
        return is_between(at(1), low, high) && is_tail(2) ? 3 : 0;
    }
    if (is_between(lead, 0xf0, 0xf4)) {
        const int low = lead == 0xf0 ? 0x90 : 0x80;
        const int high = lead == 0xf4 ? 0x8f : 0xbf;
        return is_between(at(1), low, high) && is_tail(2) && is_tail(3) ? 4 : 0;
    }
    return 0;
}

bool is_utf8(std::string_view text) {
    text.remove_prefix(ascii_size(text));
    while (!text.empty()) {
        const bool is_ascii = static_cast<unsigned char>(text.front()) < 0x80;
        const std::size_t size = is_ascii ? 1 : utf8_sequence(text);
        if (size == 0) return false;
        text.remove_prefix(size);
    }
    return true;
}

}  // namespace stele::sdk
