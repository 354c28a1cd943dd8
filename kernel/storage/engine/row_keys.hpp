#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <stele/sdk/result.hpp>

#include "kernel/storage/engine/keys.hpp"

namespace stele::kernel::storage {

/// Rows beside the records: `P a` leads from a custom id or alias to a sequence, `P A` from a
/// sequence to its names, `P u` from a unique value to a sequence.
std::string alias_key(CollectionId collection, std::string_view alias);
std::string alias_prefix_of(CollectionId collection, std::string_view sequence);
std::string alias_of_key(CollectionId collection, std::string_view sequence,
                         std::string_view alias);

/// What an alias row holds: a sequence, and whether the name is the record's own id, which nobody
/// else may take.
struct AliasTarget {
    Sequence sequence;
    bool is_custom_id = false;

    std::string encode() const { return is_custom_id ? sequence + 'c' : sequence; }
    static AliasTarget decode(std::string_view stored);
};

std::string unique_prefix(CollectionId collection, std::uint64_t field);
std::string unique_key(CollectionId collection, std::uint64_t field, std::string_view value);

/// The names and values that are wrong in the store's own data.
sdk::Error broken_record(CollectionId collection, std::string_view sequence);

}  // namespace stele::kernel::storage
