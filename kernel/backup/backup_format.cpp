#include "kernel/backup/backup_format.hpp"

#include <algorithm>

#include <sodium.h>
#include <nlohmann/json.hpp>

#include "kernel/backup/portions.hpp"

namespace stele::kernel::backup {

namespace {

constexpr std::size_t kLengthSize = 4;
/// Records are far smaller; a length beyond this is no length.
constexpr std::uint32_t kMaxFrameBytes = 1U << 30;

void append_length(std::string& out, std::size_t length) {
    for (std::size_t i = 0; i < kLengthSize; ++i)
        out.push_back(static_cast<char>(length >> (8 * i)));
}

std::uint32_t read_length(std::string_view bytes) {
    std::uint32_t length = 0;
    for (std::size_t i = kLengthSize; i-- > 0;)
        length = length << 8 | static_cast<unsigned char>(bytes[i]);
    return length;
}

Checksum checksum_of(const Checksum& last, std::string_view frame) {
    static_assert(kChecksumSize == crypto_generichash_BYTES_MIN);
    Checksum checksum{};
    crypto_generichash_state state;
    crypto_generichash_init(&state, nullptr, 0, checksum.size());
    crypto_generichash_update(&state, last.data(), last.size());
    crypto_generichash_update(&state, reinterpret_cast<const unsigned char*>(frame.data()),
                              frame.size());
    crypto_generichash_final(&state, checksum.data(), checksum.size());
    return checksum;
}

std::string_view text_of(const Checksum& checksum) {
    return {reinterpret_cast<const char*>(checksum.data()), checksum.size()};
}

bool take_length(std::string_view& content, std::size_t& length) {
    if (content.size() < kLengthSize) return false;
    length = read_length(content);
    content.remove_prefix(kLengthSize);
    return true;
}

}  // namespace

sdk::Error damaged(const std::string& what) {
    return sdk::make_error(sdk::ErrorKind::invalid, "backup.damaged",
                           "the backup is damaged: " + what);
}

sdk::Result<void> FrameWriter::write(FrameKind kind, std::string_view content) {
    frame_.clear();
    frame_.push_back(static_cast<char>(kind));
    append_length(frame_, content.size());
    frame_ += content;
    last_ = checksum_of(last_, frame_);
    frame_ += text_of(last_);
    return sink_(frame_);
}

sdk::Result<void> FrameWriter::write_json(FrameKind kind, const sdk::Json& content) {
    return write(kind, sdk::dump_json(content));
}

/// Takes exactly `size` bytes; fewer than that means that the end is missing.
sdk::Result<void> FrameReader::fill(std::size_t size, std::string& out) {
    out.clear();
    while (out.size() < size) {
        if (used_ == buffer_.size()) {
            if (auto read = source_(kPieceSize, buffer_); !read) return read;
            used_ = 0;
            if (buffer_.empty()) return damaged("its end is missing");
        }
        const std::size_t count = std::min(size - out.size(), buffer_.size() - used_);
        out.append(buffer_, used_, count);
        used_ += count;
    }
    return {};
}

sdk::Result<void> FrameReader::begin() {
    std::string magic;
    const auto filled = fill(kMagic.size(), magic);
    if (!filled && filled.error().code != "backup.damaged") return filled;
    if (filled && magic == kMagic) return {};
    return sdk::make_error(sdk::ErrorKind::invalid, "backup.format_unknown",
                           "this is no backup of Stele, or one that a newer version made");
}

sdk::Result<void> FrameReader::read(Frame& frame) {
    std::string bytes;
    if (auto filled = fill(1 + kLengthSize, bytes); !filled) return filled;
    const std::uint32_t length = read_length(std::string_view(bytes).substr(1));
    if (length > kMaxFrameBytes) return damaged("a length in it makes no sense");
    if (auto filled = fill(length, frame.content); !filled) return filled;
    std::string checksum;
    if (auto filled = fill(kChecksumSize, checksum); !filled) return filled;
    frame.kind = static_cast<FrameKind>(bytes.front());
    bytes += frame.content;
    last_ = checksum_of(last_, bytes);
    if (checksum != text_of(last_)) return damaged("a checksum does not fit");
    return {};
}

void append_entry(std::string& content, std::string_view key, std::string_view value) {
    append_length(content, key.size());
    append_length(content, value.size());
    content += key;
    content += value;
}

bool take_entry(std::string_view& content, std::string_view& key, std::string_view& value) {
    std::size_t key_size = 0;
    std::size_t value_size = 0;
    if (!take_length(content, key_size) || !take_length(content, value_size)) return false;
    if (content.size() < key_size || content.size() - key_size < value_size) return false;
    key = content.substr(0, key_size);
    value = content.substr(key_size, value_size);
    content.remove_prefix(key_size + value_size);
    return true;
}

}  // namespace stele::kernel::backup
