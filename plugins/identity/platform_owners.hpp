#pragma once

#include <string>

#include <stele/sdk/platform_owners.hpp>

namespace stele::identity {

/// `conflict` (`principal.last_owner`) with the message when those who leave are the last ones who
/// own the platform (`sdk::has_owner`).
sdk::Result<void> keep_an_owner(sdk::Context& context, const sdk::IsLeaving& is_leaving,
                                const std::string& message);

/// The same once a member was taken out of a group.
sdk::Result<void> require_an_owner(sdk::Context& context);

}  // namespace stele::identity
