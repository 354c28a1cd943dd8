#include "zip/zip_records.hpp"

#include <algorithm>

#include "zip/zip_format.hpp"

namespace stele::sdk::zip {

namespace {

/// Of the format's version, 2.0 for folders and deflated files, 4.5 for ZIP64.
constexpr std::uint16_t kVersion = 20;
constexpr std::uint16_t kZip64Version = 45;
constexpr std::uint16_t kMadeOnUnix = 3U << 8U;
/// 1980-01-01, the first day that there is.
constexpr std::uint16_t kDate = 1U << 5U | 1U;
constexpr std::uint32_t kFileMode = kRegularFile | 0644;
constexpr std::uint32_t kFolderMode = kFolder | 0755;
/// As MS-DOS says it.
constexpr std::uint32_t kFolderAttribute = 0x10;

bool needs_zip64(std::uint64_t number) {
    return number >= kInZip64;
}

std::uint32_t in_32_bits(std::uint64_t number) {
    return needs_zip64(number) ? kInZip64 : static_cast<std::uint32_t>(number);
}

std::uint16_t in_16_bits(std::uint64_t count) {
    return count >= kCountInZip64 ? kCountInZip64 : static_cast<std::uint16_t>(count);
}

void append_zip64_field(std::string& out, const std::string& numbers) {
    if (numbers.empty()) return;
    append_number(out, kZip64Field);
    append_number(out, static_cast<std::uint16_t>(numbers.size()));
    out += numbers;
}

/// What local headers and those of the directory have in common, from the version to the length of
/// the name. Sizes as they are to stand there.
void append_common(std::string& out, const ZipEntry& entry, std::uint16_t version,
                   bool has_descriptor, std::uint32_t packed_size, std::uint32_t size) {
    append_number(out, version);
    append_number(out, static_cast<std::uint16_t>(kIsUtf8 | (has_descriptor ? kHasDescriptor : 0)));
    append_number(out, entry.method);
    append_number(out, std::uint16_t{0});
    append_number(out, kDate);
    append_number(out, entry.checksum);
    append_number(out, packed_size);
    append_number(out, size);
    append_number(out, static_cast<std::uint16_t>(entry.path.size()));
}

void append_zip64_end(std::string& out, const DirectoryPlace& place) {
    out += kZip64End;
    append_number(out, std::uint64_t{kZip64EndSize - kZip64EndFront});
    append_number(out, static_cast<std::uint16_t>(kMadeOnUnix | kZip64Version));
    append_number(out, kZip64Version);
    append_number(out, std::uint32_t{0});
    append_number(out, std::uint32_t{0});
    append_number(out, place.count);
    append_number(out, place.count);
    append_number(out, place.size);
    append_number(out, place.begin);
    out += kZip64Locator;
    append_number(out, std::uint32_t{0});
    append_number(out, place.end());
    append_number(out, std::uint32_t{1});
}

}  // namespace

void append_local_head(std::string& out, const ZipEntry& entry, bool has_descriptor) {
    const bool is_large =
        !has_descriptor && (needs_zip64(entry.size) || needs_zip64(entry.packed_size));
    ZipEntry shown = entry;
    if (has_descriptor) shown.checksum = 0;
    std::string numbers;
    if (is_large) {
        append_number(numbers, entry.size);
        append_number(numbers, entry.packed_size);
    }
    const auto told = [&](std::uint64_t size) {
        if (has_descriptor) return std::uint32_t{0};
        return is_large ? kInZip64 : static_cast<std::uint32_t>(size);
    };
    std::string extra;
    append_zip64_field(extra, numbers);
    out += kLocalHead;
    append_common(out, shown, is_large ? kZip64Version : kVersion, has_descriptor,
                  told(entry.packed_size), told(entry.size));
    append_number(out, static_cast<std::uint16_t>(extra.size()));
    out += entry.path;
    out += extra;
}

void append_descriptor(std::string& out, const ZipEntry& entry) {
    out += kDescriptor;
    append_number(out, entry.checksum);
    if (needs_zip64(entry.size) || needs_zip64(entry.packed_size)) {
        append_number(out, entry.packed_size);
        append_number(out, entry.size);
    } else {
        append_number(out, static_cast<std::uint32_t>(entry.packed_size));
        append_number(out, static_cast<std::uint32_t>(entry.size));
    }
}

void append_directory_head(std::string& out, const ZipEntry& entry, bool has_descriptor) {
    std::string numbers;
    for (const std::uint64_t number : {entry.size, entry.packed_size, entry.offset}) {
        if (needs_zip64(number)) append_number(numbers, number);
    }
    std::string extra;
    append_zip64_field(extra, numbers);
    const std::uint16_t version = extra.empty() ? kVersion : kZip64Version;
    out += kDirectoryHead;
    append_number(out, static_cast<std::uint16_t>(kMadeOnUnix | version));
    append_common(out, entry, version, has_descriptor, in_32_bits(entry.packed_size),
                  in_32_bits(entry.size));
    append_number(out, static_cast<std::uint16_t>(extra.size()));
    append_number(out, std::uint16_t{0});  // no comment
    append_number(out, std::uint16_t{0});  // the first volume
    append_number(out, std::uint16_t{0});  // no internal attributes
    append_number(out, entry.is_folder() ? kFolderMode << kUnixShift | kFolderAttribute
                                         : kFileMode << kUnixShift);
    append_number(out, in_32_bits(entry.offset));
    out += entry.path;
    out += extra;
}

void append_end(std::string& out, const DirectoryPlace& place) {
    const bool is_large =
        place.count >= kCountInZip64 || needs_zip64(place.size) || needs_zip64(place.begin);
    if (is_large) append_zip64_end(out, place);
    out += kEnd;
    append_number(out, std::uint16_t{0});
    append_number(out, std::uint16_t{0});
    append_number(out, in_16_bits(place.count));
    append_number(out, in_16_bits(place.count));
    append_number(out, in_32_bits(place.size));
    append_number(out, in_32_bits(place.begin));
    append_number(out, std::uint16_t{0});  // no comment
}

}  // namespace stele::sdk::zip
