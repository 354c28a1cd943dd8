#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <stele/sdk/result.hpp>
#include <stele/sdk/zip.hpp>

namespace stele::sdk::zip {

// What reader and writer share of the format (APPNOTE 6.3, 4.3 to 4.5).

inline constexpr std::string_view kLocalHead{"PK\x03\x04", 4};
inline constexpr std::string_view kDescriptor{"PK\x07\x08", 4};
inline constexpr std::string_view kDirectoryHead{"PK\x01\x02", 4};
inline constexpr std::string_view kEnd{"PK\x05\x06", 4};
inline constexpr std::string_view kZip64End{"PK\x06\x06", 4};
inline constexpr std::string_view kZip64Locator{"PK\x06\x07", 4};

inline constexpr std::size_t kLocalHeadSize = 30;
inline constexpr std::size_t kDirectoryHeadSize = 46;
inline constexpr std::size_t kEndSize = 22;
inline constexpr std::size_t kZip64EndSize = 56;
inline constexpr std::size_t kZip64LocatorSize = 20;
/// Of the ZIP64 end record, before what its own size counts.
inline constexpr std::size_t kZip64EndFront = 12;

inline constexpr std::uint16_t kStored = 0;
inline constexpr std::uint16_t kDeflated = 8;

/// Checksum and sizes stand behind the bytes.
inline constexpr std::uint16_t kHasDescriptor = 1U << 3U;
inline constexpr std::uint16_t kIsUtf8 = 1U << 11U;
/// Encrypted, patched, strongly encrypted, or with hidden headers.
inline constexpr std::uint16_t kUnsupportedFlags = 1U | 1U << 5U | 1U << 6U | 1U << 13U;

/// The field stands in the ZIP64 extra field.
inline constexpr std::uint32_t kInZip64 = 0xffffffff;
inline constexpr std::uint16_t kCountInZip64 = 0xffff;
inline constexpr std::uint16_t kZip64Field = 1;

/// Types of files in the external attributes of Unix.
inline constexpr std::uint32_t kFileType = 0170000;
inline constexpr std::uint32_t kRegularFile = 0100000;
inline constexpr std::uint32_t kFolder = 0040000;
inline constexpr unsigned kUnixShift = 16;

inline constexpr std::size_t kPiece = std::size_t{64} * 1024;

/// A number, least byte first; the caller has seen that it is there.
template <class Number>
Number number_at(std::string_view bytes, std::size_t at) {
    Number number = 0;
    for (std::size_t i = sizeof(Number); i-- > 0;) {
        number = static_cast<Number>(number << 8U) |
                 static_cast<Number>(static_cast<unsigned char>(bytes[at + i]));
    }
    return number;
}

template <class Number>
void append_number(std::string& out, Number number) {
    for (std::size_t i = 0; i < sizeof(Number); ++i)
        out += static_cast<char>(static_cast<std::uint64_t>(number) >> (8 * i));
}

Error malformed(const std::string& problem);
Error path_twice(std::string_view path);
/// `path` may be a name for the archive itself.
Error unsupported(std::string_view path, const std::string& what);
Error too_large(const std::string& problem);
Error memory_missing();

/// Archives do not say reliably in what their names are written: UTF-8, else IBM437, which they
/// began with.
std::string readable_path(std::string_view name);
/// Whether the path leads nowhere but into the archive, and can be shown: relative, no segment that
/// is empty, `.` or `..`, no backslash or control character, 4096 bytes and 100 folders at most. A
/// folder's may end with a slash.
bool is_safe_path(std::string_view path);

}  // namespace stele::sdk::zip
