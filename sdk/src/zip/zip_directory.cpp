#include "zip/zip_directory.hpp"

#include <algorithm>
#include <string>

#include "zip/zip_format.hpp"

namespace stele::sdk::zip {

namespace {

constexpr std::size_t kMaxCommentLength = 65'535;
constexpr char kArchive[] = "the archive";

/// What the plain end record says, and where it lies.
struct End {
    std::uint64_t position = 0;
    std::uint16_t disk = 0;
    std::uint16_t directory_disk = 0;
    std::uint16_t count_here = 0;
    std::uint16_t count = 0;
    std::uint32_t size = 0;
    std::uint32_t begin = 0;
};

Result<End> read_end(BlobStore::Reader& bytes) {
    const std::uint64_t size = bytes.size();
    if (size < kEndSize) return malformed("it is too short");
    const auto tail_size =
        static_cast<std::size_t>(std::min<std::uint64_t>(size, kEndSize + kMaxCommentLength));
    ByteWindow window(bytes, size, tail_size);
    auto tail = window.at(size - tail_size, tail_size);
    if (!tail) return tail.error();
    const std::size_t at = tail->rfind(kEnd, tail_size - kEndSize);
    if (at == std::string_view::npos) return malformed("it has no directory");
    // Whoever searches for the record from behind finds this one, so it must be the right one.
    if (at + kEndSize + number_at<std::uint16_t>(*tail, at + 20) != tail_size)
        return malformed("its comment is not as long as it says");
    return End{.position = size - tail_size + at,
               .disk = number_at<std::uint16_t>(*tail, at + 4),
               .directory_disk = number_at<std::uint16_t>(*tail, at + 6),
               .count_here = number_at<std::uint16_t>(*tail, at + 8),
               .count = number_at<std::uint16_t>(*tail, at + 10),
               .size = number_at<std::uint32_t>(*tail, at + 12),
               .begin = number_at<std::uint32_t>(*tail, at + 16)};
}

/// Whether the plain record leaves a number to the ZIP64 record, or says the same.
bool agrees(std::uint64_t plain, std::uint64_t sentinel, std::uint64_t number) {
    return plain == sentinel || plain == number;
}

/// The place that the ZIP64 records tell, and where the first of them lies, with which the
/// directory ends.
struct Zip64End {
    DirectoryPlace place;
    std::uint64_t position = 0;
};

Result<Zip64End> read_zip64_end(ByteWindow& window, const End& end, std::string_view locator) {
    const std::uint64_t locator_position = end.position - kZip64LocatorSize;
    const auto position = number_at<std::uint64_t>(locator, 8);
    const bool has_disks =
        number_at<std::uint32_t>(locator, 4) != 0 || number_at<std::uint32_t>(locator, 16) > 1;
    if (has_disks) return unsupported(kArchive, "spread over several volumes");
    if (locator_position < kZip64EndSize || position > locator_position - kZip64EndSize)
        return malformed("its ZIP64 record lies outside of it");
    auto record = window.at(position, kZip64EndSize);
    if (!record) return record.error();
    if (!record->starts_with(kZip64End) ||
        number_at<std::uint64_t>(*record, 4) != locator_position - position - kZip64EndFront)
        return malformed("its ZIP64 record is damaged");
    if (number_at<std::uint32_t>(*record, 16) != 0 || number_at<std::uint32_t>(*record, 20) != 0)
        return unsupported(kArchive, "spread over several volumes");
    const auto count_here = number_at<std::uint64_t>(*record, 24);
    Zip64End found{.place = {.begin = number_at<std::uint64_t>(*record, 48),
                             .size = number_at<std::uint64_t>(*record, 40),
                             .count = number_at<std::uint64_t>(*record, 32)},
                   .position = position};
    const bool is_one = count_here == found.place.count && agrees(end.disk, kCountInZip64, 0) &&
                        agrees(end.directory_disk, kCountInZip64, 0) &&
                        agrees(end.count_here, kCountInZip64, found.place.count) &&
                        agrees(end.count, kCountInZip64, found.place.count) &&
                        agrees(end.size, kInZip64, found.place.size) &&
                        agrees(end.begin, kInZip64, found.place.begin);
    if (!is_one) return malformed("its end records tell different things");
    return found;
}

Error damaged_directory() {
    return malformed("its directory is damaged");
}

/// A header of the directory with all that belongs to it.
struct Head {
    std::string_view bytes;
    std::size_t name_size = 0;
    std::size_t extra_size = 0;

    std::string_view name() const { return bytes.substr(kDirectoryHeadSize, name_size); }
    std::string_view extra() const {
        return bytes.substr(kDirectoryHeadSize + name_size, extra_size);
    }
};

Result<Head> head_at(ByteWindow& directory, std::uint64_t position) {
    auto fixed = directory.at(position, kDirectoryHeadSize);
    if (!fixed) return fixed.error();
    if (!fixed->starts_with(kDirectoryHead)) return damaged_directory();
    const std::size_t name_size = number_at<std::uint16_t>(*fixed, 28);
    const std::size_t extra_size = number_at<std::uint16_t>(*fixed, 30);
    const std::size_t comment_size = number_at<std::uint16_t>(*fixed, 32);
    auto whole = directory.at(position, kDirectoryHeadSize + name_size + extra_size + comment_size);
    if (!whole) return whole.error();
    return Head{.bytes = *whole, .name_size = name_size, .extra_size = extra_size};
}

/// Sizes and offset, from the ZIP64 extra field where they are there.
Result<void> read_numbers(const Head& head, ZipEntry& entry) {
    entry.packed_size = number_at<std::uint32_t>(head.bytes, 20);
    entry.size = number_at<std::uint32_t>(head.bytes, 24);
    entry.offset = number_at<std::uint32_t>(head.bytes, 42);
    return take_zip64_numbers(head.extra(), {&entry.size, &entry.packed_size, &entry.offset});
}

Result<void> check_kind(const Head& head, const ZipEntry& entry) {
    if ((number_at<std::uint16_t>(head.bytes, 8) & kUnsupportedFlags) != 0)
        return unsupported(entry.path, "encrypted or patched");
    if (entry.method != kStored && entry.method != kDeflated)
        return unsupported(entry.path, "neither stored nor deflated");
    const auto disk = number_at<std::uint16_t>(head.bytes, 34);
    if (disk != 0 && disk != kCountInZip64) return unsupported(entry.path, "in another volume");
    const std::uint32_t type = (number_at<std::uint32_t>(head.bytes, 38) >> kUnixShift) & kFileType;
    if (type != 0 && type != kRegularFile && type != kFolder)
        return unsupported(entry.path, "neither a file nor a folder");
    return {};
}

}  // namespace

Result<DirectoryPlace> find_directory(BlobStore::Reader& bytes) {
    auto end = read_end(bytes);
    if (!end) return end.error();
    DirectoryPlace place{.begin = end->begin, .size = end->size, .count = end->count};
    std::uint64_t border = end->position;
    ByteWindow window(bytes, end->position, 0);
    std::string locator;
    if (end->position >= kZip64LocatorSize) {
        auto before = window.at(end->position - kZip64LocatorSize, kZip64LocatorSize);
        if (!before) return before.error();
        locator = *before;
    }
    if (locator.starts_with(kZip64Locator)) {
        auto large = read_zip64_end(window, *end, locator);
        if (!large) return large.error();
        place = large->place;
        border = large->position;
    } else if (end->disk != 0 || end->directory_disk != 0 || end->count_here != end->count) {
        return unsupported(kArchive, "spread over several volumes");
    }
    if (place.begin > border || place.size != border - place.begin)
        return malformed("its directory is not where its end says");
    if (place.count > place.size / kDirectoryHeadSize)
        return malformed("its directory is too short for its entries");
    return place;
}

Result<DirectoryEntry> entry_at(ByteWindow& directory, const DirectoryPlace& place,
                                std::uint64_t position) {
    auto head = head_at(directory, position);
    if (!head) return head.error();
    DirectoryEntry found{.next = position + head->bytes.size()};
    ZipEntry& entry = found.entry;
    entry.path = readable_path(head->name());
    entry.method = number_at<std::uint16_t>(head->bytes, 10);
    entry.checksum = number_at<std::uint32_t>(head->bytes, 16);
    if (!is_safe_path(entry.path)) {
        return make_error(ErrorKind::invalid, "zip.path_unsafe",
                          "the archive has a file whose path leads out of it or cannot be taken");
    }
    if (auto kind = check_kind(*head, entry); !kind) return kind.error();
    if (auto numbers = read_numbers(*head, entry); !numbers) return numbers.error();
    const std::uint64_t front = kLocalHeadSize + head->name_size;
    if (place.begin < front || entry.offset > place.begin - front ||
        entry.packed_size > place.begin - front - entry.offset)
        return malformed(shown_path(entry.path) + " reaches into the directory");
    found.least_end = entry.offset + front + entry.packed_size;
    if (entry.method == kStored && entry.packed_size != entry.size)
        return malformed(shown_path(entry.path) + " is stored in another size");
    if (entry.is_folder() && entry.size != 0)
        return malformed(shown_path(entry.path) + " is a folder with bytes");
    return found;
}

Result<std::uint64_t> offset_at(ByteWindow& directory, std::uint64_t position) {
    auto head = head_at(directory, position);
    if (!head) return head.error();
    ZipEntry entry;
    if (auto numbers = read_numbers(*head, entry); !numbers) return numbers.error();
    return entry.offset;
}

Result<void> take_zip64_numbers(std::string_view extra,
                                std::initializer_list<std::uint64_t*> numbers) {
    const auto is_elsewhere = [](const std::uint64_t* number) { return *number == kInZip64; };
    if (std::none_of(numbers.begin(), numbers.end(), is_elsewhere)) return {};
    constexpr std::size_t kFieldFront = 4;
    while (extra.size() >= kFieldFront) {
        const auto kind = number_at<std::uint16_t>(extra, 0);
        const std::size_t size = number_at<std::uint16_t>(extra, 2);
        extra.remove_prefix(kFieldFront);
        if (size > extra.size()) break;
        if (kind != kZip64Field) {
            extra.remove_prefix(size);
            continue;
        }
        std::string_view field = extra.substr(0, size);
        for (std::uint64_t* number : numbers) {
            if (!is_elsewhere(number)) continue;
            if (field.size() < sizeof *number) return malformed("a ZIP64 field is too short");
            *number = number_at<std::uint64_t>(field, 0);
            field.remove_prefix(sizeof *number);
        }
        return {};
    }
    return malformed("a ZIP64 field is missing");
}

}  // namespace stele::sdk::zip
