#pragma once

#include <string_view>

#include <stele/sdk/context.hpp>
#include <stele/sdk/result.hpp>

namespace stele::identity {

/// Ids that principals and domains had. Much is noted under them as text, and stays when they are
/// gone: who made a record, holds a lock, owns a tenant, started a job. So nobody gets such an id
/// again, nor a name by which it would be found
/// (docs/decisions/0094-ids-of-principals-come-once.md). Ends with the platform.

/// Notes that the principal is gone; without an id, the domain.
void spend_id(sdk::Context& context, std::string_view domain_id, std::string_view principal_id);

/// `conflict` (`document.id_taken`, `document.value_taken`) naming the member, `_doc` or `name`,
/// whose text was the id of another principal of the domain.
[[nodiscard]] sdk::Result<void> check_unspent(sdk::Context& context, const char* member,
                                              std::string_view domain_id,
                                              std::string_view principal_id);

}  // namespace stele::identity
