#include <cstdint>

#include "kernel/http/router.hpp"

namespace stele::kernel::http {

namespace {

int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

/// Number of bytes of the well-formed UTF-8 character at `at` (Unicode 15, table 3-7); 0 when there
/// is none.
std::size_t utf8_length(std::string_view text, std::size_t at) {
    const auto byte = [&](std::size_t i) {
        return i < text.size() ? static_cast<std::uint8_t>(text[i]) : std::uint8_t{0};
    };
    const auto is_between = [&](std::size_t i, std::uint8_t low, std::uint8_t high) {
        return byte(i) >= low && byte(i) <= high;
    };
    const auto is_tail = [&](std::size_t i) { return is_between(i, 0x80, 0xBF); };
    const std::uint8_t lead = byte(at);
    if (lead < 0x80) return 1;
    if (lead >= 0xC2 && lead <= 0xDF) return is_tail(at + 1) ? 2 : 0;
    if (lead >= 0xE0 && lead <= 0xEF) {
        const std::uint8_t low = lead == 0xE0 ? 0xA0 : 0x80;
        const std::uint8_t high = lead == 0xED ? 0x9F : 0xBF;
        return is_between(at + 1, low, high) && is_tail(at + 2) ? 3 : 0;
    }
    if (lead >= 0xF0 && lead <= 0xF4) {
        const std::uint8_t low = lead == 0xF0 ? 0x90 : 0x80;
        const std::uint8_t high = lead == 0xF4 ? 0x8F : 0xBF;
        return is_between(at + 1, low, high) && is_tail(at + 2) && is_tail(at + 3) ? 4 : 0;
    }
    return 0;
}

bool is_text(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
        if (text[at] == '\0') return false;
        const std::size_t length = utf8_length(text, at);
        if (length == 0) return false;
        at += length;
    }
    return true;
}

}  // namespace

bool percent_decode(std::string_view text, std::string& decoded, bool plus_is_blank) {
    decoded.clear();
    for (std::size_t at = 0; at < text.size(); ++at) {
        const char c = text[at];
        if (c == '+' && plus_is_blank) {
            decoded += ' ';
        } else if (c == '%') {
            if (at + 2 >= text.size()) return false;
            const int high = hex_digit(text[at + 1]);
            const int low = hex_digit(text[at + 2]);
            if (high < 0 || low < 0) return false;
            decoded += static_cast<char>(high * 16 + low);
            at += 2;
        } else {
            decoded += c;
        }
    }
    return is_text(decoded);
}

}  // namespace stele::kernel::http
