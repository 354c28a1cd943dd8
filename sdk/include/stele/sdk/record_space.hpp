#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <stele/sdk/principal.hpp>

namespace stele::sdk {

/// A collection that lies in a space: not in the store as it is, but in something that the family's
/// plugin makes of it, like the view of a branch (`ResourceDescriptor::has_space`). The kernel
/// keeps records, index entries and counts there under the keys that it would use in the store.
struct SpaceCollection {
    std::uint64_t platform = 0;
    std::uint64_t number = 0;
    /// Type id of the family.
    std::string type;
    /// The record that contains the collection.
    RecordKey container;
};

/// What a key of a collection stands for.
enum class SpaceKeyKind : std::uint8_t {
    record,  ///< a record, found by its key and by scans; its value see `StoredRecord`
    entry,   ///< an entry of an index, an alias, a unique value: small
    count,   ///< a counter, which is only added to, and read by its key
};

/// A key of a collection, taken apart. The parts lie in the key.
struct SpaceKey {
    SpaceKeyKind kind = SpaceKeyKind::entry;
    /// Platform, tag and number: the same for all keys of a collection with one tag, and no other
    /// key of the store begins with it.
    std::string_view head;
    char tag = 0;
    std::string_view rest;
};

/// Nothing for keys that do not belong to a collection's contents: they lie in the store itself.
std::optional<SpaceKey> read_space_key(const SpaceCollection& collection, std::string_view key);
/// The key of a tag and a rest.
std::string space_key(const SpaceCollection& collection, char tag, std::string_view rest);

/// The stored bytes of a record, as far as a space may look into them.
struct StoredRecord {
    /// Where the eight bytes of the version lie, big-endian, which the ETag is made of. A space may
    /// put a stamp there.
    static constexpr std::size_t kVersionOffset = 1;

    std::uint64_t version = 0;
    /// What readers get, JSON.
    std::string text;

    /// Nothing when the bytes are no record.
    static std::optional<StoredRecord> read(std::string_view stored);
    /// `stored` with another version and text, not packed.
    static std::string with(std::string_view stored, std::uint64_t version, std::string_view text);
    /// The same record with its text packed, where that makes it shorter: what goes into the store.
    /// `stored` must be a record that is not packed.
    static std::string packed(std::string_view stored);
    /// Makes it one whose text lies in it as readers get it; false when the bytes are no record.
    static bool unpack(std::string& stored);
};

/// The key of a collection's record, and back; nothing when the id is none that the server made.
std::optional<RecordKey> space_record_key(const SpaceCollection& collection, std::string_view id);
/// The id that the server made for the record of a key.
std::string space_record_id(const RecordKey& record);

}  // namespace stele::sdk
