#include <stele/sdk/json.hpp>

#include <array>
#include <cstddef>

namespace stele::sdk {

namespace {

/// Bytes of the well-formed UTF-8 sequence (Unicode 15, table 3-7) that `text` begins with, whose
/// first byte is not ASCII; 0 when there is none.
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

void append_escape(std::string& out, unsigned char byte) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    switch (byte) {
        case '"':
            out += "\\\"";
            return;
        case '\\':
            out += "\\\\";
            return;
        case '\b':
            out += "\\b";
            return;
        case '\f':
            out += "\\f";
            return;
        case '\n':
            out += "\\n";
            return;
        case '\r':
            out += "\\r";
            return;
        case '\t':
            out += "\\t";
            return;
        default:
            out += "\\u00";
            out += kDigits[byte >> 4];
            out += kDigits[byte & 15];
    }
}

constexpr auto kPlain = [] {
    std::array<bool, 256> plain{};
    for (std::size_t i = 0x20; i < 0x80; ++i)
        plain[i] = true;
    plain['"'] = false;
    plain['\\'] = false;
    return plain;
}();

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
    constexpr std::string_view kReplacement = "\xef\xbf\xbd";
    out.reserve(out.size() + text.size() + 2);
    out += '"';
    std::size_t done = 0;  // what lies before is in `out`
    std::size_t at = 0;
    while (at < text.size()) {
        const auto byte = static_cast<unsigned char>(text[at]);
        if (kPlain[byte]) {
            ++at;
            continue;
        }
        const std::size_t sequence = byte < 0x80 ? 0 : utf8_sequence(text.substr(at, 4));
        if (sequence > 0) {
            at += sequence;
            continue;
        }
        out += text.substr(done, at - done);
        if (byte < 0x80) {
            append_escape(out, byte);
        } else {
            out += kReplacement;
        }
        done = ++at;
    }
    out += text.substr(done);
    out += '"';
}

}  // namespace stele::sdk
