#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <stele/sdk/context.hpp>
#include <stele/sdk/documents.hpp>
#include <stele/sdk/result.hpp>

namespace stele::sdk {

struct IndexMember {
    /// Dotted path.
    std::string path;
    /// Told back as it was given: entries are walked either way.
    bool is_ascending = true;
};

/// A composite index that clients make: equality on members from the first on, and range or order
/// on the next (docs/reference/indexes.md).
struct CollectionIndex {
    enum class State {
        building,
        ready,
        overflowing,  ///< a record has too many values for it, so queries leave it alone
    };
    std::string name;
    std::vector<IndexMember> members;
    State state = State::building;
};

/// Indexes of collections in spaces. They are part of what the space shows: written with its
/// records, known to the views that were made since. Published by the kernel. Rights are the
/// caller's matter. Everything joins the context's transaction. Any thread.
class CollectionIndexes {
public:
    static constexpr std::size_t kMaxMembers = 8;
    static constexpr std::size_t kMaxIndexes = 16;

    virtual ~CollectionIndexes();

    /// In the order in which they were made.
    virtual Result<std::vector<CollectionIndex>> list(Context& context,
                                                      const CollectionName& collection) = 0;
    /// Queries use it once `build` is through. `invalid` (`document.index_malformed`) naming
    /// `index` or `index.<path>`; `conflict` (`document.index_exists`,
    /// `document.indexes_exceeded`).
    virtual Result<void> add(Context& context, const CollectionName& collection,
                             const CollectionIndex& index) = 0;
    /// `not_found` (`document.index_unknown`).
    virtual Result<void> remove(Context& context, const CollectionName& collection,
                                std::string_view name) = 0;
    /// Puts into the indexes, the automatic ones included, what they ought to say of a record and
    /// do not; answers how much that was, 0 also where there is no such record.
    virtual Result<std::size_t> mend(Context& context, const CollectionName& collection,
                                     std::string_view id) = 0;
    /// One step: puts at most `most` records into indexes that are being built. True when nothing
    /// is left to do.
    virtual Result<bool> build(Context& context, const CollectionName& collection,
                               std::size_t most) = 0;
};

}  // namespace stele::sdk
