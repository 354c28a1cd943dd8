#pragma once

#include <functional>

#include <stele/sdk/context.hpp>
#include <stele/sdk/principal.hpp>
#include <stele/sdk/result.hpp>
#include <stele/sdk/services/principal_directory.hpp>

namespace stele::sdk {

/// Picks principals that are about to lose what they can do.
using IsLeaving = std::function<bool(const Principal&)>;

/// Whether the platform of the context would still be owned: a user who can log in acts for an
/// `owner` of it, itself or through groups, and leaves neither itself nor with these groups. A
/// platform that is not owned can never be administered again, so this is to be asked before
/// somebody leaves. As the transaction sees it.
[[nodiscard]] Result<bool> has_owner(Context& context, PrincipalDirectory& principals,
                                     const IsLeaving& is_leaving = {});

/// Makes the change, which takes from the principal rights or, where it is a group, members. False
/// when it took the last owner away from a platform that had one.
[[nodiscard]] Result<bool> keeps_owner(Context& context, PrincipalDirectory& principals,
                                       const RecordKey& principal,
                                       const std::function<Result<void>()>& change);

/// Whether who acts may do with the platform whatever the group may, by its own grants or by those
/// of groups that contain it. Who joins the group gets that, and who leaves it loses that.
[[nodiscard]] Result<bool> has_rights_of(Context& context, const RecordKey& group);

}  // namespace stele::sdk
