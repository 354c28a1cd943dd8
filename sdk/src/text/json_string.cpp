#include <stele/sdk/json.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <stele/sdk/encoding.hpp>
#include <stele/sdk/text.hpp>

namespace stele::sdk {

namespace {

void append_escape(std::string& out, unsigned char byte) {
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
            append_hex(out, static_cast<char>(byte));
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

/// Whether eight bytes are all plain. Each test below sets the highest bit of some byte if and only
/// if there is one of its kind.
bool are_plain(const char* eight) {
    constexpr std::uint64_t kOnes = 0x0101010101010101;
    constexpr std::uint64_t kHighest = 0x8080808080808080;
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, eight, sizeof(bytes));
    const auto below = [](std::uint64_t word, std::uint64_t bound) {
        return (word - kOnes * bound) & ~word;
    };
    const std::uint64_t special =
        bytes | below(bytes, 0x20) | below(bytes ^ kOnes * '"', 1) | below(bytes ^ kOnes * '\\', 1);
    return (special & kHighest) == 0;
}

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
    constexpr std::string_view kReplacement = "\xef\xbf\xbd";
    out.reserve(out.size() + text.size() + 2);
    out += '"';
    std::size_t done = 0;  // what lies before is in `out`
    std::size_t at = 0;
    while (at < text.size()) {
        if (text.size() - at >= 8 && are_plain(text.data() + at)) {
            at += 8;
            continue;
        }
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
