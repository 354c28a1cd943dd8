#pragma once

#include <string_view>
#include <vector>

#include "kernel/resource/routed_call.hpp"

namespace stele::kernel::resource {

/// Nobody gives or takes more than it has itself (docs/decisions/0008): a manager neither makes
/// owners nor unmakes them. What a custom role holds depends on where it is defined, so that needs
/// every permission. `forbidden` (`authority.role_above_own`).
sdk::Result<void> require_own(const RoutedCall& call, std::string_view role_key);
sdk::Result<void> require_own(const RoutedCall& call, const std::vector<std::string>& role_keys);
/// The same for what a role that is being defined holds.
sdk::Result<void> require_own(const RoutedCall& call, std::string_view role_key,
                              sdk::PermissionSet permissions);

/// A platform that nobody owns could never be administered again. To be asked on the platform's own
/// routes once something that an owner had is taken away: `conflict` (`authority.last_owner`).
sdk::Result<void> require_an_owner(const RoutedCall& call);

}  // namespace stele::kernel::resource
