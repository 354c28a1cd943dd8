#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <stele/sdk/engine.hpp>
#include <stele/sdk/services/collection_indexes.hpp>

#include "kernel/storage/engine/keys.hpp"
#include "kernel/storage/index/index_entries.hpp"

namespace stele::kernel::storage {

class FieldValues;

/// An index that clients have made for a collection in a space. Under each combination of values of
/// its leading members lie the entries of the next member, laid out like automatic ones; so what
/// finds entries of a field finds them here. The layout is told in docs/reference/indexes.md.
struct SpaceIndex {
    std::uint64_t number = 0;
    std::string name;
    std::vector<sdk::IndexMember> members;
    bool is_ready = false;
    /// While it is built: records up to `built` and those beyond `ceiling` are in it.
    Sequence built;
    Sequence ceiling;

    bool maintains(std::string_view sequence) const {
        return is_ready || sequence <= built || sequence > ceiling;
    }
    /// Leading members that have at least one value in every entry. A member alone is ordered;
    /// where there are several, the first by itself is left to the automatic index.
    std::size_t least_depth() const { return members.size() == 1 ? 0 : 1; }
};

/// The indexes of a collection, a row of the space itself: every view knows those of its time.
struct SpaceIndexes {
    std::vector<SpaceIndex> all;
    /// Numbers up to here were given; the entries of those that are gone stay, for the past.
    std::uint64_t last_number = 0;

    const SpaceIndex* find(std::string_view name) const;
    bool is_former(std::uint64_t number) const;
    std::string encode() const;
    static sdk::Result<SpaceIndexes> decode(std::string_view text);
};

std::string space_indexes_key(CollectionId collection);

/// Kinds of entries beside `IndexKind`.
inline constexpr char kAbsentKind = 'a';     ///< missing or null
inline constexpr char kIrregularKind = 'z';  ///< an array or object: has no place in an order

/// What the entries of the member behind `depth` others begin with, whose values the equality
/// elements (composite_index.hpp) are; a kind follows.
std::string space_index_prefix(CollectionId collection, const SpaceIndex& index, std::size_t depth,
                               std::string_view equality);
/// Of the entries that name records with too many values.
std::string space_overflow_prefix(CollectionId collection, const SpaceIndex& index);
/// The number of the index in a key below `collection_prefix(collection, 'y')`; 0 for the row that
/// describes the indexes.
std::optional<std::uint64_t> space_index_number(std::string_view rest);

/// Keys of a record's entries, sorted, each once.
std::vector<std::string> space_index_keys(CollectionId collection, const SpaceIndex& index,
                                          std::string_view sequence, const FieldValues& values);

/// Makes the entries of a record those of `after`. Null stands for no record.
void write_space_index_change(sdk::Transaction& transaction, CollectionId collection,
                              const SpaceIndex& index, std::string_view sequence,
                              const FieldValues* before, const FieldValues* after);

}  // namespace stele::kernel::storage
