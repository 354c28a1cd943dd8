#pragma once

#include <string>

#include "kernel/resource/operations/routed_call.hpp"
#include "kernel/resource/registry/kernel_action.hpp"

namespace stele::kernel::resource {

/// What the capability `roles` adds to a family: `{I}/roles` and everything below
/// (docs/reference/teams.md).
KernelActions role_actions();

/// The key of the role that the path's `authorityId` names by its key or, where it is a custom role
/// of the record or of what it lies in, by its id; unknown words as they came.
sdk::Result<std::string> addressed_role(const RoutedCall& call);

}  // namespace stele::kernel::resource
