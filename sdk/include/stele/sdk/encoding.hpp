#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace stele::sdk {

// Bytes as text and back: hexadecimal, base64, percent-encoding. The bytes may be any. Any thread;
// what is no such text is answered with nothing or false, and nothing else fails.

inline constexpr std::string_view kHexDigits = "0123456789abcdef";

/// 0 to 15 for a hexadecimal digit in either case; -1 for anything else.
constexpr int hex_value(char digit) {
    if (digit >= '0' && digit <= '9') return digit - '0';
    if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
    if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
    return -1;
}

/// Two digits a byte, in lower case.
std::string hex_text(std::string_view bytes);
void append_hex(std::string& text, char byte);

/// The bytes of `hex_text`; nothing for other text, upper case included: ids have one spelling.
std::optional<std::string> hex_bytes(std::string_view text);
/// The same into bytes that are there, which lose what they held; false for other text.
bool read_hex(std::string_view text, std::string& bytes);

/// The bytes of base64 (RFC 4648) of either alphabet, padding optional; nothing for other text.
std::optional<std::string> base64_bytes(std::string_view text);

/// The text with all but letters, digits and `-._~` percent-encoded (RFC 3986, 2.3).
std::string percent_encoded(std::string_view text);

/// Undoes percent-encoding; `decoded` loses what it held. False when two digits are missing behind
/// a `%`. Whether the bytes are text is not looked at. `plus_is_blank` is for forms and queries.
bool percent_decode(std::string_view text, std::string& decoded, bool plus_is_blank = false);

/// The lowest `size` bytes of a number, at most 8, the highest first: sorts as the number does.
inline void append_big_endian(std::string& bytes, std::uint64_t value, std::size_t size) {
    char written[sizeof(value)];
    for (std::size_t i = 0; i < size; ++i)
        written[i] = static_cast<char>(value >> (8 * (size - 1 - i)));
    bytes.append(written, size);
}
inline std::uint64_t read_big_endian(std::string_view bytes) {
    std::uint64_t value = 0;
    for (const char byte : bytes)
        value = value << 8 | static_cast<unsigned char>(byte);
    return value;
}

}  // namespace stele::sdk
