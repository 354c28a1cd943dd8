#include "kernel/storage/backends/leveldb/table_scan.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <vector>

#include "kernel/file/posix_file.hpp"
#include "kernel/storage/backends/leveldb/block_reader.hpp"
#include "kernel/storage/backends/leveldb/crc32c.hpp"

namespace stele::kernel::storage {

namespace {

constexpr std::size_t kFooter = 48;
constexpr std::size_t kHandles = 40;  ///< two handles and zeros
constexpr std::string_view kTableMagic = "\x57\xfb\x80\x8b\x24\x75\x47\xdb";
constexpr std::size_t kTrailer = 5;  ///< kind and checksum behind each block
constexpr std::uint64_t kMaxBlock = std::uint64_t{1} << 31;

struct BlockPlace {
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
    std::uint64_t end() const { return offset + size + kTrailer; }
};

BlockPlace read_place(BlockReader& reader) {
    const std::uint64_t offset = reader.number();
    return {offset, reader.number()};
}

class TableScan {
public:
    explicit TableScan(const std::filesystem::path& file) : file_(file, O_RDONLY) {}

    std::string run(std::uint64_t expected_size);

private:
    using Places = std::vector<BlockPlace>;
    /// Into `bytes_`.
    std::string read(std::uint64_t offset, std::uint64_t size);
    std::string read_block(const BlockPlace& place);
    /// Adds the places that the block in `bytes_` points to.
    std::string read_places(const BlockPlace& block, Places& places) const;
    std::string read_footer(BlockPlace& metaindex, BlockPlace& index);

    file::PosixFile file_;
    std::uint64_t size_ = 0;
    std::string bytes_;
};

std::string at_offset(const std::string& what, std::uint64_t offset) {
    return what + " at offset " + std::to_string(offset);
}

std::string TableScan::read(std::uint64_t offset, std::uint64_t size) {
    bytes_.resize(size);
    std::size_t done = 0;
    while (done < size) {
        const ssize_t count = ::pread(file_.descriptor(), bytes_.data() + done, size - done,
                                      static_cast<off_t>(offset + done));
        if (count < 0 && errno == EINTR) continue;
        if (count < 0)
            return at_offset("it cannot be read (" + file::system_reason(errno) + ")", offset);
        if (count == 0) return at_offset("it ends too early", offset + done);
        done += static_cast<std::size_t>(count);
    }
    return {};
}

std::string TableScan::read_block(const BlockPlace& place) {
    const bool is_inside = place.size < kMaxBlock && place.offset < size_ && place.end() <= size_;
    if (!is_inside) return at_offset("a block lies outside", place.offset);
    if (auto wrong = read(place.offset, place.size + kTrailer); !wrong.empty()) return wrong;
    const std::string_view covered = std::string_view(bytes_).substr(0, place.size + 1);
    if (masked_crc32c(covered) == read_fixed32(bytes_.data() + place.size + 1)) return {};
    return at_offset("the checksum of a block is wrong", place.offset);
}

std::string TableScan::read_places(const BlockPlace& block, Places& places) const {
    constexpr std::size_t kNumber = 4;
    const std::string_view content = std::string_view(bytes_).substr(0, block.size);
    const std::string unreadable = at_offset("an index cannot be read", block.offset);
    if (content.size() < kNumber) return unreadable;
    const std::uint64_t restarts = read_fixed32(content.data() + content.size() - kNumber);
    const std::uint64_t tail = (restarts + 1) * kNumber;
    if (tail > content.size()) return unreadable;
    BlockReader entries(content.substr(0, content.size() - tail));
    while (!entries.is_at_end()) {
        entries.number();
        const std::uint64_t key = entries.number();
        const std::uint64_t value = entries.number();
        entries.text(key);
        BlockReader handle(entries.text(value));
        places.push_back(read_place(handle));
        if (!entries.is_sound() || !handle.is_sound()) return unreadable;
    }
    return {};
}

std::string TableScan::read_footer(BlockPlace& metaindex, BlockPlace& index) {
    const std::uint64_t begin = size_ - kFooter;
    if (auto wrong = read(begin, kFooter); !wrong.empty()) return wrong;
    BlockReader reader(std::string_view(bytes_).substr(0, kHandles));
    metaindex = read_place(reader);
    index = read_place(reader);
    const bool is_right = reader.is_sound() &&
                          reader.rest().find_first_not_of('\0') == std::string_view::npos &&
                          std::string_view(bytes_).substr(kHandles) == kTableMagic;
    return is_right ? std::string() : at_offset("the last bytes are wrong", begin);
}

std::string TableScan::run(std::uint64_t expected_size) {
    struct stat found = {};
    if (!file_.is_open() || ::fstat(file_.descriptor(), &found) != 0)
        return "it cannot be opened (" + file::system_reason(errno) + ")";
    size_ = static_cast<std::uint64_t>(found.st_size);
    if (size_ != expected_size || size_ < kFooter)
        return "it has " + std::to_string(size_) + " bytes instead of " +
               std::to_string(expected_size);
    BlockPlace metaindex;
    BlockPlace index;
    if (auto wrong = read_footer(metaindex, index); !wrong.empty()) return wrong;
    Places places;
    for (const BlockPlace& listing : {metaindex, index}) {
        if (auto wrong = read_block(listing); !wrong.empty()) return wrong;
        if (auto wrong = read_places(listing, places); !wrong.empty()) return wrong;
        places.push_back(listing);
    }
    std::sort(places.begin(), places.end(),
              [](const BlockPlace& a, const BlockPlace& b) { return a.offset < b.offset; });
    std::uint64_t end = 0;
    for (const BlockPlace& place : places) {
        if (place.offset != end) return at_offset("something lies between blocks", end);
        if (auto wrong = read_block(place); !wrong.empty()) return wrong;
        end = place.end();
    }
    return end == size_ - kFooter ? std::string() : at_offset("something lies behind blocks", end);
}

}  // namespace

std::string scan_table(const std::filesystem::path& file, std::uint64_t expected_size) {
    return TableScan(file).run(expected_size);
}

}  // namespace stele::kernel::storage
