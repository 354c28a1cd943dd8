#pragma once

#include <string_view>

#include <stele/sdk/principal.hpp>

#include "kernel/resource/operations/routed_call.hpp"

namespace stele::kernel::resource {

/// The principal of a form that a caller sent (docs/specification/platform.md 4.1); unqualified
/// forms are looked for in the domain of the addressed record first.
sdk::Result<sdk::Principal> find_principal(const RoutedCall& call, std::string_view form);

/// The same for the parameter `id`, or the path's `principalId`.
sdk::Result<sdk::Principal> principal_parameter(const RoutedCall& call);

sdk::Result<sdk::Principal> describe_principal(const RoutedCall& call, const sdk::RecordKey& key);

/// Whether the caller is told of a principal's rights: the guest of its own only, as anybody may be
/// the guest.
sdk::Result<bool> is_told_of(const RoutedCall& call, const sdk::RecordKey& principal);
/// A principal whose rights are asked for. To the guest everybody but itself is `forbidden`
/// (`authority.guest_excluded`), whether there is one or not.
sdk::Result<sdk::Principal> find_told_principal(const RoutedCall& call, std::string_view form);
sdk::Result<sdk::Principal> told_principal_parameter(const RoutedCall& call);

}  // namespace stele::kernel::resource
