#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "kernel/resource/operations/routed_call.hpp"

namespace stele::kernel::resource {

/// Nobody takes more than it has itself (docs/decisions/0008): a manager does not unmake owners.
/// What a custom role holds depends on where it is defined, so that needs every permission.
/// `forbidden` (`authority.role_above_own`). What is given is measured by `stele/sdk/gifts.hpp`.
sdk::Result<void> require_own(const RoutedCall& call, std::string_view role_key);
sdk::Result<void> require_own(const RoutedCall& call, const std::vector<std::string>& role_keys);

/// A definition of a custom role on the call's record, or the end of one, gives what it holds to
/// those who were granted the key, and takes what the key meant before (docs/decisions/0045).
sdk::Result<void> require_definition(const RoutedCall& call, std::string_view role_key,
                                     sdk::PermissionSet permissions);

/// The same for what the group of a team may do with the platform, wherever the team's record lies
/// (`sdk::has_rights_of`).
sdk::Result<void> require_own_platform(const RoutedCall& call, const sdk::RecordKey& group);

/// A platform that nobody owns could never be administered again. Makes the change, which takes
/// something from the principal; `conflict` (`authority.last_owner`) when the platform's last owner
/// went with it (`sdk::keeps_owner`).
sdk::Result<void> keep_an_owner(const RoutedCall& call, const sdk::RecordKey& principal,
                                const std::function<sdk::Result<void>()>& change);

}  // namespace stele::kernel::resource
