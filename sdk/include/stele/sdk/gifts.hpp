#pragma once

#include <string_view>

#include <stele/sdk/context.hpp>
#include <stele/sdk/permission.hpp>
#include <stele/sdk/result.hpp>

/// Nobody gives what they do not hold (docs/decisions/0045-gifts-are-measured-by-their-reach.md):
/// refuses what is above whoever acts with `forbidden`. The server itself gives everything.
namespace stele::sdk {

/// A grant of the role on the record (`authority.role_above_own`).
[[nodiscard]] Result<void> require_grant(Context& context, const RecordKey& record,
                                         std::string_view role_key, bool is_deep = false);
/// Permissions on the record and everything inside it, as the code says.
[[nodiscard]] Result<void> require_inside(Context& context, const RecordKey& record,
                                          PermissionSet permissions, const char* code,
                                          std::string_view message);
/// Letting somebody into a group (`authority.group_above_own`).
[[nodiscard]] Result<void> require_membership(Context& context, const RecordKey& group);
/// Letting somebody out of a group: what its policies took comes back
/// (`authority.group_above_own`).
[[nodiscard]] Result<void> require_departure(Context& context, const RecordKey& group);
/// Acting as a principal, or changing or reading what opens it (`authority.principal_above_own`).
/// A principal may do so with itself.
[[nodiscard]] Result<void> require_rights_of(Context& context, const RecordKey& principal);

}  // namespace stele::sdk
