#include "zip/zip_format.hpp"

#include <algorithm>
#include <array>

#include <stele/sdk/error.hpp>
#include <stele/sdk/text.hpp>

namespace stele::sdk::zip {

namespace {

constexpr std::size_t kMaxPathLength = 4096;
constexpr int kMaxPathDepth = 100;

/// The upper half of IBM437; its lower half is ASCII.
constexpr std::array<char16_t, 128> kIbm437{
    0x00c7, 0x00fc, 0x00e9, 0x00e2, 0x00e4, 0x00e0, 0x00e5, 0x00e7, 0x00ea, 0x00eb, 0x00e8, 0x00ef,
    0x00ee, 0x00ec, 0x00c4, 0x00c5, 0x00c9, 0x00e6, 0x00c6, 0x00f4, 0x00f6, 0x00f2, 0x00fb, 0x00f9,
    0x00ff, 0x00d6, 0x00dc, 0x00a2, 0x00a3, 0x00a5, 0x20a7, 0x0192, 0x00e1, 0x00ed, 0x00f3, 0x00fa,
    0x00f1, 0x00d1, 0x00aa, 0x00ba, 0x00bf, 0x2310, 0x00ac, 0x00bd, 0x00bc, 0x00a1, 0x00ab, 0x00bb,
    0x2591, 0x2592, 0x2593, 0x2502, 0x2524, 0x2561, 0x2562, 0x2556, 0x2555, 0x2563, 0x2551, 0x2557,
    0x255d, 0x255c, 0x255b, 0x2510, 0x2514, 0x2534, 0x252c, 0x251c, 0x2500, 0x253c, 0x255e, 0x255f,
    0x255a, 0x2554, 0x2569, 0x2566, 0x2560, 0x2550, 0x256c, 0x2567, 0x2568, 0x2564, 0x2565, 0x2559,
    0x2558, 0x2552, 0x2553, 0x256b, 0x256a, 0x2518, 0x250c, 0x2588, 0x2584, 0x258c, 0x2590, 0x2580,
    0x03b1, 0x00df, 0x0393, 0x03c0, 0x03a3, 0x03c3, 0x00b5, 0x03c4, 0x03a6, 0x0398, 0x03a9, 0x03b4,
    0x221e, 0x03c6, 0x03b5, 0x2229, 0x2261, 0x00b1, 0x2265, 0x2264, 0x2320, 0x2321, 0x00f7, 0x2248,
    0x00b0, 0x2219, 0x00b7, 0x221a, 0x207f, 0x00b2, 0x25a0, 0x00a0,
};

/// All of them have two or three bytes in UTF-8.
void append_utf8(std::string& out, char16_t character) {
    const auto code = static_cast<unsigned>(character);
    if (code < 0x800) {
        out += static_cast<char>(0xc0U | (code >> 6U));
    } else {
        out += static_cast<char>(0xe0U | (code >> 12U));
        out += static_cast<char>(0x80U | ((code >> 6U) & 0x3fU));
    }
    out += static_cast<char>(0x80U | (code & 0x3fU));
}

/// Those of ASCII and of Latin-1 (U+0080 to U+009F).
bool has_control_character(std::string_view path) {
    for (std::size_t i = 0; i < path.size(); ++i) {
        const auto byte = static_cast<unsigned char>(path[i]);
        if (byte < 0x20 || byte == 0x7f) return true;
        const bool is_pair = byte == 0xc2 && i + 1 < path.size();
        if (is_pair && static_cast<unsigned char>(path[i + 1]) < 0xa0) return true;
    }
    return false;
}

}  // namespace

Error malformed(const std::string& problem) {
    return make_error(ErrorKind::invalid, "zip.malformed",
                      "this is no ZIP archive that can be read: " + problem);
}

Error path_twice(std::string_view path) {
    return make_error(ErrorKind::invalid, "zip.path_twice",
                      "the archive has more than one entry for " + shown_path(path));
}

Error unsupported(std::string_view path, const std::string& what) {
    return make_error(ErrorKind::unsupported, "zip.entry_unsupported",
                      shown_path(path) + " is " + what);
}

Error too_large(const std::string& problem) {
    return make_error(ErrorKind::too_large, "zip.too_large", "the archive " + problem);
}

Error memory_missing() {
    return make_error(ErrorKind::unavailable, "zip.memory_missing",
                      "there is no memory to pack or unpack an archive");
}

std::string readable_path(std::string_view name) {
    if (is_utf8(name)) return std::string(name);
    std::string path;
    for (const char c : name) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < kIbm437.size()) {
            path += c;
        } else {
            append_utf8(path, kIbm437[byte - kIbm437.size()]);
        }
    }
    return path;
}

bool is_safe_path(std::string_view path) {
    if (path.empty() || path.size() > kMaxPathLength) return false;
    if (std::count(path.begin(), path.end(), '/') > kMaxPathDepth) return false;
    if (path.find('\\') != std::string_view::npos || has_control_character(path)) return false;
    while (!path.empty()) {
        const std::string_view segment = take_until(path, '/');
        if (segment.empty() || segment == "." || segment == "..") return false;
    }
    return true;
}

}  // namespace stele::sdk::zip
