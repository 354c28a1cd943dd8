#pragma once

#include <string>
#include <vector>

#include <stele/sdk/descriptor.hpp>

namespace stele::kernel::storage {

/// What the store must know of a resource: its unique, unindexed and composite fields. Secret
/// fields are never in a record's text, so they need no mention.
struct CollectionRules {
    std::vector<std::string> unique_fields;
    std::vector<std::string> unindexed_fields;
    std::vector<sdk::CompositeIndex> composite_indexes;
    /// The readers and transactions are those of a space: several collections may show the same
    /// entries, so what is indexed is said in the space itself, and nothing is built behind its
    /// back.
    bool is_in_space = false;
};

}  // namespace stele::kernel::storage
