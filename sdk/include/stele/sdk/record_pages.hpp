#pragma once

#include <vector>

#include <stele/sdk/authorities.hpp>
#include <stele/sdk/call.hpp>
#include <stele/sdk/reply.hpp>
#include <stele/sdk/result.hpp>
#include <stele/sdk/services/row_query.hpp>

namespace stele::sdk {

/// The records of the keys as the page that the call asks for; those that are gone are left out.
/// Without a sort only the rows of the page are read, in the order of the keys.
[[nodiscard]] Result<Reply> page_of_records(const Call& call, RowQuery& rows,
                                            const std::vector<RecordKey>& keys);
/// The same of those records that the caller may read.
[[nodiscard]] Result<Reply> page_of_readable(const Call& call, RowQuery& rows,
                                             const std::vector<RecordKey>& keys);

/// The parameter `filter` of lists of members: `user`, `group`, or `any` like none; `invalid` for
/// other text. Letter case does not count.
[[nodiscard]] Result<MemberKind> member_filter(const Call& call);

}  // namespace stele::sdk
