#include <stele/sdk/encoding.hpp>

#include <algorithm>
#include <array>
#include <cstddef>

#include <sodium.h>

#include <stele/sdk/text.hpp>

namespace stele::sdk {

namespace {

/// 0 to 15 for a digit that `hex_text` writes; -1 for anything else. libsodium's reader takes four
/// times as long, and either case (docs/decisions/0119-text-and-encoding-in-one-place.md).
constexpr auto kHexValues = [] {
    std::array<signed char, 256> values{};
    values.fill(-1);
    for (std::size_t i = 0; i < kHexDigits.size(); ++i)
        values[static_cast<unsigned char>(kHexDigits[i])] = static_cast<signed char>(i);
    return values;
}();

int hex_value_in_id(char digit) {
    return kHexValues[static_cast<unsigned char>(digit)];
}

}  // namespace

void append_hex(std::string& text, char byte) {
    const auto value = static_cast<unsigned char>(byte);
    text += kHexDigits[value >> 4];
    text += kHexDigits[value & 15];
}

std::string hex_text(std::string_view bytes) {
    std::string text(2 * bytes.size(), '\0');
    char* digit = text.data();
    for (const char byte : bytes) {
        const auto value = static_cast<unsigned char>(byte);
        *digit++ = kHexDigits[value >> 4];
        *digit++ = kHexDigits[value & 15];
    }
    return text;
}

bool read_hex(std::string_view text, std::string& bytes) {
    if (text.size() % 2 != 0) return false;
    bytes.resize(text.size() / 2);
    const char* digit = text.data();
    int all = 0;
    for (char& byte : bytes) {
        const int high = hex_value_in_id(digit[0]);
        const int low = hex_value_in_id(digit[1]);
        all |= high | low;
        byte = static_cast<char>(high * 16 + low);
        digit += 2;
    }
    return all >= 0;
}

std::optional<std::string> hex_bytes(std::string_view text) {
    std::string bytes;
    if (!read_hex(text, bytes)) return std::nullopt;
    return bytes;
}

std::optional<std::string> base64_bytes(std::string_view text) {
    while (text.ends_with('='))
        text.remove_suffix(1);
    std::string even(text);
    std::replace(even.begin(), even.end(), '-', '+');
    std::replace(even.begin(), even.end(), '_', '/');
    std::string bytes(even.size(), '\0');
    std::size_t size = 0;
    const int outcome = sodium_base642bin(reinterpret_cast<unsigned char*>(bytes.data()),
                                          bytes.size(), even.data(), even.size(), nullptr, &size,
                                          nullptr, sodium_base64_VARIANT_ORIGINAL_NO_PADDING);
    if (outcome != 0) return std::nullopt;
    bytes.resize(size);
    return bytes;
}

std::string percent_encoded(std::string_view text) {
    constexpr std::string_view kUpperDigits = "0123456789ABCDEF";
    std::string encoded;
    encoded.reserve(text.size());
    for (const char c : text) {
        if (is_unreserved(c)) {
            encoded += c;
            continue;
        }
        const auto byte = static_cast<unsigned char>(c);
        encoded += '%';
        encoded += kUpperDigits[byte >> 4];
        encoded += kUpperDigits[byte & 15];
    }
    return encoded;
}

bool percent_decode(std::string_view text, std::string& decoded, bool plus_is_blank) {
    decoded.clear();
    std::size_t done = 0;  // what lies before is decoded
    for (std::size_t at = 0; at < text.size(); ++at) {
        const bool is_blank = text[at] == '+' && plus_is_blank;
        if (text[at] != '%' && !is_blank) continue;
        decoded += text.substr(done, at - done);
        if (is_blank) {
            decoded += ' ';
        } else {
            if (at + 2 >= text.size()) return false;
            const int high = hex_value(text[at + 1]);
            const int low = hex_value(text[at + 2]);
            if (high < 0 || low < 0) return false;
            decoded += static_cast<char>(high * 16 + low);
            at += 2;
        }
        done = at + 1;
    }
    decoded += text.substr(done);
    return true;
}

}  // namespace stele::sdk
