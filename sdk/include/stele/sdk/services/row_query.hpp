#pragma once

#include <vector>

#include <stele/sdk/json.hpp>
#include <stele/sdk/page.hpp>
#include <stele/sdk/reply.hpp>
#include <stele/sdk/result.hpp>

namespace stele::sdk {

/// Queries over rows that lie in no collection of their own: jobs, the stores of a stack, what is
/// gathered from several places. By the rules of `Documents::query`, without indexes: for hundreds
/// of rows, not for millions. Published by the kernel. Any thread.
class RowQuery {
public:
    virtual ~RowQuery();

    /// The rows that fit `query` (docs/reference/query-language.md), sorted and cut as `page` says,
    /// ties in the order given, as a Result map. `_fields` selects members. `invalid` for a wrong
    /// query.
    virtual Result<Reply> page(const std::vector<Json>& rows, const Json& query,
                               const PageRequest& page) = 0;
};

}  // namespace stele::sdk
