#pragma once

#include <stele/sdk/descriptor.hpp>

namespace stele::kernel::resource {

/// What the capability `teams` adds to a descriptor: `{I}/teams` and everything below
/// (docs/reference/teams.md).
void add_teams(sdk::ResourceDescriptor& descriptor);

}  // namespace stele::kernel::resource
