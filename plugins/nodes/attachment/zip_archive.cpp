#include "attachment/zip_archive.hpp"

#include <algorithm>
#include <memory>
#include <set>

#include <fmt/format.h>
#include <zlib.h>

#include "attachment/text_recoder.hpp"

namespace stele::nodes {

namespace {

constexpr std::size_t kEndSize = 22;
constexpr std::size_t kMaxCommentLength = 65'535;
constexpr std::size_t kHeadSize = 46;
constexpr std::size_t kLocalHeadSize = 30;
constexpr std::size_t kMaxDirectoryBytes = std::size_t{8} << 20;
constexpr std::size_t kPiece = std::size_t{64} * 1024;
constexpr std::uint16_t kStored = 0;
constexpr std::uint16_t kDeflated = 8;
constexpr std::uint16_t kEncrypted = 1;
constexpr std::uint32_t kInZip64 = 0xffffffff;
constexpr int kMaxPathDepth = 100;

sdk::Error malformed(const std::string& problem) {
    return sdk::make_error(sdk::ErrorKind::invalid, "nodes.zip_malformed",
                           "the attachment is no ZIP archive that can be read: " + problem);
}

sdk::Error unsupported(const std::string& path, const char* what) {
    return sdk::make_error(sdk::ErrorKind::unsupported, "nodes.zip_entry_unsupported",
                           fmt::format("{} is {}", path, what));
}

/// A number of the archive, least byte first; the caller has seen that it is there.
template <class Number>
Number number_at(const std::string& bytes, std::size_t at) {
    Number number = 0;
    for (std::size_t i = sizeof(Number); i-- > 0;)
        number = static_cast<Number>(number << 8U) | static_cast<unsigned char>(bytes[at + i]);
    return number;
}

sdk::Result<std::string> read_exactly(sdk::BlobStore::Reader& bytes, std::uint64_t offset,
                                      std::size_t size) {
    std::string found;
    std::string piece;
    while (found.size() < size) {
        auto read = bytes.read(offset + found.size(), size - found.size(), piece);
        if (!read) return read.error();
        if (piece.empty()) return malformed("it is too short");
        found += piece;
    }
    return found;
}

struct Directory {
    std::uint16_t count = 0;
    std::string bytes;
};

sdk::Result<Directory> read_directory(sdk::BlobStore::Reader& bytes) {
    const std::uint64_t size = bytes.size();
    if (size < kEndSize) return malformed("it is too short");
    const auto tail_size =
        static_cast<std::size_t>(std::min<std::uint64_t>(size, kEndSize + kMaxCommentLength));
    auto tail = read_exactly(bytes, size - tail_size, tail_size);
    if (!tail) return tail.error();
    const std::size_t end = tail->rfind("PK\x05\x06", tail_size - kEndSize);
    if (end == std::string::npos) return malformed("it has no directory");
    Directory directory;
    directory.count = number_at<std::uint16_t>(*tail, end + 10);
    const auto length = number_at<std::uint32_t>(*tail, end + 12);
    const auto offset = number_at<std::uint32_t>(*tail, end + 16);
    if (offset == kInZip64) return unsupported("the archive", "in the ZIP64 format");
    if (length > kMaxDirectoryBytes || std::uint64_t{offset} + length > size)
        return malformed("its directory lies outside of it");
    auto read = read_exactly(bytes, offset, length);
    if (!read) return read.error();
    directory.bytes = std::move(*read);
    return directory;
}

/// Archives do not say in what their names are written: it is UTF-8, else what they began with.
sdk::Result<std::string> readable_path(const std::string& path) {
    const auto read_as = [&path](const char* charset) -> sdk::Result<std::string> {
        auto recoder = TextRecoder::open(charset);
        if (!recoder) return recoder.error();
        std::string text;
        if (auto read = recoder->convert(path, true, text); !read) return read.error();
        return text;
    };
    auto text = read_as("UTF-8");
    if (!text || *text == path) return text;
    return read_as("IBM437");
}

bool is_safe(const std::string& path) {
    if (path.empty() || path.front() == '/') return false;
    if (std::count(path.begin(), path.end(), '/') > kMaxPathDepth) return false;
    if (path.find_first_of(std::string("\\\0", 2)) != std::string::npos) return false;
    for (std::size_t at = 0; at < path.size();) {
        const std::size_t end = std::min(path.find('/', at), path.size());
        const std::string_view segment(path.data() + at, end - at);
        if (segment.empty() || segment == "." || segment == "..") return false;
        at = end + 1;
    }
    return true;
}

sdk::Result<ZipArchive::Entry> read_entry(const std::string& directory, std::size_t& at) {
    if (directory.size() - at < kHeadSize || directory.compare(at, 4, "PK\x01\x02") != 0)
        return malformed("its directory is damaged");
    const auto flags = number_at<std::uint16_t>(directory, at + 8);
    const std::size_t name = number_at<std::uint16_t>(directory, at + 28);
    const std::size_t more = std::size_t{number_at<std::uint16_t>(directory, at + 30)} +
                             number_at<std::uint16_t>(directory, at + 32);
    if (directory.size() - at - kHeadSize < name + more)
        return malformed("its directory is damaged");
    ZipArchive::Entry entry{.path = directory.substr(at + kHeadSize, name),
                            .method = number_at<std::uint16_t>(directory, at + 10),
                            .checksum = number_at<std::uint32_t>(directory, at + 16),
                            .packed_size = number_at<std::uint32_t>(directory, at + 20),
                            .size = number_at<std::uint32_t>(directory, at + 24),
                            .offset = number_at<std::uint32_t>(directory, at + 42)};
    at += kHeadSize + name + more;
    auto path = readable_path(entry.path);
    if (!path) return path.error();
    entry.path = std::move(*path);
    if (!is_safe(entry.path)) {
        return sdk::make_error(sdk::ErrorKind::invalid, "nodes.zip_path_unsafe",
                               "the archive has a file whose path leads out of it");
    }
    if ((flags & kEncrypted) != 0) return unsupported(entry.path, "encrypted");
    if (entry.method != kStored && entry.method != kDeflated)
        return unsupported(entry.path, "neither stored nor deflated");
    if (entry.size == kInZip64 || entry.packed_size == kInZip64 || entry.offset == kInZip64)
        return unsupported(entry.path, "in the ZIP64 format");
    return entry;
}

/// The bytes of one file, checked as they come.
class EntryReader {
public:
    EntryReader(sdk::BlobStore::Reader& bytes, const ZipArchive::Entry& entry)
        : bytes_(bytes), entry_(entry) {}
    ~EntryReader() {
        if (is_begun_ && entry_.method == kDeflated) inflateEnd(&stream_);
    }
    EntryReader(const EntryReader&) = delete;
    EntryReader& operator=(const EntryReader&) = delete;

    sdk::Result<void> read(std::string& piece) {
        if (auto begun = begin(); !begun) return begun;
        piece.clear();
        auto read = entry_.method == kStored ? read_stored(piece) : read_deflated(piece);
        if (!read) return read;
        size_ += piece.size();
        checksum_ = crc32(checksum_, reinterpret_cast<const Bytef*>(piece.data()),
                          static_cast<uInt>(piece.size()));
        const bool is_wrong =
            size_ > entry_.size ||
            (piece.empty() && (size_ != entry_.size || checksum_ != entry_.checksum));
        if (is_wrong) return malformed(entry_.path + " is not what the directory says");
        return {};
    }

private:
    sdk::Result<void> begin() {
        if (is_begun_) return {};
        auto head = read_exactly(bytes_, entry_.offset, kLocalHeadSize);
        if (!head) return head.error();
        if (head->compare(0, 4, "PK\x03\x04") != 0)
            return malformed(entry_.path + " is not where the directory says");
        next_ = entry_.offset + kLocalHeadSize + number_at<std::uint16_t>(*head, 26) +
                number_at<std::uint16_t>(*head, 28);
        left_ = entry_.packed_size;
        if (entry_.method == kDeflated && inflateInit2(&stream_, -MAX_WBITS) != Z_OK) {
            return sdk::make_error(sdk::ErrorKind::unavailable, "nodes.zip_memory_missing",
                                   "there is no memory to unpack the archive");
        }
        is_begun_ = true;
        return {};
    }

    sdk::Result<void> read_stored(std::string& piece) {
        const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(left_, kPiece));
        if (wanted == 0) return {};
        auto found = read_exactly(bytes_, next_, wanted);
        if (!found) return found.error();
        piece = std::move(*found);
        next_ += wanted;
        left_ -= wanted;
        return {};
    }

    sdk::Result<void> read_deflated(std::string& piece) {
        piece.resize(kPiece);
        stream_.next_out = reinterpret_cast<Bytef*>(piece.data());
        stream_.avail_out = static_cast<uInt>(piece.size());
        while (stream_.avail_out > 0 && !is_ended_) {
            if (stream_.avail_in == 0) {
                packed_.clear();
                if (auto more = read_stored(packed_); !more) return more;
                stream_.next_in = reinterpret_cast<Bytef*>(packed_.data());
                stream_.avail_in = static_cast<uInt>(packed_.size());
            }
            // Output may be waiting where all input was taken before.
            const int state = inflate(&stream_, Z_NO_FLUSH);
            if (state == Z_BUF_ERROR && packed_.empty())
                return malformed(entry_.path + " ends too early");
            if (state != Z_OK && state != Z_STREAM_END)
                return malformed(entry_.path + " is damaged");
            is_ended_ = state == Z_STREAM_END;
        }
        piece.resize(piece.size() - stream_.avail_out);
        return {};
    }

    sdk::BlobStore::Reader& bytes_;
    const ZipArchive::Entry entry_;
    z_stream stream_{};
    bool is_begun_ = false;
    bool is_ended_ = false;
    std::uint64_t next_ = 0;
    std::uint64_t left_ = 0;
    std::uint64_t size_ = 0;
    uLong checksum_ = 0;
    std::string packed_;
};

}  // namespace

sdk::Result<ZipArchive> ZipArchive::open(sdk::BlobStore::Reader& bytes, const ZipLimits& limits) {
    auto directory = read_directory(bytes);
    if (!directory) return directory.error();
    ZipArchive archive(bytes);
    const auto too_large = [](const std::string& what) {
        return sdk::make_error(sdk::ErrorKind::too_large, "nodes.zip_too_large",
                               "the archive " + what);
    };
    if (directory->count > limits.entries)
        return too_large(fmt::format("has more than {} files", limits.entries));
    std::uint64_t size = 0;
    std::set<std::string> folders;
    for (std::size_t at = 0; archive.entries_.size() < directory->count;) {
        auto entry = read_entry(directory->bytes, at);
        if (!entry) return entry.error();
        size += entry->size;
        for (std::size_t end = entry->path.find('/'); end != std::string::npos;
             end = entry->path.find('/', end + 1))
            folders.insert(entry->path.substr(0, end));
        if (folders.size() > limits.entries)
            return too_large(fmt::format("has more than {} folders", limits.entries));
        archive.entries_.push_back(std::move(*entry));
    }
    const std::uint64_t most =
        std::min(std::max(bytes.size() * limits.expansion, limits.least_bytes), limits.most_bytes);
    if (size > most) return too_large(fmt::format("expands to more than {} bytes", most));
    return archive;
}

std::function<sdk::Result<void>(std::string& piece)> ZipArchive::read(const Entry& entry) {
    return [reader = std::make_shared<EntryReader>(*bytes_, entry)](std::string& piece) {
        return reader->read(piece);
    };
}

}  // namespace stele::nodes
