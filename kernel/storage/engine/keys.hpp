#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <stele/sdk/key_tuple.hpp>
#include <stele/sdk/principal.hpp>

/// The layout of the whole store: every kind of key is made here and nowhere else.
///
/// A key begins with the number of a platform; 0 stands for what belongs to no platform. Then comes
/// one tag byte that says what kind of entry it is:
///
///   0 n name                        -> number            names of fields (NameTable)
///   0 N                             -> the last number given to a name
///   0 p platform                    -> sequence of its root record
///   0 P sequence                    -> platform          the same, by root record; not the first
///   0 o platform                    -> `c` closed, `r` removed and being emptied
///   0 s space ...                                        plugins' shared key spaces
///   P c type container              -> collection number; container: key of the record, or empty
///   P C collection                  -> type container
///   P d collection sequence         -> record            see record.hpp
///   P a collection alias            -> sequence          custom ids (a byte `c` after it), aliases
///   P A collection sequence alias   -> empty             the same, by record
///   P u collection field value      -> sequence          unique values
///   P x collection field kind value sequence -> empty    automatic indexes, see index_entries.hpp
///   P y collection index values sequence -> empty        composite indexes; `index` 0 describes
///                                                        those of a space, see space_index.hpp
///   P k collection ...              -> counter           counts, see index_entries.hpp
///   P b collection sequence         -> empty             over-indexed records
///   P i collection                  -> composite indexes of the collection
///   P g record principal role       -> grant             authorities on a record
///   P G principal record role       -> empty             the same, by principal
///   P m group member                -> joined            memberships
///   P M member group                -> joined            the same, by member
///   P r record role                 -> custom role
///   P h record source               -> empty             whose rights reach the record too
///   P H source record               -> empty             the same, by source
///   P o principal store             -> empty             in which records give it rights by what
///                                                        they say
///   P t record team                 -> group, members of the team's record
///   P T group                       -> record team       teams, by their groups
///   P q record role                 -> the custom role as clients see it
///   P f record                      -> attachments of the record, see
///                                      kernel/resource/work/record_attachments.hpp
///   P e                             -> key of the group `everyone`
///   P v                             -> counter           how often rights were taken away
///   P S record s, n, b, o           -> state, objects, bytes, openness of a data store, see
///                                      kernel/resource/data_store/data_store_rows.hpp
///   P D record                      -> empty             data stores with stale statistics
///   P R collection                  -> type              collections of removed containers, which
///                                                        are emptied step by step
///   P j ...                                              jobs
///   P s space ...                                        plugins' key spaces
namespace stele::kernel::storage {

/// Creation sequence of a record: ten bytes that grow, in generated ids written as 20 hexadecimal
/// digits. A record's key in its collection, and the order of lists without a sort.
using Sequence = std::string;
inline constexpr std::size_t kSequenceSize = 10;

/// The sequence at the end of a record's or an index entry's key; lies in the key.
inline std::string_view sequence_of(std::string_view key) {
    return key.substr(key.size() - kSequenceSize);
}

inline constexpr char kStoreTag = 'S';
inline constexpr char kDirtyStoreTag = 'D';
inline constexpr char kRemovalTag = 'R';
inline constexpr char kTeamTag = 't';
inline constexpr char kTeamGroupTag = 'T';
inline constexpr char kRoleRecordTag = 'q';
inline constexpr char kAttachmentTag = 'f';

struct CollectionId {
    std::uint64_t platform = 0;
    std::uint64_t number = 0;
    friend bool operator==(const CollectionId&, const CollectionId&) = default;
};

/// Prefix of all entries of one kind on a platform.
std::string kind_prefix(std::uint64_t platform, char tag);
/// Prefix of all entries of one kind in a collection.
std::string collection_prefix(CollectionId collection, char tag);

std::string record_path(CollectionId collection, std::string_view sequence);

/// `RecordKey` is the tuple (platform, collection number, sequence).
sdk::RecordKey record_key(CollectionId collection, std::string_view sequence);
/// Prefix of the record keys of a collection.
std::string record_key_prefix(CollectionId collection);
/// Splits a record key; false when the bytes are none.
bool split_record_key(std::string_view key, CollectionId& collection, std::string_view& sequence);
/// The collection of a record key; number 0, which none has, when the bytes are no such key.
CollectionId collection_of(std::string_view record_key);

/// A new sequence: 48 bits of milliseconds, 32 bits of a counter that grows within a millisecond
/// and begins at a random place, so that several servers do not collide. Grows strictly within a
/// process. Any thread.
Sequence next_sequence();
/// 20 hexadecimal digits of a sequence, and back; nothing when the text is no such id.
std::string sequence_text(std::string_view sequence);
bool parse_sequence(std::string_view text, Sequence& sequence);

/// The sequence of a platform's root record; no entry once it was removed.
std::string platform_path(std::uint64_t platform);
/// Whether a platform is closed or removed; no entry while it is open.
std::string platform_state_path(std::uint64_t platform);
inline constexpr std::string_view kClosedPlatform = "c";
inline constexpr std::string_view kRemovedPlatform = "r";

std::string plugin_space(std::uint64_t platform, std::string_view space);

std::string name_path(std::string_view name);
std::string last_name_path();

}  // namespace stele::kernel::storage
