#pragma once

#include <cstddef>
#include <string_view>

namespace stele::sdk {

// Pieces of text as wire formats have them, in ASCII and UTF-8, whatever the process's locale says.
// Views that are returned lie in the text that was given. Any thread; nothing fails.

constexpr bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

constexpr bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

constexpr bool is_letter_or_digit(char c) {
    return is_letter(c) || is_digit(c);
}

/// A character that addresses of the web take as it is (RFC 3986, 2.3).
constexpr bool is_unreserved(char c) {
    return is_letter_or_digit(c) || c == '-' || c == '.' || c == '_' || c == '~';
}

/// A character of names in header fields and of media types (`tchar` in RFC 9110, 5.6.2).
constexpr bool is_token_character(char c) {
    return is_letter_or_digit(c) ||
           std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

/// Without the blanks and tabs at both ends. Line ends stay.
constexpr std::string_view trimmed(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t'))
        text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t'))
        text.remove_suffix(1);
    return text;
}

/// Takes what stands before `separator` off the front of `rest`, and the separator; all of it when
/// there is none.
constexpr std::string_view take_until(std::string_view& rest, char separator) {
    const std::size_t at = rest.find(separator);
    const std::string_view piece = rest.substr(0, at);
    rest = at == std::string_view::npos ? std::string_view() : rest.substr(at + 1);
    return piece;
}

/// Whether an element of `Accept-Encoding`, `Accept-Language` and their like is refused: its
/// parameters, which is what follows its first `;`, have the weight 0 (RFC 9110, 12.4.2).
bool has_zero_weight(std::string_view parameters);

/// Whether the byte goes on with a character of UTF-8 that began before it.
constexpr bool continues_character(char byte) {
    return (static_cast<unsigned char>(byte) & 0xc0) == 0x80;
}

/// The first character with all bytes that continue it; of text that is no UTF-8 at least a byte.
constexpr std::string_view first_character(std::string_view text) {
    std::size_t size = 1;
    while (size < text.size() && continues_character(text[size]))
        ++size;
    return text.substr(0, size);
}

/// Characters, not bytes.
std::size_t character_count(std::string_view text);

/// The front of the text, at most `most` bytes, no character of it cut in two.
constexpr std::string_view cut_to(std::string_view text, std::size_t most) {
    if (text.size() <= most) return text;
    while (most > 0 && continues_character(text[most]))
        --most;
    return text.substr(0, most);
}

/// Bytes of the well-formed UTF-8 sequence (Unicode 15, table 3-7) that `text` begins with, whose
/// first byte is not ASCII; 0 when there is none.
std::size_t utf8_sequence(std::string_view text);

/// Whether all of it is well-formed UTF-8. A NUL is a character of it.
bool is_utf8(std::string_view text);

}  // namespace stele::sdk
