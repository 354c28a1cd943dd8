#pragma once

#include <string>

#include <stele/sdk/platform_owners.hpp>

namespace stele::identity {

/// `conflict` (`identity.principal_last_owner`) with the message when those who leave are the last
/// ones who own the platform (`sdk::has_owner`).
sdk::Result<void> keep_an_owner(sdk::Context& context, const sdk::IsLeaving& is_leaving,
                                const std::string& message);

/// Takes the member out of the group, unless the platform's last owner would leave so.
sdk::Result<void> leave_group(sdk::Context& context, const sdk::RecordKey& group,
                              const sdk::RecordKey& member);

}  // namespace stele::identity
