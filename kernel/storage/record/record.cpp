#include "kernel/storage/record/record.hpp"

#include <stele/sdk/encoding.hpp>
#include <stele/sdk/entity_tag.hpp>

namespace stele::kernel::storage {

namespace {

constexpr char kFormat = 1;
constexpr std::size_t kVersionSize = 8;
constexpr std::size_t kLengthSize = 4;

}  // namespace

bool Record::decode() {
    static_assert(kHeaderSize == 1 + kVersionSize + kLengthSize);
    const std::string_view bytes = buffer_;
    if (bytes.size() < kHeaderSize || bytes.front() != kFormat) return false;
    const auto text_size =
        static_cast<std::size_t>(sdk::read_big_endian(bytes.substr(1 + kVersionSize, kLengthSize)));
    if (text_size > bytes.size() - kHeaderSize) return false;
    version_ = sdk::read_big_endian(bytes.substr(1, kVersionSize));
    text_size_ = text_size;
    sealed_size_ = bytes.size() - kHeaderSize - text_size;
    buffer_.append(kPadding, '\0');
    return true;
}

std::string Record::etag() const {
    // The sequence tells a record from an earlier one of the same custom id.
    return sdk::version_tag(sequence_text(sequence), version_);
}

std::string Record::encode(std::uint64_t version, std::string_view text, std::string_view sealed) {
    std::string bytes;
    // With room for the padding of whoever decodes it.
    bytes.reserve(kHeaderSize + text.size() + sealed.size() + kPadding);
    bytes.push_back(kFormat);
    sdk::append_big_endian(bytes, version, kVersionSize);
    sdk::append_big_endian(bytes, text.size(), kLengthSize);
    bytes.append(text);
    bytes.append(sealed);
    return bytes;
}

}  // namespace stele::kernel::storage
