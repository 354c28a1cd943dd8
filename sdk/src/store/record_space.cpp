#include <stele/sdk/record_space.hpp>

#include <stele/sdk/encoding.hpp>
#include <stele/sdk/key_tuple.hpp>

namespace stele::sdk {

namespace {

constexpr char kRecordTag = 'd';
constexpr char kCountTag = 'k';
/// Indexes, composite indexes, records too wide for them, unique values, aliases both ways.
constexpr std::string_view kEntryTags = "xybuaA";

constexpr std::size_t kSequenceSize = 10;

constexpr char kRecordFormat = 1;
constexpr std::size_t kVersionSize = 8;
constexpr std::size_t kLengthSize = 4;
constexpr std::size_t kHeaderSize = StoredRecord::kVersionOffset + kVersionSize + kLengthSize;

std::optional<SpaceKeyKind> kind_of(char tag) {
    if (tag == kRecordTag) return SpaceKeyKind::record;
    if (tag == kCountTag) return SpaceKeyKind::count;
    if (kEntryTags.find(tag) != std::string_view::npos) return SpaceKeyKind::entry;
    return std::nullopt;
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
    if (stored.size() < kHeaderSize || stored.front() != kRecordFormat) return std::nullopt;
    const std::uint64_t text_size =
        read_big_endian(stored.substr(kVersionOffset + kVersionSize, kLengthSize));
    if (text_size > stored.size() - kHeaderSize) return std::nullopt;
    return StoredRecord{read_big_endian(stored.substr(kVersionOffset, kVersionSize)),
                        stored.substr(kHeaderSize, text_size)};
}

std::string StoredRecord::with(std::string_view stored, std::uint64_t version,
                               std::string_view text) {
    std::string_view sealed;
    if (const std::optional<StoredRecord> before = read(stored)) {
        sealed = stored.substr(kHeaderSize + before->text.size());
    }
    std::string bytes;
    bytes.reserve(kHeaderSize + text.size() + sealed.size());
    bytes.push_back(kRecordFormat);
    append_big_endian(bytes, version, kVersionSize);
    append_big_endian(bytes, text.size(), kLengthSize);
    bytes.append(text);
    bytes.append(sealed);
    return bytes;
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
