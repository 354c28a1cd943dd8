#include "zip/entry_source.hpp"

#include <algorithm>
#include <utility>

#include "zip/zip_directory.hpp"
#include "zip/zip_format.hpp"

namespace stele::sdk::zip {

namespace {

/// The header and a small file are read at once; extra fields rarely have more bytes than this.
std::size_t read_ahead(const ZipEntry& entry) {
    constexpr std::uint64_t kExtra = 64;
    if (entry.packed_size >= kPiece) return kPiece;
    const std::uint64_t whole = kLocalHeadSize + entry.path.size() + kExtra + entry.packed_size;
    return static_cast<std::size_t>(std::min<std::uint64_t>(whole, kPiece));
}

}  // namespace

EntrySource::EntrySource(BlobStore::Reader& bytes, ZipEntry entry)
    : entry_(std::move(entry)), window_(bytes, entry_.limit, read_ahead(entry_)) {}

EntrySource::~EntrySource() {
    if (has_inflater_) inflateEnd(&stream_);
}

Result<void> EntrySource::read(std::string& piece) {
    if (failure_) return *failure_;
    auto read = begin();
    if (read) read = read_some(piece);
    if (!read) failure_ = read.error();
    return read;
}

Result<void> EntrySource::begin() {
    if (is_begun_) return {};
    auto head = window_.at(entry_.offset, kLocalHeadSize);
    if (!head) return head.error();
    if (!head->starts_with(kLocalHead)) return differs("is not where the directory says");
    const std::size_t name_size = number_at<std::uint16_t>(*head, 26);
    const std::size_t extra_size = number_at<std::uint16_t>(*head, 28);
    auto whole = window_.at(entry_.offset, kLocalHeadSize + name_size + extra_size);
    if (!whole) return whole.error();
    auto checked = check_head(*whole, whole->substr(kLocalHeadSize, name_size),
                              whole->substr(kLocalHeadSize + name_size));
    if (!checked) return checked;
    next_ = entry_.offset + whole->size();
    left_ = entry_.packed_size;
    if (left_ > entry_.limit - next_) return differs("reaches into another entry");
    if (entry_.method == kDeflated) {
        if (inflateInit2(&stream_, -MAX_WBITS) != Z_OK) return memory_missing();
        has_inflater_ = true;
    }
    is_begun_ = true;
    return {};
}

Result<void> EntrySource::check_head(std::string_view head, std::string_view name,
                                     std::string_view extra) {
    const auto flags = number_at<std::uint16_t>(head, 6);
    if ((flags & kUnsupportedFlags) != 0) return unsupported(entry_.path, "encrypted or patched");
    if (readable_path(name) != entry_.path || number_at<std::uint16_t>(head, 8) != entry_.method)
        return differs("is something else than the directory says");
    return (flags & kHasDescriptor) != 0 ? Result<void>() : check_numbers(head, extra);
}

Result<void> EntrySource::check_numbers(std::string_view head, std::string_view extra) {
    std::uint64_t packed_size = number_at<std::uint32_t>(head, 18);
    std::uint64_t size = number_at<std::uint32_t>(head, 22);
    if (auto taken = take_zip64_numbers(extra, {&size, &packed_size}); !taken) return taken;
    if (number_at<std::uint32_t>(head, 14) != entry_.checksum || size != entry_.size ||
        packed_size != entry_.packed_size)
        return differs("has another size or checksum than the directory says");
    return {};
}

Result<void> EntrySource::read_some(std::string& piece) {
    piece.clear();
    auto read = entry_.method == kStored ? read_stored(piece) : read_deflated(piece);
    if (!read) return read;
    size_ += piece.size();
    checksum_ = crc32(checksum_, reinterpret_cast<const Bytef*>(piece.data()),
                      static_cast<uInt>(piece.size()));
    if (size_ > entry_.size) return differs("has more bytes than the directory says");
    if (!piece.empty()) return {};
    if (size_ != entry_.size) return differs("has fewer bytes than the directory says");
    if (checksum_ != entry_.checksum) return differs("has another checksum");
    return {};
}

Result<void> EntrySource::read_stored(std::string& piece) {
    if (left_ == 0) return {};
    auto some = window_.some(next_, std::min<std::uint64_t>(left_, kPiece));
    if (!some) return some.error();
    piece = *some;
    next_ += some->size();
    left_ -= some->size();
    return {};
}

Result<void> EntrySource::read_deflated(std::string& piece) {
    // One byte more than announced, so that more is noticed.
    piece.resize(
        static_cast<std::size_t>(std::min<std::uint64_t>(kPiece, entry_.size - size_ + 1)));
    stream_.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream_.avail_out = static_cast<uInt>(piece.size());
    while (stream_.avail_out > 0 && !is_ended_) {
        if (auto fed = feed(); !fed) return fed;
        // Output may be waiting where all input was taken before.
        const int state = inflate(&stream_, Z_NO_FLUSH);
        if (state == Z_MEM_ERROR) return memory_missing();
        if (state == Z_BUF_ERROR) return differs("ends too early");
        if (state != Z_OK && state != Z_STREAM_END) return differs("is damaged");
        is_ended_ = state == Z_STREAM_END;
    }
    if (is_ended_ && (left_ > 0 || stream_.avail_in > 0)) return differs("ends too late");
    piece.erase(piece.size() - stream_.avail_out);
    return {};
}

Result<void> EntrySource::feed() {
    if (stream_.avail_in > 0 || left_ == 0) return {};
    auto some = window_.some(next_, std::min<std::uint64_t>(left_, kPiece));
    if (!some) return some.error();
    // zlib does not write to its input; the member lacks `const` for history's sake.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(some->data()));
    stream_.avail_in = static_cast<uInt>(some->size());
    next_ += some->size();
    left_ -= some->size();
    return {};
}

Error EntrySource::differs(const char* how) const {
    return malformed(shown_path(entry_.path) + ' ' + how);
}

}  // namespace stele::sdk::zip
