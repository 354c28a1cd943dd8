#include "kernel/storage/record/record.hpp"

#include <stele/sdk/encoding.hpp>
#include <stele/sdk/entity_tag.hpp>
#include <stele/sdk/record_space.hpp>

namespace stele::kernel::storage {

namespace {

constexpr char kFormatOfEach = 1;
constexpr std::size_t kVersionSize = 8;
constexpr std::size_t kLengthSize = 4;

}  // namespace

bool Record::decode() {
    static_assert(kHeaderSize == 1 + kVersionSize + kLengthSize);
    if (!sdk::StoredRecord::unpack(buffer_)) return false;
    const std::string_view bytes = buffer_;
    form_ = bytes.front() == kFormatOfEach ? EntryForm::each : EntryForm::shared;
    const auto text_size =
        static_cast<std::size_t>(sdk::read_big_endian(bytes.substr(1 + kVersionSize, kLengthSize)));
    version_ = sdk::read_big_endian(bytes.substr(1, kVersionSize));
    text_size_ = text_size;
    sealed_size_ = bytes.size() - kHeaderSize - text_size;
    buffer_.append(kPadding, '\0');
    return true;
}

std::string Record::packed() const {
    return sdk::StoredRecord::packed(stored());
}

std::string Record::packed_with(std::string_view sealed) const {
    const std::string_view without = stored().substr(0, kHeaderSize + text_size_);
    return sdk::StoredRecord::packed(std::string(without).append(sealed));
}

std::string Record::etag() const {
    // The sequence tells a record from an earlier one of the same custom id.
    return sdk::version_tag(sequence_text(sequence), version_);
}

std::string Record::encode(std::uint64_t version, std::string_view text, std::string_view sealed) {
    return sdk::StoredRecord::with({}, version, text).append(sealed);
}

}  // namespace stele::kernel::storage
