#include "kernel/storage/record/record.hpp"

namespace stele::kernel::storage {

namespace {

constexpr char kFormat = 1;
constexpr std::size_t kVersionSize = 8;
constexpr std::size_t kLengthSize = 4;

void append_big_endian(std::string& bytes, std::uint64_t value, std::size_t size) {
    for (std::size_t i = size; i-- > 0;)
        bytes.push_back(static_cast<char>(value >> (8 * i)));
}

std::uint64_t read_big_endian(std::string_view bytes) {
    std::uint64_t value = 0;
    for (const char byte : bytes)
        value = value << 8 | static_cast<unsigned char>(byte);
    return value;
}

}  // namespace

bool Record::decode() {
    static_assert(kHeaderSize == 1 + kVersionSize + kLengthSize);
    const std::string_view bytes = buffer_;
    if (bytes.size() < kHeaderSize || bytes.front() != kFormat) return false;
    const auto text_size =
        static_cast<std::size_t>(read_big_endian(bytes.substr(1 + kVersionSize, kLengthSize)));
    if (text_size > bytes.size() - kHeaderSize) return false;
    version_ = read_big_endian(bytes.substr(1, kVersionSize));
    text_size_ = text_size;
    sealed_size_ = bytes.size() - kHeaderSize - text_size;
    buffer_.append(kPadding, '\0');
    return true;
}

std::string Record::etag() const {
    // The sequence tells a record from an earlier one of the same custom id.
    return '"' + sequence_text(sequence) + '-' + std::to_string(version_) + '"';
}

std::string Record::encode(std::uint64_t version, std::string_view text, std::string_view sealed) {
    std::string bytes;
    // With room for the padding of whoever decodes it.
    bytes.reserve(kHeaderSize + text.size() + sealed.size() + kPadding);
    bytes.push_back(kFormat);
    append_big_endian(bytes, version, kVersionSize);
    append_big_endian(bytes, text.size(), kLengthSize);
    bytes.append(text);
    bytes.append(sealed);
    return bytes;
}

}  // namespace stele::kernel::storage
