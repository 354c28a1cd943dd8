#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <zlib.h>

#include "sdk/src/zip/zip_format.hpp"

namespace stele::sdk::testing {

/// An entry of an archive that is put together by hand, so that each field can lie. Fields of the
/// local header are those of the directory unless they are given.
struct RawEntry {
    std::string name = "a";
    /// As they stand in the archive.
    std::string bytes = "some bytes";
    std::uint16_t method = 0;
    std::uint16_t flags = 0;
    std::optional<std::uint32_t> checksum = {};
    std::optional<std::uint32_t> size = {};
    std::optional<std::uint32_t> packed_size = {};
    std::optional<std::uint32_t> offset = {};
    std::string extra = {};
    std::uint32_t attributes = 0;
    std::uint16_t disk = 0;

    std::string local_signature{zip::kLocalHead};
    std::optional<std::string> local_name = {};
    std::optional<std::uint16_t> local_method = {};
    std::optional<std::uint16_t> local_flags = {};
    std::optional<std::uint32_t> local_checksum = {};
    std::optional<std::uint32_t> local_size = {};
    std::optional<std::uint32_t> local_packed_size = {};
    std::string local_extra = {};
    std::optional<std::uint16_t> local_extra_size = {};
};

/// The end of such an archive.
struct RawEnd {
    std::string before = {};
    std::string behind_directory = {};
    std::string comment = {};
    std::optional<std::uint16_t> count = {};
    std::optional<std::uint16_t> count_here = {};
    std::optional<std::uint32_t> directory_size = {};
    std::optional<std::uint32_t> directory_begin = {};
    std::optional<std::uint16_t> comment_size = {};
    std::uint16_t disk = 0;
    /// A ZIP64 record and its locator, with what they say.
    bool has_zip64 = false;
    std::optional<std::uint64_t> large_count = {};
    std::optional<std::uint64_t> large_begin = {};
    std::optional<std::uint64_t> large_position = {};
    std::optional<std::uint64_t> large_size = {};
    std::uint32_t large_disk = 0;
};

inline std::uint32_t checksum_of(std::string_view bytes) {
    return static_cast<std::uint32_t>(
        crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

inline void append_numbers(std::string& out, std::uint16_t method, std::uint32_t checksum,
                           std::uint32_t packed_size, std::uint32_t size) {
    zip::append_number(out, method);
    zip::append_number(out, std::uint32_t{0});
    zip::append_number(out, checksum);
    zip::append_number(out, packed_size);
    zip::append_number(out, size);
}

inline void append_local(std::string& out, const RawEntry& entry) {
    const std::string name = entry.local_name.value_or(entry.name);
    const auto length = static_cast<std::uint32_t>(entry.bytes.size());
    out += entry.local_signature;
    zip::append_number(out, std::uint16_t{20});
    zip::append_number(out, entry.local_flags.value_or(entry.flags));
    append_numbers(out, entry.local_method.value_or(entry.method),
                   entry.local_checksum.value_or(entry.checksum.value_or(checksum_of(entry.bytes))),
                   entry.local_packed_size.value_or(entry.packed_size.value_or(length)),
                   entry.local_size.value_or(entry.size.value_or(length)));
    zip::append_number(out, static_cast<std::uint16_t>(name.size()));
    zip::append_number(
        out, entry.local_extra_size.value_or(static_cast<std::uint16_t>(entry.local_extra.size())));
    out += name + entry.local_extra + entry.bytes;
}

inline void append_head(std::string& out, const RawEntry& entry, std::uint32_t offset) {
    const auto length = static_cast<std::uint32_t>(entry.bytes.size());
    out += zip::kDirectoryHead;
    zip::append_number(out, std::uint16_t{0x031e});
    zip::append_number(out, std::uint16_t{20});
    zip::append_number(out, entry.flags);
    append_numbers(out, entry.method, entry.checksum.value_or(checksum_of(entry.bytes)),
                   entry.packed_size.value_or(length), entry.size.value_or(length));
    zip::append_number(out, static_cast<std::uint16_t>(entry.name.size()));
    zip::append_number(out, static_cast<std::uint16_t>(entry.extra.size()));
    zip::append_number(out, std::uint16_t{0});
    zip::append_number(out, entry.disk);
    zip::append_number(out, std::uint16_t{0});
    zip::append_number(out, entry.attributes);
    zip::append_number(out, entry.offset.value_or(offset));
    out += entry.name + entry.extra;
}

inline void append_large_end(std::string& out, const RawEnd& end, std::uint64_t count,
                             std::uint64_t begin) {
    const std::uint64_t position = out.size();
    const std::uint64_t told = end.large_count.value_or(count);
    out += zip::kZip64End;
    zip::append_number(out, end.large_size.value_or(zip::kZip64EndSize - zip::kZip64EndFront));
    zip::append_number(out, std::uint32_t{0x002d002d});
    zip::append_number(out, end.large_disk);
    zip::append_number(out, std::uint32_t{0});
    zip::append_number(out, told);
    zip::append_number(out, told);
    zip::append_number(out, position - begin);
    zip::append_number(out, end.large_begin.value_or(begin));
    out += zip::kZip64Locator;
    zip::append_number(out, std::uint32_t{0});
    zip::append_number(out, end.large_position.value_or(position));
    zip::append_number(out, std::uint32_t{1});
}

inline std::string raw_archive(const std::vector<RawEntry>& entries, const RawEnd& end = {}) {
    std::string out = end.before;
    std::string directory;
    for (const RawEntry& entry : entries) {
        append_head(directory, entry, static_cast<std::uint32_t>(out.size() - end.before.size()));
        append_local(out, entry);
    }
    const std::size_t begin = out.size();
    const auto count = static_cast<std::uint16_t>(entries.size());
    out += directory;
    if (end.has_zip64) append_large_end(out, end, count, begin);
    out += end.behind_directory;
    out += zip::kEnd;
    zip::append_number(out, end.disk);
    zip::append_number(out, std::uint16_t{0});
    zip::append_number(out, end.count_here.value_or(end.count.value_or(count)));
    zip::append_number(out, end.count.value_or(count));
    zip::append_number(out,
                       end.directory_size.value_or(static_cast<std::uint32_t>(directory.size())));
    zip::append_number(
        out, end.directory_begin.value_or(static_cast<std::uint32_t>(begin - end.before.size())));
    zip::append_number(out,
                       end.comment_size.value_or(static_cast<std::uint16_t>(end.comment.size())));
    return out + end.comment;
}

/// A ZIP64 extra field with these numbers.
inline std::string large_field(const std::vector<std::uint64_t>& numbers) {
    std::string field;
    zip::append_number(field, zip::kZip64Field);
    zip::append_number(field, static_cast<std::uint16_t>(numbers.size() * 8));
    for (const std::uint64_t number : numbers)
        zip::append_number(field, number);
    return field;
}

/// Bytes as a raw deflate stream.
inline std::string deflated(std::string_view bytes) {
    z_stream stream{};
    deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
    std::string packed(deflateBound(&stream, bytes.size()), '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream.avail_in = static_cast<uInt>(bytes.size());
    stream.next_out = reinterpret_cast<Bytef*>(packed.data());
    stream.avail_out = static_cast<uInt>(packed.size());
    deflate(&stream, Z_FINISH);
    packed.resize(packed.size() - stream.avail_out);
    deflateEnd(&stream);
    return packed;
}

/// An entry whose bytes are deflated.
inline RawEntry deflated_entry(std::string name, std::string_view bytes) {
    return {.name = std::move(name),
            .bytes = deflated(bytes),
            .method = zip::kDeflated,
            .checksum = checksum_of(bytes),
            .size = static_cast<std::uint32_t>(bytes.size())};
}

}  // namespace stele::sdk::testing
