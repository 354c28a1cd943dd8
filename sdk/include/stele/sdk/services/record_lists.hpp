#pragma once

#include <stele/sdk/call.hpp>
#include <stele/sdk/documents.hpp>
#include <stele/sdk/reply.hpp>
#include <stele/sdk/result.hpp>

namespace stele::sdk {

/// Pages of a collection for operations that are no standard ones: posts of a blog, definitions of
/// a branch. Published by the kernel. Any thread.
class RecordLists {
public:
    virtual ~RecordLists();

    /// The records that fit `query` (docs/reference/query-language.md) and that the caller may
    /// READ, as the page that the call asks for; like the standard query of the family, indexes
    /// and presentation included. The page shows the state before the call's own writes. Only on
    /// operations declared as paged. `invalid` for a wrong query.
    virtual Result<Reply> page(const Call& call, const CollectionName& collection,
                               const Json& query) = 0;
};

}  // namespace stele::sdk
