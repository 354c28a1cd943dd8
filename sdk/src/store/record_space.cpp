#include <stele/sdk/record_space.hpp>

#include <stele/sdk/encoding.hpp>
#include <stele/sdk/key_tuple.hpp>

#include "store/text_packing.hpp"

namespace stele::sdk {

namespace {

constexpr char kRecordTag = 'd';
constexpr char kCountTag = 'k';
/// Indexes, composite indexes, records too wide for them, unique values, aliases both ways.
constexpr std::string_view kEntryTags = "xybuaA";

constexpr std::size_t kSequenceSize = 10;

// See kernel/storage/record/record.hpp.
constexpr char kFirstFormat = 1;
constexpr char kPackedFormat = 2;
constexpr char kPlainFormat = 3;
constexpr std::size_t kVersionSize = 8;
constexpr std::size_t kLengthSize = 4;
constexpr std::size_t kHeaderSize = StoredRecord::kVersionOffset + kVersionSize + kLengthSize;

std::optional<SpaceKeyKind> kind_of(char tag) {
    if (tag == kRecordTag) return SpaceKeyKind::record;
    if (tag == kCountTag) return SpaceKeyKind::count;
    if (kEntryTags.find(tag) != std::string_view::npos) return SpaceKeyKind::entry;
    return std::nullopt;
}

/// What the bytes of a record are made of.
struct Parts {
    char format = kPlainFormat;
    std::uint64_t version = 0;
    std::string_view text;
    std::string_view sealed;
};

std::optional<Parts> parts_of(std::string_view stored) {
    if (stored.size() < kHeaderSize) return std::nullopt;
    const char format = stored.front();
    if (format < kFirstFormat || format > kPlainFormat) return std::nullopt;
    const std::uint64_t text_size =
        read_big_endian(stored.substr(StoredRecord::kVersionOffset + kVersionSize, kLengthSize));
    if (text_size > stored.size() - kHeaderSize) return std::nullopt;
    return Parts{format, read_big_endian(stored.substr(StoredRecord::kVersionOffset, kVersionSize)),
                 stored.substr(kHeaderSize, text_size), stored.substr(kHeaderSize + text_size)};
}

std::string joined(const Parts& parts) {
    std::string bytes;
    // With room for the padding of whoever decodes it.
    constexpr std::size_t kPadding = 64;
    bytes.reserve(kHeaderSize + parts.text.size() + parts.sealed.size() + kPadding);
    bytes.push_back(parts.format);
    append_big_endian(bytes, parts.version, kVersionSize);
    append_big_endian(bytes, parts.text.size(), kLengthSize);
    bytes.append(parts.text);
    bytes.append(parts.sealed);
    return bytes;
}

}  // namespace

std::optional<SpaceKey> read_space_key(const SpaceCollection& collection, std::string_view key) {
    KeyReader reader(key);
    if (reader.integer() != collection.platform) return std::nullopt;
    const std::optional<char> tag = reader.tag();
    if (!tag || reader.integer() != collection.number) return std::nullopt;
    const std::optional<SpaceKeyKind> kind = kind_of(*tag);
    if (!kind) return std::nullopt;
    const std::string_view rest = reader.rest();
    return SpaceKey{*kind, key.substr(0, key.size() - rest.size()), *tag, rest};
}

std::string space_key(const SpaceCollection& collection, char tag, std::string_view rest) {
    return KeyWriter()
        .integer(collection.platform)
        .tag(tag)
        .integer(collection.number)
        .raw(rest)
        .key();
}

std::optional<StoredRecord> StoredRecord::read(std::string_view stored) {
    const auto parts = parts_of(stored);
    if (!parts) return std::nullopt;
    StoredRecord record{parts->version, {}};
    if (parts->format != kPackedFormat) {
        record.text = parts->text;
        return record;
    }
    auto text = unpack_text(parts->text);
    if (!text) return std::nullopt;
    record.text = *std::move(text);
    return record;
}

std::string StoredRecord::with(std::string_view stored, std::uint64_t version,
                               std::string_view text) {
    const auto before = parts_of(stored);
    const bool is_first = before && before->format == kFirstFormat;
    return joined({is_first ? kFirstFormat : kPlainFormat, version, text,
                   before ? before->sealed : std::string_view()});
}

std::string StoredRecord::packed(std::string_view stored) {
    const auto parts = parts_of(stored);
    if (!parts || parts->format != kPlainFormat) return std::string(stored);
    const std::string text = pack_text(parts->text);
    if (text.empty()) return std::string(stored);
    return joined({kPackedFormat, parts->version, text, parts->sealed});
}

bool StoredRecord::unpack(std::string& stored) {
    const auto parts = parts_of(stored);
    if (!parts) return false;
    if (parts->format != kPackedFormat) return true;
    const auto text = unpack_text(parts->text);
    if (!text) return false;
    stored = joined({kPlainFormat, parts->version, *text, parts->sealed});
    return true;
}

std::optional<RecordKey> space_record_key(const SpaceCollection& collection, std::string_view id) {
    if (id.size() != kSequenceSize * 2) return std::nullopt;
    const auto sequence = hex_bytes(id);
    if (!sequence) return std::nullopt;
    return KeyWriter().integer(collection.platform).integer(collection.number).raw(*sequence).key();
}

std::string space_record_id(const RecordKey& record) {
    if (record.size() < kSequenceSize) return {};
    return hex_text(std::string_view(record).substr(record.size() - kSequenceSize));
}

}  // namespace stele::sdk
