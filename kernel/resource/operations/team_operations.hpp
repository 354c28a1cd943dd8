#pragma once

#include "kernel/resource/registry/kernel_action.hpp"

namespace stele::kernel::resource {

/// What the capability `teams` adds to a family: `{I}/teams` and everything below
/// (docs/reference/teams.md).
KernelActions team_actions();

}  // namespace stele::kernel::resource
